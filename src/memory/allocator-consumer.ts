/**
 * The consumer of the log that is PyTorch's caching allocator: allocations and dated frees become blocks and segments,
 * and its figures are those that PyTorch would give on a device of that capacity.
 *
 * It has the plain counter's figures by the same names, so that it can take its place.
 */
import { OutOfMemoryError } from '../core/errors.ts';
import { Allocator, type AllocatorOptions, NO_ROOM } from './allocator/allocator.ts';
import { LARGE_BUFFER, MIN_LARGE_ALLOC, SMALL_BUFFER } from './allocator/constants.ts';
import { formatSize } from './allocator/format.ts';
import { outOfMemoryText } from './allocator/oom.ts';
import { ACTIVE_BYTES, ALLOCATED_BYTES, INACTIVE_SPLIT_BYTES, RESERVED_BYTES } from './allocator/statistics.ts';
import type { Consumer, StorageRecord } from './lifetimes.ts';

/** Holders that an error names. */
const HOLDERS = 3;
/** Of what is not handed out but may not be usable either, so much is allocated before it is looked at again. */
const TRUSTED = 1 / 8;

export interface ConsumerOptions extends AllocatorOptions {
  /** As errors call the device: 'MTIA'. */
  readonly name: string;
  /** Said in errors of a capacity that is not the chip's own. */
  readonly capacityNote?: string;
  /** What an error calls a holder of memory; by default the operation that allocated it. */
  readonly describe?: (record: StorageRecord) => string;
}

export class AllocatorConsumer implements Consumer {
  readonly allocator: Allocator;
  readonly name: string;
  /** The records by block: who holds what. */
  private readonly records: (StorageRecord | null)[] = [];
  private share: number | null = null;

  constructor(private readonly options: ConsumerOptions) {
    this.allocator = new Allocator(options);
    this.name = options.name;
  }

  get index(): number {
    return this.allocator.index;
  }

  /** Bytes of device memory. */
  get capacity(): number {
    return this.allocator.device.capacity;
  }

  /** Bytes handed out, rounding included. */
  get allocated(): number {
    return this.allocator.allocatedBytes;
  }

  /** The most that `allocated` has been since the start or the last `resetPeak`. */
  get peak(): number {
    return this.allocator.statistics.peak(ALLOCATED_BYTES);
  }

  /** Bytes held from the device. */
  get reserved(): number {
    return this.allocator.reserved;
  }

  /** The most that `reserved` has been. */
  get peakReserved(): number {
    return this.allocator.statistics.peak(RESERVED_BYTES);
  }

  /** Allocations that found no room. */
  get ooms(): number {
    return this.allocator.statistics.numOoms;
  }

  /** Bytes that may be held. */
  get allowed(): number {
    return this.allocator.allowed;
  }

  /** Share of the capacity that may be held; null: none was set, and errors don't mention it. */
  get fraction(): number | null {
    return this.share;
  }

  set fraction(fraction: number | null) {
    this.share = fraction;
    this.allocator.setMemoryFraction(fraction ?? 1);
  }

  resetPeak(): void {
    this.allocator.statistics.resetPeak();
  }

  /**
   * A segment is opened for a request only if the rest of every other is smaller than the request. So all segments but
   * the last of a pool are more than half full, as long as nothing is freed.
   */
  charge(nbytes: number): number {
    if (nbytes === 0) return 0;
    const size = this.allocator.roundSize(nbytes);
    return size < MIN_LARGE_ALLOC ? 2 * size : this.allocator.segmentSize(size);
  }

  /**
   * What the device has left, cached segments that can be given back included, less one segment of each kind for what is
   * just begun; this much is certain unless frees leave gaps. When the device is nearly full, cached pieces of segments
   * in use still serve most requests: then a share of all that is not handed out is trusted to do. A request that fails
   * after all is found at the next commit point, and the error names it.
   */
  get headroom(): number {
    const { allocator } = this;
    const { statistics, allowed } = allocator;
    const left = allowed - statistics.current(ACTIVE_BYTES);
    const begun = SMALL_BUFFER + Math.max(LARGE_BUFFER, allocator.settings.largeSegmentSize);
    const certain = left - statistics.current(INACTIVE_SPLIT_BYTES) - begun;
    return Math.max(0, certain, Math.floor(left * TRUSTED));
  }

  allocate(record: StorageRecord): boolean {
    const block = this.allocator.malloc(record.nbytes, record.stream);
    if (block === NO_ROOM) return false;
    record.block = block;
    this.records[block] = record;
    return true;
  }

  free(record: StorageRecord): void {
    this.records[record.block] = null;
    this.allocator.free(record.block);
  }

  outOfMemory(record: StorageRecord): Error {
    const { name, capacityNote } = this.options;
    let text = outOfMemoryText(this.allocator.failure!, { name, capacityNote });
    if (record.operation !== '') text += ` The allocation was made by ${record.operation}.`;
    const holders = this.largestHolders(HOLDERS);
    if (holders.length > 0) {
      const describe = this.options.describe ?? ((holder: StorageRecord) => holder.operation);
      const list = holders.map((holder) => {
        const what = describe(holder);
        return what === '' ? formatSize(holder.nbytes) : `${formatSize(holder.nbytes)} (${what})`;
      });
      text += ` The largest holders: ${list.join(', ')}.`;
    }
    return new OutOfMemoryError(text);
  }

  /** The records that hold most, largest first; of equal ones the oldest first. */
  largestHolders(count: number): StorageRecord[] {
    const largest: StorageRecord[] = [];
    for (const record of this.records) {
      if (record == null || record.nbytes === 0) continue;
      let at = largest.length;
      while (at > 0 && isLarger(record, largest[at - 1])) at--;
      if (at < count) largest.splice(at, 0, record);
      if (largest.length > count) largest.pop();
    }
    return largest;
  }
}

function isLarger(a: StorageRecord, b: StorageRecord): boolean {
  return a.nbytes > b.nbytes || (a.nbytes === b.nbytes && a.born < b.born);
}
