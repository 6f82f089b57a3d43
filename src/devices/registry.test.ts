import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

type Registry = typeof import('./registry.ts');
let registry: Registry;
let internDevice: typeof import('../core/device.ts').internDevice;

/** A fresh process, as far as devices go. */
async function fresh(env: Record<string, string> = {}): Promise<Registry> {
  for (const name of ['DEVICE_COUNT', 'CHIP', 'MEMORY', 'EXECUTOR', 'MODE']) vi.stubEnv(`MTIA_${name}`, undefined);
  for (const [name, value] of Object.entries({ MTIA_EXECUTOR: 'inline', ...env })) vi.stubEnv(name, value);
  vi.resetModules();
  ({ internDevice } = await import('../core/device.ts'));
  return (registry = await import('./registry.ts'));
}
beforeEach(async () => {
  await fresh();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const GIB = 1024 ** 3;
const mtia = (index: number | null = null) => registry.backendFor(internDevice('mtia', index));

describe('by environment', () => {
  test('one mtia-200 by default', () => {
    const { devices, chip, memory } = registry.configuration();
    expect([devices, chip.name, memory]).toEqual([1, 'mtia-200', 128 * GIB]);
  });

  test('all of it', async () => {
    await fresh({ MTIA_DEVICE_COUNT: '3', MTIA_CHIP: 'h100', MTIA_MEMORY: '2GiB', MTIA_EXECUTOR: 'worker' });
    const { devices, chip, memory, executor } = registry.configuration();
    expect([devices, chip.name, memory, executor]).toEqual([3, 'h100', 2 * GIB, 'worker']);
    expect(registry.deviceCount()).toBe(3);
  });

  test.each([
    ['MTIA_DEVICE_COUNT', '-1', "MTIA_DEVICE_COUNT: expected a whole number from 0 to 64, got '-1'"],
    ['MTIA_DEVICE_COUNT', '1e1', "MTIA_DEVICE_COUNT: expected a whole number from 0 to 64, got '1e1'"],
    ['MTIA_CHIP', 'tpu', "MTIA_CHIP: expected one of mtia-100, mtia-200, mtia-300, h100, got 'tpu'"],
    ['MTIA_MEMORY', '2 gigs', "MTIA_MEMORY: expected bytes like '2GiB', '512MiB', '16GB' or 1073741824, got '2 gigs'"],
    ['MTIA_EXECUTOR', 'gpu', "MTIA_EXECUTOR: expected one of auto, worker, inline, got 'gpu'"],
    ['MTIA_MODE', 'plan', "MTIA_MODE: only 'run' is there today, got 'plan'"],
  ])('%s=%s is refused', async (name, value, message) => {
    await fresh({ [name]: value });
    expect(() => registry.configuration()).toThrow(message);
    expect(() => mtia()).toThrow(message);
    // The cpu does not care.
    registry.backendFor(internDevice('cpu', null)).allocate(10);
  });

  test('no device: using one says how to fall back', async () => {
    await fresh({ MTIA_DEVICE_COUNT: '0' });
    expect(registry.deviceCount()).toBe(0);
    expect(() => mtia()).toThrow(/^MTIA backend not available: .*Fall back to the cpu/);
    expect(() => registry.setCurrentDevice(0)).toThrow(/^MTIA backend not available/);
  });
});

test('sizes of memory', () => {
  const { parseBytes } = registry;
  const cases: [string | number, number][] = [
    ['2GiB', 2 * GIB],
    ['1.5GiB', 1.5 * GIB],
    [' 512 MiB ', 512 * 1024 ** 2],
    ['16GB', 16e9],
    ['100KB', 1e5],
    ['1TiB', 1024 * GIB],
    ['4096', 4096],
    ['4096B', 4096],
    [4096, 4096],
  ];
  for (const [text, bytes] of cases) expect(parseBytes(text, 'x')).toBe(bytes);
  for (const text of ['', '0', '-1', 'GiB', '2 gib', '1,5GiB', Number.NaN, 0.5, Infinity]) {
    expect(() => parseBytes(text, 'x')).toThrow('x: expected bytes like');
  }
});

describe('backends', () => {
  test('there is one for each device, made at its first use', () => {
    registry.configure({ devices: 2 });
    expect(registry.createdBackends()).toEqual([]);
    expect(mtia()).toBe(mtia(0));
    expect(mtia(1)).not.toBe(mtia(0));
    expect(mtia(1).device).toBe(internDevice('mtia', 1));
    expect(registry.createdBackends().length).toBe(2);
    expect(registry.backendFor(internDevice('cpu', null))).toBe(registry.cpuBackend());
    expect(registry.backendFor(internDevice('meta', null)).device.type).toBe('meta');
  });

  test('mtia without an index is the current one', () => {
    registry.configure({ devices: 2 });
    registry.setCurrentDevice(1);
    expect(mtia()).toBe(mtia(1));
    expect(registry.withIndex(internDevice('mtia', null))).toBe(internDevice('mtia', 1));
    expect(() => registry.setCurrentDevice(2)).toThrow(
      'MTIA error: invalid device ordinal 2: there are 2, mtia:0 to mtia:1',
    );
    expect(() => mtia(5)).toThrow('invalid device ordinal 5');
  });

  test('devices that are not there', () => {
    expect(() => registry.backendFor(internDevice('cuda', 0))).toThrow('Torch not compiled with CUDA enabled');
    expect(() => registry.backendFor(internDevice('xpu', 0))).toThrow('Torch not compiled with XPU enabled');
    expect(() => registry.backendFor(internDevice('mps', null))).toThrow(
      'PyTorch is not linked with support for mps devices',
    );
  });
});

describe('configure', () => {
  test('keeps what is not named, and the capacity follows the chip unless it was given', () => {
    registry.configure({ chip: 'mtia-100' });
    expect(registry.configuration().memory).toBe(64 * GIB);
    registry.configure({ memory: '1GiB' });
    registry.configure({ chip: 'h100', devices: 2 });
    const { devices, chip, memory } = registry.configuration();
    expect([devices, chip.name, memory]).toEqual([2, 'h100', GIB]);
    expect(registry.configure({ memory: null }).memory).toBe(80 * GIB);
  });

  test('refuses nonsense and changes nothing then', () => {
    const before = registry.configuration();
    expect(() => registry.configure({ devices: 1.5 })).toThrow('torch.mtia.configure: devices: expected');
    expect(() => registry.configure({ devices: 3, chip: 'x' })).toThrow('torch.mtia.configure: chip: expected');
    expect(() => registry.configure({ memory: '1 x' })).toThrow('torch.mtia.configure: memory: expected');
    expect(() => registry.configure({ threads: 0 })).toThrow('torch.mtia.configure: threads: expected');
    expect(registry.configuration()).toBe(before);
  });

  test('again only when nothing is alive on a device', async () => {
    const { allocateStorage } = await import('./storage.ts');
    const first = mtia();
    const storage = allocateStorage(first, 1000);
    storage.retain();
    expect(() => registry.configure({ chip: 'h100' })).toThrow(/the device is in use[\s\S]*mtia:0: 1000 bytes\n/);
    expect(registry.configuration().chip.name).toBe('mtia-200');
    registry.setDeviceObserver({ created() {}, closed() {}, holders: () => ['weight'] });
    expect(() => registry.configure({ chip: 'h100' })).toThrow('Alive on it:\n  weight\n');
    storage.release();
    registry.configure({ chip: 'h100' });
    expect(mtia()).not.toBe(first);
  });

  test('the capacity limits what can be allocated', async () => {
    const { allocateStorage } = await import('./storage.ts');
    registry.configure({ memory: '3MiB' });
    const held = [0, 1, 2].map(() => allocateStorage(mtia(), 600_000));
    expect(() => allocateStorage(mtia(), 600_000)).toThrow(/^MTIA out of memory\. Tried to allocate 2\.00 MiB/);
    expect(held.length).toBe(3);
  });

  test('watchers see devices come and go', () => {
    const seen: string[] = [];
    registry.setDeviceObserver({
      created: ({ device }, { chip }) => seen.push(`+${device} ${chip.name}`),
      closed: ({ device }) => seen.push(`-${device}`),
      holders: () => [],
    });
    mtia();
    registry.configure({ devices: 2, chip: 'mtia-300' });
    mtia(1);
    expect(seen).toEqual(['+mtia:0 mtia-200', '-mtia:0', '+mtia:1 mtia-300']);
  });
});
