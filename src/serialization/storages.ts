/** Storages of a file, made when the first tensor over them is, and the tensors over them. */
import type { Device } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { isContiguous, numel, showSizes } from '../core/shape.ts';
import { backendFor } from '../devices/registry.ts';
import { allocateStorage, type Storage, touch } from '../devices/storage.ts';
import { clock } from '../memory/clock.ts';
import { accessed } from '../kernels/touch.ts';
import { Tensor } from '../tensor/tensor.ts';
import { UnpicklingError } from './errors.ts';
import { className, Internal, isTuple } from './python.ts';

/** A storage of a file. */
export class FileStorage extends Internal {
  storage: Storage | null = null;

  constructor(
    readonly nbytes: number,
    readonly dtype: DType,
    readonly device: Device,
    /** Fills the storage when it is made; null: it is filled later. */
    private readonly fill: ((storage: Storage) => void) | null,
    /** Bytes from the start of another storage that this one is a part of. */
    readonly within: { readonly storage: FileStorage; readonly offset: number } | null = null,
  ) {
    super('torch.storage.UntypedStorage');
  }

  /** The storage, made for a tensor of these sizes. */
  get(sizes: readonly number[], dtype: DType): Storage {
    if (this.within !== null) return this.within.storage.get(sizes, dtype);
    if (this.storage !== null) return this.storage;
    clock.sizes = sizes;
    clock.dtype = dtype.name;
    const storage = allocateStorage(backendFor(this.device), this.nbytes);
    this.storage = storage;
    this.fill?.(storage);
    return storage;
  }

  /** Where it begins in the storage it lies in, bytes. */
  get offset(): number {
    return this.within === null ? 0 : this.within.offset;
  }
}

/** Writes a piece into a storage. @param swap bytes of an element whose order is to be turned round; 1 for none */
export function fillPiece(storage: Storage, piece: Uint8Array, at: number, swap: number): void {
  if (storage.nbytes === 0) return;
  touch(storage);
  storage.backend.copyIn(storage.address + at, swap === 1 ? piece : swapped(piece, swap));
}

function swapped(piece: Uint8Array, size: number): Uint8Array {
  const turned = new Uint8Array(piece.length);
  for (let i = 0; i < piece.length; i++) turned[i] = piece[i - (i % size) + size - 1 - (i % size)];
  return turned;
}

/** A tuple of ints. */
function ints(value: unknown, what: string): number[] {
  if (!isTuple(value) && !Array.isArray(value))
    throw new UnpicklingError(`the ${what} of a tensor is a ${className(value)}`);
  const list = Array.from(value as unknown[]);
  for (const item of list) {
    if (typeof item !== 'number' || !Number.isSafeInteger(item)) {
      throw new UnpicklingError(`the ${what} of a tensor has ${className(item)} among its items`);
    }
  }
  return list as number[];
}

/** A tensor over a storage of the file. @throws RuntimeError if it would reach beyond it */
export function tensorOver(
  storage: FileStorage,
  offset: unknown,
  size: unknown,
  stride: unknown,
  dtype: DType,
): Tensor {
  const sizes = ints(size, 'size');
  const strides = ints(stride, 'stride');
  if (typeof offset !== 'number' || !Number.isSafeInteger(offset)) {
    throw new UnpicklingError(`the storage offset of a tensor is a ${className(offset)}`);
  }
  const length = checkGeometry(sizes, strides, offset);
  const itemsize = dtype.itemsize;
  let extent = length === 0 ? 0 : 1;
  if (length > 0) for (let i = 0; i < sizes.length; i++) extent += (sizes[i] - 1) * strides[i];
  const start = storage.offset / itemsize;
  if (length > 0 && (!Number.isInteger(start) || (offset + extent) * itemsize > storage.nbytes)) {
    throw new RuntimeError(
      `setStorage: sizes ${showSizes(sizes)}, strides ${showSizes(strides)}, storage offset ${offset}, and itemsize ${itemsize} requiring a storage size of ${(offset + extent) * itemsize} are out of bounds for storage of size ${storage.nbytes}`,
    );
  }
  // Nothing can be read there, so it need not lie within the storage.
  const at = length === 0 ? 0 : start + offset;
  return new Tensor(storage.get(sizes, dtype), at, sizes, strides, dtype, length, isContiguous(sizes, strides));
}

/** @returns the number of elements */
export function checkGeometry(sizes: readonly number[], strides: readonly number[], offset: number): number {
  if (sizes.length !== strides.length) {
    throw new RuntimeError(`unequal size length (${sizes.length}) and stride length (${strides.length})`);
  }
  if (sizes.length > 64) throw new UnpicklingError(`a tensor of ${sizes.length} dimensions`);
  if (offset < 0) throw new RuntimeError(`Tensor: invalid storage offset ${offset}`);
  const length = numel(sizes);
  if (sizes.some((n) => n < 0) || !(length < 2 ** 53)) throw new RuntimeError('numel: integer multiplication overflow');
  if (strides.some((n) => n < 0)) {
    throw new RuntimeError(
      `Storage size calculation overflowed with sizes=${showSizes(sizes)} and strides=${showSizes(strides)}`,
    );
  }
  return length;
}

/** The bytes of a storage, for reading at once: stale after the next allocation. */
export function storageBytes(storage: Storage, over: Tensor): Uint8Array {
  if (storage.nbytes === 0) return new Uint8Array(0);
  touch(storage);
  accessed(over, false);
  return storage.backend.view(storage.address, storage.nbytes);
}
