import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import torch from '../index.ts';

const { BatchSampler, ConcatDataset, DataLoader, Dataset, default_collate, RandomSampler, random_split } =
  torch.utils.data;
const { IterableDataset, SubsetRandomSampler, TensorDataset, WeightedRandomSampler } = torch.utils.data;
const { ChainDataset, default_convert, DistributedSampler, StackDataset } = torch.utils.data;
const recorded = JSON.parse(readFileSync(new URL('../../tests/fixtures/data.json', import.meta.url), 'utf8'))
  .cases as Record<string, unknown>;

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const batches = (loader: Iterable<readonly { tolist(): unknown }[]>) => Array.from(loader, (b) => b[0].tolist());
const expectRecorded = (name: string, value: unknown) => expect(value, name).toEqual(recorded[name]);

class Counting extends IterableDataset<number> {
  constructor(readonly count: number) {
    super();
  }
  *[Symbol.iterator](): Iterator<number> {
    yield* range(this.count);
  }
}

describe('the order is PyTorch’s', () => {
  const data = new TensorDataset(torch.arange(23));

  test('shuffled epochs, and where the default generator stands afterwards', () => {
    torch.manual_seed(7);
    expectRecorded('two shuffled epochs', [
      batches(new DataLoader(data, { batch_size: 5, shuffle: true })),
      batches(new DataLoader(data, { batch_size: 5, shuffle: true })),
    ]);
    expectRecorded('the generator afterwards', torch.rand(3, { dtype: torch.float64 }).tolist());
  });

  test('a generator of one’s own, drop_last', () => {
    const generator = new torch.Generator().manual_seed(3);
    const loader = new DataLoader(data, { batch_size: 4, shuffle: true, drop_last: true, generator });
    expect(loader.length).toBe(5);
    expectRecorded('own generator, drop_last', [batches(loader), batches(loader)]);
  });

  test('in order', () => {
    torch.manual_seed(1);
    expectRecorded('in order', batches(new DataLoader(data, { batch_size: 10 })));
    expectRecorded('after in order', torch.rand(2, { dtype: torch.float64 }).tolist());
  });

  test('samplers and random_split', () => {
    const generator = new torch.Generator().manual_seed(5);
    expectRecorded('replacement', [...new RandomSampler(range(9), { replacement: true, num_samples: 40, generator })]);
    torch.manual_seed(2);
    expectRecorded('more samples than there are', [...new RandomSampler(range(6), { num_samples: 15 })]);
    expectRecorded('subset', [...new SubsetRandomSampler([2, 3, 5, 7, 11])]);
    torch.manual_seed(4);
    expectRecorded(
      'random_split',
      random_split(range(17), [10, 4, 3]).map((part) => part.indices),
    );
    expectRecorded(
      'random_split by fractions',
      random_split(range(17), [0.5, 0.3, 0.2]).map((part) => part.indices),
    );
  });
});

describe('samplers', () => {
  test('by weights', () => {
    torch.manual_seed(6);
    const weights = [0.1, 3, 0.4, 0.7, 2];
    expectRecorded('weighted', [...new WeightedRandomSampler(weights, 12)]);
    expectRecorded('weighted, each once', [...new WeightedRandomSampler(weights, 4, { replacement: false })]);
    const generator = new torch.Generator().manual_seed(1);
    expectRecorded('weighted, own generator', [...new WeightedRandomSampler(torch.tensor([1, 2]), 9, true, generator)]);
    expect(new WeightedRandomSampler(weights, 12).length).toBe(12);
    expect(() => new WeightedRandomSampler(weights, 0)).toThrow(
      'num_samples should be a positive integer value, but got num_samples=0',
    );
    expect(() => new WeightedRandomSampler([weights] as never, 1)).toThrow(
      'weights should be a 1d sequence but given weights have shape (1, 5)',
    );
    expect(() => [...new WeightedRandomSampler(weights, 6, false)]).toThrow(
      'cannot sample n_sample > prob_dist.size(-1) samples without replacement',
    );
  });

  test('for one of several processes', () => {
    for (const [name, epochs] of Object.entries(recorded['distributed'] as Record<string, number[][]>)) {
      const [rank, options] = [Number(name[0]), JSON.parse(name.slice(2)) as object];
      const sampler = new DistributedSampler(range(11), { num_replicas: 3, rank, ...options });
      for (const [epoch, order] of epochs.entries()) {
        sampler.set_epoch(epoch);
        expect([...sampler], name).toEqual(order);
        expect(sampler.length).toBe(order.length);
      }
    }
    expectRecorded(
      'distributed, few samples',
      range(7).map((rank) => [...new DistributedSampler(range(2), 7, rank)]),
    );
    expect(() => new DistributedSampler(range(3))).toThrow('Requires distributed package to be available');
    expect(() => new DistributedSampler(range(3), 2, 2)).toThrow(
      'Invalid rank 2, rank should be in the interval [0, 1]',
    );
  });

  test('by position and by name', () => {
    expect([...new BatchSampler([1, 2, 3], { batch_size: 2, drop_last: true })]).toEqual([[1, 2]]);
    expect(() => new BatchSampler([1], 2, 1 as never)).toThrow(
      'drop_last should be a boolean value, but got drop_last=1',
    );
    expect(() => new RandomSampler(range(3), { replacement: 1 as never })).toThrow(
      'replacement should be a boolean value, but got replacement=1',
    );
    expect(() => new RandomSampler(range(3), { samples: 3 } as never)).toThrow(
      "RandomSampler.__init__() got an unexpected keyword argument 'samples'",
    );
    expect(new RandomSampler(range(3), true, 7).length).toBe(7);
  });
});

describe('datasets', () => {
  test('stacked, in an array or an object', () => {
    const both = new StackDataset([1, 2], ['a', 'b']);
    expect([both.length, both.at(1)]).toEqual([2, [2, 'b']]);
    const named = new StackDataset({ image: [1, 2], text: ['a', 'b'] });
    const sample: { image: number; text: string } = named.at(0);
    expect(sample).toEqual({ image: 1, text: 'a' });
    const [batch] = new DataLoader(named, { batch_size: 2 });
    expect([batch.image.tolist(), batch.text]).toEqual([
      [1, 2],
      ['a', 'b'],
    ]);
    expect(() => new StackDataset()).toThrow('At least one dataset should be passed');
    expect(() => new StackDataset([1], [1, 2])).toThrow('Size mismatch between datasets');
    expect(() => new (StackDataset as unknown as new (...d: unknown[]) => unknown)([1], { a: [1] })).toThrow(
      'but both types are given',
    );
  });

  test('chained, and one behind the other', () => {
    expect([...new ChainDataset([new Counting(2), new Counting(3)])]).toEqual([0, 1, 0, 1, 2]);
    expect([...new Counting(1).add(new Counting(2))]).toEqual([0, 0, 1]);
    expect(() => new ChainDataset([new Counting(2)]).length).toThrow("object of type 'Counting' has no len()");
    expect(() => [...new ChainDataset([[1] as never])]).toThrow('ChainDataset only supports IterableDataset');
    expect(() => new ConcatDataset([new Counting(2) as never])).toThrow(
      'ConcatDataset does not support IterableDataset',
    );
    expect(() => new ConcatDataset([[1]]).at(1)).toThrow('list index out of range');
    expect(() => new ConcatDataset([[1]]).at(-2)).toThrow('absolute value of index should not exceed dataset length');
    const two = new TensorDataset(torch.arange(2));
    expect(two.add(two).length).toBe(4);
  });

  test('a tensor is one', () => {
    const x = torch.arange(6).view(3, 2);
    expect(Array.from(new DataLoader(x, { batch_size: 2 }), (b) => b.tolist())).toEqual([
      [
        [0, 1],
        [2, 3],
      ],
      [[4, 5]],
    ]);
    torch.manual_seed(0);
    expect([...new DataLoader(x, { shuffle: true })].length).toBe(3);
  });

  test('fractions that leave a split empty', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    expect(random_split(range(1), [0.5, 0.5]).map((part) => part.length)).toEqual([1, 0]);
    expect((warned.mock.calls[0][0] as Error).message).toBe(
      'Length of split at index 1 is 0. This might result in an empty dataset.',
    );
    vi.restoreAllMocks();
    expect(() => random_split(range(10), [0.5, -0.5, 1])).toThrow('Fraction at index 1 is not between 0 and 1');
    expect(() => random_split(range(10), [5, 4])).toThrow(
      'Sum of input lengths does not equal the length of the input dataset!',
    );
  });
});

describe('collation', () => {
  test('maps and named tuples', () => {
    const batch = default_collate([new Map([['a', 1]]), new Map([['a', 2]])]) as unknown as Map<
      string,
      { tolist(): unknown }
    >;
    expect(batch.get('a')!.tolist()).toEqual([1, 2]);
    const best = [0, 1].map((i) => torch.tensor([[1, i * 2, 3]]).max(1));
    const together = default_collate(best) as unknown as {
      values: { tolist(): unknown };
      indices: { tolist(): unknown };
    };
    expect([together.values.tolist(), together.indices.tolist()]).toEqual([
      [[3], [3]],
      [[2], [2]],
    ]);
  });

  test('samples that do not go together', () => {
    expect(() => default_collate([{ a: 1 }, { b: 2 }])).toThrow("'a'");
    expect(() => default_collate([null, null])).toThrow(
      "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'NoneType'>",
    );
    expect(() => default_collate([[1, 2], [3]])).toThrow('each element in list of batch should be of equal size');
    expect(() => default_collate([{ a: 1 }, 3 as never])).toThrow("'int' object is not subscriptable");
  });

  test('default_convert makes tensors of typed arrays only', () => {
    const made = default_convert([1, 'a', { b: new Float64Array([1, 2]) }, new Map([['c', new Int32Array([3])]])]) as [
      number,
      string,
      { b: { dtype: unknown } },
      Map<string, { tolist(): unknown }>,
    ];
    expect(made.slice(0, 2)).toEqual([1, 'a']);
    expect(made[2].b.dtype).toBe(torch.float64);
    expect(made[3].get('c')!.tolist()).toEqual([3]);
    const [row] = new DataLoader([new Float32Array([1, 2])], { batch_size: null });
    expect((row as unknown as { tolist(): unknown }).tolist()).toEqual([1, 2]);
  });
});

describe('what workers are for', () => {
  test('without a module this thread loads, and says so once', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const loaders = [0, 1].map(() => new DataLoader(range(5), { batch_size: 2, num_workers: 3 }));
    expect(loaders.map((loader) => Array.from(loader, (b) => b.tolist()))).toEqual([
      [[0, 1], [2, 3], [4]],
      [[0, 1], [2, 3], [4]],
    ]);
    expect(loaders[0].prefetch_factor).toBe(2);
    expect(warned).toHaveBeenCalledTimes(1);
    expect((warned.mock.calls[0][0] as Error).message).toContain(
      'this thread loads the samples. For workers say which module',
    );
    expect(torch.utils.data.get_worker_info()).toBeNull();
    vi.restoreAllMocks();
    expect(
      () => new DataLoader(range(3), { num_workers: 1, workerModule: 'file:///x.js', worker_init_fn: () => {} }),
    ).toThrow('cannot be sent to a worker: export it from the workerModule');
  });

  test('an iterable dataset that gives more than it said', () => {
    class Wrong extends Counting {
      readonly length = 2;
    }
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const loader = new DataLoader(new Wrong(3));
    expect(loader.length).toBe(2);
    expect([...loader].length).toBe(3);
    expect((warned.mock.calls[0][0] as Error).message).toBe(
      'Length of IterableDataset Wrong was reported to be 2(when accessing len(dataloader)), but 3 samples have been fetched. ',
    );
    vi.restoreAllMocks();
  });
});

describe('batches', () => {
  beforeEach(() => {
    torch.manual_seed(0);
  });

  test('a TensorDataset’s batches are what stacking its samples gives', () => {
    const data = new TensorDataset(torch.randn(7, 2, 3), torch.arange(7));
    const [whole] = new DataLoader(data, { batch_size: 7 });
    const stacked = default_collate(range(7).map((i) => data.at(i)));
    expect(torch.equal(whole[0], stacked[0])).toBe(true);
    expect(torch.equal(whole[1], stacked[1])).toBe(true);
    expect(new DataLoader(data, { batch_size: 3 }).length).toBe(3);
  });

  test('a dataset of one’s own, of objects', () => {
    class Squares extends Dataset<{ x: number; label: bigint; name: string }> {
      readonly length = 5;
      at(i: number) {
        return { x: i * i, label: BigInt(i), name: `n${i}` };
      }
    }
    const [first, last] = [...new DataLoader(new Squares(), { batch_size: 3 })];
    expect(first.x.tolist()).toEqual([0, 1, 4]);
    expect(first.x.dtype).toBe(torch.float32);
    expect(first.label.dtype).toBe(torch.int64);
    expect(last.name).toEqual(['n3', 'n4']);
  });

  test('arrays are datasets; batch_size null gives samples; collate_fn replaces collation', () => {
    expect([...new DataLoader([1.5, 2.5], { batch_size: null })]).toEqual([1.5, 2.5]);
    const loader = new DataLoader([1, 2, 3], { batch_size: 2, collate_fn: (samples: number[]) => samples.join() });
    expect([...loader]).toEqual(['1,2', '3']);
  });

  test('an iterable dataset, a batch_sampler, a concatenation', () => {
    const stream = {
      *[Symbol.iterator]() {
        yield* [1.5, 2.5, 3.5];
      },
    };
    expect(Array.from(new DataLoader(stream, { batch_size: 2 }), (b) => b.tolist())).toEqual([[1.5, 2.5], [3.5]]);
    const sampler = new BatchSampler([3, 1, 2], 2, false);
    const both = new ConcatDataset([
      [0, 1],
      [2, 3],
    ]);
    expect(Array.from(new DataLoader(both, { batch_sampler: sampler }), (b) => b.tolist())).toEqual([[3, 1], [2]]);
    expect(both.at(-1)).toBe(3);
  });

  test('mistakes', () => {
    const data = new TensorDataset(torch.zeros(4));
    const bad = (options: object) => () => new DataLoader(data, options);
    expect(bad({ batchsize: 2 })).toThrow("DataLoader.__init__() got an unexpected keyword argument 'batchsize'");
    expect(bad({ batch_size: 0 })).toThrow('batch_size should be a positive integer value, but got batch_size=0');
    expect(bad({ shuffle: true, sampler: [0] })).toThrow('sampler option is mutually exclusive with shuffle');
    expect(bad({ batch_size: null, drop_last: true })).toThrow('batch_size=None option disables auto-batching');
    expect(bad({ num_workers: -1 })).toThrow('num_workers option should be non-negative');
    expect(bad({ prefetch_factor: 2 })).toThrow('prefetch_factor option could only be specified in multiprocessing.');
    expect(bad({ num_workers: 2, prefetch_factor: -1 })).toThrow('prefetch_factor option should be non-negative');
    expect(bad({ timeout: -1 })).toThrow('timeout option should be non-negative');
    expect(bad({ persistent_workers: true })).toThrow('persistent_workers option needs num_workers > 0');
    expect(bad({ multiprocessing_context: 'spawn' })).toThrow(
      'multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=0',
    );
    expect(bad({ num_workers: 1, multiprocessing_context: 'fork' })).toThrow(
      "should specify a valid start method in ['spawn'], but got multiprocessing_context='fork'",
    );
    expect(bad({ batch_sampler: [[0]], batch_size: 2 })).toThrow('batch_sampler option is mutually exclusive with');
    expect(bad({ shuffle: true, batch_size: -1 })).toThrow('batch_size should be a positive integer value');
    expect(() => new DataLoader([], { shuffle: true })).toThrow(
      'num_samples should be a positive integer value, but got num_samples=0',
    );
    expect(() => new DataLoader(3 as never)).toThrow(
      'a dataset has length and at(index), or can be iterated over; got int',
    );
    expect(() => new (DataLoader as unknown as new () => unknown)()).toThrow(
      "DataLoader.__init__() missing 1 required positional argument: 'dataset'",
    );
    const loader = new DataLoader(data) as { batch_size: unknown };
    expect(() => {
      loader.batch_size = 3;
    }).toThrow('batch_size attribute should not be set after DataLoader is initialized');
    const stream = new Counting(3);
    const badStream = (options: object) => () => new DataLoader(stream, options);
    expect(badStream({ shuffle: true })).toThrow(
      'DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle=True',
    );
    expect(badStream({ sampler: [1] })).toThrow('expected unspecified sampler option, but got sampler=[1]');
    expect(badStream({ batch_sampler: [[1]] })).toThrow(
      'unspecified batch_sampler option, but got batch_sampler=[(1,)]',
    );
    expect(() => new DataLoader(stream).length).toThrow("object of type 'Counting' has no len()");
    expect(() => new TensorDataset(torch.zeros(4), torch.zeros(3))).toThrow('Size mismatch between tensors');
    expect(() => [...new DataLoader([torch.zeros(2), torch.zeros(3)], { batch_size: 2 })]).toThrow(
      'stack expects each tensor to be equal size',
    );
  });
});

test('batch_size and shuffle by position', () => {
  const ten = Array.from({ length: 10 }, (_, i) => i);
  expect([...new DataLoader(ten, 4)].map((batch) => batch.tolist())).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ]);
  expect([...new DataLoader(ten, 4, false, { drop_last: true })].length).toBe(2);
  torch.manual_seed(3);
  const first = [...new DataLoader(ten, 10, true)][0].tolist();
  torch.manual_seed(3);
  expect([...new DataLoader(ten, { batch_size: 10, shuffle: true })][0].tolist()).toEqual(first);
  expect(() => new DataLoader(ten, 4, { batch_size: 2 } as object)).toThrow(
    "DataLoader.__init__() got multiple values for argument 'batch_size'",
  );
});

test('a dataset that is only gone through', () => {
  class Squares extends IterableDataset<number> {
    *[Symbol.iterator](): Iterator<number> {
      for (let i = 0; i < 5; i++) yield i * i;
    }
  }
  expect([...new DataLoader(new Squares(), 2)].map((batch) => batch.tolist())).toEqual([[0, 1], [4, 9], [16]]);
});

test('a TensorDataset that reads samples in its own way', () => {
  class Doubled extends TensorDataset<[InstanceType<typeof torch.Tensor>]> {
    override at(index: number): [InstanceType<typeof torch.Tensor>] {
      return [super.at(index)[0].mul(2)];
    }
  }
  const doubled = new Doubled(torch.tensor([1, 2, 3]));
  expect(Array.from(new DataLoader(doubled, 3), ([x]) => x.tolist())).toEqual([[2, 4, 6]]);
});

test('a dataset that does not say what its samples are', () => {
  class Without extends (Dataset as unknown as new () => { at(index: number): unknown }) {}
  expect(() => new Without().at(0)).toThrow(
    'Subclasses of Dataset should implement __getitem__. Here that is at(index).',
  );
});

test('random_split takes its generator by position, too', () => {
  const seeded = () => new torch.Generator().manual_seed(0);
  for (const given of [seeded(), { generator: seeded() }]) {
    expect(random_split(range(5), [3, 2], given).map(({ indices }) => indices)).toEqual([
      [4, 0, 1],
      [3, 2],
    ]);
  }
});
