/**
 * `torch.mtia.MTIAGraph` and its kin: launches captured once and replayed without the work of the operations that made
 * them (docs/graphs.md).
 */
import { AssertionError } from '../core/errors.ts';
import { isOptions } from '../core/signature.ts';
import { typeName } from '../tensor/type-name.ts';
import type { ContextGuard } from '../core/context.ts';
import '../accelerator/capture-streams.ts';
import type { Stream } from '../accelerator/stream.ts';
import { nextPoolId } from '../memory/allocator/pools.ts';
import { DeviceGraph, isCurrentStreamCapturing } from '../devices/graph.ts';
import { captureContext } from '../devices/capture-context.ts';
import { type PoolHandle, poolHandle } from '../devices/pool-handle.ts';
import { empty_cache } from './memory/index.ts';
import { synchronize } from './device.ts';
import { current_stream, stream as streamContext } from './streams.ts';

/** `torch.mtia.graph_pool_handle()`: the id of a memory pool for graphs to share. Makes nothing yet. */
export function graph_pool_handle(): PoolHandle {
  return nextPoolId() as PoolHandle;
}

/**
 * `torch.mtia.is_current_stream_capturing()`: whether launches on the current stream are captured. Asking does not use the
 * device.
 */
export function is_current_stream_capturing(): boolean {
  return isCurrentStreamCapturing();
}

export interface MTIAGraphOptions {
  /** Leaves `instantiate` to the caller, or to the first replay, which may be done again. Default: false. */
  keep_graph?: boolean;
}

/** `torch.mtia.MTIAGraph(keep_graph)`: launches of one device. */
export class MTIAGraph {
  readonly #graph: DeviceGraph;

  constructor(keep_graph: boolean | MTIAGraphOptions = false) {
    this.#graph = new DeviceGraph('MTIAGraph', keepGraph(keep_graph));
  }

  /**
   * Captures what the current stream is given from now on: launches are written down and do not run.
   *
   * @param pool memory to share with other graphs: another graph's `pool()` or a `graph_pool_handle()`; [0, 0] for none
   * @throws RuntimeError if the graph owns a capture already, or another one is under way
   */
  capture_begin(pool: readonly [number, number]): void {
    if (pool === undefined) {
      throw new TypeError("MTIAGraph.capture_begin() missing 1 required positional argument: 'pool'");
    }
    this.#graph.captureBegin(poolHandle(pool, 'capture_begin'));
  }

  /**
   * Ends the capture.
   * @throws RuntimeError if something was done in it that cannot be captured; it leaves nothing behind then
   */
  capture_end(): void {
    this.#graph.captureEnd();
  }

  /** Makes the graph ready for replay. `capture_end` does so unless the graph is kept. */
  instantiate(): void {
    this.#graph.instantiate();
  }

  /** Gives all captured launches to the device again, in order, on its current stream. */
  replay(): void {
    this.#graph.replay();
  }

  /** Lets go of what was captured and of its memory. A new capture may follow. */
  reset(): void {
    this.#graph.reset();
  }

  /** The pool of the graph's memory, for other graphs to share. */
  pool(): PoolHandle {
    return this.#graph.pool() as PoolHandle;
  }
}

function keepGraph(given: unknown): boolean {
  if (isOptions(given)) {
    for (const name in given) {
      if (name !== 'keep_graph')
        throw new TypeError(`MTIAGraph.__new__() got an unexpected keyword argument '${name}'`);
    }
  }
  const keep = isOptions(given) ? ((given as MTIAGraphOptions).keep_graph ?? false) : given;
  if (typeof keep !== 'boolean')
    throw new TypeError(`MTIAGraph(): argument 'keep_graph' must be bool, not ${typeof keep}`);
  return keep;
}

export interface GraphOptions {
  /** Memory to share with other graphs. */
  pool?: readonly [number, number] | null;
  /** What is captured: made the current stream meanwhile. Default: `graph.default_capture_stream`. */
  stream?: Stream | null;
}

/**
 * `torch.mtia.graph(mtia_graph, { pool, stream })`: captures what is done inside a block (`using _ = …`) or while `fn` runs.
 * Waits for the device and empties the cache first.
 *
 *     const g = new torch.mtia.MTIAGraph();
 *     const y = torch.mtia.graph(g, () => model(x));
 *     x.copy_(batch);
 *     g.replay(); // y has the new result
 */
export function graph(mtia_graph: MTIAGraph, options?: GraphOptions | null): ContextGuard;
export function graph(
  mtia_graph: MTIAGraph,
  pool: readonly [number, number] | null,
  stream?: Stream | null,
): ContextGuard;
export function graph<T>(mtia_graph: MTIAGraph, fn: () => T): T;
export function graph<T>(mtia_graph: MTIAGraph, options: GraphOptions | null, fn: () => T): T;
export function graph<T>(
  mtia_graph: MTIAGraph,
  pool: readonly [number, number] | null,
  stream: Stream | null,
  fn: () => T,
): T;
export function graph(mtia_graph: MTIAGraph, ...args: unknown[]): unknown {
  if (!(mtia_graph instanceof MTIAGraph)) {
    throw new TypeError(
      mtia_graph === undefined
        ? "graph.__init__() missing 1 required positional argument: 'mtia_graph'"
        : `graph(): argument 'mtia_graph' must be torch.mtia.MTIAGraph, not ${typeName(mtia_graph)}`,
    );
  }
  const fn = typeof args.at(-1) === 'function' ? (args.pop() as () => unknown) : undefined;
  const { pool, stream } = optionsOf(args);
  graph.default_capture_stream ??= current_stream();
  const target = stream ?? graph.default_capture_stream;
  if (target === null) throw new AssertionError('capture_stream must not be None');
  return captureContext('torch.mtia.graph', fn, () => {
    synchronize();
    empty_cache();
    const guard = streamContext(target);
    try {
      mtia_graph.capture_begin(pool ?? [0, 0]);
    } catch (error) {
      guard.exit();
      throw error;
    }
    return () => {
      try {
        mtia_graph.capture_end();
      } finally {
        guard.exit();
      }
    };
  });
}

/** The stream of captures that are given none: the one that was current at the first. */
graph.default_capture_stream = null as Stream | null;

function optionsOf(args: readonly unknown[]): GraphOptions {
  const [first] = args;
  if (first === undefined || first === null || Array.isArray(first)) {
    return { pool: first as GraphOptions['pool'], stream: args[1] as GraphOptions['stream'] };
  }
  for (const name in first as object) {
    if (name !== 'pool' && name !== 'stream') {
      throw new TypeError(`graph.__init__() got an unexpected keyword argument '${name}'`);
    }
  }
  return first;
}
