/**
 * What the builders of gather and scatter share: the iteration space of a launch, its words, and the faults of indices
 * out of range. A builder describes the dimensions from the outside in, then launches.
 */
import { type DType, DTYPES, int64 } from '../core/dtype.ts';
import { IndexError, RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { numThreads } from '../devices/threads.ts';
import { defineFault } from './faults.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { DIM_WORDS, INDEX_WORDS, type IndexedOperation, indexedKernel, IX } from './wasm/indexed.ts';

const outOfBounds = (low: number, high: number, size: number, dim: number): string =>
  `index ${(BigInt(high) << 32n) | BigInt(low >>> 0)} is out of bounds for dimension ${dim} with size ${size >>> 0}`;

/** `index_select`, `embedding`. */
export const FAULT_SELECT = defineFault(() => new IndexError('index out of range in self'));
/** `gather`, `scatter`, `index_add`: a RuntimeError in PyTorch. */
export const FAULT_GATHER = defineFault(
  ([low, high, size, dim]) => new RuntimeError(outOfBounds(low, high, size, dim)),
);
/** `take`, `put_`: positions in the flattened tensor. */
export const FAULT_TAKE = defineFault(
  ([low, high, size]) =>
    new IndexError(
      `out of range: tried to access index ${(BigInt(high) << 32n) | BigInt(low >>> 0)} on a tensor of ${size >>> 0} elements.`,
    ),
);
/** Indexing with tensors: an IndexError. */
export const FAULT_INDEX = defineFault(([low, high, size, dim]) => new IndexError(outOfBounds(low, high, size, dim)));

/** Kernel numbers, by `2 * key + (int64 indices ? 1 : 0)`. */
function register(operation: IndexedOperation, dtypes: readonly DType[]): number[] {
  return dtypes.flatMap((dtype) =>
    [4, 8].map((bytes) =>
      registerKernel(() => indexedKernel(operation, dtype, bytes), `${operation}.${dtype.name}.i${bytes * 8}`),
    ),
  );
}

/** A dtype of each size, at the position log2(size): copying looks at nothing else. */
const BY_SIZE = [1, 2, 4, 8].map((size) => DTYPES.find((dtype) => dtype.itemsize === size) as DType);
const KERNELS: Record<IndexedOperation, number[]> = {
  gather: register('gather', BY_SIZE),
  scatter: register('scatter', BY_SIZE),
  scatter_add: register('scatter_add', DTYPES),
  scatter_prod: register('scatter_prod', DTYPES),
  scatter_max: register('scatter_max', DTYPES),
  scatter_min: register('scatter_min', DTYPES),
};

const MAX_DIMS = 64;
/** Elements worth handing to a thread. */
const GRAIN = 16 * 1024;

/** The dimensions so far, neighbours merged where all strides allow it. Strides are in bytes. */
const sizes = new Float64Array(MAX_DIMS);
const denseStrides = new Float64Array(MAX_DIMS);
const indexedStrides = new Float64Array(MAX_DIMS);
/** Of index tensor p: from `p * MAX_DIMS`. */
const indexStrides = new Float64Array(MAX_DIMS * MAX_DIMS);
let dims = 0;
let empty = false;

/** The index tensors: operand, size, stride and number of the dimension that they index. */
const indices: Operand[] = [];
const indexedSizes: number[] = [];
const indexedSteps: number[] = [];
const indexedDims: number[] = [];
let count = 0;

/** Begins a description. */
export function beginIndexed(): void {
  dims = 0;
  count = 0;
  empty = false;
}

/** The next index tensor: it stands for dimension `dim` of `x`. */
export function addIndex(index: Operand, x: Operand, dim: number): void {
  indices[count] = index;
  // A tensor of no dimensions is indexed as if it had one.
  indexedSizes[count] = x.sizes.length === 0 ? 1 : x.sizes[dim];
  indexedSteps[count] = x.sizes.length === 0 ? 0 : x.strides[dim] * x.dtype.itemsize;
  indexedDims[count++] = dim;
}

/** Says how index tensor `p` moves along the dimension that is added next. In bytes. */
export function indexStride(p: number, stride: number): void {
  indexStrides[p * MAX_DIMS + dims] = stride;
}

/** The next dimension of the iteration space, inside of those before. All index strides have been set. In bytes. */
export function addDimension(size: number, dense: number, indexed: number): void {
  if (size === 0) empty = true;
  if (size === 1) return;
  const last = dims - 1;
  if (last >= 0) {
    let merges = denseStrides[last] === dense * size && indexedStrides[last] === indexed * size;
    for (let p = 0; merges && p < count; p++) {
      const at = p * MAX_DIMS;
      merges = indexStrides[at + last] === indexStrides[at + dims] * size;
    }
    if (merges) {
      sizes[last] *= size;
      denseStrides[last] = dense;
      indexedStrides[last] = indexed;
      for (let p = 0; p < count; p++) indexStrides[p * MAX_DIMS + last] = indexStrides[p * MAX_DIMS + dims];
      return;
    }
  }
  sizes[dims] = size;
  denseStrides[dims] = dense;
  indexedStrides[dims++] = indexed;
}

/**
 * Submits what has been described.
 *
 * @param dense walked in order: a gather's output, a scatter's source
 * @param indexed walked by the indices
 * @param wrap whether negative indices count from the end
 */
export function launchIndexed(
  operation: IndexedOperation,
  dense: Operand,
  indexed: Operand,
  fault: number,
  wrap: boolean,
): void {
  if (empty) return;
  const { dtype } = dense;
  const backend = (dense.storage as Storage).backend;
  const moves = operation === 'gather' || operation === 'scatter';
  const key = moves ? 31 - Math.clz32(dtype.itemsize) : dtype.index;
  const kernel = KERNELS[operation][2 * key + (indices[0].dtype === int64 ? 1 : 0)];

  // The last dimension is the inner one, unless several indices change along it.
  let changes = false;
  for (let p = 0; p < count && dims > 0; p++) if (indexStrides[p * MAX_DIMS + dims - 1] !== 0) changes = true;
  const outer = dims === 0 || (changes && count > 1) ? dims : dims - 1;
  const inner = outer < dims ? sizes[outer] : 1;
  let rows = 1;
  for (let d = 0; d < outer; d++) rows *= sizes[d];

  const gather = operation === 'gather';
  const splitInner = gather && rows === 1 && inner > GRAIN;
  let end = splitInner ? inner : rows;
  let grain = splitInner ? GRAIN : Math.ceil(GRAIN / inner);
  if (!gather) {
    end = indexedSizes[0];
    // Every thread goes through all indices, which pays where whole rows hang on each of them.
    const pays = inner >= 16 && !changes && rows * inner > 2 * GRAIN;
    grain = pays ? Math.ceil(end / numThreads) : 0;
  }

  const width = DIM_WORDS + count;
  const at = backend.begin(kernel, IX.index + count * INDEX_WORDS + outer * width, grain);
  const { words } = backend;
  words[at + IX.begin] = 0;
  words[at + IX.end] = end;
  words[at + IX.dense] = gather ? outAddress(dense, backend) : address(dense, backend);
  words[at + IX.indexed] = gather ? address(indexed, backend) : outAddress(indexed, backend);
  words[at + IX.rows] = rows;
  words[at + IX.inner] = inner;
  words[at + IX.denseInner] = outer < dims ? denseStrides[outer] : 0;
  words[at + IX.indexedInner] = outer < dims ? indexedStrides[outer] : 0;
  words[at + IX.splitInner] = splitInner ? 1 : 0;
  words[at + IX.perElement] = changes && outer < dims ? 1 : 0;
  words[at + IX.wrap] = wrap ? 1 : 0;
  words[at + IX.fault] = fault;
  words[at + IX.indices] = count;
  words[at + IX.outerRank] = outer;
  let to = at + IX.index;
  for (let p = 0; p < count; p++, to += INDEX_WORDS) {
    words[to] = address(indices[p], backend);
    words[to + 1] = outer < dims ? indexStrides[p * MAX_DIMS + outer] : 0;
    words[to + 2] = indexedSizes[p];
    words[to + 3] = indexedSteps[p];
    words[to + 4] = indexedDims[p];
  }
  for (let d = 0; d < outer; d++, to += width) {
    words[to] = sizes[d];
    words[to + 1] = denseStrides[d];
    words[to + 2] = indexedStrides[d];
    for (let p = 0; p < count; p++) words[to + 3 + p] = indexStrides[p * MAX_DIMS + d];
  }
  // Operands are not kept alive by this module.
  indices.length = 0;
  backend.submit();
}

/** Describes the dimensions where the index has those of `x` (`gather`, `scatter`): the index's own sizes. */
export function describeElements(dense: Operand, indexed: Operand, dim: number, index: Operand): void {
  const bytes = dense.dtype.itemsize;
  const rank = index.sizes.length;
  beginIndexed();
  addIndex(index, indexed, dim);
  for (let d = 0; d < rank; d++) {
    indexStride(0, index.strides[d] * index.dtype.itemsize);
    addDimension(index.sizes[d], dense.strides[d] * bytes, d === dim ? 0 : indexed.strides[d] * bytes);
  }
}

/** Describes the dimensions where a vector of indices stands for one dimension (`index_select`, `index_add`). */
export function describeSlices(dense: Operand, indexed: Operand, dim: number, index: Operand): void {
  const bytes = dense.dtype.itemsize;
  const rank = dense.sizes.length;
  const step = index.sizes.length === 0 ? 0 : index.strides[0] * index.dtype.itemsize;
  beginIndexed();
  addIndex(index, indexed, dim);
  for (let d = 0; d < rank; d++) {
    indexStride(0, d === dim ? step : 0);
    addDimension(dense.sizes[d], dense.strides[d] * bytes, d === dim ? 0 : indexed.strides[d] * bytes);
  }
}

/** Index tensors, one for each dimension of what is indexed; null takes the whole dimension. Missing ones are null. */
export type Indices = readonly (Operand | null)[];

/** Before how many of the other dimensions those of the index tensors come in the result. */
function placeOf(list: Indices): number {
  let first = -1;
  let last = -1;
  let indexed = 0;
  for (let d = 0; d < list.length; d++) {
    if (list[d] === null) continue;
    if (first < 0) first = d;
    last = d;
    indexed++;
  }
  // Side by side, they stand where they were; otherwise the result begins with them.
  return last - first + 1 === indexed ? first : 0;
}

/** The sizes of the index tensors broadcast together. @throws IndexError as PyTorch. */
export function broadcastIndices(list: Indices): number[] {
  const out: number[] = [];
  for (const index of list) {
    if (index === null) continue;
    while (out.length < index.sizes.length) out.unshift(1);
    const skip = out.length - index.sizes.length;
    index.sizes.forEach((size, d) => {
      if (out[skip + d] === 1) out[skip + d] = size;
      else if (size !== 1 && size !== out[skip + d]) {
        const shapes = list.flatMap((x) => (x === null ? [] : [`[${x.sizes.join(', ')}]`])).join(', ');
        throw new IndexError(`shape mismatch: indexing tensors could not be broadcast together with shapes ${shapes}`);
      }
    });
  }
  return out;
}

/**
 * The sizes of `x[indices]`: the index tensors' sizes in place of the indexed dimensions, or in front if those are not
 * side by side, as in PyTorch.
 */
export function indexedSizesOf(x: Operand, list: Indices): number[] {
  const at = placeOf(list);
  const slices = x.sizes.filter((_, d) => (list[d] ?? null) === null);
  return [...slices.slice(0, at), ...broadcastIndices(list), ...slices.slice(at)];
}

/** x's strides by dimension of `x[indices]`, 0 for those of the indices. */
export function indexedStridesOf(x: Operand, list: Indices): number[] {
  const at = placeOf(list);
  const slices = x.strides.filter((_, d) => (list[d] ?? null) === null);
  return [...slices.slice(0, at), ...broadcastIndices(list).map(() => 0), ...slices.slice(at)];
}

/** Describes `x[indices]`; `dense` has its sizes, or broadcasts to them. */
export function describeIndices(dense: Operand, x: Operand, list: Indices): void {
  const bytes = x.dtype.itemsize;
  const at = placeOf(list);
  const shared = broadcastIndices(list);
  const rank = shared.length + x.sizes.length - list.reduce((n, index) => (index === null ? n : n + 1), 0);
  const skip = rank - dense.sizes.length;
  const strideOf = (dim: number): number =>
    dim < skip || dense.sizes[dim - skip] === 1 ? 0 : dense.strides[dim - skip] * bytes;
  beginIndexed();
  list.forEach((index, d) => {
    if (index !== null) addIndex(index, x, d);
  });
  let position = 0;
  const addShared = (): void => {
    shared.forEach((size, d) => {
      let p = 0;
      for (const index of list) {
        if (index === null) continue;
        const own = d - (shared.length - index.sizes.length);
        indexStride(p++, own < 0 || index.sizes[own] === 1 ? 0 : index.strides[own] * index.dtype.itemsize);
      }
      addDimension(size, strideOf(position++), 0);
    });
  };
  for (let d = 0, slices = 0; d <= x.sizes.length; d++) {
    if (slices === at && position === at) addShared();
    if (d === x.sizes.length || (list[d] ?? null) !== null) continue;
    for (let p = 0; p < count; p++) indexStride(p, 0);
    addDimension(x.sizes[d], strideOf(position++), x.strides[d] * bytes);
    slices++;
  }
}
