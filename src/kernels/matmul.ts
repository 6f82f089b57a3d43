/**
 * Builder of matrix-multiply launches: which kernel suits the shapes and strides, whether to pack the inputs first, and
 * how the output is cut into blocks for the threads. Shape and dtype rules are the operation's.
 *
 * Every element of the output is summed by one thread in an order that depends on shapes and strides alone, so results
 * are the same whatever the number of threads.
 */
import { type DType, DTYPES } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import type { Storage } from '../devices/storage.ts';
import {
  aBatch,
  bBatch,
  BLOCK,
  cBatch,
  contiguousBatch,
  describe,
  halve,
  matrices,
  p,
  sizes,
  transposeVector,
} from './matmul-plan.ts';
import { nativeGemm } from './native/blas.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { matmulDot, matmulDotRow } from './wasm/matmul-dot.ts';
import { matmulFinish } from './wasm/matmul-finish.ts';
import { integerColumns, matmulInteger } from './wasm/matmul-integer.ts';
import { matmulPack, PACK } from './wasm/matmul-pack.ts';
import { matmulRow } from './wasm/matmul-row.ts';
import { matmulScalar } from './wasm/matmul-scalar.ts';
import { matmulTile, TILE_ROWS, tileColumns } from './wasm/matmul-tile.ts';
import type { FloatName } from './wasm/float-ops.ts';
import { W } from './wasm/matmul-words.ts';

interface TileKernels {
  /** Of a packed element. */
  readonly bytes: number;
  /** Columns of a tile. */
  readonly width: number;
  readonly tile: number;
}
interface FloatKernels extends TileKernels {
  readonly dot: number;
  readonly dotRow: number;
  readonly row: number;
}

function floatKernels(type: FloatName, bytes: number): FloatKernels {
  return {
    bytes,
    width: tileColumns(type),
    tile: registerKernel(() => matmulTile(type), `matmul.tile.${type}`),
    dot: registerKernel(() => matmulDot(type), `matmul.dot.${type}`),
    dotRow: registerKernel(() => matmulDotRow(type), `matmul.dot_row.${type}`),
    row: registerKernel(() => matmulRow(type), `matmul.row.${type}`),
  };
}

const F32 = floatKernels('f32', 4);
const F64 = floatKernels('f64', 8);

/** By dtype index: one element at a time (no half types, no bool); packing rows and columns, and vectors of the floats. */
const scalarKernels: number[] = [];
const packRows: number[] = [];
const packColumns: number[] = [];
const packVector: number[] = [];
const finishKernels: number[] = [];
/** null for floats and bool. */
const integerKernels: (TileKernels | null)[] = [];
for (const dtype of DTYPES) {
  const float = dtype.is_floating_point;
  const half = float && dtype.itemsize === 2;
  const integer = !float && dtype.name !== 'bool';
  const pack = (width: number): number =>
    float || integer ? registerKernel(() => matmulPack(dtype, width), `matmul.pack${width}.${dtype.name}`) : -1;
  scalarKernels.push(
    half || dtype.name === 'bool' ? -1 : registerKernel(() => matmulScalar(dtype), `matmul.scalar.${dtype.name}`),
  );
  packRows.push(pack(TILE_ROWS));
  const width = integer ? integerColumns(dtype) : dtype.itemsize === 8 ? 4 : 8;
  packColumns.push(width === TILE_ROWS ? packRows[dtype.index] : pack(width));
  packVector.push(float ? pack(1) : -1);
  const tile = integer ? registerKernel(() => matmulInteger(dtype), `matmul.tile.${dtype.name}`) : -1;
  integerKernels.push(integer ? { bytes: Math.max(2, dtype.itemsize), width, tile } : null);
  finishKernels.push(half ? registerKernel(() => matmulFinish(dtype), `matmul.finish.${dtype.name}`) : -1);
}

/** Most k in one go: a panel of b (8 KiB) stays in the first cache, a block's strips in the second. */
const K_STEP = 256;
/** Multiplications worth handing to a thread. */
const GRAIN = 512 * 1024;

/** The two words of a factor: of a float64, or of an int64. */
const factorFloat = new Float64Array(1);
const factorWords = new Int32Array(factorFloat.buffer);

/**
 * out = alpha * (a @ b) + beta * c.
 *
 * @param out [..., M, N], contiguous, of the dtype of the others; not bool
 * @param a [..., M, K], any strides
 * @param b [..., K, N], any strides; the batch dimensions of both broadcast to those of `out`
 * @param c broadcasts to `out`: a bias [N], or the matrix of `addmm`, which may be `out` itself. With beta = 0 it is
 *   not read, as in PyTorch.
 *
 * Half types are multiplied and summed in float32 and rounded once; integers wrap. K = 0 gives beta * c, or zeros.
 */
export function matmul(out: Operand, a: Operand, b: Operand, c: Operand | null = null, alpha = 1, beta = 1): void {
  if (out.length === 0) return;
  const { dtype } = out;
  const backend = (out.storage as Storage).backend;
  if (beta === 0) c = null;
  describe(out, a, b, c);
  p.out = outAddress(out, backend);
  p.a = address(a, backend);
  p.b = address(b, backend);
  p.c = c === null ? 0 : address(c, backend);
  if (!dtype.is_floating_point) multiplyInteger(backend, dtype, alpha, beta);
  else if (dtype.itemsize === 2) multiplyHalf(backend, dtype, alpha, beta);
  else multiplyFloat(backend, dtype, alpha, beta);
}

function multiplyScalar(backend: Backend, dtype: DType, alpha: number, beta: number): void {
  p.mStep = 16;
  p.nStep = BLOCK;
  p.kStep = p.K;
  compute(backend, scalarKernels[dtype.index], alpha, beta, dtype.is_floating_point, GRAIN / 16);
}

function multiplyInteger(backend: Backend, dtype: DType, alpha: number, beta: number): void {
  const kernels = integerKernels[dtype.index] as TileKernels;
  const { M, N, K } = p;
  if (M < TILE_ROWS || N < kernels.width / 2 || M * N * K < integerTuning.least) {
    multiplyScalar(backend, dtype, alpha, beta);
    return;
  }
  const aBytes = packedRowsBytes(kernels.bytes);
  const bytes = aBytes + packedColumnsBytes(kernels);
  if (bytes > scratchLimit && halve(multiplyInteger, backend, dtype, alpha, beta)) return;
  const scratch = backend.allocate(bytes);
  packA(backend, dtype, scratch, kernels.bytes);
  packB(backend, dtype, scratch + aBytes, kernels);
  p.mStep = BLOCK;
  p.nStep = BLOCK;
  p.kStep = K;
  compute(backend, kernels.tile, alpha, beta, false, GRAIN);
  backend.free(scratch, bytes);
}

/** Tests move this: integer products of fewer multiplications are done one element at a time. */
export const integerTuning = { least: 8192 };

/** Sums in float32 scratch, then rounds. */
function multiplyHalf(backend: Backend, dtype: DType, alpha: number, beta: number): void {
  const { M, N, out, outRow, outBatch, c, batch } = p;
  const bytes = M * N * batch * 4;
  if (
    bytes + packedRowsBytes(4) + packedColumnsBytes(F32) > scratchLimit &&
    halve(multiplyHalf, backend, dtype, alpha, beta)
  )
    return;
  const sums = backend.allocate(bytes);
  p.out = sums;
  p.outRow = N * 4;
  p.outBatch = M * N * 4;
  p.c = 0;
  const aBytes = packedRowsBytes(4);
  const bBytes = packedColumnsBytes(F32);
  const scratch = backend.allocate(aBytes + bBytes);
  packA(backend, dtype, scratch, 4);
  packB(backend, dtype, scratch + aBytes, F32);
  tile(backend, F32, 1, 0);
  backend.free(scratch, aBytes + bBytes);

  p.K = 0;
  p.a = sums;
  p.b = 0;
  p.aRow = N * 4;
  p.out = out;
  p.outRow = outRow;
  p.outBatch = outBatch;
  p.c = c;
  contiguousBatch(aBatch, M * N * 4);
  p.mStep = 16;
  p.nStep = N;
  p.kStep = 1;
  compute(backend, finishKernels[dtype.index], alpha, beta, true, 64 * 1024);
  backend.free(sums, bytes);
}

function multiplyFloat(backend: Backend, dtype: DType, alpha: number, beta: number): void {
  const kernels = dtype.itemsize === 4 ? F32 : F64;
  const { bytes, width } = kernels;
  if (p.N === 1 && p.M > 1) transposeVector();
  const { M, N, K } = p;
  if (M === 1) {
    multiplyRow(backend, dtype, kernels, alpha, beta);
    return;
  }
  const work = M * N * K;
  const native = nativeGemm(work);
  if (native?.multiply(native, backend, bytes, alpha, beta)) return;
  const unitB = p.bCol === bytes;
  if (!unitB && p.bK === bytes && p.aK === bytes && (M <= DOT_ROWS || work <= DOT_WORK || (M <= BLOCK && K >= DOT_K))) {
    p.mStep = BLOCK;
    p.nStep = BLOCK;
    p.kStep = K;
    compute(backend, kernels.dot, alpha, beta, true, GRAIN);
    return;
  }
  if (work <= SCALAR_WORK && (!unitB || N < width)) {
    multiplyScalar(backend, dtype, alpha, beta);
    return;
  }
  const doB = !unitB || N < width || (M >= PACK_ROWS && N * K * bytes > PACK_BYTES);
  const doA = p.aK === bytes ? N >= PACK_ROWS && K > PACK_K : N >= PACK_ROWS && M * K * bytes > PACK_BYTES;
  const aBytes = doA ? packedRowsBytes(bytes) : 0;
  const bBytes = doB ? packedColumnsBytes(kernels) : 0;
  if (aBytes + bBytes > scratchLimit && halve(multiplyFloat, backend, dtype, alpha, beta)) return;
  const scratch = doA || doB ? backend.allocate(aBytes + bBytes) : 0;
  if (doA) packA(backend, dtype, scratch, bytes);
  else p.aStrip = p.aRow * TILE_ROWS;
  if (doB) packB(backend, dtype, scratch + aBytes, kernels);
  else p.bPanel = width * bytes;
  tile(backend, kernels, alpha, beta);
  if (doA || doB) backend.free(scratch, aBytes + bBytes);
}

/**
 * x times a transposed weight is done without packing the weight: for few rows, little work, or at most a block of rows
 * with dot products so long that folding the sums costs nothing.
 */
const DOT_ROWS = 16;
const DOT_WORK = 16 * 1024;
const DOT_K = 256;
/** Work for which the simplest kernel is good enough where nothing else fits. */
const SCALAR_WORK = 1024;
/** Products that would need more bytes of scratch are done in parts. */
let scratchLimit = 64 * 1024 * 1024;

/** For tests. */
export function setScratchLimit(bytes: number): void {
  scratchLimit = bytes;
}

/** Packing pays from so many rows (columns) of the other matrix, for a matrix of more than so many bytes. */
const PACK_ROWS = 16;
const PACK_BYTES = 128 * 1024;
const PACK_K = 512;

function multiplyRow(backend: Backend, dtype: DType, kernels: FloatKernels, alpha: number, beta: number): void {
  const { N, K } = p;
  const { bytes } = kernels;
  p.mStep = 1;
  p.kStep = K;
  // A single column is one of either kind.
  if (p.bCol === bytes && (N > 1 || p.bK !== bytes)) {
    p.nStep = 512;
    compute(backend, kernels.row, alpha, beta, true, GRAIN / 4);
    return;
  }
  if (p.bK !== bytes) {
    if (N * K <= SCALAR_WORK) multiplyScalar(backend, dtype, alpha, beta);
    else {
      const bBytes = packedColumnsBytes(kernels);
      const scratch = backend.allocate(bBytes);
      packB(backend, dtype, scratch, kernels);
      p.aStrip = 0;
      tile(backend, kernels, alpha, beta);
      backend.free(scratch, bBytes);
    }
    return;
  }
  let scratch = 0;
  const vectorBytes = matrices(aBatch) * K * bytes;
  if (p.aK !== bytes) {
    scratch = backend.allocate(vectorBytes);
    pack(backend, packVector[dtype.index], scratch, p.a, 1, 1, bytes, p.aK, aBatch);
    if (matrices(aBatch) > 1) contiguousBatch(aBatch, K * bytes);
    p.a = scratch;
    p.aK = bytes;
  }
  p.nStep = Math.max(1, Math.floor(GRAIN / 4 / Math.max(1, K)));
  compute(backend, kernels.dotRow, alpha, beta, true, GRAIN / 4);
  if (scratch !== 0) backend.free(scratch, vectorBytes);
}

function tile(backend: Backend, kernels: FloatKernels, alpha: number, beta: number): void {
  p.mStep = BLOCK;
  p.nStep = BLOCK;
  p.kStep = K_STEP;
  compute(backend, kernels.tile, alpha, beta, true, GRAIN);
}

function packedRowsBytes(bytes: number): number {
  return matrices(aBatch) * Math.ceil(p.M / TILE_ROWS) * TILE_ROWS * p.K * bytes;
}
function packedColumnsBytes(kernels: TileKernels): number {
  return matrices(bBatch) * Math.ceil(p.N / kernels.width) * kernels.width * p.K * kernels.bytes;
}

/** Packs a's rows into strips; `bytes` of an element there. */
function packA(backend: Backend, dtype: DType, to: number, bytes: number): void {
  const strips = Math.ceil(p.M / TILE_ROWS);
  pack(backend, packRows[dtype.index], to, p.a, TILE_ROWS, p.M, p.aRow, p.aK, aBatch);
  p.a = to;
  p.aRow = bytes;
  p.aK = TILE_ROWS * bytes;
  p.aStrip = p.K * p.aK;
  if (matrices(aBatch) > 1) contiguousBatch(aBatch, strips * p.aStrip);
}

/** Packs b's columns into panels. */
function packB(backend: Backend, dtype: DType, to: number, kernels: TileKernels): void {
  const { width, bytes } = kernels;
  const panels = Math.ceil(p.N / width);
  pack(backend, packColumns[dtype.index], to, p.b, width, p.N, p.bCol, p.bK, bBatch);
  p.b = to;
  p.bCol = bytes;
  p.bK = width * bytes;
  p.bPanel = p.K * p.bK;
  p.padded = 1;
  if (matrices(bBatch) > 1) contiguousBatch(bBatch, panels * p.bPanel);
}

function pack(
  backend: Backend,
  kernel: number,
  to: number,
  from: number,
  width: number,
  columns: number,
  column: number,
  k: number,
  batch: Float64Array,
): void {
  const panels = Math.ceil(columns / width);
  const count = matrices(batch);
  const rank = count === 1 ? 0 : p.rank;
  // 32 Ki elements a thread are worth it.
  const grain = Math.max(1, Math.floor(32768 / Math.max(1, p.K * width)));
  const at = backend.begin(kernel, PACK.batch + 2 * rank, grain);
  const { words } = backend;
  words[at + PACK.begin] = 0;
  words[at + PACK.end] = count * panels;
  words[at + PACK.to] = to;
  words[at + PACK.from] = from;
  words[at + PACK.panels] = panels;
  words[at + PACK.columns] = columns;
  words[at + PACK.K] = p.K;
  words[at + PACK.column] = column;
  words[at + PACK.k] = k;
  words[at + PACK.batchRank] = rank;
  for (let i = 0; i < rank; i++) {
    words[at + PACK.batch + 2 * i] = sizes[i];
    words[at + PACK.batch + 2 * i + 1] = batch[i];
  }
  backend.submit();
}

/** Submits the launch that `p` describes; `grain` in multiplications. */
function compute(backend: Backend, kernel: number, alpha: number, beta: number, float: boolean, grain: number): void {
  const { M, N, K, mStep, nStep, rank } = p;
  const mBlocks = Math.ceil(M / mStep);
  const nBlocks = Math.ceil(N / nStep);
  const work = Math.min(M, mStep) * Math.min(N, nStep) * (K + 1);
  const at = backend.begin(kernel, W.batch + 4 * rank, Math.max(1, Math.floor(grain / work)));
  const { words } = backend;
  words[at + W.begin] = 0;
  words[at + W.end] = p.batch * mBlocks * nBlocks;
  words[at + W.out] = p.out;
  words[at + W.outRow] = p.outRow;
  words[at + W.outBatch] = p.outBatch;
  words[at + W.a] = p.a;
  words[at + W.aStrip] = p.aStrip;
  words[at + W.aRow] = p.aRow;
  words[at + W.aK] = p.aK;
  words[at + W.b] = p.b;
  words[at + W.bPanel] = p.bPanel;
  words[at + W.bCol] = p.bCol;
  words[at + W.bK] = p.bK;
  words[at + W.c] = p.c;
  words[at + W.cRow] = p.cRow;
  words[at + W.cCol] = p.cCol;
  words[at + W.M] = M;
  words[at + W.N] = N;
  words[at + W.K] = K;
  words[at + W.mStep] = mStep;
  words[at + W.nStep] = nStep;
  words[at + W.mBlocks] = mBlocks;
  words[at + W.nBlocks] = nBlocks;
  words[at + W.kStep] = Math.max(1, p.kStep);
  words[at + W.padded] = p.padded;
  words[at + W.batchRank] = rank;
  putFactor(words, at + W.alpha, alpha, float);
  putFactor(words, at + W.beta, beta, float);
  for (let i = 0; i < rank; i++) {
    const d = at + W.batch + 4 * i;
    words[d] = sizes[i];
    words[d + 1] = aBatch[i];
    words[d + 2] = bBatch[i];
    words[d + 3] = cBatch[i];
  }
  backend.submit();
}

function putFactor(words: Int32Array, at: number, factor: number, float: boolean): void {
  if (float) {
    factorFloat[0] = factor;
    words[at] = factorWords[0];
    words[at + 1] = factorWords[1];
  } else {
    const high = Math.floor(factor / 2 ** 32);
    words[at] = factor - high * 2 ** 32;
    words[at + 1] = high;
  }
}
