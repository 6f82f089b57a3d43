/**
 * The segments with which a recording began, as its end and its events imply them.
 */
import { MIN_BLOCK_SIZE, SMALL_SIZE } from '../allocator/constants.ts';
import type { ImportedTrace, InitialBlock } from '../allocator/trace.ts';
import { ALLOC, FREE_COMPLETED, FREE_REQUESTED, SEGMENT_ALLOC, SEGMENT_MAP, SEGMENT_UNMAP } from './actions.ts';
import { isActive, type Segment } from './snapshot.ts';
import { type SnapshotTrace, unpackPool } from './trace.ts';

export interface HeldBlock {
  /** Number of the initial allocation. */
  readonly id: number;
  readonly address: number;
  readonly end: number;
}

/** What was not held is free. */
export interface InitialSegment {
  readonly address: number;
  readonly size: number;
  /** As recorded. */
  readonly stream: number;
  readonly small: boolean;
  readonly pool: readonly [number, number];
  /** By address. */
  readonly held: HeldBlock[];
}

/**
 * Segments at the end that were not made during the recording, and those given back without having been made.
 * @param final the device's segments at the end
 * @param imported the device's trace
 * @returns null if it cannot be told: expandable ones leave no trace of how they began
 */
export function initialSegments(
  rows: SnapshotTrace,
  final: readonly Segment[],
  { initial }: ImportedTrace,
): InitialSegment[] | null {
  const made = new Set<number>();
  const found = new Map<number, InitialSegment>();
  let mapped = 0;
  for (let at = 0; at < rows.length; at++) {
    const action = rows.actions.get(at);
    if (action < SEGMENT_ALLOC || action > SEGMENT_UNMAP) continue;
    const address = rows.addresses.get(at);
    const size = rows.sizes.get(at);
    if (action === SEGMENT_MAP) mapped += size;
    else if (action === SEGMENT_UNMAP) mapped -= size;
    else if (action === SEGMENT_ALLOC) made.add(address);
    else if (!made.delete(address) && !found.has(address)) {
      const pool = unpackPool(Math.max(0, rows.pools.get(at)));
      const stream = rows.streams.get(at);
      found.set(address, { address, size, stream, small: size === 2 * SMALL_SIZE, pool, held: [] });
    }
  }
  for (const { address, total_size: size, stream, segment_type, segment_pool_id: pool, is_expandable } of final) {
    if (is_expandable) mapped -= size;
    else if (!made.has(address))
      found.set(address, { address, size, stream, small: segment_type === 'small', pool, held: [] });
  }
  if (mapped !== 0) return null;
  const segments = [...found.values()].sort((a, b) => a.address - b.address);
  return addHeld(segments, initial, rows, final) ? segments : null;
}

/** Puts the blocks into their segments; false if one is in none, or cannot be there. */
function addHeld(
  segments: readonly InitialSegment[],
  initial: readonly InitialBlock[],
  rows: SnapshotTrace,
  final: readonly Segment[],
): boolean {
  const ends = new Ends(rows, initial, final);
  let id = 0;
  for (const segment of segments) {
    const end = segment.address + segment.size;
    for (; id < initial.length && initial[id].address < end; id++) {
      const { address } = initial[id];
      if (address < segment.address || (address - segment.address) % MIN_BLOCK_SIZE !== 0) return false;
      const limit = Math.min(initial[id + 1]?.address ?? end, end);
      ends.add(id, limit, segment.small);
      segment.held.push({ id, address, end: limit });
    }
  }
  if (id < initial.length) return false;
  ends.decide();
  for (const { held } of segments)
    for (const [index, { id, address, end }] of held.entries())
      held[index] = { id, address, end: Math.min(end, ends.of[id]) };
  return true;
}

interface OpenBlock {
  readonly id: number;
  readonly limit: number;
  decided: boolean;
}

/**
 * Where blocks ended that were held at first. Of one that is still there it is known. In the large pool a block may have kept a
 * rest of up to 1 MiB: a shorter gap after it can only be that, and otherwise the next allocation in the gap began where
 * the block ended.
 */
class Ends {
  /** By number of the allocation. */
  readonly of: Float64Array;
  readonly #rows: SnapshotTrace;
  readonly #initial: readonly InitialBlock[];
  /** Ends of the blocks that are there at the end, by address. */
  readonly #final = new Map<number, number>();
  /** Blocks to be decided by the rows, by address. */
  readonly #open: OpenBlock[] = [];

  constructor(rows: SnapshotTrace, initial: readonly InitialBlock[], final: readonly Segment[]) {
    this.of = new Float64Array(initial.length);
    this.#rows = rows;
    this.#initial = initial;
    for (const { blocks } of final)
      for (const block of blocks) if (isActive(block)) this.#final.set(block.address, block.address + block.size);
    const held = new Set(initial.map(({ address }) => address));
    const free = rows.otherActionNumber('free');
    for (let at = 0; at < rows.length; at++) {
      const action = rows.actions.get(at);
      if (action !== FREE_REQUESTED && action !== FREE_COMPLETED && action !== free) continue;
      const address = rows.addresses.get(at);
      if (held.has(address)) this.#final.delete(address);
    }
  }

  /** @param limit where the next block begins, or the segment ends */
  add(id: number, limit: number, small: boolean): void {
    const { address, requested } = this.#initial[id];
    const known = this.#final.get(address);
    const rounded = address + Math.max(1, Math.ceil(requested / MIN_BLOCK_SIZE)) * MIN_BLOCK_SIZE;
    this.of[id] = known ?? rounded;
    if (known !== undefined || small) return;
    if (limit - rounded <= SMALL_SIZE) this.of[id] = limit;
    else this.#open.push({ id, limit, decided: false });
  }

  decide(): void {
    const { actions, addresses, length } = this.#rows;
    let left = this.#open.length;
    for (let at = 0; at < length && left > 0; at++) {
      const action = actions.get(at);
      if (action > FREE_COMPLETED) continue;
      const address = addresses.get(at);
      const block = this.#openBefore(address);
      if (block === undefined || block.decided || address >= block.limit) continue;
      if (address !== this.#initial[block.id].address) {
        if (action !== ALLOC) continue;
        if (address - this.of[block.id] <= SMALL_SIZE) this.of[block.id] = Math.max(address, this.of[block.id]);
      }
      block.decided = true;
      left--;
    }
  }

  /** The last one that begins at an address or below it. */
  #openBefore(address: number): OpenBlock | undefined {
    let low = 0;
    let high = this.#open.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#initial[this.#open[middle].id].address <= address) low = middle + 1;
      else high = middle;
    }
    return this.#open[low - 1];
  }
}
