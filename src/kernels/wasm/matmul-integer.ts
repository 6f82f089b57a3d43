/**
 * Matrix multiply of integers: tiles of 4 rows by two vectors of columns (16 columns of 8 and 16 bits, 8 of 32, 4 of 64), of
 * packed strips and panels. Sums wrap, so their order is nothing to care for, and k is gone through in one go.
 *
 * The relaxed dot product of bytes is no help: its second factor has seven bits, so that a byte takes two of them, which is
 * what 16-bit lanes take.
 */
import type { DType } from '../../core/dtype.ts';
import { type Func, i32, type I32, type Local, WasmModule } from './emitter.ts';
import { type IntegerOps, integerOps } from './integer-ops.ts';
import { accumulate, TILE_ROWS } from './matmul-tile.ts';
import { forItems, minimum, readWords, W } from './matmul-words.ts';

/** Columns of a tile. */
export function integerColumns(dtype: DType): number {
  return 2 * integerOps(dtype).lanes;
}

/** The kernel's bytes; words as in `matmul-words.ts`. Both factors are packed. */
export function matmulInteger(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const t = integerOps(dtype);
  const width = 2 * t.lanes;
  const { bytes } = t.source;
  m.kernel((f, args) => {
    const w = readWords(f, args, 'outRow', 'aStrip', 'aRow', 'aK', 'bPanel', 'bK', 'N', 'K', 'cRow', 'cCol');
    // TypeScript cannot tie the locals' types to the operations'; both come from `t`.
    const alpha = f.let(t.factor(args, W.alpha * 4)) as Local<'i32'>;
    const beta = f.let(t.factor(args, W.beta * 4)) as Local<'i32'>;
    const value = f.local(t.scalar) as Local<'i32'>;
    const acc = Array.from({ length: TILE_ROWS * 2 }, () => f.local('v128'));
    const [n, row, strip, out, c] = Array.from({ length: 5 }, () => f.local('i32'));
    forItems(f, args, (item) => {
      const plain = f.let(i32.and(t.eq(alpha, t.constant(1)), i32.eqz(item.c)));
      f.for(n, item.n0, item.n1, width, () => {
        const columns = f.let(minimum(i32.sub(w.N, n), f.let(i32.const(width))));
        const whole = f.let(i32.and(plain, i32.eq(columns, width)));
        const b = f.let(i32.add(item.b, i32.mul(i32.div_u(n, width), w.bPanel)));
        f.set(strip, i32.add(item.a, i32.mul(i32.div_u(item.m0, TILE_ROWS), w.aStrip)));
        f.set(out, i32.add(item.out, i32.add(i32.mul(item.m0, w.outRow), i32.mul(n, bytes))));
        f.set(c, item.c);
        f.if(c, () => f.inc(c, i32.add(i32.mul(item.m0, w.cRow), i32.mul(n, w.cCol))));
        f.for(row, item.m0, item.m1, TILE_ROWS, () => {
          const rows = f.let(i32.sub(item.m1, row));
          accumulate(f, t, acc, rows, strip, b, w, w.K);
          f.inc(strip, w.aStrip);
          for (let r = 0; r < TILE_ROWS; r++) {
            f.if(i32.gt_u(rows, r), () => {
              const [low, high] = acc.slice(2 * r, 2 * r + 2);
              f.if(
                whole,
                () => {
                  for (const statement of t.storeRow(out, low, high)) f.do(statement);
                },
                () => storeElements(f, t, [low, high], { columns, out, alpha, beta, c, cCol: w.cCol, value }),
              );
              f.inc(out, w.outRow);
              f.if(c, () => f.inc(c, w.cRow));
            });
          }
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}

interface Target {
  readonly columns: Local<'i32'>;
  readonly out: Local<'i32'>;
  readonly alpha: Local<'i32'>;
  readonly beta: Local<'i32'>;
  /** Address of c's row; 0: there is none. */
  readonly c: Local<'i32'>;
  readonly cCol: I32;
  readonly value: Local<'i32'>;
}

/** out = alpha * sum + beta * c, one by one. */
function storeElements(f: Func, t: IntegerOps, sums: readonly Local<'v128'>[], to: Target): void {
  const { columns, out, alpha, beta, c, cCol, value } = to;
  sums.forEach((sum, v) => {
    for (let lane = 0; lane < t.lanes; lane++) {
      const column = v * t.lanes + lane;
      f.if(i32.gt_u(columns, column), () => {
        f.set(value, t.mul(alpha, t.lane(sum, lane)) as I32);
        f.if(c, () => f.set(value, t.add(value, t.mul(beta, t.load(i32.add(c, i32.mul(cCol, column))))) as I32));
        f.do(t.storeElement(i32.add(out, i32.const(column * t.source.bytes)), value));
      });
    }
  });
}
