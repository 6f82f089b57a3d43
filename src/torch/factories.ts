/** The functions of `torch` that layers and optimizers are made with: not all of its names, which the small entry point has no use for. */
import { functions } from './attach.ts';
import type { TorchFunctions } from './generated.ts';

export const { arange, cat, empty, empty_like, full, ones, stack, tensor, where, zeros, zeros_like } =
  functions as unknown as TorchFunctions;
