/**
 * `torch.nn.functional`: the ops that are declared as such, and those whose functional form takes more arguments than
 * the op does. Families of layers that not every program needs add theirs when they are loaded (`functional-*.ts`).
 */
import type { DType } from '../core/dtype.ts';
import { warnOnce } from '../core/warn.ts';
import { needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functional as functions, functions as torch } from '../torch/attach.ts';
import type { FunctionalFunctions, TorchFunctions } from '../torch/generated.ts';
import { type Hidden, type InplaceActivations, inplaceActivations } from './functional-activations.ts';
import { type DropoutFunctions, dropoutFunctions } from './functional-dropout.ts';
import type { LossFunctions } from './functional-losses.ts';
import type { AttentionFunctions } from './attention-forward.ts';
import type { HiddenImages, ImageFunctions } from './functional-images.ts';
import type { NormFunctions } from './functional-normalization.ts';
import type { HiddenPools, PoolFunctions } from './functional-pooling.ts';
import { Signature } from './signature.ts';

interface SoftmaxOptions {
  dim?: number | null;
  dtype?: DType | null;
}

/** Functions whose form here differs from the op's. */
export interface OwnFunctions
  extends AttentionFunctions,
    InplaceActivations,
    DropoutFunctions,
    LossFunctions,
    ImageFunctions,
    NormFunctions,
    PoolFunctions {
  /** 1 / (1 + exp(-x)), elementwise. */
  sigmoid(input: Tensor): Tensor;
  /** Hyperbolic tangent, elementwise. */
  tanh(input: Tensor): Tensor;
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

export type Functional = Omit<FunctionalFunctions, keyof OwnFunctions | Hidden | HiddenImages | HiddenPools> &
  OwnFunctions;

const ops = torch as unknown as TorchFunctions;

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

/** The op without what it takes beside its input. */
function alone(name: 'sigmoid' | 'tanh'): (...args: unknown[]) => Tensor {
  const signature = Signature.of(`${name}(input)`);
  return (...args) => {
    const [input] = signature.bind(args) as [Tensor];
    needTensor(input, name, 'input');
    return ops[name](input);
  };
}

/** `torch.nn.functional`. */
export const functional: Functional = Object.assign(functions, {
  ...inplaceActivations,
  ...dropoutFunctions,
  sigmoid: alone('sigmoid'),
  tanh: alone('tanh'),
  softmax: withDim('softmax'),
  log_softmax: withDim('log_softmax'),
  softmin: withDim('softmin'),
}) as unknown as Functional;
