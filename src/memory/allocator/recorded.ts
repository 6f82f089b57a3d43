/**
 * Recordings of real devices: the state that a recording began with, and running it again where each segment lies where
 * it lay then. It shows whether the recorded addresses follow from our rules.
 */
import { Allocator, NO_ROOM } from './allocator.ts';
import { MIN_BLOCK_SIZE, SMALL_SIZE } from './constants.ts';
import { VirtualDevice } from './device.ts';
import { listSegments, type SegmentInfo } from './segments.ts';
import type { AllocatorSettings } from './settings.ts';
import { importTrace, type SnapshotBlock, type SnapshotSegment, type TraceRow } from './trace.ts';

/** A device that places segments where it is told, as long as it is told. */
export class RecordedDevice extends VirtualDevice {
  /** Where the next segments go. */
  readonly next: { address: number; size: number }[] = [];
  /** Segments asked for that were not the ones recorded next. */
  unexpected = 0;

  override malloc(size: number): number {
    const place = this.next.shift();
    if (place?.size === size && size <= this.free) {
      this.used += size;
      return place.address;
    }
    this.unexpected++;
    return super.malloc(size);
  }
}

/**
 * The segments when the recording began.
 * @param rows of one device, oldest first, from default settings
 * @param final segments after the last row
 */
export function initialSegments(rows: readonly TraceRow[], final: readonly SnapshotSegment[]): SnapshotSegment[] {
  const made = new Set<number>();
  const found = new Map<number, SnapshotSegment>();
  for (const { action, address, size, stream } of rows) {
    if (action === 'segment_alloc') made.add(address);
    else if (action === 'segment_free' && !made.delete(address) && !found.has(address)) {
      found.set(address, { address, size, stream, small: size === 2 * SMALL_SIZE, blocks: [] });
    }
  }
  for (const segment of final) if (!made.has(segment.address)) found.set(segment.address, segment);
  const { initial } = importTrace(rows, final);
  const ends = blockEnds(final);
  return [...found.values()].map((segment) => {
    const end = segment.address + segment.size;
    const live = initial.filter(({ address }) => address >= segment.address && address < end);
    const blocks: SnapshotBlock[] = [];
    let at = segment.address;
    live.forEach(({ address, requested }, index) => {
      if (address > at) blocks.push({ size: address - at, requested: 0, state: 'inactive' });
      const limit = live[index + 1]?.address ?? end;
      const freed = rows.some((row) => row.address === address && row.action.startsWith('free'));
      const until =
        freed || !ends.has(address) ? blockEnd(rows, segment, address, requested, limit) : ends.get(address)!;
      blocks.push({ size: until - address, requested, state: 'active_allocated' });
      at = until;
    });
    if (at < end) blocks.push({ size: end - at, requested: 0, state: 'inactive' });
    return { ...segment, blocks };
  });
}

function blockEnds(segments: readonly SnapshotSegment[]): Map<number, number> {
  const ends = new Map<number, number>();
  for (const { address, blocks } of segments) {
    let at = address;
    for (const { size, state } of blocks) {
      if (state !== 'inactive') ends.set(at, at + size);
      at += size;
    }
  }
  return ends;
}

/**
 * Where a block ended that was freed during the recording. In the large pool it may have kept a rest of up to 1 MiB: a
 * shorter gap after it can only be that, and otherwise the next allocation in the gap began where the block ended.
 */
function blockEnd(
  rows: readonly TraceRow[],
  { small }: SnapshotSegment,
  address: number,
  requested: number,
  limit: number,
): number {
  const rounded = address + Math.max(1, Math.ceil(requested / MIN_BLOCK_SIZE)) * MIN_BLOCK_SIZE;
  if (small) return rounded;
  if (limit - rounded <= SMALL_SIZE) return limit;
  for (const row of rows) {
    if (row.address === address) break;
    if (row.action === 'alloc' && row.address > address && row.address < limit) {
      return row.address - rounded <= SMALL_SIZE ? row.address : rounded;
    }
  }
  return rounded;
}

/** Puts segments and their blocks into an empty allocator, at their addresses. Returns the allocated blocks by address. */
export function restoreSegments(
  allocator: Allocator,
  device: RecordedDevice,
  segments: readonly SnapshotSegment[],
): Map<number, number> {
  const live = new Map<number, number>();
  for (const { address, size, stream, small, blocks } of segments) {
    const pool = small ? allocator.small : allocator.large;
    device.next.push({ address, size });
    let rest = allocator.allocateSegment(pool, size, size, stream);
    allocator.insertCached(rest, pool);
    const cut = blocks.map((block) => {
      const piece = allocator.cutOff(rest, block.size, block.requested);
      rest = allocator.nextOf(piece);
      return piece;
    });
    blocks.forEach(({ state }, at) => {
      if (state === 'inactive') allocator.free(cut[at]);
      else live.set(allocator.addressOf(cut[at]), cut[at]);
    });
  }
  return live;
}

/** How a recording compares with our rules. */
export interface Comparison {
  readonly allocations: number;
  /** Allocations that took another address than recorded, by row. */
  readonly misplaced: readonly number[];
  /** Segments recorded. */
  readonly segments: number;
  /** Segments that we would have asked for at another time or in another size. */
  readonly unexpected: number;
  /** Recorded segments that we did not ask for. */
  readonly missing: number;
  /** Our segments at the end. */
  readonly final: readonly SegmentInfo[];
}

/** Runs a recording of one device again. */
export function compareRecording(
  rows: readonly TraceRow[],
  final: readonly SnapshotSegment[],
  settings?: AllocatorSettings,
): Comparison {
  const device = new RecordedDevice(1024 ** 4);
  const allocator = new Allocator({ device, settings });
  const live = restoreSegments(allocator, device, initialSegments(rows, final));
  const made = rows.filter(({ action }) => action === 'segment_alloc');
  device.next.push(...made.map(({ address, size }) => ({ address, size })));
  const misplaced: number[] = [];
  let allocations = 0;
  rows.forEach(({ action, address, size, stream }, at) => {
    if (action === 'alloc') {
      allocations++;
      const block = allocator.malloc(size, stream);
      if (block === NO_ROOM || allocator.addressOf(block) !== address) misplaced.push(at);
      if (block !== NO_ROOM) live.set(address, block);
    } else if (action === 'free_requested') {
      const block = live.get(address);
      if (block !== undefined) allocator.free(block);
      live.delete(address);
    }
  });
  return {
    allocations,
    misplaced,
    segments: made.length,
    unexpected: device.unexpected,
    missing: device.next.length,
    final: listSegments(allocator),
  };
}
