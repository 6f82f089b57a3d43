/**
 * Builder of convolution launches over one to three axes: forward pass, gradient of the input (which is also the
 * transposed convolution) and gradient of the weight. Shape and dtype rules are the operations'. Float dtypes; half
 * types are multiplied and summed in float32 and rounded once.
 *
 * Every element of a result is summed by one thread in an order that depends on the shapes alone.
 */
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { numThreads } from '../devices/threads.ts';
import {
  biasAt,
  bytesOf,
  convTuning,
  ENOUGH,
  GRAIN,
  giveBack,
  imagesAtOnce,
  inComputeType,
  multiply,
  type Product,
  padded,
  paddedElements,
  type Target,
  table,
  typeIndex,
  type Weights,
  ZEROS,
} from './conv-parts.ts';
import { type Axes, axesOf, type ConvGeometry, phasesOf, type Taps } from './conv-plan.ts';
import { winograd, winogradSuits } from './conv-winograd.ts';
import { winogradWeightGrad } from './conv-winograd-grad.ts';
import { fill } from './copy.ts';
import { blasTuning } from './native/blas.ts';
import { columnsInPlace, nativeConv, positionsOf } from './native/conv.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { COLUMNS } from './wasm/conv-columns.ts';
import { convSumSlots, convWeightGrad } from './wasm/conv-weight-grad.ts';
import { CONV_SCRATCH, CONV_WEIGHT, POSITIONS } from './wasm/conv-words.ts';
import { THREAD_SLOTS } from './wasm/thread-slot.ts';

export { type ConvGeometry, convTuning };

const WEIGHT = (['f32', 'f64'] as const).map((type) =>
  registerKernel(() => convWeightGrad(type), `conv_weight_backward.${type}`),
);
const SUM = (['f32', 'f64'] as const).map((type) => registerKernel(() => convSumSlots(type), `conv.sum.${type}`));

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
  if (winogradSuits(out, x, weight, g)) {
    winograd(outAddress(out, backend), out, x, xAt, weights, false, padding, b === null ? 0 : b.at);
    giveBack(backend, b);
    return;
  }
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
  if (winogradSuits(out, grad, weight, g)) {
    const turned: Weights = {
      at: wAt,
      dtype: weight.dtype,
      group: 0,
      row: weight.strides[1],
      channel: weight.strides[0],
      tap: wStrides,
    };
    const around: Axes = [0, 2 - g.padding[1], 2 - g.padding[2]];
    winograd(outAddress(out, backend), out, grad, gAt, turned, true, around, b === null ? 0 : b.at);
    giveBack(backend, b);
    return;
  }
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
  if (winogradSuits(grad, x, out, g)) {
    winogradWeightGrad(out, grad, x, g.padding);
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
  // A library reads rows that lie apart, and not one row for all.
  const native = dense && grad.strides[1] < P ? null : nativeConv(M, K, P);
  const positions = native === null ? POSITIONS : positionsOf(K, P, bytes);
  const pieces = Math.ceil(P / positions);
  const each = paddedElements(x, padding, high) * bytes;
  const chunk = imagesAtOnce(images, each + (dense ? 0 : out.sizes[0] * P * bytes));
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
      let kStep = parts >= ENOUGH / 2 ? K : 64;
      if (native !== null) kStep = parts >= numThreads ? K : Math.ceil(K / numThreads / 16) * 16;
      const kBlocks = Math.ceil(K / kStep);
      const spread = [step[0] * stride[0], step[1] * stride[1], step[2] * stride[2]] as const;
      const inPlace = native === null ? 0 : columnsInPlace(ts, ps, spread, source.channel, bytes);
      const threadBytes = native === null ? CONV_SCRATCH : inPlace ? 0 : Math.min(K, kStep) * positions * bytes;
      const scratchBytes = THREAD_SLOTS * threadBytes;
      const scratch = backend.allocate(scratchBytes);
      const work = perSlot * Math.min(P, positions) * M * Math.min(K, kStep);
      const k = backend.begin(
        native === null ? WEIGHT[type] : native.weight[type],
        native === null ? CONV_WEIGHT.count : COLUMNS.count,
        Math.max(1, Math.floor((native === null ? GRAIN : blasTuning.grain) / Math.max(1, work))),
      );
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
      for (let i = 0; i < 3; i++) words[k + CONV_WEIGHT.xStep + i] = spread[i];
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
      if (native !== null) {
        words[k + COLUMNS.inPlace] = inPlace;
        words[k + COLUMNS.positions] = positions;
        words[k + COLUMNS.scratchBytes] = threadBytes;
      }
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
