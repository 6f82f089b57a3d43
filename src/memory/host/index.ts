/** Pinned host memory. */
export { HostAllocator, type HostAllocatorOptions } from './host-allocator.ts';
export type { Durations, HostStatistics } from './statistics.ts';
