/**
 * Giving cached memory back to the device: all of it, as much as a request needs, or what has long been idle.
 */
import type { Allocator } from './allocator.ts';
import { EXPANDABLE, NEXT, POOL, PREV, WORDS } from './blocks.ts';
import { SEGMENT_FREE } from './constants.ts';
import { unmapBlock } from './expandable.ts';
import { type BlockPool, type PoolId, poolKey } from './pools.ts';
import { SEGMENT } from './statistics.ts';

/** Whether a block is part of a larger segment. */
function isSplit(allocator: Allocator, block: number): boolean {
  const { words } = allocator.blocks;
  return words[block * WORDS + PREV] !== 0 || words[block * WORDS + NEXT] !== 0;
}

/** Gives a cached block that is a whole segment back. */
export function releaseSegment(allocator: Allocator, block: number): void {
  const address = allocator.addressOf(block);
  const size = allocator.sizeOf(block);
  const stream = allocator.streamOf(block);
  const pool = allocator.pools[allocator.blocks.words[block * WORDS + POOL]];
  allocator.observer?.trace(SEGMENT_FREE, address, size, stream, pool.id, 0);
  allocator.device.release(address, size);
  allocator.unreserve(pool, size);
  allocator.statistics.decrease(SEGMENT, pool.kind, 1);
  if (allocator.oversizeSegments.delete(address)) allocator.statistics.oversizeSegmentFreed();
  pool.of(stream).remove(block, size);
  allocator.blocks.destroy(block);
}

/** All cached segments of a pool, then the free pages of its expandable ranges. */
function releasePool(allocator: Allocator, pool: BlockPool, stream: number | null): void {
  const expandable: number[] = [];
  const blocks = stream === null ? pool.blocks() : (pool.free[stream]?.sorted() ?? []);
  for (const block of blocks) {
    if ((allocator.blocks.flags[block] & EXPANDABLE) !== 0) expandable.push(block);
    else if (!isSplit(allocator, block)) releaseSegment(allocator, block);
  }
  for (const block of expandable) unmapBlock(allocator, block);
}

/**
 * PyTorch's release_cached_blocks.
 * @param id null: the default pools, unless a capture is under way, and all private pools that nobody uses any more;
 *   otherwise that private pool alone, if nobody uses it
 */
export function releaseCached(allocator: Allocator, id: PoolId | null, stream: number | null = null): void {
  if (id === null && !allocator.capturing) {
    allocator.pending.synchronize(null);
    releasePool(allocator, allocator.large, stream);
    releasePool(allocator, allocator.small, stream);
  }
  for (const pool of [...allocator.privatePools.values()]) {
    if (pool.useCount > 0) continue;
    if (id !== null) {
      if (poolKey(pool.id) !== poolKey(id)) continue;
      if (!allocator.capturing) allocator.pending.synchronize(pool);
    }
    releasePool(allocator, pool.small, stream);
    releasePool(allocator, pool.large, stream);
    if (pool.held === 0) allocator.dropPrivatePool(pool);
  }
}

/**
 * PyTorch's release_available_cached_blocks, under max_split_size: one cached oversize segment that is large enough, or
 * several, largest first, that together are.
 * @returns whether enough was released
 */
export function releaseAvailable(allocator: Allocator, pool: BlockPool, size: number, stream: number): boolean {
  const set = pool.free[stream];
  if (set === undefined) return false;
  const { flags } = allocator.blocks;
  const { maxSplitSize } = allocator.settings;
  const wanted = Math.max(size, maxSplitSize);
  const found = set.find(wanted);
  if (found !== 0 && (flags[found] & EXPANDABLE) === 0) {
    releaseSegment(allocator, found);
    return true;
  }
  const all = set.sorted();
  const below = found === 0 ? all.length : all.indexOf(found);
  const candidates: number[] = [];
  for (let at = below - 1; at >= 0 && allocator.sizeOf(all[at]) >= maxSplitSize; at--) {
    if ((flags[all[at]] & EXPANDABLE) === 0) candidates.push(all[at]);
  }
  let released = 0;
  for (const block of candidates) {
    if (released >= wanted) break;
    released += allocator.sizeOf(block);
    releaseSegment(allocator, block);
  }
  return released >= wanted;
}

/**
 * PyTorch's garbage_collect_cached_blocks: gives back cached large segments that have not been used for longest, when
 * more than a share of what is allowed is reserved.
 */
export function collectGarbage(allocator: Allocator, limit: number): void {
  const threshold = Math.floor(allocator.settings.garbageCollectionThreshold * limit);
  if (allocator.reserved <= threshold) return;
  const target = allocator.reserved - threshold;
  const pool = allocator.large;
  const { flags } = allocator.blocks;
  const age = (block: number) => pool.searches - allocator.blocks.searches[block];
  let total = 0;
  let count = 0;
  for (const block of pool.blocks()) {
    if (isSplit(allocator, block)) continue;
    total += age(block);
    count++;
  }
  let reclaimed = 0;
  let freed = true;
  while (reclaimed < target && freed && count > 0) {
    const threshold = total / count;
    freed = false;
    for (const block of pool.blocks()) {
      if (isSplit(allocator, block) || (flags[block] & EXPANDABLE) !== 0 || age(block) < threshold) continue;
      freed = true;
      reclaimed += allocator.sizeOf(block);
      total -= age(block);
      count--;
      releaseSegment(allocator, block);
    }
  }
}
