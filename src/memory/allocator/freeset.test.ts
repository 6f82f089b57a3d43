/** The set of cached blocks against a list that is sorted for every question. */
import { expect, test } from 'vitest';
import { Blocks } from './blocks.ts';
import { FreeSet } from './freeset.ts';

function run(seed: number, sizeOf: (random: () => number) => number): void {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const blocks = new Blocks();
  const set = new FreeSet(blocks);
  const list: { block: number; size: number; address: number }[] = [];
  let checks = 0;
  for (let step = 0; step < 4000; step++) {
    if (random() < (step < 2500 ? 0.6 : 0.4) || list.length === 0) {
      const size = sizeOf(random);
      const address = 512 * Math.floor(random() * 2 ** 30);
      const block = blocks.create(address, size, 0, 0);
      set.insert(block, size, address);
      list.push({ block, size, address });
      list.sort((a, b) => a.size - b.size || a.address - b.address);
    } else {
      const [{ block, size }] = list.splice(Math.floor(random() * list.length), 1);
      set.remove(block, size);
      blocks.destroy(block);
    }
    const size = sizeOf(random);
    const found = list.find((entry) => entry.size >= size)?.block ?? 0;
    if (set.find(size) !== found) expect(set.find(size)).toBe(found);
    if (list.length > 0) {
      const at = Math.floor(random() * list.length);
      const next = set.next(list[at].size, list[at].address);
      if (next !== (list[at + 1]?.block ?? 0)) expect(next).toBe(list[at + 1]?.block ?? 0);
    }
    if (step % 500 === 499) {
      expect(set.sorted()).toEqual(list.map(({ block }) => block));
      expect(set.count).toBe(list.length);
      checks++;
    }
  }
  expect(checks).toBe(8);
}

const KIB = 1024;
const GIB = 1024 ** 3;

test.each<[string, (random: () => number) => number]>([
  ['one size', () => 512],
  ['few sizes', (random) => 512 * (1 + Math.floor(random() * 5))],
  ['small sizes', (random) => 512 * (1 + Math.floor(random() * 2048))],
  ['around 1 MiB', (random) => 1024 * KIB - 8 * 512 + 512 * Math.floor(random() * 40)],
  ['sizes of one bucket', (random) => GIB + 512 * Math.floor(random() * 3000)],
  ['all sizes', (random) => 512 * Math.floor(2 ** (random() * 30))],
  ['beyond the last bucket', (random) => 1024 * GIB * (1 + Math.floor(random() * 8)) + 512 * Math.floor(random() * 3)],
])('%s', (_, sizeOf) => {
  for (let seed = 1; seed <= 3; seed++) run(seed, sizeOf);
});
