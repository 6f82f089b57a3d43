/**
 * What lifetimes and the allocator's figures cost: to an operation (an allocation, two uses, the free), and to whoever reads a figure beside 100,000 live
 * storages. A part of `npm run bench`; with `all` also beside the plain counter and without figures, and beside a million plain
 * objects: `node dist/cli/main.js run bench/parts/lifetimes.ts all`.
 */
import type { Backend } from '../../src/devices/backend.ts';
import { allocateTracked, type Storage, touch } from '../../src/devices/storage.ts';
import { AllocatorConsumer } from '../../src/memory/allocator-consumer.ts';
import { Counter } from '../../src/memory/counter.ts';
import { type Consumer, Lifetimes } from '../../src/memory/lifetimes.ts';
import { internDevice } from '../../src/core/device.ts';
import { tell } from './script.ts';

const OPERATIONS = 1_000_000;
const LIVE = 100_000;
const ROUNDS = 5;
const NBYTES = 1000;

/** A backing store that does nothing: what is measured is what comes on top of it. */
const backend = { device: internDevice('mtia', 0), allocate: () => 64, free() {} } as unknown as Backend;

const allocator = (): Consumer => new AllocatorConsumer({ device: 2 ** 40, name: 'MTIA' });
const make = (consumer: Consumer | null): Lifetimes => new Lifetimes(consumer, () => {});

/**
 * Milliseconds that passed, or of computing where that is less: on a machine that is busy with other things. Several threads
 * collect garbage.
 */
function timed(run: () => void): number {
  const [start, before] = [performance.now(), process.cpuUsage()];
  run();
  const { user, system } = process.cpuUsage(before);
  return Math.min(performance.now() - start, (user + system) / 1000);
}

/** Microseconds of one of `count` operations, the best of some rounds. */
function best(count: number, run: () => void): number {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) least = Math.min(least, timed(run));
  return (1000 * least) / count;
}

/** Each operation uses the results of the two before it; the older of these goes. */
function chain(lifetimes: Lifetimes, exact: boolean): () => void {
  return () => {
    let a = allocateTracked(backend, NBYTES, lifetimes);
    let b = allocateTracked(backend, NBYTES, lifetimes);
    for (let i = 0; i < OPERATIONS; i++) {
      const result = allocateTracked(backend, NBYTES, lifetimes);
      touch(a);
      touch(b);
      if (exact) a.freeNow();
      a = b;
      b = result;
    }
    lifetimes.commit();
  };
}

/** Milliseconds of reading a figure beside so many live storages. */
function reading(live: number): number {
  const lifetimes = make(allocator());
  const held: Storage[] = [];
  for (let i = 0; i < live; i++) held.push(allocateTracked(backend, NBYTES, lifetimes));
  lifetimes.commit();
  let least = Infinity;
  for (let round = 0; round < 4 * ROUNDS; round++) {
    for (let i = 0; i < 100; i++) held[(round * 100 + i) % live] = allocateTracked(backend, NBYTES, lifetimes);
    least = Math.min(
      least,
      timed(() => lifetimes.commit()),
    );
  }
  if (held.length !== live) throw new Error();
  return least;
}

const figures = {
  freed: best(OPERATIONS, chain(make(allocator()), true)),
  dropped: best(OPERATIONS, chain(make(allocator()), false)),
  reading: reading(LIVE),
};
if (process.argv.includes('all')) {
  const show = (name: string, consumer: () => Consumer | null) => {
    const [freed, dropped] = [true, false].map((exact) => best(OPERATIONS, chain(make(consumer()), exact)));
    console.log(`${name}: freed ${freed.toFixed(3)} µs, dropped ${dropped.toFixed(3)} µs an operation`);
  };
  show('no figures', () => null);
  show('plain counter', () => new Counter(Infinity, 'MTIA', 0));
  show('allocator', allocator);
  for (const live of [0, 1000, 10_000, LIVE, 400_000]) {
    console.log(`reading a figure beside ${live} storages: ${reading(Math.max(1, live)).toFixed(1)} ms`);
  }
  const objects = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));
  console.log(`… and a million plain objects: ${reading(LIVE).toFixed(1)} ms`);
  if (objects.length === 0) throw new Error();
}
tell(figures);
