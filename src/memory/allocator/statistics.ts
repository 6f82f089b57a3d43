/**
 * The allocator's statistics, as PyTorch's `memory_stats` has them: nine figures for all blocks and for either pool,
 * two of oversize blocks, and counters.
 *
 * For a figure only what cannot be told from the rest is kept: the current value, what was freed, and the peaks. What was
 * allocated follows from those, and the figure for all blocks from those of the pools (but not its peak).
 */

/** The figures, in PyTorch's order. */
export const FIGURES = [
  'allocated_bytes',
  'reserved_bytes',
  'active_bytes',
  'requested_bytes',
  'allocation',
  'segment',
  'active',
  'inactive_split',
  'inactive_split_bytes',
] as const;
export type Figure = (typeof FIGURES)[number];

export const ALLOCATED_BYTES = 0;
export const RESERVED_BYTES = 1;
export const ACTIVE_BYTES = 2;
export const REQUESTED_BYTES = 3;
export const ALLOCATION = 4;
export const SEGMENT = 5;
export const ACTIVE = 6;
export const INACTIVE_SPLIT = 7;
export const INACTIVE_SPLIT_BYTES = 8;
/** Not of a pool: these use the place of the large pool. */
const OVERSIZE_ALLOCATIONS = 9;
const OVERSIZE_SEGMENTS = 10;
const COUNT = 11;

/** Pools as the figures count them. */
export const LARGE = 0;
export const SMALL = 1;

// A figure of a pool: current, freed, current at the last reset of what was accumulated, peak.
const CURRENT = 0;
const FREED = 1;
const BASE = 2;
const PEAK = 3;

/** One figure of one pool, in PyTorch's order. */
export interface Metrics {
  current: number;
  peak: number;
  allocated: number;
  freed: number;
}

export interface PoolMetrics {
  all: Metrics;
  small_pool: Metrics;
  large_pool: Metrics;
}

/** `memory_stats_as_nested_dict`, in PyTorch's order. */
export type NestedStatistics = {
  num_alloc_retries: number;
  num_ooms: number;
  max_split_size: number;
  num_sync_all_streams: number;
  num_device_alloc: number;
  num_device_free: number;
} & Record<Figure, PoolMetrics> & { oversize_allocations: Metrics; oversize_segments: Metrics };

export class Statistics {
  /** Allocations that were tried again after the cache had been given back. */
  numAllocRetries = 0;
  /** Requests that found no room. */
  numOoms = 0;
  /** Waits for the events of all streams. */
  numSyncAllStreams = 0;
  /** Segments and mappings asked of the device. */
  numDeviceAlloc = 0;
  /** Segments and mappings given back. */
  numDeviceFree = 0;
  /** Requests turned away by throw_on_cudamalloc_oom. */
  numOomRejections = 0;

  private readonly values = new Float64Array(COUNT * 8);
  private readonly peaks = new Float64Array(COUNT);

  increase(figure: number, pool: number, amount: number): void {
    const { values, peaks } = this;
    const at = figure * 8 + pool * 4;
    const current = (values[at] += amount);
    if (current > values[at + PEAK]) values[at + PEAK] = current;
    const all = current + values[at ^ 4];
    if (all > peaks[figure]) peaks[figure] = all;
  }

  decrease(figure: number, pool: number, amount: number): void {
    const at = figure * 8 + pool * 4;
    this.values[at] -= amount;
    this.values[at + FREED] += amount;
  }

  /** An amount of either sign. */
  change(figure: number, pool: number, amount: number): void {
    if (amount > 0) this.increase(figure, pool, amount);
    else if (amount < 0) this.decrease(figure, pool, -amount);
  }

  oversizeAllocated(): void {
    this.increase(OVERSIZE_ALLOCATIONS, LARGE, 1);
  }

  oversizeFreed(): void {
    this.decrease(OVERSIZE_ALLOCATIONS, LARGE, 1);
  }

  oversizeSegmentAllocated(): void {
    this.increase(OVERSIZE_SEGMENTS, LARGE, 1);
  }

  oversizeSegmentFreed(): void {
    this.decrease(OVERSIZE_SEGMENTS, LARGE, 1);
  }

  /** The figure for all blocks, now. */
  current(figure: number): number {
    return this.values[figure * 8] + this.values[figure * 8 + 4];
  }

  /** The most that it has been since the last `resetPeak`. */
  peak(figure: number): number {
    return this.peaks[figure];
  }

  /** `reset_peak_memory_stats`. */
  resetPeak(): void {
    const { values } = this;
    for (let at = 0; at < values.length; at += 4) values[at + PEAK] = values[at + CURRENT];
    for (let figure = 0; figure < COUNT; figure++) this.peaks[figure] = this.current(figure);
  }

  /** `reset_accumulated_memory_stats`: what was allocated and freed, and all counters. */
  resetAccumulated(): void {
    const { values } = this;
    for (let at = 0; at < values.length; at += 4) {
      values[at + BASE] = values[at + CURRENT];
      values[at + FREED] = 0;
    }
    this.numAllocRetries = 0;
    this.numOoms = 0;
    this.numSyncAllStreams = 0;
    this.numDeviceAlloc = 0;
    this.numDeviceFree = 0;
    this.numOomRejections = 0;
  }

  /** @param maxSplitSize bytes; Infinity, no limit, is told as -1 as in PyTorch */
  nested(maxSplitSize: number): NestedStatistics {
    const stats: Record<string, number | Metrics | PoolMetrics> = {
      num_alloc_retries: this.numAllocRetries,
      num_ooms: this.numOoms,
      max_split_size: maxSplitSize === Infinity ? -1 : maxSplitSize,
      num_sync_all_streams: this.numSyncAllStreams,
      num_device_alloc: this.numDeviceAlloc,
      num_device_free: this.numDeviceFree,
    };
    FIGURES.forEach((name, figure) => {
      const small = this.metrics(figure, SMALL);
      const large = this.metrics(figure, LARGE);
      stats[name] = { all: this.sum(figure, small, large), small_pool: small, large_pool: large };
    });
    stats.oversize_allocations = this.metrics(OVERSIZE_ALLOCATIONS, LARGE);
    stats.oversize_segments = this.metrics(OVERSIZE_SEGMENTS, LARGE);
    return stats as unknown as NestedStatistics;
  }

  private metrics(figure: number, pool: number): Metrics {
    const at = figure * 8 + pool * 4;
    const [current, freed, base, peak] = this.values.subarray(at, at + 4);
    return { current, peak, allocated: current - base + freed, freed };
  }

  private sum(figure: number, a: Metrics, b: Metrics): Metrics {
    return {
      current: a.current + b.current,
      peak: this.peaks[figure],
      allocated: a.allocated + b.allocated,
      freed: a.freed + b.freed,
    };
  }
}

/** `memory_stats`: nested statistics with their keys joined by dots, sorted. */
export function flatten(nested: object): Record<string, number> {
  const flat: [string, number][] = [];
  const add = (prefix: string, value: unknown): void => {
    if (typeof value === 'number') flat.push([prefix, value]);
    else
      for (const [key, inner] of Object.entries(value as object)) add(prefix === '' ? key : `${prefix}.${key}`, inner);
  };
  add('', nested);
  return Object.fromEntries(flat.sort(([a], [b]) => (a < b ? -1 : 1)));
}
