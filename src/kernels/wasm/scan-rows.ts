/**
 * The code of scans that a row goes through on its own: running extremes with their positions, and the running logarithm
 * of sums of exponentials.
 *
 * Words; addresses and strides in bytes, strides may be negative:
 *
 *     0, 1          first row, end
 *     HEAD          see `RowScanWord`
 *     dims          the rows' dimensions: size, stride of the input, of the values, of the positions
 */
import type { DType } from '../../core/dtype.ts';
import { loadScalar, storeScalar } from './elements.ts';
import {
  type Func,
  f32,
  f64,
  type I32,
  i32,
  i64,
  type Local,
  type ModuleOptions,
  type Value,
  WasmModule,
} from './emitter.ts';
import { identity, narrow, widen } from './reduce-combine.ts';
import { emitCoordinates } from './reduce-frame.ts';
import { type Compute, computeType } from './types.ts';

export const RowScanWord = {
  /** Elements of a row. */
  length: 2,
  dims: 3,
  /** Of the input, the values and the positions: address, then stride along the row. */
  addresses: 4,
  strides: 7,
} as const;
export const ROW_SCAN_HEAD = 10;
/** Words of a dimension. */
export const ROW_SCAN_DIM = 4;

/** What is done with an element: `x` is loaded, `to` and `place` are where results go, `k` counts from 0. */
type Step = (x: Value, to: Local<'i32'>, place: Local<'i32'>, k: Local<'i32'>) => void;

function rowScan(dtype: DType, begin: (f: Func) => { reset(): void; step: Step }, options?: ModuleOptions): Uint8Array {
  const compute = computeType(dtype);
  const m = new WasmModule(options);
  m.kernel((f, args) => {
    const [first, end, length, dims, from, to, places, inStride, outStride, placeStride] = f.words(args, ROW_SCAN_HEAD);
    const [row, rest, dim, coordinate, k] = Array.from({ length: 5 }, () => f.local('i32'));
    const [input, output, place] = Array.from({ length: 3 }, () => f.local('i32'));
    const table = f.let(i32.add(args, ROW_SCAN_HEAD * 4));
    const { reset, step } = begin(f);
    f.for(row, first, end, 1, () => {
      f.set(rest, row);
      f.set(input, from);
      f.set(output, to);
      f.set(place, places);
      emitCoordinates(f, rest, dim, coordinate, table, dims, ROW_SCAN_DIM * 4, () => {
        f.inc(input, i32.mul(coordinate, i32.load(dim, 4)));
        f.inc(output, i32.mul(coordinate, i32.load(dim, 8)));
        f.inc(place, i32.mul(coordinate, i32.load(dim, 12)));
      });
      reset();
      f.for(k, 0, length, 1, () => {
        step(f.let(loadScalar(f, dtype, compute, input) as I32), output, place, k);
        f.inc(input, inStride);
        f.inc(output, outStride);
        f.inc(place, placeStride);
      });
    });
  });
  return m.toBytes();
}

/** Largest or smallest element so far and its position: of equal ones the last; from the first NaN on NaN, of which the last, too. */
export function extremeScan(dtype: DType, combine: 'max' | 'min', options?: ModuleOptions): Uint8Array {
  const compute = computeType(dtype);
  return rowScan(
    dtype,
    (f) => {
      const best = f.let(identity(combine, compute) as I32);
      const at = f.local('i32');
      return {
        reset: () => f.set(best, identity(combine, compute) as I32),
        step: (x, to, place, k) => {
          f.if(takes(combine, compute, x, best), () => {
            f.set(best, x as I32);
            f.set(at, k);
          });
          storeScalar(f, compute, dtype, to, best);
          f.do(i64.store(place, i64.extend_i32_u(at)));
        },
      };
    },
    options,
  );
}

function takes(combine: 'max' | 'min', compute: Compute, x: Value, best: Value): I32 {
  if (compute === 'f32' || compute === 'f64') {
    const o = (compute === 'f32' ? f32 : f64) as typeof f32;
    const [a, b] = [x as Value<'f32'>, best as Value<'f32'>];
    // Nothing is reached by what is already NaN.
    return i32.or(o.ne(a, a), combine === 'max' ? o.ge(a, b) : o.le(a, b));
  }
  const o = (compute === 'i32' ? i32 : i64) as typeof i32;
  return combine === 'max' ? o.ge_s(x as I32, best as I32) : o.le_s(x as I32, best as I32);
}

/** log(exp(x[0]) + … + exp(x[k])), in float64. */
export function logSumExpScan(dtype: DType, options?: ModuleOptions): Uint8Array {
  const compute = computeType(dtype);
  return rowScan(
    dtype,
    (f) => {
      const exp = f.module.import('math', 'exp', ['f64'], 'f64');
      const log1p = f.module.import('math', 'log1p', ['f64'], 'f64');
      const sum = f.local('f64');
      return {
        reset: () => f.set(sum, f64.const(Number.NEGATIVE_INFINITY)),
        step: (value, to) => {
          const x = f.let(widen(value, 'f64') as Value<'f64'>);
          const high = f.let(f64.max(x, sum));
          const low = f.let(f64.min(x, sum));
          f.if(
            // Of two equal infinities the difference is no number.
            i32.and(f64.eq(low, high), f64.eq(f64.abs(low), f64.const(Number.POSITIVE_INFINITY))),
            () => f.set(sum, x),
            () => f.set(sum, f64.add(high, log1p.call(exp.call(f64.sub(low, high))))),
          );
          storeScalar(f, compute, dtype, to, f.let(narrow(sum, compute) as I32));
        },
      };
    },
    options,
  );
}
