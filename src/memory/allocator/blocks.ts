/**
 * The blocks of one allocator: pieces of segments, handed out or cached, linked to their neighbours.
 *
 * A block is a number. What is read of it most often lies together in 32 bytes of one buffer, which `doubles` and `words`
 * both view, so that few cache lines are touched; neither a block nor an event on one is an object. Number 0 is PyTorch's
 * null pointer: no block.
 */

/** Fields in `doubles`, at `block * DOUBLES + field`. */
export const DOUBLES = 4;
export const ADDRESS = 0;
/** Bytes, rounding and unsplit rest included. */
export const SIZE = 1;

/** Fields in `words`, at `block * WORDS + field`. */
export const WORDS = 8;
/** Neighbours in the segment; 0: none. */
export const PREV = 4;
export const NEXT = 5;
export const STREAM = 6;
/** Index of the pool. */
export const POOL = 7;

// Flags, in `flags` by block. They lie apart since neighbours' flags are read most often, and nothing else of them.
/** The number is in use. */
export const EXISTS = 1;
/** Handed out. */
export const ALLOCATED = 2;
/** Used on other streams, by `recordStream`. */
export const USED_ELSEWHERE = 4;
/** Freed, and waiting for events. */
export const PENDING = 8;
/** Address space of an expandable range without memory behind it. */
export const UNMAPPED = 16;
/** It was over `max_split_size` when it was handed out. */
export const OVERSIZE = 32;
/** Straight from the device, while caching was off. */
export const UNCACHED = 64;
/** Part of an expandable range. */
export const EXPANDABLE = 128;

/** Set in a block that cannot be merged with a free neighbour. */
export const BUSY = ALLOCATED | USED_ELSEWHERE | PENDING;

export class Blocks {
  doubles = new Float64Array(64 * DOUBLES);
  words = new Int32Array(this.doubles.buffer);
  flags = new Uint8Array(64);
  /** Bytes that the last caller asked for. */
  requested = new Float64Array(64);
  /** The pool's count of searches when the block was cached. */
  searches = new Float64Array(64);
  /** Events on other streams that its free waits for. */
  events = new Int32Array(64);
  /** Index of the expandable range that it is part of. */
  ranges = new Int32Array(64);
  /** Where a cached block is in the heap of its size. */
  positions = new Int32Array(64);
  /** Numbers given out so far, 0 included. */
  end = 1;
  /** Numbers to be given out again, linked through PREV. */
  private unused = 0;

  /** What lies apart is as it was when the number was last in use: nothing waits for events, `requested` is anything. */
  create(address: number, size: number, stream: number, pool: number): number {
    let block = this.unused;
    if (block !== 0) this.unused = this.words[block * WORDS + PREV];
    else {
      block = this.end++;
      if (block * DOUBLES === this.doubles.length) this.grow();
    }
    const d = block * DOUBLES;
    const { doubles, words } = this;
    doubles[d + ADDRESS] = address;
    doubles[d + SIZE] = size;
    const w = block * WORDS;
    words[w + PREV] = 0;
    words[w + NEXT] = 0;
    words[w + STREAM] = stream;
    words[w + POOL] = pool;
    this.flags[block] = EXISTS;
    return block;
  }

  destroy(block: number): void {
    this.flags[block] = 0;
    this.words[block * WORDS + PREV] = this.unused;
    this.unused = block;
  }

  /** Makes a block part of an expandable range. */
  setRange(block: number, range: number): void {
    this.flags[block] |= EXPANDABLE;
    this.ranges[block] = range;
  }

  private grow(): void {
    this.doubles = doubled(this.doubles);
    this.words = new Int32Array(this.doubles.buffer);
    this.flags = doubled(this.flags);
    this.requested = doubled(this.requested);
    this.searches = doubled(this.searches);
    this.events = doubled(this.events);
    this.ranges = doubled(this.ranges);
    this.positions = doubled(this.positions);
  }
}

function doubled<T extends Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>>(array: T): T {
  const grown = new (array.constructor as new (length: number) => T)(2 * array.length);
  grown.set(array);
  return grown;
}
