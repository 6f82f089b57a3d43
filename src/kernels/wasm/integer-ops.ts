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
  /** Elements in memory. `Source.type` means nothing here. */
  readonly source: Omit<Source, 'type'>;
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

export function integerOps(dtype: DType): IntegerOps {
  const { itemsize, is_signed } = dtype;
  if (itemsize === 8) {
    const load = (address: I32, offset?: number) => i64.load(address, offset);
    const store = (address: I32, value: Value, offset?: number) => i64.store(address, value as Value<'i64'>, offset);
    return {
      ...wide,
      bytes: 8,
      lanes: 2,
      vload: v128.load,
      vloadSplat: v128.load64_splat,
      vstore: v128.store,
      vmadd: (a, b, c) => i64x2.add(c, i64x2.mul(a, b)),
      vzero: () => i64x2.const(0),
      store,
      zero: () => i64.const(0),
      lane: i64x2.extract_lane,
      load,
      storeElement: store,
      storeRow: bothWhole,
      source: plainSource(8, load, store, v128.load),
    };
  }
  const load = itemsize === 4 ? i32.load : itemsize === 2 ? i32.load16_s : is_signed ? i32.load8_s : i32.load8_u;
  const put = itemsize === 4 ? i32.store : itemsize === 2 ? i32.store16 : i32.store8;
  const storeElement = (address: I32, value: Value, offset?: number) => put(address, value as I32, offset);
  if (itemsize === 4) {
    return {
      ...narrow,
      bytes: 4,
      lanes: 4,
      vload: v128.load,
      vloadSplat: v128.load32_splat,
      vstore: v128.store,
      vmadd: (a, b, c) => i32x4.add(c, i32x4.mul(a, b)),
      vzero: () => i32x4.const(0),
      store: storeElement,
      zero: () => i32.const(0),
      lane: i32x4.extract_lane,
      load,
      storeElement,
      storeRow: bothWhole,
      source: plainSource(4, load, storeElement, v128.load),
    };
  }
  const vload = itemsize === 2 ? v128.load : is_signed ? v128.load8x8_s : v128.load8x8_u;
  return {
    ...narrow,
    bytes: 2,
    lanes: 8,
    vload: v128.load,
    vloadSplat: v128.load16_splat,
    vstore: v128.store,
    vmadd: (a, b, c) => i16x8.add(c, i16x8.mul(a, b)),
    vzero: () => i16x8.const(0),
    store: (address, value, offset) => i32.store16(address, value as I32, offset),
    zero: () => i32.const(0),
    lane: i16x8.extract_lane_s,
    load,
    storeElement,
    storeRow:
      itemsize === 2 ? bothWhole : (address, low, high) => [v128.store(address, i8x16.shuffle(low, high, EVEN_BYTES))],
    source: plainSource(itemsize, load, storeElement, vload),
  };
}

function plainSource(
  bytes: number,
  load: (address: I32, offset?: number) => Value,
  store: (address: I32, value: Value, offset?: number) => Statement,
  vload: (address: I32, offset?: number) => V128,
): IntegerOps['source'] {
  return {
    bytes,
    load: (_, address, offset) => load(address, offset),
    vload: (_, address, offset) => vload(address, offset),
    store: (_, address, value, offset) => store(address, value, offset),
    vstore: (_, address, value, offset) => v128.store(address, value, offset),
  };
}
