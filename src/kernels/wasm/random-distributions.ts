/** The random kernels of further distributions: exponential, log-normal, Cauchy, geometric. */
import { f64x2, i32, i64, v128 } from './emitter.ts';
import { type Context, chunks, drawWords, finish, parameter, vectors } from './random-context.ts';
import { BLOCK, CHUNK } from './random-engine.ts';
import { serialNormals } from './random-kernels.ts';
import { exp, log, log1p, tan } from './random-math.ts';
import { uniform64 } from './random-normal.ts';

/** e to the power of a normal number, one by one: mean, standard deviation of that. */
export function logNormal(c: Context): void {
  const { f, fused, block } = c;
  const table = f.let(i32.add(block, BLOCK.exp));
  serialNormals(c, (x) => exp(f, fused, x, table));
}

/** The rate, a float64. */
export function exponential(c: Context): void {
  const { f, fused } = c;
  const factor = f.let(f64x2.div(f64x2.const(-1), parameter(c, 'f64', 4)));
  chunks(c, 0, CHUNK, (first, n) => {
    drawWords(c, i32.shl(n, 1));
    vectors(c, i32.shl(n, 3), (at) => {
      const u = f.let(f64x2.neg(uniform64(f.let(v128.load(at)))));
      f.do(v128.store(at, f64x2.mul(log1p(f, fused, u), factor)));
    });
    finish(c, 'f64', first, n);
  });
}

/** Median, scale. */
export function cauchy(c: Context): void {
  const { f, fused, block } = c;
  const median = parameter(c, 'f64', 4);
  const scale = parameter(c, 'f64', 6);
  const table = f.let(i32.add(block, BLOCK.sincos));
  chunks(c, 0, CHUNK, (first, n) => {
    drawWords(c, i32.shl(n, 1));
    vectors(c, i32.shl(n, 3), (at) => {
      const u = uniform64(f.let(v128.load(at)));
      const angle = f.let(f64x2.mul(f64x2.sub(u, 0.5), Math.PI));
      f.do(v128.store(at, fused.madd64(tan(f, fused, angle, table), scale, median)));
    });
    finish(c, 'f64', first, n);
  });
}

/** The number of the first success: the probability, a float64. */
export function geometric(c: Context): void {
  const { f, fused, dtype, block } = c;
  const failing = log1p(f, fused, f.let(f64x2.neg(parameter(c, 'f64', 4))));
  const table = f.let(i32.add(block, BLOCK.log));
  const float = dtype.is_floating_point;
  chunks(c, 0, CHUNK, (first, n) => {
    drawWords(c, i32.shl(n, 1));
    vectors(c, i32.shl(n, 3), (at) => {
      const u = f.let(uniform64(f.let(v128.load(at))));
      const x = f.let(f64x2.ceil(f64x2.div(log(f, fused, u, table), failing)));
      f.do(v128.store(at, x));
      if (!float) {
        for (const lane of [0, 1]) {
          f.do(i64.store(at, i64.trunc_sat_f64_s(f64x2.extract_lane(x, lane)), 8 * lane));
        }
      }
    });
    finish(c, float ? 'f64' : 'i64', first, n);
  });
}
