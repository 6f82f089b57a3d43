/**
 * The launches of attention: scores, their softmax and the products with values, a few heads or some queries of one head at
 * a time. These scores fit into a cache, and no more of them are ever there: of the weights nothing is kept but the
 * logarithm of each row's sum, from which backward computes them anew. Half types come as float32. Causal attention leaves out keys later than
 * all queries of a block.
 */
import { type DType, float32, float64 } from '../core/dtype.ts';
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
import { fill } from './host.ts';

/**
 * `scoresBytes`: of scores at a time, unless those of one query are more; `causalRows`: queries in a block of causal
 * attention, which is the more left out the smaller they are.
 */
export const attentionTuning = { scoresBytes: 2 * 1024 * 1024, causalRows: 128 };

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

/** Numbers of keys and queries: half types would round them. */
const positionType = (dtype: DType): DType => (dtype === float64 ? float64 : float32);

function build(
  name: string,
  dtype: DType,
  inputs: readonly RowInputKind[],
  outputs: readonly ('full' | 'row')[],
  passes: readonly RowPass[],
  flags: number,
): RowsKernel {
  const numbered = flags & CAUSAL ? 2 : 0;
  return new RowsKernel({
    name,
    // The numbers of keys and queries come last.
    inputs: inputs.map((kind, i) => ({ dtype: i >= inputs.length - numbered ? positionType(dtype) : dtype, kind })),
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
    flags,
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
    flags,
  ));
}

/** Some of the matrices: ranges of the first two batch dimensions. */
interface Part {
  readonly starts: readonly number[];
  readonly sizes: readonly number[];
}

/** Some of a matrix: its rows from `start` to `end`, and the keys that these see. */
interface Block {
  readonly start: number;
  readonly end: number;
  readonly keys: number;
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

/** Elements `start` to `end` of the last dimension but `from`; those that are broadcast stay. */
function range(x: View, from: number, start: number, end: number): View {
  const dim = x.sizes.length - 1 - from;
  const size = x.sizes[dim];
  if (size === 1 || (start === 0 && end === size)) return x;
  const sizes = x.sizes.slice();
  sizes[dim] = end - start;
  const length = (x.length / size) * (end - start);
  return { ...x, sizes, offset: x.offset + start * x.strides[dim], length };
}

const queriesOf = (x: View, { start, end }: Block): View => range(x, 1, start, end);
const keysOf = (x: View, { keys }: Block): View => range(x, 1, 0, keys);

/** The last two dimensions exchanged. */
function flip(x: View): View {
  const swapped = (values: readonly number[]) => {
    const { length } = values;
    return [...values.slice(0, -2), values[length - 1], values[length - 2]];
  };
  return { ...x, sizes: swapped(x.sizes), strides: swapped(x.strides) };
}

/** Queries in a block. */
function blockRows(rowBytes: number, queries: number, causal: boolean): number {
  const { scoresBytes, causalRows } = attentionTuning;
  const rows = Math.min(queries, Math.max(1, Math.floor(scoresBytes / rowBytes)));
  return causal && queries >= 2 * causalRows ? Math.min(rows, causalRows) : rows;
}

/** One attention: its operands, and buffers for the scores of one part. */
class Run {
  readonly batch: readonly number[];
  readonly parts: readonly Part[];
  /** Of the matrices of each part; one block, unless a part is one matrix. The last comes first: it sees the most keys. */
  readonly blocks: readonly Block[];
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
    const row = Math.max(1, keys) * q.dtype.itemsize;
    const rows = whole || this.batch.length > 2 ? queries : blockRows(row, queries, masking.causal);
    const most = whole ? Number.POSITIVE_INFINITY : Math.floor(attentionTuning.scoresBytes / (queries * row || 1));
    // A part of several matrices is not cut further: what is computed of it would not lie side by side.
    this.parts = whole
      ? [{ starts: this.batch.map(() => 0), sizes: this.batch }]
      : partsOf(this.batch, rows < queries ? 1 : most);
    const blocks: Block[] = [];
    for (let start = 0; start < queries; start += rows) {
      const end = Math.min(queries, start + rows);
      blocks.unshift({ start, end, keys: masking.causal && rows < queries ? Math.min(keys, end) : keys });
    }
    this.blocks = blocks;
    this.flags = (masking.mask === null ? 0 : MASKED) | (masking.causal ? CAUSAL : 0);
    if (masking.causal) {
      const { device } = q.storage.backend;
      const numbers = (count: number) => arange(0, count, 1, positionType(q.dtype), device, false, false);
      this.positions.push(numbers(keys), numbers(queries).unsqueeze(1));
    }
  }

  /** [batch, queries, keys] of a part's block, in buffer `i`. */
  scores(i: number, part: Part, block: Block): View {
    const sizes = [...part.sizes, block.end - block.start, block.keys];
    if (this.buffers[i] === undefined) {
      // The first part is the largest. The first block sees the most keys.
      const rows = this.blocks.reduce((most, { start, end }) => Math.max(most, end - start), 0);
      this.buffers[i] = emptyTensor(this.q.storage.backend, [...part.sizes, rows, block.keys], this.q.dtype);
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

  /** The masks of a part's block, as the kernels take them. */
  masks(part: Part, block: Block): View[] {
    const { mask, causal } = this.masking;
    const masks: View[] = [];
    if (mask !== null) masks.push(range(queriesOf(cut(padded(mask), part), block), 0, 0, block.keys));
    if (causal) masks.push(range(this.positions[0], 0, 0, block.keys), queriesOf(this.positions[1], block));
    return masks;
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
    for (const block of run.blocks) {
      const scores = run.scores(0, part, block);
      matmul(scores, queriesOf(cut(q, part), block), flip(keysOf(cut(k, part), block)), null, scale, 0);
      const last = scores.sizes.length - 1;
      if (scores.length > 0) {
        const inputs = [scores, ...run.masks(part, block)];
        kernel.launch([scores, queriesOf(cut(sums, part), block)], inputs, scores.sizes, last, last);
      }
      matmul(queriesOf(cut(out, part), block), scores, keysOf(cut(v, part), block), null, 1, 0);
    }
  }
  run.free();
  return { out, sums };
}

/** out = alpha * (a @ b), and what was there before if it is kept. */
function add(out: View, a: View, b: View, alpha: number, kept: number): void {
  matmul(out, a, b, kept === 0 ? null : out, alpha, kept);
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
  // Keys that no query sees get nothing, and what several blocks give is added up.
  const unseen = run.blocks.length > 0 && run.blocks[0].keys < k.sizes[k.sizes.length - 2];
  if (unseen || run.blocks.length === 0) for (const x of [gradK, gradV]) if (x !== null) fill(x, 0);
  for (const part of parts) {
    let kept = unseen ? 1 : 0;
    for (const block of run.blocks) {
      const [weights, slopes] = [run.scores(0, part, block), run.scores(1, part, block)];
      const queries = queriesOf(cut(q, part), block);
      const keys = keysOf(cut(k, part), block);
      const above = queriesOf(cut(grad, part), block);
      matmul(weights, queries, flip(keys), null, scale, 0);
      matmul(slopes, above, flip(keysOf(cut(v, part), block)), null, 1, 0);
      const last = weights.sizes.length - 1;
      if (weights.length > 0) {
        const inputs = [weights, slopes, queriesOf(cut(sums, part), block), ...run.masks(part, block)];
        kernel.launch([weights, slopes], inputs, weights.sizes, last, last);
      }
      if (gradV !== null) add(keysOf(cut(gradV, part), block), flip(weights), above, 1, kept);
      if (gradQ !== null) matmul(queriesOf(cut(gradQ, part), block), slopes, keys, null, scale, 0);
      if (gradK !== null) add(keysOf(cut(gradK, part), block), flip(slopes), queries, scale, kept);
      kept = 1;
    }
  }
  const scores = wanted.mask ? run.take(1) : null;
  run.free();
  return { q: gradQ, k: gradK, v: gradV, scores };
}
