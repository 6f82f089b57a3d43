import { describe, expect, test } from 'vitest';
import { GRANULE, Heap } from './heap.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const BEGIN = 768 * KIB;

function heapOf(bytes: number): Heap {
  const heap = new Heap(BEGIN);
  heap.extend(bytes);
  return heap;
}

/** Small numbers that repeat. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('blocks are aligned, do not overlap, and their sum is what is in use', () => {
  const heap = heapOf(64 * MIB);
  const random = generator(1);
  const live: { address: number; bytes: number }[] = [];
  const owner = new Int32Array((BEGIN + 64 * MIB) / 64).fill(-1);
  let refused = 0;
  for (let turn = 1; turn < 30_000; turn++) {
    if (random(100) < 47 && live.length > 0) {
      const [gone] = live.splice(random(live.length), 1);
      owner.fill(-1, gone.address / 64, Math.ceil((gone.address + gone.bytes) / 64));
      heap.free(gone.address, gone.bytes);
      continue;
    }
    const bytes = 1 + random([100, 5000, 40_000, 300_000][random(4)]);
    const address = heap.allocate(bytes);
    if (address === 0) {
      refused++;
      continue;
    }
    if (address % 64 !== 0 || address < BEGIN || address + bytes > heap.end)
      expect.fail(`${bytes} bytes at ${address}`);
    const cells = owner.subarray(address / 64, Math.ceil((address + bytes) / 64));
    if (cells.some((cell) => cell !== -1)) expect.fail(`${bytes} bytes at ${address} overlap a live block`);
    cells.fill(turn);
    live.push({ address, bytes });
  }
  expect(refused).toBeLessThan(30_000);
  const asked = live.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(heap.inUse).toBeGreaterThanOrEqual(asked);
  expect(heap.inUse).toBeLessThan(asked * 1.2 + 64 * live.length);
  for (const { address, bytes } of live) heap.free(address, bytes);
  expect(heap.inUse).toBe(0);
  // Everything has coalesced once slabs are given back: the whole heap is one run.
  heap.reclaim();
  expect(heap.reclaimable).toBe(0);
  expect(heap.freeAtEnd).toBe(64 * MIB);
  expect(heap.allocate(64 * MIB)).toBe(BEGIN);
});

test('a freed small block is the next one of its class', () => {
  const heap = heapOf(MIB);
  const a = heap.allocate(100);
  const b = heap.allocate(100);
  heap.free(a, 100);
  expect(heap.allocate(128)).toBe(a);
  heap.free(b, 100);
  expect(heap.allocate(200)).not.toBe(b);
});

test('large requests take the smallest run that holds them', () => {
  const heap = heapOf(16 * MIB);
  const sizes = [40, 80, 48, 120].map((granules) => granules * GRANULE);
  const blocks = sizes.map((bytes) => {
    const address = heap.allocate(bytes);
    heap.allocate(10 * GRANULE); // keeps them apart
    return address;
  });
  for (let i = 0; i < sizes.length; i++) heap.free(blocks[i], sizes[i]);
  expect(heap.allocate(45 * GRANULE)).toBe(blocks[2]);
  expect(heap.allocate(100 * GRANULE)).toBe(blocks[3]);
  expect(heap.allocate(40 * GRANULE)).toBe(blocks[0]);
  expect(heap.allocate(41 * GRANULE)).toBe(blocks[1]);
});

test('a run freed between two free ones joins both', () => {
  const heap = heapOf(3 * MIB);
  const [a, b, c] = [0, 1, 2].map(() => heap.allocate(MIB));
  expect(heap.allocate(MIB)).toBe(0);
  heap.free(a, MIB);
  heap.free(c, MIB);
  expect(heap.allocate(2 * MIB)).toBe(0);
  heap.free(b, MIB);
  expect(heap.allocate(3 * MIB)).toBe(a);
});

test('extending joins what was free at the end', () => {
  const heap = heapOf(MIB);
  heap.allocate(512 * KIB);
  expect(heap.freeAtEnd).toBe(512 * KIB);
  heap.extend(MIB);
  expect(heap.freeAtEnd).toBe(1536 * KIB);
  expect(heap.allocate(1536 * KIB)).toBe(BEGIN + 512 * KIB);
  expect(heap.freeAtEnd).toBe(0);
});

test('reclaim gives back slabs without live blocks, and only those', () => {
  const heap = heapOf(MIB);
  const small = Array.from({ length: 1024 }, () => heap.allocate(1000));
  expect(small.every((address) => address !== 0)).toBe(true);
  expect(heap.allocate(64 * KIB)).toBe(0);
  for (const address of small.slice(1)) heap.free(address, 1000);
  expect(heap.allocate(512 * KIB)).toBe(0);
  expect(heap.reclaimable).toBe(15 * 64 * KIB);
  heap.reclaim();
  expect(heap.allocate(15 * 64 * KIB)).not.toBe(0);
  // The slab that is left still serves its class.
  const again = heap.allocate(1000);
  expect(Math.abs(again - small[0])).toBeLessThan(64 * KIB);
  expect(again).not.toBe(small[0]);
});

describe('beyond 2 GiB', () => {
  test('addresses are positive and exact', () => {
    const heap = heapOf(4095 * MIB - BEGIN);
    const big = heap.allocate(3000 * MIB);
    const next = heap.allocate(700 * MIB);
    expect(next).toBe(big + 3000 * MIB);
    const small = heap.allocate(64);
    expect(small).toBeGreaterThan(2 ** 31);
    heap.free(big, 3000 * MIB);
    heap.free(next, 700 * MIB);
    expect(heap.inUse).toBe(64);
    expect(heap.peak).toBe(3700 * MIB + 64);
  });
});
