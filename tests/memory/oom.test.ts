/**
 * Out of memory with real tensors: behaviours T12 to T14, T19 and T20; the text of the error and when it says what; observers; what
 * works afterwards.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { errorOf, fresh, GIB, MIB, stage, type Tensor, type Torch } from './fresh.testing.ts';

const device = 'mtia';
let torch: Torch;
/** What a test refers to. */
let kept: Tensor[] = [];

beforeAll(async () => {
  torch = await fresh();
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** An unused device of this capacity with these settings. */
function configure(memory: string | null, settings = 'expandable_segments:False'): void {
  kept = [];
  torch.mtia.configure({ memory, devices: 1 });
  torch.mtia.memory.set_per_process_memory_fraction(1);
  torch.mtia.memory.setAllocatorSettings(settings);
}
beforeEach(() => configure('64MiB'));

const bytes = (mib: number): Tensor => torch.empty(mib * MIB, { device, dtype: torch.uint8 });
const keep = (...mib: number[]): void => stage(() => void kept.push(...mib.map(bytes)));
const flat = () => torch.accelerator.memory_stats();

describe('absurd sizes', () => {
  beforeEach(() => configure(null));

  test('T12 800 million GiB; a tensor from before works afterwards', () => {
    kept = [torch.ones(8, { device })];
    const error = errorOf(() => torch.empty([800_000_000, 1024, 1024, 1024], { device, dtype: torch.uint8 }));
    expect(error).toBeInstanceOf(torch.OutOfMemoryError);
    expect(error).toBeInstanceOf(torch.RuntimeError);
    expect(error.name).toBe('OutOfMemoryError');
    expect(error.message).toContain('Tried to allocate 800000000.00 GiB. MTIA 0 has a total capacity of 128.00 GiB');
    expect(error.message).toContain('uint8 [800000000, 1024, 1024, 1024]');
    expect(kept[0].mul(2).tolist()).toEqual(new Array(8).fill(2));
  });

  test('T13 8 billion GiB', () => {
    expect(() => torch.empty([8_000_000_000, 1024, 1024, 1024], { device, dtype: torch.uint8 })).toThrow(
      'MTIA out of memory. Tried to allocate more than 1EB memory.',
    );
    expect(torch.ones(2, { device }).sum().item()).toBe(2);
  });
});

describe('half of the memory', () => {
  test('T14 twice fails, and works when the first is gone', () => {
    keep(1, 32);
    expect(() => bytes(32)).toThrow('Tried to allocate 32.00 MiB');
    stage(() => void kept.pop());
    keep(32);
    expect(torch.mtia.memory.allocated()).toBe(33 * MIB);
  });
});

describe('observers', () => {
  const seen: number[][] = [];
  let detach = (): void => {};
  beforeEach(() => {
    detach();
    seen.length = 0;
    detach = torch.mtia.attach_out_of_memory_observer((...figures) => void seen.push(figures));
  });
  afterAll(() => detach());

  test('T19 are called with device, size, limit and free bytes, before the error is thrown', () => {
    configure(null);
    expect(() => torch.empty([4, 2 ** 40], { device, dtype: torch.uint8 })).toThrow(torch.OutOfMemoryError);
    expect(seen).toEqual([[0, 4 * 2 ** 40, 128 * GIB, 128 * GIB]]);
  });

  test('T20 also where blocks are limited in what they are split into', () => {
    configure(null, 'max_split_size_mb:1024');
    keep(3);
    expect(() => torch.empty([4, 2 ** 40], { device, dtype: torch.uint8 })).toThrow(torch.OutOfMemoryError);
    expect(seen).toEqual([[0, 4 * 2 ** 40, 128 * GIB, 128 * GIB - 20 * MIB]]);
  });

  test('the size is that of the segment, the limit what a fraction allows', () => {
    torch.mtia.memory.set_per_process_memory_fraction(0.25);
    keep(1, 12);
    expect(() => bytes(3)).toThrow(torch.OutOfMemoryError);
    expect(seen).toEqual([[0, 20 * MIB, 16 * MIB, 64 * MIB - 14 * MIB]]);
  });

  test('several are called in order, until they are taken away', () => {
    const order: string[] = [];
    const second = torch.mtia.attach_out_of_memory_observer(() => void order.push('second'));
    expect(() => bytes(100)).toThrow(torch.OutOfMemoryError);
    second();
    expect(() => bytes(100)).toThrow(torch.OutOfMemoryError);
    expect([seen.length, order]).toEqual([2, ['second']]);
  });

  test('one may allocate and read figures', () => {
    keep(40);
    const allocated: number[] = [];
    const reader = torch.mtia.attach_out_of_memory_observer(() => {
      allocated.push(torch.mtia.memory.allocated(), torch.ones(4, { device }).sum().item());
    });
    expect(() => bytes(30)).toThrow(torch.OutOfMemoryError);
    reader();
    expect(allocated).toEqual([40 * MIB, 4]);
  });

  test('what one throws comes in place of the error; the device goes on', () => {
    const thrower = torch.mtia.attach_out_of_memory_observer(() => {
      throw new RangeError('mine');
    });
    expect(() => bytes(100)).toThrow('mine');
    thrower();
    expect(torch.mtia.memory.allocated()).toBe(0);
    keep(60);
  });

  test('anything but a function is refused', () => {
    expect(() => torch.mtia.attach_out_of_memory_observer(5 as never)).toThrow(
      "attach_out_of_memory_observer(): argument 'observer' must be function, not int",
    );
  });
});

const ADVICE =
  'If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.' +
  '  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)';
const CALL = "In a program: torch.mtia.memory.setAllocatorSettings('expandable_segments:True').";

describe('the text', () => {
  const capacity = 'MTIA 0 has a total capacity of 64.00 MiB';
  const note = 'The capacity is set by torch.mtia.configure; MTIA 200 (2i) has 128.00 GiB.';

  test('what was asked for, as against the segment, and who holds most', () => {
    stage(() => {
      kept.push(torch.ones(5, 1024, 1024, { device }), torch.zeros(12, MIB, { device, dtype: torch.bool }));
      kept.push(torch.arange(1000, { device }), bytes(13), torch.ones(3, { device }));
    });
    const error = errorOf(() => kept[0].narrow(0, 0, 2).add(1));
    expect(error.message).toBe(
      `MTIA out of memory. Tried to allocate 20.00 MiB. ${capacity} of which 16.00 MiB is free. Of the allocated memory ` +
        `46.01 MiB is allocated by PyTorch, and 1.99 MiB is reserved by PyTorch but unallocated. ${ADVICE} The request was for ` +
        `8.00 MiB (float32 [2, 1024, 1024]), which takes a segment of 20.00 MiB. ${note} The allocation was made by add. The largest ` +
        'holders: 20.00 MiB (float32 [5, 1024, 1024], made by ones), 13.00 MiB (uint8 [13631488], made by empty), ' +
        `12.00 MiB (bool [12, 1048576], made by zeros). ${CALL}`,
    );
  });

  test('tools that take it apart find the sizes where PyTorch has them', () => {
    const { message } = errorOf(() => bytes(65));
    const parts =
      /out of memory\. Tried to allocate ([\d.]+ \w+)\. \w+ (\d+) has a total capacity of ([\d.]+ \w+) of which ([\d.]+ \w+) is free\. .*Of the allocated memory ([\d.]+ \w+) is allocated by PyTorch, and ([\d.]+ \w+) is reserved by PyTorch but unallocated\./.exec(
        message,
      );
    expect(parts?.slice(1)).toEqual(['66.00 MiB', '0', '64.00 MiB', '64.00 MiB', '0 bytes', '0 bytes']);
  });

  test('what a broadcast by mistake would take', () => {
    configure(null);
    const column = torch.ones(1_000_000, 1, { device });
    expect(() => column.sub(column.t())).toThrow(
      /^MTIA out of memory\. Tried to allocate 3725\.29 GiB\..*The request was for 3725\.29 GiB \(float32 \[1000000, 1000000\]\)\. The allocation was made by sub\./,
    );
  });

  test('a fraction is named', () => {
    torch.mtia.memory.set_per_process_memory_fraction(0.5);
    expect(() => bytes(33)).toThrow(
      'of which 64.00 MiB is free. 32.00 MiB allowed; Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is ' +
        'reserved by PyTorch but unallocated. The request was for 33.00 MiB (uint8 [34603008]), which takes a segment of ' +
        `34.00 MiB. ${note} The allocation was made by empty. 32.00 MiB are a fraction of 0.5 of the memory, as ` +
        'set_per_process_memory_fraction was told.',
    );
  });

  test('so is one of the settings', async () => {
    const there = await fresh({ MTIA_MEMORY: '64MiB', PYTORCH_ALLOC_CONF: 'per_process_memory_fraction:0.25' });
    expect(() => there.empty(20 * MIB, { device, dtype: there.uint8 })).toThrow(
      '16.00 MiB are a fraction of 0.25 of the memory, as per_process_memory_fraction in the allocator settings says.',
    );
  });

  test("a capacity that is the chip's own is not explained", () => {
    configure(null);
    expect(() => torch.empty(2 ** 38, { device, dtype: torch.uint8 })).toThrow(
      'MTIA 0 has a total capacity of 128.00 GiB of which 128.00 GiB is free.',
    );
  });

  test('memory without a tensor counts among the holders', () => {
    const { caching_allocator_alloc, caching_allocator_delete } = torch.mtia.memory;
    const pointer = caching_allocator_alloc(30 * MIB);
    const holder = 'The largest holders: 30.00 MiB (made by caching_allocator_alloc).';
    expect(() => bytes(40)).toThrow(holder);
    expect(() => caching_allocator_alloc(40 * MIB)).toThrow('The allocation was made by caching_allocator_alloc.');
    caching_allocator_delete(pointer);
    expect(errorOf(() => bytes(80)).message).not.toContain('holders');
  });

  test('gradients and state of optimizers are named as such', () => {
    const { nn, optim } = torch;
    const { model, optimizer } = stage(() => {
      const layer = new nn.Linear(1024, 1024, { device, bias: false });
      layer(torch.ones(1, 1024, { device }))
        .sum()
        .backward();
      const sgd = new optim.SGD(layer.parameters(), { lr: 0.1, momentum: 0.9 });
      sgd.step();
      return { model: layer, optimizer: sgd };
    });
    const message = errorOf(() => bytes(60)).message;
    expect(message).toMatch(/The largest holders: 4\.00 MiB \(float32 \[1024, 1024\].*\), 4\.00 MiB .*, 4\.00 MiB/);
    expect(message).toContain('a gradient or state of an optimizer');
    optimizer.zero_grad();
    expect(model.weight.grad).toBeNull();
  });
});

describe('advice', () => {
  /** Six segments of 20 MiB, each with 9 MiB in use and two holes. */
  function fragment(): void {
    stage(() => {
      const all = [0, 1, 2].flatMap(() => [bytes(9), bytes(9)]);
      kept = all.filter((_, i) => i % 2 === 0);
      for (const x of all) if (!kept.includes(x)) x.dispose();
    });
  }

  test('is given where what lies in pieces would do, with the call that does it', () => {
    fragment();
    const error = errorOf(() => {
      bytes(12);
      torch.mtia.memory.allocated();
    });
    expect(error.message).toContain(` ${ADVICE} `);
    expect(error.message).toContain(` ${CALL}`);
    // And it helps.
    configure('64MiB', 'expandable_segments:True');
    fragment();
    expect(bytes(12).numel()).toBe(12 * MIB);
    expect(torch.mtia.memory.max_memory_allocated()).toBe(54 * MIB);
  });

  test('is not given where the memory is used (pytorch/pytorch#173049)', () => {
    keep(40);
    expect(errorOf(() => bytes(30)).message).not.toContain('expandable_segments');
  });

  test('is not given where they are on', () => {
    configure('64MiB', 'expandable_segments:True');
    keep(40);
    const { message } = errorOf(() => bytes(30));
    expect(message).not.toContain(ADVICE);
    expect(message).toContain('Allocator settings in force: expandable_segments:True.');
  });
});

describe('afterwards', () => {
  test('a dropped tensor makes room, inside the handler too, while the error is kept', () => {
    const errors: Error[] = [];
    const work = (): number => {
      const x = torch.ones(10, MIB, { device, dtype: torch.uint8 });
      const y = x.add(1);
      const z = y.add(x);
      return torch.cat([x, y, z, z, z]).sum().item();
    };
    for (let i = 0; i < 3; i++) {
      try {
        work();
      } catch (error) {
        errors.push(error as Error);
        expect(torch.mtia.memory.allocated()).toBe(0);
        expect(stage(() => torch.ones(60, MIB, { device, dtype: torch.uint8 }).select(0, 59).select(0, 5).item())).toBe(
          1,
        );
      }
    }
    expect(errors.map(({ name }) => name)).toEqual(new Array(3).fill('OutOfMemoryError'));
    expect(torch.mtia.memory.allocated()).toBe(0);
  });

  test('retries and failures are counted', () => {
    stage(() => {
      bytes(40).dispose();
      kept.push(bytes(50));
    });
    expect([flat()['num_alloc_retries'], flat()['num_ooms']]).toEqual([1, 0]);
    expect(() => bytes(30)).toThrow(torch.OutOfMemoryError);
    expect(() => bytes(20)).toThrow(torch.OutOfMemoryError);
    expect([flat()['num_alloc_retries'], flat()['num_ooms']]).toEqual([3, 2]);
    expect(torch.mtia.memory.memory_summary()).toContain('MTIA OOMs: 2 ');
    expect(torch.mtia.memory.get_memory_stats().dram.num_ooms).toBe(2);
    torch.mtia.memory.reset_accumulated_memory_stats();
    expect([flat()['num_alloc_retries'], flat()['num_ooms']]).toEqual([0, 0]);
  });

  test('what failed has changed nothing', () => {
    keep(20, 20);
    const before = [
      torch.mtia.memory.allocated(),
      torch.mtia.memory.reserved(),
      torch.mtia.memory.max_memory_allocated(),
    ];
    for (let i = 0; i < 3; i++) expect(() => bytes(30)).toThrow(torch.OutOfMemoryError);
    expect([
      torch.mtia.memory.allocated(),
      torch.mtia.memory.reserved(),
      torch.mtia.memory.max_memory_allocated(),
    ]).toEqual(before);
  });

  test('an op that writes to its own input has not written', () => {
    const x = stage(() => torch.ones(30, MIB, { device, dtype: torch.uint8 }));
    expect(() => x.index_put_([x.gt(0)], 7)).toThrow(torch.OutOfMemoryError);
    expect(x.select(0, 0).select(0, 0).item()).toBe(1);
  });
});

describe('found late', () => {
  test('the next commit point throws it, names the operation and says so', () => {
    configure('202MiB');
    stage(() => {
      const all: Tensor[] = [];
      for (let i = 0; i < 10; i++) all.push(bytes(9), bytes(9));
      kept = all.filter((_, i) => i % 2 === 0);
      for (const x of all) if (!kept.includes(x)) x.dispose();
    });
    expect(torch.mtia.memory.reserved()).toBe(200 * MIB);
    const x = torch.zeros(12, MIB, { device, dtype: torch.uint8 });
    const y = torch.ones(4, { device });
    const error = errorOf(() => torch.mtia.memory.allocated());
    expect(error).toBeInstanceOf(torch.OutOfMemoryError);
    expect(error.message).toMatch(
      /^MTIA out of memory\. Tried to allocate 12\.00 MiB\. .*The request was for 12\.00 MiB \(uint8 \[12, 1048576\]\)\. The capacity is .*\. The allocation was made by zeros\. .*The operation has returned since: that it had no room was found when the log was made final\.$/,
    );
    // Once; then figures are those without it, and what it made works.
    expect(torch.mtia.memory.allocated()).toBe(90 * MIB + 512);
    expect(stage(() => [x.sum().item(), y.sum().item()])).toEqual([0, 4]);
    expect(flat()['num_ooms']).toBe(1);
    x.dispose();
    expect(torch.mtia.memory.allocated()).toBe(90 * MIB + 512);
  });
});

test('more than the host can hold, but not the device, is another error', () => {
  configure(null);
  const error = errorOf(() => torch.empty(6, GIB, { device, dtype: torch.uint8 }));
  expect(error).not.toBeInstanceOf(torch.OutOfMemoryError);
  expect(error).toBeInstanceOf(torch.RuntimeError);
  expect(error.message).toMatch(
    /^mtia:0: the host's backing store cannot hold 6\.00 GiB more\. .*This is the host's limit, not the device's capacity\.$/,
  );
  // It was never allocated.
  expect(torch.mtia.memory.max_memory_allocated()).toBe(0);
  expect(torch.mtia.memory.memory_stats()).toMatchObject({ num_ooms: 0 });
});
