import { afterEach, describe, expect, test } from 'vitest';
import { RuntimeError } from '../core/errors.ts';
import { clock } from '../memory/clock.ts';
import { Counter } from '../memory/counter.ts';
import { newGroup } from '../memory/lifetimes.ts';
import { canSweep, sweep, sweepEvery, sweepStatistics } from '../memory/sweep.ts';
import { FakeBackend } from './fake-backend.testing.ts';
import { allocateStorage, DISPOSED, lifetimesOf, setConsumer, touch } from './storage.ts';

afterEach(() => sweepEvery(null));

/** In functions of their own, so that no register of the caller's keeps anything alive. */
function drop(backend: FakeBackend, count: number, nbytes = 1024): void {
  for (let i = 0; i < count; i++) touch(allocateStorage(backend, nbytes));
}

function figures(backend: FakeBackend): [allocated: number, peak: number] {
  const lifetimes = lifetimesOf(backend)!;
  lifetimes.commit();
  const counter = lifetimes.consumer as Counter;
  return [counter.allocated, counter.peak];
}

describe('dead storages', () => {
  test('are found in the middle of a synchronous job', () => {
    expect(canSweep()).toBe(true);
    const backend = new FakeBackend();
    sweepEvery(0);
    const kept = allocateStorage(backend, 100);
    drop(backend, 10_000);
    expect(backend.inUse).toBe(10_000 * 1024 + 100);
    sweep();
    expect(backend.inUse).toBe(100);
    touch(kept);
  });

  test('of a job that never ends are collected by pressure, on every device', () => {
    for (const type of ['cpu', 'mtia'] as const) {
      const backend = new FakeBackend(type);
      const before = { ...sweepStatistics };
      drop(backend, 2000, 1024 * 1024);
      // Large ones by collections of the young generation …
      expect(backend.peak).toBeLessThan(192 * 1024 * 1024);
      expect(sweepStatistics.young).toBeGreaterThan(before.young);
      // … small ones by full ones.
      before.count = sweepStatistics.count;
      drop(backend, 200_000, 1024);
      expect(sweepStatistics.count).toBeGreaterThan(before.count);
      expect(backend.peak).toBeLessThan(320 * 1024 * 1024);
    }
  });

  test('make room when the backing store is full', () => {
    const backend = new FakeBackend('mtia', 1024 * 1024);
    sweepEvery(0);
    drop(backend, 10_000);
    expect(backend.peak).toBeLessThanOrEqual(1024 * 1024);
    expect(figures(backend)).toEqual([0, 1024]);
  });

  test('are spared while a launch is being built that may use them', () => {
    const backend = new FakeBackend('mtia');
    sweepEvery(0);
    const start = backend.inUse;
    // Touched since the last allocation: of an operand nothing but its address may be left.
    drop(backend, 1, 1000);
    backend.onPressure!(1);
    expect(backend.inUse - start).toBe(1000);
    const other = allocateStorage(backend, 10);
    backend.onPressure!(1);
    expect(backend.inUse - start).toBe(10);
    other.freeNow();
  });

  test('run no callback of a promise in the middle of the job', async () => {
    let ran = false;
    const promise = Promise.resolve().then(() => {
      ran = true;
    });
    sweep();
    expect(ran).toBe(false);
    await promise;
    expect(ran).toBe(true);
  });
});

test('a million small storages that are dropped keep memory flat', () => {
  const backend = new FakeBackend();
  drop(backend, 100_000, 40); // warm
  const before = process.memoryUsage().rss;
  drop(backend, 1_000_000, 40);
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  expect(backend.peak).toBeLessThan(200_000 * 40);
  expect(figures(backend)).toEqual([0, 512]);
});

test('living data that the backing store cannot hold is the error of the backend, and leaves no trace', () => {
  const backend = new FakeBackend('mtia', 4096);
  const kept = [allocateStorage(backend, 2048)];
  expect(() => allocateStorage(backend, 4096)).toThrow('The backing store is full.');
  kept.push(allocateStorage(backend, 2048));
  expect(figures(backend)).toEqual([4096, 4096]);
});

test('the capacity is that of the consumer', () => {
  const backend = new FakeBackend();
  setConsumer(backend, new Counter(64 * 1024, 'MTIA', 0));
  drop(backend, 1000);
  const kept = Array.from({ length: 64 }, () => allocateStorage(backend, 1024));
  expect(() => allocateStorage(backend, 1)).toThrow(/^MTIA out of memory\. Tried to allocate 512 bytes\./);
  expect(figures(backend)).toEqual([64 * 1024, 64 * 1024]);
  expect(kept[63].record.live).toBe(true);
  expect(() => setConsumer(backend, null)).toThrow(RuntimeError);
});

describe('handles and holds', () => {
  test('the last handle frees at once', () => {
    const backend = new FakeBackend();
    const storage = allocateStorage(backend, 1000);
    storage.retain();
    storage.retain();
    storage.release();
    expect(backend.inUse).toBe(1000);
    storage.release();
    expect(backend.inUse).toBe(0);
    expect(figures(backend)).toEqual([0, 1024]);
  });

  test('what a graph saved outlives the handle until the graph lets go', () => {
    const backend = new FakeBackend();
    const storage = allocateStorage(backend, 1000);
    storage.retain();
    storage.holdForBackward(newGroup());
    storage.release();
    expect(figures(backend)).toEqual([1024, 1024]);
    storage.unholdForBackward();
    expect(backend.inUse).toBe(0);
    expect(figures(backend)).toEqual([0, 1024]);
  });

  test('every hold counts', () => {
    const backend = new FakeBackend();
    const storage = allocateStorage(backend, 1000);
    storage.hold();
    storage.hold();
    storage.unhold();
    expect(backend.inUse).toBe(1000);
    storage.unhold();
    expect(backend.inUse).toBe(0);
  });

  test('a release leaves a storage with handles alone, and dates it', () => {
    const backend = new FakeBackend();
    const storage = allocateStorage(backend, 1000);
    storage.retain();
    storage.hold();
    drop(backend, 3);
    storage.unhold();
    expect(backend.inUse).toBeGreaterThanOrEqual(1000);
    expect(storage.record.lastUse).toBe(clock.now);
  });

  test('a gradient counts as long as its parameter', () => {
    const backend = new FakeBackend();
    const parameter = allocateStorage(backend, 512);
    const gradient = allocateStorage(backend, 512);
    gradient.hold(parameter);
    allocateStorage(backend, 512).freeNow();
    touch(parameter);
    expect(gradient.record.lastNeeded()).toBe(parameter.record.lastUse);
    gradient.unhold();
    expect(backend.inUse).toBe(512);
  });
});

describe('freed storages', () => {
  test('have no address that a launch could harm', () => {
    const backend = new FakeBackend();
    const storage = allocateStorage(backend, 64);
    storage.freeNow();
    storage.freeNow();
    expect([storage.address, backend.inUse]).toEqual([-1, 0]);
    const next = allocateStorage(backend, 64);
    touch(storage);
    expect(storage.record).not.toBe(next.record);
    expect(next.record.live).toBe(true);
  });

  test('of disposed tensors throw whatever is asked of them', () => {
    for (const use of [
      () => DISPOSED.address,
      () => DISPOSED.backend,
      () => DISPOSED.nbytes,
      () => touch(DISPOSED),
      () => DISPOSED.retain(),
      () => DISPOSED.release(),
      () => DISPOSED.hold(),
    ]) {
      expect(use).toThrow(RuntimeError);
      expect(use).toThrow(/was disposed/);
    }
  });
});

test('empty storages and those of meta take nothing and may be used like any other', () => {
  const mtia = new FakeBackend();
  const meta = new FakeBackend('meta');
  for (const storage of [allocateStorage(mtia, 0), allocateStorage(meta, 1e12)]) {
    storage.retain();
    touch(storage);
    storage.holdForBackward(newGroup());
    storage.hold(storage);
    storage.unhold();
    storage.unholdForBackward();
    storage.release();
    expect(storage.address).toBe(0);
  }
  expect([mtia.peak, meta.peak]).toEqual([0, 0]);
  expect(lifetimesOf(meta)).toBeNull();
  expect(figures(mtia)).toEqual([0, 0]);
});
