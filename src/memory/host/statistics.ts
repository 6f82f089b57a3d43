/** Statistics of pinned host memory, in the shape of PyTorch's `host_memory_stats`. */
import type { Metrics } from '../allocator/statistics.ts';

/** One figure. */
export class Stat implements Metrics {
  current = 0;
  peak = 0;
  allocated = 0;
  freed = 0;

  increase(amount: number): void {
    this.current += amount;
    if (this.current > this.peak) this.peak = this.current;
    this.allocated += amount;
  }

  decrease(amount: number): void {
    this.current -= amount;
    this.freed += amount;
  }

  add(other: Metrics): void {
    this.current += other.current;
    this.peak += other.peak;
    this.allocated += other.allocated;
    this.freed += other.freed;
  }

  resetPeak(): void {
    this.peak = this.current;
  }

  resetAccumulated(): void {
    this.allocated = 0;
    this.freed = 0;
  }
}

/** Times of a kind of call, in microseconds. */
export interface Durations {
  total: number;
  max: number;
  min: number;
  count: number;
  avg: number;
}

export class DurationStat {
  total = 0;
  max = 0;
  /** 0 until a call took a whole microsecond. */
  min = 0;
  count = 0;

  increase(microseconds: number): void {
    this.total += microseconds;
    this.count++;
    if (microseconds > this.max) this.max = microseconds;
    if (this.min === 0 || microseconds < this.min) this.min = microseconds;
  }

  resetPeak(): void {
    this.max = 0;
    this.min = 0;
  }

  resetAccumulated(): void {
    this.total = 0;
    this.count = 0;
  }

  nested(): Durations {
    const { total, max, min, count } = this;
    return { total, max, min, count, avg: count === 0 ? 0 : Math.floor(total / count) };
  }
}

/** `host_memory_stats_as_nested_dict`. Bytes are those of whole blocks, rounding included. */
export interface HostStatistics {
  /** Blocks asked of the host, and given back. */
  num_host_alloc: number;
  num_host_free: number;
  /** Blocks held: handed out or cached. */
  allocations: Metrics;
  /** Blocks handed out, or waiting for a stream. */
  active_requests: Metrics;
  allocated_bytes: Metrics;
  active_bytes: Metrics;
  host_alloc_time: Durations;
  host_free_time: Durations;
}
