/**
 * Statistics of a device's memory: PyTorch's names, the seven by which the articles know them, and what PyTorch leaves out. All
 * figures are bytes unless they count something.
 */
import { RuntimeError } from '../../core/errors.ts';
import { warn } from '../../core/warn.ts';
import { what } from '../../devices/storage.ts';
import { configuration, deviceCount, notAvailable } from '../../devices/registry.ts';
import { cachedBytesByStream, pinnedSegments, reservedBytesByPrivatePools } from '../../memory/allocator/segments.ts';
import { flatten, type NestedStatistics, Statistics } from '../../memory/allocator/statistics.ts';
import type { AllocatorConsumer } from '../../memory/allocator-consumer.ts';
import { is_initialized, type MtiaDevice } from '../device.ts';
import { committed } from './figures.ts';

/** One level of a device's memory. Bytes, but for `num_ooms`. */
export interface MemoryLevel {
  /** Of live tensors, as the allocator rounds them. */
  allocated_bytes: number;
  /** The most that `allocated_bytes` has been since the start or `reset_peak_memory_stats`. */
  peak_bytes: number;
  /** Held from the device, in use or cached. */
  reserved_bytes: number;
  /** Capacity. */
  total_bytes: number;
  /** What this process may hold of it. */
  allowed_bytes: number;
  /** Allocations that found no room. */
  num_ooms: number;
}

/** PyTorch's statistics: `dram` as MTIA gives them, then the caching allocator's, in CUDA's order. */
export interface MemoryStats extends NestedStatistics {
  dram: MemoryLevel;
  /** Bytes that private pools (graphs, MemPools) hold, by pool id `0_1`. */
  reserved_bytes_by_private_pools: Record<string, number>;
  /** Cached bytes by stream: what a stream that is no longer used strands. */
  cached_bytes_by_stream: Record<string, number>;
}

export const unused = (): NestedStatistics => new Statistics().nested(Infinity);

function statsOf(figures: AllocatorConsumer | null): MemoryStats {
  const total = configuration().memory;
  return {
    dram: {
      allocated_bytes: figures?.allocated ?? 0,
      peak_bytes: figures?.peak ?? 0,
      reserved_bytes: figures?.reserved ?? 0,
      total_bytes: total,
      allowed_bytes: figures?.allowed ?? total,
      num_ooms: figures?.ooms ?? 0,
    },
    ...(figures?.allocator.nestedStatistics() ?? unused()),
    reserved_bytes_by_private_pools: figures === null ? {} : reservedBytesByPrivatePools(figures.allocator),
    cached_bytes_by_stream:
      figures === null
        ? {}
        : Object.fromEntries([...cachedBytesByStream(figures.allocator)].map(([id, bytes]) => [String(id), bytes])),
  };
}

/** `torch.mtia.memory_stats(device)`: `{}` before the first use of mtia. */
export function memory_stats(device?: MtiaDevice): MemoryStats | Record<string, never> {
  const figures = committed(device);
  return is_initialized() ? statsOf(figures) : {};
}

/** `torch.cuda.memory_stats_as_nested_dict(device)`: the allocator's alone; `{}` before the first use of mtia. */
export function memory_stats_as_nested_dict(device?: MtiaDevice): NestedStatistics | Record<string, never> {
  const figures = committed(device);
  if (!is_initialized()) return {};
  return figures?.allocator.nestedStatistics() ?? unused();
}

/** The 122 flat keys, sorted; `{}` before the first use of the device. For `torch.accelerator.memory_stats`. */
export function flatStats(device?: MtiaDevice): Record<string, number> {
  const figures = committed(device);
  return figures === null ? {} : flatten(figures.allocator.nestedStatistics());
}

/** `torch.mtia.memory_allocated(device)`: of live tensors, each as the allocator rounds it. */
export function memory_allocated(device?: MtiaDevice): number {
  return committed(device)?.allocated ?? 0;
}

/** `torch.mtia.max_memory_allocated(device)`: the most that `memory_allocated` has been since the last reset. */
export function max_memory_allocated(device?: MtiaDevice): number {
  return committed(device)?.peak ?? 0;
}

/** `torch.cuda.memory_reserved(device)`: held from the device, in use or cached. */
export function memory_reserved(device?: MtiaDevice): number {
  return committed(device)?.reserved ?? 0;
}

/** `torch.cuda.max_memory_reserved(device)`: the most that `memory_reserved` has been since the last reset. */
export function max_memory_reserved(device?: MtiaDevice): number {
  return committed(device)?.peakReserved ?? 0;
}

/** `torch.mtia.reset_peak_memory_stats(device)`: peaks start again from what is now. */
export function reset_peak_memory_stats(device?: MtiaDevice): void {
  committed(device)?.resetPeak();
}

/** `torch.cuda.reset_accumulated_memory_stats(device)`: what was allocated and freed since the start counts from 0 again. */
export function reset_accumulated_memory_stats(device?: MtiaDevice): void {
  committed(device)?.allocator.statistics.resetAccumulated();
}

function renamed(from: string): void {
  warn(
    `torch.mtia.memory.${from} now calls torch.mtia.memory.reset_peak_memory_stats, which resets /all/ peak memory stats.`,
    'FutureWarning',
  );
}

/** `torch.cuda.reset_max_memory_allocated(device)`: deprecated. */
export function reset_max_memory_allocated(device?: MtiaDevice): void {
  renamed('reset_max_memory_allocated');
  reset_peak_memory_stats(device);
}

/** `torch.cuda.reset_max_memory_cached(device)`: deprecated. */
export function reset_max_memory_cached(device?: MtiaDevice): void {
  renamed('reset_max_memory_cached');
  reset_peak_memory_stats(device);
}

/** `torch.cuda.memory_cached(device)`: deprecated. */
export function memory_cached(device?: MtiaDevice): number {
  warn('torch.mtia.memory.memory_cached has been renamed to torch.mtia.memory.memory_reserved', 'FutureWarning');
  return memory_reserved(device);
}

/** `torch.cuda.max_memory_cached(device)`: deprecated. */
export function max_memory_cached(device?: MtiaDevice): number {
  warn(
    'torch.mtia.memory.max_memory_cached has been renamed to torch.mtia.memory.max_memory_reserved',
    'FutureWarning',
  );
  return max_memory_reserved(device);
}

/**
 * The articles' name for `memory_stats`; unlike that, it throws where there is nothing to tell.
 * @throws RuntimeError before the first use of mtia, and where there is no device
 */
export function get_memory_stats(device?: MtiaDevice): MemoryStats {
  if (deviceCount() === 0) throw notAvailable();
  const figures = committed(device);
  if (!is_initialized()) {
    throw new RuntimeError(
      "MTIA memory tracking is not initialized: nothing has run on the device yet. Put something there first, such as torch.empty(1, { device: 'mtia' }), or call torch.mtia.init(). torch.mtia.memory_stats() gives {} here.",
    );
  }
  return statsOf(figures);
}

/** Bytes that are cached for each stream: they serve requests on that stream only. Not in PyTorch. */
export function cachedBytes(device?: MtiaDevice): Map<number, number> {
  const figures = committed(device);
  return figures === null ? new Map() : cachedBytesByStream(figures.allocator);
}

/** A segment that `empty_cache` cannot give back, and who keeps it. */
export interface PinnedMemory {
  /** Of the segment. */
  address: number;
  stream: number;
  /** Bytes held from the device. */
  total_size: number;
  /** Of these, bytes that nobody uses. */
  free: number;
  pinned_by: Holder[];
}

/** Somebody who holds memory. */
export interface Holder {
  address: number;
  /** Bytes, rounding included, and as asked for. */
  size: number;
  requested_size: number;
  /** Sizes and dtype; null for what is no tensor. */
  shape: readonly number[] | null;
  dtype: string | null;
  /** The operation that allocated it. */
  operation: string;
  /** The module or parameter, as far as it is known. */
  module: string;
  /** All of that in words. */
  description: string;
}

/**
 * The segments that cannot be given back although part of them is free, largest waste first, and the tensors that pin each
 * of them. Not in PyTorch.
 */
export function pinnedMemory(device?: MtiaDevice): PinnedMemory[] {
  const figures = committed(device);
  if (figures === null) return [];
  return pinnedSegments(figures.allocator).map(({ segment, free, pinnedBy }) => ({
    address: segment.address,
    stream: segment.stream,
    total_size: segment.total_size,
    free,
    pinned_by: pinnedBy.map(({ block }) => holderOf(figures, block)),
  }));
}

/** Who holds memory on the device now, largest first; of equal ones the oldest first. Not in PyTorch. */
export function holders(device?: MtiaDevice): Holder[] {
  const figures = committed(device);
  return figures === null ? [] : figures.largestHolders(Infinity).map(({ block }) => holderOf(figures, block));
}

function holderOf(figures: AllocatorConsumer, block: number): Holder {
  const { allocator } = figures;
  const record = figures.holder(block);
  return {
    address: allocator.addressOf(block),
    size: allocator.sizeOf(block),
    requested_size: allocator.requestedOf(block),
    shape: record?.sizes ?? null,
    dtype: record?.sizes == null ? null : record.dtype,
    operation: record?.operation ?? '',
    module: record?.place ?? '',
    description: record === null ? '' : what(record),
  };
}
