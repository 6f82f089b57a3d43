/**
 * Elements of the float dtypes in the type that kernels compute in: loads widen half types to float32, stores
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
import { type FloatName, floatOps } from './float-ops.ts';
import { narrowBrain, narrowHalf, widenHalf } from './types.ts';

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
  const widen = brain ? (_: Func, bits: V128): V128 => i32x4.shl(bits, 16) : widenHalf;
  const narrow = brain ? narrowBrain : narrowHalf;
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
