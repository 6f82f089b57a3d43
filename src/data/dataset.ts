/**
 * Datasets: anything with `length` and `at(index)`, Python's `__len__` and `__getitem__`. An array is one.
 */
import { typeName } from '../tensor/type-name.ts';
import { int64 } from '../core/dtype.ts';
import { AssertionError, IndexError, NotImplementedError, ValueError } from '../core/errors.ts';
import { isOptions, Signature } from '../core/signature.ts';
import { warn } from '../core/warn.ts';
import type { Generator } from '../ops/generator.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { permutation } from './sampler.ts';

/** What a map-style dataset must have. */
export interface MapDataset<T> {
  readonly length: number;
  at(index: number): T | undefined;
}

/** `torch.utils.data.Dataset`: the base of datasets that one writes oneself. */
export abstract class Dataset<T> implements MapDataset<T> {
  /** Number of samples: Python's `__len__`. */
  abstract readonly length: number;
  /** The sample at a position: Python's `__getitem__`. */
  abstract at(index: number): T;

  static {
    // A class written in JavaScript may have forgotten it. No method here: a subclass need not say `override`.
    Object.defineProperty(Dataset.prototype, 'at', {
      value: () => {
        throw new NotImplementedError('Subclasses of Dataset should implement __getitem__. Here that is at(index).');
      },
      writable: true,
      configurable: true,
    });
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  /** This one and another behind it: Python's `+`. */
  add<U>(other: MapDataset<U>): ConcatDataset<T | U> {
    return new ConcatDataset<T | U>([this, other]);
  }
}

/** `torch.utils.data.IterableDataset`: the base of datasets that are only gone through, in their own order. */
export abstract class IterableDataset<T> implements Iterable<T> {
  abstract [Symbol.iterator](): Iterator<T>;

  /** This one and another behind it: Python's `+`. */
  add<U>(other: IterableDataset<U>): ChainDataset<T | U> {
    return new ChainDataset<T | U>([this, other]);
  }
}

/** `torch.utils.data.ChainDataset(datasets)`: what is only gone through, one after the other. */
export class ChainDataset<T> extends IterableDataset<T> {
  constructor(readonly datasets: Iterable<IterableDataset<T>>) {
    super();
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const dataset of this.datasets) {
      needIterable(dataset);
      yield* dataset;
    }
  }

  /** @throws TypeError if one of them has no length */
  get length(): number {
    let total = 0;
    for (const dataset of this.datasets) {
      needIterable(dataset);
      total += lengthOf(dataset);
    }
    return total;
  }
}

function needIterable(dataset: unknown): void {
  if (!(dataset instanceof IterableDataset)) throw new AssertionError('ChainDataset only supports IterableDataset');
}

/** @throws TypeError, Python's */
function lengthOf(dataset: unknown): number {
  const length = (dataset as Partial<MapDataset<unknown>> | null | undefined)?.length;
  if (typeof length !== 'number') throw new TypeError(`object of type '${typeName(dataset)}' has no len()`);
  return length;
}

/** What a StackDataset of these datasets gives. */
type Stacked<D> = { -readonly [K in keyof D]: D[K] extends MapDataset<infer T> ? T : never };

type StackParts = readonly MapDataset<unknown>[] | Readonly<Record<string, MapDataset<unknown>>>;

class Stack<D extends StackParts> extends Dataset<Stacked<D>> {
  readonly datasets: D;
  readonly length: number;

  /** @throws ValueError if their lengths differ, or there are none */
  constructor(...given: readonly unknown[]) {
    super();
    const named = given.length > 0 && isOptions(given[given.length - 1]);
    if (named && given.length > 1) {
      throw new ValueError(
        'Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types are given.',
      );
    }
    this.datasets = (named ? given[0] : given) as D;
    const list = Object.values(this.datasets as object);
    if (list.length === 0) throw new ValueError('At least one dataset should be passed');
    this.length = lengthOf(list[0]);
    if (list.some((dataset) => lengthOf(dataset) !== this.length)) {
      throw new ValueError('Size mismatch between datasets');
    }
  }

  at(index: number): Stacked<D> {
    const datasets = this.datasets as readonly MapDataset<unknown>[] | Record<string, MapDataset<unknown>>;
    if (Array.isArray(datasets)) return datasets.map((dataset) => dataset.at(index)) as Stacked<D>;
    return Object.fromEntries(
      Object.entries(datasets).map(([name, dataset]) => [name, dataset.at(index)]),
    ) as Stacked<D>;
  }
}

/**
 * `torch.utils.data.StackDataset(…datasets)` or `({ name: dataset, … })`: sample i is the array, or the object, of the
 * samples i of all.
 * @throws ValueError if their lengths differ, or there are none
 */
export type StackDataset<D extends StackParts> = Stack<D>;
export const StackDataset = Stack as unknown as {
  new <const D extends readonly MapDataset<unknown>[]>(...datasets: D): Stack<D>;
  new <const D extends Readonly<Record<string, MapDataset<unknown>>>>(datasets: D): Stack<D>;
};

/** Gives many samples at once, already collated; PyTorch's `__getitems__`, for datasets that can do better than one by one. */
export interface BatchedDataset {
  batchAt(indices: readonly number[]): unknown;
}

export function hasBatches(dataset: unknown): dataset is BatchedDataset {
  // A subclass that reads single samples in its own way has not said how it reads many.
  if (dataset instanceof TensorDataset && dataset.at !== TensorDataset.prototype.at) return false;
  if (dataset instanceof BatchedSubset && dataset.at !== Subset.prototype.at) return false;
  return typeof (dataset as BatchedDataset).batchAt === 'function';
}

/** `torch.utils.data.TensorDataset(*tensors)`: sample i is the i-th slice of every tensor. */
export class TensorDataset<const T extends readonly Tensor[]> extends Dataset<{ [K in keyof T]: Tensor }> {
  readonly tensors: T;

  /**
   * Sample i is the i-th slice of every tensor.
   * @throws AssertionError if the first dimensions differ
   */
  constructor(...tensors: T) {
    super();
    if (!tensors.every((x) => x.sizes[0] === tensors[0].sizes[0])) {
      throw new AssertionError('Size mismatch between tensors');
    }
    this.tensors = tensors;
  }

  get length(): number {
    return this.tensors[0].sizes[0];
  }

  at(index: number): { [K in keyof T]: Tensor } {
    return this.tensors.map((x) => x.index([index])) as { [K in keyof T]: Tensor };
  }

  /** The batch that stacking the samples would give, by one launch for each tensor. */
  batchAt(indices: readonly number[]): Tensor[] {
    return this.tensors.map((x) => {
      const at = x.new_tensor(indices, { dtype: int64 });
      return x.index_select(0, at);
    });
  }
}

/** `torch.utils.data.Subset(dataset, indices)`. */
export class Subset<T> extends Dataset<T> {
  constructor(
    readonly dataset: MapDataset<T>,
    readonly indices: readonly number[],
  ) {
    super();
  }

  get length(): number {
    return this.indices.length;
  }

  at(index: number): T {
    return this.dataset.at(this.indices[index]) as T;
  }
}

/** A Subset of a dataset with batches has them, too. */
export class BatchedSubset<T> extends Subset<T> implements BatchedDataset {
  batchAt(indices: readonly number[]): unknown {
    return (this.dataset as unknown as BatchedDataset).batchAt(indices.map((i) => this.indices[i]));
  }
}

/** `torch.utils.data.ConcatDataset(datasets)`: one after the other. */
export class ConcatDataset<T> extends Dataset<T> {
  /** Number of samples up to the end of each dataset. */
  readonly cumulative_sizes: readonly number[];

  constructor(readonly datasets: readonly MapDataset<T>[]) {
    super();
    if (datasets.length === 0) throw new AssertionError('datasets should not be an empty iterable');
    let total = 0;
    this.cumulative_sizes = datasets.map((dataset) => {
      if (dataset instanceof IterableDataset) {
        throw new AssertionError('ConcatDataset does not support IterableDataset');
      }
      total += lengthOf(dataset);
      return total;
    });
  }

  get length(): number {
    return this.cumulative_sizes[this.cumulative_sizes.length - 1];
  }

  at(index: number): T {
    if (index < 0) {
      if (-index > this.length) throw new ValueError('absolute value of index should not exceed dataset length');
      index += this.length;
    }
    const which = this.cumulative_sizes.findIndex((end) => index < end);
    if (which < 0) throw new IndexError('list index out of range');
    return this.datasets[which].at(index - (which === 0 ? 0 : this.cumulative_sizes[which - 1])) as T;
  }
}

const SPLIT = Signature.of('random_split(dataset, lengths, generator=None)');

/**
 * `torch.utils.data.random_split(dataset, lengths)`: disjoint random subsets. Lengths are numbers of samples, or
 * fractions that add up to 1.
 */
export function random_split<T>(
  dataset: MapDataset<T>,
  lengths: readonly number[],
  generator?: Generator | null | { generator?: Generator | null },
): Subset<T>[];
export function random_split<T>(...args: unknown[]): Subset<T>[] {
  const [dataset, lengths, generator] = SPLIT.bind(args) as [MapDataset<T>, readonly number[], Generator | null];
  const total = lengthOf(dataset);
  if (!Array.isArray(lengths)) throw new TypeError(`'${typeName(lengths)}' object is not iterable`);
  for (const length of lengths) {
    if (typeof length === 'number') continue;
    throw new TypeError(`unsupported operand type(s) for +: 'int' and '${typeName(length)}'`);
  }
  let counts: number[] = lengths.slice();
  const sum = lengths.reduce((a, b) => a + b, 0);
  if (Math.abs(sum - 1) < 1e-9 && sum <= 1 + 1e-9) {
    counts = lengths.map((fraction, i) => {
      if (fraction < 0 || fraction > 1) throw new ValueError(`Fraction at index ${i} is not between 0 and 1`);
      return Math.floor(total * fraction);
    });
    const rest = total - counts.reduce((a, b) => a + b, 0);
    for (let i = 0; i < rest; i++) counts[i % counts.length]++;
    counts.forEach((count, i) => {
      if (count === 0) warn(`Length of split at index ${i} is 0. This might result in an empty dataset.`);
    });
  }
  if (counts.reduce((a, b) => a + b, 0) !== total) {
    throw new ValueError('Sum of input lengths does not equal the length of the input dataset!');
  }
  const order = permutation(total, generator);
  let start = 0;
  return counts.map((count) => {
    const indices = order.slice(start, start + count);
    start += count;
    return hasBatches(dataset) ? new BatchedSubset(dataset, indices) : new Subset(dataset, indices);
  });
}
