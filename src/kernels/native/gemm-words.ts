/**
 * The launch words of a native matrix product. The range counts blocks of the output, `nBlocks` of them in a row of blocks,
 * `mBlocks` of those in a matrix, then the batch.
 *
 * out[batch, m, n] = alpha * sum over k of a[batch, m, k] * b[batch, k, n] + beta * c[batch, m, n]
 */
export const GEMM = {
  begin: 0,
  end: 1,
  out: 2,
  /** Bytes from one matrix of the output to the next. */
  outBatch: 3,
  /** Elements from one row of the output to the next. */
  outLead: 4,
  a: 5,
  /** Elements between what is not side by side: rows, or with `aTurned` columns. */
  aLead: 6,
  /** 1: it is the columns of a that lie side by side. */
  aTurned: 7,
  b: 8,
  bLead: 9,
  bTurned: 10,
  /** Address of c, whose columns lie side by side; 0: c is what `out` holds. */
  c: 11,
  /** Bytes from one row of c to the next. */
  cRow: 12,
  M: 13,
  N: 14,
  K: 15,
  mStep: 16,
  nStep: 17,
  mBlocks: 18,
  nBlocks: 19,
  batchRank: 20,
  /** A float64 each. */
  alpha: 22,
  beta: 24,
  /** For each batch dimension, outermost first: size, and the strides of a, b, c in bytes. */
  batch: 26,
} as const;
