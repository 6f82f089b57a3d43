/**
 * The blocks of one allocator: pieces of segments, handed out or cached, linked to their neighbours.
 *
 * A block is a number. Its fields lie together in 64 bytes (one cache line) of one buffer, which `doubles` and `words`
 * both view; so neither a block nor an event on one is an object. Number 0 is PyTorch's null pointer: no block.
 */

/** Fields in `doubles`, at `block * DOUBLES + field`. */
export const DOUBLES = 8;
export const ADDRESS = 0;
/** Bytes, rounding and unsplit rest included. */
export const SIZE = 1;
/** Bytes that the last caller asked for. */
export const REQUESTED = 2;
/** The pool's count of searches when the block was cached. */
export const SEARCHES = 3;

/** Fields in `words`, at `block * WORDS + field`. */
export const WORDS = 16;
/** Neighbours in the segment; 0: none. */
export const PREV = 8;
export const NEXT = 9;
export const STREAM = 10;
/** Index of the pool. */
export const POOL = 11;
/** Events on other streams that its free waits for. */
export const EVENTS = 12;
/** Index of the expandable range that it is part of; 0: an ordinary segment. */
export const RANGE = 13;

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

/** Set in a block that cannot be merged with a free neighbour. */
export const BUSY = ALLOCATED | USED_ELSEWHERE | PENDING;

export class Blocks {
  doubles = new Float64Array(64 * DOUBLES);
  words = new Int32Array(this.doubles.buffer);
  flags = new Uint8Array(64);
  /** Where a cached block is in the heap of its size. */
  positions = new Int32Array(64);
  /** Numbers given out so far, 0 included. */
  end = 1;
  /** Numbers to be given out again, linked through PREV. */
  private unused = 0;

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
    doubles[d + REQUESTED] = 0;
    doubles[d + SEARCHES] = 0;
    const w = block * WORDS;
    words[w + PREV] = 0;
    words[w + NEXT] = 0;
    words[w + STREAM] = stream;
    words[w + POOL] = pool;
    this.flags[block] = EXISTS;
    words[w + EVENTS] = 0;
    words[w + RANGE] = 0;
    return block;
  }

  destroy(block: number): void {
    this.flags[block] = 0;
    this.words[block * WORDS + PREV] = this.unused;
    this.unused = block;
  }

  private grow(): void {
    const doubles = new Float64Array(this.doubles.length * 2);
    doubles.set(this.doubles);
    this.doubles = doubles;
    this.words = new Int32Array(doubles.buffer);
    const flags = new Uint8Array(this.flags.length * 2);
    flags.set(this.flags);
    this.flags = flags;
    const positions = new Int32Array(this.positions.length * 2);
    positions.set(this.positions);
    this.positions = positions;
  }
}
