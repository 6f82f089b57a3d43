/**
 * A trace followed from its first event to its last: when the most was needed, when the most was held, and by whom.
 */
import {
  ALLOC,
  FREE_COMPLETED,
  FREE_REQUESTED,
  SEGMENT_ALLOC,
  SEGMENT_FREE,
  SEGMENT_MAP,
  SEGMENT_UNMAP,
} from './actions.ts';
import { AddressSet } from './address-set.ts';
import { CHUNK } from './column.ts';
import { type OutOfMemoryEvent, outOfMemoryEvents } from './oom-events.ts';
import type { Segment } from './snapshot.ts';
import { allocatedBlocks, type Site, SiteSums } from './sites.ts';
import { ABSENT, framesOf, type SnapshotTrace, timeOf } from './trace.ts';
import type { Frame } from './types.ts';

/** The moment at which a figure was largest. */
export interface Peak {
  /** Bytes. */
  bytes: number;
  /** Number of the event in the trace that reached it; -1: it was there when the trace begins. */
  event: number;
  /** Microseconds since 1970; null if the trace has no times. */
  time: number | null;
  /** The stack of that event. */
  frames: readonly Frame[];
}

export interface Timeline {
  events: number;
  /** Events by action. */
  actions: { [action: string]: number };
  /** Of the first and the last event, microseconds since 1970; null without times. */
  from: number | null;
  to: number | null;
  /** The most that was in use, in bytes as requested: what a trace tells. */
  requested: Peak;
  /** The most that was held on the device. */
  reserved: Peak;
  /** Who held what when `requested` was reached, the largest first. */
  holders: Site[];
  outOfMemory: OutOfMemoryEvent[];
}

/** Calls for each event with what is needed most. */
function follow(
  trace: SnapshotTrace,
  visit: (action: number, address: number, size: number, index: number) => void,
): void {
  const size = Math.min(CHUNK, trace.length);
  const actions = new Float64Array(size);
  const addresses = new Float64Array(size);
  const sizes = new Float64Array(size);
  for (let chunk = 0; chunk < trace.actions.chunks; chunk++) {
    const count = trace.actions.read(chunk, actions);
    trace.addresses.read(chunk, addresses);
    trace.sizes.read(chunk, sizes);
    for (let i = 0; i < count; i++) visit(actions[i], addresses[i], sizes[i], chunk * CHUNK + i);
  }
}

/** What is in use, from event to event: the sizes of live allocations by address. */
class Live {
  readonly sizes = new Map<number, number>();
  /** Freed by their owners; the block comes back later, which is no second free. */
  readonly #pending = new Set<number>();

  allocate(address: number, size: number): void {
    this.sizes.set(address, size);
    this.#pending.delete(address);
  }

  /** Tells whether this event is the one that ends an allocation. */
  ends(action: number, address: number): boolean {
    if (action === FREE_REQUESTED) {
      this.#pending.add(address);
      return true;
    }
    return !this.#pending.delete(address);
  }
}

/**
 * Follows a device's trace.
 * @param segments the device's segments at the end of the trace
 * @param holders so many of the largest holders are named
 */
export function timeline(trace: SnapshotTrace, segments: readonly Segment[], holders: number): Timeline {
  const freeAction = trace.otherActionNumber('free');
  const frees = (action: number) => action === FREE_REQUESTED || action === FREE_COMPLETED || action === freeAction;
  const counts: number[] = [];
  const live = new Live();
  let use = 0;
  let mostUse = 0;
  let useEvent = -1;
  let before = 0;
  let reserved = 0;
  let mostReserved = 0;
  let reservedEvent = -1;
  follow(trace, (action, address, size, index) => {
    counts[action] = (counts[action] ?? 0) + 1;
    if (action === ALLOC) {
      live.allocate(address, size);
      use += size;
      if (use > mostUse) {
        mostUse = use;
        useEvent = index;
      }
    } else if (frees(action)) {
      if (!live.ends(action, address)) return;
      const allocated = live.sizes.get(address);
      // Not seen: it was there before.
      if (allocated === undefined) before += size;
      else live.sizes.delete(address);
      use -= allocated ?? size;
    } else if (action === SEGMENT_ALLOC || action === SEGMENT_MAP) {
      reserved += size;
      if (reserved > mostReserved) {
        mostReserved = reserved;
        reservedEvent = index;
      }
    } else if (action === SEGMENT_FREE || action === SEGMENT_UNMAP) reserved -= size;
  });
  for (const [block] of allocatedBlocks(segments)) if (!live.sizes.has(block.address)) before += block.requested_size;
  const heldNow = segments.reduce((sum, segment) => sum + segment.total_size, 0);
  const peak = (bytes: number, event: number): Peak => ({
    bytes,
    event,
    time: event < 0 ? null : timeOf(trace, event),
    frames: event < 0 ? [] : framesOf(trace, event),
  });
  const { length } = trace;
  return {
    events: length,
    actions: Object.fromEntries(
      counts.flatMap((count, action) => (count > 0 ? [[trace.actionName(action), count]] : [])) as [string, number][],
    ),
    from: length === 0 ? null : timeOf(trace, 0),
    to: length === 0 ? null : timeOf(trace, length - 1),
    requested: peak(before + mostUse, useEvent),
    reserved: peak(heldNow - reserved + mostReserved, reservedEvent),
    holders: holdersAt(trace, segments, useEvent, frees, holders),
    outOfMemory: outOfMemoryEvents(trace, segments),
  };
}

/** Who held what right after an event; -1: before the first. */
function holdersAt(
  trace: SnapshotTrace,
  segments: readonly Segment[],
  event: number,
  frees: (action: number) => boolean,
  limit: number,
): Site[] {
  const sums = new SiteSums(trace.frames);
  const live = new Live();
  /** The stack of each live allocation. */
  const stacks = new Map<number, number>();
  /** Addresses whose allocation or free has been met: what happens there later is about another allocation. */
  const seen = new AddressSet();
  follow(trace, (action, address, size, index) => {
    if (action === ALLOC) {
      if (index <= event) {
        live.allocate(address, size);
        stacks.set(address, trace.stacks.get(index));
        sums.add(trace.stacks.get(index), size);
      }
      seen.add(address);
    } else if (frees(action)) {
      if (index <= event) {
        if (!live.ends(action, address)) return;
        const allocated = live.sizes.get(address);
        if (allocated !== undefined) {
          sums.add(stacks.get(address)!, -allocated, -1);
          live.sizes.delete(address);
          stacks.delete(address);
        }
      } else if (!seen.has(address)) {
        // Freed after that moment and never seen allocated: it was there all the time, where from nobody knows.
        sums.add(ABSENT, size);
      }
      seen.add(address);
    }
  });
  for (const [block] of allocatedBlocks(segments))
    if (!seen.has(block.address)) sums.add(block.stack, block.requested_size);
  return sums.largest(limit);
}
