/** The elements of a tensor with other sizes, for kernels: outside of the graph and of views. */
import { contiguousStrides, numel, viewStrides } from '../core/shape.ts';
import { aliasTensor, type Tensor } from '../tensor/tensor.ts';

/** x's elements in the same order with these sizes, as many; a copy where no strides will do. */
export function regrouped(x: Tensor, sizes: readonly number[]): Tensor {
  const strides = viewStrides(x.sizes, x.strides, sizes);
  if (strides !== null) return aliasTensor(x, x.offset, sizes, strides, x.length);
  const dense = x.detach().contiguous();
  return aliasTensor(dense, dense.offset, sizes, contiguousStrides(sizes), numel(sizes));
}
