/**
 * Packing for matrix multiply: a matrix becomes panels of `width` columns (or strips of `width` rows), each with k
 * outermost, so that the tile kernel reads both inputs from begin to end. Half types become float32 here, 8-bit integers 16-bit ones.
 */
import { type Func, i32, i32x4, i64x2, type Local, type V128, WasmModule } from './emitter.ts';
import { type FloatOps, floatOps } from './float-ops.ts';
import { integerOps } from './integer-ops.ts';
import { minimum } from './matmul-words.ts';
import { type Source, source } from './float-source.ts';
import type { DType } from '../../core/dtype.ts';

/** Positions of the words. The range counts panels, the batch's first matrix first. */
export const PACK = {
  begin: 0,
  end: 1,
  to: 2,
  from: 3,
  /** Panels of one matrix. */
  panels: 4,
  /** Columns (or rows) of the matrix, and k. */
  columns: 5,
  K: 6,
  /** The source's strides in bytes. */
  column: 7,
  k: 8,
  batchRank: 9,
  /** For each batch dimension, outermost first: size and stride. */
  batch: 10,
} as const;

/** The kernel's bytes, for a source dtype and a panel width. */
export function matmulPack(dtype: DType, width: number): Uint8Array {
  const m = new WasmModule();
  const { s, t } = packing(dtype, m);
  m.kernel((f, args) => {
    const word = (name: keyof typeof PACK): Local<'i32'> => f.let(i32.load(args, PACK[name] * 4));
    const [panels, columns, K, column, kStep] = (['panels', 'columns', 'K', 'column', 'k'] as const).map(word);
    const [panel, to, from, k, at] = Array.from({ length: 5 }, () => f.local('i32'));
    const stepBytes = width * t.bytes;
    f.for(panel, word('begin'), word('end'), 1, () => {
      const batch = f.let(i32.div_u(panel, panels));
      const first = f.let(i32.mul(i32.sub(panel, i32.mul(batch, panels)), width));
      const valid = f.let(minimum(i32.sub(columns, first), f.let(i32.const(width))));
      f.set(to, i32.add(i32.load(args, PACK.to * 4), i32.mul(i32.mul(panel, K), stepBytes)));
      f.set(from, i32.add(i32.load(args, PACK.from * 4), i32.mul(first, column)));
      const dims = f.let(i32.add(args, PACK.batch * 4));
      const dim = f.let(i32.add(dims, i32.shl(i32.load(args, PACK.batchRank * 4), 3)));
      f.while(i32.gt_u(dim, dims), () => {
        f.inc(dim, -8);
        const size = f.let(i32.load(dim));
        const rest = f.let(i32.div_u(batch, size));
        f.inc(from, i32.mul(i32.sub(batch, i32.mul(rest, size)), i32.load(dim, 4)));
        f.set(batch, rest);
      });

      f.set(k, 0);
      // A strip of four 16-bit integers is half a vector.
      const vectors = width % t.lanes === 0;
      f.if(i32.eq(valid, vectors ? width : -1), () => {
        if (!vectors) return;
        f.if(i32.eq(column, s.bytes), () => {
          f.for(k, 0, K, 1, () => {
            for (let v = 0; v < width; v += t.lanes) {
              f.do(t.vstore(to, s.vload(f, from, v * s.bytes), v * t.bytes));
            }
            f.inc(from, kStep);
            f.inc(to, stepBytes);
          });
        });
        if (t.lanes > 4) return;
        f.if(i32.and(i32.eqz(k), i32.eq(kStep, s.bytes)), () => {
          const whole = f.let(i32.sub(K, i32.rem_u(K, t.lanes)));
          f.for(k, 0, whole, t.lanes, () => {
            f.set(at, from);
            for (let j = 0; j < width; j += t.lanes) transpose(f, s, t, at, column, to, j, stepBytes);
            f.inc(from, t.lanes * s.bytes);
            f.inc(to, t.lanes * stepBytes);
          });
          f.set(k, whole);
        });
      });
      // The rest: other strides, the last panel (padded with zeros), the last k.
      const j = f.local('i32');
      f.while(i32.lt_u(k, K), () => {
        f.set(at, from);
        f.for(j, 0, width, 1, () => {
          f.if(
            i32.lt_u(j, valid),
            () => f.do(t.store(to, s.load(f, at))),
            () => f.do(t.store(to, t.zero())),
          );
          f.inc(at, column);
          f.inc(to, t.bytes);
        });
        f.inc(from, kStep);
        f.inc(k, 1);
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** Elements as they are, and as they are packed. */
interface Packing {
  readonly s: Pick<Source, 'bytes' | 'load' | 'vload'>;
  readonly t: Pick<FloatOps, 'bytes' | 'lanes' | 'store' | 'vstore' | 'zero'>;
}

function packing(dtype: DType, m: WasmModule): Packing {
  if (!dtype.is_floating_point) {
    const t = integerOps(dtype);
    return { s: t.source, t };
  }
  const s = source(dtype, m);
  return { s, t: floatOps(s.type, m) };
}

/** Turns a square of `lanes` columns and as many k: reads along k, writes along the columns. Moves `at` on. */
function transpose(
  f: Func,
  s: Packing['s'],
  t: Packing['t'],
  at: Local<'i32'>,
  column: Local<'i32'>,
  to: Local<'i32'>,
  first: number,
  stepBytes: number,
): void {
  const rows = Array.from({ length: t.lanes }, () => {
    const row = f.let(s.vload(f, at, 0));
    f.inc(at, column);
    return row;
  });
  const put = (k: number, value: V128): void => {
    f.do(t.vstore(to, value, k * stepBytes + first * t.bytes));
  };
  if (t.lanes === 2) {
    put(0, i64x2.shuffle(rows[0], rows[1], 0, 2));
    put(1, i64x2.shuffle(rows[0], rows[1], 1, 3));
    return;
  }
  const low01 = f.let(i32x4.shuffle(rows[0], rows[1], 0, 4, 1, 5));
  const low23 = f.let(i32x4.shuffle(rows[2], rows[3], 0, 4, 1, 5));
  const high01 = f.let(i32x4.shuffle(rows[0], rows[1], 2, 6, 3, 7));
  const high23 = f.let(i32x4.shuffle(rows[2], rows[3], 2, 6, 3, 7));
  put(0, i32x4.shuffle(low01, low23, 0, 1, 4, 5));
  put(1, i32x4.shuffle(low01, low23, 2, 3, 6, 7));
  put(2, i32x4.shuffle(high01, high23, 0, 1, 4, 5));
  put(3, i32x4.shuffle(high01, high23, 2, 3, 6, 7));
}
