/**
 * The log alone: storages are records without objects, and the tests say themselves which have died. What is checked is
 * which allocations and frees the consumer sees, in which order, and when.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { OutOfMemoryError } from '../core/errors.ts';
import { clock } from './clock.ts';
import { Counter } from './counter.ts';
import { newGroup } from './groups.ts';
import { type Consumer, Lifetimes, type StorageRecord } from './lifetimes.ts';

/** Writes down what it is told: `+a` and `-a`, where `a` is the operation that allocated. */
class Journal implements Consumer {
  readonly headroom = Infinity;
  text = '';
  charge(nbytes: number): number {
    return nbytes;
  }
  allocate(record: StorageRecord): boolean {
    this.text += `+${record.operation} `;
    return true;
  }
  free(record: StorageRecord): void {
    this.text += `-${record.operation} `;
  }
  outOfMemory(): Error {
    return new Error('never');
  }
  take(): string {
    const text = this.text.trim();
    this.text = '';
    return text;
  }
}

let journal: Journal;
let returned: string[];
let lifetimes: Lifetimes;

beforeEach(() => {
  journal = new Journal();
  returned = [];
  lifetimes = new Lifetimes(journal, (record) => returned.push(record.operation));
});

function allocate(name: string, nbytes = 512, on = lifetimes): StorageRecord {
  clock.operation = name;
  const record = on.begin(nbytes);
  clock.operation = '';
  on.attachWithoutSweeps(record, 64);
  return record;
}

function use(...records: StorageRecord[]): void {
  for (const record of records) record.lastUse = clock.now;
}

function replayed(): string {
  lifetimes.commit();
  return journal.take();
}

describe('dates', () => {
  test('a free takes the place of the last use, however late the death is found', () => {
    const a = allocate('a');
    use(a);
    const b = allocate('b');
    use(a, b);
    const c = allocate('c');
    use(b, c);
    allocate('d');
    for (const record of [c, b, a]) lifetimes.died(record);
    // a was last used by the launch after b's allocation, b and c by the one after c's.
    expect(replayed()).toBe('+a +b -a +c -b -c +d');
  });

  test('a storage nobody used is freed right after its allocation', () => {
    const a = allocate('a');
    allocate('b');
    lifetimes.died(a);
    expect(replayed()).toBe('+a -a +b');
  });

  test('frees between the same allocations come in order of birth, whatever order they were found in', () => {
    const [a, b, c] = [allocate('a'), allocate('b'), allocate('c')];
    use(a, b, c);
    allocate('d');
    for (const record of [b, c, a]) lifetimes.died(record);
    expect(replayed()).toBe('+a +b +c -a -b -c +d');
  });

  test('an exact free takes effect where it runs, and gives the backing store back at once', () => {
    const a = allocate('a');
    use(a);
    allocate('b');
    lifetimes.free(a);
    expect(returned).toEqual(['a']);
    lifetimes.free(a);
    allocate('c');
    expect(replayed()).toBe('+a +b -a +c');
    expect(returned).toEqual(['a']);
  });

  test('allocations of another device count in the dates and do not show', () => {
    const other = new Lifetimes(null, () => {});
    const a = allocate('a');
    for (let i = 0; i < 1000; i++) allocate('x', 512, other);
    use(a);
    const b = allocate('b');
    use(b);
    for (let i = 0; i < 1000; i++) allocate('x', 512, other);
    allocate('c');
    lifetimes.died(a);
    lifetimes.died(b);
    expect(replayed()).toBe('+a -a +b -b +c');
  });

  test('thousands of random lifetimes replay as a reference written with sorting says', () => {
    let seed = 12345;
    const random = (n: number): number => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
    for (let round = 0; round < 5; round++) {
      const events: { date: number; free: boolean; name: string; born: number }[] = [];
      const alive: StorageRecord[] = [];
      journal.take();
      for (let i = 0; i < 3000; i++) {
        const record = allocate(`${round}.${i}`);
        events.push({ date: record.born, free: false, name: record.operation, born: record.born });
        alive.push(record);
        for (let k = random(4); k > 0; k--) use(alive[random(alive.length)]);
        if (random(3) > 0) {
          const [gone] = alive.splice(random(alive.length), 1);
          events.push({ date: gone.lastUse, free: true, name: gone.operation, born: gone.born });
          lifetimes.died(gone);
        }
      }
      for (const gone of alive) {
        events.push({ date: gone.lastUse, free: true, name: gone.operation, born: gone.born });
        lifetimes.died(gone);
      }
      events.sort((x, y) => x.date - y.date || Number(x.free) - Number(y.free) || x.born - y.born);
      expect(replayed()).toBe(events.map((e) => (e.free ? '-' : '+') + e.name).join(' '));
    }
  });
});

describe('commit points', () => {
  test('no figure changes between them', () => {
    const a = allocate('a');
    expect(replayed()).toBe('+a');
    lifetimes.died(a);
    allocate('b');
    lifetimes.collect(() => {});
    expect(journal.take()).toBe('');
    expect(replayed()).toBe('-a +b');
  });

  test('what one has found alive is never freed before it', () => {
    const a = allocate('a');
    use(a);
    allocate('b');
    expect(replayed()).toBe('+a +b');
    const c = allocate('c');
    use(c);
    lifetimes.died(a);
    lifetimes.died(c);
    // a's last use lies before b, which is final by now.
    expect(replayed()).toBe('-a +c -c');
    expect(replayed()).toBe('');
  });

  test('a survivor used later is freed there', () => {
    const a = allocate('a');
    expect(replayed()).toBe('+a');
    allocate('b');
    allocate('c');
    use(a);
    allocate('d');
    lifetimes.died(a);
    expect(replayed()).toBe('+b +c -a +d');
  });

  test('every 262,144th allocation is one, for what is not young', () => {
    const counter = new Counter(Infinity, 'MTIA', 0);
    const log = new Lifetimes(counter, () => {});
    const old = allocate('old', 1024, log);
    for (let i = 1; i < 262_144; i++) log.free(allocate('x', 512, log));
    // Found alive at the commit, though nothing has used it since: so it counts to the last allocation that became final.
    expect(counter.peak).toBe(0);
    allocate('y', 512, log);
    expect(counter.peak).toBe(1536);
    expect(counter.allocated).toBe(1024);
    log.died(old);
    log.commit();
    expect(counter.allocated).toBe(512);
  });

  test('what is young at a commit of our own counts to its last use only', () => {
    for (const young of [true, false]) {
      const counter = new Counter(Infinity, 'MTIA', 0);
      const log = new Lifetimes(counter, () => {});
      const fill = (count: number) => {
        for (let i = 0; i < count; i++) log.free(allocate('x', 512, log));
      };
      fill(young ? 256_000 : 10_000);
      const local = allocate('local', 1_000_000, log);
      use(local);
      // Past the commit, at which the local is still reachable.
      fill(young ? 7_000 : 253_000);
      const large = allocate('large', 1_000_000, log);
      log.died(local);
      log.free(large);
      log.commit();
      expect(counter.peak).toBeLessThan(1_002_000);
      expect(counter.allocated).toBe(0);
      // An old one was final for a while, until its death was found.
      counter.resetPeak();
      fill(100);
      log.commit();
      expect(counter.peak).toBe(512);
    }
  });

  test('a device that only seems full is no reason to count what is young', () => {
    const counter = new Counter(4000 * 512, 'MTIA', 0);
    const log = new Lifetimes(counter, () => {});
    // Nobody frees exactly, so the budget is used up again and again; at most two storages are needed at a time.
    let before: StorageRecord | null = null;
    for (let i = 0; i < 20_000; i++) {
      const record = allocate('x', 512, log);
      use(record);
      if (before !== null) log.died(before);
      before = record;
    }
    log.commit();
    expect(counter.ooms).toBe(0);
    expect(counter.peak).toBeLessThanOrEqual(1024);
  });

  test('exact frees that wait give room again', () => {
    const counter = new Counter(10 * 512, 'MTIA', 0);
    const log = new Lifetimes(counter, () => {});
    const held = Array.from({ length: 8 }, () => allocate('held', 512, log));
    for (let i = 0; i < 270_000; i++) log.free(allocate('x', 512, log));
    for (const record of held) log.free(record);
    const again = Array.from({ length: 10 }, () => allocate('again', 512, log));
    log.commit();
    expect(counter.allocated).toBe(10 * 512);
    expect(() => allocate('one more', 1, log)).toThrow(OutOfMemoryError);
    for (const record of again) log.free(record);
    log.commit();
    expect(counter.allocated).toBe(0);
  });

  test('a record is used again once the date of the free is final', () => {
    const [a, held, saved, parameter, gradient] = ['a', 'held', 'saved', 'parameter', 'gradient'].map((name) =>
      allocate(name),
    );
    gradient.setOwner(parameter);
    saved.addSaver(newGroup());
    held.holds++;
    for (const record of [held, parameter]) lifetimes.free(record);
    for (const record of [saved, gradient]) lifetimes.died(record);
    const b = allocate('b');
    expect([a, held, saved, parameter, gradient]).not.toContain(b);
    lifetimes.free(a);
    expect(allocate('c')).toBe(a);
    lifetimes.died(b);
    expect(allocate('d')).toBe(b);
    expect(replayed()).toBe('+a +held +saved +parameter +gradient -held -saved -parameter -gradient +b -a -b +c +d');
    expect([held, saved, parameter, gradient]).toContain(allocate('e'));
    expect(replayed()).toBe('+e');
  });
});

describe('autograd graphs', () => {
  test('what a graph saved counts until the graph was last touched, if nobody runs backward', () => {
    const group = newGroup();
    const saved = allocate('saved');
    saved.addSaver(group);
    const result = allocate('result');
    use(saved, result);
    group.touch();
    allocate('b');
    use(result);
    group.touch(); // the result hangs on the graph
    allocate('c');
    lifetimes.died(saved);
    lifetimes.died(result);
    expect(replayed()).toBe('+saved +result +b -saved -result +c');
  });

  test('the same forward without a graph frees earlier', () => {
    const input = allocate('input');
    const result = allocate('result');
    use(input, result);
    allocate('b');
    use(result);
    allocate('c');
    lifetimes.died(input);
    lifetimes.died(result);
    expect(replayed()).toBe('+input +result -input +b -result +c');
  });

  test('the date is that of the graph at the commit, not at the time the death was found', () => {
    const group = newGroup();
    const saved = allocate('saved');
    saved.addSaver(group);
    allocate('b');
    lifetimes.died(saved);
    group.touch();
    allocate('c');
    expect(replayed()).toBe('+saved +b -saved +c');
  });

  test('graphs joined later share their date', () => {
    const first = newGroup();
    const second = newGroup();
    const saved = allocate('saved');
    saved.addSaver(first);
    allocate('b');
    second.merge(first);
    allocate('c');
    second.touch();
    allocate('d');
    lifetimes.died(saved);
    expect(replayed()).toBe('+saved +b +c -saved +d');
  });

  test('saved by several graphs: the last of them decides', () => {
    const groups = Array.from({ length: 20 }, () => newGroup());
    const saved = allocate('saved');
    for (const group of groups) saved.addSaver(group);
    allocate('b');
    groups[17].touch();
    allocate('c');
    groups[19].touch();
    allocate('d');
    lifetimes.died(saved);
    expect(replayed()).toBe('+saved +b +c -saved +d');
  });

  test('let go, it is dated like any other', () => {
    const group = newGroup();
    const saved = allocate('saved');
    saved.addSaver(group);
    saved.dropSavers();
    allocate('b');
    group.touch();
    lifetimes.died(saved);
    expect(replayed()).toBe('+saved -saved +b');
  });

  test('what is kept for an owner counts as long as the owner', () => {
    const parameter = allocate('parameter');
    const gradient = allocate('gradient');
    gradient.setOwner(parameter);
    allocate('b');
    use(parameter);
    allocate('c');
    lifetimes.died(gradient);
    lifetimes.died(parameter);
    expect(replayed()).toBe('+parameter +gradient +b -parameter -gradient +c');
  });

  test('an owner long gone does not confer the date of who came after it', () => {
    const parameter = allocate('parameter');
    const gradient = allocate('gradient');
    gradient.setOwner(parameter);
    lifetimes.died(parameter);
    expect(replayed()).toBe('+parameter -parameter +gradient');
    expect(allocate('next')).toBe(parameter);
    allocate('b');
    use(parameter);
    lifetimes.died(gradient);
    expect(replayed()).toBe('-gradient +next +b');
  });
});

describe('capacity', () => {
  const device = (capacity: number): [Counter, Lifetimes] => {
    const counter = new Counter(capacity, 'MTIA', 0);
    return [counter, new Lifetimes(counter, (record) => returned.push(record.operation))];
  };

  test('garbage makes room: reaching the capacity is a commit point', () => {
    const [counter, log] = device(4096);
    for (let i = 0; i < 100; i++) log.died(allocate('x', 1024, log));
    log.commit();
    expect([counter.allocated, counter.peak, counter.ooms]).toEqual([0, 1024, 0]);
  });

  test('exact frees make room without one', () => {
    const [counter, log] = device(4096);
    for (let i = 0; i < 100; i++) log.free(allocate('x', 4096, log));
    expect(counter.peak).toBe(0);
    log.commit();
    expect(counter.peak).toBe(4096);
  });

  test('too much throws where it is asked for, names the operation, and leaves the device usable', () => {
    const [counter, log] = device(4096);
    const a = allocate('a', 2048, log);
    allocate('b', 2048, log);
    expect(() => allocate('layer_norm', 1, log)).toThrow(OutOfMemoryError);
    expect(() => allocate('layer_norm', 1, log)).toThrow(/Tried to allocate 512 bytes\..*made by layer_norm\.$/);
    expect([counter.allocated, counter.peak, counter.ooms]).toEqual([4096, 4096, 2]);
    expect([log.liveCount, log.liveBytes]).toEqual([2, 4096]);
    log.free(a);
    allocate('c', 2048, log);
    log.commit();
    expect([counter.allocated, counter.peak]).toEqual([4096, 4096]);
    expect(returned).toEqual(['a']);
  });

  test('what no capacity holds is refused even on an empty device', () => {
    const [, log] = device(4096);
    expect(() => allocate('zeros', 8192, log)).toThrow(OutOfMemoryError);
    expect(log.liveCount).toBe(0);
  });

  test('an earlier allocation that had no room is reported at the next commit point, once', () => {
    // The capacity shrinks below what the log was checked against.
    const [counter, log] = device(4096);
    allocate('a', 1024, log);
    const b = allocate('b', 1024, log);
    allocate('c', 512, log);
    counter.capacity = 1536;
    expect(() => log.commit()).toThrow(/made by b\./);
    expect([counter.allocated, counter.ooms]).toEqual([1536, 1]);
    log.died(b); // never counted, so its free is not either
    log.commit();
    expect([counter.allocated, counter.ooms]).toEqual([1536, 1]);
  });

  test('a storage that could not be made leaves no trace', () => {
    const [counter, log] = device(4096);
    log.abandon(log.begin(4096));
    log.abandon(log.begin(4096));
    log.commit();
    expect([counter.allocated, counter.peak, log.liveCount]).toEqual([0, 0, 0]);
  });
});

test('without a consumer the dead are forgotten as they come', () => {
  const log = new Lifetimes(null, () => {});
  const keep = allocate('keep', 512, log);
  const seen = new Set<StorageRecord>();
  for (let i = 0; i < 100_000; i++) {
    const record = allocate('x', 512, log);
    seen.add(record);
    log.free(record);
  }
  expect(seen.size).toBeLessThan(25_000);
  expect([keep.live, log.liveCount, log.liveBytes]).toEqual([true, 1, 512]);
});
