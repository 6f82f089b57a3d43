/**
 * Worker threads: how many, starting them (in Node.js and in browsers), and whether one is dead.
 *
 * A host that waits for a worker is blocked, so no event tells it that the worker has ended, and a worker in a long
 * kernel can show no sign of life. Node.js closes a worker's message ports when it ends, whatever ended it
 * (process.exit, an exception, heap exhaustion, terminate), and the other end of a port can be asked at any time: a
 * closed port cannot be transferred any more. So death is known for certain and a long kernel is never taken for it.
 * Browsers offer nothing of the kind. There a worker reports its own exceptions, and one that makes no progress for
 * LOST_AFTER is given up.
 */
import { RuntimeError } from '../core/errors.ts';
import { features } from '../core/features.ts';
import { kernelStore } from './kernels.ts';
import { LAYOUT, MAX_THREADS } from './layout.ts';
import type { DeviceMemory } from './memory.ts';
import { type ThreadData, threadProgram } from './worker.ts';

interface Port {
  postMessage(value: unknown, transfer?: unknown[]): void;
  close(): void;
}
interface NodeWorker {
  unref(): void;
  terminate(): Promise<number>;
  on(event: 'error', listener: (error: Error & { code?: string }) => void): void;
  on(event: 'exit', listener: (code: number) => void): void;
}
interface WorkerThreads {
  Worker: new (source: string, options: object) => NodeWorker;
  MessageChannel: new () => { port1: Port; port2: Port };
  receiveMessageOnPort(port: Port): { message: unknown } | undefined;
}
interface ProcessLike {
  getBuiltinModule?(id: string): unknown;
}
const builtin = (id: string): unknown => (globalThis as { process?: ProcessLike }).process?.getBuiltinModule?.(id);

/** Milliseconds without progress after which a browser's worker counts as lost. */
export const LOST_AFTER = 60_000;
/** Microseconds that a thread looks for work, or for an answer, before it goes to sleep. */
export const SPIN = 100;
/** A helper shares its core with the host's and the executor's next step, so it gives up earlier. */
const HELPER_SPIN = 30;

const nodeThreads = builtin('node:worker_threads') as WorkerThreads | undefined;

/** Whether there are threads at all. */
export const hasThreads: boolean = features.threads;
/**
 * Whether threads are Node.js's: they start while the one that made them is blocked, and their death is certain to be
 * noticed.
 */
export const hasNodeThreads: boolean = hasThreads && nodeThreads !== undefined;

/** Whether this thread may sleep. A browser's main thread may not. */
export const canBlock: boolean = (() => {
  if (!features.sharedMemory) return false;
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1);
    return true;
  } catch {
    return false;
  }
})();

function availableThreads(): number {
  const os = builtin('node:os') as { availableParallelism?(): number } | undefined;
  const browser = (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator?.hardwareConcurrency;
  return os?.availableParallelism?.() ?? browser ?? 1;
}

/** How long to spin: on a single core it would only keep the other side from running. */
const spinFor = (microseconds: number): number => (availableThreads() > 1 ? microseconds : 0);
export const hostSpin = spinFor(SPIN);

/** Threads that a large launch is split over, the calling one included. */
export let numThreads: number = Math.min(availableThreads(), 8);

/** `torch.get_num_threads()`. */
export function getNumThreads(): number {
  return numThreads;
}

/**
 * `torch.set_num_threads(n)`. More than the device has room for is cut down to that.
 * @throws RuntimeError unless `n` is a positive integer.
 */
export function setNumThreads(n: number): void {
  if (!Number.isInteger(n) || n < 1) throw new RuntimeError('set_num_threads expects a positive integer');
  numThreads = Math.min(n, MAX_THREADS);
}

/** For tests: code that runs in the worker first, and Node.js's limits for it. */
export interface ThreadOptions {
  prelude?: string;
  resourceLimits?: { maxOldGenerationSizeMb?: number };
}

export interface Thread {
  /** Why it has ended, or null. May be asked while the event loop is blocked. */
  failure(): string | null;
  terminate(): void;
}

/** What some tools wrap around functions when they keep names; the text has to do without the tool's helper. */
const HELPERS = 'var __name = (f) => f;';

/** The program of a worker thread, as text. */
export function threadSource(): string {
  return `(${threadProgram.toString()})`;
}

/** Starts a thread of a device. */
export function startThread(
  role: 'executor' | 'helper',
  slot: number,
  { memory }: DeviceMemory,
  options: ThreadOptions = {},
): Thread {
  const spin = spinFor(role === 'helper' ? HELPER_SPIN : SPIN);
  const data: ThreadData = { role, slot, memory, store: kernelStore(), layout: LAYOUT, spin, canBlock: true };
  return nodeThreads ? startInNode(nodeThreads, data, options) : startInBrowser(data, options);
}

function startInNode(node: WorkerThreads, data: ThreadData, options: ThreadOptions): Thread {
  const { port1, port2 } = new node.MessageChannel();
  const begin = `const { workerData } = process.getBuiltinModule('node:worker_threads'); globalThis.port = workerData.port;`;
  // What goes wrong before the program can tell is told through the port.
  const end = `catch (error) { port.postMessage(String(error && error.message || error)); throw error; }`;
  const run = `try { ${options.prelude ?? ''}; ${threadSource()}(workerData.data); } ${end}`;
  const worker = new node.Worker(`${HELPERS} ${begin} ${run}`, {
    eval: true,
    workerData: { data, port: port2 },
    transferList: [port2],
    // Loaders that the process runs under are nothing to the worker, and slow it down.
    execArgv: [],
    resourceLimits: options.resourceLimits,
  });
  worker.unref();
  let port = port1;
  let ended: string | null = null;
  let terminated = false;
  worker.on('error', (error) => (ended ??= error.message));
  worker.on('exit', (code) => (ended ??= `it exited with code ${code}`));
  return {
    failure() {
      if (ended !== null || terminated) return ended;
      // This also lets the port take notice that the other end is closed.
      const told = node.receiveMessageOnPort(port);
      if (told !== undefined) return (ended = String(told.message));
      const through = new node.MessageChannel();
      try {
        through.port1.postMessage(port, [port]);
      } catch {
        return (ended = 'it ended without a word, by process.exit or because its heap was exhausted');
      }
      port = node.receiveMessageOnPort(through.port2)?.message as Port;
      through.port1.close();
      return null;
    },
    terminate() {
      terminated = true;
      void worker.terminate();
    },
  };
}

function startInBrowser(data: ThreadData, options: ThreadOptions): Thread {
  const source = `${HELPERS} ${options.prelude ?? ''}; self.onmessage = (event) => ${threadSource()}(event.data);`;
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(url);
  let ended: string | null = null;
  worker.onerror = (event) => {
    ended ??= event.message || 'it could not be started (a Content-Security-Policy needs worker-src blob:)';
  };
  worker.postMessage(data);
  return { failure: () => ended, terminate: () => worker.terminate() };
}

/** The text a thread left when it ended by an exception or met a trap. */
export function threadText(words: Int32Array): string {
  const at = LAYOUT.text;
  return String.fromCharCode(...words.subarray(at + 1, at + 1 + words[at]));
}
