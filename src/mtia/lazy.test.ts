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

const use = () => torch.ones(1, { device: 'mtia' }).dispose();

describe('queued calls', () => {
  test('wait for the first use, in order, seeds last and each kind once; then they are made at once', () => {
    const { mtia } = torch;
    const made: string[] = [];
    const call = (name: string, options?: { seed?: boolean; seed_all?: boolean }) =>
      mtia._lazy_call(() => {
        made.push(name);
        return name;
      }, options);
    expect(call('seed 1', { seed: true })).toBeNull();
    call('first');
    call('seed all', { seed_all: true });
    call('seed 2', { seed: true });
    call('second');
    expect([made, mtia.is_initialized()]).toEqual([[], false]);
    use();
    expect([made, mtia.is_initialized()]).toEqual([['first', 'second', 'seed all', 'seed 2'], true]);
    expect(call('now')).toBe('now');
    expect(() => mtia._lazy_call(3 as never)).toThrow(new TypeError("'number' object is not callable"));
  });

  test('may use the device and queue further ones', () => {
    const { mtia } = torch;
    const made: unknown[] = [];
    mtia._lazy_call(() => {
      mtia.init();
      made.push(torch.ones(2, { device: 'mtia' }).sum().item(), mtia.is_initialized());
      mtia._lazy_call(() => made.push('last'));
    });
    mtia._lazy_init();
    expect([made, mtia.is_initialized()]).toEqual([[2, false, 'last'], true]);
  });

  test('one that fails says where it was queued; the others are made, and the device works', () => {
    const { mtia } = torch;
    let made = 0;
    const cause = new torch.ValueError('no such thing');
    const queueIt = () =>
      mtia._lazy_call(() => {
        throw cause;
      });
    queueIt();
    mtia._lazy_call(() => made++);
    let error: Error | null = null;
    try {
      mtia.init();
    } catch (thrown) {
      error = thrown as Error;
    }
    expect(error).toBeInstanceOf(mtia.DeferredMtiaCallError);
    expect([error!.name, error!.cause, made]).toEqual(['DeferredMtiaCallError', cause, 1]);
    expect(error!.message).toMatch(
      /^MTIA call failed lazily at initialization with error: no such thing\n\nMTIA call was originally invoked at:\n\n.*queueIt/,
    );
    expect(mtia.is_initialized()).toBe(false);
    use();
    expect([mtia.is_initialized(), made]).toEqual([true, 1]);
  });

  test('again after configure', () => {
    const { mtia } = torch;
    let made = 0;
    use();
    mtia.configure({ devices: 1 });
    mtia._lazy_call(() => made++);
    expect(made).toBe(0);
    use();
    expect(made).toBe(1);
    expect(mtia.default_generators.length).toBe(1);
  });
});

test('default generators are there from the first use on', () => {
  const { default_generators } = torch.mtia;
  expect(default_generators).toEqual([]);
  torch.mtia.init();
  expect(default_generators.map(({ device }) => String(device))).toEqual(['mtia:0', 'mtia:1']);
  default_generators[1].manual_seed(5);
  torch.mtia.device(1, () => expect(torch.mtia.initial_seed()).toBe(5n));
});

test('whether there is a backend, and never a bad fork', async () => {
  expect([torch.mtia._is_compiled(), torch.mtia._is_in_bad_fork()]).toEqual([true, false]);
  torch = await fresh({ MTIA_DEVICE_COUNT: '0' });
  expect([torch.mtia._is_compiled(), torch.mtia._lazy_call(() => 1)]).toEqual([false, null]);
  expect(() => torch.mtia._lazy_init()).toThrow('MTIA backend not available');
});

describe('devices', () => {
  test("arguments: PyTorch's errors", () => {
    const { mtia } = torch;
    const none = 'Expected a torch.device with a specified index or an integer, but got: ';
    for (const [device, text] of [
      ['mtia', `${none}mtia`],
      [null, `${none}None`],
      [3.5, `${none}3.5`],
      ['cpu', 'Expected a non cpu device, but got: cpu'],
      ['cuda:0', 'Expected a mtia or cpu device, but got: cuda:0'],
      [[1], `${none}list`],
    ] as const) {
      expect(() => mtia.set_device(device as never)).toThrow(new torch.ValueError(text));
    }
    for (const call of [mtia.synchronize, mtia.current_stream, mtia.get_device_properties, mtia.get_rng_state]) {
      expect(() => call('cpu')).toThrow(new torch.ValueError('Expected a non cpu device, but got: cpu'));
      expect(() => call(7)).toThrow('invalid device ordinal 7');
    }
    expect(() => mtia.device('cpu')).toThrow('Expected a non cpu device');
    expect(mtia.is_initialized()).toBe(false);
  });

  test('exchange gives the one before', () => {
    const { mtia } = torch;
    expect([mtia._exchange_device(1), mtia._maybe_exchange_device(0), mtia._exchange_device(-1)]).toEqual([0, 1, -1]);
    expect(mtia.current_device()).toBe(0);
    expect(() => mtia._exchange_device(2)).toThrow('invalid device ordinal 2');
    expect(() => mtia._exchange_device('x' as never)).toThrow('must be int, not str');
  });

  test('a stream by its numbers, which leaves the current device', () => {
    const { mtia } = torch;
    const stream = new torch.Stream('mtia:1');
    mtia._set_stream_by_id(stream.stream_id, 1, 19);
    expect([mtia.current_device(), mtia.current_stream(1)]).toEqual([0, stream]);
    expect(() => mtia._set_stream_by_id(0, 0, 0)).toThrow("doesn't match the current accelerator MTIA");
    expect(() => mtia._set_stream_by_id(0, 5, 19)).toThrow('invalid device ordinal 5');
  });
});

describe('seeds are Python ints', () => {
  test('what int() takes and refuses', () => {
    const { mtia } = torch;
    const any = mtia.manual_seed as (seed: unknown) => void;
    any(3.7);
    expect(mtia.initial_seed()).toBe(3n);
    any('12');
    expect(mtia.initial_seed()).toBe(12n);
    any(true);
    expect(mtia.initial_seed()).toBe(1n);
    expect(() => any('x')).toThrow(new torch.ValueError("invalid literal for int() with base 10: 'x'"));
    expect(() => any(Number.NaN)).toThrow(new torch.ValueError('cannot convert float NaN to integer'));
    expect(() => any(null)).toThrow("not 'NoneType'");
    expect(() => mtia.set_rng_state(3 as never)).toThrow('must be Tensor, not int');
    expect(() => mtia.set_rng_state(torch.zeros(3))).toThrow('RNG state must be a torch.ByteTensor');
  });
});
