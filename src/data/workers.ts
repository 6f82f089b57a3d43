/**
 * The worker threads of a DataLoader, as its own thread sees them: they are started with a module that makes the dataset,
 * asked for samples ahead of time, and waited for. Only in Node.js; a browser's thread may not wait.
 */
import * as errors from '../core/errors.ts';
import { RuntimeError } from '../core/errors.ts';
import { canBlock, hasNodeThreads } from '../devices/threads.ts';
import { unpack } from './transfer.ts';
import type { Answer, Failure, Request, WorkerStart } from './worker-messages.ts';
import { preludes } from './worker-preludes.ts';

interface Port {
  postMessage(message: unknown, transfer?: readonly unknown[]): void;
  close(): void;
}
interface NodeWorker {
  readonly threadId: number;
  unref(): void;
  terminate(): Promise<number>;
  on(event: 'error', listener: (error: Error) => void): void;
}
interface WorkerThreads {
  Worker: new (source: string, options: object) => NodeWorker;
  MessageChannel: new () => { port1: Port; port2: Port };
  receiveMessageOnPort(port: Port): { message: unknown } | undefined;
}
interface ProcessLike {
  getBuiltinModule?(id: string): unknown;
}

const threads = (): WorkerThreads =>
  (globalThis as { process?: ProcessLike }).process!.getBuiltinModule!('node:worker_threads') as WorkerThreads;

/** Whether loaders can have workers here. */
export const canHaveWorkers = (): boolean => hasNodeThreads && canBlock;

/** Milliseconds between two looks at whether the workers are still there. */
const LOOK = 500;

/**
 * A worker's program. The library that serves is the one that the dataset's module imports; if it imports none, the one that
 * is installed for it. Whatever happens, the loader is told and woken.
 */
const PROGRAM = `
const { workerData } = process.getBuiltinModule('node:worker_threads');
const { start, port, signal, preludes } = workerData;
const slot = (globalThis[Symbol.for('torch-mtia.dataWorker')] = { serve: null });
const wake = () => { Atomics.add(signal, 0, 1); Atomics.notify(signal, 0); };
const reply = (answer, buffers = []) => { port.postMessage(answer, buffers); wake(); };
process.on('exit', wake);
(async () => {
  for (const url of preludes) await (await import(url)).ready;
  const module = await import(start.module);
  if (slot.serve === null) {
    const { createRequire } = process.getBuiltinModule('node:module');
    const { pathToFileURL } = process.getBuiltinModule('node:url');
    await import("torch-mtia").catch(() => import(pathToFileURL(createRequire(start.module).resolve('torch-mtia')).href));
  }
  await slot.serve(module, start, port, reply);
})().catch((error) => {
  const { name = 'Error', message = String(error), stack = String(error) } = error ?? {};
  const failure = { name, message, stack };
  port.on('message', (request) => {
    if ('stop' in request) port.close();
    else if ('task' in request) reply({ task: request.task, run: request.run, failure });
  });
});
`;

interface WorkerThread {
  readonly worker: NodeWorker;
  port: Port;
}

/** What a task gave: data, the end of an iterable dataset, or an error to be thrown. */
export type Result = { data: unknown; apart: boolean } | { end: true } | { error: Error };

export class Workers {
  private readonly node = threads();
  private readonly signal = new Int32Array(new SharedArrayBuffer(4));
  private readonly list: WorkerThread[] = [];
  private closed = false;
  /** Number of the run; answers of earlier ones are thrown away. */
  private run = 0;

  constructor(start: Omit<WorkerStart, 'id'>) {
    const { node, signal } = this;
    for (let id = 0; id < start.workers; id++) {
      const { port1, port2 } = new node.MessageChannel();
      const worker = new node.Worker(PROGRAM, {
        eval: true,
        workerData: { start: { ...start, id }, port: port2, signal, preludes },
        transferList: [port2],
      });
      // Errors that end it are seen when it is waited for.
      worker.on('error', () => {});
      worker.unref();
      this.list.push({ worker, port: port1 });
    }
  }

  /** Number of the run that is under way. */
  get current(): number {
    return this.run;
  }

  /** Begins a run; returns its number. */
  begin(): number {
    this.run++;
    for (const { port } of this.list) post(port, { begin: this.run });
    return this.run;
  }

  ask(worker: number, task: number, at: readonly number[] | number): void {
    post(this.list[worker].port, { task, run: this.run, at });
  }

  /**
   * Waits for the next answer of this run.
   * @param timeout seconds; 0: as long as the workers are there
   * @throws RuntimeError when it takes too long, or a worker has died
   */
  next(timeout: number): { task: number; worker: number; result: Result } {
    const until = timeout > 0 ? performance.now() + timeout * 1000 : Infinity;
    for (;;) {
      const before = Atomics.load(this.signal, 0);
      for (let worker = 0; worker < this.list.length; worker++) {
        const answer = this.read(worker);
        if (answer !== null) return { task: answer.task, worker, result: resultOf(answer, worker) };
      }
      const left = until - performance.now();
      if (left <= 0) throw new RuntimeError(`DataLoader timed out after ${timeout} seconds`);
      if (Atomics.wait(this.signal, 0, before, Math.min(left, LOOK)) === 'timed-out') this.checkAlive();
    }
  }

  /** An answer of this run, if there is one. */
  private read(worker: number): Answer | null {
    for (;;) {
      const got = this.node.receiveMessageOnPort(this.list[worker].port);
      if (got === undefined) return null;
      const answer = got.message as Answer;
      if (answer.run === this.run) return answer;
    }
  }

  /** A port whose other end is closed cannot be sent through another channel: so an end is noticed while this thread waits. */
  private checkAlive(): void {
    const dead = this.list.filter((thread) => !this.isAlive(thread));
    if (dead.length === 0) return;
    const ids = dead.map(({ worker }) => worker.threadId).join(', ');
    this.close();
    throw new RuntimeError(`DataLoader worker (pid(s) ${ids}) exited unexpectedly`);
  }

  private isAlive(thread: WorkerThread): boolean {
    const through = new this.node.MessageChannel();
    try {
      through.port1.postMessage(thread.port, [thread.port]);
    } catch {
      return false;
    }
    thread.port = this.node.receiveMessageOnPort(through.port2)!.message as Port;
    through.port1.close();
    return true;
  }

  /** Ends the workers. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const { worker, port } of this.list) {
      port.close();
      void worker.terminate();
    }
  }
}

function post(port: Port, request: Request): void {
  port.postMessage(request);
}

function resultOf(answer: Answer, worker: number): Result {
  if ('end' in answer) return { end: true };
  if ('failure' in answer) return { error: errorOf(answer.failure, worker) };
  return { data: unpack(answer.data), apart: answer.apart };
}

const TYPES: Readonly<Record<string, unknown>> = { ...errors, TypeError, RangeError, SyntaxError, ReferenceError };

/** The error again, of the same type where that is known, with where it came from. */
function errorOf({ name, message, stack }: Failure, worker: number): Error {
  const known = TYPES[name];
  const Type = (typeof known === 'function' ? known : Error) as new (message: string) => Error;
  const shown = stack.includes(message) ? stack : `${name}: ${message}\n${stack}`;
  return new Type(`Caught ${name} in DataLoader worker process ${worker}.\nOriginal ${shown}`);
}
