/**
 * What a kernel needs to know of a tensor. `Tensor` has these fields itself, so launches are built from tensors without
 * making anything in between.
 */
import type { DType } from './dtype.ts';

/** `S` is the storage class; it lives above this folder. */
export interface Operand<S = unknown> {
  readonly storage: S;
  /** First element, counted in elements from the start of the storage. */
  readonly offset: number;
  readonly sizes: readonly number[];
  /** In elements. */
  readonly strides: readonly number[];
  readonly dtype: DType;
  /** Number of elements. */
  readonly length: number;
}
