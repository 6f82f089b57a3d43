/** `torch.accelerator.Graph`: launches captured once and replayed, by names that are the same for every accelerator. */
import type { ContextGuard } from '../core/context.ts';
import { RuntimeError } from '../core/errors.ts';
import { isOptions } from '../core/signature.ts';
import { captureContext } from '../devices/capture-context.ts';
import { DeviceGraph } from '../devices/graph.ts';
import { kernels } from '../devices/kernels.ts';
import { type PoolHandle, poolHandle } from '../devices/pool-handle.ts';
import { warn } from '../core/warn.ts';
import { typeName } from '../tensor/type-name.ts';
import { nextPoolId } from '../memory/allocator/pools.ts';
import './capture-streams.ts';
import { needAccelerator, synchronize } from './device.ts';
import { empty_cache, empty_host_cache } from './memory.ts';

/** `torch.accelerator.generate_graph_pool_handle()`: the id of a memory pool for graphs to share. Makes nothing yet. */
export function generate_graph_pool_handle(): PoolHandle {
  needAccelerator();
  return nextPoolId() as PoolHandle;
}

const MODES = ['default', 'global', 'thread_local', 'relaxed'] as const;
/** How strict a capture is with what must not be done meanwhile. All are the same here: there is one thread. */
export type CaptureErrorMode = (typeof MODES)[number];

export interface AcceleratorGraphOptions {
  /** Leaves `instantiate` to the caller, or to the first replay. Default: false. */
  keep_graph?: boolean;
  /** Memory to share with other graphs. Default: none. */
  pool?: readonly [number, number] | null;
  capture_error_mode?: CaptureErrorMode;
}

/** Whether graphs captured from now on can be dumped: of all of them, as in PyTorch. */
let debug = false;

const NAMES = ['keep_graph', 'pool', 'capture_error_mode'];

/** `torch.accelerator.Graph(keep_graph, { pool, capture_error_mode })`. */
export class Graph {
  readonly #graph: DeviceGraph;
  /** What `debug_dump` may still show. */
  #raw = false;
  /** The pool of the next capture. */
  graph_pool: readonly [number, number] | null;
  capture_error_mode: CaptureErrorMode;

  constructor(keep_graph: boolean | AcceleratorGraphOptions = false, options: AcceleratorGraphOptions = {}) {
    if (!isOptions(options)) {
      throw new TypeError('Graph.__new__() takes from 1 to 2 positional arguments but 3 were given');
    }
    const given: AcceleratorGraphOptions = typeof keep_graph === 'object' ? keep_graph : { ...options, keep_graph };
    for (const name in given) {
      if (!NAMES.includes(name)) throw new TypeError(`Graph.__new__() got an unexpected keyword argument '${name}'`);
    }
    needAccelerator();
    const keep = given.keep_graph ?? false;
    if (typeof keep !== 'boolean')
      throw new TypeError(`Graph(): argument 'keep_graph' must be bool, not ${typeof keep}`);
    this.#graph = new DeviceGraph('MTIAGraph', keep);
    this.graph_pool = given.pool ?? null;
    this.capture_error_mode = given.capture_error_mode ?? 'default';
  }

  /**
   * Captures what the current stream is given from now on: launches are written down and do not run.
   * @throws RuntimeError if the graph owns a capture already, or another one is under way
   */
  capture_begin(): void {
    if (!MODES.includes(this.capture_error_mode)) {
      throw new RuntimeError(
        `Unknown capture error mode. Expected \`default\`, \`global\`, \`thread_local\`, or \`relaxed\`, got ${this.capture_error_mode}`,
      );
    }
    this.#graph.captureBegin(poolHandle(this.graph_pool, 'capture_begin'));
  }

  /**
   * Ends the capture.
   * @throws RuntimeError if something was done in it that cannot be captured; it leaves nothing behind then
   */
  capture_end(): void {
    this.#graph.captureEnd();
    this.#raw = this.#graph.keepGraph || debug;
  }

  /**
   * Captures what is done inside a block (`using _ = graph.within()`) or while `fn` runs: PyTorch's `with graph:`. Waits for
   * the device and empties its cache and the host's first.
   */
  within(): ContextGuard;
  within<T>(fn: () => T): T;
  within<T>(fn?: () => T): T | ContextGuard {
    return captureContext('torch.accelerator.Graph', fn, () => {
      synchronize();
      empty_cache();
      empty_host_cache();
      this.capture_begin();
      return () => this.capture_end();
    });
  }

  /** Makes the graph ready for replay. `capture_end` does so unless the graph is kept. */
  instantiate(): void {
    this.#graph.instantiate();
  }

  /** Gives all captured launches to the device again, in order, on its current stream. */
  replay(): void {
    this.#graph.replay();
  }

  /** Lets go of what was captured and of its memory. A new capture may follow, with another `graph_pool`. */
  reset(): void {
    this.#raw = false;
    this.#graph.reset();
  }

  /** The pool of the graph's memory, for other graphs to share. */
  pool(): PoolHandle {
    return this.#graph.pool() as PoolHandle;
  }

  /** From now on captures keep what `debug_dump` shows. */
  enable_debug_mode(): void {
    debug = true;
  }

  /**
   * Writes the graph, as Graphviz's dot, to a file. Only of a kept graph, or once in debug mode.
   * @throws RuntimeError unless the name ends with .dot, and where there are no files
   */
  debug_dump(path: string): void {
    if (typeof path !== 'string') {
      throw new TypeError(`debug_dump(): argument 'path' must be str, not ${typeName(path)}`);
    }
    if (!path.endsWith('.dot')) {
      throw new RuntimeError(`debug_path must end with .dot extension, got: ${path}`);
    }
    if (!debug && !this.#graph.keepGraph) {
      warn('MTIA Graphs debug not enabled, set with [graph].enable_debug_mode()');
      return;
    }
    const launches = this.#graph.kernels;
    if (!this.#raw || launches === null) return;
    const fs = globalThis.process?.getBuiltinModule?.('node:fs');
    if (fs === undefined) throw new RuntimeError('debug_dump() needs the file system of Node.js');
    fs.writeFileSync(path, dot(launches));
    if (!this.#graph.keepGraph) this.#raw = false;
  }
}

/** The launches in their order. */
function dot(launches: readonly (number | null)[]): string {
  const name = (kernel: number | null): string => (kernel === null ? 'host copy' : kernels().name(kernel));
  const lines = launches.map((kernel, i) => `  n${i} [label="${i}: ${name(kernel).replaceAll('"', '')}"];`);
  for (let i = 1; i < launches.length; i++) lines.push(`  n${i - 1} -> n${i};`);
  return `digraph mtia {\n  node [shape=box];\n${lines.join('\n')}\n}\n`;
}
