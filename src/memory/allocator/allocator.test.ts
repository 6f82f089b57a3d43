/** What the allocator does at its edges: wrong frees, other streams, captures, the failure chain, and the trace of it. */
import { describe, expect, test } from 'vitest';
import {
  Allocator,
  type AllocatorOptions,
  beginAllocateToPool,
  cachedBytesByStream,
  endAllocateToPool,
  flatten,
  formatSize,
  listSegments,
  ManualEvents,
  MemPool,
  NO_ROOM,
  nextPoolId,
  outOfMemoryText,
  parseAllocatorConfig,
  pinnedSegments,
  releasePool,
  reservedBytesByPrivatePools,
  TRACE_ACTIONS,
  takeSnapshot,
  VirtualDevice,
} from './index.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const make = (capacity: number, settings = '', options: Partial<AllocatorOptions> = {}) =>
  new Allocator({ device: capacity, settings: parseAllocatorConfig(settings), ...options });
const stats = (allocator: Allocator) => flatten(allocator.nestedStatistics());

/** Names of events as they come. */
function traced(allocator: Allocator): string[] {
  const seen: string[] = [];
  allocator.observer = { trace: (action, _, size) => void seen.push(`${TRACE_ACTIONS[action]} ${size}`) };
  return seen;
}

describe('blocks', () => {
  test('0 bytes are no block', () => {
    const allocator = make(GIB);
    expect(allocator.malloc(0)).toBe(0);
    allocator.free(0);
    allocator.recordStream(0, 1);
    expect(allocator.reserved).toBe(0);
    expect(stats(allocator)['allocation.all.allocated']).toBe(0);
  });

  test('freed twice, or never allocated', () => {
    const allocator = make(GIB);
    const block = allocator.malloc(100);
    allocator.free(block);
    for (const wrong of [block, 999, -1]) {
      expect(() => allocator.free(wrong)).toThrow(
        expect.objectContaining({ name: 'RuntimeError', message: expect.stringContaining('invalid device pointer: ') }),
      );
    }
    expect(() => allocator.recordStream(block, 1)).toThrow('invalid device pointer');
    expect(stats(allocator)['allocation.all.freed']).toBe(1);
  });

  test('best fit, then the lowest address', () => {
    const allocator = make(GIB);
    const blocks = [3000, 512, 1000, 512, 1000, 512].map((size) => allocator.malloc(size));
    const addresses = blocks.map((block) => allocator.addressOf(block));
    for (const at of [4, 0, 2]) allocator.free(blocks[at]);
    expect([1000, 1000].map((size) => allocator.addressOf(allocator.malloc(size)))).toEqual([
      addresses[2],
      addresses[4],
    ]);
  });

  test('a block of one stream does not serve another', () => {
    const allocator = make(GIB);
    allocator.free(allocator.malloc(3 * MIB, 1));
    allocator.malloc(3 * MIB, 2);
    expect(
      listSegments(allocator)
        .map(({ stream }) => stream)
        .sort(),
    ).toEqual([1, 2]);
    expect(cachedBytesByStream(allocator)).toEqual(
      new Map([
        [1, 20 * MIB],
        [2, 17 * MIB],
      ]),
    );
    allocator.emptyCache(null, 1);
    expect([...cachedBytesByStream(allocator).keys()]).toEqual([2]);
  });

  test('what keeps a segment', () => {
    const allocator = make(GIB);
    const big = allocator.malloc(9 * MIB);
    const small = allocator.malloc(2 * MIB);
    allocator.free(big);
    const [{ free, pinnedBy }] = pinnedSegments(allocator);
    expect(free).toBe(18 * MIB);
    expect(pinnedBy.map(({ block }) => block)).toEqual([small]);
    allocator.free(small);
    expect(pinnedSegments(allocator)).toEqual([]);
  });
});

describe('other streams', () => {
  test('a block is cached when the streams that used it have passed its free', () => {
    const events = new ManualEvents();
    const allocator = make(GIB, '', { events });
    const seen = traced(allocator);
    const block = allocator.malloc(1000, 0);
    const address = allocator.addressOf(block);
    allocator.recordStream(block, 0);
    allocator.recordStream(block, 1);
    allocator.recordStream(block, 2);
    allocator.free(block);
    const during = stats(allocator);
    expect([during['allocated_bytes.all.current'], during['active_bytes.all.current']]).toEqual([0, 1024]);
    events.complete(1);
    expect(allocator.addressOf(allocator.malloc(1000))).not.toBe(address);
    events.complete(2);
    expect(seen).not.toContain('free_completed 1000');
    expect(allocator.addressOf(allocator.malloc(1000))).toBe(address);
    expect(seen).toEqual([
      'segment_alloc 2097152',
      'alloc 1000',
      'free_requested 1000',
      'alloc 1000',
      'free_completed 1000',
      'alloc 1000',
    ]);
  });

  test('thousands of waits, passed little by little', () => {
    let passed = 0;
    const events = { record: () => ++recorded, done: (_: number, ticket: number) => ticket <= passed, wait: () => {} };
    let recorded = 0;
    const allocator = make(GIB, '', { events });
    const blocks = Array.from({ length: 3000 }, () => allocator.malloc(512));
    for (const block of blocks) {
      allocator.recordStream(block, 1);
      allocator.free(block);
    }
    for (passed = 0; passed <= 3000; passed += 500) {
      allocator.processEvents();
      expect(stats(allocator)['active.all.current']).toBe(3000 - passed);
    }
    expect(listSegments(allocator).map(({ blocks }) => blocks.length)).toEqual([1]);
  });

  test('empty_cache waits for them', () => {
    const allocator = make(GIB);
    const block = allocator.malloc(1000);
    allocator.recordStream(block, 1);
    allocator.free(block);
    allocator.emptyCache();
    expect(allocator.reserved).toBe(0);
    expect(stats(allocator)['num_sync_all_streams']).toBe(1);
  });

  test('a predicate may decide', () => {
    let time = 0;
    const events = { record: () => time, done: (_: number, ticket: number) => time > ticket, wait: () => void time++ };
    const allocator = make(GIB, '', { events });
    const block = allocator.malloc(1000);
    const address = allocator.addressOf(block);
    allocator.recordStream(block, 1);
    allocator.free(block);
    expect(allocator.addressOf(allocator.malloc(1000))).not.toBe(address);
    time++;
    expect(allocator.addressOf(allocator.malloc(1000))).toBe(address);
  });

  test('during a capture frees wait for its end; what it recorded itself has ended with it', () => {
    const allocator = make(GIB);
    const id = nextPoolId();
    const [before, within] = [allocator.malloc(512), allocator.malloc(512)];
    allocator.recordStream(before, 1);
    beginAllocateToPool(allocator, id, () => true, true);
    allocator.recordStream(within, 2);
    allocator.free(before);
    allocator.free(within);
    allocator.malloc(512);
    const pending = () =>
      listSegments(allocator).flatMap(({ blocks }) => blocks.filter((b) => b.state === 'active_pending_free')).length;
    expect(pending()).toBe(2);
    endAllocateToPool(allocator, id);
    allocator.malloc(512);
    expect(pending()).toBe(1);
    (allocator.events as ManualEvents).complete(1);
    allocator.malloc(512);
    expect(pending()).toBe(0);
  });

  test('the pool is searched again after the wait (pytorch/pytorch#189504)', () => {
    const allocator = make(20 * MIB);
    const parked = allocator.malloc(9 * MIB);
    const pin = allocator.malloc(9 * MIB);
    allocator.recordStream(parked, 1);
    allocator.free(parked);
    const again = allocator.malloc(9 * MIB);
    expect(again).not.toBe(NO_ROOM);
    expect(allocator.addressOf(again)).toBeLessThan(allocator.addressOf(pin));
    expect(stats(allocator)).toMatchObject({ num_alloc_retries: 1, num_ooms: 0, num_sync_all_streams: 1 });
  });
});

describe('when the device is full', () => {
  test('cached segments are given back, and the retry is counted', () => {
    const allocator = make(100 * MIB);
    const seen = traced(allocator);
    for (const block of [60, 30].map((size) => allocator.malloc(size * MIB))) allocator.free(block);
    expect(allocator.malloc(80 * MIB)).not.toBe(NO_ROOM);
    expect(seen.slice(-4)).toEqual([
      `segment_free ${30 * MIB}`,
      `segment_free ${60 * MIB}`,
      `segment_alloc ${80 * MIB}`,
      `alloc ${80 * MIB}`,
    ]);
    expect(stats(allocator)).toMatchObject({ num_alloc_retries: 1, num_device_alloc: 3, num_device_free: 2 });
  });

  test('under max_split_size the largest are given back until there is enough', () => {
    const allocator = make(170 * MIB, 'max_split_size_mb:20');
    const blocks = [30, 40, 50, 22, 24].map((size) => allocator.malloc(size * MIB));
    for (const block of blocks) allocator.free(block);
    const seen = traced(allocator);
    expect(allocator.malloc(80 * MIB)).not.toBe(NO_ROOM);
    expect(seen.slice(0, 3)).toEqual(
      [50, 40].map((size) => `segment_free ${size * MIB}`).concat(`segment_alloc ${80 * MIB}`),
    );
    expect(stats(allocator)).toMatchObject({
      num_alloc_retries: 0,
      'oversize_segments.current': 4,
      'oversize_segments.freed': 2,
    });
  });

  test('under max_split_size one that is large enough is given back', () => {
    const allocator = make(200 * MIB, 'max_split_size_mb:20');
    for (const block of [30, 100, 50].map((size) => allocator.malloc(size * MIB))) allocator.free(block);
    const seen = traced(allocator);
    allocator.malloc(60 * MIB);
    expect(seen[0]).toBe(`segment_free ${100 * MIB}`);
    expect(seen[1]).toBe(`segment_alloc ${60 * MIB}`);
  });

  test('blocks over max_split_size serve only requests that are not much smaller', () => {
    const allocator = make(GIB, 'max_split_size_mb:40,max_non_split_rounding_mb:20');
    const block = allocator.malloc(100 * MIB);
    const address = allocator.addressOf(block);
    allocator.free(block);
    const where = (mib: number) => {
      const got = allocator.malloc(mib * MIB);
      const at = allocator.addressOf(got);
      allocator.free(got);
      return at === address;
    };
    expect([30, 80, 82, 100].map(where)).toEqual([false, false, true, true]);
  });

  test('garbage collection gives back what has been idle for longest, before the device is asked', () => {
    const allocator = make(GIB, 'garbage_collection_threshold:0.6');
    allocator.setMemoryFraction(100 / 1024);
    const [old, kept] = [20, 22].map((size) => allocator.malloc(size * MIB));
    allocator.free(old);
    for (let round = 0; round < 5; round++) allocator.free(allocator.malloc(3 * MIB, 1));
    allocator.free(kept);
    const seen = traced(allocator);
    allocator.malloc(30 * MIB);
    expect(seen[0]).toBe(`segment_free ${20 * MIB}`);
    expect(seen).not.toContain(`segment_free ${22 * MIB}`);
  });

  test('free callbacks are asked first', () => {
    const allocator = make(100 * MIB);
    const kept = [allocator.malloc(60 * MIB)];
    allocator.freeCallbacks.add(() => {
      const block = kept.pop();
      if (block !== undefined) allocator.free(block);
      return block !== undefined;
    });
    const seen = traced(allocator);
    allocator.malloc(60 * MIB);
    expect(seen).toEqual([`free_requested ${60 * MIB}`, `free_completed ${60 * MIB}`, `alloc ${60 * MIB}`]);
    expect(allocator.malloc(60 * MIB)).toBe(NO_ROOM);
  });

  test('throw_on_cudamalloc_oom rejects at once', () => {
    const allocator = make(GIB, 'throw_on_cudamalloc_oom:True');
    allocator.setMemoryFraction(0.1);
    allocator.free(allocator.malloc(60 * MIB));
    let calls = 0;
    allocator.outOfMemoryObservers.add(() => void calls++);
    expect(allocator.malloc(80 * MIB)).toBe(NO_ROOM);
    expect(allocator.failure?.rejected).toBe(true);
    expect(allocator.statistics.numOomRejections).toBe(1);
    expect(calls).toBe(1);
    expect(stats(allocator)['num_alloc_retries']).toBe(0);
    expect(allocator.reserved).toBe(60 * MIB);
  });

  test('cached memory stays during a capture', () => {
    const allocator = make(100 * MIB);
    allocator.free(allocator.malloc(60 * MIB));
    const id = nextPoolId();
    beginAllocateToPool(allocator, id, () => true, true);
    expect(allocator.malloc(60 * MIB)).toBe(NO_ROOM);
    endAllocateToPool(allocator, id);
    expect(allocator.malloc(80 * MIB)).not.toBe(NO_ROOM);
  });
});

describe('expandable segments', () => {
  const on = 'expandable_segments:True';

  test('one range grows; free pages go', () => {
    const allocator = make(GIB, on);
    const seen = traced(allocator);
    const blocks = [15, 15, 15].map((size) => allocator.malloc(size * MIB));
    expect(seen.filter((event) => event.startsWith('segment'))).toEqual(
      [20, 20, 20].map((size) => `segment_map ${size * MIB}`),
    );
    const [segment] = listSegments(allocator);
    expect([segment.total_size, segment.is_expandable, segment.blocks.length]).toEqual([60 * MIB, true, 4]);
    expect(stats(allocator)).toMatchObject({
      'segment.all.current': 0,
      'inactive_split.all.current': 0,
      'reserved_bytes.all.current': 60 * MIB,
    });
    allocator.free(blocks[0]);
    allocator.free(blocks[1]);
    allocator.emptyCache();
    expect(seen.at(-1)).toBe(`segment_unmap ${20 * MIB}`);
    expect(listSegments(allocator).map((s) => s.total_size)).toEqual([40 * MIB]);
    allocator.free(blocks[2]);
    allocator.emptyCache();
    expect([allocator.reserved, listSegments(allocator).length]).toEqual([0, 0]);
    expect(allocator.ranges.filter((range) => range !== undefined)).toEqual([]);
  });

  test('a gap is filled before the end', () => {
    const allocator = make(GIB, on);
    const blocks = [20, 20, 20].map((size) => allocator.malloc(size * MIB));
    const address = allocator.addressOf(blocks[1]);
    allocator.free(blocks[1]);
    allocator.emptyCache();
    expect(listSegments(allocator).length).toBe(2);
    expect(allocator.addressOf(allocator.malloc(18 * MIB))).toBe(address);
    expect(listSegments(allocator).length).toBe(1);
  });

  test('make fragments usable', () => {
    const fails = (settings: string) => {
      const allocator = make(100 * MIB, settings);
      const blocks = Array.from({ length: 5 }, () => allocator.malloc(20 * MIB));
      for (const at of [0, 1, 3]) allocator.free(blocks[at]);
      const failed = allocator.malloc(50 * MIB) === NO_ROOM;
      return [failed, allocator.reserved];
    };
    const [segments, expandable] = ['', on].map(fails);
    expect(segments).toEqual([false, 90 * MIB]);
    expect(expandable).toEqual([false, 100 * MIB]);
  });

  test('a request beyond the device leaves nothing behind', () => {
    const allocator = make(GIB, on);
    for (let round = 0; round < 3; round++) expect(allocator.malloc(2 * GIB)).toBe(NO_ROOM);
    expect(allocator.ranges.length).toBe(1);
    expect(allocator.malloc(GIB - 20 * MIB)).not.toBe(NO_ROOM);
  });

  test('blocks are split whatever max_split_size says (pytorch/pytorch#119452)', () => {
    const allocator = make(GIB, `${on},max_split_size_mb:20`);
    allocator.free(allocator.malloc(100 * MIB));
    const reserved = allocator.reserved;
    allocator.malloc(30 * MIB);
    allocator.malloc(60 * MIB);
    expect(allocator.reserved).toBe(reserved);
  });

  test('the address space of a range may be set', () => {
    const allocator = make(GIB, `${on},expandable_segments_reserve:0.5`);
    allocator.malloc(400 * MIB);
    allocator.malloc(400 * MIB);
    expect(listSegments(allocator).length).toBe(2);
    expect(make(GIB, `${on},expandable_segments_reserve:0.1G`).malloc(200 * MIB)).toBe(NO_ROOM);
  });
});

describe('texts', () => {
  test('sizes', () => {
    expect([0, 1024, 1025, MIB, MIB + 1, GIB, 3 * GIB].map(formatSize)).toEqual([
      '0 bytes',
      '1024 bytes',
      '1.00 KiB',
      '1024.00 KiB',
      '1.00 MiB',
      '1024.00 MiB',
      '3.00 GiB',
    ]);
  });

  const fail = (settings: string) => {
    const allocator = make(64 * MIB, settings, { index: 1 });
    allocator.setMemoryFraction(0.75);
    const blocks = [14, 12, 16].map((size) => allocator.malloc(size * MIB));
    allocator.free(blocks[1]);
    const small = allocator.malloc(3 * MIB);
    expect(allocator.malloc(11 * MIB - 100)).toBe(NO_ROOM);
    expect(small).not.toBe(NO_ROOM);
    return allocator.failure!;
  };
  const advice =
    ' If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid' +
    ' fragmentation.  See documentation for Memory Management ' +
    ' (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)';

  test('every part of it', () => {
    const failure = fail('');
    expect(failure).toMatchObject({
      requested: 11 * MIB - 100,
      rounded: 11 * MIB,
      segment: 12 * MIB,
      largestCached: 9 * MIB,
    });
    expect(outOfMemoryText(failure, { name: 'MTIA', advise: true, capacityNote: 'set by MTIA_MEMORY' })).toBe(
      'MTIA out of memory. Tried to allocate 12.00 MiB. MTIA 1 has a total capacity of 64.00 MiB ' +
        'of which 22.00 MiB is free. 48.00 MiB allowed; Of the allocated memory 33.00 MiB is allocated by PyTorch, ' +
        `and 9.00 MiB is reserved by PyTorch but unallocated.${advice}` +
        ' The request was for 11.00 MiB, which takes a segment of 12.00 MiB. The capacity is set by MTIA_MEMORY.',
    );
  });

  test('rounding is told where it shows', () => {
    const failure = { ...fail(''), requested: 3000, rounded: 4096, segment: 2 * MIB };
    expect(outOfMemoryText(failure, { name: 'MTIA' })).toMatch(
      / The request was for 2\.93 KiB, rounded to 4\.00 KiB, which takes a segment of 2\.00 MiB\.$/,
    );
  });

  test('the advice is given only where it may help (pytorch/pytorch#173049)', () => {
    const failure = fail('');
    const text = (change: object) => outOfMemoryText({ ...failure, ...change }, { name: 'MTIA' });
    expect(text({})).toContain(advice);
    expect(text({ expandable: true })).not.toContain('expandable_segments');
    expect(text({ active: 40 * MIB })).not.toContain('expandable_segments');
    expect(outOfMemoryText(failure, { name: 'MTIA', advise: false })).not.toContain('expandable_segments');
  });

  test('private pools are told', () => {
    const allocator = make(64 * MIB);
    const pool = new MemPool(allocator);
    pool.use(() => allocator.free(allocator.malloc(30 * MIB)));
    allocator.malloc(14 * MIB);
    expect(allocator.malloc(40 * MIB)).toBe(NO_ROOM);
    expect(reservedBytesByPrivatePools(allocator)).toEqual({ [`0_${pool.id[1]}`]: 30 * MIB });
    expect(outOfMemoryText(allocator.failure!, { name: 'MTIA' })).toContain(
      'Of the allocated memory 44.00 MiB is allocated by PyTorch, ' +
        'with 30.00 MiB allocated in private pools (e.g., CUDA Graphs), and 0 bytes is reserved by PyTorch but unallocated.',
    );
  });
});

describe('routes and users of pools', () => {
  test('misuse', () => {
    const allocator = make(GIB);
    const id = nextPoolId();
    beginAllocateToPool(allocator, id);
    expect(() => beginAllocateToPool(allocator, id)).toThrow('beginAllocateToPool: already recording to mempool_id');
    endAllocateToPool(allocator, id);
    expect(() => endAllocateToPool(allocator, id)).toThrow('endAllocatePool: not currently recording to mempool_id');
    releasePool(allocator, id);
    expect(() => releasePool(allocator, id)).toThrow('the pool is not in use');
    expect(() => releasePool(allocator, nextPoolId())).toThrow('Could not find pool of id');
  });

  test('a pool disposed twice counts once', () => {
    const allocator = make(GIB);
    const pool = new MemPool(allocator);
    pool.dispose();
    pool.dispose();
    expect(pool.useCount()).toBe(0);
    expect(allocator.privatePools.size).toBe(0);
  });

  test('places of pools that are no more are used again', () => {
    const allocator = make(GIB);
    for (let round = 0; round < 5; round++) {
      const pool = new MemPool(allocator);
      allocator.free(pool.use(() => allocator.malloc(100)));
      pool.dispose();
    }
    expect(allocator.pools.length).toBe(4);
    expect(allocator.reserved).toBe(0);
  });
});

test('a snapshot is an event itself, with the bytes that are active', () => {
  const allocator = make(GIB);
  const seen = traced(allocator);
  allocator.malloc(1000);
  expect(takeSnapshot(allocator)[0].requested_size).toBe(1000);
  expect(seen.at(-1)).toBe('snapshot 1024');
});

describe('the device', () => {
  test('opens address space downwards in steps of 32 MiB and fills it from the lowest address', () => {
    const device = new VirtualDevice(GIB);
    const at = [20, 20, 10, 2].map((size) => device.malloc(size * MIB));
    expect(at.map((address) => (address - at[1]) / MIB)).toEqual([32, 0, 20, 30]);
    expect(at.every((address) => address > 0 && address < 2 ** 47)).toBe(true);
  });

  test('uses address space again, and tells what is free', () => {
    const device = new VirtualDevice(100 * MIB);
    const first = device.malloc(50 * MIB);
    expect([device.free, device.malloc(51 * MIB)]).toEqual([50 * MIB, -1]);
    device.release(first, 50 * MIB);
    expect([device.malloc(30 * MIB), device.free]).toEqual([first, 70 * MIB]);
  });

  test('devices differ in their addresses', () => {
    expect(new VirtualDevice(GIB, 0).malloc(MIB)).not.toBe(new VirtualDevice(GIB, 1).malloc(MIB));
  });

  test('address space ends', () => {
    const device = new VirtualDevice(2 ** 50);
    expect(device.malloc(2 ** 47)).toBe(-1);
    expect(device.used).toBe(0);
  });
});
