/** Tensors that an optimizer keeps for a parameter. */
import { contiguousStrides } from '../core/shape.ts';
import { isContiguous } from '../core/shape.ts';
import { preservedStrides } from '../ops/layout.ts';
import { emptyStrided } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { keep } from './state-dict.ts';

/** In the parameter's shape, dtype and layout, contents undefined; the framework holds it. */
export function newState(param: Tensor): Tensor {
  const { sizes } = param;
  const strides = param.contiguousNow ? contiguousStrides(sizes) : preservedStrides(param);
  return keep(emptyStrided(param.storage.backend, sizes, strides, param.dtype, isContiguous(sizes, strides)), param);
}
