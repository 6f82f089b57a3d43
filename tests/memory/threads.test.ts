/**
 * What people reported about PyTorch's memory functions, allocator and errors, and would have been satisfied by. The numbers are
 * those of threads at github.com. What is an error there or misleads is mended here.
 */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { errorOf, fresh, GIB, MIB, stage, type Tensor, type Torch } from './fresh.testing.ts';

const device = 'mtia';
let torch: Torch;
/** What a test refers to. */
let kept: Tensor[] = [];

beforeAll(async () => {
  torch = await fresh();
});
beforeEach(() => {
  kept = [];
  torch.mtia.configure({ memory: '1GiB' });
  torch.mtia.memory.setAllocatorSettings('expandable_segments:False');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const bytes = (mib: number): Tensor => torch.empty(mib * MIB, { device, dtype: torch.uint8 });
const keep = (...mib: number[]): void => stage(() => void kept.push(...mib.map(bytes)));
const flat = () => torch.accelerator.memory_stats();
const active = () => flat()['active_bytes.all.current'];

describe('the same code on every device', () => {
  test('what is free and what there is, by each name (vllm-project/vllm#30679, pytorch/pytorch#156812)', () => {
    keep(10);
    const { accelerator, mtia } = torch;
    const expected = [GIB - 10 * MIB, GIB];
    expect(accelerator.get_memory_info()).toEqual(expected);
    expect(accelerator.memory.get_memory_info()).toEqual(expected);
    expect(accelerator.memory.mem_get_info()).toEqual(expected);
    expect(mtia.memory.mem_get_info()).toEqual(expected);
    expect(mtia.memory.get_memory_info()).toEqual(expected);
  });

  test('both roads to empty_cache (vllm-project/speculators#1025, huggingface/transformers#41195)', () => {
    const roads = [
      () => torch.accelerator.memory.empty_cache(),
      () => torch.accelerator.empty_cache(),
      () => (torch.get_device_module(torch.accelerator.current_accelerator()!) as Torch['mtia']).empty_cache(),
      () => (torch.get_device_module() as Torch['mtia']).empty_cache(),
      () => torch.mtia.empty_cache(),
      () => torch.mtia.memory.empty_cache(),
    ];
    for (const road of roads) {
      stage(() => bytes(10).dispose());
      expect(torch.mtia.memory.memory_reserved()).toBe(10 * MIB);
      road();
      expect(torch.mtia.memory.memory_reserved()).toBe(0);
    }
  });

  test('what cuda has is in torch.mtia.memory by the same names (pytorch/pytorch#134978, OpenRLHF/OpenRLHF#1292)', () => {
    const names = [
      'caching_allocator_alloc',
      'caching_allocator_delete',
      'caching_allocator_enable',
      'empty_cache',
      'get_allocator_backend',
      'get_per_process_memory_fraction',
      'host_memory_stats',
      'max_memory_allocated',
      'max_memory_reserved',
      'mem_get_info',
      'memory_allocated',
      'memory_reserved',
      'memory_snapshot',
      'memory_stats',
      'memory_stats_as_nested_dict',
      'memory_summary',
      'reset_accumulated_memory_stats',
      'reset_peak_memory_stats',
      'set_per_process_memory_fraction',
      '_record_memory_history',
      '_snapshot',
      '_dump_snapshot',
    ];
    const there = torch.mtia.memory as unknown as Record<string, unknown>;
    expect(names.filter((name) => typeof there[name] !== 'function')).toEqual([]);
  });
});

describe('memory that is free and cannot be used', () => {
  test('a block that a wait has just given back is found (pytorch/pytorch#189504)', () => {
    torch.mtia.configure({ memory: '40MiB' });
    const side = new torch.Stream();
    stage(() => {
      // A segment of 20 MiB, of which 8 wait for another stream; the rest keeps the segment.
      const [x, rest] = [bytes(8), bytes(9)];
      kept.push(rest);
      x.record_stream(side);
      torch.mtia.stream(side, () => void x.add_(1));
      x.dispose();
      kept.push(bytes(16));
    });
    expect(active()).toBe(33 * MIB);
    keep(8);
    expect(torch.mtia.memory.allocated()).toBe(33 * MIB);
    expect(flat()).toMatchObject({ num_ooms: 0, num_sync_all_streams: 1, num_alloc_retries: 1 });
  });

  test('expandable_segments beside max_split_size_mb is a warning (pytorch/pytorch#119452)', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    try {
      torch.mtia.memory.setAllocatorSettings('max_split_size_mb:40,expandable_segments:True');
      expect(String(warn.mock.calls[0][0])).toContain('expandable_segments ignores max_split_size_mb');
    } finally {
      warn.mockRestore();
    }
    stage(() => {
      bytes(100).dispose();
      kept.push(bytes(10), bytes(50), bytes(30));
    });
    expect(torch.mtia.memory.memory_reserved()).toBe(100 * MIB);
  });

  test('memory kept for another stream shows (pytorch/pytorch#147168, pytorch/torchtitan#735)', () => {
    const side = new torch.Stream();
    stage(() => {
      const x = bytes(16);
      x.record_stream(side);
      torch.mtia.stream(side, () => void x.add_(1));
      x.dispose();
    });
    const parked = () => flat()['active_bytes.all.current'] - flat()['allocated_bytes.all.current'];
    expect(parked()).toBe(16 * MIB);
    side.synchronize();
    torch.mtia.empty_cache();
    expect(parked()).toBe(0);
    expect(torch.mtia.memory.memory_reserved()).toBe(0);
  });

  test('what a stream that is no longer used has cached, and giving that back alone (NVIDIA/Megatron-LM#6885)', () => {
    const side = new torch.Stream();
    stage(() => {
      torch.mtia.stream(side, () => bytes(20).dispose());
      bytes(30).dispose();
    });
    const { memory } = torch.mtia;
    expect(memory.cachedBytes()).toEqual(
      new Map([
        [side.stream_id, 20 * MIB],
        [0, 30 * MIB],
      ]),
    );
    expect(memory.get_memory_stats().cached_bytes_by_stream).toEqual({ 0: 30 * MIB, [side.stream_id]: 20 * MIB });
    memory.emptyStreamCache(side);
    expect(memory.cachedBytes()).toEqual(new Map([[0, 30 * MIB]]));
    expect(memory.memory_reserved()).toBe(30 * MIB);
  });

  test('growth that only empties of the cache stop is told from growth of what lives (pyg-team/pytorch_geometric#9259)', () => {
    const { memory } = torch.mtia;
    stage(() => {
      for (let i = 0; i < 8; i++) bytes(12 + 2 * i).dispose();
    });
    // Every size is larger than any before: nothing cached serves it.
    expect([memory.memory_allocated(), memory.memory_reserved()]).toEqual([0, (8 * 12 + 2 * 28) * MIB]);
    expect(memory.cachedBytes().get(0)).toBe(memory.memory_reserved());
  });

  test('the cache is given back before anything fails (pytorch/pytorch#105839)', () => {
    stage(() => {
      for (let i = 0; i < 8; i++) bytes(100).dispose();
      bytes(400).dispose();
      kept.push(bytes(1000));
    });
    expect(torch.mtia.memory.memory_reserved()).toBe(1000 * MIB);
    expect(flat()['num_ooms']).toBe(0);
  });
});

describe('what is still held', () => {
  test('after empty_cache: whose it is (pytorch/pytorch#86449)', () => {
    const { nn, mtia } = torch;
    const old = stage(() => {
      const model = new nn.Sequential(new nn.Linear(1024, 512), new nn.ReLU(), new nn.Linear(512, 8)).to(device);
      bytes(50).dispose();
      return model;
    });
    mtia.empty_cache();
    const [first, second] = mtia.memory.holders();
    expect(first).toMatchObject({ shape: [512, 1024], dtype: 'float32', size: 2 * MIB, module: '0.weight' });
    expect(second).toMatchObject({ shape: [8, 512], module: '2.weight' });
    expect(first.address).toBe(old.at(0).parameters().next().value!.data_ptr());
  });

  test('it adds up, whatever there is (pytorch/pytorch#132596, pytorch/pytorch#60150)', () => {
    const { memory } = torch.mtia;
    const pointer = memory.caching_allocator_alloc(5 * MIB);
    stage(() => {
      const model = new torch.nn.Linear(300, 300, { device });
      model(torch.randn(50, 300, { device }))
        .sum()
        .backward();
      kept.push(model.weight, model.weight.grad!, torch.randperm(1000, { device }));
      bytes(30).dispose();
    });
    const held = memory.holders();
    expect(held.reduce((sum, { size }) => sum + size, 0)).toBe(memory.memory_allocated());
    expect(held.reduce((sum, one) => sum + one.requested_size, 0)).toBe(flat()['requested_bytes.all.current']);
    const [free, total] = memory.mem_get_info();
    expect(total - free).toBe(memory.memory_reserved());
    const cached = [...memory.cachedBytes().values()].reduce((sum, one) => sum + one, 0);
    expect(cached + memory.memory_allocated()).toBe(memory.memory_reserved());
    memory.caching_allocator_delete(pointer);
  });

  test('many holders of one size are listed at once, oldest first', () => {
    stage(() => {
      for (let i = 0; i < 20_000; i++) kept.push(torch.empty(1, { device }));
      for (let i = 0; i < 20_000; i += 2) kept[i].dispose();
      kept = kept.filter((_, i) => i % 2 === 1);
      torch.mtia.memory.allocated();
      for (let i = 0; i < 10_000; i++) kept.push(torch.empty(1, { device }));
    });
    const held = torch.mtia.memory.holders();
    expect(held).toHaveLength(20_000);
    expect(held.map(({ address }) => address).slice(0, 100)).toEqual(kept.slice(0, 100).map((x) => x.data_ptr()));
  });
});

describe('settings', () => {
  test('too late is an error or works, and never goes unheard (pytorch/pytorch#96814, CompVis/taming-transformers#194)', () => {
    keep(200);
    // The fraction and the allocator's settings can be changed while tensors live.
    torch.mtia.memory.set_per_process_memory_fraction(0.5);
    torch.mtia.memory.setAllocatorSettings('expandable_segments:True');
    expect(() => keep(400)).toThrow(/512\.00 MiB allowed; .*Allocator settings in force: expandable_segments:True\./);
    torch.mtia.memory.set_per_process_memory_fraction(1);
    // The capacity cannot, and the error says why.
    expect(errorOf(() => torch.mtia.configure({ memory: '2GiB' })).message).toContain('uint8 [209715200] (200.00 MiB)');
  });
});
