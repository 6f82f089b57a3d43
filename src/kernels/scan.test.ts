/** Scans against loops: dtypes, dimensions, layouts, both directions. */
import { describe, expect, it } from 'vitest';
import { bfloat16, bool, DTYPES, float16, float32, float64, int64, uint8 } from '../core/dtype.ts';
import { asStored, laidOut, numbers, operand, read } from './operands.testing.ts';
import { ScanKernel } from './scan.ts';

const product = (sizes: readonly number[]) => sizes.reduce((n, s) => n * s, 1);

function scan(
  values: number[],
  sizes: number[],
  dim: number,
  reversed: boolean,
  step: (a: number, b: number) => number,
) {
  const inner = product(sizes.slice(dim + 1));
  const length = sizes[dim] ?? 1;
  const out = new Array<number>(values.length);
  for (let at = 0; at < values.length; at++) {
    const k = Math.floor(at / inner) % length;
    if (k > 0) continue;
    let sum: number | undefined;
    for (let j = 0; j < length; j++) {
      const p = at + (reversed ? length - 1 - j : j) * inner;
      sum = sum === undefined ? values[p] : step(sum, values[p]);
      out[p] = sum;
    }
  }
  return out;
}

describe('running sums', () => {
  for (const dtype of DTYPES) {
    it(`of ${dtype.name}`, () => {
      const output = dtype.is_floating_point ? dtype : int64;
      const kernel = new ScanKernel({ name: 'cumsum', combine: 'sum', input: dtype, output });
      for (const [sizes, dims] of [
        [[1], [0]],
        [[9], [0]],
        [
          [5, 7],
          [0, 1],
        ],
        [
          [3, 4, 5],
          [0, 1, 2],
        ],
        [
          [2, 3, 1, 4],
          [1, 2],
        ],
        [
          [0, 3],
          [0, 1],
        ],
      ] as [number[], number[]][]) {
        let values = numbers(product(sizes), 9);
        if (dtype === bool || dtype === uint8) values = values.map(Math.abs);
        values = values.map((v) => asStored(dtype, v));
        const x = operand(dtype, sizes, values);
        const order = sizes.map((_, d) => d);
        for (const dim of dims) {
          for (const reversed of [false, true]) {
            const expected = scan(values, sizes, dim, reversed, (a, b) => a + b);
            for (const view of [x, laidOut(x, [...order].reverse()), laidOut(x, order, 3)]) {
              const out = operand(output, sizes, 77);
              kernel.launch(out, view, dim, reversed);
              expect(read(out), `[${sizes}] along ${dim}`).toEqual(expected);
              const strided = laidOut(operand(output, sizes, 77), [...order].reverse(), 2);
              kernel.launch(strided, view, dim, reversed);
              expect(read(strided)).toEqual(expected);
            }
          }
        }
      }
    });
  }

  it('of a 0-dim tensor is itself', () => {
    const out = operand(float32, [], 0);
    new ScanKernel({ name: 'cumsum', combine: 'sum', input: float32, output: float32 }).launch(
      out,
      operand(float32, [], 5),
      0,
    );
    expect(read(out)).toEqual([5]);
  });

  it('float32 accumulates in float64, as PyTorch does', () => {
    const values = [1e8, 1, 1, 1, 1, 1, 1, 1, 1, -1e8];
    const out = operand(float32, [10], 0);
    new ScanKernel({ name: 'cumsum', combine: 'sum', input: float32, output: float32 }).launch(
      out,
      operand(float32, [10], values),
      0,
    );
    expect(read(out)[9]).toBe(8);
    const tenths = operand(float32, [100000], Math.fround(0.1));
    const sums = operand(float32, [100000], 0);
    new ScanKernel({ name: 'cumsum', combine: 'sum', input: float32, output: float32 }).launch(sums, tenths, 0);
    // Recorded from PyTorch 2.13.
    const got = read(sums);
    expect([10, 100, 1000, 99999].map((i) => got[i])).toEqual([
      1.100000023841858, 10.100000381469727, 100.0999984741211, 10000,
    ]);
  });

  it('half types accumulate in float32', () => {
    for (const dtype of [float16, bfloat16]) {
      const out = operand(dtype, [3000], 0);
      new ScanKernel({ name: 'cumsum', combine: 'sum', input: dtype, output: dtype }).launch(
        out,
        operand(dtype, [3000], 1),
        0,
      );
      expect(read(out)).toEqual(Array.from({ length: 3000 }, (_, i) => asStored(dtype, i + 1)));
    }
  });

  it('NaN and infinity stay', () => {
    const out = operand(float64, [5], 0);
    const x = operand(float64, [5], [1, Number.POSITIVE_INFINITY, 2, Number.NEGATIVE_INFINITY, 3]);
    new ScanKernel({ name: 'cumsum', combine: 'sum', input: float64, output: float64 }).launch(out, x, 0);
    expect(read(out)).toEqual([1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NaN, Number.NaN]);
  });
});

describe('running products', () => {
  for (const dtype of [float32, float64, int64]) {
    it(`of ${dtype.name}, along any dimension, over its own input`, () => {
      const values = numbers(60, 2).map((v) => v || 1);
      const kernel = new ScanKernel({ name: 'cumprod', combine: 'prod', input: dtype, output: dtype });
      for (const dim of [0, 1, 2]) {
        const x = operand(dtype, [3, 5, 4], values);
        kernel.launch(x, x, dim);
        expect(read(x)).toEqual(scan(values, [3, 5, 4], dim, false, (a, b) => a * b));
      }
    });
  }
});
