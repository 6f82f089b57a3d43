import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ValueError } from '../core/errors.ts';
import torch from '../index.ts';
import type { MemPool } from './mempool.ts';
import type { Tensor } from '../tensor/tensor.ts';

const device = 'mtia';
const { mtia } = torch;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

beforeAll(() => {
  mtia.configure({ executor: 'inline', memory: '16GiB' });
});
afterEach(() => {
  mtia.memory.set_per_process_memory_fraction(1);
  mtia.empty_cache();
  expect(mtia.memory.memory_reserved()).toBe(0);
});

const empty = (mib: number): Tensor => torch.empty(mib * MIB, { dtype: torch.uint8, device });
const inside = (pool: MemPool, mib: number): Tensor => mtia.use_mem_pool(pool, () => empty(mib));
/** At most so many MiB from now on. */
const limit = (mib: number) => mtia.memory.set_per_process_memory_fraction((mib * MIB) / (16 * GIB));

test('T52 ids of pools and handles', () => {
  using a = new mtia.MemPool();
  const ids = [
    a.id,
    mtia.graph_pool_handle(),
    torch.accelerator.generate_graph_pool_handle(),
    new mtia.MemPool().id,
    mtia.graph_pool_handle(),
  ];
  expect(ids.every(([first]) => first === 0)).toBe(true);
  for (let i = 1; i < ids.length; i++) expect(ids[i][1]).toBeGreaterThan(ids[i - 1][1]);
});

test('T53 segments of a pool', () => {
  using pool = new mtia.MemPool();
  using outside = empty(1);
  const kept: Tensor[] = [];
  const counts = [1, 2, 3].map(() => {
    kept.push(inside(pool, 1));
    return pool.snapshot().length;
  });
  expect(counts).toEqual([1, 1, 2]);
  expect(pool.snapshot().every(({ segment_pool_id }) => String(segment_pool_id) === String(pool.id))).toBe(true);
  expect(mtia.memory.memory_snapshot().length).toBe(3);
  for (const x of kept) x.dispose();
  expect(outside.length).toBe(MIB);
});

test('T54 use counts', () => {
  using pool = new mtia.MemPool();
  expect([pool.use_count(), mtia.use_mem_pool(pool, () => pool.use_count()), pool.use_count()]).toEqual([1, 2, 1]);
});

test('T55 a tensor that outlives its pool keeps its memory', () => {
  const make = () => {
    const pool = new mtia.MemPool();
    const x = mtia.use_mem_pool(pool, () => torch.tensor([1, 2], { device }));
    return { x, id: pool.id };
  };
  const { x, id } = make();
  mtia.empty_cache();
  const segments = () => mtia.memory.memory_snapshot(id).length;
  expect(segments()).toBe(1);
  expect(x.tolist()).toEqual([1, 2]);
  x.dispose();
  expect(segments()).toBe(1);
  mtia.empty_cache();
  expect(segments()).toBe(0);
});

test('T56 a pool that helps out', () => {
  limit(80);
  using other = new mtia.MemPool();
  using helper = new mtia.MemPool(null, true);
  const a = inside(other, 40);
  const b = inside(helper, 40);
  const address = b.data_ptr();
  expect(() => empty(40)).toThrow(torch.OutOfMemoryError);
  a.dispose();
  b.dispose();
  const c = empty(30);
  expect(c.data_ptr()).toBe(address);
  expect(() => empty(30)).toThrow(torch.OutOfMemoryError);
  c.dispose();
  const d = inside(helper, 20);
  expect(d.data_ptr()).toBe(address);
  d.dispose();
});

test('T57 a pool that does not split', () => {
  const found = [false, true].map((no_split) => {
    using pool = new mtia.MemPool({ no_split });
    const tensors = [inside(pool, 4), inside(pool, 4)];
    const segments = pool.snapshot();
    for (const x of tensors) x.dispose();
    return segments;
  });
  expect(found.map((list) => list.length)).toEqual([1, 2]);
  expect(found[1].map(({ blocks }) => blocks.length)).toEqual([1, 1]);
});

test('T58 pools that are no more do not help out', () => {
  limit(80);
  const round = () => {
    const pool = new mtia.MemPool({ use_on_oom: true });
    inside(pool, 20).dispose();
  };
  for (let i = 0; i < 10; i++) round();
  const x = empty(60);
  x.dispose();
});

test('T59 blocks around a live one are joined', () => {
  using pool = new mtia.MemPool();
  const tensors = mtia.use_mem_pool(pool, () => Array.from({ length: 11 }, () => torch.empty(128, { device })));
  const middle = tensors[5].data_ptr();
  for (const [at, x] of tensors.entries()) if (at !== 5) x.dispose();
  expect(pool.snapshot()[0].blocks.map(({ address, size, state }) => [address, size, state])).toEqual([
    [middle - 5 * 512, 5 * 512, 'inactive'],
    [middle, 512, 'active_allocated'],
    [middle + 512, 2 * MIB - 6 * 512, 'inactive'],
  ]);
  tensors[5].dispose();
});

test('T60 live blocks of a pool', () => {
  using pool = new mtia.MemPool();
  const tensors = mtia.use_mem_pool(pool, () => [2, 2, 20].map(empty));
  const live = () =>
    pool.snapshot().flatMap(({ blocks }) => blocks.filter(({ state }) => state === 'active_allocated')).length;
  const counts = [live()];
  for (const x of tensors) {
    x.dispose();
    counts.push(live());
  }
  expect(counts).toEqual([3, 2, 1, 0]);
});

describe('beyond PyTorch’s tests', () => {
  test('freed memory of a pool serves that pool alone', () => {
    using pool = new mtia.MemPool();
    const a = inside(pool, 4);
    const address = a.data_ptr();
    a.dispose();
    const outside = empty(4);
    expect(outside.data_ptr()).not.toBe(address);
    const b = inside(pool, 4);
    expect(b.data_ptr()).toBe(address);
    for (const x of [outside, b]) x.dispose();
  });

  test('what was freed inside goes before the end, also if it was only dropped', () => {
    using pool = new mtia.MemPool();
    const use = () => mtia.use_mem_pool(pool, () => void empty(4));
    use();
    use();
    expect(pool.snapshot().map(({ total_size }) => total_size)).toEqual([20 * MIB]);
  });

  test('dispose gives the segments back, again does nothing', () => {
    const pool = new mtia.MemPool();
    inside(pool, 4).dispose();
    expect(mtia.memory.memory_reserved()).toBe(20 * MIB);
    pool.dispose();
    pool.dispose();
    expect(mtia.memory.memory_reserved()).toBe(0);
    expect(pool.use_count()).toBe(0);
    expect(() => inside(pool, 1)).toThrow('This MemPool was disposed of.');
  });

  test('a graph shares a pool', () => {
    using pool = new mtia.MemPool();
    const g = new mtia.MTIAGraph();
    const y = mtia.graph(g, { pool: pool.id }, () => torch.ones(3, { device }));
    expect([pool.use_count(), pool.snapshot().length]).toEqual([2, 1]);
    g.replay();
    expect(y.tolist()).toEqual([1, 1, 1]);
    g.reset();
    y.dispose();
  });

  test('nested pools: the innermost takes', () => {
    using outer = new mtia.MemPool();
    using inner = new mtia.MemPool();
    const [a, b] = mtia.use_mem_pool(outer, () => [empty(1), inside(inner, 1)]);
    expect([outer.snapshot().length, inner.snapshot().length]).toEqual([1, 1]);
    for (const x of [a, b]) x.dispose();
    expect(() => mtia.use_mem_pool(outer, () => inside(outer, 1))).toThrow('already recording to mempool_id');
  });

  test('with using', () => {
    using pool = new mtia.MemPool();
    const guard = mtia.use_mem_pool(pool);
    const x = empty(1);
    guard.exit();
    const y = empty(1);
    expect(pool.snapshot().length).toBe(1);
    for (const z of [x, y]) z.dispose();
  });

  test('wrong arguments', () => {
    expect(() => new mtia.MemPool({ no_splits: true } as object)).toThrow(
      "MemPool.__init__() got an unexpected keyword argument 'no_splits'",
    );
    expect(() => new mtia.MemPool(null, 3 as unknown as boolean)).toThrow(TypeError);
    expect(() => new mtia.MemPool({ allocator: 1 } as object)).toThrow(/allocator of its own is not implemented/);
    expect(() => mtia.use_mem_pool({} as MemPool, () => {})).toThrow(TypeError);
    using pool = new mtia.MemPool();
    expect(() => mtia.use_mem_pool(pool, 7, () => {})).toThrow(/invalid device ordinal 7/);
    expect(() => mtia.use_mem_pool(pool, 'cpu', () => {})).toThrow(ValueError);
  });
});
