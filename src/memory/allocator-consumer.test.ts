/** The allocator as consumer of the log: the counter's figures where segments don't matter, PyTorch's where they do. */
import { describe, expect, test } from 'vitest';
import { OutOfMemoryError } from '../core/errors.ts';
import { listSegments } from './allocator/index.ts';
import { AllocatorConsumer, type ConsumerOptions } from './allocator-consumer.ts';
import { clock } from './clock.ts';
import { Counter } from './counter.ts';
import { type Consumer, Lifetimes, type StorageRecord } from './lifetimes.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const make = (capacity: number, options: Partial<ConsumerOptions> = {}) =>
  new AllocatorConsumer({ device: capacity, name: 'MTIA', ...options });

/** Runs a program of allocations on a log; returns the records. */
class Program {
  readonly lifetimes: Lifetimes;
  constructor(readonly consumer: Consumer) {
    this.lifetimes = new Lifetimes(consumer, () => {});
  }
  allocate(nbytes: number, operation = ''): StorageRecord {
    clock.operation = operation;
    try {
      const record = this.lifetimes.begin(nbytes);
      this.lifetimes.attachWithoutSweeps(record, 64);
      return record;
    } finally {
      clock.operation = '';
    }
  }
  free(record: StorageRecord): void {
    this.lifetimes.free(record);
  }
  commit(): void {
    this.lifetimes.commit();
  }
}

describe('figures', () => {
  test('allocated and its peak are those of the counter, as long as blocks are split', () => {
    const consumers = [new Counter(GIB, 'MTIA', 0), make(GIB)];
    const figures = consumers.map((consumer) => {
      const program = new Program(consumer);
      const live: StorageRecord[] = [];
      let seed = 5;
      const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
      const taken: number[][] = [];
      for (let step = 0; step < 3000; step++) {
        if (random() < 0.55 || live.length === 0) live.push(program.allocate(Math.floor(random() * 9000)));
        else program.free(live.splice(Math.floor(random() * live.length), 1)[0]);
        if (step % 500 === 0) {
          program.commit();
          taken.push([consumer.allocated, consumer.peak]);
        }
      }
      return taken;
    });
    expect(figures[1]).toEqual(figures[0]);
  });

  test('reserved is what segments take', () => {
    const consumer = make(GIB);
    const program = new Program(consumer);
    const record = program.allocate(3 * MIB);
    program.commit();
    expect([consumer.allocated, consumer.reserved, consumer.peakReserved]).toEqual([3 * MIB, 20 * MIB, 20 * MIB]);
    expect(listSegments(consumer.allocator)[0].blocks[0].block).toBe(record.block);
    program.free(record);
    program.commit();
    expect([consumer.allocated, consumer.reserved]).toEqual([0, 20 * MIB]);
    consumer.resetPeak();
    expect([consumer.peak, consumer.peakReserved]).toEqual([0, 20 * MIB]);
    consumer.allocator.emptyCache();
    expect([consumer.reserved, consumer.peakReserved]).toEqual([0, 20 * MIB]);
  });

  test('storages of 0 bytes', () => {
    const consumer = make(GIB);
    const program = new Program(consumer);
    program.free(program.allocate(0));
    program.commit();
    expect(consumer.reserved).toBe(0);
  });

  test('records are allocated on their streams', () => {
    const consumer = make(GIB);
    const program = new Program(consumer);
    program.allocate(100).stream = 3;
    program.commit();
    expect(listSegments(consumer.allocator).map(({ stream }) => stream)).toEqual([3]);
  });
});

describe('room', () => {
  test('requests within the headroom of an empty device never fail', () => {
    for (const size of [100, 600_000, MIB, 3 * MIB, 6 * MIB, 9.9 * MIB, 10 * MIB, 33 * MIB]) {
      const consumer = make(GIB);
      let left = consumer.headroom;
      const record = new Program(consumer).allocate(1);
      let charged = 0;
      for (; left >= consumer.charge(size); left -= consumer.charge(size)) {
        record.nbytes = size;
        if (!consumer.allocate(record)) throw new Error(`${size} bytes failed after ${charged}`);
        charged += consumer.charge(size);
      }
      expect(charged).toBeGreaterThan(GIB * 0.9);
    }
  });

  test('cached segments count as room, pieces of segments in use in part', () => {
    const consumer = make(GIB);
    const program = new Program(consumer);
    const all = consumer.headroom;
    const records = [900, 100].map((size) => program.allocate(size * MIB));
    program.free(records[0]);
    program.commit();
    expect(consumer.reserved).toBe(1000 * MIB);
    expect(consumer.headroom).toBe(all - 100 * MIB);
    program.allocate(800 * MIB);
    program.commit();
    expect(consumer.headroom).toBe(Math.floor((1024 - 900) * MIB * (1 / 8)));
  });
});

describe('out of memory', () => {
  test('at the operation, in its words, with the holders; the device is usable afterwards', () => {
    const consumer = make(64 * MIB, { capacityNote: 'set by MTIA_MEMORY' });
    const program = new Program(consumer);
    program.allocate(10 * MIB, 'linear');
    const large = program.allocate(30 * MIB, 'conv2d');
    program.allocate(300, 'add');
    program.allocate(2 * MIB, '');
    let error: unknown;
    try {
      program.allocate(40 * MIB - 5, 'matmul');
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect((error as Error).message).toBe(
      'MTIA out of memory. Tried to allocate 40.00 MiB. MTIA 0 has a total capacity of 64.00 MiB ' +
        'of which 2.00 MiB is free. Of the allocated memory 42.00 MiB is allocated by PyTorch, ' +
        'and 20.00 MiB is reserved by PyTorch but unallocated. The request was for 40.00 MiB. ' +
        'The capacity is set by MTIA_MEMORY. The allocation was made by matmul. The largest holders: 30.00 MiB (conv2d), 10.00 MiB (linear), 2.00 MiB.',
    );
    expect(consumer.ooms).toBe(1);
    program.free(large);
    program.commit();
    program.allocate(30 * MIB, 'matmul');
    program.commit();
    expect(consumer.allocated).toBe(42 * MIB + 512);
  });

  test('a fraction limits what is reserved', () => {
    const consumer = make(64 * MIB);
    const program = new Program(consumer);
    expect([consumer.fraction, consumer.allowed]).toEqual([null, 64 * MIB]);
    consumer.fraction = 0.5;
    program.lifetimes.limitsChanged();
    expect([consumer.fraction, consumer.allowed]).toEqual([0.5, 32 * MIB]);
    expect(() => program.allocate(33 * MIB)).toThrow('32.00 MiB allowed; ');
    consumer.fraction = null;
    program.lifetimes.limitsChanged();
    program.allocate(33 * MIB);
    program.commit();
    expect(consumer.allocated).toBe(34 * MIB);
  });

  test('the same program meets it at the same place, whatever was committed when', () => {
    const outcomes = [8, 50, 1000].map((every) => {
      const consumer = make(40 * MIB);
      const program = new Program(consumer);
      const live: StorageRecord[] = [];
      let seed = 11;
      const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
      const failed: string[] = [];
      for (let step = 0; step < 400; step++) {
        try {
          if (random() < 0.6 || live.length === 0)
            live.push(program.allocate(Math.floor(random() * 3 * MIB), `step ${step}`));
          else program.free(live.splice(Math.floor(random() * live.length), 1)[0]);
          if (step % every === 0) program.commit();
        } catch (error) {
          failed.push(/made by (step \d+)/.exec((error as Error).message)![1]);
          break;
        }
      }
      return failed;
    });
    expect(outcomes[0].length).toBe(1);
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[2]).toEqual(outcomes[0]);
  });
});
