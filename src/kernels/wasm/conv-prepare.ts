/**
 * What is done before a convolution: the input is padded (and widened to the compute type), the weights are packed into
 * strips of rows, and the offsets of all k are written down.
 */
import type { DType } from '../../core/dtype.ts';
import { K_TABLE, PACK_WEIGHT, PAD, wordReader } from './conv-words.ts';
import { f32, i32, memory, v128, WasmModule } from './emitter.ts';
import { floatOps } from './float-ops.ts';
import { source } from './float-source.ts';
import { TILE_ROWS } from './matmul-tile.ts';
import { minimum } from './matmul-words.ts';

/** Copies rows of a strided source between zeros. */
export function convPad(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  const t = floatOps(s.type, m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, PAD);
    const channels = word('channels');
    const [depth, height, width] = [0, 1, 2].map((i) => word('size', i));
    const [sourceDepth, sourceHeight, sourceWidth] = [0, 1, 2].map((i) => word('source', i));
    const [lowDepth, lowHeight, lowWidth] = [0, 1, 2].map((i) => word('low', i));
    const step = word('axis', 2);
    const rowBytes = f.let(i32.mul(width, t.bytes));
    const [row, x, to, from] = Array.from({ length: 4 }, () => f.local('i32'));
    const bytes = f.let(i32.mul(sourceWidth, t.bytes));
    const whole = f.let(i32.sub(sourceWidth, i32.rem_u(sourceWidth, t.lanes)));
    f.set(to, i32.add(word('to'), i32.mul(word('begin'), rowBytes)));
    f.for(row, word('begin'), word('end'), 1, () => {
      const plane = f.let(i32.div_u(row, height));
      const y = f.let(i32.sub(i32.sub(row, i32.mul(plane, height)), lowHeight));
      const volume = f.let(i32.div_u(plane, depth));
      const z = f.let(i32.sub(i32.sub(plane, i32.mul(volume, depth)), lowDepth));
      const next = f.let(i32.add(to, rowBytes));
      f.if(
        i32.and(i32.lt_u(y, sourceHeight), i32.lt_u(z, sourceDepth)),
        () => {
          const image = f.let(i32.div_u(volume, channels));
          const channel = f.let(i32.sub(volume, i32.mul(image, channels)));
          f.set(from, i32.add(i32.load(args, PAD.from * 4), i32.mul(image, i32.load(args, PAD.image * 4))));
          f.inc(from, i32.mul(channel, i32.load(args, PAD.channel * 4)));
          f.inc(from, i32.mul(z, i32.load(args, PAD.axis * 4)));
          f.inc(from, i32.mul(y, i32.load(args, PAD.axis * 4 + 4)));
          const left = f.let(i32.mul(lowWidth, t.bytes));
          f.do(memory.fill(to, 0, left));
          f.inc(to, left);
          f.do(memory.fill(i32.add(to, bytes), 0, i32.sub(i32.sub(next, to), bytes)));
          f.set(x, 0);
          f.if(i32.eq(step, s.bytes), () => {
            if (s.bytes === t.bytes) {
              f.if(i32.gt_u(bytes, 256), () => {
                f.do(memory.copy(to, from, bytes));
                f.set(x, sourceWidth);
              });
            }
            f.while(i32.lt_u(x, whole), () => {
              f.do(t.vstore(to, s.vload(f, from)));
              f.inc(to, 16);
              f.inc(from, t.lanes * s.bytes);
              f.inc(x, t.lanes);
            });
          });
          f.while(i32.lt_u(x, sourceWidth), () => {
            f.do(t.store(to, s.load(f, from)));
            f.inc(to, t.bytes);
            f.inc(from, step);
            f.inc(x, 1);
          });
        },
        () => f.do(memory.fill(to, 0, rowBytes)),
      );
      f.set(to, next);
    });
    return undefined;
  });
  return m.toBytes();
}

/** Weights of any strides into strips of `height` rows; rows beyond the last are zeros. */
export function convPackWeight(dtype: DType, height = TILE_ROWS): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  const t = floatOps(s.type, m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, PACK_WEIGHT);
    const [strips, rows, channels] = [word('strips'), word('M'), word('channels')];
    const taps = [0, 1, 2].map((i) => word('taps', i));
    const tapStep = [0, 1, 2].map((i) => word('tap', i));
    const rowStep = word('row');
    const channelStep = word('channel');
    const [strip, c, to, r, at, atChannel] = Array.from({ length: 6 }, () => f.local('i32'));
    const index = [0, 1, 2].map(() => f.local('i32'));
    const place = [0, 1, 2].map(() => f.local('i32'));
    const each = f.let(i32.mul(i32.mul(i32.mul(channels, taps[0]), i32.mul(taps[1], taps[2])), height * t.bytes));
    f.set(to, i32.add(word('to'), i32.mul(word('begin'), each)));
    f.for(strip, word('begin'), word('end'), 1, () => {
      const group = f.let(i32.div_u(strip, strips));
      const first = f.let(i32.mul(i32.sub(strip, i32.mul(group, strips)), height));
      const valid = f.let(minimum(i32.sub(rows, first), f.let(i32.const(height))));
      f.set(
        atChannel,
        i32.add(i32.load(args, PACK_WEIGHT.from * 4), i32.mul(group, i32.load(args, PACK_WEIGHT.group * 4))),
      );
      f.inc(atChannel, i32.mul(first, rowStep));
      const loop = (axis: number, from: typeof at): void => {
        f.set(place[axis], from);
        f.for(index[axis], 0, taps[axis], 1, () => {
          if (axis < 2) loop(axis + 1, place[axis]);
          else {
            f.set(at, place[axis]);
            f.for(r, 0, height, 1, () => {
              f.if(
                i32.lt_u(r, valid),
                () => f.do(t.store(to, s.load(f, at))),
                () => f.do(t.store(to, t.zero())),
              );
              f.inc(at, rowStep);
              f.inc(to, t.bytes);
            });
          }
          f.inc(place[axis], tapStep[axis]);
        });
      };
      f.for(c, 0, channels, 1, () => {
        loop(0, atChannel);
        f.inc(atChannel, channelStep);
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** to[k] = channel * channelStep + the taps' offsets. The range counts channels. */
export function convTable(): Uint8Array {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const word = wordReader(f, args, K_TABLE);
    const taps = [0, 1, 2].map((i) => word('taps', i));
    const tapStep = [0, 1, 2].map((i) => word('tap', i));
    const channelStep = word('channel');
    const index = [0, 1, 2].map(() => f.local('i32'));
    const place = [0, 1, 2].map(() => f.local('i32'));
    const [c, to, offset] = Array.from({ length: 3 }, () => f.local('i32'));
    const each = f.let(i32.mul(i32.mul(taps[0], taps[1]), i32.shl(taps[2], 2)));
    f.set(to, i32.add(word('to'), i32.mul(word('begin'), each)));
    f.set(offset, i32.mul(word('begin'), channelStep));
    const loop = (axis: number, from: typeof offset): void => {
      f.set(place[axis], from);
      f.for(index[axis], 0, taps[axis], 1, () => {
        if (axis < 2) loop(axis + 1, place[axis]);
        else {
          f.do(i32.store(to, place[axis]));
          f.inc(to, 4);
        }
        f.inc(place[axis], tapStep[axis]);
      });
    };
    f.for(c, word('begin'), word('end'), 1, () => {
      loop(0, offset);
      f.inc(offset, channelStep);
    });
    return undefined;
  });
  return m.toBytes();
}

/** float32 sums rounded to a half type. Words: begin, end (elements), to, from. */
export function convRound(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const half = source(dtype, m);
  m.kernel((f, args) => {
    const [begin, end, out, sums] = f.words(args, 4);
    const i = f.let(begin);
    const to = f.let(i32.add(out, i32.shl(begin, 1)));
    const from = f.let(i32.add(sums, i32.shl(begin, 2)));
    const whole = f.let(i32.sub(end, i32.and(i32.sub(end, begin), 3)));
    f.while(i32.lt_u(i, whole), () => {
      f.do(half.vstore(f, to, v128.load(from)));
      f.inc(to, 8);
      f.inc(from, 16);
      f.inc(i, 4);
    });
    f.while(i32.lt_u(i, end), () => {
      f.do(half.store(f, to, f32.load(from)));
      f.inc(to, 2);
      f.inc(from, 4);
      f.inc(i, 1);
    });
    return undefined;
  });
  return m.toBytes();
}
