/**
 * Builders of launches that read at places named by indices: `index_select`, `gather`, `embedding`, indexing with
 * tensors, and the places of what is not zero. Shape and dtype rules are the operations'; indices are int32 or int64.
 *
 * An index out of range is a fault with PyTorch's error type and text. Negative indices count from the end only in
 * `indexGet`, as in PyTorch.
 */
import { DTYPES } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import {
  addDimension,
  addIndex,
  beginIndexed,
  describeElements,
  describeIndices,
  describeSlices,
  FAULT_GATHER,
  FAULT_INDEX,
  FAULT_SELECT,
  FAULT_TAKE,
  indexStride,
  type Indices,
  launchIndexed,
} from './indexing.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { NZ, nonzeroKernel } from './wasm/nonzero.ts';

/** out = x.index_select(dim, index): `out` has x's sizes, but index's length at `dim`. */
export function indexSelect(out: Operand, x: Operand, dim: number, index: Operand): void {
  describeSlices(out, x, dim, index);
  launchIndexed('gather', out, x, FAULT_SELECT, false);
}

/** out = x.gather(dim, index): `out` has index's sizes. */
export function gather(out: Operand, x: Operand, dim: number, index: Operand): void {
  describeElements(out, x, dim, index);
  launchIndexed('gather', out, x, FAULT_GATHER, false);
}

/** out[i] = x[index[i]] of vectors, where negative indices count from the end: `take` of a flattened tensor. */
export function take(out: Operand, x: Operand, index: Operand): void {
  describeElements(out, x, 0, index);
  launchIndexed('gather', out, x, FAULT_TAKE, true);
}

/** out = weight[index], rows of a matrix: [...index.sizes, columns]. PyTorch's `embedding`. */
export function embedding(out: Operand, weight: Operand, index: Operand): void {
  const bytes = out.dtype.itemsize;
  const rank = index.sizes.length;
  beginIndexed();
  addIndex(index, weight, 0);
  for (let d = 0; d < rank; d++) {
    indexStride(0, index.strides[d] * index.dtype.itemsize);
    addDimension(index.sizes[d], out.strides[d] * bytes, 0);
  }
  indexStride(0, 0);
  addDimension(weight.sizes[1], out.strides[rank] * bytes, weight.strides[1] * bytes);
  launchIndexed('gather', out, weight, FAULT_SELECT, false);
}

/**
 * out = x[indices]: one entry for each dimension, null for the whole of it; the index tensors broadcast together, and
 * are all int32 or all int64. `out` has the sizes that `indexedSizesOf` gives, any strides.
 */
export function indexGet(out: Operand, x: Operand, indices: Indices): void {
  describeIndices(out, x, indices);
  launchIndexed('gather', out, x, FAULT_INDEX, true);
}

/** By dtype index: counting what is not zero, and writing where it is. */
const countKernels = DTYPES.map((d) => registerKernel(() => nonzeroKernel(d, false), `nonzero_count.${d.name}`));
const placeKernels = DTYPES.map((d) => registerKernel(() => nonzeroKernel(d, true), `nonzero.${d.name}`));

/** count[0] = how many elements of x are not zero (NaN is not zero); `count` is int64. Reading it synchronises. */
export function countNonzero(count: Operand, x: Operand): void {
  launchNonzero(countKernels[x.dtype.index], count, x);
}

/** out = torch.nonzero(x): int64 [count, rank], contiguous, in row-major order; `count` from `countNonzero`. */
export function nonzero(out: Operand, x: Operand): void {
  if (out.length > 0) launchNonzero(placeKernels[x.dtype.index], out, x);
}

function launchNonzero(kernel: number, out: Operand, x: Operand): void {
  const backend = (x.storage as Storage).backend;
  const rank = x.sizes.length;
  const at = backend.begin(kernel, NZ.dims + 2 * rank, 0);
  const { words } = backend;
  words[at + NZ.out] = outAddress(out, backend);
  words[at + NZ.x] = address(x, backend);
  words[at + NZ.length] = x.length;
  words[at + NZ.rank] = rank;
  for (let d = 0; d < rank; d++) {
    words[at + NZ.dims + 2 * d] = x.sizes[d];
    words[at + NZ.dims + 2 * d + 1] = x.strides[d] * x.dtype.itemsize;
  }
  backend.submit();
}
