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
import { isActive, type Segment, type Snapshot } from './snapshot.ts';
import { SnapshotTrace } from './trace.ts';

/**
 * The events of a device's trace, with what was held before the first of them.
 * @param device index of the device
 */
export function importSnapshot(snapshot: Snapshot, device: number): ImportedTrace {
  const rows = snapshot.device_traces[device] ?? new SnapshotTrace(snapshot.frames);
  const segments = snapshot.segments.filter((segment) => segment.device === device);
  return new Importer(rows).import(segments);
}

class Importer {
  readonly #rows: SnapshotTrace;
  readonly #trace = new Trace();
  readonly #from: number[] = [];
  readonly #streams: number[] = [0];
  readonly #streamNumbers = new Map([[0, 0]]);
  /** Numbers of allocations by address: in use, and freed but used by another stream. */
  readonly #live = new Map<number, number>();
  readonly #parked = new Map<number, number>();
  /** 'free': a pair of events in one, as old tools wrote. */
  readonly #free: number;
  #ignored = 0;

  constructor(rows: SnapshotTrace) {
    this.#rows = rows;
    this.#free = rows.otherActionNumber('free');
  }

  import(segments: readonly Segment[]): ImportedTrace {
    const initial = this.#initial(segments);
    const trace = this.#trace;
    for (const { address, requested, stream } of initial) {
      this.#live.set(address, trace.malloc(requested, this.#stream(stream)));
      this.#from.push(-1);
    }
    trace.initial = initial.length;
    const { actions, length } = this.#rows;
    let freesSegments = false;
    for (let at = 0; at < length; at++) {
      const action = actions.get(at);
      // Segments freed by a request that found no room say nothing about other settings; otherwise the cache was emptied.
      const frees = action === SEGMENT_FREE || action === SEGMENT_UNMAP;
      if (freesSegments && !frees && action !== SEGMENT_ALLOC && action !== SEGMENT_MAP && action !== OOM) {
        trace.emptyCache();
        this.#from.push(at - 1);
      }
      freesSegments = frees;
      const events = trace.length;
      if (action === ALLOC) {
        const { addresses, sizes, streams } = this.#rows;
        this.#live.set(addresses.get(at), trace.malloc(sizes.get(at), this.#stream(streams.get(at))));
      } else if (this.#isFree(action)) this.#release(at, action);
      if (trace.length > events) this.#from.push(at);
    }
    return { trace, initial, rows: this.#from, streams: this.#streams, ignored: this.#ignored };
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
  #initial(segments: readonly Segment[]): InitialBlock[] {
    const { actions, addresses, sizes, streams, length } = this.#rows;
    const seen = new Set<number>();
    const initial = new Map<number, InitialBlock>();
    for (let at = 0; at < length; at++) {
      const action = actions.get(at);
      if (action !== ALLOC && !this.#isFree(action)) continue;
      const address = addresses.get(at);
      if (seen.has(address)) continue;
      seen.add(address);
      if (action !== ALLOC) initial.set(address, { address, requested: sizes.get(at), stream: streams.get(at) });
    }
    for (const segment of segments) {
      for (const block of segment.blocks) {
        const { address, size, requested_size } = block;
        if (isActive(block) && !seen.has(address))
          initial.set(address, { address, requested: requested_size || size, stream: segment.stream });
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
