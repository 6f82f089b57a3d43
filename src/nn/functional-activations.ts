/** Activations of `torch.nn.functional` that take `inplace`, and those that are made from others. */
import { ValueError } from '../core/errors.ts';
import { needNumber, needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functional as functions, functions as torch } from '../torch/attach.ts';
import type { FunctionalFunctions, TorchFunctions } from '../torch/generated.ts';
import { Signature } from './signature.ts';

export interface Inplace {
  /** Whether the result is written over the input. */
  inplace?: boolean;
}

/** Of an input alone. */
type Plain = (input: Tensor, inplace?: boolean | Inplace) => Tensor;

export interface InplaceActivations {
  /** max(x, 0), elementwise. */
  relu: Plain;
  /** min(max(x, 0), 6), elementwise. */
  relu6: Plain;
  /** x * sigmoid(x), elementwise. */
  silu: Plain;
  /** x * tanh(log(1 + exp(x))), elementwise. */
  mish: Plain;
  /** elu, scaled so that mean and variance settle at 0 and 1. */
  selu: Plain;
  /** x * min(max(x + 3, 0), 6) / 6, elementwise. */
  hardswish: Plain;
  /** min(max(x + 3, 0), 6) / 6, elementwise. */
  hardsigmoid: Plain;
  /** x where it is above the threshold, else value. */
  threshold(input: Tensor, threshold: number, value: number, inplace?: boolean | Inplace): Tensor;
  /** x between min_val and max_val, the nearer limit elsewhere. */
  hardtanh(input: Tensor, options?: Inplace & { min_val?: number; max_val?: number }): Tensor;
  hardtanh(input: Tensor, min_val: number, options?: Inplace & { max_val?: number }): Tensor;
  hardtanh(input: Tensor, min_val: number, max_val: number, inplace?: boolean | Inplace): Tensor;
  /** x where it is positive, else negative_slope * x. */
  leaky_relu(input: Tensor, options?: Inplace & { negative_slope?: number }): Tensor;
  leaky_relu(input: Tensor, negative_slope: number, inplace?: boolean | Inplace): Tensor;
  /** x where it is positive, else alpha * (exp(x) - 1). */
  elu(input: Tensor, options?: Inplace & { alpha?: number }): Tensor;
  elu(input: Tensor, alpha: number, inplace?: boolean | Inplace): Tensor;
  /** x where it is positive, else alpha * (exp(x / alpha) - 1). */
  celu(input: Tensor, options?: Inplace & { alpha?: number }): Tensor;
  celu(input: Tensor, alpha: number, inplace?: boolean | Inplace): Tensor;
  /** x where it is positive, else x times a slope: drawn from [lower, upper) during training, their mean otherwise. */
  rrelu(input: Tensor, options?: Inplace & { lower?: number; upper?: number; training?: boolean }): Tensor;
  rrelu(input: Tensor, lower: number, upper: number, options?: Inplace & { training?: boolean }): Tensor;
  rrelu(input: Tensor, lower: number, upper: number, training: boolean, inplace?: boolean | Inplace): Tensor;
  /** max(x, 0), written over x. */
  relu_(input: Tensor): Tensor;
}

/** Forms that `torch.nn.functional` has only through `inplace`. */
const HIDDEN = ['silu_', 'mish_', 'hardswish_', 'hardsigmoid_'] as const;
export type Hidden = (typeof HIDDEN)[number];

const ops = torch as unknown as TorchFunctions;
const declared = { ...functions } as unknown as FunctionalFunctions & Pick<InplaceActivations, 'relu'>;
for (const name of HIDDEN) delete functions[name];

export type Op = (...args: unknown[]) => Tensor;

/**
 * A function with `inplace` as its last parameter from an op and its in-place form, which check all others.
 * @param parameters after `input` and before `inplace`, with their defaults
 */
export function withInplace(name: string, parameters: string, plain: Op, written: Op): Op {
  const signature = Signature.of(`${name}(input, ${parameters}inplace=False)`);
  return (...args) => {
    if (args.length === 1) return plain(args[0]);
    const values = signature.bind(args);
    const inplace = values.pop();
    return (inplace ? written : plain)(...values);
  };
}

const named = (name: string): Op => declared[name as 'elu'] as unknown as Op;

const hardtanh = withInplace('hardtanh', 'min_val=-1, max_val=1, ', named('hardtanh'), named('hardtanh_'));
const RELU6 = Signature.of('relu6(input, inplace=False)');

function checkLimits(low: unknown, high: unknown): void {
  if (needNumber(low, 'hardtanh', 'min_val', 2) > needNumber(high, 'hardtanh', 'max_val', 3)) {
    throw new ValueError('min_val cannot be greater than max_val');
  }
}

const HARDTANH = Signature.of('hardtanh(input, min_val=-1, max_val=1, inplace=False)');

export const inplaceActivations = {
  relu: withInplace(
    'relu',
    '',
    ops.relu as Op,
    ((input: Tensor) => {
      needTensor(input, 'relu_', 'input');
      return input.relu_();
    }) as Op,
  ),
  relu6: (...args: unknown[]) => {
    const [input, inplace] = RELU6.bind(args);
    return hardtanh(input, 0, 6, inplace);
  },
  hardtanh: (...args: unknown[]) => {
    if (args.length === 1) return hardtanh(args[0]);
    const [input, low, high, inplace] = HARDTANH.bind(args);
    checkLimits(low, high);
    return hardtanh(input, low, high, inplace);
  },
  relu_: ((input: Tensor) => ops.relu_(input)) as Op,
  ...Object.fromEntries(
    [
      ['silu', ''],
      ['mish', ''],
      ['selu', ''],
      ['hardswish', ''],
      ['hardsigmoid', ''],
      ['threshold', 'threshold, value, '],
      ['leaky_relu', 'negative_slope=0.01, '],
      ['elu', 'alpha=1, '],
      ['celu', 'alpha=1, '],
    ].map(([name, parameters]) => [name, withInplace(name, parameters, named(name), named(`${name}_`))]),
  ),
};
