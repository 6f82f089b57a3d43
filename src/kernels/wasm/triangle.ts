/**
 * The lower or upper triangle of matrices: every row keeps some elements and has zeros elsewhere. Bytes are moved, so
 * one kernel serves every dtype.
 */
import { i32, type I32, type Local, memory, WasmModule } from './emitter.ts';

/** Positions of the words. The range counts rows; input and output are contiguous, and may be one. */
export const TRI = {
  begin: 0,
  end: 1,
  out: 2,
  input: 3,
  /** Rows and columns of a matrix. */
  rows: 4,
  columns: 5,
  diagonal: 6,
  itemsize: 7,
  /** 1: the lower triangle. */
  lower: 8,
} as const;
export const TRI_WORDS = 9;

export function triangleKernel(): Uint8Array {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const [begin, end, out, input, rows, columns, diagonal, itemsize, lower] = f.words(args, TRI_WORDS);
    const row = f.local('i32');
    const width = f.let(i32.mul(columns, itemsize));
    /** Limits to 0 … columns. */
    const limit = (x: I32): Local<'i32'> => {
      const value = f.let(x);
      f.if(i32.lt_s(value, 0), () => f.set(value, 0));
      f.if(i32.gt_s(value, columns), () => f.set(value, columns));
      return value;
    };
    const shift = f.let(i32.add(diagonal, lower));
    f.for(row, begin, end, 1, () => {
      const to = f.let(i32.add(out, i32.mul(row, width)));
      const from = f.let(i32.add(input, i32.mul(row, width)));
      const border = limit(i32.add(i32.rem_u(row, rows), shift));
      f.set(border, i32.mul(border, itemsize));
      const rest = f.let(i32.sub(width, border));
      f.if(
        lower,
        () => {
          f.if(i32.ne(to, from), () => f.do(memory.copy(to, from, border)));
          f.do(memory.fill(i32.add(to, border), 0, rest));
        },
        () => {
          f.if(i32.ne(to, from), () => f.do(memory.copy(i32.add(to, border), i32.add(from, border), rest)));
          f.do(memory.fill(to, 0, border));
        },
      );
    });
    return undefined;
  });
  return m.toBytes();
}
