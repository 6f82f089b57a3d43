/** Pooling in `torch.nn.functional`, where its form differs from the op's. */
import { ValueError } from '../core/errors.ts';
import '../ops/pool.ts';
import '../ops/unpool.ts';
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
  /** Maxima of windows; with return_indices also where they were. */
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
  /** Maxima of as many windows as the result is large; with return_indices also where they were. */
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

interface LpPool {
  /** The norm_type-norms of windows. */
  (
    input: Tensor,
    norm_type: number,
    kernel_size: PerAxis,
    options?: { stride?: PerAxis | null; ceil_mode?: boolean },
  ): Tensor;
  (input: Tensor, norm_type: number, kernel_size: PerAxis, stride: PerAxis | null, ceil_mode?: boolean): Tensor;
}

interface MaxUnpool {
  /** The elements where a maximum pool had them, zeros elsewhere. */
  (
    input: Tensor,
    indices: Tensor,
    kernel_size: PerAxis,
    options?: { stride?: PerAxis | null; padding?: PerAxis; output_size?: readonly number[] | null },
  ): Tensor;
  (
    input: Tensor,
    indices: Tensor,
    kernel_size: PerAxis,
    stride: PerAxis | null,
    padding?: PerAxis,
    output_size?: readonly number[] | null,
  ): Tensor;
}

export interface PoolFunctions {
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
  /** Averages of powers over windows of [N, C, L], to the root. */
  lp_pool1d: LpPool;
  /** Averages of powers over windows of [N, C, H, W], to the root. */
  lp_pool2d: LpPool;
  /** Averages of powers over windows of [N, C, D, H, W], to the root. */
  lp_pool3d: LpPool;
  /** Elements where max_pool1d had them, zeros elsewhere. */
  max_unpool1d: MaxUnpool;
  /** Elements where max_pool2d had them, zeros elsewhere. */
  max_unpool2d: MaxUnpool;
  /** Elements where max_pool3d had them, zeros elsewhere. */
  max_unpool3d: MaxUnpool;
}

type Op = (...args: unknown[]) => Tensor;
type Pair = (...args: unknown[]) => [Tensor, Tensor];

const ops = torch as Record<string, Op>;
/** As declared, before the functions here take their places. */
const declared = { ...functions } as Record<string, Op>;
/** Ops that `torch.nn.functional` has under other names only. */
const HIDDEN = ['adaptive_max_pool2d_with_indices', 'adaptive_max_pool3d_with_indices'] as const;
for (const name of HIDDEN) delete functions[name];
export type HiddenPools = (typeof HIDDEN)[number];

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

function lpPool(axes: number): LpPool {
  const name = `lp_pool${axes}d`;
  const signature = Signature.of(`${name}(input, norm_type, kernel_size, stride=None, ceil_mode=False)`);
  const pool = declared[`avg_pool${axes}d`];
  const maxima = maxPool(axes) as Op;
  return ((...args: unknown[]) => {
    const [input, p, kernel, stride, ceil] = signature.bind(args) as [Tensor, number, PerAxis, unknown, boolean];
    needTensor(input, name, 'input');
    if (p === Infinity) return maxima(input.abs(), kernel, stride, 0, 1, ceil);
    if (p === -Infinity) return maxima(input.abs().neg(), kernel, stride, 0, 1, ceil).neg();
    const out = pool(input.pow(p), kernel, stride, 0, ceil);
    const whole = each(kernel, axes).reduce((a, b) => a * b, 1);
    return out
      .sign()
      .mul(out.abs().relu())
      .mul(whole)
      .pow(1 / p);
  }) as LpPool;
}

/** A number for each axis. */
const each = (value: PerAxis, axes: number): readonly number[] =>
  typeof value === 'number' ? new Array<number>(axes).fill(value) : value;

function maxUnpool(axes: number): MaxUnpool {
  const name = `max_unpool${axes}d`;
  const signature = Signature.of(`${name}(input, indices, kernel_size, stride=None, padding=0, output_size=None)`);
  const op = declared[axes === 3 ? 'max_unpool3d' : 'max_unpool2d'];
  return ((...args: unknown[]) => {
    const [input, indices, kernel, given, around, wanted] = signature.bind(args) as [
      Tensor,
      Tensor,
      PerAxis,
      PerAxis | null,
      PerAxis,
      readonly number[] | null,
    ];
    needTensor(input, name, 'input');
    needTensor(indices, name, 'indices', 2);
    const window = each(kernel, axes);
    const size = unpooledSizes(input, window, given === null ? window : each(given, axes), each(around, axes), wanted);
    if (axes > 1) return op(input, indices, size);
    return op(input.unsqueeze(-1), indices.unsqueeze(-1), [...size, 1]).squeeze(-1);
  }) as MaxUnpool;
}

function unpooledSizes(
  input: Tensor,
  window: readonly number[],
  stride: readonly number[],
  padding: readonly number[],
  given: readonly number[] | null,
): readonly number[] {
  const axes = window.length;
  const first = input.sizes.length - axes;
  const usual = window.map((k, i) => (input.sizes[first + i] - 1) * stride[i] + k - 2 * padding[i]);
  if (given === null) return usual;
  const sizes = given.length === axes + 2 ? given.slice(2) : given;
  if (sizes.length !== axes) {
    throw new ValueError(
      `output_size should be a sequence containing ${axes} or ${axes + 2} elements, but it has a length of '${sizes.length}'`,
    );
  }
  sizes.forEach((size, i) => {
    const [low, high] = [usual[i] - stride[i], usual[i] + stride[i]];
    if (low < size && size < high) return;
    throw new ValueError(`invalid output_size "[${sizes.join(', ')}]" (dim ${i} must be between ${low} and ${high})`);
  });
  return sizes;
}

const poolFunctions: PoolFunctions = {
  max_pool1d: maxPool(1),
  max_pool2d: maxPool(2),
  max_pool3d: maxPool(3),
  adaptive_max_pool1d: adaptiveMaxPool(1),
  adaptive_max_pool2d: adaptiveMaxPool(2),
  adaptive_max_pool3d: adaptiveMaxPool(3),
  adaptive_avg_pool2d: adaptiveAvgPool(2),
  adaptive_avg_pool3d: adaptiveAvgPool(3),
  lp_pool1d: lpPool(1),
  lp_pool2d: lpPool(2),
  lp_pool3d: lpPool(3),
  max_unpool1d: maxUnpool(1),
  max_unpool2d: maxUnpool(2),
  max_unpool3d: maxUnpool(3),
};
Object.assign(functions, poolFunctions);
