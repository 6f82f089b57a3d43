/**
 * Expandable segments: per pool and stream one range of address space, to which memory is mapped page by page. What is
 * mapped grows with the need, and completely free pages can be unmapped, so that less memory is lost to fragments.
 *
 * The whole range is a chain of blocks; those without memory behind them are flagged UNMAPPED and kept by address.
 */
import type { Allocator } from './allocator.ts';
import { ADDRESS, BUSY, DOUBLES, NEXT, POOL, PREV, SIZE, UNMAPPED, WORDS } from './blocks.ts';
import { SEGMENT_MAP, SEGMENT_UNMAP, SMALL_BUFFER } from './constants.ts';
import type { BlockPool } from './pools.ts';

/** A range of address space. Its pages are mapped or not, one by one. */
export interface ExpandableRange {
  readonly address: number;
  readonly size: number;
  readonly page: number;
  readonly stream: number;
  /** Bytes of mapped pages. */
  mapped: number;
}

/** A block of at least `size` bytes, mapped and taken out of its pool; 0 if there is no room. */
export function allocateExpandable(allocator: Allocator, pool: BlockPool, size: number, stream: number): number {
  let block = findExpandable(allocator, pool, size, stream);
  if (block === 0) block = openRange(allocator, pool, size, stream);
  if (block === 0) return 0;
  if ((allocator.blocks.flags[block] & UNMAPPED) !== 0) {
    const bytes = Math.min(sizeOf(allocator, block), size);
    if (!mapBlock(allocator, pool, block, bytes)) {
      dropIfUnmapped(allocator, pool, block);
      return 0;
    }
  }
  // A free block, then unmapped address space: mapping some of that joins both.
  while (sizeOf(allocator, block) < size) {
    const next = allocator.blocks.words[block * WORDS + NEXT];
    const bytes = Math.min(size - sizeOf(allocator, block), sizeOf(allocator, next));
    if (!mapBlock(allocator, pool, next, bytes)) return 0;
    block = next;
  }
  pool.of(stream).remove(block, sizeOf(allocator, block));
  return block;
}

function sizeOf(allocator: Allocator, block: number): number {
  return allocator.blocks.doubles[block * DOUBLES + SIZE];
}

/** The lowest address from where free and unmapped blocks together have room; 0 if there is none. */
function findExpandable(allocator: Allocator, pool: BlockPool, size: number, stream: number): number {
  const { words, flags } = allocator.blocks;
  const free = (block: number) => block !== 0 && (flags[block] & BUSY) === 0;
  for (const unmapped of pool.unmapped[stream] ?? []) {
    let first = unmapped;
    if (free(words[first * WORDS + PREV])) first = words[first * WORDS + PREV];
    let bytes = 0;
    for (let block = first; bytes < size && free(block); block = words[block * WORDS + NEXT]) {
      bytes += sizeOf(allocator, block);
    }
    if (bytes >= size) return first;
  }
  return 0;
}

/** A new range, all of it one unmapped block; 0 if the device could not map enough of it anyway. */
function openRange(allocator: Allocator, pool: BlockPool, size: number, stream: number): number {
  const { device, settings } = allocator;
  const page = pool.small ? SMALL_BUFFER : settings.largeSegmentSize;
  if (Math.ceil(size / page) * page > device.free) return 0;
  // Somewhat more than the memory, so that pages unmapped early can be mapped again at the end.
  const most = Math.floor(device.capacity / 8) + device.capacity;
  const reserve = settings.expandableSegmentsReserve;
  const wanted = reserve === null ? most : reserve.fraction ? reserve.value * device.capacity : reserve.value;
  const bytes = Math.ceil(Math.min(most, wanted) / page) * page;
  if (size > bytes) return 0;
  const address = device.reserveRange(bytes);
  if (address < 0) return 0;
  let index = allocator.ranges.indexOf(undefined, 1);
  if (index < 0) index = allocator.ranges.length;
  allocator.ranges[index] = { address, size: bytes, page, stream, mapped: 0 };
  const block = allocator.blocks.create(address, bytes, stream, pool.index);
  allocator.blocks.setRange(block, index);
  allocator.blocks.requested[block] = 0;
  allocator.blocks.flags[block] |= UNMAPPED;
  insertUnmapped(allocator, pool, block);
  return block;
}

function insertUnmapped(allocator: Allocator, pool: BlockPool, block: number): void {
  const list = (pool.unmapped[allocator.streamOf(block)] ??= []);
  const address = allocator.addressOf(block);
  let at = list.length;
  while (at > 0 && allocator.addressOf(list[at - 1]) > address) at--;
  list.splice(at, 0, block);
}

/** Maps the first `size` bytes of an unmapped block, whole pages, and joins them with free neighbours in the pool. */
function mapBlock(allocator: Allocator, pool: BlockPool, block: number, size: number): boolean {
  const { blocks } = allocator;
  const index = blocks.ranges[block];
  const range = allocator.ranges[index]!;
  const address = allocator.addressOf(block);
  const mapped = Math.ceil(size / range.page) * range.page;
  if (!allocator.device.map(address, mapped)) return false;
  range.mapped += mapped;
  pool.removeUnmapped(range.stream, block);
  const rest = sizeOf(allocator, block) - mapped;
  if (rest > 0) {
    const remaining = blocks.create(address + mapped, rest, range.stream, pool.index);
    const { words } = blocks;
    blocks.setRange(remaining, index);
    blocks.requested[remaining] = 0;
    blocks.flags[remaining] |= UNMAPPED;
    splice(words, block, remaining, words[block * WORDS + NEXT]);
    insertUnmapped(allocator, pool, remaining);
    blocks.doubles[block * DOUBLES + SIZE] = mapped;
  }
  const { words } = blocks;
  blocks.flags[block] &= ~UNMAPPED;
  allocator.merge(block, words[block * WORDS + PREV], pool);
  allocator.merge(block, words[block * WORDS + NEXT], pool);
  allocator.insertCached(block, pool);
  allocator.reserve(pool, mapped);
  allocator.observer?.trace(SEGMENT_MAP, address, mapped, range.stream, pool.id, 0);
  return true;
}

/** Links a block in between two others, either of which may be missing. */
function splice(words: Int32Array, before: number, block: number, after: number): void {
  words[block * WORDS + PREV] = before;
  words[block * WORDS + NEXT] = after;
  if (before !== 0) words[before * WORDS + NEXT] = block;
  if (after !== 0) words[after * WORDS + PREV] = block;
}

/** Unmaps the whole pages within a cached block of a range, and gives up the range once nothing of it is mapped. */
export function unmapBlock(allocator: Allocator, block: number): void {
  const { blocks } = allocator;
  const index = blocks.ranges[block];
  const range = allocator.ranges[index]!;
  const pool = allocator.pools[blocks.words[block * WORDS + POOL]];
  const { stream, page } = range;
  const start = allocator.addressOf(block);
  const end = start + sizeOf(allocator, block);
  const first = range.address + Math.ceil((start - range.address) / page) * page;
  const last = range.address + Math.floor((end - range.address) / page) * page;
  if (first >= last) return;
  pool.of(stream).remove(block, end - start);
  const cut = (from: number, to: number, before: number, after: number): void => {
    const piece = blocks.create(from, to - from, stream, pool.index);
    blocks.setRange(piece, index);
    blocks.requested[piece] = 0;
    splice(blocks.words, before, piece, after);
    allocator.insertCached(piece, pool);
  };
  if (start < first) cut(start, first, blocks.words[block * WORDS + PREV], block);
  if (last < end) cut(last, end, block, blocks.words[block * WORDS + NEXT]);
  const { words, doubles } = blocks;
  doubles[block * DOUBLES + ADDRESS] = first;
  doubles[block * DOUBLES + SIZE] = last - first;
  blocks.flags[block] |= UNMAPPED;
  allocator.merge(block, words[block * WORDS + PREV], pool);
  allocator.merge(block, words[block * WORDS + NEXT], pool);
  insertUnmapped(allocator, pool, block);
  allocator.device.unmap(first, last - first);
  range.mapped -= last - first;
  allocator.unreserve(pool, last - first);
  allocator.observer?.trace(SEGMENT_UNMAP, first, last - first, stream, pool.id, 0);
  dropIfUnmapped(allocator, pool, block);
}

/** Gives up the range that an unmapped block is all of. */
function dropIfUnmapped(allocator: Allocator, pool: BlockPool, block: number): void {
  const { words } = allocator.blocks;
  if (words[block * WORDS + PREV] !== 0 || words[block * WORDS + NEXT] !== 0) return;
  const index = allocator.blocks.ranges[block];
  const range = allocator.ranges[index]!;
  pool.removeUnmapped(range.stream, block);
  allocator.device.releaseRange(range.address, range.size);
  allocator.ranges[index] = undefined;
  allocator.blocks.destroy(block);
}
