/**
 * The integers in the type that matrix multiply computes them in: 8 and 16 bits in 16-bit lanes, since a product's low bits
 * depend on nothing above them, the others in lanes of their own. Packing widens, storing keeps the low bits: results wrap.
 */
import type { DType } from '../../core/dtype.ts';
import {
  i16x8,
  i32,
  type I32,
  i32x4,
  i64,
  i64x2,
  i8x16,
  type Local,
  type Statement,
  type V128,
  v128,
  type Value,
} from './emitter.ts';
import type { FloatOps } from './float-ops.ts';
import type { Source } from './float-source.ts';

/** What packing and the inner loop need: of packed elements. */
type Packed = Pick<
  FloatOps,
  'bytes' | 'lanes' | 'vload' | 'vloadSplat' | 'vstore' | 'vmadd' | 'vzero' | 'store' | 'zero'
>;

export interface IntegerOps extends Packed {
  /** Elements in memory. */
  readonly source: Pick<Source, 'bytes' | 'load' | 'vload'>;
  /** The type of a single element. */
  readonly scalar: 'i32' | 'i64';
  add(a: Value, b: Value): Value;
  mul(a: Value, b: Value): Value;
  constant(x: number): Value;
  eq(a: Value, b: Value): I32;
  lane(x: V128, lane: number): Value;
  load(address: I32): Value;
  /** Stores an element in memory, of its own width. */
  storeElement(address: I32, value: Value): Statement;
  /** A factor of the launch, from its two words. */
  factor(address: I32, offset: number): Value;
  /** Stores two vectors of sums side by side. */
  storeRow(address: Local<'i32'>, low: V128, high: V128): Statement[];
}

const wide: Pick<IntegerOps, 'scalar' | 'add' | 'mul' | 'constant' | 'eq' | 'factor'> = {
  scalar: 'i64',
  add: (a, b) => i64.add(a as Value<'i64'>, b as Value<'i64'>),
  mul: (a, b) => i64.mul(a as Value<'i64'>, b as Value<'i64'>),
  constant: (x) => i64.const(x),
  eq: (a, b) => i64.eq(a as Value<'i64'>, b as Value<'i64'>),
  factor: i64.load,
};
/** The low word of a factor is enough. */
const narrow: Pick<IntegerOps, 'scalar' | 'add' | 'mul' | 'constant' | 'eq' | 'factor'> = {
  scalar: 'i32',
  add: (a, b) => i32.add(a as I32, b as I32),
  mul: (a, b) => i32.mul(a as I32, b as I32),
  constant: (x) => i32.const(x),
  eq: (a, b) => i32.eq(a as I32, b as I32),
  factor: i32.load,
};
const bothWhole = (address: Local<'i32'>, low: V128, high: V128): Statement[] => [
  v128.store(address, low),
  v128.store(address, high, 16),
];
/** The low bytes of sixteen sums. */
const EVEN_BYTES = Array.from({ length: 16 }, (_, i) => 2 * i);
const lowBytes = (address: Local<'i32'>, low: V128, high: V128): Statement[] => [
  v128.store(address, i8x16.shuffle(low, high, EVEN_BYTES)),
];

interface Vector {
  add(a: V128, b: V128): V128;
  mul(a: V128, b: V128): V128;
  const(x: number): V128;
}
/** Vectors by the bytes of a packed element. */
const VECTORS = {
  2: { vector: i16x8 as Vector, lane: i16x8.extract_lane_s, splat: v128.load16_splat, store: i32.store16 },
  4: { vector: i32x4 as Vector, lane: i32x4.extract_lane, splat: v128.load32_splat, store: i32.store },
  8: { vector: i64x2 as Vector, lane: i64x2.extract_lane, splat: v128.load64_splat, store: i64.store },
};

/** Elements in memory: how one is read and stored, and as many as a vector has lanes. */
function inMemory({ itemsize, is_signed }: DType) {
  switch (itemsize) {
    case 8:
      return { load: i64.load, store: i64.store, vload: v128.load };
    case 4:
      return { load: i32.load, store: i32.store, vload: v128.load };
    case 2:
      return { load: i32.load16_s, store: i32.store16, vload: v128.load };
    default:
      return is_signed
        ? { load: i32.load8_s, store: i32.store8, vload: v128.load8x8_s }
        : { load: i32.load8_u, store: i32.store8, vload: v128.load8x8_u };
  }
}

type Store = (address: I32, value: Value, offset?: number) => Statement;

export function integerOps(dtype: DType): IntegerOps {
  const bytes = Math.max(2, dtype.itemsize) as 2 | 4 | 8;
  const { vector, lane, splat, store } = VECTORS[bytes];
  const element = inMemory(dtype);
  const storeElement = element.store as Store;
  const scalar = bytes === 8 ? wide : narrow;
  return {
    ...scalar,
    bytes,
    lanes: 16 / bytes,
    vload: v128.load,
    vloadSplat: splat,
    vstore: v128.store,
    vmadd: (a, b, c) => vector.add(c, vector.mul(a, b)),
    vzero: () => vector.const(0),
    store: store as Store,
    zero: () => scalar.constant(0),
    lane,
    load: element.load,
    storeElement,
    storeRow: dtype.itemsize === 1 ? lowBytes : bothWhole,
    source: {
      bytes: dtype.itemsize,
      load: (_, address, offset) => element.load(address, offset),
      vload: (_, address, offset) => element.vload(address, offset),
    },
  };
}
