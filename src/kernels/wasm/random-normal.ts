/**
 * Normal numbers from uniform ones (Box-Muller), in the three ways PyTorch's CPU code has: blocks of 16 in float32 (its
 * AVX2 code, with the Cephes logarithm, sine and cosine), blocks of 16 in float64, and pairs in float64 of which
 * the second is kept for later. Each takes uniforms or words in the scratch and leaves normals there.
 */
import { type Func, f32x4, f64x2, type I32, i32, i32x4, i64x2, type Local, type V128, v128 } from './emitter.ts';
import { BLOCK } from './random-engine.ts';
import type { Fused, Madd32 } from './random-fma.ts';
import { log, log1p, sincos } from './random-math.ts';

type Vec = Local<'v128'>;

const LOG_P = [
  7.0376836292e-2, -1.151461031e-1, 1.167699874e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
  2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
];
const SIN_P = [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1];
const COS_P = [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2];
const TWO_PI = 2 * Math.PI;

/** 16 uniforms of [0, 1) at `at`, in place: 8 for radii, then 8 for angles; 8 cosines, then 8 sines. */
export function normalBlock32(f: Func, fused: Fused, at: I32, mean: Vec, std: Vec): void {
  for (const offset of [0, 16]) {
    const u1 = f.let(f32x4.sub(f32x4.const(1), v128.load(at, offset)));
    const angle = f.let(f32x4.mul(v128.load(at, offset + 32), TWO_PI));
    fused.guarded32(
      (madd32) => {
        const radius = f.let(f32x4.sqrt(f32x4.mul(log32(f, madd32, u1), -2)));
        const [sine, cosine] = sincos32(f, madd32, angle);
        const pair = [cosine, sine].map((x) => f.let(f32x4.mul(radius, x)));
        return pair.map((x) => f.let(madd32(x, std, mean)));
      },
      ([c, s]) => {
        f.do(v128.store(at, c, offset));
        f.do(v128.store(at, s, offset + 32));
      },
    );
  }
}

/** Cephes' logf of (0, 1]. Products that float32 holds exactly need no fusing. */
function log32(f: Func, madd32: Madd32, value: Vec): V128 {
  const e = f.let(f32x4.add(f32x4.convert_i32x4_s(i32x4.sub(i32x4.shr_u(value, 23), i32x4.const(127))), 1));
  const x = f.let(v128.or(v128.and(value, i32x4.const(~0x7f800000)), i32x4.const(0x3f000000)));
  const low = f.let(f32x4.lt(x, Math.SQRT1_2));
  const same = f.let(v128.and(x, low));
  f.set(e, f32x4.sub(e, v128.and(f32x4.const(1), low)));
  f.set(x, f32x4.add(f32x4.sub(x, 1), same));
  const z = f.let(f32x4.mul(x, x));
  const y = f.let<'v128'>(f32x4.const(LOG_P[0]));
  for (let i = 1; i < LOG_P.length; i++) f.set(y, madd32(y, x, f32x4.const(LOG_P[i])));
  f.set(y, madd32(f.let(f32x4.mul(y, x)), z, f.let(f32x4.mul(e, -2.1219444e-4))));
  f.set(y, f32x4.sub(y, f32x4.mul(z, 0.5)));
  return f32x4.add(f32x4.mul(e, 0.693359375), f32x4.add(x, y));
}

/** Cephes' sinf and cosf of [0, 2 pi]. */
function sincos32(f: Func, madd32: Madd32, angle: Vec): [Vec, Vec] {
  const octant = f.let(
    v128.and(i32x4.add(i32x4.trunc_sat_f32x4_s(f32x4.mul(angle, 1.27323954473516)), i32x4.const(1)), i32x4.const(~1)),
  );
  const j = f.let(f32x4.convert_i32x4_s(octant));
  const x = f.let(f32x4.add(f32x4.add(angle, f32x4.mul(j, -0.78515625)), f32x4.mul(j, -2.4187564849853516e-4)));
  f.set(x, madd32(j, f32x4.const(-3.774894977445941e-8), x));
  const z = f.let(f32x4.mul(x, x));
  const half = f.let(f32x4.mul(z, -0.5));
  const y = f.let<'v128'>(f32x4.const(COS_P[0]));
  for (const p of COS_P.slice(1)) f.set(y, madd32(y, z, f32x4.const(p)));
  f.set(y, f32x4.mul(y, z));
  f.set(y, f32x4.add(madd32(y, z, half), 1));
  const y2 = f.let<'v128'>(f32x4.const(SIN_P[0]));
  for (const p of SIN_P.slice(1)) f.set(y2, madd32(y2, z, f32x4.const(p)));
  f.set(y2, f32x4.mul(y2, z));
  f.set(y2, madd32(y2, x, x));
  const straight = f.let(i32x4.eq(v128.and(octant, i32x4.const(2)), i32x4.const(0)));
  const sineSign = i32x4.shl(v128.and(octant, i32x4.const(4)), 29);
  const cosineSign = i32x4.shl(v128.andnot(i32x4.const(4), i32x4.sub(octant, i32x4.const(2))), 29);
  return [
    f.let(v128.xor(v128.bitselect(y2, y, straight), sineSign)),
    f.let(v128.xor(v128.bitselect(y, y2, straight), cosineSign)),
  ];
}

/** As `normalBlock32` for 16 float64. */
export function normalBlock64(f: Func, fused: Fused, block: I32, at: Local<'i32'>, mean: Vec, std: Vec): void {
  const end = f.let(i32.add(at, 64));
  const [sinTable, logTable] = [BLOCK.sincos, BLOCK.log].map((offset) => f.let(i32.add(block, offset)));
  const i = f.local('i32');
  f.for(i, at, end, 16, () => {
    const u1 = f.let(f64x2.sub(f64x2.const(1), v128.load(i)));
    const radius = f.let(f64x2.sqrt(f64x2.mul(log(f, fused, u1, logTable), -2)));
    const angle = f.let(f64x2.mul(v128.load(i, 64), TWO_PI));
    const [sine, cosine] = sincos(f, fused, angle, sinTable);
    f.do(v128.store(i, fused.madd64(f64x2.mul(radius, cosine), std, mean)));
    f.do(v128.store(i, fused.madd64(f64x2.mul(radius, sine), std, mean), 64));
  });
}

/** Four words (an angle's, a radius's) at `at` and the next four become cosine, sine, cosine, sine times radius. */
export function normalPairs(f: Func, fused: Fused, block: I32, at: I32): void {
  const first = f.let(v128.load(at));
  const second = f.let(v128.load(at, 16));
  const u1 = uniform64(i64x2.shuffle(first, second, 0, 2));
  const u2 = uniform64(i64x2.shuffle(first, second, 1, 3));
  const angle = f.let(f64x2.mul(f.let(u1), TWO_PI));
  const radius = f.let(f64x2.sqrt(f64x2.mul(log1p(f, fused, f.let(f64x2.neg(f.let(u2)))), -2)));
  const [sine, cosine] = sincos(f, fused, angle, f.let(i32.add(block, BLOCK.sincos)));
  const c = f.let(f64x2.mul(radius, cosine));
  const s = f.let(f64x2.mul(radius, sine));
  f.do(v128.store(at, f64x2.shuffle(c, s, 0, 2)));
  f.do(v128.store(at, f64x2.shuffle(c, s, 1, 3), 16));
}

/** Pairs of words, the higher first, as float64 of [0, 1): their low 53 bits. Reads `pairs` twice. */
export function uniform64(pairs: V128): V128 {
  const upper = v128.and(i32x4.shuffle(pairs, pairs, 0, 2, 0, 2), i32x4.const(0x1fffff));
  const lower = i32x4.shuffle(pairs, pairs, 1, 3, 1, 3);
  return f64x2.add(
    f64x2.mul(f64x2.convert_low_i32x4_s(upper), 2 ** -21),
    f64x2.mul(f64x2.convert_low_i32x4_u(lower), 2 ** -53),
  );
}

/** Words as float32 of [0, 1): their low 24 bits. */
export function uniform32(words: V128): V128 {
  return f32x4.mul(f32x4.convert_i32x4_s(v128.and(words, i32x4.const(0xffffff))), 2 ** -24);
}
