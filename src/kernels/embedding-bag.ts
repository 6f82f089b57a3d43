/**
 * Builders of embedding-bag launches and their gradients. Dtype and shape rules are the
 * operations'. Weights are float dtypes; indices and offsets are int32 or int64, both the same.
 *
 * Where PyTorch contradicts itself (a last offset before the end of the indices), the offsets are taken at their word.
 */
import type { Operand } from '../core/operand.ts';
import { type Bags, bagCount, GRAIN, launch, MODES, register } from './embedding-grad.ts';
import { embeddingBagKernel } from './wasm/embedding-bag.ts';
import { embeddingBagFactorsGradKernel } from './wasm/embedding-bag-grad.ts';
import type { BagMode } from './wasm/embedding-bag-walk.ts';

export { type Bags, bagCount, embeddingBagBackward } from './embedding-grad.ts';
export type { BagMode };

const FORWARD = MODES.map((mode) =>
  register(`embedding_bag.${mode}`, (d, bytes) => embeddingBagKernel(d, bytes, mode)),
);
const FACTORS = register('embedding_bag_factors_backward', embeddingBagFactorsGradKernel);

/**
 * out[b] = the sum, mean or maximum of the rows that bag b names; 0 for an empty bag.
 *
 * @param out [bags, columns], contiguous
 * @param bagSize [bags], as the indices: how many of a bag count (0 for sums, as in PyTorch); null: not wanted
 * @param maxIndices [bags, columns], as the indices: which row had the maximum; null: not wanted
 */
export function embeddingBag(out: Operand, bags: Bags, bagSize: Operand | null, maxIndices: Operand | null): void {
  const count = bagCount(bags);
  if (count === 0) return;
  const mode = MODES.indexOf(bags.mode);
  const work = Math.max(1, Math.ceil((bags.indices.length / count) * bags.weight.sizes[1]));
  launch(FORWARD[mode], bags, out, null, bagSize, maxIndices, 0, count, Math.ceil(GRAIN / work));
}

/** out = the gradient of the per-sample weights: contiguous, one for each index; 0 for padding. */
export function embeddingBagFactorsBackward(out: Operand, grad: Operand, bags: Bags): void {
  const count = bagCount(bags);
  if (out.length === 0 || count === 0) return;
  const work = Math.max(1, Math.ceil((bags.indices.length / count) * bags.weight.sizes[1]));
  launch(FACTORS, bags, out, grad, null, null, 0, count, Math.ceil(GRAIN / work));
}
