/** Binary search of values in sorted rows: how many boundaries lie before each value. */
import type { DType } from '../../core/dtype.ts';
import { loadScalar } from './elements.ts';
import { f32, f64, i32, type I32, i64, type Local, WasmModule } from './emitter.ts';
import { computeType } from './types.ts';

/** Positions of the words. All operands are contiguous. */
export const SEARCH = {
  begin: 0,
  end: 1,
  boundaries: 2,
  /** Boundaries of a row. */
  length: 3,
  values: 4,
  /** Values that share a row of boundaries; 0: all of them. */
  perRow: 5,
  out: 6,
  /** 1: a boundary equal to the value lies before it. */
  right: 7,
  /** 1: the results are int32. */
  narrow: 8,
} as const;
export const SEARCH_WORDS = 9;

export function searchKernel(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const compute = computeType(dtype);
  m.kernel((f, args) => {
    const [begin, end, boundaries, length, values, perRow, out, right, narrow] = f.words(args, SEARCH_WORDS);
    const [i, row, low, high] = Array.from({ length: 4 }, () => f.local('i32'));
    f.set(row, boundaries);
    f.for(i, begin, end, 1, () => {
      const value = f.let(loadScalar(f, dtype, compute, i32.add(values, i32.mul(i, dtype.itemsize))) as never) as Local;
      f.if(perRow, () => {
        f.set(row, i32.add(boundaries, i32.mul(i32.mul(i32.div_u(i, perRow), length), dtype.itemsize)));
      });
      f.set(low, 0);
      f.set(high, length);
      f.while(i32.lt_u(low, high), () => {
        const middle = f.let(i32.add(low, i32.shr_u(i32.sub(high, low), 1)));
        const at = i32.add(row, i32.mul(middle, dtype.itemsize));
        const boundary = f.let(loadScalar(f, dtype, compute, at) as never) as Local;
        // As comparisons with NaN go: a NaN lies behind everything.
        const behind = f.local('i32');
        f.if(
          right,
          () => f.set(behind, compare('gt', boundary, value)),
          () => f.set(behind, compare('ge', boundary, value)),
        );
        f.if(
          behind,
          () => f.set(high, middle),
          () => f.set(low, i32.add(middle, 1)),
        );
      });
      f.if(
        narrow,
        () => f.do(i32.store(i32.add(out, i32.shl(i, 2)), low)),
        () => f.do(i64.store(i32.add(out, i32.shl(i, 3)), i64.extend_i32_u(low))),
      );
    });
    return undefined;
  });
  return m.toBytes();
}

function compare(how: 'gt' | 'ge', a: Local, b: Local): I32 {
  if (a.type === 'f32') return f32[how](a as Local<'f32'>, b as Local<'f32'>);
  if (a.type === 'f64') return f64[how](a as Local<'f64'>, b as Local<'f64'>);
  if (a.type === 'i64') return i64[`${how}_s`](a as Local<'i64'>, b as Local<'i64'>);
  return i32[`${how}_s`](a as Local<'i32'>, b as Local<'i32'>);
}
