/**
 * What the allocator holds, as PyTorch's snapshots tell it: segments and their blocks; and who keeps a segment from being
 * given back.
 */
import type { Allocator } from './allocator.ts';
import { ALLOCATED, BUSY, EXISTS, EXPANDABLE, NEXT, POOL, PREV, STREAM, UNCACHED, UNMAPPED, WORDS } from './blocks.ts';
import { SNAPSHOT } from './constants.ts';
import { DEFAULT_POOL, type PoolId, poolKey } from './pools.ts';

export type BlockState = 'active_allocated' | 'active_pending_free' | 'inactive';

/** Sizes and addresses are bytes. */
export interface BlockInfo {
  readonly address: number;
  readonly size: number;
  /** As asked for; of an inactive block what it was last asked for, or 0. */
  readonly requested_size: number;
  readonly state: BlockState;
  /** The block's number, for those who keep more of it. */
  readonly block: number;
}

export interface SegmentInfo {
  readonly address: number;
  readonly total_size: number;
  readonly stream: number;
  readonly segment_type: 'small' | 'large';
  readonly segment_pool_id: PoolId;
  /** One segment is told for each contiguous mapped part of an expandable range. */
  readonly is_expandable: boolean;
  /** Handed out. */
  readonly allocated_size: number;
  /** Handed out, or freed and waiting for other streams. */
  readonly active_size: number;
  /** What was asked for of the active blocks. */
  readonly requested_size: number;
  /** Without gaps, by address. */
  readonly blocks: readonly BlockInfo[];
}

/** Bytes that a set of segments has active, as the snapshot event tells. */
const activeOf = (segments: readonly SegmentInfo[]): number => segments.reduce((sum, s) => sum + s.active_size, 0);

/**
 * Segments by address. The observer sees a SNAPSHOT event afterwards.
 * @param pool only those of a private pool
 */
export function takeSnapshot(allocator: Allocator, pool: PoolId | null = null): SegmentInfo[] {
  const segments = listSegments(allocator, pool);
  allocator.observer?.trace(SNAPSHOT, 0, activeOf(segments), 0, pool ?? DEFAULT_POOL, 0);
  return segments;
}

/** As `takeSnapshot`, without the event. */
export function listSegments(allocator: Allocator, pool: PoolId | null = null): SegmentInfo[] {
  const { words, flags, end } = allocator.blocks;
  const all = pool === null || poolKey(pool) === poolKey(DEFAULT_POOL);
  const segments: SegmentInfo[] = [];
  for (let block = 1; block < end; block++) {
    const w = block * WORDS;
    if ((flags[block] & (EXISTS | UNCACHED | UNMAPPED)) !== EXISTS) continue;
    const previous = words[w + PREV];
    if (previous !== 0 && (flags[previous] & UNMAPPED) === 0) continue;
    if (!all && poolKey(allocator.pools[words[w + POOL]].id) !== poolKey(pool)) continue;
    segments.push(segmentFrom(allocator, block));
  }
  return segments.sort((a, b) => a.address - b.address);
}

function segmentFrom(allocator: Allocator, head: number): SegmentInfo {
  const { words } = allocator.blocks;
  const blocks: BlockInfo[] = [];
  let total = 0;
  let allocated = 0;
  let active = 0;
  let requested = 0;
  for (let block = head; block !== 0; block = words[block * WORDS + NEXT]) {
    const flags = allocator.blocks.flags[block];
    if ((flags & UNMAPPED) !== 0) break;
    const size = allocator.sizeOf(block);
    const asked = allocator.requestedOf(block);
    total += size;
    if ((flags & ALLOCATED) !== 0) allocated += size;
    if ((flags & BUSY) !== 0) {
      active += size;
      requested += asked;
    }
    const state =
      (flags & ALLOCATED) !== 0 ? 'active_allocated' : (flags & BUSY) !== 0 ? 'active_pending_free' : 'inactive';
    blocks.push({ address: allocator.addressOf(block), size, requested_size: asked, state, block });
  }
  const pool = allocator.pools[words[head * WORDS + POOL]];
  return {
    address: allocator.addressOf(head),
    total_size: total,
    stream: words[head * WORDS + STREAM],
    segment_type: pool.small ? 'small' : 'large',
    segment_pool_id: pool.id,
    is_expandable: (allocator.blocks.flags[head] & EXPANDABLE) !== 0,
    allocated_size: allocated,
    active_size: active,
    requested_size: requested,
    blocks,
  };
}

/** Bytes cached for each stream: no other stream can use them. A dead stream's stay until the cache is emptied. */
export function cachedBytesByStream(allocator: Allocator): Map<number, number> {
  const bytes = new Map<number, number>();
  for (const { stream, blocks } of listSegments(allocator)) {
    const cached = blocks.reduce((sum, block) => (block.state === 'inactive' ? sum + block.size : sum), 0);
    if (cached > 0) bytes.set(stream, (bytes.get(stream) ?? 0) + cached);
  }
  return bytes;
}

/** A segment that has free bytes and cannot be given back, and the blocks that keep it. */
export interface PinnedSegment {
  readonly segment: SegmentInfo;
  /** Bytes that nobody uses. */
  readonly free: number;
  readonly pinnedBy: readonly BlockInfo[];
}

/** Pinned segments, most free bytes first. */
export function pinnedSegments(allocator: Allocator): PinnedSegment[] {
  const pinned: PinnedSegment[] = [];
  for (const segment of listSegments(allocator)) {
    const free = segment.total_size - segment.active_size;
    if (free === 0 || free === segment.total_size) continue;
    pinned.push({ segment, free, pinnedBy: segment.blocks.filter(({ state }) => state !== 'inactive') });
  }
  return pinned.sort((a, b) => b.free - a.free);
}

/** Bytes reserved by each private pool. */
export function reservedBytesByPrivatePools(allocator: Allocator): Record<string, number> {
  return Object.fromEntries([...allocator.privatePools].map(([key, pool]) => [key, pool.held]));
}
