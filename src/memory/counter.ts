/**
 * The plain consumer of the log: what is allocated, now and at most. Sizes are rounded as PyTorch's caching allocator
 * rounds them (`round_size`); there is no cache, so what is reserved is what is allocated.
 */
import { OutOfMemoryError } from '../core/errors.ts';
import type { Consumer, StorageRecord } from './lifetimes.ts';

/** PyTorch's kMinBlockSize, bytes. */
const BLOCK = 512;

/** Bytes that an allocation takes: a multiple of 512, nothing for nothing. */
export function roundSize(nbytes: number): number {
  return Math.ceil(nbytes / BLOCK) * BLOCK;
}

/** A number of bytes as PyTorch's error texts give it: `20.00 MiB`. */
export function formatSize(bytes: number): string {
  if (bytes <= 1024) return `${bytes} bytes`;
  if (bytes <= 1024 ** 2) return `${(bytes / 1024).toFixed(2)} KiB`;
  if (bytes <= 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(2)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}

export class Counter implements Consumer {
  /** Bytes of live storages, rounded. */
  allocated = 0;
  /** The most that `allocated` has been since the start or the last `resetPeak`. */
  peak = 0;
  /** Share of the capacity that may be used; null: all of it, and errors don't mention it. */
  fraction: number | null = null;
  /** Allocations that found no room. */
  ooms = 0;

  /**
   * @param capacity bytes of device memory
   * @param name as errors call the device: 'MTIA'
   * @param index its number
   */
  constructor(
    public capacity: number,
    readonly name: string,
    readonly index: number,
  ) {}

  /** Bytes set aside on the device. A plain counter caches nothing. */
  get reserved(): number {
    return this.allocated;
  }

  /** The most that `reserved` has been. */
  get peakReserved(): number {
    return this.peak;
  }

  /** Bytes that may be used. */
  get allowed(): number {
    return this.fraction === null ? this.capacity : Math.floor(this.capacity * this.fraction);
  }

  get headroom(): number {
    return this.allowed - this.allocated;
  }

  resetPeak(): void {
    this.peak = this.allocated;
  }

  charge(nbytes: number): number {
    return roundSize(nbytes);
  }

  allocate(record: StorageRecord): boolean {
    const after = this.allocated + roundSize(record.nbytes);
    if (after > this.allowed) {
      this.ooms++;
      return false;
    }
    this.allocated = after;
    if (after > this.peak) this.peak = after;
    return true;
  }

  free(record: StorageRecord): void {
    this.allocated -= roundSize(record.nbytes);
  }

  outOfMemory(record: StorageRecord): Error {
    const allowed = this.fraction === null ? '' : `${formatSize(this.allowed)} allowed; `;
    const by = record.operation === '' ? '' : ` The allocation was made by ${record.operation}.`;
    return new OutOfMemoryError(
      `${this.name} out of memory. Tried to allocate ${formatSize(roundSize(record.nbytes))}. ` +
        `${this.name} ${this.index} has a total capacity of ${formatSize(this.capacity)} ` +
        `of which ${formatSize(this.capacity - this.allocated)} is free. ${allowed}` +
        `Of the allocated memory ${formatSize(this.allocated)} is allocated by PyTorch, ` +
        `and ${formatSize(this.reserved - this.allocated)} is reserved by PyTorch but unallocated.${by}`,
    );
  }
}
