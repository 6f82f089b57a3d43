/** What optimizers keep for a parameter. */
import { contiguousStrides, isContiguous } from '../core/shape.ts';
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

/** A tensor in the parameter's shape, dtype and layout; the framework holds it. Without `value`: contents undefined. */
export function newState(param: Tensor, value?: number): Tensor {
  const { sizes } = param;
  const strides = param.contiguousNow ? contiguousStrides(sizes) : preservedStrides(param);
  const state = emptyStrided(param.storage.backend, sizes, strides, param.dtype, isContiguous(sizes, strides));
  if (value !== undefined) fill(state, value);
  return keep(state, param);
}
