/** batch_norm, instance_norm, group_norm and rms_norm. */
import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, touchGraphOf } from '../autograd/record.ts';
import { type DType, FLOAT_CATEGORY, float32, float64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { showSizes } from '../core/shape.ts';
import { FLAG_INFERENCE, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import {
  apply,
  byChannel,
  byGroup,
  type Grouping,
  inputGradient,
  inverseDeviation,
  measure,
  type Running,
  type Statistics,
  sums,
  weightGradient,
} from './normalise.ts';
import { define } from './registry.ts';

type Maybe<T> = T | null;

function finish(out: Tensor, inputs: readonly Maybe<Tensor>[]): void {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) for (const x of inputs) if (x !== null) touchGraphOf(x);
}

function refuseDType(x: Tensor, name: string): void {
  if (x.dtype.category !== FLOAT_CATEGORY) {
    throw new NotImplementedError(`"${name}" not implemented for '${x.dtype.scalarTypeName}'`);
  }
}

/** @throws RuntimeError unless parameters have x's dtype, or float32 beside a half type */
function checkParameters(x: Tensor, parameters: readonly Maybe<Tensor>[]): void {
  const given = parameters.filter((p) => p !== null);
  const mixed = x.dtype.itemsize === 2 && given.some((p) => p.dtype === float32);
  for (const p of given) {
    if (p.dtype === (mixed ? float32 : x.dtype)) continue;
    if (mixed) throw new RuntimeError(`expected scalar type ${x.dtype.scalarTypeName} but found Float`);
    throw new RuntimeError(
      x.dtype.itemsize === 4 && p.dtype.itemsize === 2
        ? 'mixed dtype (CPU): expect parameter to have scalar type of Float'
        : 'mixed dtype (CPU): all inputs must share same datatype.',
    );
  }
}

function wanted(inputs: readonly Maybe<Tensor>[]): boolean {
  return mode.grad && inputs.some((t) => t !== null && requiresGrad(t));
}

/** What backward of an affine normalisation needs to know besides tensors. */
interface Plan {
  readonly grouping: Grouping;
  /** Sizes of statistics as they are kept. */
  readonly statistics: readonly number[];
  /** Whether the statistics are the input's own. */
  readonly own: boolean;
  readonly eps: number;
}

/** As the tensor's own sizes, from a statistic or a parameter by channel. */
function beside(x: Tensor, channels: Tensor): Tensor {
  return channels.reshape([1, x.sizes[1], ...new Array<number>(x.sizes.length - 2).fill(1)]);
}

/** The dimensions that are not channels. */
const others = (x: Tensor): number[] => x.sizes.map((_, i) => i).filter((i) => i !== 1);

/** What is saved: [x, weight, mean, invstd]; gradients of x, weight, bias in steps that can be differentiated again. */
function batchGradientSteps(
  grad: Tensor,
  [x, weight, mean, invstd]: readonly Maybe<Tensor>[],
  needs: readonly boolean[],
  plan: Plan,
): Maybe<Tensor>[] {
  const input = x!;
  const wide = input.dtype.itemsize === 2 ? input.to(float32) : input;
  const g = input.dtype.itemsize === 2 ? grad.to(float32) : grad;
  const dims = others(input);
  let m = beside(input, mean!);
  let r = beside(input, invstd!);
  if (plan.own) {
    // As functions of x, so that a second derivative sees them.
    m = wide.mean(dims, true);
    const centred = wide.sub(m);
    r = centred.mul(centred).mean(dims, true).add(plan.eps).rsqrt();
  }
  const normal = wide.sub(m).mul(r);
  let gx: Maybe<Tensor> = null;
  if (needs[0]) {
    const scaled = weight === null ? g : g.mul(beside(input, weight));
    const inner = plan.own
      ? scaled.sub(scaled.mean(dims, true)).sub(normal.mul(scaled.mul(normal).mean(dims, true)))
      : scaled;
    gx = inner.mul(r).to(input.dtype);
  }
  return [
    gx,
    needs[1] ? g.mul(normal).sum(dims).to(weight!.dtype) : null,
    needs[2] ? g.sum(dims).to(weight?.dtype ?? input.dtype) : null,
  ];
}

/** @param input [N, C, …] */
function batchNorm(
  given: Tensor,
  weight: Maybe<Tensor>,
  bias: Maybe<Tensor>,
  running_mean: Maybe<Tensor>,
  running_var: Maybe<Tensor>,
  training: boolean,
  momentum: number,
  eps: number,
): Tensor {
  const channels = given.sizes.length > 1 ? given.sizes[1] : 0;
  const vectors = { running_mean, running_var, weight, bias };
  if (!training) {
    for (const name of ['running_mean', 'running_var'] as const) {
      if (vectors[name] === null) throw new RuntimeError(`${name} must be defined in evaluation mode`);
    }
  }
  for (const [name, v] of Object.entries(vectors)) {
    if (v !== null && v.length !== channels) {
      throw new RuntimeError(`${name} should contain ${channels} elements not ${v.length}`);
    }
  }
  refuseDType(given, 'batch_norm');
  sameBackend(
    'native_batch_norm',
    [given, weight, bias, running_mean, running_var],
    ['input', 'weight', 'bias', 'running_mean', 'running_var'],
  );
  checkParameters(given, [weight, bias, running_mean, running_var]);
  // Whatever dimensions are merged to [N, C, L] must lie evenly.
  const x = given;
  const grouping = byChannel(x.sizes);
  const plan: Plan = { grouping, statistics: [channels], own: training, eps };
  let statistics: Statistics;
  if (training) {
    const running: Maybe<Running> =
      running_mean !== null && running_var !== null && x.length > 0
        ? { mean: running_mean, variance: running_var, momentum }
        : null;
    statistics = measure(x, grouping, plan.statistics, eps, running);
  } else statistics = { mean: running_mean!, invstd: inverseDeviation(running_var!, x, eps) };
  const out = apply(x, statistics, weight, bias, grouping);
  const inputs = [x, weight, bias];
  finish(out, inputs);
  if (!wanted(inputs)) {
    if (training) statistics.mean.storage.freeNow();
    statistics.invstd.storage.freeNow();
    return out;
  }
  if (!training) statistics.invstd.storage.freeNow();
  const save = [x, weight, statistics.mean, training ? statistics.invstd : running_var];
  return record('NativeBatchNormBackward0', out, inputs, save, batchBackward(plan));
}

/** What is saved last: 1 / deviation, or the running variance. */
function batchBackward(plan: Plan): BackwardFunction {
  return ([grad], [x, weight, mean, last], node) => {
    const needs = [node.needs(0), node.needs(1), node.needs(2)];
    const steps = mode.grad;
    let invstd = last;
    if (!plan.own) invstd = steps ? last.add(plan.eps).rsqrt() : inverseDeviation(last, x, plan.eps);
    const saved = [x, weight, mean, invstd];
    if (steps) return batchGradientSteps(grad!, saved, needs, plan);
    const grads = batchGradients(grad!, saved, needs, plan);
    if (!plan.own) invstd.storage.freeNow();
    return grads;
  };
}

function batchGradients(
  grad: Tensor,
  [input, weight, mean, invstd]: readonly Maybe<Tensor>[],
  needs: readonly boolean[],
  { grouping, statistics, own }: Plan,
): Maybe<Tensor>[] {
  const x = input!;
  const stats: Statistics = { mean: mean!, invstd: invstd! };
  const channels = x.sizes[1];
  if (x.length === 0) {
    const zeros = (like: Tensor) => like.new_zeros([channels]);
    return [
      needs[0] ? x.new_zeros([...x.sizes]) : null,
      needs[1] ? zeros(weight!) : null,
      needs[2] ? zeros(weight ?? x) : null,
    ];
  }
  const needSums = own || needs[1] || needs[2];
  const both = needSums ? sums(grad, x, stats.mean, null, grouping, statistics) : null;
  let gx: Maybe<Tensor> = null;
  if (needs[0]) {
    gx = own
      ? inputGradient(grad, x, stats, weight, false, both!, grouping)
      : scaleByChannel(grad, stats.invstd, weight);
  }
  const parameter = weight?.dtype ?? x.dtype;
  const gw = needs[1] ? both!.dot.mul(stats.invstd).to(parameter) : null;
  const gb = needs[2] ? both!.sum.to(parameter) : null;
  if (both !== null) {
    both.dot.storage.freeNow();
    if (gb !== both.sum) both.sum.storage.freeNow();
  }
  return [gx, gw, gb];
}

/** grad * invstd * weight, where statistics are constants. */
function scaleByChannel(grad: Tensor, invstd: Tensor, weight: Maybe<Tensor>): Tensor {
  const factor = weight === null ? invstd : invstd.mul(weight);
  return grad.mul(beside(grad, factor)).to(grad.dtype);
}

function groupNorm(input: Tensor, num_groups: number, weight: Maybe<Tensor>, bias: Maybe<Tensor>, eps: number): Tensor {
  const { sizes } = input;
  if (sizes.length < 2) {
    throw new RuntimeError(`Expected at least 2 dimensions for input tensor but received ${sizes.length}`);
  }
  const [images, channels] = sizes;
  if (num_groups <= 0) throw new RuntimeError(`Expected num groups to be greater than 0, got ${num_groups}`);
  if (channels % num_groups !== 0) {
    throw new RuntimeError(
      `Expected number of channels in input to be divisible by num_groups, but got input of shape ${showSizes(sizes)} and num_groups=${num_groups}`,
    );
  }
  for (const [name, v] of [
    ['weight', weight],
    ['bias', bias],
  ] as const) {
    if (v !== null && (v.sizes.length !== 1 || v.length !== channels)) {
      throw new RuntimeError(
        `Expected ${name} to be a vector of size equal to the number of channels in input, but got ${name} of shape ${showSizes((weight ?? v).sizes)} and input of shape ${showSizes(sizes)}`,
      );
    }
  }
  refuseDType(input, 'GroupNormKernelImpl');
  sameBackend('native_group_norm', [input, weight, bias], ['input', 'weight', 'bias']);
  checkParameters(input, [weight, bias]);
  const x = input.contiguous();
  const grouping = byGroup(sizes, num_groups);
  const plan: Plan = { grouping, statistics: [images, num_groups], own: true, eps };
  const statistics = measure(x, grouping, plan.statistics, eps, null);
  const out = apply(x, statistics, weight, bias, grouping);
  const inputs = [x, weight, bias];
  finish(out, inputs);
  if (!wanted(inputs)) {
    statistics.mean.storage.freeNow();
    statistics.invstd.storage.freeNow();
    return out;
  }
  const save = [x, weight, statistics.mean, statistics.invstd];
  return record('NativeGroupNormBackward0', out, inputs, save, ([grad], saved, node) => {
    const needs = [node.needs(0), node.needs(1), node.needs(2)];
    if (mode.grad) return groupGradientSteps(grad!, saved, needs, plan);
    return groupGradients(grad!, saved, needs, plan);
  });
}

function groupGradients(
  grad: Tensor,
  [input, weight, mean, invstd]: readonly Maybe<Tensor>[],
  needs: readonly boolean[],
  { grouping, statistics }: Plan,
): Maybe<Tensor>[] {
  const x = input!;
  const stats: Statistics = { mean: mean!, invstd: invstd! };
  let gx: Maybe<Tensor> = null;
  if (needs[0] && x.length === 0) gx = x.new_zeros([...x.sizes]);
  else if (needs[0]) {
    const both = sums(grad, x, stats.mean, weight, grouping, statistics);
    gx = inputGradient(grad, x, stats, weight, true, both, grouping);
    both.dot.storage.freeNow();
    both.sum.storage.freeNow();
  }
  const parameter = weight?.dtype ?? x.dtype;
  const dims = others(x);
  const gw = needs[1]
    ? x.length === 0
      ? weight!.new_zeros([...weight!.sizes])
      : weightGradient(grad, x, stats, weight!, grouping)
    : null;
  return [gx, gw, needs[2] ? grad.sum(dims).to(parameter) : null];
}

function groupGradientSteps(
  grad: Tensor,
  [input, weight]: readonly Maybe<Tensor>[],
  needs: readonly boolean[],
  { grouping, eps }: Plan,
): Maybe<Tensor>[] {
  const x = input!;
  const wide = (t: Tensor) => (t.dtype.itemsize === 2 ? t.to(float32) : t);
  const view = grouping.view as number[];
  const xs = wide(x).reshape(view);
  const m = xs.mean([2, 3], true);
  const centred = xs.sub(m);
  const r = centred.mul(centred).mean([2, 3], true).add(eps).rsqrt();
  const normal = centred.mul(r);
  const g = wide(grad).reshape(view);
  const scaled = weight === null ? g : g.mul(wide(weight).reshape(grouping.parameters as number[]));
  const mean = (t: Tensor) => t.mean([2, 3], true);
  const channels = [x.sizes[1]];
  const parameter = weight?.dtype ?? x.dtype;
  return [
    needs[0]
      ? scaled
          .sub(mean(scaled))
          .sub(normal.mul(mean(scaled.mul(normal))))
          .mul(r)
          .reshape([...x.sizes])
          .to(x.dtype)
      : null,
    needs[1] ? g.mul(normal).sum([0, 3]).reshape(channels).to(parameter) : null,
    needs[2] ? g.sum([0, 3]).reshape(channels).to(parameter) : null,
  ];
}

/** Every image and channel by itself: batch_norm of one image with N * C channels. */
function instanceNorm(
  input: Tensor,
  weight: Maybe<Tensor>,
  bias: Maybe<Tensor>,
  running_mean: Maybe<Tensor>,
  running_var: Maybe<Tensor>,
  use_input_stats: boolean,
  momentum: number,
  eps: number,
): Tensor {
  if (!use_input_stats && (running_mean === null || running_var === null)) {
    throw new RuntimeError('Expected running_mean and running_var to be defined when use_input_stats is false');
  }
  const [images, channels] = input.sizes;
  const repeated = (x: Maybe<Tensor>): Maybe<Tensor> => (x === null ? null : x.repeat([images]));
  const mean = repeated(running_mean);
  const variance = repeated(running_var);
  const one = input.contiguous().view([1, images * channels, ...input.sizes.slice(2)]);
  const out = batchNorm(one, repeated(weight), repeated(bias), mean, variance, use_input_stats, momentum, eps);
  if (use_input_stats) {
    for (const [running, now] of [
      [running_mean, mean],
      [running_var, variance],
    ] as const) {
      if (running !== null) running.detach().copy_(now!.view([images, channels]).mean(0));
    }
  }
  return out.view([...input.sizes]);
}

/** The smallest step from 1, which PyTorch adds where no eps is given. */
function machineEpsilon(dtype: DType): number {
  if (dtype === float64) return 2 ** -52;
  // Half types are computed in float32.
  return 2 ** -23;
}

function rmsNorm(input: Tensor, normalized_shape: number[], weight: Maybe<Tensor>, eps: Maybe<number>): Tensor {
  const count = normalized_shape.length;
  if (count === 0) {
    throw new RuntimeError(
      'Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []',
    );
  }
  const same = (a: readonly number[]) => a.length === count && a.every((s, i) => s === normalized_shape[i]);
  if (weight !== null && !same(weight.sizes)) {
    throw new RuntimeError(
      `Expected weight to be of same shape as normalized_shape, but got weight of shape ${showSizes(weight.sizes)} and normalized_shape = ${showSizes(normalized_shape)}`,
    );
  }
  const rank = input.sizes.length;
  if (rank < count || !same(input.sizes.slice(rank - count))) {
    throw new RuntimeError(
      `Given normalized_shape=${showSizes(normalized_shape)}, expected input with shape [*${normalized_shape.join(', ')}], but got input of size${showSizes(input.sizes)}`,
    );
  }
  refuseDType(input, 'rms_norm');
  const half = input.dtype.itemsize === 2;
  // The result is contiguous, whatever the input is.
  const x = (half ? input.to(float32) : input).contiguous();
  const dims = normalized_shape.map((_, i) => rank - count + i);
  const rstd = x
    .pow(2)
    .mean(dims, true)
    .add(eps ?? machineEpsilon(input.dtype))
    .rsqrt();
  let out = x.mul(rstd);
  if (weight !== null) out = out.mul(weight);
  return half ? out.to(input.dtype) : out;
}

const PARAMETERS = 'Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var';

define(
  {
    doc: 'Every channel of input [N, C, …] to mean 0 and variance 1, by its own statistics or the running ones, then scaled and shifted.',
    method: false,
    function: true,
  },
  {
    [`batch_norm(Tensor input, ${PARAMETERS}, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor`]:
      batchNorm,
  },
);
define(
  {
    doc: 'Every channel of every image of input [N, C, …] to mean 0 and variance 1, then scaled and shifted.',
    method: false,
    function: true,
  },
  {
    [`instance_norm(Tensor input, ${PARAMETERS}, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor`]:
      instanceNorm,
  },
);
define(
  {
    doc: 'Groups of channels of every image of input [N, C, …] to mean 0 and variance 1, then scaled and shifted by channel.',
    method: false,
    function: true,
  },
  {
    'group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor':
      groupNorm,
  },
);
define(
  {
    doc: 'Rows over the last dimensions (normalized_shape) divided by their root mean square, then scaled by weight.',
    method: false,
    function: true,
    functional: true,
  },
  {
    'rms_norm(Tensor input, int[1] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor': rmsNorm,
  },
);
