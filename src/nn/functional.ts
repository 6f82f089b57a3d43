/** `torch.nn.functional`: the ops that are declared as such. */
import { functional as functions } from '../torch/attach.ts';
import type { FunctionalFunctions } from '../torch/generated.ts';

/** `torch.nn.functional`. */
export const functional = functions as unknown as FunctionalFunctions;
