/**
 * PyTorch's caching allocator for one device: the same blocks, addresses and figures for the same requests.
 *
 * A request is rounded, served from the cached blocks of its pool and stream (best fit, split if worth while), else from
 * a new segment; if the device has no room, cached memory is given back until it has. A freed block joins free
 * neighbours and is cached. This file is that hot path; `obtain.ts` makes room, `pending.ts` has the frees that wait.
 */
import { RuntimeError } from '../../core/errors.ts';
import {
  ADDRESS,
  ALLOCATED,
  Blocks,
  BUSY,
  DOUBLES,
  EXPANDABLE,
  NEXT,
  OVERSIZE,
  POOL,
  PREV,
  SIZE,
  STREAM,
  UNCACHED,
  UNMAPPED,
  USED_ELSEWHERE,
  WORDS,
} from './blocks.ts';
import {
  ALLOC,
  FREE_COMPLETED,
  FREE_REQUESTED,
  MIN_BLOCK_SIZE,
  MIN_LARGE_ALLOC,
  ROUND_LARGE,
  SEGMENT_ALLOC,
  SMALL_BUFFER,
  SMALL_SIZE,
} from './constants.ts';
import { type Device, VirtualDevice } from './device.ts';
import { ManualEvents, type StreamEvents } from './events.ts';
import { allocateExpandable, type ExpandableRange } from './expandable.ts';
import type { FreeSet } from './freeset.ts';
import { obtain } from './obtain.ts';
import { describeFailure, type OutOfMemory } from './oom.ts';
import { PendingFrees } from './pending.ts';
import { BlockPool, type PoolId, PrivatePool, poolKey, type Route } from './pools.ts';
import { releaseCached } from './reclaim.ts';
import { roundSize } from './rounding.ts';
import { type AllocatorSettings, DEFAULT_SETTINGS } from './settings.ts';
import {
  ACTIVE,
  ACTIVE_BYTES,
  ALLOCATED_BYTES,
  ALLOCATION,
  INACTIVE_SPLIT,
  INACTIVE_SPLIT_BYTES,
  type NestedStatistics,
  REQUESTED_BYTES,
  RESERVED_BYTES,
  SEGMENT,
  Statistics,
} from './statistics.ts';

/** What `malloc` returns when there is no room. */
export const NO_ROOM = -1;

/** Sees what the allocator does. Numbers only: nothing is made for an event. */
export interface TraceObserver {
  /**
   * @param action ALLOC … SNAPSHOT; `TRACE_ACTIONS[action]` is its name
   * @param address of the block, segment or range; of OOM: bytes free on the device
   * @param size bytes: requested ones for ALLOC, FREE_REQUESTED and FREE_COMPLETED, the rounded request for OOM
   * @param pool the private pool's id, or [0, 0]
   * @param block number of the block, the same from ALLOC to FREE_COMPLETED; 0 for events of segments
   */
  trace(action: number, address: number, size: number, stream: number, pool: PoolId, block: number): void;
}

/** Called when a request finds no room, as PyTorch's: the segment size asked for, the limit, and what is free. */
export type OutOfMemoryObserver = (device: number, size: number, limit: number, free: number) => void;

export interface AllocatorOptions {
  /** Bytes of device memory, or the device. */
  readonly device: number | Device;
  readonly settings?: AllocatorSettings;
  /** Number of the device, for observers and texts. */
  readonly index?: number;
  readonly events?: StreamEvents;
  readonly observer?: TraceObserver | null;
}

export class Allocator {
  readonly device: Device;
  readonly index: number;
  readonly events: StreamEvents;
  /** Frees that wait for other streams. */
  readonly pending: PendingFrees;
  readonly statistics = new Statistics();
  readonly blocks = new Blocks();
  /** All pools by index; a private pool's places are used again after it. */
  readonly pools: BlockPool[] = [];
  readonly small: BlockPool;
  readonly large: BlockPool;
  /** Private pools by `poolKey`. */
  readonly privatePools = new Map<string, PrivatePool>();
  /** Where allocations are diverted to; the last takes precedence. */
  readonly routes: Route[] = [];
  /** Expandable ranges by index; 0 is none. */
  readonly ranges: (ExpandableRange | undefined)[] = [undefined];
  /** Addresses of the segments that were over `max_split_size` when they were made. */
  readonly oversizeSegments = new Set<number>();
  /** Bytes of segments and mapped pages. */
  reserved = 0;
  /** Sees every event. */
  observer: TraceObserver | null;
  readonly outOfMemoryObservers = new Set<OutOfMemoryObserver>();
  /** Asked to free something before a new segment is made; each tells whether it did. */
  readonly freeCallbacks = new Set<() => boolean>();
  /** Off: memory comes straight from the device and no figure moves. */
  caching = true;
  /** Why the last `malloc` that returned NO_ROOM did. */
  failure: OutOfMemory | null = null;

  /** Places in `pools` of private pools that are no more. */
  private readonly unusedPlaces: number[] = [];
  private config: AllocatorSettings = DEFAULT_SETTINGS;
  private rounds = false;
  private maxSplitSize = Infinity;
  private expandable = false;
  /** Garbage collection is on: searches are counted. */
  collects = false;
  private fraction: number | null = null;
  limit = Infinity;

  constructor(options: AllocatorOptions) {
    const { device, index = 0 } = options;
    this.device = typeof device === 'number' ? new VirtualDevice(device, index) : device;
    this.index = index;
    this.events = options.events ?? new ManualEvents();
    this.pending = new PendingFrees(this, this.events);
    this.observer = options.observer ?? null;
    this.small = new BlockPool(0, true, null, this.blocks);
    this.large = new BlockPool(1, false, null, this.blocks);
    this.pools.push(this.small, this.large);
    this.settings = options.settings ?? DEFAULT_SETTINGS;
    const fraction = this.config.perProcessMemoryFraction;
    if (fraction < 1) this.setMemoryFraction(fraction);
  }

  get settings(): AllocatorSettings {
    return this.config;
  }

  /** Takes effect from the next request on. The fraction among them is only what a device starts with. */
  set settings(settings: AllocatorSettings) {
    this.config = settings;
    this.rounds = settings.roundupPower2Divisions.some((divisions) => divisions > 1);
    this.maxSplitSize = settings.maxSplitSize;
    this.expandable = settings.expandableSegments;
    this.limitChanged();
  }

  // ---- figures of a block --------------------------------------------------------------------------------------

  addressOf(block: number): number {
    return this.blocks.doubles[block * DOUBLES + ADDRESS];
  }

  /** Bytes that the block takes. */
  sizeOf(block: number): number {
    return this.blocks.doubles[block * DOUBLES + SIZE];
  }

  /** Bytes that were asked for. */
  requestedOf(block: number): number {
    return this.blocks.requested[block];
  }

  streamOf(block: number): number {
    return this.blocks.words[block * WORDS + STREAM];
  }

  /** The block after it in its segment; 0 at the end. */
  nextOf(block: number): number {
    return this.blocks.words[block * WORDS + NEXT];
  }

  isAllocated(block: number): boolean {
    return block > 0 && block < this.blocks.end && (this.blocks.flags[block] & ALLOCATED) !== 0;
  }

  // ---- the hot path --------------------------------------------------------------------------------------------

  /**
   * Allocates `requested` bytes for work on a stream.
   * @returns the block; 0, which may be freed, for 0 bytes; NO_ROOM if there is none: then `failure` says why
   */
  malloc(requested: number, stream = 0): number {
    if (requested === 0) return 0;
    if (!this.caching) return this.mallocUncached(requested, stream);
    if (this.pending.waiting !== 0) this.pending.process();
    const size = this.roundSize(requested);
    let pool = size <= SMALL_SIZE ? this.small : this.large;
    if (this.routes.length !== 0) pool = this.poolFor(size, stream) ?? pool;
    let expandable = this.expandable;
    let block = this.takeCached(pool, size, stream, expandable);
    if (block === 0) {
      block = obtain(this, pool, requested, size, stream);
      if (block === 0) return NO_ROOM;
      // A pool that helps out is searched as if its segments were not expandable.
      const from = this.pools[this.blocks.words[block * WORDS + POOL]];
      if (from !== pool) {
        pool = from;
        expandable = false;
      }
    }
    return this.handOut(block, pool, requested, size, expandable, false);
  }

  /**
   * Frees a block.
   * @throws RuntimeError if it is not allocated
   */
  free(block: number): void {
    if (block === 0) return;
    const { words, doubles } = this.blocks;
    const flags = this.blocks.flags[block];
    if (block < 0 || block >= this.blocks.end || (flags & ALLOCATED) === 0) throw invalidPointer(this, block);
    if ((flags & UNCACHED) !== 0) {
      this.freeUncached(block);
      return;
    }
    this.blocks.flags[block] = flags & ~(ALLOCATED | OVERSIZE);
    const pool = this.pools[words[block * WORDS + POOL]];
    const { statistics } = this;
    statistics.decrease(ALLOCATION, pool.kind, 1);
    statistics.decrease(ALLOCATED_BYTES, pool.kind, doubles[block * DOUBLES + SIZE]);
    if (this.observer !== null) this.traceBlock(FREE_REQUESTED, block, pool);
    if ((flags & OVERSIZE) !== 0) statistics.oversizeFreed();
    if ((flags & USED_ELSEWHERE) === 0) this.cache(block, pool);
    else this.pending.free(block);
  }

  /** Bytes that a request takes, the rest of an unsplit block aside. */
  roundSize(requested: number): number {
    if (this.rounds) return roundSize(requested, this.config.roundupPower2Divisions);
    return requested < MIN_BLOCK_SIZE ? MIN_BLOCK_SIZE : Math.ceil(requested / MIN_BLOCK_SIZE) * MIN_BLOCK_SIZE;
  }

  /** Bytes of the segment that is made for a request of so many rounded bytes. */
  segmentSize(size: number): number {
    if (size <= SMALL_SIZE) return SMALL_BUFFER;
    if (size < MIN_LARGE_ALLOC) return this.config.largeSegmentSize;
    return Math.ceil(size / ROUND_LARGE) * ROUND_LARGE;
  }

  /** Best fit among the cached blocks: takes one out of its pool, or returns 0. */
  takeCached(pool: BlockPool, size: number, stream: number, expandable: boolean): number {
    if (this.collects) pool.searches++;
    const set = pool.free[stream];
    if (set === undefined) return 0;
    let block = set.find(size);
    if (block === 0) return 0;
    const { doubles, flags } = this.blocks;
    if ((flags[block] & EXPANDABLE) !== 0) {
      block = this.chooseExpandable(set, block, expandable);
      if (block === 0) return 0;
    }
    if (this.maxSplitSize !== Infinity && (flags[block] & EXPANDABLE) === 0) {
      const found = doubles[block * DOUBLES + SIZE];
      if (size < this.maxSplitSize) {
        if (found >= this.maxSplitSize) return 0;
      } else if (found >= size + this.config.maxNonSplitRounding) return 0;
    }
    set.remove(block, doubles[block * DOUBLES + SIZE]);
    return block;
  }

  /**
   * The best fit is part of an expandable range. If these are on, what a block can grow to counts, not what it is;
   * otherwise the next block that is not part of one is taken.
   */
  private chooseExpandable(set: FreeSet, block: number, expandable: boolean): number {
    const { flags } = this.blocks;
    while ((flags[block] & EXPANDABLE) !== 0) {
      const next = set.next(this.sizeOf(block), this.addressOf(block));
      if (expandable && (next === 0 || this.expandableSize(next) >= this.expandableSize(block))) return block;
      block = next;
      if (block === 0) return 0;
    }
    return block;
  }

  /** Splits a block taken from its pool, if worth while or `exactly` so many bytes are wanted, and hands out its head. */
  private handOut(
    block: number,
    pool: BlockPool,
    requested: number,
    size: number,
    expandable: boolean,
    exactly: boolean,
  ): number {
    const { blocks, statistics } = this;
    const kind = pool.kind;
    let { words, doubles } = blocks;
    const whole = doubles[block * DOUBLES + SIZE];
    const range = blocks.flags[block] & EXPANDABLE;
    const split = words[block * WORDS + PREV] !== 0 || words[block * WORDS + NEXT] !== 0;
    const rest = whole - size;
    let worthwhile: boolean;
    if (exactly) worthwhile = rest > 0;
    else if (pool.owner?.noSplit === true) worthwhile = false;
    else if (pool.small || expandable) worthwhile = rest >= MIN_BLOCK_SIZE;
    else worthwhile = size < this.maxSplitSize && rest > SMALL_SIZE;
    if (worthwhile) {
      const tail = block;
      const address = doubles[tail * DOUBLES + ADDRESS];
      const stream = words[tail * WORDS + STREAM];
      block = blocks.create(address, size, stream, pool.index);
      words = blocks.words;
      doubles = blocks.doubles;
      const previous = words[tail * WORDS + PREV];
      if (range !== 0) blocks.setRange(block, blocks.ranges[tail]);
      words[block * WORDS + PREV] = previous;
      if (previous !== 0) words[previous * WORDS + NEXT] = block;
      words[block * WORDS + NEXT] = tail;
      words[tail * WORDS + PREV] = block;
      doubles[tail * DOUBLES + ADDRESS] = address + size;
      doubles[tail * DOUBLES + SIZE] = rest;
      pool.of(stream).insert(tail, rest, address + size);
      if (range === 0) {
        if (split) statistics.decrease(INACTIVE_SPLIT_BYTES, kind, size);
        else {
          statistics.increase(INACTIVE_SPLIT_BYTES, kind, rest);
          statistics.increase(INACTIVE_SPLIT, kind, 1);
        }
      }
    } else {
      size = whole;
      if (split && range === 0) {
        statistics.decrease(INACTIVE_SPLIT_BYTES, kind, size);
        statistics.decrease(INACTIVE_SPLIT, kind, 1);
      }
    }
    blocks.flags[block] |= ALLOCATED;
    blocks.requested[block] = requested;
    if (this.observer !== null) this.traceBlock(ALLOC, block, pool);
    statistics.increase(ALLOCATION, kind, 1);
    statistics.increase(ALLOCATED_BYTES, kind, size);
    statistics.increase(ACTIVE, kind, 1);
    statistics.increase(ACTIVE_BYTES, kind, size);
    statistics.increase(REQUESTED_BYTES, kind, requested);
    if (size >= this.maxSplitSize) {
      blocks.flags[block] |= OVERSIZE;
      statistics.oversizeAllocated();
    }
    return block;
  }

  /** Hands out exactly the first `size` bytes of a cached block: for restoring a state. */
  cutOff(block: number, size: number, requested: number): number {
    const pool = this.pools[this.blocks.words[block * WORDS + POOL]];
    pool.of(this.streamOf(block)).remove(block, this.sizeOf(block));
    return this.handOut(block, pool, requested, size, false, true);
  }

  /** Joins a block that nobody uses any more with its free neighbours and caches it. */
  private cache(block: number, pool: BlockPool): void {
    if (this.observer !== null) this.traceBlock(FREE_COMPLETED, block, pool);
    const { words, doubles } = this.blocks;
    const { statistics } = this;
    const kind = pool.kind;
    const size = doubles[block * DOUBLES + SIZE];
    const requested = this.blocks.requested[block];
    const before = this.merge(block, words[block * WORDS + PREV], pool);
    const after = this.merge(block, words[block * WORDS + NEXT], pool);
    this.insertCached(block, pool);
    if ((this.blocks.flags[block] & EXPANDABLE) === 0) {
      let count = (before > 0 ? -1 : 0) + (after > 0 ? -1 : 0);
      let bytes = -before - after;
      if (words[block * WORDS + PREV] !== 0 || words[block * WORDS + NEXT] !== 0) {
        count++;
        bytes += doubles[block * DOUBLES + SIZE];
      }
      statistics.change(INACTIVE_SPLIT, kind, count);
      statistics.change(INACTIVE_SPLIT_BYTES, kind, bytes);
    }
    statistics.decrease(ACTIVE, kind, 1);
    statistics.decrease(ACTIVE_BYTES, kind, size);
    statistics.decrease(REQUESTED_BYTES, kind, requested);
  }

  /** Adds a neighbour to a block if it is free, and as mapped as the block. Returns its bytes, or 0. */
  merge(block: number, neighbour: number, pool: BlockPool): number {
    if (neighbour === 0) return 0;
    const { words, doubles, flags } = this.blocks;
    const mapping = flags[block] & UNMAPPED;
    if ((flags[neighbour] & (BUSY | UNMAPPED)) !== mapping) return 0;
    const w = block * WORDS;
    const n = neighbour * WORDS;
    const size = doubles[neighbour * DOUBLES + SIZE];
    const address = doubles[neighbour * DOUBLES + ADDRESS];
    if (words[w + PREV] === neighbour) {
      doubles[block * DOUBLES + ADDRESS] = address;
      const previous = (words[w + PREV] = words[n + PREV]);
      if (previous !== 0) words[previous * WORDS + NEXT] = block;
    } else {
      const next = (words[w + NEXT] = words[n + NEXT]);
      if (next !== 0) words[next * WORDS + PREV] = block;
    }
    doubles[block * DOUBLES + SIZE] += size;
    if (mapping === 0) pool.of(words[n + STREAM]).remove(neighbour, size);
    else pool.removeUnmapped(words[n + STREAM], neighbour);
    this.blocks.destroy(neighbour);
    return size;
  }

  /** Puts a block among the cached ones of its pool. */
  insertCached(block: number, pool: BlockPool): void {
    const { words, doubles } = this.blocks;
    const d = block * DOUBLES;
    if (pool.searches !== 0) this.blocks.searches[block] = pool.searches;
    pool.of(words[block * WORDS + STREAM]).insert(block, doubles[d + SIZE], doubles[d + ADDRESS]);
  }

  /** What a cached block would be if the address space after it were mapped. */
  private expandableSize(block: number): number {
    const { words, doubles, flags } = this.blocks;
    const next = words[block * WORDS + NEXT];
    const size = doubles[block * DOUBLES + SIZE];
    return next !== 0 && (flags[next] & UNMAPPED) !== 0 ? size + doubles[next * DOUBLES + SIZE] : size;
  }

  // ---- segments and pools ----------------------------------------------------------------------------------------

  /** A new segment as one block that is in no pool yet; 0 if there is no room. */
  allocateSegment(pool: BlockPool, size: number, segment: number, stream: number): number {
    if (this.reserved + segment > this.limit) return 0;
    if (this.expandable) return allocateExpandable(this, pool, size, stream);
    const address = this.device.malloc(segment);
    if (address < 0) return 0;
    const block = this.blocks.create(address, segment, stream, pool.index);
    this.blocks.requested[block] = 0;
    this.reserve(pool, segment);
    this.statistics.increase(SEGMENT, pool.kind, 1);
    if (segment >= this.maxSplitSize) {
      this.oversizeSegments.add(address);
      this.statistics.oversizeSegmentAllocated();
    }
    this.observer?.trace(SEGMENT_ALLOC, address, segment, stream, pool.id, 0);
    return block;
  }

  /** Counts memory obtained from the device. */
  reserve(pool: BlockPool, bytes: number): void {
    this.reserved += bytes;
    if (pool.owner !== null) pool.owner.held += bytes;
    this.statistics.increase(RESERVED_BYTES, pool.kind, bytes);
    this.statistics.numDeviceAlloc++;
  }

  /** Counts memory given back to the device. */
  unreserve(pool: BlockPool, bytes: number): void {
    this.reserved -= bytes;
    if (pool.owner !== null) pool.owner.held -= bytes;
    this.statistics.decrease(RESERVED_BYTES, pool.kind, bytes);
    this.statistics.numDeviceFree++;
  }

  /** The private pool that an allocation is diverted to. */
  private poolFor(size: number, stream: number): BlockPool | null {
    for (let at = this.routes.length - 1; at >= 0; at--) {
      const { pool, takes } = this.routes[at];
      if (takes(stream)) return size <= SMALL_SIZE ? pool.small : pool.large;
    }
    return null;
  }

  get capturing(): boolean {
    return this.routes.some((route) => route.capture);
  }

  createPrivatePool(id: PoolId): PrivatePool {
    const place = () => this.unusedPlaces.pop() ?? this.pools.push(this.small) - 1;
    const pool = new PrivatePool(id, [place(), place()], this.blocks);
    this.pools[pool.small.index] = pool.small;
    this.pools[pool.large.index] = pool.large;
    this.privatePools.set(poolKey(id), pool);
    return pool;
  }

  /** Forgets a private pool that holds no memory. */
  dropPrivatePool(pool: PrivatePool): void {
    this.privatePools.delete(poolKey(pool.id));
    this.unusedPlaces.push(...pool.places);
  }

  // ---- limits --------------------------------------------------------------------------------------------------

  /** Bytes that may be reserved: all of the device, or its fraction. */
  get allowed(): number {
    return Math.min(this.limit, this.device.capacity);
  }

  /** Whether less than the device's memory may be used. */
  get limited(): boolean {
    return this.limit !== Infinity;
  }

  /** The last fraction set; 1 if none was. */
  get memoryFraction(): number {
    return this.fraction ?? 1;
  }

  /** @param fraction of the device's memory, 0 to 1, that may be reserved. What is held already is not touched. */
  setMemoryFraction(fraction: number): void {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new RuntimeError(`invalid fraction:${fraction}. Please set within [0, 1].`);
    }
    this.fraction = fraction;
    this.limitChanged();
  }

  private limitChanged(): void {
    const { fraction } = this;
    this.limit = fraction === null || fraction === 1 ? Infinity : Math.floor(fraction * this.device.capacity);
    this.collects = this.limit !== Infinity && this.config.garbageCollectionThreshold > 0;
  }

  // ---- other streams -------------------------------------------------------------------------------------------

  /** The block is used on a stream other than its own: its free will wait for that stream. */
  recordStream(block: number, stream: number): void {
    if (block === 0) return;
    if (!this.isAllocated(block)) throw invalidPointer(this, block);
    if (stream === this.streamOf(block)) return;
    this.pending.recordStream(block, stream);
  }

  /** Caches the blocks whose events have passed. Every `malloc` begins with it. */
  processEvents(): void {
    this.pending.process();
  }

  /** For replays: the free of a block that waits is complete, whatever its events say. */
  completeFree(block: number): void {
    this.pending.complete(block);
  }

  /** Caches a freed block that nothing waits for any more. */
  cacheFreed(block: number): void {
    this.cache(block, this.pools[this.blocks.words[block * WORDS + POOL]]);
  }

  // ---- the rest ------------------------------------------------------------------------------------------------

  /**
   * `empty_cache`: gives back all cached segments of which no piece is in use, after waiting for all events.
   * @param pool only those of this private pool, if nobody uses the pool any more
   * @param stream only those of this stream (no PyTorch counterpart)
   */
  emptyCache(pool: PoolId | null = null, stream: number | null = null): void {
    releaseCached(this, pool !== null && pool[0] === 0 && pool[1] === 0 ? null : pool, stream);
  }

  /** Bytes handed out, rounding included. */
  get allocatedBytes(): number {
    return this.statistics.current(ALLOCATED_BYTES);
  }

  /** Statistics in PyTorch's nested form. */
  nestedStatistics(): NestedStatistics {
    return this.statistics.nested(this.maxSplitSize);
  }

  private mallocUncached(requested: number, stream: number): number {
    const size = Math.ceil(requested / MIN_BLOCK_SIZE) * MIN_BLOCK_SIZE;
    const address = this.device.malloc(size);
    if (address < 0) {
      this.failure = describeFailure(this, this.small, requested, size, stream, false);
      return NO_ROOM;
    }
    const block = this.blocks.create(address, size, stream, this.small.index);
    this.blocks.flags[block] |= ALLOCATED | UNCACHED;
    this.blocks.requested[block] = requested;
    return block;
  }

  private freeUncached(block: number): void {
    this.device.release(this.addressOf(block), this.sizeOf(block));
    this.blocks.destroy(block);
  }

  private traceBlock(action: number, block: number, pool: BlockPool): void {
    const d = block * DOUBLES;
    const { doubles, words, requested } = this.blocks;
    this.observer!.trace(action, doubles[d], requested[block], words[block * WORDS + STREAM], pool.id, block);
  }
}

function invalidPointer(allocator: Allocator, block: number): RuntimeError {
  const known = block > 0 && block < allocator.blocks.end;
  const pointer = known ? `0x${allocator.addressOf(block).toString(16)}` : `block ${block}`;
  return new RuntimeError(`invalid device pointer: ${pointer}`);
}
