/**
 * Fused multiply-add for the random kernels: a * b + c rounded once, as the code that PyTorch runs does it. Where relaxed
 * SIMD is really fused (the standard leaves that open) it is one instruction; everywhere else it is computed exactly from
 * plain operations, so the numbers are the same on every machine.
 */
import { features } from '../features.ts';
import { type Func, f32x4, f64x2, i32x4, i64x2, type Local, type V128, v128, WasmModule } from './emitter.ts';

type F64x2 = V128 | number;

/** a * b + c in four float32. The arguments are locals or constants: they may be computed more than once. */
export type Madd32 = (a: V128, b: V128, c: V128) => V128;

/** The operations of one function under construction. */
export interface Fused {
  readonly madd32: Madd32;
  /**
   * Computes vectors with many float32 operations, and uses them. Where nothing is fused, the quick way is taken first,
   * and the exact one only if a doubtful case occurred: `compute` and `use` are then called twice, to make code.
   */
  guarded32(compute: (madd32: Madd32) => Local<'v128'>[], use: (results: Local<'v128'>[]) => void): void;
  /** a * b + c in two float64. */
  madd64(a: F64x2, b: F64x2, c: F64x2): V128;
  /** c - a * b in two float64. */
  nmadd64(a: F64x2, b: F64x2, c: F64x2): V128;
}

let fused: boolean | undefined;

/** Whether relaxed_madd rounds once here, for float32 and float64. */
export function hasFusedMadd(): boolean {
  return (fused ??= features.relaxedSimd && isFused());
}

/** (1 + e)^2 - (1 + 2e) is e^2, which only a fused operation keeps. */
function isFused(): boolean {
  const m = new WasmModule({ relaxed: true, shared: false });
  const single = m.func(['f32', 'f32'], 'f32', (_, a, c) => {
    const x = f32x4.splat(a);
    return f32x4.extract_lane(f32x4.relaxed_madd(x, x, f32x4.splat(c)), 0);
  });
  const double = m.func(['f64', 'f64'], 'f64', (_, a, c) => {
    const x = f64x2.splat(a);
    return f64x2.extract_lane(f64x2.relaxed_madd(x, x, f64x2.splat(c)), 0);
  });
  m.export('single', single as never);
  m.export('double', double as never);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const module = new WebAssembly.Module(m.toBytes() as BufferSource);
  const run = new WebAssembly.Instance(module, { env: { memory } }).exports as Record<
    string,
    (a: number, c: number) => number
  >;
  const e32 = 2 ** -12;
  const e64 = 2 ** -27;
  return run['single'](1 + e32, -1 - 2 * e32) === e32 * e32 && run['double'](1 + e64, -1 - 2 * e64) === e64 * e64;
}

const vector = (x: F64x2): V128 => (typeof x === 'number' ? f64x2.const(x) : x);

/** The operations, by instruction or, where that isn't fused, by helper functions of the module. */
export function fusedOperations(f: Func, relaxed: boolean): Fused {
  if (relaxed) {
    const madd32: Madd32 = (a, b, c) => f32x4.relaxed_madd(a, b, c);
    return {
      madd32,
      guarded32: (compute, use) => use(compute(madd32)),
      madd64: (a, b, c) => f64x2.relaxed_madd(vector(a), vector(b), vector(c)),
      nmadd64: (a, b, c) => f64x2.relaxed_nmadd(vector(a), vector(b), vector(c)),
    };
  }
  const single = f.module.shared('fma32', ['v128', 'v128', 'v128'], 'v128', fma32);
  const double = f.module.shared('fma64', ['v128', 'v128', 'v128'], 'v128', fma64);
  const madd32: Madd32 = (a, b, c) => single.call(a, b, c);
  return {
    madd32,
    guarded32: (compute, use) => {
      const doubt = f.let<'v128'>(i64x2.const(0n));
      const results = compute((a, b, c) => quickMadd32(f, doubt, a, b, c));
      f.if(
        v128.any_true(doubt),
        () => use(compute(madd32)),
        () => use(results),
      );
    },
    madd64: (a, b, c) => double.call(vector(a), vector(b), vector(c)),
    nmadd64: (a, b, c) => double.call(f64x2.neg(vector(a)), vector(b), vector(c)),
  };
}

const high = (x: V128): V128 => i64x2.shuffle(x, x, 1, 1);

/**
 * By way of float64, rounding twice. That can only go wrong if the first rounding ended in the middle between two
 * float32; then `doubt` gets bits.
 */
function quickMadd32(f: Func, doubt: Local<'v128'>, a: V128, b: V128, c: V128): V128 {
  const wide = f64x2.promote_low_f32x4;
  const low = f.let(f64x2.add(f64x2.mul(wide(a), wide(b)), wide(c)));
  const upper = f.let(f64x2.add(f64x2.mul(wide(high(a)), wide(high(b))), wide(high(c))));
  // The 29 bits that float32 does not have are 1, then zeros.
  const lost = i32x4.shl(i32x4.shuffle(low, upper, 0, 2, 4, 6), 3);
  f.set(doubt, v128.or(doubt, i32x4.eq(lost, i32x4.const(0x80000000))));
  return i64x2.shuffle(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(upper), 0, 2);
}

/** float64 has the exact product of two float32. Only its sum with c can be rounded twice; see `oddSum`. */
function fma32(f: Func, a: V128, b: V128, c: V128): V128 {
  const half = (pick: (x: V128) => V128): V128 => {
    const product = f.let(f64x2.mul(f64x2.promote_low_f32x4(pick(a)), f64x2.promote_low_f32x4(pick(b))));
    return f32x4.demote_f64x2_zero(oddSum(f, product, f.let(f64x2.promote_low_f32x4(pick(c)))));
  };
  const low = f.let(half((x) => x));
  return i64x2.shuffle(low, half(high), 0, 2);
}

/**
 * x + y rounded to odd: an inexact sum gets a last bit of 1, so that rounding it once more to fewer bits gives what
 * rounding the exact sum gives.
 */
function oddSum(f: Func, x: V128, y: V128): V128 {
  const [sum, error] = twoSum(f, x, y);
  // Written so that a NaN (from an infinite sum) counts as exact.
  const inexactEven = v128.andnot(
    f64x2.gt(f64x2.abs(error), 0),
    i64x2.ne(v128.and(sum, i64x2.const(1n)), i64x2.const(0n)),
  );
  // Towards the error: one unit up if it has the sum's sign, else one down.
  const step = v128.or(i64x2.shr_s(v128.xor(sum, error), 63), i64x2.const(1n));
  return i64x2.add(sum, v128.and(step, inexactEven));
}

/** The rounded sum and what rounding lost. */
function twoSum(f: Func, x: V128, y: V128): [V128, V128] {
  const sum = f.let(f64x2.add(x, y));
  const part = f.let(f64x2.sub(sum, x));
  const error = f.let(f64x2.add(f64x2.sub(x, f64x2.sub(sum, part)), f64x2.sub(y, part)));
  return [sum, error];
}

/** Boldo and Melquiond's algorithm; right as long as nothing underflows on the way, and a does not overflow in `split`. */
function fma64(f: Func, a: V128, factor: V128, summand: V128): V128 {
  // A large factor (of a uniform number's range) would overflow in `split`.
  const large = f.let(f64x2.gt(f64x2.abs(factor), 2 ** 960));
  const scale = (by: number): V128 => v128.bitselect(f64x2.const(by), f64x2.const(1), large);
  const down = f.let(scale(2 ** -60));
  const b = f.let(f64x2.mul(factor, down));
  const c = f.let(f64x2.mul(summand, down));
  const [aHigh, aLow] = split(f, a);
  const [bHigh, bLow] = split(f, b);
  const product = f.let(f64x2.mul(a, b));
  const cross = f64x2.add(
    f64x2.add(f64x2.sub(f64x2.mul(aHigh, bHigh), product), f64x2.mul(aHigh, bLow)),
    f64x2.mul(aLow, bHigh),
  );
  const rest = f.let(f64x2.add(cross, f64x2.mul(aLow, bLow)));
  const [sum, sumError] = twoSum(f, c, rest);
  const [result, resultError] = twoSum(f, product, sum);
  return f64x2.mul(f64x2.add(result, oddSum(f, sumError, resultError)), scale(2 ** 60));
}

/** Two halves of 26 bits whose sum is x. */
function split(f: Func, x: V128): [V128, V128] {
  const scaled = f.let(f64x2.mul(x, 2 ** 27 + 1));
  const top = f.let(f64x2.sub(scaled, f64x2.sub(scaled, x)));
  return [top, f.let(f64x2.sub(x, top))];
}
