/**
 * Keys for sorting: unsigned integers in the order of the elements, with NaN after everything else and -0 equal to 0,
 * as PyTorch sorts. A descending order is the ascending one of the inverted keys.
 */
import { bfloat16, bool, type DType, uint8 } from '../../core/dtype.ts';
import { type Func, i32, type I32, i64, type I64, type Local, select } from './emitter.ts';

/** Bits of a dtype's keys: 8, 16, 32 or 64. Keys of 64 bits are i64, others i32. */
export function keyBits(dtype: DType): number {
  return 8 * dtype.itemsize;
}

export const isWide = (dtype: DType): boolean => dtype.itemsize === 8;

/** The key of the element at `at`; `down`: 0, or all ones to invert. */
export function key32(f: Func, dtype: DType, at: I32, down: I32): Local<'i32'> {
  const bits = keyBits(dtype);
  if (!dtype.is_floating_point) {
    const sign = dtype === uint8 || dtype === bool ? 0 : 2 ** (bits - 1);
    const x = bits === 8 ? i32.load8_u(at) : bits === 16 ? i32.load16_u(at) : i32.load(at);
    const mask = bits === 32 ? down : i32.and(down, 2 ** bits - 1);
    return f.let(i32.xor(sign === 0 ? x : i32.xor(x, sign), mask));
  }
  // Half types in the upper half of a word.
  const half = bits === 16;
  const x = f.let(half ? i32.shl(i32.load16_u(at), 16) : i32.load(at));
  const size = f.let(i32.and(x, 0x7fffffff));
  const infinity = half && dtype !== bfloat16 ? 0x7c000000 : 0x7f800000;
  const ordered = i32.xor(x, i32.or(i32.shr_s(x, 31), 0x80000000));
  const key = f.let(select(size, ordered, i32.const(0x80000000)));
  f.if(i32.gt_u(size, infinity), () => f.set(key, -1));
  f.set(key, i32.xor(key, down));
  return half ? f.let(i32.shr_u(key, 16)) : key;
}

export function key64(f: Func, dtype: DType, at: I32, down: I64): Local<'i64'> {
  const sign = 1n << 63n;
  if (!dtype.is_floating_point) return f.let(i64.xor(i64.xor(i64.load(at), sign), down));
  const x = f.let(i64.load(at));
  const size = f.let(i64.and(x, sign - 1n));
  const ordered = i64.xor(x, i64.or(i64.shr_s(x, 63), sign));
  const key = f.let(select(i64.ne(size, 0), ordered, i64.const(sign)));
  f.if(i64.gt_u(size, 0x7ffn << 52n), () => f.set(key, -1));
  return f.let(i64.xor(key, down));
}
