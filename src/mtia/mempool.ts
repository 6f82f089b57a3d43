/** `torch.mtia.MemPool`: memory of the caching allocator that is kept apart from everything else. */
import { type ContextGuard, context } from '../core/context.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { currentDevice, mtiaBackend } from '../devices/registry.ts';
import { allocatorOf } from '../devices/graph.ts';
import type { PoolHandle } from '../devices/pool-handle.ts';
import { Remains, settleAtDeath } from '../devices/remains.ts';
import { lifetimesOf } from '../devices/storage.ts';
import { nextPoolId } from '../memory/allocator/pools.ts';
import {
  beginAllocateToPool,
  endAllocateToPool,
  poolUseCount,
  releasePool,
  retainPool,
  setUseOnOom,
} from '../memory/allocator/private.ts';
import type { AllocatorConsumer } from '../memory/allocator-consumer.ts';
import type { Lifetimes } from '../memory/lifetimes.ts';
import type { SegmentDict } from '../memory/snapshot/index.ts';
import { typeName } from '../tensor/type-name.ts';
import { indexOf, type MtiaDevice } from './device.ts';
import { attributeHere } from './memory/figures.ts';
import { memory_snapshot } from './memory/history.ts';

export interface MemPoolOptions {
  /** Its free blocks may serve other allocations, as the last resort before an OutOfMemoryError. Default: false. */
  use_on_oom?: boolean;
  /** Every segment holds one block. Default: false. */
  no_split?: boolean;
}

/** The pool on a device, made there if need be; the device's lifetimes. */
let open: (pool: MemPool, index: number) => Lifetimes;

/**
 * Memory of a pool serves only what is allocated inside `use_mem_pool(pool, …)`, on whichever device that is. It goes back to
 * the device when the pool is disposed of, or no longer referred to, and its tensors are gone.
 *
 *     const pool = new torch.mtia.MemPool();
 *     const x = torch.mtia.use_mem_pool(pool, () => torch.empty(1000, { device: 'mtia' }));
 */
export class MemPool implements Disposable {
  /** `[0, n]`: as `graph_pool_handle()` has them, so a graph can share the pool. */
  readonly id: PoolHandle;
  /** PyTorch's allocator of its own; none here. */
  readonly allocator = null;
  readonly #devices = new Map<Lifetimes, () => void>();
  readonly #remains: Remains;
  readonly #noSplit: boolean;
  readonly #useOnOom: boolean;

  constructor(options?: MemPoolOptions | null);
  constructor(allocator: null, use_on_oom?: boolean | MemPoolOptions, no_split?: boolean | MemPoolOptions);
  constructor(...args: unknown[]) {
    const { use_on_oom, no_split } = argumentsOf(args);
    this.#useOnOom = use_on_oom;
    this.#noSplit = no_split;
    this.id = nextPoolId() as PoolHandle;
    const devices = this.#devices;
    this.#remains = new Remains(
      () => {},
      () => devices,
    );
    settleAtDeath(this, this.#remains);
    open(this, currentDevice());
  }

  /** How many use it on the current device: 1 while it is there, one more inside `use_mem_pool`. */
  use_count(): number {
    return poolUseCount(allocatorOf(lifetimesOf(mtiaBackend())!), this.id);
  }

  /** Its segments, on all devices. A commit point. As in PyTorch, `include_traces` says whether the history is looked at, too. */
  snapshot(include_traces = true): SegmentDict[] {
    void include_traces;
    return memory_snapshot(this.id);
  }

  /** Gives the pool up: what is free of it goes back to the device now, the rest when it is freed and the cache emptied. */
  dispose(): void {
    if (!this.#remains.isOpen) return;
    for (const lifetimes of this.#devices.keys()) {
      lifetimes.commit();
      attributeHere(lifetimes.consumer as AllocatorConsumer);
    }
    this.#remains.settle();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  static {
    open = (pool, index) => {
      if (!pool.#remains.isOpen) throw new RuntimeError('This MemPool was disposed of.');
      const lifetimes = lifetimesOf(mtiaBackend(index))!;
      if (pool.#devices.has(lifetimes)) return lifetimes;
      const allocator = allocatorOf(lifetimes);
      const { id } = pool;
      const made = retainPool(allocator, id);
      made.useOnOom = pool.#useOnOom;
      made.noSplit = pool.#noSplit;
      pool.#devices.set(lifetimes, () => {
        setUseOnOom(allocator, id, false);
        releasePool(allocator, id);
        allocator.emptyCache(id);
      });
      return lifetimes;
    };
  }
}

/**
 * Allocations on a device (by default the current one) go to the pool inside a block (`using _ = …`) or while `fn` runs. Its
 * begin and end are commit points.
 * @throws RuntimeError if they go to that pool already, or it was disposed of
 */
export function use_mem_pool(pool: MemPool, device?: MtiaDevice): ContextGuard;
export function use_mem_pool<T>(pool: MemPool, fn: () => T): T;
export function use_mem_pool<T>(pool: MemPool, device: MtiaDevice, fn: () => T): T;
export function use_mem_pool<T>(pool: MemPool, ...args: unknown[]): T | ContextGuard {
  if (!(pool instanceof MemPool)) {
    throw new TypeError(`use_mem_pool(): argument 'pool' must be torch.mtia.MemPool, not ${typeName(pool)}`);
  }
  const fn = typeof args.at(-1) === 'function' ? (args.pop() as () => T) : undefined;
  const index = indexOf(deviceOf(args[0]));
  return context(
    'torch.mtia.use_mem_pool',
    () => {
      const lifetimes = open(pool, index);
      const allocator = allocatorOf(lifetimes);
      lifetimes.commit();
      beginAllocateToPool(allocator, pool.id);
      lifetimes.limitsChanged();
      return () => {
        try {
          lifetimes.commit();
        } finally {
          endAllocateToPool(allocator, pool.id);
          releasePool(allocator, pool.id);
          lifetimes.limitsChanged();
        }
      };
    },
    fn,
  );
}

function deviceOf(given: unknown): MtiaDevice {
  const isOptions = typeof given === 'object' && given !== null && Object.getPrototypeOf(given) === Object.prototype;
  return (isOptions ? (given as { device?: MtiaDevice }).device : given) as MtiaDevice;
}

const NAMES = ['allocator', 'use_on_oom', 'no_split'];

/** `MemPool(allocator=None, use_on_oom=False, no_split=False)`, with names in a last object. */
function argumentsOf(args: readonly unknown[]): { use_on_oom: boolean; no_split: boolean } {
  const values: Record<string, unknown> = {};
  args.forEach((value, at) => {
    if (typeof value === 'object' && value !== null && at === args.length - 1) Object.assign(values, value);
    else values[NAMES[at] ?? at] = value;
  });
  for (const name in values) {
    if (!NAMES.includes(name)) throw new TypeError(`MemPool.__init__() got an unexpected keyword argument '${name}'`);
  }
  const { allocator = null, use_on_oom = false, no_split = false } = values;
  if (allocator !== null) {
    throw new NotImplementedError(
      'MemPool(): a pool with an allocator of its own is not implemented; pass null for the caching allocator',
    );
  }
  for (const [name, value] of Object.entries({ use_on_oom, no_split })) {
    if (typeof value !== 'boolean') {
      throw new TypeError(`MemPool(): argument '${name}' must be bool, not ${typeName(value)}`);
    }
  }
  return { use_on_oom: use_on_oom as boolean, no_split: no_split as boolean };
}
