/** Fractions and settings with real tensors: behaviours T15 to T18 and T33 to T41. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { bundle, run } from '../lifetimes/child.mjs';
import { errorOf, fresh, GIB, MIB, stage, type Tensor, type Torch } from './fresh.testing.ts';

const device = 'mtia';
let torch: Torch;
/** What a test refers to. */
let kept: Tensor[] = [];

beforeAll(async () => {
  torch = await fresh();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** An unused device of this capacity with these settings. */
function configure(memory: string | number, settings = 'expandable_segments:False'): void {
  kept = [];
  torch.mtia.configure({ memory });
  torch.mtia.memory.set_per_process_memory_fraction(1);
  torch.mtia.memory.setAllocatorSettings(settings);
}

const bytes = (size: number): Tensor => torch.empty(size, { device, dtype: torch.uint8 });
const keep = (...sizes: number[]): void => stage(() => void kept.push(...sizes.map(bytes)));
const flat = () => torch.accelerator.memory_stats();

describe('fractions', () => {
  beforeEach(() => configure('1GiB'));

  test('T15 what is no fraction; a whole number will do here', () => {
    const set = torch.mtia.memory.set_per_process_memory_fraction as (fraction: unknown, device?: unknown) => void;
    for (const wrong of ['0.5', null, undefined, true, 1n, [0.5]]) {
      const error = errorOf(() => set(wrong));
      expect([error.name, error.message]).toEqual(['TypeError', 'Invalid type for fraction argument, must be `float`']);
    }
    for (const wrong of [-0.1, 2.0, Number.NaN, Number.POSITIVE_INFINITY]) {
      const error = errorOf(() => set(wrong));
      expect([error.name, error.message]).toEqual([
        'ValueError',
        `Invalid fraction value: ${wrong}. Allowed range: 0~1`,
      ]);
    }
    set(1);
    set(0);
    expect(torch.mtia.memory.get_per_process_memory_fraction()).toBe(0);
    expect(() => set(0.5, 3)).toThrow('invalid device ordinal 3');
  });

  test('T16 half: 0.499 of it works, 0.5 raises, what was there before works', () => {
    const { memory } = torch.mtia;
    kept = [torch.full([10], 3, { device })];
    memory.set_per_process_memory_fraction(0.5);
    const total = memory.mem_get_info()[1];
    const application = Math.floor(total * 0.499) - memory.max_memory_reserved();
    stage(() => bytes(application).dispose());
    memory.empty_cache();
    const error = errorOf(() => bytes(Math.floor(total * 0.5)));
    expect(error).toBeInstanceOf(torch.OutOfMemoryError);
    expect(error.message).toContain('out of memory');
    expect(kept[0].sum().item()).toBe(30);
  });

  test('what is held already stays, and counts', () => {
    const { memory } = torch.mtia;
    keep(700 * MIB);
    memory.set_per_process_memory_fraction(0.5);
    expect(() => keep(1)).toThrow('512.00 MiB allowed; ');
    expect(memory.allocated()).toBe(700 * MIB);
    // Cached memory serves beyond it.
    kept = [];
    keep(700 * MIB);
    expect(memory.reserved()).toBe(700 * MIB);
    memory.empty_cache();
    kept = [];
    memory.empty_cache();
    keep(400 * MIB);
    expect(memory.allocated()).toBe(400 * MIB);
  });

  test('0 allows nothing new', () => {
    torch.mtia.memory.set_per_process_memory_fraction(0);
    expect(() => bytes(1)).toThrow('0 bytes allowed; ');
    torch.mtia.memory.set_per_process_memory_fraction(1);
    expect(bytes(1).numel()).toBe(1);
  });

  test('T17 the getter', async () => {
    const there = await fresh();
    const { memory } = there.mtia;
    expect(memory.get_per_process_memory_fraction()).toBe(1);
    for (const used of [false, true]) {
      if (used) there.mtia.init();
      for (const fraction of [1, 0, 0.3141592653589793]) {
        memory.set_per_process_memory_fraction(fraction);
        expect(memory.get_per_process_memory_fraction()).toBe(fraction);
        expect(memory.get_per_process_memory_fraction('mtia:0')).toBe(fraction);
      }
    }
  });

  test.each(['0.0', '0.5', '1.0'])('T18 PYTORCH_ALLOC_CONF=per_process_memory_fraction:%s', async (fraction) => {
    const there = await fresh({ PYTORCH_ALLOC_CONF: `per_process_memory_fraction:${fraction}`, MTIA_MEMORY: '1GiB' });
    const { memory } = there.mtia;
    expect(memory.get_per_process_memory_fraction()).toBe(Number(fraction));
    there.mtia.init();
    expect(memory.get_per_process_memory_fraction()).toBe(Number(fraction));
    expect(memory.get_memory_stats().dram.allowed_bytes).toBe(Number(fraction) * GIB);
    memory.set_per_process_memory_fraction(0.25);
    expect(memory.get_per_process_memory_fraction()).toBe(0.25);
  });

  test.each(['-0.1', '1.1'])('T18 PYTORCH_ALLOC_CONF=per_process_memory_fraction:%s is invalid', async (fraction) => {
    const there = await fresh({ PYTORCH_ALLOC_CONF: `per_process_memory_fraction:${fraction}` });
    const wrong = 'per_process_memory_fraction is invalid, set it in [0.0, 1.0]';
    expect(() => there.empty(1, { device })).toThrow(wrong);
    expect(errorOf(() => there.mtia.init()).name).toBe('ValueError');
    expect(there.mtia.is_initialized()).toBe(false);
  });
});

describe('settings', () => {
  const SIZE = 84 * MIB;
  /** Bytes that 84 MiB take, and as requested. */
  const taken = (size = SIZE): number[] => {
    torch.mtia.memory.reset_peak_memory_stats();
    stage(() => bytes(size).dispose());
    return [torch.mtia.memory.max_memory_allocated(), flat()['requested_bytes.all.peak']];
  };
  beforeEach(() => configure('16GiB'));

  test('T33 84 MiB by default', () => expect(taken()).toEqual([88080384, 88080384]));

  test('T34 roundup_power2_divisions:4', () => {
    configure('16GiB', 'roundup_power2_divisions:4');
    expect(taken()).toEqual([100663296, 88080384]);
  });

  test('T35 options that are not named are put back', () => {
    configure('16GiB', 'roundup_power2_divisions:4');
    torch.mtia.memory.setAllocatorSettings('garbage_collection_threshold:0.5,max_split_size_mb:40');
    expect(taken()).toEqual([88080384, 88080384]);
    expect(flat()['max_split_size']).toBe(40 * MIB);
  });

  test('T36 divisions by interval', () => {
    configure('16GiB', 'roundup_power2_divisions:[64:8,128:2,256:2,512:2,1024:1,>:1]');
    expect(taken()[0]).toBe(92274688);
    expect(taken(419430400)[0]).toBe(536870912);
  });

  test.each([
    ['foo:1,bar:2', "Unrecognized key 'foo' in MTIA allocator config."],
    ['garbage_collection_threshold:1.2', 'garbage_collect_threshold is invalid, set it in (0.0, 1.0)'],
    ['max_split_size_mb:2', 'CachingAllocator option max_split_size_mb too small, must be >= 20'],
    ['release_lock_on_cudamalloc:none', "Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'none'"],
    ['pinned_num_register_threads:none', /none/],
    ['pinned_num_register_threads:1024', /128/],
  ])('T37 %s', (settings, message) => {
    const before = [torch.mtia.memory.get_allocator_backend(), flat()['max_split_size']];
    const error = errorOf(() => torch.mtia.memory.setAllocatorSettings(settings));
    expect(error.name).toBe('ValueError');
    expect(error.message).toMatch(message);
    expect([torch.mtia.memory.get_allocator_backend(), flat()['max_split_size']]).toEqual(before);
    expect(taken()).toEqual([88080384, 88080384]);
  });

  test('T37 in the environment they are thrown by the first use', async () => {
    const there = await fresh({ PYTORCH_ALLOC_CONF: 'foo:1,bar:2' });
    expect(there.mtia.is_available()).toBe(true);
    for (let i = 0; i < 2; i++) {
      expect(() => there.ones(1, { device })).toThrow("Unrecognized key 'foo' in MTIA allocator config.");
    }
    expect(there.mtia.memory_allocated()).toBe(0);
    expect(there.ones(2).sum().item()).toBe(2);
    const older = await fresh({ PYTORCH_CUDA_ALLOC_CONF: 'roundup_power2_divisions:4', PYTORCH_ALLOC_CONF: '' });
    stage(() => older.empty(SIZE, { device, dtype: older.uint8 }).dispose());
    expect(older.mtia.max_memory_allocated()).toBe(100663296);
  });

  test('settings are a string', () => {
    for (const wrong of [null, undefined, 5, {}] as never[]) {
      expect(() => torch.mtia.memory.setAllocatorSettings(wrong)).toThrow(
        /^setAllocatorSettings\(\): argument 'settings' must be str, not /,
      );
    }
  });

  test('T38 without caching no figure moves', () => {
    const { memory } = torch.mtia;
    torch.mtia.init();
    const requested = () => flat()['requested_bytes.all.allocated'];
    const raw = () => memory.caching_allocator_delete(memory.caching_allocator_alloc(MIB));
    const before = requested();
    memory.caching_allocator_disabled(() => {
      raw();
      expect(requested()).toBe(before);
    });
    raw();
    expect(requested()).toBe(before + 1048576);
    memory.caching_allocator_enable(false);
    stage(() => void torch.ones(100, { device }));
    keep(MIB);
    expect(requested()).toBe(before + 1048576);
    expect(memory.memory_allocated()).toBe(0);
    expect(memory.mem_get_info()[0]).toBe(16 * GIB - 2 * MIB - MIB);
    memory.caching_allocator_enable(true);
    kept = [];
    expect(memory.mem_get_info()[0]).toBe(16 * GIB - 2 * MIB);
  });

  test('T38 PYTORCH_NO_CUDA_MEMORY_CACHING=1', async () => {
    const there = await fresh({ PYTORCH_NO_CUDA_MEMORY_CACHING: '1', MTIA_MEMORY: '1GiB' });
    const x = there.ones(MIB, { device });
    expect(there.mtia.memory_allocated()).toBe(0);
    expect(there.mtia.memory.mem_get_info()).toEqual([GIB - 4 * MIB, GIB]);
    expect(() => there.empty(GIB, { device, dtype: there.uint8 })).toThrow(there.OutOfMemoryError);
    expect(x.sum().item()).toBe(MIB);
    x.dispose();
    expect(there.mtia.memory.mem_get_info()).toEqual([GIB, GIB]);
  });

  test('T39 expandable and other segments side by side', () => {
    torch.mtia.memory.set_per_process_memory_fraction((120 * MIB) / (16 * GIB));
    const set = (expandable: string) =>
      torch.mtia.memory.setAllocatorSettings(`max_split_size_mb:40,expandable_segments:${expandable}`);
    for (const expandable of ['False', 'True', 'False']) {
      set(expandable);
      keep(40 * MIB);
    }
    expect(() => keep(40 * MIB)).toThrow(torch.OutOfMemoryError);
    kept = [];
    keep(120 * MIB);
    expect(torch.mtia.memory_allocated()).toBe(120 * MIB);
  });

  test('T40 garbage collection with expandable blocks among the cached ones', () => {
    torch.mtia.memory.set_per_process_memory_fraction((120 * MIB) / (16 * GIB));
    const set = (expandable: string) =>
      torch.mtia.memory.setAllocatorSettings(`garbage_collection_threshold:0.5,expandable_segments:${expandable}`);
    set('False');
    keep(40 * MIB);
    set('True');
    keep(40 * MIB);
    kept = [];
    set('False');
    keep(80 * MIB);
    expect(torch.mtia.memory_allocated()).toBe(80 * MIB);
    expect(flat()['num_alloc_retries']).toBe(0);
  });

  test('T41 random allocations, frees and emptied caches: every tensor keeps what was written to it', {
    timeout: 120_000,
  }, async () => {
    const program = await bundle('../memory/overlap.testing.ts');
    try {
      // One with room for all, and one that is full all the time.
      const runs = [run(program.file, [10_000, '3GiB']), run(program.file, [500, '256MiB'])];
      const [roomy, full] = (await Promise.all(runs)) as Record<string, number>[];
      expect(roomy).toMatchObject({ wrong: 0, overlaps: 0, failed: 0 });
      expect(full).toMatchObject({ wrong: 0, overlaps: 0 });
      expect(roomy['checked']).toBeGreaterThan(5000);
      expect(full['failed']).toBeGreaterThan(2);
    } finally {
      program.remove();
    }
  });
});
