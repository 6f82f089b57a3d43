/**
 * Backing store that belongs to captured graphs. A replay writes to the addresses that the capture saw, so what a capture
 * has allocated stays set aside until its graph is reset, even if every tensor over it is gone. What was freed may serve
 * later allocations of the same capture, and of other captures that share the pool; nothing else.
 */
import type { DeviceMemory } from './memory.ts';

/** How much larger than a request a block may be that serves it. */
const SLACK = 2;
/** The same for blocks from this many bytes on. */
const LARGE = 1 << 20;
const LARGE_SLACK = 1.25;

interface Block {
  readonly address: number;
  /** As it was asked of the heap. */
  readonly bytes: number;
  readonly store: GraphStore;
  /** Number of the capture that allocated it last. */
  capture: number;
}

/** The memory of the graphs that share a pool. */
export class GraphStore {
  /** Graphs, and captures under way. */
  users = 0;
  /** Freed blocks, by size. */
  readonly idle: Block[] = [];

  constructor(
    private readonly owner: GraphMemory,
    readonly key: string,
  ) {}

  allocate(bytes: number, capture: number): number {
    return this.owner.allocateFor(this, bytes, capture);
  }

  retain(): void {
    this.users++;
  }

  /** One user less. Without any, what is free goes back to the device at once, and the rest when it is freed. */
  release(): void {
    if (--this.users === 0) this.owner.giveBack(this);
  }
}

/** All of it on one device. */
export class GraphMemory {
  private readonly blocks = new Map<number, Block>();
  private readonly stores = new Map<string, GraphStore>();

  constructor(private readonly memory: DeviceMemory) {}

  /** Whether nothing is set aside any more. */
  get isEmpty(): boolean {
    return this.blocks.size === 0 && this.stores.size === 0;
  }

  /** The store of a pool, made when it is first asked for. */
  store(key: string): GraphStore {
    let store = this.stores.get(key);
    if (store === undefined) this.stores.set(key, (store = new GraphStore(this, key)));
    return store;
  }

  /** Whether the block at this address was allocated by this capture. */
  isOf(address: number, capture: number): boolean {
    return this.blocks.get(address)?.capture === capture;
  }

  allocateFor(store: GraphStore, bytes: number, capture: number): number {
    const { idle } = store;
    const at = firstOf(idle, bytes);
    if (at < idle.length && idle[at].bytes <= bytes * (bytes < LARGE ? SLACK : LARGE_SLACK)) {
      const [block] = idle.splice(at, 1);
      block.capture = capture;
      return block.address;
    }
    const address = this.memory.allocate(bytes);
    this.blocks.set(address, { address, bytes, store, capture });
    return address;
  }

  /** Takes a block back if it is one of these; false: the heap's own. */
  free(address: number): boolean {
    const block = this.blocks.get(address);
    if (block === undefined) return false;
    const { store, bytes } = block;
    if (store.users > 0) store.idle.splice(firstOf(store.idle, bytes), 0, block);
    else {
      this.blocks.delete(address);
      this.memory.free(address, bytes);
    }
    return true;
  }

  giveBack(store: GraphStore): void {
    this.stores.delete(store.key);
    for (const { address, bytes } of store.idle.splice(0)) {
      this.blocks.delete(address);
      this.memory.free(address, bytes);
    }
  }
}

/** Where the first block of at least so many bytes is, in a list by size. */
function firstOf(list: readonly Block[], bytes: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].bytes < bytes) low = middle + 1;
    else high = middle;
  }
  return low;
}
