/**
 * The convolution kernel: a matrix product of packed weights with columns that are gathered from the (padded) input, a
 * panel of neighbouring positions at a time, into scratch that stays in the first cache while every strip of weights
 * goes over it. Forward passes and gradients of inputs are both of this kind.
 */
import { CONV, CONV_SCRATCH, K_STEP, SCRATCH_TABLE, SCRATCH_TILE, wordReader } from './conv-words.ts';
import { type Func, type I32, i32, type Local, WasmModule } from './emitter.ts';
import { type FloatName, type FloatOps, floatOps } from './float-ops.ts';
import { accumulate, TILE_ROWS, tileColumns } from './matmul-tile.ts';
import { minimum } from './matmul-words.ts';
import { threadSlot } from './thread-slot.ts';

/** Goes through positions in order; keeps the offset of the current one in some operands. */
export interface Walk {
  /** Goes to a position. */
  start(position: I32): void;
  /** Goes on to the next one. */
  next(): void;
  readonly offsets: readonly Local<'i32'>[];
}

/** `steps`: for each operand the strides by axis. */
export function positionWalk(
  f: Func,
  height: Local<'i32'>,
  width: Local<'i32'>,
  steps: readonly (readonly Local<'i32'>[])[],
): Walk {
  const [x, y] = [f.local('i32'), f.local('i32')];
  const offsets = steps.map(() => f.local('i32'));
  const toRow = steps.map((s) => f.let(i32.sub(s[1], i32.mul(width, s[2]))));
  const toPlane = steps.map((s) => f.let(i32.sub(s[0], i32.mul(height, s[1]))));
  return {
    offsets,
    start(position) {
      const row = f.let(i32.div_u(position, width));
      f.set(x, i32.sub(position, i32.mul(row, width)));
      const z = f.let(i32.div_u(row, height));
      f.set(y, i32.sub(row, i32.mul(z, height)));
      steps.forEach((s, i) => {
        f.set(offsets[i], i32.add(i32.add(i32.mul(z, s[0]), i32.mul(y, s[1])), i32.mul(x, s[2])));
      });
    },
    next() {
      f.inc(x, 1);
      steps.forEach((s, i) => {
        f.inc(offsets[i], s[2]);
      });
      f.if(i32.eq(x, width), () => {
        f.set(x, 0);
        f.inc(y, 1);
        steps.forEach((_, i) => {
          f.inc(offsets[i], toRow[i]);
        });
        f.if(i32.eq(y, height), () => {
          f.set(y, 0);
          steps.forEach((_, i) => {
            f.inc(offsets[i], toPlane[i]);
          });
        });
      });
    },
  };
}

/** The kernel's bytes; words as in `CONV`. */
export function convTile(type: FloatName, relaxed?: boolean): Uint8Array {
  const m = new WasmModule({ relaxed });
  const t = floatOps(type, m);
  const width = tileColumns(type);
  m.kernel((f, args) => {
    const word = wordReader(f, args, CONV);
    const outStep = [0, 1, 2].map((i) => word('outStep', i));
    const xStep = [0, 1, 2].map((i) => word('xStep', i));
    const [K, P, flat, outRow, aStrip, kTable] = (['K', 'P', 'flat', 'outRow', 'aStrip', 'kTable'] as const).map((n) =>
      word(n),
    );
    const [groups, mBlocks, pBlocks] = (['groups', 'mBlocks', 'pBlocks'] as const).map((n) => word(n));
    const scratch = f.let(i32.add(word('scratch'), i32.mul(threadSlot(f, args), CONV_SCRATCH)));
    const table = f.let(i32.add(scratch, SCRATCH_TABLE));
    const walk = positionWalk(f, word('height'), word('width'), [xStep, outStep]);
    const lanes = Array.from({ length: width }, () => f.local('i32'));
    const acc = Array.from({ length: TILE_ROWS * 2 }, () => f.local('v128'));
    const [item, k0, q, row, strip, out, bias, kc] = Array.from({ length: 8 }, () => f.local('i32'));
    const packed = { aRow: i32.const(t.bytes), aK: f.let(i32.const(TILE_ROWS * t.bytes)), bK: f.let(i32.const(32)) };

    f.for(item, word('begin'), word('end'), 1, () => {
      const above = f.let(i32.div_u(item, pBlocks));
      const q0 = f.let(i32.mul(i32.sub(item, i32.mul(above, pBlocks)), i32.load(args, CONV.pStep * 4)));
      const q1 = f.let(minimum(i32.add(q0, i32.load(args, CONV.pStep * 4)), P));
      const pair = f.let(i32.div_u(above, mBlocks));
      const m0 = f.let(i32.mul(i32.sub(above, i32.mul(pair, mBlocks)), i32.load(args, CONV.mStep * 4)));
      const m1 = f.let(minimum(i32.add(m0, i32.load(args, CONV.mStep * 4)), f.let(i32.load(args, CONV.M * 4))));
      const image = f.let(i32.div_u(pair, groups));
      const group = f.let(i32.sub(pair, i32.mul(image, groups)));
      const base = (start: number, imageStep: number, groupStep: number): Local<'i32'> => {
        const at = f.let(i32.add(i32.load(args, start * 4), i32.mul(image, i32.load(args, imageStep * 4))));
        f.inc(at, i32.mul(group, i32.load(args, groupStep * 4)));
        return at;
      };
      const x = base(CONV.x, CONV.xImage, CONV.xGroup);
      const firstOut = base(CONV.out, CONV.outImage, CONV.outGroup);
      f.inc(firstOut, i32.mul(m0, outRow));
      const a = f.let(i32.add(i32.load(args, CONV.a * 4), i32.mul(group, i32.load(args, CONV.aGroup * 4))));
      f.inc(a, i32.mul(i32.div_u(m0, TILE_ROWS), aStrip));
      const firstBias = f.let(i32.load(args, CONV.bias * 4));
      f.if(firstBias, () => {
        f.inc(firstBias, i32.mul(i32.add(i32.mul(group, i32.load(args, CONV.M * 4)), m0), t.bytes));
      });

      f.set(k0, 0);
      f.loop((nextK) => {
        f.set(kc, minimum(i32.sub(K, k0), f.let(i32.const(K_STEP))));
        walk.start(q0);
        f.for(q, q0, q1, width, () => {
          const valid = f.let(minimum(i32.sub(q1, q), f.let(i32.const(width))));
          f.set(out, i32.add(firstOut, walk.offsets[1]));
          // Lanes beyond the last position repeat it.
          for (let j = 0; j < width; j++) {
            f.set(lanes[j], walk.offsets[0]);
            f.do(i32.store(table, i32.sub(i32.add(firstOut, walk.offsets[1]), out), 4 * j));
            f.if(i32.gt_u(valid, j + 1), () => walk.next());
          }
          // Not after the very last position, where there is no next.
          f.if(i32.eq(valid, width), () => walk.next());
          gather(f, t, { x, lanes, to: scratch, table: i32.add(kTable, i32.shl(k0, 2)), count: kc });

          f.set(strip, i32.add(a, i32.mul(k0, TILE_ROWS * t.bytes)));
          f.set(bias, firstBias);
          const side = f.let(i32.and(flat, i32.eq(valid, width)));
          f.for(row, m0, m1, TILE_ROWS, () => {
            accumulate(f, t, acc, i32.const(TILE_ROWS), strip, scratch, packed, kc);
            f.inc(strip, aStrip);
            const rows = f.let(i32.sub(m1, row));
            for (let r = 0; r < TILE_ROWS; r++) {
              f.if(i32.gt_u(rows, r), () => {
                storeRow(f, t, [acc[2 * r], acc[2 * r + 1]], { out, valid, side, bias, add: k0, table, scratch });
                f.inc(out, outRow);
                f.if(bias, () => f.inc(bias, t.bytes));
              });
            }
          });
        });
        f.inc(k0, K_STEP);
        f.brIf(nextK, i32.lt_u(k0, K));
      });
    });
    return undefined;
  });
  return m.toBytes();
}

interface Gather {
  readonly x: I32;
  /** Offsets of the panel's positions. */
  readonly lanes: readonly Local<'i32'>[];
  readonly to: I32;
  /** Offsets of `count` rows. */
  readonly table: I32;
  readonly count: Local<'i32'>;
}

/** Fills a panel: for every k the elements of its positions, side by side. */
function gather(f: Func, t: FloatOps, g: Gather): void {
  const width = g.lanes.length;
  const half = t.lanes;
  const run = (from: number, count: number): I32 => {
    let all: I32 = i32.const(1);
    for (let j = 1; j < count; j++) {
      all = i32.and(all, i32.eq(i32.sub(g.lanes[from + j], g.lanes[from]), j * t.bytes));
    }
    return all;
  };
  const [k, to, table] = [f.local('i32'), f.let(g.to), f.let(g.table)];
  const from = g.lanes.map((lane) => f.let(i32.add(g.x, lane)));
  const rows = (body: (offset: Local<'i32'>) => void): void => {
    const offset = f.local('i32');
    f.set(k, g.count);
    f.loop((again) => {
      f.set(offset, i32.load(table));
      body(offset);
      f.inc(table, 4);
      f.inc(to, width * t.bytes);
      f.inc(k, -1);
      f.brIf(again, k);
    });
  };
  f.if(g.count, () => {
    f.if(
      i32.and(run(0, half), run(half, half)),
      () =>
        rows((offset) => {
          f.do(t.vstore(to, t.vload(i32.add(from[0], offset))));
          f.do(t.vstore(to, t.vload(i32.add(from[half], offset)), 16));
        }),
      () =>
        rows((offset) => {
          for (let j = 0; j < width; j++) f.do(t.store(to, t.load(i32.add(from[j], offset)), j * t.bytes));
        }),
    );
  });
}

interface Row {
  readonly out: Local<'i32'>;
  /** Positions that are there. */
  readonly valid: I32;
  /** Whether they fill the vectors and lie side by side in `out`. */
  readonly side: I32;
  /** Where the row's bias is; 0: none. */
  readonly bias: I32;
  /** Not 0: `out` has the sum of earlier k. */
  readonly add: I32;
  /** Offsets of the positions in `out`. */
  readonly table: I32;
  readonly scratch: I32;
}

/** Writes one row of a tile. */
function storeRow(f: Func, t: FloatOps, sums: readonly [Local<'v128'>, Local<'v128'>], to: Row): void {
  f.if(
    to.add,
    () =>
      f.if(to.side, () => {
        sums.forEach((sum, v) => {
          f.set(sum, t.vadd(sum, t.vload(to.out, 16 * v)));
        });
      }),
    () =>
      f.if(to.bias, () => {
        for (const sum of sums) f.set(sum, t.vadd(sum, t.vloadSplat(to.bias)));
      }),
  );
  f.if(
    to.side,
    () =>
      sums.forEach((sum, v) => {
        f.do(t.vstore(to.out, sum, 16 * v));
      }),
    () => {
      const tile = f.let(i32.add(to.scratch, SCRATCH_TILE));
      sums.forEach((sum, v) => {
        f.do(t.vstore(tile, sum, 16 * v));
      });
      const [j, at, table] = [f.local('i32'), f.local('i32'), f.let(to.table)];
      f.for(j, 0, to.valid, 1, () => {
        f.set(at, i32.add(to.out, i32.load(table)));
        f.if(
          to.add,
          () => f.do(t.store(at, t.add(t.load(tile), t.load(at)))),
          () => f.do(t.store(at, t.load(tile))),
        );
        f.inc(tile, t.bytes);
        f.inc(table, 4);
      });
    },
  );
}
