/**
 * How the random kernels hand over their numbers: a chunk of float32, float64 or int64 in the scratch is narrowed to the
 * dtype in place, then copied out, contiguously or over the strides of the result in PyTorch's order.
 */
import { bfloat16, bool, type DType, float16, float32 } from '../../core/dtype.ts';
import {
  type Func,
  f32,
  f32x4,
  f64,
  type I32,
  type I64,
  i16x8,
  i32,
  i32x4,
  i64,
  i64x2,
  type Local,
  memory,
  type Statement,
  type V128,
  v128,
} from './emitter.ts';

/** What a kernel makes in the scratch. */
export type Made = 'f32' | 'f64' | 'i64';

/** What is made for a dtype, where the numbers are not made in float64 whatever the dtype. */
export function madeFor(dtype: DType): Made {
  return dtype.is_floating_point ? (dtype.itemsize === 8 ? 'f64' : 'f32') : 'i64';
}

/** Four float32 as float16, rounded to nearest even, in the low halves of 32-bit lanes. */
function half(f: Func, x: V128): V128 {
  const value = f.let(x);
  const size = f.let(v128.and(value, i32x4.const(0x7fffffff)));
  // Adding a power of two 10 (in the subnormal range fewer) digits up rounds at the right place.
  const exponent = v128.and(i32x4.add(size, i32x4.const(0x07800000)), i32x4.const(0x7f800000));
  const magic = f.let(i32x4.max_u(exponent, i32x4.const(0x40000000)));
  const scaled = f32x4.mul(f32x4.mul(size, 2 ** 112), 2 ** -110);
  const sum = f.let(f32x4.add(scaled, magic));
  const small = i32x4.add(v128.and(i32x4.shr_u(sum, 13), i32x4.const(0x7c00)), v128.and(sum, i32x4.const(0xfff)));
  const nan = i32x4.gt_u(size, i32x4.const(0x7f800000));
  const magnitude = v128.bitselect(i32x4.const(0x7e00), small, nan);
  return v128.or(magnitude, v128.and(i32x4.shr_u(value, 16), i32x4.const(0x8000)));
}

/** Four float32 as bfloat16, likewise. */
function brain(f: Func, x: V128): V128 {
  const value = f.let(x);
  const even = v128.and(i32x4.shr_u(value, 16), i32x4.const(1));
  const rounded = i32x4.shr_u(i32x4.add(value, i32x4.add(even, i32x4.const(0x7fff))), 16);
  return v128.bitselect(i32x4.const(0x7fc0), rounded, f32x4.ne(value, value));
}

/** Float32 as the 16 bits of a half type, in the low halves of 32-bit lanes. */
export function toHalf(f: Func, dtype: DType, x: V128): V128 {
  return dtype === float16 ? half(f, x) : brain(f, x);
}

/** Narrows `count` numbers at `at` to the dtype, in place. May read and write up to 16 bytes more. */
export function narrow(f: Func, made: Made, dtype: DType, at: I32, count: I32): void {
  if (made === 'i64') {
    narrowIntegers(f, dtype, at, count);
    return;
  }
  const isHalf = dtype === float16 || dtype === bfloat16;
  if (made === 'f64' && dtype.itemsize === 8) return;
  if (made === 'f32' && dtype === float32) return;
  const from = f.let(at);
  const to = f.let(at);
  const end = f.let(i32.add(from, i32.mul(count, made === 'f64' ? 8 : 4)));
  f.while(i32.lt_u(from, end), () => {
    let x: V128;
    if (made === 'f64') {
      const low = f32x4.demote_f64x2_zero(v128.load(from));
      x = f.let(i64x2.shuffle(low, f32x4.demote_f64x2_zero(v128.load(from, 16)), 0, 2));
      f.inc(from, 32);
    } else {
      x = f.let(v128.load(from));
      f.inc(from, 16);
    }
    if (isHalf) {
      const bits = f.let(toHalf(f, dtype, x));
      f.do(v128.store64_lane(to, i16x8.narrow_i32x4_u(bits, bits), 0));
      f.inc(to, 8);
    } else {
      f.do(v128.store(to, x));
      f.inc(to, 16);
    }
  });
}

function narrowIntegers(f: Func, dtype: DType, at: I32, count: I32): void {
  if (dtype.itemsize === 8) return;
  const from = f.let(at);
  const to = f.let(at);
  const end = f.let(i32.add(from, i32.shl(count, 3)));
  f.for(from, from, end, 8, () => {
    const x = i64.load(from);
    if (dtype === bool) f.do(i32.store8(to, i64.ne(x, 0)));
    else if (dtype.itemsize === 4) f.do(i64.store32(to, x));
    else if (dtype.itemsize === 2) f.do(i64.store16(to, x));
    else f.do(i64.store8(to, x));
    f.inc(to, dtype.itemsize);
  });
}

/** Where a tensor's elements lie, in the order in which they get their numbers. */
export interface Layout {
  readonly itemsize: number;
  /** Of the first element. */
  readonly address: Local<'i32'>;
  /** Number of dimensions; 0: contiguous. */
  readonly dims: Local<'i32'>;
  /** Address of pairs of words, fastest dimension first: size, stride in bytes. */
  readonly pairs: Local<'i32'>;
}

/** Copies `count` elements at `from` to the tensor, from its element number `first` on. */
export function copyOut(f: Func, layout: Layout, from: I32, first: I32, count: I32): void {
  const { itemsize, address } = layout;
  f.if(
    i32.eqz(layout.dims),
    () => f.do(memory.copy(i32.add(address, i32.mul(first, itemsize)), from, i32.mul(count, itemsize))),
    () => strided(f, layout, from, first, count, (element, packed) => copyElement(itemsize, element, packed)),
  );
}

/** Copies `count` elements of the tensor, from its element number `first` on, to `to`. */
export function copyIn(f: Func, layout: Layout, to: I32, first: I32, count: I32): void {
  const { itemsize, address } = layout;
  f.if(
    i32.eqz(layout.dims),
    () => f.do(memory.copy(to, i32.add(address, i32.mul(first, itemsize)), i32.mul(count, itemsize))),
    () => strided(f, layout, to, first, count, (element, packed) => copyElement(itemsize, packed, element)),
  );
}

/** Walks over elements, a row of the fastest dimension at a time, and over as many packed ones. */
function strided(
  f: Func,
  { itemsize, address, dims, pairs }: Layout,
  packedAt: I32,
  firstElement: I32,
  count: I32,
  body: (element: Local<'i32'>, packed: Local<'i32'>) => Statement,
): void {
  const packed = f.let(packedAt);
  const first = f.let(firstElement);
  const left = f.let(count);
  const size = f.let(i32.load(pairs));
  const stride = f.let(i32.load(pairs, 4));
  const lastDim = f.let(i32.add(pairs, i32.shl(dims, 3)));
  const at = f.local('i32');
  const rest = f.local('i32');
  const dim = f.local('i32');
  f.while(left, () => {
    const within = f.let(i32.rem_u(first, size));
    f.set(rest, i32.div_u(first, size));
    f.set(at, i32.add(address, i32.mul(within, stride)));
    f.for(dim, i32.add(pairs, 8), lastDim, 8, () => {
      const extent = f.let(i32.load(dim));
      f.set(at, i32.add(at, i32.mul(i32.rem_u(rest, extent), i32.load(dim, 4))));
      f.set(rest, i32.div_u(rest, extent));
    });
    const run = f.let(i32.sub(size, within));
    f.if(i32.lt_u(left, run), () => f.set(run, left));
    const end = f.let(i32.add(packed, i32.mul(run, itemsize)));
    f.for(packed, packed, end, itemsize, () => {
      f.do(body(at, packed));
      f.inc(at, stride);
    });
    f.set(first, i32.add(first, run));
    f.set(left, i32.sub(left, run));
  });
}

function copyElement(itemsize: number, to: I32, from: I32): Statement {
  if (itemsize === 8) return i64.store(to, i64.load(from));
  if (itemsize === 4) return i32.store(to, i32.load(from));
  if (itemsize === 2) return i32.store16(to, i32.load16_u(from));
  return i32.store8(to, i32.load8_u(from));
}

/** Stores an int64 as what is made. */
export function storeInteger(made: Made, to: I32, x: I64): Statement {
  if (made === 'i64') return i64.store(to, x);
  return made === 'f32' ? f32.store(to, f32.convert_i64_s(x)) : f64.store(to, f64.convert_i64_s(x));
}
