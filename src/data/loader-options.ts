/** The options of a DataLoader, and what PyTorch says of those that do not go together. */
import { ValueError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';
import { warn } from '../core/warn.ts';
import { getCores } from './cores.ts';
import type { Generator } from '../ops/generator.ts';
import { pyRepr, pyStr } from '../nn/text.ts';
import { typeName } from '../tensor/type-name.ts';

export interface DataLoaderOptions<T, B> {
  /** Samples per batch; null: samples one by one, not collated. Default: 1. */
  batch_size?: number | null;
  /** Whether samples come in another order in every run. */
  shuffle?: boolean | null;
  /** Positions of samples, in place of shuffle. */
  sampler?: Iterable<number> | null;
  /** Lists of positions, in place of batch_size, shuffle, sampler and drop_last. */
  batch_sampler?: Iterable<readonly number[]> | null;
  /** How many threads load samples ahead of time, with `workerModule`; 0: this thread does. Default: 0. */
  num_workers?: number;
  /** Makes a batch of samples. Default: `default_collate`. */
  collate_fn?: ((samples: T[]) => B) | null;
  /** Whether batches are put into pinned memory, from which copies to a device need not be waited for. */
  pin_memory?: boolean;
  /** Whether an incomplete last batch is left out. */
  drop_last?: boolean;
  /** Seconds after which a batch of a worker is given up; 0: never. */
  timeout?: number;
  /** Cannot be sent to a worker: export it from the `workerModule`. */
  worker_init_fn?: ((worker_id: number) => void) | null;
  /** Workers are always started anew: 'spawn'. */
  multiprocessing_context?: 'spawn' | null;
  /** Where the order of shuffle is drawn from. */
  generator?: Generator | null;
  /** How many batches each worker loads ahead. Default: 2. */
  prefetch_factor?: number | null;
  /** Whether workers are kept for the next run. */
  persistent_workers?: boolean;
  /** Deprecated, without effect: pinned memory serves all devices. */
  pin_memory_device?: string;
  /** false: batches come as workers finish them. Default: true. */
  in_order?: boolean;
  /**
   * The module that makes the dataset in each worker: `new URL('./images.ts', import.meta.url)`. Its default export is a
   * dataset, a class of one, or a function that returns one; `collate_fn` and `worker_init_fn` are taken from it, too.
   */
  workerModule?: string | URL | null;
  /** What the class or the function is called with: values that can be sent to another thread. */
  workerArgs?: readonly unknown[];
}

const SIGNATURE = Signature.of(
  "DataLoader.__init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False, pin_memory_device='', in_order=True, workerModule=None, workerArgs=None)",
);
const NAMES = [
  ...['dataset', 'batch_size', 'shuffle', 'sampler', 'batch_sampler', 'num_workers', 'collate_fn', 'pin_memory'],
  ...['drop_last', 'timeout', 'worker_init_fn', 'multiprocessing_context', 'generator', 'prefetch_factor'],
  ...['persistent_workers', 'pin_memory_device', 'in_order', 'workerModule', 'workerArgs'],
] as const;

export type LoaderSettings<T, B> = {
  [K in keyof DataLoaderOptions<T, B>]-?: Exclude<DataLoaderOptions<T, B>[K], undefined>;
};

/** A dataset may be a plain object, which is no options. */
const DATASET = [true];

/** The options of a call, of which many may be given by position, with defaults. */
export function bindOptions<T, B>(given: number, args: readonly unknown[]): LoaderSettings<T, B> {
  const values = SIGNATURE.bind(given === 0 ? args : [DATASET, ...args]);
  const bound = Object.fromEntries(NAMES.map((name, i) => [name, values[i]])) as unknown as LoaderSettings<T, B>;
  bound.workerArgs ??= [];
  return bound;
}

/** Checks what has to do with workers. */
export function checkWorkers<T, B>(options: LoaderSettings<T, B>): void {
  const { num_workers, timeout, prefetch_factor, multiprocessing_context: context } = options;
  if (num_workers < 0) {
    throw new ValueError('num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.');
  }
  if (timeout < 0) throw new ValueError('timeout option should be non-negative');
  if (num_workers === 0 && prefetch_factor !== null) {
    throw new ValueError(
      'prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None.',
    );
  }
  if (prefetch_factor !== null && prefetch_factor < 0) {
    throw new ValueError('prefetch_factor option should be non-negative');
  }
  if (options.persistent_workers && num_workers === 0) {
    throw new ValueError('persistent_workers option needs num_workers > 0');
  }
  if (context !== null && num_workers === 0) {
    throw new ValueError(
      `multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=${num_workers}`,
    );
  }
  if (context !== null && context !== 'spawn') {
    throw new ValueError(
      `multiprocessing_context option should specify a valid start method in ['spawn'], but got multiprocessing_context=${pyRepr(context)}`,
    );
  }
}

/** Checks what has to do with the order of samples. */
export function checkOrder<T, B>(options: LoaderSettings<T, B>, iterable: boolean): void {
  const { shuffle, sampler, batch_sampler, batch_size, drop_last } = options;
  if (iterable) {
    const kind = 'DataLoader with IterableDataset: expected unspecified';
    if (shuffle) throw new ValueError(`${kind} shuffle option, but got shuffle=${pyStr(shuffle)}`);
    if (sampler !== null) throw new ValueError(`${kind} sampler option, but got sampler=${shown(sampler)}`);
    if (batch_sampler !== null) {
      throw new ValueError(`${kind} batch_sampler option, but got batch_sampler=${shown(batch_sampler)}`);
    }
  }
  if (sampler !== null && shuffle) throw new ValueError('sampler option is mutually exclusive with shuffle');
  if (batch_sampler !== null) {
    if (batch_size !== 1 || shuffle || sampler !== null || drop_last) {
      throw new ValueError(
        'batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last',
      );
    }
  } else if (batch_size === null && drop_last) {
    throw new ValueError('batch_size=None option disables auto-batching and is mutually exclusive with drop_last');
  }
}

const shown = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(pyRepr).join(', ')}]` : `<${typeName(value)} object>`;

/** More workers than cores are slower than fewer. */
export function warnOfMany(workers: number): void {
  const cores = getCores();
  if (workers <= cores) return;
  warn(
    `This DataLoader will create ${workers} worker processes in total. Our suggested max number of worker in current system is ${cores}, which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary.`,
  );
}
