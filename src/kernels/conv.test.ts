/** Convolutions against plain loops: every dtype, geometry and layout; whole numbers, so that sums are exact. */
import { describe, expect, test } from 'vitest';
import type { DType } from '../core/dtype.ts';
import * as dtypes from '../core/dtype.ts';
import { getNumThreads, setNumThreads } from '../devices/threads.ts';
import { type ConvGeometry, conv, convInput, convTuning, convWeight } from './conv.ts';
import { asStored, laidOut, numbers, operand, read, type TestOperand } from './operands.testing.ts';

const FLOATS = [dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16];

interface Case {
  N: number;
  C: number;
  O: number;
  size: [number, number, number];
  kernel: [number, number, number];
  g: ConvGeometry;
}

const product = (list: readonly number[]): number => list.reduce((p, s) => p * s, 1);
const small = (dtype: DType, sizes: number[], seed: number) => operand(dtype, sizes, numbers(product(sizes), 2, seed));

function outSize({ size, kernel, g }: Case): number[] {
  return size.map((s, i) => Math.floor((s + 2 * g.padding[i] - g.dilation[i] * (kernel[i] - 1) - 1) / g.stride[i]) + 1);
}

/** Calls `visit` with flat positions in x, weight and out of every product. */
function products(c: Case, visit: (x: number, w: number, y: number) => void): void {
  const { N, C, O, size, kernel, g } = c;
  const ps = outSize(c);
  const [ch, oh] = [C / g.groups, O / g.groups];
  const each = (sizes: readonly number[], body: (at: number[]) => void): void => {
    for (let i = 0; i < product(sizes); i++) {
      const z = Math.floor(i / (sizes[1] * sizes[2]));
      body([z, Math.floor(i / sizes[2]) % sizes[1], i % sizes[2]]);
    }
  };
  const flat = (at: number[], sizes: readonly number[]) => (at[0] * sizes[1] + at[1]) * sizes[2] + at[2];
  for (let n = 0; n < N; n++) {
    for (let o = 0; o < O; o++) {
      for (let k = 0; k < ch; k++) {
        const channel = Math.floor(o / oh) * ch + k;
        each(ps, (p) => {
          each(kernel, (t) => {
            const at = p.map((v, i) => v * g.stride[i] + t[i] * g.dilation[i] - g.padding[i]);
            if (at.some((v, i) => v < 0 || v >= size[i])) return;
            visit(
              (n * C + channel) * product(size) + flat(at, size),
              (o * ch + k) * product(kernel) + flat(t, kernel),
              (n * O + o) * product(ps) + flat(p, ps),
            );
          });
        });
      }
    }
  }
}

/** [N, C, 1, H, W] as [N, C, H, W]. */
function withoutDepth(x: TestOperand): TestOperand {
  const keep = (list: readonly number[]) => list.filter((_, i) => i !== 2);
  return { ...x, sizes: keep(x.sizes), strides: keep(x.strides) };
}

/** @param seen what of an operand the kernels get to see */
function check(
  c: Case,
  dtype: DType,
  layout: (x: TestOperand) => TestOperand = (x) => x,
  seen: (x: TestOperand) => TestOperand = (x) => x,
): void {
  const { N, C, O, size, kernel, g } = c;
  const ps = outSize(c);
  const x = layout(small(dtype, [N, C, ...size], 1));
  const w = layout(small(dtype, [O, C / g.groups, ...kernel], 2));
  const gy = layout(small(dtype, [N, O, ...ps], 3));
  const [bias, biasIn] = [small(dtype, [O], 4), small(dtype, [C], 5)];
  const [xs, ws, gs, bs, bi] = [x, w, gy, bias, biasIn].map(read);
  const wantY = gs.map((_, i) => bs[Math.floor(i / product(ps)) % O]);
  const wantX = xs.map((_, i) => bi[Math.floor(i / product(size)) % C]);
  const wantW = ws.map(() => 0);
  products(c, (i, k, j) => {
    wantY[j] += xs[i] * ws[k];
    wantX[i] += gs[j] * ws[k];
    wantW[k] += gs[j] * xs[i];
  });
  const stored = (list: number[]) => list.map((v) => asStored(dtype, v) + 0);
  const y = operand(dtype, [N, O, ...ps], 55);
  conv(seen(y), seen(x), seen(w), bias, g);
  expect(read(y).map((v) => v + 0)).toEqual(stored(wantY));
  const gx = operand(dtype, [N, C, ...size], 55);
  convInput(seen(gx), seen(gy), seen(w), biasIn, g);
  expect(read(gx).map((v) => v + 0)).toEqual(stored(wantX));
  const gw = operand(dtype, [O, C / g.groups, ...kernel], 55);
  convWeight(seen(gw), seen(gy), seen(x), g);
  expect(read(gw).map((v) => v + 0)).toEqual(stored(wantW));
}

const geometry = (stride = 1, padding = 0, dilation = 1, groups = 1): ConvGeometry => ({
  stride: [1, stride, stride],
  padding: [0, padding, padding],
  dilation: [1, dilation, dilation],
  groups,
});
const flat = (N: number, C: number, O: number, h: number, w: number, k: number, g = geometry()): Case => ({
  N,
  C,
  O,
  size: [1, h, w],
  kernel: [1, k, k],
  g,
});

const CASES: [string, Case][] = [
  ['one of everything', flat(1, 1, 1, 1, 1, 1)],
  ['1x1', flat(2, 3, 5, 4, 5, 1)],
  ['3x3', flat(2, 3, 5, 6, 7, 3)],
  ['padded', flat(2, 3, 5, 6, 7, 3, geometry(1, 1))],
  ['wide rows', flat(1, 2, 9, 5, 19, 3, geometry(1, 1))],
  ['stride', flat(2, 2, 4, 9, 8, 3, geometry(2, 1))],
  ['stride beyond the window', flat(1, 2, 3, 11, 10, 2, geometry(3, 0))],
  ['dilation', flat(1, 2, 3, 9, 10, 3, geometry(1, 2, 2))],
  ['stride and dilation', flat(1, 2, 3, 11, 12, 3, geometry(2, 3, 3))],
  ['stride 4, dilation 2', flat(1, 1, 2, 13, 14, 3, geometry(4, 2, 2))],
  ['groups', flat(2, 6, 4, 5, 6, 3, geometry(1, 1, 1, 2))],
  ['depthwise', flat(2, 5, 5, 5, 6, 3, geometry(1, 1, 1, 5))],
  ['depthwise, two each', flat(1, 3, 6, 7, 6, 3, geometry(2, 1, 1, 3))],
  ['more padding than window', flat(1, 2, 2, 3, 3, 2, geometry(1, 3))],
  ['many channels', flat(1, 70, 6, 3, 3, 2)],
  ['many rows', flat(1, 2, 37, 10, 10, 2)],
  [
    'three axes',
    {
      N: 2,
      C: 2,
      O: 3,
      size: [4, 5, 6],
      kernel: [2, 3, 1],
      g: { stride: [1, 2, 3], padding: [1, 1, 0], dilation: [2, 1, 1], groups: 1 },
    },
  ],
];

describe.each(FLOATS)('%s', (dtype) => {
  test.each(CASES)('%s', (_, c) => check(c, dtype));
});

test.each(CASES)('other layouts: %s', (_, c) => {
  check(c, dtypes.float32, (x) => laidOut(x, [0, 2, 3, 4, 1]));
  check(c, dtypes.float32, (x) => laidOut(x, [1, 0, 4, 3, 2], 2));
});

test.each(CASES)('image by image, and without parts: %s', (_, c) => {
  const before = { ...convTuning };
  try {
    convTuning.scratchBytes = 1;
    check(c, dtypes.float32);
    convTuning.partBytes = 0;
    check(c, dtypes.float16);
  } finally {
    Object.assign(convTuning, before);
  }
});

const WIDE: [string, Case][] = [
  ['odd sizes', flat(2, 3, 5, 7, 9, 3, geometry(1, 1))],
  ['a whole vector', flat(1, 2, 4, 4, 8, 3, geometry(1, 1))],
  ['several vectors', flat(2, 5, 9, 5, 19, 3, geometry(1, 2))],
  ['without padding', flat(1, 17, 20, 8, 18, 3)],
  ['one line', flat(1, 2, 3, 1, 5, 3, geometry(1, 1))],
  ['tiles two by two', flat(3, 3, 5, 4, 4, 3, geometry(1, 1))],
  ['tiles two by two, some beyond', flat(2, 2, 3, 7, 11, 3, geometry(1, 1))],
  ['more than a block of rows and channels', flat(1, 67, 66, 4, 4, 3, geometry(1, 1))],
  ['several blocks of tiles', flat(5, 2, 3, 16, 16, 3, geometry(1, 1))],
];

const FLAT = [...CASES, ...WIDE].filter(([, { size, kernel }]) => size[0] === 1 && kernel[0] === 1);

test.each(FLAT)('3x3 windows by sixteen products: %s', (_, c) => {
  const before = { ...convTuning };
  try {
    convTuning.winograd = 'always';
    check(c, dtypes.float32, undefined, withoutDepth);
    check(c, dtypes.float32, (x) => laidOut(x, [0, 2, 3, 4, 1]), withoutDepth);
    check(c, dtypes.float32, (x) => laidOut(x, [1, 0, 2, 3, 4]), withoutDepth);
    convTuning.scratchBytes = 1;
    check(c, dtypes.float32, undefined, withoutDepth);
  } finally {
    Object.assign(convTuning, before);
  }
});

test('images that are large enough for a native library, and others', () => {
  const before = { ...convTuning };
  try {
    for (const positions of [256, 257]) {
      convTuning.nativePositions = positions;
      check(flat(2, 16, 17, 16, 16, 3, geometry(1, 1)), dtypes.float32, undefined, withoutDepth);
    }
  } finally {
    Object.assign(convTuning, before);
  }
});

test('the same on one thread and on several', () => {
  const before = getNumThreads();
  try {
    for (const threads of [1, 3]) {
      setNumThreads(threads);
      check(flat(2, 8, 24, 17, 23, 3, geometry(1, 1)), dtypes.float32);
      check(flat(2, 8, 8, 20, 21, 3, geometry(2, 1, 1, 2)), dtypes.float64);
    }
  } finally {
    setNumThreads(before);
  }
});
