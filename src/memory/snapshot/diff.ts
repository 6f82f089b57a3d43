/**
 * Two snapshots compared: what grew, by the place that allocated it.
 */
import { siteName, allocatedBlocks, type Site } from './sites.ts';
import type { Snapshot } from './snapshot.ts';
import type { Frame } from './types.ts';

export interface SiteChange {
  /** Innermost first; empty: no stack was recorded. */
  frames: readonly Frame[];
  /** `forward (layers.ts:12)`. */
  name: string;
  /** Bytes in use, rounding included, and blocks. */
  before: { bytes: number; count: number };
  after: { bytes: number; count: number };
  /** By how many bytes it grew; negative: it shrank. */
  bytes: number;
  count: number;
}

export interface SnapshotDiff {
  /** Bytes in use and bytes held, of all devices. */
  before: { allocated: number; reserved: number; segments: number };
  after: { allocated: number; reserved: number; segments: number };
  /** Sites whose bytes or blocks have changed: what grew most first, what shrank most last. */
  sites: SiteChange[];
  /** Segments that only one of them has, by address and size, as `_memory_viz.compare` prints. */
  onlyBefore: { device: number; address: number; bytes: number }[];
  onlyAfter: { device: number; address: number; bytes: number }[];
}

export interface DiffOptions {
  /** So many of the innermost frames make a site. Default: all. */
  depth?: number;
  /** Only this device. */
  device?: number;
}

/** What changed from one snapshot to another. They may come from different programs: sites are the same if their frames are. */
export function diffSnapshots(before: Snapshot, after: Snapshot, options: DiffOptions = {}): SnapshotDiff {
  const old = sitesOf(before, options);
  const now = sitesOf(after, options);
  const nothing = { bytes: 0, count: 0 };
  const sites: SiteChange[] = [];
  for (const key of new Set([...now.keys(), ...old.keys()])) {
    const [was, is] = [old.get(key) ?? nothing, now.get(key) ?? nothing];
    const { frames } = (now.get(key) ?? old.get(key)) as Site;
    const [bytes, count] = [is.bytes - was.bytes, is.count - was.count];
    if (bytes === 0 && count === 0) continue;
    const sum = ({ bytes, count }: { bytes: number; count: number }) => ({ bytes, count });
    sites.push({ frames, name: siteName(frames), before: sum(was), after: sum(is), bytes, count });
  }
  sites.sort((a, b) => b.bytes - a.bytes || b.count - a.count);
  return {
    before: totals(before, options),
    after: totals(after, options),
    sites,
    onlyBefore: missing(before, after, options),
    onlyAfter: missing(after, before, options),
  };
}

function segmentsOf(snapshot: Snapshot, { device }: DiffOptions) {
  return device === undefined ? snapshot.segments : snapshot.segments.filter((segment) => segment.device === device);
}

function sitesOf(snapshot: Snapshot, options: DiffOptions): Map<string, Site> {
  const depth = options.depth ?? Infinity;
  const sites = new Map<string, Site>();
  /** By number of the stack, so that each is put in words once. */
  const known = new Map<number, Site>();
  for (const [block] of allocatedBlocks(segmentsOf(snapshot, options))) {
    let site = known.get(block.stack);
    if (site === undefined) {
      const frames = snapshot.frames.frames(block.stack).slice(0, depth);
      const key = frames.map(({ filename, line, name }) => `${filename}\0${line}\0${name}`).join('\n');
      site = sites.get(key) ?? { frames, bytes: 0, count: 0 };
      sites.set(key, site);
      known.set(block.stack, site);
    }
    site.bytes += block.size;
    site.count++;
  }
  return sites;
}

function totals(snapshot: Snapshot, options: DiffOptions): SnapshotDiff['before'] {
  const segments = segmentsOf(snapshot, options);
  let allocated = 0;
  for (const [block] of allocatedBlocks(segments)) allocated += block.size;
  const reserved = segments.reduce((sum, segment) => sum + segment.total_size, 0);
  return { allocated, reserved, segments: segments.length };
}

function missing(from: Snapshot, other: Snapshot, options: DiffOptions): SnapshotDiff['onlyBefore'] {
  const key = (segment: Snapshot['segments'][number]) => `${segment.device} ${segment.address} ${segment.total_size}`;
  const there = new Set(segmentsOf(other, options).map(key));
  return segmentsOf(from, options)
    .filter((segment) => !there.has(key(segment)))
    .map(({ device, address, total_size }) => ({ device, address, bytes: total_size }));
}
