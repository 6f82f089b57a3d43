/**
 * The launches of attention: scores, their softmax and the products with values, a few heads at a time. Scores of some heads
 * fit into a cache, and no more of them are ever there: of the weights nothing is kept but the logarithm of each row's
 * sum, from which backward computes them anew.
 */
import type { DType } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import { broadcastSizes, contiguousStrides } from '../core/shape.ts';
import type { Storage } from '../devices/storage.ts';
import * as e from '../kernels/expr.ts';
import { matmul } from '../kernels/matmul.ts';
import { RowsKernel } from '../kernels/rows.ts';
import { type RowInputKind, type RowPass, rowValue, stored } from '../kernels/rows-spec.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { arange } from './creation.ts';

/** Bytes of scores at a time, unless one matrix of them is larger. */
export const attentionTuning = { scoresBytes: 2 * 1024 * 1024 };

type View = Operand<Storage>;

/** What is added to scores, and whether later keys are out of reach. */
export interface Masking {
  readonly mask: Tensor | null;
  readonly causal: boolean;
}

const MASKED = 1;
const CAUSAL = 2;

/** A score as the softmax takes it. `first`: the number of the first input after the scores (and what else is full). */
function scoreOf(flags: number, first: number): e.Expr {
  let score = e.input(0);
  let next = first;
  if (flags & MASKED) score = e.add(score, e.input(next++));
  if (flags & CAUSAL) score = e.where(e.le(e.input(next), e.input(next + 1)), score, Number.NEGATIVE_INFINITY);
  return score;
}

/** Inputs: the mask; numbers of the keys and of the queries. */
function maskInputs(flags: number): RowInputKind[] {
  const kinds: RowInputKind[] = [];
  if (flags & MASKED) kinds.push('full');
  if (flags & CAUSAL) kinds.push('column', 'full');
  return kinds;
}

function build(
  name: string,
  dtype: DType,
  inputs: readonly RowInputKind[],
  outputs: readonly ('full' | 'row')[],
  passes: readonly RowPass[],
): RowsKernel {
  return new RowsKernel({
    name,
    inputs: inputs.map((kind) => ({ dtype, kind })),
    outputs: outputs.map((kind) => ({ dtype, kind })),
    compute: dtype,
    passes,
  });
}

const forwardKernels: (RowsKernel | undefined)[] = [];
const backwardKernels: (RowsKernel | undefined)[] = [];

/** Scores become weights where they are; also the logarithm of each row's sum. A row of -inf gives zeros. */
export function softmaxKernel(dtype: DType, flags: number): RowsKernel {
  const key = dtype.index * 4 + flags;
  if (forwardKernels[key] !== undefined) return forwardKernels[key];
  const score = scoreOf(flags, 1);
  const [most, base, sum] = [rowValue(0), rowValue(1), rowValue(2)];
  const none = e.eq(sum, 0);
  return (forwardKernels[key] = build(
    'attention softmax',
    dtype,
    ['full', ...maskInputs(flags)],
    ['full', 'row'],
    [
      { reduce: 'max', expr: score },
      { value: e.where(e.eq(most, Number.NEGATIVE_INFINITY), 0, most) },
      { reduce: 'sum', expr: e.exp(e.sub(score, base)), store: 0 },
      { value: e.where(none, 0, e.div(1, sum)) },
      { store: 0, expr: e.mul(stored(0), rowValue(3)) },
      { store: 1, expr: e.where(none, Number.POSITIVE_INFINITY, e.add(e.log(sum), base)) },
    ],
  ));
}

/** Scores become weights anew; the gradients of the weights become those of the scores. Both where they are. */
function gradientKernel(dtype: DType, flags: number): RowsKernel {
  const key = dtype.index * 4 + flags;
  if (backwardKernels[key] !== undefined) return backwardKernels[key];
  // Inputs: scores, gradients of the weights, logarithms of the sums, masks.
  const weight = e.exp(e.sub(scoreOf(flags, 3), e.input(2)));
  return (backwardKernels[key] = build(
    'attention softmax backward',
    dtype,
    ['full', 'full', 'row', ...maskInputs(flags)],
    ['full', 'full'],
    [
      { store: 0, expr: weight },
      { reduce: 'sum', expr: e.mul(stored(0), e.input(1)) },
      { store: 1, expr: e.mul(stored(0), e.sub(e.input(1), rowValue(0))) },
    ],
  ));
}

/** Some of the matrices: ranges of the first two batch dimensions. */
interface Part {
  readonly starts: readonly number[];
  readonly sizes: readonly number[];
}

/** Cuts the batch into parts of at most so many matrices, each contiguous in a contiguous tensor. */
function partsOf(batch: readonly number[], most: number): Part[] {
  const rank = batch.length;
  if (rank === 0 || rank > 2 || batch.includes(0)) return [{ starts: batch.map(() => 0), sizes: batch }];
  const inner = rank === 2 ? batch[1] : 1;
  const parts: Part[] = [];
  const rows = Math.max(1, Math.floor(most / inner));
  const columns = rows > 1 || inner <= most ? inner : Math.max(1, most);
  for (let i = 0; i < batch[0]; i += rows) {
    const height = Math.min(rows, batch[0] - i);
    if (rank === 1) {
      parts.push({ starts: [i], sizes: [height] });
      continue;
    }
    for (let j = 0; j < inner; j += columns) {
      parts.push({ starts: [i, j], sizes: [height, Math.min(columns, inner - j)] });
    }
  }
  return parts;
}

/** The part of x, whose batch dimensions broadcast to the batch. */
function cut(x: View, { starts, sizes }: Part): View {
  const own = x.sizes.length - 2;
  const missing = sizes.length - own;
  let { offset } = x;
  const cutSizes = x.sizes.slice();
  let length = 1;
  for (let d = 0; d < own; d++) {
    const at = d + missing;
    if (x.sizes[d] !== 1 && at >= 0) {
      offset += starts[at] * x.strides[d];
      cutSizes[d] = sizes[at];
    }
  }
  for (const size of cutSizes) length *= size;
  return { storage: x.storage, dtype: x.dtype, offset, sizes: cutSizes, strides: x.strides, length };
}

/** The last two dimensions exchanged. */
function flip(x: View): View {
  const swapped = (values: readonly number[]) => {
    const { length } = values;
    return [...values.slice(0, -2), values[length - 1], values[length - 2]];
  };
  return { ...x, sizes: swapped(x.sizes), strides: swapped(x.strides) };
}

/** One attention: its operands, and buffers for the scores of one part. */
class Run {
  readonly batch: readonly number[];
  readonly parts: readonly Part[];
  readonly flags: number;
  private readonly positions: Tensor[] = [];
  private readonly buffers: Tensor[] = [];
  private readonly matrix: readonly number[];

  constructor(
    readonly q: Tensor,
    readonly k: Tensor,
    readonly v: Tensor,
    readonly masking: Masking,
    readonly scale: number,
    whole: boolean,
  ) {
    const batchOf = (x: Tensor) => x.sizes.slice(0, -2);
    const rowsOf = (x: Tensor) => x.sizes[x.sizes.length - 2];
    this.batch = broadcastSizes(broadcastSizes(batchOf(q), batchOf(k)), batchOf(v));
    this.matrix = [rowsOf(q), rowsOf(k)];
    const [queries, keys] = this.matrix;
    const bytes = queries * keys * q.dtype.itemsize;
    const most = whole ? Number.POSITIVE_INFINITY : Math.floor(attentionTuning.scoresBytes / Math.max(1, bytes));
    this.parts = whole ? [{ starts: this.batch.map(() => 0), sizes: this.batch }] : partsOf(this.batch, most);
    this.flags = (masking.mask === null ? 0 : MASKED) | (masking.causal ? CAUSAL : 0);
    if (masking.causal) {
      const { device } = q.storage.backend;
      const numbers = (count: number) => arange(0, count, 1, q.dtype, device, false, false);
      this.positions.push(numbers(keys), numbers(queries).unsqueeze(1));
    }
  }

  /** [batch, queries, keys] of a part, in buffer `i`. */
  scores(i: number, part: Part): View {
    const sizes = [...part.sizes, ...this.matrix];
    if (this.buffers[i] === undefined) {
      // The first part is the largest.
      this.buffers[i] = emptyTensor(this.q.storage.backend, sizes, this.q.dtype);
    }
    const { storage, dtype } = this.buffers[i];
    const length = sizes.reduce((a, b) => a * b, 1);
    return { storage, dtype, offset: 0, sizes, strides: contiguousStrides(sizes), length };
  }

  /** The buffer itself, where there is one part. */
  take(i: number): Tensor {
    const buffer = this.buffers[i];
    delete this.buffers[i];
    return buffer;
  }

  /** The masks of a part, as the kernels take them. */
  masks(part: Part): View[] {
    const { mask } = this.masking;
    const given: View[] = mask === null ? [] : [cut(padded(mask), part)];
    return [...given, ...this.positions];
  }

  free(): void {
    for (const buffer of this.buffers) buffer?.storage.freeNow();
    for (const { storage } of this.positions) storage.freeNow();
  }
}

/** A mask has two dimensions at least. */
function padded(mask: Tensor): View {
  if (mask.sizes.length >= 2) return mask;
  const missing = 2 - mask.sizes.length;
  return {
    storage: mask.storage,
    dtype: mask.dtype,
    offset: mask.offset,
    sizes: [...new Array<number>(missing).fill(1), ...mask.sizes],
    strides: [...new Array<number>(missing).fill(0), ...mask.strides],
    length: mask.length,
  };
}

function like(x: Tensor, sizes: readonly number[]): Tensor {
  return emptyTensor(x.storage.backend, sizes, x.dtype);
}

/** softmax(q @ k.T * scale + mask) @ v, and the logarithms of the sums: [batch, queries, 1]. */
export function attend(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  masking: Masking,
  scale: number,
): { out: Tensor; sums: Tensor } {
  const run = new Run(q, k, v, masking, scale, false);
  const { batch, parts, flags } = run;
  const queries = q.sizes[q.sizes.length - 2];
  const out = like(q, [...batch, queries, v.sizes[v.sizes.length - 1]]);
  const sums = like(q, [...batch, queries, 1]);
  const kernel = softmaxKernel(q.dtype, flags);
  for (const part of parts) {
    const scores = run.scores(0, part);
    matmul(scores, cut(q, part), flip(cut(k, part)), null, scale, 0);
    const last = scores.sizes.length - 1;
    if (scores.length > 0) {
      kernel.launch([scores, cut(sums, part)], [scores, ...run.masks(part)], scores.sizes, last, last);
    }
    matmul(cut(out, part), scores, cut(v, part), null, 1, 0);
  }
  run.free();
  return { out, sums };
}

/** What of the gradients is wanted. */
export interface Wanted {
  readonly q: boolean;
  readonly k: boolean;
  readonly v: boolean;
  readonly mask: boolean;
}

/** The gradients of q, k, v and of the scores (for the mask's), not yet summed over what was broadcast. */
export function attendBackward(
  grad: Tensor,
  q: Tensor,
  k: Tensor,
  v: Tensor,
  masking: Masking,
  sums: Tensor,
  scale: number,
  wanted: Wanted,
): { q: Tensor | null; k: Tensor | null; v: Tensor | null; scores: Tensor | null } {
  const run = new Run(q, k, v, masking, scale, wanted.mask);
  const { batch, parts, flags } = run;
  const whole = (x: Tensor) => like(x, [...batch, ...x.sizes.slice(-2)]);
  const gradQ = wanted.q ? whole(q) : null;
  const gradK = wanted.k ? whole(k) : null;
  const gradV = wanted.v ? whole(v) : null;
  const kernel = gradientKernel(q.dtype, flags);
  for (const part of parts) {
    const [weights, slopes] = [run.scores(0, part), run.scores(1, part)];
    const [queries, keys, above] = [cut(q, part), cut(k, part), cut(grad, part)];
    matmul(weights, queries, flip(keys), null, scale, 0);
    matmul(slopes, above, flip(cut(v, part)), null, 1, 0);
    const last = weights.sizes.length - 1;
    if (weights.length > 0) {
      const inputs = [weights, slopes, cut(sums, part), ...run.masks(part)];
      kernel.launch([weights, slopes], inputs, weights.sizes, last, last);
    }
    if (gradV !== null) matmul(cut(gradV, part), flip(weights), above, null, 1, 0);
    if (gradQ !== null) matmul(cut(gradQ, part), slopes, keys, null, scale, 0);
    if (gradK !== null) matmul(cut(gradK, part), flip(slopes), queries, null, scale, 0);
  }
  const scores = wanted.mask ? run.take(1) : null;
  run.free();
  return { q: gradQ, k: gradK, v: gradV, scores };
}
