/**
 * Resampling along one axis: every output is a weighted sum of a few inputs (its taps), whose places and weights follow
 * from a rule: padding by reflection, repetition or wrapping, and interpolation. A first kernel writes the taps down,
 * the others use them: forward, and backward for the gradient.
 */
import type { DType } from '../../core/dtype.ts';
import { wordReader } from './conv-words.ts';
import { type Func, f32, f64, type I32, i32, type Local, memory, select, type Value, WasmModule } from './emitter.ts';
import { type FloatName, floatOps } from './float-ops.ts';
import { source } from './float-source.ts';
import { mover } from './indexed-elements.ts';

/** How an output finds its inputs. */
export type Rule = 'reflect' | 'replicate' | 'circular' | 'nearest' | 'nearest-exact' | 'linear' | 'cubic';

export function tapsOf(rule: Rule): 1 | 2 | 4 {
  return rule === 'cubic' ? 4 : rule === 'linear' ? 2 : 1;
}

/** Writing down the taps. The range counts outputs. */
export const TAPS = {
  begin: 0,
  end: 1,
  /** int32 places along the axis; weights of the compute type. */
  places: 2,
  weights: 3,
  inSize: 4,
  outSize: 5,
  /** Padding: how many outputs lie before the first input. */
  low: 6,
  /** Interpolation: whether the corners of both are aligned. */
  align: 7,
  /** Interpolation: inputs for an output, a float64. */
  scale: 8,
  count: 10,
} as const;

interface Real {
  readonly type: FloatName;
  of(x: I32): Value;
  const(x: number): Value;
  add(a: Value, b: Value): Value;
  sub(a: Value, b: Value): Value;
  mul(a: Value, b: Value): Value;
  floor(x: Value): Value;
  negative(x: Value): I32;
  toInt(x: Value): I32;
  store(address: I32, x: Value, offset?: number): ReturnType<typeof f32.store>;
}

function real(type: FloatName): Real {
  const ops = type === 'f32' ? f32 : f64;
  const of = ops as unknown as Record<string, (...args: Value[]) => Value>;
  return {
    type,
    of: (x) => ops.convert_i32_s(x),
    const: (x) => ops.const(x),
    add: of['add'],
    sub: of['sub'],
    mul: of['mul'],
    floor: of['floor'],
    negative: (x) => (ops.lt as (a: Value, b: number) => I32)(x, 0),
    toInt: (x) => (type === 'f32' ? i32.trunc_sat_f32_s(x as Value<'f32'>) : i32.trunc_sat_f64_s(x as Value<'f64'>)),
    store: (address, x, offset) =>
      (ops.store as (a: I32, x: Value, o?: number) => ReturnType<typeof f32.store>)(address, x, offset),
  };
}

/** The kernel that writes the taps of a rule. */
export function tapsKernel(rule: Rule, type: FloatName): Uint8Array {
  const m = new WasmModule();
  const r = real(type);
  const taps = tapsOf(rule);
  const bytes = type === 'f32' ? 4 : 8;
  m.kernel((f, args) => {
    const word = wordReader(f, args, TAPS);
    const [begin, end, inSize, outSize, low, align] = (
      ['begin', 'end', 'inSize', 'outSize', 'low', 'align'] as const
    ).map((n) => word(n));
    const scale = f.let(
      type === 'f32' ? f32.demote_f64(f64.load(args, TAPS.scale * 4)) : (f64.load(args, TAPS.scale * 4) as Value),
    );
    const last = f.let(i32.sub(inSize, 1));
    const i = f.local('i32');
    const places = f.let(i32.add(word('places'), i32.mul(begin, taps * 4)));
    const weights = f.let(i32.add(word('weights'), i32.mul(begin, taps * bytes)));
    const clamp = (x: Local<'i32'>): I32 => select(i32.lt_s(x, 0), i32.const(0), select(i32.gt_s(x, last), last, x));
    const put = (tap: number, place: I32, weight: Value): void => {
      const at = f.let(place);
      f.do(i32.store(places, clamp(at), 4 * tap));
      f.do(r.store(weights, weight, bytes * tap));
    };
    /** Where an output's middle is among the inputs. */
    const middle = (): Value => r.sub(r.mul(scale as Value, r.add(r.of(i), r.const(0.5))), r.const(0.5));
    f.for(i, begin, end, 1, () => {
      const x = f.let(i32.sub(i, low));
      switch (rule) {
        case 'reflect':
          f.if(i32.lt_s(x, 0), () => f.set(x, i32.sub(0, x)));
          f.if(i32.gt_s(x, last), () => f.set(x, i32.sub(i32.mul(last, 2), x)));
          put(0, x, r.const(1));
          break;
        case 'replicate':
          put(0, x, r.const(1));
          break;
        case 'circular':
          f.if(i32.lt_s(x, 0), () => f.inc(x, inSize));
          f.if(i32.gt_s(x, last), () => f.set(x, i32.sub(x, inSize)));
          put(0, x, r.const(1));
          break;
        case 'nearest':
          put(0, r.toInt(r.floor(r.mul(scale as Value, r.of(i)))), r.const(1));
          break;
        case 'nearest-exact':
          put(0, r.toInt(r.floor(r.add(middle(), r.const(0.5)))), r.const(1));
          break;
        default: {
          const at = f.local(type) as Local;
          const set = (value: Value): void => f.set(at as Local<'f32'>, value as Value<'f32'>);
          f.if(
            align,
            () => set(r.mul(scale as Value, r.of(i))),
            () => set(middle()),
          );
          if (rule === 'linear') {
            // One to one, whatever the rounding of the scale.
            f.if(i32.eq(inSize, outSize), () => set(r.of(i)));
            f.if(r.negative(at), () => set(r.const(0)));
            const first = f.let(r.toInt(at));
            f.if(i32.gt_s(first, last), () => f.set(first, last));
            const rest = f.let(r.sub(at, r.of(first)));
            put(0, first, r.sub(r.const(1), rest));
            put(1, i32.add(first, 1), rest);
          } else cubic(f, r, at, put);
        }
      }
      f.inc(places, 4 * taps);
      f.inc(weights, bytes * taps);
    });
    return undefined;
  });
  return m.toBytes();
}

/** Cubic convolution with A = -0.75 over four inputs. */
function cubic(f: Func, r: Real, at: Value, put: (tap: number, place: I32, weight: Value) => void): void {
  const A = -0.75;
  const floor = f.let(r.floor(at));
  const first = f.let(r.toInt(floor));
  const t = f.let(r.sub(at, floor));
  const c = r.const;
  // Within one step, and between one and two.
  const near = (x: Value): Value => r.add(r.mul(r.mul(r.sub(r.mul(c(A + 2), x), c(A + 3)), x), x), c(1));
  const far = (x: Value): Value =>
    r.sub(r.mul(r.add(r.mul(r.sub(r.mul(c(A), x), c(5 * A)), x), c(8 * A)), x), c(4 * A));
  const back = f.let(r.sub(c(1), t));
  put(0, i32.sub(first, 1), far(f.let(r.add(t, c(1)))));
  put(1, first, near(t));
  put(2, i32.add(first, 1), near(back));
  put(3, i32.add(first, 2), far(f.let(r.add(back, c(1)))));
}

/** Using the taps: arrays are [outer, size, inner], contiguous. The range counts `outer`. */
export const RESAMPLE = {
  begin: 0,
  end: 1,
  /** Forward: the result. Backward: its gradient. */
  out: 2,
  /** Forward: the input. Backward: the gradient of it. */
  x: 3,
  places: 4,
  weights: 5,
  inSize: 6,
  outSize: 7,
  inner: 8,
  count: 9,
} as const;

/** out[o, i, r] = x[o, place of i, r], for elements of a size. */
export function pickKernel(bytes: number): Uint8Array {
  const m = new WasmModule();
  const move = mover(bytes);
  m.kernel((f, args) => {
    const word = wordReader(f, args, RESAMPLE);
    const [begin, end, inSize, outSize, inner, places] = (
      ['begin', 'end', 'inSize', 'outSize', 'inner', 'places'] as const
    ).map((n) => word(n));
    const [o, i, at, from, to] = Array.from({ length: 5 }, () => f.local('i32'));
    const row = f.let(i32.mul(inner, bytes));
    const base = f.let(i32.add(word('x'), i32.mul(i32.mul(begin, inSize), row)));
    f.set(to, i32.add(word('out'), i32.mul(i32.mul(begin, outSize), row)));
    f.for(o, begin, end, 1, () => {
      f.set(at, places);
      f.for(i, 0, outSize, 1, () => {
        f.set(from, i32.add(base, i32.mul(i32.load(at), row)));
        f.if(
          i32.eq(inner, 1),
          () => {
            move.one(f, to, from);
            f.inc(to, bytes);
          },
          () => move.run(f, to, from, inner),
        );
        f.inc(at, 4);
      });
      f.inc(base, i32.mul(inSize, row));
    });
    return undefined;
  });
  return m.toBytes();
}

/** out[o, i, r] = the sum over taps of weight * x[o, place, r]. */
export function weighKernel(from: DType, to: DType, taps: number): Uint8Array {
  const m = new WasmModule();
  const [s, d] = [source(from, m), source(to, m)];
  const t = floatOps(s.type, m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, RESAMPLE);
    const [begin, end, inSize, outSize, inner, places, weights] = (
      ['begin', 'end', 'inSize', 'outSize', 'inner', 'places', 'weights'] as const
    ).map((n) => word(n));
    const [o, i, k, at, weight, out] = Array.from({ length: 6 }, () => f.local('i32'));
    const froms = Array.from({ length: taps }, () => f.local('i32'));
    const factors = Array.from({ length: taps }, () => f.local('v128'));
    const row = f.let(i32.mul(inner, s.bytes));
    const base = f.let(i32.add(word('x'), i32.mul(i32.mul(begin, inSize), row)));
    f.set(out, i32.add(word('out'), i32.mul(i32.mul(begin, outSize), i32.mul(inner, d.bytes))));
    f.for(o, begin, end, 1, () => {
      f.set(at, places);
      f.set(weight, weights);
      f.for(i, 0, outSize, 1, () => {
        for (let j = 0; j < taps; j++) {
          f.set(froms[j], i32.add(base, i32.mul(i32.load(at, 4 * j), row)));
          f.set(factors[j], t.vloadSplat(weight, j * t.bytes));
        }
        f.set(k, 0);
        f.while(i32.le_s(k, i32.sub(inner, t.lanes)), () => {
          let sum = t.vmul(factors[0], s.vload(f, froms[0]));
          for (let j = 1; j < taps; j++) sum = t.vadd(sum, t.vmul(factors[j], s.vload(f, froms[j])));
          f.do(d.vstore(f, out, sum));
          for (const pointer of froms) f.inc(pointer, t.lanes * s.bytes);
          f.inc(out, t.lanes * d.bytes);
          f.inc(k, t.lanes);
        });
        f.while(i32.lt_u(k, inner), () => {
          let sum = t.mul(t.lane(factors[0], 0), s.load(f, froms[0]));
          for (let j = 1; j < taps; j++) sum = t.add(sum, t.mul(t.lane(factors[j], 0), s.load(f, froms[j])));
          f.do(d.store(f, out, sum));
          for (const pointer of froms) f.inc(pointer, s.bytes);
          f.inc(out, d.bytes);
          f.inc(k, 1);
        });
        f.inc(at, 4 * taps);
        f.inc(weight, taps * t.bytes);
      });
      f.inc(base, i32.mul(inSize, row));
    });
    return undefined;
  });
  return m.toBytes();
}

/** x[o, place, r] += weight * out[o, i, r] for all taps; x is zeroed first, and of the compute type. */
export function weighBackKernel(from: DType, taps: number): Uint8Array {
  const m = new WasmModule();
  const s = source(from, m);
  const t = floatOps(s.type, m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, RESAMPLE);
    const [begin, end, inSize, outSize, inner, places, weights] = (
      ['begin', 'end', 'inSize', 'outSize', 'inner', 'places', 'weights'] as const
    ).map((n) => word(n));
    const [o, i, k, at, weight, grad] = Array.from({ length: 6 }, () => f.local('i32'));
    const targets = Array.from({ length: taps }, () => f.local('i32'));
    const value = f.local(t.name) as Local<'f32'>;
    const row = f.let(i32.mul(inner, t.bytes));
    const plane = f.let(i32.mul(inSize, row));
    const base = f.let(i32.add(word('x'), i32.mul(begin, plane)));
    f.set(grad, i32.add(word('out'), i32.mul(i32.mul(begin, outSize), i32.mul(inner, s.bytes))));
    f.for(o, begin, end, 1, () => {
      f.do(memory.fill(base, 0, plane));
      f.set(at, places);
      f.set(weight, weights);
      f.for(i, 0, outSize, 1, () => {
        for (let j = 0; j < taps; j++) f.set(targets[j], i32.add(base, i32.mul(i32.load(at, 4 * j), row)));
        f.for(k, 0, inner, 1, () => {
          f.set(value, s.load(f, grad) as Value<'f32'>);
          for (let j = 0; j < taps; j++) {
            f.do(t.store(targets[j], t.add(t.load(targets[j]), t.mul(t.load(weight, j * t.bytes), value))));
            f.inc(targets[j], t.bytes);
          }
          f.inc(grad, s.bytes);
        });
        f.inc(at, 4 * taps);
        f.inc(weight, taps * t.bytes);
      });
      f.inc(base, plane);
    });
    return undefined;
  });
  return m.toBytes();
}
