/**
 * What runs in a loader's worker: making the dataset, and answering requests for samples. The library announces it in the
 * slot that the worker's program has prepared; everywhere else nothing happens.
 */
import { setNumThreads } from '../devices/threads.ts';
import { manual_seed } from '../ops/generator.ts';
import { default_collate, default_convert } from './collate.ts';
import { hasBatches, type MapDataset } from './dataset.ts';
import { pack } from './transfer.ts';
import { setWorkerInfo } from './worker-info.ts';
import { type DatasetModule, failureOf, type Request, type Serve, SLOT, type WorkerStart } from './worker-messages.ts';

/** The dataset that a module makes: its default export, what a function there returns, or an instance of a class. */
async function datasetOf(module: DatasetModule, args: readonly unknown[]): Promise<unknown> {
  const made = module.default;
  if (made === undefined) throw new TypeError('the module has no default export, which is to make the dataset');
  if (typeof made !== 'function') return made;
  if (/^class\b/.test(Function.prototype.toString.call(made))) return Reflect.construct(made, args);
  return Reflect.apply(made, undefined, args);
}

/** Gets samples from a dataset, in the form in which they are sent. */
class Fetcher {
  private readonly iterator: Iterator<unknown> | null;
  private ended = false;

  constructor(
    private readonly dataset: unknown,
    private readonly module: DatasetModule,
    private readonly start: WorkerStart,
  ) {
    this.iterator = start.iterable ? (dataset as Iterable<unknown>)[Symbol.iterator]() : null;
  }

  /** undefined: there are no more. */
  fetch(at: readonly number[] | number): { data: unknown; apart: boolean } | undefined {
    const { dataset, start, iterator, module } = this;
    if (!start.batches) {
      if (iterator === null) return this.one((dataset as MapDataset<unknown>).at(at as number));
      const next = this.ended ? null : iterator.next();
      return next === null || next.done ? undefined : this.one(next.value);
    }
    if (iterator === null) {
      const indices = at as readonly number[];
      if (module.collate_fn === undefined && !start.apart && hasBatches(dataset)) {
        return { data: dataset.batchAt(indices), apart: false };
      }
      return this.together(indices.map((i) => (dataset as MapDataset<unknown>).at(i)));
    }
    const samples: unknown[] = [];
    while (!this.ended && samples.length < (at as number)) {
      const next = iterator.next();
      if (next.done) this.ended = true;
      else samples.push(next.value);
    }
    if (samples.length === 0 || (start.dropLast && samples.length < (at as number))) return undefined;
    return this.together(samples);
  }

  private one(sample: unknown): { data: unknown; apart: boolean } {
    const { collate_fn } = this.module;
    if (collate_fn !== undefined) return { data: collate_fn(sample as unknown[]), apart: false };
    return { data: this.start.apart ? sample : default_convert(sample), apart: this.start.apart };
  }

  private together(samples: unknown[]): { data: unknown; apart: boolean } {
    const { collate_fn } = this.module;
    if (collate_fn !== undefined) return { data: collate_fn(samples), apart: false };
    return this.start.apart ? { data: samples, apart: true } : { data: default_collate(samples), apart: false };
  }
}

const serve: Serve = async (module, start, port, reply) => {
  setNumThreads(1);
  const seed = BigInt.asUintN(64, start.seed + BigInt(start.id));
  manual_seed(seed);
  const dataset = await datasetOf(module, start.args);
  setWorkerInfo({ id: start.id, num_workers: start.workers, seed, dataset });
  await module.worker_init_fn?.(start.id);
  let fetcher = new Fetcher(dataset, module, start);
  let run = 0;
  port.on('message', (request: Request) => {
    if ('stop' in request) {
      port.close();
      return;
    }
    if ('begin' in request) {
      // The first run has what was made at the start.
      if (run !== 0) fetcher = new Fetcher(dataset, module, start);
      run = request.begin;
      return;
    }
    if (request.run !== run) return;
    const { task } = request;
    try {
      const got = fetcher.fetch(request.at);
      if (got === undefined) {
        reply({ task, run, end: true });
        return;
      }
      const { packed, buffers } = pack(got.data);
      reply({ task, run, data: packed, apart: got.apart }, buffers);
    } catch (error) {
      reply({ task, run, failure: failureOf(error) });
    }
  });
};

const slot = (globalThis as Record<symbol, unknown>)[SLOT] as { serve: Serve | null } | undefined;
if (slot !== undefined) slot.serve ??= serve;
