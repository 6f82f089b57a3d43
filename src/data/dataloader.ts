/** `torch.utils.data.DataLoader`: batches of a dataset, in order or shuffled, loaded here or by workers. */
import { ValueError } from '../core/errors.ts';
import { warn, warnOnce } from '../core/warn.ts';
import { deviceCount } from '../devices/registry.ts';
import type { Generator } from '../ops/generator.ts';
import { Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { type Collated, default_collate, default_convert } from './collate.ts';
import { hasBatches, type MapDataset } from './dataset.ts';
import {
  bindOptions,
  checkOrder,
  checkWorkers,
  type DataLoaderOptions,
  type LoaderSettings,
  warnOfMany,
} from './loader-options.ts';
import { pinMemory } from './pin-memory.ts';
import { BatchSampler, drawSeed, RandomSampler, SequentialSampler } from './sampler.ts';
import { WorkerRuns } from './worker-runs.ts';
import { canHaveWorkers } from './workers.ts';

export type { DataLoaderOptions };

/** What a loader takes samples from: by position, or one after the other. */
export type AnyDataset<T> = MapDataset<T> | Iterable<T>;

/** What may not be set any more once the loader is there. */
const FIXED = ['dataset', 'batch_size', 'drop_last', 'sampler', 'batch_sampler', 'persistent_workers'] as const;

/**
 * Iterates over batches. `length` is the number of them. For a seed the order is PyTorch's.
 *
 * With `num_workers` and a `workerModule`, threads load batches ahead of time. They make the dataset anew from the module: an
 * object in the memory of this thread is of no use to them, and without the module this thread loads the samples.
 */
export class DataLoader<T, B = Collated<T>> implements Iterable<B> {
  declare readonly dataset: AnyDataset<T>;
  declare readonly batch_size: number | null;
  declare readonly drop_last: boolean;
  /** null for an iterable dataset. */
  declare readonly sampler: Iterable<number> | null;
  declare readonly batch_sampler: Iterable<readonly number[]> | null;
  declare readonly persistent_workers: boolean;
  readonly generator: Generator | null;
  readonly collate_fn: ((samples: T[]) => B) | null;
  readonly num_workers: number;
  readonly prefetch_factor: number | null;
  readonly pin_memory: boolean;
  readonly pin_memory_device: string;
  readonly timeout: number;
  readonly worker_init_fn: ((worker_id: number) => void) | null;
  readonly multiprocessing_context: 'spawn' | null;
  readonly in_order: boolean;
  /** The dataset, if samples are taken by position. */
  readonly #map: MapDataset<T> | null;
  readonly #runs: WorkerRuns | null;
  /** What an iterable dataset said its length was. */
  #said: number | null = null;

  /**
   * A loader of `dataset`, `batch_size` samples at a time (1).
   * @throws ValueError, TypeError with PyTorch's texts for options that exclude each other
   */
  constructor(dataset: AnyDataset<T>, options?: DataLoaderOptions<T, B>);
  constructor(dataset: AnyDataset<T>, batch_size: number | null, options?: Omit<DataLoaderOptions<T, B>, 'batch_size'>);
  constructor(
    dataset: AnyDataset<T>,
    batch_size: number | null,
    shuffle: boolean | null,
    options?: Omit<DataLoaderOptions<T, B>, 'batch_size' | 'shuffle'>,
  );
  constructor(...given: unknown[]) {
    const [dataset, ...args] = given as [AnyDataset<T>, ...unknown[]];
    const options = bindOptions<T, B>(given.length, args);
    checkWorkers(options);
    this.#map = mapOf(dataset);
    if (this.#map === null && typeof (dataset as Iterable<T> | null)?.[Symbol.iterator] !== 'function') {
      throw new TypeError(
        `DataLoader: a dataset has length and at(index), or can be iterated over; got ${typeName(dataset)}`,
      );
    }
    checkOrder(options, this.#map === null);
    this.generator = options.generator;
    this.collate_fn = options.collate_fn;
    this.num_workers = options.num_workers;
    this.prefetch_factor = options.num_workers > 0 ? (options.prefetch_factor ?? 2) : null;
    this.pin_memory = Boolean(options.pin_memory);
    this.pin_memory_device = options.pin_memory_device;
    this.timeout = options.timeout;
    this.worker_init_fn = options.worker_init_fn;
    this.multiprocessing_context = options.multiprocessing_context;
    this.in_order = options.in_order;
    const { batch_size, batch_sampler, drop_last, generator } = options;
    const sampler = this.#map === null ? null : (options.sampler ?? orderOf(this.#map, options.shuffle, generator));
    this.#fix({
      dataset,
      batch_size: batch_sampler === null ? batch_size : null,
      drop_last,
      sampler,
      batch_sampler: batch_sampler ?? this.#batched(sampler, batch_size, drop_last),
      persistent_workers: options.persistent_workers,
    });
    this.#runs = this.#workers(options);
  }

  #batched(sampler: Iterable<number> | null, size: number | null, drop: boolean): BatchSampler | null {
    if (size === null) return null;
    // Also where it is not used, it says what is wrong with a size.
    const batches = new BatchSampler(sampler ?? [], size, drop);
    return sampler === null ? null : batches;
  }

  #fix(values: Record<(typeof FIXED)[number], unknown>): void {
    for (const name of FIXED) {
      Object.defineProperty(this, name, {
        enumerable: true,
        get: () => values[name],
        set: () => {
          throw new ValueError(`${name} attribute should not be set after DataLoader is initialized`);
        },
      });
    }
  }

  /** null: this thread loads. */
  #workers(options: LoaderSettings<T, B>): WorkerRuns | null {
    const { num_workers, workerModule } = options;
    if (num_workers === 0) return null;
    if (workerModule === null) {
      warnOnce(
        `DataLoader: num_workers=${num_workers}, but the dataset is an object in the memory of this thread, which no worker sees: this thread loads the samples. For workers say which module makes the dataset: { num_workers: ${num_workers}, workerModule: new URL('./dataset.ts', import.meta.url), workerArgs: [...] }.`,
      );
      return null;
    }
    if (!canHaveWorkers()) {
      warnOnce(
        `DataLoader: num_workers=${num_workers}, but this thread may not wait for workers, and loads the samples.`,
      );
      return null;
    }
    if (options.worker_init_fn !== null) {
      throw new TypeError(
        'DataLoader: worker_init_fn is a function, which cannot be sent to a worker: export it from the workerModule, under this name',
      );
    }
    warnOfMany(num_workers);
    return new WorkerRuns(
      {
        module: String(workerModule),
        args: options.workerArgs,
        workers: num_workers,
        iterable: this.#map === null,
        batches: this.batch_sampler !== null || this.batch_size !== null,
        dropLast: this.drop_last,
        apart: this.collate_fn !== null,
      },
      {
        prefetch: this.prefetch_factor as number,
        persistent: this.persistent_workers,
        inOrder: this.in_order,
        timeout: this.timeout,
      },
    );
  }

  /** Number of batches. @throws TypeError for an iterable dataset without length */
  get length(): number {
    const source = this.batch_sampler ?? this.sampler ?? this.dataset;
    const { length } = source as { length?: number };
    if (typeof length !== 'number') throw new TypeError(`object of type '${typeName(source)}' has no len()`);
    if (source !== this.dataset) return length;
    this.#said = length;
    if (this.batch_size === null) return length;
    return this.drop_last ? Math.floor(length / this.batch_size) : Math.ceil(length / this.batch_size);
  }

  [Symbol.iterator](): IterableIterator<B> {
    const pins = this.#pins();
    // Also where there are no workers to be seeded with it: the generator moves on. Workers that are kept have theirs.
    const seed = this.#runs?.areKept ? 0n : drawSeed(this.generator);
    const batches = this.#runs === null ? this.#here() : this.#fromWorkers(this.#runs, seed);
    return this.#finish(batches, pins);
  }

  *#finish(batches: Iterable<B>, pins: boolean): IterableIterator<B> {
    let count = 0;
    for (const batch of batches) {
      count++;
      if (this.#map === null && this.#said !== null && count > this.length) this.#warnOfLength(count);
      yield pins ? pinMemory(batch) : batch;
    }
  }

  #warnOfLength(count: number): void {
    const more =
      this.#runs === null
        ? ''
        : 'For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset replica at each worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples.';
    warnOnce(
      `Length of IterableDataset ${typeName(this.dataset)} was reported to be ${this.#said}(when accessing len(dataloader)), but ${count} samples have been fetched. ${more}`,
    );
  }

  /** Whether this run puts batches into pinned memory. */
  #pins(): boolean {
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

  *#fromWorkers(runs: WorkerRuns, seed: bigint): Iterable<B> & Iterator<B> {
    for (const { data, apart } of runs.run(this.#asked(), seed)) {
      yield apart && this.collate_fn !== null ? this.collate_fn(data as T[]) : (data as B);
    }
  }

  /** What workers are asked for: positions, or of an iterable dataset the number of samples, as long as there are any. */
  *#asked(): Iterable<readonly number[] | number> & Iterator<readonly number[] | number> {
    if (this.batch_sampler !== null) yield* this.batch_sampler;
    else if (this.sampler !== null) yield* this.sampler;
    else for (;;) yield this.batch_size ?? 1;
  }

  *#here(): Iterable<B> & Iterator<B> {
    const map = this.#map;
    if (map === null || this.sampler === null) yield* this.#oneAfterTheOther(this.dataset as Iterable<T>);
    else if (this.batch_sampler === null) {
      for (const index of this.sampler) yield this.#single(map.at(index) as T);
    } else for (const indices of this.batch_sampler) yield this.#batch(map, indices);
  }

  #single(sample: T): B {
    return this.collate_fn === null ? (default_convert(sample) as B) : this.collate_fn(sample as unknown as T[]);
  }

  #batch(map: MapDataset<T>, indices: readonly number[]): B {
    if (this.collate_fn === null && hasBatches(map)) return map.batchAt(indices) as B;
    return this.#together(indices.map((i) => map.at(i) as T));
  }

  #together(samples: T[]): B {
    return this.collate_fn === null ? (default_collate(samples) as B) : this.collate_fn(samples);
  }

  *#oneAfterTheOther(samples: Iterable<T>): Iterable<B> & Iterator<B> {
    if (this.batch_size === null) {
      for (const sample of samples) yield this.#single(sample);
      return;
    }
    let batch: T[] = [];
    for (const sample of samples) {
      batch.push(sample);
      if (batch.length === this.batch_size) {
        yield this.#together(batch);
        batch = [];
      }
    }
    if (batch.length > 0 && !this.drop_last) yield this.#together(batch);
  }
}

/** A dataset whose samples are taken by position, or null. */
function mapOf<T>(dataset: AnyDataset<T>): MapDataset<T> | null {
  if (dataset instanceof Tensor) {
    const x: Tensor = dataset;
    return { length: x.sizes[0], at: (i: number) => x.select(0, i) as T };
  }
  return typeof (dataset as MapDataset<T> | null)?.at === 'function' ? (dataset as MapDataset<T>) : null;
}

function orderOf<T>(map: MapDataset<T>, shuffle: boolean | null, generator: Generator | null): Iterable<number> {
  return shuffle ? new RandomSampler(map, { generator }) : new SequentialSampler(map);
}
