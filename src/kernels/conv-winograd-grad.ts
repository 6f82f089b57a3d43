/** Builder of the weight's gradient of 3x3 convolutions of stride 1 by Winograd's way: its launches. */
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { convTuning, ENOUGH, GRAIN, giveBack, imagesAtOnce, padded, TILE_ROWS, ZEROS } from './conv-parts.ts';
import type { Axes } from './conv-plan.ts';
import { PLACES, vectorsOf, zerosAfter } from './conv-winograd.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { WINOGRAD_GRAD, WINOGRAD_GRAD_SUM } from './wasm/conv-words.ts';
import { GRAD_BLOCK, GRAD_SCRATCH, GRAD_VECTORS, winogradGrad, winogradGradSum } from './wasm/conv-winograd-grad.ts';
import { THREAD_SLOTS } from './wasm/thread-slot.ts';

const GRAD = registerKernel(winogradGrad, 'conv_weight_backward.winograd.f32');
const SUM = registerKernel(winogradGradSum, 'conv_weight_backward.winograd.sum.f32');

/**
 * out[m, c, t] = sum over n, p of grad[n, m, p] * x[n, c, p + t - low]. Where `winogradSuits`.
 *
 * @param out [M, C, 3, 3], contiguous
 * @param low how many zeros stand before the first input
 */
export function winogradWeightGrad(out: Operand, grad: Operand, x: Operand, low: Axes): void {
  const backend = (out.storage as Storage).backend;
  const [xAt, gAt, to] = [address(x, backend), address(grad, backend), outAddress(out, backend)];
  const [images, M, height, width] = grad.sizes;
  const channels = x.sizes[1];
  const covered = vectorsOf(height, width);
  const { down, across } = covered;
  // Every vector reads whole tiles, and whole patches.
  const around: Axes = [0, covered.height - height, covered.width - width];
  const high = zerosAfter(covered, x, low);
  const [mBlocks, cBlocks] = [Math.ceil(M / GRAD_BLOCK), Math.ceil(channels / GRAD_BLOCK)];
  const rowBytes = Math.ceil(channels / 8) * 32;
  const placeBytes = Math.ceil(M / TILE_ROWS) * TILE_ROWS * rowBytes;
  const partBytes = PLACES * placeBytes;
  const each =
    (channels * (x.sizes[2] + low[1] + high[1]) * (x.sizes[3] + low[2] + high[2]) +
      M * covered.height * covered.width) *
    4;
  const chunk = imagesAtOnce(images, each);
  const chunks = Math.ceil(images / chunk);
  const wanted = Math.max(1, Math.min(convTuning.parts, Math.ceil(ENOUGH / (mBlocks * cBlocks))));
  const perPart = Math.ceil((chunk * down * across) / wanted / GRAD_VECTORS) * GRAD_VECTORS;
  const parts = Math.ceil((chunk * down * across) / perPart);
  const partial = backend.allocate(parts * chunks * partBytes);
  const scratch = backend.allocate(THREAD_SLOTS * GRAD_SCRATCH);
  let used = 0;
  for (let n = 0; n < images; n += chunk) {
    const count = Math.min(chunk, images - n);
    // Lines must be contiguous; anything else is copied.
    const source = padded(backend, x, xAt, n, count, low, high, x.strides[3] !== 1 && x.sizes[3] > 1);
    const gradient = padded(backend, grad, gAt, n, count, ZEROS, around, grad.strides[3] !== 1 && width > 1);
    const vectors = count * down * across;
    const here = Math.ceil(vectors / perPart);
    const work = PLACES * 4 * perPart * Math.min(M, GRAD_BLOCK) * Math.min(channels, GRAD_BLOCK);
    const k = backend.begin(GRAD, WINOGRAD_GRAD.count, Math.max(1, Math.floor(GRAIN / work)));
    const { words } = backend;
    words[k + WINOGRAD_GRAD.begin] = 0;
    words[k + WINOGRAD_GRAD.end] = here * mBlocks * cBlocks;
    words[k + WINOGRAD_GRAD.out] = partial + used * partBytes;
    words[k + WINOGRAD_GRAD.outPart] = partBytes;
    words[k + WINOGRAD_GRAD.outPlace] = placeBytes;
    words[k + WINOGRAD_GRAD.outRow] = rowBytes;
    words[k + WINOGRAD_GRAD.grad] = gradient.at;
    words[k + WINOGRAD_GRAD.gradImage] = gradient.image;
    words[k + WINOGRAD_GRAD.gradChannel] = gradient.channel;
    words[k + WINOGRAD_GRAD.gradLine] = gradient.step[1];
    words[k + WINOGRAD_GRAD.x] = source.at;
    words[k + WINOGRAD_GRAD.xImage] = source.image;
    words[k + WINOGRAD_GRAD.xChannel] = source.channel;
    words[k + WINOGRAD_GRAD.xLine] = source.step[1];
    words[k + WINOGRAD_GRAD.M] = M;
    words[k + WINOGRAD_GRAD.channels] = channels;
    words[k + WINOGRAD_GRAD.vectors] = vectors;
    words[k + WINOGRAD_GRAD.perPart] = perPart;
    words[k + WINOGRAD_GRAD.vectorsDown] = down;
    words[k + WINOGRAD_GRAD.vectorsAcross] = across;
    words[k + WINOGRAD_GRAD.mBlocks] = mBlocks;
    words[k + WINOGRAD_GRAD.cBlocks] = cBlocks;
    words[k + WINOGRAD_GRAD.scratch] = scratch;
    words[k + WINOGRAD_GRAD.scratchBytes] = GRAD_SCRATCH;
    words[k + WINOGRAD_GRAD.square] = covered.square ? 1 : 0;
    backend.submit();
    giveBack(backend, gradient);
    giveBack(backend, source);
    used += here;
  }
  backend.free(scratch, THREAD_SLOTS * GRAD_SCRATCH);
  const k = backend.begin(SUM, WINOGRAD_GRAD_SUM.count, Math.max(1, Math.floor(32768 / (PLACES * used * channels))));
  const { words } = backend;
  words[k + WINOGRAD_GRAD_SUM.begin] = 0;
  words[k + WINOGRAD_GRAD_SUM.end] = M;
  words[k + WINOGRAD_GRAD_SUM.to] = to;
  words[k + WINOGRAD_GRAD_SUM.from] = partial;
  words[k + WINOGRAD_GRAD_SUM.parts] = used;
  words[k + WINOGRAD_GRAD_SUM.part] = partBytes;
  words[k + WINOGRAD_GRAD_SUM.place] = placeBytes;
  words[k + WINOGRAD_GRAD_SUM.row] = rowBytes;
  words[k + WINOGRAD_GRAD_SUM.channels] = channels;
  backend.submit();
  backend.free(partial, parts * chunks * partBytes);
}
