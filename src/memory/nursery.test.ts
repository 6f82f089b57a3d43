import { inspect } from 'node:util';
import v8 from 'node:v8';
import vm from 'node:vm';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { Lifetimes } from './lifetimes.ts';
import { LARGE, openNursery } from './nursery.ts';
import { sweep, sweepEvery, sweepStatistics, sweepYoung } from './sweep.ts';

v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc') as (options: { type: 'minor' }) => void;
v8.setFlagsFromString('--no-expose-gc');

beforeAll(() => {
  // Only the first sweep finds out what is possible.
  sweep();
  sweepEvery(0);
});
afterEach(() => sweep());

/** What a storage is here. */
class Holder {
  attachment: object | null = null;
}

function allocate(lifetimes: Lifetimes, nbytes = LARGE) {
  const record = lifetimes.begin(nbytes);
  const holder = new Holder();
  holder.attachment = lifetimes.attachYoung(record, 64);
  if (holder.attachment === null) lifetimes.attach(record, holder, 64);
  return { record, holder };
}

/** In functions of their own, so that no register of the caller's keeps anything alive. */
function drop(lifetimes: Lifetimes, count: number, nbytes?: number): void {
  for (let i = 0; i < count; i++) allocate(lifetimes, nbytes);
}
function hold(lifetimes: Lifetimes, count: number, held: Holder[]): void {
  for (let i = 0; i < count; i++) held.push(allocate(lifetimes).holder);
}

test('a collection of the young generation finds what died, and no full one is needed', () => {
  const lifetimes = new Lifetimes(null, () => {});
  const held: Holder[] = [];
  const { count } = sweepStatistics;
  hold(lifetimes, 10, held);
  drop(lifetimes, 1000);
  expect(lifetimes.liveCount).toBe(1010);
  sweepYoung();
  expect([lifetimes.liveCount, lifetimes.liveBytes]).toEqual([10, 10 * LARGE]);
  held.length = 5;
  sweepYoung();
  expect(lifetimes.liveCount).toBeLessThanOrEqual(10);
  expect(sweepStatistics.count).toBe(count);
  sweep();
  expect(lifetimes.liveCount).toBe(5);
  expect(held).toHaveLength(5);
});

test('what is small waits for a full one', () => {
  const lifetimes = new Lifetimes(null, () => {});
  drop(lifetimes, 10, LARGE - 1);
  sweepYoung();
  expect(lifetimes.liveCount).toBe(10);
  sweep();
  expect(lifetimes.liveCount).toBe(0);
});

test('survivors get old, and full sweeps find them', () => {
  const lifetimes = new Lifetimes(null, () => {});
  const held: Holder[] = [];
  hold(lifetimes, 300, held);
  for (let i = 0; i < 5; i++) sweepYoung();
  expect(lifetimes.liveCount).toBe(300);
  held.length = 100;
  sweep();
  expect(lifetimes.liveCount).toBe(100);
  held.length = 0;
  sweep();
  expect(lifetimes.liveCount).toBe(0);
});

test('a record that was freed exactly and serves another storage does not die with the first', () => {
  const reclaimed: number[] = [];
  const lifetimes = new Lifetimes(null, ({ nbytes }) => void reclaimed.push(nbytes));
  const first = allocate(lifetimes, LARGE + 1);
  lifetimes.free(first.record);
  const second = allocate(lifetimes, LARGE + 2);
  expect(second.record).toBe(first.record);
  sweepYoung();
  expect(reclaimed).toEqual([LARGE + 1]);
  expect(second.holder.attachment).not.toBeNull();
});

test('what was freed exactly counts no more once there is enough to look at', () => {
  const nursery = openNursery(() => gc({ type: 'minor' }), inspect)!;
  const lifetimes = new Lifetimes(null, () => {});
  const records = Array.from({ length: 10 }, () => lifetimes.begin(LARGE));
  const tickets = records.map((record) => nursery.add(record));
  for (const record of records.slice(4)) lifetimes.free(record);
  // Not looked at: below what is asked for it may be too much, but never too little.
  expect(nursery.newBytes(100 * LARGE)).toBe(10 * LARGE);
  expect(nursery.newBytes(10 * LARGE)).toBe(4 * LARGE);
  expect(nursery.newBytes(100 * LARGE)).toBe(4 * LARGE);
  const died: unknown[] = [];
  expect(nursery.sweep((record) => void died.push(record))).toBe(4 * LARGE);
  expect([nursery.newBytes(0), died.length, tickets.length]).toEqual([0, 0, 10]);
});

test('an engine that shows the dead as well, none at all, or throws, has no nursery', () => {
  const collect = (): void => {};
  // Nothing was collected: both are there.
  expect(openNursery(collect, inspect)).toBeNull();
  expect(openNursery(collect, () => '')).toBeNull();
  const refuse = () => {
    throw new Error('no');
  };
  expect(openNursery(refuse, inspect)).toBeNull();
});
