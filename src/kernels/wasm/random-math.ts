/**
 * log, log1p, exp, sine and cosine of two float64 at a time, for the random kernels. PyTorch calls the C library for them,
 * and its last bits show in the numbers; so these follow glibc's methods (FMA builds), operation by operation. They take
 * only what the kernels give them: log of (0, 1], log1p of (-1, 0], angles in [0, 2 pi]. The tangent follows nobody: it
 * is the nearest float64 but for one in very many, as glibc's is but for few.
 */
import { type Func, f64x2, type I32, i32, i32x4, i64x2, type Local, type V128, v128 } from './emitter.ts';
import type { Fused } from './random-fma.ts';

type Vec = Local<'v128'>;

/** Where the mask has ones `a`, else `b`. */
const where = (mask: V128, a: V128, b: V128): V128 => v128.bitselect(a, b, mask);
const bits = (x: bigint): V128 => i64x2.const(x);
/** Two small whole numbers in 64-bit lanes as float64. */
const toFloat = (x: V128): V128 => f64x2.convert_low_i32x4_s(i32x4.shuffle(x, x, 0, 2, 0, 2));

const MANTISSA = 0xfffffffffffffn;

// log1p, by FDLIBM's polynomial in s = f / (2 + f).
const LP = [
  0, 0.6666666666666735, 0.3999999999940942, 0.2857142874366239, 0.22222198432149784, 0.1818357216161805,
  0.15313837699209373, 0.14798198605116586,
];
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

/** log(1 + x), x in (-1, 0]. */
export function log1p(f: Func, { madd64, nmadd64 }: Fused, x: Vec): Vec {
  const size = f.let(f64x2.abs(x));
  // 1 + x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); c is what rounding 1 + x lost, relative to it.
  const u = f.let(f64x2.add(x, 1));
  const mantissa = f.let(v128.and(u, bits(MANTISSA)));
  const lower = f.let(i64x2.lt_s(mantissa, bits(0x6a09en << 32n)));
  const k = f.let(toFloat(i64x2.sub(i64x2.sub(i64x2.shr_u(u, 52), bits(1022n)), v128.and(lower, bits(1n)))));
  const c = f.let(f64x2.div(f64x2.sub(x, f64x2.sub(u, 1)), u));
  const exponent = where(lower, bits(0x3ffn << 52n), bits(0x3fen << 52n));
  const fraction = f.let(f64x2.sub(v128.or(mantissa, exponent), 1));
  const near = f.let(
    v128.or(i64x2.lt_s(mantissa, bits(1n << 32n)), i64x2.gt_s(mantissa, bits((0xffffdn << 32n) - 1n))),
  );
  // Down to about -0.293 x is f itself.
  const small = f.let(i64x2.lt_s(size, bits(0x3fd2bec4n << 32n)));
  f.set(k, v128.andnot(k, small));
  f.set(near, v128.andnot(near, small));
  f.set(c, v128.andnot(c, small));
  f.set(fraction, where(small, x, fraction));

  const halfSquare = f.let(f64x2.mul(f64x2.mul(fraction, 0.5), fraction));
  const s = f.let(f64x2.div(fraction, f64x2.add(fraction, 2)));
  const z = f.let(f64x2.mul(s, s));
  const z2 = f.let(f64x2.mul(z, z));
  const z4 = f.let(f64x2.mul(z2, z2));
  const z6 = f.let(f64x2.mul(z2, z4));
  const r1 = madd64(z, LP[1], f64x2.mul(z2, madd64(z, LP[3], LP[2])));
  const r2 = madd64(z4, madd64(z, LP[5], LP[4]), r1);
  const r = f.let(madd64(z6, madd64(z, LP[7], LP[6]), r2));
  const product = f.let(f64x2.mul(s, f64x2.add(halfSquare, r)));
  const tail = f.let(madd64(k, LN2_LOW, c));
  const scaled = f64x2.sub(f64x2.sub(halfSquare, f64x2.add(tail, product)), fraction);
  const result = f.let(
    where(f64x2.eq(k, 0), f64x2.sub(fraction, f64x2.sub(halfSquare, product)), madd64(k, LN2_HIGH, f64x2.neg(scaled))),
  );
  f.if(v128.any_true(near), () => {
    const rest = f.let(f64x2.mul(nmadd64(fraction, 0.6666666666666666, f64x2.const(1)), halfSquare));
    const shifted = f64x2.sub(f64x2.sub(rest, tail), fraction);
    const value = where(f64x2.eq(k, 0), f64x2.sub(fraction, rest), madd64(k, LN2_HIGH, f64x2.neg(shifted)));
    f.set(result, where(near, value, result));
  });
  const tiny = f64x2.lt(size, 2 ** -29);
  const square = f64x2.sub(x, f64x2.mul(f64x2.mul(x, x), 0.5));
  return f.let(where(tiny, square, result));
}

// log, by a table of 128 reciprocals (glibc took it from Arm's optimized routines, MIT licence) and two polynomials.
const LOG_A = [
  -0.5000000000000001, 0.33333333331825593, -0.2499999999622955, 0.20000304511814496, -0.16667054827627667,
];
const LOG_B = [
  -0.5, 0.3333333333333352, -0.24999999999998432, 0.19999999999320328, -0.16666666669929706, 0.14285715076560868,
  -0.12499997863982555, 0.11110712032936046, -0.10000486757818193, 0.09181994006195467, -0.08328363062289341,
];
const LOG_LN2_HIGH = 0.6931471805598903;
const LOG_LN2_LOW = 5.497923018708371e-14;

/** log(x), x in (0, 1] and normal; `table` is the address of `logTable()`. */
export function log(f: Func, { madd64, nmadd64 }: Fused, x: Vec, table: I32): Vec {
  // x = 2^k z, z in one of 128 intervals; log x = k ln 2 + log c + log(z / c) with 1 / c and log c from the table.
  const offset = f.let(i64x2.sub(x, bits(0x3fe6000000000000n)));
  const k = f.let(toFloat(i64x2.shr_s(offset, 52)));
  const z = i64x2.sub(x, v128.and(offset, bits(0xfffn << 52n)));
  const place = f.let(v128.and(i64x2.shr_u(offset, 41), bits(127n << 4n)));
  const [one, two] = [0, 2].map((lane) => f.let(v128.load(i32.add(table, i32x4.extract_lane(place, lane)))));
  const r = f.let(madd64(z, i64x2.shuffle(one, two, 0, 2), -1));
  const w = f.let(madd64(k, LOG_LN2_HIGH, i64x2.shuffle(one, two, 1, 3)));
  const high = f.let(f64x2.add(r, w));
  const low = madd64(k, LOG_LN2_LOW, f64x2.add(f64x2.sub(w, high), r));
  const r2 = f.let(f64x2.mul(r, r));
  const start = madd64(r2, LOG_A[0], low);
  const poly = madd64(madd64(r, LOG_A[4], LOG_A[3]), r2, madd64(r, LOG_A[2], LOG_A[1]));
  const result = f.let(f64x2.add(madd64(f64x2.mul(r, r2), poly, start), high));
  // Close to 1 the sum would cancel.
  const near = f.let(f64x2.ge(x, 1 - 2 ** -4));
  f.if(v128.any_true(near), () => f.set(result, where(near, logNearOne(f, { madd64, nmadd64 }, x), result)));
  return result;
}

function logNearOne(f: Func, { madd64, nmadd64 }: Pick<Fused, 'madd64' | 'nmadd64'>, x: Vec): Vec {
  const r = f.let(f64x2.sub(x, 1));
  const r2 = f.let(f64x2.mul(r, r));
  const r3 = f.let(f64x2.mul(r, r2));
  const B = LOG_B;
  const p1 = madd64(r2, B[3], madd64(r, B[2], B[1]));
  const p2 = madd64(r2, B[6], madd64(r, B[5], B[4]));
  const p3 = madd64(r3, B[10], madd64(r2, B[9], madd64(r, B[8], B[7])));
  const poly = madd64(madd64(p3, r3, p2), r3, p1);
  const top = f.let(nmadd64(r, 2 ** 27, madd64(r, 2 ** 27, r)));
  const rest = f.let(f64x2.sub(r, top));
  const square = f.let(f64x2.mul(top, top));
  const high = f.let(madd64(square, -0.5, r));
  const low = madd64(square, -0.5, f64x2.sub(r, high));
  const low2 = madd64(f64x2.mul(rest, -0.5), f64x2.add(r, top), low);
  const value = f64x2.add(high, madd64(poly, r3, low2));
  // log 1 is 0, whatever the polynomial's sign of it.
  return f.let(v128.andnot(value, f64x2.eq(x, 1)));
}

// exp, by a table of 2^(k / 128) and a polynomial (glibc took it from Arm's optimized routines, MIT licence).
const EXP_SCALE = Math.LOG2E * 128;
const EXP_SHIFT = 1.5 * 2 ** 52;
const EXP_LN2_HIGH = -0.005415212348111709;
const EXP_LN2_LOW = -1.2864023111638344e-14;
const EXP_C = [0.49999999999996786, 0.16666666666665886, 0.0416666808410674, 0.008333335853059549];
/** Beyond it results are near the limits of float64. */
const EXP_LIMIT = 512;

/** e^x; `table` is the address of `expTable()`. */
export function exp(f: Func, { madd64 }: Fused, x: Vec, table: I32): Vec {
  const shifted = f.let(madd64(x, EXP_SCALE, EXP_SHIFT));
  const k = f.let(f64x2.sub(shifted, EXP_SHIFT));
  const r = f.let(madd64(k, EXP_LN2_LOW, f.let(madd64(k, EXP_LN2_HIGH, x))));
  const place = f.let(i64x2.shl(v128.and(shifted, bits(127n)), 4));
  const [one, two] = [0, 2].map((lane) => f.let(v128.load(i32.add(table, i32x4.extract_lane(place, lane)))));
  const tail = i64x2.shuffle(one, two, 0, 2);
  const scale = f.let(i64x2.add(i64x2.shuffle(one, two, 1, 3), i64x2.shl(shifted, 45)));
  const r2 = f.let(f64x2.mul(r, r));
  const upper = f.let(madd64(r, EXP_C[1], f64x2.const(EXP_C[0])));
  const sum = f.let(madd64(r2, upper, f64x2.add(tail, r)));
  const lower = f.let(madd64(r, EXP_C[3], f64x2.const(EXP_C[2])));
  const rest = f.let(madd64(f64x2.mul(r2, r2), lower, sum));
  const result = f.let(madd64(scale, rest, scale));
  const far = f64x2.ge(f64x2.abs(x), EXP_LIMIT);
  f.if(v128.any_true(far), () => {
    const slow = f.module.import('math', 'exp', ['f64'], 'f64');
    const lanes = [0, 1].map((lane) => f64x2.splat(slow.call(f64x2.extract_lane(x, lane))));
    f.set(result, where(far, i64x2.shuffle(f.let(lanes[0]), f.let(lanes[1]), 0, 2), result));
  });
  return result;
}

// Sine and cosine: reduction to |a| < 0.86 in two parts, then a table of sines and cosines at multiples of 1 / 128.
const SN3 = -0.16666666666666488;
const SN5 = 0.008333332142857223;
const CS2 = 0.5;
const CS4 = -0.04166666666666644;
const CS6 = 0.001388888740079376;
const TAYLOR = [
  -0.16666666666666666, 0.008333333333332329, -0.00019841269834414642, 2.755729806860771e-6, -2.5022014848318398e-8,
];
const PI_2_HIGH = 1.5707963267948966;
const PI_2_LOW = 6.123233995736766e-17;
const TO_INT = 6755399441055744;
const REDUCE = [1.5707963407039642, -1.3909067564377153e-8];
const REDUCE_3 = -4.97899623147991e-17;
const REDUCE_4 = -1.9034889620193266e-25;
const BIG = 1.5 * 2 ** 45;

/** Sine and cosine of x in [0, 2 pi); `table` is the address of `sincosTable()`. */
export function sincos(f: Func, fused: Fused, x: Vec, table: I32): [Vec, Vec] {
  const { madd64, nmadd64 } = fused;
  // x = n pi/2 + a + da.
  const t = f.let(madd64(x, 0.6366197723675814, TO_INT));
  const n = f.let(f64x2.sub(t, TO_INT));
  const y = f.let(nmadd64(n, REDUCE[1], nmadd64(n, REDUCE[0], x)));
  const y2 = f.let(nmadd64(n, REDUCE_3, y));
  const lost = f.let(nmadd64(n, REDUCE_3, f64x2.sub(y, y2)));
  const a = f.let(nmadd64(n, REDUCE_4, y2));
  const da = f.let(f64x2.add(nmadd64(n, REDUCE_4, f64x2.sub(y2, a)), lost));
  const quadrant = f.let(t);
  // Up to 2.43 glibc takes pi/2 - x instead, here with its sign turned; up to 0.86 x itself.
  const middle = f.let(i64x2.lt_s(x, bits(0x400368fdn << 32n)));
  const d = f.let(f64x2.sub(PI_2_HIGH, x));
  const m = f.let(f64x2.add(d, PI_2_LOW));
  const dm = f64x2.add(f64x2.sub(d, m), PI_2_LOW);
  f.set(da, where(middle, f64x2.neg(dm), da));
  f.set(a, where(middle, f64x2.neg(m), a));
  f.set(quadrant, where(middle, bits(1n), quadrant));
  const first = f.let(i64x2.lt_s(x, bits(0x3feb6000n << 32n)));
  f.set(da, v128.andnot(da, first));
  f.set(a, where(first, x, a));
  f.set(quadrant, v128.andnot(quadrant, first));

  const [sine, cosine] = sincosReduced(f, fused, a, da, table);
  const swap = f.let(i64x2.ne(v128.and(quadrant, bits(1n)), bits(0n)));
  const sign = (q: V128): V128 => i64x2.shl(v128.and(q, bits(2n)), 62);
  return [
    f.let(v128.xor(where(swap, cosine, sine), sign(quadrant))),
    f.let(v128.xor(where(swap, sine, cosine), sign(i64x2.add(quadrant, bits(1n))))),
  ];
}

function sincosReduced(f: Func, { madd64, nmadd64 }: Fused, a: Vec, da: Vec, table: I32): [Vec, Vec] {
  const size = f.let(f64x2.abs(a));
  const signOfA = f.let(v128.and(a, bits(1n << 63n)));
  const dx = f.let(v128.xor(da, signOfA));
  const u = f.let(f64x2.add(size, BIG));
  const x = f.let(f64x2.sub(size, f64x2.sub(u, BIG)));
  const rows = [0, 2].map((lane) => f.let(i32.add(table, i32.shl(i32x4.extract_lane(u, lane), 5))));
  const [s0, s1] = rows.map((row) => f.let(v128.load(row)));
  const [c0, c1] = rows.map((row) => f.let(v128.load(row, 16)));
  const sn = f.let(i64x2.shuffle(s0, s1, 0, 2));
  const ssn = f.let(i64x2.shuffle(s0, s1, 1, 3));
  const cs = f.let(i64x2.shuffle(c0, c1, 0, 2));
  const ccs = f.let(i64x2.shuffle(c0, c1, 1, 3));
  const polynomials = (vv: Vec): [V128, V128] => [madd64(vv, SN5, SN3), madd64(vv, madd64(vv, CS6, CS4), CS2)];

  // Sine: the small part dx enters the sums late.
  const xx = f.let(f64x2.mul(x, x));
  const [ps, pc] = polynomials(xx);
  const s = f.let(f64x2.add(madd64(f64x2.mul(xx, x), ps, dx), x));
  const c = f.let(madd64(dx, x, f64x2.mul(xx, pc)));
  const correction = madd64(s, cs, nmadd64(c, sn, madd64(s, ccs, ssn)));
  const big = v128.or(f64x2.add(sn, correction), signOfA);
  const aa = f.let(f64x2.mul(a, a));
  const T = TAYLOR;
  const poly = madd64(aa, madd64(aa, madd64(aa, madd64(aa, T[4], T[3]), T[2]), T[1]), T[0]);
  const small = f64x2.add(a, madd64(aa, madd64(a, poly, f64x2.mul(da, -0.5)), da));
  const sine = f.let(where(f64x2.lt(size, 0.126), small, big));

  // Cosine: dx is added before.
  const v = f.let(f64x2.add(x, dx));
  const vv = f.let(f64x2.mul(v, v));
  const [qs, qc] = polynomials(vv);
  const s2 = f.let(madd64(f64x2.mul(vv, v), qs, v));
  const c2 = f.let(f64x2.mul(vv, qc));
  const cosine = f.let(f64x2.add(cs, nmadd64(s2, sn, nmadd64(c2, cs, nmadd64(s2, ssn, ccs)))));
  return [sine, cosine];
}

/** tan x, |x| <= pi / 2; `table` is the address of `sincosTable()`. In twice the digits, then rounded. */
export function tan(f: Func, { madd64, nmadd64 }: Fused, angle: Vec, table: I32): Vec {
  const sign = f.let(v128.and(angle, bits(1n << 63n)));
  const size = f.let(f64x2.abs(angle));
  // From 0.85 on the cotangent of pi / 2 - |x|.
  const far = f.let(f64x2.gt(size, 0.85));
  const y = f.let(where(far, f64x2.sub(f64x2.const(PI_2_HIGH), size), size));
  const yLow = f.let(v128.and(f64x2.const(PI_2_LOW), far));
  const u = f.let(f64x2.add(y, BIG));
  const r = f.let(f64x2.sub(y, f64x2.sub(u, BIG)));
  const rows = [0, 2].map((lane) => f.let(i32.add(table, i32.shl(i32x4.extract_lane(u, lane), 5))));
  const [s0, s1] = rows.map((row) => f.let(v128.load(row)));
  const [c0, c1] = rows.map((row) => f.let(v128.load(row, 16)));
  const [sn, ssn] = [f.let(i64x2.shuffle(s0, s1, 0, 2)), f.let(i64x2.shuffle(s0, s1, 1, 3))];
  const [cs, ccs] = [f.let(i64x2.shuffle(c0, c1, 0, 2)), f.let(i64x2.shuffle(c0, c1, 1, 3))];
  // sin r = r + s and cos r = 1 + c.
  const rr = f.let(f64x2.mul(r, r));
  const sPoly = f.let(madd64(rr, f.let(madd64(rr, -1 / 5040, f64x2.const(1 / 120))), f64x2.const(-1 / 6)));
  const s = f.let(f64x2.add(f64x2.mul(f64x2.mul(rr, r), sPoly), yLow));
  const cPoly = f.let(madd64(rr, f.let(madd64(rr, -1 / 720, f64x2.const(1 / 24))), f64x2.const(-0.5)));
  const c = f.let(nmadd64(r, yLow, f64x2.mul(rr, cPoly)));
  /** head + a b + small, in two parts. */
  const expand = (head: Vec, a: Vec, b: Vec, small: V128): [Vec, Vec] => {
    const product = f.let(f64x2.mul(a, b));
    const low = f.let(nmadd64(f.let(f64x2.neg(a)), b, f.let(f64x2.neg(product))));
    const sum = f.let(f64x2.add(head, product));
    const part = f.let(f64x2.sub(sum, head));
    const error = f64x2.add(f64x2.sub(head, f64x2.sub(sum, part)), f64x2.sub(product, part));
    const rest = f.let(f64x2.add(f64x2.add(error, low), small));
    const high = f.let(f64x2.add(sum, rest));
    return [high, f.let(f64x2.add(f64x2.sub(sum, high), rest))];
  };
  const sineRest = f64x2.add(madd64(cs, s, f.let(f64x2.mul(sn, c))), madd64(ccs, r, ssn));
  const [sine, sineLow] = expand(sn, cs, r, sineRest);
  const cosineRest = f64x2.add(nmadd64(sn, s, f.let(f64x2.mul(cs, c))), nmadd64(ssn, r, ccs));
  const [cosine, cosineLow] = expand(cs, f.let(f64x2.neg(sn)), r, cosineRest);
  const [top, topLow] = [f.let(where(far, cosine, sine)), where(far, cosineLow, sineLow)];
  const [bottom, bottomLow] = [f.let(where(far, sine, cosine)), f.let(where(far, sineLow, cosineLow))];
  const quotient = f.let(f64x2.div(top, bottom));
  const left = f64x2.add(nmadd64(quotient, bottom, top), nmadd64(quotient, bottomLow, f.let(topLow)));
  return f.let(v128.xor(f64x2.add(quotient, f64x2.div(left, bottom)), sign));
}
