/** Functions that ask a tensor something, where PyTorch has the question as a function, too; and its constants. */
import { needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** Infinity. */
export const inf = Number.POSITIVE_INFINITY;
/** Not a number. */
export const nan = Number.NaN;
/** The ratio of a circle's circumference to its diameter. */
export const pi = Math.PI;
/** Euler's number. */
export const e = Math.E;
/** In an index: a new dimension of size 1. */
export const newaxis = null;

/** `torch.numel(x)`: how many elements there are. */
export function numel(input: Tensor): number {
  needTensor(input, 'numel', 'input');
  return input.numel();
}

/** `torch.is_floating_point(x)`: whether its dtype is. */
export function is_floating_point(input: Tensor): boolean {
  needTensor(input, 'is_floating_point', 'input');
  return input.dtype.is_floating_point;
}

/** `torch.is_complex(x)`: never, there are no complex dtypes here. */
export function is_complex(input: Tensor): boolean {
  needTensor(input, 'is_complex', 'input');
  return false;
}

/** `torch.is_signed(x)`: whether its dtype has negative numbers. */
export function is_signed(input: Tensor): boolean {
  needTensor(input, 'is_signed', 'input');
  return input.dtype.is_signed;
}
