/**
 * `roundup_power2_divisions`: sizes rounded to divisions of the powers of two, so that sizes that differ little can use the
 * same block.
 */
import { MIN_BLOCK_SIZE } from './constants.ts';

/** Exponent of the first interval's start: 1 MiB. */
const FIRST = 20;

/** Bytes that a request of `size` bytes takes. `divisions` by interval, as in the settings. */
export function roundSize(size: number, divisions: readonly number[]): number {
  if (size < MIN_BLOCK_SIZE) return MIN_BLOCK_SIZE;
  const interval = Math.max(0, Math.min(exponent(size) - FIRST, divisions.length - 1));
  const count = divisions[interval];
  if (count > 1 && size > MIN_BLOCK_SIZE * count) return nextDivision(size, count);
  return Math.ceil(size / MIN_BLOCK_SIZE) * MIN_BLOCK_SIZE;
}

/** The next of the `divisions` equal steps between two powers of two; 1200 with 4 gives 1280. */
export function nextDivision(size: number, divisions: number): number {
  const floor = 2 ** exponent(size);
  if (size === floor) return size;
  const step = Math.floor(floor / divisions);
  return step === 0 ? 2 * floor : Math.ceil(size / step) * step;
}

/** Exact for every whole number, unlike Math.log2. */
function exponent(size: number): number {
  const high = Math.floor(size / 2 ** 32);
  return high === 0 ? 31 - Math.clz32(size) : 63 - Math.clz32(high);
}
