/**
 * The last step of matrix multiply for half types: what was summed in float32 becomes out = alpha * sum + beta * c,
 * rounded once.
 */
import type { DType } from '../../core/dtype.ts';
import { f32, f32x4, f64, i32, v128, WasmModule } from './emitter.ts';
import { source } from './float-source.ts';
import { forItems, readWords, W } from './matmul-words.ts';

/** The kernel's bytes; words as in `matmul-words.ts`, where `a` is the float32 sums (`aRow` apart). */
export function matmulFinish(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const half = source(dtype, m);
  m.kernel((f, args) => {
    const w = readWords(f, args, 'outRow', 'aRow', 'cRow', 'cCol');
    const alpha = f.let(f32.demote_f64(f64.load(args, W.alpha * 4)));
    const beta = f.let(f32.demote_f64(f64.load(args, W.beta * 4)));
    const [row, n, out, a, c] = Array.from({ length: 5 }, () => f.local('i32'));
    forItems(f, args, (item) => {
      const whole = f.let(i32.sub(item.n1, i32.and(i32.sub(item.n1, item.n0), 3)));
      f.for(row, item.m0, item.m1, 1, () => {
        f.set(out, i32.add(item.out, i32.add(i32.mul(row, w.outRow), i32.shl(item.n0, 1))));
        f.set(a, i32.add(item.a, i32.add(i32.mul(row, w.aRow), i32.shl(item.n0, 2))));
        f.set(c, item.c);
        f.if(c, () => f.inc(c, i32.add(i32.mul(row, w.cRow), i32.mul(item.n0, w.cCol))));
        f.set(n, item.n0);
        f.if(i32.or(i32.eqz(c), i32.eq(w.cCol, 2)), () => {
          f.for(n, item.n0, whole, 4, () => {
            const sum = f.let(f32x4.mul(f32x4.splat(alpha), v128.load(a)));
            f.if(c, () => {
              f.set(sum, f32x4.add(sum, f32x4.mul(f32x4.splat(beta), half.vload(f, c))));
              f.inc(c, 8);
            });
            f.do(half.vstore(f, out, sum));
            f.inc(out, 8);
            f.inc(a, 16);
          });
        });
        f.while(i32.lt_u(n, item.n1), () => {
          const sum = f.let(f32.mul(alpha, f32.load(a)));
          f.if(c, () => {
            f.set(sum, f32.add(sum, f32.mul(beta, half.load(f, c) as typeof sum)));
            f.inc(c, w.cCol);
          });
          f.do(half.store(f, out, sum));
          f.inc(out, 2);
          f.inc(a, 4);
          f.inc(n, 1);
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}
