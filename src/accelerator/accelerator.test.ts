import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

type Torch = typeof import('../index.ts').default;

/** `torch` as in a new process. */
async function fresh(env: Record<string, string> = {}): Promise<Torch> {
  for (const name of ['DEVICE_COUNT', 'CHIP', 'MEMORY', 'EXECUTOR']) vi.stubEnv(`MTIA_${name}`, undefined);
  for (const [name, value] of Object.entries({ MTIA_EXECUTOR: 'inline', ...env })) vi.stubEnv(name, value);
  vi.resetModules();
  return (await import('../index.ts')).default;
}
let torch: Torch;
beforeEach(async () => {
  torch = await fresh({ MTIA_DEVICE_COUNT: '2', MTIA_MEMORY: '64MiB' });
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('torch.accelerator', () => {
  test('is mtia', () => {
    const { accelerator } = torch;
    expect([String(accelerator.current_accelerator()), accelerator.is_available(), accelerator.device_count()]).toEqual(
      ['mtia', true, 2],
    );
    expect(accelerator.current_accelerator(true)!.index).toBeNull();
    expect(accelerator.get_device_capability().supported_dtypes.has(torch.bfloat16)).toBe(true);
    expect(torch.get_device_module()).toBe(torch.get_device_module('mtia'));
  });

  test('the current device', () => {
    const { accelerator } = torch;
    accelerator.set_device_index(1);
    expect([accelerator.current_device_index(), torch.mtia.current_device()]).toEqual([1, 1]);
    accelerator.set_device_index(-1);
    expect(accelerator.device_index(0, () => accelerator.current_device_index())).toBe(0);
    expect(accelerator.device_index(null, () => accelerator.current_device_index())).toBe(1);
    expect(accelerator.current_device_index()).toBe(1);
    expect(() => accelerator.set_device_index('cuda:0')).toThrow("cuda doesn't match the current accelerator mtia.");
    accelerator.synchronize();
    expect(torch.mtia.is_initialized()).toBe(false);
  });

  const MIB = 1024 ** 2;

  test('memory: nothing before the first use, then by sorted keys', () => {
    const { accelerator } = torch;
    expect([accelerator.memory_stats(), accelerator.memory_allocated()]).toEqual([{}, 0]);
    accelerator.empty_cache();
    const x = torch.empty(256, { device: 'mtia' });
    torch.empty(256, { device: 'mtia' }).dispose();
    const stats = accelerator.memory.memory_stats();
    expect(stats).toMatchObject({
      'allocated_bytes.all.current': 1024,
      'allocated_bytes.all.peak': 2048,
      num_ooms: 0,
      'reserved_bytes.all.current': 2 * MIB,
      'reserved_bytes.all.peak': 2 * MIB,
    });
    expect(Object.keys(stats)).toEqual(Object.keys(stats).sort());
    expect([
      accelerator.memory_reserved(),
      accelerator.max_memory_allocated(),
      accelerator.max_memory_reserved(0),
    ]).toEqual([2 * MIB, 2048, 2 * MIB]);
    expect(accelerator.get_memory_info()).toEqual([62 * MIB, 64 * MIB]);
    expect(accelerator.get_memory_info(1)).toEqual([64 * MIB, 64 * MIB]);
    accelerator.reset_peak_memory_stats();
    expect(accelerator.max_memory_allocated()).toBe(1024);
    expect(() => torch.empty(32e6, { device: 'mtia' })).toThrow(torch.OutOfMemoryError);
    expect(accelerator.memory_stats()['num_ooms']).toBe(1);
    accelerator.reset_accumulated_memory_stats();
    expect(accelerator.memory_stats()['num_ooms']).toBe(0);
    expect(x.numel()).toBe(256);
  });

  test('without one', async () => {
    torch = await fresh({ MTIA_DEVICE_COUNT: '0' });
    const { accelerator } = torch;
    expect([accelerator.current_accelerator(), accelerator.is_available(), accelerator.device_count()]).toEqual([
      null,
      false,
      0,
    ]);
    expect([accelerator.memory_stats(), accelerator.memory_allocated(), accelerator.memory_reserved()]).toEqual([
      {},
      0,
      0,
    ]);
    accelerator.empty_cache();
    accelerator.reset_peak_memory_stats();
    for (const use of [
      () => accelerator.current_device_index(),
      () => accelerator.set_device_index(0),
      () => accelerator.synchronize(),
      () => accelerator.current_stream(),
      () => accelerator.get_memory_info(),
      () => accelerator.device_index(0, () => 1),
    ]) {
      expect(use).toThrow('Cannot access accelerator device when none is available.');
    }
    expect(torch.get_device_module()).toBe(torch.cpu);
  });
});

describe('accelerators that are not there', () => {
  test('questions are answered', () => {
    for (const name of ['cuda', 'xpu'] as const) {
      const namespace = torch[name];
      expect([namespace.is_available(), namespace.is_initialized(), namespace.device_count()]).toEqual([
        false,
        false,
        0,
      ]);
      expect([namespace.memory_allocated(), namespace.memory_stats()]).toEqual([0, {}]);
      namespace.empty_cache();
      namespace.manual_seed_all(3);
    }
    expect([torch.mps.is_available(), torch.backends.mps.is_available(), torch.backends.mps.is_built()]).toEqual([
      false,
      false,
      false,
    ]);
    expect([torch.backends.cuda.is_built(), torch.backends.cudnn.is_available()]).toEqual([false, false]);
    torch.backends.cudnn.benchmark = true;
  });

  test("use raises PyTorch's errors", () => {
    for (const name of ['cuda', 'xpu'] as const) {
      const text = `Torch not compiled with ${name.toUpperCase()} enabled`;
      for (const use of [
        () => torch[name].current_device(),
        () => torch[name].synchronize(),
        () => torch[name].get_device_name(),
        () => torch.tensor([1], { device: name }),
        () => torch.ones(2, { device: `${name}:0` }),
        () => torch.ones(2).to(name),
      ]) {
        expect(use).toThrow(torch.AssertionError);
        expect(use).toThrow(text);
      }
    }
    expect(() => torch.mps.synchronize()).toThrow('Cannot execute deviceSynchronize() without MPS backend.');
    expect(() => torch.tensor([1], { device: 'mps' })).toThrow('PyTorch is not linked with support for mps devices');
  });

  test('get_device_module', () => {
    expect(torch.get_device_module('cuda')).toBe(torch.cuda);
    expect(torch.get_device_module(torch.device('xpu:1'))).toBe(torch.xpu);
    expect(torch.get_device_module('mtia').device_count()).toBe(2);
    expect(() => torch.get_device_module('meta')).toThrow(
      "Device 'meta' does not have a corresponding module registered as 'torch.meta'.",
    );
    expect(() => torch.get_device_module(3 as unknown as string)).toThrow(
      "Invalid value of device '3', expect torch.device, str, or None",
    );
  });
});

describe('settings', () => {
  test('threads', () => {
    const before = torch.get_num_threads();
    torch.set_num_threads(1);
    expect(torch.get_num_threads()).toBe(1);
    torch.set_num_threads(before);
    expect(() => torch.set_num_threads(0)).toThrow('set_num_threads expects a positive integer');
    expect(() => torch.set_num_threads(1.5)).toThrow('set_num_threads expects an int, but got float');
  });

  test('deterministic algorithms', () => {
    torch.use_deterministic_algorithms(true, { warn_only: true });
    expect(torch.are_deterministic_algorithms_enabled()).toBe(true);
    expect(torch.is_deterministic_algorithms_warn_only_enabled()).toBe(true);
    torch.use_deterministic_algorithms(false);
    expect(torch.are_deterministic_algorithms_enabled()).toBe(false);
  });
});
