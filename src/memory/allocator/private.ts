/**
 * Private pools in use: graph captures and MemPools divert allocations to a pool of their own and count its users.
 */
import { RuntimeError } from '../../core/errors.ts';
import type { Allocator } from './allocator.ts';
import { nextPoolId, type PoolId, type PrivatePool, poolKey } from './pools.ts';
import { listSegments, type SegmentInfo } from './segments.ts';
import { ACTIVE_BYTES } from './statistics.ts';

/** Makes the pool, or counts one more user of it. */
export function retainPool(allocator: Allocator, id: PoolId): PrivatePool {
  const existing = allocator.privatePools.get(poolKey(id));
  if (existing !== undefined) {
    existing.useCount++;
    return existing;
  }
  return allocator.createPrivatePool(id);
}

function existingPool(allocator: Allocator, id: PoolId): PrivatePool {
  const pool = allocator.privatePools.get(poolKey(id));
  if (pool === undefined) throw new RuntimeError('Could not find pool of id');
  return pool;
}

/** One user less. When nobody uses it any more, its cached segments may be given back. */
export function releasePool(allocator: Allocator, id: PoolId): void {
  const pool = existingPool(allocator, id);
  if (pool.useCount === 0) throw new RuntimeError('releasePool: the pool is not in use');
  pool.useCount--;
}

/** `use_count`; 0 for a pool that is gone. */
export function poolUseCount(allocator: Allocator, id: PoolId): number {
  return allocator.privatePools.get(poolKey(id))?.useCount ?? 0;
}

/** Bytes of a pool's cached blocks. */
function cachedIn(allocator: Allocator, { small, large }: PrivatePool): number {
  let bytes = 0;
  for (const pool of [small, large]) for (const block of pool.blocks()) bytes += allocator.sizeOf(block);
  return bytes;
}

/**
 * Cached bytes that an allocation made now cannot have, whatever is given back: those of private pools in use; in a graph
 * capture all but the ones of its own pool.
 */
export function cachedOutOfReach(allocator: Allocator): number {
  if (allocator.privatePools.size === 0) return 0;
  const route = allocator.routes.at(-1);
  if (route?.capture) {
    return allocator.reserved - allocator.statistics.current(ACTIVE_BYTES) - cachedIn(allocator, route.pool);
  }
  let bytes = 0;
  for (const pool of allocator.privatePools.values()) {
    if (pool !== route?.pool && pool.useCount > 0 && !pool.useOnOom) bytes += cachedIn(allocator, pool);
  }
  return bytes;
}

/** May its free blocks serve other requests as the last resort? */
export function setUseOnOom(allocator: Allocator, id: PoolId, use: boolean): void {
  const pool = allocator.privatePools.get(poolKey(id));
  if (pool !== undefined) pool.useOnOom = use;
}

/** One block per segment from now on. */
export function setNoSplit(allocator: Allocator, id: PoolId): void {
  existingPool(allocator, id).noSplit = true;
}

/**
 * Allocations of the streams that `takes` accepts go to the pool, until `endAllocateToPool`. Counts as a user of the pool
 * until `releasePool`.
 * @param capture a graph capture: events are not asked and no cached memory is given back meanwhile
 */
export function beginAllocateToPool(
  allocator: Allocator,
  id: PoolId,
  takes: (stream: number) => boolean = () => true,
  capture = false,
): void {
  if (allocator.routes.some((route) => poolKey(route.pool.id) === poolKey(id))) {
    throw new RuntimeError('beginAllocateToPool: already recording to mempool_id');
  }
  allocator.routes.push({ pool: retainPool(allocator, id), takes, capture });
}

export function endAllocateToPool(allocator: Allocator, id: PoolId): void {
  const at = allocator.routes.findIndex((route) => poolKey(route.pool.id) === poolKey(id));
  if (at < 0) throw new RuntimeError('endAllocatePool: not currently recording to mempool_id');
  allocator.routes.splice(at, 1);
}

/** PyTorch's MemPool on one allocator. */
export class MemPool {
  readonly id: PoolId;
  private open = true;

  /**
   * @param options.useOnOom its free blocks may serve other requests as the last resort
   * @param options.noSplit one block per segment
   */
  constructor(
    private readonly allocator: Allocator,
    options: { readonly useOnOom?: boolean; readonly noSplit?: boolean; readonly id?: PoolId } = {},
  ) {
    this.id = options.id ?? nextPoolId();
    const pool = retainPool(allocator, this.id);
    pool.useOnOom = options.useOnOom ?? false;
    pool.noSplit = options.noSplit ?? false;
  }

  /** 1 while the object lives, one more inside `use`. */
  useCount(): number {
    return poolUseCount(this.allocator, this.id);
  }

  /** Runs `body` with allocations going to the pool. */
  use<T>(body: () => T, takes?: (stream: number) => boolean): T {
    beginAllocateToPool(this.allocator, this.id, takes);
    try {
      return body();
    } finally {
      endAllocateToPool(this.allocator, this.id);
      releasePool(this.allocator, this.id);
    }
  }

  /** The pool's segments. */
  snapshot(): SegmentInfo[] {
    return listSegments(this.allocator, this.id);
  }

  /** Gives up the pool: what is free of it goes back to the device now, the rest when it is freed and the cache emptied. */
  dispose(): void {
    if (!this.open) return;
    this.open = false;
    setUseOnOom(this.allocator, this.id, false);
    releasePool(this.allocator, this.id);
    this.allocator.emptyCache(this.id);
  }
}
