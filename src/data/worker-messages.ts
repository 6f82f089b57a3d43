/** What a loader and its workers say to each other, and how they find each other. */
import type { Packed } from './transfer.ts';

/** What a worker is given when it starts. */
export interface WorkerStart {
  /** URL of the module that makes the dataset. */
  readonly module: string;
  readonly args: readonly unknown[];
  readonly id: number;
  readonly workers: number;
  /** Added to the worker's number it is what its generator is seeded with. */
  readonly seed: bigint;
  readonly iterable: boolean;
  /** Whether samples are put together into batches. */
  readonly batches: boolean;
  readonly dropLast: boolean;
  /** Whether the samples are put together by the loader's thread, whose function the worker does not have. */
  readonly apart: boolean;
}

export type Request =
  /** A new run begins; what was asked for before is not wanted any more. */
  | { begin: number }
  /** The samples at these positions (of an iterable dataset: so many of the next) as task `task` of the run. */
  | { task: number; run: number; at: readonly number[] | number }
  | { stop: true };

export type Answer =
  | { task: number; run: number; data: Packed; apart: boolean }
  /** An iterable dataset has no more. */
  | { task: number; run: number; end: true }
  | { task: number; run: number; failure: Failure };

/** An error, which is made again in the loader's thread. */
export interface Failure {
  /** Python's name of its type, or JavaScript's. */
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: String(error) };
  return { name: error.name, message: error.message, stack: error.stack ?? `${error.name}: ${error.message}` };
}

/** The end of the channel that a worker has. */
export interface WorkerPort {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: Request) => void): void;
  close(): void;
}

/** Answers through a port, and wakes the loader. */
export type Reply = (answer: Answer, buffers?: readonly ArrayBuffer[]) => void;

/** What a module that makes a dataset may export. */
export interface DatasetModule {
  readonly default?: unknown;
  readonly collate_fn?: (samples: unknown[]) => unknown;
  readonly worker_init_fn?: (worker_id: number) => unknown;
}

export type Serve = (module: DatasetModule, start: WorkerStart, port: WorkerPort, reply: Reply) => Promise<void>;

/** Where a worker looks for this library, which a module with a dataset imports: a slot that it fills when it loads. */
export const SLOT = Symbol.for('torch-mtia.dataWorker');
