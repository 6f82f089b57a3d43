import { gunzipSync } from 'node:zlib';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Allocator } from '../allocator/allocator.ts';
import { parseAllocatorConfig } from '../allocator/settings.ts';
import { ALLOCATED_BYTES, REQUESTED_BYTES, RESERVED_BYTES } from '../allocator/statistics.ts';
import { listSegments } from '../allocator/segments.ts';
import { checkTrace, importTrace } from '../allocator/trace.ts';
import { replay } from '../allocator/replay.ts';
import { TRACE_ACTIONS } from '../allocator/constants.ts';
import { History } from '../history.ts';
import { ACTION_NAMES } from './actions.ts';
import { diffSnapshots } from './diff.ts';
import { importSnapshot } from './import-trace.ts';
import { parseSnapshot } from './read.ts';
import { concatenate } from './bytes.ts';
import { sampleSnapshots } from './sample.testing.ts';
import { emptySnapshot, fromDict, type Segment, type Snapshot } from './snapshot.ts';
import { checkSnapshot, snapshotStatistics } from './stats.ts';
import { captureSnapshot } from './capture.ts';
import { SnapshotTrace } from './trace.ts';
import { snapshotChunks } from './write.ts';

const MIB = 2 ** 20;
const [before, after] = sampleSnapshots();

test('actions have the numbers that the allocator gives them', () => {
  expect(ACTION_NAMES.slice(0, TRACE_ACTIONS.length)).toEqual(TRACE_ACTIONS);
});

describe('statistics', () => {
  test('totals of the sample', () => {
    const [first, second] = snapshotStatistics(after);
    expect(first).toMatchObject({ device: 0, segments: 2, reserved: 22 * MIB });
    // weight, weight2, the second forward's 4 MiB and, waiting, gather's 700 bytes.
    expect(first.allocated).toBe(511488 + 3 * MIB + 4 * MIB);
    expect(first.active).toBe(first.allocated + 1024);
    expect(first.requested).toBe(511284 + 3 * MIB + 4 * MIB + 700);
    expect(first.releasable).toBe(0);
    expect(first.active + first.unreleasable).toBe(first.reserved);
    expect(first.largestFree).toBe(13 * MIB);
    expect(first.fragmentation).toBeCloseTo(1 - first.active / first.reserved, 12);
    expect(first.small.reserved + first.large.reserved).toBe(first.reserved);
    expect(first.holders.map(({ bytes, count, frames }) => [frames[0].name, bytes, count])).toEqual([
      ['forward', 4 * MIB, 1],
      ['weight', 511488 + 3 * MIB, 2],
    ]);
    expect(second).toMatchObject({ device: 1, segments: 1, allocated: 0, releasable: 2 * MIB, holders: [] });
  });

  test('pools and streams', () => {
    const [first] = snapshotStatistics(before);
    expect(first.pools).toMatchObject([{ pool: [0, 7], segments: 1, reserved: 2 * MIB, allocated: 600064 }]);
    expect(first.streams).toMatchObject([{ stream: 0, reserved: 24 * MIB }]);
  });

  test('the peaks of the trace and who held what then', () => {
    const [{ trace }] = snapshotStatistics(after);
    expect(trace.events).toBe(after.device_traces[0].length);
    expect(trace.actions).toMatchObject({ oom: 1, annotate: 1, snapshot: 1, user_defined: 1 });
    // prefetch's 24 MiB and gather's 12 MiB on top of the weights and the captured block.
    expect(trace.requested.bytes).toBe(511284 + 3 * MIB + 600_000 + 24 * MIB + 12 * MIB);
    expect(trace.requested.frames[0].name).toBe('gather');
    expect(trace.holders.map((site) => [site.frames[0].name, site.bytes])).toEqual([
      ['prefetch', 24 * MIB],
      ['gather', 12 * MIB],
      ['weight', 511284 + 3 * MIB],
      ['capture', 600_000],
    ]);
    expect(trace.reserved).toMatchObject({ bytes: 48 * MIB });
    expect(trace.outOfMemory).toMatchObject([{ size: 200 * MIB }]);
    expect(trace.outOfMemory[0].frames[0].name).toBe('forward');
    expect(trace.from).toBeLessThan(trace.to!);
  });

  test('a ring that has lost its beginning knows the same peak, if that is still in it', () => {
    const whole = snapshotStatistics(after)[0].trace;
    const [, cut] = sampleSnapshots('', 128 * MIB, 18);
    expect(cut.device_traces[0].length).toBe(18);
    expect(cut.allocator_settings).toMatchObject({ trace_alloc_overflowed: true, trace_alloc_max_entries: 18 });
    const { trace } = snapshotStatistics(cut)[0];
    expect(trace.requested.bytes).toBe(whole.requested.bytes);
    expect(trace.reserved.bytes).toBe(whole.reserved.bytes);
    expect(trace.holders.reduce((sum, site) => sum + site.bytes, 0)).toBe(whole.requested.bytes);
  });

  test('they are the allocator’s own', () => {
    const history = new History();
    history.configure({ context: null });
    const allocator = new Allocator({ device: 2 ** 31, observer: history.device(0) });
    const live: number[] = [];
    let state = 5;
    const random = (below: number) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % below;
    for (let i = 0; i < 3000; i++) {
      if (live.length > 0 && random(5) < 2) allocator.free(live.splice(random(live.length), 1)[0]);
      else live.push(allocator.malloc(1 + random(i % 7 === 0 ? 30 * MIB : 200_000), random(3)));
      if (live.at(-1)! < 0) {
        live.pop();
        for (const block of live.splice(0, live.length >> 1)) allocator.free(block);
      }
      if (i % 500 === 499) allocator.emptyCache();
    }
    const snapshot = parseSnapshot(concatenate(snapshotChunks(captureSnapshot([allocator], history))));
    const [figures] = snapshotStatistics(snapshot);
    const { statistics } = allocator;
    expect(figures.allocated).toBe(statistics.current(ALLOCATED_BYTES));
    expect(figures.requested).toBe(statistics.current(REQUESTED_BYTES));
    expect(figures.reserved).toBe(statistics.current(RESERVED_BYTES));
    expect(figures.trace.reserved.bytes).toBe(statistics.peak(RESERVED_BYTES));
    expect(figures.trace.requested.bytes).toBe(statistics.peak(REQUESTED_BYTES));
    expect(checkSnapshot(snapshot)).toEqual([]);
  });

  test('parts that do not fit together are named', () => {
    expect(checkSnapshot(after)).toEqual([]);
    const broken = parseSnapshot(concatenate(snapshotChunks(after)));
    const segment = broken.segments[0];
    segment.blocks[1].size -= 512;
    expect(checkSnapshot(broken).join('\n')).toMatch(/gap or an overlap[\s\S]*its blocks of/);
    segment.total_size += 2 ** 40;
    expect(checkSnapshot(broken).join('\n')).toContain('overlaps the one at');
  });
});

describe('differences', () => {
  test('what grew, by creation site', () => {
    const diff = diffSnapshots(before, after);
    expect(diff.before).toEqual({ allocated: 511488 + 3 * MIB + 600064 + 1024, reserved: 26 * MIB, segments: 4 });
    expect(diff.sites.map(({ name, bytes, count }) => [name, bytes, count])).toEqual([
      // Device 1 let go of its 1000 bytes, made at the same place.
      ['forward (layers.ts:17)', 4 * MIB - 1024, 0],
      ['capture (layers.ts:17)', -600064, -1],
    ]);
    expect(diff.sites[0].before).toEqual({ bytes: 1024, count: 1 });
    expect(diff.onlyBefore).toEqual([{ device: 0, address: 140187722055680, bytes: 2 * MIB }]);
    expect(diff.onlyAfter).toEqual([]);
    expect(diffSnapshots(before, after, { device: 1 }).sites).toMatchObject([{ bytes: -1024, count: -1 }]);
  });

  test('nothing changed', () => {
    const same = parseSnapshot(concatenate(snapshotChunks(after, { format: 'json' })));
    expect(diffSnapshots(after, same)).toMatchObject({ sites: [], onlyBefore: [], onlyAfter: [] });
  });

  test('sites of a few frames', () => {
    const frames = (line: number) => [
      { filename: 'a.ts', line: 1, name: 'op' },
      { filename: 'b.ts', line, name: 'model' },
    ];
    const holding = (...lines: number[]): Snapshot =>
      fromDict({
        segments: [
          {
            device: 0,
            address: 0,
            total_size: 512 * lines.length,
            allocated_size: 0,
            active_size: 0,
            requested_size: 0,
            stream: 0,
            segment_type: 'small',
            segment_pool_id: [0, 0],
            is_expandable: false,
            frames: [],
            blocks: lines.map((line, i) => ({
              address: 512 * i,
              size: 512,
              requested_size: 4,
              state: 'active_allocated',
              frames: frames(line),
            })),
          },
        ],
        device_traces: [],
      });
    expect(diffSnapshots(holding(1), holding(2, 3)).sites.map(({ bytes }) => bytes)).toEqual([512, 512, -512]);
    expect(diffSnapshots(holding(1), holding(2, 3), { depth: 1 }).sites).toMatchObject([
      { bytes: 512, count: 1, before: { count: 1 }, after: { count: 2 } },
    ]);
  });
});

const recordings = join(import.meta.dirname, '../../../tests/fixtures/traces');

interface Recording {
  devices: {
    device: number;
    trace: [string, number, number, number][];
    final_segments: { address: number; total_size: number; stream: number; blocks: [number, number, string][] }[];
  }[];
}

describe('replay', () => {
  test('the sample runs again with the same figures, and with less memory it does not fit', () => {
    const imported = importSnapshot(after, 0);
    checkTrace(imported.trace);
    const result = replay(imported.trace, { device: 128 * MIB });
    expect(result.failures).toEqual([]);
    expect(result.peakReserved).toBeGreaterThanOrEqual(46 * MIB);
    expect(replay(imported.trace, { device: 40 * MIB }).failures).toHaveLength(1);
    expect(importSnapshot(after, 5).trace.length).toBe(0);
  });

  test('events are those that importTrace makes of the rows', () => {
    const names = readdirSync(recordings).filter((name) => name.endsWith('.json.gz'));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const { devices } = JSON.parse(gunzipSync(readFileSync(join(recordings, name))).toString()) as Recording;
      for (const { trace, final_segments } of devices) {
        const rows = trace.map(([action, address, size, stream]) => ({ action, address, size, stream }));
        const plain = final_segments.map(({ address, total_size, stream, blocks }) => ({
          address,
          size: total_size,
          stream,
          small: total_size <= 2 * MIB,
          blocks: blocks.map(([size, requested, state]) => ({ size, requested, state })),
        }));
        const expected = importTrace(rows, plain);
        const imported = importSnapshot(recorded(trace, plain), 0);
        for (const key of ['length', 'allocations', 'initial'] as const)
          expect(imported.trace[key]).toBe(expected.trace[key]);
        for (const key of ['kinds', 'ids', 'sizes', 'streams'] as const)
          expect(imported.trace[key].subarray(0, imported.trace.length)).toEqual(
            expected.trace[key].subarray(0, expected.trace.length),
          );
        const plainly = (trace: typeof expected) => ({
          ...trace,
          trace: null,
          pressure: null,
          rows: Array.from(trace.rows),
        });
        expect(plainly(imported)).toEqual(plainly(expected));
      }
    }
  });

  test('T43 after empty_cache the last event is the release of a segment', () => {
    for (const [settings, action] of [
      ['', 'segment_free'],
      ['expandable_segments:True', 'segment_unmap'],
    ]) {
      const history = new History();
      history.configure();
      const observer = history.device(0);
      const allocator = new Allocator({ device: 2 ** 30, observer, settings: parseAllocatorConfig(settings) });
      allocator.free(allocator.malloc(311 * 411 * 4, 0));
      allocator.emptyCache();
      const snapshot = captureSnapshot([allocator], history);
      const trace = snapshot.device_traces[0];
      expect(trace.entry(trace.length - 1).action).toBe(action);
      expect(snapshot.allocator_settings?.PYTORCH_ALLOC_CONF).toBe(settings);
    }
  });

  test('T42 the block that a program asked for has its place and its address', () => {
    const history = new History();
    history.configure({ enabled: 'state', stacks: 'python' });
    const device = history.device(0);
    const allocator = new Allocator({ device: 2 ** 30, observer: device });
    const rand = (size: number) => {
      device.at(history.allocationSite());
      return allocator.malloc(size, 0);
    };
    rand(18 * 4);
    const block = rand(311 * 411 * 4);
    const snapshot = captureSnapshot([allocator], history);
    const found = snapshot.segments.flatMap((segment) => segment.blocks).filter((b) => b.requested_size === 511284);
    expect(found).toHaveLength(1);
    expect(found[0].address).toBe(allocator.addressOf(block));
    expect(found[0].address).not.toBe(snapshot.segments[0].address);
    expect(snapshot.frames.frames(found[0].stack)[0].filename).toBe(import.meta.filename);
    expect(snapshot.frames.frames(found[0].stack)[0].name).toBe('rand');
    for (const segment of snapshot.segments) expect(snapshot.frames.frames(segment.stack).length).toBeGreaterThan(0);
    // A trace of one entry: the newest.
    expect(snapshot.device_traces[0].length).toBe(1);
  });

  test('T68 the trace from nothing gives exactly the segments', () => {
    const history = new History();
    history.configure({ context: null });
    const allocator = new Allocator({ device: 2 ** 31, observer: history.device(0) });
    const live = Array.from({ length: 200 }, (_, i) => allocator.malloc(1000 + ((i * 7919) % 40) * 100_000, i % 2));
    for (let i = 0; i < 200; i += 3) allocator.free(live[i]);
    const { trace } = importSnapshot(captureSnapshot([allocator], history), 0);
    const strip = (segments: ReturnType<typeof listSegments>) =>
      segments.map((segment) => ({ ...segment, blocks: segment.blocks.map(({ block, ...rest }) => rest) }));
    expect(strip([...replay(trace, { device: 2 ** 31 }).segments])).toEqual(strip(listSegments(allocator)));
  });
});

/** A recording as a snapshot. */
function recorded(
  rows: readonly [string, number, number, number][],
  segments: readonly {
    address: number;
    size: number;
    stream: number;
    blocks: readonly { size: number; requested: number; state: string }[];
  }[],
): Snapshot {
  const snapshot = emptySnapshot();
  const trace = new SnapshotTrace(snapshot.frames);
  for (const [action, address, size, stream] of rows) trace.push(trace.actionNumber(action), address, size, stream);
  snapshot.device_traces = [trace];
  snapshot.segments = segments.map(({ address, size, stream, blocks }): Segment => {
    let at = address;
    return {
      device: 0,
      address,
      total_size: size,
      allocated_size: 0,
      active_size: 0,
      requested_size: 0,
      stream,
      segment_type: 'large',
      segment_pool_id: [0, 0],
      is_expandable: false,
      stack: 0,
      extras: null,
      blocks: blocks.map(({ size, requested, state }) => {
        const block = { address: at, size, requested_size: requested, state, stack: 0, extras: null };
        at += size;
        return block;
      }),
    };
  });
  return snapshot;
}
