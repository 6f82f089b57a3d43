/** Normalisation in `torch.nn.functional`, where its form differs from the op's. */
import { ValueError } from '../core/errors.ts';
import { Size } from '../core/size.ts';
import { needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import '../ops/normalization.ts';
import { functional as functions, functions as torch } from '../torch/attach.ts';
import { Signature } from './signature.ts';

export interface BatchNormOptions {
  weight?: Tensor | null;
  bias?: Tensor | null;
  /** Whether the input's own statistics are used, and the running ones moved towards them. Default: false. */
  training?: boolean;
  /** How far the running statistics are moved. Default: 0.1. */
  momentum?: number;
  /** Added to the variance. Default: 1e-5. */
  eps?: number;
}

export interface InstanceNormOptions {
  running_mean?: Tensor | null;
  running_var?: Tensor | null;
  weight?: Tensor | null;
  bias?: Tensor | null;
  /** Whether the input's own statistics are used. Default: true. */
  use_input_stats?: boolean;
  momentum?: number;
  eps?: number;
}

interface GroupNorm {
  /** (x - mean) / sqrt(var + eps) * weight + bias over groups of channels of [N, C, …]. */
  (input: Tensor, num_groups: number, options?: { weight?: Tensor | null; bias?: Tensor | null; eps?: number }): Tensor;
  (input: Tensor, num_groups: number, weight: Tensor | null, options?: { bias?: Tensor | null; eps?: number }): Tensor;
  (input: Tensor, num_groups: number, weight: Tensor | null, bias: Tensor | null, eps?: number): Tensor;
}

export interface NormFunctions {
  /** Every channel of [N, C, …] to mean 0 and variance 1, then scaled by weight and shifted by bias. */
  batch_norm(
    input: Tensor,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    options?: BatchNormOptions,
  ): Tensor;
  batch_norm(
    input: Tensor,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    weight: Tensor | null,
    bias: Tensor | null,
    training?: boolean,
    momentum?: number,
    eps?: number,
  ): Tensor;
  /** Every channel of every image of [N, C, …] to mean 0 and variance 1, then scaled and shifted. */
  instance_norm(input: Tensor, options?: InstanceNormOptions): Tensor;
  instance_norm(
    input: Tensor,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    weight?: Tensor | null,
    bias?: Tensor | null,
    use_input_stats?: boolean,
    momentum?: number,
    eps?: number,
  ): Tensor;
  /** Groups of channels of every image of [N, C, …] to mean 0 and variance 1, then scaled and shifted by channel. */
  group_norm: GroupNorm;
}

type Op = (...args: unknown[]) => Tensor;

const ops = torch as Record<string, Op>;

const BATCH_NORM = Signature.of(
  'batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)',
);
const INSTANCE_NORM = Signature.of(
  'instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05)',
);
const GROUP_NORM = Signature.of('group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)');

type NormArguments = [Tensor, unknown, unknown, unknown, unknown, boolean, number, number];

function batchNorm(...args: unknown[]): Tensor {
  const [input, mean, variance, weight, bias, training, momentum, eps] = BATCH_NORM.bind(args) as NormArguments;
  needTensor(input, 'batch_norm', 'input');
  if (training) checkBatch(input.sizes, String(Size.make(input.sizes)));
  return ops['batch_norm'](input, weight, bias, mean, variance, training, momentum, eps, true);
}

/** @throws ValueError where a channel has a single value, which has no variance */
function checkBatch(sizes: readonly number[], shown: string): void {
  const count = sizes.reduce((p, s, i) => (i === 1 ? p : p * s), 1);
  if (count === 1)
    throw new ValueError(`Expected more than 1 value per channel when training, got input size ${shown}`);
}

function instanceNorm(...args: unknown[]): Tensor {
  const [input, mean, variance, weight, bias, own, momentum, eps] = INSTANCE_NORM.bind(args) as NormArguments;
  needTensor(input, 'instance_norm', 'input');
  if (own && input.sizes.slice(2).reduce((p, s) => p * s, 1) === 1) {
    throw new ValueError(
      `Expected more than 1 spatial element when training, got input size ${Size.make(input.sizes)}`,
    );
  }
  return ops['instance_norm'](input, weight, bias, mean, variance, own, momentum, eps, true);
}

function groupNorm(...args: unknown[]): Tensor {
  const [input, groups, weight, bias, eps] = GROUP_NORM.bind(args) as [Tensor, number, unknown, unknown, number];
  needTensor(input, 'group_norm', 'input');
  const { sizes } = input;
  if (sizes.length >= 2 && groups > 0) {
    const list = [Math.floor((sizes[0] * sizes[1]) / groups), groups, ...sizes.slice(2)];
    checkBatch(list, `[${list.join(', ')}]`);
  }
  return ops['group_norm'](input, groups, weight, bias, eps, true);
}

const normFunctions: NormFunctions = {
  batch_norm: batchNorm as NormFunctions['batch_norm'],
  instance_norm: instanceNorm as NormFunctions['instance_norm'],
  group_norm: groupNorm as GroupNorm,
};
Object.assign(functions, normFunctions);
