/** The memory history on real tensors: PyTorch's own tests of it (T42 to T51), and what else `record_memory_history` promises. */
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import torch, { type Tensor } from 'torch-mtia';
import { parseSnapshot } from '../../src/memory/snapshot/index.ts';
import { toDict } from '../../src/memory/snapshot/snapshot.ts';
import type { Frame, SnapshotDict, TraceEntryDict } from '../../src/memory/snapshot/types.ts';

const { memory } = torch.mtia;
const device = 'mtia';
const FILE = import.meta.filename;

/** Numbers of the lines that end with `// a mark`. */
const marks = new Map<string, number>();
readFileSync(FILE, 'utf8')
  .split('\n')
  .forEach((line, i) => {
    const mark = /\/\/ mark: (.*)$/.exec(line);
    if (mark !== null) marks.set(mark[1], i + 1);
  });

const trace = (): TraceEntryDict[] => torch.mtia.snapshot().device_traces[0];
const actions = (): string[] => trace().map(({ action }) => action);
const names = (entry: { frames?: Frame[] }): string[] => (entry.frames ?? []).map(({ name }) => name);
const ofAction = (action: string): TraceEntryDict[] => trace().filter((entry) => entry.action === action);

function foo(): Tensor {
  return torch.rand(311, 411, { device }); // mark: foo
}

beforeEach(() => {
  torch.mtia.init();
  memory._record_memory_history(null);
  memory._set_memory_metadata('');
  memory.empty_cache();
});
afterEach(() => {
  memory._record_memory_history(null);
});

describe("PyTorch's tests", () => {
  test('T42 "state": blocks have the stack of their allocation, and the address of their tensor', () => {
    torch.mtia.record_memory_history('state', 'python');
    const first = torch.ones(10, { device });
    const x = foo();
    const { segments } = torch.mtia.snapshot();
    let found = false;
    for (const segment of segments) {
      expect(segment.frames).toBeInstanceOf(Array);
      for (const block of segment.blocks) {
        if (block.requested_size !== 311 * 411 * 4) continue;
        expect(block.frames![0]).toEqual({ filename: FILE, name: 'foo', line: marks.get('foo') });
        expect(block.address).toBe(x.data_ptr());
        expect(segment.blocks[0]).not.toBe(block);
        found = true;
      }
    }
    expect(found).toBe(true);
    expect(first.numel()).toBe(10);
  });

  test('T43 after empty_cache the last event is that of a segment', () => {
    torch.mtia.record_memory_history();
    foo().dispose();
    memory.empty_cache();
    expect(actions().at(-1)).toBe('segment_free');
    memory.setAllocatorSettings('expandable_segments:True');
    try {
      foo().dispose();
      memory.empty_cache();
      expect(actions().at(-1)).toBe('segment_unmap');
    } finally {
      memory.setAllocatorSettings('expandable_segments:False');
    }
  });

  test('T44 names of functions with context "all", none without', () => {
    const allocates = (): Tensor => torch.rand(128, 128, { device });
    for (const context of ['all', null] as const) {
      memory._record_memory_history('all', { context, stacks: 'python' });
      const x = allocates();
      const text = JSON.stringify(torch.mtia.snapshot());
      expect(text.includes('"allocates"')).toBe(context === 'all');
      expect(text).toContain('65536');
      // Its stack and its segment's would be in the next snapshot, too.
      x.dispose();
      memory.empty_cache();
      memory._record_memory_history(null);
    }
  });

  test('T45 the place of a free only with "all", that of the allocation in events for all but "state"', () => {
    const allocates = (): Tensor => torch.rand(128, 128, { device });
    const frees = (x: Tensor): void => x.dispose();
    for (const context of ['all', 'alloc', 'state'] as const) {
      memory._record_memory_history('all', { context, stacks: 'python' });
      const x = allocates();
      const live = memory._allocation_traceback(x.data_ptr());
      expect(live!.map(({ name }) => name)).toContain('allocates');
      frees(x);
      const entries = trace();
      const of = (action: string) => names(entries.find((entry) => entry.action === action)!);
      expect(of('alloc').includes('allocates')).toBe(context !== 'state');
      for (const action of ['free_requested', 'free_completed']) {
        expect(of(action).includes('frees')).toBe(context === 'all');
        expect(of(action).includes('allocates')).toBe(context === 'alloc');
      }
      memory._record_memory_history(null);
    }
  });

  test('T46 only what is allocated without context lacks its stack', () => {
    const made: Tensor[] = [];
    for (const context of ['all', null, 'all'] as const) {
      memory._record_memory_history('all', { context, stacks: 'python' });
      made.push(foo());
    }
    expect(ofAction('alloc').map((entry) => names(entry).includes('foo'))).toEqual([true, false, true]);
    expect(made.map((x) => memory._allocation_traceback(x.data_ptr())?.[0].name)).toEqual(['foo', undefined, 'foo']);
  });

  test('T47 the place of empty_cache only with "all"', () => {
    const emptyNow = (): void => memory.empty_cache();
    for (const context of ['all', 'alloc', 'state'] as const) {
      memory._record_memory_history('all', { context, stacks: 'python' });
      foo().dispose();
      emptyNow();
      const last = ofAction('segment_free').at(-1)!;
      expect(names(last).includes('emptyNow')).toBe(context === 'all');
      expect(names(last).includes('foo')).toBe(context === 'alloc');
      memory._record_memory_history(null);
    }
  });

  test('T48 metadata set before recording is on every event', () => {
    memory._set_memory_metadata('metadata test');
    torch.mtia.record_memory_history();
    foo().dispose();
    memory.empty_cache();
    const entries = trace();
    expect(entries.length).toBeGreaterThanOrEqual(5);
    for (const entry of entries) expect(entry.user_metadata).toBe('metadata test');
    expect(memory._get_memory_metadata()).toBe('metadata test');
    expect(memory._memory_metadata_supported()).toBe(true);
  });

  test('T49 actions that are skipped never appear, the others do', () => {
    const run = (skip_actions: string[] | null): Set<string> => {
      memory._record_memory_history(null);
      memory.empty_cache();
      memory._record_memory_history('all', { skip_actions });
      foo().dispose();
      memory.empty_cache();
      return new Set(actions());
    };
    const all = ['segment_alloc', 'alloc', 'free_requested', 'free_completed', 'segment_free'];
    const without = (...names: string[]) => new Set(all.filter((name) => !names.includes(name)));
    expect(run(['free_requested'])).toEqual(without('free_requested'));
    expect(run(['alloc', 'free_completed', 'segment_free'])).toEqual(
      without('alloc', 'free_completed', 'segment_free'),
    );
    expect(run([])).toEqual(without());
    expect(run(null)).toEqual(without());
    expect(() => memory._record_memory_history('all', { skip_actions: ['teleport'] })).toThrow(
      'Unknown TraceEntry action: teleport',
    );
  });

  test('T50 the file: the last event is the allocation, its block is in use', () => {
    torch.mtia.record_memory_history();
    torch.ones(10, { device }).dispose();
    const x = foo();
    const file = join(tmpdir(), `history-${process.pid}.pickle`);
    let dict: SnapshotDict;
    try {
      memory._dump_snapshot(file);
      dict = toDict(parseSnapshot(readFileSync(file)));
    } finally {
      rmSync(file, { force: true });
    }
    expect(dict.device_traces[0].at(-1)).toMatchObject({ action: 'alloc', size: 311 * 411 * 4 });
    const block = dict.segments.flatMap(({ blocks }) => blocks).find(({ address }) => address === x.data_ptr());
    expect(block).toMatchObject({ requested_size: 311 * 411 * 4, state: 'active_allocated' });
    // The same as without a file, but for the event that this call has left behind.
    const now = torch.mtia.snapshot();
    expect(now.segments).toEqual(dict.segments);
    expect(now.device_traces[0].slice(0, -1)).toEqual(dict.device_traces[0]);
  });

  test('T51 compile_context is "N/A": nothing is compiled', () => {
    memory._record_memory_history('all', { stacks: 'python' });
    foo();
    for (const entry of trace()) expect(entry.compile_context).toBe('N/A');
  });
});

describe('what is recorded', () => {
  test('addresses, sizes as requested, times', () => {
    torch.mtia.record_memory_history();
    const before = Date.now();
    const x = foo();
    const address = x.data_ptr();
    x.dispose();
    const entries = trace();
    expect(entries.map(({ action, addr, size }) => [action, addr, size])).toEqual([
      ['segment_alloc', address, 2 * 1024 ** 2],
      ['alloc', address, 511284],
      ['free_requested', address, 511284],
      ['free_completed', address, 511284],
    ]);
    for (const { time_us, stream, pool_id } of entries) {
      expect(Math.abs(time_us! / 1000 - before)).toBeLessThan(5000);
      expect([stream, pool_id]).toEqual([0, [0, 0]]);
    }
    expect(entries.map(({ time_us }) => time_us)).toEqual(entries.map(({ time_us }) => time_us!).sort((a, b) => a - b));
  });

  test('out of memory: what was asked for, what was free, and who asked', () => {
    const [free, total] = memory.mem_get_info();
    torch.mtia.record_memory_history();
    const greedy = (): Tensor => torch.empty(total, { device, dtype: torch.uint8 }).add(1); // mark: greedy
    const held = torch.ones(1000, { device });
    expect(greedy).toThrow(torch.OutOfMemoryError);
    const oom = ofAction('oom')[0];
    expect(oom).toMatchObject({ size: total, device_free: free - 2 * 1024 ** 2 });
    expect(oom).not.toHaveProperty('addr');
    expect(oom.frames![0]).toMatchObject({ name: 'greedy', line: marks.get('greedy') });
    expect(held.sum().item()).toBe(1000);
  });

  test('a snapshot shows in the next one', () => {
    torch.mtia.record_memory_history();
    const x = foo();
    expect(actions()).toEqual(['segment_alloc', 'alloc']);
    const entry = trace().at(-1)!;
    expect(entry).toMatchObject({ action: 'snapshot', addr: 0, size: 511488 });
    expect(x.numel()).toBe(311 * 411);
  });

  test('annotations of memory: an event, and a label of the block', () => {
    torch.mtia.record_memory_history();
    const x = foo();
    memory._annotate_tensor(x, 'the weights');
    memory._annotate_memory(x.data_ptr(), 'weights, again');
    expect(ofAction('annotate')).toMatchObject([
      { addr: x.data_ptr(), size: 511284, user_metadata: 'the weights' },
      { addr: x.data_ptr(), size: 511284, user_metadata: 'weights, again' },
    ]);
    const blocks = torch.mtia.snapshot().segments.flatMap((segment) => segment.blocks);
    expect(blocks.find(({ address }) => address === x.data_ptr())!.user_metadata).toBe('weights, again');
    expect(() => memory._annotate_tensor(torch.ones(2), 'x')).toThrow('expected a MTIA tensor, got device cpu');
    expect(() => memory._annotate_memory(5, 'x')).toThrow('invalid device pointer: 0x5');
  });

  test('metadata is that of the moment, whenever the log is looked at', () => {
    torch.mtia.record_memory_history();
    memory._set_memory_metadata('first');
    const x = torch.ones(1000, { device });
    memory._set_memory_metadata('second');
    const y = torch.ones(1001, { device });
    memory._set_memory_metadata('third');
    x.dispose();
    memory._set_memory_metadata('');
    y.dispose();
    const label = (action: string) => ofAction(action).map(({ user_metadata }) => user_metadata);
    expect(label('alloc')).toEqual(['first', 'second']);
    expect(label('free_requested')).toEqual(['third', '']);
  });

  test('raw allocations too', () => {
    const raw = (): number => memory.caching_allocator_alloc(1000);
    const free = (at: number): void => memory.caching_allocator_delete(at);
    memory._record_memory_history('all', { context: 'alloc' });
    free(raw());
    expect(names(ofAction('alloc')[0])[0]).toBe('raw');
    memory._record_memory_history('all', { context: 'all' });
    free(raw());
    expect(names(ofAction('free_requested').at(-1)!)[0]).toBe('free');
  });
});

describe('the ring', () => {
  const sizes = (): number[] => ofAction('alloc').map(({ size }) => size!);
  const make = (count: number): void => {
    for (let i = 1; i <= count; i++) torch.empty(i, { device, dtype: torch.uint8 }).dispose();
  };

  test('keeps the newest, oldest first', () => {
    torch.mtia.record_memory_history('all', 'python', 9);
    make(10);
    const entries = trace();
    expect(entries).toHaveLength(9);
    expect(sizes()).toEqual([8, 9, 10].slice(1));
    expect(torch.mtia.snapshot().allocator_settings).toMatchObject({
      trace_alloc_max_entries: 9,
      trace_alloc_overflowed: true,
    });
    expect(entries.map(({ time_us }) => time_us)).toEqual(entries.map(({ time_us }) => time_us!).sort((a, b) => a - b));
  });

  test('0 is all of them; with the function of CUDA it is one', () => {
    torch.mtia.record_memory_history('all', 'python', 0);
    make(1000);
    expect(sizes()).toHaveLength(1000);
    memory._record_memory_history('all', { max_entries: 0 });
    expect(trace()).toHaveLength(1);
  });

  test('"state" keeps one', () => {
    torch.mtia.record_memory_history('state');
    make(5);
    expect(trace()).toHaveLength(1);
  });

  test('off forgets everything, clear_history too', () => {
    torch.mtia.record_memory_history({ max_entries: 100 });
    make(5);
    torch.mtia.record_memory_history({ max_entries: 100 });
    expect(sizes()).toHaveLength(5);
    torch.mtia.record_memory_history({ max_entries: 100, clear_history: true });
    expect(trace()).toEqual([]);
    make(2);
    torch.mtia.record_memory_history(null);
    expect(trace()).toEqual([]);
    make(2);
    expect(trace()).toEqual([]);
  });
});

describe('how it is called', () => {
  test('words that PyTorch does not know', () => {
    const record = torch.mtia.record_memory_history as (...args: unknown[]) => void;
    expect(() => record('on')).toThrow("expected state to be 'state', 'all', or None");
    expect(() => record('all', 'java')).toThrow("expected stacks to be 'python', or 'all'");
    expect(() => record({ context: 'x' })).toThrow("expected context to be 'state', 'alloc', 'all', or None");
    expect(() => record('all', 'cpp')).not.toThrow();
    expect(() => record({ contxt: 'all' })).toThrow(
      "record_memory_history() got an unexpected keyword argument 'contxt'",
    );
    expect(() => record('all', 'python', -1)).toThrow("argument 'max_entries' must be a number of 0 or more, not -1");
    const cuda = memory._record_memory_history as (...args: unknown[]) => void;
    expect(() => cuda('all', 'all', 'cpp')).toThrow("expected stacks to be 'python', or 'all'");
    expect(() => cuda('all', 'all', 'all', 10, null, false, false, false, null, 1)).toThrow('positional arguments');
    expect(() => cuda('all', { maxFrames: 0 })).toThrow('maxFrames must be a whole number of 1 or more, not 0');
  });

  test('by position, as in PyTorch', () => {
    memory._record_memory_history('all', null, 'python', 3);
    foo();
    foo();
    expect(trace()).toHaveLength(3);
    expect(trace().flatMap(names)).toEqual([]);
  });

  test('with a boolean, as before 2.1', () => {
    memory._record_memory_history(true, true, 10, true);
    foo();
    expect(names(ofAction('alloc')[0])[0]).toBe('foo');
    memory._record_memory_history(true, { trace_alloc_max_entries: 10, clear_history: true });
    const x = foo();
    expect(ofAction('alloc').map(names)).toEqual([[]]);
    expect(memory._allocation_traceback(x.data_ptr())![0].name).toBe('foo');
    memory._record_memory_history(true, false, 10);
    expect(memory._allocation_traceback(foo().data_ptr())).toBeNull();
    memory._record_memory_history(false);
    expect(trace()).toEqual([]);
  });

  test('before the first use: nothing; from torch.mtia.init() on: everything', async () => {
    vi.resetModules();
    const fresh = (await import('../../src/index.ts')).default;
    fresh.mtia.record_memory_history();
    expect(fresh.mtia.is_initialized()).toBe(false);
    fresh.ones(3, { device });
    expect(fresh.mtia.snapshot().device_traces).toEqual([[]]);
    fresh.mtia.record_memory_history();
    fresh.ones(4, { device });
    expect(fresh.mtia.snapshot().device_traces[0].map(({ action, size }) => [action, size])).toContainEqual([
      'alloc',
      16,
    ]);
  });
});

test('labels are text, and pools are known by their ids', () => {
  const { memory } = torch.mtia;
  const x = torch.ones(1, { device: 'mtia' });
  const wrong = 5 as unknown as string;
  expect(() => memory._set_memory_metadata(wrong)).toThrow("argument 'metadata' must be str, not int");
  expect(() => memory._annotate_tensor(x, wrong)).toThrow("argument 'text' must be str, not int");
  expect(() => memory._annotate_memory(x.data_ptr(), wrong)).toThrow("argument 'text' must be str, not int");
  expect(memory._get_memory_metadata()).toBe('');
  // A device is no pool: an empty list would say that nothing is held.
  for (const id of ['mtia', 0, [0], [0, 0.5]])
    expect(() => memory.memory_snapshot(id as unknown as [number, number])).toThrow(
      /must be a pool's id, \[int, int\], not /,
    );
});
