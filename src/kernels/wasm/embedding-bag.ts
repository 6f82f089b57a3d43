/**
 * Embedding bags: rows of a matrix, named by indices, are summed, averaged, or compared column by column (max), a bag of
 * indices at a time; and the gradients of that. `embedding` has its gradient here too: each index is a bag of its own.
 *
 * Sums of a bag are made in registers, in the order of the indices, and rounded once. A gradient's range counts rows of
 * the matrix: a thread goes through all indices and serves those in its range, so sums are the same for any number of
 * threads.
 */
import type { DType } from '../../core/dtype.ts';
import { FAULT_DETAILS } from '../../devices/layout.ts';
import { f32, f64, type Func, i32, type I32, i64, type Local, type Value, WasmModule } from './emitter.ts';
import { type Source, source } from './float-source.ts';
import { type FloatOps, floatOps } from './float-ops.ts';

/** Positions of the words, the same for all kernels here. Strides are in bytes, 0 means "there is none". */
export const EB = {
  begin: 0,
  end: 1,
  /** What is written: [bags, columns] forward, [rows, columns] or one for each index backward; contiguous. */
  out: 2,
  /** The matrix. */
  weight: 3,
  weightRow: 4,
  weightColumn: 5,
  /** The indices: one row, or (without offsets) a row for each bag. */
  indices: 6,
  indexRow: 7,
  indexStep: 8,
  /** Where bags begin. */
  offsets: 9,
  offsetStep: 10,
  /** Indices in a bag where there are no offsets. */
  bagLength: 11,
  /** Indices altogether. */
  length: 12,
  bags: 13,
  /** Rows of the matrix, and columns. */
  rows: 14,
  columns: 15,
  /** Indices of this value are skipped; -1: none are. */
  padding: 16,
  /** A factor for each index, laid out as they are. */
  factors: 17,
  factorRow: 18,
  factorStep: 19,
  /** For each bag, how many indices it has without padding (int64 or int32, as the indices). */
  bagSize: 20,
  /** [bags, columns]: which row had the maximum (as the indices). */
  maxIndices: 21,
  faultIndex: 22,
  faultFirst: 23,
  faultLast: 24,
  faultOrder: 25,
  /** 1: the last offset is an end. */
  lastIsEnd: 26,
  /** The gradient of the output: [bags, columns], contiguous rows. */
  grad: 27,
  gradRow: 28,
  /** For each row of the matrix, how many indices name it (int32). */
  counts: 29,
  words: 30,
} as const;

export type BagMode = 'sum' | 'mean' | 'max';

type Words = { readonly [name in keyof typeof EB]: Local<'i32'> };

function readAll(f: Func, args: Local<'i32'>): Words {
  const out = {} as Record<string, Local<'i32'>>;
  for (const [name, at] of Object.entries(EB)) if (name !== 'words') out[name] = f.let(i32.load(args, at * 4));
  return out as Words;
}

interface Bag {
  readonly number: Local<'i32'>;
  /** First index and the end, counted from the row that the bag's indices are in. */
  readonly first: Local<'i32'>;
  readonly end: Local<'i32'>;
  /** Addresses of that first index, and of its factor. */
  readonly index: Local<'i32'>;
  readonly factor: Local<'i32'>;
}

/** Sets up bag number `bag.number`. Offsets that make no sense end the kernel with a fault. */
function openBag(f: Func, w: Words, bytes: number, bag: Bag): void {
  const offset = (at: I32): I32 => {
    const address = i32.add(w.offsets, i32.mul(at, w.offsetStep));
    return bytes === 8 ? i32.wrap_i64(i64.load(address)) : i32.load(address);
  };
  const fail = (code: Local<'i32'>, a: I32, b: I32): void => {
    f.do(i32.store(i32.const(FAULT_DETAILS), a));
    f.do(i32.store(i32.const(FAULT_DETAILS), b, 4));
    f.return(code);
  };
  const { number, first, end } = bag;
  f.if(
    w.offsets,
    () => {
      f.set(first, offset(number));
      f.if(i32.and(i32.eqz(number), first), () => fail(w.faultFirst, first, i32.const(0)));
      f.if(
        i32.or(w.lastIsEnd, i32.lt_u(i32.add(number, 1), w.bags)),
        () => f.set(end, offset(i32.add(number, 1))),
        () => f.set(end, w.length),
      );
      f.if(i32.gt_s(end, w.length), () => fail(w.faultLast, w.length, end));
      f.if(i32.gt_s(first, w.length), () => fail(w.faultLast, w.length, first));
      f.if(i32.gt_s(first, end), () => fail(w.faultOrder, first, end));
    },
    () => {
      f.set(first, 0);
      f.set(end, w.bagLength);
    },
  );
  const start = (base: I32, row: I32, step: I32): I32 =>
    i32.add(i32.add(base, i32.mul(number, row)), i32.mul(first, step));
  f.set(bag.index, start(w.indices, w.indexRow, w.indexStep));
  f.set(bag.factor, start(w.factors, w.factorRow, w.factorStep));
}

/** Runs `body` for every index of the bag but padding, `row` being the index. */
function forIndices(
  f: Func,
  w: Words,
  bag: Bag,
  bytes: number,
  body: (row: Local<'i32'>, factor: Local<'i32'>) => void,
): void {
  const at = f.let(bag.index);
  const factor = f.let(bag.factor);
  const j = f.local('i32');
  const row = f.local('i32');
  f.for(j, bag.first, bag.end, 1, () => {
    f.set(row, bytes === 8 ? i32.wrap_i64(i64.load(at)) : i32.load(at));
    f.if(i32.ne(row, w.padding), () => body(row, factor));
    f.inc(at, w.indexStep);
    f.inc(factor, w.factorStep);
  });
}

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

function newBag(f: Func): Bag {
  const [number, first, end, index, factor] = Array.from({ length: 5 }, () => f.local('i32'));
  return { number, first, end, index, factor };
}

/** Stores as int64 or int32. */
function storeIndex(f: Func, bytes: number, to: I32, value: I32): void {
  if (bytes === 8) f.do(i64.store(to, i64.extend_i32_u(value)));
  else f.do(i32.store(to, value));
}

/** A count as a float. */
function toFloat(t: FloatOps, count: I32): Value {
  return t.name === 'f32' ? f32.convert_i32_u(count) : f64.convert_i32_u(count);
}
function divide(t: FloatOps, a: Value, b: Value): Value {
  if (t.name === 'f32') return f32.div(a as Value<'f32'>, b as Value<'f32'>);
  return f64.div(a as Value<'f64'>, b as Value<'f64'>);
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
