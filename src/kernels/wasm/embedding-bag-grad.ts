/**
 * The gradients of embedding bags, and of `embedding`, where each index is a bag of its own. The gradient of the matrix
 * has a range that counts rows: a thread goes through all indices and serves those in its range, so sums are the same
 * for any number of threads. Half types are rounded at every addition.
 */
import type { DType } from '../../core/dtype.ts';
import { type BagMode, divide, forIndices, newBag, openBag, readAll, toFloat } from './embedding-bag-walk.ts';
import { i32, type I32, i64, type Local, type Value, WasmModule } from './emitter.ts';
import { floatOps } from './float-ops.ts';
import { source } from './float-source.ts';

/** The kernel of the matrix's gradient, added to `out` ([rows, columns]); the range counts rows. */
export function embeddingBagGradKernel(dtype: DType, bytes: number, mode: BagMode): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  const t = floatOps(s.type, m);
  m.kernel((f, args) => {
    const w = readAll(f, args);
    const bag = newBag(f);
    const range = f.let(i32.sub(w.end, w.begin));
    const mine = (row: Local<'i32'>): I32 => i32.lt_u(i32.sub(row, w.begin), range);
    const [column, to, from] = Array.from({ length: 3 }, () => f.local('i32'));
    const loadSize = (at: I32): I32 => (bytes === 8 ? i32.wrap_i64(i64.load(at)) : i32.load(at));
    f.for(bag.number, 0, w.bags, 1, () => {
      const grad = f.let(i32.add(w.grad, i32.mul(bag.number, w.gradRow)));
      if (mode === 'max') {
        f.if(loadSize(i32.add(w.bagSize, i32.mul(bag.number, bytes))), () => {
          const at = f.let(i32.add(w.maxIndices, i32.mul(i32.mul(bag.number, w.columns), bytes)));
          f.set(from, grad);
          f.for(column, 0, w.columns, 1, () => {
            const row = f.let(loadSize(at));
            f.if(mine(row), () => {
              f.set(to, i32.add(w.out, i32.mul(i32.add(i32.mul(row, w.columns), column), s.bytes)));
              f.do(s.store(f, to, t.add(s.load(f, to), s.load(f, from))));
            });
            f.inc(at, bytes);
            f.inc(from, s.bytes);
          });
        });
        return;
      }
      openBag(f, w, bytes, bag);
      const scale = f.local(t.name) as Local<'f32'>;
      const factor = f.local(t.name) as Local<'f32'>;
      f.set(scale, t.one() as Value<'f32'>);
      if (mode === 'mean') {
        const size = loadSize(i32.add(w.bagSize, i32.mul(bag.number, bytes)));
        f.set(scale, divide(t, t.one(), toFloat(t, size)) as Value<'f32'>);
      }
      forIndices(f, w, bag, bytes, (row, own) => {
        f.if(mine(row), () => {
          f.set(factor, scale);
          f.if(w.factors, () => f.set(factor, t.mul(factor, s.load(f, own)) as Value<'f32'>));
          f.if(w.counts, () => {
            const count = toFloat(t, i32.load(i32.add(w.counts, i32.shl(row, 2))));
            f.set(factor, divide(t, factor, count) as Value<'f32'>);
          });
          f.set(to, i32.add(w.out, i32.mul(i32.mul(row, w.columns), s.bytes)));
          f.set(from, grad);
          const whole = f.let(i32.and(w.columns, -t.lanes));
          const wide = f.let(t.splat(factor));
          f.for(column, 0, whole, t.lanes, () => {
            f.do(s.vstore(f, to, t.vadd(s.vload(f, to), t.vmul(wide, s.vload(f, from)))));
            f.inc(to, t.lanes * s.bytes);
            f.inc(from, t.lanes * s.bytes);
          });
          f.for(column, whole, w.columns, 1, () => {
            f.do(s.store(f, to, t.add(s.load(f, to), t.mul(factor, s.load(f, from)))));
            f.inc(to, s.bytes);
            f.inc(from, s.bytes);
          });
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/**
 * The kernel of the factors' gradient: for each index the dot product of its bag's gradient and its row; 0 for padding.
 * `out` is contiguous, one for each index. The range counts bags.
 */
export function embeddingBagFactorsGradKernel(dtype: DType, bytes: number): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  const t = floatOps(s.type, m);
  m.kernel((f, args) => {
    const w = readAll(f, args);
    const bag = newBag(f);
    const [column, at, x, y, row] = Array.from({ length: 5 }, () => f.local('i32'));
    const sum = f.local('v128');
    const rest = f.local(t.name) as Local<'f32'>;
    f.for(bag.number, w.begin, w.end, 1, () => {
      openBag(f, w, bytes, bag);
      const j = f.local('i32');
      const skipped = f.let(i32.mul(bag.number, i32.mul(w.bagLength, i32.eqz(w.offsets))));
      const to = f.let(i32.add(w.out, i32.mul(i32.add(skipped, bag.first), s.bytes)));
      f.set(at, bag.index);
      f.for(j, bag.first, bag.end, 1, () => {
        f.set(row, bytes === 8 ? i32.wrap_i64(i64.load(at)) : i32.load(at));
        f.set(sum, t.vzero());
        f.set(rest, t.zero() as Value<'f32'>);
        f.if(i32.ne(row, w.padding), () => {
          f.set(x, i32.add(w.grad, i32.mul(bag.number, w.gradRow)));
          f.set(y, i32.add(w.weight, i32.mul(row, w.weightRow)));
          f.set(column, 0);
          f.if(i32.eq(w.weightColumn, s.bytes), () => {
            const whole = f.let(i32.and(w.columns, -t.lanes));
            f.for(column, 0, whole, t.lanes, () => {
              f.set(sum, t.vadd(sum, t.vmul(s.vload(f, x), s.vload(f, y))));
              f.inc(x, t.lanes * s.bytes);
              f.inc(y, t.lanes * s.bytes);
            });
          });
          f.while(i32.lt_u(column, w.columns), () => {
            f.set(rest, t.add(rest, t.mul(s.load(f, x), s.load(f, y))) as Value<'f32'>);
            f.inc(x, s.bytes);
            f.inc(y, w.weightColumn);
            f.inc(column, 1);
          });
          for (let lane = 0; lane < t.lanes; lane++) f.set(rest, t.add(rest, t.lane(sum, lane)) as Value<'f32'>);
        });
        f.do(s.store(f, to, rest));
        f.inc(to, s.bytes);
        f.inc(at, w.indexStep);
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** The kernel that counts how often each row is named: int32 [rows] at `out`; indices as one row. */
export function indexCountsKernel(bytes: number): Uint8Array {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const w = readAll(f, args);
    const bag = newBag(f);
    const r = f.local('i32');
    f.for(r, 0, w.rows, 1, () => f.do(i32.store(i32.add(w.out, i32.shl(r, 2)), i32.const(0))));
    f.for(bag.number, 0, w.bags, 1, () => {
      openBag(f, w, bytes, bag);
      forIndices(f, w, bag, bytes, (row) => {
        const at = f.let(i32.add(w.out, i32.shl(row, 2)));
        f.if(i32.lt_u(row, w.rows), () => f.do(i32.store(at, i32.add(i32.load(at), 1))));
      });
    });
    return undefined;
  });
  return m.toBytes();
}
