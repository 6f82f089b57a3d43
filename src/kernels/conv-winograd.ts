/** Builder of 3x3 convolutions of stride 1 by Winograd's F(2x2, 3x3): when it pays, and its launches. */
import { DTYPES, float32 } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { convTuning, ENOUGH, GRAIN, giveBack, imagesAtOnce, padded, TILE_ROWS, type Weights } from './conv-parts.ts';
import { type Axes, axesOf, type ConvGeometry } from './conv-plan.ts';
import { nativeGemm } from './native/blas.ts';
import { registerKernel } from './registry.ts';
import { winogradTile, winogradWeights } from './wasm/conv-winograd.ts';
import { WINOGRAD, WINOGRAD_WEIGHT } from './wasm/conv-words.ts';
import { THREAD_SLOTS } from './wasm/thread-slot.ts';

const TILE = registerKernel(winogradTile, 'conv.winograd.f32');
const WEIGHTS = registerKernel(() => winogradWeights(DTYPES[float32.index]), 'conv.winograd.weights.f32');

/** Places of a transformed patch. */
export const PLACES = 16;
/** Outputs of a vector of four tiles. */
const VECTOR = 16;
/** Panels of a block: what a thread works on should stay in its second cache. */
const PANELS = 1;
/** Fewer channels than this do not pay for the transformations. */
const LEAST = 16;
/** More channels (of input and output together) than this need too much scratch. */
const MOST = 1024;

/**
 * Whether a convolution of x (or, going back, of a gradient) is better done so: float32, one group, 3x3 windows of
 * stride 1 side by side, enough channels, and images whose tiles fill the vectors.
 *
 * @param out [N, M, H, W]
 */
export function winogradSuits(out: Operand, x: Operand, weight: Operand, g: ConvGeometry): boolean {
  if (convTuning.winograd === 'never' || out.dtype !== float32 || out.sizes.length !== 4 || g.groups !== 1)
    return false;
  const taps = axesOf(weight.sizes, 1);
  if (taps[1] !== 3 || taps[2] !== 3) return false;
  for (let i = 1; i < 3; i++) if (g.stride[i] !== 1 || g.dilation[i] !== 1 || g.padding[i] > 2) return false;
  const [, M, height, width] = out.sizes;
  const channels = x.sizes[1];
  if (x.length === 0 || channels + M > MOST) return false;
  if (convTuning.winograd === 'always') return true;
  if (channels < LEAST || M < LEAST) return false;
  const positions = height * width;
  if (positions >= convTuning.nativePositions && nativeGemm(M * channels * 9 * positions)?.library.wide) return false;
  const { down, across } = vectorsOf(height, width);
  const done = down * across * VECTOR;
  return positions >= 0.7 * done && out.sizes[0] * done >= 32 * VECTOR;
}

/** How vectors of tiles cover an image. */
export interface Vectors {
  /** Whether the four tiles of a vector lie two by two rather than side by side. */
  readonly square: boolean;
  readonly down: number;
  readonly across: number;
  /** Lines and columns that they cover. */
  readonly height: number;
  readonly width: number;
}

/** The fewest vectors that cover an image. */
export function vectorsOf(height: number, width: number): Vectors {
  const cover = (square: boolean): Vectors => {
    const [lines, columns] = square ? [4, 4] : [2, 8];
    const [down, across] = [Math.ceil(height / lines), Math.ceil(width / columns)];
    return { square, down, across, height: down * lines, width: across * columns };
  };
  const [wide, square] = [cover(false), cover(true)];
  return square.down * square.across < wide.down * wide.across ? square : wide;
}

/** How many zeros stand after the last input, so that every vector reads whole patches. */
export function zerosAfter({ height, width }: Vectors, x: Operand, low: Axes): Axes {
  return [0, Math.max(0, height + 2 - low[1] - x.sizes[2]), Math.max(0, width + 2 - low[2] - x.sizes[3])];
}

/**
 * out[n, m, p] = bias[m] + sum over c, t of weight[m, c, t] * x[n, c, p + t - low]; `turned`: with the taps in the
 * opposite order.
 *
 * @param to where `out` lies
 * @param at where `x` lies
 * @param low how many zeros stand before the first input
 * @param bias the address of M float32 side by side; 0: none
 */
export function winograd(
  to: number,
  out: Operand,
  x: Operand,
  at: number,
  weights: Weights,
  turned: boolean,
  low: Axes,
  bias: number,
): void {
  const backend = (out.storage as Storage).backend;
  const [images, M, height, width] = out.sizes;
  const channels = x.sizes[1];
  const covered = vectorsOf(height, width);
  const { down, across } = covered;
  const high = zerosAfter(covered, x, low);
  const strips = Math.ceil(M / TILE_ROWS);
  const weightBytes = PLACES * strips * TILE_ROWS * channels * 4;
  const a = backend.allocate(weightBytes);
  const { tap } = weights;
  const first = turned ? 2 * (tap[1] + tap[2]) : 0;
  const sign = turned ? -4 : 4;
  let k = backend.begin(WEIGHTS, WINOGRAD_WEIGHT.count, Math.max(1, Math.floor(2048 / channels)));
  let { words } = backend;
  words[k + WINOGRAD_WEIGHT.begin] = 0;
  words[k + WINOGRAD_WEIGHT.end] = strips;
  words[k + WINOGRAD_WEIGHT.to] = a;
  words[k + WINOGRAD_WEIGHT.from] = weights.at + first * 4;
  words[k + WINOGRAD_WEIGHT.strips] = strips;
  words[k + WINOGRAD_WEIGHT.M] = M;
  words[k + WINOGRAD_WEIGHT.channels] = channels;
  words[k + WINOGRAD_WEIGHT.row] = weights.row * 4;
  words[k + WINOGRAD_WEIGHT.channel] = weights.channel * 4;
  words[k + WINOGRAD_WEIGHT.down] = tap[1] * sign;
  words[k + WINOGRAD_WEIGHT.across] = tap[2] * sign;
  backend.submit();

  const scratchBytes = PLACES * PANELS * 32 * (channels + strips * TILE_ROWS);
  const scratch = backend.allocate(THREAD_SLOTS * scratchBytes);
  const each = channels * (x.sizes[2] + low[1] + high[1]) * (x.sizes[3] + low[2] + high[2]) * 4;
  const chunk = imagesAtOnce(images, each);
  for (let n = 0; n < images; n += chunk) {
    const count = Math.min(chunk, images - n);
    // Lines must be contiguous; anything else is copied.
    const source = padded(backend, x, at, n, count, low, high, x.strides[3] !== 1 && x.sizes[3] > 1);
    const vectors = count * down * across;
    const blocks = Math.ceil(vectors / (2 * PANELS));
    let mStep = strips * TILE_ROWS;
    const wanted = Math.ceil(ENOUGH / blocks);
    if (wanted > 1) mStep = Math.max(TILE_ROWS, Math.ceil(M / wanted / TILE_ROWS) * TILE_ROWS);
    const mBlocks = Math.ceil(M / mStep);
    const work = PLACES * 2 * PANELS * 4 * Math.min(M, mStep) * channels;
    k = backend.begin(TILE, WINOGRAD.count, Math.max(1, Math.floor(GRAIN / work)));
    words = backend.words;
    words[k + WINOGRAD.begin] = 0;
    words[k + WINOGRAD.end] = blocks * mBlocks;
    words[k + WINOGRAD.out] = to + n * M * height * width * 4;
    words[k + WINOGRAD.outImage] = M * height * width * 4;
    words[k + WINOGRAD.outRow] = height * width * 4;
    words[k + WINOGRAD.outLine] = width * 4;
    words[k + WINOGRAD.outHeight] = height;
    words[k + WINOGRAD.outWidth] = width;
    words[k + WINOGRAD.x] = source.at;
    words[k + WINOGRAD.xImage] = source.image;
    words[k + WINOGRAD.xChannel] = source.channel;
    words[k + WINOGRAD.xLine] = source.step[1];
    words[k + WINOGRAD.a] = a;
    words[k + WINOGRAD.bias] = bias;
    words[k + WINOGRAD.M] = M;
    words[k + WINOGRAD.channels] = channels;
    words[k + WINOGRAD.vectors] = vectors;
    words[k + WINOGRAD.vectorsDown] = down;
    words[k + WINOGRAD.vectorsAcross] = across;
    words[k + WINOGRAD.panels] = PANELS;
    words[k + WINOGRAD.mStep] = mStep;
    words[k + WINOGRAD.mBlocks] = mBlocks;
    words[k + WINOGRAD.scratch] = scratch;
    words[k + WINOGRAD.scratchBytes] = scratchBytes;
    words[k + WINOGRAD.square] = covered.square ? 1 : 0;
    backend.submit();
    giveBack(backend, source);
  }
  backend.free(scratch, THREAD_SLOTS * scratchBytes);
  backend.free(a, weightBytes);
}
