/**
 * The allocator's rules once more, plain and slow, for the tests: lists of objects that are filtered and sorted for
 * every question. Written from the rules, not from the allocator; they share only the device's placing of segments.
 */
import { VirtualDevice } from './device.ts';
import type { AllocatorSettings } from './settings.ts';
import type { Figure, Metrics, NestedStatistics } from './statistics.ts';

const MIB = 1024 * 1024;

export interface ModelPool {
  /** '' for the default. */
  name: string;
  small: boolean;
  searches: number;
}

export interface ModelBlock {
  address: number;
  size: number;
  requested: number;
  stream: number;
  pool: ModelPool;
  segment: ModelSegment;
  allocated: boolean;
  mapped: boolean;
  uses: Set<number>;
  events: number;
  /** pool.searches when it was cached. */
  since: number;
  oversize: boolean;
}

interface ModelSegment {
  blocks: ModelBlock[];
  /** Bytes of a page; 0: not expandable. */
  page: number;
  address: number;
  oversize: boolean;
}

interface PrivateModel {
  users: number;
  useOnOom: boolean;
  noSplit: boolean;
  small: ModelPool;
  large: ModelPool;
}

const FIGURES: Figure[] = [
  'allocated_bytes',
  'reserved_bytes',
  'active_bytes',
  'requested_bytes',
  'allocation',
  'segment',
  'active',
  'inactive_split',
  'inactive_split_bytes',
];
const KINDS = ['all', 'small_pool', 'large_pool'] as const;

const zero = (): Metrics => ({ current: 0, peak: 0, allocated: 0, freed: 0 });

export class Model {
  segments: ModelSegment[] = [];
  privates = new Map<string, PrivateModel>();
  /** Streams that ever recorded an event, in order of their first. */
  private streams: number[] = [];
  /** Events in order of recording. */
  events: { stream: number; block: ModelBlock; passed: boolean }[] = [];
  routes: { name: string; capture: boolean }[] = [];
  deferred: ModelBlock[] = [];
  captured = new Map<ModelBlock, Set<number>>();
  statistics: NestedStatistics;
  limit = Infinity;
  readonly device: VirtualDevice;
  private readonly small: ModelPool = { name: '', small: true, searches: 0 };
  private readonly large: ModelPool = { name: '', small: false, searches: 0 };

  constructor(
    capacity: number,
    public settings: AllocatorSettings,
  ) {
    this.device = new VirtualDevice(capacity);
    const stats: Record<string, unknown> = {
      num_alloc_retries: 0,
      num_ooms: 0,
      max_split_size: settings.maxSplitSize === Infinity ? -1 : settings.maxSplitSize,
      num_sync_all_streams: 0,
      num_device_alloc: 0,
      num_device_free: 0,
    };
    for (const figure of FIGURES) stats[figure] = { all: zero(), small_pool: zero(), large_pool: zero() };
    stats.oversize_allocations = zero();
    stats.oversize_segments = zero();
    this.statistics = stats as unknown as NestedStatistics;
  }

  get reserved(): number {
    return this.statistics.reserved_bytes.all.current;
  }

  malloc(requested: number, stream: number): ModelBlock | null {
    if (!this.routes.some((route) => route.capture)) this.processEvents();
    const size = this.round(requested);
    const route = this.routes.at(-1);
    const owner = route === undefined ? undefined : this.privates.get(route.name)!;
    let pool = owner === undefined ? (size <= MIB ? this.small : this.large) : size <= MIB ? owner.small : owner.large;
    const segment =
      size <= MIB ? 2 * MIB : size < 10 * MIB ? this.settings.largeSegmentSize : Math.ceil(size / (2 * MIB)) * 2 * MIB;
    let expandable = this.settings.expandableSegments;
    const counts = this.limit !== Infinity && this.settings.garbageCollectionThreshold > 0;
    const search = (from: ModelPool, grows: boolean) => {
      if (counts) from.searches++;
      return this.bestFit(from, size, stream, grows);
    };
    let block = search(pool, expandable);
    if (block === null) {
      if (counts) this.collect();
      block = this.newSegment(pool, size, segment, stream);
      if (block === null && pool.name === '') {
        for (const helper of this.privates.values()) {
          if (!helper.useOnOom) continue;
          const from = size <= MIB ? helper.small : helper.large;
          block = search(from, false);
          if (block !== null) {
            pool = from;
            expandable = false;
            break;
          }
        }
      }
      if (block === null && this.settings.maxSplitSize !== Infinity && this.releaseOversize(pool, size, stream)) {
        block = this.newSegment(pool, size, segment, stream);
      }
      if (block === null && !this.routes.some((r) => r.capture)) {
        this.release(null);
        this.statistics.num_alloc_retries++;
        block = this.newSegment(pool, size, segment, stream) ?? search(pool, expandable);
      }
      if (block === null) {
        this.statistics.num_ooms++;
        return null;
      }
    }
    return this.handOut(block, requested, size, expandable);
  }

  free(block: ModelBlock): void {
    block.allocated = false;
    this.add('allocation', block.pool, -1);
    this.add('allocated_bytes', block.pool, -block.size);
    if (block.oversize) change(this.statistics.oversize_allocations, -1);
    block.oversize = false;
    if (block.uses.size === 0) this.cache(block);
    else if (this.routes.some((route) => route.capture)) this.deferred.push(block);
    else this.record(block);
  }

  recordStream(block: ModelBlock, stream: number): void {
    if (stream === block.stream) return;
    block.uses.add(stream);
    if (this.routes.some((route) => route.capture)) {
      this.captured.set(block, (this.captured.get(block) ?? new Set()).add(stream));
    }
  }

  /** A stream has passed its events. */
  complete(stream: number): void {
    for (const event of this.events) if (event.stream === stream) event.passed = true;
  }

  emptyCache(name: string | null = null): void {
    this.release(name);
  }

  retain(name: string): PrivateModel {
    const existing = this.privates.get(name);
    if (existing !== undefined) {
      existing.users++;
      return existing;
    }
    const pool = (small: boolean): ModelPool => ({ name, small, searches: 0 });
    const made = { users: 1, useOnOom: false, noSplit: false, small: pool(true), large: pool(false) };
    this.privates.set(name, made);
    return made;
  }

  drop(name: string): void {
    this.privates.get(name)!.users--;
  }

  private round(requested: number): number {
    if (requested < 512) return 512;
    const interval = Math.min(15, Math.max(0, Math.floor(Math.log2(requested)) - 20));
    const divisions = this.settings.roundupPower2Divisions[interval];
    if (divisions > 1 && requested > 512 * divisions) {
      const floor = 2 ** Math.floor(Math.log2(requested));
      const step = floor / divisions;
      return step < 1 ? 2 * floor : Math.ceil(requested / step) * step;
    }
    return Math.ceil(requested / 512) * 512;
  }

  private all(): ModelBlock[] {
    return this.segments.flatMap((segment) => segment.blocks);
  }

  private isFree(block: ModelBlock): boolean {
    return !block.allocated && block.events === 0 && block.uses.size === 0;
  }

  private cached(pool: ModelPool): ModelBlock[] {
    return this.all()
      .filter((block) => block.pool === pool && block.mapped && this.isFree(block))
      .sort((a, b) => a.stream - b.stream || a.size - b.size || a.address - b.address);
  }

  private after(block: ModelBlock): ModelBlock | undefined {
    return block.segment.blocks[block.segment.blocks.indexOf(block) + 1];
  }

  private before(block: ModelBlock): ModelBlock | undefined {
    return block.segment.blocks[block.segment.blocks.indexOf(block) - 1];
  }

  private bestFit(pool: ModelPool, size: number, stream: number, expandable: boolean): ModelBlock | null {
    const { maxSplitSize, maxNonSplitRounding } = this.settings;
    let fits = this.cached(pool).filter((block) => block.stream === stream && block.size >= size);
    if (!expandable && fits[0]?.segment.page) fits = fits.filter((block) => block.segment.page === 0);
    if (fits.length === 0) return null;
    let chosen = 0;
    if (expandable) {
      const grown = (block: ModelBlock) => {
        const next = this.after(block);
        return block.size + (next !== undefined && !next.mapped ? next.size : 0);
      };
      while (fits[chosen].segment.page > 0 && chosen + 1 < fits.length && grown(fits[chosen + 1]) < grown(fits[chosen]))
        chosen++;
    }
    const block = fits[chosen];
    if (block.segment.page === 0) {
      if (size < maxSplitSize && block.size >= maxSplitSize) return null;
      if (size >= maxSplitSize && block.size >= size + maxNonSplitRounding) return null;
    }
    return block;
  }

  private handOut(block: ModelBlock, requested: number, size: number, expandable: boolean): ModelBlock {
    const { pool } = block;
    const rest = block.size - size;
    const wasSplit = block.segment.blocks.length > 1;
    const plain = block.segment.page === 0;
    const splits =
      this.privates.get(pool.name)?.noSplit === true
        ? false
        : pool.small || expandable
          ? rest >= 512
          : size < this.settings.maxSplitSize && rest > MIB;
    if (splits) {
      const { blocks } = block.segment;
      const tail: ModelBlock = { ...block, address: block.address + size, size: rest, uses: new Set() };
      tail.since = pool.searches;
      blocks.splice(blocks.indexOf(block) + 1, 0, tail);
      block.size = size;
      if (plain && wasSplit) this.add('inactive_split_bytes', pool, -size);
      else if (plain) {
        this.add('inactive_split_bytes', pool, rest);
        this.add('inactive_split', pool, 1);
      }
    } else if (plain && wasSplit) {
      this.add('inactive_split_bytes', pool, -block.size);
      this.add('inactive_split', pool, -1);
    }
    block.allocated = true;
    block.requested = requested;
    for (const figure of ['allocation', 'active'] as const) this.add(figure, pool, 1);
    for (const figure of ['allocated_bytes', 'active_bytes'] as const) this.add(figure, pool, block.size);
    this.add('requested_bytes', pool, requested);
    if (block.size >= this.settings.maxSplitSize) {
      block.oversize = true;
      change(this.statistics.oversize_allocations, 1);
    }
    return block;
  }

  private cache(block: ModelBlock): void {
    const { pool, size, requested, segment } = block;
    let count = 0;
    let bytes = 0;
    const absorb = (other: ModelBlock | undefined) => {
      if (other === undefined || !this.isFree(other) || other.mapped !== block.mapped) return;
      count--;
      bytes -= other.size;
      this.join(block, other);
    };
    absorb(this.before(block));
    absorb(this.after(block));
    block.since = pool.searches;
    if (segment.blocks.length > 1) {
      count++;
      bytes += block.size;
    }
    if (segment.page === 0) {
      this.add('inactive_split', pool, count);
      this.add('inactive_split_bytes', pool, bytes);
    }
    this.add('active', pool, -1);
    this.add('active_bytes', pool, -size);
    this.add('requested_bytes', pool, -requested);
  }

  private join(block: ModelBlock, other: ModelBlock): void {
    block.address = Math.min(block.address, other.address);
    block.size += other.size;
    const { blocks } = block.segment;
    blocks.splice(blocks.indexOf(other), 1);
  }

  private newSegment(pool: ModelPool, size: number, bytes: number, stream: number): ModelBlock | null {
    if (this.reserved + bytes > this.limit) return null;
    if (this.settings.expandableSegments) return this.grow(pool, size, stream);
    const address = this.device.malloc(bytes);
    if (address < 0) return null;
    const segment: ModelSegment = { blocks: [], page: 0, address, oversize: bytes >= this.settings.maxSplitSize };
    const block = this.makeBlock(segment, address, bytes, stream, pool);
    segment.blocks.push(block);
    this.segments.push(segment);
    this.hold(pool, bytes);
    this.add('segment', pool, 1);
    if (segment.oversize) change(this.statistics.oversize_segments, 1);
    return block;
  }

  private makeBlock(segment: ModelSegment, address: number, size: number, stream: number, pool: ModelPool): ModelBlock {
    const flags = { allocated: false, mapped: true, oversize: false };
    return { address, size, requested: 0, stream, pool, segment, uses: new Set(), events: 0, since: 0, ...flags };
  }

  private hold(pool: ModelPool, bytes: number): void {
    this.add('reserved_bytes', pool, bytes);
    if (bytes > 0) this.statistics.num_device_alloc++;
    else this.statistics.num_device_free++;
  }

  private grow(pool: ModelPool, size: number, stream: number): ModelBlock | null {
    const first = this.roomToGrow(pool, size, stream) ?? this.openRange(pool, size, stream);
    if (first === null) return null;
    let block = first;
    for (;;) {
      if (!block.mapped) {
        if (!this.map(block, Math.min(block.size, size))) return null;
      } else if (block.size >= size) return block;
      else {
        const next = this.after(block)!;
        if (!this.map(next, Math.min(next.size, size - block.size))) return null;
        block = next;
      }
    }
  }

  private roomToGrow(pool: ModelPool, size: number, stream: number): ModelBlock | null {
    const unmapped = this.all()
      .filter((block) => !block.mapped && block.pool === pool && block.stream === stream)
      .sort((a, b) => a.address - b.address);
    for (const block of unmapped) {
      const before = this.before(block);
      const first = before !== undefined && this.isFree(before) ? before : block;
      let bytes = 0;
      for (let at: ModelBlock | undefined = first; at !== undefined && this.isFree(at); at = this.after(at)) {
        bytes += at.size;
      }
      if (bytes >= size) return first;
    }
    return null;
  }

  private openRange(pool: ModelPool, size: number, stream: number): ModelBlock | null {
    const page = pool.small ? 2 * MIB : this.settings.largeSegmentSize;
    const { capacity } = this.device;
    if (Math.ceil(size / page) * page > this.device.free) return null;
    const bytes = Math.ceil((capacity + Math.floor(capacity / 8)) / page) * page;
    if (size > bytes) return null;
    const address = this.device.reserveRange(bytes);
    const segment: ModelSegment = { blocks: [], page, address, oversize: false };
    const block = this.makeBlock(segment, address, bytes, stream, pool);
    block.mapped = false;
    segment.blocks.push(block);
    this.segments.push(segment);
    return block;
  }

  private map(block: ModelBlock, size: number): boolean {
    const { page, blocks } = block.segment;
    const bytes = Math.ceil(size / page) * page;
    if (!this.device.map(block.address, bytes)) return false;
    if (bytes < block.size) {
      const rest = { ...block, address: block.address + bytes, size: block.size - bytes, uses: new Set<number>() };
      blocks.splice(blocks.indexOf(block) + 1, 0, rest);
      block.size = bytes;
    }
    block.mapped = true;
    for (const other of [this.before(block), this.after(block)]) {
      if (other?.mapped && this.isFree(other)) this.join(block, other);
    }
    block.since = block.pool.searches;
    this.hold(block.pool, bytes);
    return true;
  }

  private unmap(block: ModelBlock): void {
    const { segment, pool, stream } = block;
    const { page, blocks } = segment;
    const first = segment.address + Math.ceil((block.address - segment.address) / page) * page;
    const last = segment.address + Math.floor((block.address + block.size - segment.address) / page) * page;
    if (first >= last) return;
    const piece = (from: number, to: number) => {
      const made = this.makeBlock(segment, from, to - from, stream, pool);
      made.since = pool.searches;
      return made;
    };
    const end = block.address + block.size;
    const pieces = [block];
    if (block.address < first) pieces.unshift(piece(block.address, first));
    if (last < end) pieces.push(piece(last, end));
    blocks.splice(blocks.indexOf(block), 1, ...pieces);
    block.address = first;
    block.size = last - first;
    block.mapped = false;
    this.device.unmap(first, last - first);
    this.hold(pool, first - last);
    for (const other of [this.before(block), this.after(block)]) {
      if (other !== undefined && !other.mapped) this.join(block, other);
    }
    if (blocks.length > 1) return;
    this.device.releaseRange(block.address, block.size);
    this.segments.splice(this.segments.indexOf(segment), 1);
  }

  private giveBack(block: ModelBlock): void {
    const { segment, pool } = block;
    this.device.release(block.address, block.size);
    this.segments.splice(this.segments.indexOf(segment), 1);
    this.hold(pool, -block.size);
    this.add('segment', pool, -1);
    if (segment.oversize) change(this.statistics.oversize_segments, -1);
  }

  private releasePool(pool: ModelPool): void {
    const cached = this.cached(pool);
    for (const block of cached) if (block.segment.page === 0 && block.segment.blocks.length === 1) this.giveBack(block);
    for (const block of cached) if (block.segment.page > 0) this.unmap(block);
  }

  private release(name: string | null): void {
    if (name === null && !this.routes.some((route) => route.capture)) {
      this.synchronize(null);
      this.releasePool(this.large);
      this.releasePool(this.small);
    }
    for (const [key, pool] of [...this.privates]) {
      if (pool.users > 0 || (name !== null && name !== key)) continue;
      if (name !== null && !this.routes.some((route) => route.capture)) this.synchronize(key);
      this.releasePool(pool.small);
      this.releasePool(pool.large);
      if (!this.all().some((block) => block.pool.name === key)) this.privates.delete(key);
    }
  }

  private releaseOversize(pool: ModelPool, size: number, stream: number): boolean {
    const { maxSplitSize } = this.settings;
    const wanted = Math.max(size, maxSplitSize);
    const cached = this.cached(pool).filter((block) => block.stream === stream);
    const fits = cached.findIndex((block) => block.size >= wanted);
    if (fits >= 0 && cached[fits].segment.page === 0) {
      this.giveBack(cached[fits]);
      return true;
    }
    let released = 0;
    const smaller = (fits < 0 ? cached : cached.slice(0, fits)).reverse();
    for (const block of smaller) {
      if (released >= wanted || block.size < maxSplitSize) break;
      if (block.segment.page > 0) continue;
      released += block.size;
      this.giveBack(block);
    }
    return released >= wanted;
  }

  private collect(): void {
    const threshold = Math.floor(this.settings.garbageCollectionThreshold * this.limit);
    const target = this.reserved - threshold;
    if (target <= 0) return;
    const whole = () => this.cached(this.large).filter((block) => block.segment.blocks.length === 1);
    const age = (block: ModelBlock) => this.large.searches - block.since;
    let reclaimed = 0;
    while (reclaimed < target) {
      const candidates = whole();
      if (candidates.length === 0) return;
      const average = candidates.reduce((sum, block) => sum + age(block), 0) / candidates.length;
      const old = candidates.filter((block) => block.segment.page === 0 && age(block) >= average);
      if (old.length === 0) return;
      for (const block of old) {
        reclaimed += block.size;
        this.giveBack(block);
      }
    }
  }

  private record(block: ModelBlock): void {
    for (const stream of block.uses) {
      if (!this.streams.includes(stream)) this.streams.push(stream);
      this.events.push({ stream, block, passed: false });
      block.events++;
    }
    block.uses.clear();
  }

  private recordDeferred(): void {
    for (const block of this.deferred) {
      for (const stream of this.captured.get(block) ?? []) block.uses.delete(stream);
      this.captured.delete(block);
      this.record(block);
      if (block.events === 0) this.cache(block);
    }
    this.deferred = [];
  }

  private processEvents(): void {
    this.recordDeferred();
    this.settle(this.events.filter((event) => event.passed));
  }

  private synchronize(name: string | null): void {
    this.statistics.num_sync_all_streams++;
    this.recordDeferred();
    const waitsFor = this.events.filter(({ block }) => name === null || block.pool.name === name);
    // A stream that has passed an event has passed those before it.
    for (const event of waitsFor) {
      for (const earlier of this.events.slice(0, this.events.indexOf(event))) {
        if (earlier.stream === event.stream) earlier.passed = true;
      }
    }
    this.settle(waitsFor);
  }

  private settle(done: Model['events']): void {
    this.events = this.events.filter((event) => !done.includes(event));
    // Stream by stream.
    for (const stream of this.streams) {
      for (const event of done) if (event.stream === stream && --event.block.events === 0) this.cache(event.block);
    }
  }

  private add(figure: Figure, pool: ModelPool, amount: number): void {
    for (const kind of KINDS) {
      if (kind === 'all' || (kind === 'small_pool') === pool.small) change(this.statistics[figure][kind], amount);
    }
  }
}

function change(metrics: Metrics, amount: number): void {
  metrics.current += amount;
  metrics.peak = Math.max(metrics.peak, metrics.current);
  if (amount > 0) metrics.allocated += amount;
  else metrics.freed -= amount;
}
