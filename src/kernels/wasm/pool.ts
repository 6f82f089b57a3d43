/** The pooling kernels: the maximum or the average of windows of an input, over one to three axes, and their gradients. */
import type { DType } from '../../core/dtype.ts';
import { wordReader } from './conv-words.ts';
import {
  type Func,
  f32,
  f32x4,
  f64,
  type I32,
  i32,
  i32x4,
  i64,
  i64x2,
  type Local,
  memory,
  type Statement,
  type Value,
  v128,
  WasmModule,
} from './emitter.ts';
import { floatOps } from './float-ops.ts';
import { source } from './float-source.ts';
import { POOL, type PoolAxes, type PoolKind, poolAxes, type Span, spanOf } from './pool-words.ts';

/** Elements of a dtype in the type that they are compared or added up in. */
interface Element {
  readonly type: 'i32' | 'i64' | 'f32' | 'f64';
  readonly bytes: number;
  load(f: Func, address: I32): Value;
  store(f: Func, address: I32, value: Value): Statement;
  /** Whether a takes the place of b as the maximum; NaN always does. */
  beats(a: Value, b: Value): I32;
  lowest(): Value;
  add(a: Value, b: Value): Value;
  divide(sum: Value, count: I32): Value;
}

function element(dtype: DType, m: WasmModule): Element {
  if (dtype.is_floating_point) {
    const s = source(dtype, m);
    const t = floatOps(s.type, m);
    const ops = s.type === 'f64' ? f64 : f32;
    const [gt, ne] = [ops.gt, ops.ne] as ((a: Value, b: Value) => I32)[];
    return {
      type: s.type,
      bytes: s.bytes,
      load: (f, address) => s.load(f, address),
      store: (f, address, value) => s.store(f, address, value),
      beats: (a, b) => i32.or(gt(a, b), ne(a, a)),
      lowest: () => (s.type === 'f64' ? f64.const(-Infinity) : f32.const(-Infinity)),
      add: t.add,
      divide: (sum, count) =>
        s.type === 'f64'
          ? f64.div(sum as Value<'f64'>, f64.convert_i32_s(count))
          : f32.div(sum as Value<'f32'>, f32.convert_i32_s(count)),
    };
  }
  if (dtype.itemsize === 8) {
    return {
      type: 'i64',
      bytes: 8,
      load: (_, address) => i64.load(address),
      store: (_, address, value) => i64.store(address, value as Value<'i64'>),
      beats: (a, b) => i64.gt_s(a as Value<'i64'>, b as Value<'i64'>),
      lowest: () => i64.const(-(2n ** 63n)),
      add: (a, b) => i64.add(a as Value<'i64'>, b as Value<'i64'>),
      divide: (sum, count) => i64.div_s(sum as Value<'i64'>, i64.extend_i32_s(count)),
    };
  }
  const bytes = dtype.itemsize;
  const load = bytes === 4 ? i32.load : bytes === 2 ? i32.load16_s : dtype.is_signed ? i32.load8_s : i32.load8_u;
  const store = bytes === 4 ? i32.store : bytes === 2 ? i32.store16 : i32.store8;
  return {
    type: 'i32',
    bytes,
    load: (_, address) => load(address),
    store: (_, address, value) => store(address, value as I32),
    beats: (a, b) => i32.gt_s(a as I32, b as I32),
    lowest: () => i32.const(-(2 ** 31)),
    add: (a, b) => i32.add(a as I32, b as I32),
    divide: (sum, count) => i32.div_s(sum as I32, count),
  };
}

/** Goes over the inputs of a window. `step`: bytes by axis. `body` gets the address and the position in the plane. */
function overWindow(
  f: Func,
  axes: PoolAxes,
  spans: readonly Span[],
  base: I32,
  step: readonly I32[],
  dilated: boolean,
  body: (address: Local<'i32'>, position: Local<'i32'>) => void,
): void {
  const { inSize, dilation } = axes;
  const one = i32.const(1);
  const by = dilation.map((d) => (dilated ? d : one));
  const at = [0, 1, 2].map(() => f.local('i32'));
  const index = [0, 1, 2].map(() => f.local('i32'));
  const position = f.local('i32');
  f.for(index[0], spans[0].first, spans[0].end, by[0], () => {
    f.set(at[0], i32.add(base, i32.mul(index[0], step[0])));
    f.for(index[1], spans[1].first, spans[1].end, by[1], () => {
      const row = i32.add(i32.mul(index[0], inSize[1]), index[1]);
      f.set(position, i32.add(i32.mul(row, inSize[2]), spans[2].first));
      f.set(at[1], i32.add(i32.add(at[0], i32.mul(index[1], step[1])), i32.mul(spans[2].first, step[2])));
      f.for(index[2], spans[2].first, spans[2].end, by[2], () => {
        body(at[1], position);
        f.inc(at[1], dilated ? i32.mul(by[2], step[2]) : step[2]);
        f.inc(position, by[2]);
      });
    });
  });
}

/** What an average is divided by. */
function divisorOf(f: Func, args: Local<'i32'>, spans: readonly Span[]): Local<'i32'> {
  const divisor = f.let(i32.load(args, POOL.divisor * 4));
  f.if(i32.eqz(divisor), () => {
    const count = (of: (span: Span) => I32): I32 => i32.mul(i32.mul(of(spans[0]), of(spans[1])), of(spans[2]));
    f.if(
      i32.load(args, POOL.countPadding * 4),
      () =>
        f.set(
          divisor,
          count((span) => span.whole),
        ),
      () =>
        f.set(
          divisor,
          count((span) => i32.sub(span.end, span.first)),
        ),
    );
  });
  return divisor;
}

/** The forward kernel; words as in `POOL`. `adaptive`: windows follow from the sizes alone. */
export function poolKernel(dtype: DType, kind: PoolKind, adaptive: boolean): Uint8Array {
  const m = new WasmModule();
  const t = element(dtype, m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, POOL);
    const axes = poolAxes(f, args);
    const step = [0, 1, 2].map((i) => word('axis', i));
    const [depth, height, width] = axes.outSize;
    const vectors = kind === 'max' && !adaptive && dtype.name === 'float32';
    const possible = f.let(i32.and(i32.eq(step[2], 4), i32.le_u(axes.stride[2], 2)));
    const [row, x, out, places] = Array.from({ length: 4 }, () => f.local('i32'));
    // TypeScript cannot tie the local's type to the operations'; both come from `t`.
    const value = f.local(t.type) as Local<'i32'>;
    const best = f.local(t.type) as Local<'i32'>;
    const place = f.local('i32');
    const first = f.let(i32.mul(word('begin'), width));
    f.set(out, i32.add(word('out'), i32.mul(first, t.bytes)));
    f.set(places, word('indices'));
    f.if(places, () => f.inc(places, i32.shl(first, 3)));
    f.for(row, word('begin'), word('end'), 1, () => {
      const above = f.let(i32.div_u(row, height));
      const y = f.let(i32.sub(row, i32.mul(above, height)));
      const plane = f.let(i32.div_u(above, depth));
      const z = f.let(i32.sub(above, i32.mul(plane, depth)));
      const image = f.let(i32.div_u(plane, i32.load(args, POOL.channels * 4)));
      const channel = f.let(i32.sub(plane, i32.mul(image, i32.load(args, POOL.channels * 4))));
      const base = f.let(i32.add(i32.load(args, POOL.x * 4), i32.mul(image, i32.load(args, POOL.image * 4))));
      f.inc(base, i32.mul(channel, i32.load(args, POOL.channel * 4)));
      const spans = [spanOf(f, axes, 0, z, kind, adaptive), spanOf(f, axes, 1, y, kind, adaptive)];
      f.set(x, 0);
      f.block((rowDone) => {
        f.loop((nextWindow) => {
          if (vectors) {
            // Four windows at a time, while they are all inside of the row.
            f.loop((again) => {
              const start = f.let(i32.sub(i32.mul(x, axes.stride[2]), axes.padding[2]));
              const last = f.let(i32.add(start, i32.mul(i32.sub(axes.window[2], 1), axes.dilation[2])));
              f.inc(last, i32.mul(axes.stride[2], 3));
              const inside = i32.and(i32.ge_s(start, 0), i32.lt_s(last, axes.inSize[2]));
              f.if(i32.and(i32.and(inside, possible), i32.le_u(i32.add(x, 4), width)), () => {
                fourMaxima(f, axes, spans, base, step, start, out, places);
                f.inc(out, 16);
                f.if(places, () => f.inc(places, 32));
                f.inc(x, 4);
                f.br(again);
              });
            });
          }
          f.if(i32.ge_u(x, width), () => f.br(rowDone));
          const all = [...spans, spanOf(f, axes, 2, x, kind, adaptive)];
          if (kind === 'max') {
            f.set(best, t.lowest() as I32);
            const rowAt = i32.add(i32.mul(all[0].first, axes.inSize[1]), all[1].first);
            f.set(place, i32.add(i32.mul(rowAt, axes.inSize[2]), all[2].first));
            overWindow(f, axes, all, base, step, !adaptive, (address, position) => {
              f.set(value, t.load(f, address) as I32);
              f.if(t.beats(value, best), () => {
                f.set(best, value);
                f.set(place, position);
              });
            });
            f.if(places, () => {
              f.do(i64.store(places, i64.extend_i32_u(place)));
              f.inc(places, 8);
            });
          } else {
            f.set(best, zero(t) as I32);
            overWindow(f, axes, all, base, step, false, (address) => {
              f.set(best, t.add(best, t.load(f, address)) as I32);
            });
            f.set(best, t.divide(best, divisorOf(f, args, all)) as I32);
          }
          f.do(t.store(f, out, best));
          f.inc(out, t.bytes);
          f.inc(x, 1);
          f.br(nextWindow);
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** The maxima of four windows side by side, each of which lies within the row, and where they are. */
function fourMaxima(
  f: Func,
  axes: PoolAxes,
  spans: readonly Span[],
  base: I32,
  step: readonly I32[],
  start: Local<'i32'>,
  out: I32,
  places: I32,
): void {
  const { inSize, dilation, window, stride } = axes;
  const best = f.let(f32x4.splat(f32.const(-Infinity)));
  const lanes = f.let(i32x4.mul(i32x4.const(0, 1, 2, 3), i32x4.splat(stride[2])));
  const first = i32.add(i32.mul(spans[0].first, inSize[1]), spans[1].first);
  const place = f.let(i32x4.add(lanes, i32x4.splat(i32.add(i32.mul(first, inSize[2]), start))));
  const here = f.local('v128');
  const value = f.local('v128');
  const mask = f.local('v128');
  const [z, y, j, at] = Array.from({ length: 4 }, () => f.local('i32'));
  f.for(z, spans[0].first, spans[0].end, dilation[0], () => {
    f.for(y, spans[1].first, spans[1].end, dilation[1], () => {
      const row = i32.add(i32.mul(z, inSize[1]), y);
      f.set(here, i32x4.add(lanes, i32x4.splat(i32.add(i32.mul(row, inSize[2]), start))));
      f.set(at, i32.add(i32.add(base, i32.mul(z, step[0])), i32.add(i32.mul(y, step[1]), i32.shl(start, 2))));
      f.for(j, 0, window[2], 1, () => {
        f.set(value, v128.load(at));
        // Every other one of seven: nothing is read beyond the last window.
        f.if(i32.eq(stride[2], 2), () => f.set(value, i32x4.shuffle(value, v128.load(at, 12), 0, 2, 5, 7)));
        f.set(mask, v128.or(f32x4.gt(value, best), f32x4.ne(value, value)));
        f.set(best, f.pick(value, best, mask));
        f.set(place, f.pick(here, place, mask));
        f.set(here, i32x4.add(here, i32x4.splat(dilation[2])));
        f.inc(at, i32.shl(dilation[2], 2));
      });
    });
  });
  f.do(v128.store(out, best));
  f.if(places, () => {
    f.do(v128.store(places, i64x2.extend_low_i32x4_u(place)));
    f.do(v128.store(places, i64x2.extend_high_i32x4_u(place), 16));
  });
}

function zero(t: Element): Value {
  return { i32: i32.const(0), i64: i64.const(0), f32: f32.const(0), f64: f64.const(0) }[t.type];
}

/**
 * The gradient of averages; words as in `POOL`. `x` is contiguous and of the type that is computed in; half gradients
 * are widened.
 */
export function averagePoolGrad(dtype: DType, adaptive: boolean): Uint8Array {
  const m = new WasmModule();
  const t = element(dtype, m);
  const sum = floatOps(dtype.itemsize === 8 ? 'f64' : 'f32', m);
  m.kernel((f, args) => {
    const axes = poolAxes(f, args);
    const step = [i32.const(0), i32.const(0), i32.const(sum.bytes)] as I32[];
    step[1] = f.let(i32.mul(axes.inSize[2], sum.bytes));
    step[0] = f.let(i32.mul(axes.inSize[1], step[1]));
    const [depth, height, width] = axes.outSize;
    const [x, y, z] = Array.from({ length: 3 }, () => f.local('i32'));
    const part = f.local(t.type) as Local<'i32'>;
    overPlanes(f, args, axes, t.bytes, sum.bytes, (base, grad) => {
      f.for(z, 0, depth, 1, () => {
        const deep = spanOf(f, axes, 0, z, 'average', adaptive);
        f.for(y, 0, height, 1, () => {
          const high = spanOf(f, axes, 1, y, 'average', adaptive);
          f.for(x, 0, width, 1, () => {
            const all = [deep, high, spanOf(f, axes, 2, x, 'average', adaptive)];
            f.set(part, t.divide(t.load(f, grad), divisorOf(f, args, all)) as I32);
            overWindow(f, axes, all, base, step, false, (address) => {
              f.do(sum.store(address, sum.add(sum.load(address), part)));
            });
            f.inc(grad, t.bytes);
          });
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** The gradient of maxima: every gradient goes where the maximum was. As `averagePoolGrad`. */
export function maxPoolGrad(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const t = element(dtype, m);
  const sum = floatOps(dtype.itemsize === 8 ? 'f64' : 'f32', m);
  m.kernel((f, args) => {
    const axes = poolAxes(f, args);
    const [i, at, places] = Array.from({ length: 3 }, () => f.local('i32'));
    const outputs = f.let(i32.mul(i32.mul(axes.outSize[0], axes.outSize[1]), axes.outSize[2]));
    const first = f.let(i32.mul(i32.load(args, POOL.begin * 4), outputs));
    f.set(places, i32.add(i32.load(args, POOL.indices * 4), i32.shl(first, 3)));
    overPlanes(f, args, axes, t.bytes, sum.bytes, (base, grad) => {
      f.for(i, 0, outputs, 1, () => {
        f.set(at, i32.add(base, i32.mul(i32.load(places), sum.bytes)));
        f.do(sum.store(at, sum.add(sum.load(at), t.load(f, grad))));
        f.inc(grad, t.bytes);
        f.inc(places, 8);
      });
    });
    return undefined;
  });
  return m.toBytes();
}

/** Goes over planes; each of the input's gradient is zeroed first. */
function overPlanes(
  f: Func,
  args: Local<'i32'>,
  axes: PoolAxes,
  gradBytes: number,
  bytes: number,
  body: (base: Local<'i32'>, grad: Local<'i32'>) => void,
): void {
  const word = wordReader(f, args, POOL);
  const [begin, end] = [word('begin'), word('end')];
  const outputs = f.let(i32.mul(i32.mul(axes.outSize[0], axes.outSize[1]), axes.outSize[2]));
  const each = f.let(i32.mul(i32.mul(i32.mul(axes.inSize[0], axes.inSize[1]), axes.inSize[2]), bytes));
  const plane = f.local('i32');
  const base = f.let(i32.add(word('x'), i32.mul(begin, each)));
  const grad = f.let(i32.add(word('out'), i32.mul(i32.mul(begin, outputs), gradBytes)));
  f.for(plane, begin, end, 1, () => {
    f.do(memory.fill(base, 0, each));
    body(base, grad);
    f.inc(base, each);
  });
}
