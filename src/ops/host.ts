/** Between tensors and host arrays. */
import { bfloat16, bool, type DType, float16, int64, type TypedArray } from '../core/dtype.ts';
import { fromBFloat16, fromFloat16, toBFloat16, toFloat16 } from '../core/half.ts';
import type { Backend } from '../devices/backend.ts';
import { touchGraphOf } from '../autograd/record.ts';
import { touch } from '../devices/storage.ts';
import { fill as fillKernel } from '../kernels/copy.ts';
import { accessed } from '../kernels/touch.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { checkScalar } from './scalar-range.ts';

/** A scalar value as users get and give it. */
export type HostValue = number | bigint | boolean;

/** Sets every element, without recording. @throws RuntimeError for a number that the dtype does not have */
export function fill(out: Tensor, value: HostValue): void {
  // Half types take everything, as infinity.
  if (out.dtype.itemsize !== 2 || !out.dtype.is_floating_point) checkScalar(out.dtype, value);
  if (typeof value === 'boolean') value = Number(value);
  fillKernel(out, out.dtype === bool && Number.isNaN(value) ? 1 : value);
}

/** One value in the array's own representation. */
export function encode(dtype: DType, value: HostValue): number | bigint {
  if (dtype === int64) return typeof value === 'bigint' ? BigInt.asIntN(64, value) : toInt64(Number(value));
  // NaN is true.
  if (dtype === bool) return value || Number.isNaN(value) ? 1 : 0;
  const number = Number(value);
  if (dtype === float16) return toFloat16(number);
  if (dtype === bfloat16) return toBFloat16(number);
  return number;
}

/** C's conversion, with PyTorch's values on x86 for what does not fit. */
function toInt64(value: number): bigint {
  if (Number.isNaN(value) || Math.abs(value) >= 2 ** 63) return -(2n ** 63n);
  return BigInt(Math.trunc(value));
}

/** One element of a host array as a number (int64: a bigint, bool: a boolean). */
export function decode(dtype: DType, raw: number | bigint): HostValue {
  if (dtype === float16) return fromFloat16(raw as number);
  if (dtype === bfloat16) return fromBFloat16(raw as number);
  if (dtype === bool) return raw !== 0;
  return raw;
}

/** A new tensor with these elements in row-major order; `array` is of the dtype's own kind. */
export function fromHost(
  backend: Backend,
  sizes: readonly number[],
  dtype: DType,
  array: TypedArray,
  pinned = false,
): Tensor {
  return copyFrom(emptyTensor(backend, sizes, dtype, pinned), array);
}

/** Fills a new contiguous tensor with these elements. */
export function copyFrom(out: Tensor, array: TypedArray): Tensor {
  const { backend, address } = out.storage;
  accessed(out, true);
  if (out.length > 0) backend.copyIn(address, new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return out;
}

/** The elements in row-major order, as the dtype's own kind of array. Waits for the device. */
export function toHost(x: Tensor): TypedArray {
  const dense = x.contiguousNow ? x : x.detach().contiguous();
  const { storage, offset, dtype, length } = dense;
  if (length === 0) return new dtype.array(0);
  touch(storage);
  accessed(dense, false);
  touchGraphOf(x);
  const bytes = storage.backend.copyOut(storage.address + offset * dtype.itemsize, length * dtype.itemsize);
  const array = new dtype.array(bytes.buffer, bytes.byteOffset, length);
  if (dense !== x) dense.dispose();
  return array;
}
