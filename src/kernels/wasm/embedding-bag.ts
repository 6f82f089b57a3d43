/**
 * Embedding bags: rows of a matrix, named by indices, are summed, averaged, or compared column by column (max), a bag of
 * indices at a time. Sums of a bag are made in registers, in the order of the indices, and rounded once.
 */
import type { DType } from '../../core/dtype.ts';
import { FAULT_DETAILS } from '../../devices/layout.ts';
import {
  type Bag,
  type BagMode,
  divide,
  forIndices,
  newBag,
  openBag,
  readAll,
  storeIndex,
  toFloat,
  type Words,
} from './embedding-bag-walk.ts';
import { f32, f64, type Func, i32, i64, type Local, type Value, WasmModule } from './emitter.ts';
import { type FloatOps, floatOps } from './float-ops.ts';
import { type Source, source } from './float-source.ts';

/** Ends the kernel with a fault if an index of the bag is out of range; otherwise how many are not padding. */
function checkIndices(f: Func, w: Words, bag: Bag, bytes: number): Local<'i32'> {
  const at = f.let(bag.index);
  const count = f.let(i32.const(0));
  const rows = f.let(i64.extend_i32_u(w.rows));
  const j = f.local('i32');
  const value = f.local('i64');
  f.for(j, bag.first, bag.end, 1, () => {
    f.set(value, bytes === 8 ? i64.load(at) : i64.load32_s(at));
    f.if(i64.ge_u(value, rows), () => {
      const position = i32.add(j, i32.mul(bag.number, i32.mul(w.bagLength, i32.eqz(w.offsets))));
      f.do(i64.store(i32.const(FAULT_DETAILS), value));
      f.do(i32.store(i32.const(FAULT_DETAILS), position, 8));
      f.do(i32.store(i32.const(FAULT_DETAILS), w.rows, 12));
      f.return(w.faultIndex);
    });
    f.inc(count, i32.ne(i32.wrap_i64(value), w.padding));
    f.inc(at, w.indexStep);
  });
  return count;
}

/** The kernel of the forward pass; the range counts bags. */
export function embeddingBagKernel(dtype: DType, bytes: number, mode: BagMode): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  const t = floatOps(s.type, m);
  m.kernel((f, args) => {
    const w = readAll(f, args);
    const bag = newBag(f);
    const column = f.local('i32');
    f.for(bag.number, w.begin, w.end, 1, () => {
      openBag(f, w, bytes, bag);
      const count = checkIndices(f, w, bag, bytes);
      f.if(w.bagSize, () => {
        storeIndex(f, bytes, i32.add(w.bagSize, i32.mul(bag.number, bytes)), mode === 'sum' ? i32.const(0) : count);
      });
      const out = f.let(i32.add(w.out, i32.mul(i32.mul(bag.number, w.columns), s.bytes)));
      f.set(column, 0);
      if (mode === 'max') maximum(f, w, s, t, bag, bytes, column, out);
      else {
        const scale = f.local(t.name) as Local<'f32'>;
        f.set(scale, divide(t, t.one(), toFloat(t, count)) as Value<'f32'>);
        f.if(i32.eq(w.weightColumn, s.bytes), () => {
          for (const vectors of [4, 1]) {
            const step = vectors * t.lanes;
            const sums = Array.from({ length: vectors }, () => f.local('v128'));
            f.while(i32.le_u(i32.add(column, step), w.columns), () => {
              const first = f.let(i32.add(w.weight, i32.mul(column, s.bytes)));
              for (const sum of sums) f.set(sum, t.vzero());
              forIndices(f, w, bag, bytes, (row, factor) => {
                const from = f.let(i32.add(first, i32.mul(row, w.weightRow)));
                const load = (v: number): ReturnType<FloatOps['vload']> => s.vload(f, from, v * t.lanes * s.bytes);
                f.if(
                  w.factors,
                  () => {
                    const x = f.let(t.splat(s.load(f, factor)));
                    sums.forEach((sum, v) => {
                      f.set(sum, t.vadd(sum, t.vmul(x, load(v))));
                    });
                  },
                  () =>
                    sums.forEach((sum, v) => {
                      f.set(sum, t.vadd(sum, load(v)));
                    }),
                );
              });
              if (mode === 'mean') {
                f.if(count, () => {
                  for (const sum of sums) f.set(sum, t.vmul(sum, t.splat(scale)));
                });
              }
              sums.forEach((sum, v) => {
                f.do(s.vstore(f, out, sum, v * t.lanes * s.bytes));
              });
              f.inc(out, step * s.bytes);
              f.inc(column, step);
            });
          }
        });
        const sum = f.local(t.name) as Local<'f32'>;
        f.while(i32.lt_u(column, w.columns), () => {
          f.set(sum, t.zero() as Value<'f32'>);
          const first = f.let(i32.add(w.weight, i32.mul(column, w.weightColumn)));
          forIndices(f, w, bag, bytes, (row, factor) => {
            const x = f.local(t.name) as Local<'f32'>;
            f.set(x, s.load(f, i32.add(first, i32.mul(row, w.weightRow))) as Value<'f32'>);
            f.if(w.factors, () => f.set(x, t.mul(x, s.load(f, factor)) as Value<'f32'>));
            f.set(sum, t.add(sum, x) as Value<'f32'>);
          });
          if (mode === 'mean') f.if(count, () => f.set(sum, t.mul(sum, scale) as Value<'f32'>));
          f.do(s.store(f, out, sum));
          f.inc(out, s.bytes);
          f.inc(column, 1);
        });
      }
    });
    return undefined;
  });
  return m.toBytes();
}

/** The first of the largest; a NaN is only found when it comes first, as in PyTorch. Empty bags give 0 and index 0. */
function maximum(
  f: Func,
  w: Words,
  s: Source,
  t: FloatOps,
  bag: Bag,
  bytes: number,
  column: Local<'i32'>,
  out: Local<'i32'>,
): void {
  const best = f.local(t.name) as Local<'f32'>;
  const x = f.local(t.name) as Local<'f32'>;
  const [which, found] = [f.local('i32'), f.local('i32')];
  const greater = t.name === 'f32' ? f32.gt(x, best) : f64.gt(x as never, best as never);
  f.for(column, 0, w.columns, 1, () => {
    f.set(best, t.zero() as Value<'f32'>);
    f.set(which, 0);
    f.set(found, 0);
    const first = f.let(i32.add(w.weight, i32.mul(column, w.weightColumn)));
    forIndices(f, w, bag, bytes, (row) => {
      f.set(x, s.load(f, i32.add(first, i32.mul(row, w.weightRow))) as Value<'f32'>);
      f.if(i32.or(i32.eqz(found), greater), () => {
        f.set(best, x);
        f.set(which, row);
        f.set(found, 1);
      });
    });
    f.do(s.store(f, out, best));
    f.inc(out, s.bytes);
    f.if(w.maxIndices, () => {
      const at = i32.add(w.maxIndices, i32.mul(i32.add(i32.mul(bag.number, w.columns), column), bytes));
      storeIndex(f, bytes, at, which);
    });
  });
}
