import { describe, expect, test } from 'vitest';
import { flatten, ManualEvents, parseAllocatorConfig } from '../allocator/index.ts';
import { HostAllocator } from './host-allocator.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

const make = (settings = '', events = new ManualEvents()) => {
  const allocator = new HostAllocator({ settings: parseAllocatorConfig(settings), events });
  return { allocator, events };
};
const stats = (allocator: HostAllocator) => flatten(allocator.nestedStatistics());

test('keys are those of PyTorch, sorted', () => {
  const metrics = ['allocated', 'current', 'freed', 'peak'];
  const times = ['avg', 'count', 'max', 'min', 'total'];
  const keys = [
    ...['active_bytes', 'active_requests', 'allocated_bytes', 'allocations'].flatMap((f) =>
      metrics.map((m) => `${f}.${m}`),
    ),
    ...['host_alloc_time', 'host_free_time'].flatMap((f) => times.map((t) => `${f}.${t}`)),
    'num_host_alloc',
    'num_host_free',
  ];
  expect(Object.keys(stats(make().allocator))).toEqual(keys);
  expect(Object.values(stats(make().allocator)).every((value) => value === 0)).toBe(true);
});

test.each([
  [1, 1],
  [2, 2],
  [3, 4],
  [4, 4],
  [4097, 8192],
  [10 * KIB * 4, 16 * KIB * 4],
  [2 ** 31, 2 ** 31],
  [2 ** 31 + 1, 2 ** 32],
  [2 ** 32, 2 ** 32],
  [2 ** 32 + 1, 2 ** 33],
  [2 ** 40 - 1, 2 ** 40],
])('%d bytes take a block of %d', (nbytes, size) => {
  const { allocator } = make();
  expect(allocator.sizeOf(allocator.malloc(nbytes))).toBe(size);
});

test('T30 statistics of two blocks, which emptying the cache leaves alone', () => {
  const { allocator } = make();
  allocator.malloc(10 * KIB * 4);
  const first = 16 * KIB * 4;
  const one = { 'allocations.current': 1, 'allocations.peak': 1, 'allocations.allocated': 1, 'allocations.freed': 0 };
  expect(stats(allocator)).toMatchObject({
    ...one,
    'active_requests.current': 1,
    'active_bytes.peak': first,
    'allocated_bytes.allocated': first,
    num_host_alloc: 1,
    'host_alloc_time.count': 1,
  });
  allocator.malloc(20 * KIB * 4);
  const both = first + 32 * KIB * 4;
  const expected = {
    'allocations.current': 2,
    'active_requests.peak': 2,
    'active_bytes.current': both,
    'allocated_bytes.current': both,
    'allocated_bytes.freed': 0,
    num_host_alloc: 2,
    num_host_free: 0,
    'host_alloc_time.count': 2,
    'host_free_time.count': 0,
  };
  expect(stats(allocator)).toMatchObject(expected);
  allocator.emptyCache();
  expect(stats(allocator)).toMatchObject(expected);
});

describe('the cache', () => {
  test('a freed block serves the next request of its size, the last one first', () => {
    const { allocator } = make();
    const [a, b] = [allocator.malloc(600), allocator.malloc(1000)];
    allocator.free(a);
    allocator.free(b);
    expect(allocator.malloc(513)).toBe(b);
    expect(allocator.malloc(1024)).toBe(a);
    expect(stats(allocator)).toMatchObject({
      'allocations.current': 2,
      'active_requests.allocated': 4,
      'active_requests.freed': 2,
      num_host_alloc: 2,
    });
  });

  test('no block serves a smaller size, however much smaller', () => {
    const { allocator } = make();
    allocator.free(allocator.malloc(MIB));
    allocator.malloc(MIB / 2);
    expect(stats(allocator)).toMatchObject({ num_host_alloc: 2, 'allocated_bytes.current': 1.5 * MIB });
  });

  test('emptying gives back what is cached', () => {
    const { allocator } = make();
    const block = allocator.malloc(MIB);
    allocator.free(allocator.malloc(MIB));
    allocator.emptyCache();
    expect(stats(allocator)).toMatchObject({
      'allocated_bytes.current': MIB,
      'allocated_bytes.freed': MIB,
      'allocated_bytes.peak': 2 * MIB,
      'active_bytes.current': MIB,
      num_host_free: 1,
      'host_free_time.count': 1,
    });
    allocator.free(block);
    allocator.emptyCache();
    expect(stats(allocator)['allocations.current']).toBe(0);
  });
});

describe('events', () => {
  test('a block that a stream has used is free once the stream has passed the point of its free', () => {
    const { allocator, events } = make();
    const block = allocator.malloc(MIB);
    allocator.recordStream(block, 3);
    allocator.recordStream(block, 3);
    allocator.recordStream(block, 4);
    allocator.free(block);
    events.complete(3);
    expect(allocator.malloc(MIB)).not.toBe(block);
    expect(stats(allocator)['active_requests.current']).toBe(2);
    events.complete(4);
    expect(allocator.malloc(MIB)).toBe(block);
  });

  test('events are looked at in the order of the frees, up to the first that has not passed', () => {
    const { allocator, events } = make();
    const [a, b] = [allocator.malloc(100), allocator.malloc(100)];
    allocator.recordStream(a, 1);
    allocator.recordStream(b, 2);
    allocator.free(a);
    allocator.free(b);
    events.complete(2);
    allocator.emptyCache();
    expect(stats(allocator)['allocations.current']).toBe(2);
    events.complete(1);
    allocator.emptyCache();
    expect(stats(allocator)['allocations.current']).toBe(0);
  });

  test('a stream that used an earlier tenant of the block does not matter to the next one', () => {
    const { allocator, events } = make();
    const block = allocator.malloc(100);
    allocator.recordStream(block, 1);
    allocator.free(block);
    events.complete();
    expect(allocator.malloc(100)).toBe(block);
    allocator.free(block);
    expect(allocator.malloc(100)).toBe(block);
  });
});

describe('settings', () => {
  test('sizes over the threshold are not rounded', () => {
    const { allocator } = make('pinned_max_round_threshold_mb:2');
    expect(allocator.sizeOf(allocator.malloc(MIB + 1))).toBe(2 * MIB);
    expect(allocator.sizeOf(allocator.malloc(2 * MIB + 1))).toBe(2 * MIB + 1);
  });

  test('of blocks that are not rounded only one that is large enough serves', () => {
    const { allocator } = make('pinned_max_round_threshold_mb:1');
    const small = allocator.malloc(5 * MIB);
    const large = allocator.malloc(7 * MIB);
    allocator.free(large);
    allocator.free(small);
    expect(allocator.malloc(6 * MIB)).toBe(large);
    expect(stats(allocator)['active_bytes.current']).toBe(7 * MIB);
    allocator.free(large);
    expect(stats(allocator)['active_bytes.current']).toBe(0);
  });

  test('blocks over the limit are not cached, nor rounded', () => {
    const { allocator } = make('pinned_max_cached_size_mb:1');
    const block = allocator.malloc(3 * MIB);
    expect(allocator.sizeOf(block)).toBe(3 * MIB);
    allocator.free(block);
    expect(stats(allocator)).toMatchObject({ 'allocations.current': 0, 'active_bytes.current': 0, num_host_free: 1 });
  });

  test('the reserve segment serves requests in pages, once, and is one call', () => {
    const { allocator } = make('pinned_reserve_segment_size_mb:1');
    const blocks = Array.from({ length: 256 }, () => allocator.malloc(1));
    expect(stats(allocator)).toMatchObject({ num_host_alloc: 256, 'host_alloc_time.count': 1 });
    allocator.malloc(1);
    expect(stats(allocator)['host_alloc_time.count']).toBe(2);
    for (const block of blocks) allocator.free(block);
    allocator.emptyCache();
    expect(stats(allocator)).toMatchObject({ num_host_free: 256, 'host_free_time.count': 0 });
    allocator.malloc(1);
    expect(stats(allocator)['host_alloc_time.count']).toBe(3);
  });
});

describe('resets', () => {
  test('peaks', () => {
    const { allocator } = make();
    allocator.free(allocator.malloc(MIB, 7));
    allocator.emptyCache();
    allocator.resetPeak();
    expect(stats(allocator)).toMatchObject({
      'allocated_bytes.peak': 0,
      'active_bytes.peak': 0,
      'host_alloc_time.max': 0,
      'host_alloc_time.total': 7,
      num_host_alloc: 1,
    });
  });

  test('what was accumulated', () => {
    const { allocator } = make();
    const block = allocator.malloc(MIB, 7);
    allocator.resetAccumulated();
    expect(stats(allocator)).toMatchObject({
      'allocated_bytes.allocated': 0,
      'allocated_bytes.current': MIB,
      'active_requests.allocated': 0,
      'host_alloc_time.count': 0,
      'host_alloc_time.max': 7,
      num_host_alloc: 0,
    });
    allocator.free(block);
    expect(stats(allocator)).toMatchObject({ 'active_requests.freed': 1, 'active_requests.current': 0 });
  });

  test('times', () => {
    const { allocator } = make();
    for (const microseconds of [5, 2, 9]) allocator.malloc(100, microseconds);
    expect(allocator.nestedStatistics().host_alloc_time).toEqual({ total: 16, max: 9, min: 2, count: 3, avg: 5 });
  });
});

test('peaks of different sizes are added up', () => {
  const { allocator } = make();
  allocator.free(allocator.malloc(1024));
  allocator.free(allocator.malloc(2048));
  expect(stats(allocator)).toMatchObject({
    'active_bytes.peak': 3072,
    'active_requests.peak': 2,
    'active_bytes.current': 0,
  });
});

test('random runs: no block has two tenants, sums match, and what no stream uses can be given back', () => {
  let seed = 12345;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  for (let run = 0; run < 30; run++) {
    const { allocator, events } = make(['', 'pinned_max_cached_size_mb:1', 'pinned_max_round_threshold_mb:1'][run % 3]);
    /** Streams that use a block. */
    const live = new Map<number, Set<number>>();
    /** Streams that a freed block may still wait for. */
    const waiting = new Map<number, Set<number>>();
    for (let step = 0; step < 200; step++) {
      const choice = random(10);
      const block = [...live.keys()][random(live.size + 1)];
      if (choice < 5) {
        const nbytes = 1 + random(1 << (1 + random(22)));
        const taken = allocator.malloc(nbytes);
        expect(live.has(taken)).toBe(false);
        expect(waiting.get(taken)?.size ?? 0).toBe(0);
        expect(allocator.sizeOf(taken)).toBeGreaterThanOrEqual(nbytes);
        waiting.delete(taken);
        live.set(taken, new Set());
      } else if (choice < 6 && block !== undefined) {
        const stream = random(3);
        allocator.recordStream(block, stream);
        live.get(block)!.add(stream);
      } else if (choice < 8 && block !== undefined) {
        allocator.free(block);
        waiting.set(block, live.get(block)!);
        live.delete(block);
      } else if (choice === 8) allocator.emptyCache();
      else {
        const stream = random(3);
        events.complete(stream);
        for (const streams of waiting.values()) streams.delete(stream);
      }
      const { active_bytes, active_requests, allocated_bytes, allocations } = allocator.nestedStatistics();
      for (const figure of [active_bytes, active_requests, allocated_bytes, allocations]) {
        expect(figure.allocated - figure.freed).toBe(figure.current);
        expect(figure.peak).toBeGreaterThanOrEqual(figure.current);
      }
      expect(active_requests.current).toBeGreaterThanOrEqual(live.size);
      expect(allocations.current).toBeGreaterThanOrEqual(active_requests.current);
    }
    events.complete();
    allocator.emptyCache();
    const { active_bytes, active_requests, allocated_bytes, allocations } = allocator.nestedStatistics();
    const bytes = [...live.keys()].reduce((sum, block) => sum + allocator.sizeOf(block), 0);
    expect([allocations.current, active_requests.current]).toEqual([live.size, live.size]);
    expect([allocated_bytes.current, active_bytes.current]).toEqual([bytes, bytes]);
  }
});
