/**
 * What is remembered of a storage, also after the Storage object itself has died.
 */
import { clock } from './clock.ts';
import type { GraphGroup } from './groups.ts';
import type { Lifetimes } from './lifetimes.ts';

/** More graphs than this, all unreleased, save only what outlives them anyway, such as parameters. */
const MAX_SAVERS = 8;

export class StorageRecord {
  /** Bytes as asked for. */
  readonly nbytes: number;
  /** Byte address of the backing store. */
  address = 0;
  /** Date of the allocation: no other has the same. */
  readonly born: number;
  /** Date (`clock.now`) of the last use: by a launch, a read on the host, or the end of something that held it. */
  lastUse: number;
  /** False from the moment its backing store was given back. */
  live = true;
  /** Whether the consumer of the log has found room for it. */
  accepted = false;
  /** The graph that a result lies in: who reads the storage touches that graph. null for leaves and plain data. */
  group: GraphGroup | null = null;
  /** A graph that saved the storage and has not released it. */
  savedBy: GraphGroup | null = null;
  /** Further ones. */
  alsoSavedBy: GraphGroup[] | null = null;
  /** What it is kept for by the framework: the parameter of a gradient or of optimizer state. It lives as long. */
  owner: StorageRecord | null = null;
  /** The Storage object; null before it is made and after it has died. */
  reference: WeakRef<object> | null = null;
  /** The device's log; null where nothing is tracked (meta, empty storages). */
  readonly lifetimes: Lifetimes | null;
  /** The operation that allocated it. */
  readonly operation: string;

  constructor(lifetimes: Lifetimes | null, nbytes: number, born: number) {
    this.lifetimes = lifetimes;
    this.nbytes = nbytes;
    this.born = born;
    this.lastUse = born;
    this.operation = clock.operation;
  }

  /** When it was last needed: what its free is dated with once it is dead. */
  lastNeeded(): number {
    let date = this.lastUse;
    if (this.savedBy !== null) {
      date = Math.max(date, this.savedBy.lastTouched);
      if (this.alsoSavedBy !== null) for (const group of this.alsoSavedBy) date = Math.max(date, group.lastTouched);
    }
    if (this.owner !== null) date = Math.max(date, this.owner.lastUse);
    return date;
  }

  /** A graph has saved it: in use until `letGo`, or for as long as the graph is touched if that never comes. */
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

  /** Nothing of the framework holds it any more. */
  letGo(): void {
    this.savedBy = null;
    this.alsoSavedBy = null;
    this.owner = null;
  }
}
