/**
 * Matrix multiply where k lies side by side in both inputs (x times a transposed weight): tiles of 2 rows by 4 columns,
 * each element a dot product over vectors of k. And the same for one row, where a matrix is read once from begin to
 * end: a dot product at a time, in four sums.
 */
import { f64, type Func, i32, type I32, type Local, WasmModule } from './emitter.ts';
import { type FloatName, type FloatOps, floatOps } from './float-ops.ts';
import { forItems, minimum, readWords, W } from './matmul-words.ts';

/** Rows and columns of a tile. */
const ROWS = 2;
const COLUMNS = 4;

/** The kernel's bytes; words as in `matmul-words.ts`: `aRow` and `bCol` are used, `aK` and `bK` are one element. */
export function matmulDot(type: FloatName, relaxed?: boolean): Uint8Array {
  const m = new WasmModule({ relaxed });
  const t = floatOps(type, m);
  m.kernel((f, args) => {
    const w = readWords(f, args, 'outRow', 'aRow', 'bCol', 'K', 'cRow', 'cCol');
    const vectors = f.let(i32.div_u(w.K, t.lanes));
    const sums = Array.from({ length: ROWS * COLUMNS }, () => f.local('v128'));
    const x = Array.from({ length: ROWS }, () => f.local('v128'));
    const y = f.local('v128');
    const [a0, a1, n, row, k] = Array.from({ length: 5 }, () => f.local('i32'));
    const a = [a0, a1];
    const b = Array.from({ length: COLUMNS }, () => f.local('i32'));
    /** One step over k, with vectors or (the rest) single elements. */
    const step = (load: (address: I32) => ReturnType<FloatOps['vload']>, bytes: number): void => {
      for (let r = 0; r < ROWS; r++) f.set(x[r], load(a[r]));
      b.forEach((pointer, j) => {
        f.set(y, load(pointer));
        for (let r = 0; r < ROWS; r++) f.set(sums[r * COLUMNS + j], t.vmadd(x[r], y, sums[r * COLUMNS + j]));
      });
      for (const pointer of [...a, ...b]) f.inc(pointer, bytes);
    };
    const end = finisher(f, t, args, w);

    forItems(f, args, (item) => {
      f.for(n, item.n0, item.n1, COLUMNS, () => {
        const columns = f.let(minimum(i32.sub(item.n1, n), f.let(i32.const(COLUMNS))));
        const first = f.let(i32.add(item.b, i32.mul(n, w.bCol)));
        f.for(row, item.m0, item.m1, ROWS, () => {
          const rows = f.let(i32.sub(item.m1, row));
          // Rows and columns beyond the last repeat the first.
          f.set(a0, i32.add(item.a, i32.mul(row, w.aRow)));
          f.set(a1, i32.add(a0, i32.mul(i32.gt_u(rows, 1), w.aRow)));
          b.forEach((pointer, j) => {
            f.set(pointer, i32.add(first, i32.mul(i32.gt_u(columns, j), i32.mul(w.bCol, j))));
          });
          for (const sum of sums) f.set(sum, t.vzero());
          f.for(k, 0, vectors, 1, () => step(t.vload, 16));
          f.for(k, i32.mul(vectors, t.lanes), w.K, 1, () => step(t.vloadOne, t.bytes));
          for (let r = 0; r < ROWS; r++) {
            f.if(i32.gt_u(rows, r), () => {
              const out = f.let(i32.add(item.out, i32.mul(i32.add(row, r), w.outRow)));
              f.inc(out, i32.mul(n, t.bytes));
              const c = f.let(item.c);
              f.if(c, () => f.inc(c, i32.add(i32.mul(i32.add(row, r), w.cRow), i32.mul(n, w.cCol))));
              for (let j = 0; j < COLUMNS; j++) {
                f.if(i32.gt_u(columns, j), () => end(sums[r * COLUMNS + j], i32.add(out, j * t.bytes), c));
              }
            });
          }
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** The kernel for one row (M = 1): out[n] is the dot product of `a` and column n of `b`. */
export function matmulDotRow(type: FloatName, relaxed?: boolean): Uint8Array {
  const m = new WasmModule({ relaxed });
  const t = floatOps(type, m);
  const SUMS = 4;
  m.kernel((f, args) => {
    const w = readWords(f, args, 'bCol', 'K', 'cCol');
    const sums = Array.from({ length: SUMS }, () => f.local('v128'));
    const [n, a, b, k] = Array.from({ length: 4 }, () => f.local('i32'));
    const step = (load: FloatOps['vload'], bytes: number, count: number): void => {
      for (let s = 0; s < count; s++) f.set(sums[s], t.vmadd(load(a, s * bytes), load(b, s * bytes), sums[s]));
      f.inc(a, bytes * count);
      f.inc(b, bytes * count);
    };
    const lanes = t.lanes;
    const end = finisher(f, t, args, w);
    const fours = f.let(i32.sub(w.K, i32.rem_u(w.K, lanes * SUMS)));
    const ones = f.let(i32.sub(w.K, i32.rem_u(w.K, lanes)));
    forItems(f, args, (item) => {
      f.for(n, item.n0, item.n1, 1, () => {
        f.set(a, item.a);
        f.set(b, i32.add(item.b, i32.mul(n, w.bCol)));
        for (const sum of sums) f.set(sum, t.vzero());
        f.for(k, 0, fours, lanes * SUMS, () => step(t.vload, 16, SUMS));
        f.for(k, fours, ones, lanes, () => step(t.vload, 16, 1));
        f.for(k, ones, w.K, 1, () => step(t.vloadOne, t.bytes, 1));
        f.set(sums[0], t.vadd(t.vadd(sums[0], sums[1]), t.vadd(sums[2], sums[3])));
        const c = f.let(item.c);
        f.if(c, () => f.inc(c, i32.mul(n, w.cCol)));
        end(sums[0], i32.add(item.out, i32.mul(n, t.bytes)), c);
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** Emits out = alpha * (the sum of a vector's lanes) + beta * c. `c` moves on by a column. */
function finisher(f: Func, t: FloatOps, args: Local<'i32'>, w: { cCol: Local<'i32'> }) {
  const alpha = f.let(t.fromF64(f64.load(args, W.alpha * 4)));
  const beta = f.let(t.fromF64(f64.load(args, W.beta * 4)));
  const total = f.local(t.name);
  return (sum: Local<'v128'>, out: I32, c: Local<'i32'>): void => {
    let folded = t.lane(sum, 0);
    if (t.lanes === 4) {
      folded = t.add(t.add(t.lane(sum, 0), t.lane(sum, 2)), t.add(t.lane(sum, 1), t.lane(sum, 3)));
    } else folded = t.add(folded, t.lane(sum, 1));
    f.set(total, t.mul(folded, alpha) as typeof total);
    f.if(c, () => {
      f.set(total, t.add(total, t.mul(beta, t.load(c))) as typeof total);
      f.inc(c, w.cCol);
    });
    f.do(t.store(out, total));
  };
}
