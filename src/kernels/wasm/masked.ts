/**
 * Elements where a mask is true: packed one after the other into a result, or replaced in order by those of a source. Both
 * walk the mask in row-major order on one thread, since every place depends on what came before.
 */
import { i32, type Local, WasmModule } from './emitter.ts';
import { mover } from './indexed-elements.ts';

/** Positions of the words. Strides are in bytes; the packed operand is contiguous. */
export const MASKED = {
  /** What is picked from, or changed. */
  x: 0,
  mask: 1,
  packed: 2,
  /** How many elements the packed operand has. */
  count: 3,
  length: 4,
  rank: 5,
  /** For each dimension, outermost first: size, stride of x, of the mask. */
  dims: 6,
} as const;
export const MASKED_DIM_WORDS = 3;

/** @param fault for a source that has not enough elements; null: elements are picked */
export function maskedKernel(itemsize: number, fault: number | null): Uint8Array {
  const m = new WasmModule();
  const move = mover(itemsize);
  m.kernel((f, args) => {
    const [x, mask, packed, count, length, rank] = f.words(args, MASKED.dims);
    const dims = f.let(i32.add(args, MASKED.dims * 4));
    const dimsEnd = f.let(i32.add(dims, i32.mul(rank, MASKED_DIM_WORDS * 4)));
    const [first, at, truth, j, rest, dim, inner, step, maskStep] = Array.from({ length: 9 }, () => f.local('i32'));
    const last = f.let(i32.sub(dimsEnd, MASKED_DIM_WORDS * 4));
    f.set(inner, 1);
    f.if(rank, () => {
      f.set(inner, i32.load(last));
      f.set(step, i32.load(last, 4));
      f.set(maskStep, i32.load(last, 8));
    });
    const to = f.let(packed);
    const left = f.let(count);
    f.for(first, 0, length, inner, () => {
      f.set(at, x);
      f.set(truth, mask);
      f.set(rest, i32.div_u(first, inner));
      f.set(dim, last);
      f.while(i32.gt_u(dim, dims), () => {
        f.inc(dim, -MASKED_DIM_WORDS * 4);
        const size = f.let(i32.load(dim));
        const index: Local<'i32'> = f.let(i32.rem_u(rest, size));
        f.set(rest, i32.div_u(rest, size));
        f.inc(at, i32.mul(index, i32.load(dim, 4)));
        f.inc(truth, i32.mul(index, i32.load(dim, 8)));
      });
      f.for(j, 0, inner, 1, () => {
        f.if(i32.load8_u(truth), () => {
          if (fault !== null) {
            f.if(i32.eqz(left), () => f.return(i32.const(fault)));
            f.inc(left, -1);
            move.one(f, at, to);
          } else move.one(f, to, at);
          f.inc(to, itemsize);
        });
        f.inc(at, step);
        f.inc(truth, maskStep);
      });
    });
    return undefined;
  });
  return m.toBytes();
}
