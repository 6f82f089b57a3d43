/**
 * The matrix-multiply kernel for everything but vectors: tiles of 4 rows by two vectors of columns (4x8 float32, 4x4
 * float64), accumulated in registers over k. Rows of `a` may have any strides; columns of `b` lie side by side, in the
 * matrix itself or in packed panels. One k step a loop body and at most 16 live vectors: more spills on some engines.
 */
import { f64, type Func, i32, type I32, type Local, type V128, v128, WasmModule } from './emitter.ts';
import { type FloatName, type FloatOps, floatOps } from './float-ops.ts';
import { forItems, minimum, readWords, W } from './matmul-words.ts';

/** Rows of a tile. */
export const TILE_ROWS = 4;

/** Columns of a tile: two vectors. */
export function tileColumns(type: FloatName): number {
  return type === 'f32' ? 8 : 4;
}

/** The kernel's bytes; words as in `matmul-words.ts`. */
export function matmulTile(type: FloatName, relaxed?: boolean): Uint8Array {
  const m = new WasmModule({ relaxed });
  const t = floatOps(type, m);
  const width = tileColumns(type);
  m.kernel((f, args) => {
    const w = readWords(f, args, 'outRow', 'aStrip', 'aRow', 'aK', 'bPanel', 'bK', 'N', 'K', 'kStep', 'padded');
    const alpha = f.let(t.splat(t.fromF64(f64.load(args, W.alpha * 4))));
    const beta = f.local('v128');
    const acc = Array.from({ length: TILE_ROWS * 2 }, () => f.local('v128'));
    const [n, row, strip, kc, k0, out] = Array.from({ length: 6 }, () => f.local('i32'));
    const c: TileC = { at: f.local('i32'), row: f.local('i32'), col: f.local('i32'), beta };

    forItems(f, args, (item) => {
      f.set(k0, 0);
      f.loop((nextK) => {
        f.set(kc, minimum(i32.sub(w.K, k0), w.kStep));
        f.for(n, item.n0, item.n1, width, () => {
          // The last panel may be narrower. Packed, it is padded; otherwise the tile is moved left to end where the
          // matrix does, and the columns that belong to the panel before are not stored again.
          const at = f.let(n);
          const low = f.let(i32.const(0));
          const high = f.let(minimum(i32.sub(w.N, n), f.let(i32.const(width))));
          const b = f.let(i32.add(item.b, i32.add(i32.mul(i32.div_u(n, width), w.bPanel), i32.mul(k0, w.bK))));
          f.if(i32.and(i32.lt_u(high, width), i32.eqz(w.padded)), () => {
            f.set(low, i32.sub(width, high));
            f.set(high, width);
            f.set(at, i32.sub(n, low));
            f.set(b, i32.sub(b, i32.mul(low, t.bytes)));
          });
          const whole = f.let(i32.eq(i32.sub(high, low), width));

          f.set(strip, i32.add(item.a, i32.add(i32.mul(i32.div_u(item.m0, TILE_ROWS), w.aStrip), i32.mul(k0, w.aK))));
          f.set(out, i32.add(item.out, i32.add(i32.mul(item.m0, w.outRow), i32.mul(at, t.bytes))));
          // c first, then what the k blocks before have left in out.
          f.if(
            k0,
            () => {
              f.set(c.at, out);
              f.set(c.row, w.outRow);
              f.set(c.col, t.bytes);
              f.set(beta, t.splat(t.fromF64(f64.const(1))));
            },
            () => {
              f.set(c.row, i32.load(args, W.cRow * 4));
              f.set(c.col, i32.load(args, W.cCol * 4));
              f.set(c.at, item.c);
              f.set(beta, t.splat(t.fromF64(f64.load(args, W.beta * 4))));
              f.if(item.c, () => f.inc(c.at, i32.add(i32.mul(item.m0, c.row), i32.mul(at, c.col))));
            },
          );
          f.for(row, item.m0, item.m1, TILE_ROWS, () => {
            const rows = f.let(i32.sub(item.m1, row));
            accumulate(f, t, acc, rows, strip, b, w, kc);
            f.inc(strip, w.aStrip);
            store(f, t, acc, { rows, out, outRow: w.outRow, low, high, whole, alpha, c });
          });
        });
        f.inc(k0, w.kStep);
        f.brIf(nextK, i32.lt_u(k0, w.K));
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** acc = a's rows times b's columns, over kc steps. Rows beyond the last repeat the first, to read nothing outside. */
export function accumulate(
  f: Func,
  t: Pick<FloatOps, 'vload' | 'vloadSplat' | 'vmadd' | 'vzero'>,
  acc: readonly Local<'v128'>[],
  rows: I32,
  strip: Local<'i32'>,
  panel: I32,
  w: { aRow: I32; aK: Local<'i32'>; bK: Local<'i32'> },
  kc: I32,
): void {
  const a = [f.let(strip)];
  for (let r = 1; r < TILE_ROWS; r++) {
    a.push(f.let(i32.add(strip, i32.mul(w.aRow, i32.mul(i32.gt_u(rows, r), r)))));
  }
  const b = f.let(panel);
  const k = f.let(kc);
  const b0 = f.local('v128');
  const b1 = f.local('v128');
  const x = f.local('v128');
  for (const sum of acc) f.set(sum, t.vzero());
  f.if(k, () => {
    f.loop((again) => {
      f.set(b0, t.vload(b));
      f.set(b1, t.vload(b, 16));
      for (let r = 0; r < TILE_ROWS; r++) {
        f.set(x, t.vloadSplat(a[r]));
        f.set(acc[2 * r], t.vmadd(x, b0, acc[2 * r]));
        f.set(acc[2 * r + 1], t.vmadd(x, b1, acc[2 * r + 1]));
      }
      for (const pointer of a) f.inc(pointer, w.aK);
      f.inc(b, w.bK);
      f.inc(k, -1);
      f.brIf(again, k);
    });
  });
}

/** Where the tile's part of c is: the address of its first element (0: none), strides, and the factor in all lanes. */
interface TileC {
  readonly at: Local<'i32'>;
  readonly row: Local<'i32'>;
  readonly col: Local<'i32'>;
  readonly beta: Local<'v128'>;
}

interface Target {
  readonly rows: I32;
  readonly out: Local<'i32'>;
  readonly outRow: I32;
  /** Columns low … high - 1 of the tile are stored. */
  readonly low: I32;
  readonly high: I32;
  readonly whole: I32;
  readonly alpha: V128;
  readonly c: TileC;
}

/** out = alpha * acc + beta * c for the tile's rows; moves `out` and `c` on to the next rows. */
function store(f: Func, t: FloatOps, acc: readonly Local<'v128'>[], to: Target): void {
  const { c } = to;
  const spread = f.let(i32.and(i32.ne(c.at, 0), i32.and(i32.ne(c.col, t.bytes), i32.ne(c.col, 0))));
  const fast = f.let(i32.and(to.whole, i32.eqz(spread)));
  for (let r = 0; r < TILE_ROWS; r++) {
    f.if(i32.gt_u(to.rows, r), () => {
      const sums = acc.slice(2 * r, 2 * r + 2);
      const addC = (load: (v: number) => V128): void => {
        for (let v = 0; v < 2; v++) f.set(sums[v], t.vadd(sums[v], t.vmul(c.beta, load(v))));
      };
      for (const sum of sums) f.set(sum, t.vmul(sum, to.alpha));
      f.if(
        fast,
        () => {
          f.if(c.at, () =>
            f.if(
              c.col,
              () => addC((v) => t.vload(c.at, 16 * v)),
              () => addC(() => t.vloadSplat(c.at)),
            ),
          );
          f.do(v128.store(to.out, sums[0]));
          f.do(v128.store(to.out, sums[1], 16));
        },
        () => storeLanes(f, t, sums, to),
      );
      f.inc(to.out, to.outRow);
      f.if(c.at, () => f.inc(c.at, c.row));
    });
  }
}

/** The columns low … high - 1 one by one. */
function storeLanes(f: Func, t: FloatOps, sums: readonly Local<'v128'>[], to: Target): void {
  const { c } = to;
  sums.forEach((sum, v) => {
    for (let lane = 0; lane < t.lanes; lane++) {
      const j = v * t.lanes + lane;
      f.if(i32.and(i32.le_u(to.low, j), i32.gt_u(to.high, j)), () => {
        f.if(
          c.at,
          () => {
            const term = t.mul(t.lane(c.beta, 0), t.load(i32.add(c.at, i32.mul(c.col, j))));
            f.do(t.store(to.out, t.add(t.lane(sum, lane), term), j * t.bytes));
          },
          () => f.do(t.store(to.out, t.lane(sum, lane), j * t.bytes)),
        );
      });
    }
  });
}
