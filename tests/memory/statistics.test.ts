/** Statistics of real tensors: behaviours T21 to T26, T31, T32 and T68, and every function before and after the first use. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fresh, KIB, MIB, stage, type Tensor, type Torch } from './fresh.testing.ts';

const device = 'mtia';
let torch: Torch;
/** What a test refers to. */
let kept: Tensor[] = [];

afterEach(() => {
  kept = [];
  vi.unstubAllEnvs();
});

describe('figures', () => {
  beforeAll(async () => {
    torch = await fresh();
  });
  /** Nothing is held, nothing cached, and counting starts. */
  beforeEach(() => {
    kept = [];
    torch.mtia.configure({ memory: null });
    torch.mtia.init();
  });

  const flat = () => torch.accelerator.memory_stats();

  test('T21 one byte takes 512, and gives them back', () => {
    const { memory } = torch.mtia;
    const before = [memory.memory_allocated(), memory.memory_reserved()];
    const pointer = memory.caching_allocator_alloc(1);
    expect(memory.memory_allocated()).toBe(before[0] + 512);
    expect(flat()['requested_bytes.all.current']).toBe(1);
    memory.caching_allocator_delete(pointer);
    expect(memory.memory_allocated()).toBe(before[0]);
    memory.empty_cache();
    expect(memory.memory_reserved()).toBe(before[1]);
  });

  test('T22 every key is there after the first use', () => {
    stage(() => void torch.ones(1, { device }));
    const stats = flat();
    for (const name of ['allocated_bytes', 'reserved_bytes', 'active_bytes', 'requested_bytes']) {
      for (const pool of ['all', 'large_pool', 'small_pool']) {
        for (const metric of ['allocated', 'current', 'freed', 'peak'])
          expect(stats).toHaveProperty([`${name}.${pool}.${metric}`]);
      }
    }
    expect(Object.keys(stats)).toHaveLength(122);
    expect(Object.keys(stats)).toEqual(Object.keys(stats).sort());
    for (const value of Object.values(stats)) expect(Number.isSafeInteger(value)).toBe(true);
    expect(stats['max_split_size']).toBe(-1);
  });

  test('T23 after empty_cache and both resets peaks are what is current', () => {
    const { accelerator } = torch;
    stage(() => {
      kept = [torch.ones(3 * MIB, { device }), torch.ones(100, { device })];
      torch.ones(4 * MIB, { device });
    });
    expect(accelerator.max_memory_allocated()).toBeGreaterThan(accelerator.memory_allocated());
    accelerator.empty_cache();
    accelerator.reset_peak_memory_stats();
    accelerator.reset_accumulated_memory_stats();
    expect(accelerator.memory_allocated()).toBe(12 * MIB + 512);
    expect(accelerator.max_memory_allocated()).toBe(accelerator.memory_allocated());
    expect(accelerator.max_memory_reserved()).toBe(accelerator.memory_reserved());
    expect(accelerator.memory_reserved()).toBe(12 * MIB + 2 * MIB);
    const stats = flat();
    for (const key of Object.keys(stats).filter((name) => /\.(allocated|freed)$/.test(name)))
      expect(stats[key]).toBe(0);
    expect([stats['num_device_alloc'], stats['num_device_free']]).toEqual([0, 0]);
  });

  test('T24 T26 active_bytes rises by exactly 1024 and falls with the tensor', () => {
    const { accelerator } = torch;
    accelerator.reset_accumulated_memory_stats();
    const before = [accelerator.memory_allocated(), accelerator.memory_reserved(), flat()['active_bytes.all.current']];
    stage(() => kept.push(torch.randn(256, { device })));
    const during = flat();
    expect(during['active_bytes.all.current'] - before[2]).toBe(1024);
    expect(during['active_bytes.all.freed']).toBe(0);
    stage(() => void kept.pop());
    accelerator.empty_cache();
    const after = flat();
    expect(after['active_bytes.all.current']).toBe(before[2]);
    expect(after['active_bytes.all.freed']).toBe(1024);
    expect([accelerator.memory_allocated(), accelerator.memory_reserved()]).toEqual(before.slice(0, 2));
  });

  test('T25 then a reset puts the peaks back to what they were before the tensor', () => {
    const { accelerator } = torch;
    stage(() => kept.push(torch.ones(1000, { device })));
    const before = [accelerator.max_memory_allocated(), accelerator.max_memory_reserved()];
    stage(() => void torch.randn(256 * KIB + 1, { device }));
    expect(accelerator.max_memory_allocated()).toBe(before[0] + MIB + 512);
    expect(accelerator.max_memory_reserved()).toBe(before[1] + 20 * MIB);
    accelerator.empty_cache();
    accelerator.reset_peak_memory_stats();
    expect([accelerator.max_memory_allocated(), accelerator.max_memory_reserved()]).toEqual(before);
  });

  test('T31 products of expanded matrices, of plain ones and bmm take the same memory', () => {
    const { memory } = torch.mtia;
    const peakOf = (run: () => unknown): number => {
      memory.empty_cache();
      memory.reset_peak_memory_stats();
      stage(run);
      return memory.max_memory_allocated();
    };
    const peaks = stage(() => {
      const x = torch.randn(4, 64, 48, { device });
      const y = torch.randn(48, 32, { device });
      const each = y.unsqueeze(0).expand(4, 48, 32).contiguous();
      return [() => x.matmul(y), () => x.matmul(y.unsqueeze(0).expand(4, 48, 32)), () => x.bmm(each)].map(peakOf);
    });
    expect(new Set(peaks).size).toBe(1);
    expect(peaks[0]).toBe(4 * (4 * 64 * 48 + 48 * 32 + 4 * 48 * 32 + 4 * 64 * 32));
  });

  test('T32 tensors of different devices do not mix', () => {
    const there = torch.ones(4, 4, { device });
    const here = torch.ones(4, 4);
    const wrong = 'Expected all tensors to be on the same device';
    expect(() => there.matmul(here)).toThrow(wrong);
    expect(() => here.matmul(there)).toThrow(wrong);
    for (const [a, b, c] of [
      [here, there, there],
      [there, here, there],
      [there, there, here],
      [here, here, there],
    ]) {
      expect(() => torch.addmm(a, b, c)).toThrow(wrong);
    }
  });

  test('T68 the bytes of every segment and of all add up', () => {
    stage(() => {
      kept = [100, 300_000, 5_000, 3 * MIB, 300_001, 700, 11 * MIB].map((n) => torch.empty(n, { device }));
      kept = kept.filter((_, i) => i % 2 === 1);
    });
    const stats = flat();
    const { segments } = torch.mtia.memory.snapshot();
    let total = 0;
    for (const segment of segments) {
      let sum = 0;
      for (const { size, requested_size, state } of segment.blocks) {
        const external = state === 'inactive' ? size : 0;
        const internal = state === 'inactive' ? 0 : size - requested_size;
        sum += external + internal + (state === 'active_allocated' ? requested_size : 0);
      }
      expect(sum).toBe(segment.total_size);
      total += sum;
    }
    expect(segments.map(({ total_size }) => total_size)).toEqual([44 * MIB, 2 * MIB, 20 * MIB]);
    expect(total).toBe(torch.mtia.memory.memory_reserved());
    const requested = segments.flatMap(({ blocks }) => blocks).filter(({ state }) => state === 'active_allocated');
    expect(requested.reduce((bytes, block) => bytes + block.requested_size, 0)).toBe(
      stats['requested_bytes.all.current'],
    );
  });

  test('bytes are rounded to 512 each; those as asked for are told, too', () => {
    stage(() => {
      kept = [1, 129, 100_000].map((n) => torch.empty(n, { device }));
    });
    const stats = flat();
    expect(stats['requested_bytes.all.current']).toBe(4 * (1 + 129 + 100_000));
    expect(stats['allocated_bytes.all.current']).toBe(512 + 1024 + 400_384);
    expect(stats['allocation.all.current']).toBe(3);
    expect(stats['allocation.small_pool.current']).toBe(3);
    expect(stats['segment.all.current']).toBe(1);
  });

  test('a tensor without elements takes nothing', () => {
    stage(() => kept.push(torch.empty(0, { device }), torch.empty(3, 0, 2, { device })));
    expect([torch.mtia.memory_allocated(), torch.mtia.memory.memory_reserved()]).toEqual([0, 0]);
  });

  test('views take nothing, and keep all of what they are a view of', () => {
    stage(() => {
      const x = torch.ones(1000, 1000, { device });
      kept.push(x.narrow(0, 5, 1).select(1, 3), x.t());
    });
    expect(torch.mtia.memory_allocated()).toBe(4_000_256);
    stage(() => void kept.pop());
    expect(torch.mtia.memory_allocated()).toBe(4_000_256);
    stage(() => void kept.pop());
    expect(torch.mtia.memory_allocated()).toBe(0);
  });

  test('who pins a segment that cannot be given back (pytorch/pytorch#35901)', () => {
    const { memory } = torch.mtia;
    stage(() => {
      const large = torch.empty(2 * MIB, { device });
      kept.push(torch.zeros(300_000, { device, dtype: torch.int16 }).reshape(3, 100_000));
      large.dispose();
    });
    memory.empty_cache();
    expect(memory.memory_reserved()).toBe(2 * MIB);
    const [pinned, ...rest] = memory.pinnedMemory();
    expect(rest).toEqual([]);
    expect(pinned).toMatchObject({ total_size: 2 * MIB, free: 2 * MIB - 600_064, stream: 0 });
    expect(pinned.pinned_by).toEqual([
      {
        address: kept[0].data_ptr(),
        size: 600_064,
        requested_size: 600_000,
        shape: [300_000],
        dtype: 'int16',
        operation: 'zeros',
        module: '',
        description: 'int16 [300000], made by zeros',
      },
    ]);
  });
});

/** Every function that gives a figure, in both namespaces and by all of its names. */
function figuresBy(torch: Torch, device?: unknown): Record<string, number> {
  const { accelerator, mtia } = torch;
  const { memory } = mtia;
  const read: Record<string, (device: never) => number> = {
    'mtia.memory_allocated': mtia.memory_allocated,
    'mtia.max_memory_allocated': mtia.max_memory_allocated,
    memory_allocated: memory.memory_allocated,
    max_memory_allocated: memory.max_memory_allocated,
    memory_reserved: memory.memory_reserved,
    max_memory_reserved: memory.max_memory_reserved,
    allocated: memory.allocated,
    reserved: memory.reserved,
    'accelerator.memory_allocated': accelerator.memory_allocated,
    'accelerator.max_memory_allocated': accelerator.max_memory_allocated,
    'accelerator.memory_reserved': accelerator.memory_reserved,
    'accelerator.max_memory_reserved': accelerator.max_memory_reserved,
    'accelerator.memory.memory_allocated': accelerator.memory.memory_allocated,
  };
  return Object.fromEntries(Object.entries(read).map(([name, figure]) => [name, figure(device as never)]));
}

const resetAll = (torch: Torch, device?: never): void => {
  const { accelerator, mtia } = torch;
  mtia.reset_peak_memory_stats(device);
  mtia.memory.reset_peak_memory_stats(device);
  mtia.memory.reset_accumulated_memory_stats(device);
  accelerator.reset_peak_memory_stats(device);
  accelerator.reset_accumulated_memory_stats(device);
};

const emptyAll = ({ accelerator, mtia }: Torch): void => {
  mtia.empty_cache();
  mtia.memory.empty_cache();
  accelerator.empty_cache();
  accelerator.memory.empty_cache();
  accelerator.memory.empty_host_cache();
};

describe('before the first use', () => {
  test('figures are 0, resets do nothing, the summary is of zeros (pytorch/pytorch#117130, #65793)', async () => {
    torch = await fresh();
    const { accelerator, mtia } = torch;
    expect(new Set(Object.values(figuresBy(torch)))).toEqual(new Set([0]));
    expect(new Set(Object.values(figuresBy(torch, 'mtia:0')))).toEqual(new Set([0]));
    resetAll(torch);
    emptyAll(torch);
    expect(mtia.memory_stats()).toEqual({});
    expect(mtia.memory.memory_stats()).toEqual({});
    expect(mtia.memory.memory_stats_as_nested_dict()).toEqual({});
    expect(accelerator.memory_stats()).toEqual({});
    expect(mtia.memory.cachedBytes()).toEqual(new Map());
    expect(mtia.memory.pinnedMemory()).toEqual([]);
    expect(mtia.memory.get_per_process_memory_fraction()).toBe(1);
    const total = 128 * 1024 * MIB;
    expect([mtia.memory.mem_get_info(), accelerator.get_memory_info()]).toEqual([
      [total, total],
      [total, total],
    ]);
    const summary = mtia.memory.memory_summary();
    expect(summary).toContain('| Allocated memory      |      0 B   |      0 B   |      0 B   |      0 B   |');
    for (const line of summary.trimEnd().split('\n')) expect(line).toHaveLength(77);
    expect(() => mtia.memory.get_memory_stats()).toThrow(/^MTIA memory tracking is not initialized/);
    expect(mtia.is_initialized()).toBe(false);
  });

  test('wrong devices are told even then', async () => {
    torch = await fresh();
    for (const device of [1, 'mtia:3', -2]) {
      expect(() => torch.mtia.memory_allocated(device)).toThrow(/invalid device ordinal/);
      expect(() => torch.accelerator.memory_allocated(device)).toThrow(/invalid device ordinal/);
    }
    expect(torch.mtia.is_initialized()).toBe(false);
  });
});

describe('two devices', () => {
  test('each has its own figures; without a device the current one is meant', async () => {
    torch = await fresh({ MTIA_DEVICE_COUNT: '2' });
    const { accelerator, mtia } = torch;
    stage(() => kept.push(torch.ones(1000, { device: 'mtia:1' })));
    expect(new Set(Object.values(figuresBy(torch)))).toEqual(new Set([0]));
    const [allocated, peak, reserved] = [4096, 4096, 2 * MIB];
    for (const one of [1, 'mtia:1', torch.device('mtia:1')]) {
      const figures = figuresBy(torch, one);
      for (const [name, value] of Object.entries(figures)) {
        expect([name, value]).toEqual([name, /reserved/.test(name) ? reserved : allocated]);
      }
    }
    // As in PyTorch all are there once one of them has been used, and what was not used has zeros.
    expect(mtia.memory.memory_stats(0)).toMatchObject({ dram: { allocated_bytes: 0 }, num_ooms: 0 });
    expect(mtia.memory.memory_stats(1)).toMatchObject({ dram: { allocated_bytes: allocated, peak_bytes: peak } });
    expect(accelerator.memory_stats(1)['allocated_bytes.all.current']).toBe(allocated);
    expect(mtia.memory.memory_summary(1)).toContain('device ID 1');
    mtia.device(1, () => expect(mtia.memory_allocated()).toBe(allocated));
    accelerator.device_index(1, () => expect(accelerator.memory_allocated()).toBe(allocated));
    mtia.reset_peak_memory_stats(0);
    kept = [];
    mtia.reset_peak_memory_stats(1);
    expect(mtia.max_memory_allocated(1)).toBe(0);
    expect(mtia.memory.mem_get_info(1)[0]).toBe(128 * 1024 * MIB - reserved);
    expect(mtia.memory.mem_get_info(0)[0]).toBe(128 * 1024 * MIB);
    emptyAll(torch);
    expect(mtia.memory.mem_get_info(1)[0]).toBe(128 * 1024 * MIB);
  });
});

describe('without a device', () => {
  test('figures are 0 and nothing happens; what needs a device says what to do', async () => {
    torch = await fresh({ MTIA_DEVICE_COUNT: '0' });
    const { accelerator, mtia } = torch;
    expect(new Set(Object.values(figuresBy(torch)))).toEqual(new Set([0]));
    resetAll(torch);
    emptyAll(torch);
    mtia.memory.set_per_process_memory_fraction(0.5);
    expect(mtia.memory.memory_stats()).toEqual({});
    expect(accelerator.memory_stats()).toEqual({});
    expect(mtia.memory.memory_stats_as_nested_dict()).toEqual({});
    expect(mtia.memory.memory_summary()).toContain('MTIA memory summary, device ID 0');
    expect(mtia.memory.pinnedMemory()).toEqual([]);
    expect(mtia.memory.cachedBytes()).toEqual(new Map());
    expect(() => mtia.memory.get_memory_stats()).toThrow(/^MTIA backend not available/);
    expect(() => mtia.memory.caching_allocator_alloc(1)).toThrow(/^MTIA backend not available/);
    expect(() => accelerator.get_memory_info()).toThrow('Cannot access accelerator device when none is available.');
    const remove = mtia.attach_out_of_memory_observer(() => {});
    remove();
    mtia.memory.setAllocatorSettings('expandable_segments:True');
    expect(() => torch.empty(1, { device })).toThrow(/^MTIA backend not available/);
  });
});

describe('wrong arguments', () => {
  beforeAll(async () => {
    torch = await fresh();
    torch.mtia.init();
  });

  const functions = (): [string, (device: never) => unknown][] => {
    const { memory } = torch.mtia;
    const names = [
      'memory_allocated',
      'max_memory_allocated',
      'memory_reserved',
      'max_memory_reserved',
      'memory_stats',
      'memory_stats_as_nested_dict',
      'memory_summary',
      'get_memory_stats',
      'mem_get_info',
      'reset_peak_memory_stats',
      'reset_accumulated_memory_stats',
      'get_per_process_memory_fraction',
      'cachedBytes',
      'pinnedMemory',
    ] as const;
    return names.map((name) => [name, memory[name] as (device: never) => unknown]);
  };

  test('a device that is not there', () => {
    for (const [name, read] of functions()) {
      expect([name, stage(() => message(() => read(1 as never)))]).toEqual([
        name,
        'MTIA error: invalid device ordinal 1: there is one device, mtia:0. torch.mtia.configure({ devices }) or MTIA_DEVICE_COUNT makes more.',
      ]);
    }
  });

  test('a device of another type, and what is no device', () => {
    for (const [name, read] of functions()) {
      expect([name, message(() => read('cpu' as never))]).toEqual([name, 'Expected a non cpu device, but got: cpu']);
      expect([name, message(() => read('cuda:0' as never))]).toEqual([
        name,
        'Expected a mtia or cpu device, but got: cuda:0',
      ]);
      expect(message(() => read(0.5 as never))).toMatch(
        /^Expected a torch.device with a specified index or an integer/,
      );
      expect(message(() => read([] as never))).toMatch(/^Expected a torch.device with a specified index or an integer/);
      expect(message(() => read('mtia:x' as never))).toMatch(/Invalid device string: 'mtia:x'/);
    }
    for (const name of ['memory_allocated', 'memory_stats', 'reset_peak_memory_stats', 'get_memory_info'] as const) {
      expect(() => torch.accelerator[name]('cpu')).toThrow("cpu doesn't match the current accelerator mtia.");
    }
  });

  const message = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      return (error as Error).message;
    }
    return 'nothing was thrown';
  };

  test('raw allocations', () => {
    const { caching_allocator_alloc, caching_allocator_delete } = torch.mtia.memory;
    for (const size of [-1, 0.5, Number.NaN, '8', null, undefined] as never[]) {
      expect(() => caching_allocator_alloc(size)).toThrow(/caching_allocator_alloc\(\): expected a number of bytes/);
    }
    expect(() => caching_allocator_alloc(8, 'cpu')).toThrow('Expected a non cpu device, but got: cpu');
    expect(() => caching_allocator_alloc(8, 0, 'x' as never)).toThrow(
      'Invalid type for stream argument, must be `torch.mtia.Stream` or `int` representing a pointer to an existing stream',
    );
    expect(() => caching_allocator_delete(4096)).toThrow('invalid device pointer: 0x1000');
    const pointer = caching_allocator_alloc(8);
    caching_allocator_delete(pointer);
    expect(() => caching_allocator_delete(pointer)).toThrow('invalid device pointer');
    expect(caching_allocator_alloc(0)).toBe(0);
    caching_allocator_delete(0);
    expect(() => caching_allocator_delete('x' as never)).toThrow(
      "caching_allocator_delete(): argument 'mem_ptr' must be int, not str",
    );
    expect(() => caching_allocator_delete(null as never)).toThrow('must be int, not NoneType');
  });
});
