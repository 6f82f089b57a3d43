/**
 * The matrix product at hand: sizes, strides and addresses, in one object that every launch uses again, and what can be
 * done to it: merging batch dimensions, transposing, cutting it in parts.
 */
import type { DType } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';

/** Rows and columns of a block of the output. */
export const BLOCK = 64;
/** The product at hand, and its batch dimensions after merging, outermost first. Strides are in bytes. */
// biome-ignore format: rows of one operand
export const p = {
  M: 0, N: 0, K: 0, batch: 1, rank: 0,
  out: 0, outRow: 0, outBatch: 0,
  a: 0, aStrip: 0, aRow: 0, aK: 0,
  b: 0, bPanel: 0, bCol: 0, bK: 0, padded: 0,
  c: 0, cRow: 0, cCol: 0,
  mStep: 0, nStep: 0, kStep: 0,
};
export const sizes = new Float64Array(64);
export const aBatch = new Float64Array(64);
export const bBatch = new Float64Array(64);
export const cBatch = new Float64Array(64);

/** Fills `p` but for addresses. */
export function describe(out: Operand, a: Operand, b: Operand, c: Operand | null): void {
  const bytes = out.dtype.itemsize;
  const rank = out.sizes.length;
  const aRank = a.sizes.length;
  const bRank = b.sizes.length;
  const cRank = c === null ? 0 : c.sizes.length;
  const M = (p.M = out.sizes[rank - 2]);
  const N = (p.N = out.sizes[rank - 1]);
  const K = (p.K = a.sizes[aRank - 1]);
  // The stride of a dimension of one element means nothing; one element is what suits every kernel.
  p.aRow = M === 1 ? bytes : a.strides[aRank - 2] * bytes;
  p.aK = K === 1 ? bytes : a.strides[aRank - 1] * bytes;
  p.bK = K === 1 ? bytes : b.strides[bRank - 2] * bytes;
  p.bCol = N === 1 ? bytes : b.strides[bRank - 1] * bytes;
  p.cRow = stride(c, cRank - 2) * bytes;
  p.cCol = stride(c, cRank - 1) * bytes;
  p.outRow = N * bytes;
  p.outBatch = M * N * bytes;
  p.padded = 0;

  p.batch = 1;
  p.rank = 0;
  let expected = N;
  if (N !== 1 && out.strides[rank - 1] !== 1) notContiguous(out);
  if (M !== 1 && out.strides[rank - 2] !== expected) notContiguous(out);
  expected *= M;
  for (let d = rank - 3; d >= 0; d--) {
    const size = out.sizes[d];
    if (size === 1) continue;
    if (out.strides[d] !== expected) notContiguous(out);
    expected *= size;
  }
  for (let d = 0; d < rank - 2; d++) {
    const size = out.sizes[d];
    if (size === 1) continue;
    const sa = stride(a, d + aRank - rank) * bytes;
    const sb = stride(b, d + bRank - rank) * bytes;
    const sc = stride(c, d + cRank - rank) * bytes;
    p.batch *= size;
    const last = p.rank - 1;
    if (last >= 0 && aBatch[last] === sa * size && bBatch[last] === sb * size && cBatch[last] === sc * size) {
      sizes[last] *= size;
      aBatch[last] = sa;
      bBatch[last] = sb;
      cBatch[last] = sc;
    } else {
      sizes[p.rank] = size;
      aBatch[p.rank] = sa;
      bBatch[p.rank] = sb;
      cBatch[p.rank++] = sc;
    }
  }
  // A batch that shares b is one tall matrix, if the strides of a's rows (and c's) go on through it.
  if (p.rank === 1 && bBatch[0] === 0) {
    const rowsGoOn = M === 1 || (aBatch[0] === M * p.aRow && (c === null || cBatch[0] === M * p.cRow));
    if (rowsGoOn) {
      if (M === 1) {
        p.aRow = aBatch[0];
        p.cRow = cBatch[0];
      }
      p.M *= p.batch;
      p.batch = 1;
      p.rank = 0;
    }
  }
}

/** Stride of a dimension as broadcasting sees it; 0 where it has none. */
function stride(x: Operand | null, dim: number): number {
  return x === null || dim < 0 || x.sizes[dim] === 1 ? 0 : x.strides[dim];
}

function notContiguous(out: Operand): never {
  throw new Error(`matmul: the output [${out.sizes}] must be contiguous, its strides are [${out.strides}]`);
}

/** How many matrices an operand really has: 1 if the batch shares one. */
export function matrices(batch: Float64Array): number {
  for (let i = 0; i < p.rank; i++) if (batch[i] !== 0) return p.batch;
  return 1;
}

/** Batch strides of a copy of one matrix after the other. */
export function contiguousBatch(batch: Float64Array, matrix: number): void {
  let step = matrix;
  for (let i = p.rank - 1; i >= 0; i--) {
    batch[i] = step;
    step *= sizes[i];
  }
}

/** [M, K] @ [K, 1] is [1, K] @ [K, M], transposed: the output is the same memory. */
export function transposeVector(): void {
  const { aRow, aK, a, bK, b } = p;
  p.N = p.M;
  p.M = 1;
  p.a = b;
  p.aK = bK;
  p.b = a;
  p.bCol = aRow;
  p.bK = aK;
  p.cCol = p.cRow;
  for (let i = 0; i < p.rank; i++) {
    const x = aBatch[i];
    aBatch[i] = bBatch[i];
    bBatch[i] = x;
  }
}

type Multiply = (backend: Backend, dtype: DType, alpha: number, beta: number) => void;

/** Does the product in two halves, to need less scratch. False if there is nothing to cut. */
export function halve(multiply: Multiply, backend: Backend, dtype: DType, alpha: number, beta: number): boolean {
  const whole = { ...p };
  const batches = [sizes, aBatch, bBatch, cBatch].map((array) => array.slice(0, p.rank));
  const bytes = dtype.itemsize;
  const half = (size: number): number => Math.ceil(size / 2 / BLOCK) * BLOCK;
  const part = (second: boolean): boolean => {
    Object.assign(p, whole);
    batches.forEach((saved, i) => {
      [sizes, aBatch, bBatch, cBatch][i].set(saved);
    });
    if (p.rank > 0) {
      const first = Math.ceil(sizes[0] / 2);
      const matrices = p.batch / sizes[0];
      if (second) {
        p.out += first * matrices * p.outBatch;
        p.a += first * aBatch[0];
        p.b += first * bBatch[0];
        p.c += p.c === 0 ? 0 : first * cBatch[0];
      }
      sizes[0] = second ? sizes[0] - first : first;
      p.batch = sizes[0] * matrices;
      if (sizes[0] === 1) dropOuterBatch();
    } else if (p.M >= p.N && p.M > BLOCK) {
      const first = half(p.M);
      if (second) {
        p.out += first * p.outRow;
        p.a += first * p.aRow;
        p.c += p.c === 0 ? 0 : first * p.cRow;
      }
      p.M = second ? p.M - first : first;
    } else if (p.N > BLOCK) {
      const first = half(p.N);
      if (second) {
        p.out += first * bytes;
        p.b += first * p.bCol;
        p.c += p.c === 0 ? 0 : first * p.cCol;
      }
      p.N = second ? p.N - first : first;
    } else return false;
    multiply(backend, dtype, alpha, beta);
    return true;
  };
  return part(false) && part(true);
}

/** The outermost batch dimension has one element left. */
function dropOuterBatch(): void {
  p.rank--;
  for (const array of [sizes, aBatch, bBatch, cBatch]) array.copyWithin(0, 1, p.rank + 1);
}
