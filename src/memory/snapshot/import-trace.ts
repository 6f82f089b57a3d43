/**
 * A snapshot's trace as events that the allocator can replay under other settings: `importTrace` for traces of millions of
 * events, straight from their columns.
 */
import { type ImportedTrace, type InitialBlock, Trace } from '../allocator/trace.ts';
import {
  ALLOC,
  FREE_COMPLETED,
  FREE_REQUESTED,
  OOM,
  SEGMENT_ALLOC,
  SEGMENT_FREE,
  SEGMENT_MAP,
  SEGMENT_UNMAP,
} from './actions.ts';
import { AddressSet } from './address-set.ts';
import { NO_FRAMES } from './frames.ts';
import { isActive, type Segment, type Snapshot } from './snapshot.ts';
import { ABSENT, SnapshotTrace, unpackPool } from './trace.ts';

export interface ImportOptions {
  /** Try the requests that found no room again, and let go of them at once: they may find room under other settings. */
  failed?: boolean;
}

/**
 * The events of a device's trace, with what was held before the first of them.
 * @param device index of the device
 */
export function importSnapshot(snapshot: Snapshot, device: number, options: ImportOptions = {}): ImportedSnapshot {
  const rows = snapshot.device_traces[device] ?? new SnapshotTrace(snapshot.frames);
  const segments = snapshot.segments.filter((segment) => segment.device === device);
  return new Importer(rows, options.failed ?? false).import(segments);
}

/** An imported trace, and what it tells of the device. */
export interface ImportedSnapshot extends ImportedTrace {
  /**
   * Requests for which cached memory had to be given back say how much the device had: at least what was held at the most,
   * less than what these would have needed besides. Null if there are none.
   */
  readonly pressure: { readonly atLeast: number; readonly below: number } | null;
}

/** The row of each event, in an array that grows. */
class Rows {
  #rows: Int32Array;
  #length = 0;

  constructor(capacity: number) {
    this.#rows = new Int32Array(capacity);
  }

  get all(): Int32Array {
    return this.#rows.subarray(0, this.#length);
  }

  /** All events up to a number that have none yet are of this row. */
  until(events: number, row: number): void {
    if (events > this.#rows.length) {
      const larger = new Int32Array(2 * events);
      larger.set(this.#rows);
      this.#rows = larger;
    }
    this.#rows.fill(row, this.#length, events);
    this.#length = events;
  }
}

/** A block that was held before the first event, and its pool. */
interface Held extends InitialBlock {
  readonly pool: number;
}

class Importer {
  readonly #rows: SnapshotTrace;
  readonly #failed: boolean;
  readonly #trace: Trace;
  readonly #streams: number[] = [0];
  readonly #streamNumbers = new Map([[0, 0]]);
  /** Numbers of pools by what the rows say; the default pool and none. */
  readonly #pools = new Map([
    [0, 0],
    [ABSENT, 0],
  ]);
  /** Numbers of allocations by address: in use, and freed but used by another stream. */
  readonly #live = new Map<number, number>();
  readonly #parked = new Map<number, number>();
  /** 'free': a pair of events in one, as old tools wrote. */
  readonly #free: number;
  /** Segments of private pools at the end, by address. */
  #private: readonly Segment[] = [];
  #ignored = 0;
  /** Held on the device, as against what was held at first. */
  #reserved = 0;
  readonly #capacity: number;
  /** The least that a request would have needed on top of what was held, had nothing been given back for it. */
  #below = Infinity;

  constructor(rows: SnapshotTrace, failed: boolean) {
    this.#rows = rows;
    this.#failed = failed;
    this.#free = rows.otherActionNumber('free');
    this.#capacity = this.#knownCapacity();
    // Most events come in threes: a block handed out, let go of, back in its pool.
    this.#trace = new Trace(Math.ceil((rows.length * 2) / 3) + 64);
  }

  import(segments: readonly Segment[]): ImportedSnapshot {
    this.#private = segments
      .filter(({ segment_pool_id: [owner, id] }) => owner !== 0 || id !== 0)
      .sort((a, b) => a.address - b.address);
    const initial = this.#initial(segments);
    const trace = this.#trace;
    for (const { address, requested, stream, pool } of initial)
      this.#live.set(address, trace.malloc(requested, this.#stream(stream), pool));
    trace.initial = initial.length;
    const from = new Rows(Math.ceil((this.#rows.length * 2) / 3) + initial.length + 64);
    from.until(trace.length, -1);
    const { actions, addresses, sizes, streams, length } = this.#rows;
    let frees = 0;
    for (let at = 0; at < length; at++) {
      const action = actions.get(at);
      if (action === SEGMENT_FREE || action === SEGMENT_UNMAP) {
        frees++;
        this.#reserved += this.#reserves(action, at);
        continue;
      }
      if (frees > 0) this.#segmentsFreed(at - frees, at);
      frees = 0;
      from.until(trace.length, at - 1);
      this.#reserved += this.#reserves(action, at);
      if (action === ALLOC) {
        const id = trace.malloc(sizes.get(at), this.#stream(streams.get(at)), this.#pool(at));
        this.#live.set(addresses.get(at), id);
      } else if (this.#isFree(action)) this.#release(at, action);
      else if (action === OOM && this.#failed)
        trace.free(trace.malloc(sizes.get(at), this.#stream(streams.get(at)), this.#pool(at)));
      from.until(trace.length, at);
    }
    if (frees > 0) this.#segmentsFreed(length - frees, length);
    from.until(trace.length, length - 1);
    return {
      trace,
      initial: initial.map(({ address, requested, stream }) => ({ address, requested, stream })),
      rows: from.all,
      streams: this.#streams,
      ignored: this.#ignored,
      pressure: this.#pressure(segments),
    };
  }

  /**
   * Segments were given back, by the rows from one to before another. If a request did that to find room, it says nothing
   * about other settings; otherwise the cache was emptied. Segments of a private pool go when nobody uses it any more.
   */
  #segmentsFreed(from: number, to: number): void {
    const released = new Set<number>();
    for (let at = from; at < to; at++) released.add(this.#pool(at));
    const ofDefault = released.delete(0);
    for (const pool of released) this.#trace.releasePool(pool);
    if (ofDefault && !this.#forRequest(from, to)) this.#trace.emptyCache();
  }

  /**
   * Whether segments were given back, from a row on, by the request of a later row. Where no stacks tell, it did not need
   * to if the device is known to have had room for both.
   */
  #forRequest(at: number, next: number): boolean {
    const { actions, sizes, stacks, length } = this.#rows;
    if (next >= length) return false;
    const action = actions.get(next);
    if (action === OOM) return true;
    if (action !== SEGMENT_ALLOC && action !== SEGMENT_MAP) return false;
    const [one, other] = [stacks.get(at), stacks.get(next)];
    let needed = this.#reserved + sizes.get(next);
    for (let row = at; row < next; row++) needed += sizes.get(row);
    const told = one > NO_FRAMES && other > NO_FRAMES;
    const forced = needed > this.#capacity && (!told || one === other);
    if (forced) this.#below = Math.min(this.#below, needed);
    return forced || (told && one === other);
  }

  #pressure(segments: readonly Segment[]): ImportedSnapshot['pressure'] {
    if (this.#below === Infinity) return null;
    const atFirst = segments.reduce((sum, { total_size }) => sum + total_size, 0) - this.#reserved;
    return { atLeast: atFirst + this.#capacity, below: atFirst + this.#below };
  }

  /** The most that the device is known to have had room for, as against what was held at first. */
  #knownCapacity(): number {
    const { actions, addresses, length } = this.#rows;
    let reserved = 0;
    let most = 0;
    for (let at = 0; at < length; at++) {
      const action = actions.get(at);
      if (action === OOM) most = Math.max(most, reserved + addresses.get(at));
      else reserved += this.#reserves(action, at);
      if (reserved > most) most = reserved;
    }
    return most;
  }

  /** By how much an event changes what is held on the device. */
  #reserves(action: number, at: number): number {
    if (action === SEGMENT_ALLOC || action === SEGMENT_MAP) return this.#rows.sizes.get(at);
    return action === SEGMENT_FREE || action === SEGMENT_UNMAP ? -this.#rows.sizes.get(at) : 0;
  }

  /** Older files do not say which pool an event is about: then a private segment of the end tells, if it lies there. */
  #pool(at: number): number {
    const packed = this.#rows.pools.get(at);
    if (packed === ABSENT && this.#private.length > 0) return this.#poolAt(this.#rows.addresses.get(at));
    let number = this.#pools.get(packed);
    if (number === undefined) this.#pools.set(packed, (number = this.#trace.pool(unpackPool(packed))));
    return number;
  }

  #poolAt(address: number): number {
    let low = 0;
    let high = this.#private.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#private[middle].address <= address) low = middle + 1;
      else high = middle;
    }
    const segment = this.#private[low - 1];
    const inside = segment !== undefined && address < segment.address + segment.total_size;
    return inside ? this.#trace.pool(segment.segment_pool_id) : 0;
  }

  #isFree(action: number): boolean {
    return action === FREE_REQUESTED || action === FREE_COMPLETED || action === this.#free;
  }

  #stream(stream: number): number {
    let number = this.#streamNumbers.get(stream);
    if (number === undefined) {
      number = this.#streams.push(stream) - 1;
      this.#streamNumbers.set(stream, number);
    }
    return number;
  }

  /** Blocks that are freed without having been allocated, or that are still there at the end. */
  #initial(segments: readonly Segment[]): Held[] {
    const { actions, addresses, sizes, streams, length } = this.#rows;
    const seen = new AddressSet();
    const initial = new Map<number, Held>();
    for (let at = 0; at < length; at++) {
      const action = actions.get(at);
      if (action !== ALLOC && !this.#isFree(action)) continue;
      const address = addresses.get(at);
      if (!seen.add(address)) continue;
      if (action !== ALLOC)
        initial.set(address, {
          address,
          requested: sizes.get(at),
          stream: streams.get(at),
          pool: this.#pool(at),
        });
    }
    for (const segment of segments) {
      for (const block of segment.blocks) {
        const { address, size, requested_size } = block;
        if (isActive(block) && !seen.has(address))
          initial.set(address, {
            address,
            requested: requested_size || size,
            stream: segment.stream,
            pool: this.#trace.pool(segment.segment_pool_id),
          });
      }
    }
    return [...initial.values()].sort((a, b) => a.address - b.address);
  }

  #release(at: number, action: number): void {
    const { actions, addresses, length } = this.#rows;
    const trace = this.#trace;
    const address = addresses.get(at);
    const waiting = this.#parked.get(address);
    const id = this.#live.get(address);
    if (action === FREE_COMPLETED && waiting !== undefined) {
      trace.freeNow(waiting);
      this.#parked.delete(address);
    } else if (id === undefined) {
      // The second half of a pair that was told as one.
      if (action !== FREE_COMPLETED || at === 0 || addresses.get(at - 1) !== address) this.#ignored++;
    } else {
      const completes = at + 1 < length && actions.get(at + 1) === FREE_COMPLETED && addresses.get(at + 1) === address;
      if (action === FREE_REQUESTED && !completes) {
        trace.freeLater(id);
        this.#parked.set(address, id);
      } else trace.free(id);
      this.#live.delete(address);
    }
  }
}
