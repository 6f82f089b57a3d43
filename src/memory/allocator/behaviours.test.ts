/**
 * Behaviours of PyTorch's own tests of its caching allocator, named by their numbers in the project's reference, and the
 * golden numbers that follow from the rules.
 */
import { describe, expect, test } from 'vitest';
import {
  Allocator,
  beginAllocateToPool,
  endAllocateToPool,
  flatten,
  listSegments,
  type ManualEvents,
  MemPool,
  memorySummary,
  NO_ROOM,
  nextPoolId,
  outOfMemoryText,
  parseAllocatorConfig,
  poolState,
  poolUseCount,
  releasePool,
  restorePool,
} from './index.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const make = (capacity = 16 * GIB, settings = '') =>
  new Allocator({ device: capacity, settings: parseAllocatorConfig(settings) });
const stats = (allocator: Allocator) => flatten(allocator.nestedStatistics());
const failureText = (allocator: Allocator) => outOfMemoryText(allocator.failure!, { name: 'MTIA' });

describe('golden numbers', () => {
  test.each([
    [1, 512, 'small', 2 * MIB, 2096640],
    [1048576, 1048576, 'small', 2 * MIB, 1048576],
    [1048577, 1049088, 'large', 20 * MIB, 19922432],
    [10485759, 10485760, 'large', 10485760, 0],
    [10485760, 10485760, 'large', 10485760, 0],
    [11 * MIB, 12 * MIB, 'large', 12 * MIB, 0],
  ])('%d bytes', (requested, taken, pool, segment, left) => {
    const allocator = make();
    const block = allocator.malloc(requested);
    expect(allocator.sizeOf(block)).toBe(taken);
    const [only] = listSegments(allocator);
    expect([only.segment_type, only.total_size]).toEqual([pool, segment]);
    expect(only.blocks.reduce((sum, b) => (b.state === 'inactive' ? sum + b.size : sum), 0)).toBe(left);
  });

  test('a linear layer of 512 to 256 features', () => {
    const allocator = make();
    for (const bytes of [524288, 1024, 65536]) allocator.malloc(bytes);
    expect(allocator.allocatedBytes).toBe(590848);
    allocator.malloc(32768);
    expect(stats(allocator)).toMatchObject({
      'allocated_bytes.all.current': 623616,
      'allocated_bytes.all.peak': 623616,
      'reserved_bytes.all.current': 2097152,
      'segment.all.current': 1,
    });
  });

  test('a linear layer of 10 to 5 features', () => {
    const allocator = make();
    for (const bytes of [200, 20, 120, 60]) allocator.malloc(bytes);
    expect(stats(allocator)).toMatchObject({
      'allocated_bytes.all.current': 2048,
      'requested_bytes.all.current': 400,
    });
  });

  test('3 MiB that do not fit ask for a segment of 20 MiB', () => {
    const allocator = make(19 * MIB);
    expect(allocator.malloc(3 * MIB)).toBe(NO_ROOM);
    expect(failureText(allocator)).toContain('MTIA out of memory. Tried to allocate 20.00 MiB.');
  });

  test('memory_summary', () => {
    const allocator = make();
    const large = [allocator.malloc(2 * MIB), allocator.malloc(2 * MIB)];
    const small = [allocator.malloc(1024), allocator.malloc(1000)];
    for (const block of [...large, small[0]]) allocator.free(block);
    allocator.malloc(1);
    allocator.free(allocator.malloc(2 * MIB));
    allocator.emptyCache();
    const lines = memorySummary(allocator.nestedStatistics(), { name: 'CUDA', index: 0 }).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.every((line) => line.length === 77)).toBe(true);
    const expected = `
|===========================================================================|
|                  PyTorch CUDA memory summary, device ID 0                 |
|---------------------------------------------------------------------------|
|            CUDA OOMs: 0            |        cudaMalloc retries: 0         |
|===========================================================================|
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
|---------------------------------------------------------------------------|
| Allocated memory      |   1536 B   |   4098 KiB |   6146 KiB |   6145 KiB |
|       from large pool |      0 B   |   4096 KiB |   6144 KiB |   6144 KiB |
|       from small pool |   1536 B   |      2 KiB |      2 KiB |      1 KiB |
|---------------------------------------------------------------------------|`;
    expect(lines.slice(0, 11)).toEqual(expected.trim().split('\n'));
    expect(lines).toContain('| GPU reserved memory   |   2048 KiB |  22528 KiB |  22528 KiB |  20480 KiB |');
    expect(lines).toContain('| Allocations           |       2    |       4    |       6    |       4    |');
    expect(lines.length).toBe(47);
  });
});

describe('statistics', () => {
  test('T21 one byte takes 512, and gives them back', () => {
    const allocator = make();
    const block = allocator.malloc(1);
    expect(allocator.allocatedBytes).toBe(512);
    allocator.free(block);
    expect(allocator.allocatedBytes).toBe(0);
  });

  test('T22 all keys exist: 122, sorted', () => {
    const keys = Object.keys(stats(make()));
    expect(keys.length).toBe(122);
    expect(keys).toEqual([...keys].sort());
    for (const figure of ['allocation', 'segment', 'active', 'inactive_split', 'requested_bytes']) {
      for (const pool of ['all', 'small_pool', 'large_pool']) {
        for (const metric of ['current', 'peak', 'allocated', 'freed'])
          expect(keys).toContain(`${figure}.${pool}.${metric}`);
      }
    }
    expect(stats(make()).max_split_size).toBe(-1);
    expect(stats(make(GIB, 'max_split_size_mb:40')).max_split_size).toBe(40 * MIB);
  });

  test('the nested form is in the order of PyTorch', () => {
    const nested = make().nestedStatistics();
    expect(Object.keys(nested)).toEqual([
      'num_alloc_retries',
      'num_ooms',
      'max_split_size',
      'num_sync_all_streams',
      'num_device_alloc',
      'num_device_free',
      'allocated_bytes',
      'reserved_bytes',
      'active_bytes',
      'requested_bytes',
      'allocation',
      'segment',
      'active',
      'inactive_split',
      'inactive_split_bytes',
      'oversize_allocations',
      'oversize_segments',
    ]);
    expect(Object.keys(nested.active)).toEqual(['all', 'small_pool', 'large_pool']);
    expect(Object.keys(nested.active.all)).toEqual(['current', 'peak', 'allocated', 'freed']);
  });

  test('T23 after empty_cache and both resets peaks are what is current', () => {
    const allocator = make();
    const kept = allocator.malloc(3000);
    allocator.free(allocator.malloc(50 * MIB));
    allocator.emptyCache();
    allocator.statistics.resetPeak();
    allocator.statistics.resetAccumulated();
    const after = stats(allocator);
    expect(after['allocated_bytes.all.peak']).toBe(after['allocated_bytes.all.current']);
    expect(after['reserved_bytes.all.peak']).toBe(after['reserved_bytes.all.current']);
    expect(after['allocated_bytes.all.allocated']).toBe(0);
    expect(after['num_device_alloc']).toBe(0);
    allocator.free(kept);
    expect(stats(allocator)).toMatchObject({ 'allocated_bytes.all.freed': 3072, 'allocated_bytes.all.allocated': 0 });
  });

  test('T24 active_bytes rises and falls by exactly 1024', () => {
    const allocator = make();
    const block = allocator.malloc(256 * 4);
    expect(stats(allocator)).toMatchObject({ 'active_bytes.all.current': 1024, 'active_bytes.all.freed': 0 });
    allocator.free(block);
    allocator.emptyCache();
    expect(stats(allocator)).toMatchObject({ 'active_bytes.all.current': 0, 'active_bytes.all.freed': 1024 });
  });

  test('peaks of all blocks are not the sum of the peaks of the pools', () => {
    const allocator = make();
    allocator.free(allocator.malloc(3 * MIB));
    allocator.free(allocator.malloc(1 * MIB));
    expect(stats(allocator)).toMatchObject({
      'allocated_bytes.all.peak': 3 * MIB,
      'allocated_bytes.small_pool.peak': MIB,
      'allocated_bytes.large_pool.peak': 3 * MIB,
    });
  });
});

describe('settings', () => {
  const sizeOf84 = (settings: string) => {
    const allocator = make(16 * GIB, settings);
    allocator.malloc(84 * MIB);
    return [allocator.allocatedBytes, stats(allocator)['requested_bytes.all.current']];
  };

  test('T33 84 MiB by default', () => expect(sizeOf84('')).toEqual([88080384, 88080384]));

  test('T34 roundup_power2_divisions:4', () => {
    expect(sizeOf84('roundup_power2_divisions:4')).toEqual([100663296, 88080384]);
  });

  test('T35 options that are not named are put back', () => {
    const before = parseAllocatorConfig('roundup_power2_divisions:4');
    const allocator = new Allocator({ device: 16 * GIB, settings: before });
    allocator.settings = parseAllocatorConfig('garbage_collection_threshold:0.5,max_split_size_mb:40', before);
    allocator.malloc(84 * MIB);
    expect(allocator.allocatedBytes).toBe(88080384);
  });

  test('T36 divisions by interval', () => {
    const settings = 'roundup_power2_divisions:[64:8,128:2,256:2,512:2,1024:1,>:1]';
    expect(sizeOf84(settings)[0]).toBe(92274688);
    const allocator = make(16 * GIB, settings);
    allocator.malloc(419430400);
    expect(allocator.allocatedBytes).toBe(536870912);
  });

  test('T37 errors', () => {
    for (const text of [
      'foo:1,bar:2',
      'garbage_collection_threshold:1.2',
      'max_split_size_mb:2',
      'release_lock_on_cudamalloc:none',
      'pinned_num_register_threads:none',
      'pinned_num_register_threads:1024',
    ]) {
      expect(() => parseAllocatorConfig(text), text).toThrow(expect.objectContaining({ name: 'ValueError' }));
    }
  });

  test('T38 without caching no figure moves', () => {
    const allocator = make();
    allocator.caching = false;
    const raw = allocator.malloc(MIB);
    expect(stats(allocator)['requested_bytes.all.allocated']).toBe(0);
    expect(allocator.device.free).toBe(16 * GIB - MIB);
    expect(listSegments(allocator)).toEqual([]);
    allocator.free(raw);
    expect(allocator.device.free).toBe(16 * GIB);
    allocator.caching = true;
    allocator.malloc(MIB);
    expect(stats(allocator)['requested_bytes.all.allocated']).toBe(1048576);
  });

  test('T39 expandable and other segments side by side', () => {
    const allocator = make(16 * GIB, 'max_split_size_mb:40');
    allocator.setMemoryFraction((120 * MIB) / (16 * GIB));
    const set = (expandable: string) => {
      allocator.settings = parseAllocatorConfig(`max_split_size_mb:40,expandable_segments:${expandable}`);
    };
    const blocks: number[] = [];
    for (const expandable of ['False', 'True', 'False']) {
      set(expandable);
      blocks.push(allocator.malloc(40 * MIB));
    }
    expect(blocks).not.toContain(NO_ROOM);
    expect(allocator.malloc(40 * MIB)).toBe(NO_ROOM);
    for (const block of blocks) allocator.free(block);
    expect(allocator.malloc(120 * MIB)).not.toBe(NO_ROOM);
  });

  test('T40 garbage collection with expandable blocks among the cached ones', () => {
    const allocator = make(16 * GIB, 'garbage_collection_threshold:0.5');
    allocator.setMemoryFraction((120 * MIB) / (16 * GIB));
    const set = (expandable: string) => {
      allocator.settings = parseAllocatorConfig(`garbage_collection_threshold:0.5,expandable_segments:${expandable}`);
    };
    set('False');
    const plain = allocator.malloc(40 * MIB);
    set('True');
    const grown = allocator.malloc(40 * MIB);
    allocator.free(plain);
    allocator.free(grown);
    set('False');
    expect(allocator.malloc(80 * MIB)).not.toBe(NO_ROOM);
    expect(stats(allocator)['num_alloc_retries']).toBe(0);
  });

  test('T41 random allocations of 2 to 20 MiB never overlap', () => {
    const allocator = make(2 * GIB);
    let seed = 1;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const live: number[] = [];
    let checked = 0;
    for (let step = 0; step < 10_000; step++) {
      const what = random(100);
      if (what === 0) allocator.emptyCache();
      else if (what < 50 && live.length > 0) allocator.free(live.splice(random(live.length), 1)[0]);
      else {
        const block = allocator.malloc((2 + random(18)) * MIB);
        if (block !== NO_ROOM) live.push(block);
      }
      if (step % 100 !== 99) continue;
      const ends = live.map((block) => [allocator.addressOf(block), allocator.sizeOf(block)]).sort(([a], [b]) => a - b);
      for (let at = 1; at < ends.length; at++)
        expect(ends[at][0]).toBeGreaterThanOrEqual(ends[at - 1][0] + ends[at - 1][1]);
      checked += ends.length;
    }
    expect(checked).toBeGreaterThan(1000);
  });
});

describe('out of memory', () => {
  test('T12 T13 absurd sizes, and the device works afterwards', () => {
    const allocator = make();
    expect(allocator.malloc(800_000_000 * GIB)).toBe(NO_ROOM);
    expect(failureText(allocator)).toContain(
      'Tried to allocate 800000000.00 GiB. MTIA 0 has a total capacity of 16.00 GiB',
    );
    expect(allocator.malloc(8_000_000_000 * GIB)).toBe(NO_ROOM);
    expect(failureText(allocator)).toBe('MTIA out of memory. Tried to allocate more than 1EB memory.');
    expect(allocator.malloc(GIB)).toBeGreaterThan(0);
  });

  test('T14 half of the memory twice', () => {
    const allocator = make(GIB - 1);
    const first = allocator.malloc(GIB / 2);
    expect(allocator.malloc(GIB / 2)).toBe(NO_ROOM);
    allocator.free(first);
    expect(allocator.malloc(GIB / 2)).not.toBe(NO_ROOM);
  });

  test('T16 T17 fractions', () => {
    const allocator = make();
    expect(allocator.memoryFraction).toBe(1);
    for (const fraction of [1, 0, 0.3141]) {
      allocator.setMemoryFraction(fraction);
      expect(allocator.memoryFraction).toBe(fraction);
    }
    allocator.setMemoryFraction(0.5);
    const block = allocator.malloc(0.499 * 16 * GIB);
    expect(block).not.toBe(NO_ROOM);
    allocator.free(block);
    allocator.emptyCache();
    expect(allocator.malloc(0.5 * 16 * GIB + 1)).toBe(NO_ROOM);
    expect(failureText(allocator)).toMatch(
      / of which 16\.00 GiB is free\. 8\.00 GiB allowed; Of the allocated memory 0 bytes /,
    );
    for (const fraction of [-0.1, 2, Number.NaN])
      expect(() => allocator.setMemoryFraction(fraction)).toThrow(/fraction/);
  });

  test('T18 the fraction of the settings is where a device starts', () => {
    for (const fraction of [0, 0.5, 1]) {
      expect(make(GIB, `per_process_memory_fraction:${fraction}`).memoryFraction).toBe(fraction);
    }
    for (const fraction of ['-0.1', '1.1']) {
      expect(() => parseAllocatorConfig(`per_process_memory_fraction:${fraction}`)).toThrow(
        'per_process_memory_fraction is invalid, set it in [0.0, 1.0]',
      );
    }
  });

  test.each(['', 'max_split_size_mb:1024'])('T19 T20 observers are called (%s)', (settings) => {
    const allocator = make(16 * GIB, settings);
    const calls: number[][] = [];
    const counts: number[] = [];
    allocator.outOfMemoryObservers.add((...args) => {
      calls.push(args);
      counts.push(allocator.statistics.numOoms);
    });
    allocator.malloc(GIB);
    expect(allocator.malloc(4096 * GIB)).toBe(NO_ROOM);
    expect(calls).toEqual([[0, 4096 * GIB, 16 * GIB, 15 * GIB]]);
    expect(counts).toEqual([1]);
  });
});

describe('pools', () => {
  test('T52 ids', () => {
    const ids = [nextPoolId(), nextPoolId(), nextPoolId()];
    expect(ids.every(([first]) => first === 0)).toBe(true);
    expect(ids[1][1]).toBeGreaterThan(ids[0][1]);
    expect(ids[2][1]).toBeGreaterThan(ids[1][1]);
  });

  test('T53 segments of a pool', () => {
    const allocator = make();
    const pool = new MemPool(allocator);
    const counts = [1, 2, 3].map(() => {
      pool.use(() => allocator.malloc(MIB));
      return pool.snapshot().length;
    });
    expect(counts).toEqual([1, 1, 2]);
    expect(listSegments(allocator).every((s) => s.segment_pool_id === pool.id)).toBe(true);
  });

  test('T54 use counts', () => {
    const pool = new MemPool(make());
    const counts = [pool.useCount(), pool.use(() => pool.useCount()), pool.useCount()];
    expect(counts).toEqual([1, 2, 1]);
  });

  test('T55 a tensor that outlives its pool keeps its memory', () => {
    const allocator = make();
    const pool = new MemPool(allocator);
    const block = pool.use(() => allocator.malloc(4));
    pool.dispose();
    expect(listSegments(allocator).length).toBe(1);
    expect(allocator.isAllocated(block)).toBe(true);
    allocator.free(block);
    expect(listSegments(allocator).length).toBe(1);
    allocator.emptyCache();
    expect(listSegments(allocator)).toEqual([]);
    expect(poolUseCount(allocator, pool.id)).toBe(0);
  });

  const limited = (mib: number, settings = '') => {
    const allocator = make(16 * GIB, settings);
    allocator.setMemoryFraction((mib * MIB) / (16 * GIB));
    return allocator;
  };

  test('T56 a pool that helps out', () => {
    const allocator = limited(80);
    const other = new MemPool(allocator);
    const helper = new MemPool(allocator, { useOnOom: true });
    const a = other.use(() => allocator.malloc(40 * MIB));
    const b = helper.use(() => allocator.malloc(40 * MIB));
    const address = allocator.addressOf(b);
    expect(allocator.malloc(40 * MIB)).toBe(NO_ROOM);
    allocator.free(a);
    allocator.free(b);
    const c = allocator.malloc(30 * MIB);
    expect(allocator.addressOf(c)).toBe(address);
    expect(allocator.malloc(30 * MIB)).toBe(NO_ROOM);
    allocator.free(c);
    expect(allocator.addressOf(helper.use(() => allocator.malloc(20 * MIB)))).toBe(address);
  });

  test('T57 a pool that does not split', () => {
    const allocator = make();
    const segments = [false, true].map((noSplit) => {
      const pool = new MemPool(allocator, { noSplit });
      pool.use(() => [allocator.malloc(4 * MIB), allocator.malloc(4 * MIB)]);
      return pool.snapshot();
    });
    expect(segments.map((list) => list.length)).toEqual([1, 2]);
    expect(segments[1].map(({ blocks }) => blocks.length)).toEqual([1, 1]);
  });

  test('T58 pools that are no more do not help out', () => {
    const allocator = limited(80);
    const held: number[] = [];
    for (let round = 0; round < 10; round++) {
      const pool = new MemPool(allocator, { useOnOom: true });
      held.push(pool.use(() => allocator.malloc(20 * MIB)));
      pool.dispose();
      allocator.free(held.pop()!);
    }
    expect(allocator.malloc(20 * MIB)).not.toBe(NO_ROOM);
    expect([...allocator.privatePools.values()].every((pool) => !pool.useOnOom)).toBe(true);
  });

  test('T59 blocks around a live one are joined, and the layout can be put back', () => {
    const allocator = make();
    const id = nextPoolId();
    beginAllocateToPool(allocator, id);
    const blocks = Array.from({ length: 11 }, () => allocator.malloc(512));
    endAllocateToPool(allocator, id);
    const middle = allocator.addressOf(blocks[5]);
    const layout = () =>
      listSegments(allocator, id).map(({ blocks }) => blocks.map((b) => [b.address, b.size, b.state]));
    const full = layout();
    const state = poolState(allocator, id);
    blocks.forEach((block, at) => {
      if (at !== 5) allocator.free(block);
    });
    expect(layout()).toEqual([
      [
        [middle - 5 * 512, 5 * 512, 'inactive'],
        [middle, 512, 'active_allocated'],
        [middle + 512, 2 * MIB - 6 * 512, 'inactive'],
      ],
    ]);
    const sparse = poolState(allocator, id);
    const allocated = allocator.allocatedBytes;
    const { freed, created } = restorePool(allocator, state);
    expect(freed).toEqual([middle]);
    expect(created.map((block) => allocator.addressOf(block))).toEqual(
      full[0].slice(0, 11).map(([address]) => address),
    );
    expect(layout()).toEqual(full);
    restorePool(allocator, sparse);
    expect(allocator.allocatedBytes).toBe(allocated);
    expect(layout()[0][1]).toEqual([middle, 512, 'active_allocated']);
    releasePool(allocator, id);
    expect(() => poolState(allocator, id)).toThrow('Not expected to checkpoint freeable graph');
    expect(() => poolState(allocator, nextPoolId())).toThrow('Could not find pool of id');
  });

  test('T59 with expandable segments', () => {
    const allocator = make(GIB, 'expandable_segments:True');
    const pool = new MemPool(allocator);
    const blocks = pool.use(() => [3, 5, 30, 7].map((size) => allocator.malloc(size * MIB)));
    const layout = () => pool.snapshot().map(({ blocks }) => blocks.map((b) => [b.address, b.size, b.state]));
    const before = layout();
    const state = poolState(allocator, pool.id);
    allocator.free(blocks[1]);
    allocator.free(blocks[2]);
    restorePool(allocator, state);
    expect(layout()).toEqual(before);
  });

  test('T60 live blocks of a pool', () => {
    const allocator = make();
    const pool = new MemPool(allocator);
    const blocks = pool.use(() => [2, 2, 20].map((size) => allocator.malloc(size * MIB)));
    const live = () =>
      pool.snapshot().flatMap(({ blocks }) => blocks.filter((b) => b.state === 'active_allocated')).length;
    const counts = [live()];
    for (const block of blocks) {
      allocator.free(block);
      counts.push(live());
    }
    expect(counts).toEqual([3, 2, 1, 0]);
  });

  test('T65 a capture allocates from a private pool, which goes with the graph', () => {
    const allocator = make();
    const id = nextPoolId();
    beginAllocateToPool(allocator, id, (stream) => stream === 1, true);
    const inside = allocator.malloc(3 * MIB, 1);
    const outside = allocator.malloc(3 * MIB, 0);
    endAllocateToPool(allocator, id);
    const ofPool = () => listSegments(allocator).filter((s) => s.segment_pool_id[1] === id[1]).length;
    expect([ofPool(), listSegments(allocator).length]).toEqual([1, 2]);
    allocator.free(inside);
    allocator.free(outside);
    allocator.emptyCache();
    expect([ofPool(), listSegments(allocator).length]).toEqual([1, 1]);
    releasePool(allocator, id);
    allocator.emptyCache();
    expect(listSegments(allocator)).toEqual([]);
  });

  test('memory cached outside serves a request into a pool (pytorch/pytorch#159674)', () => {
    const allocator = limited(100);
    allocator.free(allocator.malloc(60 * MIB));
    const pool = new MemPool(allocator);
    expect(pool.use(() => allocator.malloc(70 * MIB))).not.toBe(NO_ROOM);
  });
});

test('T68 the bytes of every segment and of all add up', () => {
  const allocator = make(GIB);
  const events = allocator.events as ManualEvents;
  const blocks = [100, 3000, 2 * MIB, 15 * MIB, 700_000].map((size) => allocator.malloc(size));
  allocator.free(blocks[1]);
  allocator.recordStream(blocks[2], 3);
  allocator.free(blocks[2]);
  let reserved = 0;
  for (const { blocks: own, total_size } of listSegments(allocator)) {
    const of = (state: string) => own.filter((block) => block.state === state);
    const external = own.filter(({ state }) => state !== 'active_allocated').reduce((sum, { size }) => sum + size, 0);
    const internal = of('active_allocated').reduce((sum, b) => sum + b.size - b.requested_size, 0);
    const requested = of('active_allocated').reduce((sum, b) => sum + b.requested_size, 0);
    expect(external + internal + requested).toBe(total_size);
    reserved += total_size;
  }
  expect(reserved).toBe(allocator.reserved);
  expect(listSegments(allocator).flatMap((s) => s.blocks.map(({ state }) => state))).toContain('active_pending_free');
  events.complete();
  allocator.malloc(1);
  expect(listSegments(allocator).flatMap((s) => s.blocks.map(({ state }) => state))).not.toContain(
    'active_pending_free',
  );
});
