/**
 * Pools of cached blocks: the default pair (small and large), and private ones for graph captures and MemPools.
 */
import type { Blocks } from './blocks.ts';
import { FreeSet } from './freeset.ts';
import { LARGE, SMALL } from './statistics.ts';

/** PyTorch's MempoolId_t: [0, n] for pools that a user made and for graph pool handles, [n, 0] for a graph's own. */
export type PoolId = readonly [number, number];

/** No private pool. */
export const DEFAULT_POOL: PoolId = [0, 0];

let userPools = 0;
let graphPools = 0;

/** The id of a new pool made by a user. One counter serves MemPools and graph pool handles of all devices. */
export function nextPoolId(): PoolId {
  return [0, ++userPools];
}

/** The id of the pool that a capture makes for itself. */
export function nextGraphPoolId(): PoolId {
  return [++graphPools, 0];
}

/** The id as a key of a map. */
export function poolKey(id: PoolId): string {
  return `${id[0]}_${id[1]}`;
}

/** Cached blocks of one kind. */
export class BlockPool {
  /** Cached blocks by stream. */
  readonly free: (FreeSet | undefined)[] = [];
  /** Unmapped blocks of expandable ranges by stream, in order of address. */
  readonly unmapped: (number[] | undefined)[] = [];
  /** How often it was searched, while garbage collection is on. */
  searches = 0;
  /** Its place in the statistics. */
  readonly kind: number;

  /** @param index its number in the allocator */
  constructor(
    readonly index: number,
    readonly small: boolean,
    readonly owner: PrivatePool | null,
    private readonly numbers: Blocks,
  ) {
    this.kind = small ? SMALL : LARGE;
  }

  get id(): PoolId {
    return this.owner === null ? DEFAULT_POOL : this.owner.id;
  }

  /** The cached blocks of a stream. */
  of(stream: number): FreeSet {
    return (this.free[stream] ??= new FreeSet(this.numbers));
  }

  /** Takes a block out of the unmapped ones. */
  removeUnmapped(stream: number, block: number): void {
    const list = this.unmapped[stream]!;
    list.splice(list.indexOf(block), 1);
  }

  /** All cached blocks, by stream, size and address. */
  blocks(): number[] {
    return this.free.flatMap((set) => set?.sorted() ?? []);
  }
}

/** Memory kept apart from everything else: blocks freed into it serve only allocations made into it. */
export class PrivatePool {
  /** Graphs, MemPool objects and contexts that use it. At 0 its cached segments may be given back. */
  useCount = 1;
  /** Bytes of device memory that it holds. */
  held = 0;
  /** Its free blocks may serve others as the last resort. */
  useOnOom = false;
  /** Its segments are never split. */
  noSplit = false;
  readonly small: BlockPool;
  readonly large: BlockPool;

  /** @param places its pools' numbers in the allocator */
  constructor(
    readonly id: PoolId,
    readonly places: readonly [number, number],
    numbers: Blocks,
  ) {
    this.small = new BlockPool(places[0], true, this, numbers);
    this.large = new BlockPool(places[1], false, this, numbers);
  }
}

/** Allocations of some streams go to a private pool. */
export interface Route {
  readonly pool: PrivatePool;
  /** Which streams' allocations. */
  readonly takes: (stream: number) => boolean;
  /** During a graph capture nothing may wait for events, and no cached memory is given back. */
  readonly capture: boolean;
}
