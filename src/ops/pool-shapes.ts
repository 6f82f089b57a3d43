/** Shapes and parameters of pooling: what PyTorch accepts, refuses, and in which words. */
import { RuntimeError } from '../core/errors.ts';
import { showSizes } from '../core/shape.ts';
import type { Axes } from '../kernels/conv-plan.ts';
import type { PoolGeometry } from '../kernels/pool.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** A parameter as it is given; null or nothing: not given. */
export type Numbers = number | readonly number[] | null;

const COUNTS = ['one', 'two', 'three'];

/** A parameter for every axis. @throws RuntimeError for a list of another length */
export function windowParam(op: string, name: string, value: Numbers, axes: number): number[] {
  const list = typeof value === 'number' ? [value] : [...(value ?? [])];
  if (list.length === 1) return new Array<number>(axes).fill(list[0]);
  if (list.length !== axes) {
    if (op === 'max_pool1d') {
      throw new RuntimeError(
        `max_pool1d() ${name} must be an int, list of ints or tuple of ints of size 1 but got size ${list.length}`,
      );
    }
    if (axes === 1) throw new RuntimeError(`${op}() argument '${name}' should contain one int (got ${list.length})`);
    if (op === 'avg_pool3d' && name !== 'stride') {
      throw new RuntimeError(`${op}: ${name} must be a single int, or a tuple of three ints`);
    }
    if (name === 'dilation') {
      throw new RuntimeError(`${op}: ${name} must be either a single int, or a tuple of ${COUNTS[axes - 1]} ints`);
    }
    const optional = name === 'stride' ? 'be omitted, ' : 'be ';
    throw new RuntimeError(
      `${op}: ${name} must either ${optional}a single int, or a tuple of ${COUNTS[axes - 1]} ints`,
    );
  }
  return list;
}

export interface Window {
  readonly window: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly ceil: boolean;
}

/** Parameters of windows for every axis; without a stride it is the window's size. */
export function windowOf(
  op: string,
  axes: number,
  kernel_size: Numbers,
  stride: Numbers,
  padding: Numbers,
  dilation: Numbers,
  ceil: boolean,
): Window {
  const window = windowParam(op, 'kernel_size', kernel_size, axes);
  const given = typeof stride === 'number' || (stride !== null && stride.length > 0);
  return {
    window,
    stride: given ? windowParam(op, 'stride', stride, axes) : window,
    padding: windowParam(op, 'padding', padding, axes),
    dilation: windowParam(op, 'dilation', dilation, axes),
    ceil,
  };
}

function outputSize(size: number, w: Window, i: number): number {
  const { window, stride, padding, dilation, ceil } = w;
  if (stride[i] === 0) throw new RuntimeError('stride should not be zero');
  const reach = dilation[i] * (window[i] - 1) + 1;
  if (padding[i] < 0) throw new RuntimeError(`pad must be non-negative, but got pad: ${padding[i]}`);
  if (padding[i] > Math.floor(reach / 2)) {
    throw new RuntimeError(
      `pad should be at most half of effective kernel size, but got pad=${padding[i]}, kernel_size=${window[i]} and dilation=${dilation[i]}`,
    );
  }
  const room = size + 2 * padding[i] - reach;
  let out = Math.floor((room + (ceil ? stride[i] - 1 : 0)) / stride[i]) + 1;
  // The last window must begin inside of the input or its left padding.
  if (ceil && (out - 1) * stride[i] >= size + padding[i]) out--;
  return out;
}

const NAMES = [['W'], ['H', 'W'], ['T', 'H', 'W']];

function named(prefix: string, values: readonly number[]): string {
  return values.map((v, i) => `${prefix}${NAMES[values.length - 1][i]}: ${v}`).join(' ');
}

/** Sizes of the result of windows over [N, C, …] or [C, …]. @throws RuntimeError if there is none */
export function pooledSizes(input: Tensor, w: Window, name: string): number[] {
  const axes = w.window.length;
  const { sizes } = input;
  const rank = sizes.length;
  if (rank !== axes + 1 && rank !== axes + 2) {
    throw new RuntimeError(`non-empty ${axes + 1}D or ${axes + 2}D (batch mode) tensor expected for input`);
  }
  const first = rank - axes;
  const out = w.window.map((_, i) => outputSize(sizes[first + i], w, i));
  const check = (what: string, values: readonly number[], prefix: string): void => {
    if (values.some((v) => v <= 0)) {
      throw new RuntimeError(`${what} should be greater than zero, but got ${named(prefix, values)}`);
    }
  };
  check('kernel size', w.window, 'k');
  check('stride', w.stride, 'd');
  check('dilation', w.dilation, 'dilation');
  if (sizes.slice(rank - axes - 1).includes(0)) {
    if (axes === 3) {
      throw new RuntimeError(
        `${name}(): Expected input's non-batch dimensions to have positive length, but input has a shape of ${showSizes(sizes)} and non-batch dimension 0 has length zero!`,
      );
    }
    throw new RuntimeError(
      `Expected ${axes + 1}D or ${axes + 2}D (batch mode) tensor with optional 0 dim batch size for input, but got:${showSizes(sizes)}`,
    );
  }
  if (out.some((size) => size < 1)) {
    const channels = sizes[first - 1];
    const show = (list: readonly number[]) => `(${[channels, ...list].join('x')})`;
    throw new RuntimeError(
      `Given input size: ${show(sizes.slice(first))}. Calculated output size: ${show(out)}. Output size is too small`,
    );
  }
  return [...sizes.slice(0, first), ...out];
}

/** With axes in front, so that there are three. */
function three(values: readonly number[], missing: number): Axes {
  return [...new Array<number>(3 - values.length).fill(missing), ...values] as unknown as Axes;
}

export function slidingGeometry(w: Window, divisor = 0, countPadding = false): PoolGeometry {
  return {
    window: three(w.window, 1),
    stride: three(w.stride, 1),
    padding: three(w.padding, 0),
    dilation: three(w.dilation, 1),
    adaptive: false,
    divisor,
    countPadding,
  };
}

const ONES: Axes = [1, 1, 1];

export const ADAPTIVE: PoolGeometry = {
  window: ONES,
  stride: ONES,
  padding: [0, 0, 0],
  dilation: ONES,
  adaptive: true,
  divisor: 0,
  countPadding: false,
};

/** Sizes of an adaptive pool's result. */
export function adaptiveSizes(input: Tensor, output_size: readonly number[], name: string): number[] {
  const axes = Number(name.at(-2));
  const { sizes } = input;
  const rank = sizes.length;
  const average = name.includes('avg');
  if (output_size.length !== axes) {
    throw new RuntimeError(
      average
        ? `${name}: output_size must be ${axes}`
        : `${name}(): internal error: output_size.size() must be ${axes}`,
    );
  }
  if (average && output_size.some((s) => s < 0)) {
    // The missing space is PyTorch's.
    const list = output_size.map((s, i) => (i === 0 ? s : `${i === 2 ? ',' : ', '}${s}`)).join('');
    throw new RuntimeError(
      `${name}: elements of output_size must be greater than or equal to 0 but received {${list}}`,
    );
  }
  if (rank !== axes + 1 && rank !== axes + 2) {
    const ranks = axes === 2 ? '3D or 4D' : '4D or 5D';
    throw new RuntimeError(`${name}(): Expected ${ranks} tensor, but got${average ? '' : ':'} ${showSizes(sizes)}`);
  }
  for (let d = rank - axes; d < rank; d++) {
    if (sizes[d] === 0) {
      throw new RuntimeError(
        `${name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes ${showSizes(sizes)} with dimension ${d} being empty`,
      );
    }
  }
  const out = [...sizes.slice(0, rank - axes), ...output_size];
  if (out.some((s) => s < 0)) {
    const bad = out.find((s) => s < 0);
    throw new RuntimeError(`Trying to create tensor with negative dimension ${bad}: ${showSizes(out)}`);
  }
  return out;
}
