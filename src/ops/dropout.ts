/**
 * Dropout: of elements, of whole channels, and the alpha forms that keep mean and variance for selu. As in PyTorch they
 * are made of other ops: noise from `bernoulli_`, and a product with it.
 */
import { mode } from '../autograd/mode.ts';
import { RuntimeError } from '../core/errors.ts';
import * as kernels from '../kernels/random.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { emptyLike } from './creation.ts';
import { real, stateOf } from './random.ts';
import { define } from './registry.ts';

/** What selu goes to far below 0, its sign turned: scale * alpha. */
const SATURATION = 1.7580993408473766;

interface Form {
  /** One draw for each channel: dimensions 0 and 1. */
  channels: boolean;
  /** Dropped elements get selu's lowest value, and all are scaled and shifted to the mean and variance of before. */
  alpha: boolean;
  inplace: boolean;
}

/** 1 with probability p, 0 otherwise, for each element of x or for each of its channels. */
function keep(x: Tensor, p: number, channels: boolean): Tensor {
  let noise: Tensor;
  if (channels) {
    if (x.sizes.length < 2) throw new RuntimeError('Feature dropout requires at least 2 dimensions in the input');
    const sizes = x.sizes.map((size, i) => (i < 2 ? size : 1));
    noise = emptyTensor(x.storage.backend, sizes, x.dtype);
  } else noise = emptyLike(x, null, null);
  if (real(noise)) kernels.bernoulli(noise, stateOf(noise.storage.backend, null), p);
  if (mode.inference) noise.flags |= FLAG_INFERENCE;
  return noise;
}

export function dropout(input: Tensor, p: number, train: boolean, { channels, alpha, inplace }: Form): Tensor {
  if (!(p >= 0 && p <= 1)) {
    throw new RuntimeError(`dropout probability has to be between 0 and 1, but got ${p}`);
  }
  if (!train || p === 0 || input.length === 0) return input;
  const scaled = (by: Tensor) => (inplace ? input.mul_(by) : input.mul(by));
  if (p === 1) return scaled(input.new_zeros([]));
  const noise = keep(input, 1 - p, channels);
  if (!alpha) return scaled(noise.div_(1 - p));
  const a = 1 / Math.sqrt((SATURATION * SATURATION * p + 1) * (1 - p));
  const shift = noise
    .add(-1)
    .mul_(SATURATION * a)
    .add_(SATURATION * a * p);
  return scaled(noise.mul_(a)).add_(shift);
}

const DOCS = {
  dropout: 'During training zeroes elements with probability p and scales the others by 1 / (1 - p).',
  feature_dropout: 'During training zeroes channels (of dimensions 0 and 1) with probability p and scales the others.',
  alpha_dropout: 'During training drops elements to the lowest value of selu, and keeps mean and variance.',
  feature_alpha_dropout: 'During training drops channels to the lowest value of selu, and keeps mean and variance.',
} as const;

for (const [name, doc] of Object.entries(DOCS)) {
  for (const inplace of [false, true]) {
    const form = { channels: name.startsWith('feature'), alpha: name.includes('alpha'), inplace };
    const [self, mark, suffix] = inplace ? ['Tensor(a!)', '(a!)', '_'] : ['Tensor', '', ''];
    define(
      { doc, method: false, function: true },
      {
        [`${name}${suffix}(${self} input, float p, bool train) -> Tensor${mark}`]: (
          input: Tensor,
          p: number,
          train: boolean,
        ) => dropout(input, p, train, form),
      },
    );
  }
}
