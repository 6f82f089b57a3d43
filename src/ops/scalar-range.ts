/** Whether a dtype has a number: PyTorch converts some scalars strictly, and lets others wrap around. */
import { bool, type DType, FLOAT_CATEGORY, uint8 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Scalar } from '../core/promote.ts';

/** C++'s names in the text. */
const C_TYPES: Readonly<Record<string, string>> = {
  float64: 'double',
  float32: 'float',
  float16: 'c10::Half',
  bfloat16: 'c10::BFloat16',
  int64: 'int64_t',
  int32: 'int',
  int16: 'int16_t',
  int8: 'int8_t',
  uint8: 'uint8_t',
  bool: 'bool',
};

/** The largest finite number, and Infinity for float64, which holds every number. */
export const LARGEST: Readonly<Record<string, number>> = {
  float64: Infinity,
  float32: (2 - 2 ** -23) * 2 ** 127,
  float16: 65504,
  bfloat16: (2 - 2 ** -7) * 2 ** 127,
};

/** Whether the dtype can hold the value, rounded or cut to whole numbers. */
function holds(dtype: DType, value: Scalar, isFloat: boolean): boolean {
  if (typeof value === 'boolean' || dtype === bool) return true;
  if (dtype.category === FLOAT_CATEGORY) {
    const size = Math.abs(Number(value));
    return !(size > LARGEST[dtype.name]) || size === Infinity;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return false;
  const bits = dtype.itemsize * 8;
  // Negative whole numbers wrap around in uint8, as long as their size fits.
  const fraction = isFloat || !(typeof value === 'bigint' || Number.isInteger(value));
  const low = dtype === uint8 ? (fraction ? 0 : -255) : -(2 ** (bits - 1));
  const high = dtype === uint8 ? 255 : 2 ** (bits - 1) - 1;
  if (bits < 64) return Number(value) >= low && Number(value) <= high;
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value;
  return value >= low && value < 2 ** 63;
}

/**
 * @throws RuntimeError with PyTorch's text for a number that the dtype does not have. A bool takes everything, a float
 *   dtype infinities and NaN.
 * @param isFloat whether the number was a float, also where it is whole
 */
export function checkScalar(dtype: DType, value: unknown, isFloat = false): void {
  if (!holds(dtype, value as Scalar, isFloat)) {
    throw new RuntimeError(`value cannot be converted to type ${C_TYPES[dtype.name]} without overflow`);
  }
}
