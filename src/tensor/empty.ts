/** New tensors with undefined contents: where every result starts. */
import type { DType } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { contiguousStrides, numel, showSizes } from '../core/shape.ts';
import type { Backend } from '../devices/backend.ts';
import { allocatePinned } from '../devices/pinned.ts';
import { allocateStorage, type Storage } from '../devices/storage.ts';
import { clock } from '../memory/clock.ts';
import { Tensor } from './tensor.ts';

/** More bytes than an int64 counts are an error of their own, before anybody looks for room. */
function checkBytes(nbytes: number, sizes: readonly number[]): void {
  if (nbytes < 2 ** 63) return;
  throw new RuntimeError(`Storage size calculation overflowed with sizes=${showSizes(sizes)}`);
}

/** Says what it is for, to those who ask what is alive or what found no room. */
function allocate(backend: Backend, nbytes: number, sizes: readonly number[], dtype: DType, pinned: boolean): Storage {
  checkBytes(nbytes, sizes);
  clock.sizes = sizes;
  clock.dtype = dtype.name;
  return pinned ? allocatePinned(nbytes) : allocateStorage(backend, nbytes);
}

/**
 * Contiguous. `sizes` is kept, not copied: it must never be changed afterwards.
 *
 * @param pinned in pinned host memory; `backend` is the cpu's then
 */
export function emptyTensor(backend: Backend, sizes: readonly number[], dtype: DType, pinned = false): Tensor {
  const length = numel(sizes);
  const storage = allocate(backend, length * dtype.itemsize, sizes, dtype, pinned);
  return new Tensor(storage, 0, sizes, contiguousStrides(sizes), dtype, length, true);
}

/** With given strides, which must describe a dense layout without gaps. */
export function emptyStrided(
  backend: Backend,
  sizes: readonly number[],
  strides: readonly number[],
  dtype: DType,
  contiguous: boolean,
  pinned = false,
): Tensor {
  const length = numel(sizes);
  let extent = length === 0 ? 0 : 1;
  if (length > 0) for (let i = 0; i < sizes.length; i++) extent += (sizes[i] - 1) * strides[i];
  const storage = allocate(backend, extent * dtype.itemsize, sizes, dtype, pinned);
  return new Tensor(storage, 0, sizes, strides, dtype, length, contiguous);
}
