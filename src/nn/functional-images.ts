/** Pooling and normalisation in `torch.nn.functional`, where their form differs from the op's. */
import { ValueError } from '../core/errors.ts';
import { Size } from '../core/size.ts';
import { needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functional as functions, functions as torch } from '../torch/attach.ts';
import { Signature } from './signature.ts';

/** One number for all axes, or one for each. */
export type PerAxis = number | readonly number[];

export interface MaxPoolOptions {
  /** How far windows are apart. Default: their size. */
  stride?: PerAxis | null;
  /** What is put around the input, of the lowest value. Default: 0. */
  padding?: PerAxis;
  /** How far the elements of a window are apart. Default: 1. */
  dilation?: PerAxis;
  /** Whether a last window may reach beyond the input. Default: false. */
  ceil_mode?: boolean;
}

interface MaxPool {
  (input: Tensor, kernel_size: PerAxis, options: MaxPoolOptions & { return_indices: true }): [Tensor, Tensor];
  (input: Tensor, kernel_size: PerAxis, options?: MaxPoolOptions & { return_indices?: false }): Tensor;
  (
    input: Tensor,
    kernel_size: PerAxis,
    stride: PerAxis | null,
    options: Omit<MaxPoolOptions, 'stride'> & { return_indices: true },
  ): [Tensor, Tensor];
  (
    input: Tensor,
    kernel_size: PerAxis,
    stride: PerAxis | null,
    options?: Omit<MaxPoolOptions, 'stride'> & { return_indices?: false },
  ): Tensor;
  (
    input: Tensor,
    kernel_size: PerAxis,
    stride: PerAxis | null,
    padding: PerAxis,
    dilation?: PerAxis,
    ceil_mode?: boolean,
  ): Tensor;
}

interface AdaptiveMaxPool {
  (input: Tensor, output_size: PerAxis | readonly (number | null)[], return_indices: true): [Tensor, Tensor];
  (
    input: Tensor,
    output_size: PerAxis | readonly (number | null)[],
    options: { return_indices: true },
  ): [Tensor, Tensor];
  (
    input: Tensor,
    output_size: PerAxis | readonly (number | null)[],
    return_indices?: false | { return_indices?: false },
  ): Tensor;
}

/** null: as large as the input is there. */
type AdaptiveAvgPool = (input: Tensor, output_size: PerAxis | readonly (number | null)[]) => Tensor;

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
  (input: Tensor, num_groups: number, options?: { weight?: Tensor | null; bias?: Tensor | null; eps?: number }): Tensor;
  (input: Tensor, num_groups: number, weight: Tensor | null, options?: { bias?: Tensor | null; eps?: number }): Tensor;
  (input: Tensor, num_groups: number, weight: Tensor | null, bias: Tensor | null, eps?: number): Tensor;
}

export interface ImageFunctions {
  /** Maxima of windows over [N, C, L] or [C, L]; with return_indices also where they were. */
  max_pool1d: MaxPool;
  /** Maxima of windows over [N, C, H, W] or [C, H, W]; with return_indices also where they were. */
  max_pool2d: MaxPool;
  /** Maxima of windows over [N, C, D, H, W] or [C, D, H, W]; with return_indices also where they were. */
  max_pool3d: MaxPool;
  /** Maxima of as many windows as output_size says, over [N, C, L]. */
  adaptive_max_pool1d: AdaptiveMaxPool;
  /** Maxima of as many windows as output_size says, over [N, C, H, W]. */
  adaptive_max_pool2d: AdaptiveMaxPool;
  /** Maxima of as many windows as output_size says, over [N, C, D, H, W]. */
  adaptive_max_pool3d: AdaptiveMaxPool;
  /** Averages of as many windows as output_size says, over [N, C, H, W]. */
  adaptive_avg_pool2d: AdaptiveAvgPool;
  /** Averages of as many windows as output_size says, over [N, C, D, H, W]. */
  adaptive_avg_pool3d: AdaptiveAvgPool;
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
type Pair = (...args: unknown[]) => [Tensor, Tensor];

const ops = torch as Record<string, Op>;
/** As declared, before the functions here take their places. */
const declared = { ...functions } as Record<string, Op>;

function maxPool(axes: number): MaxPool {
  const name = `max_pool${axes}d`;
  const parameters = 'input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False';
  const signature = Signature.of(`_${name}(${parameters})`);
  const withIndices = ((axes === 1 ? ops : declared) as Record<string, unknown>)[`${name}_with_indices`] as Pair;
  const values = ops[name];
  return ((...args: unknown[]) => {
    const bound = signature.bind(args);
    needTensor(bound[0], name, 'input');
    const indices = bound.pop();
    return indices ? [...withIndices(...bound)] : values(...bound);
  }) as MaxPool;
}

function adaptiveMaxPool(axes: number): AdaptiveMaxPool {
  const name = `adaptive_max_pool${axes}d`;
  const signature = Signature.of(`_${name}(input, output_size, return_indices=False)`);
  const op = (axes === 1 ? ops[name] : declared[`${name}_with_indices`]) as unknown as Pair;
  return ((...args: unknown[]) => {
    const [input, size, indices] = signature.bind(args) as [Tensor, unknown, boolean];
    needTensor(input, name, 'input');
    const both = op(input, sizesFor(input, size, axes));
    return indices ? [...both] : both[0];
  }) as AdaptiveMaxPool;
}

/** null in an output size stands for the input's own. */
function sizesFor(input: Tensor, size: unknown, axes: number): unknown {
  if (!Array.isArray(size)) return size;
  const first = input.sizes.length - axes;
  return size.map((s, i) => s ?? input.sizes[first + i]);
}

function adaptiveAvgPool(axes: number): AdaptiveAvgPool {
  const name = `adaptive_avg_pool${axes}d`;
  const signature = Signature.of(`${name}(input, output_size)`);
  const op = declared[name];
  return (...args: unknown[]) => {
    const [input, size] = signature.bind(args) as [Tensor, unknown];
    needTensor(input, name, 'input');
    return op(input, sizesFor(input, size, axes));
  };
}

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

/** Names that stand in for ops in `torch.nn.functional`. */
export const HIDDEN_IMAGES = ['adaptive_max_pool2d_with_indices', 'adaptive_max_pool3d_with_indices'] as const;
export type HiddenImages = (typeof HIDDEN_IMAGES)[number];

export const imageFunctions: ImageFunctions = {
  max_pool1d: maxPool(1),
  max_pool2d: maxPool(2),
  max_pool3d: maxPool(3),
  adaptive_max_pool1d: adaptiveMaxPool(1),
  adaptive_max_pool2d: adaptiveMaxPool(2),
  adaptive_max_pool3d: adaptiveMaxPool(3),
  adaptive_avg_pool2d: adaptiveAvgPool(2),
  adaptive_avg_pool3d: adaptiveAvgPool(3),
  batch_norm: batchNorm as ImageFunctions['batch_norm'],
  instance_norm: instanceNorm as ImageFunctions['instance_norm'],
  group_norm: groupNorm as GroupNorm,
};
