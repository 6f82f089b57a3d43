/**
 * A storage: a run of bytes on one device that tensors and their views share. This file connects the three things
 * that make one up: the backend's backing store, the record that `src/memory` keeps of it, and the object itself.
 */
import { RuntimeError } from '../core/errors.ts';
import { clock } from '../memory/clock.ts';
import { Counter, formatSize } from '../memory/counter.ts';
import { type Consumer, explained, type GraphGroup, Lifetimes, type StorageRecord } from '../memory/lifetimes.ts';
import { placeName } from '../memory/place.ts';
import { newRecord, RETIRED } from '../memory/record.ts';
import { deathsAreReported, reportDeath } from '../memory/sweep.ts';
import type { Backend } from './backend.ts';

export class Storage {
  /**
   * What this object alone holds, for its death to be found: a young storage's ticket or, where nothing but the engine's
   * collector finds deaths, as much memory as hangs on it, so that the engine sees that.
   */
  attachment: object | null = null;

  constructor(
    readonly backend: Backend,
    /** Byte address in the backend's memory. */
    readonly address: number,
    readonly nbytes: number,
    /** What the lifetimes know of it; outlives this object. */
    readonly record: StorageRecord,
  ) {}

  /** A tensor object uses this storage from now on. */
  retain(): void {
    this.record.handles++;
  }

  /** A tensor object was disposed. The storage goes at once if it was the last and the framework holds nothing of it. */
  release(): void {
    const record = this.record;
    record.lastUse = clock.now;
    record.handles--;
    this.freeIfUnused(record);
  }

  /** A tensor object that only the framework knew goes, without a use: what is freed is freed as of the last use. */
  drop(): void {
    const record = this.record;
    if (--record.handles > 0 || record.holds > 0 || record.saves > 0) return;
    if (record.lifetimes === null || !record.live) return;
    if (watch !== null) watch.freed(this);
    record.lifetimes.drop(record);
    this.retire();
  }

  /**
   * The framework holds this storage (a gradient, optimizer state, a capture) until `unhold`.
   *
   * @param owner what it is kept for, such as the parameter of a gradient: it counts for as long as that
   */
  hold(owner: Storage | null = null): void {
    this.record.holds++;
    if (owner !== null) this.record.setOwner(owner.record);
  }

  /** The framework lets go, now. The storage goes at once if nothing else holds it and all its tensors were disposed. */
  unhold(): void {
    const record = this.record;
    record.lastUse = clock.now;
    if (--record.holds === 0) record.dropOwner();
    this.freeIfUnused(record);
  }

  /** A captured graph of launches holds this storage until `unholdForGraph`. */
  holdForGraph(): void {
    this.record.graphs++;
    this.hold();
  }

  unholdForGraph(): void {
    this.record.graphs--;
    this.unhold();
  }

  /**
   * A graph has saved this storage. It counts as used until `unholdForBackward` or, if nobody runs backward, for as long
   * as the graph is touched.
   */
  holdForBackward(group: GraphGroup): void {
    this.record.saves++;
    this.record.addSaver(group);
  }

  /** The graph lets go, now. The storage goes at once if nothing else holds it and all its tensors were disposed. */
  unholdForBackward(): void {
    const record = this.record;
    record.lastUse = clock.now;
    if (--record.saves === 0) record.dropSavers();
    this.freeIfUnused(record);
  }

  /** Frees a storage that nobody but the caller knows: a temporary inside an operation. Its address is invalid after. */
  freeNow(): void {
    const record = this.record;
    if (record.lifetimes === null || !record.live) return;
    if (watch !== null) watch.freed(this);
    record.lifetimes.free(record);
    this.retire();
  }

  /** A launch that is given a freed storage nevertheless traps, instead of writing to memory that is someone else's by now. */
  private retire(): void {
    (this as { address: number }).address = -1;
    (this as { record: StorageRecord }).record = RETIRED;
  }

  private freeIfUnused(record: StorageRecord): void {
    if (record.handles === 0 && record.holds === 0 && record.saves === 0) this.freeNow();
  }
}

/**
 * A launch, a copy or a read uses this storage now. Call it between the allocation of the launch's results and the
 * next allocation; before or after `submit` makes no difference.
 */
export function touch(storage: Storage): void {
  storage.record.lastUse = clock.now;
}

/** Sees storages come, and go where the program or the framework lets go of them. */
export interface StorageWatch {
  allocated(storage: Storage): void;
  /** About to be freed. */
  freed(storage: Storage): void;
}

/** The stream check; null: nobody looks. */
let watch: StorageWatch | null = null;

export function watchStorages(watcher: StorageWatch | null): void {
  watch = watcher;
}

const tracked = new WeakMap<Backend, { lifetimes: Lifetimes | null }>();
let lastBackend: Backend | null = null;
let lastLifetimes: Lifetimes | null = null;

/**
 * Sets what makes figures of a backend's allocations; without it, cpu has none and every other device a plain counter
 * without limit.
 * @throws RuntimeError after the backend's first allocation
 */
export function setConsumer(backend: Backend, consumer: Consumer | null): Lifetimes {
  if (tracked.has(backend)) throw new RuntimeError(`${backend.device} has allocated memory already.`);
  return track(backend, consumer);
}

/** The lifetimes of a backend's storages; null for meta, which has no data. */
export function lifetimesOf(backend: Backend): Lifetimes | null {
  if (backend === lastBackend) return lastLifetimes;
  let entry = tracked.get(backend);
  if (entry === undefined) {
    const { type, index } = backend.device;
    const consumer = type === 'cpu' ? null : new Counter(Infinity, type.toUpperCase(), index ?? 0);
    entry = { lifetimes: type === 'meta' ? null : track(backend, consumer) };
    tracked.set(backend, entry);
  }
  lastBackend = backend;
  lastLifetimes = entry.lifetimes;
  return entry.lifetimes;
}

/**
 * The address of a storage as the device has it: on mtia the allocator's, elsewhere that of its bytes. An address is a figure
 * that must not depend on what has not been collected yet: asking is a commit point, unless it is final already.
 */
export function deviceAddress({ backend, record, address }: Storage): number {
  const lifetimes = lifetimesOf(backend);
  if (lifetimes?.consumer?.addressOf === undefined) return address;
  if (!record.accepted) lifetimes.commit();
  return lifetimes.consumer.addressOf(record);
}

/** What is alive on a device, in lines for people; equal ones are counted. Finds the dead first. */
export function holdersOf(backend: Backend): string[] {
  const lifetimes = lifetimesOf(backend);
  if (lifetimes === null || lifetimes.liveCount === 0) return [];
  lifetimes.sweep();
  const counts = new Map<string, number>();
  for (const record of lifetimes.living()) {
    const line = describe(record);
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => (count === 1 ? line : `${count} times ${line}`));
}

/** Such as `float32 [64, 32] (8.00 KiB), made by randn`. */
function describe(record: StorageRecord): string {
  const bytes = formatSize(record.nbytes);
  return [record.sizes === null ? bytes : `${shape(record)} (${bytes})`, ...purpose(record)].join(', ');
}

/** What a storage is for, without its bytes: `float32 [64, 32], encoder.weight, made by randn`. */
export function what(record: StorageRecord): string {
  return [...(record.sizes === null ? [] : [shape(record)]), ...purpose(record)].join(', ');
}

function shape({ sizes, dtype }: StorageRecord): string {
  return `${dtype} [${sizes!.join(', ')}]`;
}

function purpose({ place, operation, holds, graphs }: StorageRecord): string[] {
  const parts: string[] = [];
  if (place !== '') parts.push(placeName(place));
  if (operation !== '') parts.push(`made by ${operation}`);
  if (graphs > 0) parts.push('an input of a captured graph');
  if (holds > graphs) parts.push('a gradient or state of an optimizer');
  return parts;
}

function track(backend: Backend, consumer: Consumer | null): Lifetimes {
  const lifetimes = new Lifetimes(consumer, (record) => backend.free(record.address, record.nbytes));
  tracked.set(backend, { lifetimes });
  // Kernels ask for scratch when they have the addresses of their operands already.
  backend.onPressure = () => lifetimes.sweep(true);
  return lifetimes;
}

/**
 * A new storage of `nbytes` bytes, contents undefined, with no tensor using it yet.
 * @throws OutOfMemoryError if the device's capacity does not suffice; whatever the backend throws if its backing store
 *   is full even after all dead storages were collected
 */
export function allocateStorage(backend: Backend, nbytes: number): Storage {
  return allocateTracked(backend, nbytes, lifetimesOf(backend));
}

/** As `allocateStorage`, but counted by the given lifetimes in place of the backend's own. */
export function allocateTracked(backend: Backend, nbytes: number, lifetimes: Lifetimes | null): Storage {
  if (lifetimes === null || nbytes === 0) return new Storage(backend, 0, nbytes, newRecord(null, nbytes));
  const record = lifetimes.begin(nbytes);
  let address: number;
  try {
    address = backend.allocate(nbytes);
  } catch {
    address = allocateAfterSweep(backend, nbytes, lifetimes, record);
  }
  const storage = new Storage(backend, address, nbytes, record);
  if (deathsAreReported()) {
    lifetimes.attachWithoutSweeps(record, address);
    reportDeath(storage, record);
    try {
      storage.attachment = new ArrayBuffer(nbytes);
    } catch {
      // No address space for it: this one storage stays unseen by the engine, and works.
    }
  } else {
    storage.attachment = lifetimes.attachYoung(record, address);
    if (storage.attachment === null) lifetimes.attach(record, storage, address);
  }
  if (watch !== null) watch.allocated(storage);
  return storage;
}

function allocateAfterSweep(backend: Backend, nbytes: number, lifetimes: Lifetimes, record: StorageRecord): number {
  try {
    lifetimes.sweep();
    return backend.allocate(nbytes);
  } catch (error) {
    lifetimes.abandon(record);
    throw error instanceof Error ? explained(error) : error;
  }
}

/**
 * The storage of a disposed tensor: whatever is asked of it throws.
 */
export const DISPOSED: Storage = Object.create(Storage.prototype);
for (const name of ['backend', 'address', 'nbytes', 'record'] as const) {
  Object.defineProperty(DISPOSED, name, {
    get(): never {
      throw new RuntimeError(
        'This tensor was disposed (by dispose(), the end of its `using` or of torch.scope). To use it longer, dispose of it ' +
          'later, return it from the scope, or call keep() on it inside.',
      );
    },
  });
}
