/**
 * Statistics of pinned host memory, as `torch.cuda.memory` has them. One allocator serves all devices. Blocks are powers of
 * two, so bytes are more than was asked for. Reading a figure is a commit point (docs/memory.md).
 */
import { committedHostAllocator } from '../devices/pinned.ts';
import { flatten } from '../memory/allocator/statistics.ts';
import { HostAllocator } from '../memory/host/host-allocator.ts';
import type { HostStatistics } from '../memory/host/statistics.ts';
import { is_initialized } from './device.ts';

/**
 * Pinned memory by key: `allocations.*` and `allocated_bytes.*` of blocks held from the host, `active_requests.*` and
 * `active_bytes.*` of those in use, each `current`, `peak`, `allocated` and `freed`; calls (`num_host_alloc`, `num_host_free`)
 * and their times in microseconds. `{}` before the first use of mtia or of pinned memory.
 */
export function host_memory_stats(): Record<string, number> {
  return flatten(host_memory_stats_as_nested_dict());
}

/** The same, nested. */
export function host_memory_stats_as_nested_dict(): HostStatistics | Record<string, never> {
  const allocator = committedHostAllocator() ?? (is_initialized() ? new HostAllocator() : null);
  return allocator === null ? {} : allocator.nestedStatistics();
}

/** What was `allocated` and `freed` since the start is counted from 0 again. */
export function reset_accumulated_host_memory_stats(): void {
  committedHostAllocator()?.resetAccumulated();
}

/** Peaks start again from what is now. */
export function reset_peak_host_memory_stats(): void {
  committedHostAllocator()?.resetPeak();
}

/** `torch.accelerator.memory.empty_host_cache()`: gives pinned memory that is not in use back to the host. Never fails. */
export function empty_host_cache(): void {
  committedHostAllocator()?.emptyCache();
}
