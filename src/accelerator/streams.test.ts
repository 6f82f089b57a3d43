/** What is known of work on streams, memory used on several, devices configured anew, and arguments. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Tensor } from '../tensor/tensor.ts';
import type { Event, Stream } from './stream.ts';

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

const work = (device = 'mtia') => torch.ones(4, { device }).add(1);
const workOn = (stream: Stream) => torch.mtia.stream(stream, () => work(String(stream.device)));

describe('what is known to have run', () => {
  test('nothing was given: true. Otherwise what the host has waited for', () => {
    const stream = torch.mtia.current_stream();
    expect(stream.query()).toBe(true);
    const x = work();
    expect([stream.query(), stream.query()]).toEqual([false, true]);
    x.add(1);
    stream.synchronize();
    expect(stream.query()).toBe(true);
    x.add(1);
    torch.mtia.synchronize();
    expect(stream.query()).toBe(true);
  });

  test('a read by the host waits for the current stream, also before the first look at streams', () => {
    const x = work();
    x.tolist();
    const stream = torch.mtia.current_stream();
    expect(stream.query()).toBe(true);
    const side = new torch.Stream();
    workOn(side);
    x.add(1).tolist();
    expect([stream.query(), side.query()]).toEqual([true, false]);
  });

  test('launches count for the stream that was current', () => {
    const [a, b] = [new torch.Stream(), new torch.Stream()];
    workOn(a);
    expect(b.query()).toBe(true);
    expect(torch.mtia.default_stream().query()).toBe(true);
    expect(a.query()).toBe(false);
  });

  test('a stream that only waits is done with what it waits for, and an event on it, too', () => {
    const [side, other, third] = [new torch.Stream(), new torch.Stream(), new torch.Stream('mtia:1')];
    const wait = () => {
      workOn(other);
      side.wait_stream(other);
      third.wait_stream(side);
      return [side.record_event(), third.record_event()];
    };
    let events = wait();
    expect([side.query(), third.query(), ...events.map((event) => event.query())]).toEqual([false, true, true, true]);
    events = wait();
    other.synchronize();
    expect([side.query(), third.query(), ...events.map((event) => event.query())]).toEqual([true, true, true, true]);
    events = wait();
    expect(events[1].query()).toBe(false);
    expect([other.query(), side.query(), third.query(), events[0].query()]).toEqual([true, true, true, true]);
    // Nothing new to wait for.
    side.wait_stream(other);
    expect(side.query()).toBe(true);
  });

  test('copies that nobody waits for are work, and between devices they order both streams', () => {
    const [x, y] = [torch.empty(8, { device: 'mtia:0' }), torch.empty(8, { device: 'mtia:1' })];
    const [there, here] = [torch.mtia.current_stream(0), torch.mtia.current_stream(1)];
    expect([there.query(), here.query()]).toEqual([true, true]);
    y.copy_(x);
    expect([here.query(), there.query()]).toEqual([false, true]);
    x.copy_(torch.ones(8).pin_memory(), { non_blocking: true });
    expect([there.query(), there.query()]).toEqual([false, true]);
    x.copy_(torch.ones(8));
    expect(there.query()).toBe(true);
    x.to('cpu', { non_blocking: true });
    expect(there.query()).toBe(false);
  });

  test('an event is a point: later work does not matter', () => {
    const stream = torch.mtia.current_stream();
    const x = work();
    const event = stream.record_event();
    x.add(1);
    event.synchronize();
    expect([event.query(), stream.query()]).toEqual([true, false]);
    event.record();
    expect(event.query()).toBe(true);
    x.add(1);
    event.record();
    expect([event.query(), event.query(), event.query()]).toEqual([false, true, true]);
  });

  test('an event that was recorded again is the later point', () => {
    const event = new torch.Event();
    work();
    event.record();
    work();
    const between = torch.mtia.current_stream().record_event();
    work();
    event.record();
    between.synchronize();
    expect(event.query()).toBe(false);
  });

  test('waiting for a stream is waiting for what it waited for, and no more', () => {
    const [a, b, c] = [new torch.Stream(), new torch.Stream(), new torch.Stream()];
    workOn(a);
    const early = a.record_event();
    b.wait_event(early);
    workOn(a);
    c.wait_stream(b);
    const late = a.record_event();
    c.synchronize();
    expect([early.query(), b.query(), c.query(), late.query()]).toEqual([true, true, true, false]);
  });

  test('a stream that waits is not idle', () => {
    const [a, b] = [new torch.Stream(), new torch.Stream()];
    const event = a.record_event();
    b.wait_event(event);
    expect(b.query()).toBe(true);
    workOn(a);
    event.record(a);
    event.wait(b);
    expect([b.query(), b.query(), a.query()]).toEqual([false, true, true]);
  });

  test('devices are apart, but for events', () => {
    const [a, b] = [new torch.Stream('mtia:0'), new torch.Stream('mtia:1')];
    workOn(a);
    workOn(b);
    torch.mtia.synchronize(0);
    expect([a.query(), b.query()]).toEqual([true, false]);
    workOn(a);
    b.wait_stream(a);
    torch.accelerator.synchronize(1);
    expect([a.query(), b.query()]).toEqual([true, true]);
  });

  test('it is the same when a worker runs what is given', async () => {
    torch = await fresh({ MTIA_EXECUTOR: 'worker' });
    const [a, b] = [new torch.Stream(), new torch.Stream()];
    workOn(a);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([a.query(), a.query(), b.query()]).toEqual([false, true, true]);
    torch.mtia.configure({ executor: 'inline' });
  });

  test('a fault shows where the host waits for it', () => {
    const event = new torch.Event();
    const indices = torch.tensor([7n]).to('mtia');
    const table = torch.zeros(3, 2, { device: 'mtia' });
    torch.mtia.synchronize();
    table.index_select(0, indices);
    event.record();
    expect(() => event.synchronize()).toThrow(/out of range/);
    event.synchronize();
    expect(event.query()).toBe(true);
  });

  test('times need events that the host has waited for', () => {
    const [a, b] = [new torch.Event({ enable_timing: true }), new torch.Event({ enable_timing: true })];
    a.record();
    work();
    b.record();
    expect(() => a.elapsed_time(b)).toThrow(
      new torch.RuntimeError('Both events must be completed before calculating elapsed time.'),
    );
    b.synchronize();
    expect(a.elapsed_time(b)).toBeGreaterThanOrEqual(0);
  });
});

describe('record_stream', () => {
  const MIB = 1024 ** 2;
  /** Handed out, and kept for streams. */
  const figures = () => {
    const stats = torch.accelerator.memory_stats();
    return [stats['allocated_bytes.all.current'] / MIB, stats['active_bytes.all.current'] / MIB];
  };
  const mebibytes = (n: number) => torch.empty((n * MIB) / 4, { device: 'mtia' });
  /** Frees that wait are looked at when something is allocated. */
  const look = () => mebibytes(1).dispose();

  test('memory is kept for the stream until the host has waited for it', () => {
    const side = new torch.Stream();
    const x = mebibytes(16);
    torch.mtia.stream(side, () => x.zero_());
    x.record_stream(side);
    x.dispose();
    look();
    expect(figures()).toEqual([0, 16]);
    torch.mtia.current_stream().synchronize();
    look();
    expect(figures()).toEqual([0, 16]);
    side.synchronize();
    look();
    expect(figures()).toEqual([0, 0]);
  });

  test('a stream that has nothing left to do keeps nothing', () => {
    const [side, other] = [new torch.Stream(), new torch.Stream()];
    const freed = (use: (x: Tensor) => void): number[] => {
      const x = mebibytes(16);
      x.record_stream(side);
      use(x);
      x.dispose();
      // Given later: not what the memory waits for.
      workOn(side).dispose();
      look();
      const now = figures();
      torch.mtia.synchronize();
      look();
      return now;
    };
    const onSide = (x: Tensor): void => torch.mtia.stream(side, () => void x.zero_());
    expect(freed(onSide)).toEqual([0, 16]);
    expect(freed(() => {})).toEqual([0, 0]);
    const waits: ((x: Tensor) => unknown)[] = [
      () => side.synchronize(),
      () => torch.mtia.synchronize(),
      () => side.record_event().synchronize(),
      () => side.query(),
      (x) => torch.mtia.stream(side, () => x.sum().item()),
      (x) => {
        torch.mtia.current_stream().wait_stream(side);
        return x.sum().item();
      },
    ];
    for (const wait of waits) {
      const before = (x: Tensor): void => {
        onSide(x);
        wait(x);
      };
      expect(freed(before)).toEqual([0, 0]);
      const tooEarly = (x: Tensor): void => {
        wait(x);
        onSide(x);
      };
      expect(freed(tooEarly)).toEqual([0, 16]);
    }
    // It waits for work of another stream, and does nothing else.
    const waiting = (x: Tensor): void => {
      workOn(other).dispose();
      side.wait_stream(other);
      expect(x.shape).toEqual([4 * MIB]);
    };
    expect(freed(waiting)).toEqual([0, 16]);
    expect(
      freed((x) => {
        waiting(x);
        other.synchronize();
      }),
    ).toEqual([0, 0]);
  });

  test('its own stream needs none', () => {
    const x = mebibytes(16);
    x.record_stream(torch.mtia.current_stream());
    x.dispose();
    expect(figures()).toEqual([0, 0]);
    const side = new torch.Stream();
    const y = torch.mtia.stream(side, () => mebibytes(16));
    y.record_stream(side);
    y.dispose();
    expect(figures()).toEqual([0, 0]);
  });

  test('an event of the stream does, if it was recorded after', () => {
    const side = new torch.Stream();
    const x = mebibytes(16);
    x.record_stream(side);
    workOn(side);
    const early = side.record_event();
    workOn(side).dispose();
    x.dispose();
    const late = torch.mtia.stream(side, () => {
      work();
      return side.record_event();
    });
    early.synchronize();
    look();
    expect(figures()[1]).toBeGreaterThanOrEqual(16);
    late.synchronize();
    look();
    expect(figures()[1]).toBeLessThan(1);
  });

  test('so does waiting for a stream that waited for it, and a synchronisation of the device', () => {
    const side = new torch.Stream();
    for (const wait of [
      () => {
        torch.mtia.current_stream().wait_stream(side);
        torch.mtia.current_stream().synchronize();
      },
      () => torch.accelerator.synchronize(),
      () => torch.mtia.stream(side, () => torch.zeros(1, { device: 'mtia' }).item()),
      () => expect(side.query()).toBe(false),
    ]) {
      workOn(side);
      const x = mebibytes(16);
      x.record_stream(side);
      x.dispose();
      expect(figures()[1]).toBeGreaterThanOrEqual(16);
      wait();
      look();
      expect(figures()[1]).toBeLessThan(1);
    }
  });

  test('memory goes back to its own stream', () => {
    const side = new torch.Stream();
    const x = mebibytes(16);
    x.dispose();
    expect(torch.accelerator.memory_reserved()).toBe(16 * MIB);
    torch.mtia.stream(side, () => mebibytes(16).dispose());
    expect(torch.accelerator.memory_reserved()).toBe(32 * MIB);
    mebibytes(16).dispose();
    expect(torch.accelerator.memory_reserved()).toBe(32 * MIB);
  });

  test('what it takes', () => {
    const [stream, x] = [new torch.Stream(), work()];
    const any = x as unknown as { record_stream(...args: unknown[]): void };
    expect(() => any.record_stream()).toThrow('record_stream() missing 1 required positional arguments: "s"');
    expect(() => any.record_stream(3)).toThrow(
      new TypeError("record_stream(): argument 's' (position 1) must be torch.Stream, not int"),
    );
    expect(() => x.record_stream(new torch.Stream('mtia:1'))).toThrow(
      'a stream of mtia:1 cannot use a tensor on mtia:0',
    );
    for (const device of ['cpu', 'meta']) {
      expect(() => torch.ones(2, { device }).record_stream(stream)).toThrow(torch.NotImplementedError);
      expect(() => torch.ones(2, { device }).record_stream(stream)).toThrow('aten::record_stream');
    }
    torch.empty(0, { device: 'mtia' }).record_stream(stream);
  });
});

describe('observers', () => {
  test('see what orders work, and may refuse', async () => {
    const { streamObservers } = await import('./stream.ts');
    const seen: string[] = [];
    const id = (stream: Stream) => String(stream.stream_id);
    const names = new Map<Event, string>();
    let refuse = false;
    streamObservers.push({
      recorded: (event, stream) => seen.push(`record ${names.get(event) ?? 'new'} ${id(stream)}`),
      waited: (event, stream) => seen.push(`wait ${names.get(event) ?? 'new'} ${id(stream)}`),
      streamSynchronized(stream) {
        if (refuse) throw new Error('refused');
        seen.push(`synchronize ${id(stream)}`);
      },
      deviceSynchronized: (index) => seen.push(`synchronize mtia:${index}`),
      eventSynchronized: (event) => seen.push(`synchronize ${names.get(event)}`),
      hostRead: (index) => seen.push(`read mtia:${index}`),
      currentChanged: (stream) => seen.push(`current ${id(stream)}`),
    });
    const [a, b, event] = [new torch.Stream(), new torch.Stream(), new torch.Event()];
    names.set(event, 'event');
    torch.mtia.stream(a, () => {
      work();
      event.record();
    });
    b.wait_event(event);
    b.wait_stream(a);
    event.synchronize();
    a.synchronize();
    torch.mtia.synchronize();
    work().tolist();
    expect(seen).toEqual([
      'current 1',
      'record event 1',
      'current 0',
      'current 0',
      'wait event 2',
      'record new 1',
      'wait new 2',
      'synchronize event',
      'synchronize 1',
      'synchronize mtia:0',
      'read mtia:0',
    ]);
    workOn(a);
    refuse = true;
    expect(() => a.synchronize()).toThrow('refused');
    refuse = false;
    expect(a.query()).toBe(false);
  });
});

describe('devices configured anew', () => {
  test('streams begin anew, events are complete, and what is gone says so', () => {
    const [a, gone] = [new torch.Stream('mtia:0'), new torch.Stream('mtia:1')];
    const [event, other] = [new torch.Event(), new torch.Event()];
    torch.mtia.set_stream(a);
    work().dispose();
    event.record();
    workOn(gone).dispose();
    other.record(gone);
    torch.mtia.configure({ devices: 1 });
    expect(torch.mtia.is_initialized()).toBe(false);
    expect([a.query(), event.query(), other.query()]).toEqual([true, true, true]);
    event.synchronize();
    a.synchronize();
    expect(torch.mtia.is_initialized()).toBe(false);
    expect(torch.mtia.current_stream()).toBe(torch.mtia.default_stream());
    const x = torch.mtia.stream(a, () => torch.empty(1024, { device: 'mtia' }));
    event.wait(a);
    event.record(a);
    expect([String(event.device), a.query()]).toEqual(['mtia:0', true]);
    x.dispose();
    for (const use of [
      () => gone.query(),
      () => gone.synchronize(),
      () => torch.mtia.set_stream(gone),
      () => other.record(gone),
      () => gone.wait_event(event),
    ]) {
      expect(use).toThrow('invalid device ordinal 1');
    }
    expect([torch.mtia.current_device(), other.query()]).toEqual([0, true]);
  });

  test('allocations follow the current stream of the new device', () => {
    torch.mtia.set_stream(new torch.Stream());
    work().dispose();
    torch.mtia.configure({ devices: 1 });
    work().dispose();
    expect(Object.keys(torch.mtia.memory_stats()['cached_bytes_by_stream'] as object)).toEqual(['0']);
  });
});

describe('arguments', () => {
  const any = () => torch as unknown as Record<'Stream' | 'Event', new (...args: unknown[]) => Stream & Event>;

  test('of Stream', () => {
    const { Stream } = any();
    const unknown = (name: string) => new TypeError(`Stream() got an unexpected keyword argument '${name}'`);
    expect(() => new Stream({ foo: 3 })).toThrow(unknown('foo'));
    expect(() => new Stream({ stream_id: 3 })).toThrow(unknown('stream_id'));
    expect(() => new Stream('cpu', 3)).toThrow(
      new TypeError('Stream() takes from 0 to 1 positional arguments but 2 were given'),
    );
    expect(() => new Stream([3])).toThrow(
      new TypeError("Stream(): argument 'device' (position 1) must be torch.device, not list"),
    );
    expect(() => new Stream({ priority: 'x' })).toThrow("Stream(): argument 'priority' must be int, not str");
    expect(() => new Stream('mtia:2')).toThrow('invalid device ordinal 2');
    expect(() => new Stream({ stream_id: 0, device_index: 0, device_type: 99 })).toThrow(torch.RuntimeError);
    const [a, b] = [new Stream('mtia', { priority: -1 }), new Stream({ device: 'mtia' })];
    expect([a.stream_id, b.stream_id, String(a.device)]).toEqual([33, 1, 'mtia:0']);
    expect(() => a.native_handle).toThrow("Backend doesn't support getting stream native handle.");
    expect(a.is_capturing()).toBe(false);
  });

  test('a device hands out 32 streams in turn', () => {
    const streams = Array.from({ length: 33 }, () => new torch.Stream());
    expect(new Set(streams).size).toBe(32);
    expect(streams[32]).toBe(streams[0]);
  });

  test('of the methods', () => {
    const [stream, event] = [new (any().Stream)(), new (any().Event)()] as unknown as Record<
      string,
      (...args: unknown[]) => void
    >[];
    expect(() => stream['wait_event'](3)).toThrow(
      new TypeError("wait_event(): argument 'event' (position 1) must be torch.Event, not int"),
    );
    expect(() => stream['wait_stream'](event)).toThrow('must be torch.Stream, not Event');
    expect(() => event['record'](3)).toThrow("record(): argument 'stream' (position 1) must be torch.Stream, not int");
    expect(() => event['elapsed_time'](3)).toThrow(new torch.RuntimeError('expected other to be a torch.Event object'));
    expect(() => event['ipc_handle']()).toThrow(torch.NotImplementedError);
    expect(() => torch.accelerator.set_stream(3 as never)).toThrow("set_stream(): argument 'stream'");
    expect(() => torch.mtia.stream(3 as never)).toThrow("stream(): argument 'stream'");
  });

  test('of Event, which is of the first device that it is recorded on', () => {
    const { Event } = any();
    expect(() => new Event({ foo: 3 })).toThrow("Event() got an unexpected keyword argument 'foo'");
    expect(() => new Event('cpu', { enable_timing: 3 })).toThrow(
      new TypeError("Event(): argument 'enable_timing' must be bool, not int"),
    );
    expect(() => new Event('mtia', true)).toThrow('Event() takes from 0 to 1 positional arguments but 2 were given');
    const event = new torch.Event({ enable_timing: true });
    expect([String(event), String(event.device)]).toEqual([
      'torch.Event device_type=mtia, device_index=-1, event_flag=1, event_id=0',
      'mtia',
    ]);
    event.record(new torch.Stream('mtia:1'));
    expect([event.device.index, event.event_id]).toEqual([1, 1]);
    expect(() => event.record()).toThrow("Event device index 1 does not match recording stream's device index 0.");
    expect(() => event.record(new torch.Stream('cpu'))).toThrow(
      "Event device type MTIA does not match recording stream's device type CPU.",
    );
    expect(() => event.wait(new torch.Stream('cpu'))).toThrow(
      "Event device type MTIA does not match blocking stream's device type CPU.",
    );
    expect(() => event.elapsed_time(new torch.Event('cpu'))).toThrow(
      "Event device type MTIA does not match other's device type CPU.",
    );
  });

  test('the cpu has one stream and no events', () => {
    const stream = new torch.Stream('cpu');
    expect([stream.query(), torch.cpu.current_stream() === stream]).toEqual([true, true]);
    stream.synchronize();
    stream.within(() => expect(torch.mtia.current_stream().stream_id).toBe(0));
    torch.cpu.stream(stream, () => {});
    expect(() => stream.record_event()).toThrow("cpu backend doesn't support events.");
    expect(() => torch.accelerator.set_stream(stream)).toThrow(
      new torch.RuntimeError("stream's device type CPU doesn't match the current accelerator MTIA"),
    );
    expect(() => torch.mtia.stream(stream)).toThrow(new torch.ValueError('Expected a non cpu device, but got: cpu'));
    const event = new torch.Event('cpu');
    event.wait();
    event.synchronize();
    expect([event.query(), String(event)]).toEqual([
      true,
      'torch.Event device_type=cpu, device_index=-1, event_flag=0, event_id=0',
    ]);
  });

  test('without an accelerator, streams and events are those of the cpu', async () => {
    torch = await fresh({ MTIA_DEVICE_COUNT: '0' });
    expect([String(new torch.Stream()), String(new torch.Event().device)]).toEqual([
      'torch.Stream device_type=cpu, device_index=-1, stream_id=0',
      'cpu',
    ]);
    expect(() => new torch.Stream('mtia')).toThrow('MTIA backend not available');
    expect(() => torch.mtia.stream(null)).not.toThrow();
  });
});
