import { describe, expect, test } from 'vitest';
import { type DeviceHistory, History } from './history.ts';
import { ALLOC, FREE_COMPLETED, FREE_REQUESTED, OOM, SEGMENT_ALLOC, SEGMENT_FREE } from './snapshot/actions.ts';
import { FrameTable } from './snapshot/frames.ts';
import type { TraceEntryDict } from './snapshot/types.ts';

const POOL = [0, 0] as const;
const FILE = import.meta.filename;

function allocate(history: History, device: DeviceHistory, block: number, size = 65536): void {
  device.at(history.allocationSite());
  if (block === 1) device.trace(SEGMENT_ALLOC, 0x7f0000000000, 2097152, 0, POOL, 0);
  device.trace(ALLOC, 0x7f0000000000 + block * 65536, size, 0, POOL, block);
}

function release(history: History, device: DeviceHistory, block: number, size = 65536): void {
  device.at(history.freeSite());
  device.trace(FREE_REQUESTED, 0x7f0000000000 + block * 65536, size, 0, POOL, block);
  device.trace(FREE_COMPLETED, 0x7f0000000000 + block * 65536, size, 0, POOL, block);
}

function emptyCache(history: History, device: DeviceHistory): void {
  device.at(history.freeSite());
  device.trace(SEGMENT_FREE, 0x7f0000000000, 2097152, 0, POOL, 0);
}

function start(options: Parameters<History['configure']>[0] = {}): [History, DeviceHistory] {
  const history = new History();
  history.configure(options);
  return [history, history.device(0)];
}

const entries = (device: DeviceHistory): TraceEntryDict[] => [...device.toTrace(new FrameTable())];
const actions = (device: DeviceHistory): string[] => entries(device).map((entry) => entry.action);
const names = (entry: TraceEntryDict): string[] => (entry.frames ?? []).map((frame) => frame.name);

describe('what is recorded', () => {
  test('events as PyTorch has them', () => {
    const [history, device] = start();
    allocate(history, device, 1, 511284);
    release(history, device, 1, 511284);
    const [segment, alloc, requested, completed] = entries(device);
    expect(segment).toMatchObject({ action: 'segment_alloc', addr: 0x7f0000000000, size: 2097152, stream: 0 });
    expect(alloc).toMatchObject({ action: 'alloc', size: 511284, pool_id: [0, 0], user_metadata: '' });
    expect(requested.action).toBe('free_requested');
    expect(completed.action).toBe('free_completed');
    expect(Math.abs(alloc.time_us! / 1000 - Date.now())).toBeLessThan(10_000);
    expect(Number.isInteger(alloc.time_us)).toBe(true);
  });

  test('out of memory: the bytes that were free', () => {
    const [history, device] = start();
    device.at(history.allocationSite());
    device.trace(OOM, 12345, 2 ** 32, 0, POOL, 0);
    const [entry] = entries(device);
    expect(entry).toMatchObject({ action: 'oom', device_free: 12345, size: 2 ** 32 });
    expect(entry).not.toHaveProperty('addr');
  });

  test('a snapshot shows in the next one, without a stack', () => {
    const [, device] = start();
    device.snapshotTaken(4096);
    const [entry] = entries(device);
    expect(entry).toMatchObject({ action: 'snapshot', addr: 0, size: 4096 });
    expect(entry).not.toHaveProperty('frames');
  });

  test('marks and labels', () => {
    const [history, device] = start();
    allocate(history, device, 3);
    device.annotate(0x7f0000030000, 65536, 0, 3, 'weight');
    device.userDefined('epoch 2');
    expect(entries(device).slice(1)).toMatchObject([
      { action: 'annotate', addr: 0x7f0000030000, user_metadata: 'weight' },
      { action: 'user_defined', user_metadata: 'epoch 2' },
    ]);
    expect(device.labelOfBlock(3)).toBe('weight');
    allocate(history, device, 3);
    expect(device.labelOfBlock(3)).toBeNull();
  });

  test('marks of a profiler', () => {
    const [history] = start({ max_entries: 2 });
    history.annotateRegion('ProfilerStep#1', 'START', 0, 5);
    history.annotateRegion('ProfilerStep#1', 'END', 0, 6);
    history.annotateRegion('ProfilerStep#2', 'START', 0, 7);
    expect(history.annotations).toEqual([
      { name: 'ProfilerStep#1', stage: 'END', device: 0, time_us: 6 },
      { name: 'ProfilerStep#2', stage: 'START', device: 0, time_us: 7 },
    ]);
    history.configure({ enabled: null });
    history.annotateRegion('x', 'START', 0);
    expect(history.annotations).toEqual([]);
  });

  test('words that PyTorch does not know are its errors', () => {
    const history = new History();
    expect(() => history.configure({ enabled: 'on' as 'all' })).toThrow("expected state to be 'state', 'all', or None");
    expect(() => history.configure({ context: 'x' as 'all' })).toThrow(
      "expected context to be 'state', 'alloc', 'all', or None",
    );
    expect(() => history.configure({ context: 'constructor' as 'all' })).toThrow('expected context');
    expect(() => history.configure({ stacks: 'cpp' as 'all' })).toThrow("expected stacks to be 'python', or 'all'");
    expect(() => history.configure({ skip_actions: ['alloc', 'free'] })).toThrow('Unknown TraceEntry action: free');
    expect(history.enabled).toBe(false);
  });
});

describe('the ring', () => {
  const fill = (count: number, options: Parameters<History['configure']>[0]): [History, DeviceHistory] => {
    const [history, device] = start({ context: null, ...options });
    for (let i = 0; i < count; i++) device.trace(ALLOC, 512 * i, i, 0, POOL, i);
    return [history, device];
  };
  const sizes = (device: DeviceHistory): number[] => entries(device).map((entry) => entry.size);

  test('keeps the newest, oldest first', () => {
    const [, device] = fill(10, { max_entries: 4 });
    expect(sizes(device)).toEqual([6, 7, 8, 9]);
    expect(device.overflowed).toBe(true);
    const [, large] = fill(20_000, { max_entries: 9000 });
    expect(sizes(large)).toEqual(Array.from({ length: 9000 }, (_, i) => 11_000 + i));
  });

  test('holds at least one event', () => {
    expect(sizes(fill(3, { max_entries: 0 })[1])).toEqual([2]);
  });

  test('"state" keeps one', () => {
    expect(sizes(fill(3, { enabled: 'state' })[1])).toEqual([2]);
  });

  test('off forgets the trace, clear_history too', () => {
    const [history, device] = fill(3, {});
    history.configure({ context: null });
    expect(device.length).toBe(3);
    history.configure({ context: null, clear_history: true });
    expect(device.length).toBe(0);
    device.trace(ALLOC, 0, 1, 0, POOL, 1);
    history.configure({ enabled: null });
    expect(device.length).toBe(0);
    device.trace(ALLOC, 0, 1, 0, POOL, 1);
    expect(device.length).toBe(0);
  });

  test('a new size keeps the newest and their order', () => {
    const [history, device] = fill(10, { max_entries: 6 });
    history.configure({ context: null, max_entries: 3 });
    expect(sizes(device)).toEqual([7, 8, 9]);
    history.configure({ context: null, max_entries: 5 });
    for (let i = 10; i < 13; i++) device.trace(ALLOC, 512 * i, i, 0, POOL, i);
    expect(sizes(device)).toEqual([8, 9, 10, 11, 12]);
  });
});

describe("PyTorch's tests", () => {
  test('T44 stacks with context "all", none without', () => {
    const [history, device] = start({ context: 'all', stacks: 'python' });
    allocate(history, device, 1);
    expect(JSON.stringify(entries(device))).toContain('allocate');
    expect(entries(device)[1].frames![0].filename).toBe(FILE);
    const [without, other] = start({ context: null });
    allocate(without, other, 1);
    const text = JSON.stringify(entries(other));
    expect(text).not.toContain('allocate');
    expect(text).toContain('65536');
  });

  test('T45 the place of a free only with "all"; that of the allocation in events for all but "state"', () => {
    for (const context of ['all', 'alloc', 'state'] as const) {
      const [history, device] = start({ context });
      allocate(history, device, 1);
      release(history, device, 1);
      const [, alloc, requested, completed] = entries(device);
      expect(names(alloc).includes('allocate')).toBe(context !== 'state');
      expect(names(requested).includes('release')).toBe(context === 'all');
      expect(names(completed).includes('release')).toBe(context === 'all');
      expect(names(requested).includes('allocate')).toBe(context === 'alloc');
      // The stack of what is alive is known in any case.
      expect(history.stacks.resolve(device.stackOfBlock(1), new FrameTable())).toBeGreaterThan(0);
    }
  });

  test('T46 only what is allocated without context lacks its stack', () => {
    const [history, device] = start({ context: 'all' });
    allocate(history, device, 1);
    history.configure({ context: null });
    allocate(history, device, 2);
    history.configure({ context: 'all' });
    allocate(history, device, 3);
    const events = entries(device).filter((entry) => entry.action === 'alloc');
    expect(events.map((entry) => names(entry).includes('allocate'))).toEqual([true, false, true]);
    expect([1, 2, 3].map((block) => device.stackOfBlock(block) >= 0)).toEqual([true, false, true]);
  });

  test('T47 the place of empty_cache on segment_free only with "all"', () => {
    for (const context of ['all', 'alloc'] as const) {
      const [history, device] = start({ context });
      allocate(history, device, 1);
      release(history, device, 1);
      emptyCache(history, device);
      const last = entries(device).at(-1)!;
      expect(last.action).toBe('segment_free');
      expect(names(last).includes('emptyCache')).toBe(context === 'all');
      expect(names(last).includes('allocate')).toBe(context === 'alloc');
    }
  });

  test('T48 metadata set before recording is on every event', () => {
    const history = new History();
    history.setMetadata('metadata test');
    history.configure();
    const device = history.device(0);
    allocate(history, device, 1);
    release(history, device, 1);
    expect(history.getMetadata()).toBe('metadata test');
    expect(entries(device).map((entry) => entry.user_metadata)).toEqual(Array(4).fill('metadata test'));
  });

  test('T49 actions that are skipped never appear, the others do', () => {
    const run = (skip_actions: string[] | null): string[] => {
      const [history, device] = start({ skip_actions });
      allocate(history, device, 1);
      release(history, device, 1);
      emptyCache(history, device);
      return actions(device);
    };
    const all = ['segment_alloc', 'alloc', 'free_requested', 'free_completed', 'segment_free'];
    expect(run(['free_requested'])).toEqual(all.filter((name) => name !== 'free_requested'));
    expect(run(['alloc', 'free_completed', 'segment_free'])).toEqual(['segment_alloc', 'free_requested']);
    expect(run([])).toEqual(all);
    expect(run(null)).toEqual(all);
  });

  test('T51 compile_context is "N/A" outside compiled regions', () => {
    const [history, device] = start();
    allocate(history, device, 1);
    expect(entries(device).map((entry) => entry.compile_context)).toEqual(['N/A', 'N/A']);
  });

  test('the signature with a boolean', () => {
    const history = new History();
    history.configureLegacy(true, true, 10, true);
    const device = history.device(0);
    allocate(history, device, 1);
    expect(names(entries(device)[1])).toContain('allocate');
    history.configureLegacy(true, true, 10);
    allocate(history, device, 2);
    expect(names(entries(device)[2])).toEqual([]);
    expect(device.stackOfBlock(2)).toBeGreaterThanOrEqual(0);
    history.configureLegacy(false);
    expect(device.length).toBe(0);
  });
});
