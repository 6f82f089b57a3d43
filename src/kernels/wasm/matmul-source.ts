/**
 * Elements of the float dtypes in the type that matrix multiply computes in: loads widen half types to float32, stores
 * round them to nearest even.
 */
import type { DType } from '../../core/dtype.ts';
import {
  type F32,
  f32x4,
  type Func,
  i32,
  i32x4,
  type I32,
  i8x16,
  type Statement,
  type V128,
  type Value,
  v128,
  type WasmModule,
} from './emitter.ts';
import { type FloatName, floatOps } from './matmul-types.ts';

export interface Source {
  /** The type it computes in. */
  readonly type: FloatName;
  /** Of an element in memory. */
  readonly bytes: number;
  load(f: Func, address: I32, offset?: number): Value;
  /** As many elements as a vector of the compute type has lanes. */
  vload(f: Func, address: I32, offset?: number): V128;
  store(f: Func, address: I32, value: Value, offset?: number): Statement;
  vstore(f: Func, address: I32, value: V128, offset?: number): Statement;
}

/** How elements of a float dtype are read and written. */
export function source(dtype: DType, m: WasmModule): Source {
  if (dtype.itemsize === 2) return half(dtype.name === 'bfloat16');
  const type = dtype.itemsize === 8 ? 'f64' : 'f32';
  const t = floatOps(type, m);
  return {
    type,
    bytes: t.bytes,
    load: (_, address, offset) => t.load(address, offset),
    vload: (_, address, offset) => t.vload(address, offset),
    store: (_, address, value, offset) => t.store(address, value, offset),
    vstore: (_, address, value, offset) => t.vstore(address, value, offset),
  };
}

function half(brain: boolean): Source {
  const widen = brain ? widenBfloat16 : widenFloat16;
  const narrow = brain ? narrowBfloat16 : narrowFloat16;
  return {
    type: 'f32',
    bytes: 2,
    load: (f, address, offset) => f32x4.extract_lane(widen(f, i32x4.splat(i32.load16_u(address, offset))), 0),
    vload: (f, address, offset) => widen(f, v128.load16x4_u(address, offset)),
    store: (f, address, value, offset) =>
      i32.store16(address, i32x4.extract_lane(narrow(f, f32x4.splat(value as F32)), 0), offset),
    vstore: (f, address, value, offset) => {
      const bits = f.let(narrow(f, value));
      // The low half of each 32-bit lane.
      const packed = i8x16.shuffle(bits, bits, [0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13]);
      return v128.store64_lane(address, packed, 0, offset);
    },
  };
}

/** Four float32 from the bits of four bfloat16 in 32-bit lanes. */
function widenBfloat16(_: Func, bits: V128): V128 {
  return i32x4.shl(bits, 16);
}

/** Four float32 from the bits of four float16 in 32-bit lanes. */
function widenFloat16(f: Func, bits: V128): V128 {
  const x = f.let(bits);
  const magnitude = f.let(i32x4.shl(v128.and(x, i32x4.const(0x7fff)), 13));
  // Exponent and fraction are in place, but the exponent counts from another number: 2^112 sets it right, and makes
  // normal numbers of subnormal ones. Infinity and NaN get the largest exponent.
  const special = v128.and(i32x4.gt_s(magnitude, 0x0f7fffff), i32x4.const(0x7f800000));
  const value = f32x4.mul(magnitude, f32x4.const(2 ** 112));
  return v128.or(v128.or(value, special), i32x4.shl(v128.and(x, i32x4.const(0x8000)), 16));
}

/** The bits of four bfloat16, rounded to nearest even, in the low halves of 32-bit lanes. */
function narrowBfloat16(f: Func, value: V128): V128 {
  const x = f.let(value);
  const odd = v128.and(i32x4.shr_u(x, 16), i32x4.const(1));
  const rounded = i32x4.shr_u(i32x4.add(i32x4.add(x, 0x7fff), odd), 16);
  return v128.bitselect(rounded, i32x4.const(0x7fc0), f32x4.eq(x, x));
}

/** The bits of four float16, rounded to nearest even, in the low halves of 32-bit lanes. */
function narrowFloat16(f: Func, value: V128): V128 {
  const x = f.let(value);
  const magnitude = f.let(f32x4.abs(x));
  // Adding a number whose last place is float16's last place at this exponent makes the hardware round: the exponent
  // plus 13, at least what subnormal float16 need.
  const exponent = i32x4.max_s(v128.and(magnitude, i32x4.const(0x7f800000)), 0x38800000);
  const magic = f.let(i32x4.add(f.let(exponent), 13 << 23));
  const sum = f.let(f32x4.add(magnitude, magic));
  // The rounded number in units of its last place, plus its exponent field: a carry into the exponent is right as well.
  const units = i32x4.sub(sum, magic);
  const field = i32x4.sub(i32x4.shr_u(magic, 13), (13 + 113) << 10);
  const finite = i32x4.add(units, field);
  const large = i32x4.gt_s(magnitude, 0x477fefff);
  const overflow = v128.bitselect(i32x4.const(0x7c00), finite, large);
  const nan = v128.bitselect(overflow, i32x4.const(0x7e00), f32x4.eq(x, x));
  return v128.or(nan, v128.and(i32x4.shr_u(x, 16), i32x4.const(0x8000)));
}
