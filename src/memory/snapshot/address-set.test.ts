import { expect, test } from 'vitest';
import { AddressSet } from './address-set.ts';

test('holds what a Set holds', () => {
  const [set, expected] = [new AddressSet(), new Set<number>()];
  let state = 1;
  for (let i = 0; i < 50_000; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    // Multiples of 512 high up, odd ones low down, one apart.
    const address = i % 3 === 0 ? 2 ** 46 + 512 * (state % 20_000) : i % 3 === 1 ? state % 5_000 : i;
    if (set.add(address) === expected.has(address)) throw new Error(`${address} is added wrongly`);
    expected.add(address);
  }
  expect(set.size).toBe(expected.size);
  for (const address of expected) expect(set.has(address)).toBe(true);
  for (const address of [2 ** 46 + 256, 60_000, 2 ** 53 - 1]) expect(set.has(address)).toBe(false);
});
