/**
 * The consumer of the log of pinned host memory: allocations and dated frees become blocks of the caching host allocator.
 *
 * Copies use pinned memory on the streams of every device, so streams are known here by `streamKey`, and a wait for all of
 * a device's streams by `deviceKey`.
 */
import { RuntimeError } from '../../core/errors.ts';
import type { StreamEvents } from '../allocator/events.ts';
import type { AllocatorSettings } from '../allocator/settings.ts';
import type { Consumer, StorageRecord } from '../lifetimes.ts';
import { StreamWork } from '../stream-work.ts';
import { HostAllocator } from './host-allocator.ts';

const STREAMS = 2 ** 32;

/** One number for a stream of a device. */
export function streamKey(device: number, stream: number): number {
  return device * STREAMS + stream;
}

/** Stands for all streams of a device in a wait. */
export function deviceKey(device: number): number {
  return -1 - device;
}

/** Events by the dates of the log: passed once the host has waited, never by the real progress of a device. */
class HostEvents implements StreamEvents {
  /** The date that the log is at. */
  now = 0;
  private readonly work = new StreamWork();
  /** Dates that streams and devices were waited for up to, by key. */
  private readonly passed = new Map<number, number>();

  record(stream: number): number {
    return this.work.upTo(stream, this.now);
  }

  done(stream: number, ticket: number): boolean {
    const device = deviceKey(Math.floor(stream / STREAMS));
    return ticket <= Math.max(this.passed.get(stream) ?? -1, this.passed.get(device) ?? -1);
  }

  /** The allocator never waits: it asks the host for another block. */
  wait(): void {}

  given(key: number, from: number, to: number): void {
    this.work.given(key, from, to);
  }

  waited(key: number, upTo: number): void {
    this.passed.set(key, Math.max(upTo, this.passed.get(key) ?? -1));
  }
}

export class HostConsumer implements Consumer {
  readonly allocator: HostAllocator;
  private readonly events = new HostEvents();

  constructor(settings: AllocatorSettings) {
    this.allocator = new HostAllocator({ settings, events: this.events });
  }

  /** The host's memory has no capacity of its own here; a full backing store is found when bytes are asked of it. */
  readonly headroom = Infinity;

  charge(): number {
    return 0;
  }

  /** Until now the record's block is the number of microseconds that the bytes took. */
  allocate(record: StorageRecord): boolean {
    this.events.now = record.born;
    record.block = this.allocator.malloc(record.nbytes, record.block);
    return true;
  }

  free(record: StorageRecord): void {
    const { block, uses } = record;
    if (uses !== null) {
      this.events.now = record.lastNeeded();
      for (const key of uses) this.allocator.recordStream(block, key);
    }
    this.allocator.free(block);
  }

  given(key: number, from: number, to: number): void {
    this.events.given(key, from, to);
  }

  waited(key: number | null, upTo: number): void {
    this.events.waited(key!, upTo);
  }

  outOfMemory(): Error {
    return new RuntimeError('pinned host memory has no capacity to exceed');
  }
}
