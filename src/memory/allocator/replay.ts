/**
 * Running a trace through an allocator with any settings and capacity: how much it reserves, how fragmented that is, and
 * whether and where it runs out of memory.
 */
import { Allocator, NO_ROOM } from './allocator.ts';
import type { Device } from './device.ts';
import type { OutOfMemory } from './oom.ts';
import type { Route } from './pools.ts';
import { listSegments, type SegmentInfo } from './segments.ts';
import type { AllocatorSettings } from './settings.ts';
import {
  ACTIVE_BYTES,
  ALLOCATED_BYTES,
  type NestedStatistics,
  REQUESTED_BYTES,
  RESERVED_BYTES,
  SEGMENT,
} from './statistics.ts';
import { releasePool, retainPool } from './private.ts';
import { TRACE_EMPTY_CACHE, TRACE_FREE, TRACE_FREE_LATER, TRACE_FREE_NOW, TRACE_MALLOC, type Trace } from './trace.ts';

export interface ReplayOptions {
  /** Bytes of device memory, or the device. 1 TiB by default: more than any device has. */
  readonly device?: number | Device;
  readonly settings?: AllocatorSettings;
  /** Share of the device's memory that may be reserved. */
  readonly fraction?: number;
  /** Go on after a request that found no room, as a program would that catches the error. Otherwise stop there. */
  readonly keepGoing?: boolean;
}

export interface ReplayFailure {
  /** Number of the event in the trace. */
  readonly event: number;
  /** Number of the allocation. */
  readonly allocation: number;
  readonly failure: OutOfMemory;
}

/** Bytes, unless it says otherwise. */
export interface ReplayResult {
  readonly peakAllocated: number;
  readonly peakActive: number;
  readonly peakRequested: number;
  readonly peakReserved: number;
  /** Largest number of segments at a time; those of expandable ranges are not counted, as in PyTorch. */
  readonly peakSegments: number;
  /** When the most was reserved for the first time: the share of it that was not in use, 0 to 1. */
  readonly fragmentation: number;
  /** The event at which the most was reserved. */
  readonly peakEvent: number;
  /** Number of events run. */
  readonly events: number;
  /** Requests that found no room, in order: the first is where a program would have stopped. */
  readonly failures: readonly ReplayFailure[];
  readonly statistics: NestedStatistics;
  /** Segments at the end. */
  readonly segments: readonly SegmentInfo[];
}

const PLENTY = 1024 ** 4;
/** A stream that only replays use: what is freed later waits for it. */
const ELSEWHERE = -1;

/** Runs a trace through a new allocator. */
export function replay(trace: Trace, options: ReplayOptions = {}): ReplayResult {
  const allocator = new Allocator({ device: options.device ?? PLENTY, settings: options.settings });
  if (options.fraction !== undefined) allocator.setMemoryFraction(options.fraction);
  return replayInto(allocator, trace, { keepGoing: options.keepGoing });
}

/** Private pools of a trace as an allocator has them, made when they are first used. */
class Pools {
  private readonly routes: (Route | undefined)[] = [];

  constructor(
    private readonly allocator: Allocator,
    private readonly trace: Trace,
  ) {}

  malloc(pool: number, size: number, stream: number): number {
    const { allocator } = this;
    let route = this.routes[pool];
    if (route === undefined) {
      route = { pool: retainPool(allocator, this.trace.poolIds[pool]), takes: () => true, capture: false };
      this.routes[pool] = route;
    }
    allocator.routes.push(route);
    const block = allocator.malloc(size, stream);
    allocator.routes.pop();
    return block;
  }

  release(pool: number): void {
    if (this.routes[pool] === undefined) return;
    const id = this.trace.poolIds[pool];
    releasePool(this.allocator, id);
    this.allocator.emptyCache(id);
    this.routes[pool] = undefined;
  }
}

/**
 * Runs a trace through an allocator that may have been used before.
 * @param options.held blocks of the trace's initial allocations, where the allocator has them already
 */
export function replayInto(
  allocator: Allocator,
  trace: Trace,
  options: { readonly keepGoing?: boolean; readonly held?: Int32Array } = {},
): ReplayResult {
  const { keepGoing = false, held } = options;
  const { statistics } = allocator;
  const { kinds, ids, sizes, streams, pools } = trace;
  const privatePools = new Pools(allocator, trace);
  const blocks = new Int32Array(trace.allocations);
  if (held !== undefined) blocks.set(held);
  const failures: ReplayFailure[] = [];
  let peakReserved = allocator.reserved;
  let peakEvent = 0;
  let inUse = statistics.current(ACTIVE_BYTES);
  let at = held === undefined ? 0 : trace.initial;
  for (; at < trace.length; at++) {
    const id = ids[at];
    switch (kinds[at]) {
      case TRACE_MALLOC: {
        const pool = pools === null ? 0 : pools[at];
        const block =
          pool === 0 ? allocator.malloc(sizes[at], streams[at]) : privatePools.malloc(pool, sizes[at], streams[at]);
        if (block !== NO_ROOM) {
          blocks[id] = block;
          if (allocator.reserved > peakReserved) {
            peakReserved = allocator.reserved;
            peakEvent = at;
            inUse = statistics.current(ACTIVE_BYTES);
          }
        } else failures.push({ event: at, allocation: id, failure: allocator.failure! });
        break;
      }
      case TRACE_FREE:
        allocator.free(blocks[id]);
        break;
      case TRACE_FREE_LATER:
        allocator.recordStream(blocks[id], ELSEWHERE);
        allocator.free(blocks[id]);
        break;
      case TRACE_EMPTY_CACHE:
        allocator.emptyCache();
        break;
      case TRACE_FREE_NOW:
        allocator.completeFree(blocks[id]);
        break;
      default:
        privatePools.release(id);
    }
    if (failures.length > 0 && !keepGoing) break;
  }
  return {
    peakAllocated: statistics.peak(ALLOCATED_BYTES),
    peakActive: statistics.peak(ACTIVE_BYTES),
    peakRequested: statistics.peak(REQUESTED_BYTES),
    peakReserved: statistics.peak(RESERVED_BYTES),
    peakSegments: statistics.peak(SEGMENT),
    fragmentation: peakReserved === 0 ? 0 : (peakReserved - inUse) / peakReserved,
    peakEvent,
    events: Math.min(at + 1, trace.length),
    failures,
    statistics: allocator.nestedStatistics(),
    segments: listSegments(allocator),
  };
}

/**
 * A device memory with which a trace runs, while with `step` bytes less it does not. Found by bisection. As a rule it is the only
 * one; but whether a trace runs may change more than once, since with more memory cached segments are given back later.
 * @param most bytes with which it is known to run, or suspected to
 * @param least bytes with which it cannot run, as the search's beginning
 * @returns bytes, or null if `most` does not suffice
 */
export function leastCapacity(
  trace: Trace,
  most: number,
  options: Omit<ReplayOptions, 'device'> = {},
  step = 2 * 1024 * 1024,
  least = 0,
): number | null {
  const fits = (capacity: number) => replay(trace, { ...options, device: capacity }).failures.length === 0;
  let high = Math.ceil(most / step);
  if (!fits(high * step)) return null;
  let low = Math.floor(least / step);
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle * step)) high = middle;
    else low = middle;
  }
  return high * step;
}

/** Bytes, multiples of the step. */
export interface CapacityRange {
  /** The least with which the trace runs. */
  readonly least: number;
  /** From here on it runs with each. */
  readonly always: number;
}

/**
 * The device memories with which a trace runs, by trying each multiple of `step`: from `least` up and from `most` down.
 * @returns null if `most` does not suffice
 */
export function capacityRange(
  trace: Trace,
  most: number,
  options: Omit<ReplayOptions, 'device'> = {},
  step = 2 * 1024 * 1024,
  least = 0,
): CapacityRange | null {
  const fits = (capacity: number) => replay(trace, { ...options, device: capacity }).failures.length === 0;
  let low = Math.max(1, Math.ceil(least / step));
  let high = Math.max(low, Math.ceil(most / step));
  if (!fits(high * step)) return null;
  while (low < high && !fits(low * step)) low++;
  while (high > low && fits((high - 1) * step)) high--;
  return { least: low * step, always: high * step };
}
