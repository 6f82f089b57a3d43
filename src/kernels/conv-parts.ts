/**
 * The launches that convolutions are made of: padding the input, packing the weights, the product itself, rounding to
 * half types. `conv.ts` puts them together.
 */
import type { DType } from '../core/dtype.ts';
import { DTYPES } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import type { Storage } from '../devices/storage.ts';
import { numThreads } from '../devices/threads.ts';
import { type Axes, axesOf } from './conv-plan.ts';
import { blasTuning } from './native/blas.ts';
import { columnsInPlace, nativeConv, positionsOf } from './native/conv.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { COLUMNS } from './wasm/conv-columns.ts';
import { convPackWeight, convPad, convRound, convTable } from './wasm/conv-prepare.ts';
import { convTile } from './wasm/conv-tile.ts';
import { CONV, CONV_SCRATCH, K_TABLE, PACK_WEIGHT, PAD } from './wasm/conv-words.ts';
import { THREAD_SLOTS } from './wasm/thread-slot.ts';

const TILE = (['f32', 'f64'] as const).map((type) => registerKernel(() => convTile(type), `conv.${type}`));
const PADS = DTYPES.map((d) => (d.is_floating_point ? registerKernel(() => convPad(d), `conv.pad.${d.name}`) : -1));
const PACKS = DTYPES.map((d) =>
  d.is_floating_point ? registerKernel(() => convPackWeight(d), `conv.pack.${d.name}`) : -1,
);
/** Into plain rows, as native products read them. */
const PACK_ROWS = DTYPES.map((d) =>
  d.is_floating_point ? registerKernel(() => convPackWeight(d, 1), `conv.pack1.${d.name}`) : -1,
);
const ROUND = DTYPES.map((d) =>
  d.itemsize === 2 && d.is_floating_point ? registerKernel(() => convRound(d), `conv.round.${d.name}`) : -1,
);
const TABLE = registerKernel(convTable, 'conv.table');

/** Multiplications worth handing to a thread. */
export const GRAIN = 512 * 1024;
/** Positions of a block of the output. */
const P_STEP = 64;
/** Fewer items than this are made more by cutting the rows. */
export const ENOUGH = 16;
export const TILE_ROWS = 4;

/** Tests move these. */
export const convTuning = {
  /** More bytes of padded input than this are made image by image. */
  scratchBytes: 64 * 1024 * 1024,
  /** A gradient of the weight up to this size is summed over parts of the images, which are then added. */
  partBytes: 512 * 1024,
  /** Parts at most. */
  parts: 8,
  /** Whether 3x3 windows go by Winograd's way: where it pays, wherever it can, nowhere. */
  winograd: 'auto' as 'auto' | 'always' | 'never',
  /** A native library with vectors of 512 bits does images of so many positions sooner by the definition. */
  nativePositions: 128,
};

export const typeIndex = (dtype: DType): number => (dtype.itemsize === 8 ? 1 : 0);
export const bytesOf = (dtype: DType): number => (dtype.itemsize === 8 ? 8 : 4);

/** An input as the kernels read it. Strides in bytes. */
export interface Source {
  at: number;
  image: number;
  channel: number;
  step: Axes;
  /** Scratch to give back; 0 bytes: none. */
  scratch: number;
  scratchBytes: number;
}

/**
 * Images `first` up to `first + count` with zeros around them, in the compute type; unless `anew` they are used as they
 * are where that will do.
 */
export function padded(
  backend: Backend,
  x: Operand,
  at: number,
  first: number,
  count: number,
  low: Axes,
  high: Axes,
  anew = false,
): Source {
  const { dtype } = x;
  const { itemsize } = dtype;
  const strides = axesOf(x.strides, 0);
  const sizes = axesOf(x.sizes, 1);
  const from = at + first * x.strides[0] * itemsize;
  const image = x.strides[0] * itemsize;
  const channel = x.strides[1] * itemsize;
  const none = low[0] + low[1] + low[2] + high[0] + high[1] + high[2] === 0;
  if (none && itemsize >= 4 && !anew) {
    const step = strides.map((s) => s * itemsize) as unknown as Axes;
    return { at: from, image, channel, step, scratch: 0, scratchBytes: 0 };
  }
  const bytes = bytesOf(dtype);
  const size = [0, 1, 2].map((i) => sizes[i] + low[i] + high[i]);
  const channels = x.sizes[1];
  const rows = count * channels * size[0] * size[1];
  const scratchBytes = rows * size[2] * bytes;
  const scratch = backend.allocate(scratchBytes);
  const k = backend.begin(PADS[dtype.index], PAD.count, Math.max(1, Math.ceil(32768 / Math.max(1, size[2]))));
  const { words } = backend;
  words[k + PAD.begin] = 0;
  words[k + PAD.end] = rows;
  words[k + PAD.to] = scratch;
  words[k + PAD.from] = from;
  words[k + PAD.channels] = channels;
  words[k + PAD.image] = image;
  words[k + PAD.channel] = channel;
  for (let i = 0; i < 3; i++) {
    words[k + PAD.size + i] = size[i];
    words[k + PAD.source + i] = sizes[i];
    words[k + PAD.low + i] = low[i];
    words[k + PAD.axis + i] = strides[i] * itemsize;
  }
  backend.submit();
  const row = size[2] * bytes;
  return {
    at: scratch,
    image: channels * size[0] * size[1] * row,
    channel: size[0] * size[1] * row,
    step: [size[1] * row, row, bytes],
    scratch,
    scratchBytes,
  };
}

/** How many images are padded at a time. */
export function imagesAtOnce(images: number, bytes: number): number {
  return Math.max(1, Math.min(images, Math.floor(convTuning.scratchBytes / Math.max(1, bytes))));
}

/** Writes the offsets of all k. */
export function table(backend: Backend, channels: number, taps: Axes, channel: number, tap: Axes): number {
  const to = backend.allocate(channels * taps[0] * taps[1] * taps[2] * 4);
  const k = backend.begin(TABLE, K_TABLE.count, 0);
  const { words } = backend;
  words[k + K_TABLE.begin] = 0;
  words[k + K_TABLE.end] = channels;
  words[k + K_TABLE.to] = to;
  words[k + K_TABLE.channels] = channels;
  words[k + K_TABLE.channel] = channel;
  for (let i = 0; i < 3; i++) {
    words[k + K_TABLE.taps + i] = taps[i];
    words[k + K_TABLE.tap + i] = tap[i];
  }
  backend.submit();
  return to;
}

/** Weights of a product: strides in elements. */
export interface Weights {
  readonly at: number;
  readonly dtype: DType;
  readonly group: number;
  readonly row: number;
  readonly channel: number;
  readonly tap: Axes;
}

/** A product's shape. */
export interface Product {
  readonly images: number;
  readonly groups: number;
  readonly M: number;
  readonly channels: number;
  readonly taps: Axes;
  readonly positions: Axes;
}

/** Weights in strips of so many rows. */
function packWeights(backend: Backend, w: Weights, shape: Product, height: number): number {
  const { M, channels, taps, groups } = shape;
  const { dtype } = w;
  const strips = Math.ceil(M / height);
  const K = channels * taps[0] * taps[1] * taps[2];
  const to = backend.allocate(packedBytes(shape, bytesOf(dtype), height));
  const k = backend.begin(
    (height === 1 ? PACK_ROWS : PACKS)[dtype.index],
    PACK_WEIGHT.count,
    Math.max(1, Math.floor(32768 / Math.max(1, K * height))),
  );
  const { words } = backend;
  words[k + PACK_WEIGHT.begin] = 0;
  words[k + PACK_WEIGHT.end] = groups * strips;
  words[k + PACK_WEIGHT.to] = to;
  words[k + PACK_WEIGHT.from] = w.at;
  words[k + PACK_WEIGHT.strips] = strips;
  words[k + PACK_WEIGHT.M] = M;
  words[k + PACK_WEIGHT.channels] = channels;
  words[k + PACK_WEIGHT.group] = w.group * dtype.itemsize;
  words[k + PACK_WEIGHT.row] = w.row * dtype.itemsize;
  words[k + PACK_WEIGHT.channel] = w.channel * dtype.itemsize;
  for (let i = 0; i < 3; i++) {
    words[k + PACK_WEIGHT.taps + i] = taps[i];
    words[k + PACK_WEIGHT.tap + i] = w.tap[i] * dtype.itemsize;
  }
  backend.submit();
  return to;
}

function packedBytes({ M, channels, taps, groups }: Product, bytes: number, height: number): number {
  return groups * Math.ceil(M / height) * height * channels * taps[0] * taps[1] * taps[2] * bytes;
}

/** Where results go. Strides in bytes. */
export interface Target {
  readonly at: number;
  readonly image: number;
  readonly row: number;
  readonly step: Axes;
}

/** out = bias + weights times columns of x; `base`: the first position's first tap, in bytes from x. */
export function multiply(
  backend: Backend,
  dtype: DType,
  shape: Product,
  out: Target,
  x: Source,
  base: number,
  step: Axes,
  tap: Axes,
  weights: Weights,
  bias: number,
): void {
  const { M, channels, taps, groups, images, positions } = shape;
  const bytes = bytesOf(dtype);
  const K = channels * taps[0] * taps[1] * taps[2];
  const P = positions[0] * positions[1] * positions[2];
  const native = nativeConv(M, K, P);
  const height = native === null ? TILE_ROWS : 1;
  const a = packWeights(backend, weights, shape, height);
  const kTable = table(backend, channels, taps, x.channel, tap);
  const [d, h, w] = positions;
  const flat =
    (w === 1 || out.step[2] === bytes) &&
    (h === 1 || out.step[1] === w * bytes) &&
    (d === 1 || out.step[0] === h * w * bytes);
  const inPlace = native === null ? 0 : columnsInPlace(taps, positions, step, x.channel, bytes);
  const pStep = native === null ? P_STEP : positionsOf(K, P, bytes);
  const threadBytes = native === null ? CONV_SCRATCH : ((inPlace ? 0 : K) + (flat ? 0 : M)) * pStep * bytes;
  const scratchBytes = THREAD_SLOTS * threadBytes;
  const scratch = backend.allocate(scratchBytes);
  const pBlocks = Math.ceil(P / pStep);
  let mStep = Math.ceil(M / height) * height;
  // A library's products are worth less in pieces: no more of them than threads.
  const wanted = Math.ceil((native === null ? ENOUGH : numThreads) / (images * groups * pBlocks));
  if (wanted > 1) mStep = Math.max(native === null ? TILE_ROWS : 16, Math.ceil(M / wanted / TILE_ROWS) * TILE_ROWS);
  const mBlocks = Math.ceil(M / mStep);
  const work = Math.min(P, pStep) * Math.min(M, mStep) * K;
  const k = backend.begin(
    native === null ? TILE[typeIndex(dtype)] : native.conv[typeIndex(dtype)],
    native === null ? CONV.count : COLUMNS.count,
    Math.max(1, Math.floor((native === null ? GRAIN : blasTuning.grain) / Math.max(1, work))),
  );
  const { words } = backend;
  words[k + CONV.begin] = 0;
  words[k + CONV.end] = images * groups * mBlocks * pBlocks;
  words[k + CONV.out] = out.at;
  words[k + CONV.outImage] = out.image;
  words[k + CONV.outGroup] = out.row * M;
  words[k + CONV.outRow] = out.row;
  words[k + CONV.flat] = flat ? 1 : 0;
  words[k + CONV.x] = x.at + base;
  words[k + CONV.xImage] = x.image;
  words[k + CONV.xGroup] = x.channel * channels;
  words[k + CONV.a] = a;
  words[k + CONV.aGroup] = Math.ceil(M / height) * height * K * bytes;
  words[k + CONV.aStrip] = height * K * bytes;
  words[k + CONV.kTable] = kTable;
  words[k + CONV.bias] = bias;
  words[k + CONV.M] = M;
  words[k + CONV.K] = K;
  words[k + CONV.P] = P;
  words[k + CONV.height] = h;
  words[k + CONV.width] = w;
  words[k + CONV.groups] = groups;
  words[k + CONV.mStep] = mStep;
  words[k + CONV.mBlocks] = mBlocks;
  words[k + CONV.pStep] = pStep;
  words[k + CONV.pBlocks] = pBlocks;
  words[k + CONV.scratch] = scratch;
  for (let i = 0; i < 3; i++) {
    words[k + CONV.outStep + i] = out.step[i];
    words[k + CONV.xStep + i] = step[i];
  }
  if (native !== null) {
    words[k + COLUMNS.inPlace] = inPlace;
    words[k + COLUMNS.positions] = pStep;
    words[k + COLUMNS.scratchBytes] = threadBytes;
  }
  backend.submit();
  backend.free(scratch, scratchBytes);
  backend.free(kTable, K * 4);
  backend.free(a, packedBytes(shape, bytes, height));
}

/** The result in the compute type: `out` itself, or for half types scratch that is rounded into it at the end. */
export function inComputeType(out: Operand, run: (at: number, backend: Backend) => void): void {
  const backend = (out.storage as Storage).backend;
  const to = outAddress(out, backend);
  if (out.dtype.itemsize !== 2) {
    run(to, backend);
    return;
  }
  const nbytes = out.length * 4;
  const scratch = backend.allocate(nbytes);
  run(scratch, backend);
  const k = backend.begin(ROUND[out.dtype.index], 4, 32768);
  const { words } = backend;
  words[k] = 0;
  words[k + 1] = out.length;
  words[k + 2] = to;
  words[k + 3] = scratch;
  backend.submit();
  backend.free(scratch, nbytes);
}

export const ZEROS: Axes = [0, 0, 0];

/** A bias in the compute type, side by side. */
export function biasAt(backend: Backend, bias: Operand | null): Source | null {
  if (bias === null) return null;
  const at = address(bias, backend);
  const { storage, offset, dtype, length } = bias;
  const asImage: Operand = { storage, offset, sizes: [1, 1, length], strides: [0, 0, bias.strides[0]], dtype, length };
  return padded(backend, asImage, at, 0, 1, ZEROS, ZEROS, bias.strides[0] !== 1);
}

export function giveBack(backend: Backend, source: Source | null): void {
  if (source !== null && source.scratchBytes > 0) backend.free(source.scratch, source.scratchBytes);
}

/** Elements from the start of an image (with zeros around it) to a place. */
export function paddedElements(x: Operand, low: Axes, high: Axes): number {
  const sizes = axesOf(x.sizes, 1);
  let count = x.sizes[1];
  for (let i = 0; i < 3; i++) count *= sizes[i] + low[i] + high[i];
  return count;
}
