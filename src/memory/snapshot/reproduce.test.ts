/** Recordings run again under their own conditions, and the conditions that files tell. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Allocator, MemPool, parseAllocatorConfig } from '../allocator/index.ts';
import { History } from '../history.ts';
import { captureSnapshot } from './capture.ts';
import { holdersBefore } from './holders.ts';
import { importSnapshot } from './import-trace.ts';
import { segmentPins } from './pins.ts';
import { reproduceRecording } from './reproduce.ts';
import { sampleSnapshots } from './sample.testing.ts';
import { recordedCapacity, recordedSettings } from './settings.ts';
import { fromDict, type Snapshot, toDict } from './snapshot.ts';
import { snapshotStatistics } from './stats.ts';
import type { SegmentDict, TraceEntryDict } from './types.ts';

const MIB = 2 ** 20;
const folder = join(import.meta.dirname, '../../../tests/fixtures/traces');

interface Recording {
  devices: {
    trace: [string, number, number, number][];
    final_segments: {
      address: number;
      total_size: number;
      stream: number;
      segment_type: string;
      blocks: [number, number, string][];
    }[];
  }[];
}

function recording(name: string): Snapshot {
  const [{ trace, final_segments }] = (JSON.parse(gunzipSync(readFileSync(join(folder, name))).toString()) as Recording)
    .devices;
  const segments = final_segments.map(({ address, total_size, stream, segment_type, blocks }): SegmentDict => {
    let at = address;
    return {
      device: 0,
      address,
      total_size,
      allocated_size: 0,
      active_size: 0,
      requested_size: 0,
      stream,
      segment_type,
      segment_pool_id: [0, 0],
      is_expandable: false,
      frames: [],
      blocks: blocks.map(([size, requested_size, state]) => {
        at += size;
        return { address: at - size, size, requested_size, state, frames: [] };
      }),
    };
  });
  const rows = trace.map(([action, addr, size, stream]): TraceEntryDict => ({ action, addr, size, stream }));
  return fromDict({ segments, device_traces: [rows] });
}

/** A program on the allocator, recorded from some moment on. */
function recorded(
  settings: string,
  capacity: number,
  before: (allocator: Allocator) => number[],
  program: (allocator: Allocator, held: number[]) => void,
  fraction = 1,
): Snapshot {
  const history = new History();
  const allocator = new Allocator({ device: capacity, settings: parseAllocatorConfig(settings) });
  if (fraction < 1) allocator.setMemoryFraction(fraction);
  const held = before(allocator);
  history.configure({ context: null });
  allocator.observer = history.device(0);
  program(allocator, held);
  return captureSnapshot([allocator], history);
}

function reproduce(snapshot: Snapshot) {
  const { settings } = recordedSettings(snapshot.allocator_settings);
  const imported = importSnapshot(snapshot, 0, { failed: true });
  const [{ trace }] = snapshotStatistics(snapshot);
  const capacity = recordedCapacity(trace.outOfMemory, imported, settings);
  return { capacity, ...reproduceRecording(snapshot, 0, imported, { settings, capacity: capacity?.bytes ?? null }) };
}

/** The same pseudo-random program in every run. */
function program(allocator: Allocator, live: number[]): void {
  let state = 5;
  const random = (below: number) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % below;
  for (let i = 0; i < 2000; i++) {
    if (live.length > 0 && random(5) < 2) allocator.free(live.splice(random(live.length), 1)[0]);
    else live.push(allocator.malloc(1 + random(i % 7 === 0 ? 30 * MIB : 200_000), random(3)));
    if (live.at(-1)! < 0) {
      live.pop();
      for (const block of live.splice(0, live.length >> 1)) allocator.free(block);
    }
    if (i % 500 === 499) allocator.emptyCache();
  }
}

describe('recordings run again', () => {
  test.each(readdirSync(folder).filter((name) => name.endsWith('.gz')))('of a real CUDA run: %s', (name) => {
    const result = reproduce(recording(name));
    expect(result).toMatchObject({ same: result.recorded, replayed: result.recorded, exactStart: true });
    expect(result.recorded).toBeGreaterThan(10);
  });

  test.each([
    ['', 2 ** 33],
    ['expandable_segments:True', 2 ** 33],
    ['roundup_power2_divisions:8', 2 ** 33],
    // These run out of memory, more than once.
    ['', 2 ** 29],
    ['expandable_segments:True', 2 ** 29],
    ['max_split_size_mb:24', 2 ** 29],
  ])('under %j with %d bytes', (settings, capacity) => {
    const result = reproduce(recorded(settings, capacity, () => [], program));
    expect(result).toMatchObject({ same: result.recorded, replayed: result.recorded, exactStart: true });
    if (capacity === 2 ** 29) expect(result.capacity).toMatchObject({ bytes: capacity, kind: 'device' });
  });

  test('that began in the middle of a program', () => {
    const before = (allocator: Allocator) => {
      const live = Array.from({ length: 60 }, (_, i) => allocator.malloc(1 + ((i * 7919) % 31) * 333_333, i % 2));
      return live.filter((block, i) => i % 3 !== 0 || allocator.free(block));
    };
    const result = reproduce(recorded('', 2 ** 33, before, program));
    expect(result).toMatchObject({ same: result.recorded, replayed: result.recorded, exactStart: true });
    const expandable = reproduce(recorded('expandable_segments:True', 2 ** 33, before, program));
    expect(expandable.exactStart).toBe(false);
  });

  const pools = (allocator: Allocator) => {
    allocator.malloc(3 * MIB);
    const gone = new MemPool(allocator, { id: [0, 3] });
    allocator.free(gone.use(() => allocator.malloc(5 * MIB)));
    const kept = new MemPool(allocator, { id: [0, 4] });
    kept.use(() => [allocator.malloc(7 * MIB), allocator.malloc(600)]);
    gone.dispose();
    allocator.malloc(19 * MIB);
  };

  test('with private pools, used and given up', () => {
    const result = reproduce(recorded('', 2 ** 33, () => [], pools));
    expect(result).toMatchObject({ recorded: 4, replayed: 4, same: 4 });
  });

  test('with private pools, by a version that did not record them', () => {
    const snapshot = recorded('', 2 ** 33, () => [], pools);
    const entries = [...snapshot.device_traces[0]].map(({ pool_id, ...entry }) => entry);
    // The pool that is gone left no trace: nothing tells that its segment was not the cache's.
    const from = entries.findIndex(({ size }) => size === 5 * MIB) - 1;
    const kept = entries
      .filter((_, at) => at < from || at >= from + 4)
      .filter(({ action }) => action !== 'segment_free');
    const old = fromDict({ segments: toDict(snapshot).segments, device_traces: [kept] });
    expect(reproduce(old)).toMatchObject({ recorded: 4, replayed: 4, same: 4 });
  });

  test('from which something is missing', () => {
    const snapshot = recorded('', 2 ** 33, () => [], program);
    const entries = [...snapshot.device_traces[0]];
    const at = entries.findIndex(({ action, size }) => action === 'alloc' && size > 20 * MIB);
    entries.splice(at, 1);
    const result = reproduce({ ...fromDict({ segments: [], device_traces: [entries] }), segments: snapshot.segments });
    expect(result.same).toBeLessThan(result.recorded!);
  });

  test('whose segments make no sense, or are not there', () => {
    const snapshot = recorded('', 2 ** 33, () => [], program);
    const imported = importSnapshot(snapshot, 0);
    const options = { settings: parseAllocatorConfig(''), capacity: null };
    snapshot.segments[0].blocks[0].size += 512;
    expect(reproduceRecording(snapshot, 0, imported, options)).toBe(null);
    snapshot.segments = [];
    expect(reproduceRecording(snapshot, 0, imported, options)).toBe(null);
  });
});

describe('what a file tells of its conditions', () => {
  test('settings: the string, then the values in force', () => {
    const { settings, notes } = recordedSettings({
      PYTORCH_CUDA_ALLOC_CONF: 'large_segment_size_mb:40,expandable_segments:False',
      expandable_segments: true,
      max_split_size: -1,
      garbage_collection_threshold: 0.5,
      roundup_power2_divisions: { 1: 8, 2: 8, 4: 4 },
    });
    expect(notes).toEqual([]);
    expect(settings).toMatchObject({
      largeSegmentSize: 40 * MIB,
      expandableSegments: true,
      maxSplitSize: Infinity,
      garbageCollectionThreshold: 0.5,
    });
    expect(settings.roundupPower2Divisions.slice(0, 4)).toEqual([8, 8, 4, 0]);
  });

  test('settings that are missing, unknown or of odd types', () => {
    expect(recordedSettings(null).notes[0]).toMatch(/default ones are assumed/);
    const odd = recordedSettings({
      PYTORCH_ALLOC_CONF: 'frobnicate:1',
      expandable_segments: 'yes',
      max_split_size: 3 * MIB,
      roundup_power2_divisions: { 1: 3 },
    });
    expect(odd.notes[0]).toContain("Unrecognized key 'frobnicate'");
    expect(odd.settings).toMatchObject({ expandableSegments: false, maxSplitSize: 3 * MIB });
    expect(odd.settings.roundupPower2Divisions[0]).toBe(0);
    expect(recordedSettings({ PYTORCH_ALLOC_CONF: 'backend:cudaMallocAsync' }).notes[0]).toContain('cudaMallocAsync');
  });

  test('capacity: memory that had to be given back tells about it', () => {
    const run = (allocator: Allocator) => {
      const first = allocator.malloc(60 * MIB);
      allocator.malloc(30 * MIB);
      allocator.free(first);
      allocator.malloc(65 * MIB);
    };
    const { capacity, ...result } = reproduce(recorded('', 100 * MIB, () => [], run));
    expect(capacity).toEqual({ kind: 'pressure', atLeast: 96 * MIB, bytes: 156 * MIB - 1 });
    expect(result).toMatchObject({ recorded: 2, replayed: 2, same: 2 });
  });

  test('capacity: nothing without an out-of-memory event; with a fraction, what it allowed', () => {
    expect(reproduce(recorded('', 2 ** 33, () => [], program)).capacity).toBe(null);
    const run = (allocator: Allocator) => {
      allocator.malloc(60 * MIB);
      allocator.malloc(60 * MIB);
    };
    const limited = reproduce(recorded('', 2 ** 33, () => [], run, 100 / 8192));
    expect(limited.capacity).toEqual({ bytes: 120 * MIB - 1, kind: 'limit', atLeast: 60 * MIB });
    expect(limited).toMatchObject({ same: 1, replayed: 1 });
  });
});

test('who holds what before an event', () => {
  const [, after] = sampleSnapshots();
  const imported = importSnapshot(after, 0, { failed: true });
  const oom = Array.from(imported.rows).findIndex(
    (row) => row >= 0 && after.device_traces[0].entry(row).action === 'oom',
  );
  expect(
    holdersBefore(after, 0, imported, oom).map(({ frames, bytes, count }) => [frames[0].name, bytes, count]),
  ).toEqual([
    ['weight', 511284 + 3 * MIB, 2],
    ['capture', 600_000, 1],
  ]);
  // In a ring that has lost its beginning, blocks are known from the segments if they are still there.
  const [, cut] = sampleSnapshots('', 128 * MIB, 18);
  const late = importSnapshot(cut, 0, { failed: true });
  const sites = holdersBefore(cut, 0, late, late.trace.initial);
  expect(sites.map(({ frames, bytes }) => [frames.at(0)?.name, bytes])).toContainEqual(['weight', 511284 + 3 * MIB]);
  expect(sites.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(
    late.initial.reduce((sum, { requested }) => sum + requested, 0),
  );
});

describe('pins', () => {
  test('of segments', () => {
    const snapshot = recorded(
      '',
      2 ** 33,
      () => [],
      (allocator) => {
        const blocks = [2, 3, 4].map((size) => allocator.malloc(size * MIB));
        allocator.malloc(30 * MIB);
        allocator.free(allocator.malloc(5 * MIB, 1));
        allocator.free(blocks[1]);
      },
    );
    expect(segmentPins(snapshot, 0)).toMatchObject([
      { size: 20 * MIB, free: 14 * MIB, used: 6 * MIB, blocks: [{ size: 2 * MIB }, { size: 4 * MIB }] },
    ]);
    expect(segmentPins(snapshot, 1)).toEqual([]);
  });

  test('of pages of an expandable segment', () => {
    const snapshot = recorded(
      'expandable_segments:True',
      2 ** 33,
      () => [],
      (allocator) => {
        const [, hole] = [5, 70, 10].map((size) => allocator.malloc(size * MIB));
        allocator.free(hole);
      },
    );
    // 5 MiB in the first page, 10 MiB across the fourth and the fifth.
    expect(segmentPins(snapshot, 0).map(({ free, used, blocks }) => [free / MIB, used / MIB, blocks.length])).toEqual([
      [15, 5, 1],
      [15, 5, 1],
      [15, 5, 1],
    ]);
  });
});
