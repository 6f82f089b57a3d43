/**
 * What a snapshot says, in figures: totals, segments and what keeps them, the largest holders, and the peaks of the traces.
 */
import { isActive, type Segment, type Snapshot } from './snapshot.ts';
import { allocatedBlocks, type Site, SiteSums } from './sites.ts';
import { type Timeline, timeline } from './timeline.ts';
import { SnapshotTrace } from './trace.ts';

/** Figures of a set of segments; bytes unless it says otherwise. */
export interface SegmentTotals {
  /** Number of segments. */
  segments: number;
  /** Held on the device. */
  reserved: number;
  /** In use, rounding included: `memory_allocated`. */
  allocated: number;
  /** That, and what waits for another stream. */
  active: number;
  /** What was asked for of the active bytes. */
  requested: number;
  /** Cached in segments of which nothing is in use: `empty_cache` gives them back. */
  releasable: number;
  /** Cached in segments that are partly in use: nobody can give them back. PyTorch's inactive_split_bytes. */
  unreleasable: number;
  /** The largest cached block. */
  largestFree: number;
}

export interface DeviceStatistics extends SegmentTotals {
  device: number;
  small: SegmentTotals;
  large: SegmentTotals;
  /** By stream, the one that holds most first. */
  streams: (SegmentTotals & { stream: number })[];
  /** Private pools; [0, 0] is not one. */
  pools: (SegmentTotals & { pool: [number, number] })[];
  /** Share of the reserved bytes that is not in use, 0 to 1. */
  fragmentation: number;
  /** Who holds what now, the largest first. */
  holders: Site[];
  trace: Timeline;
}

/** Largest holders that are named, unless more are wanted. */
const HOLDERS = 20;

function emptyTotals(): SegmentTotals {
  return {
    segments: 0,
    reserved: 0,
    allocated: 0,
    active: 0,
    requested: 0,
    releasable: 0,
    unreleasable: 0,
    largestFree: 0,
  };
}

function add(totals: SegmentTotals, segment: Segment): void {
  totals.segments++;
  totals.reserved += segment.total_size;
  let free = 0;
  let active = 0;
  for (const block of segment.blocks) {
    if (block.state === 'active_allocated') totals.allocated += block.size;
    if (isActive(block)) {
      active += block.size;
      totals.requested += block.requested_size;
    } else {
      free += block.size;
      totals.largestFree = Math.max(totals.largestFree, block.size);
    }
  }
  totals.active += active;
  if (active === 0) totals.releasable += free;
  else totals.unreleasable += free;
}

/**
 * Figures of each device that has segments or a trace.
 * @param holders so many of the largest holders are named
 */
export function snapshotStatistics(snapshot: Snapshot, holders = HOLDERS): DeviceStatistics[] {
  const byDevice = new Map<number, Segment[]>();
  for (const segment of snapshot.segments) {
    const list = byDevice.get(segment.device);
    if (list === undefined) byDevice.set(segment.device, [segment]);
    else list.push(segment);
  }
  snapshot.device_traces.forEach((trace, device) => {
    if (trace.length > 0 && !byDevice.has(device)) byDevice.set(device, []);
  });
  return [...byDevice]
    .sort(([a], [b]) => a - b)
    .map(([device, segments]) =>
      deviceStatistics(
        snapshot,
        device,
        segments,
        snapshot.device_traces[device] ?? new SnapshotTrace(snapshot.frames),
        holders,
      ),
    );
}

function deviceStatistics(
  snapshot: Snapshot,
  device: number,
  segments: readonly Segment[],
  trace: SnapshotTrace,
  holders: number,
): DeviceStatistics {
  const all = emptyTotals();
  const small = emptyTotals();
  const large = emptyTotals();
  const streams = new Map<number, SegmentTotals & { stream: number }>();
  const pools = new Map<string, SegmentTotals & { pool: [number, number] }>();
  for (const segment of segments) {
    add(all, segment);
    add(segment.segment_type === 'small' ? small : large, segment);
    const { stream, segment_pool_id: pool } = segment;
    let ofStream = streams.get(stream);
    if (ofStream === undefined) streams.set(stream, (ofStream = { stream, ...emptyTotals() }));
    add(ofStream, segment);
    if (pool[0] === 0 && pool[1] === 0) continue;
    let ofPool = pools.get(pool.join());
    if (ofPool === undefined) pools.set(pool.join(), (ofPool = { pool, ...emptyTotals() }));
    add(ofPool, segment);
  }
  const sums = new SiteSums(snapshot.frames);
  for (const [block] of allocatedBlocks(segments)) sums.add(block.stack, block.size);
  const most = (a: SegmentTotals, b: SegmentTotals) => b.reserved - a.reserved;
  return {
    device,
    ...all,
    small,
    large,
    streams: [...streams.values()].sort(most),
    pools: [...pools.values()].sort(most),
    fragmentation: all.reserved === 0 ? 0 : (all.reserved - all.active) / all.reserved,
    holders: sums.largest(holders),
    trace: timeline(trace, segments, holders),
  };
}

/**
 * What is wrong with a snapshot, in words; empty if its parts fit together. Files that were edited or that another tool
 * made may be read all the same.
 */
export function checkSnapshot(snapshot: Snapshot): string[] {
  const problems: string[] = [];
  const sorted = [...snapshot.segments].sort((a, b) => a.device - b.device || a.address - b.address);
  sorted.forEach((segment, index) => {
    const name = `the segment at 0x${segment.address.toString(16)} of device ${segment.device}`;
    let at = segment.address;
    for (const block of segment.blocks) {
      if (block.address !== at) problems.push(`${name} has a gap or an overlap at 0x${at.toString(16)}`);
      at = block.address + block.size;
      if (isActive(block) && block.requested_size > block.size)
        problems.push(`${name} has a block at 0x${block.address.toString(16)} that is smaller than what was asked for`);
    }
    const size = segment.blocks.reduce((sum, block) => sum + block.size, 0);
    if (size !== segment.total_size) problems.push(`${name} is of ${segment.total_size} bytes, its blocks of ${size}`);
    const next = sorted[index + 1];
    if (next?.device === segment.device && next.address < segment.address + segment.total_size)
      problems.push(`${name} overlaps the one at 0x${next.address.toString(16)}`);
  });
  return problems;
}
