/**
 * Cached blocks of one pool and stream. Best fit is the smallest block of at least a size, and of equal ones that at the
 * lowest address.
 *
 * Sizes are divided into buckets: one for each multiple of 512 below 1 MiB, then 128 to each power of two. A bitmap tells
 * which are not empty. A bucket is a heap by (size, address) within common typed arrays, and where in its heap a block is
 * is kept by block. So every operation reads and writes a few cache lines.
 */
import type { Blocks } from './blocks.ts';
import { MIN_BLOCK_SIZE } from './constants.ts';

/** Sizes below this many times 512 have a bucket of their own. */
const EXACT = 2048;
const EXACT_BITS = 11;
/** Buckets of a power of two. */
const PARTS_BITS = 7;
const PARTS = 1 << PARTS_BITS;
/** Sizes from 1 TiB on are all in the last. */
const BUCKETS = EXACT + (31 - EXACT_BITS) * PARTS;
/** Fields of a bucket beside where its heap is. */
const LENGTH = 1;
const ROOM = 2;
/** Capacity of a bucket's heap at first. */
const FEW = 4;

function bucketOf(size: number): number {
  const units = size / MIN_BLOCK_SIZE;
  if (units < EXACT) return units;
  if (units >= 2 ** 31) return BUCKETS - 1;
  const exponent = 31 - Math.clz32(units);
  return EXACT + ((exponent - EXACT_BITS) << PARTS_BITS) + ((units >>> (exponent - PARTS_BITS)) & (PARTS - 1));
}

export class FreeSet {
  /** Number of blocks. */
  count = 0;
  /** One bit for each bucket that is not empty, and one for each word of those bits that is not 0. */
  private readonly bits = new Int32Array(Math.ceil(BUCKETS / 32));
  private readonly summary = new Int32Array(Math.ceil(BUCKETS / 32 / 32));
  /** Four for each bucket: where its heap is, how many blocks it has, and for how many there is room. */
  private readonly heaps = new Int32Array(4 * BUCKETS);
  /** The heaps' entries: size and address, and the block. */
  private keys = new Float64Array(2 * 16 * FEW);
  private members = new Int32Array(16 * FEW);
  /** End of what is in use of them, and places that were given up, by the logarithm of their length. */
  private end = 0;
  private readonly places: number[][] = [];

  constructor(private readonly blocks: Blocks) {}

  /** The smallest block of at least `size` bytes, at the lowest address; 0 if there is none. */
  find(size: number): number {
    const bucket = bucketOf(size);
    if (this.heaps[4 * bucket + LENGTH] > 0) {
      const start = this.heaps[4 * bucket];
      if (this.keys[2 * start] >= size) return this.members[start];
      const found = this.scan(bucket, size, -1);
      if (found !== 0) return found;
    }
    return this.firstAfter(bucket);
  }

  /** The block after the one with this key in the order of size and address; 0 if there is none. */
  next(size: number, address: number): number {
    const bucket = bucketOf(size);
    const found = this.heaps[4 * bucket + LENGTH] > 1 ? this.scan(bucket, size, address) : 0;
    return found !== 0 ? found : this.firstAfter(bucket);
  }

  insert(block: number, size: number, address: number): void {
    this.count++;
    const bucket = bucketOf(size);
    const { heaps } = this;
    const length = heaps[4 * bucket + LENGTH];
    if (length === heaps[4 * bucket + ROOM]) this.makeRoom(bucket);
    if (length === 0) {
      this.bits[bucket >> 5] |= 1 << (bucket & 31);
      this.summary[bucket >> 10] |= 1 << ((bucket >> 5) & 31);
    }
    heaps[4 * bucket + LENGTH] = length + 1;
    this.rise(heaps[4 * bucket], length, block, size, address);
  }

  /** Takes out a block, which must be there. */
  remove(block: number, size: number): void {
    this.count--;
    const bucket = bucketOf(size);
    const length = --this.heaps[4 * bucket + LENGTH];
    if (length === 0) {
      const bits = (this.bits[bucket >> 5] &= ~(1 << (bucket & 31)));
      if (bits === 0) this.summary[bucket >> 10] &= ~(1 << ((bucket >> 5) & 31));
      return;
    }
    const at = this.blocks.positions[block];
    if (at === length) return;
    const start = this.heaps[4 * bucket];
    const { keys } = this;
    const last = start + length;
    const movedSize = keys[2 * last];
    const address = keys[2 * last + 1];
    const moved = this.members[last];
    const parent = 2 * (start + ((at - 1) >> 1));
    if (at > 0 && (movedSize < keys[parent] || (movedSize === keys[parent] && address < keys[parent + 1]))) {
      this.rise(start, at, moved, movedSize, address);
    } else this.sink(start, length, at, moved, movedSize, address);
  }

  /** All blocks by size and address. */
  sorted(): number[] {
    const { bits, keys, heaps } = this;
    const entries: number[] = [];
    for (let word = 0; word < bits.length; word++) {
      for (let left = bits[word]; left !== 0; left &= left - 1) {
        const bucket = (word << 5) + lowestBit(left);
        const start = heaps[4 * bucket];
        const own: number[] = [];
        for (let at = 0; at < heaps[4 * bucket + LENGTH]; at++) own.push(start + at);
        if (own.length > 1) own.sort((a, b) => keys[2 * a] - keys[2 * b] || keys[2 * a + 1] - keys[2 * b + 1]);
        for (const entry of own) entries.push(entry);
      }
    }
    return entries.map((entry) => this.members[entry]);
  }

  /** The least member of a bucket that is over (size, address). */
  private scan(bucket: number, size: number, address: number): number {
    const { keys } = this;
    const start = 2 * this.heaps[4 * bucket];
    const end = start + 2 * this.heaps[4 * bucket + LENGTH];
    let best = -1;
    for (let at = start; at < end; at += 2) {
      if (keys[at] < size || (keys[at] === size && keys[at + 1] <= address)) continue;
      if (best < 0 || keys[at] < keys[best] || (keys[at] === keys[best] && keys[at + 1] < keys[best + 1])) best = at;
    }
    return best < 0 ? 0 : this.members[best >> 1];
  }

  /** The first block of the buckets after this one. */
  private firstAfter(bucket: number): number {
    const { bits, summary } = this;
    let word = bucket >> 5;
    // The shift is by 32 at most, in two steps: JavaScript takes it modulo 32.
    let found = bits[word] & ((-1 << (bucket & 31)) << 1);
    if (found === 0) {
      let top = word >> 5;
      let words = summary[top] & ((-1 << (word & 31)) << 1);
      while (words === 0) {
        if (++top === summary.length) return 0;
        words = summary[top];
      }
      word = (top << 5) + lowestBit(words);
      found = bits[word];
    }
    return this.members[this.heaps[4 * ((word << 5) + lowestBit(found))]];
  }

  private rise(start: number, at: number, block: number, size: number, address: number): void {
    const { keys, members } = this;
    const { positions } = this.blocks;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = 2 * (start + up);
      if (keys[parent] < size || (keys[parent] === size && keys[parent + 1] < address)) break;
      const to = start + at;
      keys[2 * to] = keys[parent];
      keys[2 * to + 1] = keys[parent + 1];
      positions[(members[to] = members[start + up])] = at;
      at = up;
    }
    const to = start + at;
    keys[2 * to] = size;
    keys[2 * to + 1] = address;
    members[to] = block;
    positions[block] = at;
  }

  private sink(start: number, length: number, at: number, block: number, size: number, address: number): void {
    const { keys, members } = this;
    const { positions } = this.blocks;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= length) break;
      let child = 2 * (start + down);
      if (
        down + 1 < length &&
        (keys[child + 2] < keys[child] || (keys[child + 2] === keys[child] && keys[child + 3] < keys[child + 1]))
      ) {
        down++;
        child += 2;
      }
      if (size < keys[child] || (size === keys[child] && address < keys[child + 1])) break;
      const to = start + at;
      keys[2 * to] = keys[child];
      keys[2 * to + 1] = keys[child + 1];
      positions[(members[to] = members[start + down])] = at;
      at = down;
    }
    const to = start + at;
    keys[2 * to] = size;
    keys[2 * to + 1] = address;
    members[to] = block;
    positions[block] = at;
  }

  /** Moves a bucket's heap to where there is twice the room. */
  private makeRoom(bucket: number): void {
    const { heaps } = this;
    const from = heaps[4 * bucket];
    const room = heaps[4 * bucket + ROOM];
    const wanted = room === 0 ? FEW : 2 * room;
    const to = this.places[Math.log2(wanted)]?.pop() ?? this.extend(wanted);
    this.keys.copyWithin(2 * to, 2 * from, 2 * (from + room));
    this.members.copyWithin(to, from, from + room);
    if (room > 0) (this.places[Math.log2(room)] ??= []).push(from);
    heaps[4 * bucket] = to;
    heaps[4 * bucket + ROOM] = wanted;
  }

  private extend(room: number): number {
    const start = this.end;
    this.end += room;
    if (this.end > this.members.length) {
      const length = 2 ** Math.ceil(Math.log2(this.end));
      const keys = new Float64Array(2 * length);
      keys.set(this.keys);
      this.keys = keys;
      const members = new Int32Array(length);
      members.set(this.members);
      this.members = members;
    }
    return start;
  }
}

/** Number of the lowest bit that is set. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
