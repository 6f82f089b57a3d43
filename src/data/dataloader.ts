/** `torch.utils.data.DataLoader`: batches of a dataset, in order or shuffled. */
import { NotImplementedError, ValueError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import { deviceCount } from '../devices/registry.ts';
import type { Generator } from '../ops/generator.ts';
import { isOptions } from '../ops/bind.ts';
import { type Collated, default_collate } from './collate.ts';
import { hasBatches, type MapDataset } from './dataset.ts';
import { pinMemory } from './pin-memory.ts';
import { BatchSampler, drawSeed, RandomSampler, SequentialSampler } from './sampler.ts';

export interface DataLoaderOptions<T, B> {
  /** Samples per batch; null: samples one by one, not collated. */
  batch_size?: number | null;
  shuffle?: boolean | null;
  sampler?: Iterable<number> | null;
  batch_sampler?: Iterable<readonly number[]> | null;
  /** Only 0 so far: samples are loaded in this thread. */
  num_workers?: number;
  collate_fn?: ((samples: T[]) => B) | null;
  /** Whether batches are put into pinned memory, from which copies to a device need not be waited for. */
  pin_memory?: boolean;
  /** Deprecated, without effect: pinned memory serves all devices. */
  pin_memory_device?: string;
  /** Whether an incomplete last batch is left out. */
  drop_last?: boolean;
  generator?: Generator | null;
}

const NAMES = new Set([
  'batch_size',
  'shuffle',
  'sampler',
  'batch_sampler',
  'num_workers',
  'collate_fn',
  'pin_memory',
  'pin_memory_device',
  'drop_last',
  'generator',
]);

/** The options of a call, in which batch_size and shuffle may be given by position. */
function optionsOf<T, B>(args: readonly unknown[]): DataLoaderOptions<T, B> {
  const last = args[args.length - 1];
  const options: Record<string, unknown> = isOptions(last) ? { ...last } : {};
  const positional = isOptions(last) ? args.slice(0, -1) : args;
  if (positional.length > 2) {
    throw new TypeError('DataLoader: batch_size and shuffle may be given by position; give all else as options');
  }
  ['batch_size', 'shuffle'].forEach((name, i) => {
    if (positional[i] === undefined) return;
    if (name in options) throw new TypeError(`DataLoader.__init__() got multiple values for argument '${name}'`);
    options[name] = positional[i];
  });
  return options as DataLoaderOptions<T, B>;
}

/**
 * Iterates over batches. `length` is the number of them. For a seed the order is PyTorch's.
 * @throws ValueError, TypeError with PyTorch's texts for options that exclude each other
 */
export class DataLoader<T, B = Collated<T>> implements Iterable<B> {
  readonly dataset: MapDataset<T> | Iterable<T>;
  readonly batch_size: number | null;
  readonly drop_last: boolean;
  readonly generator: Generator | null;
  readonly sampler: Iterable<number> | null;
  readonly batch_sampler: Iterable<readonly number[]> | null;
  readonly collate_fn: ((samples: T[]) => B) | null;
  readonly pin_memory: boolean;
  readonly pin_memory_device: string;

  constructor(dataset: MapDataset<T> | Iterable<T>, options?: DataLoaderOptions<T, B>);
  constructor(
    dataset: MapDataset<T> | Iterable<T>,
    batch_size: number | null,
    options?: Omit<DataLoaderOptions<T, B>, 'batch_size'>,
  );
  constructor(
    dataset: MapDataset<T> | Iterable<T>,
    batch_size: number | null,
    shuffle: boolean | null,
    options?: Omit<DataLoaderOptions<T, B>, 'batch_size' | 'shuffle'>,
  );
  constructor(dataset: MapDataset<T> | Iterable<T>, ...args: unknown[]) {
    const options = optionsOf<T, B>(args);
    for (const key in options) {
      if (!NAMES.has(key)) {
        throw new TypeError(`DataLoader.__init__() got an unexpected keyword argument '${key}'`);
      }
    }
    const { sampler = null, batch_sampler = null, drop_last = false, generator = null } = options;
    const workers = options.num_workers ?? 0;
    if (workers < 0) {
      throw new ValueError('num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.');
    }
    if (workers > 0) {
      throw new NotImplementedError(
        'DataLoader: loading in worker threads is not there yet; use num_workers: 0, which loads in this thread',
      );
    }
    const iterable = typeof (dataset as MapDataset<T>).at !== 'function';
    let batchSize = options.batch_size === undefined ? 1 : options.batch_size;
    if (iterable) {
      if (typeof (dataset as Iterable<T>)[Symbol.iterator] !== 'function') {
        throw new TypeError('DataLoader: a dataset has length and at(index), or can be iterated over');
      }
      if (options.shuffle) {
        throw new ValueError(
          `DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle=${options.shuffle}`,
        );
      }
      if (sampler !== null) {
        throw new ValueError('DataLoader with IterableDataset: expected unspecified sampler option');
      }
      if (batch_sampler !== null) {
        throw new ValueError('DataLoader with IterableDataset: expected unspecified batch_sampler option');
      }
    }
    if (sampler !== null && options.shuffle) {
      throw new ValueError('sampler option is mutually exclusive with shuffle');
    }
    if (batch_sampler !== null) {
      if ((options.batch_size ?? 1) !== 1 || options.shuffle || sampler !== null || drop_last) {
        throw new ValueError(
          'batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last',
        );
      }
      batchSize = null;
    } else if (batchSize === null && drop_last) {
      throw new ValueError('batch_size=None option disables auto-batching and is mutually exclusive with drop_last');
    }
    this.dataset = dataset;
    this.batch_size = batchSize;
    this.drop_last = drop_last;
    this.generator = generator;
    this.collate_fn = options.collate_fn ?? null;
    this.pin_memory = Boolean(options.pin_memory);
    this.pin_memory_device = options.pin_memory_device ?? '';
    if (iterable) {
      this.sampler = null;
      this.batch_sampler = null;
      return;
    }
    const map = dataset as MapDataset<T>;
    this.sampler = sampler ?? (options.shuffle ? new RandomSampler(map, { generator }) : new SequentialSampler(map));
    this.batch_sampler =
      batch_sampler ?? (batchSize === null ? null : new BatchSampler(this.sampler, batchSize, drop_last));
  }

  /** Number of batches. */
  get length(): number {
    const source = this.batch_sampler ?? this.sampler ?? this.dataset;
    const { length } = source as { length?: number };
    if (typeof length !== 'number') throw new TypeError("object of type 'IterableDataset' has no len()");
    if (source !== this.dataset || this.batch_size === null) return length;
    return this.drop_last ? Math.floor(length / this.batch_size) : Math.ceil(length / this.batch_size);
  }

  *[Symbol.iterator](): Iterator<B> {
    // PyTorch draws a seed for its workers at every start, also where there are none: the generator moves on.
    drawSeed(this.generator);
    if (!this.pins()) yield* this.batches();
    else for (const batch of this.batches()) yield pinMemory(batch);
  }

  /** Whether this run puts batches into pinned memory. */
  private pins(): boolean {
    if (!this.pin_memory) return false;
    if (this.pin_memory_device !== '') {
      warn(
        `pin_memory_device is deprecated, the current accelerator will be used as the device,ignore pin_memory_device='${this.pin_memory_device}'.`,
      );
    }
    if (deviceCount() > 0) return true;
    warn("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.");
    return false;
  }

  private *batches(): Iterator<B> & Iterable<B> {
    if (this.sampler === null) yield* this.iterate(this.dataset as Iterable<T>);
    else if (this.batch_sampler === null) {
      for (const index of this.sampler) yield this.single((this.dataset as MapDataset<T>).at(index) as T);
    } else for (const indices of this.batch_sampler) yield this.batch(indices);
  }

  private single(sample: T): B {
    return this.collate_fn === null ? (sample as unknown as B) : this.collate_fn(sample as unknown as T[]);
  }

  private batch(indices: readonly number[]): B {
    const { dataset } = this;
    if (this.collate_fn === null && hasBatches(dataset)) return dataset.batchAt(indices) as B;
    return this.together(indices.map((i) => (dataset as MapDataset<T>).at(i) as T));
  }

  private together(samples: T[]): B {
    return this.collate_fn === null ? (default_collate(samples) as B) : this.collate_fn(samples);
  }

  private *iterate(samples: Iterable<T>): Iterator<B> & Iterable<B> {
    if (this.batch_size === null) {
      for (const sample of samples) yield this.single(sample);
      return;
    }
    let batch: T[] = [];
    for (const sample of samples) {
      batch.push(sample);
      if (batch.length === this.batch_size) {
        yield this.together(batch);
        batch = [];
      }
    }
    if (batch.length > 0 && !this.drop_last) yield this.together(batch);
  }
}
