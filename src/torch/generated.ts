// Made by `npm run generate` from the op declarations in src/ops. Do not edit.

import type { DeviceLike } from '../core/device.ts';
import type { DType, TypedArray } from '../core/dtype.ts';
import type { Scalar } from '../core/promote.ts';
import type { NestedValues } from '../ops/convert.ts';
import type { TensorData } from '../ops/from-data.ts';
import type { Generator } from '../ops/generator.ts';
import type { IndexArgument } from '../ops/indexing.ts';
import type { NamedTuple } from '../ops/named-tuple.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** Methods of tensors. */
export interface TensorMethods {
  /** self in pinned host memory, which non-blocking copies to and from a device need; self itself if it is there already. */
  pin_memory(device: DeviceLike | null): Tensor;
  pin_memory(options?: { device?: DeviceLike | null }): Tensor;
  /** Whether self lies in pinned host memory: its storage, so views too. */
  is_pinned(device: DeviceLike | null): boolean;
  is_pinned(options?: { device?: DeviceLike | null }): boolean;
  /** Zeros of the given shape. dtype and device are self's unless given. */
  new_zeros(
    size: readonly (number | bigint)[],
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  new_zeros(
    ...size: [
      ...sizes: (number | bigint)[],
      options: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
    ]
  ): Tensor;
  new_zeros(...size: (number | bigint)[]): Tensor;
  /** Ones of the given shape. dtype and device are self's unless given. */
  new_ones(
    size: readonly (number | bigint)[],
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  new_ones(
    ...size: [
      ...sizes: (number | bigint)[],
      options: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
    ]
  ): Tensor;
  new_ones(...size: (number | bigint)[]): Tensor;
  /** Undefined contents of the given shape. dtype and device are self's unless given. */
  new_empty(
    size: readonly (number | bigint)[],
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  new_empty(
    ...size: [
      ...sizes: (number | bigint)[],
      options: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
    ]
  ): Tensor;
  new_empty(...size: (number | bigint)[]): Tensor;
  /** The given value in the given shape, with self's dtype and device unless given. */
  new_full(
    size: readonly (number | bigint)[],
    fill_value: Scalar,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  new_full(
    size: readonly (number | bigint)[],
    options: {
      fill_value: Scalar;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  new_full(options: {
    size: readonly (number | bigint)[];
    fill_value: Scalar;
    dtype?: DType | null;
    device?: DeviceLike | null;
    requires_grad?: boolean;
    pin_memory?: boolean;
  }): Tensor;
  /** A new tensor from data, with self's dtype and device unless given. */
  new_tensor(
    data: TensorData,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean },
  ): Tensor;
  new_tensor(options: {
    data: TensorData;
    dtype?: DType | null;
    device?: DeviceLike | null;
    requires_grad?: boolean;
  }): Tensor;
  /** Undefined contents with the given sizes and strides, self's dtype and device. */
  new_empty_strided(
    size: readonly (number | bigint)[],
    stride: readonly (number | bigint)[],
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  new_empty_strided(
    size: readonly (number | bigint)[],
    options: {
      stride: readonly (number | bigint)[];
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  new_empty_strided(options: {
    size: readonly (number | bigint)[];
    stride: readonly (number | bigint)[];
    dtype?: DType | null;
    device?: DeviceLike | null;
    requires_grad?: boolean;
    pin_memory?: boolean;
  }): Tensor;
  /** Fills self with uniform numbers in [from, to). */
  uniform_(from: number, to: number, options?: { generator?: Generator | null }): this;
  uniform_(from: number, options?: { to?: number; generator?: Generator | null }): this;
  uniform_(options?: { from?: number; to?: number; generator?: Generator | null }): this;
  /** Fills self with normal numbers of the given mean and standard deviation. */
  normal_(mean: number, std: number, options?: { generator?: Generator | null }): this;
  normal_(mean: number, options?: { std?: number; generator?: Generator | null }): this;
  normal_(options?: { mean?: number; std?: number; generator?: Generator | null }): this;
  /** Fills self with 0 and 1; 1 with probability p. */
  bernoulli_(p: Tensor, options?: { generator?: Generator | null }): this;
  bernoulli_(options: { p: Tensor; generator?: Generator | null }): this;
  bernoulli_(p: number, options?: { generator?: Generator | null }): this;
  bernoulli_(options?: { p?: number; generator?: Generator | null }): this;
  /** Fills self with whole numbers: all that its dtype has, those below to, or those of [from, to). */
  random_(options?: { generator?: Generator | null }): this;
  random_(to: number | bigint, options?: { generator?: Generator | null }): this;
  random_(options: { to: number | bigint; generator?: Generator | null }): this;
  random_(from: number | bigint, to: number | bigint | null, options?: { generator?: Generator | null }): this;
  random_(from: number | bigint, options: { to: number | bigint | null; generator?: Generator | null }): this;
  random_(options: { from: number | bigint; to: number | bigint | null; generator?: Generator | null }): this;
  /** self with another dtype or on another device; self itself where nothing changes. */
  to(
    device: DeviceLike | null,
    dtype: DType | null,
    non_blocking: boolean,
    copy: boolean,
    options?: { memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null },
  ): Tensor;
  to(
    device: DeviceLike | null,
    dtype: DType | null,
    non_blocking: boolean,
    options?: {
      copy?: boolean;
      memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
    },
  ): Tensor;
  to(
    device: DeviceLike | null,
    dtype: DType | null,
    options?: {
      non_blocking?: boolean;
      copy?: boolean;
      memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
    },
  ): Tensor;
  to(
    device: DeviceLike | null,
    options?: {
      dtype?: DType | null;
      non_blocking?: boolean;
      copy?: boolean;
      memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
    },
  ): Tensor;
  to(options?: {
    device?: DeviceLike | null;
    dtype?: DType | null;
    non_blocking?: boolean;
    copy?: boolean;
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  to(
    dtype: DType,
    non_blocking: boolean,
    copy: boolean,
    options?: { memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null },
  ): Tensor;
  to(
    dtype: DType,
    non_blocking: boolean,
    options?: {
      copy?: boolean;
      memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
    },
  ): Tensor;
  to(
    dtype: DType,
    options?: {
      non_blocking?: boolean;
      copy?: boolean;
      memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
    },
  ): Tensor;
  to(options: {
    dtype: DType;
    non_blocking?: boolean;
    copy?: boolean;
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  to(
    other: Tensor,
    non_blocking: boolean,
    copy: boolean,
    options?: { memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null },
  ): Tensor;
  to(
    other: Tensor,
    non_blocking: boolean,
    options?: {
      copy?: boolean;
      memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
    },
  ): Tensor;
  to(
    other: Tensor,
    options?: {
      non_blocking?: boolean;
      copy?: boolean;
      memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
    },
  ): Tensor;
  to(options: {
    other: Tensor;
    non_blocking?: boolean;
    copy?: boolean;
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self.to(torch.float64). */
  double(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self.to(torch.float32). */
  float(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self.to(torch.float16). */
  half(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self.to(torch.bfloat16). */
  bfloat16(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self.to(torch.int64). */
  long(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self.to(torch.int32). */
  int(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self.to(torch.int16). */
  short(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self.to(torch.int8). */
  char(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self.to(torch.uint8). */
  byte(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self.to(torch.bool). */
  bool(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self on the cpu. */
  cpu(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self on an mtia device, by default the current one. */
  mtia(
    device: DeviceLike | null,
    non_blocking: boolean,
    options?: { memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null },
  ): Tensor;
  mtia(
    device: DeviceLike | null,
    options?: {
      non_blocking?: boolean;
      memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
    },
  ): Tensor;
  mtia(options?: {
    device?: DeviceLike | null;
    non_blocking?: boolean;
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self with another tensor's dtype and device. */
  type_as(other: Tensor): Tensor;
  type_as(options: { other: Tensor }): Tensor;
  /** A copy with its own storage; gradients flow through. */
  clone(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** self itself if it is contiguous (row-major), otherwise a contiguous copy. */
  contiguous(options?: {
    memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null;
  }): Tensor;
  /** Undefined contents in self's shape and, where it is dense, layout. */
  new_empty_like_strides(): Tensor;
  /** Copies src into self, with broadcasting, conversion and across devices. */
  copy_(other: Tensor | Scalar, non_blocking: boolean): this;
  copy_(other: Tensor | Scalar, options?: { non_blocking?: boolean }): this;
  copy_(options: { other: Tensor | Scalar; non_blocking?: boolean }): this;
  /** Sets every element to value. */
  fill_(value: Tensor): this;
  fill_(options: { value: Tensor }): this;
  fill_(value: Scalar): this;
  fill_(options: { value: Scalar }): this;
  /** Sets every element to 0. */
  zero_(): this;
  /** The value of a one-element tensor as a number (bool: a boolean). Waits for the device. */
  item(): number;
  /** The values as nested arrays (0-dim: one value). Waits for the device. */
  tolist(): NestedValues;
  /** A copy of the values in row-major order: bool as Uint8Array, half types as their raw bits in a Uint16Array. */
  toTypedArray(): TypedArray;
  /** Sum over all elements, or over the dimensions dim. Integers and bools add up in int64. */
  sum(options?: { dtype?: DType | null }): Tensor;
  sum(
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  sum(
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  sum(options: {
    dim: number | bigint | readonly (number | bigint)[] | null;
    keepdim?: boolean;
    dtype?: DType | null;
  }): Tensor;
  /** Sums self down to a shape that broadcasts to its own. */
  sum_to_size(size: readonly (number | bigint)[]): Tensor;
  sum_to_size(...size: (number | bigint)[]): Tensor;
  /** Mean over all elements, or over the dimensions dim. */
  mean(options?: { dtype?: DType | null }): Tensor;
  mean(
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  mean(
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  mean(options: {
    dim: number | bigint | readonly (number | bigint)[] | null;
    keepdim?: boolean;
    dtype?: DType | null;
  }): Tensor;
  /** The largest element; with dim, along that dimension with its positions; with a tensor, elementwise. */
  max(): Tensor;
  max(other: Tensor): Tensor;
  max(options: { other: Tensor }): Tensor;
  max(dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  max(dim: number | bigint, options?: { keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  max(options: { dim: number | bigint; keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  /** The largest elements over the dimensions dim; ties share the gradient. */
  amax(dim: number | bigint | readonly (number | bigint)[] | null, keepdim: boolean): Tensor;
  amax(dim: number | bigint | readonly (number | bigint)[] | null, options?: { keepdim?: boolean }): Tensor;
  amax(options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean }): Tensor;
  /** Position of the largest element, in the flattened tensor or along dim. */
  argmax(dim: number | bigint | null, keepdim: boolean): Tensor;
  argmax(dim: number | bigint | null, options?: { keepdim?: boolean }): Tensor;
  argmax(options?: { dim?: number | bigint | null; keepdim?: boolean }): Tensor;
  /** The smallest element; with dim, along that dimension with its positions; with a tensor, elementwise. */
  min(): Tensor;
  min(other: Tensor): Tensor;
  min(options: { other: Tensor }): Tensor;
  min(dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  min(dim: number | bigint, options?: { keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  min(options: { dim: number | bigint; keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  /** The smallest elements over the dimensions dim; ties share the gradient. */
  amin(dim: number | bigint | readonly (number | bigint)[] | null, keepdim: boolean): Tensor;
  amin(dim: number | bigint | readonly (number | bigint)[] | null, options?: { keepdim?: boolean }): Tensor;
  amin(options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean }): Tensor;
  /** Position of the smallest element, in the flattened tensor or along dim. */
  argmin(dim: number | bigint | null, keepdim: boolean): Tensor;
  argmin(dim: number | bigint | null, options?: { keepdim?: boolean }): Tensor;
  argmin(options?: { dim?: number | bigint | null; keepdim?: boolean }): Tensor;
  /** Whether any elements are true, over everything or along dim. */
  any(): Tensor;
  any(dim: number | bigint | readonly (number | bigint)[] | null, keepdim: boolean): Tensor;
  any(dim: number | bigint | readonly (number | bigint)[] | null, options?: { keepdim?: boolean }): Tensor;
  any(options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean }): Tensor;
  /** Whether all elements are true, over everything or along dim. */
  all(): Tensor;
  all(dim: number | bigint | readonly (number | bigint)[] | null, keepdim: boolean): Tensor;
  all(dim: number | bigint | readonly (number | bigint)[] | null, options?: { keepdim?: boolean }): Tensor;
  all(options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean }): Tensor;
  /** Product of all elements, or along dim. Integers and bools multiply in int64. */
  prod(options?: { dtype?: DType | null }): Tensor;
  prod(dim: number | bigint, keepdim: boolean, options?: { dtype?: DType | null }): Tensor;
  prod(dim: number | bigint, options?: { keepdim?: boolean; dtype?: DType | null }): Tensor;
  prod(options: { dim: number | bigint; keepdim?: boolean; dtype?: DType | null }): Tensor;
  /** self with another shape over the same storage; one size may be -1. Or its bytes as another dtype, without history. */
  view(dtype: DType): Tensor;
  view(options: { dtype: DType }): Tensor;
  view(size: readonly (number | bigint)[]): Tensor;
  view(...size: (number | bigint)[]): Tensor;
  /** self with another tensor's shape. */
  view_as(other: Tensor): Tensor;
  view_as(options: { other: Tensor }): Tensor;
  /** self with another shape: a view where possible, otherwise a copy. One size may be -1. */
  reshape(shape: readonly (number | bigint)[]): Tensor;
  reshape(...shape: (number | bigint)[]): Tensor;
  /** self with another tensor's shape. */
  reshape_as(other: Tensor): Tensor;
  reshape_as(options: { other: Tensor }): Tensor;
  /** Dimensions start_dim to end_dim become one. */
  flatten(start_dim: number | bigint, end_dim: number | bigint): Tensor;
  flatten(start_dim: number | bigint, options?: { end_dim?: number | bigint }): Tensor;
  flatten(options?: { start_dim?: number | bigint; end_dim?: number | bigint }): Tensor;
  /** All elements in one dimension, in row-major order: a view of what is contiguous. */
  ravel(): Tensor;
  /** Matrices transposed, as there are no complex numbers: the last two dimensions exchanged. */
  adjoint(): Tensor;
  /** Dimension dim becomes several, of the given sizes; one may be -1. */
  unflatten(dim: number | bigint, sizes: readonly (number | bigint)[]): Tensor;
  unflatten(dim: number | bigint, options: { sizes: readonly (number | bigint)[] }): Tensor;
  unflatten(options: { dim: number | bigint; sizes: readonly (number | bigint)[] }): Tensor;
  /** Dimensions in another order. */
  permute(dims: readonly (number | bigint)[]): Tensor;
  permute(...dims: (number | bigint)[]): Tensor;
  /** Two dimensions exchanged. */
  transpose(dim0: number | bigint, dim1: number | bigint): Tensor;
  transpose(dim0: number | bigint, options: { dim1: number | bigint }): Tensor;
  transpose(options: { dim0: number | bigint; dim1: number | bigint }): Tensor;
  /** Two dimensions exchanged; another name of transpose. */
  swapaxes(axis0: number | bigint, axis1: number | bigint): Tensor;
  swapaxes(axis0: number | bigint, options: { axis1: number | bigint }): Tensor;
  swapaxes(options: { axis0: number | bigint; axis1: number | bigint }): Tensor;
  /** Two dimensions exchanged; another name of transpose. */
  swapdims(dim0: number | bigint, dim1: number | bigint): Tensor;
  swapdims(dim0: number | bigint, options: { dim1: number | bigint }): Tensor;
  swapdims(options: { dim0: number | bigint; dim1: number | bigint }): Tensor;
  /** The transpose of a matrix; vectors and scalars as they are. */
  t(): Tensor;
  /** A new dimension of size 1 at dim. */
  unsqueeze(dim: number | bigint): Tensor;
  unsqueeze(options: { dim: number | bigint }): Tensor;
  /** Without dimensions of size 1: all of them, or only those named. */
  squeeze(): Tensor;
  squeeze(dim: number | bigint): Tensor;
  squeeze(options: { dim: number | bigint }): Tensor;
  squeeze(dim: readonly (number | bigint)[]): Tensor;
  squeeze(options: { dim: readonly (number | bigint)[] }): Tensor;
  /** Dimensions of size 1 repeated without a copy; -1 keeps a size, new leading dimensions are allowed. */
  expand(size: readonly (number | bigint)[], options?: { implicit?: boolean }): Tensor;
  expand(...size: [...sizes: (number | bigint)[], options: { implicit?: boolean }]): Tensor;
  expand(...size: (number | bigint)[]): Tensor;
  /** self expanded to another tensor's shape. */
  expand_as(other: Tensor): Tensor;
  expand_as(options: { other: Tensor }): Tensor;
  /** self expanded to the given shape. */
  broadcast_to(size: readonly (number | bigint)[]): Tensor;
  broadcast_to(...size: (number | bigint)[]): Tensor;
  /** The slice at `index` of dimension dim, without that dimension. */
  select(dim: number | bigint, index: number | bigint): Tensor;
  select(dim: number | bigint, options: { index: number | bigint }): Tensor;
  select(options: { dim: number | bigint; index: number | bigint }): Tensor;
  /** `length` elements of dimension dim from `start` on. */
  narrow(dim: number | bigint, start: number | bigint, length: number | bigint): Tensor;
  narrow(dim: number | bigint, start: number | bigint, options: { length: number | bigint }): Tensor;
  narrow(dim: number | bigint, options: { start: number | bigint; length: number | bigint }): Tensor;
  narrow(options: { dim: number | bigint; start: number | bigint; length: number | bigint }): Tensor;
  narrow(dim: number | bigint, start: Tensor, length: number | bigint): Tensor;
  narrow(dim: number | bigint, start: Tensor, options: { length: number | bigint }): Tensor;
  narrow(dim: number | bigint, options: { start: Tensor; length: number | bigint }): Tensor;
  narrow(options: { dim: number | bigint; start: Tensor; length: number | bigint }): Tensor;
  /** self cut off from its graph; shares storage and version counter. */
  detach(): Tensor;
  /** In-place form of `addmm`. */
  addmm_(mat1: Tensor, mat2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): this;
  addmm_(mat1: Tensor, options: { mat2: Tensor; beta?: Scalar; alpha?: Scalar }): this;
  addmm_(options: { mat1: Tensor; mat2: Tensor; beta?: Scalar; alpha?: Scalar }): this;
  /** Matrix product [n, k] @ [k, m]. */
  mm(mat2: Tensor): Tensor;
  mm(options: { mat2: Tensor }): Tensor;
  /** Products of two batches of matrices, [b, n, k] @ [b, k, m]. */
  bmm(mat2: Tensor): Tensor;
  bmm(options: { mat2: Tensor }): Tensor;
  /** beta * self + alpha * (mat1 @ mat2); self broadcasts to the product. */
  addmm(mat1: Tensor, mat2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addmm(mat1: Tensor, options: { mat2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  addmm(options: { mat1: Tensor; mat2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  /** Dot product of two vectors. */
  dot(tensor: Tensor): Tensor;
  dot(options: { tensor: Tensor }): Tensor;
  /** Matrix by vector. */
  mv(vec: Tensor): Tensor;
  mv(options: { vec: Tensor }): Tensor;
  /** Matrix product of vectors, matrices or broadcast batches of matrices. */
  matmul(other: Tensor): Tensor;
  matmul(options: { other: Tensor }): Tensor;
  /** self + alpha * other, elementwise with broadcasting and type promotion. */
  add(other: Tensor | Scalar, options?: { alpha?: Scalar }): Tensor;
  add(options: { other: Tensor | Scalar; alpha?: Scalar }): Tensor;
  /** In-place form of `add`. */
  add_(other: Tensor | Scalar, options?: { alpha?: Scalar }): this;
  add_(options: { other: Tensor | Scalar; alpha?: Scalar }): this;
  /** self - alpha * other, elementwise. */
  sub(other: Tensor | Scalar, options?: { alpha?: Scalar }): Tensor;
  sub(options: { other: Tensor | Scalar; alpha?: Scalar }): Tensor;
  /** In-place form of `sub`. */
  sub_(other: Tensor | Scalar, options?: { alpha?: Scalar }): this;
  sub_(options: { other: Tensor | Scalar; alpha?: Scalar }): this;
  /** self * other, elementwise. */
  mul(other: Tensor | Scalar): Tensor;
  mul(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `mul`. */
  mul_(other: Tensor | Scalar): this;
  mul_(options: { other: Tensor | Scalar }): this;
  /** -x, elementwise. */
  neg(): Tensor;
  /** In-place form of `neg`. */
  neg_(): this;
  /** |x|, elementwise. */
  abs(): Tensor;
  /** In-place form of `abs`. */
  abs_(): this;
  /** e to the power of x, elementwise. */
  exp(): Tensor;
  /** In-place form of `exp`. */
  exp_(): this;
  /** Natural logarithm, elementwise. */
  log(): Tensor;
  /** In-place form of `log`. */
  log_(): this;
  /** Square root, elementwise. */
  sqrt(): Tensor;
  /** In-place form of `sqrt`. */
  sqrt_(): this;
  /** 1 / sqrt(x), elementwise. */
  rsqrt(): Tensor;
  /** In-place form of `rsqrt`. */
  rsqrt_(): this;
  /** Sine of x in radians, elementwise. */
  sin(): Tensor;
  /** In-place form of `sin`. */
  sin_(): this;
  /** Cosine of x in radians, elementwise. */
  cos(): Tensor;
  /** In-place form of `cos`. */
  cos_(): this;
  /** Hyperbolic tangent, elementwise. */
  tanh(): Tensor;
  /** In-place form of `tanh`. */
  tanh_(): this;
  /** 1 / (1 + exp(-x)), elementwise. */
  sigmoid(): Tensor;
  /** In-place form of `sigmoid`. */
  sigmoid_(): this;
  /** Error function, elementwise. */
  erf(): Tensor;
  /** In-place form of `erf`. */
  erf_(): this;
  /** The larger of both, elementwise; NaN where either is. */
  maximum(other: Tensor): Tensor;
  maximum(options: { other: Tensor }): Tensor;
  /** The smaller of both, elementwise; NaN where either is. */
  minimum(other: Tensor): Tensor;
  minimum(options: { other: Tensor }): Tensor;
  /** self == other, elementwise, as a bool tensor. */
  eq(other: Tensor | Scalar): Tensor;
  eq(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `eq`. */
  eq_(other: Tensor | Scalar): this;
  eq_(options: { other: Tensor | Scalar }): this;
  /** self != other, elementwise, as a bool tensor. */
  ne(other: Tensor | Scalar): Tensor;
  ne(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `ne`. */
  ne_(other: Tensor | Scalar): this;
  ne_(options: { other: Tensor | Scalar }): this;
  /** self < other, elementwise, as a bool tensor. */
  lt(other: Tensor | Scalar): Tensor;
  lt(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `lt`. */
  lt_(other: Tensor | Scalar): this;
  lt_(options: { other: Tensor | Scalar }): this;
  /** self <= other, elementwise, as a bool tensor. */
  le(other: Tensor | Scalar): Tensor;
  le(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `le`. */
  le_(other: Tensor | Scalar): this;
  le_(options: { other: Tensor | Scalar }): this;
  /** self > other, elementwise, as a bool tensor. */
  gt(other: Tensor | Scalar): Tensor;
  gt(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `gt`. */
  gt_(other: Tensor | Scalar): this;
  gt_(options: { other: Tensor | Scalar }): this;
  /** self >= other, elementwise, as a bool tensor. */
  ge(other: Tensor | Scalar): Tensor;
  ge(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `ge`. */
  ge_(other: Tensor | Scalar): this;
  ge_(options: { other: Tensor | Scalar }): this;
  /** True where x is 0 or False. */
  logical_not(): Tensor;
  /** In-place form of `logical_not`. */
  logical_not_(): this;
  /** True where x is NaN. */
  isnan(): Tensor;
  /** True where x is neither NaN nor infinite. */
  isfinite(): Tensor;
  /** True where x is infinite. */
  isinf(): Tensor;
  /** max(x, 0), elementwise. */
  relu(): Tensor;
  /** In-place form of `relu`. */
  relu_(): this;
  /** self / other, elementwise; rounding_mode "trunc" or "floor" rounds the quotient and keeps integers. */
  div(other: Tensor | Scalar, options?: { rounding_mode?: 'trunc' | 'floor' | null }): Tensor;
  div(options: { other: Tensor | Scalar; rounding_mode?: 'trunc' | 'floor' | null }): Tensor;
  /** In-place form of `div`. */
  div_(other: Tensor | Scalar, options?: { rounding_mode?: 'trunc' | 'floor' | null }): this;
  div_(options: { other: Tensor | Scalar; rounding_mode?: 'trunc' | 'floor' | null }): this;
  /** self to the power of exponent, elementwise; either may be a number. */
  pow(exponent: Tensor | Scalar): Tensor;
  pow(options: { exponent: Tensor | Scalar }): Tensor;
  /** In-place form of `pow`. */
  pow_(exponent: Tensor | Scalar): this;
  pow_(options: { exponent: Tensor | Scalar }): this;
  /** Elements below min become min, above max become max. NaN stays. */
  clamp(min: Tensor | Scalar | null, max: Tensor | Scalar | null): Tensor;
  clamp(min: Tensor | Scalar | null, options?: { max?: Tensor | Scalar | null }): Tensor;
  clamp(options?: { min?: Tensor | Scalar | null; max?: Tensor | Scalar | null }): Tensor;
  /** In-place form of `clamp`. */
  clamp_(min: Tensor | Scalar | null, max: Tensor | Scalar | null): this;
  clamp_(min: Tensor | Scalar | null, options?: { max?: Tensor | Scalar | null }): this;
  clamp_(options?: { min?: Tensor | Scalar | null; max?: Tensor | Scalar | null }): this;
  /** Elements of self where condition is true, of other elsewhere. */
  where(condition: Tensor, other: Tensor | Scalar): Tensor;
  where(condition: Tensor, options: { other: Tensor | Scalar }): Tensor;
  where(options: { condition: Tensor; other: Tensor | Scalar }): Tensor;
  /** value (a number or a 0-dim tensor) where mask is true, self elsewhere. */
  masked_fill(mask: Tensor, value: Tensor | Scalar): Tensor;
  masked_fill(mask: Tensor, options: { value: Tensor | Scalar }): Tensor;
  masked_fill(options: { mask: Tensor; value: Tensor | Scalar }): Tensor;
  /** In-place form of `masked_fill`. */
  masked_fill_(mask: Tensor, value: Tensor | Scalar): this;
  masked_fill_(mask: Tensor, options: { value: Tensor | Scalar }): this;
  masked_fill_(options: { mask: Tensor; value: Tensor | Scalar }): this;
  /** 1 / x, elementwise. */
  reciprocal(): Tensor;
  /** In-place form of `reciprocal`. */
  reciprocal_(): this;
  /** 2 to the power of x, elementwise. */
  exp2(): Tensor;
  /** In-place form of `exp2`. */
  exp2_(): this;
  /** exp(x) - 1, exact near 0, elementwise. */
  expm1(): Tensor;
  /** In-place form of `expm1`. */
  expm1_(): this;
  /** log(1 + x), exact near 0, elementwise. */
  log1p(): Tensor;
  /** In-place form of `log1p`. */
  log1p_(): this;
  /** Logarithm to base 2, elementwise. */
  log2(): Tensor;
  /** In-place form of `log2`. */
  log2_(): this;
  /** Logarithm to base 10, elementwise. */
  log10(): Tensor;
  /** In-place form of `log10`. */
  log10_(): this;
  /** Tangent of x in radians, elementwise. */
  tan(): Tensor;
  /** In-place form of `tan`. */
  tan_(): this;
  /** Arc sine in radians, elementwise. */
  asin(): Tensor;
  /** In-place form of `asin`. */
  asin_(): this;
  /** Arc cosine in radians, elementwise. */
  acos(): Tensor;
  /** In-place form of `acos`. */
  acos_(): this;
  /** Arc tangent in radians, elementwise. */
  atan(): Tensor;
  /** In-place form of `atan`. */
  atan_(): this;
  /** Hyperbolic sine, elementwise. */
  sinh(): Tensor;
  /** In-place form of `sinh`. */
  sinh_(): this;
  /** Hyperbolic cosine, elementwise. */
  cosh(): Tensor;
  /** In-place form of `cosh`. */
  cosh_(): this;
  /** Inverse hyperbolic sine, elementwise. */
  asinh(): Tensor;
  /** In-place form of `asinh`. */
  asinh_(): this;
  /** Inverse hyperbolic cosine, elementwise. */
  acosh(): Tensor;
  /** In-place form of `acosh`. */
  acosh_(): this;
  /** Inverse hyperbolic tangent, elementwise. */
  atanh(): Tensor;
  /** In-place form of `atanh`. */
  atanh_(): this;
  /** 1 - erf(x), exact where erf(x) is near 1, elementwise. */
  erfc(): Tensor;
  /** In-place form of `erfc`. */
  erfc_(): this;
  /** The smallest whole number that is not below x, elementwise. */
  ceil(): Tensor;
  /** In-place form of `ceil`. */
  ceil_(): this;
  /** The largest whole number that is not above x, elementwise. */
  floor(): Tensor;
  /** In-place form of `floor`. */
  floor_(): this;
  /** x without its fraction, elementwise. */
  trunc(): Tensor;
  /** In-place form of `trunc`. */
  trunc_(): this;
  /** The nearest number with that many decimals, elementwise; halves go to the even neighbour. */
  round(options?: { decimals?: number | bigint | null }): Tensor;
  /** In-place form of `round`. */
  round_(options?: { decimals?: number | bigint | null }): this;
  /** The fraction of x, with its sign, elementwise. */
  frac(): Tensor;
  /** In-place form of `frac`. */
  frac_(): this;
  /** The sign of x: -1, 0 or 1, elementwise. */
  sign(): Tensor;
  /** In-place form of `sign`. */
  sign_(): this;
  /** The sign of x: -1, 0 or 1, elementwise. */
  sgn(): Tensor;
  /** In-place form of `sgn`. */
  sgn_(): this;
  /** x * x, elementwise. */
  square(): Tensor;
  /** In-place form of `square`. */
  square_(): this;
  /** Numbers in place of NaN (0), infinity (the largest of the dtype) and minus infinity, elementwise. */
  nan_to_num(nan: number | null, posinf: number | null, neginf: number | null): Tensor;
  nan_to_num(nan: number | null, posinf: number | null, options?: { neginf?: number | null }): Tensor;
  nan_to_num(nan: number | null, options?: { posinf?: number | null; neginf?: number | null }): Tensor;
  nan_to_num(options?: { nan?: number | null; posinf?: number | null; neginf?: number | null }): Tensor;
  /** In-place form of `nan_to_num`. */
  nan_to_num_(nan: number | null, posinf: number | null, neginf: number | null): this;
  nan_to_num_(nan: number | null, posinf: number | null, options?: { neginf?: number | null }): this;
  nan_to_num_(nan: number | null, options?: { posinf?: number | null; neginf?: number | null }): this;
  nan_to_num_(options?: { nan?: number | null; posinf?: number | null; neginf?: number | null }): this;
  /** 0 between -lambd and lambd, x elsewhere. */
  hardshrink(lambd: Scalar): Tensor;
  hardshrink(options?: { lambd?: Scalar }): Tensor;
  /** Variance over all elements or the dimensions dim, divided by n - correction (1). */
  var(unbiased: boolean): Tensor;
  var(options: { unbiased: boolean }): Tensor;
  var(dim: number | bigint | readonly (number | bigint)[] | null, unbiased: boolean, keepdim: boolean): Tensor;
  var(
    dim: number | bigint | readonly (number | bigint)[] | null,
    unbiased: boolean,
    options?: { keepdim?: boolean },
  ): Tensor;
  var(
    dim: number | bigint | readonly (number | bigint)[] | null,
    options: { unbiased: boolean; keepdim?: boolean },
  ): Tensor;
  var(options: {
    dim: number | bigint | readonly (number | bigint)[] | null;
    unbiased: boolean;
    keepdim?: boolean;
  }): Tensor;
  var(
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { correction?: Scalar | null; keepdim?: boolean; unbiased?: boolean | null },
  ): Tensor;
  var(options?: {
    dim?: number | bigint | readonly (number | bigint)[] | null;
    correction?: Scalar | null;
    keepdim?: boolean;
    unbiased?: boolean | null;
  }): Tensor;
  /** Standard deviation over all elements or the dimensions dim, divided by n - correction (1). */
  std(unbiased: boolean): Tensor;
  std(options: { unbiased: boolean }): Tensor;
  std(dim: number | bigint | readonly (number | bigint)[] | null, unbiased: boolean, keepdim: boolean): Tensor;
  std(
    dim: number | bigint | readonly (number | bigint)[] | null,
    unbiased: boolean,
    options?: { keepdim?: boolean },
  ): Tensor;
  std(
    dim: number | bigint | readonly (number | bigint)[] | null,
    options: { unbiased: boolean; keepdim?: boolean },
  ): Tensor;
  std(options: {
    dim: number | bigint | readonly (number | bigint)[] | null;
    unbiased: boolean;
    keepdim?: boolean;
  }): Tensor;
  std(
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { correction?: Scalar | null; keepdim?: boolean; unbiased?: boolean | null },
  ): Tensor;
  std(options?: {
    dim?: number | bigint | readonly (number | bigint)[] | null;
    correction?: Scalar | null;
    keepdim?: boolean;
    unbiased?: boolean | null;
  }): Tensor;
  /** Running sums along dim. Integers and bools add up in int64. */
  cumsum(dim: number | bigint, options?: { dtype?: DType | null }): Tensor;
  cumsum(options: { dim: number | bigint; dtype?: DType | null }): Tensor;
  /** In-place form of `cumsum`. */
  cumsum_(dim: number | bigint, options?: { dtype?: DType | null }): this;
  cumsum_(options: { dim: number | bigint; dtype?: DType | null }): this;
  /** Running products along dim. Integers and bools multiply in int64. */
  cumprod(dim: number | bigint, options?: { dtype?: DType | null }): Tensor;
  cumprod(options: { dim: number | bigint; dtype?: DType | null }): Tensor;
  /** In-place form of `cumprod`. */
  cumprod_(dim: number | bigint, options?: { dtype?: DType | null }): this;
  cumprod_(options: { dim: number | bigint; dtype?: DType | null }): this;
  /** Pieces of dimension dim: of one size (the last may be smaller), or of given sizes. */
  split(split_size: number | bigint, dim: number | bigint): Tensor[];
  split(split_size: number | bigint, options?: { dim?: number | bigint }): Tensor[];
  split(options: { split_size: number | bigint; dim?: number | bigint }): Tensor[];
  split(split_size: readonly (number | bigint)[], dim: number | bigint): Tensor[];
  split(split_size: readonly (number | bigint)[], options?: { dim?: number | bigint }): Tensor[];
  split(options: { split_size: readonly (number | bigint)[]; dim?: number | bigint }): Tensor[];
  /** At most `chunks` pieces of dimension dim, of equal size but for the last. */
  chunk(chunks: number | bigint, dim: number | bigint): Tensor[];
  chunk(chunks: number | bigint, options?: { dim?: number | bigint }): Tensor[];
  chunk(options: { chunks: number | bigint; dim?: number | bigint }): Tensor[];
  /** The slices along dimension dim, without that dimension. */
  unbind(dim: number | bigint): Tensor[];
  unbind(options?: { dim?: number | bigint }): Tensor[];
  /** A view with the given sizes, strides and storage offset, all in elements. */
  as_strided(
    size: readonly (number | bigint)[],
    stride: readonly (number | bigint)[],
    storage_offset: number | bigint | null,
  ): Tensor;
  as_strided(
    size: readonly (number | bigint)[],
    stride: readonly (number | bigint)[],
    options?: { storage_offset?: number | bigint | null },
  ): Tensor;
  as_strided(
    size: readonly (number | bigint)[],
    options: { stride: readonly (number | bigint)[]; storage_offset?: number | bigint | null },
  ): Tensor;
  as_strided(options: {
    size: readonly (number | bigint)[];
    stride: readonly (number | bigint)[];
    storage_offset?: number | bigint | null;
  }): Tensor;
  /** Gradient of as_strided: what the view received, added up where elements share memory. */
  as_strided_backward(
    base_sizes: readonly (number | bigint)[],
    base_strides: readonly (number | bigint)[],
    sizes: readonly (number | bigint)[],
    strides: readonly (number | bigint)[],
    offset: number | bigint,
  ): Tensor;
  as_strided_backward(
    base_sizes: readonly (number | bigint)[],
    base_strides: readonly (number | bigint)[],
    sizes: readonly (number | bigint)[],
    strides: readonly (number | bigint)[],
    options: { offset: number | bigint },
  ): Tensor;
  as_strided_backward(
    base_sizes: readonly (number | bigint)[],
    base_strides: readonly (number | bigint)[],
    sizes: readonly (number | bigint)[],
    options: { strides: readonly (number | bigint)[]; offset: number | bigint },
  ): Tensor;
  as_strided_backward(
    base_sizes: readonly (number | bigint)[],
    base_strides: readonly (number | bigint)[],
    options: { sizes: readonly (number | bigint)[]; strides: readonly (number | bigint)[]; offset: number | bigint },
  ): Tensor;
  as_strided_backward(
    base_sizes: readonly (number | bigint)[],
    options: {
      base_strides: readonly (number | bigint)[];
      sizes: readonly (number | bigint)[];
      strides: readonly (number | bigint)[];
      offset: number | bigint;
    },
  ): Tensor;
  as_strided_backward(options: {
    base_sizes: readonly (number | bigint)[];
    base_strides: readonly (number | bigint)[];
    sizes: readonly (number | bigint)[];
    strides: readonly (number | bigint)[];
    offset: number | bigint;
  }): Tensor;
  /** Positions of the elements that are not zero, one row each, or with as_tuple a list with one tensor per dimension. Waits for the device. */
  nonzero(options?: { as_tuple?: boolean }): Tensor;
  /** As `nonzero`. */
  argwhere(): Tensor;
  /** Python's x[…]: a list with one entry per dimension (number, ':', torch.Slice, '...', null, mask, positions). */
  index(indices: IndexArgument | null): Tensor;
  index(options: { indices: IndexArgument | null }): Tensor;
  /** Python's x[…] = value, or += with accumulate: true. Indices as in `index`. */
  index_put_(indices: IndexArgument | null, value: TensorData, accumulate: boolean): this;
  index_put_(indices: IndexArgument | null, value: TensorData, options?: { accumulate?: boolean }): this;
  index_put_(indices: IndexArgument | null, options: { value: TensorData; accumulate?: boolean }): this;
  index_put_(options: { indices: IndexArgument | null; value: TensorData; accumulate?: boolean }): this;
  /** As `index_put_`, on a copy. */
  index_put(indices: IndexArgument | null, value: TensorData, accumulate: boolean): Tensor;
  index_put(indices: IndexArgument | null, value: TensorData, options?: { accumulate?: boolean }): Tensor;
  index_put(indices: IndexArgument | null, options: { value: TensorData; accumulate?: boolean }): Tensor;
  index_put(options: { indices: IndexArgument | null; value: TensorData; accumulate?: boolean }): Tensor;
  /** The slices of dimension dim at the positions in index, a vector of int64 or int32. */
  index_select(dim: number | bigint, index: Tensor): Tensor;
  index_select(dim: number | bigint, options: { index: Tensor }): Tensor;
  index_select(options: { dim: number | bigint; index: Tensor }): Tensor;
  /** Adds alpha * source to the slices of dimension dim at the positions in index. */
  index_add_(dim: number | bigint, index: Tensor, source: Tensor, options?: { alpha?: Scalar }): this;
  index_add_(dim: number | bigint, index: Tensor, options: { source: Tensor; alpha?: Scalar }): this;
  index_add_(dim: number | bigint, options: { index: Tensor; source: Tensor; alpha?: Scalar }): this;
  index_add_(options: { dim: number | bigint; index: Tensor; source: Tensor; alpha?: Scalar }): this;
  /** As `index_add_`, on a copy. */
  index_add(dim: number | bigint, index: Tensor, source: Tensor, options?: { alpha?: Scalar }): Tensor;
  index_add(dim: number | bigint, index: Tensor, options: { source: Tensor; alpha?: Scalar }): Tensor;
  index_add(dim: number | bigint, options: { index: Tensor; source: Tensor; alpha?: Scalar }): Tensor;
  index_add(options: { dim: number | bigint; index: Tensor; source: Tensor; alpha?: Scalar }): Tensor;
  /** out[i][j] = self[index[i][j]][j] for dim = 0, and so on: picks along dim. */
  gather(dim: number | bigint, index: Tensor, options?: { sparse_grad?: boolean }): Tensor;
  gather(dim: number | bigint, options: { index: Tensor; sparse_grad?: boolean }): Tensor;
  gather(options: { dim: number | bigint; index: Tensor; sparse_grad?: boolean }): Tensor;
  /** self[index[i][j]][j] += src[i][j] for dim = 0, and so on. */
  scatter_add_(dim: number | bigint, index: Tensor, src: Tensor): this;
  scatter_add_(dim: number | bigint, index: Tensor, options: { src: Tensor }): this;
  scatter_add_(dim: number | bigint, options: { index: Tensor; src: Tensor }): this;
  scatter_add_(options: { dim: number | bigint; index: Tensor; src: Tensor }): this;
  /** As `scatter_add_`, on a copy. */
  scatter_add(dim: number | bigint, index: Tensor, src: Tensor): Tensor;
  scatter_add(dim: number | bigint, index: Tensor, options: { src: Tensor }): Tensor;
  scatter_add(dim: number | bigint, options: { index: Tensor; src: Tensor }): Tensor;
  scatter_add(options: { dim: number | bigint; index: Tensor; src: Tensor }): Tensor;
  /** A copy with the order of elements reversed along the dimensions dims. */
  flip(dims: readonly (number | bigint)[]): Tensor;
  flip(...dims: (number | bigint)[]): Tensor;
  /** A copy with dimension 1 reversed. */
  fliplr(): Tensor;
  /** A copy with dimension 0 reversed. */
  flipud(): Tensor;
  /** Elements moved by `shifts` along `dims`, round the end; without dims along the flattened tensor. */
  roll(
    shifts: number | bigint | readonly (number | bigint)[],
    dims: number | bigint | readonly (number | bigint)[],
  ): Tensor;
  roll(
    shifts: number | bigint | readonly (number | bigint)[],
    options?: { dims?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  roll(options: {
    shifts: number | bigint | readonly (number | bigint)[];
    dims?: number | bigint | readonly (number | bigint)[];
  }): Tensor;
  /** A copy with every dimension repeated so many times; new leading dimensions are allowed. */
  repeat(repeats: readonly (number | bigint)[]): Tensor;
  repeat(...repeats: (number | bigint)[]): Tensor;
  /** As `repeat`, but fewer numbers count from the last dimension. */
  tile(dims: readonly (number | bigint)[]): Tensor;
  tile(...dims: (number | bigint)[]): Tensor;
  /** Elementwise: |self - other| <= atol + rtol * |other|. */
  isclose(other: Tensor, rtol: number, atol: number, equal_nan: boolean): Tensor;
  isclose(other: Tensor, rtol: number, atol: number, options?: { equal_nan?: boolean }): Tensor;
  isclose(other: Tensor, rtol: number, options?: { atol?: number; equal_nan?: boolean }): Tensor;
  isclose(other: Tensor, options?: { rtol?: number; atol?: number; equal_nan?: boolean }): Tensor;
  isclose(options: { other: Tensor; rtol?: number; atol?: number; equal_nan?: boolean }): Tensor;
  /** Whether all elements satisfy |self - other| <= atol + rtol * |other|. Waits for the device. */
  allclose(other: Tensor, rtol: number, atol: number, equal_nan: boolean): boolean;
  allclose(other: Tensor, rtol: number, atol: number, options?: { equal_nan?: boolean }): boolean;
  allclose(other: Tensor, rtol: number, options?: { atol?: number; equal_nan?: boolean }): boolean;
  allclose(other: Tensor, options?: { rtol?: number; atol?: number; equal_nan?: boolean }): boolean;
  allclose(options: { other: Tensor; rtol?: number; atol?: number; equal_nan?: boolean }): boolean;
  /** Whether both have the same sizes and elements. Waits for the device. */
  equal(other: Tensor): boolean;
  equal(options: { other: Tensor }): boolean;
  /** exp(x) / sum(exp(x)) along dimension dim. */
  softmax(dim: number | bigint, dtype: DType | null): Tensor;
  softmax(dim: number | bigint, options?: { dtype?: DType | null }): Tensor;
  softmax(options: { dim: number | bigint; dtype?: DType | null }): Tensor;
  /** Logarithm of softmax along dimension dim. */
  log_softmax(dim: number | bigint, dtype: DType | null): Tensor;
  log_softmax(dim: number | bigint, options?: { dtype?: DType | null }): Tensor;
  log_softmax(options: { dim: number | bigint; dtype?: DType | null }): Tensor;
  /** log(sum(exp(x))) over the dimensions dim, without overflow. */
  logsumexp(dim: number | bigint | readonly (number | bigint)[], keepdim: boolean): Tensor;
  logsumexp(dim: number | bigint | readonly (number | bigint)[], options?: { keepdim?: boolean }): Tensor;
  logsumexp(options: { dim: number | bigint | readonly (number | bigint)[]; keepdim?: boolean }): Tensor;
  /** In-place form of `t`. */
  t_(): this;
  /** In-place form of `transpose`. */
  transpose_(dim0: number | bigint, dim1: number | bigint): this;
  transpose_(dim0: number | bigint, options: { dim1: number | bigint }): this;
  transpose_(options: { dim0: number | bigint; dim1: number | bigint }): this;
  /** In-place form of `swapaxes`. */
  swapaxes_(axis0: number | bigint, axis1: number | bigint): this;
  swapaxes_(axis0: number | bigint, options: { axis1: number | bigint }): this;
  swapaxes_(options: { axis0: number | bigint; axis1: number | bigint }): this;
  /** In-place form of `swapdims`. */
  swapdims_(dim0: number | bigint, dim1: number | bigint): this;
  swapdims_(dim0: number | bigint, options: { dim1: number | bigint }): this;
  swapdims_(options: { dim0: number | bigint; dim1: number | bigint }): this;
  /** In-place form of `squeeze`. */
  squeeze_(): this;
  squeeze_(dim: number | bigint): this;
  squeeze_(options: { dim: number | bigint }): this;
  squeeze_(dim: readonly (number | bigint)[]): this;
  squeeze_(options: { dim: readonly (number | bigint)[] }): this;
  /** In-place form of `unsqueeze`. */
  unsqueeze_(dim: number | bigint): this;
  unsqueeze_(options: { dim: number | bigint }): this;
  /** In-place form of `as_strided`. */
  as_strided_(
    size: readonly (number | bigint)[],
    stride: readonly (number | bigint)[],
    storage_offset: number | bigint | null,
  ): this;
  as_strided_(
    size: readonly (number | bigint)[],
    stride: readonly (number | bigint)[],
    options?: { storage_offset?: number | bigint | null },
  ): this;
  as_strided_(
    size: readonly (number | bigint)[],
    options: { stride: readonly (number | bigint)[]; storage_offset?: number | bigint | null },
  ): this;
  as_strided_(options: {
    size: readonly (number | bigint)[];
    stride: readonly (number | bigint)[];
    storage_offset?: number | bigint | null;
  }): this;
  /** True where both are; anything but 0 is true. */
  logical_and(other: Tensor): Tensor;
  logical_and(options: { other: Tensor }): Tensor;
  /** In-place form of `logical_and`. */
  logical_and_(other: Tensor): this;
  logical_and_(options: { other: Tensor }): this;
  /** True where either is; anything but 0 is true. */
  logical_or(other: Tensor): Tensor;
  logical_or(options: { other: Tensor }): Tensor;
  /** In-place form of `logical_or`. */
  logical_or_(other: Tensor): this;
  logical_or_(options: { other: Tensor }): this;
  /** True where exactly one is; anything but 0 is true. */
  logical_xor(other: Tensor): Tensor;
  logical_xor(options: { other: Tensor }): Tensor;
  /** In-place form of `logical_xor`. */
  logical_xor_(other: Tensor): this;
  logical_xor_(options: { other: Tensor }): this;
  /** Bits that both have; of bools, and, elementwise; integers only. */
  bitwise_and(other: Tensor | Scalar): Tensor;
  bitwise_and(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `bitwise_and`. */
  bitwise_and_(other: Tensor | Scalar): this;
  bitwise_and_(options: { other: Tensor | Scalar }): this;
  /** Bits that either has; of bools, or, elementwise; integers only. */
  bitwise_or(other: Tensor | Scalar): Tensor;
  bitwise_or(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `bitwise_or`. */
  bitwise_or_(other: Tensor | Scalar): this;
  bitwise_or_(options: { other: Tensor | Scalar }): this;
  /** Bits that exactly one has; of bools, exclusive or, elementwise; integers only. */
  bitwise_xor(other: Tensor | Scalar): Tensor;
  bitwise_xor(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `bitwise_xor`. */
  bitwise_xor_(other: Tensor | Scalar): this;
  bitwise_xor_(options: { other: Tensor | Scalar }): this;
  /** self * 2^other, elementwise; integers only. */
  bitwise_left_shift(other: Tensor | Scalar): Tensor;
  bitwise_left_shift(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `bitwise_left_shift`. */
  bitwise_left_shift_(other: Tensor | Scalar): this;
  bitwise_left_shift_(options: { other: Tensor | Scalar }): this;
  /** self / 2^other, rounded down, elementwise; integers only. */
  bitwise_right_shift(other: Tensor | Scalar): Tensor;
  bitwise_right_shift(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `bitwise_right_shift`. */
  bitwise_right_shift_(other: Tensor | Scalar): this;
  bitwise_right_shift_(options: { other: Tensor | Scalar }): this;
  /** Every bit the other way; of bools, logical_not. Integers only. */
  bitwise_not(): Tensor;
  /** In-place form of `bitwise_not`. */
  bitwise_not_(): this;
  /** Remainder of self / other with the sign of self, elementwise. */
  fmod(other: Tensor | Scalar): Tensor;
  fmod(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `fmod`. */
  fmod_(other: Tensor | Scalar): this;
  fmod_(options: { other: Tensor | Scalar }): this;
  /** Remainder of self / other with the sign of other, elementwise. */
  remainder(other: Tensor | Scalar): Tensor;
  remainder(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `remainder`. */
  remainder_(other: Tensor | Scalar): this;
  remainder_(options: { other: Tensor | Scalar }): this;
  /** self / other, rounded down, elementwise; integers stay integers. Backward is not implemented; `div` with rounding_mode "floor" has it. */
  floor_divide(other: Tensor | Scalar): Tensor;
  floor_divide(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `floor_divide`. */
  floor_divide_(other: Tensor | Scalar): this;
  floor_divide_(options: { other: Tensor | Scalar }): this;
  /** The angle of the point (other, self) in radians, elementwise. */
  atan2(other: Tensor): Tensor;
  atan2(options: { other: Tensor }): Tensor;
  /** In-place form of `atan2`. */
  atan2_(other: Tensor): this;
  atan2_(options: { other: Tensor }): this;
  /** The magnitude of self with the sign of other, elementwise. */
  copysign(other: Tensor | Scalar): Tensor;
  copysign(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `copysign`. */
  copysign_(other: Tensor | Scalar): this;
  copysign_(options: { other: Tensor | Scalar }): this;
  /** The square root of self² + other², elementwise, without overflow on the way. */
  hypot(other: Tensor): Tensor;
  hypot(options: { other: Tensor }): Tensor;
  /** In-place form of `hypot`. */
  hypot_(other: Tensor): this;
  hypot_(options: { other: Tensor }): this;
  /** log(exp(self) + exp(other)), elementwise. */
  logaddexp(other: Tensor): Tensor;
  logaddexp(options: { other: Tensor }): Tensor;
  /** log2(2^self + 2^other), elementwise. */
  logaddexp2(other: Tensor): Tensor;
  logaddexp2(options: { other: Tensor }): Tensor;
  /** self * log(other), and 0 where self is 0, elementwise. */
  xlogy(other: Tensor | Scalar): Tensor;
  xlogy(options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `xlogy`. */
  xlogy_(other: Tensor | Scalar): this;
  xlogy_(options: { other: Tensor | Scalar }): this;
  /** self + value * tensor1 * tensor2, elementwise. */
  addcmul(tensor1: Tensor, tensor2: Tensor, options?: { value?: Scalar }): Tensor;
  addcmul(tensor1: Tensor, options: { tensor2: Tensor; value?: Scalar }): Tensor;
  addcmul(options: { tensor1: Tensor; tensor2: Tensor; value?: Scalar }): Tensor;
  /** In-place form of `addcmul`. */
  addcmul_(tensor1: Tensor, tensor2: Tensor, options?: { value?: Scalar }): this;
  addcmul_(tensor1: Tensor, options: { tensor2: Tensor; value?: Scalar }): this;
  addcmul_(options: { tensor1: Tensor; tensor2: Tensor; value?: Scalar }): this;
  /** self + value * tensor1 / tensor2, elementwise. */
  addcdiv(tensor1: Tensor, tensor2: Tensor, options?: { value?: Scalar }): Tensor;
  addcdiv(tensor1: Tensor, options: { tensor2: Tensor; value?: Scalar }): Tensor;
  addcdiv(options: { tensor1: Tensor; tensor2: Tensor; value?: Scalar }): Tensor;
  /** In-place form of `addcdiv`. */
  addcdiv_(tensor1: Tensor, tensor2: Tensor, options?: { value?: Scalar }): this;
  addcdiv_(tensor1: Tensor, options: { tensor2: Tensor; value?: Scalar }): this;
  addcdiv_(options: { tensor1: Tensor; tensor2: Tensor; value?: Scalar }): this;
  /** self + weight * (end - self), elementwise. */
  lerp(end: Tensor, weight: Tensor | Scalar): Tensor;
  lerp(end: Tensor, options: { weight: Tensor | Scalar }): Tensor;
  lerp(options: { end: Tensor; weight: Tensor | Scalar }): Tensor;
  /** In-place form of `lerp`. */
  lerp_(end: Tensor, weight: Tensor | Scalar): this;
  lerp_(end: Tensor, options: { weight: Tensor | Scalar }): this;
  lerp_(options: { end: Tensor; weight: Tensor | Scalar }): this;
  /** Elements below min become min. NaN stays. */
  clamp_min(min: Tensor | Scalar): Tensor;
  clamp_min(options: { min: Tensor | Scalar }): Tensor;
  /** In-place form of `clamp_min`. */
  clamp_min_(min: Tensor | Scalar): this;
  clamp_min_(options: { min: Tensor | Scalar }): this;
  /** Elements above max become max. NaN stays. */
  clamp_max(max: Tensor | Scalar): Tensor;
  clamp_max(options: { max: Tensor | Scalar }): Tensor;
  /** In-place form of `clamp_max`. */
  clamp_max_(max: Tensor | Scalar): this;
  clamp_max_(options: { max: Tensor | Scalar }): this;
  /** Degrees as radians, elementwise. */
  deg2rad(): Tensor;
  /** In-place form of `deg2rad`. */
  deg2rad_(): this;
  /** Radians as degrees, elementwise. */
  rad2deg(): Tensor;
  /** In-place form of `rad2deg`. */
  rad2deg_(): this;
  /** log(x / (1 - x)), elementwise; with eps, x is kept between eps and 1 - eps. */
  logit(eps: number | null): Tensor;
  logit(options?: { eps?: number | null }): Tensor;
  /** In-place form of `logit`. */
  logit_(eps: number | null): this;
  logit_(options?: { eps?: number | null }): this;
  /** sin(πx) / (πx), and 1 at 0, elementwise. */
  sinc(): Tensor;
  /** In-place form of `sinc`. */
  sinc_(): this;
  /** The larger of both, elementwise; a NaN loses. */
  fmax(other: Tensor): Tensor;
  fmax(options: { other: Tensor }): Tensor;
  /** The smaller of both, elementwise; a NaN loses. */
  fmin(other: Tensor): Tensor;
  fmin(options: { other: Tensor }): Tensor;
  /** self * 2^other, elementwise. */
  ldexp(other: Tensor): Tensor;
  ldexp(options: { other: Tensor }): Tensor;
  /** In-place form of `ldexp`. */
  ldexp_(other: Tensor): this;
  ldexp_(options: { other: Tensor }): this;
  /** 1 above 0, values at 0, 0 elsewhere, elementwise. Both are of one dtype; backward is not implemented. */
  heaviside(values: Tensor): Tensor;
  heaviside(options: { values: Tensor }): Tensor;
  /** In-place form of `heaviside`. */
  heaviside_(values: Tensor): this;
  heaviside_(options: { values: Tensor }): this;
  /** True where x is infinity. */
  isposinf(): Tensor;
  /** True where x is minus infinity. */
  isneginf(): Tensor;
  /** True where x has a sign: negative numbers, -0 and NaN with one. */
  signbit(): Tensor;
  /** True everywhere: there are no complex numbers here. */
  isreal(): Tensor;
  /** x itself, which may not be bool. */
  positive(): Tensor;
  /** self to the power of exponent in float64, elementwise; either may be a number. */
  float_power(exponent: Tensor | Scalar): Tensor;
  float_power(options: { exponent: Tensor | Scalar }): Tensor;
  float_power(exponent: Tensor): Tensor;
  float_power(options: { exponent: Tensor }): Tensor;
  /** In-place form of `float_power`, of float64 alone. */
  float_power_(exponent: Tensor | Scalar): this;
  float_power_(options: { exponent: Tensor | Scalar }): this;
  /** Another name of `abs`. */
  absolute(): Tensor;
  /** Another name of `abs_`. */
  absolute_(): this;
  /** Another name of `acos`. */
  arccos(): Tensor;
  /** Another name of `acos_`. */
  arccos_(): this;
  /** Another name of `acosh`. */
  arccosh(): Tensor;
  /** Another name of `acosh_`. */
  arccosh_(): this;
  /** Another name of `asin`. */
  arcsin(): Tensor;
  /** Another name of `asin_`. */
  arcsin_(): this;
  /** Another name of `asinh`. */
  arcsinh(): Tensor;
  /** Another name of `asinh_`. */
  arcsinh_(): this;
  /** Another name of `atan`. */
  arctan(): Tensor;
  /** Another name of `atan_`. */
  arctan_(): this;
  /** Another name of `atan2`. */
  arctan2(other: Tensor): Tensor;
  arctan2(options: { other: Tensor }): Tensor;
  /** Another name of `atan2_`. */
  arctan2_(other: Tensor): this;
  arctan2_(options: { other: Tensor }): this;
  /** Another name of `atanh`. */
  arctanh(): Tensor;
  /** Another name of `atanh_`. */
  arctanh_(): this;
  /** Another name of `clamp`. */
  clip(min: Tensor | Scalar | null, max: Tensor | Scalar | null): Tensor;
  clip(min: Tensor | Scalar | null, options?: { max?: Tensor | Scalar | null }): Tensor;
  clip(options?: { min?: Tensor | Scalar | null; max?: Tensor | Scalar | null }): Tensor;
  /** Another name of `clamp_`. */
  clip_(min: Tensor | Scalar | null, max: Tensor | Scalar | null): this;
  clip_(min: Tensor | Scalar | null, options?: { max?: Tensor | Scalar | null }): this;
  clip_(options?: { min?: Tensor | Scalar | null; max?: Tensor | Scalar | null }): this;
  /** Another name of `div`. */
  divide(other: Tensor | Scalar, options?: { rounding_mode?: 'trunc' | 'floor' | null }): Tensor;
  divide(options: { other: Tensor | Scalar; rounding_mode?: 'trunc' | 'floor' | null }): Tensor;
  /** Another name of `div_`. */
  divide_(other: Tensor | Scalar, options?: { rounding_mode?: 'trunc' | 'floor' | null }): this;
  divide_(options: { other: Tensor | Scalar; rounding_mode?: 'trunc' | 'floor' | null }): this;
  /** Another name of `trunc`. */
  fix(): Tensor;
  /** Another name of `trunc_`. */
  fix_(): this;
  /** Another name of `gt`. */
  greater(other: Tensor | Scalar): Tensor;
  greater(options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `gt_`. */
  greater_(other: Tensor | Scalar): this;
  greater_(options: { other: Tensor | Scalar }): this;
  /** Another name of `ge`. */
  greater_equal(other: Tensor | Scalar): Tensor;
  greater_equal(options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `ge_`. */
  greater_equal_(other: Tensor | Scalar): this;
  greater_equal_(options: { other: Tensor | Scalar }): this;
  /** Another name of `lt`. */
  less(other: Tensor | Scalar): Tensor;
  less(options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `lt_`. */
  less_(other: Tensor | Scalar): this;
  less_(options: { other: Tensor | Scalar }): this;
  /** Another name of `le`. */
  less_equal(other: Tensor | Scalar): Tensor;
  less_equal(options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `le_`. */
  less_equal_(other: Tensor | Scalar): this;
  less_equal_(options: { other: Tensor | Scalar }): this;
  /** Another name of `mul`. */
  multiply(other: Tensor | Scalar): Tensor;
  multiply(options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `mul_`. */
  multiply_(other: Tensor | Scalar): this;
  multiply_(options: { other: Tensor | Scalar }): this;
  /** Another name of `neg`. */
  negative(): Tensor;
  /** Another name of `neg_`. */
  negative_(): this;
  /** Another name of `ne`. */
  not_equal(other: Tensor | Scalar): Tensor;
  not_equal(options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `ne_`. */
  not_equal_(other: Tensor | Scalar): this;
  not_equal_(options: { other: Tensor | Scalar }): this;
  /** Another name of `sub`. */
  subtract(other: Tensor | Scalar, options?: { alpha?: Scalar }): Tensor;
  subtract(options: { other: Tensor | Scalar; alpha?: Scalar }): Tensor;
  /** Another name of `sub_`. */
  subtract_(other: Tensor | Scalar, options?: { alpha?: Scalar }): this;
  subtract_(options: { other: Tensor | Scalar; alpha?: Scalar }): this;
  /** Another name of `div`. */
  true_divide(other: Tensor | Scalar): Tensor;
  true_divide(options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `div_`. */
  true_divide_(other: Tensor | Scalar): this;
  true_divide_(options: { other: Tensor | Scalar }): this;
  /** The largest element so far along dim, and its position: of equal ones the last. NaN is the largest. */
  cummax(dim: number | bigint): NamedTuple<['values', 'indices']>;
  cummax(options: { dim: number | bigint }): NamedTuple<['values', 'indices']>;
  /** The smallest element so far along dim, and its position: of equal ones the last. NaN is the smallest. */
  cummin(dim: number | bigint): NamedTuple<['values', 'indices']>;
  cummin(options: { dim: number | bigint }): NamedTuple<['values', 'indices']>;
  /** The logarithm of the running sum of exponentials along dim. */
  logcumsumexp(dim: number | bigint): Tensor;
  logcumsumexp(options: { dim: number | bigint }): Tensor;
  /** A copy of self in which the elements of src are combined (sum, prod, mean, amax, amin) at the positions in index. */
  scatter_reduce(
    dim: number | bigint,
    index: Tensor,
    src: Tensor,
    reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin',
    options?: { include_self?: boolean },
  ): Tensor;
  scatter_reduce(
    dim: number | bigint,
    index: Tensor,
    src: Tensor,
    options: { reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin'; include_self?: boolean },
  ): Tensor;
  scatter_reduce(
    dim: number | bigint,
    index: Tensor,
    options: { src: Tensor; reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin'; include_self?: boolean },
  ): Tensor;
  scatter_reduce(
    dim: number | bigint,
    options: { index: Tensor; src: Tensor; reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin'; include_self?: boolean },
  ): Tensor;
  scatter_reduce(options: {
    dim: number | bigint;
    index: Tensor;
    src: Tensor;
    reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin';
    include_self?: boolean;
  }): Tensor;
  /** In-place form of `scatter_reduce`. */
  scatter_reduce_(
    dim: number | bigint,
    index: Tensor,
    src: Tensor,
    reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin',
    options?: { include_self?: boolean },
  ): this;
  scatter_reduce_(
    dim: number | bigint,
    index: Tensor,
    src: Tensor,
    options: { reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin'; include_self?: boolean },
  ): this;
  scatter_reduce_(
    dim: number | bigint,
    index: Tensor,
    options: { src: Tensor; reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin'; include_self?: boolean },
  ): this;
  scatter_reduce_(
    dim: number | bigint,
    options: { index: Tensor; src: Tensor; reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin'; include_self?: boolean },
  ): this;
  scatter_reduce_(options: {
    dim: number | bigint;
    index: Tensor;
    src: Tensor;
    reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin';
    include_self?: boolean;
  }): this;
  /** self[index[i][j]][j] = src[i][j] for dim = 0, and so on; src may be a number. */
  scatter_(dim: number | bigint, index: Tensor, src: Tensor): this;
  scatter_(dim: number | bigint, index: Tensor, options: { src: Tensor }): this;
  scatter_(dim: number | bigint, options: { index: Tensor; src: Tensor }): this;
  scatter_(options: { dim: number | bigint; index: Tensor; src: Tensor }): this;
  scatter_(dim: number | bigint, index: Tensor, src: Tensor, options: { reduce: 'add' | 'multiply' }): this;
  scatter_(dim: number | bigint, index: Tensor, options: { src: Tensor; reduce: 'add' | 'multiply' }): this;
  scatter_(dim: number | bigint, options: { index: Tensor; src: Tensor; reduce: 'add' | 'multiply' }): this;
  scatter_(options: { dim: number | bigint; index: Tensor; src: Tensor; reduce: 'add' | 'multiply' }): this;
  scatter_(dim: number | bigint, index: Tensor, value: Scalar, options: { reduce: 'add' | 'multiply' }): this;
  scatter_(dim: number | bigint, index: Tensor, options: { value: Scalar; reduce: 'add' | 'multiply' }): this;
  scatter_(dim: number | bigint, options: { index: Tensor; value: Scalar; reduce: 'add' | 'multiply' }): this;
  scatter_(options: { dim: number | bigint; index: Tensor; value: Scalar; reduce: 'add' | 'multiply' }): this;
  scatter_(dim: number | bigint, index: Tensor, value: Scalar): this;
  scatter_(dim: number | bigint, index: Tensor, options: { value: Scalar }): this;
  scatter_(dim: number | bigint, options: { index: Tensor; value: Scalar }): this;
  scatter_(options: { dim: number | bigint; index: Tensor; value: Scalar }): this;
  /** As `scatter_`, on a copy. */
  scatter(dim: number | bigint, index: Tensor, src: Tensor): Tensor;
  scatter(dim: number | bigint, index: Tensor, options: { src: Tensor }): Tensor;
  scatter(dim: number | bigint, options: { index: Tensor; src: Tensor }): Tensor;
  scatter(options: { dim: number | bigint; index: Tensor; src: Tensor }): Tensor;
  scatter(dim: number | bigint, index: Tensor, src: Tensor, options: { reduce: 'add' | 'multiply' }): Tensor;
  scatter(dim: number | bigint, index: Tensor, options: { src: Tensor; reduce: 'add' | 'multiply' }): Tensor;
  scatter(dim: number | bigint, options: { index: Tensor; src: Tensor; reduce: 'add' | 'multiply' }): Tensor;
  scatter(options: { dim: number | bigint; index: Tensor; src: Tensor; reduce: 'add' | 'multiply' }): Tensor;
  scatter(dim: number | bigint, index: Tensor, value: Scalar, options: { reduce: 'add' | 'multiply' }): Tensor;
  scatter(dim: number | bigint, index: Tensor, options: { value: Scalar; reduce: 'add' | 'multiply' }): Tensor;
  scatter(dim: number | bigint, options: { index: Tensor; value: Scalar; reduce: 'add' | 'multiply' }): Tensor;
  scatter(options: { dim: number | bigint; index: Tensor; value: Scalar; reduce: 'add' | 'multiply' }): Tensor;
  scatter(dim: number | bigint, index: Tensor, value: Scalar): Tensor;
  scatter(dim: number | bigint, index: Tensor, options: { value: Scalar }): Tensor;
  scatter(dim: number | bigint, options: { index: Tensor; value: Scalar }): Tensor;
  scatter(options: { dim: number | bigint; index: Tensor; value: Scalar }): Tensor;
  /** Turned by k times 90 degrees in the plane of two dimensions, from the first towards the second. */
  rot90(k: number | bigint, dims: readonly (number | bigint)[]): Tensor;
  rot90(k: number | bigint, options?: { dims?: readonly (number | bigint)[] }): Tensor;
  rot90(options?: { k?: number | bigint; dims?: readonly (number | bigint)[] }): Tensor;
  /** Every element (along dim; without it, of the flattened tensor) repeated so many times in a row. */
  repeat_interleave(
    repeats: number | bigint,
    dim: number | bigint | null,
    options?: { output_size?: number | bigint | null },
  ): Tensor;
  repeat_interleave(
    repeats: number | bigint,
    options?: { dim?: number | bigint | null; output_size?: number | bigint | null },
  ): Tensor;
  repeat_interleave(options: {
    repeats: number | bigint;
    dim?: number | bigint | null;
    output_size?: number | bigint | null;
  }): Tensor;
  repeat_interleave(
    repeats: Tensor,
    dim: number | bigint | null,
    options?: { output_size?: number | bigint | null },
  ): Tensor;
  repeat_interleave(
    repeats: Tensor,
    options?: { dim?: number | bigint | null; output_size?: number | bigint | null },
  ): Tensor;
  repeat_interleave(options: {
    repeats: Tensor;
    dim?: number | bigint | null;
    output_size?: number | bigint | null;
  }): Tensor;
  repeat_interleave(options?: { output_size?: number | bigint | null }): Tensor;
  /** The elements where mask (broadcast with self) is true, as a vector. Waits for the device. */
  masked_select(mask: Tensor): Tensor;
  masked_select(options: { mask: Tensor }): Tensor;
  /** A copy of self with the elements of source, in order, where mask is true. */
  masked_scatter(mask: Tensor, source: Tensor): Tensor;
  masked_scatter(mask: Tensor, options: { source: Tensor }): Tensor;
  masked_scatter(options: { mask: Tensor; source: Tensor }): Tensor;
  /** Elements where mask is true become those of source, in order. */
  masked_scatter_(mask: Tensor, source: Tensor): this;
  masked_scatter_(mask: Tensor, options: { source: Tensor }): this;
  masked_scatter_(options: { mask: Tensor; source: Tensor }): this;
  /** Dimensions `source` moved to the places `destination`; the others keep their order. */
  movedim(source: number | bigint, destination: number | bigint): Tensor;
  movedim(source: number | bigint, options: { destination: number | bigint }): Tensor;
  movedim(options: { source: number | bigint; destination: number | bigint }): Tensor;
  movedim(source: readonly (number | bigint)[], destination: readonly (number | bigint)[]): Tensor;
  movedim(source: readonly (number | bigint)[], options: { destination: readonly (number | bigint)[] }): Tensor;
  movedim(options: { source: readonly (number | bigint)[]; destination: readonly (number | bigint)[] }): Tensor;
  /** Dimensions `source` moved to the places `destination`; the others keep their order. */
  moveaxis(source: number | bigint, destination: number | bigint): Tensor;
  moveaxis(source: number | bigint, options: { destination: number | bigint }): Tensor;
  moveaxis(options: { source: number | bigint; destination: number | bigint }): Tensor;
  moveaxis(source: readonly (number | bigint)[], destination: readonly (number | bigint)[]): Tensor;
  moveaxis(source: readonly (number | bigint)[], options: { destination: readonly (number | bigint)[] }): Tensor;
  moveaxis(options: { source: readonly (number | bigint)[]; destination: readonly (number | bigint)[] }): Tensor;
  /** The diagonal of dimensions dim1 and dim2 as a last dimension; offset > 0 lies above the main one. */
  diagonal(offset: number | bigint, dim1: number | bigint, dim2: number | bigint): Tensor;
  diagonal(offset: number | bigint, dim1: number | bigint, options?: { dim2?: number | bigint }): Tensor;
  diagonal(offset: number | bigint, options?: { dim1?: number | bigint; dim2?: number | bigint }): Tensor;
  diagonal(options?: { offset?: number | bigint; dim1?: number | bigint; dim2?: number | bigint }): Tensor;
  /** Windows of `size` elements of a dimension, `step` apart, as a view; the last dimension goes over a window. */
  unfold(dimension: number | bigint, size: number | bigint, step: number | bigint): Tensor;
  unfold(dimension: number | bigint, size: number | bigint, options: { step: number | bigint }): Tensor;
  unfold(dimension: number | bigint, options: { size: number | bigint; step: number | bigint }): Tensor;
  unfold(options: { dimension: number | bigint; size: number | bigint; step: number | bigint }): Tensor;
  /** Pieces of dimension dim: so many of about equal size, or cut at the given places. */
  tensor_split(sections: number | bigint, dim: number | bigint): Tensor[];
  tensor_split(sections: number | bigint, options?: { dim?: number | bigint }): Tensor[];
  tensor_split(options: { sections: number | bigint; dim?: number | bigint }): Tensor[];
  tensor_split(indices: readonly (number | bigint)[], dim: number | bigint): Tensor[];
  tensor_split(indices: readonly (number | bigint)[], options?: { dim?: number | bigint }): Tensor[];
  tensor_split(options: { indices: readonly (number | bigint)[]; dim?: number | bigint }): Tensor[];
  tensor_split(tensor_indices_or_sections: Tensor, dim: number | bigint): Tensor[];
  tensor_split(tensor_indices_or_sections: Tensor, options?: { dim?: number | bigint }): Tensor[];
  tensor_split(options: { tensor_indices_or_sections: Tensor; dim?: number | bigint }): Tensor[];
  /** Pieces of dimension 1 (of a vector 0), of equal size or cut at the given places. */
  hsplit(sections: number | bigint): Tensor[];
  hsplit(options: { sections: number | bigint }): Tensor[];
  hsplit(indices: readonly (number | bigint)[]): Tensor[];
  hsplit(options: { indices: readonly (number | bigint)[] }): Tensor[];
  /** Pieces of dimension 0, of equal size or cut at the given places. */
  vsplit(sections: number | bigint): Tensor[];
  vsplit(options: { sections: number | bigint }): Tensor[];
  vsplit(indices: readonly (number | bigint)[]): Tensor[];
  vsplit(options: { indices: readonly (number | bigint)[] }): Tensor[];
  /** Pieces of dimension 2, of equal size or cut at the given places. */
  dsplit(sections: number | bigint): Tensor[];
  dsplit(options: { sections: number | bigint }): Tensor[];
  dsplit(indices: readonly (number | bigint)[]): Tensor[];
  dsplit(options: { indices: readonly (number | bigint)[] }): Tensor[];
  /** Matrices (the last two dimensions) with zeros above the given diagonal (0 is the main one). */
  tril(diagonal: number | bigint): Tensor;
  tril(options?: { diagonal?: number | bigint }): Tensor;
  /** In-place form of `tril`. */
  tril_(diagonal: number | bigint): this;
  tril_(options?: { diagonal?: number | bigint }): this;
  /** Matrices (the last two dimensions) with zeros below the given diagonal (0 is the main one). */
  triu(diagonal: number | bigint): Tensor;
  triu(options?: { diagonal?: number | bigint }): Tensor;
  /** In-place form of `triu`. */
  triu_(diagonal: number | bigint): this;
  triu_(options?: { diagonal?: number | bigint }): this;
  /** Matrices of zeros (dimensions dim1 and dim2) with the last dimension of self on a diagonal. */
  diag_embed(offset: number | bigint, dim1: number | bigint, dim2: number | bigint): Tensor;
  diag_embed(offset: number | bigint, dim1: number | bigint, options?: { dim2?: number | bigint }): Tensor;
  diag_embed(offset: number | bigint, options?: { dim1?: number | bigint; dim2?: number | bigint }): Tensor;
  diag_embed(options?: { offset?: number | bigint; dim1?: number | bigint; dim2?: number | bigint }): Tensor;
  /** The diagonal of a matrix as a new vector, or a matrix with a vector on its diagonal. */
  diag(diagonal: number | bigint): Tensor;
  diag(options?: { diagonal?: number | bigint }): Tensor;
  /** A matrix with the flattened input on a diagonal. */
  diagflat(offset: number | bigint): Tensor;
  diagflat(options?: { offset?: number | bigint }): Tensor;
  /** Every choice of r elements of a vector, in order; with_replacement: also the same one again. */
  combinations(r: number | bigint, with_replacement: boolean): Tensor;
  combinations(r: number | bigint, options?: { with_replacement?: boolean }): Tensor;
  combinations(options?: { r?: number | bigint; with_replacement?: boolean }): Tensor;
  /** The elements at index's positions in the flattened tensor, in index's shape; negative ones count from the end. */
  take(index: Tensor): Tensor;
  take(options: { index: Tensor }): Tensor;
  /** As `gather`, but both are broadcast, but for dim; without dim picks from the flattened tensor. */
  take_along_dim(indices: Tensor, dim: number | bigint | null): Tensor;
  take_along_dim(indices: Tensor, options?: { dim?: number | bigint | null }): Tensor;
  take_along_dim(options: { indices: Tensor; dim?: number | bigint | null }): Tensor;
  /** self's elements at index's positions in the flattened tensor become those of source (or are added to). */
  put_(index: Tensor, source: Tensor, accumulate: boolean): this;
  put_(index: Tensor, source: Tensor, options?: { accumulate?: boolean }): this;
  put_(index: Tensor, options: { source: Tensor; accumulate?: boolean }): this;
  put_(options: { index: Tensor; source: Tensor; accumulate?: boolean }): this;
  /** As `put_`, on a copy. */
  put(index: Tensor, source: Tensor, accumulate: boolean): Tensor;
  put(index: Tensor, source: Tensor, options?: { accumulate?: boolean }): Tensor;
  put(index: Tensor, options: { source: Tensor; accumulate?: boolean }): Tensor;
  put(options: { index: Tensor; source: Tensor; accumulate?: boolean }): Tensor;
  /** The slices of dimension dim at the positions in index become those of source. */
  index_copy_(dim: number | bigint, index: Tensor, source: Tensor): this;
  index_copy_(dim: number | bigint, index: Tensor, options: { source: Tensor }): this;
  index_copy_(dim: number | bigint, options: { index: Tensor; source: Tensor }): this;
  index_copy_(options: { dim: number | bigint; index: Tensor; source: Tensor }): this;
  /** As `index_copy_`, on a copy. */
  index_copy(dim: number | bigint, index: Tensor, source: Tensor): Tensor;
  index_copy(dim: number | bigint, index: Tensor, options: { source: Tensor }): Tensor;
  index_copy(dim: number | bigint, options: { index: Tensor; source: Tensor }): Tensor;
  index_copy(options: { dim: number | bigint; index: Tensor; source: Tensor }): Tensor;
  /** The slices of dimension dim at the positions in index are filled with a value. */
  index_fill_(dim: number | bigint, index: Tensor, value: Tensor | Scalar): this;
  index_fill_(dim: number | bigint, index: Tensor, options: { value: Tensor | Scalar }): this;
  index_fill_(dim: number | bigint, options: { index: Tensor; value: Tensor | Scalar }): this;
  index_fill_(options: { dim: number | bigint; index: Tensor; value: Tensor | Scalar }): this;
  /** As `index_fill_`, on a copy. */
  index_fill(dim: number | bigint, index: Tensor, value: Tensor | Scalar): Tensor;
  index_fill(dim: number | bigint, index: Tensor, options: { value: Tensor | Scalar }): Tensor;
  index_fill(dim: number | bigint, options: { index: Tensor; value: Tensor | Scalar }): Tensor;
  index_fill(options: { dim: number | bigint; index: Tensor; value: Tensor | Scalar }): Tensor;
  /** Sorted along dim, with the positions of the elements. Equal elements keep their order; NaN is the largest. */
  sort(dim: number | bigint, descending: boolean): NamedTuple<['values', 'indices']>;
  sort(dim: number | bigint, options?: { descending?: boolean }): NamedTuple<['values', 'indices']>;
  sort(options?: { dim?: number | bigint; descending?: boolean }): NamedTuple<['values', 'indices']>;
  sort(options: {
    stable: boolean | null;
    dim?: number | bigint;
    descending?: boolean;
  }): NamedTuple<['values', 'indices']>;
  /** Positions of the elements in sorted order along dim. */
  argsort(dim: number | bigint, descending: boolean): Tensor;
  argsort(dim: number | bigint, options?: { descending?: boolean }): Tensor;
  argsort(options?: { dim?: number | bigint; descending?: boolean }): Tensor;
  argsort(options: { stable: boolean; dim?: number | bigint; descending?: boolean }): Tensor;
  /** Sorted along the first dimension. */
  msort(): Tensor;
  /** The k largest (or smallest) elements along dim, with their positions; sorted, whatever `sorted` says. */
  topk(k: number | bigint, dim: number | bigint, largest: boolean, sorted: boolean): NamedTuple<['values', 'indices']>;
  topk(
    k: number | bigint,
    dim: number | bigint,
    largest: boolean,
    options?: { sorted?: boolean },
  ): NamedTuple<['values', 'indices']>;
  topk(
    k: number | bigint,
    dim: number | bigint,
    options?: { largest?: boolean; sorted?: boolean },
  ): NamedTuple<['values', 'indices']>;
  topk(
    k: number | bigint,
    options?: { dim?: number | bigint; largest?: boolean; sorted?: boolean },
  ): NamedTuple<['values', 'indices']>;
  topk(options: {
    k: number | bigint;
    dim?: number | bigint;
    largest?: boolean;
    sorted?: boolean;
  }): NamedTuple<['values', 'indices']>;
  /** The k-th smallest element along dim, counted from 1, and its position. */
  kthvalue(k: number | bigint, dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  kthvalue(
    k: number | bigint,
    dim: number | bigint,
    options?: { keepdim?: boolean },
  ): NamedTuple<['values', 'indices']>;
  kthvalue(
    k: number | bigint,
    options?: { dim?: number | bigint; keepdim?: boolean },
  ): NamedTuple<['values', 'indices']>;
  kthvalue(options: {
    k: number | bigint;
    dim?: number | bigint;
    keepdim?: boolean;
  }): NamedTuple<['values', 'indices']>;
  /** The lower median of all elements, or along dim with its position; NaN if there is one. */
  median(): Tensor;
  median(dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  median(dim: number | bigint, options?: { keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  median(options: { dim: number | bigint; keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  /** The lower median of all elements that are not NaN, or along dim with its position. */
  nanmedian(): Tensor;
  nanmedian(dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  nanmedian(dim: number | bigint, options?: { keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  nanmedian(options: { dim: number | bigint; keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  /** The most frequent element along dim (of several the smallest), and the last of its positions. */
  mode(dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  mode(dim: number | bigint, options?: { keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  mode(options?: { dim?: number | bigint; keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  /** The distinct elements, or slices along dim, sorted; with return_inverse and return_counts a list: values, the place of every element among them, how often each is there. Waits for the device. */
  unique(sorted: boolean, return_inverse: boolean, return_counts: boolean, dim: number | bigint | null): Tensor;
  unique(
    sorted: boolean,
    return_inverse: boolean,
    return_counts: boolean,
    options?: { dim?: number | bigint | null },
  ): Tensor;
  unique(
    sorted: boolean,
    return_inverse: boolean,
    options?: { return_counts?: boolean; dim?: number | bigint | null },
  ): Tensor;
  unique(
    sorted: boolean,
    options?: { return_inverse?: boolean; return_counts?: boolean; dim?: number | bigint | null },
  ): Tensor;
  unique(options?: {
    sorted?: boolean;
    return_inverse?: boolean;
    return_counts?: boolean;
    dim?: number | bigint | null;
  }): Tensor;
  /** One of every run of equal elements, or slices along dim; with return_inverse and return_counts a list, as `unique` gives. Waits for the device. */
  unique_consecutive(return_inverse: boolean, return_counts: boolean, dim: number | bigint | null): Tensor;
  unique_consecutive(
    return_inverse: boolean,
    return_counts: boolean,
    options?: { dim?: number | bigint | null },
  ): Tensor;
  unique_consecutive(
    return_inverse: boolean,
    options?: { return_counts?: boolean; dim?: number | bigint | null },
  ): Tensor;
  unique_consecutive(options?: {
    return_inverse?: boolean;
    return_counts?: boolean;
    dim?: number | bigint | null;
  }): Tensor;
  /** How often every whole number from 0 up is there, or the sum of its weights. Waits for the device. */
  bincount(weights: Tensor | null, minlength: number | bigint): Tensor;
  bincount(weights: Tensor | null, options?: { minlength?: number | bigint }): Tensor;
  bincount(options?: { weights?: Tensor | null; minlength?: number | bigint }): Tensor;
  /** How many elements fall in each of `bins` equal parts of [min, max]; min = max = 0 takes the range of the elements. */
  histc(bins: number | bigint, min: Scalar, max: Scalar): Tensor;
  histc(bins: number | bigint, min: Scalar, options?: { max?: Scalar }): Tensor;
  histc(bins: number | bigint, options?: { min?: Scalar; max?: Scalar }): Tensor;
  histc(options?: { bins?: number | bigint; min?: Scalar; max?: Scalar }): Tensor;
  /** The q-quantiles, q between 0 and 1, of all elements or along dim, between neighbours as interpolation says. NaN if there is one. */
  quantile(
    q: Tensor,
    dim: number | bigint | null,
    keepdim: boolean,
    options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  quantile(
    q: Tensor,
    dim: number | bigint | null,
    options?: { keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  quantile(
    q: Tensor,
    options?: {
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  quantile(options: {
    q: Tensor;
    dim?: number | bigint | null;
    keepdim?: boolean;
    interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
  }): Tensor;
  quantile(
    q: number,
    dim: number | bigint | null,
    keepdim: boolean,
    options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  quantile(
    q: number,
    dim: number | bigint | null,
    options?: { keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  quantile(
    q: number,
    options?: {
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  quantile(options: {
    q: number;
    dim?: number | bigint | null;
    keepdim?: boolean;
    interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
  }): Tensor;
  /** The q-quantiles as by `quantile`, of the elements that are not NaN. */
  nanquantile(
    q: Tensor,
    dim: number | bigint | null,
    keepdim: boolean,
    options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  nanquantile(
    q: Tensor,
    dim: number | bigint | null,
    options?: { keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  nanquantile(
    q: Tensor,
    options?: {
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  nanquantile(options: {
    q: Tensor;
    dim?: number | bigint | null;
    keepdim?: boolean;
    interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
  }): Tensor;
  nanquantile(
    q: number,
    dim: number | bigint | null,
    keepdim: boolean,
    options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  nanquantile(
    q: number,
    dim: number | bigint | null,
    options?: { keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  nanquantile(
    q: number,
    options?: {
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  nanquantile(options: {
    q: number;
    dim?: number | bigint | null;
    keepdim?: boolean;
    interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
  }): Tensor;
  /** Differences of neighbours along dim, n times over: of length n less. Between bools, whether they differ. prepend and append are put to the ends first. */
  diff(n: number | bigint, dim: number | bigint, prepend: Tensor | null, append: Tensor | null): Tensor;
  diff(n: number | bigint, dim: number | bigint, prepend: Tensor | null, options?: { append?: Tensor | null }): Tensor;
  diff(n: number | bigint, dim: number | bigint, options?: { prepend?: Tensor | null; append?: Tensor | null }): Tensor;
  diff(
    n: number | bigint,
    options?: { dim?: number | bigint; prepend?: Tensor | null; append?: Tensor | null },
  ): Tensor;
  diff(options?: {
    n?: number | bigint;
    dim?: number | bigint;
    prepend?: Tensor | null;
    append?: Tensor | null;
  }): Tensor;
  /** Numbers of an exponential distribution of rate lambd, written into self. */
  exponential_(lambd: number, options?: { generator?: Generator | null }): this;
  exponential_(options?: { lambd?: number; generator?: Generator | null }): this;
  /** Numbers whose logarithms are normal, written into self. */
  log_normal_(mean: number, std: number, options?: { generator?: Generator | null }): this;
  log_normal_(mean: number, options?: { std?: number; generator?: Generator | null }): this;
  log_normal_(options?: { mean?: number; std?: number; generator?: Generator | null }): this;
  /** Numbers of a Cauchy distribution, written into self. */
  cauchy_(median: number, sigma: number, options?: { generator?: Generator | null }): this;
  cauchy_(median: number, options?: { sigma?: number; generator?: Generator | null }): this;
  cauchy_(options?: { median?: number; sigma?: number; generator?: Generator | null }): this;
  /** How many trials of probability p it takes to succeed, written into self. */
  geometric_(p: number, options?: { generator?: Generator | null }): this;
  geometric_(options: { p: number; generator?: Generator | null }): this;
  /** 1 with the probability that self has for the element (or with probability p), else 0. */
  bernoulli(options?: { generator?: Generator | null }): Tensor;
  bernoulli(p: number, options?: { generator?: Generator | null }): Tensor;
  bernoulli(options: { p: number; generator?: Generator | null }): Tensor;
  /** Positions drawn with the probabilities that the weights (a vector, or rows) give them, num_samples per row. Waits for the device. */
  multinomial(num_samples: number | bigint, replacement: boolean, options?: { generator?: Generator | null }): Tensor;
  multinomial(num_samples: number | bigint, options?: { replacement?: boolean; generator?: Generator | null }): Tensor;
  multinomial(options: { num_samples: number | bigint; replacement?: boolean; generator?: Generator | null }): Tensor;
  /** How many elements are not zero, over everything or along dim. */
  count_nonzero(dim: number | bigint | readonly (number | bigint)[] | null): Tensor;
  count_nonzero(options?: { dim?: number | bigint | readonly (number | bigint)[] | null }): Tensor;
  /** Sum over all elements, or over the dimensions dim, with NaN as 0. */
  nansum(
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  nansum(
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  nansum(options?: {
    dim?: number | bigint | readonly (number | bigint)[] | null;
    keepdim?: boolean;
    dtype?: DType | null;
  }): Tensor;
  /** Mean over all elements that are not NaN, or over the dimensions dim. */
  nanmean(
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  nanmean(
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  nanmean(options?: {
    dim?: number | bigint | readonly (number | bigint)[] | null;
    keepdim?: boolean;
    dtype?: DType | null;
  }): Tensor;
  /** The smallest and the largest elements, over everything or along dim. */
  aminmax(options?: { dim?: number | bigint | null; keepdim?: boolean }): NamedTuple<['min', 'max']>;
  /** Dot product of two vectors. */
  vdot(other: Tensor): Tensor;
  vdot(options: { other: Tensor }): Tensor;
  /** Every product of an element of self with one of vec2: [n, m]. */
  outer(vec2: Tensor): Tensor;
  outer(options: { vec2: Tensor }): Tensor;
  /** Every product of an element of self with one of vec2: [n, m]. */
  ger(vec2: Tensor): Tensor;
  ger(options: { vec2: Tensor }): Tensor;
  /** Sums of products over the last dimension of both. */
  inner(other: Tensor): Tensor;
  inner(options: { other: Tensor }): Tensor;
  /** Kronecker product: a block self[i, j] * other for every element of self. */
  kron(other: Tensor): Tensor;
  kron(options: { other: Tensor }): Tensor;
  /** Vector products along dim (by default the first of size 3). */
  cross(other: Tensor, dim: number | bigint | null): Tensor;
  cross(other: Tensor, options?: { dim?: number | bigint | null }): Tensor;
  cross(options: { other: Tensor; dim?: number | bigint | null }): Tensor;
  /** The sum of the diagonal of a matrix. */
  trace(): Tensor;
  /** The p-norm over all elements or the dimensions dim; 'fro' is the 2-norm. torch.linalg.vector_norm and matrix_norm are newer names. */
  norm(
    p: Scalar,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    dtype: DType | null,
  ): Tensor;
  norm(
    p: Scalar,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  norm(
    p: Scalar,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(
    p: Scalar,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(options: {
    p: Scalar;
    dim?: number | bigint | readonly (number | bigint)[] | null;
    keepdim?: boolean;
    dtype?: DType | null;
  }): Tensor;
  norm(
    p: 'fro' | 'nuc' | null,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    dtype: DType | null,
  ): Tensor;
  norm(
    p: 'fro' | 'nuc' | null,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  norm(
    p: 'fro' | 'nuc' | null,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(
    p: 'fro' | 'nuc' | null,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(options?: {
    p?: 'fro' | 'nuc' | null;
    dim?: number | bigint | readonly (number | bigint)[] | null;
    keepdim?: boolean;
    dtype?: DType | null;
  }): Tensor;
  /** The p-norm of self - other. */
  dist(other: Tensor, p: Scalar): Tensor;
  dist(other: Tensor, options?: { p?: Scalar }): Tensor;
  dist(options: { other: Tensor; p?: Scalar }): Tensor;
  /** beta * self + alpha * (mat @ vec); self broadcasts to the product. */
  addmv(mat: Tensor, vec: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addmv(mat: Tensor, options: { vec: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  addmv(options: { mat: Tensor; vec: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  /** In-place form of `addmv`. */
  addmv_(mat: Tensor, vec: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): this;
  addmv_(mat: Tensor, options: { vec: Tensor; beta?: Scalar; alpha?: Scalar }): this;
  addmv_(options: { mat: Tensor; vec: Tensor; beta?: Scalar; alpha?: Scalar }): this;
  /** beta * self + alpha * outer(vec1, vec2); self broadcasts to the product. */
  addr(vec1: Tensor, vec2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addr(vec1: Tensor, options: { vec2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  addr(options: { vec1: Tensor; vec2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  /** In-place form of `addr`. */
  addr_(vec1: Tensor, vec2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): this;
  addr_(vec1: Tensor, options: { vec2: Tensor; beta?: Scalar; alpha?: Scalar }): this;
  addr_(options: { vec1: Tensor; vec2: Tensor; beta?: Scalar; alpha?: Scalar }): this;
  /** beta * self + alpha * (batch1 @ batch2), batches of matrices; self broadcasts to the products. */
  baddbmm(batch1: Tensor, batch2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  baddbmm(batch1: Tensor, options: { batch2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  baddbmm(options: { batch1: Tensor; batch2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  /** In-place form of `baddbmm`. */
  baddbmm_(batch1: Tensor, batch2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): this;
  baddbmm_(batch1: Tensor, options: { batch2: Tensor; beta?: Scalar; alpha?: Scalar }): this;
  baddbmm_(options: { batch1: Tensor; batch2: Tensor; beta?: Scalar; alpha?: Scalar }): this;
  /** beta * self + alpha * the sum of batch1 @ batch2 over the batches; self broadcasts to it. */
  addbmm(batch1: Tensor, batch2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addbmm(batch1: Tensor, options: { batch2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  addbmm(options: { batch1: Tensor; batch2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  /** In-place form of `addbmm`. */
  addbmm_(batch1: Tensor, batch2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): this;
  addbmm_(batch1: Tensor, options: { batch2: Tensor; beta?: Scalar; alpha?: Scalar }): this;
  addbmm_(options: { batch1: Tensor; batch2: Tensor; beta?: Scalar; alpha?: Scalar }): this;
  /** x where it is positive, else weight * x, with one weight or one for each channel (dimension 1). */
  prelu(weight: Tensor): Tensor;
  prelu(options: { weight: Tensor }): Tensor;
  /** A constant around the last dimensions: widths before and after, the last dimension first; negative ones cut. */
  constant_pad_nd(pad: readonly (number | bigint)[], value: Scalar): Tensor;
  constant_pad_nd(pad: readonly (number | bigint)[], options?: { value?: Scalar }): Tensor;
  constant_pad_nd(options: { pad: readonly (number | bigint)[]; value?: Scalar }): Tensor;
}

/** Functions of `torch`. */
export interface TorchFunctions {
  /** A new leaf with a copy of the data: numbers make the default dtype, bigints int64, booleans bool. */
  tensor(
    data: TensorData,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  /** As `tensor`, but a tensor that fits already is returned as it is. */
  as_tensor(data: TensorData, options?: { dtype?: DType | null; device?: DeviceLike | null }): Tensor;
  /** Zeros of the given shape. */
  zeros(
    size: readonly (number | bigint)[],
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  zeros(
    ...size: [
      ...sizes: (number | bigint)[],
      options: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
    ]
  ): Tensor;
  zeros(...size: (number | bigint)[]): Tensor;
  /** Zeros of self's shape, dtype and device. */
  zeros_like(
    self: Tensor,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  /** Ones of the given shape. */
  ones(
    size: readonly (number | bigint)[],
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  ones(
    ...size: [
      ...sizes: (number | bigint)[],
      options: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
    ]
  ): Tensor;
  ones(...size: (number | bigint)[]): Tensor;
  /** Ones of self's shape, dtype and device. */
  ones_like(
    self: Tensor,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  /** Undefined contents of the given shape. */
  empty(
    size: readonly (number | bigint)[],
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  empty(
    ...size: [
      ...sizes: (number | bigint)[],
      options: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
    ]
  ): Tensor;
  empty(...size: (number | bigint)[]): Tensor;
  /** Undefined contents of self's shape, dtype and device. */
  empty_like(
    self: Tensor,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  /** The given value in the given shape; its dtype follows the value unless given. */
  full(
    size: readonly (number | bigint)[],
    fill_value: Scalar,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  full(
    size: readonly (number | bigint)[],
    options: {
      fill_value: Scalar;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** The given value in self's shape, dtype and device. */
  full_like(
    self: Tensor,
    fill_value: Scalar,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  full_like(
    self: Tensor,
    options: {
      fill_value: Scalar;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** Undefined contents with the given sizes and strides (in elements). */
  empty_strided(
    size: readonly (number | bigint)[],
    stride: readonly (number | bigint)[],
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  empty_strided(
    size: readonly (number | bigint)[],
    options: {
      stride: readonly (number | bigint)[];
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** Values from start (0) up to, not including, end in steps of step (1). int64 when all are whole numbers. */
  arange(
    end: Scalar,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  arange(
    start: Scalar,
    end: Scalar,
    step: Scalar,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  arange(
    start: Scalar,
    end: Scalar,
    options?: {
      step?: Scalar;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  arange(
    start: Scalar,
    options: {
      end: Scalar;
      step?: Scalar;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** `steps` evenly spaced values from start to end, both included. */
  linspace(
    start: Scalar,
    end: Scalar,
    steps: number | bigint,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  linspace(
    start: Scalar,
    end: Scalar,
    options: {
      steps: number | bigint;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  linspace(
    start: Scalar,
    options: {
      end: Scalar;
      steps: number | bigint;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** Ones on the diagonal, zeros elsewhere: n x n, or n x m. */
  eye(
    n: number | bigint,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  eye(
    n: number | bigint,
    m: number | bigint,
    options?: { dtype?: DType | null; device?: DeviceLike | null; requires_grad?: boolean; pin_memory?: boolean },
  ): Tensor;
  eye(
    n: number | bigint,
    options: {
      m: number | bigint;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** Uniform numbers in [0, 1), of the given shape. */
  rand(
    size: readonly (number | bigint)[],
    options?: {
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  rand(
    ...size: [
      ...sizes: (number | bigint)[],
      options: {
        generator?: Generator | null;
        dtype?: DType | null;
        device?: DeviceLike | null;
        requires_grad?: boolean;
        pin_memory?: boolean;
      },
    ]
  ): Tensor;
  rand(...size: (number | bigint)[]): Tensor;
  /** Uniform numbers in [0, 1), in self's shape. */
  rand_like(
    self: Tensor,
    options?: {
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** Normal numbers with mean 0 and variance 1, of the given shape. */
  randn(
    size: readonly (number | bigint)[],
    options?: {
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  randn(
    ...size: [
      ...sizes: (number | bigint)[],
      options: {
        generator?: Generator | null;
        dtype?: DType | null;
        device?: DeviceLike | null;
        requires_grad?: boolean;
        pin_memory?: boolean;
      },
    ]
  ): Tensor;
  randn(...size: (number | bigint)[]): Tensor;
  /** Normal numbers with mean 0 and variance 1, in self's shape. */
  randn_like(
    self: Tensor,
    options?: {
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** Whole numbers from low (0) up to, not including, high. int64 unless another dtype is given. */
  randint(
    high: number | bigint,
    size: readonly (number | bigint)[],
    options?: {
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  randint(
    high: number | bigint,
    options: {
      size: readonly (number | bigint)[];
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  randint(
    low: number | bigint,
    high: number | bigint,
    size: readonly (number | bigint)[],
    options?: {
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  randint(
    low: number | bigint,
    high: number | bigint,
    options: {
      size: readonly (number | bigint)[];
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  randint(
    low: number | bigint,
    options: {
      high: number | bigint;
      size: readonly (number | bigint)[];
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** A random order of the whole numbers below n. */
  randperm(
    n: number | bigint,
    options?: {
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** A copy with its own storage; gradients flow through. */
  clone(
    self: Tensor,
    options?: { memory_format?: 'preserve_format' | 'contiguous_format' | 'channels_last' | 'channels_last_3d' | null },
  ): Tensor;
  /** Tensors one after the other along dimension dim. */
  cat(tensors: readonly Tensor[], dim: number | bigint): Tensor;
  cat(tensors: readonly Tensor[], options?: { dim?: number | bigint }): Tensor;
  /** Another name of cat. */
  concat(tensors: readonly Tensor[], dim: number | bigint): Tensor;
  concat(tensors: readonly Tensor[], options?: { dim?: number | bigint }): Tensor;
  /** Another name of cat. */
  concatenate(tensors: readonly Tensor[], dim: number | bigint): Tensor;
  concatenate(tensors: readonly Tensor[], options?: { dim?: number | bigint }): Tensor;
  /** Tensors of one shape along a new dimension dim. */
  stack(tensors: readonly Tensor[], dim: number | bigint): Tensor;
  stack(tensors: readonly Tensor[], options?: { dim?: number | bigint }): Tensor;
  /** Sum over all elements, or over the dimensions dim. Integers and bools add up in int64. */
  sum(self: Tensor, options?: { dtype?: DType | null }): Tensor;
  sum(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  sum(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  sum(
    self: Tensor,
    options: { dim: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  /** Mean over all elements, or over the dimensions dim. */
  mean(self: Tensor, options?: { dtype?: DType | null }): Tensor;
  mean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  mean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  mean(
    self: Tensor,
    options: { dim: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  /** The largest element; with dim, along that dimension with its positions; with a tensor, elementwise. */
  max(self: Tensor): Tensor;
  max(self: Tensor, other: Tensor): Tensor;
  max(self: Tensor, options: { other: Tensor }): Tensor;
  max(self: Tensor, dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  max(self: Tensor, dim: number | bigint, options?: { keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  max(self: Tensor, options: { dim: number | bigint; keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  /** The largest elements over the dimensions dim; ties share the gradient. */
  amax(self: Tensor, dim: number | bigint | readonly (number | bigint)[] | null, keepdim: boolean): Tensor;
  amax(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean },
  ): Tensor;
  amax(
    self: Tensor,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean },
  ): Tensor;
  /** Position of the largest element, in the flattened tensor or along dim. */
  argmax(self: Tensor, dim: number | bigint | null, keepdim: boolean): Tensor;
  argmax(self: Tensor, dim: number | bigint | null, options?: { keepdim?: boolean }): Tensor;
  argmax(self: Tensor, options?: { dim?: number | bigint | null; keepdim?: boolean }): Tensor;
  /** The smallest element; with dim, along that dimension with its positions; with a tensor, elementwise. */
  min(self: Tensor): Tensor;
  min(self: Tensor, other: Tensor): Tensor;
  min(self: Tensor, options: { other: Tensor }): Tensor;
  min(self: Tensor, dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  min(self: Tensor, dim: number | bigint, options?: { keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  min(self: Tensor, options: { dim: number | bigint; keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  /** The smallest elements over the dimensions dim; ties share the gradient. */
  amin(self: Tensor, dim: number | bigint | readonly (number | bigint)[] | null, keepdim: boolean): Tensor;
  amin(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean },
  ): Tensor;
  amin(
    self: Tensor,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean },
  ): Tensor;
  /** Position of the smallest element, in the flattened tensor or along dim. */
  argmin(self: Tensor, dim: number | bigint | null, keepdim: boolean): Tensor;
  argmin(self: Tensor, dim: number | bigint | null, options?: { keepdim?: boolean }): Tensor;
  argmin(self: Tensor, options?: { dim?: number | bigint | null; keepdim?: boolean }): Tensor;
  /** Whether any elements are true, over everything or along dim. */
  any(self: Tensor): Tensor;
  any(self: Tensor, dim: number | bigint | readonly (number | bigint)[] | null, keepdim: boolean): Tensor;
  any(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean },
  ): Tensor;
  any(
    self: Tensor,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean },
  ): Tensor;
  /** Whether all elements are true, over everything or along dim. */
  all(self: Tensor): Tensor;
  all(self: Tensor, dim: number | bigint | readonly (number | bigint)[] | null, keepdim: boolean): Tensor;
  all(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean },
  ): Tensor;
  all(
    self: Tensor,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean },
  ): Tensor;
  /** Product of all elements, or along dim. Integers and bools multiply in int64. */
  prod(self: Tensor, options?: { dtype?: DType | null }): Tensor;
  prod(self: Tensor, dim: number | bigint, keepdim: boolean, options?: { dtype?: DType | null }): Tensor;
  prod(self: Tensor, dim: number | bigint, options?: { keepdim?: boolean; dtype?: DType | null }): Tensor;
  prod(self: Tensor, options: { dim: number | bigint; keepdim?: boolean; dtype?: DType | null }): Tensor;
  /** self with another shape: a view where possible, otherwise a copy. One size may be -1. */
  reshape(self: Tensor, shape: readonly (number | bigint)[]): Tensor;
  /** Dimensions start_dim to end_dim become one. */
  flatten(self: Tensor, start_dim: number | bigint, end_dim: number | bigint): Tensor;
  flatten(self: Tensor, start_dim: number | bigint, options?: { end_dim?: number | bigint }): Tensor;
  flatten(self: Tensor, options?: { start_dim?: number | bigint; end_dim?: number | bigint }): Tensor;
  /** All elements in one dimension, in row-major order: a view of what is contiguous. */
  ravel(self: Tensor): Tensor;
  /** Matrices transposed, as there are no complex numbers: the last two dimensions exchanged. */
  adjoint(self: Tensor): Tensor;
  /** Dimension dim becomes several, of the given sizes; one may be -1. */
  unflatten(self: Tensor, dim: number | bigint, sizes: readonly (number | bigint)[]): Tensor;
  unflatten(self: Tensor, dim: number | bigint, options: { sizes: readonly (number | bigint)[] }): Tensor;
  unflatten(self: Tensor, options: { dim: number | bigint; sizes: readonly (number | bigint)[] }): Tensor;
  /** Dimensions in another order. */
  permute(self: Tensor, dims: readonly (number | bigint)[]): Tensor;
  /** Two dimensions exchanged. */
  transpose(self: Tensor, dim0: number | bigint, dim1: number | bigint): Tensor;
  transpose(self: Tensor, dim0: number | bigint, options: { dim1: number | bigint }): Tensor;
  transpose(self: Tensor, options: { dim0: number | bigint; dim1: number | bigint }): Tensor;
  /** Two dimensions exchanged; another name of transpose. */
  swapaxes(self: Tensor, axis0: number | bigint, axis1: number | bigint): Tensor;
  swapaxes(self: Tensor, axis0: number | bigint, options: { axis1: number | bigint }): Tensor;
  swapaxes(self: Tensor, options: { axis0: number | bigint; axis1: number | bigint }): Tensor;
  /** Two dimensions exchanged; another name of transpose. */
  swapdims(self: Tensor, dim0: number | bigint, dim1: number | bigint): Tensor;
  swapdims(self: Tensor, dim0: number | bigint, options: { dim1: number | bigint }): Tensor;
  swapdims(self: Tensor, options: { dim0: number | bigint; dim1: number | bigint }): Tensor;
  /** The transpose of a matrix; vectors and scalars as they are. */
  t(self: Tensor): Tensor;
  /** A new dimension of size 1 at dim. */
  unsqueeze(self: Tensor, dim: number | bigint): Tensor;
  unsqueeze(self: Tensor, options: { dim: number | bigint }): Tensor;
  /** Without dimensions of size 1: all of them, or only those named. */
  squeeze(self: Tensor): Tensor;
  squeeze(self: Tensor, dim: number | bigint): Tensor;
  squeeze(self: Tensor, options: { dim: number | bigint }): Tensor;
  squeeze(self: Tensor, dim: readonly (number | bigint)[]): Tensor;
  squeeze(self: Tensor, options: { dim: readonly (number | bigint)[] }): Tensor;
  /** self expanded to the given shape. */
  broadcast_to(self: Tensor, size: readonly (number | bigint)[]): Tensor;
  /** The slice at `index` of dimension dim, without that dimension. */
  select(self: Tensor, dim: number | bigint, index: number | bigint): Tensor;
  select(self: Tensor, dim: number | bigint, options: { index: number | bigint }): Tensor;
  select(self: Tensor, options: { dim: number | bigint; index: number | bigint }): Tensor;
  /** `length` elements of dimension dim from `start` on. */
  narrow(self: Tensor, dim: number | bigint, start: number | bigint, length: number | bigint): Tensor;
  narrow(self: Tensor, dim: number | bigint, start: number | bigint, options: { length: number | bigint }): Tensor;
  narrow(self: Tensor, dim: number | bigint, options: { start: number | bigint; length: number | bigint }): Tensor;
  narrow(self: Tensor, options: { dim: number | bigint; start: number | bigint; length: number | bigint }): Tensor;
  narrow(self: Tensor, dim: number | bigint, start: Tensor, length: number | bigint): Tensor;
  narrow(self: Tensor, dim: number | bigint, start: Tensor, options: { length: number | bigint }): Tensor;
  narrow(self: Tensor, dim: number | bigint, options: { start: Tensor; length: number | bigint }): Tensor;
  narrow(self: Tensor, options: { dim: number | bigint; start: Tensor; length: number | bigint }): Tensor;
  /** self cut off from its graph; shares storage and version counter. */
  detach(self: Tensor): Tensor;
  /** Matrix product [n, k] @ [k, m]. */
  mm(self: Tensor, mat2: Tensor): Tensor;
  mm(self: Tensor, options: { mat2: Tensor }): Tensor;
  /** Products of two batches of matrices, [b, n, k] @ [b, k, m]. */
  bmm(self: Tensor, mat2: Tensor): Tensor;
  bmm(self: Tensor, options: { mat2: Tensor }): Tensor;
  /** beta * self + alpha * (mat1 @ mat2); self broadcasts to the product. */
  addmm(self: Tensor, mat1: Tensor, mat2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addmm(self: Tensor, mat1: Tensor, options: { mat2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  addmm(self: Tensor, options: { mat1: Tensor; mat2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  /** Dot product of two vectors. */
  dot(self: Tensor, tensor: Tensor): Tensor;
  dot(self: Tensor, options: { tensor: Tensor }): Tensor;
  /** Matrix by vector. */
  mv(self: Tensor, vec: Tensor): Tensor;
  mv(self: Tensor, options: { vec: Tensor }): Tensor;
  /** Matrix product of vectors, matrices or broadcast batches of matrices. */
  matmul(self: Tensor, other: Tensor): Tensor;
  matmul(self: Tensor, options: { other: Tensor }): Tensor;
  /** self + alpha * other, elementwise with broadcasting and type promotion. */
  add(self: Tensor | Scalar, other: Tensor | Scalar, options?: { alpha?: Scalar }): Tensor;
  add(self: Tensor | Scalar, options: { other: Tensor | Scalar; alpha?: Scalar }): Tensor;
  /** self - alpha * other, elementwise. */
  sub(self: Tensor | Scalar, other: Tensor | Scalar, options?: { alpha?: Scalar }): Tensor;
  sub(self: Tensor | Scalar, options: { other: Tensor | Scalar; alpha?: Scalar }): Tensor;
  /** other - alpha * self, elementwise. */
  rsub(self: Tensor, other: Tensor | Scalar, options?: { alpha?: Scalar }): Tensor;
  rsub(self: Tensor, options: { other: Tensor | Scalar; alpha?: Scalar }): Tensor;
  /** self * other, elementwise. */
  mul(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  mul(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** -x, elementwise. */
  neg(self: Tensor): Tensor;
  /** In-place form of `neg`. */
  neg_(self: Tensor): Tensor;
  /** |x|, elementwise. */
  abs(self: Tensor): Tensor;
  /** In-place form of `abs`. */
  abs_(self: Tensor): Tensor;
  /** e to the power of x, elementwise. */
  exp(self: Tensor): Tensor;
  /** In-place form of `exp`. */
  exp_(self: Tensor): Tensor;
  /** Natural logarithm, elementwise. */
  log(self: Tensor): Tensor;
  /** In-place form of `log`. */
  log_(self: Tensor): Tensor;
  /** Square root, elementwise. */
  sqrt(self: Tensor): Tensor;
  /** In-place form of `sqrt`. */
  sqrt_(self: Tensor): Tensor;
  /** 1 / sqrt(x), elementwise. */
  rsqrt(self: Tensor): Tensor;
  /** In-place form of `rsqrt`. */
  rsqrt_(self: Tensor): Tensor;
  /** Sine of x in radians, elementwise. */
  sin(self: Tensor): Tensor;
  /** In-place form of `sin`. */
  sin_(self: Tensor): Tensor;
  /** Cosine of x in radians, elementwise. */
  cos(self: Tensor): Tensor;
  /** In-place form of `cos`. */
  cos_(self: Tensor): Tensor;
  /** Hyperbolic tangent, elementwise. */
  tanh(self: Tensor): Tensor;
  /** In-place form of `tanh`. */
  tanh_(self: Tensor): Tensor;
  /** 1 / (1 + exp(-x)), elementwise. */
  sigmoid(self: Tensor): Tensor;
  /** In-place form of `sigmoid`. */
  sigmoid_(self: Tensor): Tensor;
  /** Error function, elementwise. */
  erf(self: Tensor): Tensor;
  /** In-place form of `erf`. */
  erf_(self: Tensor): Tensor;
  /** The larger of both, elementwise; NaN where either is. */
  maximum(self: Tensor, other: Tensor): Tensor;
  maximum(self: Tensor, options: { other: Tensor }): Tensor;
  /** The smaller of both, elementwise; NaN where either is. */
  minimum(self: Tensor, other: Tensor): Tensor;
  minimum(self: Tensor, options: { other: Tensor }): Tensor;
  /** self == other, elementwise, as a bool tensor. */
  eq(self: Tensor, other: Tensor | Scalar): Tensor;
  eq(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** self != other, elementwise, as a bool tensor. */
  ne(self: Tensor, other: Tensor | Scalar): Tensor;
  ne(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** self < other, elementwise, as a bool tensor. */
  lt(self: Tensor, other: Tensor | Scalar): Tensor;
  lt(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** self <= other, elementwise, as a bool tensor. */
  le(self: Tensor, other: Tensor | Scalar): Tensor;
  le(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** self > other, elementwise, as a bool tensor. */
  gt(self: Tensor, other: Tensor | Scalar): Tensor;
  gt(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** self >= other, elementwise, as a bool tensor. */
  ge(self: Tensor, other: Tensor | Scalar): Tensor;
  ge(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** True where x is 0 or False. */
  logical_not(self: Tensor): Tensor;
  /** True where x is NaN. */
  isnan(self: Tensor): Tensor;
  /** True where x is neither NaN nor infinite. */
  isfinite(self: Tensor): Tensor;
  /** True where x is infinite. */
  isinf(self: Tensor): Tensor;
  /** max(x, 0), elementwise. */
  relu(self: Tensor): Tensor;
  /** In-place form of `relu`. */
  relu_(self: Tensor): Tensor;
  /** self / other, elementwise; rounding_mode "trunc" or "floor" rounds the quotient and keeps integers. */
  div(self: Tensor | Scalar, other: Tensor | Scalar, options?: { rounding_mode?: 'trunc' | 'floor' | null }): Tensor;
  div(self: Tensor | Scalar, options: { other: Tensor | Scalar; rounding_mode?: 'trunc' | 'floor' | null }): Tensor;
  /** self to the power of exponent, elementwise; either may be a number. */
  pow(self: Tensor | Scalar, exponent: Tensor | Scalar): Tensor;
  pow(self: Tensor | Scalar, options: { exponent: Tensor | Scalar }): Tensor;
  /** Elements below min become min, above max become max. NaN stays. */
  clamp(self: Tensor, min: Tensor | Scalar | null, max: Tensor | Scalar | null): Tensor;
  clamp(self: Tensor, min: Tensor | Scalar | null, options?: { max?: Tensor | Scalar | null }): Tensor;
  clamp(self: Tensor, options?: { min?: Tensor | Scalar | null; max?: Tensor | Scalar | null }): Tensor;
  /** In-place form of `clamp`. */
  clamp_(self: Tensor, min: Tensor | Scalar | null, max: Tensor | Scalar | null): Tensor;
  clamp_(self: Tensor, min: Tensor | Scalar | null, options?: { max?: Tensor | Scalar | null }): Tensor;
  clamp_(self: Tensor, options?: { min?: Tensor | Scalar | null; max?: Tensor | Scalar | null }): Tensor;
  /** Elements of self where condition is true, of other elsewhere. */
  where(condition: Tensor, self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  where(condition: Tensor, self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  where(condition: Tensor, options: { self: Tensor | Scalar; other: Tensor | Scalar }): Tensor;
  /** value (a number or a 0-dim tensor) where mask is true, self elsewhere. */
  masked_fill(self: Tensor, mask: Tensor, value: Tensor | Scalar): Tensor;
  masked_fill(self: Tensor, mask: Tensor, options: { value: Tensor | Scalar }): Tensor;
  masked_fill(self: Tensor, options: { mask: Tensor; value: Tensor | Scalar }): Tensor;
  /** 1 / x, elementwise. */
  reciprocal(self: Tensor): Tensor;
  /** In-place form of `reciprocal`. */
  reciprocal_(self: Tensor): Tensor;
  /** 2 to the power of x, elementwise. */
  exp2(self: Tensor): Tensor;
  /** In-place form of `exp2`. */
  exp2_(self: Tensor): Tensor;
  /** exp(x) - 1, exact near 0, elementwise. */
  expm1(self: Tensor): Tensor;
  /** In-place form of `expm1`. */
  expm1_(self: Tensor): Tensor;
  /** log(1 + x), exact near 0, elementwise. */
  log1p(self: Tensor): Tensor;
  /** In-place form of `log1p`. */
  log1p_(self: Tensor): Tensor;
  /** Logarithm to base 2, elementwise. */
  log2(self: Tensor): Tensor;
  /** In-place form of `log2`. */
  log2_(self: Tensor): Tensor;
  /** Logarithm to base 10, elementwise. */
  log10(self: Tensor): Tensor;
  /** In-place form of `log10`. */
  log10_(self: Tensor): Tensor;
  /** Tangent of x in radians, elementwise. */
  tan(self: Tensor): Tensor;
  /** In-place form of `tan`. */
  tan_(self: Tensor): Tensor;
  /** Arc sine in radians, elementwise. */
  asin(self: Tensor): Tensor;
  /** In-place form of `asin`. */
  asin_(self: Tensor): Tensor;
  /** Arc cosine in radians, elementwise. */
  acos(self: Tensor): Tensor;
  /** In-place form of `acos`. */
  acos_(self: Tensor): Tensor;
  /** Arc tangent in radians, elementwise. */
  atan(self: Tensor): Tensor;
  /** In-place form of `atan`. */
  atan_(self: Tensor): Tensor;
  /** Hyperbolic sine, elementwise. */
  sinh(self: Tensor): Tensor;
  /** In-place form of `sinh`. */
  sinh_(self: Tensor): Tensor;
  /** Hyperbolic cosine, elementwise. */
  cosh(self: Tensor): Tensor;
  /** In-place form of `cosh`. */
  cosh_(self: Tensor): Tensor;
  /** Inverse hyperbolic sine, elementwise. */
  asinh(self: Tensor): Tensor;
  /** In-place form of `asinh`. */
  asinh_(self: Tensor): Tensor;
  /** Inverse hyperbolic cosine, elementwise. */
  acosh(self: Tensor): Tensor;
  /** In-place form of `acosh`. */
  acosh_(self: Tensor): Tensor;
  /** Inverse hyperbolic tangent, elementwise. */
  atanh(self: Tensor): Tensor;
  /** In-place form of `atanh`. */
  atanh_(self: Tensor): Tensor;
  /** 1 - erf(x), exact where erf(x) is near 1, elementwise. */
  erfc(self: Tensor): Tensor;
  /** In-place form of `erfc`. */
  erfc_(self: Tensor): Tensor;
  /** The smallest whole number that is not below x, elementwise. */
  ceil(self: Tensor): Tensor;
  /** In-place form of `ceil`. */
  ceil_(self: Tensor): Tensor;
  /** The largest whole number that is not above x, elementwise. */
  floor(self: Tensor): Tensor;
  /** In-place form of `floor`. */
  floor_(self: Tensor): Tensor;
  /** x without its fraction, elementwise. */
  trunc(self: Tensor): Tensor;
  /** In-place form of `trunc`. */
  trunc_(self: Tensor): Tensor;
  /** The nearest number with that many decimals, elementwise; halves go to the even neighbour. */
  round(self: Tensor, options?: { decimals?: number | bigint | null }): Tensor;
  /** In-place form of `round`. */
  round_(self: Tensor, options?: { decimals?: number | bigint | null }): Tensor;
  /** The fraction of x, with its sign, elementwise. */
  frac(self: Tensor): Tensor;
  /** In-place form of `frac`. */
  frac_(self: Tensor): Tensor;
  /** The sign of x: -1, 0 or 1, elementwise. */
  sign(self: Tensor): Tensor;
  /** The sign of x: -1, 0 or 1, elementwise. */
  sgn(self: Tensor): Tensor;
  /** x * x, elementwise. */
  square(self: Tensor): Tensor;
  /** In-place form of `square`. */
  square_(self: Tensor): Tensor;
  /** Numbers in place of NaN (0), infinity (the largest of the dtype) and minus infinity, elementwise. */
  nan_to_num(self: Tensor, nan: number | null, posinf: number | null, neginf: number | null): Tensor;
  nan_to_num(self: Tensor, nan: number | null, posinf: number | null, options?: { neginf?: number | null }): Tensor;
  nan_to_num(self: Tensor, nan: number | null, options?: { posinf?: number | null; neginf?: number | null }): Tensor;
  nan_to_num(self: Tensor, options?: { nan?: number | null; posinf?: number | null; neginf?: number | null }): Tensor;
  /** In-place form of `nan_to_num`. */
  nan_to_num_(self: Tensor, nan: number | null, posinf: number | null, neginf: number | null): Tensor;
  nan_to_num_(self: Tensor, nan: number | null, posinf: number | null, options?: { neginf?: number | null }): Tensor;
  nan_to_num_(self: Tensor, nan: number | null, options?: { posinf?: number | null; neginf?: number | null }): Tensor;
  nan_to_num_(self: Tensor, options?: { nan?: number | null; posinf?: number | null; neginf?: number | null }): Tensor;
  /** x where it is above the threshold, else value, elementwise. */
  threshold(self: Tensor, threshold: Scalar, value: Scalar): Tensor;
  threshold(self: Tensor, threshold: Scalar, options: { value: Scalar }): Tensor;
  threshold(self: Tensor, options: { threshold: Scalar; value: Scalar }): Tensor;
  /** In-place form of `threshold`. */
  threshold_(self: Tensor, threshold: Scalar, value: Scalar): Tensor;
  threshold_(self: Tensor, threshold: Scalar, options: { value: Scalar }): Tensor;
  threshold_(self: Tensor, options: { threshold: Scalar; value: Scalar }): Tensor;
  /** elu, scaled so that mean and variance settle at 0 and 1, elementwise. */
  selu(self: Tensor): Tensor;
  /** In-place form of `selu`. */
  selu_(self: Tensor): Tensor;
  /** x where it is positive, else alpha * (exp(x / alpha) - 1), elementwise. */
  celu(self: Tensor, alpha: Scalar): Tensor;
  celu(self: Tensor, options?: { alpha?: Scalar }): Tensor;
  /** In-place form of `celu`. */
  celu_(self: Tensor, alpha: Scalar): Tensor;
  celu_(self: Tensor, options?: { alpha?: Scalar }): Tensor;
  /** 0 between -lambd and lambd, x elsewhere. */
  hardshrink(self: Tensor, lambd: Scalar): Tensor;
  hardshrink(self: Tensor, options?: { lambd?: Scalar }): Tensor;
  /** Variance over all elements or the dimensions dim, divided by n - correction (1). */
  var(self: Tensor, unbiased: boolean): Tensor;
  var(self: Tensor, options: { unbiased: boolean }): Tensor;
  var(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    unbiased: boolean,
    keepdim: boolean,
  ): Tensor;
  var(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    unbiased: boolean,
    options?: { keepdim?: boolean },
  ): Tensor;
  var(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options: { unbiased: boolean; keepdim?: boolean },
  ): Tensor;
  var(
    self: Tensor,
    options: { dim: number | bigint | readonly (number | bigint)[] | null; unbiased: boolean; keepdim?: boolean },
  ): Tensor;
  var(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { correction?: Scalar | null; keepdim?: boolean; unbiased?: boolean | null },
  ): Tensor;
  var(
    self: Tensor,
    options?: {
      dim?: number | bigint | readonly (number | bigint)[] | null;
      correction?: Scalar | null;
      keepdim?: boolean;
      unbiased?: boolean | null;
    },
  ): Tensor;
  /** Standard deviation over all elements or the dimensions dim, divided by n - correction (1). */
  std(self: Tensor, unbiased: boolean): Tensor;
  std(self: Tensor, options: { unbiased: boolean }): Tensor;
  std(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    unbiased: boolean,
    keepdim: boolean,
  ): Tensor;
  std(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    unbiased: boolean,
    options?: { keepdim?: boolean },
  ): Tensor;
  std(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options: { unbiased: boolean; keepdim?: boolean },
  ): Tensor;
  std(
    self: Tensor,
    options: { dim: number | bigint | readonly (number | bigint)[] | null; unbiased: boolean; keepdim?: boolean },
  ): Tensor;
  std(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { correction?: Scalar | null; keepdim?: boolean; unbiased?: boolean | null },
  ): Tensor;
  std(
    self: Tensor,
    options?: {
      dim?: number | bigint | readonly (number | bigint)[] | null;
      correction?: Scalar | null;
      keepdim?: boolean;
      unbiased?: boolean | null;
    },
  ): Tensor;
  /** Running sums along dim. Integers and bools add up in int64. */
  cumsum(self: Tensor, dim: number | bigint, options?: { dtype?: DType | null }): Tensor;
  cumsum(self: Tensor, options: { dim: number | bigint; dtype?: DType | null }): Tensor;
  /** Running products along dim. Integers and bools multiply in int64. */
  cumprod(self: Tensor, dim: number | bigint, options?: { dtype?: DType | null }): Tensor;
  cumprod(self: Tensor, options: { dim: number | bigint; dtype?: DType | null }): Tensor;
  /** Pieces of dimension dim: of one size (the last may be smaller), or of given sizes. */
  split(self: Tensor, split_size: number | bigint, dim: number | bigint): Tensor[];
  split(self: Tensor, split_size: number | bigint, options?: { dim?: number | bigint }): Tensor[];
  split(self: Tensor, options: { split_size: number | bigint; dim?: number | bigint }): Tensor[];
  split(self: Tensor, split_size: readonly (number | bigint)[], dim: number | bigint): Tensor[];
  split(self: Tensor, split_size: readonly (number | bigint)[], options?: { dim?: number | bigint }): Tensor[];
  split(self: Tensor, options: { split_size: readonly (number | bigint)[]; dim?: number | bigint }): Tensor[];
  /** At most `chunks` pieces of dimension dim, of equal size but for the last. */
  chunk(self: Tensor, chunks: number | bigint, dim: number | bigint): Tensor[];
  chunk(self: Tensor, chunks: number | bigint, options?: { dim?: number | bigint }): Tensor[];
  chunk(self: Tensor, options: { chunks: number | bigint; dim?: number | bigint }): Tensor[];
  /** The slices along dimension dim, without that dimension. */
  unbind(self: Tensor, dim: number | bigint): Tensor[];
  unbind(self: Tensor, options?: { dim?: number | bigint }): Tensor[];
  /** A view with the given sizes, strides and storage offset, all in elements. */
  as_strided(
    self: Tensor,
    size: readonly (number | bigint)[],
    stride: readonly (number | bigint)[],
    storage_offset: number | bigint | null,
  ): Tensor;
  as_strided(
    self: Tensor,
    size: readonly (number | bigint)[],
    stride: readonly (number | bigint)[],
    options?: { storage_offset?: number | bigint | null },
  ): Tensor;
  as_strided(
    self: Tensor,
    size: readonly (number | bigint)[],
    options: { stride: readonly (number | bigint)[]; storage_offset?: number | bigint | null },
  ): Tensor;
  as_strided(
    self: Tensor,
    options: {
      size: readonly (number | bigint)[];
      stride: readonly (number | bigint)[];
      storage_offset?: number | bigint | null;
    },
  ): Tensor;
  /** Positions of the elements that are not zero, one row each, or with as_tuple a list with one tensor per dimension. Waits for the device. */
  nonzero(self: Tensor, options?: { as_tuple?: boolean }): Tensor;
  /** As `nonzero`. */
  argwhere(self: Tensor): Tensor;
  /** As `index_put_`, on a copy. */
  index_put(self: Tensor, indices: IndexArgument | null, value: TensorData, accumulate: boolean): Tensor;
  index_put(self: Tensor, indices: IndexArgument | null, value: TensorData, options?: { accumulate?: boolean }): Tensor;
  index_put(self: Tensor, indices: IndexArgument | null, options: { value: TensorData; accumulate?: boolean }): Tensor;
  index_put(self: Tensor, options: { indices: IndexArgument | null; value: TensorData; accumulate?: boolean }): Tensor;
  /** The slices of dimension dim at the positions in index, a vector of int64 or int32. */
  index_select(self: Tensor, dim: number | bigint, index: Tensor): Tensor;
  index_select(self: Tensor, dim: number | bigint, options: { index: Tensor }): Tensor;
  index_select(self: Tensor, options: { dim: number | bigint; index: Tensor }): Tensor;
  /** As `index_add_`, on a copy. */
  index_add(self: Tensor, dim: number | bigint, index: Tensor, source: Tensor, options?: { alpha?: Scalar }): Tensor;
  index_add(self: Tensor, dim: number | bigint, index: Tensor, options: { source: Tensor; alpha?: Scalar }): Tensor;
  index_add(self: Tensor, dim: number | bigint, options: { index: Tensor; source: Tensor; alpha?: Scalar }): Tensor;
  index_add(self: Tensor, options: { dim: number | bigint; index: Tensor; source: Tensor; alpha?: Scalar }): Tensor;
  /** out[i][j] = self[index[i][j]][j] for dim = 0, and so on: picks along dim. */
  gather(self: Tensor, dim: number | bigint, index: Tensor, options?: { sparse_grad?: boolean }): Tensor;
  gather(self: Tensor, dim: number | bigint, options: { index: Tensor; sparse_grad?: boolean }): Tensor;
  gather(self: Tensor, options: { dim: number | bigint; index: Tensor; sparse_grad?: boolean }): Tensor;
  /** As `scatter_add_`, on a copy. */
  scatter_add(self: Tensor, dim: number | bigint, index: Tensor, src: Tensor): Tensor;
  scatter_add(self: Tensor, dim: number | bigint, index: Tensor, options: { src: Tensor }): Tensor;
  scatter_add(self: Tensor, dim: number | bigint, options: { index: Tensor; src: Tensor }): Tensor;
  scatter_add(self: Tensor, options: { dim: number | bigint; index: Tensor; src: Tensor }): Tensor;
  /** A copy with the order of elements reversed along the dimensions dims. */
  flip(self: Tensor, dims: readonly (number | bigint)[]): Tensor;
  /** A copy with dimension 1 reversed. */
  fliplr(self: Tensor): Tensor;
  /** A copy with dimension 0 reversed. */
  flipud(self: Tensor): Tensor;
  /** Elements moved by `shifts` along `dims`, round the end; without dims along the flattened tensor. */
  roll(
    self: Tensor,
    shifts: number | bigint | readonly (number | bigint)[],
    dims: number | bigint | readonly (number | bigint)[],
  ): Tensor;
  roll(
    self: Tensor,
    shifts: number | bigint | readonly (number | bigint)[],
    options?: { dims?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  roll(
    self: Tensor,
    options: {
      shifts: number | bigint | readonly (number | bigint)[];
      dims?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  /** As `repeat`, but fewer numbers count from the last dimension. */
  tile(self: Tensor, dims: readonly (number | bigint)[]): Tensor;
  /** Elementwise: |self - other| <= atol + rtol * |other|. */
  isclose(self: Tensor, other: Tensor, rtol: number, atol: number, equal_nan: boolean): Tensor;
  isclose(self: Tensor, other: Tensor, rtol: number, atol: number, options?: { equal_nan?: boolean }): Tensor;
  isclose(self: Tensor, other: Tensor, rtol: number, options?: { atol?: number; equal_nan?: boolean }): Tensor;
  isclose(self: Tensor, other: Tensor, options?: { rtol?: number; atol?: number; equal_nan?: boolean }): Tensor;
  isclose(self: Tensor, options: { other: Tensor; rtol?: number; atol?: number; equal_nan?: boolean }): Tensor;
  /** Whether all elements satisfy |self - other| <= atol + rtol * |other|. Waits for the device. */
  allclose(self: Tensor, other: Tensor, rtol: number, atol: number, equal_nan: boolean): boolean;
  allclose(self: Tensor, other: Tensor, rtol: number, atol: number, options?: { equal_nan?: boolean }): boolean;
  allclose(self: Tensor, other: Tensor, rtol: number, options?: { atol?: number; equal_nan?: boolean }): boolean;
  allclose(self: Tensor, other: Tensor, options?: { rtol?: number; atol?: number; equal_nan?: boolean }): boolean;
  allclose(self: Tensor, options: { other: Tensor; rtol?: number; atol?: number; equal_nan?: boolean }): boolean;
  /** Whether both have the same sizes and elements. Waits for the device. */
  equal(self: Tensor, other: Tensor): boolean;
  equal(self: Tensor, options: { other: Tensor }): boolean;
  /** exp(x) / sum(exp(x)) along dimension dim. */
  softmax(self: Tensor, dim: number | bigint, dtype: DType | null): Tensor;
  softmax(self: Tensor, dim: number | bigint, options?: { dtype?: DType | null }): Tensor;
  softmax(self: Tensor, options: { dim: number | bigint; dtype?: DType | null }): Tensor;
  /** Logarithm of softmax along dimension dim. */
  log_softmax(self: Tensor, dim: number | bigint, dtype: DType | null): Tensor;
  log_softmax(self: Tensor, dim: number | bigint, options?: { dtype?: DType | null }): Tensor;
  log_softmax(self: Tensor, options: { dim: number | bigint; dtype?: DType | null }): Tensor;
  /** log(sum(exp(x))) over the dimensions dim, without overflow. */
  logsumexp(self: Tensor, dim: number | bigint | readonly (number | bigint)[], keepdim: boolean): Tensor;
  logsumexp(self: Tensor, dim: number | bigint | readonly (number | bigint)[], options?: { keepdim?: boolean }): Tensor;
  logsumexp(self: Tensor, options: { dim: number | bigint | readonly (number | bigint)[]; keepdim?: boolean }): Tensor;
  /** Rows over the last dimensions (normalized_shape) to mean 0 and variance 1, then scaled by weight and shifted by bias. */
  layer_norm(
    input: Tensor,
    normalized_shape: readonly (number | bigint)[],
    weight: Tensor | null,
    bias: Tensor | null,
    eps: number,
  ): Tensor;
  layer_norm(
    input: Tensor,
    normalized_shape: readonly (number | bigint)[],
    weight: Tensor | null,
    bias: Tensor | null,
    options?: { eps?: number },
  ): Tensor;
  layer_norm(
    input: Tensor,
    normalized_shape: readonly (number | bigint)[],
    weight: Tensor | null,
    options?: { bias?: Tensor | null; eps?: number },
  ): Tensor;
  layer_norm(
    input: Tensor,
    normalized_shape: readonly (number | bigint)[],
    options?: { weight?: Tensor | null; bias?: Tensor | null; eps?: number },
  ): Tensor;
  layer_norm(
    input: Tensor,
    options: {
      normalized_shape: readonly (number | bigint)[];
      weight?: Tensor | null;
      bias?: Tensor | null;
      eps?: number;
    },
  ): Tensor;
  /** During training zeroes elements with probability p and scales the others by 1 / (1 - p). */
  dropout(input: Tensor, p: number, train: boolean): Tensor;
  dropout(input: Tensor, p: number, options: { train: boolean }): Tensor;
  dropout(input: Tensor, options: { p: number; train: boolean }): Tensor;
  /** During training zeroes elements with probability p and scales the others by 1 / (1 - p). */
  dropout_(input: Tensor, p: number, train: boolean): Tensor;
  dropout_(input: Tensor, p: number, options: { train: boolean }): Tensor;
  dropout_(input: Tensor, options: { p: number; train: boolean }): Tensor;
  /** During training zeroes channels (of dimensions 0 and 1) with probability p and scales the others. */
  feature_dropout(input: Tensor, p: number, train: boolean): Tensor;
  feature_dropout(input: Tensor, p: number, options: { train: boolean }): Tensor;
  feature_dropout(input: Tensor, options: { p: number; train: boolean }): Tensor;
  /** During training zeroes channels (of dimensions 0 and 1) with probability p and scales the others. */
  feature_dropout_(input: Tensor, p: number, train: boolean): Tensor;
  feature_dropout_(input: Tensor, p: number, options: { train: boolean }): Tensor;
  feature_dropout_(input: Tensor, options: { p: number; train: boolean }): Tensor;
  /** During training drops elements to the lowest value of selu, and keeps mean and variance. */
  alpha_dropout(input: Tensor, p: number, train: boolean): Tensor;
  alpha_dropout(input: Tensor, p: number, options: { train: boolean }): Tensor;
  alpha_dropout(input: Tensor, options: { p: number; train: boolean }): Tensor;
  /** During training drops elements to the lowest value of selu, and keeps mean and variance. */
  alpha_dropout_(input: Tensor, p: number, train: boolean): Tensor;
  alpha_dropout_(input: Tensor, p: number, options: { train: boolean }): Tensor;
  alpha_dropout_(input: Tensor, options: { p: number; train: boolean }): Tensor;
  /** During training drops channels to the lowest value of selu, and keeps mean and variance. */
  feature_alpha_dropout(input: Tensor, p: number, train: boolean): Tensor;
  feature_alpha_dropout(input: Tensor, p: number, options: { train: boolean }): Tensor;
  feature_alpha_dropout(input: Tensor, options: { p: number; train: boolean }): Tensor;
  /** During training drops channels to the lowest value of selu, and keeps mean and variance. */
  feature_alpha_dropout_(input: Tensor, p: number, train: boolean): Tensor;
  feature_alpha_dropout_(input: Tensor, p: number, options: { train: boolean }): Tensor;
  feature_alpha_dropout_(input: Tensor, options: { p: number; train: boolean }): Tensor;
  /** True where both are; anything but 0 is true. */
  logical_and(self: Tensor, other: Tensor): Tensor;
  logical_and(self: Tensor, options: { other: Tensor }): Tensor;
  /** True where either is; anything but 0 is true. */
  logical_or(self: Tensor, other: Tensor): Tensor;
  logical_or(self: Tensor, options: { other: Tensor }): Tensor;
  /** True where exactly one is; anything but 0 is true. */
  logical_xor(self: Tensor, other: Tensor): Tensor;
  logical_xor(self: Tensor, options: { other: Tensor }): Tensor;
  /** Bits that both have; of bools, and, elementwise; integers only. */
  bitwise_and(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  bitwise_and(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** Bits that either has; of bools, or, elementwise; integers only. */
  bitwise_or(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  bitwise_or(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** Bits that exactly one has; of bools, exclusive or, elementwise; integers only. */
  bitwise_xor(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  bitwise_xor(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** self * 2^other, elementwise; integers only. */
  bitwise_left_shift(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  bitwise_left_shift(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** self / 2^other, rounded down, elementwise; integers only. */
  bitwise_right_shift(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  bitwise_right_shift(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** Every bit the other way; of bools, logical_not. Integers only. */
  bitwise_not(self: Tensor): Tensor;
  /** Remainder of self / other with the sign of self, elementwise. */
  fmod(self: Tensor, other: Tensor | Scalar): Tensor;
  fmod(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** Remainder of self / other with the sign of other, elementwise. */
  remainder(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  remainder(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** self / other, rounded down, elementwise; integers stay integers. Backward is not implemented; `div` with rounding_mode "floor" has it. */
  floor_divide(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  floor_divide(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** The angle of the point (other, self) in radians, elementwise. */
  atan2(self: Tensor, other: Tensor): Tensor;
  atan2(self: Tensor, options: { other: Tensor }): Tensor;
  /** The magnitude of self with the sign of other, elementwise. */
  copysign(self: Tensor, other: Tensor | Scalar): Tensor;
  copysign(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** The square root of self² + other², elementwise, without overflow on the way. */
  hypot(self: Tensor, other: Tensor): Tensor;
  hypot(self: Tensor, options: { other: Tensor }): Tensor;
  /** log(exp(self) + exp(other)), elementwise. */
  logaddexp(self: Tensor, other: Tensor): Tensor;
  logaddexp(self: Tensor, options: { other: Tensor }): Tensor;
  /** log2(2^self + 2^other), elementwise. */
  logaddexp2(self: Tensor, other: Tensor): Tensor;
  logaddexp2(self: Tensor, options: { other: Tensor }): Tensor;
  /** self * log(other), and 0 where self is 0, elementwise. */
  xlogy(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  xlogy(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** In-place form of `xlogy`. */
  xlogy_(self: Tensor, other: Tensor | Scalar): Tensor;
  xlogy_(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** self + value * tensor1 * tensor2, elementwise. */
  addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, options?: { value?: Scalar }): Tensor;
  addcmul(self: Tensor, tensor1: Tensor, options: { tensor2: Tensor; value?: Scalar }): Tensor;
  addcmul(self: Tensor, options: { tensor1: Tensor; tensor2: Tensor; value?: Scalar }): Tensor;
  /** self + value * tensor1 / tensor2, elementwise. */
  addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, options?: { value?: Scalar }): Tensor;
  addcdiv(self: Tensor, tensor1: Tensor, options: { tensor2: Tensor; value?: Scalar }): Tensor;
  addcdiv(self: Tensor, options: { tensor1: Tensor; tensor2: Tensor; value?: Scalar }): Tensor;
  /** self + weight * (end - self), elementwise. */
  lerp(self: Tensor, end: Tensor, weight: Tensor | Scalar): Tensor;
  lerp(self: Tensor, end: Tensor, options: { weight: Tensor | Scalar }): Tensor;
  lerp(self: Tensor, options: { end: Tensor; weight: Tensor | Scalar }): Tensor;
  /** Elements below min become min. NaN stays. */
  clamp_min(self: Tensor, min: Tensor | Scalar): Tensor;
  clamp_min(self: Tensor, options: { min: Tensor | Scalar }): Tensor;
  /** In-place form of `clamp_min`. */
  clamp_min_(self: Tensor, min: Tensor | Scalar): Tensor;
  clamp_min_(self: Tensor, options: { min: Tensor | Scalar }): Tensor;
  /** Elements above max become max. NaN stays. */
  clamp_max(self: Tensor, max: Tensor | Scalar): Tensor;
  clamp_max(self: Tensor, options: { max: Tensor | Scalar }): Tensor;
  /** In-place form of `clamp_max`. */
  clamp_max_(self: Tensor, max: Tensor | Scalar): Tensor;
  clamp_max_(self: Tensor, options: { max: Tensor | Scalar }): Tensor;
  /** Degrees as radians, elementwise. */
  deg2rad(self: Tensor): Tensor;
  /** In-place form of `deg2rad`. */
  deg2rad_(self: Tensor): Tensor;
  /** Radians as degrees, elementwise. */
  rad2deg(self: Tensor): Tensor;
  /** In-place form of `rad2deg`. */
  rad2deg_(self: Tensor): Tensor;
  /** log(x / (1 - x)), elementwise; with eps, x is kept between eps and 1 - eps. */
  logit(self: Tensor, eps: number | null): Tensor;
  logit(self: Tensor, options?: { eps?: number | null }): Tensor;
  /** In-place form of `logit`. */
  logit_(self: Tensor, eps: number | null): Tensor;
  logit_(self: Tensor, options?: { eps?: number | null }): Tensor;
  /** sin(πx) / (πx), and 1 at 0, elementwise. */
  sinc(self: Tensor): Tensor;
  /** In-place form of `sinc`. */
  sinc_(self: Tensor): Tensor;
  /** The larger of both, elementwise; a NaN loses. */
  fmax(self: Tensor, other: Tensor): Tensor;
  fmax(self: Tensor, options: { other: Tensor }): Tensor;
  /** The smaller of both, elementwise; a NaN loses. */
  fmin(self: Tensor, other: Tensor): Tensor;
  fmin(self: Tensor, options: { other: Tensor }): Tensor;
  /** self * 2^other, elementwise. */
  ldexp(self: Tensor, other: Tensor): Tensor;
  ldexp(self: Tensor, options: { other: Tensor }): Tensor;
  /** 1 above 0, values at 0, 0 elsewhere, elementwise. Both are of one dtype; backward is not implemented. */
  heaviside(self: Tensor, values: Tensor): Tensor;
  heaviside(self: Tensor, options: { values: Tensor }): Tensor;
  /** True where x is infinity. */
  isposinf(self: Tensor): Tensor;
  /** True where x is minus infinity. */
  isneginf(self: Tensor): Tensor;
  /** True where x has a sign: negative numbers, -0 and NaN with one. */
  signbit(self: Tensor): Tensor;
  /** True everywhere: there are no complex numbers here. */
  isreal(self: Tensor): Tensor;
  /** x itself, which may not be bool. */
  positive(self: Tensor): Tensor;
  /** self to the power of exponent in float64, elementwise; either may be a number. */
  float_power(self: Tensor, exponent: Tensor | Scalar): Tensor;
  float_power(self: Tensor, options: { exponent: Tensor | Scalar }): Tensor;
  float_power(self: Scalar, exponent: Tensor): Tensor;
  float_power(self: Scalar, options: { exponent: Tensor }): Tensor;
  /** Another name of `abs`. */
  absolute(self: Tensor): Tensor;
  /** Another name of `acos`. */
  arccos(self: Tensor): Tensor;
  /** Another name of `acos_`. */
  arccos_(self: Tensor): Tensor;
  /** Another name of `acosh`. */
  arccosh(self: Tensor): Tensor;
  /** Another name of `acosh_`. */
  arccosh_(self: Tensor): Tensor;
  /** Another name of `asin`. */
  arcsin(self: Tensor): Tensor;
  /** Another name of `asin_`. */
  arcsin_(self: Tensor): Tensor;
  /** Another name of `asinh`. */
  arcsinh(self: Tensor): Tensor;
  /** Another name of `asinh_`. */
  arcsinh_(self: Tensor): Tensor;
  /** Another name of `atan`. */
  arctan(self: Tensor): Tensor;
  /** Another name of `atan_`. */
  arctan_(self: Tensor): Tensor;
  /** Another name of `atan2`. */
  arctan2(self: Tensor, other: Tensor): Tensor;
  arctan2(self: Tensor, options: { other: Tensor }): Tensor;
  /** Another name of `atanh`. */
  arctanh(self: Tensor): Tensor;
  /** Another name of `atanh_`. */
  arctanh_(self: Tensor): Tensor;
  /** Another name of `clamp`. */
  clip(self: Tensor, min: Tensor | Scalar | null, max: Tensor | Scalar | null): Tensor;
  clip(self: Tensor, min: Tensor | Scalar | null, options?: { max?: Tensor | Scalar | null }): Tensor;
  clip(self: Tensor, options?: { min?: Tensor | Scalar | null; max?: Tensor | Scalar | null }): Tensor;
  /** Another name of `clamp_`. */
  clip_(self: Tensor, min: Tensor | Scalar | null, max: Tensor | Scalar | null): Tensor;
  clip_(self: Tensor, min: Tensor | Scalar | null, options?: { max?: Tensor | Scalar | null }): Tensor;
  clip_(self: Tensor, options?: { min?: Tensor | Scalar | null; max?: Tensor | Scalar | null }): Tensor;
  /** Another name of `div`. */
  divide(self: Tensor | Scalar, other: Tensor | Scalar, options?: { rounding_mode?: 'trunc' | 'floor' | null }): Tensor;
  divide(self: Tensor | Scalar, options: { other: Tensor | Scalar; rounding_mode?: 'trunc' | 'floor' | null }): Tensor;
  /** Another name of `trunc`. */
  fix(self: Tensor): Tensor;
  /** Another name of `trunc_`. */
  fix_(self: Tensor): Tensor;
  /** Another name of `gt`. */
  greater(self: Tensor, other: Tensor | Scalar): Tensor;
  greater(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `ge`. */
  greater_equal(self: Tensor, other: Tensor | Scalar): Tensor;
  greater_equal(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `lt`. */
  less(self: Tensor, other: Tensor | Scalar): Tensor;
  less(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `le`. */
  less_equal(self: Tensor, other: Tensor | Scalar): Tensor;
  less_equal(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `mul`. */
  multiply(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  multiply(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `neg`. */
  negative(self: Tensor): Tensor;
  /** Another name of `neg_`. */
  negative_(self: Tensor): Tensor;
  /** Another name of `ne`. */
  not_equal(self: Tensor, other: Tensor | Scalar): Tensor;
  not_equal(self: Tensor, options: { other: Tensor | Scalar }): Tensor;
  /** Another name of `sub`. */
  subtract(self: Tensor | Scalar, other: Tensor | Scalar, options?: { alpha?: Scalar }): Tensor;
  subtract(self: Tensor | Scalar, options: { other: Tensor | Scalar; alpha?: Scalar }): Tensor;
  /** Another name of `div`. */
  true_divide(self: Tensor | Scalar, other: Tensor | Scalar): Tensor;
  true_divide(self: Tensor | Scalar, options: { other: Tensor | Scalar }): Tensor;
  /** The largest element so far along dim, and its position: of equal ones the last. NaN is the largest. */
  cummax(self: Tensor, dim: number | bigint): NamedTuple<['values', 'indices']>;
  cummax(self: Tensor, options: { dim: number | bigint }): NamedTuple<['values', 'indices']>;
  /** The smallest element so far along dim, and its position: of equal ones the last. NaN is the smallest. */
  cummin(self: Tensor, dim: number | bigint): NamedTuple<['values', 'indices']>;
  cummin(self: Tensor, options: { dim: number | bigint }): NamedTuple<['values', 'indices']>;
  /** The logarithm of the running sum of exponentials along dim. */
  logcumsumexp(self: Tensor, dim: number | bigint): Tensor;
  logcumsumexp(self: Tensor, options: { dim: number | bigint }): Tensor;
  /** A copy of self in which the elements of src are combined (sum, prod, mean, amax, amin) at the positions in index. */
  scatter_reduce(
    self: Tensor,
    dim: number | bigint,
    index: Tensor,
    src: Tensor,
    reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin',
    options?: { include_self?: boolean },
  ): Tensor;
  scatter_reduce(
    self: Tensor,
    dim: number | bigint,
    index: Tensor,
    src: Tensor,
    options: { reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin'; include_self?: boolean },
  ): Tensor;
  scatter_reduce(
    self: Tensor,
    dim: number | bigint,
    index: Tensor,
    options: { src: Tensor; reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin'; include_self?: boolean },
  ): Tensor;
  scatter_reduce(
    self: Tensor,
    dim: number | bigint,
    options: { index: Tensor; src: Tensor; reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin'; include_self?: boolean },
  ): Tensor;
  scatter_reduce(
    self: Tensor,
    options: {
      dim: number | bigint;
      index: Tensor;
      src: Tensor;
      reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin';
      include_self?: boolean;
    },
  ): Tensor;
  /** As `scatter_`, on a copy. */
  scatter(self: Tensor, dim: number | bigint, index: Tensor, src: Tensor): Tensor;
  scatter(self: Tensor, dim: number | bigint, index: Tensor, options: { src: Tensor }): Tensor;
  scatter(self: Tensor, dim: number | bigint, options: { index: Tensor; src: Tensor }): Tensor;
  scatter(self: Tensor, options: { dim: number | bigint; index: Tensor; src: Tensor }): Tensor;
  scatter(
    self: Tensor,
    dim: number | bigint,
    index: Tensor,
    src: Tensor,
    options: { reduce: 'add' | 'multiply' },
  ): Tensor;
  scatter(
    self: Tensor,
    dim: number | bigint,
    index: Tensor,
    options: { src: Tensor; reduce: 'add' | 'multiply' },
  ): Tensor;
  scatter(
    self: Tensor,
    dim: number | bigint,
    options: { index: Tensor; src: Tensor; reduce: 'add' | 'multiply' },
  ): Tensor;
  scatter(
    self: Tensor,
    options: { dim: number | bigint; index: Tensor; src: Tensor; reduce: 'add' | 'multiply' },
  ): Tensor;
  scatter(
    self: Tensor,
    dim: number | bigint,
    index: Tensor,
    value: Scalar,
    options: { reduce: 'add' | 'multiply' },
  ): Tensor;
  scatter(
    self: Tensor,
    dim: number | bigint,
    index: Tensor,
    options: { value: Scalar; reduce: 'add' | 'multiply' },
  ): Tensor;
  scatter(
    self: Tensor,
    dim: number | bigint,
    options: { index: Tensor; value: Scalar; reduce: 'add' | 'multiply' },
  ): Tensor;
  scatter(
    self: Tensor,
    options: { dim: number | bigint; index: Tensor; value: Scalar; reduce: 'add' | 'multiply' },
  ): Tensor;
  scatter(self: Tensor, dim: number | bigint, index: Tensor, value: Scalar): Tensor;
  scatter(self: Tensor, dim: number | bigint, index: Tensor, options: { value: Scalar }): Tensor;
  scatter(self: Tensor, dim: number | bigint, options: { index: Tensor; value: Scalar }): Tensor;
  scatter(self: Tensor, options: { dim: number | bigint; index: Tensor; value: Scalar }): Tensor;
  /** Turned by k times 90 degrees in the plane of two dimensions, from the first towards the second. */
  rot90(self: Tensor, k: number | bigint, dims: readonly (number | bigint)[]): Tensor;
  rot90(self: Tensor, k: number | bigint, options?: { dims?: readonly (number | bigint)[] }): Tensor;
  rot90(self: Tensor, options?: { k?: number | bigint; dims?: readonly (number | bigint)[] }): Tensor;
  /** Every element (along dim; without it, of the flattened tensor) repeated so many times in a row. */
  repeat_interleave(
    self: Tensor,
    repeats: number | bigint,
    dim: number | bigint | null,
    options?: { output_size?: number | bigint | null },
  ): Tensor;
  repeat_interleave(
    self: Tensor,
    repeats: number | bigint,
    options?: { dim?: number | bigint | null; output_size?: number | bigint | null },
  ): Tensor;
  repeat_interleave(
    self: Tensor,
    options: { repeats: number | bigint; dim?: number | bigint | null; output_size?: number | bigint | null },
  ): Tensor;
  repeat_interleave(
    self: Tensor,
    repeats: Tensor,
    dim: number | bigint | null,
    options?: { output_size?: number | bigint | null },
  ): Tensor;
  repeat_interleave(
    self: Tensor,
    repeats: Tensor,
    options?: { dim?: number | bigint | null; output_size?: number | bigint | null },
  ): Tensor;
  repeat_interleave(
    self: Tensor,
    options: { repeats: Tensor; dim?: number | bigint | null; output_size?: number | bigint | null },
  ): Tensor;
  repeat_interleave(repeats: Tensor, options?: { output_size?: number | bigint | null }): Tensor;
  /** The elements where mask (broadcast with self) is true, as a vector. Waits for the device. */
  masked_select(self: Tensor, mask: Tensor): Tensor;
  masked_select(self: Tensor, options: { mask: Tensor }): Tensor;
  /** A copy of self with the elements of source, in order, where mask is true. */
  masked_scatter(self: Tensor, mask: Tensor, source: Tensor): Tensor;
  masked_scatter(self: Tensor, mask: Tensor, options: { source: Tensor }): Tensor;
  masked_scatter(self: Tensor, options: { mask: Tensor; source: Tensor }): Tensor;
  /** Dimensions `source` moved to the places `destination`; the others keep their order. */
  movedim(self: Tensor, source: number | bigint, destination: number | bigint): Tensor;
  movedim(self: Tensor, source: number | bigint, options: { destination: number | bigint }): Tensor;
  movedim(self: Tensor, options: { source: number | bigint; destination: number | bigint }): Tensor;
  movedim(self: Tensor, source: readonly (number | bigint)[], destination: readonly (number | bigint)[]): Tensor;
  movedim(
    self: Tensor,
    source: readonly (number | bigint)[],
    options: { destination: readonly (number | bigint)[] },
  ): Tensor;
  movedim(
    self: Tensor,
    options: { source: readonly (number | bigint)[]; destination: readonly (number | bigint)[] },
  ): Tensor;
  /** Dimensions `source` moved to the places `destination`; the others keep their order. */
  moveaxis(self: Tensor, source: number | bigint, destination: number | bigint): Tensor;
  moveaxis(self: Tensor, source: number | bigint, options: { destination: number | bigint }): Tensor;
  moveaxis(self: Tensor, options: { source: number | bigint; destination: number | bigint }): Tensor;
  moveaxis(self: Tensor, source: readonly (number | bigint)[], destination: readonly (number | bigint)[]): Tensor;
  moveaxis(
    self: Tensor,
    source: readonly (number | bigint)[],
    options: { destination: readonly (number | bigint)[] },
  ): Tensor;
  moveaxis(
    self: Tensor,
    options: { source: readonly (number | bigint)[]; destination: readonly (number | bigint)[] },
  ): Tensor;
  /** The diagonal of dimensions dim1 and dim2 as a last dimension; offset > 0 lies above the main one. */
  diagonal(self: Tensor, offset: number | bigint, dim1: number | bigint, dim2: number | bigint): Tensor;
  diagonal(self: Tensor, offset: number | bigint, dim1: number | bigint, options?: { dim2?: number | bigint }): Tensor;
  diagonal(self: Tensor, offset: number | bigint, options?: { dim1?: number | bigint; dim2?: number | bigint }): Tensor;
  diagonal(
    self: Tensor,
    options?: { offset?: number | bigint; dim1?: number | bigint; dim2?: number | bigint },
  ): Tensor;
  /** Pieces of dimension dim: so many of about equal size, or cut at the given places. */
  tensor_split(self: Tensor, sections: number | bigint, dim: number | bigint): Tensor[];
  tensor_split(self: Tensor, sections: number | bigint, options?: { dim?: number | bigint }): Tensor[];
  tensor_split(self: Tensor, options: { sections: number | bigint; dim?: number | bigint }): Tensor[];
  tensor_split(self: Tensor, indices: readonly (number | bigint)[], dim: number | bigint): Tensor[];
  tensor_split(self: Tensor, indices: readonly (number | bigint)[], options?: { dim?: number | bigint }): Tensor[];
  tensor_split(self: Tensor, options: { indices: readonly (number | bigint)[]; dim?: number | bigint }): Tensor[];
  tensor_split(self: Tensor, tensor_indices_or_sections: Tensor, dim: number | bigint): Tensor[];
  tensor_split(self: Tensor, tensor_indices_or_sections: Tensor, options?: { dim?: number | bigint }): Tensor[];
  tensor_split(self: Tensor, options: { tensor_indices_or_sections: Tensor; dim?: number | bigint }): Tensor[];
  /** Pieces of dimension 1 (of a vector 0), of equal size or cut at the given places. */
  hsplit(self: Tensor, sections: number | bigint): Tensor[];
  hsplit(self: Tensor, options: { sections: number | bigint }): Tensor[];
  hsplit(self: Tensor, indices: readonly (number | bigint)[]): Tensor[];
  hsplit(self: Tensor, options: { indices: readonly (number | bigint)[] }): Tensor[];
  /** Pieces of dimension 0, of equal size or cut at the given places. */
  vsplit(self: Tensor, sections: number | bigint): Tensor[];
  vsplit(self: Tensor, options: { sections: number | bigint }): Tensor[];
  vsplit(self: Tensor, indices: readonly (number | bigint)[]): Tensor[];
  vsplit(self: Tensor, options: { indices: readonly (number | bigint)[] }): Tensor[];
  /** Pieces of dimension 2, of equal size or cut at the given places. */
  dsplit(self: Tensor, sections: number | bigint): Tensor[];
  dsplit(self: Tensor, options: { sections: number | bigint }): Tensor[];
  dsplit(self: Tensor, indices: readonly (number | bigint)[]): Tensor[];
  dsplit(self: Tensor, options: { indices: readonly (number | bigint)[] }): Tensor[];
  /** A view with at least 1 dimension, of one tensor or of several. */
  atleast_1d(self: Tensor): Tensor;
  atleast_1d(tensors: readonly Tensor[]): Tensor[];
  atleast_1d(...tensors: Tensor[]): Tensor[];
  /** A view with at least 2 dimensions, of one tensor or of several. */
  atleast_2d(self: Tensor): Tensor;
  atleast_2d(tensors: readonly Tensor[]): Tensor[];
  atleast_2d(...tensors: Tensor[]): Tensor[];
  /** A view with at least 3 dimensions, of one tensor or of several. */
  atleast_3d(self: Tensor): Tensor;
  atleast_3d(tensors: readonly Tensor[]): Tensor[];
  atleast_3d(...tensors: Tensor[]): Tensor[];
  /** Matrices (the last two dimensions) with zeros above the given diagonal (0 is the main one). */
  tril(self: Tensor, diagonal: number | bigint): Tensor;
  tril(self: Tensor, options?: { diagonal?: number | bigint }): Tensor;
  /** Matrices (the last two dimensions) with zeros below the given diagonal (0 is the main one). */
  triu(self: Tensor, diagonal: number | bigint): Tensor;
  triu(self: Tensor, options?: { diagonal?: number | bigint }): Tensor;
  /** Rows and columns of the places in the lower triangle of a row x col matrix, [2, count]. */
  tril_indices(
    row: number | bigint,
    col: number | bigint,
    offset: number | bigint,
    options?: { dtype?: DType | null; device?: DeviceLike | null; pin_memory?: boolean },
  ): Tensor;
  tril_indices(
    row: number | bigint,
    col: number | bigint,
    options?: { offset?: number | bigint; dtype?: DType | null; device?: DeviceLike | null; pin_memory?: boolean },
  ): Tensor;
  tril_indices(
    row: number | bigint,
    options: {
      col: number | bigint;
      offset?: number | bigint;
      dtype?: DType | null;
      device?: DeviceLike | null;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** Rows and columns of the places in the upper triangle of a row x col matrix, [2, count]. */
  triu_indices(
    row: number | bigint,
    col: number | bigint,
    offset: number | bigint,
    options?: { dtype?: DType | null; device?: DeviceLike | null; pin_memory?: boolean },
  ): Tensor;
  triu_indices(
    row: number | bigint,
    col: number | bigint,
    options?: { offset?: number | bigint; dtype?: DType | null; device?: DeviceLike | null; pin_memory?: boolean },
  ): Tensor;
  triu_indices(
    row: number | bigint,
    options: {
      col: number | bigint;
      offset?: number | bigint;
      dtype?: DType | null;
      device?: DeviceLike | null;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** Matrices of zeros (dimensions dim1 and dim2) with the last dimension of self on a diagonal. */
  diag_embed(self: Tensor, offset: number | bigint, dim1: number | bigint, dim2: number | bigint): Tensor;
  diag_embed(
    self: Tensor,
    offset: number | bigint,
    dim1: number | bigint,
    options?: { dim2?: number | bigint },
  ): Tensor;
  diag_embed(
    self: Tensor,
    offset: number | bigint,
    options?: { dim1?: number | bigint; dim2?: number | bigint },
  ): Tensor;
  diag_embed(
    self: Tensor,
    options?: { offset?: number | bigint; dim1?: number | bigint; dim2?: number | bigint },
  ): Tensor;
  /** The diagonal of a matrix as a new vector, or a matrix with a vector on its diagonal. */
  diag(self: Tensor, diagonal: number | bigint): Tensor;
  diag(self: Tensor, options?: { diagonal?: number | bigint }): Tensor;
  /** A matrix with the flattened input on a diagonal. */
  diagflat(self: Tensor, offset: number | bigint): Tensor;
  diagflat(self: Tensor, options?: { offset?: number | bigint }): Tensor;
  /** Tensors side by side: along dimension 1, vectors along 0. */
  hstack(tensors: readonly Tensor[]): Tensor;
  /** Tensors one below the other, vectors as rows. */
  vstack(tensors: readonly Tensor[]): Tensor;
  /** Tensors one below the other, vectors as rows. */
  row_stack(tensors: readonly Tensor[]): Tensor;
  /** Tensors one behind the other, along dimension 2. */
  dstack(tensors: readonly Tensor[]): Tensor;
  /** Tensors side by side, vectors as columns. */
  column_stack(tensors: readonly Tensor[]): Tensor;
  /** For every vector a grid of its values over the sizes of all; indexing "ij" or "xy" (first two exchanged). */
  meshgrid(tensors: readonly Tensor[], options?: { indexing?: 'ij' | 'xy' | null }): Tensor[];
  meshgrid(...tensors: [...sizes: Tensor[], options: { indexing?: 'ij' | 'xy' | null }]): Tensor[];
  meshgrid(...tensors: Tensor[]): Tensor[];
  /** Every combination of one element of each vector, one row each; of one vector itself. */
  cartesian_prod(tensors: readonly Tensor[]): Tensor;
  cartesian_prod(...tensors: Tensor[]): Tensor;
  /** Every choice of r elements of a vector, in order; with_replacement: also the same one again. */
  combinations(self: Tensor, r: number | bigint, with_replacement: boolean): Tensor;
  combinations(self: Tensor, r: number | bigint, options?: { with_replacement?: boolean }): Tensor;
  combinations(self: Tensor, options?: { r?: number | bigint; with_replacement?: boolean }): Tensor;
  /** The elements at index's positions in the flattened tensor, in index's shape; negative ones count from the end. */
  take(self: Tensor, index: Tensor): Tensor;
  take(self: Tensor, options: { index: Tensor }): Tensor;
  /** As `gather`, but both are broadcast, but for dim; without dim picks from the flattened tensor. */
  take_along_dim(self: Tensor, indices: Tensor, dim: number | bigint | null): Tensor;
  take_along_dim(self: Tensor, indices: Tensor, options?: { dim?: number | bigint | null }): Tensor;
  take_along_dim(self: Tensor, options: { indices: Tensor; dim?: number | bigint | null }): Tensor;
  /** As `put_`, on a copy. */
  put(self: Tensor, index: Tensor, source: Tensor, accumulate: boolean): Tensor;
  put(self: Tensor, index: Tensor, source: Tensor, options?: { accumulate?: boolean }): Tensor;
  put(self: Tensor, index: Tensor, options: { source: Tensor; accumulate?: boolean }): Tensor;
  put(self: Tensor, options: { index: Tensor; source: Tensor; accumulate?: boolean }): Tensor;
  /** As `index_copy_`, on a copy. */
  index_copy(self: Tensor, dim: number | bigint, index: Tensor, source: Tensor): Tensor;
  index_copy(self: Tensor, dim: number | bigint, index: Tensor, options: { source: Tensor }): Tensor;
  index_copy(self: Tensor, dim: number | bigint, options: { index: Tensor; source: Tensor }): Tensor;
  index_copy(self: Tensor, options: { dim: number | bigint; index: Tensor; source: Tensor }): Tensor;
  /** As `index_fill_`, on a copy. */
  index_fill(self: Tensor, dim: number | bigint, index: Tensor, value: Tensor | Scalar): Tensor;
  index_fill(self: Tensor, dim: number | bigint, index: Tensor, options: { value: Tensor | Scalar }): Tensor;
  index_fill(self: Tensor, dim: number | bigint, options: { index: Tensor; value: Tensor | Scalar }): Tensor;
  index_fill(self: Tensor, options: { dim: number | bigint; index: Tensor; value: Tensor | Scalar }): Tensor;
  /** Sorted along dim, with the positions of the elements. Equal elements keep their order; NaN is the largest. */
  sort(self: Tensor, dim: number | bigint, descending: boolean): NamedTuple<['values', 'indices']>;
  sort(self: Tensor, dim: number | bigint, options?: { descending?: boolean }): NamedTuple<['values', 'indices']>;
  sort(self: Tensor, options?: { dim?: number | bigint; descending?: boolean }): NamedTuple<['values', 'indices']>;
  sort(
    self: Tensor,
    options: { stable: boolean | null; dim?: number | bigint; descending?: boolean },
  ): NamedTuple<['values', 'indices']>;
  /** Positions of the elements in sorted order along dim. */
  argsort(self: Tensor, dim: number | bigint, descending: boolean): Tensor;
  argsort(self: Tensor, dim: number | bigint, options?: { descending?: boolean }): Tensor;
  argsort(self: Tensor, options?: { dim?: number | bigint; descending?: boolean }): Tensor;
  argsort(self: Tensor, options: { stable: boolean; dim?: number | bigint; descending?: boolean }): Tensor;
  /** Sorted along the first dimension. */
  msort(self: Tensor): Tensor;
  /** The k largest (or smallest) elements along dim, with their positions; sorted, whatever `sorted` says. */
  topk(
    self: Tensor,
    k: number | bigint,
    dim: number | bigint,
    largest: boolean,
    sorted: boolean,
  ): NamedTuple<['values', 'indices']>;
  topk(
    self: Tensor,
    k: number | bigint,
    dim: number | bigint,
    largest: boolean,
    options?: { sorted?: boolean },
  ): NamedTuple<['values', 'indices']>;
  topk(
    self: Tensor,
    k: number | bigint,
    dim: number | bigint,
    options?: { largest?: boolean; sorted?: boolean },
  ): NamedTuple<['values', 'indices']>;
  topk(
    self: Tensor,
    k: number | bigint,
    options?: { dim?: number | bigint; largest?: boolean; sorted?: boolean },
  ): NamedTuple<['values', 'indices']>;
  topk(
    self: Tensor,
    options: { k: number | bigint; dim?: number | bigint; largest?: boolean; sorted?: boolean },
  ): NamedTuple<['values', 'indices']>;
  /** The k-th smallest element along dim, counted from 1, and its position. */
  kthvalue(self: Tensor, k: number | bigint, dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  kthvalue(
    self: Tensor,
    k: number | bigint,
    dim: number | bigint,
    options?: { keepdim?: boolean },
  ): NamedTuple<['values', 'indices']>;
  kthvalue(
    self: Tensor,
    k: number | bigint,
    options?: { dim?: number | bigint; keepdim?: boolean },
  ): NamedTuple<['values', 'indices']>;
  kthvalue(
    self: Tensor,
    options: { k: number | bigint; dim?: number | bigint; keepdim?: boolean },
  ): NamedTuple<['values', 'indices']>;
  /** The lower median of all elements, or along dim with its position; NaN if there is one. */
  median(self: Tensor): Tensor;
  median(self: Tensor, dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  median(self: Tensor, dim: number | bigint, options?: { keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  median(self: Tensor, options: { dim: number | bigint; keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  /** The lower median of all elements that are not NaN, or along dim with its position. */
  nanmedian(self: Tensor): Tensor;
  nanmedian(self: Tensor, dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  nanmedian(self: Tensor, dim: number | bigint, options?: { keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  nanmedian(self: Tensor, options: { dim: number | bigint; keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  /** The most frequent element along dim (of several the smallest), and the last of its positions. */
  mode(self: Tensor, dim: number | bigint, keepdim: boolean): NamedTuple<['values', 'indices']>;
  mode(self: Tensor, dim: number | bigint, options?: { keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  mode(self: Tensor, options?: { dim?: number | bigint; keepdim?: boolean }): NamedTuple<['values', 'indices']>;
  /** The distinct elements, or slices along dim, sorted; with return_inverse and return_counts a list: values, the place of every element among them, how often each is there. Waits for the device. */
  unique(
    self: Tensor,
    sorted: boolean,
    return_inverse: boolean,
    return_counts: boolean,
    dim: number | bigint | null,
  ): Tensor;
  unique(
    self: Tensor,
    sorted: boolean,
    return_inverse: boolean,
    return_counts: boolean,
    options?: { dim?: number | bigint | null },
  ): Tensor;
  unique(
    self: Tensor,
    sorted: boolean,
    return_inverse: boolean,
    options?: { return_counts?: boolean; dim?: number | bigint | null },
  ): Tensor;
  unique(
    self: Tensor,
    sorted: boolean,
    options?: { return_inverse?: boolean; return_counts?: boolean; dim?: number | bigint | null },
  ): Tensor;
  unique(
    self: Tensor,
    options?: { sorted?: boolean; return_inverse?: boolean; return_counts?: boolean; dim?: number | bigint | null },
  ): Tensor;
  /** One of every run of equal elements, or slices along dim; with return_inverse and return_counts a list, as `unique` gives. Waits for the device. */
  unique_consecutive(
    self: Tensor,
    return_inverse: boolean,
    return_counts: boolean,
    dim: number | bigint | null,
  ): Tensor;
  unique_consecutive(
    self: Tensor,
    return_inverse: boolean,
    return_counts: boolean,
    options?: { dim?: number | bigint | null },
  ): Tensor;
  unique_consecutive(
    self: Tensor,
    return_inverse: boolean,
    options?: { return_counts?: boolean; dim?: number | bigint | null },
  ): Tensor;
  unique_consecutive(
    self: Tensor,
    options?: { return_inverse?: boolean; return_counts?: boolean; dim?: number | bigint | null },
  ): Tensor;
  /** For every value its place in the sorted sequence (the last dimension): before equal elements, or with right behind them. */
  searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | Scalar,
    options?: { out_int32?: boolean; right?: boolean; side?: 'left' | 'right' | null; sorter?: Tensor | null },
  ): Tensor;
  searchsorted(
    sorted_sequence: Tensor,
    options: {
      input: Tensor | Scalar;
      out_int32?: boolean;
      right?: boolean;
      side?: 'left' | 'right' | null;
      sorter?: Tensor | null;
    },
  ): Tensor;
  /** For every value the number of its bucket between the sorted boundaries, a vector: as `searchsorted`, the other way round. */
  bucketize(input: Tensor | Scalar, boundaries: Tensor, options?: { out_int32?: boolean; right?: boolean }): Tensor;
  bucketize(input: Tensor | Scalar, options: { boundaries: Tensor; out_int32?: boolean; right?: boolean }): Tensor;
  /** How often every whole number from 0 up is there, or the sum of its weights. Waits for the device. */
  bincount(self: Tensor, weights: Tensor | null, minlength: number | bigint): Tensor;
  bincount(self: Tensor, weights: Tensor | null, options?: { minlength?: number | bigint }): Tensor;
  bincount(self: Tensor, options?: { weights?: Tensor | null; minlength?: number | bigint }): Tensor;
  /** How many elements fall in each of `bins` equal parts of [min, max]; min = max = 0 takes the range of the elements. */
  histc(self: Tensor, bins: number | bigint, min: Scalar, max: Scalar): Tensor;
  histc(self: Tensor, bins: number | bigint, min: Scalar, options?: { max?: Scalar }): Tensor;
  histc(self: Tensor, bins: number | bigint, options?: { min?: Scalar; max?: Scalar }): Tensor;
  histc(self: Tensor, options?: { bins?: number | bigint; min?: Scalar; max?: Scalar }): Tensor;
  /** Whether each element is among test_elements (with invert: is not). */
  isin(
    elements: Tensor | Scalar,
    test_elements: Tensor | Scalar,
    options?: { assume_unique?: boolean; invert?: boolean },
  ): Tensor;
  isin(
    elements: Tensor | Scalar,
    options: { test_elements: Tensor | Scalar; assume_unique?: boolean; invert?: boolean },
  ): Tensor;
  /** The q-quantiles, q between 0 and 1, of all elements or along dim, between neighbours as interpolation says. NaN if there is one. */
  quantile(
    self: Tensor,
    q: Tensor,
    dim: number | bigint | null,
    keepdim: boolean,
    options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  quantile(
    self: Tensor,
    q: Tensor,
    dim: number | bigint | null,
    options?: { keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  quantile(
    self: Tensor,
    q: Tensor,
    options?: {
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  quantile(
    self: Tensor,
    options: {
      q: Tensor;
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  quantile(
    self: Tensor,
    q: number,
    dim: number | bigint | null,
    keepdim: boolean,
    options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  quantile(
    self: Tensor,
    q: number,
    dim: number | bigint | null,
    options?: { keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  quantile(
    self: Tensor,
    q: number,
    options?: {
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  quantile(
    self: Tensor,
    options: {
      q: number;
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  /** The q-quantiles as by `quantile`, of the elements that are not NaN. */
  nanquantile(
    self: Tensor,
    q: Tensor,
    dim: number | bigint | null,
    keepdim: boolean,
    options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  nanquantile(
    self: Tensor,
    q: Tensor,
    dim: number | bigint | null,
    options?: { keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  nanquantile(
    self: Tensor,
    q: Tensor,
    options?: {
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  nanquantile(
    self: Tensor,
    options: {
      q: Tensor;
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  nanquantile(
    self: Tensor,
    q: number,
    dim: number | bigint | null,
    keepdim: boolean,
    options?: { interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  nanquantile(
    self: Tensor,
    q: number,
    dim: number | bigint | null,
    options?: { keepdim?: boolean; interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' },
  ): Tensor;
  nanquantile(
    self: Tensor,
    q: number,
    options?: {
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  nanquantile(
    self: Tensor,
    options: {
      q: number;
      dim?: number | bigint | null;
      keepdim?: boolean;
      interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest';
    },
  ): Tensor;
  /** Differences of neighbours along dim, n times over: of length n less. Between bools, whether they differ. prepend and append are put to the ends first. */
  diff(self: Tensor, n: number | bigint, dim: number | bigint, prepend: Tensor | null, append: Tensor | null): Tensor;
  diff(
    self: Tensor,
    n: number | bigint,
    dim: number | bigint,
    prepend: Tensor | null,
    options?: { append?: Tensor | null },
  ): Tensor;
  diff(
    self: Tensor,
    n: number | bigint,
    dim: number | bigint,
    options?: { prepend?: Tensor | null; append?: Tensor | null },
  ): Tensor;
  diff(
    self: Tensor,
    n: number | bigint,
    options?: { dim?: number | bigint; prepend?: Tensor | null; append?: Tensor | null },
  ): Tensor;
  diff(
    self: Tensor,
    options?: { n?: number | bigint; dim?: number | bigint; prepend?: Tensor | null; append?: Tensor | null },
  ): Tensor;
  /** 1 with the probability that self has for the element (or with probability p), else 0. */
  bernoulli(self: Tensor, options?: { generator?: Generator | null }): Tensor;
  bernoulli(self: Tensor, p: number, options?: { generator?: Generator | null }): Tensor;
  bernoulli(self: Tensor, options: { p: number; generator?: Generator | null }): Tensor;
  /** Positions drawn with the probabilities that the weights (a vector, or rows) give them, num_samples per row. Waits for the device. */
  multinomial(
    self: Tensor,
    num_samples: number | bigint,
    replacement: boolean,
    options?: { generator?: Generator | null },
  ): Tensor;
  multinomial(
    self: Tensor,
    num_samples: number | bigint,
    options?: { replacement?: boolean; generator?: Generator | null },
  ): Tensor;
  multinomial(
    self: Tensor,
    options: { num_samples: number | bigint; replacement?: boolean; generator?: Generator | null },
  ): Tensor;
  /** Normal numbers of given means and standard deviations: tensors, or numbers with a size. */
  normal(mean: Tensor, std: Tensor, options?: { generator?: Generator | null }): Tensor;
  normal(mean: Tensor, options: { std: Tensor; generator?: Generator | null }): Tensor;
  normal(mean: Tensor, std: number, options?: { generator?: Generator | null }): Tensor;
  normal(mean: Tensor, options?: { std?: number; generator?: Generator | null }): Tensor;
  normal(mean: number, std: Tensor, options?: { generator?: Generator | null }): Tensor;
  normal(mean: number, options: { std: Tensor; generator?: Generator | null }): Tensor;
  normal(
    mean: number,
    std: number,
    size: readonly (number | bigint)[],
    options?: {
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  normal(
    mean: number,
    std: number,
    options: {
      size: readonly (number | bigint)[];
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  normal(
    mean: number,
    options: {
      std: number;
      size: readonly (number | bigint)[];
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** Whole numbers from low (0) up to, not including, high, in self's shape and dtype. */
  randint_like(
    self: Tensor,
    high: number | bigint,
    options?: {
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  randint_like(
    self: Tensor,
    options: {
      high: number | bigint;
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  randint_like(
    self: Tensor,
    low: number | bigint,
    high: number | bigint,
    options?: {
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  randint_like(
    self: Tensor,
    low: number | bigint,
    options: {
      high: number | bigint;
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  randint_like(
    self: Tensor,
    options: {
      low: number | bigint;
      high: number | bigint;
      generator?: Generator | null;
      dtype?: DType | null;
      device?: DeviceLike | null;
      requires_grad?: boolean;
      pin_memory?: boolean;
    },
  ): Tensor;
  /** How many elements are not zero, over everything or along dim. */
  count_nonzero(self: Tensor, dim: number | bigint | readonly (number | bigint)[] | null): Tensor;
  count_nonzero(self: Tensor, options?: { dim?: number | bigint | readonly (number | bigint)[] | null }): Tensor;
  /** Sum over all elements, or over the dimensions dim, with NaN as 0. */
  nansum(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  nansum(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  nansum(
    self: Tensor,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  /** Mean over all elements that are not NaN, or over the dimensions dim. */
  nanmean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  nanmean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  nanmean(
    self: Tensor,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  /** Standard deviation and mean over all elements or the dimensions dim, as a pair. */
  std_mean(self: Tensor, unbiased: boolean): Tensor[];
  std_mean(self: Tensor, options: { unbiased: boolean }): Tensor[];
  std_mean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    unbiased: boolean,
    keepdim: boolean,
  ): Tensor[];
  std_mean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    unbiased: boolean,
    options?: { keepdim?: boolean },
  ): Tensor[];
  std_mean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options: { unbiased: boolean; keepdim?: boolean },
  ): Tensor[];
  std_mean(
    self: Tensor,
    options: { dim: number | bigint | readonly (number | bigint)[] | null; unbiased: boolean; keepdim?: boolean },
  ): Tensor[];
  std_mean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { correction?: Scalar | null; keepdim?: boolean; unbiased?: boolean | null },
  ): Tensor[];
  std_mean(
    self: Tensor,
    options?: {
      dim?: number | bigint | readonly (number | bigint)[] | null;
      correction?: Scalar | null;
      keepdim?: boolean;
      unbiased?: boolean | null;
    },
  ): Tensor[];
  /** Variance and mean over all elements or the dimensions dim, as a pair. */
  var_mean(self: Tensor, unbiased: boolean): Tensor[];
  var_mean(self: Tensor, options: { unbiased: boolean }): Tensor[];
  var_mean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    unbiased: boolean,
    keepdim: boolean,
  ): Tensor[];
  var_mean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    unbiased: boolean,
    options?: { keepdim?: boolean },
  ): Tensor[];
  var_mean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options: { unbiased: boolean; keepdim?: boolean },
  ): Tensor[];
  var_mean(
    self: Tensor,
    options: { dim: number | bigint | readonly (number | bigint)[] | null; unbiased: boolean; keepdim?: boolean },
  ): Tensor[];
  var_mean(
    self: Tensor,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { correction?: Scalar | null; keepdim?: boolean; unbiased?: boolean | null },
  ): Tensor[];
  var_mean(
    self: Tensor,
    options?: {
      dim?: number | bigint | readonly (number | bigint)[] | null;
      correction?: Scalar | null;
      keepdim?: boolean;
      unbiased?: boolean | null;
    },
  ): Tensor[];
  /** The smallest and the largest elements, over everything or along dim. */
  aminmax(self: Tensor, options?: { dim?: number | bigint | null; keepdim?: boolean }): NamedTuple<['min', 'max']>;
  /** Sums of products over dimensions of both: over the last `dims` of a and first of b, or over two lists of them. */
  tensordot(a: Tensor, b: Tensor, dims: number | bigint): Tensor;
  tensordot(a: Tensor, b: Tensor, options?: { dims?: number | bigint }): Tensor;
  tensordot(a: Tensor, options: { b: Tensor; dims?: number | bigint }): Tensor;
  tensordot(a: Tensor, b: Tensor, dims: readonly (readonly (number | bigint)[])[]): Tensor;
  tensordot(a: Tensor, b: Tensor, options: { dims: readonly (readonly (number | bigint)[])[] }): Tensor;
  tensordot(a: Tensor, options: { b: Tensor; dims: readonly (readonly (number | bigint)[])[] }): Tensor;
  /** Sums of products in Einstein's notation: einsum('bij,bjk->bik', a, b), or einsum(a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3]). */
  einsum(equation: string, operands: readonly Tensor[]): Tensor;
  einsum(equation: string, ...operands: Tensor[]): Tensor;
  einsum(operands: readonly (Tensor | readonly (number | bigint | '...')[])[]): Tensor;
  einsum(...operands: (Tensor | readonly (number | bigint | '...')[])[]): Tensor;
  /** Dot product of two vectors. */
  vdot(self: Tensor, other: Tensor): Tensor;
  vdot(self: Tensor, options: { other: Tensor }): Tensor;
  /** Every product of an element of self with one of vec2: [n, m]. */
  outer(self: Tensor, vec2: Tensor): Tensor;
  outer(self: Tensor, options: { vec2: Tensor }): Tensor;
  /** Every product of an element of self with one of vec2: [n, m]. */
  ger(self: Tensor, vec2: Tensor): Tensor;
  ger(self: Tensor, options: { vec2: Tensor }): Tensor;
  /** Sums of products over the last dimension of both. */
  inner(self: Tensor, other: Tensor): Tensor;
  inner(self: Tensor, options: { other: Tensor }): Tensor;
  /** Kronecker product: a block self[i, j] * other for every element of self. */
  kron(self: Tensor, other: Tensor): Tensor;
  kron(self: Tensor, options: { other: Tensor }): Tensor;
  /** Vector products along dim (by default the first of size 3). */
  cross(self: Tensor, other: Tensor, dim: number | bigint | null): Tensor;
  cross(self: Tensor, other: Tensor, options?: { dim?: number | bigint | null }): Tensor;
  cross(self: Tensor, options: { other: Tensor; dim?: number | bigint | null }): Tensor;
  /** The sum of the diagonal of a matrix. */
  trace(self: Tensor): Tensor;
  /** The p-norm over all elements or the dimensions dim; 'fro' is the 2-norm. torch.linalg.vector_norm and matrix_norm are newer names. */
  norm(
    self: Tensor,
    p: Scalar,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    dtype: DType | null,
  ): Tensor;
  norm(
    self: Tensor,
    p: Scalar,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    p: Scalar,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    p: Scalar,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    options: {
      p: Scalar;
      dim?: number | bigint | readonly (number | bigint)[] | null;
      keepdim?: boolean;
      dtype?: DType | null;
    },
  ): Tensor;
  norm(
    self: Tensor,
    p: 'fro' | 'nuc' | null,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    dtype: DType | null,
  ): Tensor;
  norm(
    self: Tensor,
    p: 'fro' | 'nuc' | null,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    p: 'fro' | 'nuc' | null,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    p: 'fro' | 'nuc' | null,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    options?: {
      p?: 'fro' | 'nuc' | null;
      dim?: number | bigint | readonly (number | bigint)[] | null;
      keepdim?: boolean;
      dtype?: DType | null;
    },
  ): Tensor;
  /** The p-norm of self - other. */
  dist(self: Tensor, other: Tensor, p: Scalar): Tensor;
  dist(self: Tensor, other: Tensor, options?: { p?: Scalar }): Tensor;
  dist(self: Tensor, options: { other: Tensor; p?: Scalar }): Tensor;
  /** beta * self + alpha * (mat @ vec); self broadcasts to the product. */
  addmv(self: Tensor, mat: Tensor, vec: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addmv(self: Tensor, mat: Tensor, options: { vec: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  addmv(self: Tensor, options: { mat: Tensor; vec: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  /** beta * self + alpha * outer(vec1, vec2); self broadcasts to the product. */
  addr(self: Tensor, vec1: Tensor, vec2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addr(self: Tensor, vec1: Tensor, options: { vec2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  addr(self: Tensor, options: { vec1: Tensor; vec2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  /** beta * self + alpha * (batch1 @ batch2), batches of matrices; self broadcasts to the products. */
  baddbmm(self: Tensor, batch1: Tensor, batch2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  baddbmm(self: Tensor, batch1: Tensor, options: { batch2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  baddbmm(self: Tensor, options: { batch1: Tensor; batch2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  /** beta * self + alpha * the sum of batch1 @ batch2 over the batches; self broadcasts to it. */
  addbmm(self: Tensor, batch1: Tensor, batch2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  addbmm(self: Tensor, batch1: Tensor, options: { batch2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  addbmm(self: Tensor, options: { batch1: Tensor; batch2: Tensor; beta?: Scalar; alpha?: Scalar }): Tensor;
  /** The product of matrices in the cheapest order; torch.linalg.multi_dot is the newer name. */
  chain_matmul(matrices: readonly Tensor[]): Tensor;
  chain_matmul(...matrices: Tensor[]): Tensor;
  /** x where it is positive, else weight * x, with one weight or one for each channel (dimension 1). */
  prelu(self: Tensor, weight: Tensor): Tensor;
  prelu(self: Tensor, options: { weight: Tensor }): Tensor;
  /** x where it is positive, else x times a slope: drawn from [lower, upper) for each element during training, their mean otherwise. */
  rrelu(self: Tensor, lower: Scalar, upper: Scalar, training: boolean, generator: Generator | null): Tensor;
  rrelu(
    self: Tensor,
    lower: Scalar,
    upper: Scalar,
    training: boolean,
    options?: { generator?: Generator | null },
  ): Tensor;
  rrelu(
    self: Tensor,
    lower: Scalar,
    upper: Scalar,
    options?: { training?: boolean; generator?: Generator | null },
  ): Tensor;
  rrelu(
    self: Tensor,
    lower: Scalar,
    options?: { upper?: Scalar; training?: boolean; generator?: Generator | null },
  ): Tensor;
  rrelu(
    self: Tensor,
    options?: { lower?: Scalar; upper?: Scalar; training?: boolean; generator?: Generator | null },
  ): Tensor;
  /** x where it is positive, else x times a slope: drawn from [lower, upper) for each element during training, their mean otherwise. */
  rrelu_(self: Tensor, lower: Scalar, upper: Scalar, training: boolean, generator: Generator | null): Tensor;
  rrelu_(
    self: Tensor,
    lower: Scalar,
    upper: Scalar,
    training: boolean,
    options?: { generator?: Generator | null },
  ): Tensor;
  rrelu_(
    self: Tensor,
    lower: Scalar,
    upper: Scalar,
    options?: { training?: boolean; generator?: Generator | null },
  ): Tensor;
  rrelu_(
    self: Tensor,
    lower: Scalar,
    options?: { upper?: Scalar; training?: boolean; generator?: Generator | null },
  ): Tensor;
  rrelu_(
    self: Tensor,
    options?: { lower?: Scalar; upper?: Scalar; training?: boolean; generator?: Generator | null },
  ): Tensor;
  /** Long short-term memory over a sequence [L, N, input] or packed rows: output, last hidden states, last cell states. */
  lstm(
    input: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
    batch_first: boolean,
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    input: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
    options: { batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    input: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    options: { bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    input: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    options: { train: boolean; bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    input: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    options: { dropout: number; train: boolean; bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    input: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    options: {
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    input: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    options: {
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    input: Tensor,
    hx: readonly Tensor[],
    options: {
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    input: Tensor,
    options: {
      hx: readonly Tensor[];
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    data: Tensor,
    batch_sizes: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    data: Tensor,
    batch_sizes: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    options: { bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    data: Tensor,
    batch_sizes: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    options: { train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    data: Tensor,
    batch_sizes: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    options: { dropout: number; train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    data: Tensor,
    batch_sizes: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    has_biases: boolean,
    options: { num_layers: number | bigint; dropout: number; train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    data: Tensor,
    batch_sizes: Tensor,
    hx: readonly Tensor[],
    params: readonly Tensor[],
    options: {
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    data: Tensor,
    batch_sizes: Tensor,
    hx: readonly Tensor[],
    options: {
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    data: Tensor,
    batch_sizes: Tensor,
    options: {
      hx: readonly Tensor[];
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  lstm(
    data: Tensor,
    options: {
      batch_sizes: Tensor;
      hx: readonly Tensor[];
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor', 'Tensor']>;
  /** Gated recurrent units over a sequence [L, N, input] or packed rows: output, last hidden states. */
  gru(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
    batch_first: boolean,
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
    options: { batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    options: { bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    options: { train: boolean; bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    options: { dropout: number; train: boolean; bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    options: {
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    options: {
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    input: Tensor,
    hx: Tensor,
    options: {
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    input: Tensor,
    options: {
      hx: Tensor;
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    options: { bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    options: { train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    options: { dropout: number; train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    options: { num_layers: number | bigint; dropout: number; train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    options: {
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    options: {
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    data: Tensor,
    batch_sizes: Tensor,
    options: {
      hx: Tensor;
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  gru(
    data: Tensor,
    options: {
      batch_sizes: Tensor;
      hx: Tensor;
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  /** A recurrent network with tanh over a sequence [L, N, input] or packed rows: output, last hidden states. */
  rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
    batch_first: boolean,
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
    options: { batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    options: { bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    options: { train: boolean; bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    options: { dropout: number; train: boolean; bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    options: {
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    options: {
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    input: Tensor,
    hx: Tensor,
    options: {
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    input: Tensor,
    options: {
      hx: Tensor;
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    options: { bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    options: { train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    options: { dropout: number; train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    options: { num_layers: number | bigint; dropout: number; train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    options: {
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    options: {
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    options: {
      hx: Tensor;
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_tanh(
    data: Tensor,
    options: {
      batch_sizes: Tensor;
      hx: Tensor;
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  /** A recurrent network with relu over a sequence [L, N, input] or packed rows: output, last hidden states. */
  rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
    batch_first: boolean,
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
    options: { batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    options: { bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    options: { train: boolean; bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    options: { dropout: number; train: boolean; bidirectional: boolean; batch_first: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    options: {
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    options: {
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    input: Tensor,
    hx: Tensor,
    options: {
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    input: Tensor,
    options: {
      hx: Tensor;
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
      batch_first: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    bidirectional: boolean,
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    train: boolean,
    options: { bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    dropout: number,
    options: { train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    num_layers: number | bigint,
    options: { dropout: number; train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    has_biases: boolean,
    options: { num_layers: number | bigint; dropout: number; train: boolean; bidirectional: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: readonly Tensor[],
    options: {
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    options: {
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    options: {
      hx: Tensor;
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  rnn_relu(
    data: Tensor,
    options: {
      batch_sizes: Tensor;
      hx: Tensor;
      params: readonly Tensor[];
      has_biases: boolean;
      num_layers: number | bigint;
      dropout: number;
      train: boolean;
      bidirectional: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  /** One step of an lstm: the next hidden state and cell state. */
  lstm_cell(
    input: Tensor,
    hx: readonly Tensor[],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | null,
    b_hh: Tensor | null,
  ): NamedTuple<['Tensor', 'Tensor']>;
  lstm_cell(
    input: Tensor,
    hx: readonly Tensor[],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | null,
    options?: { b_hh?: Tensor | null },
  ): NamedTuple<['Tensor', 'Tensor']>;
  lstm_cell(
    input: Tensor,
    hx: readonly Tensor[],
    w_ih: Tensor,
    w_hh: Tensor,
    options?: { b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): NamedTuple<['Tensor', 'Tensor']>;
  lstm_cell(
    input: Tensor,
    hx: readonly Tensor[],
    w_ih: Tensor,
    options: { w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): NamedTuple<['Tensor', 'Tensor']>;
  lstm_cell(
    input: Tensor,
    hx: readonly Tensor[],
    options: { w_ih: Tensor; w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): NamedTuple<['Tensor', 'Tensor']>;
  lstm_cell(
    input: Tensor,
    options: { hx: readonly Tensor[]; w_ih: Tensor; w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): NamedTuple<['Tensor', 'Tensor']>;
  /** One step of gated recurrent units: the next hidden state. */
  gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | null, b_hh: Tensor | null): Tensor;
  gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | null,
    options?: { b_hh?: Tensor | null },
  ): Tensor;
  gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    options?: { b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    options: { w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  gru_cell(
    input: Tensor,
    hx: Tensor,
    options: { w_ih: Tensor; w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  gru_cell(
    input: Tensor,
    options: { hx: Tensor; w_ih: Tensor; w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  /** One step of a recurrent network with tanh: the next hidden state. */
  rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | null,
    b_hh: Tensor | null,
  ): Tensor;
  rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | null,
    options?: { b_hh?: Tensor | null },
  ): Tensor;
  rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    options?: { b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    options: { w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    options: { w_ih: Tensor; w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  rnn_tanh_cell(
    input: Tensor,
    options: { hx: Tensor; w_ih: Tensor; w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  /** One step of a recurrent network with relu: the next hidden state. */
  rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | null,
    b_hh: Tensor | null,
  ): Tensor;
  rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | null,
    options?: { b_hh?: Tensor | null },
  ): Tensor;
  rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    options?: { b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    options: { w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    options: { w_ih: Tensor; w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  rnn_relu_cell(
    input: Tensor,
    options: { hx: Tensor; w_ih: Tensor; w_hh: Tensor; b_ih?: Tensor | null; b_hh?: Tensor | null },
  ): Tensor;
  /** The p-norm of x1 - x2 + eps along the last dimension. */
  pairwise_distance(x1: Tensor, x2: Tensor, p: number, eps: number, keepdim: boolean): Tensor;
  pairwise_distance(x1: Tensor, x2: Tensor, p: number, eps: number, options?: { keepdim?: boolean }): Tensor;
  pairwise_distance(x1: Tensor, x2: Tensor, p: number, options?: { eps?: number; keepdim?: boolean }): Tensor;
  pairwise_distance(x1: Tensor, x2: Tensor, options?: { p?: number; eps?: number; keepdim?: boolean }): Tensor;
  pairwise_distance(x1: Tensor, options: { x2: Tensor; p?: number; eps?: number; keepdim?: boolean }): Tensor;
  /** The cosine of the angle between x1 and x2 along dimension dim; lengths count as at least eps. */
  cosine_similarity(x1: Tensor, x2: Tensor, dim: number | bigint, eps: number): Tensor;
  cosine_similarity(x1: Tensor, x2: Tensor, dim: number | bigint, options?: { eps?: number }): Tensor;
  cosine_similarity(x1: Tensor, x2: Tensor, options?: { dim?: number | bigint; eps?: number }): Tensor;
  cosine_similarity(x1: Tensor, options: { x2: Tensor; dim?: number | bigint; eps?: number }): Tensor;
  /** p-norms of all differences of a row of x1, [..., P, M], with a row of x2, [..., R, M]: [..., P, R]. Never by products of matrices, whatever compute_mode says. */
  cdist(
    x1: Tensor,
    x2: Tensor,
    p: number,
    compute_mode: 'use_mm_for_euclid_dist_if_necessary' | 'use_mm_for_euclid_dist' | 'donot_use_mm_for_euclid_dist',
  ): Tensor;
  cdist(
    x1: Tensor,
    x2: Tensor,
    p: number,
    options?: {
      compute_mode?: 'use_mm_for_euclid_dist_if_necessary' | 'use_mm_for_euclid_dist' | 'donot_use_mm_for_euclid_dist';
    },
  ): Tensor;
  cdist(
    x1: Tensor,
    x2: Tensor,
    options?: {
      p?: number;
      compute_mode?: 'use_mm_for_euclid_dist_if_necessary' | 'use_mm_for_euclid_dist' | 'donot_use_mm_for_euclid_dist';
    },
  ): Tensor;
  cdist(
    x1: Tensor,
    options: {
      x2: Tensor;
      p?: number;
      compute_mode?: 'use_mm_for_euclid_dist_if_necessary' | 'use_mm_for_euclid_dist' | 'donot_use_mm_for_euclid_dist';
    },
  ): Tensor;
  /** p-norms of the differences of every two rows of a matrix [N, M]: a vector of N * (N - 1) / 2, in the order of the upper triangle. */
  pdist(self: Tensor, p: number): Tensor;
  pdist(self: Tensor, options?: { p?: number }): Tensor;
  /** x1 @ weight[o] @ x2 + bias[o] for every output o: [..., in1] and [..., in2] become [..., out]; weight [out, in1, in2]. */
  bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | null): Tensor;
  bilinear(input1: Tensor, input2: Tensor, weight: Tensor, options?: { bias?: Tensor | null }): Tensor;
  bilinear(input1: Tensor, input2: Tensor, options: { weight: Tensor; bias?: Tensor | null }): Tensor;
  bilinear(input1: Tensor, options: { input2: Tensor; weight: Tensor; bias?: Tensor | null }): Tensor;
  /** A constant around the last dimensions: widths before and after, the last dimension first; negative ones cut. */
  constant_pad_nd(self: Tensor, pad: readonly (number | bigint)[], value: Scalar): Tensor;
  constant_pad_nd(self: Tensor, pad: readonly (number | bigint)[], options?: { value?: Scalar }): Tensor;
  constant_pad_nd(self: Tensor, options: { pad: readonly (number | bigint)[]; value?: Scalar }): Tensor;
  /** A convolution over one to three axes, or its transpose, with a number for each axis. */
  convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    transposed: boolean,
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    transposed: boolean,
    output_padding: number | bigint | readonly (number | bigint)[],
    options: { groups: number | bigint },
  ): Tensor;
  convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    transposed: boolean,
    options: { output_padding: number | bigint | readonly (number | bigint)[]; groups: number | bigint },
  ): Tensor;
  convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options: {
      transposed: boolean;
      output_padding: number | bigint | readonly (number | bigint)[];
      groups: number | bigint;
    },
  ): Tensor;
  convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options: {
      dilation: number | bigint | readonly (number | bigint)[];
      transposed: boolean;
      output_padding: number | bigint | readonly (number | bigint)[];
      groups: number | bigint;
    },
  ): Tensor;
  convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options: {
      padding: number | bigint | readonly (number | bigint)[];
      dilation: number | bigint | readonly (number | bigint)[];
      transposed: boolean;
      output_padding: number | bigint | readonly (number | bigint)[];
      groups: number | bigint;
    },
  ): Tensor;
  convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options: {
      stride: number | bigint | readonly (number | bigint)[];
      padding: number | bigint | readonly (number | bigint)[];
      dilation: number | bigint | readonly (number | bigint)[];
      transposed: boolean;
      output_padding: number | bigint | readonly (number | bigint)[];
      groups: number | bigint;
    },
  ): Tensor;
  convolution(
    input: Tensor,
    weight: Tensor,
    options: {
      bias: Tensor | null;
      stride: number | bigint | readonly (number | bigint)[];
      padding: number | bigint | readonly (number | bigint)[];
      dilation: number | bigint | readonly (number | bigint)[];
      transposed: boolean;
      output_padding: number | bigint | readonly (number | bigint)[];
      groups: number | bigint;
    },
  ): Tensor;
  convolution(
    input: Tensor,
    options: {
      weight: Tensor;
      bias: Tensor | null;
      stride: number | bigint | readonly (number | bigint)[];
      padding: number | bigint | readonly (number | bigint)[];
      dilation: number | bigint | readonly (number | bigint)[];
      transposed: boolean;
      output_padding: number | bigint | readonly (number | bigint)[];
      groups: number | bigint;
    },
  ): Tensor;
  /** Convolution of input [N, C, L] with weight [O, C / groups, k]: [N, O, …]. padding is a number for each axis, 'valid' or 'same'. */
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  /** Transposed convolution of input [N, C, L] with weight [C, O / groups, k]: the gradient of the convolution, [N, O, …]. */
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    dilation: number | bigint | readonly (number | bigint)[],
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    options?: { dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint; dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: {
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  /** Convolution of input [N, C, H, W] with weight [O, C / groups, kH, kW]: [N, O, …]. padding is a number for each axis, 'valid' or 'same'. */
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  /** Transposed convolution of input [N, C, H, W] with weight [C, O / groups, kH, kW]: the gradient of the convolution, [N, O, …]. */
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    dilation: number | bigint | readonly (number | bigint)[],
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    options?: { dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint; dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: {
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  /** Convolution of input [N, C, D, H, W] with weight [O, C / groups, kD, kH, kW]: [N, O, …]. padding is a number for each axis, 'valid' or 'same'. */
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  /** Transposed convolution of input [N, C, D, H, W] with weight [C, O / groups, kD, kH, kW]: the gradient of the convolution, [N, O, …]. */
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    dilation: number | bigint | readonly (number | bigint)[],
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    options?: { dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint; dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: {
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  /** Maxima of windows over 1 axis of [N, C, …]. */
  max_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
  ): Tensor;
  max_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { ceil_mode?: boolean },
  ): Tensor;
  max_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; ceil_mode?: boolean },
  ): Tensor;
  max_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): Tensor;
  max_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options?: {
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): Tensor;
  max_pool1d(
    self: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): Tensor;
  /** Maxima of windows, and where they were as positions in the input's planes. */
  max_pool1d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool1d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { ceil_mode?: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool1d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; ceil_mode?: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool1d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool1d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options?: {
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool1d_with_indices(
    self: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  /** Averages of windows over 1 axis of [N, C, …]. */
  avg_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
    count_include_pad: boolean,
  ): Tensor;
  avg_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
    options?: { count_include_pad?: boolean },
  ): Tensor;
  avg_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    options?: { ceil_mode?: boolean; count_include_pad?: boolean },
  ): Tensor;
  avg_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
    },
  ): Tensor;
  avg_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options?: {
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
    },
  ): Tensor;
  avg_pool1d(
    self: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
    },
  ): Tensor;
  /** Maxima of as many windows as output_size says, and where they were. */
  adaptive_max_pool1d(
    self: Tensor,
    output_size: number | bigint | readonly (number | bigint)[],
  ): NamedTuple<['Tensor', 'Tensor']>;
  adaptive_max_pool1d(
    self: Tensor,
    options: { output_size: number | bigint | readonly (number | bigint)[] },
  ): NamedTuple<['Tensor', 'Tensor']>;
  /** Averages of as many windows as output_size says, over 1 axis of [N, C, …]. */
  adaptive_avg_pool1d(self: Tensor, output_size: number | bigint | readonly (number | bigint)[]): Tensor;
  adaptive_avg_pool1d(self: Tensor, options: { output_size: number | bigint | readonly (number | bigint)[] }): Tensor;
  /** Maxima of windows over 2 axes of [N, C, …]. */
  max_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
  ): Tensor;
  max_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { ceil_mode?: boolean },
  ): Tensor;
  max_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; ceil_mode?: boolean },
  ): Tensor;
  max_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): Tensor;
  max_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options?: {
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): Tensor;
  max_pool2d(
    self: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): Tensor;
  /** Maxima of windows over 3 axes of [N, C, …]. */
  max_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
  ): Tensor;
  max_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { ceil_mode?: boolean },
  ): Tensor;
  max_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; ceil_mode?: boolean },
  ): Tensor;
  max_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): Tensor;
  max_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options?: {
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): Tensor;
  max_pool3d(
    self: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): Tensor;
  /** Every channel of input [N, C, …] to mean 0 and variance 1, by its own statistics or the running ones, then scaled and shifted. */
  batch_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    training: boolean,
    momentum: number,
    eps: number,
    cudnn_enabled: boolean,
  ): Tensor;
  batch_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    training: boolean,
    momentum: number,
    eps: number,
    options: { cudnn_enabled: boolean },
  ): Tensor;
  batch_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    training: boolean,
    momentum: number,
    options: { eps: number; cudnn_enabled: boolean },
  ): Tensor;
  batch_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    training: boolean,
    options: { momentum: number; eps: number; cudnn_enabled: boolean },
  ): Tensor;
  batch_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    options: { training: boolean; momentum: number; eps: number; cudnn_enabled: boolean },
  ): Tensor;
  batch_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    options: { running_var: Tensor | null; training: boolean; momentum: number; eps: number; cudnn_enabled: boolean },
  ): Tensor;
  batch_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    options: {
      running_mean: Tensor | null;
      running_var: Tensor | null;
      training: boolean;
      momentum: number;
      eps: number;
      cudnn_enabled: boolean;
    },
  ): Tensor;
  batch_norm(
    input: Tensor,
    weight: Tensor | null,
    options: {
      bias: Tensor | null;
      running_mean: Tensor | null;
      running_var: Tensor | null;
      training: boolean;
      momentum: number;
      eps: number;
      cudnn_enabled: boolean;
    },
  ): Tensor;
  batch_norm(
    input: Tensor,
    options: {
      weight: Tensor | null;
      bias: Tensor | null;
      running_mean: Tensor | null;
      running_var: Tensor | null;
      training: boolean;
      momentum: number;
      eps: number;
      cudnn_enabled: boolean;
    },
  ): Tensor;
  /** Every channel of every image of input [N, C, …] to mean 0 and variance 1, then scaled and shifted. */
  instance_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    use_input_stats: boolean,
    momentum: number,
    eps: number,
    cudnn_enabled: boolean,
  ): Tensor;
  instance_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    use_input_stats: boolean,
    momentum: number,
    eps: number,
    options: { cudnn_enabled: boolean },
  ): Tensor;
  instance_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    use_input_stats: boolean,
    momentum: number,
    options: { eps: number; cudnn_enabled: boolean },
  ): Tensor;
  instance_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    use_input_stats: boolean,
    options: { momentum: number; eps: number; cudnn_enabled: boolean },
  ): Tensor;
  instance_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    running_var: Tensor | null,
    options: { use_input_stats: boolean; momentum: number; eps: number; cudnn_enabled: boolean },
  ): Tensor;
  instance_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    running_mean: Tensor | null,
    options: {
      running_var: Tensor | null;
      use_input_stats: boolean;
      momentum: number;
      eps: number;
      cudnn_enabled: boolean;
    },
  ): Tensor;
  instance_norm(
    input: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    options: {
      running_mean: Tensor | null;
      running_var: Tensor | null;
      use_input_stats: boolean;
      momentum: number;
      eps: number;
      cudnn_enabled: boolean;
    },
  ): Tensor;
  instance_norm(
    input: Tensor,
    weight: Tensor | null,
    options: {
      bias: Tensor | null;
      running_mean: Tensor | null;
      running_var: Tensor | null;
      use_input_stats: boolean;
      momentum: number;
      eps: number;
      cudnn_enabled: boolean;
    },
  ): Tensor;
  instance_norm(
    input: Tensor,
    options: {
      weight: Tensor | null;
      bias: Tensor | null;
      running_mean: Tensor | null;
      running_var: Tensor | null;
      use_input_stats: boolean;
      momentum: number;
      eps: number;
      cudnn_enabled: boolean;
    },
  ): Tensor;
  /** Groups of channels of every image of input [N, C, …] to mean 0 and variance 1, then scaled and shifted by channel. */
  group_norm(
    input: Tensor,
    num_groups: number | bigint,
    weight: Tensor | null,
    bias: Tensor | null,
    eps: number,
    cudnn_enabled: boolean,
  ): Tensor;
  group_norm(
    input: Tensor,
    num_groups: number | bigint,
    weight: Tensor | null,
    bias: Tensor | null,
    eps: number,
    options?: { cudnn_enabled?: boolean },
  ): Tensor;
  group_norm(
    input: Tensor,
    num_groups: number | bigint,
    weight: Tensor | null,
    bias: Tensor | null,
    options?: { eps?: number; cudnn_enabled?: boolean },
  ): Tensor;
  group_norm(
    input: Tensor,
    num_groups: number | bigint,
    weight: Tensor | null,
    options?: { bias?: Tensor | null; eps?: number; cudnn_enabled?: boolean },
  ): Tensor;
  group_norm(
    input: Tensor,
    num_groups: number | bigint,
    options?: { weight?: Tensor | null; bias?: Tensor | null; eps?: number; cudnn_enabled?: boolean },
  ): Tensor;
  group_norm(
    input: Tensor,
    options: {
      num_groups: number | bigint;
      weight?: Tensor | null;
      bias?: Tensor | null;
      eps?: number;
      cudnn_enabled?: boolean;
    },
  ): Tensor;
  /** Rows over the last dimensions (normalized_shape) divided by their root mean square, then scaled by weight. */
  rms_norm(
    input: Tensor,
    normalized_shape: number | bigint | readonly (number | bigint)[],
    weight: Tensor | null,
    eps: number | null,
  ): Tensor;
  rms_norm(
    input: Tensor,
    normalized_shape: number | bigint | readonly (number | bigint)[],
    weight: Tensor | null,
    options?: { eps?: number | null },
  ): Tensor;
  rms_norm(
    input: Tensor,
    normalized_shape: number | bigint | readonly (number | bigint)[],
    options?: { weight?: Tensor | null; eps?: number | null },
  ): Tensor;
  rms_norm(
    input: Tensor,
    options: {
      normalized_shape: number | bigint | readonly (number | bigint)[];
      weight?: Tensor | null;
      eps?: number | null;
    },
  ): Tensor;
  /** Channels become pixels: [N, C * r * r, H, W] to [N, C, H * r, W * r]. */
  pixel_shuffle(self: Tensor, upscale_factor: number | bigint): Tensor;
  pixel_shuffle(self: Tensor, options: { upscale_factor: number | bigint }): Tensor;
  /** Pixels become channels: [N, C, H * r, W * r] to [N, C * r * r, H, W]. */
  pixel_unshuffle(self: Tensor, downscale_factor: number | bigint): Tensor;
  pixel_unshuffle(self: Tensor, options: { downscale_factor: number | bigint }): Tensor;
  /** Channels of [N, C, …] in another order: one of each group after the other. */
  channel_shuffle(self: Tensor, groups: number | bigint): Tensor;
  channel_shuffle(self: Tensor, options: { groups: number | bigint }): Tensor;
}

/** Functions of `torch.nn.functional`. */
export interface FunctionalFunctions {
  /** input @ weight.T + bias over the last dimension; weight is [out, in]. */
  linear(input: Tensor, weight: Tensor, bias: Tensor | null): Tensor;
  linear(input: Tensor, weight: Tensor, options?: { bias?: Tensor | null }): Tensor;
  linear(input: Tensor, options: { weight: Tensor; bias?: Tensor | null }): Tensor;
  /** max(x, 0), elementwise. */
  relu(self: Tensor): Tensor;
  /** x * Phi(x) with the normal distribution function Phi, or its tanh approximation. */
  gelu(self: Tensor, options?: { approximate?: 'none' | 'tanh' }): Tensor;
  /** x where it is above the threshold, else value, elementwise. */
  threshold(self: Tensor, threshold: Scalar, value: Scalar): Tensor;
  threshold(self: Tensor, threshold: Scalar, options: { value: Scalar }): Tensor;
  threshold(self: Tensor, options: { threshold: Scalar; value: Scalar }): Tensor;
  /** In-place form of `threshold`. */
  threshold_(self: Tensor, threshold: Scalar, value: Scalar): Tensor;
  threshold_(self: Tensor, threshold: Scalar, options: { value: Scalar }): Tensor;
  threshold_(self: Tensor, options: { threshold: Scalar; value: Scalar }): Tensor;
  /** x between min_val and max_val, the nearer limit elsewhere, elementwise. */
  hardtanh(self: Tensor, min_val: Scalar, max_val: Scalar): Tensor;
  hardtanh(self: Tensor, min_val: Scalar, options?: { max_val?: Scalar }): Tensor;
  hardtanh(self: Tensor, options?: { min_val?: Scalar; max_val?: Scalar }): Tensor;
  /** In-place form of `hardtanh`. */
  hardtanh_(self: Tensor, min_val: Scalar, max_val: Scalar): Tensor;
  hardtanh_(self: Tensor, min_val: Scalar, options?: { max_val?: Scalar }): Tensor;
  hardtanh_(self: Tensor, options?: { min_val?: Scalar; max_val?: Scalar }): Tensor;
  /** x where it is positive, else negative_slope * x, elementwise. */
  leaky_relu(self: Tensor, negative_slope: Scalar): Tensor;
  leaky_relu(self: Tensor, options?: { negative_slope?: Scalar }): Tensor;
  /** In-place form of `leaky_relu`. */
  leaky_relu_(self: Tensor, negative_slope: Scalar): Tensor;
  leaky_relu_(self: Tensor, options?: { negative_slope?: Scalar }): Tensor;
  /** x where it is positive, else alpha * (exp(x) - 1), elementwise. */
  elu(self: Tensor, alpha: Scalar, scale: Scalar, input_scale: Scalar): Tensor;
  elu(self: Tensor, alpha: Scalar, scale: Scalar, options?: { input_scale?: Scalar }): Tensor;
  elu(self: Tensor, alpha: Scalar, options?: { scale?: Scalar; input_scale?: Scalar }): Tensor;
  elu(self: Tensor, options?: { alpha?: Scalar; scale?: Scalar; input_scale?: Scalar }): Tensor;
  /** In-place form of `elu`. */
  elu_(self: Tensor, alpha: Scalar, scale: Scalar, input_scale: Scalar): Tensor;
  elu_(self: Tensor, alpha: Scalar, scale: Scalar, options?: { input_scale?: Scalar }): Tensor;
  elu_(self: Tensor, alpha: Scalar, options?: { scale?: Scalar; input_scale?: Scalar }): Tensor;
  elu_(self: Tensor, options?: { alpha?: Scalar; scale?: Scalar; input_scale?: Scalar }): Tensor;
  /** elu, scaled so that mean and variance settle at 0 and 1, elementwise. */
  selu(self: Tensor): Tensor;
  /** In-place form of `selu`. */
  selu_(self: Tensor): Tensor;
  /** x where it is positive, else alpha * (exp(x / alpha) - 1), elementwise. */
  celu(self: Tensor, alpha: Scalar): Tensor;
  celu(self: Tensor, options?: { alpha?: Scalar }): Tensor;
  /** In-place form of `celu`. */
  celu_(self: Tensor, alpha: Scalar): Tensor;
  celu_(self: Tensor, options?: { alpha?: Scalar }): Tensor;
  /** x * tanh(log(1 + exp(x))), elementwise. */
  mish(self: Tensor): Tensor;
  /** In-place form of `mish`. */
  mish_(self: Tensor): Tensor;
  /** x * sigmoid(x), elementwise. */
  silu(self: Tensor): Tensor;
  /** In-place form of `silu`. */
  silu_(self: Tensor): Tensor;
  /** x * min(max(x + 3, 0), 6) / 6, elementwise. */
  hardswish(self: Tensor): Tensor;
  /** In-place form of `hardswish`. */
  hardswish_(self: Tensor): Tensor;
  /** min(max(x + 3, 0), 6) / 6, elementwise. */
  hardsigmoid(self: Tensor): Tensor;
  /** In-place form of `hardsigmoid`. */
  hardsigmoid_(self: Tensor): Tensor;
  /** 0 between -lambd and lambd, x elsewhere. */
  hardshrink(self: Tensor, lambd: Scalar): Tensor;
  hardshrink(self: Tensor, options?: { lambd?: Scalar }): Tensor;
  /** x - lambd above lambd, x + lambd below -lambd, 0 between. */
  softshrink(self: Tensor, lambd: Scalar): Tensor;
  softshrink(self: Tensor, options?: { lambd?: Scalar }): Tensor;
  /** log(1 + exp(beta * x)) / beta, and x where beta * x is above the threshold. */
  softplus(self: Tensor, beta: Scalar, threshold: Scalar): Tensor;
  softplus(self: Tensor, beta: Scalar, options?: { threshold?: Scalar }): Tensor;
  softplus(self: Tensor, options?: { beta?: Scalar; threshold?: Scalar }): Tensor;
  /** log(1 / (1 + exp(-x))), elementwise. */
  logsigmoid(self: Tensor): Tensor;
  /** x / (1 + |x|), elementwise. */
  softsign(self: Tensor): Tensor;
  /** x - tanh(x), elementwise. */
  tanhshrink(self: Tensor): Tensor;
  /** exp(x) / sum(exp(x)) along dimension dim. */
  softmax(self: Tensor, dim: number | bigint, dtype: DType | null): Tensor;
  softmax(self: Tensor, dim: number | bigint, options?: { dtype?: DType | null }): Tensor;
  softmax(self: Tensor, options: { dim: number | bigint; dtype?: DType | null }): Tensor;
  /** Logarithm of softmax along dimension dim. */
  log_softmax(self: Tensor, dim: number | bigint, dtype: DType | null): Tensor;
  log_softmax(self: Tensor, dim: number | bigint, options?: { dtype?: DType | null }): Tensor;
  log_softmax(self: Tensor, options: { dim: number | bigint; dtype?: DType | null }): Tensor;
  /** Rows over the last dimensions (normalized_shape) to mean 0 and variance 1, then scaled by weight and shifted by bias. */
  layer_norm(
    input: Tensor,
    normalized_shape: readonly (number | bigint)[],
    weight: Tensor | null,
    bias: Tensor | null,
    eps: number,
  ): Tensor;
  layer_norm(
    input: Tensor,
    normalized_shape: readonly (number | bigint)[],
    weight: Tensor | null,
    bias: Tensor | null,
    options?: { eps?: number },
  ): Tensor;
  layer_norm(
    input: Tensor,
    normalized_shape: readonly (number | bigint)[],
    weight: Tensor | null,
    options?: { bias?: Tensor | null; eps?: number },
  ): Tensor;
  layer_norm(
    input: Tensor,
    normalized_shape: readonly (number | bigint)[],
    options?: { weight?: Tensor | null; bias?: Tensor | null; eps?: number },
  ): Tensor;
  layer_norm(
    input: Tensor,
    options: {
      normalized_shape: readonly (number | bigint)[];
      weight?: Tensor | null;
      bias?: Tensor | null;
      eps?: number;
    },
  ): Tensor;
  /** Mean of (input - target)²; or their sum, or each. */
  mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
    weight: Tensor | null,
  ): Tensor;
  mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
    options?: { weight?: Tensor | null },
  ): Tensor;
  mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum'; weight?: Tensor | null },
  ): Tensor;
  mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum'; weight?: Tensor | null },
  ): Tensor;
  mse_loss(
    input: Tensor,
    target: Tensor,
    options?: {
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      weight?: Tensor | null;
    },
  ): Tensor;
  mse_loss(
    input: Tensor,
    options: {
      target: Tensor;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      weight?: Tensor | null;
    },
  ): Tensor;
  /** Mean of |input - target|; or their sum, or each. */
  l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
    weight: Tensor | null,
  ): Tensor;
  l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
    options?: { weight?: Tensor | null },
  ): Tensor;
  l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum'; weight?: Tensor | null },
  ): Tensor;
  l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum'; weight?: Tensor | null },
  ): Tensor;
  l1_loss(
    input: Tensor,
    target: Tensor,
    options?: {
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      weight?: Tensor | null;
    },
  ): Tensor;
  l1_loss(
    input: Tensor,
    options: {
      target: Tensor;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      weight?: Tensor | null;
    },
  ): Tensor;
  /** (input - target)² / (2 beta) where they differ by less than beta, else |input - target| - beta / 2. */
  smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
    beta: number,
  ): Tensor;
  smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
    options?: { beta?: number },
  ): Tensor;
  smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum'; beta?: number },
  ): Tensor;
  smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum'; beta?: number },
  ): Tensor;
  smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    options?: {
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      beta?: number;
    },
  ): Tensor;
  smooth_l1_loss(
    input: Tensor,
    options: {
      target: Tensor;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      beta?: number;
    },
  ): Tensor;
  /** (input - target)² / 2 where they differ by at most delta, else delta (|input - target| - delta / 2). */
  huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: 'none' | 'mean' | 'sum',
    delta: number,
    weight: Tensor | null,
  ): Tensor;
  huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: 'none' | 'mean' | 'sum',
    delta: number,
    options?: { weight?: Tensor | null },
  ): Tensor;
  huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: 'none' | 'mean' | 'sum',
    options?: { delta?: number; weight?: Tensor | null },
  ): Tensor;
  huber_loss(
    input: Tensor,
    target: Tensor,
    options?: { reduction?: 'none' | 'mean' | 'sum'; delta?: number; weight?: Tensor | null },
  ): Tensor;
  huber_loss(
    input: Tensor,
    options: { target: Tensor; reduction?: 'none' | 'mean' | 'sum'; delta?: number; weight?: Tensor | null },
  ): Tensor;
  /** Binary cross entropy of probabilities with targets from 0 to 1. */
  binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    options?: { size_average?: boolean | null; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    options?: {
      weight?: Tensor | null;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  binary_cross_entropy(
    input: Tensor,
    options: {
      target: Tensor;
      weight?: Tensor | null;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** Binary cross entropy of scores, to which the logistic function is applied, with targets from 0 to 1. */
  binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
    pos_weight: Tensor | null,
  ): Tensor;
  binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
    options?: { pos_weight?: Tensor | null },
  ): Tensor;
  binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum'; pos_weight?: Tensor | null },
  ): Tensor;
  binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum'; pos_weight?: Tensor | null },
  ): Tensor;
  binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    options?: {
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      pos_weight?: Tensor | null;
    },
  ): Tensor;
  binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    options?: {
      weight?: Tensor | null;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      pos_weight?: Tensor | null;
    },
  ): Tensor;
  binary_cross_entropy_with_logits(
    input: Tensor,
    options: {
      target: Tensor;
      weight?: Tensor | null;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      pos_weight?: Tensor | null;
    },
  ): Tensor;
  /** Negative log likelihood: minus the score of the target class, averaged by the classes weights. Scores are [N, C, …], targets [N, …]. */
  nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    ignore_index: number | bigint,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    ignore_index: number | bigint,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    ignore_index: number | bigint,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    options?: { ignore_index?: number | bigint; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    options?: {
      size_average?: boolean | null;
      ignore_index?: number | bigint;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  nll_loss(
    input: Tensor,
    target: Tensor,
    options?: {
      weight?: Tensor | null;
      size_average?: boolean | null;
      ignore_index?: number | bigint;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  nll_loss(
    input: Tensor,
    options: {
      target: Tensor;
      weight?: Tensor | null;
      size_average?: boolean | null;
      ignore_index?: number | bigint;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** Cross entropy of scores [N, C, …] with target classes [N, …] or with target probabilities in the shape of the scores. */
  cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    ignore_index: number | bigint,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
    label_smoothing: number,
  ): Tensor;
  cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    ignore_index: number | bigint,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
    options?: { label_smoothing?: number },
  ): Tensor;
  cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    ignore_index: number | bigint,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum'; label_smoothing?: number },
  ): Tensor;
  cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    ignore_index: number | bigint,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum'; label_smoothing?: number },
  ): Tensor;
  cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    options?: {
      ignore_index?: number | bigint;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      label_smoothing?: number;
    },
  ): Tensor;
  cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    options?: {
      size_average?: boolean | null;
      ignore_index?: number | bigint;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      label_smoothing?: number;
    },
  ): Tensor;
  cross_entropy(
    input: Tensor,
    target: Tensor,
    options?: {
      weight?: Tensor | null;
      size_average?: boolean | null;
      ignore_index?: number | bigint;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      label_smoothing?: number;
    },
  ): Tensor;
  cross_entropy(
    input: Tensor,
    options: {
      target: Tensor;
      weight?: Tensor | null;
      size_average?: boolean | null;
      ignore_index?: number | bigint;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
      label_smoothing?: number;
    },
  ): Tensor;
  /** Rows of weight [n, d] by index: [..., d]. The row padding_idx gets no gradient. */
  embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: number | bigint | null,
    max_norm: number | null,
    norm_type: number,
    scale_grad_by_freq: boolean,
    sparse: boolean,
  ): Tensor;
  embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: number | bigint | null,
    max_norm: number | null,
    norm_type: number,
    scale_grad_by_freq: boolean,
    options?: { sparse?: boolean },
  ): Tensor;
  embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: number | bigint | null,
    max_norm: number | null,
    norm_type: number,
    options?: { scale_grad_by_freq?: boolean; sparse?: boolean },
  ): Tensor;
  embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: number | bigint | null,
    max_norm: number | null,
    options?: { norm_type?: number; scale_grad_by_freq?: boolean; sparse?: boolean },
  ): Tensor;
  embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: number | bigint | null,
    options?: { max_norm?: number | null; norm_type?: number; scale_grad_by_freq?: boolean; sparse?: boolean },
  ): Tensor;
  embedding(
    input: Tensor,
    weight: Tensor,
    options?: {
      padding_idx?: number | bigint | null;
      max_norm?: number | null;
      norm_type?: number;
      scale_grad_by_freq?: boolean;
      sparse?: boolean;
    },
  ): Tensor;
  embedding(
    input: Tensor,
    options: {
      weight: Tensor;
      padding_idx?: number | bigint | null;
      max_norm?: number | null;
      norm_type?: number;
      scale_grad_by_freq?: boolean;
      sparse?: boolean;
    },
  ): Tensor;
  /** One row of num_classes zeros and a 1 for every class number; num_classes -1: as many as there are. Waits for the device. */
  one_hot(self: Tensor, num_classes: number | bigint): Tensor;
  one_hot(self: Tensor, options?: { num_classes?: number | bigint }): Tensor;
  /** x where it is positive, else weight * x, with one weight or one for each channel (dimension 1). */
  prelu(self: Tensor, weight: Tensor): Tensor;
  prelu(self: Tensor, options: { weight: Tensor }): Tensor;
  /** The first half of x along dim times the sigmoid of the second half. */
  glu(self: Tensor, dim: number | bigint): Tensor;
  glu(self: Tensor, options?: { dim?: number | bigint }): Tensor;
  /** x where it is positive, else x times a slope: drawn from [lower, upper) for each element during training, their mean otherwise. */
  rrelu(self: Tensor, lower: Scalar, upper: Scalar, training: boolean, generator: Generator | null): Tensor;
  rrelu(
    self: Tensor,
    lower: Scalar,
    upper: Scalar,
    training: boolean,
    options?: { generator?: Generator | null },
  ): Tensor;
  rrelu(
    self: Tensor,
    lower: Scalar,
    upper: Scalar,
    options?: { training?: boolean; generator?: Generator | null },
  ): Tensor;
  rrelu(
    self: Tensor,
    lower: Scalar,
    options?: { upper?: Scalar; training?: boolean; generator?: Generator | null },
  ): Tensor;
  rrelu(
    self: Tensor,
    options?: { lower?: Scalar; upper?: Scalar; training?: boolean; generator?: Generator | null },
  ): Tensor;
  /** x where it is positive, else x times a slope: drawn from [lower, upper) for each element during training, their mean otherwise. */
  rrelu_(self: Tensor, lower: Scalar, upper: Scalar, training: boolean, generator: Generator | null): Tensor;
  rrelu_(
    self: Tensor,
    lower: Scalar,
    upper: Scalar,
    training: boolean,
    options?: { generator?: Generator | null },
  ): Tensor;
  rrelu_(
    self: Tensor,
    lower: Scalar,
    upper: Scalar,
    options?: { training?: boolean; generator?: Generator | null },
  ): Tensor;
  rrelu_(
    self: Tensor,
    lower: Scalar,
    options?: { upper?: Scalar; training?: boolean; generator?: Generator | null },
  ): Tensor;
  rrelu_(
    self: Tensor,
    options?: { lower?: Scalar; upper?: Scalar; training?: boolean; generator?: Generator | null },
  ): Tensor;
  /** softmax((logits + Gumbel noise) / tau) along dim: a sample of categories that can be differentiated. hard makes it one-hot going forward. */
  gumbel_softmax(logits: Tensor, tau: number, hard: boolean, eps: number, dim: number | bigint): Tensor;
  gumbel_softmax(logits: Tensor, tau: number, hard: boolean, eps: number, options?: { dim?: number | bigint }): Tensor;
  gumbel_softmax(logits: Tensor, tau: number, hard: boolean, options?: { eps?: number; dim?: number | bigint }): Tensor;
  gumbel_softmax(
    logits: Tensor,
    tau: number,
    options?: { hard?: boolean; eps?: number; dim?: number | bigint },
  ): Tensor;
  gumbel_softmax(
    logits: Tensor,
    options?: { tau?: number; hard?: boolean; eps?: number; dim?: number | bigint },
  ): Tensor;
  /** softmax(query @ key.T * scale + mask) @ value, over batches and heads: [..., L, E], [..., S, E], [..., S, Ev]. */
  scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | null,
    dropout_p: number,
    is_causal: boolean,
    options?: { scale?: number | null; enable_gqa?: boolean },
  ): Tensor;
  scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | null,
    dropout_p: number,
    options?: { is_causal?: boolean; scale?: number | null; enable_gqa?: boolean },
  ): Tensor;
  scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | null,
    options?: { dropout_p?: number; is_causal?: boolean; scale?: number | null; enable_gqa?: boolean },
  ): Tensor;
  scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options?: {
      attn_mask?: Tensor | null;
      dropout_p?: number;
      is_causal?: boolean;
      scale?: number | null;
      enable_gqa?: boolean;
    },
  ): Tensor;
  scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    options: {
      value: Tensor;
      attn_mask?: Tensor | null;
      dropout_p?: number;
      is_causal?: boolean;
      scale?: number | null;
      enable_gqa?: boolean;
    },
  ): Tensor;
  scaled_dot_product_attention(
    query: Tensor,
    options: {
      key: Tensor;
      value: Tensor;
      attn_mask?: Tensor | null;
      dropout_p?: number;
      is_causal?: boolean;
      scale?: number | null;
      enable_gqa?: boolean;
    },
  ): Tensor;
  /** Kullback-Leibler divergence of log-probabilities from target probabilities (log_target: also logarithms). reduction "batchmean" divides the sum by the first dimension, as the definition has it. */
  kl_div(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'batchmean' | 'mean' | 'sum',
    log_target: boolean,
  ): Tensor;
  kl_div(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'batchmean' | 'mean' | 'sum',
    options?: { log_target?: boolean },
  ): Tensor;
  kl_div(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'batchmean' | 'mean' | 'sum'; log_target?: boolean },
  ): Tensor;
  kl_div(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'batchmean' | 'mean' | 'sum'; log_target?: boolean },
  ): Tensor;
  kl_div(
    input: Tensor,
    target: Tensor,
    options?: {
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'batchmean' | 'mean' | 'sum';
      log_target?: boolean;
    },
  ): Tensor;
  kl_div(
    input: Tensor,
    options: {
      target: Tensor;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'batchmean' | 'mean' | 'sum';
      log_target?: boolean;
    },
  ): Tensor;
  /** Negative log likelihood of counts under Poisson distributions with the expectations exp(input), or input if log_input is false; full adds Stirling's term. */
  poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: boolean,
    full: boolean,
    size_average: boolean | null,
    eps: number,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: boolean,
    full: boolean,
    size_average: boolean | null,
    eps: number,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: boolean,
    full: boolean,
    size_average: boolean | null,
    eps: number,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: boolean,
    full: boolean,
    size_average: boolean | null,
    options?: { eps?: number; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: boolean,
    full: boolean,
    options?: {
      size_average?: boolean | null;
      eps?: number;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: boolean,
    options?: {
      full?: boolean;
      size_average?: boolean | null;
      eps?: number;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    options?: {
      log_input?: boolean;
      full?: boolean;
      size_average?: boolean | null;
      eps?: number;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  poisson_nll_loss(
    input: Tensor,
    options: {
      target: Tensor;
      log_input?: boolean;
      full?: boolean;
      size_average?: boolean | null;
      eps?: number;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** Negative log likelihood of the target under normal distributions with the mean input and the variance var (a number, one for each element or each row); full adds the constant. */
  gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var_: Tensor | Scalar,
    full: boolean,
    eps: number,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var_: Tensor | Scalar,
    full: boolean,
    eps: number,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var_: Tensor | Scalar,
    full: boolean,
    options?: { eps?: number; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var_: Tensor | Scalar,
    options?: { full?: boolean; eps?: number; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    options: { var: Tensor | Scalar; full?: boolean; eps?: number; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  gaussian_nll_loss(
    input: Tensor,
    options: {
      target: Tensor;
      var: Tensor | Scalar;
      full?: boolean;
      eps?: number;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** log(1 + exp(-target x)) for targets 1 and -1. */
  soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  soft_margin_loss(
    input: Tensor,
    target: Tensor,
    options?: { size_average?: boolean | null; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  soft_margin_loss(
    input: Tensor,
    options: {
      target: Tensor;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** Binary cross entropy of scores, averaged over the classes (the last dimension), with weights by class. */
  multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | null,
    options?: { size_average?: boolean | null; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    options?: {
      weight?: Tensor | null;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  multilabel_soft_margin_loss(
    input: Tensor,
    options: {
      target: Tensor;
      weight?: Tensor | null;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** cross_entropy of linear(input, linear_weight, linear_bias), for inputs [N, features] and weights [C, …, features]. */
  linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    options?: {
      linear_bias?: Tensor | null;
      weight?: Tensor | null;
      reduction?: 'none' | 'mean' | 'sum';
      ignore_index?: number | bigint | null;
      label_smoothing?: number;
    },
  ): Tensor;
  linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    options: {
      target: Tensor;
      linear_bias?: Tensor | null;
      weight?: Tensor | null;
      reduction?: 'none' | 'mean' | 'sum';
      ignore_index?: number | bigint | null;
      label_smoothing?: number;
    },
  ): Tensor;
  linear_cross_entropy(
    input: Tensor,
    options: {
      linear_weight: Tensor;
      target: Tensor;
      linear_bias?: Tensor | null;
      weight?: Tensor | null;
      reduction?: 'none' | 'mean' | 'sum';
      ignore_index?: number | bigint | null;
      label_smoothing?: number;
    },
  ): Tensor;
  /** max(0, margin - target (input1 - input2)) for targets 1 (input1 should be larger) and -1. */
  margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: number,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: number,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: number,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: number,
    options?: { size_average?: boolean | null; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    options?: {
      margin?: number;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    options: {
      target: Tensor;
      margin?: number;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  margin_ranking_loss(
    input1: Tensor,
    options: {
      input2: Tensor;
      target: Tensor;
      margin?: number;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** x where the target is 1, max(0, margin - x) where it is -1. */
  hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: number,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: number,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: number,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: number,
    options?: { size_average?: boolean | null; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    options?: {
      margin?: number;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  hinge_embedding_loss(
    input: Tensor,
    options: {
      target: Tensor;
      margin?: number;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** 1 - cos(input1, input2) where the target is 1, max(0, cos(input1, input2) - margin) where it is -1. Inputs are [N, D] and targets [N], or vectors and a number. */
  cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: number,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: number,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: number,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: number,
    options?: { size_average?: boolean | null; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    options?: {
      margin?: number;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    options: {
      target: Tensor;
      margin?: number;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  cosine_embedding_loss(
    input1: Tensor,
    options: {
      input2: Tensor;
      target: Tensor;
      margin?: number;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** Mean over classes of max(0, margin - x[target] + x)^p, p 1 or 2, weighted by the target; input is [N, C] or [C]. */
  multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: number | bigint,
    margin: number,
    weight: Tensor | null,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: number | bigint,
    margin: number,
    weight: Tensor | null,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: number | bigint,
    margin: number,
    weight: Tensor | null,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: number | bigint,
    margin: number,
    weight: Tensor | null,
    options?: { size_average?: boolean | null; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: number | bigint,
    margin: number,
    options?: {
      weight?: Tensor | null;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: number | bigint,
    options?: {
      margin?: number;
      weight?: Tensor | null;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  multi_margin_loss(
    input: Tensor,
    target: Tensor,
    options?: {
      p?: number | bigint;
      margin?: number;
      weight?: Tensor | null;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  multi_margin_loss(
    input: Tensor,
    options: {
      target: Tensor;
      p?: number | bigint;
      margin?: number;
      weight?: Tensor | null;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** Mean over classes of max(0, 1 - x[label] + x) for each label and each class that is none; labels are indices, ended by -1, in the shape of the input: [N, C] or [C]. */
  multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    options?: { size_average?: boolean | null; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  multilabel_margin_loss(
    input: Tensor,
    options: {
      target: Tensor;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** Connectionist temporal classification of log-probabilities [T, N, C] or [T, C] with targets [N, S] or one after the other; lengths are lists or tensors. "mean" divides each loss by its target length first. */
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: number | bigint,
    reduction: 'none' | 'mean' | 'sum',
    zero_infinity: boolean,
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: number | bigint,
    reduction: 'none' | 'mean' | 'sum',
    options?: { zero_infinity?: boolean },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: number | bigint,
    options?: { reduction?: 'none' | 'mean' | 'sum'; zero_infinity?: boolean },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    options?: { blank?: number | bigint; reduction?: 'none' | 'mean' | 'sum'; zero_infinity?: boolean },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    options: {
      target_lengths: Tensor;
      blank?: number | bigint;
      reduction?: 'none' | 'mean' | 'sum';
      zero_infinity?: boolean;
    },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    options: {
      input_lengths: Tensor;
      target_lengths: Tensor;
      blank?: number | bigint;
      reduction?: 'none' | 'mean' | 'sum';
      zero_infinity?: boolean;
    },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    options: {
      targets: Tensor;
      input_lengths: Tensor;
      target_lengths: Tensor;
      blank?: number | bigint;
      reduction?: 'none' | 'mean' | 'sum';
      zero_infinity?: boolean;
    },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: readonly (number | bigint)[],
    target_lengths: readonly (number | bigint)[],
    blank: number | bigint,
    reduction: 'none' | 'mean' | 'sum',
    zero_infinity: boolean,
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: readonly (number | bigint)[],
    target_lengths: readonly (number | bigint)[],
    blank: number | bigint,
    reduction: 'none' | 'mean' | 'sum',
    options?: { zero_infinity?: boolean },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: readonly (number | bigint)[],
    target_lengths: readonly (number | bigint)[],
    blank: number | bigint,
    options?: { reduction?: 'none' | 'mean' | 'sum'; zero_infinity?: boolean },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: readonly (number | bigint)[],
    target_lengths: readonly (number | bigint)[],
    options?: { blank?: number | bigint; reduction?: 'none' | 'mean' | 'sum'; zero_infinity?: boolean },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: readonly (number | bigint)[],
    options: {
      target_lengths: readonly (number | bigint)[];
      blank?: number | bigint;
      reduction?: 'none' | 'mean' | 'sum';
      zero_infinity?: boolean;
    },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    options: {
      input_lengths: readonly (number | bigint)[];
      target_lengths: readonly (number | bigint)[];
      blank?: number | bigint;
      reduction?: 'none' | 'mean' | 'sum';
      zero_infinity?: boolean;
    },
  ): Tensor;
  ctc_loss(
    log_probs: Tensor,
    options: {
      targets: Tensor;
      input_lengths: readonly (number | bigint)[];
      target_lengths: readonly (number | bigint)[];
      blank?: number | bigint;
      reduction?: 'none' | 'mean' | 'sum';
      zero_infinity?: boolean;
    },
  ): Tensor;
  /** The p-norm of x1 - x2 + eps along the last dimension. */
  pairwise_distance(x1: Tensor, x2: Tensor, p: number, eps: number, keepdim: boolean): Tensor;
  pairwise_distance(x1: Tensor, x2: Tensor, p: number, eps: number, options?: { keepdim?: boolean }): Tensor;
  pairwise_distance(x1: Tensor, x2: Tensor, p: number, options?: { eps?: number; keepdim?: boolean }): Tensor;
  pairwise_distance(x1: Tensor, x2: Tensor, options?: { p?: number; eps?: number; keepdim?: boolean }): Tensor;
  pairwise_distance(x1: Tensor, options: { x2: Tensor; p?: number; eps?: number; keepdim?: boolean }): Tensor;
  /** The cosine of the angle between x1 and x2 along dimension dim; lengths count as at least eps. */
  cosine_similarity(x1: Tensor, x2: Tensor, dim: number | bigint, eps: number): Tensor;
  cosine_similarity(x1: Tensor, x2: Tensor, dim: number | bigint, options?: { eps?: number }): Tensor;
  cosine_similarity(x1: Tensor, x2: Tensor, options?: { dim?: number | bigint; eps?: number }): Tensor;
  cosine_similarity(x1: Tensor, options: { x2: Tensor; dim?: number | bigint; eps?: number }): Tensor;
  /** x over its p-norm along dimension dim (or dimensions), which counts as at least eps. */
  normalize(input: Tensor, p: number, dim: number | bigint | readonly (number | bigint)[], eps: number): Tensor;
  normalize(
    input: Tensor,
    p: number,
    dim: number | bigint | readonly (number | bigint)[],
    options?: { eps?: number },
  ): Tensor;
  normalize(
    input: Tensor,
    p: number,
    options?: { dim?: number | bigint | readonly (number | bigint)[]; eps?: number },
  ): Tensor;
  normalize(
    input: Tensor,
    options?: { p?: number; dim?: number | bigint | readonly (number | bigint)[]; eps?: number },
  ): Tensor;
  /** max(0, margin + |anchor - positive| - |anchor - negative|) with p-norms of rows; swap takes |positive - negative| where that is smaller. */
  triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: number,
    p: number,
    eps: number,
    swap: boolean,
    size_average: boolean | null,
    reduce: boolean | null,
    reduction: 'none' | 'mean' | 'sum',
  ): Tensor;
  triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: number,
    p: number,
    eps: number,
    swap: boolean,
    size_average: boolean | null,
    reduce: boolean | null,
    options?: { reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: number,
    p: number,
    eps: number,
    swap: boolean,
    size_average: boolean | null,
    options?: { reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: number,
    p: number,
    eps: number,
    swap: boolean,
    options?: { size_average?: boolean | null; reduce?: boolean | null; reduction?: 'none' | 'mean' | 'sum' },
  ): Tensor;
  triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: number,
    p: number,
    eps: number,
    options?: {
      swap?: boolean;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: number,
    p: number,
    options?: {
      eps?: number;
      swap?: boolean;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: number,
    options?: {
      p?: number;
      eps?: number;
      swap?: boolean;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    options?: {
      margin?: number;
      p?: number;
      eps?: number;
      swap?: boolean;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    options: {
      negative: Tensor;
      margin?: number;
      p?: number;
      eps?: number;
      swap?: boolean;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  triplet_margin_loss(
    anchor: Tensor,
    options: {
      positive: Tensor;
      negative: Tensor;
      margin?: number;
      p?: number;
      eps?: number;
      swap?: boolean;
      size_average?: boolean | null;
      reduce?: boolean | null;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
  /** p-norms of the differences of every two rows of a matrix [N, M]: a vector of N * (N - 1) / 2, in the order of the upper triangle. */
  pdist(self: Tensor, p: number): Tensor;
  pdist(self: Tensor, options?: { p?: number }): Tensor;
  /** x1 @ weight[o] @ x2 + bias[o] for every output o: [..., in1] and [..., in2] become [..., out]; weight [out, in1, in2]. */
  bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | null): Tensor;
  bilinear(input1: Tensor, input2: Tensor, weight: Tensor, options?: { bias?: Tensor | null }): Tensor;
  bilinear(input1: Tensor, input2: Tensor, options: { weight: Tensor; bias?: Tensor | null }): Tensor;
  bilinear(input1: Tensor, options: { input2: Tensor; weight: Tensor; bias?: Tensor | null }): Tensor;
  /** Sums, means or maxima of bags of rows of weight: input [bags, n], or [n] with the offsets where bags begin. */
  embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | null,
    max_norm: number | null,
    norm_type: number,
    scale_grad_by_freq: boolean,
    mode: 'sum' | 'mean' | 'max',
    sparse: boolean,
    per_sample_weights: Tensor | null,
    include_last_offset: boolean,
    padding_idx: number | bigint | null,
  ): Tensor;
  embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | null,
    max_norm: number | null,
    norm_type: number,
    scale_grad_by_freq: boolean,
    mode: 'sum' | 'mean' | 'max',
    sparse: boolean,
    per_sample_weights: Tensor | null,
    include_last_offset: boolean,
    options?: { padding_idx?: number | bigint | null },
  ): Tensor;
  embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | null,
    max_norm: number | null,
    norm_type: number,
    scale_grad_by_freq: boolean,
    mode: 'sum' | 'mean' | 'max',
    sparse: boolean,
    per_sample_weights: Tensor | null,
    options?: { include_last_offset?: boolean; padding_idx?: number | bigint | null },
  ): Tensor;
  embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | null,
    max_norm: number | null,
    norm_type: number,
    scale_grad_by_freq: boolean,
    mode: 'sum' | 'mean' | 'max',
    sparse: boolean,
    options?: {
      per_sample_weights?: Tensor | null;
      include_last_offset?: boolean;
      padding_idx?: number | bigint | null;
    },
  ): Tensor;
  embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | null,
    max_norm: number | null,
    norm_type: number,
    scale_grad_by_freq: boolean,
    mode: 'sum' | 'mean' | 'max',
    options?: {
      sparse?: boolean;
      per_sample_weights?: Tensor | null;
      include_last_offset?: boolean;
      padding_idx?: number | bigint | null;
    },
  ): Tensor;
  embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | null,
    max_norm: number | null,
    norm_type: number,
    scale_grad_by_freq: boolean,
    options?: {
      mode?: 'sum' | 'mean' | 'max';
      sparse?: boolean;
      per_sample_weights?: Tensor | null;
      include_last_offset?: boolean;
      padding_idx?: number | bigint | null;
    },
  ): Tensor;
  embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | null,
    max_norm: number | null,
    norm_type: number,
    options?: {
      scale_grad_by_freq?: boolean;
      mode?: 'sum' | 'mean' | 'max';
      sparse?: boolean;
      per_sample_weights?: Tensor | null;
      include_last_offset?: boolean;
      padding_idx?: number | bigint | null;
    },
  ): Tensor;
  embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | null,
    max_norm: number | null,
    options?: {
      norm_type?: number;
      scale_grad_by_freq?: boolean;
      mode?: 'sum' | 'mean' | 'max';
      sparse?: boolean;
      per_sample_weights?: Tensor | null;
      include_last_offset?: boolean;
      padding_idx?: number | bigint | null;
    },
  ): Tensor;
  embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | null,
    options?: {
      max_norm?: number | null;
      norm_type?: number;
      scale_grad_by_freq?: boolean;
      mode?: 'sum' | 'mean' | 'max';
      sparse?: boolean;
      per_sample_weights?: Tensor | null;
      include_last_offset?: boolean;
      padding_idx?: number | bigint | null;
    },
  ): Tensor;
  embedding_bag(
    input: Tensor,
    weight: Tensor,
    options?: {
      offsets?: Tensor | null;
      max_norm?: number | null;
      norm_type?: number;
      scale_grad_by_freq?: boolean;
      mode?: 'sum' | 'mean' | 'max';
      sparse?: boolean;
      per_sample_weights?: Tensor | null;
      include_last_offset?: boolean;
      padding_idx?: number | bigint | null;
    },
  ): Tensor;
  embedding_bag(
    input: Tensor,
    options: {
      weight: Tensor;
      offsets?: Tensor | null;
      max_norm?: number | null;
      norm_type?: number;
      scale_grad_by_freq?: boolean;
      mode?: 'sum' | 'mean' | 'max';
      sparse?: boolean;
      per_sample_weights?: Tensor | null;
      include_last_offset?: boolean;
      padding_idx?: number | bigint | null;
    },
  ): Tensor;
  /** Convolution of input [N, C, L] with weight [O, C / groups, k]: [N, O, …]. padding is a number for each axis, 'valid' or 'same'. */
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv1d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  /** Transposed convolution of input [N, C, L] with weight [C, O / groups, k]: the gradient of the convolution, [N, O, …]. */
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    dilation: number | bigint | readonly (number | bigint)[],
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    options?: { dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint; dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: {
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose1d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  /** Convolution of input [N, C, H, W] with weight [O, C / groups, kH, kW]: [N, O, …]. padding is a number for each axis, 'valid' or 'same'. */
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv2d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  /** Transposed convolution of input [N, C, H, W] with weight [C, O / groups, kH, kW]: the gradient of the convolution, [N, O, …]. */
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    dilation: number | bigint | readonly (number | bigint)[],
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    options?: { dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint; dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: {
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose2d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  /** Convolution of input [N, C, D, H, W] with weight [O, C / groups, kD, kH, kW]: [N, O, …]. padding is a number for each axis, 'valid' or 'same'. */
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: 'valid' | 'same',
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; groups?: number | bigint },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  conv3d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: 'valid' | 'same';
      dilation?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
    },
  ): Tensor;
  /** Transposed convolution of input [N, C, D, H, W] with weight [C, O / groups, kD, kH, kW]: the gradient of the convolution, [N, O, …]. */
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    dilation: number | bigint | readonly (number | bigint)[],
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    groups: number | bigint,
    options?: { dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    output_padding: number | bigint | readonly (number | bigint)[],
    options?: { groups?: number | bigint; dilation?: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options?: {
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: number | bigint | readonly (number | bigint)[],
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    options?: {
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    options?: {
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  conv_transpose3d(
    input: Tensor,
    options: {
      weight: Tensor;
      bias?: Tensor | null;
      stride?: number | bigint | readonly (number | bigint)[];
      padding?: number | bigint | readonly (number | bigint)[];
      output_padding?: number | bigint | readonly (number | bigint)[];
      groups?: number | bigint;
      dilation?: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  /** Averages of windows over 1 axis of [N, C, …]. */
  avg_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
    count_include_pad: boolean,
  ): Tensor;
  avg_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
    options?: { count_include_pad?: boolean },
  ): Tensor;
  avg_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    options?: { ceil_mode?: boolean; count_include_pad?: boolean },
  ): Tensor;
  avg_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
    },
  ): Tensor;
  avg_pool1d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options?: {
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
    },
  ): Tensor;
  avg_pool1d(
    self: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
    },
  ): Tensor;
  /** Averages of as many windows as output_size says, over 1 axis of [N, C, …]. */
  adaptive_avg_pool1d(self: Tensor, output_size: number | bigint | readonly (number | bigint)[]): Tensor;
  adaptive_avg_pool1d(self: Tensor, options: { output_size: number | bigint | readonly (number | bigint)[] }): Tensor;
  /** Maxima of windows, and where they were as positions in the input's planes. */
  max_pool2d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool2d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { ceil_mode?: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool2d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; ceil_mode?: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool2d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool2d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options?: {
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool2d_with_indices(
    self: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  /** Averages of windows over 2 axes of [N, C, …]. */
  avg_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
    count_include_pad: boolean,
    divisor_override: number | bigint | null,
  ): Tensor;
  avg_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
    count_include_pad: boolean,
    options?: { divisor_override?: number | bigint | null },
  ): Tensor;
  avg_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
    options?: { count_include_pad?: boolean; divisor_override?: number | bigint | null },
  ): Tensor;
  avg_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    options?: { ceil_mode?: boolean; count_include_pad?: boolean; divisor_override?: number | bigint | null },
  ): Tensor;
  avg_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
      divisor_override?: number | bigint | null;
    },
  ): Tensor;
  avg_pool2d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options?: {
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
      divisor_override?: number | bigint | null;
    },
  ): Tensor;
  avg_pool2d(
    self: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
      divisor_override?: number | bigint | null;
    },
  ): Tensor;
  /** Maxima of as many windows as output_size says, and where they were. */
  adaptive_max_pool2d_with_indices(
    self: Tensor,
    output_size: number | bigint | readonly (number | bigint)[],
  ): NamedTuple<['Tensor', 'Tensor']>;
  adaptive_max_pool2d_with_indices(
    self: Tensor,
    options: { output_size: number | bigint | readonly (number | bigint)[] },
  ): NamedTuple<['Tensor', 'Tensor']>;
  /** Averages of as many windows as output_size says, over 2 axes of [N, C, …]. */
  adaptive_avg_pool2d(self: Tensor, output_size: number | bigint | readonly (number | bigint)[]): Tensor;
  adaptive_avg_pool2d(self: Tensor, options: { output_size: number | bigint | readonly (number | bigint)[] }): Tensor;
  /** Maxima of windows, and where they were as positions in the input's planes. */
  max_pool3d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool3d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options?: { ceil_mode?: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool3d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    options?: { dilation?: number | bigint | readonly (number | bigint)[]; ceil_mode?: boolean },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool3d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool3d_with_indices(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options?: {
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  max_pool3d_with_indices(
    self: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      dilation?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
    },
  ): NamedTuple<['Tensor', 'Tensor']>;
  /** Averages of windows over 3 axes of [N, C, …]. */
  avg_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
    count_include_pad: boolean,
    divisor_override: number | bigint | null,
  ): Tensor;
  avg_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
    count_include_pad: boolean,
    options?: { divisor_override?: number | bigint | null },
  ): Tensor;
  avg_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    ceil_mode: boolean,
    options?: { count_include_pad?: boolean; divisor_override?: number | bigint | null },
  ): Tensor;
  avg_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    padding: number | bigint | readonly (number | bigint)[],
    options?: { ceil_mode?: boolean; count_include_pad?: boolean; divisor_override?: number | bigint | null },
  ): Tensor;
  avg_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
      divisor_override?: number | bigint | null;
    },
  ): Tensor;
  avg_pool3d(
    self: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options?: {
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
      divisor_override?: number | bigint | null;
    },
  ): Tensor;
  avg_pool3d(
    self: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      stride?: number | bigint | readonly (number | bigint)[] | null;
      padding?: number | bigint | readonly (number | bigint)[];
      ceil_mode?: boolean;
      count_include_pad?: boolean;
      divisor_override?: number | bigint | null;
    },
  ): Tensor;
  /** Maxima of as many windows as output_size says, and where they were. */
  adaptive_max_pool3d_with_indices(
    self: Tensor,
    output_size: number | bigint | readonly (number | bigint)[],
  ): NamedTuple<['Tensor', 'Tensor']>;
  adaptive_max_pool3d_with_indices(
    self: Tensor,
    options: { output_size: number | bigint | readonly (number | bigint)[] },
  ): NamedTuple<['Tensor', 'Tensor']>;
  /** Averages of as many windows as output_size says, over 3 axes of [N, C, …]. */
  adaptive_avg_pool3d(self: Tensor, output_size: number | bigint | readonly (number | bigint)[]): Tensor;
  adaptive_avg_pool3d(self: Tensor, options: { output_size: number | bigint | readonly (number | bigint)[] }): Tensor;
  /** Rows over the last dimensions (normalized_shape) divided by their root mean square, then scaled by weight. */
  rms_norm(
    input: Tensor,
    normalized_shape: number | bigint | readonly (number | bigint)[],
    weight: Tensor | null,
    eps: number | null,
  ): Tensor;
  rms_norm(
    input: Tensor,
    normalized_shape: number | bigint | readonly (number | bigint)[],
    weight: Tensor | null,
    options?: { eps?: number | null },
  ): Tensor;
  rms_norm(
    input: Tensor,
    normalized_shape: number | bigint | readonly (number | bigint)[],
    options?: { weight?: Tensor | null; eps?: number | null },
  ): Tensor;
  rms_norm(
    input: Tensor,
    options: {
      normalized_shape: number | bigint | readonly (number | bigint)[];
      weight?: Tensor | null;
      eps?: number | null;
    },
  ): Tensor;
  /** The input with widths put around its last dimensions, the last first: a constant, a reflection, the edge repeated, or what wraps around. */
  pad(
    input: Tensor,
    pad: readonly (number | bigint)[],
    mode: 'constant' | 'reflect' | 'replicate' | 'circular',
    value: number | null,
  ): Tensor;
  pad(
    input: Tensor,
    pad: readonly (number | bigint)[],
    mode: 'constant' | 'reflect' | 'replicate' | 'circular',
    options?: { value?: number | null },
  ): Tensor;
  pad(
    input: Tensor,
    pad: readonly (number | bigint)[],
    options?: { mode?: 'constant' | 'reflect' | 'replicate' | 'circular'; value?: number | null },
  ): Tensor;
  pad(
    input: Tensor,
    options: {
      pad: readonly (number | bigint)[];
      mode?: 'constant' | 'reflect' | 'replicate' | 'circular';
      value?: number | null;
    },
  ): Tensor;
  /** The input [N, C, …] at another size, or scaled: by the nearest element, linearly, by cubic convolution or by averages of areas. */
  interpolate(
    input: Tensor,
    size: number | bigint | readonly (number | bigint)[] | null,
    scale_factor: number | readonly number[] | null,
    mode: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact',
    align_corners: boolean | null,
    recompute_scale_factor: boolean | null,
    antialias: boolean,
  ): Tensor;
  interpolate(
    input: Tensor,
    size: number | bigint | readonly (number | bigint)[] | null,
    scale_factor: number | readonly number[] | null,
    mode: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact',
    align_corners: boolean | null,
    recompute_scale_factor: boolean | null,
    options?: { antialias?: boolean },
  ): Tensor;
  interpolate(
    input: Tensor,
    size: number | bigint | readonly (number | bigint)[] | null,
    scale_factor: number | readonly number[] | null,
    mode: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact',
    align_corners: boolean | null,
    options?: { recompute_scale_factor?: boolean | null; antialias?: boolean },
  ): Tensor;
  interpolate(
    input: Tensor,
    size: number | bigint | readonly (number | bigint)[] | null,
    scale_factor: number | readonly number[] | null,
    mode: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact',
    options?: { align_corners?: boolean | null; recompute_scale_factor?: boolean | null; antialias?: boolean },
  ): Tensor;
  interpolate(
    input: Tensor,
    size: number | bigint | readonly (number | bigint)[] | null,
    scale_factor: number | readonly number[] | null,
    options?: {
      mode?: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact';
      align_corners?: boolean | null;
      recompute_scale_factor?: boolean | null;
      antialias?: boolean;
    },
  ): Tensor;
  interpolate(
    input: Tensor,
    size: number | bigint | readonly (number | bigint)[] | null,
    options?: {
      scale_factor?: number | readonly number[] | null;
      mode?: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact';
      align_corners?: boolean | null;
      recompute_scale_factor?: boolean | null;
      antialias?: boolean;
    },
  ): Tensor;
  interpolate(
    input: Tensor,
    options?: {
      size?: number | bigint | readonly (number | bigint)[] | null;
      scale_factor?: number | readonly number[] | null;
      mode?: 'nearest' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area' | 'nearest-exact';
      align_corners?: boolean | null;
      recompute_scale_factor?: boolean | null;
      antialias?: boolean;
    },
  ): Tensor;
  /** Sliding blocks of [N, C, H, W] as columns: [N, C * window, blocks]. */
  im2col(
    input: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[],
  ): Tensor;
  im2col(
    input: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options: { stride: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  im2col(
    input: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options: {
      padding: number | bigint | readonly (number | bigint)[];
      stride: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  im2col(
    input: Tensor,
    kernel_size: number | bigint | readonly (number | bigint)[],
    options: {
      dilation: number | bigint | readonly (number | bigint)[];
      padding: number | bigint | readonly (number | bigint)[];
      stride: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  im2col(
    input: Tensor,
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      dilation: number | bigint | readonly (number | bigint)[];
      padding: number | bigint | readonly (number | bigint)[];
      stride: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  /** The sum of sliding blocks [N, C * window, blocks] in images [N, C, H, W] of output_size. */
  col2im(
    input: Tensor,
    output_size: number | bigint | readonly (number | bigint)[],
    kernel_size: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    stride: number | bigint | readonly (number | bigint)[],
  ): Tensor;
  col2im(
    input: Tensor,
    output_size: number | bigint | readonly (number | bigint)[],
    kernel_size: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    padding: number | bigint | readonly (number | bigint)[],
    options: { stride: number | bigint | readonly (number | bigint)[] },
  ): Tensor;
  col2im(
    input: Tensor,
    output_size: number | bigint | readonly (number | bigint)[],
    kernel_size: number | bigint | readonly (number | bigint)[],
    dilation: number | bigint | readonly (number | bigint)[],
    options: {
      padding: number | bigint | readonly (number | bigint)[];
      stride: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  col2im(
    input: Tensor,
    output_size: number | bigint | readonly (number | bigint)[],
    kernel_size: number | bigint | readonly (number | bigint)[],
    options: {
      dilation: number | bigint | readonly (number | bigint)[];
      padding: number | bigint | readonly (number | bigint)[];
      stride: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  col2im(
    input: Tensor,
    output_size: number | bigint | readonly (number | bigint)[],
    options: {
      kernel_size: number | bigint | readonly (number | bigint)[];
      dilation: number | bigint | readonly (number | bigint)[];
      padding: number | bigint | readonly (number | bigint)[];
      stride: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  col2im(
    input: Tensor,
    options: {
      output_size: number | bigint | readonly (number | bigint)[];
      kernel_size: number | bigint | readonly (number | bigint)[];
      dilation: number | bigint | readonly (number | bigint)[];
      padding: number | bigint | readonly (number | bigint)[];
      stride: number | bigint | readonly (number | bigint)[];
    },
  ): Tensor;
  /** Channels become pixels: [N, C * r * r, H, W] to [N, C, H * r, W * r]. */
  pixel_shuffle(self: Tensor, upscale_factor: number | bigint): Tensor;
  pixel_shuffle(self: Tensor, options: { upscale_factor: number | bigint }): Tensor;
  /** Pixels become channels: [N, C, H * r, W * r] to [N, C * r * r, H, W]. */
  pixel_unshuffle(self: Tensor, downscale_factor: number | bigint): Tensor;
  pixel_unshuffle(self: Tensor, options: { downscale_factor: number | bigint }): Tensor;
  /** Channels of [N, C, …] in another order: one of each group after the other. */
  channel_shuffle(self: Tensor, groups: number | bigint): Tensor;
  channel_shuffle(self: Tensor, options: { groups: number | bigint }): Tensor;
  /** Elements where a maximum pool had them, zeros elsewhere, in planes of output_size. */
  max_unpool2d(input: Tensor, indices: Tensor, output_size: readonly (number | bigint)[]): Tensor;
  max_unpool2d(input: Tensor, indices: Tensor, options: { output_size: readonly (number | bigint)[] }): Tensor;
  max_unpool2d(input: Tensor, options: { indices: Tensor; output_size: readonly (number | bigint)[] }): Tensor;
  /** Elements where a maximum pool had them, zeros elsewhere, in planes of output_size. */
  max_unpool3d(input: Tensor, indices: Tensor, output_size: readonly (number | bigint)[]): Tensor;
  max_unpool3d(input: Tensor, indices: Tensor, options: { output_size: readonly (number | bigint)[] }): Tensor;
  max_unpool3d(input: Tensor, options: { indices: Tensor; output_size: readonly (number | bigint)[] }): Tensor;
}

/** Functions of `torch.linalg`. */
export interface LinalgFunctions {
  /** Vector products along dim, which has size 3. */
  cross(self: Tensor, other: Tensor, options?: { dim?: number | bigint }): Tensor;
  cross(self: Tensor, options: { other: Tensor; dim?: number | bigint }): Tensor;
  /** Sums of products along dim. */
  vecdot(x: Tensor, y: Tensor, options?: { dim?: number | bigint }): Tensor;
  vecdot(x: Tensor, options: { y: Tensor; dim?: number | bigint }): Tensor;
  /** Matrix product, as `torch.matmul`. */
  matmul(self: Tensor, other: Tensor): Tensor;
  matmul(self: Tensor, options: { other: Tensor }): Tensor;
  /** The diagonal of the last two dimensions, as `torch.diagonal`. */
  diagonal(A: Tensor, options?: { offset?: number | bigint; dim1?: number | bigint; dim2?: number | bigint }): Tensor;
  /** The ord-norm over all elements, or over the dimensions dim; ord may be every number, Infinity and -Infinity too. */
  vector_norm(
    self: Tensor,
    ord: Scalar,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  vector_norm(
    self: Tensor,
    ord: Scalar,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  vector_norm(
    self: Tensor,
    ord: Scalar,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  vector_norm(
    self: Tensor,
    options?: {
      ord?: Scalar;
      dim?: number | bigint | readonly (number | bigint)[] | null;
      keepdim?: boolean;
      dtype?: DType | null;
    },
  ): Tensor;
  /** Norms of matrices (two dimensions): 'fro', 1, -1, Infinity, -Infinity. */
  matrix_norm(
    self: Tensor,
    ord: Scalar,
    dim: readonly (number | bigint)[],
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  matrix_norm(
    self: Tensor,
    ord: Scalar,
    dim: readonly (number | bigint)[],
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  matrix_norm(
    self: Tensor,
    ord: Scalar,
    options?: { dim?: readonly (number | bigint)[]; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  matrix_norm(
    self: Tensor,
    options: { ord: Scalar; dim?: readonly (number | bigint)[]; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  matrix_norm(
    self: Tensor,
    ord: 'fro' | 'nuc',
    dim: readonly (number | bigint)[],
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  matrix_norm(
    self: Tensor,
    ord: 'fro' | 'nuc',
    dim: readonly (number | bigint)[],
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  matrix_norm(
    self: Tensor,
    ord: 'fro' | 'nuc',
    options?: { dim?: readonly (number | bigint)[]; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  matrix_norm(
    self: Tensor,
    options?: { ord?: 'fro' | 'nuc'; dim?: readonly (number | bigint)[]; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  /** The norm of a vector or a matrix, as the dimensions are one or two; without ord the 2-norm of all elements. */
  norm(
    self: Tensor,
    ord: Scalar | null,
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    ord: Scalar | null,
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    ord: Scalar | null,
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    options?: {
      ord?: Scalar | null;
      dim?: number | bigint | readonly (number | bigint)[] | null;
      keepdim?: boolean;
      dtype?: DType | null;
    },
  ): Tensor;
  norm(
    self: Tensor,
    ord: 'fro' | 'nuc',
    dim: number | bigint | readonly (number | bigint)[] | null,
    keepdim: boolean,
    options?: { dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    ord: 'fro' | 'nuc',
    dim: number | bigint | readonly (number | bigint)[] | null,
    options?: { keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    ord: 'fro' | 'nuc',
    options?: { dim?: number | bigint | readonly (number | bigint)[] | null; keepdim?: boolean; dtype?: DType | null },
  ): Tensor;
  norm(
    self: Tensor,
    options: {
      ord: 'fro' | 'nuc';
      dim?: number | bigint | readonly (number | bigint)[] | null;
      keepdim?: boolean;
      dtype?: DType | null;
    },
  ): Tensor;
  /** The product of two or more matrices in the cheapest order; the first and the last may be vectors. */
  multi_dot(tensors: readonly Tensor[]): Tensor;
}
