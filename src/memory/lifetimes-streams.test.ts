/**
 * The log where storages are used on several streams: what a free waits for, in which order the consumer is told of waits, and
 * what that does to figures.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { ACTIVE_BYTES } from './allocator/statistics.ts';
import { AllocatorConsumer } from './allocator-consumer.ts';
import { clock } from './clock.ts';
import { type Consumer, Lifetimes, type StorageRecord } from './lifetimes.ts';

const MIB = 1024 * 1024;
const SIDE = 7;
const OTHER = 8;

/** Writes down what it is told: `+a`, `-a`, and `~7` for a wait for stream 7 with how many allocations came before its date. */
class Journal implements Consumer {
  readonly headroom = Infinity;
  text = '';
  private readonly born: number[] = [];
  charge(nbytes: number): number {
    return nbytes;
  }
  allocate(record: StorageRecord): boolean {
    this.text += `+${record.operation} `;
    this.born.push(record.born);
    return true;
  }
  free(record: StorageRecord): void {
    this.text += `-${record.operation} `;
  }
  outOfMemory(): Error {
    return new Error('never');
  }
  waited(stream: number | null, upTo: number): void {
    const before = this.born.filter((date) => date <= upTo).length;
    this.text += `~${stream ?? 'all'}(${before}) `;
  }
  take(): string {
    const text = this.text.trim();
    this.text = '';
    return text;
  }
}

function allocate(on: Lifetimes, name: string, nbytes = 512): StorageRecord {
  clock.operation = name;
  const record = on.begin(nbytes);
  clock.operation = '';
  on.attachWithoutSweeps(record, 64);
  return record;
}

function use(...records: StorageRecord[]): void {
  for (const record of records) record.lastUse = clock.now;
}

describe('what the consumer is told', () => {
  let journal: Journal;
  let lifetimes: Lifetimes;
  beforeEach(() => {
    journal = new Journal();
    lifetimes = new Lifetimes(journal, () => {});
  });
  const replayed = (): string => {
    lifetimes.commit();
    return journal.take();
  };

  test('nothing of waits, as long as every storage stays on its stream', () => {
    const a = allocate(lifetimes, 'a');
    lifetimes.recordStream(a, 0);
    lifetimes.hostWaited(null);
    lifetimes.hostWaited(SIDE);
    allocate(lifetimes, 'b');
    expect(replayed()).toBe('+a +b');
    expect(a.uses).toBeNull();
  });

  test('waits where they happened, between allocations and frees', () => {
    const a = allocate(lifetimes, 'a');
    lifetimes.recordStream(a, SIDE);
    lifetimes.hostWaited(SIDE);
    const b = allocate(lifetimes, 'b');
    lifetimes.free(a);
    lifetimes.hostWaited(null);
    lifetimes.free(b);
    allocate(lifetimes, 'c');
    lifetimes.hostWaited(OTHER);
    expect(replayed()).toBe('+a ~7(1) +b -a -b ~all(2) +c ~8(3)');
    // Once.
    allocate(lifetimes, 'd');
    expect(replayed()).toBe('+d');
  });

  test('a wait for earlier work has the date of that', () => {
    const a = allocate(lifetimes, 'a');
    lifetimes.recordStream(a, SIDE);
    const recorded = clock.now++;
    allocate(lifetimes, 'b');
    allocate(lifetimes, 'c');
    lifetimes.hostWaited(SIDE, recorded);
    allocate(lifetimes, 'd');
    expect(replayed()).toBe('+a +b +c ~7(1) +d');
  });

  test('of several waits for a stream between two allocations one is left, with the latest date', () => {
    const a = allocate(lifetimes, 'a');
    lifetimes.recordStream(a, SIDE);
    const early = clock.now++;
    allocate(lifetimes, 'b');
    for (let i = 0; i < 1000; i++) lifetimes.hostWaited(SIDE);
    lifetimes.hostWaited(SIDE, early);
    lifetimes.hostWaited(OTHER);
    allocate(lifetimes, 'c');
    expect(replayed()).toBe('+a +b ~7(2) ~8(2) +c');
  });

  test('what follows a wait is dated after it', () => {
    const a = allocate(lifetimes, 'a');
    lifetimes.recordStream(a, SIDE);
    use(a);
    const before = a.lastUse;
    lifetimes.hostWaited(SIDE);
    use(a);
    expect(a.lastUse).toBeGreaterThan(before);
    // A wait for earlier work moves nothing.
    const now = clock.now;
    lifetimes.hostWaited(SIDE, before);
    expect(clock.now).toBe(now);
  });

  test('waits among what is young wait with it', () => {
    const held = allocate(lifetimes, 'held');
    lifetimes.recordStream(held, SIDE);
    allocate(lifetimes, 'b');
    lifetimes.hostWaited(SIDE);
    const fill = (count: number, name: string) => {
      for (let i = 0; i < count; i++) lifetimes.free(allocate(lifetimes, name));
    };
    fill(256_000, 'x');
    lifetimes.hostWaited(OTHER);
    // Past the commit that comes by itself: the last of the log, with the second wait, is not final.
    fill(7_000, 'y');
    expect(journal.take()).toMatch(/^\+held \+b ~7\(2\) (\+x -x )+\+x( -x)?$/);
    expect(replayed()).toMatch(/^(-x )?(\+x -x )+~8\(256002\) (\+y -y ?)+$/);
  });

  test('listeners hear of all work and of every wait', () => {
    const heard: unknown[] = [];
    lifetimes.streamListener = {
      waited: (...wait) => heard.push(['waited', ...wait]),
      given: (...work) => heard.push(['given', ...work]),
    };
    lifetimes.streamGiven(SIDE, 3, 4);
    lifetimes.hostWaited(SIDE);
    lifetimes.hostWaited(null, 5);
    expect(heard).toEqual([
      ['given', SIDE, 3, 4],
      ['waited', SIDE, clock.now],
      ['waited', null, 5],
    ]);
  });

  test('streams are kept with a record until its free is final, and not longer', () => {
    const a = allocate(lifetimes, 'a');
    lifetimes.recordStream(a, SIDE);
    lifetimes.recordStream(a, SIDE);
    lifetimes.recordStream(a, OTHER);
    expect(a.uses).toEqual([SIDE, OTHER]);
    lifetimes.free(a);
    // Too late.
    lifetimes.recordStream(a, 9);
    expect(a.uses).toEqual([SIDE, OTHER]);
    lifetimes.commit();
    const b = allocate(lifetimes, 'b');
    expect(b).toBe(a);
    expect(b.uses).toBeNull();
  });

  test('the stream of an allocation is that of the time', () => {
    lifetimes.stream = SIDE;
    const a = allocate(lifetimes, 'a');
    lifetimes.stream = 0;
    const b = allocate(lifetimes, 'b');
    expect([a.stream, b.stream]).toEqual([SIDE, 0]);
    lifetimes.recordStream(a, SIDE);
    lifetimes.recordStream(b, SIDE);
    expect([a.uses, b.uses]).toEqual([null, [SIDE]]);
  });
});

describe('figures', () => {
  let consumer: AllocatorConsumer;
  let lifetimes: Lifetimes;
  beforeEach(() => {
    consumer = new AllocatorConsumer({ device: 64 * MIB, name: 'MTIA' });
    lifetimes = new Lifetimes(consumer, () => {});
  });

  /** MiB handed out, and MiB that are handed out or wait. Frees that wait are looked at by the next allocation. */
  function figures(): [allocated: number, active: number] {
    lifetimes.free(allocate(lifetimes, 'look', 1));
    lifetimes.commit();
    return [consumer.allocated / MIB, consumer.allocator.statistics.current(ACTIVE_BYTES) / MIB];
  }
  const given = (stream: number): void => lifetimes.streamGiven(stream, clock.now, clock.now);
  /** Work of these streams uses it. */
  const crossing = (mib: number, ...streams: number[]): StorageRecord => {
    const record = allocate(lifetimes, 'x', mib * MIB);
    for (const stream of streams) {
      lifetimes.recordStream(record, stream);
      given(stream);
    }
    return record;
  };

  test('a free waits for the stream', () => {
    lifetimes.free(crossing(16, SIDE));
    expect(figures()).toEqual([0, 16]);
    lifetimes.hostWaited(OTHER);
    expect(figures()).toEqual([0, 16]);
    lifetimes.hostWaited(SIDE);
    expect(figures()).toEqual([0, 0]);
  });

  test('and not if that has nothing left to do', () => {
    const x = allocate(lifetimes, 'x', 16 * MIB);
    lifetimes.recordStream(x, SIDE);
    lifetimes.free(x);
    expect(figures()).toEqual([0, 0]);
    const y = crossing(16, SIDE);
    lifetimes.hostWaited(SIDE);
    lifetimes.free(y);
    expect(figures()).toEqual([0, 0]);
    const z = crossing(16, SIDE);
    lifetimes.hostWaited(SIDE);
    given(SIDE);
    lifetimes.free(z);
    expect(figures()).toEqual([0, 16]);
  });

  test('for all of several', () => {
    lifetimes.free(crossing(16, SIDE, OTHER));
    lifetimes.hostWaited(OTHER);
    expect(figures()).toEqual([0, 16]);
    lifetimes.hostWaited(SIDE);
    expect(figures()).toEqual([0, 0]);
    lifetimes.free(crossing(16, SIDE, OTHER));
    lifetimes.hostWaited(null);
    expect(figures()).toEqual([0, 0]);
  });

  test('a wait before the last use does not count, one after it does, whenever the death is found', () => {
    const x = crossing(16, SIDE);
    use(x);
    lifetimes.hostWaited(SIDE);
    const y = crossing(12, SIDE);
    use(y);
    lifetimes.died(x);
    lifetimes.died(y);
    expect(figures()).toEqual([0, 12]);
    lifetimes.hostWaited(SIDE);
    expect(figures()).toEqual([0, 0]);
  });

  test('a wait for an event covers what was freed before it was recorded', () => {
    lifetimes.free(crossing(16, SIDE));
    const event = clock.now++;
    lifetimes.free(crossing(12, SIDE));
    lifetimes.hostWaited(SIDE, event);
    expect(figures()).toEqual([0, 12]);
  });

  test('a device that is full waits by itself, and only then', () => {
    const x = crossing(40, SIDE);
    lifetimes.free(x);
    // 40 MiB wait: this needs them.
    const y = allocate(lifetimes, 'y', 50 * MIB);
    lifetimes.commit();
    expect(consumer.allocated).toBe(50 * MIB);
    expect(consumer.allocator.nestedStatistics()).toMatchObject({ num_sync_all_streams: 1, num_ooms: 0 });
    lifetimes.free(y);
    lifetimes.commit();
    lifetimes.free(crossing(10, SIDE));
    const z = allocate(lifetimes, 'z', 20 * MIB);
    lifetimes.commit();
    expect(consumer.allocator.nestedStatistics()).toMatchObject({ num_sync_all_streams: 1 });
    expect(consumer.allocator.statistics.current(ACTIVE_BYTES)).toBe(30 * MIB);
    lifetimes.free(z);
  });

  test('what waits for a stream gives no room until it is final: the limit is still exact', () => {
    const held = [0, 1, 2].map(() => crossing(12, SIDE));
    for (const record of held) lifetimes.free(record);
    // 36 MiB wait, all of them can be had by waiting.
    const large = allocate(lifetimes, 'large', 64 * MIB);
    lifetimes.commit();
    expect(consumer.allocated).toBe(64 * MIB);
    expect(() => allocate(lifetimes, 'more', 1)).toThrow('out of memory');
    lifetimes.free(large);
    expect(figures()).toEqual([0, 0]);
  });

  test('the same whatever was committed when', () => {
    const outcome = (every: number): number[] => {
      consumer = new AllocatorConsumer({ device: 256 * MIB, name: 'MTIA' });
      lifetimes = new Lifetimes(consumer, () => {});
      let seed = 3;
      const random = (below: number) => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) % below;
      const live: StorageRecord[] = [];
      for (let step = 0; step < 400; step++) {
        lifetimes.stream = random(3);
        const what = random(10);
        if (what < 5) live.push(allocate(lifetimes, 'x', 1 + random(2 * MIB)));
        else if (live.length > 0) {
          const [record] = live.splice(random(live.length), 1);
          use(record);
          if (what < 8) {
            const stream = random(3);
            lifetimes.recordStream(record, stream);
            given(stream);
          }
          if (what === 5) live.push(record);
          else if (random(2) === 0) lifetimes.free(record);
          else lifetimes.died(record);
        }
        if (random(6) === 0) lifetimes.hostWaited(random(4) === 0 ? null : random(3));
        if (step % every === every - 1 && step !== 399) lifetimes.commit();
      }
      lifetimes.hostWaited(null);
      figures();
      const { statistics } = consumer.allocator;
      return [consumer.allocated, consumer.peak, consumer.reserved, statistics.current(ACTIVE_BYTES)];
    };
    const reference = outcome(1000);
    expect(reference[0]).toBeGreaterThan(0);
    expect(reference[1]).toBeGreaterThan(reference[0]);
    // Deaths are found at once here, so each date is known before the next commit.
    for (const every of [9, 70]) expect(outcome(every)).toEqual(reference);
  });
});
