/**
 * PyTorch's caching allocator of pinned host memory (`CachingHostAllocator`) as a pure data structure: blocks of powers of
 * two, never split, cached by size when they are freed. A block that streams have used is cached once they have passed
 * the events recorded at its free.
 */
import { ManualEvents, type StreamEvents } from '../allocator/events.ts';
import { type AllocatorSettings, DEFAULT_SETTINGS } from '../allocator/settings.ts';
import { DurationStat, type HostStatistics, Stat } from './statistics.ts';

/** One for each power of two. */
const BUCKETS = 64;
/** Pieces of the reserve segment are whole pages. */
const PAGE = 4096;
const MIB = 1024 * 1024;

/** The number of the free list for blocks of this size: the exponent of the next power of two. */
function bucketOf(size: number): number {
  let bucket = Math.max(0, 31 - Math.clz32(size >>> 0));
  if (size >= 2 ** 32) bucket = Math.floor(Math.log2(size));
  while (2 ** bucket < size) bucket++;
  return bucket;
}

export interface HostAllocatorOptions {
  settings?: AllocatorSettings;
  /** Where the streams are; by default they pass events when told to. */
  events?: StreamEvents;
}

/** An event on a stream, and the block that waits for it. */
interface PendingEvent {
  readonly stream: number;
  readonly ticket: number;
  readonly block: number;
}

export class HostAllocator {
  settings: AllocatorSettings;
  readonly events: StreamEvents;
  // Blocks by number.
  private readonly sizes: number[] = [];
  /** Events that a freed block waits for. */
  private readonly pending: number[] = [];
  /** Lies in the reserve segment. */
  private readonly reserved: boolean[] = [];
  /** Streams that have used a block since it was handed out. */
  private readonly uses = new Map<number, Set<number>>();
  /** Numbers that can be given to new blocks. */
  private readonly idle: number[] = [];
  /** Cached blocks by bucket; the last one freed is the first to be used again. */
  private readonly cached: number[][] = Array.from({ length: BUCKETS }, () => []);
  /** In the order of the frees. */
  private readonly queue: PendingEvent[] = [];
  /** Bytes of the reserve segment, and of those handed out; null: not asked for yet. */
  private reserve: { readonly size: number; used: number } | null = null;

  private readonly allocations = new Stat();
  private readonly allocatedBytes = new Stat();
  private readonly activeRequests: Stat[] = Array.from({ length: BUCKETS }, () => new Stat());
  private readonly activeBytes: Stat[] = Array.from({ length: BUCKETS }, () => new Stat());
  private readonly allocTime = new DurationStat();
  private readonly freeTime = new DurationStat();

  constructor(options: HostAllocatorOptions = {}) {
    this.settings = options.settings ?? DEFAULT_SETTINGS;
    this.events = options.events ?? new ManualEvents();
  }

  /** Bytes of the block that serves a request. */
  roundSize(nbytes: number): number {
    const { pinnedMaxRoundThresholdMb, pinnedMaxCachedSizeMb } = this.settings;
    const limit = Math.min(pinnedMaxRoundThresholdMb, pinnedMaxCachedSizeMb) * MIB;
    return nbytes <= limit ? 2 ** bucketOf(nbytes) : nbytes;
  }

  /**
   * A block for a request of 1 byte or more.
   *
   * @param microseconds what the host takes if it has to be asked for a new block; for the statistics
   */
  malloc(nbytes: number, microseconds = 0): number {
    this.processEvents();
    const size = this.roundSize(nbytes);
    const bucket = bucketOf(size);
    let block = this.takeCached(bucket, size);
    if (block < 0) block = this.newBlock(size, microseconds);
    this.activeRequests[bucket].increase(1);
    this.activeBytes[bucket].increase(this.sizes[block]);
    return block;
  }

  /** Bytes of a block. */
  sizeOf(block: number): number {
    return this.sizes[block];
  }

  /** A stream uses the block from now on: once freed it waits for what the stream has been given until then. */
  recordStream(block: number, stream: number): void {
    const streams = this.uses.get(block);
    if (streams === undefined) this.uses.set(block, new Set([stream]));
    else streams.add(stream);
  }

  free(block: number): void {
    const streams = this.uses.get(block);
    if (streams === undefined) {
      this.cache(block);
      return;
    }
    this.uses.delete(block);
    this.pending[block] = streams.size;
    for (const stream of streams) this.queue.push({ stream, ticket: this.events.record(stream), block });
  }

  /** Gives all cached blocks back to the host. Live ones, and those that wait for a stream, stay. */
  emptyCache(): void {
    this.processEvents();
    for (const list of this.cached) {
      for (const block of list) this.destroy(block);
      list.length = 0;
    }
  }

  /** Caches blocks whose streams have passed their events, oldest first, up to the first that has not passed. */
  processEvents(): void {
    let passed = 0;
    for (const { stream, ticket, block } of this.queue) {
      if (!this.events.done(stream, ticket)) break;
      passed++;
      if (--this.pending[block] === 0) this.cache(block);
    }
    if (passed > 0) this.queue.splice(0, passed);
  }

  nestedStatistics(): HostStatistics {
    const requests = new Stat();
    const bytes = new Stat();
    // Peaks are added up over the sizes, as in PyTorch, though they may not have been at the same time.
    for (const stat of this.activeRequests) requests.add(stat);
    for (const stat of this.activeBytes) bytes.add(stat);
    return {
      num_host_alloc: this.allocations.allocated,
      num_host_free: this.allocations.freed,
      allocations: { ...this.allocations },
      active_requests: { ...requests },
      allocated_bytes: { ...this.allocatedBytes },
      active_bytes: { ...bytes },
      host_alloc_time: this.allocTime.nested(),
      host_free_time: this.freeTime.nested(),
    };
  }

  resetPeak(): void {
    for (const stat of this.allStats()) stat.resetPeak();
  }

  resetAccumulated(): void {
    for (const stat of this.allStats()) stat.resetAccumulated();
  }

  private *allStats(): Iterable<Stat | DurationStat> {
    yield* [this.allocations, this.allocatedBytes, this.allocTime, this.freeTime];
    yield* this.activeRequests;
    yield* this.activeBytes;
  }

  /** The cached block freed last that is large enough; -1 if there is none. Without size limits all of a list are alike. */
  private takeCached(bucket: number, size: number): number {
    const list = this.cached[bucket];
    for (let i = list.length - 1; i >= 0; i--) {
      if (this.sizes[list[i]] >= size) return list.splice(i, 1)[0];
    }
    return -1;
  }

  private newBlock(size: number, microseconds: number): number {
    const block = this.idle.pop() ?? this.sizes.length;
    this.sizes[block] = size;
    this.pending[block] = 0;
    this.reserved[block] = this.takeReserved(size, microseconds);
    if (!this.reserved[block]) this.allocTime.increase(microseconds);
    this.allocations.increase(1);
    this.allocatedBytes.increase(size);
    return block;
  }

  /** Whether the reserve segment, asked for at its first use and never given back, has room. Its room is used only once. */
  private takeReserved(size: number, microseconds: number): boolean {
    if (this.reserve === null) {
      this.reserve = { size: this.settings.pinnedReserveSegmentSizeMb * MIB, used: 0 };
      if (this.reserve.size > 0) this.allocTime.increase(microseconds);
    }
    const bytes = Math.ceil(size / PAGE) * PAGE;
    if (this.reserve.used + bytes > this.reserve.size) return false;
    this.reserve.used += bytes;
    return true;
  }

  /** Nobody uses the block any more. */
  private cache(block: number): void {
    const size = this.sizes[block];
    const bucket = bucketOf(size);
    this.activeRequests[bucket].decrease(1);
    this.activeBytes[bucket].decrease(size);
    if (size > this.settings.pinnedMaxCachedSizeMb * MIB) this.destroy(block);
    else this.cached[bucket].push(block);
  }

  private destroy(block: number): void {
    if (!this.reserved[block]) this.freeTime.increase(0);
    this.allocations.decrease(1);
    this.allocatedBytes.decrease(this.sizes[block]);
    this.idle.push(block);
  }
}
