/**
 * The gradient of a 3x3 convolution's weight by the transpose of Winograd's F(2x2, 3x3): 16 products for every 2x2 tile of
 * the output's gradient and 4x4 patch of the input where the definition takes 36. Both are transformed for a block of tiles
 * at a time; then each of the 16 places is a matrix product over the tiles, [M, tiles] @ [tiles, channels], that is added to
 * the part's sums. What the sums of all parts make of the weight is a kernel of its own.
 */
import { transposed } from './conv-weight-grad.ts';
import { PLACES, patches, placeOf, vectorShape } from './conv-winograd.ts';
import { WINOGRAD_GRAD, WINOGRAD_GRAD_SUM, wordReader } from './conv-words.ts';
import { type Func, f32, f32x4, type I32, i32, i32x4, type Local, type V128, v128, WasmModule } from './emitter.ts';
import { floatOps } from './float-ops.ts';
import { accumulate, TILE_ROWS } from './matmul-tile.ts';
import { minimum } from './matmul-words.ts';
import { threadSlot } from './thread-slot.ts';

/** Rows, and channels, of a block. */
export const GRAD_BLOCK = 64;
/** Vectors of tiles that are transformed at a time: both sides of one place stay in the first cache. */
export const GRAD_VECTORS = 8;
const TILES = 4 * GRAD_VECTORS;
const ROW = TILES * 4;
const PANEL = TILES * 32;
/** Bytes of a place's rows, and of its channels. Not a power of two, or all places would share the same sets of a cache. */
const A_PLACE = GRAD_BLOCK * ROW + 64;
const B_PLACE = (GRAD_BLOCK / 8) * PANEL + 64;
/** Four channels' patches before they are turned. */
const TURN = PLACES * 64;
export const GRAD_SCRATCH = PLACES * (A_PLACE + B_PLACE) + TURN;

/** The kernel; words as in `WINOGRAD_GRAD`. */
export function winogradGrad(relaxed?: boolean): Uint8Array {
  const m = new WasmModule({ relaxed });
  const t = floatOps('f32', m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, WINOGRAD_GRAD);
    const load = (name: keyof typeof WINOGRAD_GRAD): I32 => i32.load(args, WINOGRAD_GRAD[name] * 4);
    const [mBlocks, cBlocks, vectorsDown, vectorsAcross] = (
      ['mBlocks', 'cBlocks', 'vectorsDown', 'vectorsAcross'] as const
    ).map((n) => word(n));
    const outRow = word('outRow');
    const shape = vectorShape(f, word('square'));
    const rowsAt = f.let(i32.add(word('scratch'), i32.mul(threadSlot(f, args), word('scratchBytes'))));
    const panelsAt = f.let(i32.add(rowsAt, PLACES * A_PLACE));
    const turn = f.let(i32.add(panelsAt, PLACES * B_PLACE));
    const acc = Array.from({ length: TILE_ROWS * 2 }, () => f.local('v128'));
    const strides = { aRow: i32.const(ROW), aK: f.let(i32.const(4)), bK: f.let(i32.const(32)) };
    const [item, v0, v, c, k, row, a, b, at] = Array.from({ length: 9 }, () => f.local('i32'));

    f.for(item, word('begin'), word('end'), 1, () => {
      const above = f.let(i32.div_u(item, cBlocks));
      const c0 = f.let(i32.mul(i32.sub(item, i32.mul(above, cBlocks)), GRAD_BLOCK));
      const part = f.let(i32.div_u(above, mBlocks));
      const m0 = f.let(i32.mul(i32.sub(above, i32.mul(part, mBlocks)), GRAD_BLOCK));
      const block = f.let(i32.const(GRAD_BLOCK));
      const rows = f.let(minimum(i32.sub(load('M'), m0), block));
      const channels = f.let(minimum(i32.sub(load('channels'), c0), block));
      const first = f.let(i32.mul(part, load('perPart')));
      const last = f.let(minimum(i32.add(first, load('perPart')), f.let(load('vectors'))));
      const out = f.let(i32.add(load('out'), i32.mul(part, load('outPart'))));
      f.inc(out, i32.add(i32.mul(m0, outRow), i32.shl(c0, 2)));
      f.for(v0, first, last, GRAD_VECTORS, () => {
        const count = f.let(minimum(i32.sub(last, v0), f.let(i32.const(GRAD_VECTORS))));
        f.for(v, 0, count, 1, () => {
          const { image, x, y } = placeOf(f, f.let(i32.add(v0, v)), vectorsDown, vectorsAcross, shape);
          const gradLine = f.let(load('gradLine'));
          const grad = f.let(i32.add(i32.add(load('grad'), i32.shl(x, 2)), i32.mul(image, load('gradImage'))));
          f.inc(grad, i32.add(i32.mul(y, gradLine), i32.mul(m0, load('gradChannel'))));
          const to = f.let(i32.add(rowsAt, i32.shl(v, 4)));
          const channel = load('gradChannel');
          tiles(f, { from: grad, line: gradLine, second: shape.second(gradLine), to, rows, channel });

          const patch = f.let(i32.add(i32.add(load('x'), i32.shl(x, 2)), i32.mul(image, load('xImage'))));
          f.inc(patch, i32.add(i32.mul(y, load('xLine')), i32.mul(c0, load('xChannel'))));
          const xLine = f.let(load('xLine'));
          f.for(c, 0, channels, 4, () => {
            const four = minimum(i32.sub(channels, c), f.let(i32.const(4)));
            patches(f, {
              from: patch,
              line: xLine,
              second: shape.second(xLine),
              to: turn,
              channels: four,
              channel: load('xChannel'),
              placeBytes: 64,
              step: 16,
            });
            f.inc(patch, i32.shl(load('xChannel'), 2));
            f.set(b, i32.add(panelsAt, i32.add(i32.mul(i32.shr_u(c, 3), PANEL), i32.shl(i32.and(c, 4), 2))));
            f.inc(b, i32.shl(v, 7));
            f.set(at, turn);
            // Channels beyond the last leave whatever was there in columns of their own, which nobody looks at.
            f.for(k, 0, PLACES, 1, () => {
              const four = [0, 1, 2, 3].map((i) => f.let(v128.load(at, 16 * i)));
              transposed(f, t, four).forEach((value, i) => {
                f.do(v128.store(b, value, 32 * i));
              });
              f.inc(at, 64);
              f.inc(b, B_PLACE);
            });
          });
        });

        const length = f.let(i32.shl(count, 2));
        const more = f.let(i32.gt_u(v0, first));
        f.for(k, 0, PLACES, 1, () => {
          f.set(b, i32.add(panelsAt, i32.mul(k, B_PLACE)));
          f.for(c, 0, channels, 8, () => {
            f.set(a, i32.add(rowsAt, i32.mul(k, A_PLACE)));
            f.set(at, i32.add(out, i32.add(i32.mul(k, load('outPlace')), i32.shl(c, 2))));
            f.for(row, 0, rows, TILE_ROWS, () => {
              accumulate(f, t, acc, i32.const(TILE_ROWS), a, b, strides, length);
              f.inc(a, TILE_ROWS * ROW);
              for (let r = 0; r < TILE_ROWS; r++) {
                const sums = [acc[2 * r], acc[2 * r + 1]];
                f.if(more, () => {
                  sums.forEach((sum, i) => {
                    f.set(sum, f32x4.add(sum, v128.load(at, 16 * i)));
                  });
                });
                sums.forEach((sum, i) => {
                  f.do(v128.store(at, sum, 16 * i));
                });
                f.inc(at, outRow);
              }
            });
            f.inc(b, PANEL);
          });
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}

interface Tiles {
  readonly from: I32;
  readonly line: Local<'i32'>;
  /** Bytes from the first two tiles to the others. */
  readonly second: I32;
  readonly to: I32;
  readonly rows: Local<'i32'>;
  readonly channel: I32;
}

/** Transforms four 2x2 tiles of every row: sums and differences across, then down. */
function tiles(f: Func, p: Tiles): void {
  const [row, from, to, at] = [f.local('i32'), f.let(p.from), f.let(p.to), f.local('i32')];
  const [second, channel] = [f.let(p.second), f.let(p.channel)];
  const h = Array.from({ length: 8 }, () => f.local('v128'));
  const four = (a: V128, b: V128): V128[] => [a, f32x4.add(a, b), f32x4.sub(a, b), f32x4.neg(b)];
  f.for(row, 0, p.rows, 1, () => {
    f.set(at, from);
    for (let i = 0; i < 2; i++) {
      const [low, high] = [f.let(v128.load(at)), f.let(v128.load(i32.add(at, second)))];
      const even = f.let(i32x4.shuffle(low, high, 0, 2, 4, 6));
      const odd = f.let(i32x4.shuffle(low, high, 1, 3, 5, 7));
      four(even, odd).forEach((value, j) => {
        f.set(h[4 * i + j], value);
      });
      f.inc(at, p.line);
    }
    f.set(at, to);
    // Place 4 * i + j: i down, j across.
    const down = [0, 1, 2, 3].map((j) => four(h[j], h[4 + j]));
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 4; j++) f.do(v128.store(at, down[j][i], (4 * i + j) * A_PLACE));
    }
    f.inc(from, channel);
    f.inc(to, ROW);
  });
}

/** The weight's gradient from the sums of all parts; words as in `WINOGRAD_GRAD_SUM`. */
export function winogradGradSum(): Uint8Array {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const word = wordReader(f, args, WINOGRAD_GRAD_SUM);
    const [parts, part, place, channels] = (['parts', 'part', 'place', 'channels'] as const).map((n) => word(n));
    const [row, c, s, from, at, to] = Array.from({ length: 6 }, () => f.local('i32'));
    const sums = Array.from({ length: PLACES }, () => f.local('v128'));
    const h = Array.from({ length: 12 }, () => f.local('v128'));
    const half = f32x4.splat(f32.const(0.5));
    /** Three values of four: a + (b + c) / 2, (b - c) / 2, (b + c) / 2 + d. */
    const three = (a: V128, b: V128, d: V128, e: V128): V128[] => {
      const sum = f.let(f32x4.mul(f32x4.add(b, d), half));
      return [f32x4.add(a, sum), f32x4.mul(f32x4.sub(b, d), half), f32x4.add(sum, e)];
    };
    f.for(row, word('begin'), word('end'), 1, () => {
      f.set(to, i32.add(i32.load(args, WINOGRAD_GRAD_SUM.to * 4), i32.mul(i32.mul(row, channels), 36)));
      f.set(from, i32.load(args, WINOGRAD_GRAD_SUM.from * 4));
      f.inc(from, i32.mul(row, i32.load(args, WINOGRAD_GRAD_SUM.row * 4)));
      f.for(c, 0, channels, 4, () => {
        for (let i = 0; i < PLACES; i++) {
          f.set(at, i32.add(from, i32.mul(place, i)));
          f.set(sums[i], v128.load(at));
          f.for(s, 1, parts, 1, () => {
            f.inc(at, part);
            f.set(sums[i], f32x4.add(sums[i], v128.load(at)));
          });
        }
        for (let j = 0; j < 4; j++) {
          three(sums[j], sums[4 + j], sums[8 + j], sums[12 + j]).forEach((value, i) => {
            f.set(h[4 * i + j], value);
          });
        }
        const taps = [0, 1, 2].flatMap((i) =>
          three(h[4 * i], h[4 * i + 1], h[4 * i + 2], h[4 * i + 3]).map((value) => f.let(value)),
        );
        for (let lane = 0; lane < 4; lane++) {
          f.if(i32.gt_u(i32.sub(channels, c), lane), () => {
            taps.forEach((value, i) => {
              f.do(v128.store32_lane(to, value, lane, 4 * i));
            });
            f.inc(to, 36);
          });
        }
        f.inc(from, 16);
      });
    });
    return undefined;
  });
  return m.toBytes();
}
