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
  torch = await fresh({ MTIA_DEVICE_COUNT: '2' });
});
afterEach(() => {
  vi.unstubAllEnvs();
});

test('names that are deprecated warn and work', () => {
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  torch.accelerator.set_device_idx(1);
  expect(torch.accelerator.current_device_idx()).toBe(1);
  expect(warnings.mock.calls.map(([warning]) => String(warning))).toEqual([
    'FutureWarning: Use `set_device_index` instead.',
    'FutureWarning: Use `current_device_index` instead.',
  ]);
  warnings.mockRestore();
});

describe('arguments', () => {
  test("PyTorch's errors", () => {
    const { accelerator } = torch;
    const none = 'Expected a torch.device with a specified index or an integer, but got:';
    for (const [device, text] of [
      ['mtia', `${none}mtia`],
      [null, `${none}None`],
      ['xpu:1', "xpu doesn't match the current accelerator mtia."],
    ] as const) {
      expect(() => accelerator.set_device_index(device as never)).toThrow(new torch.ValueError(text));
    }
    expect(() => accelerator.set_device_index(2)).toThrow('invalid device ordinal 2');
    expect(() => accelerator.device_index('x' as never)).toThrow(
      new TypeError("device_index(): argument 'device' must be int or None, not str"),
    );
    expect(accelerator.device_index(-1, () => accelerator.current_device_index())).toBe(0);
    expect(() => accelerator.get_device_capability(2)).toThrow('invalid device ordinal 2');
    expect(accelerator.get_device_capability()).toBe(accelerator.get_device_capability(1));
    expect(torch.mtia.is_initialized()).toBe(false);
  });

  test('synchronize does nothing before the first use, and makes no device', async () => {
    const { accelerator } = torch;
    accelerator.synchronize(7);
    torch.mtia.init();
    accelerator.synchronize(1);
    expect(() => accelerator.synchronize(7)).toThrow('invalid device ordinal 7');
    const { createdBackends } = await import('../devices/registry.ts');
    expect(createdBackends().map(({ device }) => String(device))).toEqual(['mtia:0']);
  });

  test('without an accelerator', async () => {
    torch = await fresh({ MTIA_DEVICE_COUNT: '0' });
    const { accelerator } = torch;
    expect(() => accelerator.set_device_index('cpu')).toThrow(new torch.RuntimeError('Accelerator expected'));
    accelerator.device_index(null, () => {});
    for (const use of [
      () => accelerator.current_device_index(),
      () => accelerator.get_device_capability(),
      () => accelerator.random.manual_seed(3),
      () => accelerator.random.get_rng_state_all(),
    ]) {
      expect(use).toThrow(new torch.RuntimeError('Cannot access accelerator device when none is available.'));
    }
  });
});

describe('torch.accelerator.random', () => {
  const draw = (device: string) => torch.rand(3, { device }).tolist();

  test('seeds, of one device and of all', () => {
    const { random } = torch.accelerator;
    random.manual_seed(3, 1);
    expect(torch.mtia.is_initialized()).toBe(false);
    expect(random.initial_seed(1)).toBe(3n);
    torch.manual_seed(3);
    const expected = draw('cpu');
    expect(draw('mtia:1')).toEqual(expected);
    random.manual_seed_all(3);
    expect([draw('mtia:0'), draw('mtia:1')]).toEqual([expected, expected]);
    expect(random.seed('mtia:1')).toBe(random.initial_seed(1));
    expect(random.seed_all()).toBe(random.initial_seed());
    expect(random.initial_seed(1)).toBe(random.initial_seed(0));
  });

  test('states', () => {
    const { random } = torch.accelerator;
    const states = random.get_rng_state_all();
    const first = [draw('mtia:0'), draw('mtia:1')];
    random.set_rng_state_all(states);
    expect([draw('mtia:0'), draw('mtia:1')]).toEqual(first);
    random.set_rng_state(states[0], 0);
    expect(draw('mtia:0')).toEqual(first[0]);
    torch.accelerator.set_device_index(1);
    random.set_rng_state(states[1]);
    expect(random.get_rng_state().tolist()).toEqual(states[1].tolist());
    expect(draw('mtia')).toEqual(first[1]);
  });
});
