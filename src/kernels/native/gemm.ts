/**
 * Launches of native matrix products: whether the library can read the operands where they lie, and how the output is cut
 * for the threads. Each thread calls the library for blocks of its own.
 */
import type { Backend } from '../../devices/backend.ts';
import { numThreads } from '../../devices/threads.ts';
import { aBatch, bBatch, cBatch, p, sizes } from '../matmul-plan.ts';
import { blasTuning, type NativeGemm } from './blas.ts';
import { GEMM } from './gemm-words.ts';

const factor = new Float64Array(1);
const factorWords = new Int32Array(factor.buffer);

/** Elements between the rows, or (negative) the columns, of a matrix that BLAS can read; 0: it cannot. */
function lead(rows: number, columns: number, row: number, column: number, bytes: number): number {
  if (column === bytes) {
    if (rows === 1) return columns;
    if (row >= columns * bytes) return row / bytes;
  }
  if (row === bytes) {
    if (columns === 1) return -rows;
    if (column >= rows * bytes) return -column / bytes;
  }
  return 0;
}

/**
 * Does the product that `p` describes, of float32 (4 bytes) or float64, if the library can: out = alpha * (a @ b) + beta * c.
 * False: it cannot, and nothing has been done.
 */
export function multiplyNatively(
  gemm: NativeGemm,
  backend: Backend,
  bytes: number,
  alpha: number,
  beta: number,
): boolean {
  const { M, N, K, batch, rank } = p;
  const work = M * N * K;
  if (M < blasTuning.fewRows && work > blasTuning.packed) return false;
  const aLead = lead(M, K, p.aRow, p.aK, bytes);
  const bLead = lead(K, N, p.bK, p.bCol, bytes);
  if (aLead === 0 || bLead === 0) return false;
  const hasC = p.c !== 0;
  // c is copied into the output first, row by row.
  if (hasC && N > 1 && p.cCol !== bytes) return false;

  let mBlocks = 1;
  let nBlocks = 1;
  if (batch < 4 * numThreads && numThreads > 1) {
    const parts = Math.min(numThreads, Math.floor(work / blasTuning.grain));
    if (parts > 1) {
      // Each part reads its rows of a and its columns of b: what is read in all is least where parts are square.
      let least = Infinity;
      for (let rows = 1; rows <= parts; rows++) {
        if (parts % rows !== 0) continue;
        const read = rows * N + (parts / rows) * M;
        if (read < least) {
          least = read;
          mBlocks = rows;
        }
      }
      nBlocks = parts / mBlocks;
    }
  }
  const mStep = blockOf(M, mBlocks);
  const nStep = blockOf(N, nBlocks);
  mBlocks = Math.ceil(M / mStep);
  nBlocks = Math.ceil(N / nStep);
  const each = work / (mBlocks * nBlocks);
  const grain = Math.max(1, Math.floor(blasTuning.grain / each));

  const at = backend.begin(bytes === 4 ? gemm.f32 : gemm.f64, GEMM.batch + 4 * rank, grain);
  const { words } = backend;
  words[at + GEMM.begin] = 0;
  words[at + GEMM.end] = batch * mBlocks * nBlocks;
  words[at + GEMM.out] = p.out;
  words[at + GEMM.outBatch] = p.outBatch;
  words[at + GEMM.outLead] = N;
  words[at + GEMM.a] = p.a;
  words[at + GEMM.aLead] = Math.abs(aLead);
  words[at + GEMM.aTurned] = aLead < 0 ? 1 : 0;
  words[at + GEMM.b] = p.b;
  words[at + GEMM.bLead] = Math.abs(bLead);
  words[at + GEMM.bTurned] = bLead < 0 ? 1 : 0;
  // Where c is the output itself, it is there already.
  words[at + GEMM.c] = hasC && !(p.c === p.out && p.cRow === N * bytes) ? p.c : 0;
  words[at + GEMM.cRow] = p.cRow;
  words[at + GEMM.M] = M;
  words[at + GEMM.N] = N;
  words[at + GEMM.K] = K;
  words[at + GEMM.mStep] = mStep;
  words[at + GEMM.nStep] = nStep;
  words[at + GEMM.mBlocks] = mBlocks;
  words[at + GEMM.nBlocks] = nBlocks;
  words[at + GEMM.batchRank] = rank;
  put(words, at + GEMM.alpha, alpha);
  put(words, at + GEMM.beta, hasC ? beta : 0);
  for (let i = 0; i < rank; i++) {
    const d = at + GEMM.batch + 4 * i;
    words[d] = sizes[i];
    words[d + 1] = aBatch[i];
    words[d + 2] = bBatch[i];
    words[d + 3] = cBatch[i];
  }
  backend.submit();
  return true;
}

/** Rows (columns) of a block, in whole tiles of what libraries work in. */
function blockOf(size: number, blocks: number): number {
  return blocks === 1 ? size : Math.ceil(size / blocks / 16) * 16;
}

function put(words: Int32Array, at: number, value: number): void {
  factor[0] = value;
  words[at] = factorWords[0];
  words[at + 1] = factorWords[1];
}
