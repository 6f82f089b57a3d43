import { afterEach, describe, expect, test } from 'vitest';
import { IndexError } from '../core/errors.ts';
import { CpuBackend } from './cpu.ts';
import { block, borders, check, fill, read, slowAdd, trap } from './kernels.testing.ts';
import { MetaBackend } from './meta.ts';
import { getNumThreads, setNumThreads } from './threads.ts';

const threads = getNumThreads();
afterEach(() => setNumThreads(threads));

test('a launch has run when submit returns', () => {
  const on = new CpuBackend();
  const a = block(on, [1, 2]);
  slowAdd(on, a, a, 2, 5);
  expect(Array.from(new Int32Array(on.view(a, 8).slice().buffer))).toEqual([6, 7]);
  expect(on.sequence).toBe(1);
});

test('a fault is thrown from submit', () => {
  const on = new CpuBackend();
  const a = block(on, [0, 9]);
  expect(() => check(on, a, 2, 4)).toThrow(new IndexError('index 9 at 1 is out of range for size 4'));
  expect(() => trap(on)).toThrow(/divide by zero/);
  check(on, a, 2, 10);
});

describe.each([1, 2, 4])('%i threads', (n) => {
  test('every iteration of a large launch runs once', () => {
    setNumThreads(n);
    const on = new CpuBackend();
    for (const size of [1, 999, 1000, 1001, 4096, 100_003]) {
      const a = on.allocate(4 * size);
      const b = on.allocate(4 * size);
      fill(on, a, size, 0, 64);
      for (let i = 0; i < 20; i++) {
        slowAdd(on, b, a, size, 1, 0, 64);
        slowAdd(on, a, b, size, 1, 0, 64);
      }
      expect(new Set(read(on, a, size))).toEqual(new Set([40]));
    }
  });

  test('chunks begin at multiples of the grain', () => {
    setNumThreads(n);
    const on = new CpuBackend();
    const size = 10_007;
    const a = on.allocate(4 * size);
    for (const [first, grain] of [
      [0, 100],
      [3, 256],
      [1, 7],
    ]) {
      fill(on, a, size, -1);
      borders(on, a, first, size, grain);
      // Each chunk has written its begin to all of its elements.
      const begins = read(on, a, size).slice(first);
      begins.forEach((begin, i) => {
        if ((begin - first) % grain !== 0 || begin > first + i) expect.fail(`${begin} at ${first + i}, grain ${grain}`);
      });
      const chunks = new Set(begins).size;
      if (n === 1) expect(chunks).toBe(1);
      else expect(chunks).toBeGreaterThanOrEqual(n);
    }
  });
});

test('the number of threads may change at any time', () => {
  const on = new CpuBackend();
  const size = 1 << 16;
  const a = on.allocate(4 * size);
  fill(on, a, size, 0);
  for (let i = 0; i < 40; i++) {
    setNumThreads([3, 1, 2, 5][i % 4]);
    slowAdd(on, a, a, size, 1, 0, 100);
  }
  expect(new Set(read(on, a, size))).toEqual(new Set([40]));
  for (const n of [4, 2, 1]) {
    setNumThreads(n);
    borders(on, a, 0, size, 1);
    expect(new Set(read(on, a, size)).size).toBe(n === 1 ? 1 : 4 * n);
  }
  expect(() => setNumThreads(0)).toThrow('set_num_threads expects a positive integer');
});

test('after a fault in one chunk the next launch is whole again', () => {
  setNumThreads(2);
  const on = new CpuBackend();
  const size = 1 << 16;
  const a = on.allocate(4 * size);
  for (let i = 0; i < 20; i++) {
    fill(on, a, size, 1, 1000);
    fill(on, a + 4 * 40_000, 1, 8);
    expect(() => check(on, a, size, 5, 1000)).toThrow('index 8 at 40000 is out of range for size 5');
    check(on, a, size, 9, 1000);
  }
});

test('meta takes launches and has no data', () => {
  const on = new MetaBackend();
  expect(on.allocate(1000)).toBe(0);
  fill(on, 0, 10, 1, 1);
  on.copyIn(0, new Uint8Array(4));
  on.synchronize();
  expect(on.sequence).toBe(1);
  expect(() => on.copyOut(0, 4)).toThrow('Cannot copy out of meta tensor; no data!');
});
