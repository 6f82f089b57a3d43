/**
 * `nn.Parameter`: a tensor that modules list as theirs. It is a Tensor with a flag and nothing else, so kernels and
 * autograd meet one kind of object.
 */
import { RuntimeError } from '../core/errors.ts';
import { requireFloat } from '../ops/options.ts';
import { aliasTensor, FLAG_PARAMETER, requiresGrad, Tensor, versionCounter } from '../tensor/tensor.ts';
import { empty } from '../torch/factories.ts';
import { Signature } from './signature.ts';
import { pyTypeName } from './text.ts';

/** A tensor that is a module's parameter. */
export interface Parameter extends Tensor {}

export interface ParameterOptions {
  requires_grad?: boolean;
}

interface ParameterConstructor {
  /**
   * A parameter over the data's storage, by default one that requires grad.
   *
   * @param data default: an empty tensor
   */
  new (data?: Tensor | null, requires_grad?: boolean): Parameter;
  new (data: Tensor, options?: ParameterOptions): Parameter;
  readonly prototype: Parameter;
}

const INIT = Signature.of('Parameter.__new__(data=None, requires_grad=True)');

function create(...args: unknown[]): Tensor {
  const [data, requires_grad] = INIT.bind(args) as [Tensor | null, boolean];
  if (data !== null && !(data instanceof Tensor)) {
    throw new TypeError(`Parameter.__new__(): argument 'data' must be Tensor, not ${pyTypeName(data)}`);
  }
  return makeParameter(data ?? empty([0]), requires_grad);
}

/** The parameter over x's storage. */
export function makeParameter(x: Tensor, requires_grad: boolean): Parameter {
  if (requires_grad) requireFloat(x.dtype);
  const parameter = aliasTensor(x, x.offset, x.sizes, x.strides, x.length);
  parameter.version = versionCounter(x);
  parameter.wantsGrad = requires_grad;
  parameter.flags |= FLAG_PARAMETER;
  return parameter;
}

/** `torch.nn.Parameter`. */
export const Parameter: ParameterConstructor = function Parameter(...args: unknown[]) {
  return create(...args);
} as unknown as ParameterConstructor;
// Build tools rename a function expression that has the name of its constant.
Object.defineProperty(Parameter, 'name', { value: 'Parameter' });
Object.defineProperty(Parameter, Symbol.hasInstance, { value: isParameter });
Object.defineProperty(Parameter, 'prototype', { value: Tensor.prototype });

/** Whether a value is a Parameter. */
export function isParameter(value: unknown): value is Parameter {
  return value instanceof Tensor && (value.flags & FLAG_PARAMETER) !== 0;
}

/** @throws RuntimeError unless x is a leaf */
export function requireLeaf(x: Tensor, name: string): void {
  if (x.node !== null && requiresGrad(x)) {
    throw new RuntimeError(
      `Cannot assign non-leaf Tensor to parameter '${name}'. Model parameters must be created explicitly. To express '${name}' as a function of another Tensor, compute the value in the forward() method.`,
    );
  }
}
