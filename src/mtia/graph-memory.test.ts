/** What graphs keep, and for how long: backing store, storages that replays need, pools of the allocator. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createdBackend } from '../devices/registry.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';

const device = 'mtia';
const { mtia } = torch;
const MIB = 1024 ** 2;

beforeAll(() => {
  mtia.configure({ executor: 'inline' });
});

/** Bytes of backing store in use, after a sweep. */
const inUse = (): number => {
  mtia.memory_allocated();
  return createdBackend(0)!.memory.inUse;
};
/** In a function of its own, which leaves nothing behind. */
const sumOf = (x: Tensor): number => x.sum().item() as number;
/** Segments of a pool. */
const segmentsOf = (pool: readonly number[]) => mtia.memory.memory_snapshot(pool as [number, number]);

let before = 0;
afterEach(() => {
  // Nothing leaks from one test to the next.
  mtia.empty_cache();
  if (before === 0) before = inUse();
  expect(inUse()).toBe(before);
  expect(mtia.memory_allocated()).toBe(0);
  expect(mtia.memory.memory_reserved()).toBe(0);
});

test('a first use, after which nothing is left', () => {
  torch.rand(1, { device });
});

/** Captures `fn` and gives the graph with what `fn` gave. */
function captured<T>(fn: () => T, options: { pool?: [number, number] } = {}): [torch: typeof g, value: T] {
  const g = new mtia.MTIAGraph();
  let value!: T;
  mtia.graph(g, options, () => {
    value = fn();
  });
  return [g, value];
}

describe('the allocator', () => {
  test('T65 a capture allocates from a private pool, whose segments go with the graph', () => {
    const x = torch.zeros(1000, { device });
    const run = () => {
      const [g, y] = captured(() => x.add(1).mul(2));
      const pool = g.pool();
      expect([pool[0] > 0, pool[1]]).toEqual([true, 0]);
      const [segment, ...others] = segmentsOf(pool);
      expect([segment.segment_type, others.length]).toEqual(['small', 0]);
      // What the capture freed may be used again in it.
      expect(segment.blocks.map(({ state }) => state)).toEqual(['inactive', 'active_allocated', 'inactive']);
      expect(mtia.memory_allocated()).toBe(2 * 4096);
      y.dispose();
      mtia.empty_cache();
      // The graph may be replayed: its pool keeps its memory.
      expect(segmentsOf(pool).length).toBe(1);
      g.replay();
      return pool;
    };
    const pool = run();
    mtia.empty_cache();
    expect(segmentsOf(pool)).toEqual([]);
    expect(mtia.memory.memory_reserved()).toBe(2 * MIB);
    x.dispose();
  });

  test('reset gives the pool up, and tensors keep their blocks of it', () => {
    using x = torch.zeros(1000, { device });
    const [g, y] = captured(() => x.add(1));
    g.replay();
    const pool = g.pool();
    g.reset();
    mtia.empty_cache();
    expect(segmentsOf(pool).length).toBe(1);
    expect(sumOf(y)).toBe(1000);
    y.dispose();
    mtia.empty_cache();
    expect(segmentsOf(pool)).toEqual([]);
  });

  test('what is allocated outside, or on other streams, stays outside', () => {
    const side = new torch.Stream(device);
    const g = new mtia.MTIAGraph();
    const kept: Tensor[] = [];
    mtia.graph(g, () => {
      kept.push(torch.empty(3 * MIB, { device }));
      mtia.stream(side, () => void kept.push(torch.empty(5 * MIB, { device })));
    });
    kept.push(torch.empty(7 * MIB, { device }));
    const found = mtia.memory.memory_snapshot().map((s) => [s.segment_pool_id[0] > 0, s.total_size / MIB, s.stream]);
    expect(found.sort()).toEqual([
      [false, 20, side.stream_id],
      [false, 28, 0],
      [true, 12, 0],
    ]);
    g.reset();
    for (const x of kept) x.dispose();
  });

  test('graphs share a pool', () => {
    using x = torch.zeros(1000, { device });
    const pool = mtia.graph_pool_handle();
    const [first, a] = captured(() => x.add(1), { pool });
    const [second, b] = captured(() => a.mul(2), { pool });
    expect([first.pool(), second.pool()]).toEqual([pool, pool]);
    expect(segmentsOf(pool).length).toBe(1);
    first.replay();
    second.replay();
    expect(sumOf(b)).toBe(2000);
    const [third, c] = captured(() => b.add(1), { pool: second.pool() });
    first.reset();
    second.replay();
    third.replay();
    expect(sumOf(c)).toBe(3000);
    second.reset();
    third.reset();
    for (const y of [a, b, c]) y.dispose();
  });

  test('what a pool keeps is missing elsewhere, and the operation that finds no room says so', () => {
    mtia.memory.set_per_process_memory_fraction((64 * MIB) / mtia.memory.mem_get_info()[1]);
    const fill = (mib: number) => torch.empty(mib * MIB, { dtype: torch.uint8, device });
    const [g] = captured(() => fill(40).dispose());
    expect(() => fill(40)).toThrow(/ out of memory\. Tried to allocate 40.00 MiB/);
    fill(22).dispose();
    g.reset();
    fill(60).dispose();
    // A capture cannot have what is cached outside.
    const other = new mtia.MTIAGraph();
    other.capture_begin([0, 0]);
    expect(() => fill(10)).toThrow(/ out of memory\. Tried to allocate 10.00 MiB/);
    other.capture_end();
    other.reset();
    mtia.memory.set_per_process_memory_fraction(1);
  });

  test('a figure is the same whether the pool of a dead graph was found early or late', () => {
    const peaks = [false, true].map((early) => {
      mtia.memory.reset_peak_memory_stats();
      using x = torch.zeros(1000, { device });
      const make = () => void captured(() => x.add(1).mul(2));
      make();
      // A sweep that is no commit point.
      if (early) for (let i = 0; i < 3; i++) createdBackend(0)!.onPressure!(0);
      torch.ones(1000, { device }).dispose();
      mtia.empty_cache();
      return [mtia.max_memory_allocated(), mtia.memory.max_memory_reserved(), mtia.memory.memory_reserved()];
    });
    expect(peaks[1]).toEqual(peaks[0]);
  });
});

describe('backing store', () => {
  test('a capture uses what it has freed again, and nobody else does until reset', () => {
    using x = torch.ones(MIB, { device });
    const start = inUse();
    const chain = (): Tensor => {
      let y = x.add(1);
      for (let i = 0; i < 20; i++) {
        const next = y.add(1);
        y.dispose();
        y = next;
      }
      return y;
    };
    const [g, y] = captured(chain);
    // Two at a time, and not 21.
    expect(inUse() - start).toBe(2 * 4 * MIB);
    y.dispose();
    expect(inUse() - start).toBe(2 * 4 * MIB);
    // Others' memory is not written to by replays.
    const other = Array.from({ length: 4 }, () => torch.zeros(MIB, { device }));
    g.replay();
    for (const z of other) {
      expect(sumOf(z)).toBe(0);
      z.dispose();
    }
    g.reset();
    expect(inUse()).toBe(start);
  });

  test('a tensor outlives the graph with its bytes', () => {
    using x = torch.ones(1000, { device });
    const [g, y] = captured(() => x.add(1));
    g.replay();
    g.reset();
    const others = Array.from({ length: 20 }, () => torch.zeros(1000, { device }));
    expect(sumOf(y)).toBe(2000);
    for (const other of others) other.dispose();
    y.dispose();
  });

  test('a graph that nobody refers to gives everything back', () => {
    const start = inUse();
    const make = () => {
      const x = torch.ones(1000, { device });
      const [g] = captured(() => x.add(1).mul(2));
      g.replay();
      // The capture, its input and its output.
      expect(inUse()).toBeGreaterThan(start);
    };
    for (let i = 0; i < 3; i++) make();
    // The youngest storage of all is looked at only once there is a younger one.
    torch.empty(1, { device }).dispose();
    expect(inUse()).toBe(start);
  });

  test('inputs are held while the graph is there, whatever becomes of their tensors', () => {
    const make = () => {
      const x = torch.ones(1000, { device });
      const [g, y] = captured(() => x.add(1));
      x.dispose();
      return { g, y };
    };
    const { g, y } = make();
    expect(mtia.memory_allocated()).toBe(2 * 4096);
    const others = Array.from({ length: 20 }, () => torch.zeros(1000, { device }));
    g.replay();
    expect(sumOf(y)).toBe(2000);
    for (const other of others) other.dispose();
    g.reset();
    expect(mtia.memory_allocated()).toBe(4096);
    y.dispose();
  });

  test('scratch memory of kernels is the graph’s', () => {
    using a = torch.ones([300, 500], { device });
    using b = torch.ones([500, 200], { device });
    const start = inUse();
    const [g, y] = captured(() => a.matmul(b));
    expect(inUse() - start).toBeGreaterThan(4 * 300 * 200);
    const noise = Array.from({ length: 10 }, () => torch.zeros([500, 500], { device }));
    g.replay();
    expect(sumOf(y)).toBe(300 * 500 * 200);
    for (const z of noise) {
      expect(sumOf(z)).toBe(0);
      z.dispose();
    }
    g.reset();
    y.dispose();
    expect(inUse()).toBe(start);
  });

  test('memory stays flat over 2,000 replays', () => {
    using x = torch.ones(1000, { device });
    const [g, y] = captured(() => x.mul(1.5).add(1).sum());
    const [bytes, allocated, { memory }] = [inUse(), mtia.memory_allocated(), createdBackend(0)!];
    const heap = process.memoryUsage().heapUsed;
    const { sequence } = createdBackend(0)!;
    for (let i = 0; i < 2000; i++) g.replay();
    expect(y.item()).toBe(2500);
    expect([memory.inUse, inUse(), mtia.memory_allocated()]).toEqual([bytes, bytes, allocated]);
    expect(createdBackend(0)!.sequence - sequence).toBeGreaterThanOrEqual(3 * 2000);
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(8 * MIB);
    g.reset();
    y.dispose();
  });

  test('captures over and over', () => {
    using x = torch.ones(1000, { device });
    const g = new mtia.MTIAGraph();
    const round = () => {
      const y = mtia.graph(g, () => x.add(1));
      g.replay();
      expect(sumOf(y)).toBe(2000);
      g.reset();
    };
    round();
    const start = inUse();
    for (let i = 0; i < 5; i++) round();
    expect(inUse()).toBe(start);
  });
});

test('the device is configured again: graphs of before say so', () => {
  const g = new mtia.MTIAGraph();
  const make = () => {
    mtia.graph(g, () => torch.zeros(4, { device }));
  };
  make();
  g.replay();
  mtia.configure({ executor: 'inline' });
  expect(() => g.replay()).toThrow(
    'Called MTIAGraph::replay after torch.mtia.configure: the device that the graph was captured on is gone. Capture it again.',
  );
  g.reset();
  make();
  g.replay();
  g.reset();
  before = 0;
});
