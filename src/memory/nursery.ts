/**
 * Large storages that are young, and the collection that finds those that died: V8's collection of its young generation, which
 * takes a fraction of a millisecond however much else the program keeps, where a full one takes ten and more.
 *
 * It does not clear WeakRefs: it takes them for strong, so a young storage must have none. It does let go of the keys of weak
 * collections. Which are left is what `util.inspect` shows (`showHidden`): it calls each key's own method. So every
 * large storage has a ticket that dies with it, and the ticket is in a WeakSet.
 */
import type { StorageRecord } from './record.ts';

/** Below so many bytes a storage costs less than its ticket. */
export const LARGE = 65_536;
/** After so many collections a survivor is old to V8, too: only full ones find its death, through a WeakRef. */
const GROWN = 2;

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

class Entry {
  alive = false;
  age = 0;
  /** The record is used again after an exact free; the date of birth tells. */
  readonly born: number;

  constructor(readonly record: StorageRecord) {
    this.born = record.born;
  }

  isCurrent(): boolean {
    return this.record.live && this.record.born === this.born;
  }
}

/** What a storage holds, and nothing else but the WeakSet. */
class Ticket {
  constructor(readonly entry: Entry) {}

  [INSPECT](): string {
    this.entry.alive = true;
    if (this.entry.age + 1 >= GROWN) grown.push(this);
    return '';
  }
}

/** Tickets that this collection found old. Empty in between, since it holds them strongly. */
let grown: Ticket[] = [];

export class Nursery {
  private readonly tickets = new WeakSet<Ticket>();
  /** Bytes of the smallest storage that it takes. */
  least = LARGE;
  private entries: Entry[] = [];
  /** No less than the bytes of those since the last collection. */
  private bound = 0;
  private lengthCheck = 1024;

  /**
   * @param collectYoung V8's collection of the young generation
   * @param inspect Node's `util.inspect`
   */
  constructor(
    private readonly collectYoung: () => void,
    private readonly inspect: (object: object, options: object) => string,
  ) {}

  /** What the storage of a record that is born now must hold for as long as it lives. */
  add(record: StorageRecord): object {
    const entry = new Entry(record);
    if (this.entries.length >= this.lengthCheck) this.tidy();
    this.entries.push(entry);
    this.bound += record.nbytes;
    const ticket = new Ticket(entry);
    this.tickets.add(ticket);
    return ticket;
  }

  /** Forgets what was freed exactly: nobody may ever ask for a collection. */
  private tidy(): void {
    this.entries = this.entries.filter((entry) => entry.isCurrent());
    this.lengthCheck = 2 * this.entries.length + 1024;
  }

  /**
   * Bytes of storages born since the last collection that were not freed exactly. Below `least` it may be too much: then it is
   * not worth looking at each, since this is asked in every training step.
   */
  newBytes(least: number): number {
    if (this.bound < least) return this.bound;
    let sum = 0;
    for (let i = this.entries.length - 1; i >= 0 && this.entries[i].age === 0; i--) {
      const entry = this.entries[i];
      if (entry.isCurrent()) sum += entry.record.nbytes;
    }
    return (this.bound = sum);
  }

  /** Collects what is young, and reports the deaths among it. Returns how many bytes of the new ones live. */
  sweep(died: (record: StorageRecord) => void): number {
    this.collectYoung();
    return this.look(died);
  }

  /**
   * After any collection: reports the deaths. Survivors that have got old leave: `collect` of their device looks after them
   * from now on. A checkpoint must follow.
   *
   * @param spared of a record that may be in use although nobody refers to it
   */
  look(died: (record: StorageRecord) => void, spared: (record: StorageRecord) => boolean = () => false): number {
    this.inspect(this.tickets, { showHidden: true, maxArrayLength: Infinity, compact: true, breakLength: Infinity });
    for (const ticket of grown) {
      const { entry } = ticket;
      entry.age = GROWN;
      this.tickets.delete(ticket);
      if (entry.isCurrent()) entry.record.lifetimes!.watchWeakly(entry.record, new WeakRef<object>(ticket));
    }
    grown = [];
    let kept = 0;
    let survived = 0;
    const { entries } = this;
    for (const entry of entries) {
      if (!entry.isCurrent() || entry.age >= GROWN) continue;
      if (!entry.alive && !spared(entry.record)) {
        died(entry.record);
        continue;
      }
      if (entry.age === 0) survived += entry.record.nbytes;
      if (entry.alive) entry.age++;
      entry.alive = false;
      entries[kept++] = entry;
    }
    entries.length = kept;
    this.bound = 0;
    return survived;
  }
}

/** A nursery, if this engine does all that it needs; null otherwise. Believed only when seen. */
export function openNursery(
  collectYoung: () => void,
  inspect: (object: object, options: object) => string,
): Nursery | null {
  try {
    const set = new WeakSet<object>();
    const seen: number[] = [];
    const held = trial(set, seen);
    collectYoung();
    inspect(set, { showHidden: true, maxArrayLength: Infinity });
    return held.number === 0 && seen.length === 1 && seen[0] === 0 ? new Nursery(collectYoung, inspect) : null;
  } catch {
    return null;
  }
}

/** Two keys, one of which nobody holds: in a function of its own, so that no register of the caller's does. */
function trial(set: WeakSet<object>, seen: number[]): { number: number } {
  const keys = [0, 1].map((number) => ({ number, [INSPECT]: () => String(seen.push(number)) }));
  for (const key of keys) set.add(key);
  return keys[0];
}
