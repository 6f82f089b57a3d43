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

const NOT_AVAILABLE = /^MTIA backend not available: .*Fall back to the cpu/;

describe('asking does not use the device', () => {
  test('questions and seeds leave it uninitialised; using it initialises', () => {
    const { mtia } = torch;
    expect([mtia.is_available(), torch.backends.mtia.is_available(), mtia.device_count()]).toEqual([true, true, 2]);
    expect([mtia.current_device(), mtia.is_bf16_supported()]).toEqual([0, true]);
    mtia.get_device_properties();
    mtia.set_device(1);
    mtia.manual_seed_all(3);
    torch.manual_seed(4);
    mtia.set_rng_state(torch.get_rng_state());
    torch.accelerator.synchronize();
    expect(mtia.is_initialized()).toBe(false);
    torch.empty(1, { device: 'mtia' });
    expect(mtia.is_initialized()).toBe(true);
  });

  test('init', () => {
    torch.mtia.init();
    expect(torch.mtia.is_initialized()).toBe(true);
  });
});

describe('the current device', () => {
  const at = () => String(torch.empty(1, { device: 'mtia' }).device);

  test('set_device by number, name and object; negative is nothing', () => {
    torch.mtia.set_device(1);
    expect(at()).toBe('mtia:1');
    torch.mtia.set_device('mtia:0');
    expect(at()).toBe('mtia:0');
    torch.mtia.set_device(torch.device('mtia', 1));
    torch.mtia.set_device(-1);
    expect(torch.mtia.current_device()).toBe(1);
    expect(() => torch.mtia.set_device(2)).toThrow('invalid device ordinal 2');
    expect(() => torch.mtia.set_device('cpu')).toThrow('Expected a non cpu device, but got: cpu');
  });

  test('device as a context, both ways', () => {
    expect(torch.mtia.device(1, at)).toBe('mtia:1');
    expect(at()).toBe('mtia:0');
    const guard = torch.mtia.device('mtia:1');
    expect(at()).toBe('mtia:1');
    guard.exit();
    expect(at()).toBe('mtia:0');
    expect(torch.mtia.device(-1, at)).toBe('mtia:0');
    expect(torch.mtia.device(null, at)).toBe('mtia:0');
    expect(() => torch.mtia.device(5, at)).toThrow('invalid device ordinal 5');
    expect(at()).toBe('mtia:0');
  });

  test('properties follow the configuration', () => {
    expect(torch.mtia.get_device_properties()).toEqual({
      name: 'MTIA 200 (2i)',
      total_memory: 128 * 1024 ** 3,
      major: 2,
      minor: 0,
    });
    torch.mtia.configure({ chip: 'mtia-100', memory: '1GiB' });
    expect([torch.mtia.get_device_name(), torch.mtia.get_device_capability()]).toEqual(['MTIA 100', [1, 0]]);
    expect(torch.mtia.get_device_properties(1).total_memory).toBe(1024 ** 3);
    expect(() => torch.mtia.get_device_properties(2)).toThrow('invalid device ordinal 2');
  });
});

describe('configure', () => {
  test.each([null, undefined, 'mtia-100', 2])('takes an object, not %s', (options) => {
    expect(() => torch.mtia.configure(options as never)).toThrow(
      new TypeError(`configure(): expected an object such as { devices: 2 }, not ${options}`),
    );
  });

  test('more devices, as long as nothing is alive', () => {
    torch.mtia.configure({ devices: 3 });
    const x = torch.ones(2, { device: 'mtia:2' });
    expect(() => torch.mtia.configure({ devices: 1 })).toThrow(/the device is in use\. Alive on it:\n.*mtia:2/);
    x.dispose();
    torch.mtia.configure({ devices: 1 });
    expect([torch.mtia.device_count(), torch.mtia.is_initialized()]).toEqual([1, false]);
    expect(() => torch.mtia.configure({ chips: 2 } as object)).toThrow(
      "configure() got an unexpected keyword argument 'chips'",
    );
  });

  test('generators go on with their seed', () => {
    torch.manual_seed(7);
    const draw = () => torch.rand(2, { device: 'mtia' }).tolist();
    const first = draw();
    torch.mtia.configure({ devices: 1 });
    torch.manual_seed(7);
    expect(draw()).toEqual(first);
  });
});

describe('random state', () => {
  const draw = (device: string) => torch.rand(3, { device }).tolist();

  test('seeds before and after the first use', () => {
    torch.mtia.manual_seed(3);
    const first = draw('mtia:0');
    torch.manual_seed(3);
    expect([draw('cpu'), draw('mtia:0'), draw('mtia:1')]).toEqual([first, first, first]);
    torch.mtia.manual_seed_all(4);
    expect(draw('mtia:0')).toEqual(draw('mtia:1'));
    expect(torch.mtia.initial_seed()).toBe(4n);
    const seed = torch.mtia.seed_all()!;
    expect(torch.mtia.initial_seed()).toBe(seed);
    expect(draw('mtia:0')).toEqual(draw('mtia:1'));
  });

  test('states come and go', () => {
    const states = torch.mtia.get_rng_state_all();
    expect([states.length, states[0].numel(), String(states[0].dtype)]).toEqual([2, 5056, 'torch.uint8']);
    const first = draw('mtia:1');
    torch.mtia.set_rng_state_all(states);
    expect(draw('mtia:1')).toEqual(first);
    torch.mtia.set_rng_state(states[1], 'mtia:1');
    expect(draw('mtia:1')).toEqual(first);
    expect(() => torch.mtia.set_rng_state(states[0].narrow(0, 0, 5))).toThrow('found the input RNG state size to be 5');
  });

  test('a state set before the first use is where the device begins', async () => {
    const state = torch.mtia.get_rng_state();
    const first = draw('mtia');
    const bytes = state.toTypedArray() as Uint8Array;
    torch = await fresh();
    torch.mtia.set_rng_state(torch.tensor(bytes));
    expect(torch.mtia.is_initialized()).toBe(false);
    expect(draw('mtia')).toEqual(first);
  });

  test('a Generator on the device', () => {
    const generator = new torch.Generator('mtia:1').manual_seed(3);
    torch.manual_seed(3);
    expect(torch.rand(3, { device: 'mtia:1', generator }).tolist()).toEqual(draw('cpu'));
    expect(() => new torch.Generator('mtia:9')).toThrow('invalid device ordinal 9');
    expect(() => new torch.Generator('cuda')).toThrow('Torch not compiled with CUDA enabled');
  });
});

describe('streams and events', () => {
  test('the default stream', () => {
    const stream = torch.mtia.current_stream();
    expect(String(stream)).toBe('torch.Stream device_type=mtia, device_index=0, stream_id=0');
    expect([
      stream.device_type,
      stream === torch.mtia.default_stream(0),
      stream === torch.mtia.default_stream(1),
    ]).toEqual([19, true, false]);
    expect(stream).toBe(new torch.Stream({ stream_id: 0, device_index: 0, device_type: 19 }));
  });

  test('set_stream and stream make stream and device current', () => {
    const stream = new torch.Stream('mtia:1');
    expect([stream.stream_id > 0, String(stream.device)]).toEqual([true, 'mtia:1']);
    torch.mtia.stream(stream, () => {
      expect([torch.mtia.current_stream() === stream, torch.mtia.current_device()]).toEqual([true, 1]);
    });
    expect([torch.mtia.current_stream(1).stream_id, torch.mtia.current_device()]).toEqual([0, 0]);
    torch.mtia.set_stream(stream);
    expect([torch.accelerator.current_stream() === stream, torch.mtia.current_device()]).toEqual([true, 1]);
    torch.mtia.set_stream(null);
    torch.mtia.stream(null, () => expect(torch.mtia.current_stream()).toBe(stream));
  });

  test('query is about what the host has waited for, and waits', async () => {
    torch = await fresh({ MTIA_EXECUTOR: 'worker' });
    const stream = torch.mtia.current_stream();
    const event = new torch.Event('mtia');
    expect(event.query()).toBe(true);
    const x = torch.ones(600, 600, { device: 'mtia' });
    let y = x;
    for (let i = 0; i < 30; i++) y = y.matmul(x);
    event.record();
    y.add(1);
    expect([event.query(), event.query()]).toEqual([false, true]);
    expect([stream.query(), stream.query()]).toEqual([false, true]);
    y.add(1);
    stream.synchronize();
    expect(stream.query()).toBe(true);
  });

  test('elapsed_time is the time of the work between', () => {
    const [start, end] = [new torch.Event({ enable_timing: true }), new torch.Event({ enable_timing: true })];
    start.record();
    const until = performance.now() + 5;
    while (performance.now() < until) torch.ones(1000, { device: 'mtia' }).add(1);
    end.record();
    end.synchronize();
    expect(start.elapsed_time(end)).toBeGreaterThanOrEqual(4);
    expect(end.elapsed_time(start)).toBe(-start.elapsed_time(end));
  });

  test('on the cpu', () => {
    const stream = new torch.Stream('cpu');
    expect([String(stream), stream.query()]).toEqual([
      'torch.Stream device_type=cpu, device_index=-1, stream_id=0',
      true,
    ]);
    expect(() => new torch.Event('cpu').record()).toThrow("cpu backend doesn't support events.");
    expect(() => new torch.Stream('cuda')).toThrow('PyTorch is not linked with support for cuda devices');
  });
});

test('without the backend, use says how to fall back', async () => {
  torch = await fresh({ MTIA_DEVICE_COUNT: '0' });
  const { mtia } = torch;
  expect([mtia.is_available(), torch.backends.mtia.is_available(), mtia.device_count()]).toEqual([false, false, 0]);
  mtia.manual_seed(3);
  mtia.set_device(-1);
  expect([mtia.seed(), mtia.is_initialized(), mtia.get_rng_state_all()]).toEqual([null, false, []]);
  for (const use of [
    () => torch.ones(3, { device: 'mtia' }),
    () => torch.ones(3).to('mtia'),
    () => mtia.init(),
    () => mtia.current_device(),
    () => mtia.set_device(0),
    () => mtia.synchronize(),
    () => mtia.current_stream(),
    () => mtia.get_device_properties(),
    () => mtia.get_rng_state(),
    () => new torch.Generator('mtia'),
  ]) {
    expect(use).toThrow(NOT_AVAILABLE);
    expect(use).toThrow(torch.RuntimeError);
  }
});
