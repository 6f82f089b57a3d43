import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import torch from '../index.ts';

const { BatchSampler, ConcatDataset, DataLoader, Dataset, default_collate, RandomSampler, random_split } =
  torch.utils.data;
const { IterableDataset, SubsetRandomSampler, TensorDataset } = torch.utils.data;
const recorded = JSON.parse(readFileSync(new URL('../../tests/fixtures/data.json', import.meta.url), 'utf8'))
  .cases as Record<string, unknown>;

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const batches = (loader: Iterable<readonly { tolist(): unknown }[]>) => Array.from(loader, (b) => b[0].tolist());
const expectRecorded = (name: string, value: unknown) => expect(value, name).toEqual(recorded[name]);

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
    expect(bad({ num_workers: 2 })).toThrow('num_workers: 0');
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
