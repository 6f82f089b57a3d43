/**
 * The ordering rules of a device's queue, for each form of executor. Slow launches keep the queue deep, so that a rule
 * that is broken shows.
 */
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { IndexError, RuntimeError } from '../core/errors.ts';
import { copyBetween } from './copy.ts';
import { CpuBackend } from './cpu.ts';
import { bigKernel, block, check, fill, LONG, launch, read, slowAdd, trap, write } from './kernels.testing.ts';
import { LAYOUT, MAX_PAYLOAD, MAX_WORDS } from './layout.ts';
import { MtiaBackend } from './mtia.ts';
import { getNumThreads, setNumThreads } from './threads.ts';

const open: MtiaBackend[] = [];
function device(executor: 'worker' | 'inline', index = 0): MtiaBackend {
  const backend = new MtiaBackend(index, executor);
  open.push(backend);
  return backend;
}
afterEach(() => {
  for (const backend of open.splice(0)) backend.close();
});

/** Whether something is still in the queue. */
const busy = (on: MtiaBackend): boolean => Atomics.load(on.words, LAYOUT.tail) !== Atomics.load(on.words, LAYOUT.head);

describe.each(['worker', 'inline'] as const)('%s', (executor) => {
  test('launches run in order', () => {
    const on = device(executor);
    const a = block(on, [1, 2, 3]);
    const b = block(on, [0, 0, 0]);
    slowAdd(on, b, a, 3, 10, LONG);
    slowAdd(on, a, b, 3, 100);
    slowAdd(on, b, a, 3, 1000, LONG);
    slowAdd(on, a, b, 3, 10_000);
    expect(read(on, a, 3)).toEqual([11_111, 11_112, 11_113]);
    expect(on.sequence).toBe(4);
  });

  test('a copy in takes the bytes its source has at the call', () => {
    const on = device(executor);
    const a = block(on, [0]);
    const out = block(on, [0, 0]);
    const source = Int32Array.of(5);
    slowAdd(on, out, a, 1, 0, LONG);
    on.copyIn(a, new Uint8Array(source.buffer));
    source[0] = 99;
    slowAdd(on, out + 4, a, 1, 0);
    expect(read(on, out, 2)).toEqual([0, 5]);
  });

  test.each([1, MAX_PAYLOAD / 4, MAX_PAYLOAD / 4 + 1, 100_000])('a copy in of %i words keeps its place', (n) => {
    const on = device(executor);
    const a = on.allocate(4 * n);
    const before = on.allocate(4 * n);
    const after = on.allocate(4 * n);
    fill(on, a, n, 1);
    slowAdd(on, before, a, n, 0, LONG);
    write(on, a, new Array(n).fill(2));
    slowAdd(on, after, a, n, 0);
    fill(on, a, n, 3);
    expect(new Set(read(on, before, n))).toEqual(new Set([1]));
    expect(new Set(read(on, after, n))).toEqual(new Set([2]));
    expect(new Set(read(on, a, n))).toEqual(new Set([3]));
  });

  test('freed memory serves later launches only', () => {
    const on = device(executor);
    const a = block(on, [1, 2, 3, 4]);
    const out = block(on, [0, 0, 0, 0]);
    slowAdd(on, out, a, 4, 0, LONG);
    on.free(a, 16);
    const again = on.allocate(16);
    expect(again).toBe(a);
    fill(on, again, 4, 7);
    on.free(again, 16);
    const copied = block(on, [8, 8, 8, 8]);
    expect(copied).toBe(a);
    const last = block(on, [0, 0, 0, 0]);
    slowAdd(on, last, copied, 4, 1);
    expect(read(on, out, 4)).toEqual([1, 2, 3, 4]);
    expect(read(on, last, 4)).toEqual([9, 9, 9, 9]);
  });

  test('reads wait for the queue', () => {
    const on = device(executor);
    const a = block(on, [1]);
    slowAdd(on, a, a, 1, 1, LONG);
    expect(read(on, a, 1)).toEqual([2]);
    slowAdd(on, a, a, 1, 1, LONG);
    expect(on.view(a, 4)[0]).toBe(3);
    slowAdd(on, a, a, 1, 1, LONG);
    on.synchronize();
    expect(on.memory.bytes[a]).toBe(4);
  });

  test('a full ring is waited for', () => {
    const on = device(executor);
    const a = block(on, [0]);
    slowAdd(on, a, a, 1, 0, LONG);
    for (let i = 0; i < 100_000; i++) slowAdd(on, a, a, 1, 1);
    expect(read(on, a, 1)).toEqual([100_000]);
    expect(100_000 * 12).toBeGreaterThan(4 * LAYOUT.ringWords);
  });

  test('records of every length meet the end of the ring', () => {
    const on = device(executor);
    const n = 1024;
    const a = on.allocate(4 * n);
    const out = on.allocate(4 * n);
    fill(on, out, n, 0);
    const expected = new Array(n).fill(0);
    const fillKernel = bigKernel(6, 1);
    for (let i = 0; i < 3000; i++) {
      const length = 1 + ((i * 7919) % n);
      write(on, a, new Array(length).fill(i));
      slowAdd(on, out, a, length, i);
      for (let k = 0; k < length; k++) expected[k] = 2 * i;
      if (i % 10 === 0) launch(on, fillKernel, [0, 1, a, ...new Array(i % (MAX_WORDS - 3)).fill(i)]);
    }
    expect(read(on, out, n)).toEqual(expected);
  });

  test('kernels first met while the queue is deep, small and large', () => {
    const on = device(executor);
    const a = block(on, [0]);
    const out = block(on, [0, 0, 0, 0, 0, 0]);
    slowAdd(on, a, a, 1, 1, LONG);
    for (let i = 0; i < 6; i++) launch(on, bigKernel(10 ** i, i + 1), [0, 1, out + 4 * i]);
    expect(read(on, out, 6)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('memory that grows under a queue', () => {
    const on = device(executor);
    const a = block(on, [5]);
    const out = block(on, [0]);
    on.synchronize(); // the executor has seen the small memory
    slowAdd(on, out, a, 1, 1, LONG);
    const n = 4 << 20;
    const large = on.allocate(4 * n);
    fill(on, large, n, 9);
    slowAdd(on, a, large + 4 * (n - 1), 1, 1);
    write(on, large + 4 * (n - 1), [77]);
    expect(read(on, a, 1)).toEqual([10]);
    expect(read(on, out, 1)).toEqual([6]);
    expect(read(on, large + 4 * (n - 2), 2)).toEqual([9, 77]);
  });

  test('the first fault is thrown by the next synchronisation; the device stays usable', () => {
    const on = device(executor);
    const a = block(on, [0, 5, 9]);
    const out = block(on, [0]);
    check(on, a, 3, 6);
    check(on, a, 3, 2);
    slowAdd(on, out, a, 1, 4);
    expect(() => on.synchronize()).toThrow(new IndexError('index 9 at 2 is out of range for size 6'));
    on.synchronize();
    expect(read(on, out, 1)).toEqual([4]);
    check(on, a, 3, 2);
    expect(() => on.copyOut(a, 4)).toThrow(new IndexError('index 5 at 1 is out of range for size 2'));
    expect(read(on, a, 3)).toEqual([0, 5, 9]);
  });

  test('a copy in is no synchronisation', () => {
    const on = device(executor);
    const a = block(on, [9]);
    check(on, a, 1, 2);
    write(on, a, [1]);
    write(on, on.allocate(4 * 100_000), new Array(100_000).fill(0));
    expect(() => on.synchronize()).toThrow(IndexError);
  });

  test('a kernel that traps is a fault too', () => {
    const on = device(executor);
    const a = block(on, [1]);
    trap(on);
    slowAdd(on, a, a, 1, 1);
    expect(() => on.synchronize()).toThrow(new RuntimeError('mtia:0: kernel test.trap: divide by zero'));
    expect(read(on, a, 1)).toEqual([2]);
  });

  test('a launch with too many words is refused', () => {
    const on = device(executor);
    expect(() => on.begin(0, MAX_WORDS + 1, 0)).toThrow(RangeError);
    launch(on, bigKernel(6, 3), [0, 1, block(on, [0]), ...new Array(MAX_WORDS - 3).fill(0)]);
    on.synchronize();
  });

  describe('two threads', () => {
    const threads = getNumThreads();
    beforeAll(() => {
      setNumThreads(2);
      return () => setNumThreads(threads);
    });

    test('large launches are split and still run in order', () => {
      const on = device(executor);
      const n = 1 << 18;
      const a = on.allocate(4 * n);
      const b = on.allocate(4 * n);
      fill(on, a, n, 0, 1000);
      for (let i = 0; i < 50; i++) {
        slowAdd(on, b, a, n, 1, 0, 1000);
        slowAdd(on, a, b, n, 1, 0, 1000);
      }
      expect(new Set(read(on, a, n))).toEqual(new Set([100]));
    });

    test('of several faults in one launch the first is told', () => {
      const on = device(executor);
      const n = 1 << 20;
      const a = on.allocate(4 * n);
      for (let turn = 0; turn < 5; turn++) {
        fill(on, a, n, 50);
        write(on, a + 4 * 1000, [3]);
        check(on, a, n, 50, 1 << 14);
        expect(() => on.synchronize()).toThrow(new IndexError('index 50 at 0 is out of range for size 50'));
      }
    });
  });

  describe('copies between devices', () => {
    test('wait for the source and keep their place in the destination', () => {
      const source = device(executor, 0);
      const target = device(executor, 1);
      const a = block(source, [1, 2]);
      const b = block(target, [10, 20]);
      const seen = block(target, [0, 0]);
      slowAdd(target, seen, b, 2, 0, LONG);
      slowAdd(source, a, a, 2, 5, LONG);
      copyBetween(source, a, target, b, 8);
      fill(source, a, 2, 0);
      slowAdd(target, b, b, 2, 100);
      expect(read(target, seen, 2)).toEqual([10, 20]);
      expect(read(target, b, 2)).toEqual([106, 107]);
      expect(read(source, a, 2)).toEqual([0, 0]);
    });

    test.each([10, 200_000])('there and back, %i words', (n) => {
      const one = device(executor, 0);
      const two = device(executor, 1);
      const host = new CpuBackend();
      const [a, b, c] = [one, two, host].map((on) => on.allocate(4 * n));
      fill(one, a, n, 0);
      for (let i = 0; i < 10; i++) {
        slowAdd(one, a, a, n, 1);
        copyBetween(one, a, two, b, 4 * n);
        slowAdd(two, b, b, n, 1);
        copyBetween(two, b, host, c, 4 * n);
        slowAdd(host, c, c, n, 1);
        copyBetween(host, c, one, a, 4 * n);
        fill(two, b, n, 0);
        fill(host, c, n, 0);
      }
      expect(new Set(read(one, a, n))).toEqual(new Set([30]));
    });
  });
});

describe('the worker', () => {
  test('lets the host run ahead', () => {
    const on = device('worker');
    const a = block(on, [0]);
    slowAdd(on, a, a, 1, 1, 1);
    on.synchronize();
    slowAdd(on, a, a, 1, 1, LONG);
    for (let i = 0; i < 100; i++) slowAdd(on, a, a, 1, 1);
    write(on, a, [5]);
    expect(on.allocate(64)).toBeGreaterThan(0);
    expect(busy(on)).toBe(true);
    on.synchronize();
    expect(busy(on)).toBe(false);
  });

  test('sleeps when it has nothing to do, and wakes up', async () => {
    const on = device('worker');
    const a = block(on, [0]);
    slowAdd(on, a, a, 1, 1);
    on.synchronize();
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const before = process.cpuUsage();
      await new Promise((resolve) => setTimeout(resolve, 200));
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(100);
      expect(on.words[LAYOUT.parked]).toBe(1);
      slowAdd(on, a, a, 1, 1);
      expect(read(on, a, 1)).toEqual([i + 2]);
    }
  });

  test('is waited for asleep', () => {
    const on = device('worker');
    const a = block(on, [0]);
    on.synchronize();
    const wait = vi.spyOn(Atomics, 'wait');
    slowAdd(on, a, a, 1, 1, LONG);
    on.synchronize();
    const sleeps = wait.mock.calls.filter(([, index]) => index === LAYOUT.tail).length;
    wait.mockRestore();
    expect(sleeps).toBeGreaterThan(0);
    expect(sleeps).toBeLessThan(20);
  });

  test('takes over from the calling thread when it is ready', () => {
    const on = new MtiaBackend(0, 'auto');
    open.push(on);
    expect(on.running).toBe('inline');
    const a = block(on, [0]);
    let launches = 0;
    for (const end = performance.now() + 5000; on.running === 'inline' && performance.now() < end; launches++) {
      slowAdd(on, a, a, 1, 1);
    }
    expect(on.running).toBe('worker');
    for (; launches < 200_000; launches++) slowAdd(on, a, a, 1, 1);
    expect(read(on, a, 1)).toEqual([launches]);
  });
});
