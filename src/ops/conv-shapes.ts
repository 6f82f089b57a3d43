/** Shapes and parameters of convolutions: what PyTorch accepts, refuses, and in which words. */
import { RuntimeError } from '../core/errors.ts';
import { showSizes } from '../core/shape.ts';
import type { Axes, ConvGeometry } from '../kernels/conv-plan.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** One number for each axis. */
export interface ConvParams {
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly transposed: boolean;
  readonly output_padding: readonly number[];
  readonly groups: number;
}

/** A parameter for every axis: one number stands for all. */
export function perAxis(value: number | readonly number[], axes: number): readonly number[] {
  const list = typeof value === 'number' ? [value] : value;
  return list.length === 1 && axes > 1 ? new Array<number>(axes).fill(list[0]) : list;
}

function checkAxes(value: readonly number[], name: string, axes: number): void {
  if (value.length !== axes) {
    throw new RuntimeError(
      `expected ${name} to be a single integer value or a list of ${axes} values to match the convolution dimensions, but got ${name}=${showSizes(value)}`,
    );
  }
}

/** @throws RuntimeError for what does not fit together */
export function checkConvolution(input: Tensor, weight: Tensor, bias: Tensor | null, p: ConvParams): void {
  const axes = weight.sizes.length - 2;
  if (axes <= 0) throw new RuntimeError('weight should have at least three dimensions');
  if (p.groups <= 0) throw new RuntimeError('non-positive groups is not supported');
  checkAxes(p.stride, 'stride', axes);
  checkAxes(p.padding, 'padding', axes);
  checkAxes(p.dilation, 'dilation', axes);
  checkAxes(p.output_padding, 'output_padding', axes);
  if (p.padding.some((v) => v < 0)) throw new RuntimeError('negative padding is not supported');
  if (p.output_padding.some((v) => v < 0)) throw new RuntimeError('negative output_padding is not supported');
  if (p.stride.some((v) => v <= 0)) throw new RuntimeError('non-positive stride is not supported');
  if (p.dilation.some((v) => v <= 0)) {
    throw new RuntimeError(`dilation should be greater than zero, but got ${showSizes(p.dilation)}`);
  }
  const w = weight.sizes;
  const x = input.sizes;
  if (x.length !== w.length) {
    throw new RuntimeError(
      `Expected ${w.length}-dimensional input for ${w.length}-dimensional weight ${showSizes(w)}, but got ${x.length}-dimensional input of size ${showSizes(x)} instead`,
    );
  }
  if (w[0] < p.groups) {
    throw new RuntimeError(
      `Given groups=${p.groups}, expected weight to be at least ${p.groups} at dimension 0, but got weight of size ${showSizes(w)} instead`,
    );
  }
  if (w[0] % p.groups !== 0) {
    throw new RuntimeError(
      `Given groups=${p.groups}, expected weight to be divisible by ${p.groups} at dimension 0, but got weight of size [${showSizes(w)}] instead`,
    );
  }
  const [kind, channels, outputs] = p.transposed
    ? ['transposed=1', w[0], w[1] * p.groups]
    : [`groups=${p.groups}`, w[1] * p.groups, w[0]];
  if (x[1] !== channels) {
    throw new RuntimeError(
      `Given ${kind}, weight of size ${showSizes(w)}, expected input${showSizes(x)} to have ${channels} channels, but got ${x[1]} channels instead`,
    );
  }
  if (bias !== null && (bias.sizes.length !== 1 || bias.sizes[0] !== outputs)) {
    throw new RuntimeError(
      `Given ${p.transposed ? kind : ''}${p.transposed ? ', ' : ''}weight of size ${showSizes(w)}, expected bias to be 1-dimensional with ${outputs} elements, but got bias of size ${showSizes(bias.sizes)} instead`,
    );
  }
  if (!p.transposed) checkWindow(x, w, p);
}

const AXIS_NAMES = [['width'], ['height', 'width'], ['depth', 'height', 'width']];

/** `height: 1 width: 2`, each name with a prefix. */
function named(prefix: string, values: readonly number[]): string {
  const names = AXIS_NAMES[values.length - 1] ?? [];
  return values.map((v, i) => `${prefix}_${names[i]}: ${v}`).join(' ');
}

function checkWindow(x: readonly number[], w: readonly number[], p: ConvParams): void {
  const around = p.padding.map((pad, i) => x[i + 2] + 2 * pad);
  const window = p.dilation.map((d, i) => d * (w[i + 2] - 1) + 1);
  if (around.some((size, i) => size < window[i])) {
    throw new RuntimeError(
      `Calculated padded input size per channel: (${around.join(' x ')}). Kernel size: (${window.join(' x ')}). Kernel size can't be greater than actual input size`,
    );
  }
  if (w.slice(2).some((k) => k <= 0)) {
    throw new RuntimeError(`kernel size should be greater than zero, but got ${named('kernel', w.slice(2))}`);
  }
  checkNotEmpty(x);
}

function checkNotEmpty(x: readonly number[]): void {
  if (x.slice(2).includes(0) && x[0] !== 0 && x[1] !== 0) {
    throw new RuntimeError(
      `Only zero batch or zero channel inputs are supported, but got input shape: ${showSizes(x)}`,
    );
  }
}

/** Sizes of the result. @throws RuntimeError if there is none */
export function convolutionSizes(input: Tensor, weight: Tensor, p: ConvParams): number[] {
  const x = input.sizes;
  const w = weight.sizes;
  if (!p.transposed) {
    const out = p.stride.map((stride, i) =>
      Math.floor((x[i + 2] + 2 * p.padding[i] - p.dilation[i] * (w[i + 2] - 1) - 1) / stride + 1),
    );
    return [x[0], w[0], ...out];
  }
  checkNotEmpty(x);
  if (p.output_padding.some((v, i) => v >= p.stride[i] && v >= p.dilation[i])) {
    throw new RuntimeError(
      `output padding must be smaller than either stride or dilation, but got ${named('output_padding', p.output_padding)} ${named('stride', p.stride)} ${named('dilation', p.dilation)}`,
    );
  }
  const out = p.stride.map(
    (stride, i) =>
      (x[i + 2] - 1) * stride - 2 * p.padding[i] + p.dilation[i] * (w[i + 2] - 1) + p.output_padding[i] + 1,
  );
  if (out.some((size) => size < 1)) {
    throw new RuntimeError(
      `Given input size per channel: (${x.slice(2).join(' x ')}). Calculated output size per channel: (${out.join(' x ')}). Output size is too small`,
    );
  }
  return [x[0], w[1] * p.groups, ...out];
}

/** With axes in front, so that there are three. */
function three(values: readonly number[], missing: number): Axes {
  return [...new Array<number>(3 - values.length).fill(missing), ...values] as unknown as Axes;
}

export function geometryOf(p: ConvParams): ConvGeometry {
  return {
    stride: three(p.stride, 1),
    padding: three(p.padding, 0),
    dilation: three(p.dilation, 1),
    groups: p.groups,
  };
}
