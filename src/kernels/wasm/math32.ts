/**
 * Fast float32 functions, four lanes at a time, within 2 ulp of the correctly rounded result: the ones that models
 * spend their time in. All work with a fused or an unfused multiply-add. Each takes a value that it evaluates once and
 * gives a value to be used once.
 *
 * Polynomial coefficients are minimax fits, rounded one after the other to float32.
 */
import { choose, type Func, f32x4, f64x2, type I32, i32, i32x4, type Local, type V128, v128 } from './emitter.ts';
import { slow32 } from './math32slow.ts';
import { madd64, nmadd64 } from './math64.ts';

/** Takes the condition under which the fast way holds; see `RenderOptions.guard`. */
type Guard = (condition: I32) => void;

/** Whether all four lanes of a mask are set; shorter code than `all_true` on x86. */
function allLanes(mask: V128): I32 {
  return i32.eq(i32x4.bitmask(mask), 15);
}

/** a * b + c. */
export function madd(f: Func, a: V128 | number, b: V128 | number, c: V128 | number): V128 {
  return f.module.relaxed ? f32x4.relaxed_madd(a, b, c) : f32x4.add(f32x4.mul(a, b), c);
}

/** c - a * b. */
export function nmadd(f: Func, a: V128 | number, b: V128 | number, c: V128 | number): V128 {
  return f.module.relaxed ? f32x4.relaxed_nmadd(a, b, c) : f32x4.sub(c, f32x4.mul(a, b));
}

/** c[0] + c[1] x + c[2] x² + …; x must be a local. */
export function polynomial(f: Func, x: V128, c: readonly number[]): V128 {
  let sum: V128 = f32x4.const(c[c.length - 1]);
  for (let i = c.length - 2; i >= 0; i--) sum = madd(f, sum, x, c[i]);
  return sum;
}

const SIGN = i32x4.const(0x80000000);

/** Adding it to a float of magnitude below 2^22 rounds that to an integer, which then is in the low bits. */
const MAGIC = 12582912;
const MAGIC_BITS = 0x4b400000;

/** ln 2 in two parts; the first has 9 bits, so its product with an exponent is exact. */
const LN2_HIGH = 0.693359375;
const LN2_LOW = Math.LN2 - LN2_HIGH;

/** (e^r - 1 - r) / r² for |r| <= ln 2 / 2. */
const EXP = [0.4999999403953552, 0.1666652113199234, 0.04166827350854874, 0.008368686772882938, 0.0013820158783346415];

/**
 * e^x = 2^n (1 + p) for |x| < 2^21 or so: p in [-0.3, 0.42], n in the low bits of t, which has nothing else in its lowest 9.
 * Powers of r are taken apart so that the chain of operations that wait for each other is short: what bounds a loop is
 * how many of its rounds the processor has in flight. `negate`: of e^-x, to the same bit.
 */
function expParts(f: Func, x: Local<'v128'>, negate = false): { t: Local<'v128'>; p: V128 } {
  const t = f.let(madd(f, x, negate ? -Math.LOG2E : Math.LOG2E, MAGIC));
  const whole = f.let(f32x4.sub(t, MAGIC));
  // Negated, this is -r; the odd coefficients change their signs for it.
  const reduce = negate ? madd : nmadd;
  const r = f.let(reduce(f, whole, LN2_LOW, reduce(f, whole, LN2_HIGH, x)));
  const z = f.let(f32x4.mul(r, r));
  const odd = negate ? -1 : 1;
  const low = madd(f, r, odd * EXP[1], EXP[0]);
  const high = madd(f, z, EXP[4], madd(f, r, odd * EXP[3], EXP[2]));
  const q = f.let(madd(f, z, high, low));
  return { t, p: madd(f, z, q, negate ? f32x4.neg(r) : r) };
}

/** 2^n m by adding n to the exponent; the result is neither subnormal nor infinite. */
function scaled(m: V128, t: V128): V128 {
  return i32x4.add(m, i32x4.shl(t, 23));
}

/** n of `expParts` as an integer. */
const whole = (t: V128): V128 => i32x4.sub(t, MAGIC_BITS);

/** 2^n as a float, straight from t of `expParts`. */
function power2Of(t: V128): V128 {
  // Shifted so far, nothing is left of the bits of MAGIC.
  return i32x4.add(i32x4.shl(t, 23), i32x4.const(127 << 23));
}

/** 2^n as a float, for -126 <= n <= 127. */
function power2(n: V128): V128 {
  return i32x4.shl(i32x4.add(n, 127), 23);
}

/** Up to this magnitude e^x is a normal float32. */
const EXP_NORMAL = 87;
/** Up to this magnitude 1 + e^x loses nothing of the 1 that counts. */
const SIGMOID_NEAR = 16;

export function exp(f: Func, value: V128, guard?: Guard): V128 {
  const given = f.let(value);
  if (guard) {
    guard(allLanes(f32x4.lt(f32x4.abs(given), EXP_NORMAL)));
    const { t, p } = expParts(f, given);
    return scaled(f32x4.add(p, 1), t);
  }
  // The bounds are past the overflow and the underflow of float32. pmin and pmax keep a NaN in the first place.
  const x = f.let(f32x4.pmin(f32x4.pmax(given, -104.5), 89));
  const { t, p } = expParts(f, x);
  const n = f.let(whole(t));
  // Scaling in two steps reaches subnormal results, with one rounding, and infinity.
  const half = f.let(i32x4.shr_s(n, 1));
  return f32x4.mul(f32x4.mul(f32x4.add(p, 1), power2(half)), power2(i32x4.sub(n, half)));
}

/** e^x for x <= 0 (or NaN). Below the normal range of float32 it is 0, which saves a third of the work. */
export function expOfNegative(f: Func, value: V128): V128 {
  const x = f.let(value);
  const { t, p } = expParts(f, x);
  // A NaN stays one only by an operation of floats.
  return v128.andnot(f32x4.mul(f32x4.add(p, 1), power2Of(t)), f32x4.lt(x, -87.33654));
}

export function sigmoid(f: Func, value: V128, guard?: Guard): V128 {
  const x = f.let(value);
  const near = f.let(f32x4.lt(f32x4.abs(x), SIGMOID_NEAR));
  guard?.(allLanes(near));
  const { t, p } = expParts(f, x, true);
  const s = f.let(power2Of(t));
  const result = f32x4.div(f32x4.const(1), madd(f, s, p, f32x4.add(s, 1)));
  if (guard) return result;
  const far = f.module.shared('f32.sigmoid.far', ['v128'], 'v128', sigmoidFar);
  const kept = f.let(result);
  return choose(allLanes(near), kept, f.pick(kept, f.let(far.call(x)), near));
}

/** e - e² below 0 and 1 - e above, with e = e^-|x|, whose next terms are nothing any more. */
function sigmoidFar(f: Func, x: V128): V128 {
  const e = f.let(exp(f, v128.or(x, SIGN)));
  return f.pick(nmadd(f, e, e, e), f32x4.sub(f32x4.const(1), e), f32x4.lt(x, 0));
}

/** Beyond 9.1 or so tanh is 1 in float32. */
const TANH_END = -20;

/** (1 - e) / (1 + e) with e = e^(-2 |x|) = s (1 + p), whose numerator keeps its digits next to 0. */
export function tanh(f: Func, value: V128): V128 {
  const x = f.let(value);
  const a = f.let(v128.or(x, SIGN));
  const y = f.let(f32x4.pmax(f32x4.add(a, a), 2 * TANH_END));
  const { t, p } = expParts(f, y);
  const s = f.let(power2Of(t));
  const e = f.let(p);
  const ratio = f32x4.div(nmadd(f, s, e, f32x4.sub(f32x4.const(1), s)), madd(f, s, e, f32x4.add(s, 1)));
  return v128.bitselect(x, ratio, SIGN);
}

/**
 * log2(1 / Phi(x) - 1) / x as a polynomial in x² for |x| <= 5.6, with the normal distribution function Phi. Beyond, Phi is 0 or
 * 1 to float32 next to 1.
 */
const NORMAL = [
  -2.3022093772888184, -0.10483468323945999, 9.346017759526148e-5, 0.0001598800445208326, -1.1506196642584563e-5,
  3.8799024082436517e-7, -5.280848203170763e-9,
];
const NORMAL_END = 5.6 * 5.6;
/** (2^r - 1) / r for |r| <= 1/2. */
const EXP2 = [0.6931470036506653, 0.24022246897220612, 0.0555071085691452, 0.009671291336417198, 0.0013269520131871104];

/** The normal distribution function, to 1.4e-7: as 1 + erf has it, whose sum loses what is less. */
export function normcdf(f: Func, value: V128): V128 {
  const x = f.let(value);
  const z = f.let(f32x4.pmin(f32x4.mul(x, x), NORMAL_END));
  const zz = f.let(f32x4.mul(z, z));
  const pair = (k: number): V128 => madd(f, z, NORMAL[k + 1], NORMAL[k]);
  const g = madd(f, f32x4.mul(zz, zz), madd(f, zz, NORMAL[6], pair(4)), madd(f, zz, pair(2), pair(0)));
  // At 128 the power becomes infinite.
  const u = f.let(f32x4.pmax(f32x4.pmin(f32x4.mul(x, g), 128), -126));
  const t = f.let(f32x4.add(u, MAGIC));
  const r = f.let(f32x4.sub(u, f32x4.sub(t, MAGIC)));
  const rr = f.let(f32x4.mul(r, r));
  const high = madd(f, rr, EXP2[4], madd(f, r, EXP2[3], EXP2[2]));
  const power = madd(f, r, madd(f, rr, high, madd(f, r, EXP2[1], EXP2[0])), 1);
  return f32x4.div(f32x4.const(1), madd(f, power, power2Of(t), 1));
}

/** erf(x) / x - 1 as a polynomial in x², for |x| <= 0.9. */
const ERF_SMALL = [
  0.12837916612625122, -0.3761262893676758, 0.11283624172210693, -0.026855560019612312, 0.005191753152757883,
  -0.0008039752719923854, 7.943100354168564e-5,
];
/** log erfc(x) for 0.9 <= x <= 4. */
const ERF_LARGE = [
  -0.00016643074923194945, -1.1277973651885986, -0.6369757652282715, -0.10411407798528671, 0.02231547422707081,
  -0.003065575147047639, 0.0001982303219847381,
];

export function erf(f: Func, value: V128): V128 {
  const x = f.let(value);
  const a = f.let(f32x4.pmin(f32x4.abs(x), 4));
  const z = f.let(f32x4.mul(a, a));
  const small = madd(f, a, polynomial(f, z, ERF_SMALL), a);
  const l = f.let(polynomial(f, a, ERF_LARGE));
  const { t, p } = expParts(f, l);
  const s = f.let(power2Of(t));
  const large = f32x4.sub(f32x4.const(1), madd(f, s, p, s));
  return v128.or(f.pick(small, large, f32x4.lt(a, 0.9)), v128.and(x, SIGN));
}

/** (log(1 + r) - r + r²/2) / r³ for sqrt(1/2) - 1 <= r <= sqrt(2) - 1. */
const LOG = [
  0.3333333134651184, -0.2500081956386566, 0.20001240074634552, -0.1662340760231018, 0.1420162320137024,
  -0.13159675896167755, 0.12761914730072021, -0.0763586089015007,
];
const SQRT_HALF_BITS = 0x3f3504f3;

export function log(f: Func, value: V128, guard?: Guard): V128 {
  const x = f.let(value);
  // Zero, subnormal, infinite, negative or NaN in any lane: all four go the slow way.
  const plain = allLanes(i32x4.lt_u(i32x4.sub(x, 0x00800000), 0x7f000000));
  guard?.(plain);
  const e = f.let(i32x4.shr_s(i32x4.sub(x, SQRT_HALF_BITS), 23));
  const r = f.let(f32x4.sub(i32x4.sub(x, i32x4.shl(e, 23)), 1));
  const k = f.let(f32x4.convert_i32x4_s(e));
  const z = f.let(f32x4.mul(r, r));
  const cubic = f32x4.mul(f32x4.mul(polynomial(f, r, LOG), r), z);
  const tail = madd(f, z, -0.5, madd(f, k, LN2_LOW, cubic));
  const result = f.let(madd(f, k, LN2_HIGH, f32x4.add(r, tail)));
  return guard ? result : choose(plain, result, slow32(f.module, 'log').call(x));
}

/** pi / 2 in two parts; the first has 33 bits, so its product with an integer below 2^20 is exact. */
const HALF_PI_HIGH = 1.5707963267341256;
const HALF_PI_LOW = 6.077100506506192e-11;
const MAGIC64 = 6755399441055744;

/** (sin r - r) / r³ and (cos r - 1 + r²/2) / r⁴ as polynomials in r², for |r| <= pi / 4. */
const SIN = [-0.16666655242443085, 0.008332189172506332, -0.0001951828453456983];
const COS = [0.04166664555668831, -0.0013887310633435845, 2.4432563805021346e-5];

function sinCos(f: Func, value: V128, name: 'sin' | 'cos', guard?: Guard): V128 {
  const x = f.let(value);
  // Up to here the reduction below is exact enough; beyond, and for infinity and NaN, each lane goes the slow way.
  const near = allLanes(f32x4.le(f32x4.abs(x), 1048576));
  guard?.(near);
  const half = (part: V128): [Local<'v128'>, V128] => {
    const wide = f.let(f64x2.promote_low_f32x4(part));
    const t = f.let(madd64(f, wide, 2 / Math.PI, MAGIC64));
    const n = f.let(f64x2.sub(t, MAGIC64));
    return [t, f32x4.demote_f64x2_zero(nmadd64(f, n, HALF_PI_LOW, nmadd64(f, n, HALF_PI_HIGH, wide)))];
  };
  const [t0, r0] = half(x);
  const [t1, r1] = half(i32x4.shuffle(x, x, 2, 3, 2, 3));
  const r = f.let(i32x4.shuffle(r0, r1, 0, 1, 4, 5));
  let quadrant: V128 = i32x4.shuffle(t0, t1, 0, 2, 4, 6);
  if (name === 'cos') quadrant = i32x4.add(quadrant, 1);
  const q = f.let(quadrant);
  const z = f.let(f32x4.mul(r, r));
  const sine = v128.or(madd(f, f32x4.mul(r, z), polynomial(f, z, SIN), r), v128.and(r, SIGN));
  const cosine = madd(f, f32x4.mul(z, z), polynomial(f, z, COS), nmadd(f, z, 0.5, 1));
  const odd = i32x4.shr_s(i32x4.shl(q, 31), 31);
  const magnitude = f.pick(cosine, sine, odd);
  const result = f.let(v128.xor(magnitude, v128.and(i32x4.shl(q, 30), SIGN)));
  return guard ? result : choose(near, result, slow32(f.module, name).call(x));
}

export const sin = (f: Func, x: V128, guard?: Guard): V128 => sinCos(f, x, 'sin', guard);
export const cos = (f: Func, x: V128, guard?: Guard): V128 => sinCos(f, x, 'cos', guard);
