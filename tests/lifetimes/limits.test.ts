/** What does not fit: on the device, in the host's backing store, and a configuration beside living tensors. */
import { afterEach, describe, expect, test } from 'vitest';
import { configuration, createdBackend } from '../../src/devices/registry.ts';
import torch from '../../src/index.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';

const device = 'mtia';
const { memory } = torch.mtia;
const MIB = 1024 * 1024;
const floats = (mib: number): Tensor => torch.ones([mib * 256, 1024], { device });

/** What a test refers to. */
let kept: Tensor[] = [];

afterEach(() => {
  kept = [];
  torch.mtia.configure({ memory: null, devices: 1 });
});

/** In a function of its own, so that nothing is left of it. */
function stage<T>(run: () => T): T {
  return run();
}

/** The library works, and nothing is left of what failed. */
function expectUsable(allocated: number): void {
  expect(memory.allocated()).toBe(allocated);
  expect(torch.arange(4, { device }).mul(2).tolist()).toEqual([0, 2, 4, 6]);
}

describe("the device's capacity", () => {
  test('an op that needs more is OutOfMemoryError, names itself and leaves things as they were', () => {
    torch.mtia.configure({ memory: '64MiB' });
    stage(() => kept.push(floats(40)));
    expect(() => kept[0].exp()).toThrow(torch.OutOfMemoryError);
    expect(() => kept[0].exp()).toThrow(
      /^MTIA out of memory\. Tried to allocate 40\.00 MiB\. MTIA 0 has a total capacity of 64\.00 MiB of which 24\.00 MiB is free\. .*The capacity is set by torch\.mtia\.configure; .* has 128\.00 GiB\. The allocation was made by exp\. The largest holders: 40\.00 MiB \(float32 \[10240, 1024\], made by ones\)\.$/,
    );
    expectUsable(40 * MIB);
  });

  test('its error may be kept: it holds no tensor', () => {
    torch.mtia.configure({ memory: '64MiB' });
    const errors: unknown[] = [];
    stage(() => {
      try {
        floats(40).exp();
      } catch (error) {
        errors.push(error);
      }
    });
    expect(errors).toHaveLength(1);
    expectUsable(0);
  });

  test('an op in the middle of a graph', () => {
    torch.mtia.configure({ memory: '64MiB' });
    const x = stage(() => floats(16).requires_grad_());
    expect(() => stage(() => x.exp().mul(x).log().sum().backward())).toThrow(torch.OutOfMemoryError);
    expect(x.grad).toBeNull();
    expectUsable(16 * MIB);
    // A smaller step works.
    x.sum().backward();
    expect(memory.allocated()).toBe(32 * MIB);
  });

  test('dropped tensors make room by themselves, in the middle of a job', () => {
    torch.mtia.configure({ memory: '64MiB' });
    for (let i = 0; i < 50; i++) floats(20).add(1);
    expect(memory.max_memory_allocated()).toBe(40 * MIB);
  });

  test('a fraction of it', () => {
    torch.mtia.configure({ memory: '64MiB' });
    memory.set_per_process_memory_fraction(0.25);
    expect(() => floats(20)).toThrow(/16\.00 MiB allowed;/);
    expect(floats(10).shape).toEqual([2560, 1024]);
    memory.set_per_process_memory_fraction(1);
    expect(floats(20).shape).toEqual([5120, 1024]);
  });

  test('one tensor larger than all of it', () => {
    torch.mtia.configure({ memory: '64MiB' });
    expect(() => floats(65)).toThrow(
      /Tried to allocate 66\.00 MiB.*The request was for 65\.00 MiB \(float32 \[16640, 1024\]\), which takes a segment of 66\.00 MiB\./,
    );
    expectUsable(0);
  });
});

describe('the backing store', () => {
  test('a tensor beyond 4 GiB that the device could hold', () => {
    torch.mtia.configure({ memory: '64GiB' });
    const attempt = () => torch.empty([5 * 1024, 1024, 1024], { device, dtype: torch.uint8 });
    expect(attempt).toThrow(torch.RuntimeError);
    expect(attempt).not.toThrow(torch.OutOfMemoryError);
    expect(attempt).toThrow(
      /^mtia:0: the host's backing store cannot hold 5\.00 GiB more\. .*at most 4\.00 GiB .*This is the host's limit, not the device's capacity\.$/,
    );
    expectUsable(0);
  });

  test('a store that is full of living tensors', () => {
    torch.mtia.configure({ memory: '1GiB' });
    torch.ones(1, { device });
    const store = createdBackend(0)!.memory;
    store.setLimit(store.size + 48 * MIB);
    stage(() => kept.push(floats(20), floats(20)));
    expect(() => floats(20)).toThrow(/backing store cannot hold 20\.00 MiB more/);
    expectUsable(40 * MIB);
    kept.pop();
    expect(stage(() => floats(20).sum().item())).toBe((20 * MIB) / 4);
  });

  test('dropped tensors make room in it by themselves', () => {
    torch.mtia.configure({ memory: '1GiB' });
    torch.ones(1, { device });
    const store = createdBackend(0)!.memory;
    store.setLimit(store.size + 48 * MIB);
    for (let i = 0; i < 50; i++) floats(10).add(1);
    expect(store.size).toBeLessThan(100 * MIB);
  });

  test('on the cpu it is the only limit', () => {
    const attempt = () => torch.empty([5 * 1024, 1024, 1024], { dtype: torch.uint8 });
    expect(attempt).toThrow(/^cpu: the host's backing store cannot hold 5\.00 GiB more/);
    expect(torch.ones(2).add(1).tolist()).toEqual([2, 2]);
  });
});

describe('configure beside living tensors', () => {
  test('names their shapes, dtypes and sizes', () => {
    stage(() => {
      kept.push(torch.randn(64, 32, { device }), torch.zeros([10], { device, dtype: torch.int64 }));
      kept.push(torch.randn(64, 32, { device }), torch.ones(3, { device, requires_grad: true }));
      kept[3].mul(2).sum().backward();
    });
    let message = '';
    try {
      torch.mtia.configure({ memory: '1GiB' });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.split('\n')).toEqual([
      'torch.mtia.configure: the device is in use. Alive on it:',
      '  mtia:0: 2 times float32 [64, 32] (8.00 KiB), made by randn',
      '  mtia:0: int64 [10] (80 bytes), made by zeros',
      '  mtia:0: float32 [3] (12 bytes), made by ones',
      expect.stringMatching(/^ {2}mtia:0: float32 \[3\] \(12 bytes\), .*a gradient or state of an optimizer$/),
      'Configure before the first use, or let go of these (dispose(), using, torch.scope) and call it again.',
    ]);
    kept = [];
    torch.mtia.configure({ memory: '1GiB' });
    expect(configuration().memory).toBe(1024 * MIB);
  });
});
