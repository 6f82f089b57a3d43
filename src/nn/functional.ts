/**
 * `torch.nn.functional`: the ops that are declared as such, and those whose functional form takes more arguments than
 * the op does.
 */
import type { DType } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import { warnOnce } from '../core/warn.ts';
import { needNumber, needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functional as functions, functions as torch } from '../torch/attach.ts';
import type { FunctionalFunctions, TorchFunctions } from '../torch/generated.ts';
import { type Hidden, type Inplace, type InplaceActivations, inplaceActivations } from './functional-activations.ts';
import { Signature } from './signature.ts';
import { pyNumber } from './text.ts';

interface DropoutOptions extends Inplace {
  p?: number;
  training?: boolean;
}
interface SoftmaxOptions {
  dim?: number | null;
  dtype?: DType | null;
}

/** Functions whose form here differs from the op's. */
export interface OwnFunctions extends InplaceActivations {
  /** 1 / (1 + exp(-x)), elementwise. */
  sigmoid(input: Tensor): Tensor;
  /** Hyperbolic tangent, elementwise. */
  tanh(input: Tensor): Tensor;
  /** During training zeroes elements with probability p and scales the others by 1 / (1 - p). */
  dropout(input: Tensor, options?: DropoutOptions): Tensor;
  dropout(input: Tensor, p: number, options?: Omit<DropoutOptions, 'p'>): Tensor;
  dropout(input: Tensor, p: number, training: boolean, options?: Inplace): Tensor;
  dropout(input: Tensor, p: number, training: boolean, inplace: boolean): Tensor;
  /** exp(x) / sum(exp(x)) along dimension dim. */
  softmax(input: Tensor, options?: SoftmaxOptions): Tensor;
  softmax(input: Tensor, dim: number | null, options?: Omit<SoftmaxOptions, 'dim'>): Tensor;
  /** softmax of -x along dimension dim. */
  softmin(input: Tensor, options?: SoftmaxOptions): Tensor;
  softmin(input: Tensor, dim: number | null, options?: Omit<SoftmaxOptions, 'dim'>): Tensor;
  /** Logarithm of softmax along dimension dim. */
  log_softmax(input: Tensor, options?: SoftmaxOptions): Tensor;
  log_softmax(input: Tensor, dim: number | null, options?: Omit<SoftmaxOptions, 'dim'>): Tensor;
}

export type Functional = Omit<FunctionalFunctions, keyof OwnFunctions | Hidden> & OwnFunctions;

const ops = torch as unknown as TorchFunctions;
const declared = { ...functions } as unknown as FunctionalFunctions;

const DROPOUT = Signature.of('dropout(input, p=0.5, training=True, inplace=False)');

function dropout(...args: unknown[]): Tensor {
  const [input, given, training, inplace] = DROPOUT.bind(args) as [Tensor, unknown, boolean, boolean];
  const p = needNumber(given, 'dropout', 'p', 2);
  if (!(p >= 0 && p <= 1)) {
    throw new ValueError(`dropout probability has to be between 0 and 1, but got ${pyNumber(p)}`);
  }
  const out = declared.dropout(input, p, training);
  return inplace && out !== input ? input.copy_(out) : out;
}

/** The dimension that PyTorch took when none had to be given. */
function implicitDim(name: string, rank: number): number {
  warnOnce(
    `Implicit dimension choice for ${name} has been deprecated. Change the call to include dim=X as an argument.`,
  );
  return rank === 0 || rank === 1 || rank === 3 ? 0 : 1;
}

function withDim(name: 'softmax' | 'log_softmax' | 'softmin'): (...args: unknown[]) => Tensor {
  const signature = Signature.of(`${name}(input, dim=None, _stacklevel=3, dtype=None)`);
  const op = ops[name === 'softmin' ? 'softmax' : name] as unknown as (
    input: Tensor,
    dim: number,
    options: { dtype: DType | null },
  ) => Tensor;
  return (...args) => {
    const [input, dim, , dtype] = signature.bind(args) as [Tensor, number | null, unknown, DType | null];
    needTensor(input, name, 'input');
    const along = dim ?? implicitDim(name, input.sizes.length);
    return op(name === 'softmin' ? input.neg() : input, along, { dtype });
  };
}

/** `torch.nn.functional`. */
export const functional: Functional = Object.assign(functions, {
  ...inplaceActivations,
  dropout,
  sigmoid: (input: Tensor) => ops.sigmoid(input),
  tanh: (input: Tensor) => ops.tanh(input),
  softmax: withDim('softmax'),
  log_softmax: withDim('log_softmax'),
  softmin: withDim('softmin'),
}) as unknown as Functional;
