/**
 * WebAssembly's instructions as functions that compose values. Names are those of the text format: `i32.lt_s(a, b)`,
 * `f32x4.mul(x, y)`, `v128.load(address, 16)`. A number where a value is expected is a constant (splat for vectors).
 *
 * A `Value` is code that leaves one value on the stack, not the value itself: used twice, it is computed twice, and a
 * local that it reads is read when the value is used. Keep what is needed twice in a local (`Func.let`).
 */
import type { FuncRef } from './emitter.ts';

export type Type = 'i32' | 'i64' | 'f32' | 'f64' | 'v128';

/** A vector constant in code; the function that it is put into decides where it comes from. */
export class VectorConstant {
  constructor(readonly bytes: readonly number[]) {}
}

/** Bytes, and what is known only when a function or the module is put together. */
export type CodePart = number | FuncRef | VectorConstant;
export type Code = readonly CodePart[];

/** Code that leaves a value of type T; 'none' is a statement that leaves nothing. */
export class Value<T extends Type | 'none' = Type> {
  constructor(
    readonly type: T,
    readonly code: Code,
  ) {}
}

/** A local variable; as a value, its contents at the time of use. */
export class Local<T extends Type = Type> extends Value<T> {
  constructor(
    type: T,
    readonly index: number,
  ) {
    super(type, [0x20, ...leb(index)]);
  }
}

export type I32 = Value<'i32'>;
export type I64 = Value<'i64'>;
export type F32 = Value<'f32'>;
export type F64 = Value<'f64'>;
export type V128 = Value<'v128'>;
export type Statement = Value<'none'>;

/** What is accepted where a value of type T is wanted. */
export type Arg<T extends Type> = T extends 'i64' ? Value<T> | bigint | number : Value<T> | number;

/** Unsigned LEB128. */
export function leb(value: number): number[] {
  const out: number[] = [];
  do {
    const low = value % 128;
    value = Math.floor(value / 128);
    out.push(value ? low | 128 : low);
  } while (value);
  return out;
}

function signedLeb(value: bigint): number[] {
  const out: number[] = [];
  for (;;) {
    const low = Number(value & 127n);
    value >>= 7n;
    if ((value === 0n && !(low & 64)) || (value === -1n && low & 64)) {
      out.push(low);
      return out;
    }
    out.push(low | 128);
  }
}

const scratch = new DataView(new ArrayBuffer(16));

function bytesOf(count: number): number[] {
  const out: number[] = [];
  for (let i = 0; i < count; i++) out.push(scratch.getUint8(i));
  return out;
}

/** i32 constant; takes signed and unsigned values. */
function i32const(value: number): I32 {
  return new Value('i32', [0x41, ...signedLeb(BigInt(value | 0))]);
}
function i64const(value: bigint | number): I64 {
  return new Value('i64', [0x42, ...signedLeb(BigInt.asIntN(64, BigInt(value)))]);
}
function f32const(value: number): F32 {
  scratch.setFloat32(0, value, true);
  return new Value('f32', [0x43, ...bytesOf(4)]);
}
function f64const(value: number): F64 {
  scratch.setFloat64(0, value, true);
  return new Value('f64', [0x44, ...bytesOf(8)]);
}
function v128const(): V128 {
  return new Value('v128', [new VectorConstant(bytesOf(16))]);
}
function i8x16const(...lanes: number[]): V128 {
  for (let i = 0; i < 16; i++) scratch.setInt8(i, lanes[i % lanes.length]);
  return v128const();
}
function i16x8const(...lanes: number[]): V128 {
  for (let i = 0; i < 8; i++) scratch.setInt16(i * 2, lanes[i % lanes.length], true);
  return v128const();
}
function i32x4const(...lanes: number[]): V128 {
  for (let i = 0; i < 4; i++) scratch.setInt32(i * 4, lanes[i % lanes.length], true);
  return v128const();
}
function i64x2const(...lanes: (bigint | number)[]): V128 {
  for (let i = 0; i < 2; i++) scratch.setBigInt64(i * 8, BigInt.asIntN(64, BigInt(lanes[i % lanes.length])), true);
  return v128const();
}
function f32x4const(...lanes: number[]): V128 {
  for (let i = 0; i < 4; i++) scratch.setFloat32(i * 4, lanes[i % lanes.length], true);
  return v128const();
}
function f64x2const(...lanes: number[]): V128 {
  for (let i = 0; i < 2; i++) scratch.setFloat64(i * 8, lanes[i % lanes.length], true);
  return v128const();
}

/** How an argument of each kind becomes code. */
const coerce = {
  i32: (x: I32 | number): I32 => (typeof x === 'number' ? i32const(x) : x),
  i64: (x: I64 | bigint | number): I64 => (x instanceof Value ? x : i64const(x)),
  f32: (x: F32 | number): F32 => (typeof x === 'number' ? f32const(x) : x),
  f64: (x: F64 | number): F64 => (typeof x === 'number' ? f64const(x) : x),
  v128: (x: V128): V128 => x,
  i8x16: (x: V128 | number): V128 => (typeof x === 'number' ? i8x16const(x) : x),
  i16x8: (x: V128 | number): V128 => (typeof x === 'number' ? i16x8const(x) : x),
  i32x4: (x: V128 | number): V128 => (typeof x === 'number' ? i32x4const(x) : x),
  i64x2: (x: V128 | bigint | number): V128 => (x instanceof Value ? x : i64x2const(x)),
  f32x4: (x: V128 | number): V128 => (typeof x === 'number' ? f32x4const(x) : x),
  f64x2: (x: V128 | number): V128 => (typeof x === 'number' ? f64x2const(x) : x),
};
type Coerce = typeof coerce;
type Kind = keyof Coerce;
type ArgOf<K extends Kind> = Parameters<Coerce[K]>[0];

/** An opcode from a table: below 0x100 as it is; the prefixes 0xfc and 0xfd in the third byte. */
const SIMD = 0xfd0000;
const MISC = 0xfc0000;
function opcode(op: number): number[] {
  return op < 0x100 ? [op] : [op >> 16, ...leb(op & 0xffff)];
}

type Table<N extends string> = Record<N, number>;

function unary<A extends Kind, R extends Type, N extends string>(a: A, result: R, prefix: number, table: Table<N>) {
  const out = {} as Record<N, (x: ArgOf<A>) => Value<R>>;
  const to = coerce[a] as (x: ArgOf<A>) => Value;
  for (const name of Object.keys(table) as N[]) {
    const op = opcode(prefix | table[name]);
    out[name] = (x) => new Value(result, [...to(x).code, ...op]);
  }
  return out;
}

function binary<A extends Kind, B extends Kind, R extends Type, N extends string>(
  a: A,
  b: B,
  result: R,
  prefix: number,
  table: Table<N>,
) {
  const out = {} as Record<N, (x: ArgOf<A>, y: ArgOf<B>) => Value<R>>;
  const toA = coerce[a] as (x: ArgOf<A>) => Value;
  const toB = coerce[b] as (x: ArgOf<B>) => Value;
  for (const name of Object.keys(table) as N[]) {
    const op = opcode(prefix | table[name]);
    out[name] = (x, y) => new Value(result, [...toA(x).code, ...toB(y).code, ...op]);
  }
  return out;
}

function ternary<A extends Kind, N extends string>(a: A, table: Table<N>) {
  const out = {} as Record<N, (x: ArgOf<A>, y: ArgOf<A>, z: ArgOf<A>) => V128>;
  const to = coerce[a] as (x: ArgOf<A>) => Value;
  for (const name of Object.keys(table) as N[]) {
    const op = opcode(SIMD | table[name]);
    out[name] = (x, y, z) => new Value('v128', [...to(x).code, ...to(y).code, ...to(z).code, ...op]);
  }
  return out;
}

/** `load(address, offset = 0)`: the offset is a constant, in bytes. Table: opcode, and log2 of the alignment. */
function loads<R extends Type, N extends string>(result: R, prefix: number, table: Record<N, [number, number]>) {
  const out = {} as Record<N, (address: I32 | number, offset?: number) => Value<R>>;
  for (const name of Object.keys(table) as N[]) {
    const head = [...opcode(prefix | table[name][0]), table[name][1]];
    out[name] = (address, offset = 0) => new Value(result, [...coerce.i32(address).code, ...head, ...leb(offset)]);
  }
  return out;
}

/** `store(address, value, offset = 0)`. */
function stores<K extends Kind, N extends string>(kind: K, prefix: number, table: Record<N, [number, number]>) {
  const out = {} as Record<N, (address: I32 | number, value: ArgOf<K>, offset?: number) => Statement>;
  const to = coerce[kind] as (x: ArgOf<K>) => Value;
  for (const name of Object.keys(table) as N[]) {
    const head = [...opcode(prefix | table[name][0]), table[name][1]];
    out[name] = (address, value, offset = 0) =>
      new Value('none', [...coerce.i32(address).code, ...to(value).code, ...head, ...leb(offset)]);
  }
  return out;
}

function extract<R extends Type, N extends string>(result: R, table: Table<N>) {
  const out = {} as Record<N, (x: V128, lane: number) => Value<R>>;
  for (const name of Object.keys(table) as N[]) {
    const op = opcode(SIMD | table[name]);
    out[name] = (x, lane) => new Value(result, [...x.code, ...op, lane]);
  }
  return out;
}

function replace<K extends 'i32' | 'i64' | 'f32' | 'f64'>(kind: K, code: number) {
  const to = coerce[kind] as (x: ArgOf<K>) => Value;
  const op = opcode(SIMD | code);
  return (x: V128, lane: number, value: ArgOf<K>): V128 =>
    new Value('v128', [...x.code, ...to(value).code, ...op, lane]);
}

export const i32 = {
  const: i32const,
  ...unary('i32', 'i32', 0, { eqz: 0x45, clz: 0x67, ctz: 0x68, popcnt: 0x69, extend8_s: 0xc0, extend16_s: 0xc1 }),
  // biome-ignore format: opcodes in their order
  ...binary('i32', 'i32', 'i32', 0, {
    eq: 0x46, ne: 0x47, lt_s: 0x48, lt_u: 0x49, gt_s: 0x4a, gt_u: 0x4b, le_s: 0x4c, le_u: 0x4d, ge_s: 0x4e, ge_u: 0x4f,
    add: 0x6a, sub: 0x6b, mul: 0x6c, div_s: 0x6d, div_u: 0x6e, rem_s: 0x6f, rem_u: 0x70,
    and: 0x71, or: 0x72, xor: 0x73, shl: 0x74, shr_s: 0x75, shr_u: 0x76, rotl: 0x77, rotr: 0x78,
  }),
  ...unary('i64', 'i32', 0, { wrap_i64: 0xa7 }),
  ...unary('f32', 'i32', 0, { reinterpret_f32: 0xbc }),
  ...unary('f32', 'i32', MISC, { trunc_sat_f32_s: 0, trunc_sat_f32_u: 1 }),
  ...unary('f64', 'i32', MISC, { trunc_sat_f64_s: 2, trunc_sat_f64_u: 3 }),
  ...loads('i32', 0, {
    load: [0x28, 2],
    load8_s: [0x2c, 0],
    load8_u: [0x2d, 0],
    load16_s: [0x2e, 1],
    load16_u: [0x2f, 1],
  }),
  ...stores('i32', 0, { store: [0x36, 2], store8: [0x3a, 0], store16: [0x3b, 1] }),
};

export const i64 = {
  const: i64const,
  ...unary('i64', 'i32', 0, { eqz: 0x50 }),
  // biome-ignore format: opcodes in their order
  ...binary('i64', 'i64', 'i32', 0, {
    eq: 0x51, ne: 0x52, lt_s: 0x53, lt_u: 0x54, gt_s: 0x55, gt_u: 0x56, le_s: 0x57, le_u: 0x58, ge_s: 0x59, ge_u: 0x5a,
  }),
  // biome-ignore format: opcodes in their order
  ...unary('i64', 'i64', 0, { clz: 0x79, ctz: 0x7a, popcnt: 0x7b, extend8_s: 0xc2, extend16_s: 0xc3, extend32_s: 0xc4 }),
  // biome-ignore format: opcodes in their order
  ...binary('i64', 'i64', 'i64', 0, {
    add: 0x7c, sub: 0x7d, mul: 0x7e, div_s: 0x7f, div_u: 0x80, rem_s: 0x81, rem_u: 0x82,
    and: 0x83, or: 0x84, xor: 0x85, shl: 0x86, shr_s: 0x87, shr_u: 0x88, rotl: 0x89, rotr: 0x8a,
  }),
  ...unary('i32', 'i64', 0, { extend_i32_s: 0xac, extend_i32_u: 0xad }),
  ...unary('f64', 'i64', 0, { reinterpret_f64: 0xbd }),
  ...unary('f32', 'i64', MISC, { trunc_sat_f32_s: 4, trunc_sat_f32_u: 5 }),
  ...unary('f64', 'i64', MISC, { trunc_sat_f64_s: 6, trunc_sat_f64_u: 7 }),
  // biome-ignore format: opcodes in their order
  ...loads('i64', 0, {
    load: [0x29, 3], load8_s: [0x30, 0], load8_u: [0x31, 0], load16_s: [0x32, 1], load16_u: [0x33, 1],
    load32_s: [0x34, 2], load32_u: [0x35, 2],
  }),
  ...stores('i64', 0, { store: [0x37, 3], store8: [0x3c, 0], store16: [0x3d, 1], store32: [0x3e, 2] }),
};

export const f32 = {
  const: f32const,
  ...binary('f32', 'f32', 'i32', 0, { eq: 0x5b, ne: 0x5c, lt: 0x5d, gt: 0x5e, le: 0x5f, ge: 0x60 }),
  // biome-ignore format: opcodes in their order
  ...unary('f32', 'f32', 0, { abs: 0x8b, neg: 0x8c, ceil: 0x8d, floor: 0x8e, trunc: 0x8f, nearest: 0x90, sqrt: 0x91 }),
  // biome-ignore format: opcodes in their order
  ...binary('f32', 'f32', 'f32', 0, {
    add: 0x92, sub: 0x93, mul: 0x94, div: 0x95, min: 0x96, max: 0x97, copysign: 0x98,
  }),
  ...unary('i32', 'f32', 0, { convert_i32_s: 0xb2, convert_i32_u: 0xb3, reinterpret_i32: 0xbe }),
  ...unary('i64', 'f32', 0, { convert_i64_s: 0xb4, convert_i64_u: 0xb5 }),
  ...unary('f64', 'f32', 0, { demote_f64: 0xb6 }),
  ...loads('f32', 0, { load: [0x2a, 2] }),
  ...stores('f32', 0, { store: [0x38, 2] }),
};

export const f64 = {
  const: f64const,
  ...binary('f64', 'f64', 'i32', 0, { eq: 0x61, ne: 0x62, lt: 0x63, gt: 0x64, le: 0x65, ge: 0x66 }),
  // biome-ignore format: opcodes in their order
  ...unary('f64', 'f64', 0, { abs: 0x99, neg: 0x9a, ceil: 0x9b, floor: 0x9c, trunc: 0x9d, nearest: 0x9e, sqrt: 0x9f }),
  // biome-ignore format: opcodes in their order
  ...binary('f64', 'f64', 'f64', 0, {
    add: 0xa0, sub: 0xa1, mul: 0xa2, div: 0xa3, min: 0xa4, max: 0xa5, copysign: 0xa6,
  }),
  ...unary('i32', 'f64', 0, { convert_i32_s: 0xb7, convert_i32_u: 0xb8 }),
  ...unary('i64', 'f64', 0, { convert_i64_s: 0xb9, convert_i64_u: 0xba, reinterpret_i64: 0xbf }),
  ...unary('f32', 'f64', 0, { promote_f32: 0xbb }),
  ...loads('f64', 0, { load: [0x2b, 3] }),
  ...stores('f64', 0, { store: [0x39, 3] }),
};

export const v128 = {
  ...unary('v128', 'v128', SIMD, { not: 0x4d }),
  ...binary('v128', 'v128', 'v128', SIMD, { and: 0x4e, andnot: 0x4f, or: 0x50, xor: 0x51 }),
  /** Bits of the first where the mask (third) has ones, of the second elsewhere. */
  ...ternary('v128', { bitselect: 0x52 }),
  ...unary('v128', 'i32', SIMD, { any_true: 0x53 }),
  // biome-ignore format: opcodes in their order
  ...loads('v128', SIMD, {
    load: [0x00, 4], load8x8_s: [0x01, 3], load8x8_u: [0x02, 3], load16x4_s: [0x03, 3], load16x4_u: [0x04, 3],
    load32x2_s: [0x05, 3], load32x2_u: [0x06, 3], load8_splat: [0x07, 0], load16_splat: [0x08, 1],
    load32_splat: [0x09, 2], load64_splat: [0x0a, 3], load32_zero: [0x5c, 2], load64_zero: [0x5d, 3],
  }),
  ...stores('v128', SIMD, { store: [0x0b, 4] }),
  load8_lane: loadLane(0x54, 0),
  load16_lane: loadLane(0x55, 1),
  load32_lane: loadLane(0x56, 2),
  load64_lane: loadLane(0x57, 3),
  store8_lane: storeLane(0x58, 0),
  store16_lane: storeLane(0x59, 1),
  store32_lane: storeLane(0x5a, 2),
  store64_lane: storeLane(0x5b, 3),
};

/** `load32_lane(address, vector, lane, offset = 0)`: the vector with one lane read from memory. */
function loadLane(op: number, align: number) {
  const head = [...opcode(SIMD | op), align];
  return (address: I32 | number, vector: V128, lane: number, offset = 0): V128 =>
    new Value('v128', [...coerce.i32(address).code, ...vector.code, ...head, ...leb(offset), lane]);
}
function storeLane(op: number, align: number) {
  const head = [...opcode(SIMD | op), align];
  return (address: I32 | number, vector: V128, lane: number, offset = 0): Statement =>
    new Value('none', [...coerce.i32(address).code, ...vector.code, ...head, ...leb(offset), lane]);
}

/** Lanes 0 to 15 come from x, 16 to 31 from y, counted in bytes. */
function shuffle(x: V128, y: V128, lanes: readonly number[]): V128 {
  if (lanes.length !== 16) throw new Error(`shuffle takes 16 byte lanes, got ${lanes.length}`);
  return new Value('v128', [...x.code, ...y.code, 0xfd, 0x0d, ...lanes]);
}
/** A shuffle counted in lanes of `width` bytes. */
function wideShuffle(width: number) {
  return (x: V128, y: V128, ...lanes: number[]): V128 =>
    shuffle(
      x,
      y,
      lanes.flatMap((lane) => Array.from({ length: width }, (_, i) => lane * width + i)),
    );
}

const shifts = (shl: number) => ({ shl, shr_s: shl + 1, shr_u: shl + 2 });
// biome-ignore format: opcodes in their order
const intCompares = (eq: number) => ({
  eq, ne: eq + 1, lt_s: eq + 2, lt_u: eq + 3, gt_s: eq + 4, gt_u: eq + 5, le_s: eq + 6, le_u: eq + 7, ge_s: eq + 8, ge_u: eq + 9,
});

export const i8x16 = {
  const: i8x16const,
  shuffle,
  ...unary('i32', 'v128', SIMD, { splat: 0x0f }),
  ...extract('i32', { extract_lane_s: 0x15, extract_lane_u: 0x16 }),
  replace_lane: replace('i32', 0x17),
  ...binary('i8x16', 'i8x16', 'v128', SIMD, intCompares(0x23)),
  ...unary('i8x16', 'v128', SIMD, { abs: 0x60, neg: 0x61, popcnt: 0x62 }),
  ...unary('i8x16', 'i32', SIMD, { all_true: 0x63, bitmask: 0x64 }),
  ...binary('i8x16', 'i32', 'v128', SIMD, shifts(0x6b)),
  // biome-ignore format: opcodes in their order
  ...binary('i8x16', 'i8x16', 'v128', SIMD, {
    swizzle: 0x0e, narrow_i16x8_s: 0x65, narrow_i16x8_u: 0x66, add: 0x6e, add_sat_s: 0x6f, add_sat_u: 0x70,
    sub: 0x71, sub_sat_s: 0x72, sub_sat_u: 0x73, min_s: 0x76, min_u: 0x77, max_s: 0x78, max_u: 0x79, avgr_u: 0x7b,
    relaxed_swizzle: 0x100,
  }),
  ...ternary('i8x16', { relaxed_laneselect: 0x109 }),
};

export const i16x8 = {
  const: i16x8const,
  /** Lanes 0 to 7 come from x, 8 to 15 from y. */
  shuffle: wideShuffle(2),
  ...unary('i32', 'v128', SIMD, { splat: 0x10 }),
  ...extract('i32', { extract_lane_s: 0x18, extract_lane_u: 0x19 }),
  replace_lane: replace('i32', 0x1a),
  ...binary('i16x8', 'i16x8', 'v128', SIMD, intCompares(0x2d)),
  // biome-ignore format: opcodes in their order
  ...unary('i16x8', 'v128', SIMD, {
    extadd_pairwise_i8x16_s: 0x7c, extadd_pairwise_i8x16_u: 0x7d, abs: 0x80, neg: 0x81,
    extend_low_i8x16_s: 0x87, extend_high_i8x16_s: 0x88, extend_low_i8x16_u: 0x89, extend_high_i8x16_u: 0x8a,
  }),
  ...unary('i16x8', 'i32', SIMD, { all_true: 0x83, bitmask: 0x84 }),
  ...binary('i16x8', 'i32', 'v128', SIMD, shifts(0x8b)),
  // biome-ignore format: opcodes in their order
  ...binary('i16x8', 'i16x8', 'v128', SIMD, {
    q15mulr_sat_s: 0x82, narrow_i32x4_s: 0x85, narrow_i32x4_u: 0x86, add: 0x8e, add_sat_s: 0x8f, add_sat_u: 0x90,
    sub: 0x91, sub_sat_s: 0x92, sub_sat_u: 0x93, mul: 0x95, min_s: 0x96, min_u: 0x97, max_s: 0x98, max_u: 0x99,
    avgr_u: 0x9b, extmul_low_i8x16_s: 0x9c, extmul_high_i8x16_s: 0x9d, extmul_low_i8x16_u: 0x9e,
    extmul_high_i8x16_u: 0x9f, relaxed_q15mulr_s: 0x111, relaxed_dot_i8x16_i7x16_s: 0x112,
  }),
  ...ternary('i16x8', { relaxed_laneselect: 0x10a }),
};

export const i32x4 = {
  const: i32x4const,
  /** Lanes 0 to 3 come from x, 4 to 7 from y. */
  shuffle: wideShuffle(4),
  ...unary('i32', 'v128', SIMD, { splat: 0x11 }),
  ...extract('i32', { extract_lane: 0x1b }),
  replace_lane: replace('i32', 0x1c),
  ...binary('i32x4', 'i32x4', 'v128', SIMD, intCompares(0x37)),
  // biome-ignore format: opcodes in their order
  ...unary('i32x4', 'v128', SIMD, {
    extadd_pairwise_i16x8_s: 0x7e, extadd_pairwise_i16x8_u: 0x7f, abs: 0xa0, neg: 0xa1,
    extend_low_i16x8_s: 0xa7, extend_high_i16x8_s: 0xa8, extend_low_i16x8_u: 0xa9, extend_high_i16x8_u: 0xaa,
  }),
  ...unary('i32x4', 'i32', SIMD, { all_true: 0xa3, bitmask: 0xa4 }),
  ...binary('i32x4', 'i32', 'v128', SIMD, shifts(0xab)),
  // biome-ignore format: opcodes in their order
  ...binary('i32x4', 'i32x4', 'v128', SIMD, {
    add: 0xae, sub: 0xb1, mul: 0xb5, min_s: 0xb6, min_u: 0xb7, max_s: 0xb8, max_u: 0xb9, dot_i16x8_s: 0xba,
    extmul_low_i16x8_s: 0xbc, extmul_high_i16x8_s: 0xbd, extmul_low_i16x8_u: 0xbe, extmul_high_i16x8_u: 0xbf,
  }),
  // biome-ignore format: opcodes in their order
  ...unary('v128', 'v128', SIMD, {
    trunc_sat_f32x4_s: 0xf8, trunc_sat_f32x4_u: 0xf9, trunc_sat_f64x2_s_zero: 0xfc, trunc_sat_f64x2_u_zero: 0xfd,
    relaxed_trunc_f32x4_s: 0x101, relaxed_trunc_f32x4_u: 0x102, relaxed_trunc_f64x2_s_zero: 0x103,
    relaxed_trunc_f64x2_u_zero: 0x104,
  }),
  ...ternary('i32x4', { relaxed_laneselect: 0x10b, relaxed_dot_i8x16_i7x16_add_s: 0x113 }),
};

export const i64x2 = {
  const: i64x2const,
  /** Lanes 0 and 1 come from x, 2 and 3 from y. */
  shuffle: wideShuffle(8),
  ...unary('i64', 'v128', SIMD, { splat: 0x12 }),
  ...extract('i64', { extract_lane: 0x1d }),
  replace_lane: replace('i64', 0x1e),
  // biome-ignore format: opcodes in their order
  ...binary('i64x2', 'i64x2', 'v128', SIMD, {
    eq: 0xd6, ne: 0xd7, lt_s: 0xd8, gt_s: 0xd9, le_s: 0xda, ge_s: 0xdb, add: 0xce, sub: 0xd1, mul: 0xd5,
    extmul_low_i32x4_s: 0xdc, extmul_high_i32x4_s: 0xdd, extmul_low_i32x4_u: 0xde, extmul_high_i32x4_u: 0xdf,
  }),
  // biome-ignore format: opcodes in their order
  ...unary('i64x2', 'v128', SIMD, {
    abs: 0xc0, neg: 0xc1,
    extend_low_i32x4_s: 0xc7, extend_high_i32x4_s: 0xc8, extend_low_i32x4_u: 0xc9, extend_high_i32x4_u: 0xca,
  }),
  ...unary('i64x2', 'i32', SIMD, { all_true: 0xc3, bitmask: 0xc4 }),
  ...binary('i64x2', 'i32', 'v128', SIMD, shifts(0xcb)),
  ...ternary('i64x2', { relaxed_laneselect: 0x10c }),
};

export const f32x4 = {
  const: f32x4const,
  /** Lanes 0 to 3 come from x, 4 to 7 from y. */
  shuffle: wideShuffle(4),
  ...unary('f32', 'v128', SIMD, { splat: 0x13 }),
  ...extract('f32', { extract_lane: 0x1f }),
  replace_lane: replace('f32', 0x20),
  // biome-ignore format: opcodes in their order
  ...binary('f32x4', 'f32x4', 'v128', SIMD, {
    eq: 0x41, ne: 0x42, lt: 0x43, gt: 0x44, le: 0x45, ge: 0x46, add: 0xe4, sub: 0xe5, mul: 0xe6, div: 0xe7,
    min: 0xe8, max: 0xe9, pmin: 0xea, pmax: 0xeb, relaxed_min: 0x10d, relaxed_max: 0x10e,
  }),
  // biome-ignore format: opcodes in their order
  ...unary('f32x4', 'v128', SIMD, {
    ceil: 0x67, floor: 0x68, trunc: 0x69, nearest: 0x6a, abs: 0xe0, neg: 0xe1, sqrt: 0xe3,
  }),
  ...unary('v128', 'v128', SIMD, { convert_i32x4_s: 0xfa, convert_i32x4_u: 0xfb, demote_f64x2_zero: 0x5e }),
  /** relaxed_madd(a, b, c) = a * b + c, relaxed_nmadd(a, b, c) = -(a * b) + c; fused where the machine can. */
  ...ternary('f32x4', { relaxed_madd: 0x105, relaxed_nmadd: 0x106 }),
};

export const f64x2 = {
  const: f64x2const,
  /** Lanes 0 and 1 come from x, 2 and 3 from y. */
  shuffle: wideShuffle(8),
  ...unary('f64', 'v128', SIMD, { splat: 0x14 }),
  ...extract('f64', { extract_lane: 0x21 }),
  replace_lane: replace('f64', 0x22),
  // biome-ignore format: opcodes in their order
  ...binary('f64x2', 'f64x2', 'v128', SIMD, {
    eq: 0x47, ne: 0x48, lt: 0x49, gt: 0x4a, le: 0x4b, ge: 0x4c, add: 0xf0, sub: 0xf1, mul: 0xf2, div: 0xf3,
    min: 0xf4, max: 0xf5, pmin: 0xf6, pmax: 0xf7, relaxed_min: 0x10f, relaxed_max: 0x110,
  }),
  // biome-ignore format: opcodes in their order
  ...unary('f64x2', 'v128', SIMD, {
    ceil: 0x74, floor: 0x75, trunc: 0x7a, nearest: 0x94, abs: 0xec, neg: 0xed, sqrt: 0xef,
  }),
  // biome-ignore format: opcodes in their order
  ...unary('v128', 'v128', SIMD, { convert_low_i32x4_s: 0xfe, convert_low_i32x4_u: 0xff, promote_low_f32x4: 0x5f }),
  ...ternary('f64x2', { relaxed_madd: 0x107, relaxed_nmadd: 0x108 }),
};

export const memory = {
  /** Copies n bytes; the ranges may overlap. */
  copy: (to: I32 | number, from: I32 | number, n: I32 | number): Statement =>
    new Value('none', [...coerce.i32(to).code, ...coerce.i32(from).code, ...coerce.i32(n).code, 0xfc, 0x0a, 0, 0]),
  fill: (to: I32 | number, byte: I32 | number, n: I32 | number): Statement =>
    new Value('none', [...coerce.i32(to).code, ...coerce.i32(byte).code, ...coerce.i32(n).code, 0xfc, 0x0b, 0]),
  /** Size in pages of 64 KiB. */
  size: (): I32 => new Value('i32', [0x3f, 0]),
};

const TYPE_BYTES = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b, none: 0x40 } as const;
export function typeByte(type: Type | 'none'): number {
  return TYPE_BYTES[type];
}

/** `a` if the condition is not 0, else `b`; both are computed. */
export function select<T extends Type>(condition: I32, a: Value<T>, b: Value<T>): Value<T> {
  const op = a.type === 'v128' ? [0x1c, 1, 0x7b] : [0x1b];
  return new Value(a.type, [...a.code, ...b.code, ...condition.code, ...op]);
}

/** `a` if the condition is not 0, else `b`; only that one is computed. */
export function choose<T extends Type>(condition: I32, a: Value<T>, b: Value<T>): Value<T> {
  return new Value(a.type, [...condition.code, 0x04, typeByte(a.type), ...a.code, 0x05, ...b.code, 0x0b]);
}

/** A number as a constant of a scalar type; values as they are. */
export function constant<T extends 'i32' | 'i64' | 'f32' | 'f64'>(type: T, x: Arg<T>): Value<T> {
  return (coerce[type] as (x: Arg<T>) => Value)(x) as Value<T>;
}
