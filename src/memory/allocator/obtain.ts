/**
 * A request that no cached block serves: a new segment, and where the device has no room for it, all that PyTorch tries
 * before it gives up.
 */
import type { Allocator } from './allocator.ts';
import { OOM } from './constants.ts';
import { describeFailure } from './oom.ts';
import type { BlockPool } from './pools.ts';
import { collectGarbage, releaseAvailable, releaseCached } from './reclaim.ts';

/** A block that is in no pool and not yet handed out; 0 if there is no room: then `failure` says why. */
export function obtain(allocator: Allocator, pool: BlockPool, requested: number, size: number, stream: number): number {
  const { settings, limit } = allocator;
  const expandable = settings.expandableSegments;
  const segment = allocator.segmentSize(size);
  let block = runFreeCallbacks(allocator) ? allocator.takeCached(pool, size, stream, expandable) : 0;
  if (block !== 0) return block;
  const rejected = settings.throwOnDeviceMallocOom && allocator.reserved + segment > limit;
  if (!rejected) {
    if (allocator.collects) collectGarbage(allocator, limit);
    block = allocator.allocateSegment(pool, size, segment, stream);
    if (block === 0) block = takeFromHelpers(allocator, pool, size, stream);
    if (block === 0 && settings.maxSplitSize !== Infinity && releaseAvailable(allocator, pool, size, stream)) {
      block = allocator.allocateSegment(pool, size, segment, stream);
    }
    if (block === 0 && !allocator.capturing) {
      releaseCached(allocator, null);
      allocator.statistics.numAllocRetries++;
      block = allocator.allocateSegment(pool, size, segment, stream);
      // Waiting for events may have freed a block that fits, in a segment that could not be given back.
      if (block === 0) block = allocator.takeCached(pool, size, stream, expandable);
    }
    if (block !== 0) return block;
  }
  fail(allocator, pool, requested, size, stream, rejected);
  return 0;
}

/** Searches the private pools that may serve others as a last resort. */
function takeFromHelpers(allocator: Allocator, pool: BlockPool, size: number, stream: number): number {
  if (pool.owner !== null) return 0;
  for (const helper of allocator.privatePools.values()) {
    if (!helper.useOnOom) continue;
    const block = allocator.takeCached(pool.small ? helper.small : helper.large, size, stream, false);
    if (block !== 0) return block;
  }
  return 0;
}

function runFreeCallbacks(allocator: Allocator): boolean {
  let freed = false;
  for (const callback of allocator.freeCallbacks) freed = callback() || freed;
  return freed;
}

/** In PyTorch's order: the trace, the counter, the observers. */
function fail(
  allocator: Allocator,
  pool: BlockPool,
  requested: number,
  size: number,
  stream: number,
  rejected: boolean,
): void {
  const { device, statistics } = allocator;
  if (rejected) statistics.numOomRejections++;
  allocator.failure = describeFailure(allocator, pool, requested, size, stream, rejected);
  allocator.observer?.trace(OOM, device.free, size, stream, pool.id, 0);
  statistics.numOoms++;
  for (const observer of allocator.outOfMemoryObservers) {
    observer(allocator.index, allocator.segmentSize(size), allocator.allowed, device.free);
  }
}
