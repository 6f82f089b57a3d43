/**
 * The gradient of embedding bags' weight, of which `embedding`'s is a case, and how all launches over bags are written.
 * `embedding-bag.ts` has the others.
 */
import { type DType, DTYPES, float64, int64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import type { Storage } from '../devices/storage.ts';
import { numThreads } from '../devices/threads.ts';
import { defineFault } from './faults.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { embeddingBagGradKernel, indexCountsKernel } from './wasm/embedding-bag-grad.ts';
import { type BagMode, EB } from './wasm/embedding-bag-walk.ts';

/** What the forward and the backward pass have in common. */
export interface Bags {
  readonly mode: BagMode;
  /** [rows, columns], any strides. */
  readonly weight: Operand;
  /** [n] with offsets, else [bags, n]; any strides. */
  readonly indices: Operand;
  /** [bags], or [bags + 1] with `includeLastOffset`. */
  readonly offsets: Operand | null;
  readonly includeLastOffset: boolean;
  /** -1: none. */
  readonly paddingIndex: number;
  /** As `indices`; only for sums. */
  readonly perSampleWeights: Operand | null;
}

const value = (low: number, high: number): bigint => (BigInt(high) << 32n) | BigInt(low >>> 0);
/** PyTorch has two texts: that of its fast path for sums and means, and that of all others. */
const FAULT_FAST = defineFault(
  ([low, high, position, rows]) =>
    new RuntimeError(
      `Index ${position} of input takes value ${value(low, high)} which is not in the valid range [0, ${rows >>> 0})`,
    ),
);
const FAULT_INDEX = defineFault(
  ([low, high]) =>
    new RuntimeError(
      `embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be ${value(low, high)}`,
    ),
);
const FAULT_FIRST = defineFault(
  ([first]) =>
    new RuntimeError(
      `offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got ${first}`,
    ),
);
const FAULT_LAST = defineFault(
  ([length, last]) =>
    new RuntimeError(`offsets[-1] can not be greater than input's length ${length} but got offsets[-1] of ${last}`),
);
const FAULT_ORDER = defineFault(
  ([first, end]) => new RuntimeError(`embedding_bag: offsets must not decrease, but ${first} is followed by ${end}`),
);

/** By `2 * dtype index + (int64 indices ? 1 : 0)`: the float dtypes have the first indices. */
export function register(name: string, build: (dtype: DType, bytes: number) => Uint8Array): number[] {
  return DTYPES.filter((dtype) => dtype.is_floating_point).flatMap((dtype) =>
    [4, 8].map((bytes) => registerKernel(() => build(dtype, bytes), `${name}.${dtype.name}.i${bytes * 8}`)),
  );
}
export const MODES: readonly BagMode[] = ['sum', 'mean', 'max'];
const BACKWARD = MODES.map((mode) =>
  register(`embedding_bag_backward.${mode}`, (d, bytes) => embeddingBagGradKernel(d, bytes, mode)),
);
const COUNTS = [4, 8].map((bytes) => registerKernel(() => indexCountsKernel(bytes), `index_counts.i${bytes * 8}`));

/** Additions worth handing to a thread. */
export const GRAIN = 16 * 1024;

/** How many bags there are. */
export function bagCount(bags: Bags): number {
  if (bags.offsets === null) return bags.indices.sizes[0];
  return Math.max(0, bags.offsets.sizes[0] - (bags.includeLastOffset ? 1 : 0));
}

/**
 * gradWeight += the gradient of the weight.
 *
 * @param gradWeight [rows, columns], contiguous
 * @param grad [bags, columns], the columns side by side
 * @param bagSize of the forward pass (mean, max)
 * @param maxIndices of the forward pass (max)
 * @param scaleGradByFreq whether to divide by how often a row is named; not with max
 */
export function embeddingBagBackward(
  gradWeight: Operand,
  grad: Operand,
  bags: Bags,
  bagSize: Operand | null,
  maxIndices: Operand | null,
  scaleGradByFreq: boolean,
): void {
  const rows = gradWeight.sizes[0];
  if (gradWeight.length === 0 || bags.indices.length === 0 || bagCount(bags) === 0) return;
  const backend = (gradWeight.storage as Storage).backend;
  let counts = 0;
  if (scaleGradByFreq) {
    counts = backend.allocate(rows * 4);
    launchCounts(backend, counts, bags);
  }
  const work = bags.indices.length * gradWeight.sizes[1];
  // Every thread goes through all indices, which pays for wide rows.
  const grain = gradWeight.sizes[1] >= 16 && work > 2 * GRAIN ? Math.ceil(rows / numThreads) : 0;
  launch(BACKWARD[MODES.indexOf(bags.mode)], bags, gradWeight, grad, bagSize, maxIndices, counts, rows, grain);
  if (scaleGradByFreq) backend.free(counts, rows * 4);
}

/**
 * gradWeight += the gradient of `embedding`.
 *
 * @param gradWeight [rows, columns], contiguous
 * @param grad [n, columns], the columns side by side
 * @param index [n]
 */
export function embeddingBackward(
  gradWeight: Operand,
  grad: Operand,
  index: Operand,
  paddingIndex: number,
  scaleGradByFreq: boolean,
): void {
  // Each index is a bag.
  const indices: Operand = {
    storage: index.storage,
    offset: index.offset,
    sizes: [index.length, 1],
    strides: [index.strides[0], 1],
    dtype: index.dtype,
    length: index.length,
  };
  const bags: Bags = {
    mode: 'sum',
    weight: gradWeight,
    indices,
    offsets: null,
    includeLastOffset: false,
    paddingIndex,
    perSampleWeights: null,
  };
  embeddingBagBackward(gradWeight, grad, bags, null, null, scaleGradByFreq);
}

function launchCounts(backend: Backend, to: number, bags: Bags): void {
  const kernel = COUNTS[bags.indices.dtype === int64 ? 1 : 0];
  const at = begin(backend, kernel, bags, 0, 0);
  backend.words[at + EB.out] = to;
  backend.submit();
}

export function launch(
  kernels: readonly number[],
  bags: Bags,
  out: Operand,
  grad: Operand | null,
  bagSize: Operand | null,
  maxIndices: Operand | null,
  counts: number,
  end: number,
  grain: number,
): void {
  const backend = (out.storage as Storage).backend;
  const wide = bags.indices.dtype === int64 ? 1 : 0;
  const at = begin(backend, kernels[2 * out.dtype.index + wide], bags, end, grain);
  const { words } = backend;
  // The backward launch reads what the forward one has written besides its result.
  const besides = grad === null ? outAddress : address;
  words[at + EB.out] = outAddress(out, backend);
  words[at + EB.bagSize] = bagSize === null ? 0 : besides(bagSize, backend);
  words[at + EB.maxIndices] = maxIndices === null ? 0 : besides(maxIndices, backend);
  words[at + EB.grad] = grad === null ? 0 : address(grad, backend);
  words[at + EB.gradRow] = grad === null ? 0 : grad.strides[0] * grad.dtype.itemsize;
  words[at + EB.counts] = counts;
  backend.submit();
}

/** Begins a launch and writes the words that describe the bags; the others are 0. */
function begin(backend: Backend, kernel: number, bags: Bags, end: number, grain: number): number {
  const { weight, indices, offsets, perSampleWeights: factors } = bags;
  const flat = offsets !== null;
  const bytes = indices.dtype.itemsize;
  const at = backend.begin(kernel, EB.words, grain);
  const { words } = backend;
  words.fill(0, at, at + EB.words);
  words[at + EB.end] = end;
  words[at + EB.weight] = address(weight, backend);
  words[at + EB.weightRow] = weight.strides[0] * weight.dtype.itemsize;
  words[at + EB.weightColumn] = weight.strides[1] * weight.dtype.itemsize;
  words[at + EB.indices] = address(indices, backend);
  words[at + EB.indexRow] = flat ? 0 : indices.strides[0] * bytes;
  words[at + EB.indexStep] = indices.strides[flat ? 0 : 1] * bytes;
  words[at + EB.offsets] = flat ? address(offsets, backend) : 0;
  words[at + EB.offsetStep] = flat ? offsets.strides[0] * bytes : 0;
  words[at + EB.bagLength] = flat ? 0 : indices.sizes[1];
  words[at + EB.length] = indices.length;
  words[at + EB.bags] = bagCount(bags);
  words[at + EB.rows] = weight.sizes[0];
  words[at + EB.columns] = weight.sizes[1];
  words[at + EB.padding] = bags.paddingIndex;
  if (factors !== null) {
    words[at + EB.factors] = address(factors, backend);
    words[at + EB.factorRow] = flat ? 0 : factors.strides[0] * factors.dtype.itemsize;
    words[at + EB.factorStep] = factors.strides[flat ? 0 : 1] * factors.dtype.itemsize;
  }
  const fast = bags.mode !== 'max' && bags.paddingIndex < 0 && weight.dtype !== float64;
  words[at + EB.faultIndex] = fast ? FAULT_FAST : FAULT_INDEX;
  words[at + EB.faultFirst] = FAULT_FIRST;
  words[at + EB.faultLast] = FAULT_LAST;
  words[at + EB.faultOrder] = FAULT_ORDER;
  words[at + EB.lastIsEnd] = bags.includeLastOffset ? 1 : 0;
  return at;
}
