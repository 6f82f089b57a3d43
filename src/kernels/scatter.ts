/**
 * Builders of launches that write at places named by indices: `scatter`, `scatter_add`, `index_add`, `index_copy` and
 * `index_put_`. They change `self` in place; its elements must not overlap. Indices are int32 or int64.
 *
 * What several indices send to the same place arrives in the order of the indices, whatever the number of threads: the
 * last write stays, and sums are always the same. Half types are rounded at every addition. Indices out of range are
 * faults with PyTorch's error type and text; what was written before stays written, as in PyTorch.
 */
import { IndexError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import { defineFault } from './faults.ts';
import {
  describeElements,
  describeIndices,
  describeSlices,
  FAULT_GATHER,
  FAULT_INDEX,
  FAULT_SELECT,
  FAULT_TAKE,
  type Indices,
  launchIndexed,
} from './indexing.ts';

const FAULT_COPY = defineFault(
  ([low, high, size, dim]) =>
    new IndexError(
      `index_copy_(): index ${(BigInt(high) << 32n) | BigInt(low >>> 0)} is out of bounds for dimension ${dim} with size ${size >>> 0}`,
    ),
);

/** self.scatter_(dim, index, src): `src` is at least as large as `index`; a scalar is a source with strides 0. */
export function scatter(self: Operand, dim: number, index: Operand, src: Operand): void {
  describeElements(src, self, dim, index);
  launchIndexed('scatter', src, self, FAULT_GATHER, false);
}

/** self.scatter_add_(dim, index, src). */
export function scatterAdd(self: Operand, dim: number, index: Operand, src: Operand): void {
  describeElements(src, self, dim, index);
  launchIndexed('scatter_add', src, self, FAULT_GATHER, false);
}

/** How `scatter_reduce_` combines elements with what is there. */
export type Combination = 'sum' | 'prod' | 'amax' | 'amin';
const COMBINATIONS = { sum: 'scatter_add', prod: 'scatter_prod', amax: 'scatter_max', amin: 'scatter_min' } as const;

/** self.scatter_reduce_(dim, index, src, how), what is there included. */
export function scatterReduce(self: Operand, dim: number, index: Operand, src: Operand, how: Combination): void {
  describeElements(src, self, dim, index);
  launchIndexed(COMBINATIONS[how], src, self, FAULT_GATHER, false);
}

/** self[index[i]] = source[i] of vectors, or += with `accumulate`; negative indices count from the end: `put_`. */
export function put(self: Operand, index: Operand, source: Operand, accumulate: boolean): void {
  describeElements(source, self, 0, index);
  launchIndexed(accumulate ? 'scatter_add' : 'scatter', source, self, FAULT_TAKE, true);
}

/** The slices of self at the indices become those of src, which may be expanded; negative indices count from the end. */
export function indexFill(self: Operand, dim: number, index: Operand, src: Operand): void {
  describeSlices(src, self, dim, index);
  launchIndexed('scatter', src, self, FAULT_INDEX, true);
}

/** self.index_add_(dim, index, src): `src` has self's sizes, but index's length at `dim`. */
export function indexAdd(self: Operand, dim: number, index: Operand, src: Operand): void {
  describeSlices(src, self, dim, index);
  // PyTorch has another text for vectors.
  launchIndexed('scatter_add', src, self, self.sizes.length > 1 ? FAULT_GATHER : FAULT_SELECT, false);
}

/** self.index_copy_(dim, index, src). */
export function indexCopy(self: Operand, dim: number, index: Operand, src: Operand): void {
  describeSlices(src, self, dim, index);
  launchIndexed('scatter', src, self, FAULT_COPY, false);
}

/**
 * self[indices] = values, or += with `accumulate`; indices as in `indexGet`, and `values` broadcasts to the sizes that
 * `indexedSizesOf` gives.
 */
export function indexPut(self: Operand, indices: Indices, values: Operand, accumulate: boolean): void {
  describeIndices(values, self, indices);
  launchIndexed(accumulate ? 'scatter_add' : 'scatter', values, self, FAULT_INDEX, true);
}
