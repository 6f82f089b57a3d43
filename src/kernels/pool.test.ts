/** Pooling against plain loops: wide rows, where four windows go at a time, and all that falls out of that. */
import { describe, expect, test } from 'vitest';
import type { DType } from '../core/dtype.ts';
import * as dtypes from '../core/dtype.ts';
import { getNumThreads, setNumThreads } from '../devices/threads.ts';
import { laidOut, numbers, operand, read, type TestOperand } from './operands.testing.ts';
import { averagePool, averagePoolBackward, maxPool, maxPoolBackward, type PoolGeometry } from './pool.ts';

const product = (list: readonly number[]): number => list.reduce((p, s) => p * s, 1);

function geometry(window: number[], stride: number[], padding: number[], dilation = [1, 1]): PoolGeometry {
  const three = (list: number[], first: number) => [first, ...list] as unknown as [number, number, number];
  return {
    window: three(window, 1),
    stride: three(stride, 1),
    padding: three(padding, 0),
    dilation: three(dilation, 1),
    adaptive: false,
    divisor: 0,
    countPadding: true,
  };
}

const outOf = (size: number, g: PoolGeometry, i: number): number =>
  Math.floor((size + 2 * g.padding[i] - g.dilation[i] * (g.window[i] - 1) - 1) / g.stride[i]) + 1;

/** Positions of every window's elements, in order, for each output of a plane. */
function windows(height: number, width: number, g: PoolGeometry): number[][] {
  const all: number[][] = [];
  for (let y = 0; y < outOf(height, g, 1); y++) {
    for (let x = 0; x < outOf(width, g, 2); x++) {
      const places: number[] = [];
      for (let i = 0; i < g.window[1]; i++) {
        for (let j = 0; j < g.window[2]; j++) {
          const [h, w] = [
            y * g.stride[1] - g.padding[1] + i * g.dilation[1],
            x * g.stride[2] - g.padding[2] + j * g.dilation[2],
          ];
          if (h >= 0 && h < height && w >= 0 && w < width) places.push(h * width + w);
        }
      }
      all.push(places);
    }
  }
  return all;
}

function check(
  dtype: DType,
  sizes: number[],
  g: PoolGeometry,
  layout: (x: TestOperand) => TestOperand = (x) => x,
): void {
  const [planes, height, width] = [sizes[0] * sizes[1], sizes[2], sizes[3]];
  const list = numbers(product(sizes), 9, 7);
  if (dtype.is_floating_point) {
    list[3] = Number.NaN;
    list[11] = -Infinity;
  }
  const x = layout(operand(dtype, sizes, list));
  const outSizes = [sizes[0], sizes[1], outOf(height, g, 1), outOf(width, g, 2)];
  const places = windows(height, width, g);
  const wantMax: number[] = [];
  const wantAt: number[] = [];
  for (let p = 0; p < planes; p++) {
    for (const window of places) {
      let [best, at] = [-Infinity, window[0]];
      for (const place of window) {
        const v = list[p * height * width + place];
        if (v > best || Number.isNaN(v)) [best, at] = [v, place];
      }
      wantMax.push(best);
      wantAt.push(at);
    }
  }
  const out = operand(dtype, outSizes, 1);
  const indices = operand(dtypes.int64, outSizes, 1);
  maxPool(out, indices, x, g);
  expect(read(out)).toEqual(wantMax);
  expect(read(indices)).toEqual(wantAt);
  maxPool(out, null, x, g);
  expect(read(out)).toEqual(wantMax);
  if (!dtype.is_floating_point) return;

  const grad = operand(dtype, outSizes, numbers(product(outSizes), 4, 3));
  const grads = read(grad);
  const each = places.length;
  const wantGrad = new Array<number>(product(sizes)).fill(0);
  const wantMean = new Array<number>(product(sizes)).fill(0);
  const count = g.window[1] * g.window[2];
  grads.forEach((v, i) => {
    const plane = Math.floor(i / each) * height * width;
    wantGrad[plane + wantAt[i]] += v;
    for (const place of places[i % each]) wantMean[plane + place] += v / count;
  });
  const back = operand(dtype, sizes, 1);
  maxPoolBackward(back, grad, indices, g);
  expect(read(back)).toEqual(wantGrad);
  // Averages have no dilation.
  if (g.dilation.some((d) => d !== 1)) return;
  averagePoolBackward(back, grad, g);
  read(back).forEach((v, i) => {
    expect(v).toBeCloseTo(wantMean[i], dtype.itemsize === 2 ? 1 : 4);
  });
  averagePool(out, x, g);
  const means = read(out);
  means.forEach((v, i) => {
    const plane = Math.floor(i / each) * height * width;
    const want = places[i % each].reduce((sum, place) => sum + list[plane + place], 0) / count;
    if (Number.isFinite(want)) expect(v).toBeCloseTo(want, dtype.itemsize === 2 ? 1 : 4);
    else expect(v).toBe(want);
  });
}

const GEOMETRIES: [string, PoolGeometry][] = [
  ['2', geometry([2, 2], [2, 2], [0, 0])],
  ['3 by 2, padded', geometry([3, 3], [2, 2], [1, 1])],
  ['3 by 1, padded', geometry([3, 3], [1, 1], [1, 1])],
  ['rows', geometry([1, 4], [1, 2], [0, 2])],
  ['dilated', geometry([2, 3], [2, 1], [0, 1], [2, 3])],
  ['dilated by 2', geometry([2, 3], [1, 2], [1, 1], [1, 2])],
  ['far apart', geometry([2, 2], [3, 3], [0, 0])],
];

describe.each([dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.int32])('%s', (dtype) => {
  test.each(GEOMETRIES)('%s', (_, g) => {
    check(dtype, [1, 2, 6, 23], g);
    check(dtype, [2, 1, 5, 9], g);
  });
});

/** The last four windows end where the row does: nothing beyond it is read, nor taken for a part of it. */
test.each(GEOMETRIES)('rows that are just filled: %s', (_, g) => {
  for (const width of [8, 9, 10, 11, 16]) check(dtypes.float32, [1, 2, 8, width], g);
});

test.each(GEOMETRIES)('other layouts: %s', (_, g) => {
  check(dtypes.float32, [2, 2, 5, 17], g, (x) => laidOut(x, [1, 0, 2, 3]));
  check(dtypes.float32, [1, 2, 5, 17], g, (x) => laidOut(x, [0, 1, 3, 2], 2));
});

test('the same on one thread and on several', () => {
  const before = getNumThreads();
  try {
    for (const threads of [1, 3]) {
      setNumThreads(threads);
      check(dtypes.float32, [2, 6, 24, 41], GEOMETRIES[1][1]);
    }
  } finally {
    setNumThreads(before);
  }
});
