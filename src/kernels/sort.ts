/**
 * The `sort` kernel kind: sorting along a dimension (PyTorch's sort, topk, kthvalue, median, mode), stably and for every
 * dtype, NaN after everything else. Rows are divided over threads; every row is sorted by one.
 */
import { DTYPES } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { numThreads } from '../devices/threads.ts';
import { DimList, grainFor, MAX_INPUTS } from './reduce-plan.ts';
import { registerKernel } from './registry.ts';
import { reads, writes } from './touch.ts';
import { SELECT, SORT, SORT_DIM_WORDS, SORT_HEAD, selectKernel, sortKernel, sortScratchBytes } from './wasm/sort.ts';

const sortKernels = DTYPES.map((d) => registerKernel(() => sortKernel(d), `sort.${d.name}`));
const selectKernels = DTYPES.map((d) => registerKernel(() => selectKernel(d), `select.${d.name}`));

/** Where the ways part. Tests move these borders. */
export const tuning = {
  /** Rows of at least so many elements are not sorted to find a few … */
  selectLength: 256,
  /** … at most one in so many. */
  selectPart: 8,
};

const rows = new DimList();

function launch(
  values: Operand<Storage>,
  indices: Operand<Storage> | null,
  x: Operand<Storage>,
  dim: number,
  count: number,
  descending: boolean,
  mode: number,
  select: boolean,
): void {
  const rank = x.sizes.length;
  const { itemsize } = x.dtype;
  const reduced = values.sizes.length < rank;
  rows.clear();
  for (let d = 0; d < rank; d++) {
    if (d === dim || x.sizes[d] === 1) continue;
    const own = reduced && d > dim ? d - 1 : d;
    rows.out[rows.count] = values.strides[own] * itemsize;
    rows.indices[rows.count] = indices === null ? 0 : indices.strides[own] * 8;
    rows.inputs[rows.count * MAX_INPUTS] = x.strides[d] * itemsize;
    rows.add(x.sizes[d], 1);
  }
  const length = rank === 0 ? 1 : x.sizes[dim];
  const units = rows.total();
  if (length === 0 || units === 0 || count === 0) return;
  const along = (o: Operand | null): number => (o === null || rank === 0 || reduced ? 0 : o.strides[dim]);

  reads(x);
  writes(values);
  if (indices !== null) writes(indices);
  const { backend } = x.storage;
  const dims = rows.count;
  const least = grainFor(units, 16 * length);
  // Every grain has scratch of its own.
  const grain = least === 0 ? 0 : Math.max(least, Math.ceil(units / (4 * numThreads)));
  const bytes = (sortScratchBytes(x.dtype, length, count, select) + 63) & ~63;
  const all = bytes * (grain === 0 ? 1 : Math.ceil(units / grain));
  const scratch = backend.allocate(all);
  const kernel = (select ? selectKernels : sortKernels)[x.dtype.index];
  const at = backend.begin(kernel, SORT_HEAD + dims * SORT_DIM_WORDS, grain);
  const { words } = backend;
  words[at] = 0;
  words[at + 1] = units;
  words[at + SORT.input] = x.storage.address + x.offset * itemsize;
  words[at + SORT.values] = values.storage.address + values.offset * itemsize;
  words[at + SORT.indices] = indices === null ? 0 : indices.storage.address + indices.offset * 8;
  words[at + SORT.length] = length;
  words[at + SORT.inStride] = rank === 0 ? 0 : x.strides[dim] * itemsize;
  words[at + SORT.valueStride] = along(values) * itemsize;
  words[at + SORT.indexStride] = along(indices) * 8;
  words[at + SORT.count] = count;
  words[at + SORT.down] = descending ? -1 : 0;
  words[at + SORT.scratch] = scratch;
  words[at + SORT.scratchBytes] = bytes;
  words[at + SORT.grain] = grain;
  words[at + SORT.dims] = dims;
  words[at + SORT.mode] = mode;
  rows.write(words, at + SORT_HEAD);
  backend.submit();
  backend.free(scratch, all);
}

/**
 * The first elements of every row along `dim` in sorted order, and their positions: all of them, or as many as `values`
 * has there. Equal elements keep their order.
 *
 * @param values of x's dtype, with x's sizes but for `dim`
 * @param indices int64, of the same sizes
 */
export function sort(
  values: Operand<Storage>,
  indices: Operand<Storage> | null,
  x: Operand<Storage>,
  dim: number,
  descending: boolean,
): void {
  const rank = x.sizes.length;
  const length = rank === 0 ? 1 : x.sizes[dim];
  const count = rank === 0 ? values.length : values.sizes[dim];
  const select = length >= tuning.selectLength && count * tuning.selectPart <= length;
  launch(values, indices, x, dim, count, descending, SELECT.first, select);
}

/**
 * One element of every row along `dim`, and its position: the k-th smallest (k from 1), the lower median (NaN if there is
 * one, or of all but NaN), or the most frequent one. `values` and `indices` are without that dimension.
 */
export function pick(
  values: Operand<Storage>,
  indices: Operand<Storage> | null,
  x: Operand<Storage>,
  dim: number,
  what: 'kth' | 'median' | 'nanmedian' | 'mode',
  k = 1,
): void {
  launch(values, indices, x, dim, k, false, SELECT[what], what !== 'mode');
}
