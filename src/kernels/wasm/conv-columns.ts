/**
 * What surrounds a native product in a convolution, a block of positions at a time: gathering the columns of the input that
 * the block needs, laying the bias under its output, and bringing a finished block to its places. `native/conv-program.ts`
 * calls these; the words are its own.
 */
import { wordReader } from './conv-words.ts';
import { type Func, i32, type Local, WasmModule } from './emitter.ts';
import { type FloatName, floatOps } from './float-ops.ts';

/** Words of a block, after those of the launch (`CONV`, `CONV_WEIGHT`). All strides are in bytes. */
export const COLUMNS = {
  /** Where the columns go: `rows` rows of `length` elements. */
  to: 48,
  /** The image's group, and the offset in it of every row. */
  from: 49,
  table: 50,
  rows: 51,
  /** Positions `first` up to `first + length`. */
  first: 52,
  length: 53,
  /** Sizes of the last two axes of positions, and strides in the input and in the output, by axis. */
  height: 54,
  width: 55,
  step: 56,
  outStep: 59,
  /** Rows of the block of the output; what is added to each (0: zeros); where it lies, from row to row. */
  M: 62,
  bias: 63,
  tile: 64,
  tileRow: 65,
  /** Where the rows' places begin, from row to row. */
  out: 66,
  outRow: 67,
  /** Set by the builder: 0, or bytes from one row of columns to the next where they lie side by side in the input. */
  inPlace: 68,
  /** Positions of a block at most, and bytes of scratch for each thread. */
  positions: 69,
  scratchBytes: 70,
  count: 72,
} as const;

/** Positions from `first` on, along lines of `width`, `height` of them in a plane; a line begins at `base` and the steps of its axes. */
function positions(
  f: Func,
  first: Local<'i32'>,
  width: Local<'i32'>,
  height: Local<'i32'>,
  base: Local<'i32'>,
  step: readonly Local<'i32'>[],
) {
  const line0 = f.let(i32.div_u(first, width));
  const x = f.let(i32.sub(first, i32.mul(line0, width)));
  const z = f.let(i32.div_u(line0, height));
  const y = f.let(i32.sub(line0, i32.mul(z, height)));
  const start = f.let(i32.add(base, i32.add(i32.mul(z, step[0]), i32.mul(y, step[1]))));
  const toPlane = f.let(i32.sub(step[0], i32.mul(height, step[1])));
  return {
    x,
    y,
    start,
    /** To the beginning of the next line. */
    nextLine(x: Local<'i32'>, y: Local<'i32'>, line: Local<'i32'>): void {
      f.set(x, 0);
      f.inc(y, 1);
      f.inc(line, step[1]);
      f.if(i32.eq(y, height), () => {
        f.set(y, 0);
        f.inc(line, toPlane);
      });
    },
  };
}

/** to[row, j] = the input at the row's offset and position first + j. */
export function gatherColumns(type: FloatName): Uint8Array {
  const m = new WasmModule();
  const t = floatOps(type, m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, COLUMNS);
    const [to, from, table, rows, length, width, height] = (
      ['to', 'from', 'table', 'rows', 'length', 'width', 'height'] as const
    ).map((name) => word(name));
    const step = [0, 1, 2].map((i) => word('step', i));
    const first = word('first');
    const walk = positions(f, first, width, height, from, step);
    const [row, line, at, x, y, rest, n, whole] = Array.from({ length: 8 }, () => f.local('i32'));
    f.for(row, 0, rows, 1, () => {
      f.set(line, i32.add(walk.start, i32.load(table)));
      f.inc(table, 4);
      f.set(x, walk.x);
      f.set(y, walk.y);
      f.set(rest, length);
      f.while(rest, () => {
        // Up to the end of the line, or of the block.
        f.set(n, i32.sub(width, x));
        f.if(i32.gt_u(n, rest), () => f.set(n, rest));
        f.set(at, i32.add(line, i32.mul(x, step[2])));
        f.set(rest, i32.sub(rest, n));
        f.if(
          i32.eq(step[2], t.bytes),
          () => {
            f.set(whole, i32.div_u(n, t.lanes));
            f.set(n, i32.sub(n, i32.mul(whole, t.lanes)));
            f.while(whole, () => {
              f.do(t.vstore(to, t.vload(at)));
              f.inc(to, 16);
              f.inc(at, 16);
              f.inc(whole, -1);
            });
          },
          () => undefined,
        );
        f.while(n, () => {
          f.do(t.store(to, t.load(at)));
          f.inc(to, t.bytes);
          f.inc(at, step[2]);
          f.inc(n, -1);
        });
        walk.nextLine(x, y, line);
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** tile[m, j] = bias[m]. */
export function fillRows(type: FloatName): Uint8Array {
  const m = new WasmModule();
  const t = floatOps(type, m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, COLUMNS);
    const [M, length, bias, tileRow] = (['M', 'length', 'bias', 'tileRow'] as const).map((name) => word(name));
    const line = word('tile');
    const [row, to, n] = Array.from({ length: 3 }, () => f.local('i32'));
    f.for(row, 0, M, 1, () => {
      f.set(to, line);
      f.set(n, i32.div_u(length, t.lanes));
      f.while(n, () => {
        f.do(t.vstore(to, t.vloadSplat(bias)));
        f.inc(to, 16);
        f.inc(n, -1);
      });
      f.set(n, i32.rem_u(length, t.lanes));
      f.while(n, () => {
        f.do(t.store(to, t.load(bias)));
        f.inc(to, t.bytes);
        f.inc(n, -1);
      });
      f.inc(line, tileRow);
      f.inc(bias, t.bytes);
    });
    return undefined;
  });
  return m.toBytes();
}

/** out[m, position first + j] = tile[m, j]. */
export function spreadRows(type: FloatName): Uint8Array {
  const m = new WasmModule();
  const t = floatOps(type, m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, COLUMNS);
    const [M, length, width, height, tile, tileRow, out, outRow] = (
      ['M', 'length', 'width', 'height', 'tile', 'tileRow', 'out', 'outRow'] as const
    ).map((name) => word(name));
    const step = [0, 1, 2].map((i) => word('outStep', i));
    const first = word('first');
    const walk = positions(f, first, width, height, out, step);
    const [row, line, at, from, x, y, n, rest] = Array.from({ length: 8 }, () => f.local('i32'));
    f.for(row, 0, M, 1, () => {
      f.set(from, tile);
      f.set(line, walk.start);
      f.set(x, walk.x);
      f.set(y, walk.y);
      f.set(rest, length);
      f.while(rest, () => {
        f.set(n, i32.sub(width, x));
        f.if(i32.gt_u(n, rest), () => f.set(n, rest));
        f.set(at, i32.add(line, i32.mul(x, step[2])));
        f.set(rest, i32.sub(rest, n));
        f.while(n, () => {
          f.do(t.store(at, t.load(from)));
          f.inc(from, t.bytes);
          f.inc(at, step[2]);
          f.inc(n, -1);
        });
        walk.nextLine(x, y, line);
      });
      f.inc(tile, tileRow);
      f.inc(walk.start, outRow);
    });
    return undefined;
  });
  return m.toBytes();
}
