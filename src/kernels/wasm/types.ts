/**
 * Elements of every dtype in vectors: loading, widening to what is computed in, narrowing and storing.
 *
 * A kernel computes in vectors of four float32 or int32 lanes, or two float64 or int64 lanes. As many elements of an
 * operand, side by side in one or two vectors, are called *packed*: that is how they lie in memory.
 */
import type { DType } from '../../core/dtype.ts';
import {
  type Func,
  f32,
  f32x4,
  f64,
  f64x2,
  type I32,
  type I64,
  i16x8,
  i32x4,
  i64,
  i64x2,
  i8x16,
  type Local,
  select,
  type Statement,
  type V128,
  v128,
} from './emitter.ts';

/** What a kernel computes in. */
export type Compute = 'f32' | 'f64' | 'i32' | 'i64';

/** float32 for itself and the half types, int32 for itself, narrower integers and bool. */
export function computeType(dtype: DType): Compute {
  switch (dtype.name) {
    case 'float64':
      return 'f64';
    case 'int64':
      return 'i64';
    default:
      return dtype.is_floating_point ? 'f32' : 'i32';
  }
}

export function lanesOf(compute: Compute): 4 | 2 {
  return compute === 'f32' || compute === 'i32' ? 4 : 2;
}

/** One or two vectors with elements side by side. */
export type Packed = V128[];

const high = (x: V128): V128 => i32x4.shuffle(x, x, 2, 3, 2, 3);

export function loadPacked(dtype: DType, lanes: number, address: I32, offset = 0): Packed {
  switch (lanes * dtype.itemsize) {
    case 32:
      return [v128.load(address, offset), v128.load(address, offset + 16)];
    case 16:
      return [v128.load(address, offset)];
    case 8:
      return [v128.load64_zero(address, offset)];
    case 4:
      return [v128.load32_zero(address, offset)];
    default:
      return [v128.load16_splat(address, offset)];
  }
}

export function storePacked(dtype: DType, lanes: number, address: I32, packed: Packed, offset = 0): Statement[] {
  switch (lanes * dtype.itemsize) {
    case 32:
      return [v128.store(address, packed[0], offset), v128.store(address, packed[1], offset + 16)];
    case 16:
      return [v128.store(address, packed[0], offset)];
    case 8:
      return [v128.store64_lane(address, packed[0], 0, offset)];
    case 4:
      return [v128.store32_lane(address, packed[0], 0, offset)];
    default:
      return [v128.store16_lane(address, packed[0], 0, offset)];
  }
}

/** One element in every lane. */
export function loadSplat(dtype: DType, lanes: number, address: I32): Packed {
  const load = { 1: v128.load8_splat, 2: v128.load16_splat, 4: v128.load32_splat, 8: v128.load64_splat };
  const one = load[dtype.itemsize as 1](address);
  return lanes * dtype.itemsize === 32 ? [one, one] : [one];
}

/** Reads the element of one lane into packed locals. */
export function loadElement(f: Func, dtype: DType, packed: Local<'v128'>[], lane: number, address: I32): void {
  const perVector = 16 / dtype.itemsize;
  const to = packed[Math.floor(lane / perVector)];
  const load = { 1: v128.load8_lane, 2: v128.load16_lane, 4: v128.load32_lane, 8: v128.load64_lane };
  f.set(to, load[dtype.itemsize as 1](address, to, lane % perVector));
}

export function storeElement(dtype: DType, packed: Packed, lane: number, address: I32): Statement {
  const perVector = 16 / dtype.itemsize;
  const store = { 1: v128.store8_lane, 2: v128.store16_lane, 4: v128.store32_lane, 8: v128.store64_lane };
  return store[dtype.itemsize as 1](address, packed[Math.floor(lane / perVector)], lane % perVector);
}

/** Four halves, zero-extended to 32 bits each, as float32. */
export function widenHalf(f: Func, bits: V128): V128 {
  const h = f.let(bits);
  const magnitude = f.let(i32x4.shl(v128.and(h, i32x4.const(0x7fff)), 13));
  // The product moves the exponent's bias and normalises subnormals; what was infinite or NaN stays so.
  const value = f32x4.mul(magnitude, 2 ** 112);
  const special = v128.and(i32x4.gt_s(magnitude, 0x0f7fffff), i32x4.const(0x7f800000));
  const sign = i32x4.shl(v128.and(h, i32x4.const(0x8000)), 16);
  return v128.or(v128.or(value, special), sign);
}

/** Four float32 to halves in 32-bit lanes, rounded to nearest even; NaN becomes the quiet one. */
export function narrowHalf(f: Func, value: V128): V128 {
  const x = f.let(value);
  const a = f.let(v128.and(x, i32x4.const(0x7fffffff)));
  const odd = v128.and(i32x4.shr_u(a, 13), i32x4.const(1));
  const rounded = i32x4.shr_u(i32x4.add(i32x4.add(a, 0xfff), odd), 13);
  const normal = i32x4.min_s(i32x4.sub(rounded, 112 << 10), 0x7c00);
  // 0.5 has the smallest half as its last bit, so the addition rounds to it.
  const subnormal = i32x4.sub(f32x4.add(a, 0.5), 0x3f000000);
  const finite = f.pick(normal, subnormal, i32x4.gt_s(a, 0x387fffff));
  const magnitude = f.pick(i32x4.const(0x7e00), finite, i32x4.gt_s(a, 0x7f800000));
  return v128.or(magnitude, i32x4.shr_u(v128.and(x, i32x4.const(0x80000000)), 16));
}

/** Four float32 to bfloat16 in 32-bit lanes, rounded to nearest even; NaN becomes the quiet one. */
export function narrowBrain(f: Func, value: V128): V128 {
  const x = f.let(value);
  const odd = v128.and(i32x4.shr_u(x, 16), i32x4.const(1));
  const rounded = i32x4.shr_u(i32x4.add(i32x4.add(x, 0x7fff), odd), 16);
  return f.pick(rounded, i32x4.const(0x7fc0), f32x4.eq(x, x));
}

/** float32, float16 or bfloat16 as float32. */
function toFloat32(f: Func, dtype: DType, p: Packed): V128 {
  if (dtype.name === 'float32') return p[0];
  const wide = i32x4.extend_low_i16x8_u(p[0]);
  return dtype.name === 'float16' ? widenHalf(f, wide) : i32x4.shl(wide, 16);
}

/** Integers of up to 32 bits, and bool, as int32. */
function toInt32(dtype: DType, p: Packed): V128 {
  switch (dtype.name) {
    case 'int32':
      return p[0];
    case 'int16':
      return i32x4.extend_low_i16x8_s(p[0]);
    case 'int8':
      return i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(p[0]));
    default:
      return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(p[0]));
  }
}

function isSmallFloat(dtype: DType): boolean {
  return dtype.is_floating_point && dtype.itemsize <= 4;
}

const MIN_INT32 = i32x4.const(-(2 ** 31));

/** float32 to int32, truncating. What does not fit becomes the smallest integer, as x86 (and so PyTorch) has it. */
function truncate32(f: Func, value: V128): V128 {
  const x = f.let(value);
  return f.pick(i32x4.trunc_sat_f32x4_s(x), MIN_INT32, f32x4.lt(x, 2147483648));
}

/** Two float64 to int32 in the low lanes, truncating in the same way. */
function truncate64(f: Func, value: V128): V128 {
  const x = f.let(value);
  const fits = f64x2.lt(x, 2147483648);
  return f.pick(i32x4.trunc_sat_f64x2_s_zero(x), MIN_INT32, i32x4.shuffle(fits, fits, 0, 2, 0, 2));
}

/** One float64 to int64, truncating in the same way. */
function truncateLane(f: Func, value: V128, lane: number): I64 {
  const x = f.let(f64x2.extract_lane(value, lane));
  return select(f64.lt(x, 2 ** 63), i64.trunc_sat_f64_s(x), i64.const(-(1n << 63n)));
}

function truncateTo64(f: Func, value: V128): V128 {
  const x = f.let(value);
  return i64x2.replace_lane(i64x2.splat(truncateLane(f, x, 0)), 1, truncateLane(f, x, 1));
}

/** Two int64 as float64, and as float32 in the low lanes: each rounded once. */
function int64ToFloat64(f: Func, value: V128): V128 {
  const x = f.let(value);
  const lane = (k: number) => f64.convert_i64_s(i64x2.extract_lane(x, k));
  return f64x2.replace_lane(f64x2.splat(lane(0)), 1, lane(1));
}
function int64ToFloat32(f: Func, value: V128): V128 {
  const x = f.let(value);
  const lane = (k: number) => f32.convert_i64_s(i64x2.extract_lane(x, k));
  return f32x4.replace_lane(f32x4.splat(lane(0)), 1, lane(1));
}

const joinLow64 = (a: V128, b: V128): V128 => i32x4.shuffle(a, b, 0, 1, 4, 5);
const lowWords = (a: V128, b: V128): V128 => i32x4.shuffle(a, b, 0, 2, 4, 6);

/** Packed elements in the type that is computed in. */
export function unpack(f: Func, dtype: DType, compute: Compute, p: Packed): V128 {
  switch (compute) {
    case 'f32':
      if (isSmallFloat(dtype)) return toFloat32(f, dtype, p);
      if (dtype.name === 'float64') return joinLow64(f32x4.demote_f64x2_zero(p[0]), f32x4.demote_f64x2_zero(p[1]));
      if (dtype.name === 'int64') return joinLow64(int64ToFloat32(f, p[0]), int64ToFloat32(f, p[1]));
      return f32x4.convert_i32x4_s(toInt32(dtype, p));
    case 'f64':
      if (dtype.name === 'float64') return p[0];
      if (isSmallFloat(dtype)) return f64x2.promote_low_f32x4(toFloat32(f, dtype, p));
      if (dtype.name === 'int64') return int64ToFloat64(f, p[0]);
      return f64x2.convert_low_i32x4_s(toInt32(dtype, p));
    case 'i32':
      if (isSmallFloat(dtype)) return truncate32(f, toFloat32(f, dtype, p));
      if (dtype.name === 'float64') return joinLow64(truncate64(f, p[0]), truncate64(f, p[1]));
      if (dtype.name === 'int64') return lowWords(p[0], p[1]);
      return toInt32(dtype, p);
    case 'i64':
      if (dtype.name === 'int64') return p[0];
      if (dtype.name === 'float64') return truncateTo64(f, p[0]);
      if (isSmallFloat(dtype)) return truncateTo64(f, f64x2.promote_low_f32x4(toFloat32(f, dtype, p)));
      return i64x2.extend_low_i32x4_s(toInt32(dtype, p));
  }
}

/** Packed elements as a lane mask: all ones where the element is not 0. */
export function unpackTruth(f: Func, dtype: DType, lanes: number, p: Packed): V128 {
  if (lanes === 4) {
    if (dtype.name === 'float64') return lowWords(f64x2.ne(p[0], 0), f64x2.ne(p[1], 0));
    if (dtype.name === 'int64') return lowWords(i64x2.ne(p[0], 0), i64x2.ne(p[1], 0));
    if (isSmallFloat(dtype)) return f32x4.ne(toFloat32(f, dtype, p), 0);
    return i32x4.ne(toInt32(dtype, p), 0);
  }
  if (dtype.name === 'float64') return f64x2.ne(p[0], 0);
  if (dtype.name === 'int64') return i64x2.ne(p[0], 0);
  if (isSmallFloat(dtype)) return f64x2.ne(f64x2.promote_low_f32x4(toFloat32(f, dtype, p)), 0);
  return i64x2.ne(i64x2.extend_low_i32x4_s(toInt32(dtype, p)), 0);
}

/** The low bytes of int32 lanes, or of int64 lanes, side by side: integers wrap. */
function narrowInteger(value: V128, lanes: number, itemsize: number): V128 {
  const width = 16 / lanes;
  const order = Array.from({ length: 16 }, (_, i) => {
    const lane = Math.floor(i / itemsize) % lanes;
    return lane * width + (i % itemsize);
  });
  return i8x16.shuffle(value, value, order);
}

/** A lane mask as bools. */
export function packTruth(lanes: number, mask: V128): Packed {
  return [narrowInteger(v128.and(mask, lanes === 4 ? i32x4.const(1) : i64x2.const(1)), lanes, 1)];
}

function float32ToSmall(f: Func, dtype: DType, value: V128): V128 {
  if (dtype.name === 'float32') return value;
  return narrowInteger(dtype.name === 'float16' ? narrowHalf(f, value) : narrowBrain(f, value), 4, 2);
}

/** What was computed, packed as elements of the dtype. */
export function pack(f: Func, compute: Compute, dtype: DType, value: V128): Packed {
  const x = f.let(value);
  const { name, itemsize } = dtype;
  switch (compute) {
    case 'f32':
      if (isSmallFloat(dtype)) return [float32ToSmall(f, dtype, x)];
      if (name === 'float64') return [f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(high(x))];
      if (name === 'bool') return packTruth(4, f32x4.ne(x, 0));
      if (name === 'int64') {
        return [truncateTo64(f, f64x2.promote_low_f32x4(x)), truncateTo64(f, f64x2.promote_low_f32x4(high(x)))];
      }
      return [narrowInteger(truncate32(f, x), 4, itemsize)];
    case 'f64':
      if (name === 'float64') return [x];
      if (isSmallFloat(dtype)) return [float32ToSmall(f, dtype, f32x4.demote_f64x2_zero(x))];
      if (name === 'bool') return packTruth(2, f64x2.ne(x, 0));
      if (name === 'int64') return [truncateTo64(f, x)];
      // PyTorch converts to uint8 by way of int64, to the others by way of int32.
      if (name === 'uint8') return [narrowInteger(truncateTo64(f, x), 2, 1)];
      return [narrowInteger(truncate64(f, x), 4, itemsize)];
    case 'i32':
      if (isSmallFloat(dtype)) return [float32ToSmall(f, dtype, f32x4.convert_i32x4_s(x))];
      if (name === 'float64') return [f64x2.convert_low_i32x4_s(x), f64x2.convert_low_i32x4_s(high(x))];
      if (name === 'bool') return packTruth(4, i32x4.ne(x, 0));
      if (name === 'int64') return [i64x2.extend_low_i32x4_s(x), i64x2.extend_high_i32x4_s(x)];
      return [itemsize === 4 ? x : narrowInteger(x, 4, itemsize)];
    case 'i64':
      if (name === 'int64') return [x];
      if (name === 'float64') return [int64ToFloat64(f, x)];
      if (isSmallFloat(dtype)) return [float32ToSmall(f, dtype, int64ToFloat32(f, x))];
      if (name === 'bool') return packTruth(2, i64x2.ne(x, 0));
      return [narrowInteger(x, 2, itemsize)];
  }
}
