/**
 * The range of random whole numbers in a dtype: PyTorch's checks, and how it narrows a range so that no number is
 * rounded to one outside when it becomes a float.
 */
import { bfloat16, bool, type DType, float16, float32, float64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';

export const INT64_MIN = -(1n << 63n);
export const INT64_MAX = (1n << 63n) - 1n;

/** Binary digits of the float dtypes. */
function digitsOf(dtype: DType): number {
  return dtype === float64 ? 53 : dtype === float32 ? 24 : dtype === float16 ? 11 : 8;
}

/** Smallest and largest number of a dtype, where they are within int64. */
function limits(dtype: DType): [bigint, bigint] {
  if (dtype === float16) return [-65504n, 65504n];
  if (dtype.is_floating_point) return [INT64_MIN, INT64_MAX];
  if (dtype === bool) return [0n, 1n];
  const bits = BigInt(8 * dtype.itemsize);
  return dtype.is_signed ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
}

// biome-ignore format: by dtype index
const CPP_NAMES = [
  'double', 'float', 'c10::Half', 'c10::BFloat16', 'long', 'int', 'short int', 'signed char', 'unsigned char', 'bool',
];

/** C++'s name of a dtype's element, as PyTorch's texts have it. */
export function cppName(dtype: DType): string {
  return CPP_NAMES[dtype.index];
}

/**
 * The first number and how many there are (2^64 as 0), for [low, high) or, if `high` is null, for what is above `low`.
 * @throws RuntimeError with PyTorch's text
 */
export function integerRange(dtype: DType, low: bigint, high: bigint | null): { from: bigint; range: bigint } {
  let from = low;
  let last: bigint;
  const float = dtype.is_floating_point;
  if (high !== null) {
    let to = high;
    if (from >= to) {
      throw new RuntimeError(`random_ expects 'from' to be less than 'to', but got from=${from} >= to=${to}`);
    }
    if (float) {
      from = raise(dtype, from);
      to = lower(dtype, to);
      if (from >= to) {
        throw new RuntimeError(
          `random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from=${from} >= to=${to}`,
        );
      }
    }
    last = to - 1n;
  } else if (float) {
    last = 1n << BigInt(digitsOf(dtype));
    from = raise(dtype, from);
    if (from >= last) {
      throw new RuntimeError(
        "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got " +
          `from=${from} > to_inc=${last}`,
      );
    }
  } else last = limits(dtype)[1];
  const [min, max] = limits(dtype);
  const name = cppName(dtype);
  if (from < min || from > max) throw new RuntimeError(`from is out of bounds for ${name}`);
  if (last < min || last > max) throw new RuntimeError(`to - 1 is out of bounds for ${name}`);
  return { from, range: BigInt.asUintN(64, last - from + 1n) };
}

/** The next number up that the dtype has, unless it has this one or the next. */
function raise(dtype: DType, from: bigint): bigint {
  const next = rounded(dtype, from + 1n);
  return next < from ? next + unit(dtype, from + 1n) : from;
}

/** The same downwards. */
function lower(dtype: DType, to: bigint): bigint {
  const before = rounded(dtype, to - 1n);
  return before >= to ? before - unit(dtype, to - 1n) : to;
}

/** Distance of the dtype's numbers around x. */
function unit(dtype: DType, x: bigint): bigint {
  const bits = (x < 0n ? -x : x).toString(2).length;
  return 1n << BigInt(bits - digitsOf(dtype));
}

/** x as the dtype has it, and back; what does not fit gives C++'s smallest int64. */
function rounded(dtype: DType, x: bigint): bigint {
  const half = dtype === float16 || dtype === bfloat16;
  let value = nearest(x, half ? 24 : digitsOf(dtype));
  if (half) value = nearest(value, digitsOf(dtype));
  const tooLarge = dtype === float16 ? value > 65504n || value < -65504n : value > INT64_MAX;
  return tooLarge ? INT64_MIN : value;
}

/** To that many binary digits, ties to even. */
function nearest(x: bigint, digits: number): bigint {
  const size = x < 0n ? -x : x;
  const excess = BigInt(Math.max(size.toString(2).length - digits, 0));
  if (excess === 0n) return x;
  const down = size >> excess;
  const rest = size - (down << excess);
  const half = 1n << (excess - 1n);
  const up = rest > half || (rest === half && (down & 1n) === 1n) ? 1n : 0n;
  const value = (down + up) << excess;
  return x < 0n ? -value : value;
}
