/** Ids of memory pools, as people give them. */
import { RuntimeError } from '../core/errors.ts';
import type { PoolId } from '../memory/allocator/pools.ts';

/** PyTorch's `(int, int)`: opaque. */
export type PoolHandle = [number, number];

/**
 * The pool that is meant by an argument; none is [0, 0].
 * @throws TypeError for what is no pair of whole numbers, RuntimeError for a pair that no pool has
 */
export function poolHandle(pool: unknown, name: string): PoolId {
  if (pool === null || pool === undefined) return [0, 0];
  if (!Array.isArray(pool) || pool.length !== 2 || !pool.every((n) => Number.isSafeInteger(n) && n >= 0)) {
    throw new TypeError(`${name}(): argument 'pool' must be tuple of 2 ints`);
  }
  const [first, second] = pool as PoolHandle;
  if (first !== 0 && second !== 0) {
    throw new RuntimeError(`${name}(): [${first}, ${second}] is no pool: one of the two numbers is 0`);
  }
  return [first, second];
}
