/**
 * Draws with replacement from rows of weights, as PyTorch's CPU code makes them of uniform numbers: running sums one by
 * one in the weights' own precision (float32 for half types), divided by the last, and a binary search for each draw.
 */
import { type DType, float64 } from '../../core/dtype.ts';
import { RuntimeError } from '../../core/errors.ts';
import { defineFault } from '../faults.ts';
import { loadScalar } from './elements.ts';
import { f32, f64, i32, type I32, i64, type Local, WasmModule } from './emitter.ts';
import { computeType } from './types.ts';

/** Positions of the words. Strides are in bytes; uniforms (float64) and results (int64) are contiguous. */
export const MULTINOMIAL = {
  begin: 0,
  end: 1,
  weights: 2,
  rowStride: 3,
  stride: 4,
  categories: 5,
  uniforms: 6,
  samples: 7,
  out: 8,
  /** Room for the sums of one row. */
  sums: 9,
} as const;
export const MULTINOMIAL_WORDS = 10;

const FAULT_NEGATIVE = defineFault(
  () => new RuntimeError('invalid multinomial distribution (encountering probability entry < 0)'),
);
const FAULT_INFINITE = defineFault(
  () => new RuntimeError('invalid multinomial distribution (encountering probability entry = infinity or NaN)'),
);
const FAULT_NOTHING = defineFault(
  () => new RuntimeError('invalid multinomial distribution (sum of probabilities <= 0)'),
);

export function multinomialKernel(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const double = dtype === float64;
  const type = double ? 'f64' : 'f32';
  const k = (double ? f64 : f32) as typeof f32;
  const bytes = double ? 8 : 4;
  m.kernel((f, args) => {
    const [begin, end, weights, rowStride, stride, categories, uniforms, samples, out, sums] = f.words(
      args,
      MULTINOMIAL_WORDS,
    );
    const [row, j, at, to, low, high] = Array.from({ length: 6 }, () => f.local('i32'));
    const sum = f.local(type as 'f32');
    const sumsEnd = f.let(i32.add(sums, i32.mul(categories, bytes)));
    f.for(row, begin, end, 1, () => {
      f.set(sum, 0);
      f.set(at, i32.add(weights, i32.mul(row, rowStride)));
      f.for(to, sums, sumsEnd, bytes, () => {
        const weight = f.let(loadScalar(f, dtype, computeType(dtype), at) as never) as unknown as Local<'f32'>;
        f.if(k.lt(weight, 0), () => f.return(i32.const(FAULT_NEGATIVE)));
        f.if(i32.eqz(k.lt(weight, Infinity)), () => f.return(i32.const(FAULT_INFINITE)));
        f.set(sum, k.add(sum, weight));
        f.do(k.store(to, sum));
        f.inc(at, stride);
      });
      f.if(i32.eqz(k.gt(sum, 0)), () => f.return(i32.const(FAULT_NOTHING)));
      f.for(to, sums, sumsEnd, bytes, () => f.do(k.store(to, k.div(k.load(to), sum))));
      f.do(k.store(i32.sub(sumsEnd, bytes), 1));
      f.for(j, 0, samples, 1, () => {
        const place = f.let(i32.shl(i32.add(i32.mul(row, samples), j), 3));
        const uniform = f.let(f64.load(i32.add(uniforms, place)));
        f.set(low, 0);
        f.set(high, categories);
        f.while(i32.lt_u(low, high), () => {
          const middle = f.let(i32.add(low, i32.shr_u(i32.sub(high, low), 1)));
          const where: I32 = i32.add(sums, i32.mul(middle, bytes));
          const reached = double ? f64.load(where) : f64.promote_f32(f32.load(where));
          f.if(
            f64.lt(reached, uniform),
            () => f.set(low, i32.add(middle, 1)),
            () => f.set(high, middle),
          );
        });
        f.do(i64.store(i32.add(out, place), i64.extend_i32_u(low)));
      });
    });
    return undefined;
  });
  return m.toBytes();
}
