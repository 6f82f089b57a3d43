/**
 * Finding what is not zero: how many elements there are, or their coordinates in row-major order.
 */
import type { DType } from '../../core/dtype.ts';
import { i32, type I32, i64, type Local, WasmModule } from './emitter.ts';

/** Positions of the words. Strides are in bytes. */
export const NZ = {
  out: 0,
  x: 1,
  length: 2,
  rank: 3,
  /** For each dimension, outermost first: size and stride. */
  dims: 4,
} as const;

/** Whether an element is not zero. Floats have two zeros: their sign is shifted out. */
function isNotZero(dtype: DType, at: Local<'i32'>): I32 {
  const float = dtype.is_floating_point;
  switch (dtype.itemsize) {
    case 8:
      return i64.ne(float ? i64.shl(i64.load(at), 1) : i64.load(at), 0);
    case 4:
      return i32.ne(float ? i32.shl(i32.load(at), 1) : i32.load(at), 0);
    case 2:
      return i32.ne(float ? i32.and(i32.load16_u(at), 0x7fff) : i32.load16_u(at), 0);
    default:
      return i32.ne(i32.load8_u(at), 0);
  }
}

/** The kernel's bytes: writes coordinates as int64 [count, rank], or else the count as one int64. */
export function nonzeroKernel(dtype: DType, coordinates: boolean): Uint8Array {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const [out, base, length, rank] = f.words(args, 4);
    const dims = f.let(i32.add(args, NZ.dims * 4));
    const dimsEnd = f.let(i32.add(dims, i32.shl(rank, 3)));
    const [first, at, j, rest, dim, index, count, inner, step] = Array.from({ length: 9 }, () => f.local('i32'));
    // The last dimension is the inner loop; a tensor of no dimensions is one element.
    f.set(inner, 1);
    f.if(rank, () => {
      f.set(inner, i32.load(i32.sub(dimsEnd, 8)));
      f.set(step, i32.load(i32.sub(dimsEnd, 8), 4));
    });
    /** Splits `rest` over the dimensions from `last` inwards, giving each its coordinate. */
    const eachDim = (last: I32, body: () => void): void => {
      f.set(dim, last);
      f.while(i32.gt_u(dim, dims), () => {
        f.inc(dim, -8);
        const size = f.let(i32.load(dim));
        f.set(index, i32.rem_u(rest, size));
        f.set(rest, i32.div_u(rest, size));
        body();
      });
    };
    f.for(first, 0, length, inner, () => {
      f.set(at, base);
      f.if(rank, () => {
        f.set(rest, i32.div_u(first, inner));
        eachDim(i32.sub(dimsEnd, 8), () => f.inc(at, i32.mul(index, i32.load(dim, 4))));
      });
      f.for(j, 0, inner, 1, () => {
        if (coordinates) {
          f.if(isNotZero(dtype, at), () => {
            f.set(rest, i32.add(first, j));
            const to = f.let(i32.add(out, i32.shl(rank, 3)));
            eachDim(dimsEnd, () => {
              f.inc(to, -8);
              f.do(i64.store(to, i64.extend_i32_u(index)));
            });
            f.inc(out, i32.shl(rank, 3));
          });
        } else f.inc(count, isNotZero(dtype, at));
        f.inc(at, step);
      });
    });
    if (!coordinates) f.do(i64.store(out, i64.extend_i32_u(count)));
    return undefined;
  });
  return m.toBytes();
}
