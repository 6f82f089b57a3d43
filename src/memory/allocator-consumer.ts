/**
 * The consumer of the log that is PyTorch's caching allocator: allocations and dated frees become blocks and segments,
 * and its figures are those that PyTorch would give on a device of that capacity.
 *
 * It has the plain counter's figures by the same names, so that it can take its place.
 */
import { OutOfMemoryError } from '../core/errors.ts';
import { Allocator, type AllocatorOptions, NO_ROOM, type OutOfMemoryObserver } from './allocator/allocator.ts';
import { LARGE_BUFFER, MIN_LARGE_ALLOC, SMALL_BUFFER } from './allocator/constants.ts';
import { formatSize } from './allocator/format.ts';
import { expandableMayHelp, type OutOfMemory, outOfMemoryText } from './allocator/oom.ts';
import { cachedOutOfReach } from './allocator/private.ts';
import { replay } from './allocator/replay.ts';
import { listSegments } from './allocator/segments.ts';
import { settingsText } from './allocator/settings-text.ts';
import { ACTIVE_BYTES, ALLOCATED_BYTES, INACTIVE_SPLIT_BYTES, RESERVED_BYTES } from './allocator/statistics.ts';
import { Trace } from './allocator/trace.ts';
import { DatedEvents } from './dated-events.ts';
import type { DeviceHistory } from './history.ts';
import type { Consumer, StorageRecord } from './lifetimes.ts';
import { placeName } from './place.ts';
import { ABSENT } from './snapshot/trace.ts';

/** Holders that an error names. */
const HOLDERS = 3;
/** So many are found by sorting all. */
const MANY = 16;
/** Of what is not handed out but may not be usable either, so much is allocated before it is looked at again. */
const TRUSTED = 1 / 8;

export interface ConsumerOptions extends AllocatorOptions {
  /** As errors call the device: 'MTIA'. */
  readonly name: string;
  /** Said in errors of a capacity that is not the chip's own. */
  readonly capacityNote?: string;
  /** What an error calls a holder of memory; by default the operation that allocated it. */
  readonly describe?: (record: StorageRecord) => string;
  /** Called when an allocation finds no room. */
  readonly onOutOfMemory?: OutOfMemoryObserver;
}

export class AllocatorConsumer implements Consumer {
  readonly allocator: Allocator;
  readonly name: string;
  /** The records by block: who holds what. */
  private readonly records: (StorageRecord | null)[] = [];
  private share: number | null = null;
  private readonly events = new DatedEvents();
  /** null until the memory history is recorded for the first time. */
  private history: DeviceHistory | null = null;
  /** What observers have yet to be told of. */
  private readonly failures: Parameters<OutOfMemoryObserver>[] = [];
  /** Label and time of the last event that the program caused: those of frees that nobody saw. */
  private lastLabel = ABSENT;
  private lastTime = 0;

  constructor(private readonly options: ConsumerOptions) {
    this.allocator = new Allocator({ ...options, events: this.events });
    this.name = options.name;
    this.allocator.outOfMemoryObservers.add((...failure) => void this.failures.push(failure));
  }

  /** The history sees everything from now on. */
  observe(history: DeviceHistory): void {
    this.history = history;
    this.allocator.observer = history;
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
    const left = allowed - statistics.current(ACTIVE_BYTES) - cachedOutOfReach(allocator);
    const begun = SMALL_BUFFER + Math.max(LARGE_BUFFER, allocator.settings.largeSegmentSize);
    const certain = left - statistics.current(INACTIVE_SPLIT_BYTES) - begun;
    return Math.max(0, certain, Math.floor(left * TRUSTED));
  }

  allocate(record: StorageRecord): boolean {
    this.events.now = record.born;
    if (this.history !== null) this.attribute(this.history, record);
    const block = this.allocator.malloc(record.nbytes, record.stream);
    if (block === NO_ROOM) return false;
    record.block = block;
    this.records[block] = record;
    return true;
  }

  free(record: StorageRecord): void {
    const { block, uses } = record;
    if (this.history !== null) this.attributeFree(this.history, record);
    if (uses !== null) {
      this.events.now = record.lastNeeded();
      for (const stream of uses) this.allocator.recordStream(block, stream);
    }
    this.records[block] = null;
    this.allocator.free(block);
  }

  given(stream: number, from: number, to: number): void {
    this.events.given(stream, from, to);
  }

  waited(stream: number | null, upTo: number): void {
    this.events.waited(stream, upTo);
  }

  private attribute(history: DeviceHistory, { trail }: StorageRecord): void {
    if (trail === null) {
      history.at(ABSENT, this.lastLabel, this.lastTime);
      return;
    }
    this.lastLabel = trail.label;
    this.lastTime = Math.max(this.lastTime, trail.time);
    history.at(trail.site, trail.label, this.lastTime);
  }

  private attributeFree(history: DeviceHistory, { trail }: StorageRecord): void {
    if (trail === null || trail.freeTime === 0) {
      history.at(ABSENT, this.lastLabel, this.lastTime);
      return;
    }
    this.lastLabel = trail.freeLabel;
    this.lastTime = Math.max(this.lastTime, trail.freeTime);
    history.at(trail.freeSite, trail.freeLabel, this.lastTime);
  }

  announceFailures(): void {
    for (const failure of this.failures.splice(0)) this.options.onOutOfMemory?.(...failure);
  }

  /** A block that the allocator gave without the log counts among the holders, until `disown`. */
  own(record: StorageRecord, block: number): void {
    record.block = block;
    record.accepted = true;
    this.records[block] = record;
  }

  disown(block: number): void {
    this.records[block] = null;
  }

  /** Who holds a block; null for nobody that the log knows. */
  holder(block: number): StorageRecord | null {
    return this.records[block] ?? null;
  }

  /** Everybody who holds memory. */
  eachHolder(visit: (record: StorageRecord) => void): void {
    for (const record of this.records) if (record != null) visit(record);
  }

  /** The block in use at an address; 0 if there is none. */
  blockAt(address: number): number {
    for (const segment of listSegments(this.allocator)) {
      if (address < segment.address || address >= segment.address + segment.total_size) continue;
      const found = segment.blocks.find((block) => block.address === address);
      return found?.state === 'active_allocated' ? found.block : 0;
    }
    return 0;
  }

  addressOf(record: StorageRecord): number {
    return record.accepted ? this.allocator.addressOf(record.block) : 0;
  }

  outOfMemory(record: StorageRecord): Error {
    const failure = this.allocator.failure!;
    const { name, capacityNote } = this.options;
    const advise = expandableMayHelp(failure) && this.expandableWouldHelp(failure);
    const what = record.sizes === null ? undefined : `${record.dtype} [${record.sizes.join(', ')}]`;
    let text = outOfMemoryText(failure, { name, capacityNote, advise, what });
    if (record.operation !== '') {
      text += ` The allocation was made by ${record.operation}${record.place === '' ? '' : ` (${placeName(record.place)})`}.`;
    }
    if (failure.allowed !== null) text += ` ${this.limitText(failure.allowed)}`;
    const holders = this.largestHolders(HOLDERS);
    if (holders.length > 0) {
      const list = holders.map((holder) => this.describe(holder));
      text += ` The largest holders: ${list.join(', ')}.`;
    }
    const inForce = settingsText(this.allocator.settings);
    if (inForce !== '') text += ` Allocator settings in force: ${inForce}.`;
    if (advise) text += " In a program: torch.mtia.memory.setAllocatorSettings('expandable_segments:True').";
    return new OutOfMemoryError(text);
  }

  /** Where a limit below the capacity comes from. */
  private limitText(allowed: number): string {
    const told =
      this.share === null
        ? 'per_process_memory_fraction in the allocator settings says'
        : 'set_per_process_memory_fraction was told';
    return `${formatSize(allowed)} are a fraction of ${this.allocator.memoryFraction} of the memory, as ${told}.`;
  }

  /** A holder in words: `2.00 MiB (float32 [512, 1024], made by randn)`. */
  describe(holder: StorageRecord): string {
    const what = (this.options.describe ?? ((record: StorageRecord) => record.operation))(holder);
    return what === '' ? formatSize(holder.nbytes) : `${formatSize(holder.nbytes)} (${what})`;
  }

  /** Whether what is alive, allocated in order of birth into expandable segments, would leave room for the request. */
  private expandableWouldHelp(failure: OutOfMemory): boolean {
    const trace = new Trace();
    const alive = this.records.filter((record) => record != null).sort((a, b) => a!.born - b!.born);
    for (const record of alive) trace.malloc(record!.nbytes, record!.stream);
    trace.malloc(failure.requested, failure.stream);
    const settings = { ...this.allocator.settings, expandableSegments: true };
    const device = failure.allowed ?? failure.capacity;
    return replay(trace, { device, settings }).failures.length === 0;
  }

  /** The records that hold most, largest first; of equal ones the oldest first. */
  largestHolders(count: number): StorageRecord[] {
    const largest: StorageRecord[] = [];
    if (count > MANY) {
      this.eachHolder((record) => void largest.push(record));
      return largest.sort((a, b) => (isLarger(a, b) ? -1 : 1)).slice(0, count);
    }
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
