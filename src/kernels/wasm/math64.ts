/**
 * float64 functions, two lanes at a time, to about 1e-12: what the less common float32 functions are made of
 * (`math32slow.ts`). They take the range of float32 and what a few operations make of it; they are not meant for
 * float64 results, which need more (`mathexact.ts`).
 */
import { type Func, f64x2, i64x2, type Local, type V128, v128 } from './emitter.ts';

export function madd64(f: Func, a: V128 | number, b: V128 | number, c: V128 | number): V128 {
  return f.module.relaxed ? f64x2.relaxed_madd(a, b, c) : f64x2.add(f64x2.mul(a, b), c);
}

/** c - a * b. */
export function nmadd64(f: Func, a: V128 | number, b: V128 | number, c: V128 | number): V128 {
  return f.module.relaxed ? f64x2.relaxed_nmadd(a, b, c) : f64x2.sub(c, f64x2.mul(a, b));
}

export function polynomial64(f: Func, x: V128, c: readonly number[]): V128 {
  let sum: V128 = f64x2.const(c[c.length - 1]);
  for (let i = c.length - 2; i >= 0; i--) sum = madd64(f, sum, x, c[i]);
  return sum;
}

const SIGN = i64x2.const(1n << 63n);
const ONE = f64x2.const(1);

/** |a| with the sign of b. */
export function copysign64(a: V128, b: V128): V128 {
  return v128.bitselect(b, a, SIGN);
}

/** Adding it rounds to an integer, which then is in the low bits. */
const MAGIC = 6755399441055744;
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

/** (e^r - 1) / r for |r| <= ln 2 / 2. */
const EXPM1 = [
  1.0000000000000013, 0.5000000000000001, 0.16666666666615607, 0.04166666666662413, 0.008333333367332009,
  0.0013888888917213717, 0.0001984119061583585, 2.4801521295954376e-5, 2.763265575933203e-6, 2.7620088445409746e-7,
];

/** e^x = s (1 + p), s a power of two, for the bounds |x| <= 200 that are applied here. */
function expParts(f: Func, value: V128): { s: Local<'v128'>; p: Local<'v128'> } {
  const x = f.let(f64x2.pmin(f64x2.pmax(value, -200), 200));
  const t = f.let(madd64(f, x, Math.LOG2E, MAGIC));
  const n = f.let(f64x2.sub(t, MAGIC));
  const r = f.let(nmadd64(f, n, LN2_LOW, nmadd64(f, n, LN2_HIGH, x)));
  const p = f.let(f64x2.mul(r, polynomial64(f, r, EXPM1)));
  return { s: f.let(i64x2.shl(i64x2.add(t, 1023), 52)), p };
}

export function exp64(f: Func, x: V128): V128 {
  const { s, p } = expParts(f, x);
  return madd64(f, s, p, s);
}

export function expm1of64(f: Func, x: V128): V128 {
  const { s, p } = expParts(f, x);
  return madd64(f, s, p, f64x2.sub(s, 1));
}

/** log m = u P(u²) with u = (m - 1) / (m + 1), for sqrt(1/2) <= m <= sqrt(2). */
const LOG = [
  1.9999999999999472, 0.666666666796, 0.3999999488524534, 0.2857216686263938, 0.22174218581197677, 0.19608568909758617,
];
const SQRT_HALF_BITS = 0x3fe6a09e667f3bcdn;
const ONE_BITS = 0x3ff0000000000000n;
/** 2^52, whose low bits hold a small integer, and that with the exponent's bias. */
const TWO52_BITS = 0x4330000000000000n;
const TWO52_BIAS = 4503599627370496 + 1023;

export function log64(f: Func, value: V128): V128 {
  const x = f.let(value);
  const k = f.let(i64x2.shr_u(i64x2.add(x, ONE_BITS - SQRT_HALF_BITS), 52));
  const m = f.let(i64x2.add(i64x2.sub(x, i64x2.shl(k, 52)), ONE_BITS));
  const u = f.let(f64x2.div(f64x2.sub(m, 1), f64x2.add(m, 1)));
  const e = f64x2.sub(v128.or(k, i64x2.const(TWO52_BITS)), TWO52_BIAS);
  const z = f.let(f64x2.mul(u, u));
  const result = f.let(madd64(f, e, Math.LN2, f64x2.mul(u, polynomial64(f, z, LOG))));
  // 0 gives -Infinity, what is below gives NaN, infinity and NaN give themselves.
  const finite = v128.and(f64x2.gt(x, 0), f64x2.lt(x, Infinity));
  const low = f.pick(f64x2.const(-Infinity), f64x2.const(NaN), f64x2.eq(x, 0));
  const special = f.pick(low, x, f64x2.le(x, 0));
  return f.pick(result, special, finite);
}

const HALF_PI_HIGH = 1.5707963267341256;
const HALF_PI_LOW = 6.077100506506192e-11;
const SIN = [
  0.9999999999999957, -0.16666666666616636, 0.008333333323870599, -0.00019841263294474436, 2.7555271077319583e-6,
  -2.47564999842978e-8,
];
const COS = [
  1.0, -0.4999999999999925, 0.04166666666647211, -0.0013888888869963557, 2.4801578533318056e-5, -2.755523305360796e-7,
  2.063040538544112e-9,
];

/** tan x for |x| <= 2^20. */
export function tan64(f: Func, value: V128): V128 {
  const x = f.let(value);
  const t = f.let(madd64(f, x, 2 / Math.PI, MAGIC));
  const n = f.let(f64x2.sub(t, MAGIC));
  const r = f.let(nmadd64(f, n, HALF_PI_LOW, nmadd64(f, n, HALF_PI_HIGH, x)));
  const z = f.let(f64x2.mul(r, r));
  const s = f.let(f64x2.mul(r, polynomial64(f, z, SIN)));
  const c = f.let(polynomial64(f, z, COS));
  const odd = f.let(i64x2.neg(v128.and(t, i64x2.const(1))));
  // In odd quadrants -cos / sin.
  const top = f.pick(f64x2.neg(c), s, odd);
  return f64x2.div(top, f.pick(s, c, odd));
}

/** atan(u) / u as a polynomial in u², for |u| <= tan(pi / 8). */
const ATAN = [
  0.999999999999999, -0.33333333333221343, 0.1999999997837687, -0.14285712660659053, 0.11111048820585145,
  -0.09089529357362555, 0.07673529098467827, -0.06505944155503311, 0.050246342455960435, -0.02531472973194233,
];

/** The angle of the point (x, y), in (-pi, pi]; C's atan2 for zeros, infinities and NaN. */
export function atan2of64(f: Func, yValue: V128, xValue: V128): V128 {
  const y = f.let(yValue);
  const x = f.let(xValue);
  const ay = f.let(f64x2.abs(y));
  const ax = f.let(f64x2.abs(x));
  const steep = f.let(f64x2.gt(ay, ax));
  const small = f.let(f64x2.pmin(ay, ax));
  const large = f.let(f64x2.pmax(ax, ay));
  // Past pi / 8: atan(q) = pi / 4 + atan((q - 1) / (q + 1)).
  const far = f.let(f64x2.gt(small, f64x2.mul(large, Math.tan(Math.PI / 8))));
  const top = f.pick(f64x2.sub(small, large), small, far);
  const bottom = f.pick(f64x2.add(small, large), large, far);
  // 0 / 0 and infinity / infinity stand for an angle of 0 and of pi / 4.
  const quotient = f.let(f64x2.div(top, bottom));
  const even = v128.or(f64x2.eq(large, 0), f64x2.eq(small, Infinity));
  const u = f.let(v128.andnot(quotient, even));
  const z = f.let(f64x2.mul(u, u));
  const eighth = v128.and(f64x2.const(Math.PI / 4), v128.or(far, f64x2.eq(small, Infinity)));
  const a = f.let(f64x2.add(f64x2.mul(u, polynomial64(f, z, ATAN)), eighth));
  const b = f.let(f.pick(f64x2.sub(f64x2.const(Math.PI / 2), a), a, steep));
  const c = f.let(f.pick(f64x2.sub(f64x2.const(Math.PI), b), b, i64x2.shr_s(x, 63)));
  const nan = v128.or(f64x2.ne(x, x), f64x2.ne(y, y));
  return v128.or(copysign64(c, y), nan);
}

/** erf(x) / x as a polynomial in x², for |x| <= 1. */
const ERF = [
  1.1283791670946768, -0.3761263888963531, 0.11283791308604582, -0.026866133235095593, 0.005223783477189248,
  -0.0008542637997087229, 0.0001195656256820733, -1.3909340021874599e-5, 1.058938064107502e-6,
];
/** erfc(x) e^(x²) as a polynomial in (x - 2) / (x + 2), for 0.5 <= x <= 10.2. */
const ERFC = [
  0.2553956763109951, -0.42718584740293836, 0.2416581941238264, -0.07897858190205227, 0.003732897194870556,
  0.006997481999555513, -0.0008472172232050089, -0.000982176013035534, 4.411041993602921e-5, 0.00017532600143879495,
  2.5341521670442097e-5, -2.9937164447780678e-5, -9.566933016383449e-6, 4.063919213446622e-6,
];

export function erfc64(f: Func, value: V128): V128 {
  const x = f.let(value);
  const a = f.let(f64x2.pmin(f64x2.abs(x), 10.2));
  const z = f.let(f64x2.mul(a, a));
  const near = f64x2.sub(ONE, f64x2.mul(a, polynomial64(f, z, ERF)));
  const t = f.let(f64x2.div(f64x2.sub(a, 2), f64x2.add(a, 2)));
  const far = f64x2.mul(exp64(f, f64x2.neg(z)), polynomial64(f, t, ERFC));
  const c = f.let(f.pick(near, far, f64x2.lt(a, 0.5)));
  return f.pick(f64x2.sub(f64x2.const(2), c), c, f64x2.lt(x, 0));
}
