/**
 * The two element types that matrix multiply and embedding bags compute floats in, float32 and float64, each with its
 * scalar and vector instructions, so that a kernel is written once.
 */
import {
  f32,
  f32x4,
  f64,
  f64x2,
  type I32,
  type Statement,
  type V128,
  type Value,
  v128,
  type WasmModule,
} from './emitter.ts';

export type FloatName = 'f32' | 'f64';

export interface FloatOps {
  readonly name: FloatName;
  readonly bytes: number;
  /** Elements in a vector. */
  readonly lanes: number;
  load(address: I32, offset?: number): Value;
  store(address: I32, value: Value, offset?: number): Statement;
  add(a: Value, b: Value): Value;
  mul(a: Value, b: Value): Value;
  /** A float64 word pair in this type. */
  fromF64(x: Value<'f64'>): Value;
  zero(): Value;
  one(): Value;
  splat(x: Value): V128;
  lane(x: V128, lane: number): Value;
  vload(address: I32, offset?: number): V128;
  /** All lanes from one element. */
  vloadSplat(address: I32, offset?: number): V128;
  /** One element in the first lane, zeros in the others. */
  vloadOne(address: I32, offset?: number): V128;
  vstore(address: I32, value: V128, offset?: number): Statement;
  vadd(a: V128, b: V128): V128;
  vmul(a: V128, b: V128): V128;
  /** a * b + c: fused in the relaxed form, rounded twice in the plain one. */
  vmadd(a: V128, b: V128, c: V128): V128;
  vzero(): V128;
}

const F32: Omit<FloatOps, 'vmadd'> = {
  name: 'f32',
  bytes: 4,
  lanes: 4,
  load: f32.load,
  store: (address, value, offset) => f32.store(address, value as Value<'f32'>, offset),
  add: (a, b) => f32.add(a as Value<'f32'>, b as Value<'f32'>),
  mul: (a, b) => f32.mul(a as Value<'f32'>, b as Value<'f32'>),
  fromF64: f32.demote_f64,
  zero: () => f32.const(0),
  one: () => f32.const(1),
  splat: (x) => f32x4.splat(x as Value<'f32'>),
  lane: f32x4.extract_lane,
  vload: v128.load,
  vloadSplat: v128.load32_splat,
  vloadOne: v128.load32_zero,
  vstore: v128.store,
  vadd: f32x4.add,
  vmul: f32x4.mul,
  vzero: () => f32x4.const(0),
};

const F64: Omit<FloatOps, 'vmadd'> = {
  name: 'f64',
  bytes: 8,
  lanes: 2,
  load: f64.load,
  store: (address, value, offset) => f64.store(address, value as Value<'f64'>, offset),
  add: (a, b) => f64.add(a as Value<'f64'>, b as Value<'f64'>),
  mul: (a, b) => f64.mul(a as Value<'f64'>, b as Value<'f64'>),
  fromF64: (x) => x,
  zero: () => f64.const(0),
  one: () => f64.const(1),
  splat: (x) => f64x2.splat(x as Value<'f64'>),
  lane: f64x2.extract_lane,
  vload: v128.load,
  vloadSplat: v128.load64_splat,
  vloadOne: v128.load64_zero,
  vstore: v128.store,
  vadd: f64x2.add,
  vmul: f64x2.mul,
  vzero: () => f64x2.const(0),
};

/** The instructions for a type in the module's SIMD form. */
export function floatOps(name: FloatName, m: WasmModule): FloatOps {
  const vector = name === 'f32' ? f32x4 : f64x2;
  const vmadd = m.relaxed
    ? (a: V128, b: V128, c: V128) => vector.relaxed_madd(a, b, c)
    : (a: V128, b: V128, c: V128) => vector.add(c, vector.mul(a, b));
  return { ...(name === 'f32' ? F32 : F64), vmadd };
}
