/**
 * Bilinear interpolation of uint8 images, as PyTorch does it: an axis at a time, the last first, each rounded to uint8, with
 * weights of 16 bits in fixed point. Of integers, so without a gradient.
 */
import { int32, uint8 } from '../core/dtype.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { tensorFromData } from './from-data.ts';

/** One axis: how many elements it gets, and how many old elements a new one is wide. */
export interface ByteStep {
  readonly axis: number;
  readonly size: number;
  readonly scale: number;
  readonly align: boolean;
}

/** The most bits after the point with which the largest weight still fits 16 bits with a sign. */
function precisionFor(largest: number): number {
  let bits = 0;
  while (bits < 22 && Math.floor(0.5 + largest * 2 ** (bits + 1)) < 2 ** 15) bits++;
  return bits;
}

function along(x: Tensor, { axis, size, scale, align }: ByteStep): Tensor {
  const last = x.sizes[axis] - 1;
  const below = new Int32Array(size);
  const above = new Int32Array(size);
  const weights = new Float64Array(size);
  let largest = 0;
  for (let i = 0; i < size; i++) {
    const at = align ? i * scale : Math.max(0, (i + 0.5) * scale - 0.5);
    below[i] = Math.min(Math.floor(at), last);
    above[i] = Math.min(below[i] + 1, last);
    weights[i] = Math.min(Math.max(at - below[i], 0), 1);
    largest = Math.max(largest, weights[i], 1 - weights[i]);
  }
  const bits = precisionFor(largest);
  const fixed = (values: Float64Array) => Int32Array.from(values, (w) => Math.floor(0.5 + w * 2 ** bits));
  const rest = weights.map((w) => 1 - w);
  const shape = x.sizes.map((_, d) => (d === axis ? size : 1));
  const here = (data: Int32Array) => tensorFromData(data, int32, x.storage.backend);
  const side = (index: Int32Array, weight: Float64Array) =>
    x
      .index_select(axis, here(index))
      .to(int32)
      .mul(here(fixed(weight)).view(shape));
  const sum = side(below, rest)
    .add(side(above, weights))
    .add(2 ** (bits - 1));
  return sum.bitwise_right_shift(bits).clamp(0, 255).to(uint8);
}

export function bilinearBytes(input: Tensor, steps: readonly ByteStep[]): Tensor {
  let x = input;
  for (const step of steps) if (step.size !== x.sizes[step.axis]) x = along(x, step);
  return x === input ? input.clone() : x;
}
