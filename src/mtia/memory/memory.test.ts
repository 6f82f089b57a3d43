import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

type Torch = typeof import('../../index.ts').default;

/** `torch` as in a new process. */
async function fresh(env: Record<string, string> = {}): Promise<Torch> {
  for (const name of ['DEVICE_COUNT', 'CHIP', 'MEMORY', 'EXECUTOR']) vi.stubEnv(`MTIA_${name}`, undefined);
  for (const [name, value] of Object.entries({ MTIA_EXECUTOR: 'inline', ...env })) vi.stubEnv(name, value);
  vi.resetModules();
  return (await import('../../index.ts')).default;
}
let torch: Torch;
beforeEach(async () => {
  torch = await fresh();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('before the first operation', () => {
  test('figures are 0, and asking does not use the device', () => {
    const { memory } = torch.mtia;
    expect([memory.allocated(), memory.reserved(), memory.max_memory_allocated()]).toEqual([0, 0, 0]);
    memory.reset_peak_memory_stats();
    memory.empty_cache();
    memory.set_per_process_memory_fraction(0.5);
    expect(memory.memory_stats()).toEqual({});
    expect(torch.mtia.is_initialized()).toBe(false);
  });

  test('get_memory_stats says what to do', () => {
    expect(() => torch.mtia.memory.get_memory_stats()).toThrow(
      /^MTIA memory tracking is not initialized: .*torch.mtia.init\(\)/,
    );
    torch.mtia.init();
    expect(torch.mtia.memory.get_memory_stats().dram.allocated_bytes).toBe(0);
  });
});

describe('after it', () => {
  test('every figure', () => {
    const { memory } = torch.mtia;
    const x = torch.empty(256, { device: 'mtia' });
    const y = torch.empty(1000, { device: 'mtia' });
    expect(memory.allocated()).toBe(1024 + 4096);
    expect(torch.mtia.memory_allocated('mtia:0')).toBe(5120);
    y.dispose();
    expect(memory.memory_stats()).toMatchObject({
      dram: {
        allocated_bytes: 1024,
        peak_bytes: 5120,
        reserved_bytes: 2 * 1024 ** 2,
        total_bytes: 128 * 1024 ** 3,
        allowed_bytes: 128 * 1024 ** 3,
        num_ooms: 0,
      },
    });
    expect(memory.get_memory_stats()).toEqual(memory.memory_stats());
    memory.reset_peak_memory_stats();
    expect(memory.max_memory_allocated()).toBe(1024);
    expect(x.numel()).toBe(256);
  });

  test('a tensor that is dropped is not counted, in the middle of a job', () => {
    const make = () => torch.ones(1024, { device: 'mtia' }).add(1).sum().item();
    expect(make()).toBe(2048);
    expect(torch.mtia.memory.allocated()).toBe(0);
    expect(torch.mtia.memory.max_memory_allocated()).toBe(8192);
  });

  test('a device that has not been used shows zeros beside one that has', async () => {
    torch = await fresh({ MTIA_DEVICE_COUNT: '2' });
    const x = torch.empty(1, { device: 'mtia:1' });
    expect(torch.mtia.memory.allocated(0)).toBe(0);
    expect(torch.mtia.memory.allocated(1)).toBe(512);
    expect(torch.mtia.memory.memory_stats(0)).toMatchObject({ dram: { allocated_bytes: 0, peak_bytes: 0 } });
    expect(() => torch.mtia.memory.allocated(2)).toThrow('invalid device ordinal 2');
    expect(() => torch.mtia.memory.allocated('cpu')).toThrow('Expected a non cpu device, but got: cpu');
    expect(x.shape).toEqual([1]);
  });
});

describe('capacity', () => {
  const MIB = 1024 ** 2;

  test('MTIA_MEMORY is a limit, and the device stays usable', async () => {
    torch = await fresh({ MTIA_MEMORY: '64MiB' });
    const x = torch.ones(8 * MIB, { device: 'mtia' });
    const tooMuch = () => torch.ones(16 * MIB, { device: 'mtia' });
    expect(tooMuch).toThrow(torch.OutOfMemoryError);
    expect(tooMuch).toThrow(
      'MTIA out of memory. Tried to allocate 64.00 MiB. MTIA 0 has a total capacity of 64.00 MiB of which 32.00 MiB is free. Of the allocated memory 32.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated. The request was for 64.00 MiB (float32 [16777216]). The capacity is set by MTIA_MEMORY; MTIA 200 (2i) has 128.00 GiB. The allocation was made by ones. The largest holders: 32.00 MiB (float32 [8388608], made by ones).',
    );
    expect(torch.mtia.OutOfMemoryError).toBe(torch.OutOfMemoryError);
    expect(x.sum().item()).toBe(8 * MIB);
    x.dispose();
    expect(
      torch
        .ones(15 * MIB, { device: 'mtia' })
        .sum()
        .item(),
    ).toBe(15 * MIB);
    expect(torch.mtia.memory.get_memory_stats().dram.num_ooms).toBe(2);
  });

  test('in the middle of backward: the engine and the device go on', async () => {
    torch = await fresh({ MTIA_MEMORY: '4MiB' });
    const step = (n: number) => {
      const w = torch.ones(n, { device: 'mtia', requires_grad: true });
      w.mul(2).exp().mul(3).sum().backward();
      return w.grad!.numel();
    };
    expect(() => step(300_000)).toThrow(torch.OutOfMemoryError);
    expect(torch.is_grad_enabled()).toBe(true);
    expect(step(30_000)).toBe(30_000);
    expect(torch.mtia.memory.allocated()).toBe(0);
  });

  test('the chip sets it', async () => {
    torch = await fresh({ MTIA_CHIP: 'h100' });
    expect(() => torch.empty(30e9, { device: 'mtia' })).toThrow(
      'Tried to allocate 111.76 GiB. MTIA 0 has a total capacity of 80.00 GiB',
    );
  });

  test('an observer may read figures and take a snapshot', async () => {
    torch = await fresh({ MTIA_MEMORY: '64MiB' });
    torch.mtia.init();
    torch.mtia.record_memory_history();
    const seen: unknown[] = [];
    const detach = torch.mtia.attach_out_of_memory_observer((...figures) => {
      seen.push(
        figures,
        torch.mtia.snapshot().device_traces[0].map(({ action, size }) => [action, size]),
        torch.mtia.memory.allocated(),
      );
    });
    const x = torch.ones(8 * MIB, { device: 'mtia' });
    const tooMuch = () => torch.ones(16 * MIB, { device: 'mtia' });
    expect(tooMuch).toThrow(torch.OutOfMemoryError);
    expect(seen).toEqual([
      [0, 64 * MIB, 64 * MIB, 32 * MIB],
      [
        ['segment_alloc', 32 * MIB],
        ['alloc', 32 * MIB],
        ['oom', 64 * MIB],
      ],
      32 * MIB,
    ]);
    detach();
    expect(tooMuch).toThrow(torch.OutOfMemoryError);
    expect(seen.length).toBe(3);
    expect(x.numel()).toBe(8 * MIB);
  });

  test('a fraction of it, given before the first use and changed after', async () => {
    torch = await fresh({ MTIA_MEMORY: '128MiB' });
    const { memory } = torch.mtia;
    memory.set_per_process_memory_fraction(0.5);
    const large = () => torch.empty(24 * MIB, { device: 'mtia' });
    expect(large).toThrow('of which 128.00 MiB is free. 64.00 MiB allowed; Of');
    expect(large).toThrow('64.00 MiB are a fraction of 0.5 of the memory');
    memory.set_per_process_memory_fraction(1);
    const x = large();
    memory.set_per_process_memory_fraction(0.25);
    expect(memory.get_per_process_memory_fraction()).toBe(0.25);
    expect(memory.memory_stats()).toMatchObject({ dram: { allowed_bytes: 32 * MIB, allocated_bytes: 96 * MIB } });
    expect(() => torch.empty(1, { device: 'mtia' })).toThrow(torch.OutOfMemoryError);
    x.dispose();
    expect(torch.empty(1, { device: 'mtia' }).numel()).toBe(1);
  });

  test('a fraction that is none', () => {
    const set = torch.mtia.memory.set_per_process_memory_fraction as (fraction: unknown) => void;
    expect(() => set(1.5)).toThrow('Invalid fraction value: 1.5. Allowed range: 0~1');
    expect(() => set(Number.NaN)).toThrow('Invalid fraction value');
    expect(() => set('1')).toThrow('Invalid type for fraction argument, must be `float`');
  });
});

test('without the backend: nothing, and get_memory_stats says how to fall back', async () => {
  torch = await fresh({ MTIA_DEVICE_COUNT: '0' });
  const { memory } = torch.mtia;
  expect([memory.allocated(), memory.reserved(), memory.max_memory_allocated()]).toEqual([0, 0, 0]);
  memory.reset_peak_memory_stats();
  memory.empty_cache();
  memory.set_per_process_memory_fraction(0.5);
  expect(memory.memory_stats()).toEqual({});
  expect(() => memory.get_memory_stats()).toThrow(/^MTIA backend not available: .*Fall back to the cpu/);
});
