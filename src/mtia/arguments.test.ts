/** Arguments by name and by position, and what is refused, as in PyTorch. */
import { beforeEach, expect, test, vi } from 'vitest';

type Torch = typeof import('../index.ts').default;
let torch: Torch;
beforeEach(async () => {
  vi.stubEnv('MTIA_DEVICE_COUNT', '3');
  vi.stubEnv('MTIA_EXECUTOR', 'inline');
  vi.resetModules();
  torch = (await import('../index.ts')).default;
});

test('torch.mtia takes a device by name', () => {
  const { mtia } = torch;
  const x = torch.ones(3, { device: 'mtia:1' });
  expect(mtia.current_stream({ device: 1 }).device_index).toBe(1);
  expect(mtia.default_stream({ device: 'mtia:2' }).device_index).toBe(2);
  expect(mtia.memory_allocated({ device: 'mtia:1' })).toBe(512);
  expect(mtia.max_memory_allocated({ device: torch.device('mtia', 1) })).toBe(512);
  expect(mtia.memory_stats({ device: 1 })).toMatchObject({ dram: { allocated_bytes: 512 } });
  expect(mtia.get_device_capability({})).toEqual(mtia.get_device_capability({ device: null }));
  expect(mtia.get_device_properties({ device: 2 }).name).toBe(mtia.get_device_name());
  x.dispose();
  mtia.synchronize({ device: 1 });
  mtia.reset_peak_memory_stats({ device: 1 });
  mtia.set_rng_state(mtia.get_rng_state({ device: 1 }), { device: 2 });
  mtia.set_device({ device: 1 });
  expect(mtia.current_device()).toBe(1);
  for (const call of [mtia.synchronize, mtia.current_stream, mtia.memory_stats, mtia.get_rng_state]) {
    const wrong = call as (options: object) => void;
    expect(() => wrong({ dev: 1 })).toThrow(new TypeError("got an unexpected keyword argument 'dev'"));
    expect(() => wrong({ device: 'cuda' })).toThrow('Expected a mtia or cpu device, but got: cuda');
  }
  expect(() => mtia.set_device({} as { device: number })).toThrow('integer, but got: None');
});

test('torch.accelerator takes it by position only', () => {
  const { accelerator } = torch;
  const calls: unknown[] = [
    accelerator.synchronize,
    accelerator.current_stream,
    accelerator.set_device_index,
    accelerator.get_memory_info,
    accelerator.memory_stats,
    accelerator.get_device_capability,
  ];
  for (const call of calls as ((options: object) => void)[]) {
    expect(() => call({ device: 1 })).toThrow(
      new TypeError("got some positional-only arguments passed as keyword arguments: 'device'"),
    );
  }
  expect(accelerator.current_accelerator({ check_available: true })).toBe(torch.device('mtia'));
  expect(() => accelerator.current_accelerator({ x: true } as object)).toThrow(
    "current_accelerator() got an unexpected keyword argument 'x'",
  );
});

test('a negative index to synchronize means the current device', () => {
  torch.mtia.device(1, () => {
    const stream = torch.mtia.current_stream();
    torch.ones(3, { device: 'mtia' });
    torch.mtia.synchronize(-1);
    expect(stream.query()).toBe(true);
  });
});

test('streams by their numbers, and what is no device', () => {
  const { Stream, Event } = torch;
  const stream = new Stream(5, 1, 19);
  expect(stream).toBe(new Stream({ stream_id: 5, device_index: 1, device_type: 19 }));
  expect(String(stream)).toBe('torch.Stream device_type=mtia, device_index=1, stream_id=5');
  expect(new Stream(5, 1, 19, { priority: -1 })).toBe(stream);
  const wrong = Stream as unknown as new (...args: unknown[]) => unknown;
  expect(() => new wrong('mtia', -1)).toThrow('Stream() takes from 0 to 1 positional arguments but 2 were given');
  expect(() => new wrong('a', 1, 19)).toThrow("Stream(): argument 'stream_id' must be int, not str");
  for (const [name, make] of Object.entries({ Stream, Event })) {
    const create = make as unknown as new (device: unknown) => unknown;
    for (const [value, type] of [
      [1.5, 'float'],
      [true, 'bool'],
      [[], 'list'],
      [() => 0, 'function'],
    ]) {
      expect(() => new create(value)).toThrow(
        new TypeError(`${name}(): argument 'device' (position 1) must be torch.device, not ${type}`),
      );
    }
    expect(() => new create(-1)).toThrow('Device index must not be negative');
  }
});

test('graphs', () => {
  const { mtia, accelerator } = torch;
  const graph = mtia.graph as (...args: unknown[]) => unknown;
  expect(() => graph()).toThrow("graph.__init__() missing 1 required positional argument: 'mtia_graph'");
  expect(() => graph(3, () => 1)).toThrow("argument 'mtia_graph' must be torch.mtia.MTIAGraph, not int");
  expect(() => new mtia.MTIAGraph({ foo: 1 } as object)).toThrow(
    "MTIAGraph.__new__() got an unexpected keyword argument 'foo'",
  );
  const Graph = accelerator.Graph as unknown as new (...args: unknown[]) => InstanceType<typeof accelerator.Graph>;
  expect(() => new Graph(false, [0, 1])).toThrow('Graph.__new__() takes from 1 to 2 positional arguments but 3');
  const dump = (path?: unknown) => new Graph().debug_dump(path as string);
  expect(() => dump()).toThrow("debug_dump(): argument 'path' must be str, not NoneType");
});

test('a capture of torch.accelerator.Graph empties the host cache first', () => {
  torch.ones(1000, { pin_memory: true }).dispose();
  const cached = () => torch.mtia.memory.host_memory_stats()['allocated_bytes.current'];
  expect(cached()).toBe(4096);
  new torch.accelerator.Graph().within(() => torch.ones(3, { device: 'mtia' }));
  expect(cached()).toBe(0);
});

test('without a device there is no memory', async () => {
  vi.stubEnv('MTIA_DEVICE_COUNT', '0');
  vi.resetModules();
  torch = (await import('../index.ts')).default;
  expect(torch.mtia.mem_get_info()).toEqual([0, 0]);
  expect(torch.mtia.memory.get_memory_info()).toEqual([0, 0]);
});
