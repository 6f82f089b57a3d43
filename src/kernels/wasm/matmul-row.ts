/**
 * Matrix multiply of one row (M = 1) by a matrix whose columns lie side by side: the matrix is read row by row, four
 * rows at a time, and added up in `out`, whose block stays in the cache.
 */
import { f64, i32, type Local, type Value, WasmModule } from './emitter.ts';
import { type FloatName, floatOps } from './float-ops.ts';
import { forItems, readWords, W } from './matmul-words.ts';

/** Rows of the matrix that are added at once. */
const GROUP = 4;

/** The kernel's bytes; words as in `matmul-words.ts`, with M = 1. */
export function matmulRow(type: FloatName, relaxed?: boolean): Uint8Array {
  const m = new WasmModule({ relaxed });
  const t = floatOps(type, m);
  m.kernel((f, args) => {
    const w = readWords(f, args, 'aK', 'bK', 'K', 'cCol');
    const alpha = f.let(t.fromF64(f64.load(args, W.alpha * 4)));
    const beta = f.let(t.fromF64(f64.load(args, W.beta * 4)));
    const factors = Array.from({ length: GROUP }, () => f.local('v128'));
    const [a, at, n, k] = Array.from({ length: 4 }, () => f.local('i32'));
    const b = Array.from({ length: GROUP }, () => f.local('i32'));
    const sum = f.local('v128');
    const one = f.local(t.name);

    forItems(f, args, (item) => {
      const out = f.let(i32.add(item.out, i32.mul(item.n0, t.bytes)));
      const count = f.let(i32.sub(item.n1, item.n0));
      const whole = f.let(i32.sub(count, i32.rem_u(count, t.lanes)));

      // out = beta * c, or zeros
      f.set(at, out);
      const c = f.let(item.c);
      f.if(c, () => f.inc(c, i32.mul(item.n0, w.cCol)));
      f.for(n, 0, count, 1, () => {
        f.if(
          c,
          () => f.do(t.store(at, t.mul(beta, t.load(c)))),
          () => f.do(t.store(at, t.zero())),
        );
        f.if(c, () => f.inc(c, w.cCol));
        f.inc(at, t.bytes);
      });

      // out += alpha * a[k] * b[k], for `size` rows of b
      const add = (size: number): void => {
        for (let r = 0; r < size; r++) {
          f.set(factors[r], t.splat(t.mul(alpha, t.load(a))));
          f.inc(a, w.aK);
          if (r > 0) f.set(b[r], i32.add(b[r - 1], w.bK));
        }
        const next = f.let(i32.add(b[size - 1], w.bK));
        f.set(at, out);
        f.for(n, 0, whole, t.lanes, () => {
          f.set(sum, t.vload(at));
          for (let r = 0; r < size; r++) f.set(sum, t.vmadd(factors[r], t.vload(b[r]), sum));
          f.do(t.vstore(at, sum));
          for (const pointer of [at, ...b.slice(0, size)]) f.inc(pointer, 16);
        });
        f.for(n, whole, count, 1, () => {
          f.set(sum, t.vloadOne(at));
          for (let r = 0; r < size; r++) f.set(sum, t.vmadd(factors[r], t.vloadOne(b[r]), sum));
          f.set(one as Local<'f32'>, t.lane(sum, 0) as Value<'f32'>);
          f.do(t.store(at, one));
          for (const pointer of [at, ...b.slice(0, size)]) f.inc(pointer, t.bytes);
        });
        f.set(b[0], next);
      };
      f.set(a, item.a);
      f.set(b[0], i32.add(item.b, i32.mul(item.n0, t.bytes)));
      const groups = f.let(i32.sub(w.K, i32.rem_u(w.K, GROUP)));
      f.for(k, 0, groups, GROUP, () => add(GROUP));
      f.for(k, groups, w.K, 1, () => add(1));
    });
    return undefined;
  });
  return m.toBytes();
}
