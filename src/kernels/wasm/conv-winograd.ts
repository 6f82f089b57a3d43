/**
 * Convolution with 3x3 windows of stride 1 by Winograd's F(2x2, 3x3): 16 products make four outputs where the definition
 * takes 36. Float32. A 4x4 patch of the (padded) input is transformed for every 2x2 tile of the output; then each of the
 * 16 places is a matrix product over the channels; then the sums are transformed back. Four tiles are a vector, side by
 * side or two by two, as fits the image better; two vectors are a panel.
 */
import type { DType } from '../../core/dtype.ts';
import { WINOGRAD, WINOGRAD_WEIGHT, wordReader } from './conv-words.ts';
import {
  type Func,
  f32,
  f32x4,
  type I32,
  i32,
  i32x4,
  type Local,
  select,
  type V128,
  v128,
  WasmModule,
} from './emitter.ts';
import { floatOps } from './float-ops.ts';
import { source } from './float-source.ts';
import { accumulate, TILE_ROWS } from './matmul-tile.ts';
import { minimum } from './matmul-words.ts';
import { threadSlot } from './thread-slot.ts';

/** Places of a transformed patch. */
export const PLACES = 16;

/** Weights [M, C, 3, 3] of any strides to strips: for each place, strip and channel four rows. */
export function winogradWeights(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, WINOGRAD_WEIGHT);
    const [strips, rows, channels, row, channel, down, across] = (
      ['strips', 'M', 'channels', 'row', 'channel', 'down', 'across'] as const
    ).map((n) => word(n));
    const place = f.let(i32.mul(i32.mul(strips, channels), TILE_ROWS * 4));
    const [strip, r, c, at, from, to] = Array.from({ length: 6 }, () => f.local('i32'));
    const g = Array.from({ length: 9 }, () => f.local('f32'));
    const h = Array.from({ length: 12 }, () => f.local('f32'));
    f.for(strip, word('begin'), word('end'), 1, () => {
      const first = f.let(i32.mul(strip, TILE_ROWS));
      f.for(r, 0, TILE_ROWS, 1, () => {
        f.set(from, i32.add(i32.load(args, WINOGRAD_WEIGHT.from * 4), i32.mul(i32.add(first, r), row)));
        const inside = f.let(i32.lt_u(i32.add(first, r), rows));
        f.set(to, i32.add(i32.load(args, WINOGRAD_WEIGHT.to * 4), i32.mul(i32.mul(strip, channels), TILE_ROWS * 4)));
        f.inc(to, i32.shl(r, 2));
        f.for(c, 0, channels, 1, () => {
          for (let i = 0; i < 9; i++) f.set(g[i], 0);
          f.if(inside, () => {
            for (let i = 0; i < 3; i++) {
              f.set(at, i32.add(from, i32.mul(down, i)));
              for (let j = 0; j < 3; j++) {
                f.set(g[3 * i + j], s.load(f, at) as Local<'f32'>);
                f.inc(at, across);
              }
            }
          });
          /** Four values of three: a, (a + b + c) / 2, (a - b + c) / 2, c. */
          const spread = (
            a: Local<'f32'>,
            b: Local<'f32'>,
            d: Local<'f32'>,
            out: (i: number) => Local<'f32'>,
          ): void => {
            const sum = f.let(f32.mul(f32.add(a, d), 0.5));
            const half = f.let(f32.mul(b, 0.5));
            f.set(out(0), a);
            f.set(out(1), f32.add(sum, half));
            f.set(out(2), f32.sub(sum, half));
            f.set(out(3), d);
          };
          for (let j = 0; j < 3; j++) spread(g[j], g[3 + j], g[6 + j], (i) => h[3 * i + j]);
          f.set(at, to);
          const u = Array.from({ length: 4 }, () => f.local('f32'));
          for (let i = 0; i < 4; i++) {
            spread(h[3 * i], h[3 * i + 1], h[3 * i + 2], (k) => u[k]);
            for (let k = 0; k < 4; k++) {
              f.do(f32.store(at, u[k]));
              f.inc(at, place);
            }
          }
          f.inc(from, channel);
          f.inc(to, TILE_ROWS * 4);
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** The kernel; words as in `WINOGRAD`. */
export function winogradTile(relaxed?: boolean): Uint8Array {
  const m = new WasmModule({ relaxed });
  const t = floatOps('f32', m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, WINOGRAD);
    const [channels, M, vectors, panels, vectorsDown, vectorsAcross] = (
      ['channels', 'M', 'vectors', 'panels', 'vectorsDown', 'vectorsAcross'] as const
    ).map((n) => word(n));
    const [outRow, outLine, outHeight, outWidth] = (['outRow', 'outLine', 'outHeight', 'outWidth'] as const).map((n) =>
      word(n),
    );
    const padded = f.let(i32.mul(i32.div_u(i32.add(M, TILE_ROWS - 1), TILE_ROWS), TILE_ROWS));
    // [place, panel, channel, 8 tiles], then [panel, row, place, 8 tiles].
    const scratch = f.let(i32.add(word('scratch'), i32.mul(threadSlot(f, args), word('scratchBytes'))));
    const panelBytes = f.let(i32.shl(channels, 5));
    const placeBytes = f.let(i32.mul(panelBytes, panels));
    const sums = f.let(i32.add(scratch, i32.mul(placeBytes, PLACES)));
    const stripBytes = f.let(i32.mul(channels, TILE_ROWS * 4));
    const aPlace = f.let(i32.mul(stripBytes, i32.div_u(padded, TILE_ROWS)));
    const acc = Array.from({ length: TILE_ROWS * 2 }, () => f.local('v128'));
    const shape = vectorShape(f, word('square'));
    const packed = { aRow: i32.const(4), aK: f.let(i32.const(TILE_ROWS * 4)), bK: f.let(i32.const(32)) };
    const [item, panel, k, row, a, at] = Array.from({ length: 6 }, () => f.local('i32'));
    const [mBlocks, mStep] = [word('mBlocks'), word('mStep')];

    f.for(item, word('begin'), word('end'), 1, () => {
      const block = f.let(i32.div_u(item, mBlocks));
      const m0 = f.let(i32.mul(i32.sub(item, i32.mul(block, mBlocks)), mStep));
      const m1 = f.let(minimum(i32.add(m0, mStep), M));
      const v0 = f.let(i32.mul(i32.mul(block, panels), 2));
      const count = f.let(minimum(i32.sub(vectors, v0), f.let(i32.mul(panels, 2))));
      const v = f.local('i32');
      const place = () => placeOf(f, f.let(i32.add(v0, v)), vectorsDown, vectorsAcross, shape);

      f.for(v, 0, count, 1, () => {
        const { image, x, y } = place();
        const from = f.let(
          i32.add(i32.load(args, WINOGRAD.x * 4), i32.mul(image, i32.load(args, WINOGRAD.xImage * 4))),
        );
        const line = f.let(i32.load(args, WINOGRAD.xLine * 4));
        f.inc(from, i32.add(i32.mul(y, line), i32.shl(x, 2)));
        const to = f.let(i32.add(scratch, i32.add(i32.mul(i32.shr_u(v, 1), panelBytes), i32.shl(i32.and(v, 1), 4))));
        const channel = i32.load(args, WINOGRAD.xChannel * 4);
        patches(f, { from, line, second: shape.second(line), to, channels, channel, placeBytes, step: 32 });
      });
      // Half a panel that has no tiles is multiplied all the same; nobody looks at it.
      const used = f.let(i32.shr_u(i32.add(count, 1), 1));
      f.for(k, 0, PLACES, 1, () => {
        f.set(a, i32.add(i32.load(args, WINOGRAD.a * 4), i32.mul(k, aPlace)));
        f.inc(a, i32.mul(i32.div_u(m0, TILE_ROWS), stripBytes));
        f.for(row, m0, m1, TILE_ROWS, () => {
          f.for(panel, 0, used, 1, () => {
            const b = f.let(i32.add(scratch, i32.add(i32.mul(k, placeBytes), i32.mul(panel, panelBytes))));
            accumulate(f, t, acc, i32.const(TILE_ROWS), a, b, packed, channels);
            f.set(at, i32.add(i32.mul(panel, padded), row));
            f.set(at, i32.add(sums, i32.shl(i32.add(i32.shl(at, 4), k), 5)));
            for (let r = 0; r < TILE_ROWS; r++) {
              f.do(v128.store(at, acc[2 * r], r * PLACES * 32));
              f.do(v128.store(at, acc[2 * r + 1], r * PLACES * 32 + 16));
            }
          });
          f.inc(a, stripBytes);
        });
      });

      f.for(v, 0, count, 1, () => {
        const { image, x, y } = place();
        const out = f.let(
          i32.add(i32.load(args, WINOGRAD.out * 4), i32.mul(image, i32.load(args, WINOGRAD.outImage * 4))),
        );
        f.inc(out, i32.add(i32.mul(m0, outRow), i32.add(i32.mul(y, outLine), i32.shl(x, 2))));
        f.set(at, i32.add(i32.mul(i32.shr_u(v, 1), padded), m0));
        f.set(at, i32.add(i32.add(sums, i32.shl(at, 9)), i32.shl(i32.and(v, 1), 4)));
        const bias = f.let(i32.load(args, WINOGRAD.bias * 4));
        f.if(bias, () => f.inc(bias, i32.shl(m0, 2)));
        const second = f.let(shape.second(outLine));
        const lines = f.let(i32.sub(outHeight, y));
        const columns = f.let(i32.sub(outWidth, x));
        f.for(row, m0, m1, 1, () => {
          outputs(f, { at, bias, out, outLine, second, square: shape.square, lines, columns });
          f.inc(at, PLACES * 32);
          f.inc(out, outRow);
          f.if(bias, () => f.inc(bias, 4));
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** The four tiles of a vector: side by side, or two by two. */
export interface VectorShape {
  readonly square: Local<'i32'>;
  /** Elements of the output across and down, as shifts. */
  readonly across: Local<'i32'>;
  readonly down: Local<'i32'>;
  /** Bytes from the first two tiles to the others, given those from line to line. */
  second(line: Local<'i32'>): I32;
}

/** @param square 1: two by two */
export function vectorShape(f: Func, square: Local<'i32'>): VectorShape {
  return {
    square,
    across: f.let(i32.sub(i32.const(3), square)),
    down: f.let(i32.add(square, 1)),
    second: (line) => select(square, i32.shl(line, 1), i32.const(16)),
  };
}

/** Where a vector's outputs begin: image, column and line. */
export function placeOf(
  f: Func,
  vector: Local<'i32'>,
  vectorsDown: Local<'i32'>,
  vectorsAcross: Local<'i32'>,
  shape: VectorShape,
): { image: Local<'i32'>; x: Local<'i32'>; y: Local<'i32'> } {
  const line = f.let(i32.div_u(vector, vectorsAcross));
  const x = f.let(i32.shl(i32.sub(vector, i32.mul(line, vectorsAcross)), shape.across));
  const image = f.let(i32.div_u(line, vectorsDown));
  const y = f.let(i32.shl(i32.sub(line, i32.mul(image, vectorsDown)), shape.down));
  return { image, x, y };
}

export interface Patches {
  readonly from: I32;
  readonly line: Local<'i32'>;
  /** Bytes from the first two tiles to the others. */
  readonly second: I32;
  readonly to: I32;
  readonly channels: I32;
  readonly channel: I32;
  readonly placeBytes: I32 | number;
  /** Bytes from a channel's to the next one's, where they go. */
  readonly step: number;
}

/** Transforms the patches of four tiles for every channel: differences and sums across, then down. */
export function patches(f: Func, p: Patches): void {
  const [c, from, to, at] = [f.local('i32'), f.let(p.from), f.let(p.to), f.local('i32')];
  const [step, channels, second] = [f.let(p.channel), f.let(p.channels), f.let(p.second)];
  const h = Array.from({ length: 16 }, () => f.local('v128'));
  const d = Array.from({ length: 4 }, () => f.local('v128'));
  const four = (x: readonly V128[]): V128[] => [
    f32x4.sub(x[0], x[2]),
    f32x4.add(x[1], x[2]),
    f32x4.sub(x[2], x[1]),
    f32x4.sub(x[1], x[3]),
  ];
  f.for(c, 0, channels, 1, () => {
    f.set(at, from);
    for (let i = 0; i < 4; i++) {
      for (const [j, offset] of [
        [0, 0],
        [2, 8],
      ]) {
        const [low, high] = [f.let(v128.load(at, offset)), f.let(v128.load(i32.add(at, second), offset))];
        f.set(d[j], i32x4.shuffle(low, high, 0, 2, 4, 6));
        f.set(d[j + 1], i32x4.shuffle(low, high, 1, 3, 5, 7));
      }
      four(d).forEach((value, j) => {
        f.set(h[4 * i + j], value);
      });
      f.inc(at, p.line);
    }
    f.set(at, to);
    // Place 4 * i + j: i down, j across.
    const down = [0, 1, 2, 3].map((j) => four([h[j], h[4 + j], h[8 + j], h[12 + j]]));
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 4; j++) {
        f.do(v128.store(at, down[j][i]));
        f.inc(at, p.placeBytes);
      }
    }
    f.inc(from, step);
    f.inc(to, p.step);
  });
}

interface Outputs {
  /** 16 places of four tiles, 32 bytes apart. */
  readonly at: Local<'i32'>;
  readonly bias: Local<'i32'>;
  readonly out: Local<'i32'>;
  readonly outLine: Local<'i32'>;
  /** Bytes from the outputs of the first two tiles to those of the others. */
  readonly second: Local<'i32'>;
  readonly square: Local<'i32'>;
  /** Lines and columns that are there. */
  readonly lines: Local<'i32'>;
  readonly columns: Local<'i32'>;
}

/** The outputs of four tiles from their sums: two lines of eight, or four of four. */
function outputs(f: Func, o: Outputs): void {
  const two = (x: readonly V128[]): V128[] => [
    f32x4.add(f32x4.add(x[0], x[1]), x[2]),
    f32x4.sub(f32x4.sub(x[1], x[2]), x[3]),
  ];
  const h = Array.from({ length: 8 }, () => f.local('v128'));
  for (let j = 0; j < 4; j++) {
    const column = [0, 1, 2, 3].map((i) => f.let(v128.load(o.at, (4 * i + j) * 32)));
    two(column).forEach((value, i) => {
      f.set(h[4 * i + j], value);
    });
  }
  const bias = f.local('v128');
  f.if(
    o.bias,
    () => f.set(bias, v128.load32_splat(o.bias)),
    () => f.set(bias, f32x4.const(0)),
  );
  const line = f.let(o.out);
  for (let i = 0; i < 2; i++) {
    f.if(i32.gt_s(o.lines, i), () => {
      const [even, odd] = two(h.slice(4 * i, 4 * i + 4)).map((value) => f.let(f32x4.add(value, bias)));
      const low = f.let(i32x4.shuffle(even, odd, 0, 4, 1, 5));
      const high = f.let(i32x4.shuffle(even, odd, 2, 6, 3, 7));
      fourOutputs(f, line, low, o.columns);
      const below = select(i32.gt_s(o.lines, i + 2), o.columns, i32.const(0));
      const columns = f.let(select(o.square, below, i32.sub(o.columns, 4)));
      fourOutputs(f, f.let(i32.add(line, o.second)), high, columns);
    });
    f.inc(line, o.outLine);
  }
}

/** Stores as many of four outputs as there are columns. */
function fourOutputs(f: Func, to: Local<'i32'>, value: Local<'v128'>, columns: Local<'i32'>): void {
  f.if(
    i32.ge_s(columns, 4),
    () => f.do(v128.store(to, value)),
    () => {
      for (let j = 0; j < 3; j++) {
        f.if(i32.gt_s(columns, j), () => f.do(v128.store32_lane(to, value, j, 4 * j)));
      }
    },
  );
}
