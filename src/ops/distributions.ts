/** Random numbers of given distributions: bernoulli, multinomial, normal, and the in-place draws that only fill. */

import { record } from '../autograd/record.ts';
import type { DeviceLike } from '../core/device.ts';
import { type DType, float64, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { broadcastSizes } from '../core/shape.ts';
import { multinomial as multinomialKernel } from '../kernels/multinomial.ts';
import * as kernels from '../kernels/random.ts';
import * as more from '../kernels/random-distributions.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { checkSizes, emptyLike } from './creation.ts';
import type { Generator } from './generator.ts';
import { finishNew } from './inplace.ts';
import { backendOf, dtypeOr, finishLeaf } from './options.ts';
import { wantsPinned } from './pinned.ts';
import { drawInto, randomInto, real, stateOf } from './random.ts';
import { define } from './registry.ts';

type Maybe<T> = T | null;

/** For each of the in-place draws: its parameters, and the launch. */
const DRAWS = {
  exponential_: ['float lambd=1', more.exponential, 'Numbers of an exponential distribution of rate lambd'],
  log_normal_: ['float mean=1, float std=2', more.logNormal, 'Numbers whose logarithms are normal'],
  cauchy_: ['float median=0, float sigma=1', more.cauchy, 'Numbers of a Cauchy distribution'],
  geometric_: ['float p', more.geometric, 'How many trials of probability p it takes to succeed'],
} as const;

for (const [name, [params, draw, what]] of Object.entries(DRAWS)) {
  const node = `${name
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')}Backward0`;
  const two = params.includes(',');
  const fill = (self: Tensor, first: number, second: number, g: Maybe<Generator>) =>
    drawInto(self, node, (state) => (draw as typeof more.cauchy)(self, state, first, second), g);
  define(
    { doc: `${what}, written into self.`, function: false },
    {
      [`${name}(Tensor(a!) self, ${params}, *, Generator? generator=None) -> Tensor(a!)`]: two
        ? fill
        : (self: Tensor, first: number, g: Maybe<Generator>) => fill(self, first, 0, g),
    },
  );
}

/** A contiguous tensor like self. */
function like(self: Tensor): Tensor {
  return emptyTensor(self.storage.backend, self.sizes, self.dtype);
}

const notImplemented = (): never => {
  throw new RuntimeError('derivative for aten::bernoulli is not implemented');
};

define(
  { doc: '1 with the probability that self has for the element (or with probability p), else 0.' },
  {
    'bernoulli(Tensor self, *, Generator? generator=None) -> Tensor': (self: Tensor, g: Maybe<Generator>) => {
      if (!self.dtype.is_floating_point) {
        throw new NotImplementedError(`"bernoulli_tensor_cpu_p_" not implemented for '${self.dtype.scalarTypeName}'`);
      }
      const out = like(self);
      if (real(out)) kernels.bernoulliTensor(out, stateOf(out.storage.backend, g), self);
      return record('BernoulliBackward0', finishNew(out, [self]), [self], [], ([grad]) =>
        grad!.new_zeros(grad!.sizes as number[]),
      );
    },
    'bernoulli(Tensor self, float p, *, Generator? generator=None) -> Tensor': (
      self: Tensor,
      p: number,
      g: Maybe<Generator>,
    ) => record('NotImplemented', like(self).bernoulli_(p, { generator: g }), [self], [], notImplemented),
  },
);

/** @throws RuntimeError for weights that are no distribution; waits for the device */
function checkWeights(self: Tensor): void {
  const valid = Number(self.max().item()) < Infinity && Number(self.min().item()) >= 0;
  if (!valid) throw new RuntimeError('probability tensor contains either `inf`, `nan` or element < 0');
  const nothing = self.sizes.length === 1 ? self.sum().eq(0) : self.sum(1).eq(0).any();
  if (nothing.item()) throw new RuntimeError('invalid multinomial distribution (sum of probabilities <= 0)');
}

define(
  {
    doc: 'Positions drawn with the probabilities that the weights (a vector, or rows) give them, num_samples per row. Waits for the device.',
  },
  {
    'multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor': (
      self: Tensor,
      count: number,
      replacement: boolean,
      g: Maybe<Generator>,
    ) => {
      const rank = self.sizes.length;
      if (rank === 0 || rank > 2) throw new RuntimeError('prob_dist must be 1 or 2 dim');
      if (!self.dtype.is_floating_point) {
        throw new RuntimeError(
          `multinomial only supports floating-point dtypes for input, got: ${self.dtype.scalarTypeName}`,
        );
      }
      if (count <= 0) throw new RuntimeError('cannot sample n_sample <= 0 samples');
      const categories = self.sizes[rank - 1];
      if (!replacement && count > categories) {
        throw new RuntimeError('cannot sample n_sample > prob_dist.size(-1) samples without replacement');
      }
      if (categories > 2 ** 24) throw new RuntimeError('number of categories cannot exceed 2^24');
      const weights = self.detach();
      const { backend } = self.storage;
      const sizes = rank === 1 ? [count] : [self.sizes[0], count];
      if (self.length === 0) return emptyTensor(backend, sizes, int64);
      if (!real(self)) return emptyTensor(backend, sizes, int64);
      if (!replacement || count === 1) {
        checkWeights(weights);
        // The largest of p / q, q exponential: each is the largest with probability p.
        const q = emptyLike(self, null, null);
        more.exponential(q, stateOf(backend, g), 1);
        const scores = weights.div(q);
        q.storage.freeNow();
        const found = count === 1 ? scores.argmax(-1, true) : scores.topk(count).indices;
        scores.storage.freeNow();
        return finishNew(found, [self]);
      }
      const rows = rank === 1 ? weights.unsqueeze(0) : weights;
      const out = emptyTensor(backend, [rows.sizes[0], count], int64);
      const uniforms = emptyTensor(backend, out.sizes, float64);
      kernels.uniform(uniforms, stateOf(backend, g), 0, 1);
      multinomialKernel(out, rows, uniforms);
      uniforms.storage.freeNow();
      return finishNew(rank === 1 ? out.view(count) : out, [self]);
    },
  },
);

function checkDeviation(std: number): void {
  if (!(std >= 0)) throw new RuntimeError(`normal expects std >= 0.0, but found std ${std}`);
}

function checkDeviations(std: Tensor): void {
  if (std.length === 0 || !real(std)) return;
  if (!(Number(std.detach().min().item()) >= 0)) {
    throw new RuntimeError('normal expects all elements of std >= 0.0');
  }
}

/** Standard normal numbers in a contiguous tensor. */
function standard(sizes: readonly number[], of: Tensor, g: Maybe<Generator>, std = 1): Tensor {
  const out = emptyTensor(of.storage.backend, sizes, of.dtype);
  if (out.length > 0 && !of.dtype.is_floating_point) {
    throw new NotImplementedError(`"normal_kernel_cpu" not implemented for '${of.dtype.scalarTypeName}'`);
  }
  if (real(out)) kernels.normal(out, stateOf(out.storage.backend, g), 0, std);
  return out;
}

define(
  {
    doc: 'Normal numbers of given means and standard deviations: tensors, or numbers with a size.',
    method: false,
  },
  {
    'normal(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor': (
      mean: Tensor,
      std: Tensor,
      g: Maybe<Generator>,
    ) => {
      checkDeviations(std);
      const sizes = broadcastSizes(mean.sizes, std.sizes);
      const out = standard(sizes, mean, g).mul_(std.detach()).add_(mean.detach());
      const [a, b] = [mean.sizes, std.sizes];
      return record('NormalBackward3', finishNew(out, [mean, std]), [mean, std], [], ([grad], _saved, node) => [
        node.needs(0) ? grad!.new_zeros(a as number[]) : null,
        node.needs(1) ? grad!.new_zeros(b as number[]) : null,
      ]);
    },
    'normal(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor': (
      mean: Tensor,
      std: number,
      g: Maybe<Generator>,
    ) => {
      checkDeviation(std);
      const out = standard(mean.sizes, mean, g, std).add_(mean.detach());
      return record('NormalBackward1', finishNew(out, [mean]), [mean], [], ([grad]) =>
        grad!.new_zeros(grad!.sizes as number[]),
      );
    },
    'normal(float mean, Tensor std, *, Generator? generator=None) -> Tensor': (
      mean: number,
      std: Tensor,
      g: Maybe<Generator>,
    ) => {
      checkDeviations(std);
      const out = standard(std.sizes, std, g).mul_(std.detach()).add_(mean);
      return record('NormalBackward2', finishNew(out, [std]), [std], [], ([grad]) =>
        grad!.new_zeros(grad!.sizes as number[]),
      );
    },
    'normal(float mean, float std, int[] size, *, Generator? generator=None, dtype? dtype=None, device? device=None, bool requires_grad=False, bool pin_memory=False) -> Tensor':
      (
        mean: number,
        std: number,
        size: number[],
        g: Maybe<Generator>,
        dtype: Maybe<DType>,
        device: Maybe<DeviceLike>,
        requires_grad: boolean,
        pin_memory: boolean,
      ) => {
        const backend = backendOf(device);
        const out = emptyTensor(backend, checkSizes(size), dtypeOr(dtype), wantsPinned(backend, pin_memory));
        return finishLeaf(out.normal_(mean, std, { generator: g }), requires_grad);
      },
  },
);

const LIKE =
  '*, Generator? generator=None, dtype? dtype=None, device? device=None, bool requires_grad=False, bool pin_memory=False';

function randintLike(
  self: Tensor,
  low: number,
  high: number,
  g: Maybe<Generator>,
  dtype: Maybe<DType>,
  device: Maybe<DeviceLike>,
  requires_grad: boolean,
  pin_memory: boolean,
): Tensor {
  const out = emptyLike(self, dtype, device, pin_memory);
  return finishLeaf(randomInto(out, low, high, g), requires_grad);
}

define(
  { doc: "Whole numbers from low (0) up to, not including, high, in self's shape and dtype.", method: false },
  {
    [`randint_like(Tensor self, int high, ${LIKE}) -> Tensor`]: (
      self: Tensor,
      high: number,
      g: Maybe<Generator>,
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) => randintLike(self, 0, high, g, dtype, device, requires_grad, pin_memory),
    [`randint_like(Tensor self, int low, int high, ${LIKE}) -> Tensor`]: randintLike,
  },
);
