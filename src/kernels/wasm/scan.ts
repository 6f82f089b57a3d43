/**
 * The code of scans: running sums and products along rows, several rows at a time, since within one each step waits for
 * the one before.
 *
 * Words; addresses and strides in bytes, strides may be negative:
 *
 *     0, 1          first strip of rows, end
 *     HEAD          see `ScanWord`
 *     dims          the rows' dimensions except the innermost: size, stride of the input, of the output
 */
import type { DType } from '../../core/dtype.ts';
import { type Func, type I32, i32, type Local, type ModuleOptions, WasmModule } from './emitter.ts';
import { loadScalar, storeScalar } from './elements.ts';
import { combineScalars, identity, narrow, widen } from './reduce-combine.ts';
import { emitCoordinates } from './reduce-frame.ts';
import type { Compute } from './types.ts';

export const ScanWord = {
  /** Elements of a row. */
  length: 2,
  dims: 3,
  /** Of the input and the output: address, stride along the row, stride from row to row. */
  addresses: 4,
  strides: 6,
  rowStrides: 8,
  /** Rows side by side, and strips of them. */
  inner: 10,
  strips: 11,
} as const;
export const SCAN_HEAD = 12;

/** Rows that are gone through together. */
export const STRIP = 4;

export interface ScanCode {
  readonly combine: 'sum' | 'prod';
  readonly input: DType;
  readonly output: DType;
  /** What elements are converted to. */
  readonly compute: Compute;
  /** What is accumulated in. */
  readonly total: Compute;
}

export function scanKernel(code: ScanCode, options?: ModuleOptions): Uint8Array {
  const m = new WasmModule(options);
  m.kernel((f, args) => {
    const [begin, end, length, dims, from, to, inStride, outStride, inRow, outRow, inner, strips] = f.words(
      args,
      SCAN_HEAD,
    );
    const [unit, rest, dim, coordinate, rows] = Array.from({ length: 5 }, () => f.local('i32'));
    const [input, output] = [f.local('i32'), f.local('i32')];
    const first = f.let(i32.add(args, SCAN_HEAD * 4));
    f.for(unit, begin, end, 1, () => {
      const strip = f.let(i32.rem_u(unit, strips));
      f.set(rest, i32.div_u(unit, strips));
      f.set(coordinate, i32.mul(strip, STRIP));
      f.set(rows, i32.sub(inner, coordinate));
      f.set(input, i32.add(from, i32.mul(coordinate, inRow)));
      f.set(output, i32.add(to, i32.mul(coordinate, outRow)));
      emitCoordinates(f, rest, dim, coordinate, first, dims, 12, () => {
        f.inc(input, i32.mul(coordinate, i32.load(dim, 4)));
        f.inc(output, i32.mul(coordinate, i32.load(dim, 8)));
      });
      f.if(
        i32.ge_u(rows, STRIP),
        () => emitRows(f, code, STRIP, length, input, output, inStride, outStride, inRow, outRow),
        () => {
          f.loop((again) => {
            emitRows(f, code, 1, length, input, output, inStride, outStride, inRow, outRow);
            f.inc(input, inRow);
            f.inc(output, outRow);
            f.set(rows, i32.sub(rows, 1));
            f.brIf(again, rows);
          });
        },
      );
    });
  });
  return m.toBytes();
}

function emitRows(
  f: Func,
  code: ScanCode,
  rows: number,
  length: I32,
  input: I32,
  output: I32,
  inStride: I32,
  outStride: I32,
  inRow: I32,
  outRow: I32,
): void {
  const { combine, compute, total } = code;
  const lanes = Array.from({ length: rows }, (_, k) => ({
    from: f.let(i32.add(input, i32.mul(inRow, k))),
    to: f.let(i32.add(output, i32.mul(outRow, k))),
    sum: f.let(identity(combine, total) as I32) as Local,
  }));
  const left = f.let(length);
  f.while(left, () => {
    for (const { from, to, sum } of lanes) {
      const x = f.let(widen(loadScalar(f, code.input, compute, from), total) as I32);
      f.set(sum, combineScalars(combine, total, sum, x) as I32);
      storeScalar(f, compute, code.output, to, f.let(narrow(sum, compute) as I32));
      f.inc(from, inStride);
      f.inc(to, outStride);
    }
    f.set(left, i32.sub(left, 1));
  });
}
