/** Convolution of integers, which wrap: one output after the other, straight from the input. */
import type { DType } from '../../core/dtype.ts';
import { wordReader } from './conv-words.ts';
import { type I32, i32, i64, type Local, type Statement, type Value, WasmModule } from './emitter.ts';

/** The range counts outputs: images, channels, positions. Strides in bytes, three axes each. */
export const CONV_INT = {
  begin: 0,
  end: 1,
  out: 2,
  x: 3,
  weight: 4,
  /** 0: none. */
  bias: 5,
  biasStep: 6,
  /** Output channels in all and of a group; input channels of a group. */
  outputs: 7,
  each: 8,
  channels: 9,
  xImage: 10,
  xChannel: 11,
  wOutput: 12,
  wChannel: 13,
  size: 14,
  positions: 17,
  taps: 20,
  stride: 23,
  padding: 26,
  dilation: 29,
  xStep: 32,
  wStep: 35,
  count: 38,
} as const;

export function convInteger(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const wide = dtype.itemsize === 8;
  const bytes = dtype.itemsize;
  const narrowLoad = bytes === 4 ? i32.load : bytes === 2 ? i32.load16_s : dtype.is_signed ? i32.load8_s : i32.load8_u;
  const narrowStore = bytes === 4 ? i32.store : bytes === 2 ? i32.store16 : i32.store8;
  const load = (address: I32): Value => (wide ? i64.load(address) : narrowLoad(address));
  const store = (address: I32, value: Value): Statement =>
    wide ? i64.store(address, value as Value<'i64'>) : narrowStore(address, value as I32);
  const madd = (a: Value, b: Value, c: Value): Value =>
    wide
      ? i64.add(c as Value<'i64'>, i64.mul(a as Value<'i64'>, b as Value<'i64'>))
      : i32.add(c as I32, i32.mul(a as I32, b as I32));
  m.kernel((f, args) => {
    const word = wordReader(f, args, CONV_INT);
    const three = (name: keyof typeof CONV_INT) => [0, 1, 2].map((i) => word(name, i));
    const [size, positions, taps] = [three('size'), three('positions'), three('taps')];
    const [stride, padding, dilation] = [three('stride'), three('padding'), three('dilation')];
    const [xStep, wStep] = [three('xStep'), three('wStep')];
    const [item, c, out] = Array.from({ length: 3 }, () => f.local('i32'));
    const tap = [0, 1, 2].map(() => f.local('i32'));
    const from = [0, 1, 2].map(() => f.local('i32'));
    const weights = [0, 1, 2].map(() => f.local('i32'));
    const at = [0, 1, 2].map(() => f.local('i32'));
    const [x, w] = [f.local('i32'), f.local('i32')];
    // TypeScript cannot tie the local's type to the operations'.
    const sum = f.local(wide ? 'i64' : 'i32') as Local<'i32'>;
    const zero = f.local(wide ? 'i64' : 'i32') as Local<'i32'>;
    f.set(out, i32.add(word('out'), i32.mul(word('begin'), bytes)));
    f.for(item, word('begin'), word('end'), 1, () => {
      const row = f.let(i32.div_u(item, positions[2]));
      const plane = f.let(i32.div_u(row, positions[1]));
      const channel = f.let(i32.div_u(plane, positions[0]));
      const first = [
        f.let(i32.sub(plane, i32.mul(channel, positions[0]))),
        f.let(i32.sub(row, i32.mul(plane, positions[1]))),
        f.let(i32.sub(item, i32.mul(row, positions[2]))),
      ];
      first.forEach((p, i) => {
        f.set(p, i32.sub(i32.mul(p, stride[i]), padding[i]));
      });
      const image = f.let(i32.div_u(channel, i32.load(args, CONV_INT.outputs * 4)));
      const o = f.let(i32.sub(channel, i32.mul(image, i32.load(args, CONV_INT.outputs * 4))));
      const group = f.let(i32.div_u(o, i32.load(args, CONV_INT.each * 4)));
      f.set(x, i32.add(i32.load(args, CONV_INT.x * 4), i32.mul(image, i32.load(args, CONV_INT.xImage * 4))));
      const channels = f.let(i32.load(args, CONV_INT.channels * 4));
      f.inc(x, i32.mul(i32.mul(group, channels), i32.load(args, CONV_INT.xChannel * 4)));
      f.set(w, i32.add(i32.load(args, CONV_INT.weight * 4), i32.mul(o, i32.load(args, CONV_INT.wOutput * 4))));
      f.set(sum, zero);
      const bias = f.let(i32.load(args, CONV_INT.bias * 4));
      f.if(bias, () => f.set(sum, load(i32.add(bias, i32.mul(o, i32.load(args, CONV_INT.biasStep * 4)))) as I32));
      const loop = (axis: number, source: I32, weight: I32): void => {
        f.set(at[axis], first[axis]);
        f.set(from[axis], i32.add(source, i32.mul(first[axis], xStep[axis])));
        f.set(weights[axis], weight);
        f.for(tap[axis], 0, taps[axis], 1, () => {
          f.if(i32.lt_u(at[axis], size[axis]), () => {
            if (axis < 2) loop(axis + 1, from[axis], weights[axis]);
            else f.set(sum, madd(load(from[axis]), load(weights[axis]), sum) as I32);
          });
          f.inc(at[axis], dilation[axis]);
          f.inc(from[axis], i32.mul(dilation[axis], xStep[axis]));
          f.inc(weights[axis], wStep[axis]);
        });
      };
      f.for(c, 0, channels, 1, () => {
        loop(0, x, w);
        f.inc(x, i32.load(args, CONV_INT.xChannel * 4));
        f.inc(w, i32.load(args, CONV_INT.wChannel * 4));
      });
      f.do(store(out, sum));
      f.inc(out, bytes);
    });
    return undefined;
  });
  return m.toBytes();
}
