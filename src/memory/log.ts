/**
 * The log of allocations that a device's consumer has yet to see, in order of birth. A storage whose free has a final date
 * needs no record of its own any more: a line of the log keeps the two dates and what is worth telling of the storage, and
 * its record serves the next storage at once. So a long log is small, and the collector has next to nothing to mark in it.
 */
import type { Place } from './place.ts';
import { bareRecord, recycle, type StorageRecord } from './record.ts';
import type { Trail } from './trail.ts';

/** What many storages have in common. */
class Kind {
  constructor(
    readonly nbytes: number,
    readonly charge: number,
    readonly stream: number,
    readonly operation: string,
    readonly at: Place,
    readonly dtype: string,
    readonly sizes: readonly number[] | null,
  ) {}
}

/** Kinds seen last, by a hash. Programs do the same again and again. */
const KIND_BITS = 10;
const kinds: (Kind | undefined)[] = Array.from({ length: 1 << KIND_BITS }, () => undefined);

function sameSizes(a: readonly number[] | null, b: readonly number[] | null): boolean {
  if (a === b) return true;
  if (a === null || b === null || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function kindOf(record: StorageRecord): Kind {
  const { nbytes, operation, at, sizes } = record;
  let hash = Math.imul(nbytes, 0x9e3779b1) ^ Math.imul(at.id, 0x85ebca6b) ^ Math.imul(operation.length, 0xc2b2ae35);
  if (sizes !== null && sizes.length > 0) hash ^= Math.imul(sizes[sizes.length - 1], 0x27d4eb2f);
  const slot = hash >>> (32 - KIND_BITS);
  const kind = kinds[slot];
  if (
    kind !== undefined &&
    kind.nbytes === nbytes &&
    kind.charge === record.charge &&
    kind.stream === record.stream &&
    kind.operation === operation &&
    kind.at === at &&
    kind.dtype === record.dtype &&
    sameSizes(kind.sizes, sizes)
  ) {
    return kind;
  }
  const { charge, stream, dtype } = record;
  return (kinds[slot] = new Kind(nbytes, charge, stream, operation, at, dtype, sizes));
}

const FIRST_CAPACITY = 1024;

export class Log {
  /** Number of allocations. */
  count = 0;
  /** Their dates. */
  births = new Float64Array(FIRST_CAPACITY);
  /**
   * Dates of the frees of those that have no record: as they are if the free was an exact one, and negative if the death was
   * found. 0: there is a record.
   */
  private ends = new Float64Array(FIRST_CAPACITY);
  /** Records, and kinds of those that have none; null: gone. */
  private readonly lines: (StorageRecord | Kind | null)[] = [];
  /** Trails of those that have no record, while the memory history is recorded. */
  private readonly trails: (Trail | null)[] = [];

  push(record: StorageRecord): void {
    const at = this.count;
    if (at === this.births.length) this.grow();
    record.position = at;
    this.births[at] = record.born;
    this.ends[at] = 0;
    this.lines[at] = record;
    this.count = at + 1;
  }

  private grow(): void {
    const { births, ends } = this;
    this.births = new Float64Array(2 * births.length);
    this.births.set(births);
    this.ends = new Float64Array(2 * ends.length);
    this.ends.set(ends);
  }

  /** The last allocation was none after all. */
  pop(): void {
    this.lines[--this.count] = null;
  }

  /** Date of the last allocation; 0 if there is none. */
  lastBorn(): number {
    return this.count === 0 ? 0 : this.births[this.count - 1];
  }

  /** The record of an allocation; null if it has none (any more). */
  recordAt(at: number): StorageRecord | null {
    return this.ends[at] === 0 ? (this.lines[at] as StorageRecord | null) : null;
  }

  /**
   * A storage of the log is dead. If the date of its free is final, and nothing but the log needs its record, the record is
   * used again.
   */
  close(record: StorageRecord): void {
    if (!record.isPlain()) return;
    const at = record.position;
    this.ends[at] = record.exact ? record.lastUse : -record.lastUse;
    this.lines[at] = kindOf(record);
    if (record.trail !== null) {
      const { trails } = this;
      while (trails.length < at) trails.push(null);
      trails[at] = record.trail;
    }
    recycle(record);
  }

  /** Forgets an allocation: nobody makes figures of it. */
  drop(record: StorageRecord): void {
    this.ends[record.position] = 0;
    this.lines[record.position] = null;
    recycle(record);
  }

  /** What an allocation takes for certain: all of its charge, unless an exact free has given that back. */
  openCharge(at: number): number {
    const record = this.recordAt(at);
    if (record !== null) return record.exact && record.uses === null ? 0 : record.charge;
    return this.ends[at] < 0 ? (this.lines[at] as Kind).charge : 0;
  }

  /** Date of the free of a storage that is known to be dead; 0: it may be alive. */
  endOf(at: number): number {
    const end = this.ends[at];
    if (end !== 0) return end < 0 ? -end : end;
    const record = this.lines[at] as StorageRecord;
    return record.live ? 0 : record.lastNeeded();
  }

  /** The record, made anew if need be, for the replay. */
  restore(at: number): StorageRecord {
    const end = this.ends[at];
    if (end === 0) return this.lines[at] as StorageRecord;
    const kind = this.lines[at] as Kind;
    const record = bareRecord(kind.nbytes, kind.stream);
    record.lifetimes = null;
    record.live = false;
    record.exact = end > 0;
    record.born = this.births[at];
    record.lastUse = end < 0 ? -end : end;
    record.charge = kind.charge;
    record.operation = kind.operation;
    record.at = kind.at;
    record.sizes = kind.sizes;
    record.dtype = kind.dtype;
    record.trail = at < this.trails.length ? this.trails[at] : null;
    this.ends[at] = 0;
    this.lines[at] = record;
    return record;
  }

  /** Its free is final. */
  retire(at: number): void {
    recycle(this.lines[at] as StorageRecord);
    this.lines[at] = null;
  }

  /** Moves what is left of the first `count` allocations to the end of a list, and takes them off the log. */
  shift(count: number, to: StorageRecord[]): void {
    const { lines, trails } = this;
    for (let at = 0; at < count; at++) {
      const record = lines[at] as StorageRecord | null;
      if (record === null) continue;
      record.position = -1;
      to.push(record);
    }
    const rest = this.count - count;
    this.births.copyWithin(0, count, this.count);
    this.ends.copyWithin(0, count, this.count);
    for (let at = 0; at < rest; at++) {
      lines[at] = lines[at + count];
      if (this.ends[at] === 0) (lines[at] as StorageRecord).position = at;
    }
    // The room is kept, but nothing in it.
    lines.fill(null, rest, this.count);
    trails.splice(0, count);
    this.count = rest;
  }

  /** Takes off the log what was dropped. */
  compact(): void {
    const { lines } = this;
    let kept = 0;
    for (let at = 0; at < this.count; at++) {
      const record = lines[at] as StorageRecord | null;
      if (record === null) continue;
      record.position = kept;
      this.births[kept] = record.born;
      lines[kept++] = record;
    }
    lines.fill(null, kept, this.count);
    this.count = kept;
  }

  /** How many of the allocations come before a free of this date; at least `from` do. */
  before(date: number, from: number): number {
    const { births, count } = this;
    // Most storages die soon after they were last needed, so look near first.
    let step = 1;
    let low = from;
    while (low < count && births[low] <= date) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low, count);
    low = Math.max(from, low - (step >> 1));
    while (low < high) {
      const middle = (low + high) >> 1;
      if (births[middle] <= date) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
