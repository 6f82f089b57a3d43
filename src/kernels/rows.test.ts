/** Row kernels against plain float64 code: softmax, normalisation and their gradients in every layout and dtype. */
import { afterEach, describe, expect, it } from 'vitest';
import { bfloat16, type DType, float16, float32, float64 } from '../core/dtype.ts';
import { add, exp, input, mul, scalar, sub } from './expr.ts';
import { expanded, laidOut, numbers, operand, read, type TestOperand } from './operands.testing.ts';
import { RowsKernel, rowsTuning } from './rows.ts';
import {
  layerNormBackwardPasses,
  layerNormPasses,
  logSoftmaxBackwardPasses,
  logSoftmaxPasses,
  logsumexpPasses,
  softmaxBackwardPasses,
  softmaxPasses,
  variancePasses,
} from './rows-passes.ts';
import { type RowInputKind, type RowPass, rowValue, type RowsSpec, stored } from './rows-spec.ts';

afterEach(() => {
  rowsTuning.relaxed = undefined;
});

const product = (sizes: readonly number[]) => sizes.reduce((n, s) => n * s, 1);
const sum = (v: number[]) => v.reduce((a, b) => a + b, 0);

/** Row-major positions of each row of [outer, n, inner]. */
function rowsOf(sizes: number[], first: number, last: number): number[][] {
  const outer = product(sizes.slice(0, first));
  const n = product(sizes.slice(first, last + 1));
  const inner = product(sizes.slice(last + 1));
  const rows: number[][] = [];
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) rows.push(Array.from({ length: n }, (_, k) => (o * n + k) * inner + i));
  }
  return rows;
}

function softmax(v: number[]): number[] {
  const top = Math.max(...v);
  const e = v.map((x) => Math.exp(x - top));
  const total = sum(e);
  return e.map((x) => x / total);
}
function logsumexp(v: number[]): number {
  const top = Math.max(...v);
  if (Math.abs(top) === Number.POSITIVE_INFINITY) return top;
  return top + Math.log(sum(v.map((x) => Math.exp(x - top))));
}

function closeTo(got: number[], expected: number[], tolerance: number, what: string): void {
  expect(got.length).toBe(expected.length);
  let worst = 0;
  got.forEach((g, i) => {
    if (Object.is(g, expected[i])) return;
    const error = Math.abs(g - expected[i]) / Math.max(1, Math.abs(expected[i]));
    if (!(error <= worst)) worst = error;
  });
  expect(worst, what).toBeLessThanOrEqual(tolerance);
}

const TOLERANCE = new Map<DType, number>([
  [float64, 1e-13],
  [float32, 2e-6],
  [float16, 2e-3],
  [bfloat16, 1.6e-2],
]);

const SHAPES: [number[], number, number][] = [
  [[5], 0, 0],
  [[1], 0, 0],
  [[4, 1], 1, 1],
  [[3, 33], 1, 1],
  [[3, 64], 1, 1],
  [[2, 700], 1, 1],
  [[33, 3], 0, 0],
  [[40, 9], 0, 0],
  [[100, 5], 0, 0],
  [[2, 37, 6], 1, 1],
  [[2, 3, 5, 4], 1, 1],
  [[2, 3, 5, 4], 2, 3],
  [[2, 3, 5, 4], 1, 2],
  [[4, 6, 2], 0, 1],
];

const compute = (dtype: DType) => (dtype === float64 ? float64 : float32);

function spec(
  name: string,
  dtype: DType,
  ins: RowInputKind[],
  outs: ('full' | 'row')[],
  passes: RowPass[],
  scalars = 0,
): RowsSpec {
  return {
    name,
    inputs: ins.map((kind) => ({ dtype, kind })),
    outputs: outs.map((kind) => ({ dtype, kind })),
    compute: compute(dtype),
    scalars,
    passes,
  };
}

/** Contiguous, and every dimension order whose row dimensions stay together. */
function layouts(x: TestOperand, first: number, last: number): TestOperand[] {
  const order = x.sizes.map((_, d) => d);
  const inside = order.slice(first, last + 1);
  const before = order.slice(0, first);
  const after = order.slice(last + 1);
  return [
    x,
    laidOut(x, [...inside, ...before, ...after]),
    laidOut(x, [...before, ...after, ...inside]),
    laidOut(x, [...after, ...inside, ...before], 2),
  ];
}

describe.each([undefined, false])('relaxed SIMD %s', (relaxed) => {
  for (const dtype of relaxed === false ? [float32] : [float32, float64, float16, bfloat16]) {
    const tolerance = TOLERANCE.get(dtype)!;

    it(`softmax and its kin, ${dtype.name}`, () => {
      rowsTuning.relaxed = relaxed;
      const exact = dtype === compute(dtype);
      const kernels = {
        softmax: new RowsKernel(spec('softmax', dtype, ['full'], ['full'], softmaxPasses(exact))),
        logSoftmax: new RowsKernel(spec('log_softmax', dtype, ['full'], ['full'], logSoftmaxPasses())),
        logsumexp: new RowsKernel(spec('logsumexp', dtype, ['full'], ['row'], logsumexpPasses())),
        softmaxBackward: new RowsKernel(
          spec('softmax_backward', dtype, ['full', 'full'], ['full'], softmaxBackwardPasses()),
        ),
        logSoftmaxBackward: new RowsKernel(
          spec('log_softmax_backward', dtype, ['full', 'full'], ['full'], logSoftmaxBackwardPasses()),
        ),
      };
      for (const [sizes, first, last] of SHAPES) {
        const length = product(sizes);
        const x = operand(
          dtype,
          sizes,
          numbers(length, 40).map((v) => v / 8),
        );
        const g = operand(
          dtype,
          sizes,
          numbers(length, 16, 3).map((v) => v / 16),
        );
        const xs = read(x);
        const gs = read(g);
        const rows = rowsOf(sizes, first, last);
        const what = `[${sizes}] over ${first}-${last}`;
        const perRow = (make: (v: number[], g: number[]) => number[]) => {
          const out = new Array<number>(length);
          for (const row of rows)
            make(
              row.map((i) => xs[i]),
              row.map((i) => gs[i]),
            ).forEach((v, k) => {
              out[row[k]] = v;
            });
          return out;
        };
        const y = operand(dtype, sizes, perRow(softmax));
        const z = operand(
          dtype,
          sizes,
          perRow((v) => v.map((a) => a - logsumexp(v))),
        );
        const ys = read(y);
        const zs = read(z);
        const grads = (results: number[], make: (r: number[], g: number[]) => number[]) => {
          const out = new Array<number>(length);
          for (const row of rows)
            make(
              row.map((i) => results[i]),
              row.map((i) => gs[i]),
            ).forEach((v, k) => {
              out[row[k]] = v;
            });
          return out;
        };
        const expectedSoft = grads(ys, (r, gr) => {
          const s = sum(r.map((a, i) => a * gr[i]));
          return r.map((a, i) => a * (gr[i] - s));
        });
        const expectedLog = grads(zs, (r, gr) => {
          const s = sum(gr);
          return r.map((a, i) => gr[i] - Math.exp(a) * s);
        });
        const xLayouts = layouts(x, first, last);
        for (const view of xLayouts) {
          for (const target of [
            operand(dtype, sizes, 77),
            laidOut(
              operand(dtype, sizes, 77),
              sizes.map((_, d) => d),
              2,
            ),
          ]) {
            if (target.strides !== undefined && !foldable(target, first, last)) continue;
            kernels.softmax.launch([target], [view], sizes, first, last);
            closeTo(read(target), perRow(softmax), tolerance, `softmax ${what}`);
          }
          const out = operand(dtype, sizes, 77);
          kernels.logSoftmax.launch([out], [view], sizes, first, last);
          closeTo(
            read(out),
            perRow((v) => v.map((a) => a - logsumexp(v))),
            tolerance,
            `log_softmax ${what}`,
          );
          const kept = [...sizes.slice(0, first), ...sizes.slice(last + 1)];
          const one = sizes.map((s, d) => (d >= first && d <= last ? 1 : s));
          for (const form of [kept, one]) {
            const each = operand(dtype, form, 77);
            kernels.logsumexp.launch([each], [view], sizes, first, last);
            closeTo(
              read(each),
              rows.map((row) => logsumexp(row.map((i) => xs[i]))),
              tolerance,
              `logsumexp ${what}`,
            );
          }
        }
        const out = operand(dtype, sizes, 77);
        const constant = expanded(operand(dtype, [], 0.5), sizes);
        for (const grad of layouts(g, first, last)) {
          kernels.softmaxBackward.launch([out], [grad, y], sizes, first, last);
          closeTo(read(out), expectedSoft, tolerance, `softmax backward ${what}`);
          kernels.logSoftmaxBackward.launch([out], [grad, z], sizes, first, last);
          closeTo(read(out), expectedLog, tolerance, `log_softmax backward ${what}`);
        }
        kernels.logSoftmaxBackward.launch([out], [constant, z], sizes, first, last);
        const n = rows[0].length;
        closeTo(
          read(out),
          zs.map((a) => 0.5 - Math.exp(a) * 0.5 * n),
          n * tolerance,
          `constant gradient ${what}`,
        );
      }
    });

    it(`layer_norm, ${dtype.name}`, () => {
      rowsTuning.relaxed = relaxed;
      const eps = 1e-5;
      for (const affine of [true, false]) {
        const forward = new RowsKernel(
          spec(
            'layer_norm',
            dtype,
            affine ? ['full', 'column', 'column'] : ['full'],
            ['full', 'row', 'row'],
            layerNormPasses(affine, affine),
            2,
          ),
        );
        const backward = new RowsKernel(
          spec(
            'layer_norm_backward',
            dtype,
            affine ? ['full', 'full', 'row', 'row', 'column'] : ['full', 'full', 'row', 'row'],
            ['full'],
            layerNormBackwardPasses(affine),
            1,
          ),
        );
        const std = new RowsKernel(spec('std', dtype, ['full'], ['row'], variancePasses(true), 2));
        for (const [sizes, first, last] of SHAPES) {
          const length = product(sizes);
          const inner = sizes.slice(first, last + 1);
          const n = product(inner);
          if (n === 1) continue;
          const x = operand(
            dtype,
            sizes,
            numbers(length, 40).map((v) => v / 8),
          );
          const g = operand(
            dtype,
            sizes,
            numbers(length, 16, 3).map((v) => v / 16),
          );
          const w = operand(
            dtype,
            inner,
            numbers(n, 16, 5).map((v) => v / 8),
          );
          const b = operand(
            dtype,
            inner,
            numbers(n, 16, 6).map((v) => v / 8),
          );
          const [xs, gs] = [read(x), read(g)];
          const ws = affine ? read(w) : new Array<number>(n).fill(1);
          const bs = affine ? read(b) : new Array<number>(n).fill(0);
          const rows = rowsOf(sizes, first, last);
          const kept = [...sizes.slice(0, first), ...sizes.slice(last + 1)];
          const mean = rows.map((row) => sum(row.map((i) => xs[i])) / n);
          const variance = rows.map((row, r) => sum(row.map((i) => (xs[i] - mean[r]) ** 2)));
          const rstd = variance.map((v) => 1 / Math.sqrt(v / n + eps));
          const expected = new Array<number>(length);
          rows.forEach((row, r) => {
            row.forEach((i, k) => {
              expected[i] = (xs[i] - mean[r]) * rstd[r] * ws[k] + bs[k];
            });
          });
          const what = `[${sizes}] over ${first}-${last}`;
          for (const view of layouts(x, first, last)) {
            const outs = [operand(dtype, sizes, 77), operand(dtype, kept, 77), operand(dtype, kept, 77)];
            forward.launch(outs, affine ? [view, w, b] : [view], sizes, first, last, [n, eps]);
            closeTo(read(outs[0]), expected, 4 * tolerance, `layer_norm ${what}`);
            closeTo(read(outs[1]), mean, tolerance, `mean ${what}`);
            closeTo(read(outs[2]), rstd, tolerance, `rstd ${what}`);
            const each = operand(dtype, kept, 77);
            std.launch([each], [view], sizes, first, last, [n, n - 1]);
            closeTo(
              read(each),
              variance.map((v) => Math.sqrt(v / (n - 1))),
              tolerance,
              `std ${what}`,
            );

            const means = operand(dtype, kept, mean);
            const rstds = operand(dtype, kept, rstd);
            const [ms, rs] = [read(means), read(rstds)];
            const gradient = new Array<number>(length);
            rows.forEach((row, r) => {
              const hat = row.map((i) => (xs[i] - ms[r]) * rs[r]);
              const gw = row.map((i, k) => gs[i] * ws[k]);
              const a = sum(gw) / n;
              const c = sum(gw.map((v, k) => v * hat[k])) / n;
              row.forEach((i, k) => {
                gradient[i] = rs[r] * (gw[k] - a - hat[k] * c);
              });
            });
            const dx = operand(dtype, sizes, 77);
            backward.launch([dx], affine ? [g, view, means, rstds, w] : [g, view, means, rstds], sizes, first, last, [
              n,
            ]);
            closeTo(read(dx), gradient, 4 * tolerance, `layer_norm backward ${what}`);
          }
        }
      }
    });
  }

  it('infinities and NaN in softmax and logsumexp', () => {
    rowsTuning.relaxed = relaxed;
    const inf = Number.POSITIVE_INFINITY;
    const nan = Number.NaN;
    for (const dtype of [float32, float64]) {
      const soft = new RowsKernel(spec('softmax', dtype, ['full'], ['full'], softmaxPasses(true)));
      const lse = new RowsKernel(spec('logsumexp', dtype, ['full'], ['row'], logsumexpPasses()));
      for (const n of [3, 40]) {
        const fill = (head: number[]) => [...head, ...new Array<number>(n - head.length).fill(-inf)];
        const rows = [fill([]), fill([0, 0]), fill([inf, 1]), fill([nan, 1]), fill([inf, nan])];
        const x = operand(dtype, [5, n], rows.flat());
        for (const [view, dim] of [
          [x, 1],
          [{ ...x, sizes: [n, 5], strides: [1, n] }, 0],
        ] as [TestOperand, number][]) {
          const out = operand(dtype, view.sizes, 77);
          soft.launch([out], [view], view.sizes, dim, dim);
          const got = read(out);
          const at = (r: number, k: number) => got[dim === 1 ? r * n + k : k * 5 + r];
          for (const r of [0, 2, 3, 4]) for (let k = 0; k < n; k++) expect(at(r, k)).toBeNaN();
          for (let k = 0; k < n; k++) expect(at(1, k)).toBe(k < 2 ? 0.5 : 0);
          const each = operand(dtype, [5], 77);
          lse.launch([each], [view], view.sizes, dim, dim);
          const values = read(each);
          expect([values[0], values[2], values[3], values[4]]).toEqual([-inf, inf, nan, nan]);
          expect(values[1]).toBeCloseTo(Math.LN2, 6);
        }
      }
    }
  });
});

/** Whether the row dimensions can be seen as one. */
function foldable(x: TestOperand, first: number, last: number): boolean {
  for (let d = first; d < last; d++) if (x.strides[d] !== x.strides[d + 1] * x.sizes[d + 1]) return false;
  return true;
}

describe('exponentials below the maximum', () => {
  it('are within 2 ulp down to the end of the normal range, and 0 beyond', () => {
    for (const relaxed of [undefined, false]) {
      rowsTuning.relaxed = relaxed;
      const passes: RowPass[] = [
        { reduce: 'max', expr: input(0) },
        { store: 0, expr: exp(sub(input(0), rowValue(0))) },
      ];
      const kernel = new RowsKernel(spec('exp', float32, ['full'], ['full'], passes));
      const xs = Array.from({ length: 20001 }, (_, i) => Math.fround(-i / 229));
      const out = operand(float32, [xs.length], 77);
      kernel.launch([out], [operand(float32, [xs.length], xs)], [xs.length], 0, 0);
      let worst = 0;
      read(out).forEach((got, i) => {
        const exact = Math.exp(xs[i]);
        if (xs[i] > -87.3365) worst = Math.max(worst, Math.abs(got - exact) / 2 ** (Math.floor(Math.log2(exact)) - 23));
        else if (xs[i] < -87.33655) expect(got).toBe(0);
      });
      expect(worst).toBeLessThan(2);
    }
  });
});

describe('variance', () => {
  it('does not lose its digits far from 0', () => {
    const values = numbers(1000, 100).map((v) => Math.fround(1e4 + v / 100));
    const mean = sum(values) / 1000;
    const exact = sum(values.map((v) => (v - mean) ** 2)) / 999;
    const kernel = new RowsKernel(spec('var', float32, ['full'], ['row'], variancePasses(false), 2));
    const out = operand(float32, [], 77);
    kernel.launch([out], [operand(float32, [1000], values)], [1000], 0, 0, [1000, 999]);
    expect(Math.abs(read(out)[0] - exact) / exact).toBeLessThan(1e-5);
  });
  it('sums of long rows are accurate', () => {
    const values = numbers(1 << 17, 1000).map((v) => Math.fround(v / 1000 + 0.7));
    const exact = sum(values) / values.length;
    const passes: RowPass[] = [
      { reduce: 'sum', expr: input(0) },
      { store: 0, expr: mul(rowValue(0), scalar(0)) },
    ];
    const kernel = new RowsKernel(spec('mean', float32, ['full'], ['row'], passes, 1));
    const out = operand(float32, [], 77);
    kernel.launch([out], [operand(float32, [values.length], values)], [values.length], 0, 0, [1 / values.length]);
    expect(Math.abs(read(out)[0] - exact) / exact).toBeLessThan(2e-7);
  });
});

describe('the description', () => {
  it('combines with every reduction, stores while reducing and reads back', () => {
    const passes: RowPass[] = [
      { reduce: 'min', expr: mul(input(0), input(0)), store: 0 },
      { reduce: 'prod', expr: add(input(1), 1) },
      { store: 0, expr: add(add(stored(0), rowValue(0)), add(rowValue(1), input(2))) },
      { store: 1, expr: add(rowValue(1), input(2)) },
    ];
    const kernel = new RowsKernel(spec('mixed', float32, ['full', 'column', 'row'], ['full', 'row'], passes));
    for (const sizes of [
      [6, 21],
      [1, 5],
      [7, 4],
    ]) {
      const [height, n] = sizes;
      const xs = numbers(height * n, 9);
      const cs = numbers(n, 1, 4);
      const rs = numbers(height, 9, 5);
      const outs = [operand(float32, sizes, 77), operand(float32, [height], 77)];
      kernel.launch(
        outs,
        [operand(float32, sizes, xs), operand(float32, [n], cs), operand(float32, [height, 1], rs)],
        sizes,
        1,
        1,
      );
      const p = cs.reduce((a, c) => a * (c + 1), 1);
      const expected = xs.map((x, i) => {
        const r = Math.floor(i / n);
        return x * x + Math.min(...xs.slice(r * n, r * n + n).map((v) => v * v)) + p + rs[r];
      });
      expect(read(outs[0])).toEqual(expected);
      expect(read(outs[1])).toEqual(rs.map((r) => p + r));
    }
  });

  it('refuses rows that do not lie evenly, and takes no rows', () => {
    const kernel = new RowsKernel(spec('softmax', float32, ['full'], ['full'], softmaxPasses(true)));
    const x = laidOut(operand(float32, [2, 3, 4], 1), [0, 2, 1]);
    expect(() => kernel.launch([operand(float32, [2, 3, 4], 0)], [x], [2, 3, 4], 1, 2)).toThrow(/contiguous/);
    kernel.launch([operand(float32, [0, 4], [])], [operand(float32, [0, 4], [])], [0, 4], 1, 1);
    kernel.launch([operand(float32, [4, 0], [])], [operand(float32, [4, 0], [])], [4, 0], 1, 1);
  });
});
