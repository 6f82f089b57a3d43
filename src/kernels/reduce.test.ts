/** Reductions against plain loops in float64: every dtype, layout, and both sides of every border in the planning. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  bfloat16,
  bool,
  type DType,
  DTYPES,
  float16,
  float32,
  float64,
  int32,
  int64,
  int8,
  uint8,
} from '../core/dtype.ts';
import { numThreads, setNumThreads } from '../devices/threads.ts';
import { add, type Expr, input, mul, ne, raw, scalar, sub, div } from './expr.ts';
import { asStored, expanded, laidOut, numbers, operand, read, type TestOperand } from './operands.testing.ts';
import { ReduceKernel, type ReduceSpec, tuning } from './reduce.ts';

const initial = { ...tuning };
afterEach(() => {
  Object.assign(tuning, initial);
});

const product = (sizes: readonly number[]) => sizes.reduce((n, s) => n * s, 1);

/** Groups of elements (as lists of row-major positions), one for each result, in order. */
function groups(sizes: readonly number[], dims: readonly number[]): number[][] {
  const out = new Map<number, number[]>();
  const total = product(sizes);
  for (let at = 0; at < total; at++) {
    let rest = at;
    let key = 0;
    let step = 1;
    for (let d = sizes.length - 1; d >= 0; d--) {
      const c = rest % sizes[d];
      rest = Math.floor(rest / sizes[d]);
      if (dims.includes(d)) continue;
      key += c * step;
      step *= sizes[d];
    }
    const group = out.get(key);
    if (group) group.push(at);
    else out.set(key, [at]);
  }
  const count = product(sizes.filter((_, d) => !dims.includes(d)));
  return Array.from({ length: count }, (_, i) => out.get(i) ?? []);
}

const mask = (dims: readonly number[]) => dims.reduce((bits, d) => bits | (1 << d), 0);
const keptSizes = (sizes: readonly number[], dims: readonly number[]) => sizes.filter((_, d) => !dims.includes(d));

const COMBINE: Record<string, (values: number[]) => number> = {
  sum: (v) => v.reduce((a, b) => a + b, 0),
  prod: (v) => v.reduce((a, b) => a * b, 1),
  max: (v) => v.reduce((a, b) => Math.max(a, b)),
  min: (v) => v.reduce((a, b) => Math.min(a, b)),
  any: (v) => (v.some((x) => x !== 0) ? 1 : 0),
  all: (v) => (v.every((x) => x !== 0) ? 1 : 0),
};

function simple(combine: 'sum' | 'prod' | 'max' | 'min' | 'any' | 'all', dtype: DType): ReduceSpec {
  const truth = combine === 'any' || combine === 'all';
  const whole = !dtype.is_floating_point && (combine === 'sum' || combine === 'prod');
  return {
    name: combine,
    combine,
    expr: truth ? raw(0) : input(0),
    inputs: [dtype],
    compute: whole
      ? int64
      : dtype.is_floating_point
        ? dtype === float64
          ? float64
          : float32
        : dtype === int64
          ? int64
          : int32,
    output: truth ? bool : whole ? int64 : dtype,
  };
}

function run(spec: ReduceSpec, ins: TestOperand[], sizes: number[], dims: number[], scalars: number[] = []): number[] {
  const out = operand(spec.output, keptSizes(sizes, dims), 77);
  new ReduceKernel(spec).launch(out, ins, sizes, mask(dims), scalars);
  return read(out);
}

/** Layouts of a shape with the values of `x`. */
function layouts(x: TestOperand): [string, TestOperand][] {
  const order = x.sizes.map((_, d) => d);
  const list: [string, TestOperand][] = [
    ['contiguous', x],
    ['reversed', laidOut(x, [...order].reverse())],
    ['gaps', laidOut(x, order, 2)],
  ];
  if (x.sizes.length > 2) list.push(['rotated', laidOut(x, [...order.slice(1), 0])]);
  return list;
}

const CASES: [number[], number[]][] = [
  [[], []],
  [[7], [0]],
  [[1], [0]],
  [[5], []],
  [[130], [0]],
  [[6, 5], [0]],
  [[6, 5], [1]],
  [[70, 21], [0]],
  [[3, 67], [1]],
  [
    [3, 67],
    [0, 1],
  ],
  [[100, 37], [0]],
  [[4, 3, 18], [1]],
  [
    [4, 3, 18],
    [0, 2],
  ],
  [
    [4, 9, 3],
    [0, 1],
  ],
  [
    [2, 3, 4, 5],
    [0, 2],
  ],
  [
    [2, 3, 4, 5],
    [1, 3],
  ],
  [
    [2, 1, 4, 1],
    [1, 2],
  ],
];

describe.each([undefined, false])('relaxed SIMD %s', (relaxed) => {
  // Integers and float64 have no relaxed form.
  for (const dtype of relaxed === false ? [float32] : DTYPES) {
    it(`sums, extremes and truth of ${dtype.name}`, () => {
      tuning.relaxed = relaxed;
      for (const combine of ['sum', 'max', 'min', 'any', 'all', 'prod'] as const) {
        const spec = simple(combine, dtype);
        const kernel = new ReduceKernel(spec);
        for (const [sizes, dims] of CASES) {
          const range = combine === 'any' || combine === 'all' ? 1 : combine === 'prod' ? 1 : 9;
          let values = numbers(product(sizes), range, sizes.length + 3 * dims.length);
          if (combine === 'prod') values = values.map((v, i) => (v === 0 ? 1 : i % 7 === 0 ? 2 * v : v));
          if (combine === 'prod' && groups(sizes, dims)[0].length > 60) values = values.map((v) => Math.sign(v));
          if (dtype === uint8 || dtype === bool) values = values.map(Math.abs);
          values = values.map((v) => asStored(dtype, v));
          const x = operand(dtype, sizes, values);
          const expected = groups(sizes, dims).map((g) =>
            asStored(spec.output, COMBINE[combine](g.map((i) => values[i]))),
          );
          for (const [name, view] of layouts(x)) {
            const out = operand(spec.output, keptSizes(sizes, dims), 77);
            kernel.launch(out, [view], sizes, mask(dims));
            expect(read(out), `${combine} of [${sizes}] over [${dims}], ${name}`).toEqual(expected);
          }
        }
      }
    });
  }
});

describe('layouts', () => {
  const sizes = [6, 11, 35];
  const values = numbers(product(sizes), 9);
  const x = operand(float32, sizes, values);
  const sumOver = (dims: number[]) => groups(sizes, dims).map((g) => COMBINE.sum(g.map((i) => values[i])));

  it('takes results in the kept form and in strided memory', () => {
    const kernel = new ReduceKernel(simple('sum', float32));
    const kept = operand(float32, [6, 1, 35], 77);
    kernel.launch(kept, [x], sizes, mask([1]));
    expect(read(kept)).toEqual(sumOver([1]));
    const strided = laidOut(operand(float32, [6, 35], 77), [1, 0], 2);
    kernel.launch(strided, [x], sizes, mask([1]));
    expect(read(strided)).toEqual(sumOver([1]));
    const all = operand(float32, [1, 1, 1], 77);
    kernel.launch(all, [x], sizes, mask([0, 1, 2]));
    expect(read(all)).toEqual(sumOver([0, 1, 2]));
  });

  it('takes broadcast inputs', () => {
    const spec: ReduceSpec = { ...simple('sum', float32), expr: mul(input(0), input(1)), inputs: [float32, float32] };
    const kernel = new ReduceKernel(spec);
    for (const small of [[35], [11, 1], [1, 1, 1], [6, 1, 35], [11, 35], []]) {
      const ys = numbers(product(small), 5, 7);
      const y = operand(float32, small, ys);
      const wide = read(expanded(y, sizes));
      for (const dims of [[0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2]]) {
        const out = operand(float32, keptSizes(sizes, dims), 77);
        const expected = groups(sizes, dims).map((g) => COMBINE.sum(g.map((i) => values[i] * wide[i])));
        kernel.launch(out, [x, y], sizes, mask(dims));
        expect(read(out), `[${small}] over [${dims}]`).toEqual(expected);
        kernel.launch(out, [laidOut(x, [2, 0, 1]), expanded(y, sizes)], sizes, mask(dims));
        expect(read(out), `[${small}] over [${dims}], rotated`).toEqual(expected);
      }
    }
  });

  it('gives the identity for no elements, and nothing for no results', () => {
    const empty = operand(float32, [3, 0], []);
    expect(run(simple('sum', float32), [empty], [3, 0], [1])).toEqual([0, 0, 0]);
    expect(run(simple('prod', float32), [empty], [3, 0], [0, 1])).toEqual([1]);
    expect(run(simple('any', float32), [empty], [3, 0], [1])).toEqual([0, 0, 0]);
    expect(run(simple('all', float32), [empty], [3, 0], [1])).toEqual([1, 1, 1]);
    expect(run(simple('sum', float32), [empty], [3, 0], [0])).toEqual([]);
    expect(run(simple('sum', int64), [operand(int64, [0, 4], [])], [0, 4], [0])).toEqual([0, 0, 0, 0]);
  });
});

describe('prologue and epilogue', () => {
  const mean: Expr = div(input(0), scalar(0));
  for (const dtype of [float32, float64, float16, bfloat16]) {
    it(`mean of ${dtype.name}, in parts or not, by rows or columns`, () => {
      const spec: ReduceSpec = { ...simple('sum', dtype), finalize: mean, scalars: 1 };
      const kernel = new ReduceKernel(spec);
      for (const [sizes, dims] of [
        [[40, 33], [1]],
        [[40, 33], [0]],
        [[100, 33], [0]],
        [
          [40, 33],
          [0, 1],
        ],
        [
          [300, 250],
          [0, 1],
        ],
        [[300, 250], [0]],
        [[9000, 10], [0]],
      ] as [number[], number[]][]) {
        const values = numbers(product(sizes), 20).map((v) => v / 4);
        const x = operand(dtype, sizes, values);
        const count = product(dims.map((d) => sizes[d]));
        const expected = groups(sizes, dims).map((g) =>
          asStored(dtype, Math.fround(COMBINE.sum(g.map((i) => values[i])) / count)),
        );
        const out = operand(dtype, keptSizes(sizes, dims), 77);
        kernel.launch(out, [x], sizes, mask(dims), [count]);
        const got = read(out);
        const relative = dtype === float64 ? 1e-7 : dtype === float32 ? 3e-7 : dtype === float16 ? 1e-3 : 8e-3;
        got.forEach((g, i) => {
          expect(Math.abs(g - expected[i])).toBeLessThanOrEqual(relative * Math.abs(expected[i]));
        });
      }
    });
  }

  it('reduces an expression of several inputs and scalars, of different dtypes', () => {
    // sum((x - s) * y), x half, y int8
    const spec: ReduceSpec = {
      name: 'moment',
      combine: 'sum',
      expr: mul(sub(input(0), scalar(0)), input(1)),
      inputs: [float16, int8],
      compute: float32,
      output: float32,
      finalize: add(input(0), scalar(1)),
      scalars: 2,
    };
    for (const dims of [[0], [1], [0, 1]]) {
      const sizes = [50, 40];
      const xs = numbers(2000, 9);
      const ys = numbers(2000, 5, 9);
      const got = run(spec, [operand(float16, sizes, xs), operand(int8, sizes, ys)], sizes, dims, [1.5, 100]);
      expect(got).toEqual(groups(sizes, dims).map((g) => 100 + COMBINE.sum(g.map((i) => (xs[i] - 1.5) * ys[i]))));
    }
  });

  it('counts what is not zero', () => {
    const spec: ReduceSpec = {
      ...simple('sum', float32),
      expr: { op: 'number', args: [ne(input(0), 0)] },
      compute: int64,
      output: int64,
    };
    const values = numbers(3000, 1);
    const got = run(spec, [operand(float32, [30, 100], values)], [30, 100], [1]);
    expect(got).toEqual(groups([30, 100], [1]).map((g) => g.filter((i) => values[i] !== 0).length));
  });
});

describe('parts', () => {
  it('gives the same sums in parts and whole, for every way of splitting', () => {
    for (const [sizes, dims] of [
      [[1000], [0]],
      [[3, 500], [1]],
      [
        [7, 300],
        [0, 1],
      ],
      [[300, 7], [0]],
      [[307, 5], [0]],
      [[300, 48], [0]],
      [[300, 100], [0]],
      [[3, 100, 40], [1]],
      [
        [3, 100, 40],
        [0, 1],
      ],
      [
        [5, 60, 40],
        [0, 2],
      ],
    ] as [number[], number[]][]) {
      for (const dtype of [float32, float64, uint8]) {
        for (const combine of dtype === uint8 ? (['sum', 'all'] as const) : (['sum', 'max'] as const)) {
          const values = numbers(product(sizes), 5).map((v) =>
            asStored(dtype, combine === 'all' ? v + 5 : Math.abs(v)),
          );
          const x = operand(dtype, sizes, values);
          const spec = simple(combine, dtype);
          const expected = groups(sizes, dims).map((g) =>
            asStored(spec.output, COMBINE[combine](g.map((i) => values[i]))),
          );
          for (const part of [37, 200]) {
            Object.assign(tuning, { splitElements: 100, partElements: part });
            for (const [name, view] of layouts(x).slice(0, 2)) {
              const what = `${combine} ${dtype.name} [${sizes}] over [${dims}], parts of ${part}, ${name}`;
              const out = operand(spec.output, keptSizes(sizes, dims), 77);
              new ReduceKernel(spec).launch(out, [view], sizes, mask(dims));
              expect(read(out), what).toEqual(expected);
            }
          }
        }
      }
    }
  });
});

describe('accuracy', () => {
  it('float32 sums are as good as their last bit', () => {
    const values = numbers(1 << 18, 1e6).map((v) => Math.fround(v / 1e6 + 0.5));
    const exact = COMBINE.sum(values);
    const [got] = run(simple('sum', float32), [operand(float32, [values.length], values)], [values.length], [0]);
    expect(Math.abs(got - exact) / exact).toBeLessThan(1.5e-7);
    const columns = run(simple('sum', float32), [operand(float32, [1 << 12, 64], values)], [1 << 12, 64], [0]);
    groups([1 << 12, 64], [0]).forEach((g, i) => {
      const sum = COMBINE.sum(g.map((k) => values[k]));
      expect(Math.abs(columns[i] - sum) / sum).toBeLessThan(3e-7);
    });
  });

  it('float64 sums do not lose digits with length', () => {
    const values = numbers(1 << 17, 1e6).map((v) => v / 1e6 + 0.5);
    let exact = 0;
    let lost = 0;
    for (const v of values) {
      const next = exact + v;
      lost += Math.abs(exact) >= Math.abs(v) ? exact - next + v : v - next + exact;
      exact = next;
    }
    exact += lost;
    for (const part of [1 << 30, 16384]) {
      tuning.partElements = part;
      const [got] = run(simple('sum', float64), [operand(float64, [values.length], values)], [values.length], [0]);
      expect(Math.abs(got - exact) / exact).toBeLessThan(1e-15);
    }
  });

  it('float16 sums beyond what it could count one by one', () => {
    const ones = operand(float16, [5000], 1);
    expect(run(simple('sum', float16), [ones], [5000], [0])).toEqual([5000]);
  });

  it('int64 and int32 sums wrap in 64 bits and never before', () => {
    const big = 2 ** 30;
    expect(run(simple('sum', int32), [operand(int32, [100], big)], [100], [0])).toEqual([100 * big]);
    expect(run(simple('sum', bool), [operand(bool, [70000], 1)], [70000], [0])).toEqual([70000]);
    expect(run(simple('sum', int8), [operand(int8, [500, 20], -128)], [500, 20], [0])).toEqual(
      new Array(20).fill(-64000),
    );
  });
});

describe('threads', () => {
  it('do not change a bit of a sum', () => {
    const sizes = [300, 700];
    const x = operand(
      float32,
      sizes,
      numbers(product(sizes), 1e6).map((v) => v / 1e6),
    );
    const kernel = new ReduceKernel(simple('sum', float32));
    const before = numThreads;
    try {
      for (const dims of [[0], [1], [0, 1]]) {
        const results = [1, 2, 3].map((threads) => {
          setNumThreads(threads);
          const out = operand(float32, keptSizes(sizes, dims), 77);
          kernel.launch(out, [x], sizes, mask(dims));
          return read(out);
        });
        expect(results[1]).toEqual(results[0]);
        expect(results[2]).toEqual(results[0]);
      }
    } finally {
      setNumThreads(before);
    }
  });
});

describe('NaN and infinity', () => {
  for (const dtype of [float32, float64, float16, bfloat16]) {
    it(`extremes of ${dtype.name} propagate NaN`, () => {
      for (const sizes of [[50], [50, 20], [3, 50]]) {
        const dims = [sizes[0] === 3 ? 1 : 0];
        const values = numbers(product(sizes), 9);
        values[Math.floor(values.length / 2)] = Number.NaN;
        values[3] = Number.POSITIVE_INFINITY;
        values[4] = Number.NEGATIVE_INFINITY;
        const x = operand(dtype, sizes, values);
        for (const combine of ['max', 'min', 'sum'] as const) {
          const expected = groups(sizes, dims).map((g) => COMBINE[combine](g.map((i) => values[i])));
          expect(run(simple(combine, dtype), [x], sizes, dims)).toEqual(expected);
        }
      }
    });
  }
  it('NaN is true', () => {
    const x = operand(float32, [40], [...new Array(39).fill(0), Number.NaN]);
    expect(run(simple('any', float32), [x], [40], [0])).toEqual([1]);
    const y = operand(float32, [40], Number.NaN);
    expect(run(simple('all', float32), [y], [40], [0])).toEqual([1]);
  });
});

describe('positions', () => {
  const better = { argmax: (a: number, b: number) => a > b, argmin: (a: number, b: number) => a < b };
  function position(combine: 'argmax' | 'argmin', values: number[]): number {
    let best = 0;
    for (let i = 1; i < values.length; i++) {
      if (Number.isNaN(values[best])) break;
      if (Number.isNaN(values[i]) || better[combine](values[i], values[best])) best = i;
    }
    return best;
  }

  for (const dtype of DTYPES) {
    it(`of the extremes of ${dtype.name}: first of equals, NaN first of all`, () => {
      for (const parts of [false, true]) {
        for (const relaxed of dtype === float32 ? [undefined, false] : [undefined]) {
          Object.assign(tuning, initial, { relaxed }, parts ? { splitElements: 50, partElements: 20 } : {});
          for (const combine of ['argmax', 'argmin'] as const) {
            const base = simple('max', dtype);
            const kernel = new ReduceKernel({ ...base, combine, name: combine });
            for (const [sizes, dims] of [
              [[1], [0]],
              [[3], [0]],
              [[100], [0]],
              [[4, 33], [1]],
              [[33, 4], [0]],
              [
                [4, 33],
                [0, 1],
              ],
              [[3, 10, 7], [1]],
              [
                [3, 10, 7],
                [0, 2],
              ],
              [
                [3, 10, 7],
                [0, 1, 2],
              ],
            ] as [number[], number[]][]) {
              for (const nan of dtype.is_floating_point ? [false, true] : [false]) {
                const values = numbers(product(sizes), 9, 5).map((v) => asStored(dtype, v));
                if (nan) values[values.length >> 1] = values[values.length - 1] = Number.NaN;
                const x = operand(dtype, sizes, values);
                const expected = groups(sizes, dims).map((g) =>
                  position(
                    combine,
                    g.map((i) => values[i]),
                  ),
                );
                const best = groups(sizes, dims).map((g, k) => values[g[expected[k]]]);
                for (const [name, view] of layouts(x)) {
                  const what = `${combine} of [${sizes}] over [${dims}], ${name}, parts ${parts}`;
                  const out = operand(dtype, keptSizes(sizes, dims), 77);
                  const indices = operand(int64, keptSizes(sizes, dims), 77);
                  kernel.launch(out, [view], sizes, mask(dims), [], indices);
                  expect(read(indices), what).toEqual(expected);
                  expect(read(out), what).toEqual(best);
                  const alone = operand(int64, keptSizes(sizes, dims), 77);
                  kernel.launch(null, [view], sizes, mask(dims), [], alone);
                  expect(read(alone), what).toEqual(expected);
                }
              }
            }
          }
        }
      }
    });
  }
});
