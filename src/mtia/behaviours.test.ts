/**
 * What PyTorch's own tests ask of `torch.mtia`, `torch.accelerator`, streams and events, by their numbers in the list of
 * behaviours (T1 to T68; those on memory have their tests beside it).
 */
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

const MTIA = 19;

describe('torch.mtia', () => {
  test('T1 the current stream is of type mtia', () => {
    const module = torch.get_device_module(torch.device('mtia:0')) as Torch['mtia'];
    expect(module).toBe(torch.mtia);
    expect(module.current_stream().device_type).toBe(MTIA);
  });

  test('T2 the default stream is current at first and has id 0; a new one differs', () => {
    const [current, first] = [torch.mtia.current_stream(), torch.mtia.default_stream()];
    expect(current).toBe(first);
    const stream = new torch.mtia.Stream();
    expect(stream).not.toBe(first);
    expect([first.stream_id, stream.stream_id !== 0]).toEqual([0, true]);
  });

  test('T3 inside of stream it is current, afterwards the old one', () => {
    const before = torch.mtia.current_stream();
    const stream = new torch.mtia.Stream();
    torch.mtia.stream(stream, () => expect(torch.mtia.current_stream()).toBe(stream));
    expect(torch.mtia.current_stream()).toBe(before);
    const guard = new torch.mtia.StreamContext(stream);
    expect(torch.mtia.current_stream()).toBe(stream);
    guard.exit();
    expect(torch.mtia.current_stream()).toBe(before);
  });

  test('T4 query of an idle stream, and after synchronize', () => {
    const stream = new torch.mtia.Stream();
    expect(stream.query()).toBe(true);
    torch.mtia.stream(stream, () => torch.ones(3, { device: 'mtia' }).add(1));
    stream.synchronize();
    expect(stream.query()).toBe(true);
  });

  test('T5 two streams of a device', () => {
    const [a, b] = [new torch.mtia.Stream('mtia:0'), new torch.mtia.Stream('mtia:0')];
    expect(a).not.toBe(b);
    for (const stream of [a, b]) {
      torch.mtia.stream(stream, () => expect(torch.mtia.current_stream()).toBe(stream));
    }
  });

  test('T6 a stream of another device makes that device current', () => {
    const before = torch.mtia.current_device();
    const stream = new torch.mtia.Stream('mtia:1');
    torch.mtia.stream(stream, () => {
      expect([torch.mtia.current_device(), torch.mtia.current_stream()]).toEqual([1, stream]);
    });
    expect(torch.mtia.current_device()).toBe(before);
  });

  test('T7 device', () => {
    torch.mtia.device('mtia:1', () => expect(torch.mtia.current_device()).toBe(1));
    expect(torch.mtia.current_device()).toBe(0);
  });
});

describe('torch.accelerator', () => {
  test('T8 current_accelerator has no index; another type is refused', () => {
    const accelerator = torch.accelerator.current_accelerator()!;
    expect([accelerator.type, accelerator.index]).toEqual(['mtia', null]);
    expect(() => torch.accelerator.set_device_index('cpu')).toThrow(torch.ValueError);
    expect(() => torch.accelerator.set_device_index('cpu')).toThrow("cpu doesn't match the current accelerator mtia.");
  });

  test('T9 set_stream changes the device, synchronize does not', () => {
    torch.accelerator.set_stream(new torch.Stream('mtia:1'));
    expect(torch.accelerator.current_device_index()).toBe(1);
    torch.accelerator.synchronize(0);
    torch.accelerator.synchronize('mtia:0');
    expect(torch.accelerator.current_device_index()).toBe(1);
  });

  test('T10 current_stream by device, index and name', () => {
    const stream = torch.accelerator.current_stream(torch.device('mtia:1'));
    expect(stream.device_index).toBe(1);
    expect(torch.accelerator.current_stream(1)).toBe(stream);
    expect(torch.accelerator.current_stream(String(torch.device('mtia:1')))).toBe(stream);
    expect(() => torch.accelerator.current_stream(torch.device('cpu'))).toThrow(
      new torch.ValueError("cpu doesn't match the current accelerator mtia."),
    );
  });

  test('T11 streams compare with anything, have no order, and are made again from their numbers', () => {
    const stream = new torch.Stream('mtia:1');
    for (const other of [42, 'x', null, {}] as unknown[]) {
      // biome-ignore lint/suspicious/noDoubleEquals: JavaScript's comparison with conversion is what is tested
      expect([stream == other, stream === other]).toEqual([false, false]);
    }
    expect([42, stream].includes(stream)).toBe(true);
    const ordered = stream as unknown as number;
    for (const compare of [() => ordered < 42, () => ordered <= 42, () => ordered > 42, () => ordered >= 42]) {
      expect(compare).toThrow(TypeError);
    }
    const { stream_id, device_index, device_type } = stream;
    expect(new torch.Stream({ stream_id, device_index, device_type })).toBe(stream);
  });

  test('T27 get_memory_info', () => {
    torch.ones(1000, { device: 'mtia' });
    const info = torch.accelerator.get_memory_info();
    expect(info.length).toBe(2);
    for (const bytes of info) expect(Number.isSafeInteger(bytes) && bytes >= 0).toBe(true);
  });

  test('T28 every supported dtype can be allocated and cast', () => {
    const { supported_dtypes } = torch.accelerator.get_device_capability();
    const dtypes = new Set(Object.values(torch).filter((member) => member instanceof torch.dtype));
    expect(supported_dtypes.size).toBeGreaterThan(0);
    for (const dtype of dtypes) {
      const make = () => torch.empty(3, { dtype: dtype as never, device: 'mtia' });
      if (!supported_dtypes.has(dtype as never)) {
        expect(make).toThrow();
        continue;
      }
      for (const other of supported_dtypes) expect(make().to(other).dtype).toBe(other);
    }
  });
});

describe('streams and events', () => {
  test('T61 elapsed_time needs timing and recording', () => {
    const [a, b] = [new torch.Event(), new torch.Event()];
    const created = new torch.ValueError("Both events must be created with argument 'enable_timing=True'.");
    expect(() => a.elapsed_time(b)).toThrow(created);
    const [c, d] = [new torch.Event({ enable_timing: true }), new torch.Event('mtia', { enable_timing: true })];
    expect(() => c.elapsed_time(b)).toThrow(created);
    const recorded = new torch.ValueError('Both events must be recorded before calculating elapsed time.');
    expect(() => c.elapsed_time(d)).toThrow(recorded);
    c.record();
    expect(() => c.elapsed_time(d)).toThrow(recorded);
    d.record();
    torch.accelerator.synchronize();
    expect(c.elapsed_time(d)).toBeGreaterThanOrEqual(0);
  });

  test('T62 contexts of streams nest, enter again, and restore devices and streams', () => {
    const { accelerator } = torch;
    const first = accelerator.current_stream();
    const [a, b, other] = [new torch.Stream(), new torch.Stream(), new torch.Stream('mtia:1')];
    a.within(() => {
      expect(accelerator.current_stream()).toBe(a);
      b.within(() => {
        a.within(() => expect(accelerator.current_stream()).toBe(a));
        expect(accelerator.current_stream()).toBe(b);
      });
      const guard = other.within();
      expect([accelerator.current_device_index(), accelerator.current_stream()]).toEqual([1, other]);
      expect(accelerator.current_stream(0)).toBe(a);
      guard.exit();
      expect([accelerator.current_device_index(), accelerator.current_stream()]).toEqual([0, a]);
      expect(accelerator.current_stream(1).stream_id).toBe(0);
    });
    expect(accelerator.current_stream()).toBe(first);
  });

  test('T63 an event of a second stream that waited for the first', () => {
    const [first, second] = [new torch.Stream(), new torch.Stream()];
    torch.accelerator.set_stream(first);
    const x = torch.ones(100, { device: 'mtia' });
    const event = first.record_event();
    second.wait_event(event);
    torch.accelerator.set_stream(second);
    const y = x.add(1);
    const end = new torch.Event();
    end.record();
    end.synchronize();
    expect(end.query()).toBe(true);
    // What comes before is known to have run with it.
    expect(event.query()).toBe(true);
    y.add(1);
    end.record(second);
    torch.accelerator.synchronize();
    expect([end.query(), second.query(), first.query()]).toEqual([true, true, true]);
    expect(y.sum().item()).toBe(200);
  });

  test('T66 device_index', () => {
    const { accelerator } = torch;
    accelerator.set_device_index(1);
    accelerator.device_index(null, () => expect(accelerator.current_device_index()).toBe(1));
    accelerator.device_index(0, () => expect(accelerator.current_device_index()).toBe(0));
    expect(accelerator.current_device_index()).toBe(1);
  });
});

test('T67 importing uses no device, and there may be none', async () => {
  expect([torch.mtia.is_initialized(), torch.mtia.device_count()]).toEqual([false, 2]);
  torch = await fresh({ MTIA_DEVICE_COUNT: '0' });
  expect([torch.mtia.device_count(), torch.accelerator.device_count(), torch.mtia.is_available()]).toEqual([
    0,
    0,
    false,
  ]);
});
