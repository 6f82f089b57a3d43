/** Random numbers: PyTorch's CPU numbers on every device. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import type { BackwardFunction } from '../autograd/record.ts';
import type { DeviceLike } from '../core/device.ts';
import { type DType, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import type { Backend } from '../devices/backend.ts';
import * as kernels from '../kernels/random.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { checkSizes, emptyLike } from './creation.ts';
import { defaultGenerator, type Generator } from './generator.ts';
import { checkOverlap } from './layout.ts';
import { backendOf, dtypeOr, finishLeaf } from './options.ts';
import { wantsPinned } from './pinned.ts';
import { define } from './registry.ts';
import { checkScalar } from './scalar-range.ts';

type Maybe<T> = T | null;

const OPTIONS =
  '*, Generator? generator=None, dtype? dtype=None, device? device=None, bool requires_grad=False, bool pin_memory=False';

export function stateOf(backend: Backend, generator: Maybe<Generator>): kernels.GeneratorState {
  const chosen = generator ?? defaultGenerator(backend);
  if (chosen.device !== backend.device) {
    throw new RuntimeError(
      `Expected a '${backend.device.type}' device type for generator but found '${chosen.device.type}'`,
    );
  }
  return chosen.state;
}

/** Does meta have numbers? No: it only has shapes. */
export const real = (x: Tensor) => x.storage.backend.device.type !== 'meta';

function needFloat(name: string, dtype: DType): void {
  if (!dtype.is_floating_point)
    throw new NotImplementedError(`"${name}" not implemented for '${dtype.scalarTypeName}'`);
}

const uniform = (x: Tensor, g: Maybe<Generator>) => {
  needFloat('check_uniform_bounds', x.dtype);
  if (real(x)) kernels.uniform(x, stateOf(x.storage.backend, g), 0, 1);
  return x;
};
const normal = (x: Tensor, g: Maybe<Generator>) => {
  if (x.length > 0) needFloat('normal_kernel_cpu', x.dtype);
  if (real(x)) kernels.normal(x, stateOf(x.storage.backend, g), 0, 1);
  return x;
};

for (const [name, doc, draw] of [
  ['rand', 'Uniform numbers in [0, 1)', uniform],
  ['randn', 'Normal numbers with mean 0 and variance 1', normal],
] as const) {
  define(
    { doc: `${doc}, of the given shape.` },
    {
      [`${name}(int... size, ${OPTIONS}) -> Tensor`]: (
        size: number[],
        generator: Maybe<Generator>,
        dtype: Maybe<DType>,
        device: Maybe<DeviceLike>,
        requires_grad: boolean,
        pin_memory: boolean,
      ) => {
        const backend = backendOf(device);
        const out = emptyTensor(backend, checkSizes(size), dtypeOr(dtype), wantsPinned(backend, pin_memory));
        return finishLeaf(draw(out, generator), requires_grad);
      },
    },
  );
  define(
    { doc: `${doc}, in self's shape.`, method: false },
    {
      [`${name}_like(Tensor self, ${OPTIONS}) -> Tensor`]: (
        self: Tensor,
        generator: Maybe<Generator>,
        dtype: Maybe<DType>,
        device: Maybe<DeviceLike>,
        requires_grad: boolean,
        pin_memory: boolean,
      ) => finishLeaf(draw(emptyLike(self, dtype, device, pin_memory), generator), requires_grad),
    },
  );
}

function randint(
  low: number | bigint,
  high: number | bigint,
  size: readonly number[],
  generator: Maybe<Generator>,
  dtype: Maybe<DType>,
  device: Maybe<DeviceLike>,
  requires_grad: boolean,
  pin_memory: boolean,
): Tensor {
  if (low >= high) {
    throw new RuntimeError(`random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`);
  }
  const backend = backendOf(device);
  const out = emptyTensor(backend, checkSizes(size), dtype ?? int64, wantsPinned(backend, pin_memory));
  if (real(out)) kernels.randint(out, stateOf(out.storage.backend, generator), BigInt(low), BigInt(high));
  return finishLeaf(out, requires_grad);
}

define(
  { doc: 'Whole numbers from low (0) up to, not including, high. int64 unless another dtype is given.' },
  {
    [`randint(int high, int[] size, ${OPTIONS}) -> Tensor`]: (
      high: number,
      size: number[],
      generator: Maybe<Generator>,
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) => randint(0, high, size, generator, dtype, device, requires_grad, pin_memory),
    [`randint(int low, int high, int[] size, ${OPTIONS}) -> Tensor`]: randint,
  },
);

define(
  { doc: 'A random order of the whole numbers below n.' },
  {
    [`randperm(int n, ${OPTIONS}) -> Tensor`]: (
      n: number,
      generator: Maybe<Generator>,
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) => {
      const backend = backendOf(device);
      const out = emptyTensor(backend, checkSizes([n]), dtype ?? int64, wantsPinned(backend, pin_memory));
      checkScalar(out.dtype, n);
      if (real(out)) kernels.randperm(out, stateOf(out.storage.backend, generator));
      return finishLeaf(out, requires_grad);
    },
  },
);

/** An in-place draw; what was there before no longer matters to gradients. */
export function drawInto(
  self: Tensor,
  name: string,
  draw: (state: kernels.GeneratorState) => void,
  g: Maybe<Generator>,
): Tensor {
  checkChange(self, [self]);
  checkOverlap(self, []);
  return changeInplace(
    name,
    self,
    [self],
    [],
    () => {
      if (real(self)) draw(stateOf(self.storage.backend, g));
    },
    zerosLike,
  );
}

const zerosLike: BackwardFunction = ([grad]) => grad!.new_zeros(grad!.sizes as number[]);

define(
  { doc: 'Fills self with uniform numbers in [from, to).', function: false },
  {
    'uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)': (
      self: Tensor,
      from: number,
      to: number,
      g: Maybe<Generator>,
    ) => {
      checkChange(self, [self]);
      needFloat('check_uniform_bounds', self.dtype);
      if (from > to) {
        throw new RuntimeError(`uniform_ expects to return a [from, to) range, but found from=${from} > to=${to}`);
      }
      return drawInto(self, 'UniformBackward0', (state) => kernels.uniform(self, state, from, to), g);
    },
  },
);

define(
  { doc: 'Fills self with normal numbers of the given mean and standard deviation.', function: false },
  {
    'normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)': (
      self: Tensor,
      mean: number,
      std: number,
      g: Maybe<Generator>,
    ) => {
      checkChange(self, [self]);
      if (self.length > 0) needFloat('normal_kernel_cpu', self.dtype);
      if (std < 0) throw new RuntimeError(`normal expects std >= 0.0, but found std ${std}`);
      return drawInto(self, 'NormalBackward0', (state) => kernels.normal(self, state, mean, std), g);
    },
  },
);

const twoZeros =
  (second: readonly number[]): BackwardFunction =>
  ([grad], _saved, node) => [
    node.needs(0) ? grad!.new_zeros(grad!.sizes as number[]) : null,
    node.needs(1) ? grad!.new_zeros(second as number[]) : null,
  ];

define(
  { doc: 'Fills self with 0 and 1; 1 with probability p.', function: false },
  {
    'bernoulli_(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)': (
      self: Tensor,
      p: Tensor,
      g: Maybe<Generator>,
    ) => {
      checkChange(self, [self, p]);
      const chances = p
        .detach()
        .to(self.device)
        .expand(self.sizes as number[]);
      needFloat('bernoulli_tensor_cpu_p_', p.dtype);
      checkOverlap(self, [p]);
      return changeInplace(
        'BernoulliBackward1',
        self,
        [self, p],
        [],
        () => {
          if (real(self)) kernels.bernoulliTensor(self, stateOf(self.storage.backend, g), chances);
        },
        twoZeros(p.sizes),
      );
    },
    'bernoulli_(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)': (
      self: Tensor,
      p: number,
      g: Maybe<Generator>,
    ) => {
      checkChange(self, [self]);
      if (!(p >= 0 && p <= 1)) {
        throw new RuntimeError(`bernoulli_ expects p to be in [0, 1], but got p=${p}`);
      }
      return drawInto(self, 'BernoulliBackward2', (state) => kernels.bernoulli(self, state, p), g);
    },
  },
);

export function randomInto(
  self: Tensor,
  low: number | bigint,
  high: number | bigint | null,
  g: Maybe<Generator>,
  name = 'RandomBackward0',
): Tensor {
  return drawInto(
    self,
    name,
    (state) => kernels.randint(self, state, BigInt(low), high === null ? null : BigInt(high)),
    g,
  );
}

define(
  {
    doc: 'Fills self with whole numbers: all that its dtype has, those below to, or those of [from, to).',
    function: false,
  },
  {
    'random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)': (self: Tensor, g: Maybe<Generator>) =>
      drawInto(self, 'RandomBackward2', (state) => kernels.random(self, state), g),
    'random_(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)': (
      self: Tensor,
      to: number,
      g: Maybe<Generator>,
    ) => randomInto(self, 0, to, g, 'RandomBackward1'),
    'random_(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)': randomInto,
  },
);
