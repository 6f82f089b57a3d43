import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Tensor } from '../tensor/tensor.ts';

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
  torch = await fresh();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const stats = () => torch.mtia.memory.host_memory_stats();

test('T29 empty_host_cache never fails, even as the first call or without a device', async () => {
  torch.accelerator.memory.empty_host_cache();
  torch.ones(3, { pin_memory: true }).dispose();
  torch.accelerator.memory.empty_host_cache();
  expect(stats()['allocations.current']).toBe(0);
  torch = await fresh({ MTIA_DEVICE_COUNT: '0' });
  torch.accelerator.memory.empty_host_cache();
  torch.accelerator.memory.reset_peak_host_memory_stats();
  torch.mtia.memory.reset_accumulated_host_memory_stats();
  expect(stats()).toEqual({});
});

test('T30 host statistics', () => {
  expect(stats()).toEqual({});
  torch.mtia.init();
  const expected = stats();
  expect(Object.values(expected).every((value) => value === 0)).toBe(true);
  const check = () => {
    const now = stats();
    for (const key in expected) if (!/time\.(total|max|min|avg)$/.test(key)) expect(now[key], key).toBe(expected[key]);
  };
  const grow = (bytes: number) => {
    for (const suffix of ['allocated', 'current', 'peak']) {
      for (const prefix of ['active_requests', 'allocations']) expected[`${prefix}.${suffix}`]++;
      for (const prefix of ['active_bytes', 'allocated_bytes']) expected[`${prefix}.${suffix}`] += bytes;
    }
    expected['num_host_alloc']++;
    expected['host_alloc_time.count']++;
  };
  const a = torch.ones(10 * 1024, { pin_memory: true });
  expect(a.is_pinned()).toBe(true);
  grow(16 * 1024 * 4);
  check();
  const b = torch.ones(20 * 1024, { pin_memory: true });
  expect(b.is_pinned()).toBe(true);
  grow(32 * 1024 * 4);
  check();
  torch.accelerator.memory.empty_host_cache();
  check();
  torch.mtia.memory.reset_peak_host_memory_stats();
  check();
  torch.mtia.memory.reset_accumulated_host_memory_stats();
  for (const key in expected) if (/\.(allocated|freed)$|^num|count$/.test(key)) expected[key] = 0;
  check();
  expect([a.sum().item(), b.sum().item()]).toEqual([10240, 20480]);
});

test('T64 a non-blocking copy to the cpu gives pinned memory', () => {
  const x = torch.arange(6, { device: 'mtia' }).view(2, 3);
  const y = x.to('cpu', { non_blocking: true });
  expect(y.is_pinned()).toBe(true);
  expect(y.tolist()).toEqual([
    [0, 1, 2],
    [3, 4, 5],
  ]);
  expect(x.to('cpu').is_pinned()).toBe(false);
  expect(x.to('cpu', torch.float64, true).is_pinned()).toBe(true);
  expect(x.to({ device: 'cpu', dtype: torch.float32, non_blocking: true }).is_pinned()).toBe(true);
  expect(x.to(torch.ones(1), true).is_pinned()).toBe(true);
  expect(torch.ones(3).to('cpu', { non_blocking: true, copy: true }).is_pinned()).toBe(false);
  expect(y.to('mtia', { non_blocking: true }).is_pinned()).toBe(false);
  expect(y.mtia({ non_blocking: true }).tolist()).toEqual(y.tolist());
});

describe('pin_memory', () => {
  test('copies, once, with gradients flowing through', () => {
    const x = torch.arange(6, { dtype: torch.float32, requires_grad: true });
    const y = x.pin_memory();
    expect([x.is_pinned(), y.is_pinned(), y.device.type]).toEqual([false, true, 'cpu']);
    expect(y.pin_memory()).toBe(y);
    y.mul(2).sum().backward();
    expect(x.grad!.tolist()).toEqual([2, 2, 2, 2, 2, 2]);
  });

  test('views of a pinned tensor are pinned, results are not', () => {
    const x = torch.ones(2, 3).pin_memory();
    expect([x.view(6), x.t(), x.index([0]), x.detach(), x.data].map((v) => v.is_pinned())).toEqual(Array(5).fill(true));
    expect([x.add(1), x.clone(), torch.ones_like(x), x.new_zeros(2)].map((v) => v.is_pinned())).toEqual(
      Array(4).fill(false),
    );
  });

  test('keeps the layout of a dense tensor', () => {
    const x = torch.arange(6).view(2, 3).t().pin_memory();
    expect(x.stride()).toEqual([1, 3]);
    expect(x.tolist()).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
  });

  test('an empty tensor takes no memory', () => {
    expect(torch.empty(0).pin_memory().is_pinned()).toBe(false);
    torch.mtia.init();
    expect(stats()['allocations.current']).toBe(0);
  });

  test('errors are PyTorch’s', async () => {
    expect(() => torch.ones(3, { device: 'mtia' }).pin_memory()).toThrow(
      "cannot pin 'MTIAFloatType' only dense CPU tensors can be pinned",
    );
    expect(() => torch.ones(3, { device: 'meta', dtype: torch.int64 }).pin_memory()).toThrow(
      "cannot pin 'MetaLongType' only dense CPU tensors can be pinned",
    );
    expect(() => torch.ones(3, { device: 'mtia', pin_memory: true })).toThrow('Only dense CPU tensors can be pinned');
    expect(torch.ones(3, { device: 'meta', pin_memory: true }).is_pinned()).toBe(false);
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    expect(() => torch.ones(3).pin_memory('cpu')).toThrow('CPU device type not an accelerator.');
    expect(() => torch.ones(3).pin_memory('meta')).toThrow('META device type not an accelerator.');
    torch = await fresh({ MTIA_DEVICE_COUNT: '0' });
    expect(() => torch.ones(3).pin_memory()).toThrow('Cannot access accelerator device when none is available.');
    expect(() => torch.randn(3, { pin_memory: true })).toThrow(
      'pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this system.',
    );
  });

  test('the device argument is deprecated', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    expect(torch.ones(3).pin_memory('mtia').is_pinned('mtia')).toBe(true);
    expect(warned.mock.calls.map(([warning]) => (warning as Error).message)).toEqual([
      "The argument 'device' of Tensor.pin_memory() is deprecated. Please do not pass this argument.",
      "The argument 'device' of Tensor.is_pinned() is deprecated. Please do not pass this argument.",
    ]);
  });
});

test('every factory takes pin_memory', () => {
  const x = torch.ones(2);
  const o = { pin_memory: true };
  const made = {
    tensor: torch.tensor([1, 2], o),
    tensorOfTensor: torch.tensor(x, o),
    typed: torch.tensor(new Float32Array(2), o),
    zeros: torch.zeros(2, o),
    ones: torch.ones([2], o),
    empty: torch.empty(2, o),
    full: torch.full([2], 3, o),
    arange: torch.arange(2, o),
    arange2: torch.arange(1, 3, o),
    linspace: torch.linspace(0, 1, 2, o),
    eye: torch.eye(2, o),
    eye2: torch.eye(2, 3, o),
    rand: torch.rand(2, o),
    randn: torch.randn(2, o),
    randint: torch.randint(3, [2], o),
    randint2: torch.randint(1, 3, [2], o),
    randperm: torch.randperm(2, o),
    empty_strided: torch.empty_strided([2], [1], o),
    zeros_like: torch.zeros_like(x, o),
    ones_like: torch.ones_like(x, o),
    empty_like: torch.empty_like(x, o),
    full_like: torch.full_like(x, 3, o),
    rand_like: torch.rand_like(x, o),
    randn_like: torch.randn_like(x, o),
    new_zeros: x.new_zeros(2, o),
    new_ones: x.new_ones(2, o),
    new_empty: x.new_empty(2, o),
    new_full: x.new_full([2], 3, o),
    new_empty_strided: x.new_empty_strided([2], [1], o),
  };
  for (const [name, tensor] of Object.entries(made)) expect(tensor.is_pinned(), name).toBe(true);
  expect(stats()['active_requests.current']).toBe(Object.keys(made).length);
  expect(torch.full([2], 3, { ...o, requires_grad: true }).requires_grad).toBe(true);
  expect(() => torch.ones(3, { pin_memory: 'a' as unknown as boolean })).toThrow(
    "ones(): argument 'pin_memory' must be bool, not str",
  );
});

describe('lifetimes', () => {
  test('dispose and scope give blocks back at once, and they serve again', () => {
    const x = torch.ones(1000, { pin_memory: true });
    x.dispose();
    expect(stats()).toMatchObject({ 'active_requests.current': 0, 'allocations.current': 1 });
    torch.scope(() => {
      torch.ones(1000, { pin_memory: true }).view(10, 100);
    });
    expect(stats()).toMatchObject({ 'active_requests.allocated': 2, 'active_requests.current': 0, num_host_alloc: 1 });
  });

  test('what was dropped is found', () => {
    const step = () => void torch.ones(1000, { pin_memory: true }).mul(2);
    for (let i = 0; i < 5; i++) step();
    expect(stats()).toMatchObject({ 'active_requests.current': 0, 'active_requests.peak': 1, num_host_alloc: 1 });
  });

  test('an optimizer or a graph holds pinned tensors as any other', () => {
    const x = torch.ones(1000).pin_memory();
    const w = torch.ones(1000, { requires_grad: true });
    const y = w.mul(x);
    x.dispose();
    expect(stats()['active_requests.current']).toBe(1);
    y.sum().backward();
    expect(stats()['active_requests.current']).toBe(0);
    expect(w.grad!.sum().item()).toBe(1000);
  });

  test('pinned memory is the host’s: the device has none of it', () => {
    const x = torch.ones(1000, { pin_memory: true, device: 'cpu' });
    expect(torch.mtia.memory_allocated()).toBe(0);
    x.to('mtia').dispose();
    expect(stats()['active_bytes.current']).toBe(4096);
  });
});

describe('copies that nobody waits for', () => {
  test('their block is not used again before the host has waited for the stream', () => {
    const x = torch.ones(1000, { pin_memory: true });
    x.to('mtia', { non_blocking: true });
    x.dispose();
    torch.ones(1000, { pin_memory: true });
    expect(stats()).toMatchObject({ 'active_requests.current': 1, num_host_alloc: 2 });
    torch.mtia.synchronize();
    torch.accelerator.memory.empty_host_cache();
    expect(stats()).toMatchObject({ 'active_requests.current': 0, 'allocations.current': 0 });
  });

  test('the host has waited before it is let go of: it serves at once', () => {
    for (const wait of [
      (y: Tensor) => y.tolist(),
      () => torch.mtia.synchronize(),
      () => torch.mtia.current_stream().synchronize(),
    ]) {
      const before = Number(stats()['num_host_alloc'] ?? 0);
      const x = torch.ones(100_000, { pin_memory: true });
      const y = x.to('mtia', { non_blocking: true });
      wait(y);
      x.dispose();
      torch.ones(100_000, { pin_memory: true }).dispose();
      expect(stats()).toMatchObject({ num_host_alloc: before + 1, 'active_requests.current': 0 });
      // What the stream is given after the copy counts, too, as long as nobody has waited for it.
      const z = torch.ones(100_000, { pin_memory: true });
      const sum = z.to('mtia', { non_blocking: true }).sum();
      wait(sum);
      sum.add(1);
      z.dispose();
      expect(stats()['active_requests.current']).toBe(1);
      torch.mtia.synchronize();
      torch.accelerator.memory.empty_host_cache();
    }
  });

  test('blocking copies leave nothing to wait for', () => {
    const x = torch.ones(1000, { pin_memory: true });
    x.to('mtia');
    x.dispose();
    torch.ones(1000, { pin_memory: true });
    expect(stats()['num_host_alloc']).toBe(1);
  });

  test('copy_ both ways', () => {
    const device = torch.zeros(1000, { device: 'mtia' });
    const source = torch.ones(1000, { pin_memory: true });
    device.copy_(source, true);
    source.dispose();
    expect(stats()['active_requests.current']).toBe(1);
    const back = torch.empty(1000, { pin_memory: true });
    back.copy_(device, { non_blocking: true });
    expect(back.sum().item()).toBe(1000);
    back.dispose();
    torch.mtia.synchronize();
    torch.accelerator.memory.empty_host_cache();
    expect(stats()['allocations.current']).toBe(0);
  });

  test('a wait for one device says nothing of another', async () => {
    torch.mtia.configure({ devices: 2 });
    const x = torch.ones(1000, { pin_memory: true });
    x.to('mtia:1', { non_blocking: true });
    x.dispose();
    torch.mtia.synchronize(0);
    torch.accelerator.memory.empty_host_cache();
    expect(stats()['active_requests.current']).toBe(1);
    torch.mtia.synchronize(1);
    torch.accelerator.memory.empty_host_cache();
    expect(stats()['active_requests.current']).toBe(0);
  });
});

test('a module moved to the cpu without waiting is pinned', () => {
  const model = new torch.nn.Linear(2, 3).to('mtia');
  expect(model.to('cpu').weight.is_pinned()).toBe(false);
  expect(model.to('mtia').to('cpu', null, true).weight.is_pinned()).toBe(true);
  expect(model.to('mtia').to('cpu', { non_blocking: true }).bias!.is_pinned()).toBe(true);
});

test('a device that goes away has finished its copies', () => {
  const x = torch.ones(1000, { pin_memory: true });
  torch.scope(() => void x.to('mtia', { non_blocking: true }));
  x.dispose();
  torch.mtia.configure({ executor: 'inline' });
  torch.accelerator.memory.empty_host_cache();
  expect(stats()['allocations.current']).toBe(0);
});

test('settings take effect, from the moment on', () => {
  const nbytes = 3 * 2 ** 20;
  const make = () => torch.empty(nbytes, { dtype: torch.uint8, pin_memory: true });
  const first = make();
  torch.mtia.memory.setAllocatorSettings('pinned_max_round_threshold_mb:1');
  const second = make();
  expect(stats()['active_bytes.current']).toBe(2 ** 22 + nbytes);
  expect([first.numel(), second.numel()]).toEqual([nbytes, nbytes]);
});
