/** Snapshots of real programs: what they say, that PyTorch's viewer reads them, and that nothing but the clock makes two runs differ. */
import { describe, expect, test, vi } from 'vitest';
import { concatenate } from '../../src/memory/snapshot/bytes.ts';
import { fixture, fixtureJson } from '../../src/memory/snapshot/bytes.testing.ts';
import { jsonChunks } from '../../src/memory/snapshot/json-write.ts';
import { pickleChunks } from '../../src/memory/snapshot/pickle-write.ts';
import { parseSnapshot } from '../../src/memory/snapshot/read.ts';
import { fromDict, toDict } from '../../src/memory/snapshot/snapshot.ts';
import { checkSnapshot } from '../../src/memory/snapshot/stats.ts';
import type { SegmentDict, SnapshotDict, TraceEntryDict } from '../../src/memory/snapshot/types.ts';
import { normalised, runProgram } from './program.testing.ts';

/** The program in a library of its own, as in a new process. */
async function run(settings = '', sweeps: number | null = null): Promise<[SnapshotDict, SnapshotDict]> {
  vi.resetModules();
  const torch = (await import('../../src/index.ts')).default;
  const { sweepEvery } = await import('../../src/memory/sweep.ts');
  sweepEvery(sweeps);
  return runProgram(torch, settings).map(normalised) as [SnapshotDict, SnapshotDict];
}

/** What an allocator holds after these events: segments, or for expandable ones the memory behind them; and what is in use. */
class Replayed {
  readonly segments = new Map<number, number>();
  readonly live = new Map<number, number>();
  readonly waiting = new Set<number>();

  constructor(trace: readonly TraceEntryDict[]) {
    for (const { action, addr = 0, size = 0 } of trace) {
      switch (action) {
        case 'segment_alloc':
          expect(this.segments.has(addr)).toBe(false);
          this.segments.set(addr, size);
          break;
        case 'segment_free':
          expect(this.segments.get(addr)).toBe(size);
          this.segments.delete(addr);
          break;
        case 'segment_map':
          this.map(addr, size);
          break;
        case 'segment_unmap':
          this.unmap(addr, size);
          break;
        case 'alloc':
          expect(this.live.has(addr)).toBe(false);
          this.live.set(addr, size);
          break;
        case 'free_requested':
          expect(this.live.get(addr)).toBe(size);
          this.waiting.add(addr);
          break;
        case 'free_completed':
          expect(this.waiting.delete(addr)).toBe(true);
          this.live.delete(addr);
      }
    }
  }

  private map(from: number, size: number): void {
    let [start, end] = [from, from + size];
    for (const [at, length] of this.segments) {
      expect(at < end && start < at + length).toBe(false);
      if (at + length !== start && at !== end) continue;
      this.segments.delete(at);
      [start, end] = [Math.min(start, at), Math.max(end, at + length)];
    }
    this.segments.set(start, end - start);
  }

  private unmap(from: number, size: number): void {
    const [start, length] = [...this.segments].find(([at, all]) => at <= from && from + size <= at + all)!;
    this.segments.delete(start);
    if (start < from) this.segments.set(start, from - start);
    const rest = start + length - from - size;
    if (rest > 0) this.segments.set(from + size, rest);
  }
}

function checkReplay({ device_traces, segments }: SnapshotDict): void {
  const replayed = new Replayed(device_traces[0]);
  const sorted = (map: Map<number, number>) => [...map].sort(([a], [b]) => a - b);
  const reported = segments.map(({ address, total_size }): [number, number] => [address, total_size]);
  expect(sorted(replayed.segments)).toEqual(reported.sort(([a], [b]) => a - b));
  const blocks = segments.flatMap((segment) => segment.blocks);
  const inUse = blocks.filter(({ state }) => state !== 'inactive');
  expect(sorted(replayed.live)).toEqual(
    inUse.map(({ address, requested_size }) => [address!, requested_size!]).sort(([a], [b]) => a - b),
  );
  const waiting = inUse.filter(({ state }) => state === 'active_pending_free').map(({ address }) => address!);
  expect([...replayed.waiting].sort()).toEqual(waiting.sort());
  for (const segment of segments) checkSums(segment);
}

function checkSums(segment: SegmentDict): void {
  const sum = (states: string[], of: 'size' | 'requested_size' = 'size') =>
    segment.blocks.filter(({ state }) => states.includes(state)).reduce((all, block) => all + block[of]!, 0);
  const all = ['active_allocated', 'active_pending_free', 'inactive'];
  expect(sum(all)).toBe(segment.total_size);
  expect(segment.allocated_size).toBe(sum(['active_allocated']));
  expect(segment.active_size).toBe(sum(['active_allocated', 'active_pending_free']));
  expect(segment.requested_size).toBe(sum(['active_allocated', 'active_pending_free'], 'requested_size'));
  let address = segment.address;
  for (const block of segment.blocks) {
    expect(block.address).toBe(address);
    address += block.size;
  }
}

describe('a training program', async () => {
  const [middle, end] = await run();
  const pickle = (dict: SnapshotDict) => concatenate(pickleChunks(fromDict(dict)));

  test('what its trace tells', () => {
    const trace = end.device_traces[0];
    const count = (action: string) => trace.filter((entry) => entry.action === action).length;
    expect(count('oom')).toBe(1);
    expect(count('snapshot')).toBe(1);
    expect(count('annotate')).toBe(1);
    expect(count('segment_free')).toBeGreaterThanOrEqual(2);
    const oom = trace.find(({ action }) => action === 'oom')!;
    expect(oom.frames!.map(({ name }) => name)).toEqual(['tooLarge', 'runProgram']);
    const on = (stream: number) => trace.filter((entry) => entry.action === 'alloc' && entry.stream === stream);
    expect(new Set(on(1).map(({ frames }) => frames![1].name))).toEqual(new Set(['prefetch']));
    // Freed, and waited for: only when the default stream was done with them.
    for (const { addr, size } of on(1)) {
      const events = trace.filter((entry) => entry.addr === addr && entry.size === size).map(({ action }) => action);
      expect(events).toContain('free_requested');
    }
    const labels = [...new Set(trace.map(({ user_metadata }) => user_metadata))];
    expect(labels).toEqual(['setup', 'step 0', 'step 1', 'the head', 'step 2', '']);
  });

  test('what its blocks are for', () => {
    const labels = end.segments.flatMap(({ blocks }) => blocks).map(({ user_metadata }) => user_metadata);
    expect(labels).toContain('the head');
    const unnamed = end.segments
      .flatMap(({ blocks }) => blocks)
      .filter(({ state, requested_size }) => state === 'active_allocated' && requested_size === 3 * 10 * 4);
    expect(unnamed.map(({ user_metadata }) => user_metadata)).toEqual(['float32 [3, 10], head, made by linear']);
  });

  test('the bytes that PyTorch has seen', () => {
    // After a change of the program, of what operations allocate, or of the writer: scripts/oracle/snapshots.py.
    expect(pickle(middle)).toEqual(fixture('program-middle.pickle'));
    expect(pickle(end)).toEqual(fixture('program.pickle'));
    expect(concatenate(jsonChunks(fromDict(end)))).toEqual(fixture('program.json'));
    expect(toDict(parseSnapshot(fixture('program.pickle')))).toEqual(end);
  });

  test("PyTorch's viewer: trace, segments, memory, compare, segsum", () => {
    interface Answers {
      opcodes: string[];
      trace: string;
      segments: string;
      memory: string;
      stats: string;
      plots: boolean;
    }
    const viewer = fixtureJson<Record<string, Answers> & { compareProgram: { printed: string; flames: string } }>(
      'viewer.json',
    );
    const { program, 'program-middle': half } = viewer;
    expect(program.plots && half.plots).toBe(true);
    expect(program.trace).toContain('raise OutOfMemoryError');
    expect(program.trace).toMatch(/cudaFree\(\w+\) # 20\.0MiB/);
    expect(program.memory).toContain('runProgram;');
    expect(program.memory).toMatch(/stream_0;active_allocated;.*:runProgram;.*:trainStep \d+/);
    expect(half.segments).toContain('stream_1;');
    const total = end.segments.reduce((sum, { total_size }) => sum + total_size, 0);
    expect(program.stats).toContain(`total_reserved: ${(total / 2 ** 20).toFixed(1)}MiB`);
    expect(viewer.compareProgram.printed).toMatch(/only_before = \[.*\]\nonly_after = \[.*\]\n/);
  });

  test('replaying the events from empty gives the segments: in the middle and at the end (T68)', () => {
    checkReplay(middle);
    checkReplay(end);
    expect(checkSnapshot(fromDict(middle))).toEqual([]);
    expect(checkSnapshot(fromDict(end))).toEqual([]);
  });

  test('with expandable segments, and with large blocks that are never split', async () => {
    for (const settings of ['expandable_segments:True', 'max_split_size_mb:20,garbage_collection_threshold:0.6']) {
      const snapshots = await run(settings);
      for (const snapshot of snapshots) checkReplay(snapshot);
      expect(snapshots[1].device_traces[0].some(({ action }) => action === 'segment_map')).toBe(
        settings.startsWith('e'),
      );
    }
  });

  test.each([0, 5, 31])('is the same whenever garbage is looked for (every %i allocations)', async (sweeps) => {
    const [otherMiddle, otherEnd] = await run('', sweeps);
    expect(otherMiddle).toEqual(middle);
    expect(otherEnd).toEqual(end);
  });
});
