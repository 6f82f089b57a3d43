/**
 * The state of a private pool, taken and put back: a tree of graph captures returns to the state after an earlier one
 * before it records the next.
 */
import { RuntimeError } from '../../core/errors.ts';
import type { Allocator } from './allocator.ts';
import { NEXT, UNMAPPED, WORDS } from './blocks.ts';
import { type PoolId, poolKey } from './pools.ts';
import { listSegments } from './segments.ts';

interface BlockState {
  readonly address: number;
  readonly size: number;
  readonly requested: number;
  readonly allocated: boolean;
}

/** Segments and their blocks. */
export interface PoolState {
  readonly id: PoolId;
  readonly segments: readonly (readonly BlockState[])[];
}

export interface Restored {
  /** Addresses of the blocks that were allocated before. */
  readonly freed: readonly number[];
  /** Blocks that are allocated now: those that are in the state. */
  readonly created: readonly number[];
}

/** @throws RuntimeError if there is no such pool, or nobody uses it any more */
export function poolState(allocator: Allocator, id: PoolId): PoolState {
  requirePool(allocator, id);
  const segments = listSegments(allocator, id).map((segment) =>
    segment.blocks.map(({ address, size, requested_size, state }) => ({
      address,
      size,
      requested: requested_size,
      allocated: state === 'active_allocated',
    })),
  );
  return { id, segments };
}

/**
 * Puts a pool back to a state. Segments made since stay, free.
 * @throws RuntimeError if a segment of the state is no more, or a block waits for events
 */
export function restorePool(allocator: Allocator, state: PoolState): Restored {
  requirePool(allocator, state.id);
  const freed: number[] = [];
  for (const segment of listSegments(allocator, state.id)) {
    for (const block of segment.blocks) {
      if (block.state === 'active_pending_free') {
        throw new RuntimeError('Events should have synchronized when setting checkpointed block');
      }
      if (block.state !== 'active_allocated') continue;
      freed.push(block.address);
      allocator.free(block.block);
    }
  }
  const heads = new Map(listSegments(allocator, state.id).map((segment) => [segment.address, segment.blocks[0].block]));
  const created: number[] = [];
  for (const segment of state.segments) {
    const head = heads.get(segment[0].address);
    if (head === undefined) throw new RuntimeError(` could not find ${segment[0].address}`);
    created.push(...restoreSegment(allocator, head, segment));
  }
  return { freed, created };
}

/** Cuts a free segment as the state says: first all of it is handed out, then what was free is freed. */
function restoreSegment(allocator: Allocator, head: number, segment: readonly BlockState[]): number[] {
  const cut: number[] = [];
  let rest = head;
  for (const { size, requested } of segment) {
    if (rest === 0 || (allocator.blocks.flags[rest] & UNMAPPED) !== 0) {
      throw new RuntimeError('the segment is smaller than it was');
    }
    const block = allocator.cutOff(rest, size, requested);
    rest = allocator.blocks.words[block * WORDS + NEXT];
    cut.push(block);
  }
  const created: number[] = [];
  segment.forEach(({ allocated }, at) => {
    if (allocated) created.push(cut[at]);
    else allocator.free(cut[at]);
  });
  return created;
}

function requirePool(allocator: Allocator, id: PoolId): void {
  const pool = allocator.privatePools.get(poolKey(id));
  if (pool === undefined) throw new RuntimeError('Could not find pool of id');
  if (pool.useCount === 0) throw new RuntimeError('Not expected to checkpoint freeable graph');
}
