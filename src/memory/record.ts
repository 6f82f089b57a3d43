/**
 * What is remembered of a storage, also after the Storage object itself has died. Records are used again, so that the
 * collector has fewer of them to move about.
 */
import { clock } from './clock.ts';
import type { GraphGroup } from './groups.ts';
import { NOWHERE, type Place } from './place.ts';
import type { Trail } from './trail.ts';
import type { Lifetimes } from './lifetimes.ts';

/** More graphs than this, all unreleased, save only what outlives them anyway, such as parameters. */
const MAX_SAVERS = 8;

export class StorageRecord {
  /** Bytes as asked for. */
  nbytes = 0;
  /** Byte address of the backing store. */
  address = 0;
  /** Date of the allocation: no other has the same. */
  born = 0;
  /** Date (`clock.now`) of the last use: by a launch, a read on the host, or the end of something that held it. */
  lastUse = 0;
  /** Undisposed tensor objects. One that was collected without `dispose()` still counts: nobody saw it go. */
  handles = 0;
  /** How often the framework holds it: gradients, optimizer state, captures. */
  holds = 0;
  /** How many of these are captured graphs of launches. */
  graphs = 0;
  /** Its place in the log; -1 once the consumer has seen it. */
  position = -1;
  /** How often graphs have saved it. One that died without backward still counts, as above. */
  saves = 0;
  /** False from the moment its backing store was given back. */
  live = false;
  /** Whether that was an exact free, and not a death that was found. */
  exact = false;
  /** The stream that it was allocated for. */
  stream = 0;
  /** Other streams that it was said to be used on (`record_stream`): its free waits for them. */
  uses: number[] | null = null;
  /** Where and when it was allocated and freed, while the memory history is recorded. */
  trail: Trail | null = null;
  /** The consumer's own number for it. */
  block = 0;
  /** What the consumer takes for it; 0 once it has found no room. */
  charge = 0;
  /** Whether the consumer of the log has found room for it. */
  accepted = false;
  /** A graph that saved the storage and has not released it. */
  savedBy: GraphGroup | null = null;
  /** Further ones. */
  alsoSavedBy: GraphGroup[] | null = null;
  /** What it is kept for by the framework: the parameter of a gradient or of optimizer state. It lives as long. */
  private owner: StorageRecord | null = null;
  /** Tells whether the owner's record is still about the owner. */
  private ownerBorn = 0;
  /** Whether it is some other record's owner: the dates and the place of that one may follow from it. */
  private owns = false;
  /** The Storage object until the next sweep; many are gone by then and never need a weak reference. */
  fresh: object | null = null;
  /** The Storage object afterwards. */
  reference: WeakRef<object> | null = null;
  /** The device's log; null where nothing is tracked (meta, empty storages). */
  lifetimes: Lifetimes | null = null;
  /** The operation that allocated it. */
  operation = '';
  /** The module or parameter that it is for. */
  at: Place = NOWHERE;
  /** What it was allocated for, for people: sizes and the name of a dtype. */
  sizes: readonly number[] | null = null;
  dtype = '';

  /** The module or parameter that it is for, as a path like `encoder.layers.0.weight`; '' if nobody said so. */
  get place(): string {
    const { path } = this.at;
    if (path !== '') return path;
    const owner = this.owner;
    return owner !== null && owner.born === this.ownerBorn ? owner.at.path : '';
  }

  /** When it was last needed: what its free is dated with once it is dead. */
  lastNeeded(): number {
    let date = this.lastUse;
    if (this.savedBy !== null) {
      date = Math.max(date, this.savedBy.lastTouched);
      if (this.alsoSavedBy !== null) for (const group of this.alsoSavedBy) date = Math.max(date, group.lastTouched);
    }
    const owner = this.owner;
    if (owner !== null && owner.born === this.ownerBorn) date = Math.max(date, owner.lastUse);
    return date;
  }

  /** A graph has saved it: in use until `dropSavers`, or for as long as the graph is touched if that never comes. */
  addSaver(group: GraphGroup): void {
    group = group.root();
    if (this.savedBy === null) {
      this.savedBy = group;
      return;
    }
    if (this.savedBy.root() === group) return;
    const others = (this.alsoSavedBy ??= []);
    for (let i = 0; i < others.length; i++) if (others[i].root() === group) return;
    if (others.length === MAX_SAVERS - 1) {
      const oldest = others.shift()!;
      this.lastUse = Math.max(this.lastUse, oldest.lastTouched);
    }
    others.push(group);
  }

  setOwner(owner: StorageRecord): void {
    if (owner === this) return;
    this.owner = owner;
    this.ownerBorn = owner.born;
    owner.owns = true;
  }

  dropOwner(): void {
    this.owner = null;
  }

  dropSavers(): void {
    this.savedBy = null;
    this.alsoSavedBy = null;
  }

  /**
   * Of a dead one: whether `lastUse` is the date of its free for good, and kind and dates are all there is to know. No graph,
   * owner or stream has a say in it, and neither errors nor other records name it.
   */
  isPlain(): boolean {
    return (
      this.savedBy === null &&
      this.owner === null &&
      this.uses === null &&
      !this.owns &&
      this.holds === 0 &&
      this.graphs === 0 &&
      this.block === 0
    );
  }

  /** Nothing of what was left of its storage. */
  reset(): void {
    this.owner = null;
    this.savedBy = null;
    this.alsoSavedBy = null;
    this.owns = false;
    this.uses = null;
    this.trail = null;
  }
}

const idle: StorageRecord[] = [];
/** Further ones are left to the collector: one that has not been touched for long costs more than a new one. */
const MAX_IDLE = 32_768;

/** A record of a storage allocated now. */
export function newRecord(lifetimes: Lifetimes | null, nbytes: number, stream = 0): StorageRecord {
  const record = bareRecord(nbytes, stream);
  record.born = clock.now;
  record.lastUse = clock.now;
  record.live = true;
  record.exact = false;
  record.charge = 0;
  record.lifetimes = lifetimes;
  record.operation = clock.operation;
  record.at = clock.place;
  record.sizes = clock.sizes;
  record.dtype = clock.dtype;
  clock.sizes = null;
  return record;
}

/** A record that nothing uses or holds. Of the rest only size and stream are set. */
export function bareRecord(nbytes: number, stream: number): StorageRecord {
  const record = idle.pop() ?? new StorageRecord();
  record.nbytes = nbytes;
  record.stream = stream;
  record.handles = 0;
  record.holds = 0;
  record.graphs = 0;
  record.saves = 0;
  record.block = 0;
  record.accepted = false;
  return record;
}

/** Nobody needs to know any more. The storage is dead, and so is every reference to the record. */
export function recycle(record: StorageRecord): void {
  record.reset();
  if (idle.length < MAX_IDLE) idle.push(record);
}

/** Stands in for the record of a storage that was freed, should anyone use it after that. */
export const RETIRED = new StorageRecord();
