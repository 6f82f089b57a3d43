/**
 * Builder of convolution launches over one to three axes: forward pass, gradient of the input (which is also the
 * transposed convolution) and gradient of the weight. Shape and dtype rules are the operations'. Float dtypes; half
 * types are multiplied and summed in float32 and rounded once.
 *
 * Every element of a result is summed by one thread in an order that depends on the shapes alone.
 */
import type { DType } from '../core/dtype.ts';
import { DTYPES } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import type { Storage } from '../devices/storage.ts';
import { type Axes, axesOf, type ConvGeometry, type Taps, phasesOf } from './conv-plan.ts';
import { fill } from './copy.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { convPackWeight, convPad, convRound, convTable } from './wasm/conv-prepare.ts';
import { convTile } from './wasm/conv-tile.ts';
import { convSumSlots, convWeightGrad } from './wasm/conv-weight-grad.ts';
import { CONV, CONV_SCRATCH, CONV_WEIGHT, K_TABLE, PACK_WEIGHT, PAD, POSITIONS } from './wasm/conv-words.ts';
import { THREAD_SLOTS } from './wasm/thread-slot.ts';

export type { ConvGeometry };

const TILE = (['f32', 'f64'] as const).map((type) => registerKernel(() => convTile(type), `conv.${type}`));
const WEIGHT = (['f32', 'f64'] as const).map((type) =>
  registerKernel(() => convWeightGrad(type), `conv_weight_backward.${type}`),
);
const SUM = (['f32', 'f64'] as const).map((type) => registerKernel(() => convSumSlots(type), `conv.sum.${type}`));
const PADS = DTYPES.map((d) => (d.is_floating_point ? registerKernel(() => convPad(d), `conv.pad.${d.name}`) : -1));
const PACKS = DTYPES.map((d) =>
  d.is_floating_point ? registerKernel(() => convPackWeight(d), `conv.pack.${d.name}`) : -1,
);
const ROUND = DTYPES.map((d) =>
  d.itemsize === 2 && d.is_floating_point ? registerKernel(() => convRound(d), `conv.round.${d.name}`) : -1,
);
const TABLE = registerKernel(convTable, 'conv.table');

/** Multiplications worth handing to a thread. */
const GRAIN = 512 * 1024;
/** Positions of a block of the output. */
const P_STEP = 64;
/** Fewer items than this are made more by cutting the rows. */
const ENOUGH = 16;
const TILE_ROWS = 4;

/** Tests move these. */
export const convTuning = {
  /** More bytes of padded input than this are made image by image. */
  scratchBytes: 64 * 1024 * 1024,
  /** A gradient of the weight up to this size is summed over parts of the images, which are then added. */
  partBytes: 512 * 1024,
  /** Parts at most. */
  parts: 8,
};

const typeIndex = (dtype: DType): number => (dtype.itemsize === 8 ? 1 : 0);
const bytesOf = (dtype: DType): number => (dtype.itemsize === 8 ? 8 : 4);

/** An input as the kernels read it. Strides in bytes. */
interface Source {
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
function padded(
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
function imagesAtOnce(images: number, bytes: number): number {
  return Math.max(1, Math.min(images, Math.floor(convTuning.scratchBytes / Math.max(1, bytes))));
}

/** Writes the offsets of all k. */
function table(backend: Backend, channels: number, taps: Axes, channel: number, tap: Axes): number {
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
interface Weights {
  readonly at: number;
  readonly dtype: DType;
  readonly group: number;
  readonly row: number;
  readonly channel: number;
  readonly tap: Axes;
}

/** A product's shape. */
interface Product {
  readonly images: number;
  readonly groups: number;
  readonly M: number;
  readonly channels: number;
  readonly taps: Axes;
  readonly positions: Axes;
}

function packWeights(backend: Backend, w: Weights, shape: Product): number {
  const { M, channels, taps, groups } = shape;
  const { dtype } = w;
  const strips = Math.ceil(M / TILE_ROWS);
  const K = channels * taps[0] * taps[1] * taps[2];
  const to = backend.allocate(packedBytes(shape, bytesOf(dtype)));
  const k = backend.begin(
    PACKS[dtype.index],
    PACK_WEIGHT.count,
    Math.max(1, Math.floor(32768 / Math.max(1, K * TILE_ROWS))),
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

function packedBytes({ M, channels, taps, groups }: Product, bytes: number): number {
  return groups * Math.ceil(M / TILE_ROWS) * TILE_ROWS * channels * taps[0] * taps[1] * taps[2] * bytes;
}

/** Where results go. Strides in bytes. */
interface Target {
  readonly at: number;
  readonly image: number;
  readonly row: number;
  readonly step: Axes;
}

/** out = bias + weights times columns of x; `base`: the first position's first tap, in bytes from x. */
function multiply(
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
  const a = packWeights(backend, weights, shape);
  const kTable = table(backend, channels, taps, x.channel, tap);
  const scratchBytes = THREAD_SLOTS * CONV_SCRATCH;
  const scratch = backend.allocate(scratchBytes);
  const pBlocks = Math.ceil(P / P_STEP);
  let mStep = Math.ceil(M / TILE_ROWS) * TILE_ROWS;
  const wanted = Math.ceil(ENOUGH / (images * groups * pBlocks));
  if (wanted > 1) mStep = Math.max(TILE_ROWS, Math.ceil(M / wanted / TILE_ROWS) * TILE_ROWS);
  const mBlocks = Math.ceil(M / mStep);
  const work = Math.min(P, P_STEP) * Math.min(M, mStep) * K;
  const k = backend.begin(TILE[typeIndex(dtype)], CONV.count, Math.max(1, Math.floor(GRAIN / Math.max(1, work))));
  const { words } = backend;
  words[k + CONV.begin] = 0;
  words[k + CONV.end] = images * groups * mBlocks * pBlocks;
  words[k + CONV.out] = out.at;
  words[k + CONV.outImage] = out.image;
  words[k + CONV.outGroup] = out.row * M;
  words[k + CONV.outRow] = out.row;
  const [d, h, w] = positions;
  const flat =
    (w === 1 || out.step[2] === bytes) &&
    (h === 1 || out.step[1] === w * bytes) &&
    (d === 1 || out.step[0] === h * w * bytes);
  words[k + CONV.flat] = flat ? 1 : 0;
  words[k + CONV.x] = x.at + base;
  words[k + CONV.xImage] = x.image;
  words[k + CONV.xGroup] = x.channel * channels;
  words[k + CONV.a] = a;
  words[k + CONV.aGroup] = Math.ceil(M / TILE_ROWS) * TILE_ROWS * K * bytes;
  words[k + CONV.aStrip] = TILE_ROWS * K * bytes;
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
  words[k + CONV.pStep] = P_STEP;
  words[k + CONV.pBlocks] = pBlocks;
  words[k + CONV.scratch] = scratch;
  for (let i = 0; i < 3; i++) {
    words[k + CONV.outStep + i] = out.step[i];
    words[k + CONV.xStep + i] = step[i];
  }
  backend.submit();
  backend.free(scratch, scratchBytes);
  backend.free(kTable, K * 4);
  backend.free(a, packedBytes(shape, bytes));
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

const ZEROS: Axes = [0, 0, 0];

/** A bias in the compute type, side by side. */
function biasAt(backend: Backend, bias: Operand | null): Source | null {
  if (bias === null) return null;
  const at = address(bias, backend);
  const { storage, offset, dtype, length } = bias;
  const asImage: Operand = { storage, offset, sizes: [1, 1, length], strides: [0, 0, bias.strides[0]], dtype, length };
  return padded(backend, asImage, at, 0, 1, ZEROS, ZEROS, bias.strides[0] !== 1);
}

function giveBack(backend: Backend, source: Source | null): void {
  if (source !== null && source.scratchBytes > 0) backend.free(source.scratch, source.scratchBytes);
}

/** Elements from the start of an image (with zeros around it) to a place. */
function paddedElements(x: Operand, low: Axes, high: Axes): number {
  const sizes = axesOf(x.sizes, 1);
  let count = x.sizes[1];
  for (let i = 0; i < 3; i++) count *= sizes[i] + low[i] + high[i];
  return count;
}

/**
 * out[n, o, p] = bias[o] + sum over c, t of weight[o, c, t] * x[n, c, p * stride + t * dilation - padding].
 *
 * @param out [N, O, …], contiguous
 * @param x [N, C, …], any strides
 * @param weight [O, C / groups, …], any strides
 * @param bias [O]
 */
export function conv(out: Operand, x: Operand, weight: Operand, bias: Operand | null, g: ConvGeometry): void {
  if (out.length === 0) return;
  const backend = (out.storage as Storage).backend;
  const { stride, padding, dilation, groups } = g;
  const [xs, ps, ts] = [axesOf(x.sizes, 1), axesOf(out.sizes, 1), axesOf(weight.sizes, 1)];
  const M = out.sizes[1] / groups;
  const channels = weight.sizes[1];
  const high = [0, 1, 2].map((i) =>
    Math.max(0, (ps[i] - 1) * stride[i] + (ts[i] - 1) * dilation[i] - padding[i] - (xs[i] - 1)),
  ) as unknown as Axes;
  const wStrides = axesOf(weight.strides, 0);
  const bytes = bytesOf(out.dtype);
  const P = ps[0] * ps[1] * ps[2];
  const xAt = address(x, backend);
  const weights: Weights = {
    at: address(weight, backend),
    dtype: weight.dtype,
    group: weight.strides[0] * M,
    row: weight.strides[0],
    channel: weight.strides[1],
    tap: wStrides,
  };
  const b = biasAt(backend, bias);
  inComputeType(out, (to) => {
    const images = out.sizes[0];
    const chunk = imagesAtOnce(images, paddedElements(x, padding, high) * bytes);
    for (let n = 0; n < images; n += chunk) {
      const count = Math.min(chunk, images - n);
      const source = padded(backend, x, xAt, n, count, padding, high);
      const { step } = source;
      const shape: Product = { images: count, groups, M, channels, taps: ts, positions: ps };
      const row = P * bytes;
      const target: Target = {
        at: to + n * out.sizes[1] * row,
        image: out.sizes[1] * row,
        row,
        step: [ps[1] * ps[2] * bytes, ps[2] * bytes, bytes],
      };
      multiply(
        backend,
        out.dtype,
        shape,
        target,
        source,
        0,
        [step[0] * stride[0], step[1] * stride[1], step[2] * stride[2]],
        [step[0] * dilation[0], step[1] * dilation[1], step[2] * dilation[2]],
        weights,
        b === null ? 0 : b.at,
      );
      giveBack(backend, source);
    }
  });
  giveBack(backend, b);
}

/**
 * The gradient of `conv`'s input; also the transposed convolution of `grad`.
 * out[n, c, y] = bias[c] + sum over o, t with p * stride + t * dilation - padding = y of weight[o, c, t] * grad[n, o, p].
 *
 * @param out [N, C, …], contiguous
 * @param grad [N, O, …], any strides
 * @param weight [O, C / groups, …], any strides
 * @param bias [C]
 */
export function convInput(out: Operand, grad: Operand, weight: Operand, bias: Operand | null, g: ConvGeometry): void {
  if (out.length === 0) return;
  const backend = (out.storage as Storage).backend;
  const { groups } = g;
  const [ys, gs, ts] = [axesOf(out.sizes, 1), axesOf(grad.sizes, 1), axesOf(weight.sizes, 1)];
  const M = weight.sizes[1];
  const channels = weight.sizes[0] / groups;
  const phases = [0, 1, 2].map((i) => phasesOf(ys[i], ts[i], g.stride[i], g.padding[i], g.dilation[i]));
  const low = [0, 1, 2].map((i) => Math.max(0, -Math.min(0, ...phases[i].map((p) => p.least)))) as unknown as Axes;
  const high = [0, 1, 2].map((i) => Math.max(0, ...phases[i].map((p) => p.most - (gs[i] - 1)))) as unknown as Axes;
  const wStrides = axesOf(weight.strides, 0);
  const bytes = bytesOf(out.dtype);
  const size = ys[0] * ys[1] * ys[2];
  const gAt = address(grad, backend);
  const wAt = address(weight, backend);
  const b = biasAt(backend, bias);
  inComputeType(out, (to) => {
    const images = out.sizes[0];
    const chunk = imagesAtOnce(images, paddedElements(grad, low, high) * bytes);
    for (let n = 0; n < images; n += chunk) {
      const count = Math.min(chunk, images - n);
      const source = padded(backend, grad, gAt, n, count, low, high);
      const { step } = source;
      for (const d of phases[0]) {
        for (const h of phases[1]) {
          for (const w of phases[2]) {
            const at: readonly Taps[] = [d, h, w];
            // A phase that no tap reaches is a sum over nothing: zeros, or the bias.
            let base = 0;
            let first = 0;
            let from = wAt;
            at.forEach((p, i) => {
              base += (p.base + low[i]) * step[i];
              first += p.phase * strideIn(ys, i) * bytes;
              from += p.first * wStrides[i] * weight.dtype.itemsize;
            });
            const shape: Product = {
              images: count,
              groups,
              M,
              channels,
              taps: [d.taps, h.taps, w.taps],
              positions: [d.positions, h.positions, w.positions],
            };
            const row = size * bytes;
            const target: Target = {
              at: to + n * out.sizes[1] * row + first,
              image: out.sizes[1] * row,
              row,
              step: [0, 1, 2].map((i) => g.stride[i] * strideIn(ys, i) * bytes) as unknown as Axes,
            };
            const weights: Weights = {
              at: from,
              dtype: weight.dtype,
              group: weight.strides[0] * channels,
              row: weight.strides[1],
              channel: weight.strides[0],
              tap: at.map((p, i) => p.every * wStrides[i]) as unknown as Axes,
            };
            const tap = at.map((p, i) => -p.back * step[i]) as unknown as Axes;
            multiply(backend, out.dtype, shape, target, source, base, step, tap, weights, b === null ? 0 : b.at);
          }
        }
      }
      giveBack(backend, source);
    }
  });
  giveBack(backend, b);
}

/** Elements from one place along an axis to the next, in a contiguous array of these sizes. */
function strideIn(sizes: Axes, axis: number): number {
  return axis === 2 ? 1 : axis === 1 ? sizes[2] : sizes[1] * sizes[2];
}

/**
 * The gradient of `conv`'s weight.
 * out[o, c, t] = sum over n, p of grad[n, o, p] * x[n, c, p * stride + t * dilation - padding].
 *
 * @param out [O, C / groups, …], contiguous
 * @param grad [N, O, …], any strides
 * @param x [N, C, …], any strides
 */
export function convWeight(out: Operand, grad: Operand, x: Operand, g: ConvGeometry): void {
  if (out.length === 0) return;
  if (grad.length === 0) {
    fill(out, 0);
    return;
  }
  const backend = (out.storage as Storage).backend;
  const { stride, padding, dilation, groups } = g;
  const [xs, ps, ts] = [axesOf(x.sizes, 1), axesOf(grad.sizes, 1), axesOf(out.sizes, 1)];
  const high = [0, 1, 2].map((i) =>
    Math.max(0, (ps[i] - 1) * stride[i] + (ts[i] - 1) * dilation[i] - padding[i] - (xs[i] - 1)),
  ) as unknown as Axes;
  const M = out.sizes[0] / groups;
  const channels = out.sizes[1];
  const K = channels * ts[0] * ts[1] * ts[2];
  const P = ps[0] * ps[1] * ps[2];
  const bytes = bytesOf(out.dtype);
  const type = typeIndex(out.dtype);
  const images = x.sizes[0];
  const xAt = address(x, backend);
  const gAt = address(grad, backend);
  const gStrides = axesOf(grad.strides, 0);
  const dense =
    out.dtype.itemsize >= 4 &&
    (ps[2] === 1 || gStrides[2] === 1) &&
    (ps[1] === 1 || gStrides[1] === ps[2]) &&
    (ps[0] === 1 || gStrides[0] === ps[1] * ps[2]);
  const each = paddedElements(x, padding, high) * bytes;
  const chunk = imagesAtOnce(images, each + (dense ? 0 : out.sizes[0] * P * bytes));
  const pieces = Math.ceil(P / POSITIONS);
  inComputeType(out, (to) => {
    // Every chunk of images has parts of its own; all are added at the end.
    const chunks = Math.ceil(images / chunk);
    const total = out.length * bytes;
    const inParts = total <= convTuning.partBytes;
    const parts = inParts ? Math.min(convTuning.parts, Math.min(chunk, images) * pieces) : 1;
    const slots = parts * chunks;
    const partial = slots > 1 ? backend.allocate(slots * total) : 0;
    let used = 0;
    for (let n = 0; n < images; n += chunk) {
      const count = Math.min(chunk, images - n);
      const source = padded(backend, x, xAt, n, count, padding, high);
      const { step } = source;
      const gradient = padded(backend, grad, gAt, n, count, ZEROS, ZEROS, !dense);
      const kTable = table(backend, channels, ts, source.channel, [
        step[0] * dilation[0],
        step[1] * dilation[1],
        step[2] * dilation[2],
      ]);
      const perSlot = Math.ceil((count * pieces) / parts);
      const here = Math.ceil((count * pieces) / perSlot);
      // Without parts, threads share the work by columns.
      const kStep = parts >= ENOUGH / 2 ? K : 64;
      const kBlocks = Math.ceil(K / kStep);
      const scratchBytes = THREAD_SLOTS * CONV_SCRATCH;
      const scratch = backend.allocate(scratchBytes);
      const work = perSlot * Math.min(P, POSITIONS) * M * Math.min(K, kStep);
      const k = backend.begin(WEIGHT[type], CONV_WEIGHT.count, Math.max(1, Math.floor(GRAIN / Math.max(1, work))));
      const { words } = backend;
      words[k + CONV_WEIGHT.begin] = 0;
      words[k + CONV_WEIGHT.end] = here * groups * kBlocks;
      words[k + CONV_WEIGHT.out] = slots > 1 ? partial + used * total : to;
      words[k + CONV_WEIGHT.outSlot] = total;
      words[k + CONV_WEIGHT.outGroup] = M * K * bytes;
      words[k + CONV_WEIGHT.outRow] = K * bytes;
      words[k + CONV_WEIGHT.grad] = gradient.at;
      words[k + CONV_WEIGHT.gradImage] = gradient.image;
      words[k + CONV_WEIGHT.gradGroup] = gradient.channel * M;
      words[k + CONV_WEIGHT.gradRow] = gradient.channel;
      words[k + CONV_WEIGHT.x] = source.at;
      words[k + CONV_WEIGHT.xImage] = source.image;
      words[k + CONV_WEIGHT.xGroup] = source.channel * channels;
      for (let i = 0; i < 3; i++) words[k + CONV_WEIGHT.xStep + i] = step[i] * stride[i];
      words[k + CONV_WEIGHT.kTable] = kTable;
      words[k + CONV_WEIGHT.M] = M;
      words[k + CONV_WEIGHT.K] = K;
      words[k + CONV_WEIGHT.P] = P;
      words[k + CONV_WEIGHT.height] = ps[1];
      words[k + CONV_WEIGHT.width] = ps[2];
      words[k + CONV_WEIGHT.groups] = groups;
      words[k + CONV_WEIGHT.kStep] = kStep;
      words[k + CONV_WEIGHT.kBlocks] = kBlocks;
      words[k + CONV_WEIGHT.pieces] = pieces;
      words[k + CONV_WEIGHT.total] = count * pieces;
      words[k + CONV_WEIGHT.perSlot] = perSlot;
      words[k + CONV_WEIGHT.scratch] = scratch;
      backend.submit();
      backend.free(scratch, scratchBytes);
      backend.free(kTable, K * 4);
      giveBack(backend, gradient);
      giveBack(backend, source);
      used += here;
    }
    if (slots > 1) {
      const at = backend.begin(SUM[type], 6, 32768);
      const { words } = backend;
      words[at] = 0;
      words[at + 1] = out.length;
      words[at + 2] = to;
      words[at + 3] = partial;
      words[at + 4] = total;
      words[at + 5] = used;
      backend.submit();
      backend.free(partial, slots * total);
    }
  });
}
