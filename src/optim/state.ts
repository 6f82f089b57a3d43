/** What optimizers keep for a parameter. */
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { contiguousStrides, isContiguous, sameSizes, showSizes } from '../core/shape.ts';
import { fill } from '../ops/host.ts';
import { preservedStrides } from '../ops/layout.ts';
import { emptyStrided } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** By name; tensors and numbers. */
export type ParamState = Record<string, unknown>;

/** The framework holds a tensor of the state for as long as it is there. */
export function keep(value: Tensor, owner: Tensor): Tensor {
  value.storage.hold(owner.storage);
  return value;
}

/**
 * Makes sure that a gradient or a tensor of the state still goes with its parameter, which may have been moved or
 * converted since.
 * @throws RuntimeError otherwise
 */
export function checkFits(param: Tensor, x: Tensor, name: string): void {
  const [a, b] = [param.storage.backend, x.storage.backend];
  if (a !== b) {
    throw new RuntimeError(
      `Expected all tensors to be on the same device, but found at least two devices, ${a.device} and ${b.device}! The parameter was moved after ${name} was made; make the optimizer anew, or load its state again.`,
    );
  }
  if (param.dtype !== x.dtype || !sameSizes(param.sizes, x.sizes)) {
    throw new RuntimeError(
      `${name} is ${x.dtype} of shape ${showSizes(x.sizes)}, but its parameter is ${param.dtype} of shape ${showSizes(param.sizes)} by now; make the optimizer anew, or load its state again.`,
    );
  }
}

/** Options that say how PyTorch computes a step, not what; what cannot be had is refused. */
export function refuseDifferentiable(differentiable: unknown): void {
  if (differentiable) {
    throw new NotImplementedError('differentiable=True is not implemented: a step runs without recording');
  }
}

/** A tensor in the parameter's shape, dtype and layout; the framework holds it. Without `value`: contents undefined. */
export function newState(param: Tensor, value?: number): Tensor {
  const { sizes } = param;
  const strides = param.contiguousNow ? contiguousStrides(sizes) : preservedStrides(param);
  const state = emptyStrided(param.storage.backend, sizes, strides, param.dtype, isContiguous(sizes, strides));
  if (value !== undefined) fill(state, value);
  return keep(state, param);
}
