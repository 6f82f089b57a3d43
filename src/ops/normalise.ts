/**
 * What batch, group and instance normalisation share: mean and variance over some dimensions, (x - mean) / deviation
 * with a weight and a bias, and the gradients, as launches over a regrouped view. The operations are in `normalization.ts`.
 */
import { type DType, float32 } from '../core/dtype.ts';
import { contiguousStrides, numel } from '../core/shape.ts';
import type { Backend } from '../devices/backend.ts';
import { add, div, type Expr, input, mul, scalar, sqrt, square, sub } from '../kernels/expr.ts';
import { MapKernel } from '../kernels/map.ts';
import { ReduceKernel } from '../kernels/reduce.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, type Tensor } from '../tensor/tensor.ts';
import { regrouped } from './regroup.ts';

/** How a tensor is gone through. */
export interface Grouping {
  /** The tensor's elements by dimensions that are wholly reduced or wholly kept. */
  readonly view: readonly number[];
  /** Bit d set: dimension d is reduced. */
  readonly mask: number;
  /** Sizes of statistics beside the view. */
  readonly statistics: readonly number[];
  /** Sizes of weight and bias beside the view, from the right. */
  readonly parameters: readonly number[];
}

/** [N, C, …] with statistics by channel. */
export function byChannel(sizes: readonly number[]): Grouping {
  const channels = sizes[1];
  const rest = numel(sizes.slice(2));
  return {
    view: [sizes[0], channels, rest],
    mask: 0b101,
    statistics: [1, channels, 1],
    parameters: [channels, 1],
  };
}

/** [N, C, …] with statistics by image and group of channels. */
export function byGroup(sizes: readonly number[], groups: number): Grouping {
  const each = sizes[1] / groups;
  return {
    view: [sizes[0], groups, each, numel(sizes.slice(2))],
    mask: 0b1100,
    statistics: [sizes[0], groups, 1, 1],
    parameters: [groups, each, 1],
  };
}

/** How many elements a statistic is made of. */
export function countOf({ view, mask }: Grouping): number {
  return view.reduce((p, size, d) => ((mask >> d) & 1 ? p * size : p), 1);
}

/** The dtype that is computed in, and that statistics have. */
export const computeOf = (dtype: DType): DType => (dtype.itemsize === 2 ? float32 : dtype);

/** The elements of a small contiguous or strided vector with other sizes. */
const as = (x: Tensor, sizes: readonly number[]): Tensor => regrouped(x, sizes);

/** Kernels made once for each of their dtypes. */
function cache<K>(make: (...dtypes: DType[]) => K): (...dtypes: DType[]) => K {
  const made: (K | undefined)[] = [];
  return (...dtypes) => {
    let key = 0;
    for (let i = 0; i < dtypes.length; i++) key = key * 10 + dtypes[i].index;
    return (made[key] ??= make(...dtypes));
  };
}

const MEAN = cache(
  (x) =>
    new ReduceKernel({
      name: 'mean',
      combine: 'sum',
      expr: input(0),
      inputs: [x],
      compute: computeOf(x),
      output: computeOf(x),
      finalize: div(input(0), scalar(0)),
      scalars: 1,
    }),
);

const VARIANCE = cache(
  (x) =>
    new ReduceKernel({
      name: 'var',
      combine: 'sum',
      expr: square(sub(input(0), input(1))),
      inputs: [x, computeOf(x)],
      compute: computeOf(x),
      output: computeOf(x),
      finalize: div(input(0), scalar(0)),
      scalars: 1,
    }),
);

const RECIPROCAL = cache(
  (from, to) =>
    new MapKernel({
      name: 'rsqrt',
      outputs: [{ expr: div(1, sqrt(add(input(0), scalar(0)))), dtype: to }],
      inputs: [from],
      compute: to,
      scalars: 1,
    }),
);

const RUNNING = cache((statistic, running) => {
  const towards = (old: Expr, now: Expr) => add(mul(sub(1, scalar(0)), old), mul(scalar(0), now));
  return new MapKernel({
    name: 'batch_norm_update_stats',
    outputs: [
      { expr: towards(input(2), input(0)), dtype: running },
      { expr: towards(input(3), mul(input(1), scalar(1))), dtype: running },
    ],
    inputs: [statistic, statistic, running, running],
    compute: computeOf(statistic),
    scalars: 2,
  });
});

const vector = (backend: Backend, sizes: readonly number[], dtype: DType): Tensor => emptyTensor(backend, sizes, dtype);

export interface Statistics {
  readonly mean: Tensor;
  /** 1 / sqrt(variance + eps) */
  readonly invstd: Tensor;
}

/** Running averages that are moved towards the statistics. */
export interface Running {
  readonly mean: Tensor;
  readonly variance: Tensor;
  readonly momentum: number;
}

/** Statistics of x; `sizes`: what they are kept as. Variances are those of the elements at hand (biased). */
export function measure(
  x: Tensor,
  g: Grouping,
  sizes: readonly number[],
  eps: number,
  running: Running | null,
): Statistics {
  const { backend } = x.storage;
  const dtype = computeOf(x.dtype);
  const n = countOf(g);
  const view = regrouped(x, g.view);
  const mean = vector(backend, sizes, dtype);
  const variance = vector(backend, sizes, dtype);
  const invstd = vector(backend, sizes, dtype);
  const meanView = as(mean, g.statistics);
  MEAN(x.dtype).launch(meanView, [view], g.view, g.mask, [n]);
  VARIANCE(x.dtype).launch(as(variance, g.statistics), [view, meanView], g.view, g.mask, [n]);
  RECIPROCAL(dtype, dtype).launch(invstd, [variance], [eps]);
  if (running !== null) {
    RUNNING(dtype, running.mean.dtype).launchMany(
      [running.mean, running.variance],
      [mean, variance, running.mean, running.variance],
      [running.momentum, n / (n - 1)],
    );
  }
  variance.storage.freeNow();
  return { mean, invstd };
}

/** 1 / sqrt(variance + eps), in the type that x is computed in. */
export function inverseDeviation(variance: Tensor, x: Tensor, eps: number): Tensor {
  const dtype = computeOf(x.dtype);
  const out = vector(x.storage.backend, variance.sizes, dtype);
  RECIPROCAL(variance.dtype, dtype).launch(out, [variance], [eps]);
  return out;
}

const APPLY = [false, true].map((weight) =>
  [false, true].map((bias) =>
    cache((x, mean, parameter) => {
      const factor = weight ? mul(input(2), input(3)) : input(2);
      const normal = mul(sub(input(0), input(1)), factor);
      return new MapKernel({
        name: 'normalise',
        outputs: [{ expr: bias ? add(normal, input(weight ? 4 : 3)) : normal, dtype: x }],
        inputs: [x, mean, computeOf(x), ...(weight ? [parameter] : []), ...(bias ? [parameter] : [])],
        compute: computeOf(x),
      });
    }),
  ),
);

/** (x - mean) * invstd * weight + bias, contiguous. */
export function apply(
  x: Tensor,
  { mean, invstd }: Statistics,
  weight: Tensor | null,
  bias: Tensor | null,
  g: Grouping,
): Tensor {
  const out = emptyTensor(x.storage.backend, x.sizes, x.dtype);
  const operands = [regrouped(x, g.view), as(mean, g.statistics), as(invstd, g.statistics)];
  if (weight !== null) operands.push(as(weight, g.parameters));
  if (bias !== null) operands.push(as(bias, g.parameters));
  const parameter = weight?.dtype ?? bias?.dtype ?? x.dtype;
  APPLY[weight === null ? 0 : 1]
    [bias === null ? 0 : 1](x.dtype, mean.dtype, parameter)
    .launch(inView(out, g), operands);
  return out;
}

function inView(x: Tensor, g: Grouping): Tensor {
  return aliasTensor(x, x.offset, g.view, contiguousStrides(g.view), x.length);
}

/** Sums over the reduced dimensions: of the gradient, and of the gradient times (x - mean); with the weight in each. */
const SUM = [false, true].map((weight) =>
  cache(
    (x, parameter) =>
      new ReduceKernel({
        name: 'norm_backward_sum',
        combine: 'sum',
        expr: weight ? mul(input(0), input(1)) : input(0),
        inputs: weight ? [x, parameter] : [x],
        compute: computeOf(x),
        output: computeOf(x),
      }),
  ),
);
const DOT = [false, true].map((weight) =>
  cache((x, mean, parameter) => {
    const centred = mul(input(0), sub(input(1), input(2)));
    return new ReduceKernel({
      name: 'norm_backward_dot',
      combine: 'sum',
      expr: weight ? mul(centred, input(3)) : centred,
      inputs: weight ? [x, x, mean, parameter] : [x, x, mean],
      compute: computeOf(x),
      output: computeOf(x),
    });
  }),
);

/** `sizes`: of the results. */
export function sums(
  grad: Tensor,
  x: Tensor,
  mean: Tensor,
  weight: Tensor | null,
  g: Grouping,
  sizes: readonly number[],
): { sum: Tensor; dot: Tensor } {
  const dtype = computeOf(x.dtype);
  const { backend } = x.storage;
  const gradView = regrouped(grad, g.view);
  const sum = vector(backend, sizes, dtype);
  const dot = vector(backend, sizes, dtype);
  const [parameter, more] = weight === null ? [x.dtype, []] : [weight.dtype, [as(weight, g.parameters)]];
  const at = weight === null ? 0 : 1;
  SUM[at](x.dtype, parameter).launch(as(sum, g.statistics), [gradView, ...more], g.view, g.mask);
  const operands = [gradView, regrouped(x, g.view), as(mean, g.statistics), ...more];
  DOT[at](x.dtype, mean.dtype, parameter).launch(as(dot, g.statistics), operands, g.view, g.mask);
  return { sum, dot };
}

/** The gradient of the input where the statistics are the input's own. Where the weight stands: in the sums or not. */
const INPUT = ['none', 'inside', 'outside'].map((where) =>
  cache((x, mean, parameter) => {
    const [centred, invstd] = [sub(input(1), input(2)), input(3)];
    const grad = where === 'inside' ? mul(input(0), input(6)) : input(0);
    const slope = div(mul(mul(input(5), invstd), invstd), scalar(0));
    const inner = sub(sub(grad, div(input(4), scalar(0))), mul(centred, slope));
    const c = computeOf(x);
    return new MapKernel({
      name: 'norm_backward',
      outputs: [{ expr: mul(inner, where === 'outside' ? mul(invstd, input(6)) : invstd), dtype: x }],
      inputs: [x, x, mean, c, c, c, ...(where === 'none' ? [] : [parameter])],
      compute: c,
      scalars: 1,
    });
  }),
);

export function inputGradient(
  grad: Tensor,
  x: Tensor,
  { mean, invstd }: Statistics,
  weight: Tensor | null,
  inside: boolean,
  { sum, dot }: { sum: Tensor; dot: Tensor },
  g: Grouping,
): Tensor {
  const out = emptyTensor(x.storage.backend, x.sizes, x.dtype);
  const operands = [
    regrouped(grad, g.view),
    regrouped(x, g.view),
    ...[mean, invstd, sum, dot].map((s) => as(s, g.statistics)),
  ];
  if (weight !== null) operands.push(as(weight, g.parameters));
  const where = weight === null ? 0 : inside ? 1 : 2;
  INPUT[where](x.dtype, mean.dtype, weight?.dtype ?? x.dtype).launch(inView(out, g), operands, [countOf(g)]);
  return out;
}

const WEIGHT = cache((x, mean, output) => {
  const normal = mul(sub(input(1), input(2)), input(3));
  return new ReduceKernel({
    name: 'norm_backward_weight',
    combine: 'sum',
    expr: mul(input(0), normal),
    inputs: [x, x, mean, computeOf(x)],
    compute: computeOf(x),
    output,
  });
});

/** The gradient of the weight: sums of grad times the normalised x over everything but the weight's own dimensions. */
export function weightGradient(
  grad: Tensor,
  x: Tensor,
  { mean, invstd }: Statistics,
  weight: Tensor,
  g: Grouping,
): Tensor {
  const out = vector(x.storage.backend, weight.sizes, weight.dtype);
  const rank = g.view.length;
  const own = g.parameters
    .map((_, i) => rank - g.parameters.length + i)
    .filter((d) => g.parameters[d - rank + g.parameters.length] > 1);
  let mask = 0;
  for (let d = 0; d < rank; d++) if (!own.includes(d)) mask |= 1 << d;
  const lead = new Array<number>(rank - g.parameters.length).fill(1);
  WEIGHT(x.dtype, mean.dtype, weight.dtype).launch(
    as(out, [...lead, ...g.parameters]),
    [regrouped(grad, g.view), regrouped(x, g.view), as(mean, g.statistics), as(invstd, g.statistics)],
    g.view,
    mask,
  );
  return out;
}
