/** Samples of the ops that rearrange, pick, sort, reduce and multiply arrays, for `every-op.test.ts`. */
import type { Tensor } from '../tensor/tensor.ts';
import type { Sample } from './every-op.testing.ts';

export const arraySamples: Record<string, Sample[]> = {};

/** Takes tensors, and what comes out never requires grad. */
export const arraysWithoutGradient: Record<string, (a: Tensor) => unknown> = {};
