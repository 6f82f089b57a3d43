/**
 * What gather and scatter do with elements: copy them, or combine them with what is there. One at a time, or a run of elements
 * side by side in both operands.
 */
import type { DType } from '../../core/dtype.ts';
import {
  type Func,
  i16x8,
  i32,
  type I32,
  i32x4,
  i64,
  i64x2,
  i8x16,
  type Local,
  memory,
  type V128,
  v128,
  type WasmModule,
} from './emitter.ts';
import { source } from './float-source.ts';
import { floatOps } from './float-ops.ts';
import { loadScalar, storeScalar } from './elements.ts';
import { combineScalars } from './reduce-combine.ts';
import { computeType } from './types.ts';

export interface Combine {
  one(f: Func, to: I32, from: I32): void;
  /** `count` elements side by side; may change the pointers. */
  run(f: Func, to: Local<'i32'>, from: Local<'i32'>, count: Local<'i32'>): void;
}

/** Runs up to this many bytes are copied here, longer ones by the engine's own function. */
const SHORT_RUN = 512;

/** Copies elements of a size. */
export function mover(bytes: number): Combine {
  const one = (f: Func, to: I32, from: I32): void => {
    if (bytes === 8) f.do(i64.store(to, i64.load(from)));
    else if (bytes === 4) f.do(i32.store(to, i32.load(from)));
    else if (bytes === 2) f.do(i32.store16(to, i32.load16_u(from)));
    else f.do(i32.store8(to, i32.load8_u(from)));
  };
  return {
    one,
    run(f, to, from, count) {
      const end = f.let(i32.add(to, i32.mul(count, bytes)));
      f.if(i32.gt_u(count, SHORT_RUN / bytes), () => {
        f.do(memory.copy(to, from, i32.mul(count, bytes)));
        f.set(to, end);
      });
      vectorsThenOnes(f, to, from, end, 16, bytes, () => f.do(v128.store(to, v128.load(from))), one);
    },
  };
}

/** Adds elements; bool as "or". Sums of half types are rounded at every addition. */
export function adder(dtype: DType, m: WasmModule): Combine {
  const { itemsize } = dtype;
  if (dtype.is_floating_point) {
    const s = source(dtype, m);
    const t = floatOps(s.type, m);
    const one = (f: Func, to: I32, from: I32): void => f.do(s.store(f, to, t.add(s.load(f, to), s.load(f, from))));
    return {
      one,
      run(f, to, from, count) {
        const end = f.let(i32.add(to, i32.mul(count, itemsize)));
        const vector = (): void => f.do(s.vstore(f, to, t.vadd(s.vload(f, to), s.vload(f, from))));
        vectorsThenOnes(f, to, from, end, t.lanes * itemsize, itemsize, vector, one);
      },
    };
  }
  const add = dtype.name === 'bool' ? v128.or : addLanes(itemsize);
  const one = (f: Func, to: I32, from: I32): void => {
    if (dtype.name === 'bool') f.do(i32.store8(to, i32.or(i32.load8_u(to), i32.load8_u(from))));
    else if (itemsize === 8) f.do(i64.store(to, i64.add(i64.load(to), i64.load(from))));
    else if (itemsize === 4) f.do(i32.store(to, i32.add(i32.load(to), i32.load(from))));
    else if (itemsize === 2) f.do(i32.store16(to, i32.add(i32.load16_u(to), i32.load16_u(from))));
    else f.do(i32.store8(to, i32.add(i32.load8_u(to), i32.load8_u(from))));
  };
  return {
    one,
    run(f, to, from, count) {
      const end = f.let(i32.add(to, i32.mul(count, itemsize)));
      const vector = (): void => f.do(v128.store(to, add(v128.load(to), v128.load(from))));
      vectorsThenOnes(f, to, from, end, 16, itemsize, vector, one);
    },
  };
}

/** Multiplies elements, or keeps the larger or smaller one (NaN before all); half types are rounded every time. */
export function combiner(combine: 'prod' | 'max' | 'min', dtype: DType): Combine {
  const compute = computeType(dtype);
  const one = (f: Func, to: I32, from: I32): void => {
    const a = f.let(loadScalar(f, dtype, compute, to) as I32);
    const b = f.let(loadScalar(f, dtype, compute, from) as I32);
    storeScalar(f, compute, dtype, to, f.let(combineScalars(combine, compute, a, b) as I32));
  };
  return {
    one,
    run(f, to, from, count) {
      const end = f.let(i32.add(to, i32.mul(count, dtype.itemsize)));
      f.while(i32.ne(to, end), () => {
        one(f, to, from);
        f.inc(to, dtype.itemsize);
        f.inc(from, dtype.itemsize);
      });
    },
  };
}

function addLanes(bytes: number): (a: V128, b: V128) => V128 {
  return bytes === 8 ? i64x2.add : bytes === 4 ? i32x4.add : bytes === 2 ? i16x8.add : i8x16.add;
}

/** Steps of `wide` bytes while they fit before `end`, then of `bytes`. */
function vectorsThenOnes(
  f: Func,
  to: Local<'i32'>,
  from: Local<'i32'>,
  end: Local<'i32'>,
  wide: number,
  bytes: number,
  vector: () => void,
  one: (f: Func, to: I32, from: I32) => void,
): void {
  // Distances, not addresses, are compared: addresses may reach 2^32.
  f.while(i32.ge_u(i32.sub(end, to), wide), () => {
    vector();
    f.inc(to, wide);
    f.inc(from, wide);
  });
  f.while(i32.ne(to, end), () => {
    one(f, to, from);
    f.inc(to, bytes);
    f.inc(from, bytes);
  });
}
