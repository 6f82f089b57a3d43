/**
 * What a reduction does with its values: the identity, combining two, and folding the lanes of a vector. Running values
 * come in two widths. Short runs are combined in the type of the values, in vectors; their results are combined in the
 * wider `total` type (float64 for float32 sums and products, int64 for sums of narrow integers), so that the rounding
 * error does not grow with the length of the run.
 *
 * `any` and `all` combine truth values: i32 0 or 1 as scalars, masks of ones as vectors, and as totals integers whose
 * lowest bit tells.
 */
import {
  type Func,
  f32,
  f32x4,
  f64,
  f64x2,
  type I32,
  i32,
  i32x4,
  i64,
  i64x2,
  type Statement,
  select,
  type V128,
  type Value,
  v128,
} from './emitter.ts';
import { type Compute, lanesOf } from './types.ts';

export type CombineName = 'sum' | 'prod' | 'max' | 'min' | 'any' | 'all';

const SIZES = { f32: 4, i32: 4, f64: 8, i64: 8 } as const;

export function bytesOf(type: Compute): number {
  return SIZES[type];
}

/** The type in which the results of short runs are combined. `narrow`: integer values that fit 16 bits. */
export function totalType(combine: CombineName, value: Compute, narrow = false): Compute {
  // Truth totals are as wide as the masks, so that a vector's lanes become totals as they are.
  if (combine === 'any' || combine === 'all') return SIZES[value] === 4 ? 'i32' : 'i64';
  if (combine === 'sum' || combine === 'prod') {
    if (value === 'f32') return 'f64';
    if (value === 'i32' && narrow) return 'i64';
  }
  return value;
}

const INT_IDENTITY = { sum: 0n, prod: 1n, any: 0n, all: 1n } as const;

function identityNumber(combine: CombineName, type: Compute): number | bigint {
  if (type === 'f32' || type === 'f64') {
    if (combine === 'max') return Number.NEGATIVE_INFINITY;
    if (combine === 'min') return Number.POSITIVE_INFINITY;
    return Number(INT_IDENTITY[combine]);
  }
  const bits = BigInt(SIZES[type] * 8 - 1);
  if (combine === 'max') return -(1n << bits);
  if (combine === 'min') return (1n << bits) - 1n;
  return INT_IDENTITY[combine];
}

function isFloat(type: Compute): boolean {
  return type === 'f32' || type === 'f64';
}

/** The value that changes nothing, as a scalar. */
export function identity<T extends Compute>(combine: CombineName, type: T): Value<T> {
  const x = identityNumber(combine, type);
  const made = type === 'i64' ? i64.const(x) : (type === 'i32' ? i32 : type === 'f32' ? f32 : f64).const(Number(x));
  return made as Value as Value<T>;
}

/** The value that changes nothing, in all lanes. */
export function identityVector(combine: CombineName, type: Compute): V128 {
  if (combine === 'any') return i32x4.const(0);
  if (combine === 'all') return i32x4.const(-1);
  const x = identityNumber(combine, type);
  if (type === 'i64') return i64x2.const(x);
  return (type === 'i32' ? i32x4 : type === 'f32' ? f32x4 : f64x2).const(Number(x));
}

/** Two scalars of the same type. `a` and `b` may be computed more than once: give locals. */
export function combineScalars(combine: CombineName, type: Compute, a: Value, b: Value): Value {
  if (combine === 'any' || combine === 'all') {
    const k = (type === 'i64' ? i64 : i32) as typeof i32;
    return combine === 'any' ? k.or(a as I32, b as I32) : k.and(a as I32, b as I32);
  }
  if (type === 'f32' || type === 'f64') {
    const k = (type === 'f32' ? f32 : f64) as typeof f32;
    const x = a as Value<'f32'>;
    const y = b as Value<'f32'>;
    if (combine === 'sum') return k.add(x, y);
    if (combine === 'prod') return k.mul(x, y);
    return combine === 'max' ? k.max(x, y) : k.min(x, y);
  }
  const k = (type === 'i32' ? i32 : i64) as typeof i32;
  const x = a as I32;
  const y = b as I32;
  if (combine === 'sum') return k.add(x, y);
  if (combine === 'prod') return k.mul(x, y);
  return select(combine === 'max' ? k.gt_s(x, y) : k.lt_s(x, y), x, y);
}

/** Two vectors. `a` and `b` may be computed more than once: give locals. */
export function combineVectors(combine: CombineName, type: Compute, a: V128, b: V128): V128 {
  if (combine === 'any') return v128.or(a, b);
  if (combine === 'all') return v128.and(a, b);
  if (type === 'i64') {
    if (combine === 'sum') return i64x2.add(a, b);
    if (combine === 'prod') return i64x2.mul(a, b);
    return v128.bitselect(a, b, combine === 'max' ? i64x2.gt_s(a, b) : i64x2.lt_s(a, b));
  }
  if (type === 'i32') {
    if (combine === 'sum') return i32x4.add(a, b);
    if (combine === 'prod') return i32x4.mul(a, b);
    return combine === 'max' ? i32x4.max_s(a, b) : i32x4.min_s(a, b);
  }
  const k = type === 'f32' ? f32x4 : f64x2;
  if (combine === 'sum') return k.add(a, b);
  if (combine === 'prod') return k.mul(a, b);
  // Machines have no single instruction for the one that propagates NaN. This keeps a NaN of `a`; one of `b` becomes all
  // ones, which is a NaN.
  return v128.or(combine === 'max' ? k.pmax(a, b) : k.pmin(a, b), k.ne(b, b));
}

/** A scalar in the total type. */
export function widen(value: Value, total: Compute): Value {
  if (value.type === total) return value;
  if (value.type === 'f32' && total === 'f64') return f64.promote_f32(value as Value<'f32'>);
  if (value.type === 'i32' && total === 'i64') return i64.extend_i32_s(value as I32);
  throw new Error(`no way from ${value.type} to ${total}`);
}

/** A total back in the type that expressions compute in. */
export function narrow(value: Value, type: Compute): Value {
  if (value.type === type) return value;
  if (value.type === 'f64' && type === 'f32') return f32.demote_f64(value as Value<'f64'>);
  if (value.type === 'i64' && type === 'i32') return i32.wrap_i64(value as Value<'i64'>);
  throw new Error(`no way from ${value.type} to ${type}`);
}

/** A truth total as i32 0 or 1. */
export function truthOf(total: Value): I32 {
  return total.type === 'i64' ? i32.wrap_i64(i64.and(total as Value<'i64'>, 1)) : i32.and(total as I32, 1);
}

export function loadTotal(type: Compute, at: I32): Value {
  return (type === 'f32' ? f32 : type === 'f64' ? f64 : type === 'i32' ? i32 : i64).load(at) as Value;
}
export function storeTotal(type: Compute, at: I32, value: Value): Statement {
  if (type === 'f32') return f32.store(at, value as Value<'f32'>);
  if (type === 'f64') return f64.store(at, value as Value<'f64'>);
  return type === 'i32' ? i32.store(at, value as I32) : i64.store(at, value as Value<'i64'>);
}

/** One lane of a vector as a scalar. */
export function lane(type: Compute, vector: V128, k: number): Value {
  if (type === 'f32') return f32x4.extract_lane(vector, k);
  if (type === 'f64') return f64x2.extract_lane(vector, k);
  return type === 'i32' ? i32x4.extract_lane(vector, k) : i64x2.extract_lane(vector, k);
}

/** A vector's lanes in the total type, as one vector (same width) or two (low lanes first). */
export function widenVector(type: Compute, total: Compute, vector: V128): V128[] {
  // A mask is a truth total, whatever the type of what was tested.
  if (type === total || (isFloat(type) && !isFloat(total))) return [vector];
  if (type === 'f32' && total === 'f64') {
    const high = i32x4.shuffle(vector, vector, 2, 3, 2, 3);
    return [f64x2.promote_low_f32x4(vector), f64x2.promote_low_f32x4(high)];
  }
  if (type === 'i32' && total === 'i64') return [i64x2.extend_low_i32x4_s(vector), i64x2.extend_high_i32x4_s(vector)];
  throw new Error(`no way from ${type} to ${total}`);
}

/** The reverse of `widenVector`, for sums and products in float64. */
export function narrowVectors(total: Compute, type: Compute, parts: readonly V128[]): V128 {
  if (type === total) return parts[0];
  if (type === 'f32' && total === 'f64') {
    return i32x4.shuffle(f32x4.demote_f64x2_zero(parts[0]), f32x4.demote_f64x2_zero(parts[1]), 0, 1, 4, 5);
  }
  throw new Error(`no way from ${total} to ${type}`);
}

/** All lanes of a vector combined, in the total type. Takes a local, for it is computed more than once. */
export function fold(f: Func, combine: CombineName, type: Compute, total: Compute, vector: V128): Value {
  if (combine === 'any') return v128.any_true(vector);
  // Masks are whole lanes of ones, so the narrowest lanes tell it as well.
  if (combine === 'all') return i32x4.all_true(vector);
  const parts = widenVector(type, total, vector).map((p) => f.let(p));
  let whole = parts[0];
  if (parts.length === 2) whole = f.let(combineVectors(combine, total, parts[0], parts[1]));
  if (lanesOf(total) === 4) {
    const half = f.let(i32x4.shuffle(whole, whole, 2, 3, 2, 3));
    whole = f.let(combineVectors(combine, total, whole, half));
  }
  const [low, high] = [0, 1].map((k) => f.let(lane(total, whole, k) as I32));
  return combineScalars(combine, total, low, high);
}
