/** Scalars among a launch's words: two words each, a float64 for a float compute dtype and an int64 for an integer one. */
import type { DType } from '../core/dtype.ts';

const bits = new DataView(new ArrayBuffer(8));

/**
 * Writes `count` scalars from word `at` on; those that are not given are 0. A fraction for an integer compute dtype is
 * truncated.
 */
export function writeScalars(
  words: Int32Array,
  at: number,
  scalars: readonly (number | bigint)[],
  count: number,
  compute: DType,
): void {
  for (let i = 0; i < count; i++) {
    const value = i < scalars.length ? scalars[i] : 0;
    if (compute.is_floating_point) bits.setFloat64(0, Number(value), true);
    else bits.setBigInt64(0, BigInt(typeof value === 'number' ? Math.trunc(value) : value), true);
    words[at + 2 * i] = bits.getInt32(0, true);
    words[at + 2 * i + 1] = bits.getInt32(4, true);
  }
}
