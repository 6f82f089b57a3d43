/**
 * The gradient of a convolution's weight: a matrix product of the output's gradient with the transposed columns of the
 * input, summed over positions and images. Columns are gathered a panel of neighbouring k at a time, for a piece of
 * the positions, into scratch that stays in the first cache while every row of the gradient goes over it.
 */
import { positionWalk } from './conv-tile.ts';
import { CONV_SCRATCH, CONV_WEIGHT, POSITIONS, SCRATCH_TABLE, wordReader } from './conv-words.ts';
import { type Func, f64x2, type I32, i32, i32x4, type Local, type v128, WasmModule } from './emitter.ts';
import { type FloatName, type FloatOps, floatOps } from './float-ops.ts';
import { accumulate, TILE_ROWS, tileColumns } from './matmul-tile.ts';
import { minimum } from './matmul-words.ts';
import { threadSlot } from './thread-slot.ts';

/** The kernel's bytes; words as in `CONV_WEIGHT`. */
export function convWeightGrad(type: FloatName, relaxed?: boolean): Uint8Array {
  const m = new WasmModule({ relaxed });
  const t = floatOps(type, m);
  const width = tileColumns(type);
  m.kernel((f, args) => {
    const word = wordReader(f, args, CONV_WEIGHT);
    const xStep = [0, 1, 2].map((i) => word('xStep', i));
    const [M, K, P, outRow, gradRow, kTable] = (['M', 'K', 'P', 'outRow', 'gradRow', 'kTable'] as const).map((n) =>
      word(n),
    );
    const [groups, kBlocks, pieces] = (['groups', 'kBlocks', 'pieces'] as const).map((n) => word(n));
    const scratch = f.let(i32.add(word('scratch'), i32.mul(threadSlot(f, args), CONV_SCRATCH)));
    const table = f.let(i32.add(scratch, SCRATCH_TABLE));
    const walk = positionWalk(f, word('height'), word('width'), [xStep]);
    const columns = Array.from({ length: width }, () => f.local('i32'));
    const acc = Array.from({ length: TILE_ROWS * 2 }, () => f.local('v128'));
    const [item, piece, k, p, row, a, out, at] = Array.from({ length: 8 }, () => f.local('i32'));
    const strides = { aRow: gradRow, aK: f.let(i32.const(t.bytes)), bK: f.let(i32.const(32)) };

    f.for(item, word('begin'), word('end'), 1, () => {
      const above = f.let(i32.div_u(item, kBlocks));
      const k0 = f.let(i32.mul(i32.sub(item, i32.mul(above, kBlocks)), i32.load(args, CONV_WEIGHT.kStep * 4)));
      const k1 = f.let(minimum(i32.add(k0, i32.load(args, CONV_WEIGHT.kStep * 4)), K));
      const slot = f.let(i32.div_u(above, groups));
      const group = f.let(i32.sub(above, i32.mul(slot, groups)));
      const load = (name: keyof typeof CONV_WEIGHT): I32 => i32.load(args, CONV_WEIGHT[name] * 4);
      const firstOut = f.let(i32.add(load('out'), i32.mul(slot, load('outSlot'))));
      f.inc(firstOut, i32.mul(group, load('outGroup')));
      const first = f.let(i32.mul(slot, load('perSlot')));
      const last = f.let(minimum(i32.add(first, load('perSlot')), f.let(load('total'))));
      f.for(piece, first, last, 1, () => {
        const image = f.let(i32.div_u(piece, pieces));
        const p0 = f.let(i32.mul(i32.sub(piece, i32.mul(image, pieces)), POSITIONS));
        const count = f.let(minimum(i32.sub(P, p0), f.let(i32.const(POSITIONS))));
        const x = f.let(i32.add(load('x'), i32.mul(image, load('xImage'))));
        f.inc(x, i32.mul(group, load('xGroup')));
        const grad = f.let(i32.add(load('grad'), i32.mul(image, load('gradImage'))));
        f.inc(grad, i32.add(i32.mul(group, load('gradGroup')), i32.mul(p0, t.bytes)));
        const more = f.let(i32.gt_u(piece, first));

        walk.start(p0);
        f.set(at, table);
        f.for(p, 0, count, 1, () => {
          f.do(i32.store(at, walk.offsets[0]));
          walk.next();
          f.inc(at, 4);
        });
        f.for(k, k0, k1, width, () => {
          const valid = f.let(minimum(i32.sub(k1, k), f.let(i32.const(width))));
          // Columns beyond the last repeat it.
          for (let j = 0; j < width; j++) {
            const which = j === 0 ? k : minimum(i32.add(k, j), f.let(i32.sub(i32.add(k, valid), 1)));
            f.set(columns[j], i32.add(x, i32.load(i32.add(kTable, i32.shl(which, 2)))));
          }
          gatherTransposed(f, t, columns, scratch, table, count);
          f.set(a, grad);
          f.set(out, i32.add(firstOut, i32.mul(k, t.bytes)));
          const whole = f.let(i32.eq(valid, width));
          f.for(row, 0, M, TILE_ROWS, () => {
            const rows = f.let(i32.sub(M, row));
            accumulate(f, t, acc, rows, a, scratch, strides, count);
            f.inc(a, i32.mul(gradRow, TILE_ROWS));
            for (let r = 0; r < TILE_ROWS; r++) {
              f.if(i32.gt_u(rows, r), () => {
                addRow(f, t, [acc[2 * r], acc[2 * r + 1]], out, valid, whole, more);
                f.inc(out, outRow);
              });
            }
          });
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** Fills a panel: for every position the elements of its columns, side by side. */
function gatherTransposed(
  f: Func,
  t: FloatOps,
  columns: readonly Local<'i32'>[],
  scratch: I32,
  table: I32,
  count: Local<'i32'>,
): void {
  const width = columns.length;
  const stepBytes = width * t.bytes;
  const { lanes } = t;
  const [to, at, left, offset] = [f.let(scratch), f.let(table), f.let(count), f.local('i32')];
  const far = 4 * (lanes - 1);
  f.while(left, () => {
    f.set(offset, i32.load(at));
    let side: I32 = i32.ge_u(left, lanes);
    for (let i = 1; i < lanes; i++) {
      side = i32.and(side, i32.eq(i32.sub(i32.load(at, 4 * i), offset), i * t.bytes));
    }
    // The table has room behind it, so reading beyond the last offset does no harm.
    f.if(
      side,
      () => {
        for (let j = 0; j < width; j += lanes) {
          const rows = Array.from({ length: lanes }, (_, i) => f.let(t.vload(i32.add(columns[j + i], offset))));
          transposed(f, t, rows).forEach((value, i) => {
            f.do(t.vstore(to, value, i * stepBytes + j * t.bytes));
          });
        }
        f.inc(to, lanes * stepBytes);
        f.inc(at, far + 4);
        f.inc(left, -lanes);
      },
      () => {
        columns.forEach((column, j) => {
          f.do(t.store(to, t.load(i32.add(column, offset)), j * t.bytes));
        });
        f.inc(to, stepBytes);
        f.inc(at, 4);
        f.inc(left, -1);
      },
    );
  });
}

/** A square of vectors, turned. */
export function transposed(f: Func, t: FloatOps, rows: readonly Local<'v128'>[]): ReturnType<typeof v128.load>[] {
  if (t.lanes === 2) {
    const wide = (a: number, b: number) => f.let(f64x2.shuffle(rows[0], rows[1], a, b));
    return [wide(0, 2), wide(1, 3)];
  }
  const low01 = f.let(i32x4.shuffle(rows[0], rows[1], 0, 4, 1, 5));
  const low23 = f.let(i32x4.shuffle(rows[2], rows[3], 0, 4, 1, 5));
  const high01 = f.let(i32x4.shuffle(rows[0], rows[1], 2, 6, 3, 7));
  const high23 = f.let(i32x4.shuffle(rows[2], rows[3], 2, 6, 3, 7));
  return [
    i32x4.shuffle(low01, low23, 0, 1, 4, 5),
    i32x4.shuffle(low01, low23, 2, 3, 6, 7),
    i32x4.shuffle(high01, high23, 0, 1, 4, 5),
    i32x4.shuffle(high01, high23, 2, 3, 6, 7),
  ];
}

/** out = or += one row of a tile. */
function addRow(
  f: Func,
  t: FloatOps,
  sums: readonly [Local<'v128'>, Local<'v128'>],
  out: I32,
  valid: I32,
  whole: I32,
  more: I32,
): void {
  f.if(
    whole,
    () => {
      f.if(more, () => {
        sums.forEach((sum, v) => {
          f.set(sum, t.vadd(sum, t.vload(out, 16 * v)));
        });
      });
      sums.forEach((sum, v) => {
        f.do(t.vstore(out, sum, 16 * v));
      });
    },
    () => {
      sums.forEach((sum, v) => {
        for (let lane = 0; lane < t.lanes; lane++) {
          const j = v * t.lanes + lane;
          f.if(i32.gt_u(valid, j), () => {
            f.if(
              more,
              () => f.do(t.store(out, t.add(t.lane(sum, lane), t.load(out, j * t.bytes)), j * t.bytes)),
              () => f.do(t.store(out, t.lane(sum, lane), j * t.bytes)),
            );
          });
        }
      });
    },
  );
}

/** out[i] = the sum of `slots` arrays, one after the other. Words: begin, end (elements), out, parts, bytes of a part, slots. */
export function convSumSlots(type: FloatName): Uint8Array {
  const m = new WasmModule();
  const t = floatOps(type, m);
  m.kernel((f, args) => {
    const [begin, end, out, parts, bytes, slots] = f.words(args, 6);
    const [i, s, from, to] = Array.from({ length: 4 }, () => f.local('i32'));
    const sum = f.local('v128');
    const one = f.local(t.name);
    f.set(i, begin);
    const whole = f.let(i32.sub(end, i32.rem_u(i32.sub(end, begin), t.lanes)));
    f.while(i32.lt_u(i, whole), () => {
      const at = f.let(i32.mul(i, t.bytes));
      f.set(from, i32.add(parts, at));
      f.set(sum, t.vzero());
      f.for(s, 0, slots, 1, () => {
        f.set(sum, t.vadd(sum, t.vload(from)));
        f.inc(from, bytes);
      });
      f.do(t.vstore(i32.add(out, at), sum));
      f.inc(i, t.lanes);
    });
    f.while(i32.lt_u(i, end), () => {
      f.set(to, i32.mul(i, t.bytes));
      f.set(from, i32.add(parts, to));
      f.set(one, t.zero() as typeof one);
      f.for(s, 0, slots, 1, () => {
        f.set(one, t.add(one, t.load(from)) as typeof one);
        f.inc(from, bytes);
      });
      f.do(t.store(i32.add(out, to), one));
      f.inc(i, 1);
    });
    return undefined;
  });
  return m.toBytes();
}
