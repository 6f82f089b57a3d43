/**
 * float32 functions computed in float64, four lanes a call, so that their float32 results are rounded almost always
 * correctly. They are helper functions of a module, made when first used.
 */
import {
  choose,
  type Func,
  type FuncRef,
  type I32,
  f32,
  f32x4,
  f64,
  f64x2,
  i32x4,
  i64x2,
  type V128,
  v128,
  type WasmModule,
} from './emitter.ts';
import {
  atan2of64,
  copysign64,
  erfc64,
  exp64,
  expm1of64,
  log64,
  madd64,
  nmadd64,
  polynomial64,
  tan64,
} from './math64.ts';
import { exactFmod } from './mathexact.ts';

/** A function of two float64 lanes. */
type Half = (f: Func, x: V128) => V128;

/** log(1 + x); below 2^-12 by its series, since 1 + x would lose it. */
const log1p64: Half = (f, value) => {
  const x = f.let(value);
  const series = f64x2.mul(x, polynomial64(f, x, [1, -1 / 2, 1 / 3, -1 / 4]));
  const small = f64x2.lt(f64x2.abs(x), 2 ** -12);
  // The last term keeps the sign of a zero.
  return f.pick(v128.or(series, v128.and(x, i64x2.const(1n << 63n))), log64(f, f64x2.add(x, 1)), small);
};

/** The series x + c x³ below 2^-12, where the formula would lose too much. */
function orCubic(f: Func, x: V128, c: number, formula: V128): V128 {
  const a = f.let(f64x2.abs(x));
  const series = madd64(f, f64x2.mul(f64x2.mul(a, a), c), a, a);
  return copysign64(f.pick(series, formula, f64x2.lt(a, 2 ** -12)), x);
}

const HALVES: Record<string, Half> = {
  log: log64,
  log2: (f, x) => f64x2.mul(log64(f, x), Math.LOG2E),
  log10: (f, x) => f64x2.mul(log64(f, x), Math.LOG10E),
  log1p: log1p64,
  exp2: (f, x) => exp64(f, f64x2.mul(x, Math.LN2)),
  expm1: (f, value) => {
    const x = f.let(value);
    return v128.or(expm1of64(f, x), v128.and(x, i64x2.const(1n << 63n)));
  },
  sinh: (f, value) => {
    const x = f.let(value);
    const e = f.let(expm1of64(f, f64x2.abs(x)));
    return copysign64(f64x2.mul(f64x2.add(e, f64x2.div(e, f64x2.add(e, 1))), 0.5), x);
  },
  cosh: (f, value) => {
    const e = f.let(exp64(f, f64x2.abs(value)));
    return f64x2.mul(f64x2.add(e, f64x2.div(f64x2.const(1), e)), 0.5);
  },
  asin: (f, value) => {
    const x = f.let(value);
    return atan2of64(f, x, f64x2.sqrt(nmadd64(f, x, x, 1)));
  },
  acos: (f, value) => {
    const x = f.let(value);
    return atan2of64(f, f64x2.sqrt(f64x2.mul(f64x2.sub(f64x2.const(1), x), f64x2.add(x, 1))), x);
  },
  atan: (f, x) => atan2of64(f, x, f64x2.const(1)),
  asinh: (f, value) => {
    const x = f.let(value);
    const a = f.let(f64x2.abs(x));
    return orCubic(f, x, -1 / 6, log64(f, f64x2.add(a, f64x2.sqrt(madd64(f, a, a, 1)))));
  },
  acosh: (f, value) => {
    const x = f.let(value);
    const root = f64x2.sqrt(f64x2.mul(f64x2.sub(x, 1), f64x2.add(x, 1)));
    // Below 1 the root alone would make a NaN only down to -1.
    return v128.or(log64(f, f64x2.add(x, root)), f64x2.lt(x, 1));
  },
  atanh: (f, value) => {
    const x = f.let(value);
    const a = f64x2.abs(x);
    const ratio = f64x2.div(f64x2.add(a, 1), f64x2.sub(f64x2.const(1), a));
    return orCubic(f, x, 1 / 3, f64x2.mul(log64(f, ratio), 0.5));
  },
  erfc: erfc64,
  tan: tan64,
};

/** Applies a function of float64 pairs to four float32 lanes of each operand. */
function inHalves(f: Func, operands: V128[], apply: (lanes: V128[]) => V128): V128 {
  const xs = operands.map((x) => f.let(x));
  const low = f.let(f32x4.demote_f64x2_zero(apply(xs.map((x) => f64x2.promote_low_f32x4(x)))));
  const high = f.let(
    f32x4.demote_f64x2_zero(apply(xs.map((x) => f64x2.promote_low_f32x4(i32x4.shuffle(x, x, 2, 3, 2, 3))))),
  );
  return i32x4.shuffle(low, high, 0, 1, 4, 5);
}

/** JavaScript's function, lane by lane: exact for arguments of any size. */
function byLanes(f: Func, name: 'sin' | 'cos' | 'tan', x: V128): V128 {
  const fn = f.module.import('math', name, ['f64'], 'f64');
  const result = f.let(x);
  for (let lane = 0; lane < 4; lane++) {
    const y = fn.call(f64.promote_f32(f32x4.extract_lane(result, lane)));
    f.set(result, f32x4.replace_lane(result, lane, f32.demote_f64(y)));
  }
  return result;
}

/**
 * The function in place, for a loop. `tan` takes a guard, as `RenderOptions.guard` describes: beyond it arguments are too
 * large for its reduction.
 */
export function inPlace32(f: Func, name: string, value: V128, guard?: (condition: I32) => void): V128 {
  const half = HALVES[name];
  if (!half) throw new Error(`no float32 function ${name}`);
  const x = f.let(value);
  const near = i32x4.all_true(f32x4.le(f32x4.abs(x), 1048576));
  if (name === 'tan') guard?.(near);
  const result = inHalves(f, [x], ([lanes]) => half(f, lanes));
  if (name !== 'tan' || guard) return result;
  const far = f.module.shared('f32.tan.far', ['v128'], 'v128', (g, y) => byLanes(g, 'tan', y));
  return choose(near, f.let(result), far.call(x));
}

/** The helper function of this name in the module: four float32 lanes to four. */
export function slow32(m: WasmModule, name: string): FuncRef<readonly ['v128'], 'v128'> {
  return m.shared(`f32.${name}`, ['v128'], 'v128', (f, x) =>
    name === 'sin' || name === 'cos' ? byLanes(f, name, x) : inPlace32(f, name, x),
  );
}

/** The angle of four points (x, y). */
export function atan2of32(f: Func, y: V128, x: V128): V128 {
  return inHalves(f, [y, x], ([b, a]) => atan2of64(f, b, a));
}

/** x to the power of y, four lanes; C's powf for every special value. */
export function pow32(f: Func, base: V128, exponent: V128): V128 {
  const x = f.let(base);
  const y = f.let(exponent);
  const magnitude = f.let(inHalves(f, [f32x4.abs(x), y], ([a, b]) => exp64(f, f64x2.mul(log64(f, a), b))));
  // An odd integer: whole, and its half is not. Infinity and large floats are even.
  const whole = f.let(f32x4.eq(f32x4.trunc(y), y));
  const half = f.let(f32x4.mul(y, 0.5));
  const odd = v128.andnot(v128.and(whole, f32x4.lt(f32x4.abs(y), 16777216)), f32x4.eq(f32x4.trunc(half), half));
  const signed = f.let(v128.xor(magnitude, v128.and(v128.and(odd, x), i32x4.const(0x80000000))));
  // A negative finite number to a fraction has no real value.
  const undefinedPower = v128.andnot(v128.and(f32x4.lt(x, 0), f32x4.gt(x, -Infinity)), whole);
  const result = v128.or(signed, undefinedPower);
  const minusOne = v128.and(f32x4.eq(x, -1), f32x4.eq(f32x4.abs(y), Infinity));
  const one = v128.or(v128.or(f32x4.eq(x, 1), f32x4.eq(y, 0)), minusOne);
  return f.pick(f32x4.const(1), result, one);
}

/** fmod of four lanes. Quotients below 2^28 are exact in float64; if one is larger, each lane is divided in steps. */
export function fmod32(m: WasmModule): FuncRef<readonly ['v128', 'v128'], 'v128'> {
  return m.shared('f32.fmod', ['v128', 'v128'], 'v128', (f, a, b) => {
    const fits = i32x4.all_true(f32x4.lt(f32x4.abs(f32x4.div(a, b)), 268435456));
    const fast = f.let(
      inHalves(f, [a, b], ([x, y]) => {
        const top = f.let(x);
        const bottom = f.let(y);
        const q = f64x2.trunc(f64x2.div(top, bottom));
        const r = f64x2.sub(top, f64x2.mul(q, bottom));
        // The remainder by infinity is the number itself; the sign of zero is the dividend's.
        const finite = f64x2.lt(f64x2.abs(bottom), Infinity);
        return copysign64(f.pick(r, top, finite), top);
      }),
    );
    const slow = m.shared('f32.fmod.far', ['v128', 'v128'], 'v128', (g, p, q) => {
      const result = g.let(p);
      for (let lane = 0; lane < 4; lane++) {
        const x = f64.promote_f32(f32x4.extract_lane(p, lane));
        const y = f64.promote_f32(f32x4.extract_lane(q, lane));
        g.set(result, f32x4.replace_lane(result, lane, f32.demote_f64(exactFmod(m).call(x, y))));
      }
      return result;
    });
    return choose(fits, fast, slow.call(a, b));
  });
}
