import { describe, expect, test } from 'vitest';
import * as dtypes from '../core/dtype.ts';
import { DTYPES, type DType } from '../core/dtype.ts';
import {
  type BagMode,
  type Bags,
  embeddingBag,
  embeddingBagBackward,
  embeddingBagFactorsBackward,
} from './embedding-bag.ts';
import { embeddingBackward } from './embedding-grad.ts';
import { asStored, laidOut, numbers, operand, read, type TestOperand } from './operands.testing.ts';

const FLOATS = DTYPES.filter((dtype) => dtype.is_floating_point);
const MODES: readonly BagMode[] = ['sum', 'mean', 'max'];

const data = (dtype: DType, sizes: [number, number], seed: number): TestOperand =>
  operand(dtype, sizes, numbers(sizes[0] * sizes[1], 8, seed));

/** Which index positions are in which bag. */
function members(bags: Bags): number[][] {
  const { indices, offsets } = bags;
  if (!offsets) {
    const [rows, n] = indices.sizes;
    return Array.from({ length: rows }, (_, b) => Array.from({ length: n }, (_, j) => b * n + j));
  }
  const starts = read(offsets as TestOperand);
  if (!bags.includeLastOffset) starts.push(indices.length);
  return starts.slice(1).map((end, b) => Array.from({ length: end - starts[b] }, (_, j) => starts[b] + j));
}

function reference(bags: Bags, grad: number[], columns: number, byFrequency: boolean) {
  const weight = read(bags.weight as TestOperand);
  const indices = read(bags.indices as TestOperand);
  const factors = bags.perSampleWeights ? read(bags.perSampleWeights as TestOperand) : null;
  const out: number[] = [];
  const sizes: number[] = [];
  const best: number[] = [];
  const gradWeight = weight.map(() => 0);
  const gradFactors = indices.map(() => 0);
  const counts = (row: number): number => indices.filter((i) => i === row && i !== bags.paddingIndex).length;
  members(bags).forEach((all, b) => {
    const kept = all.filter((j) => indices[j] !== bags.paddingIndex);
    sizes.push(bags.mode === 'sum' ? 0 : kept.length);
    for (let c = 0; c < columns; c++) {
      const g = grad[b * columns + c];
      if (bags.mode === 'max') {
        let top = -1;
        for (const j of kept) {
          if (top < 0 || weight[indices[j] * columns + c] > weight[indices[top] * columns + c]) top = j;
        }
        best.push(top < 0 ? 0 : indices[top]);
        out.push(top < 0 ? 0 : weight[indices[top] * columns + c]);
        if (top >= 0) gradWeight[indices[top] * columns + c] += g;
        continue;
      }
      const scale = bags.mode === 'mean' ? 1 / kept.length : 1;
      let sum = 0;
      for (const j of kept) {
        const factor = factors ? factors[j] : 1;
        sum += factor * weight[indices[j] * columns + c];
        const times = byFrequency ? counts(indices[j]) : 1;
        gradWeight[indices[j] * columns + c] += (g * scale * factor) / times;
        gradFactors[j] += g * weight[indices[j] * columns + c];
      }
      out.push(kept.length ? sum * scale : 0);
    }
  });
  return { out, sizes, best, gradWeight, gradFactors };
}

function expectClose(got: number[], want: number[], dtype: DType): void {
  expect(got.length).toBe(want.length);
  const tolerance = { float64: 1e-14, float32: 1e-6, float16: 2e-3, bfloat16: 2e-2 }[dtype.name] as number;
  got.forEach((x, i) => {
    if (Math.abs(x - want[i]) > tolerance * Math.max(8, Math.abs(want[i]))) expect([i, x]).toEqual([i, want[i]]);
  });
}

describe.each(FLOATS)('%s', (dtype) => {
  const V = 6;
  test.each(MODES)('%s', (mode) => {
    for (const columns of [1, 5, 16, 42]) {
      for (const type of [dtypes.int64, dtypes.int32]) {
        const flat = operand(type, [9], [0, 1, 2, 1, 1, 0, 5, 3, 1]);
        const rows = operand(type, [3, 3], read(flat));
        const weights = data(dtype, [V, columns], 2);
        const factors = mode === 'sum' ? operand(dtype, [9], [1, 2, 0.5, -1, 3, 2, 1, 0.25, 4]) : null;
        const shaped = factors && operand(dtype, [3, 3], read(factors));
        const base = { mode, includeLastOffset: false, paddingIndex: -1, perSampleWeights: null };
        const cases: Bags[] = [];
        for (const weight of [weights, laidOut(weights, [1, 0])]) {
          const offsets = operand(type, [5], [0, 2, 2, 7, 9]);
          cases.push({ ...base, weight, indices: flat, offsets });
          cases.push({ ...base, weight, indices: laidOut(flat, [0], 2), offsets: laidOut(offsets, [0], 2), paddingIndex: 1 });
          cases.push({ ...base, weight, indices: flat, offsets, includeLastOffset: true });
          cases.push({ ...base, weight, indices: laidOut(rows, [1, 0]), offsets: null, perSampleWeights: shaped });
          cases.push({ ...base, weight, indices: rows, offsets: null, paddingIndex: 0, perSampleWeights: shaped && laidOut(shaped, [1, 0]) });
          cases.push({ ...base, weight, indices: flat, offsets, perSampleWeights: factors && laidOut(factors, [0], 3) });
        } // biome-ignore format: a table
        for (const bags of cases) {
          const count = members(bags).length;
          const grad = data(dtype, [count, columns], 9);
          const want = reference(bags, read(grad), columns, false);
          const out = operand(dtype, [count, columns], 99);
          const bagSize = operand(type, [count], 99);
          const maxIndices = operand(type, [count, columns], 99);
          embeddingBag(out, bags, bagSize, mode === 'max' ? maxIndices : null);
          expectClose(read(out), want.out, dtype);
          expect(read(bagSize)).toEqual(want.sizes);
          if (mode === 'max') expect(read(maxIndices)).toEqual(want.best);

          const gradWeight = operand(dtype, [V, columns], 0);
          embeddingBagBackward(gradWeight, laidOut(grad, [0, 1]), bags, bagSize, maxIndices, false);
          expectClose(read(gradWeight), want.gradWeight, dtype);
          if (mode !== 'max') {
            const scaled = operand(dtype, [V, columns], 0);
            embeddingBagBackward(scaled, grad, bags, bagSize, null, true);
            expectClose(read(scaled), reference(bags, read(grad), columns, true).gradWeight, dtype);
          }
          if (bags.perSampleWeights) {
            const gradFactors = operand(dtype, [9], 99);
            embeddingBagFactorsBackward(gradFactors, grad, bags);
            expectClose(read(gradFactors), want.gradFactors, dtype);
          }
        }
      }
    }
  });

  test('the gradient of embedding', () => {
    for (const columns of [1, 7, 16]) {
      const index = operand(dtypes.int64, [7], [3, 1, 3, 0, 1, 3, 2]);
      const grad = data(dtype, [7, columns], 4);
      for (const [padding, byFrequency] of [
        [-1, false],
        [1, false],
        [-1, true],
      ] as const) {
        const want = new Array<number>(4 * columns).fill(0);
        read(index).forEach((row, j) => {
          if (row === padding) return;
          const times = byFrequency ? [1, 2, 1, 3][row] : 1;
          for (let c = 0; c < columns; c++) want[row * columns + c] += read(grad)[j * columns + c] / times;
        });
        const out = operand(dtype, [4, columns], 0);
        embeddingBackward(out, grad, laidOut(index, [0], 2), padding, byFrequency);
        expectClose(read(out), want, dtype);
      }
    }
  });
});

const base: Bags = {
  mode: 'sum',
  weight: operand(dtypes.float32, [3, 2], [1, 2, 3, 4, 5, 6]),
  indices: operand(dtypes.int64, [2], [0, 1]),
  offsets: operand(dtypes.int64, [1], [0]),
  includeLastOffset: false,
  paddingIndex: -1,
  perSampleWeights: null,
};

test('nothing in the bags', () => {
  for (const mode of MODES) {
    const bags: Bags = {
      ...base,
      mode,
      indices: operand(dtypes.int64, [0], []),
      offsets: operand(dtypes.int64, [2], 0),
    };
    const out = operand(dtypes.float32, [2, 2], 7);
    const bagSize = operand(dtypes.int64, [2], 7);
    embeddingBag(out, bags, bagSize, null);
    expect(read(out)).toEqual([0, 0, 0, 0]);
    expect(read(bagSize)).toEqual([0, 0]);
  }
});

test('max keeps a NaN that comes first, and passes over later ones', () => {
  const weight = operand(dtypes.float32, [3, 1], [1, Number.NaN, 3]);
  const max = (...indices: number[]): number[] => {
    const out = operand(dtypes.float32, [1, 1], 7);
    embeddingBag(out, { ...base, mode: 'max', weight, indices: operand(dtypes.int64, [3], indices) }, null, null);
    return read(out);
  };
  expect(max(0, 1, 2)).toEqual([3]);
  expect(max(1, 0, 2)).toEqual([Number.NaN]);
});

test('half types are summed in float32', () => {
  const weight = operand(dtypes.float16, [1, 1], 1.0009765625);
  const indices = operand(dtypes.int64, [1, 4096], 0);
  const out = operand(dtypes.float16, [1, 1], 0);
  embeddingBag(out, { ...base, weight, indices, offsets: null }, null, null);
  expect(read(out)).toEqual([4100]);
  embeddingBag(out, { ...base, mode: 'mean', weight, indices, offsets: null }, null, null);
  expect(read(out)).toEqual([asStored(dtypes.float16, 1.0009765625)]);
});

test('large launches, split over threads, give the same', () => {
  const [V, columns, n, bagLength] = [200, 48, 600, 4];
  const f = dtypes.float32;
  const indices = operand(
    dtypes.int64,
    [n, bagLength],
    numbers(n * bagLength, 1000).map((x) => (x + 1000) % V),
  );
  const weight = data(f, [V, columns], 3);
  const bags: Bags = { ...base, weight, indices, offsets: null };
  const grad = operand(
    f,
    [n, columns],
    numbers(n * columns, 50, 4).map((x) => x * 0.1),
  );
  const out = operand(f, [n, columns], 0);
  embeddingBag(out, bags, null, null);
  const want = reference({ ...bags }, read(grad), columns, false);
  expect(read(out)).toEqual(want.out);
  const gradWeight = operand(f, [V, columns], 0);
  embeddingBagBackward(gradWeight, grad, bags, null, null, false);
  // In float32, one addition after the other: any other order would show.
  const sums = new Float32Array(V * columns);
  const [places, grads] = [read(indices), read(grad)];
  places.forEach((row, j) => {
    const bag = Math.floor(j / bagLength);
    for (let c = 0; c < columns; c++) sums[row * columns + c] += grads[bag * columns + c];
  });
  expect(read(gradWeight)).toEqual([...sums]);
});

describe('faults', () => {
  const run = (bags: Partial<Bags>): void => {
    embeddingBag(operand(dtypes.float32, [3, 2], 0), { ...base, ...bags }, null, null);
  };
  const i64 = (...values: number[]): TestOperand => operand(dtypes.int64, [values.length], values);
  const fast = 'Index 1 of input takes value 5 which is not in the valid range [0, 3)';
  const slow = 'embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be 5';
  test.each<[string, Partial<Bags>, string]>([
    ['sum', { indices: i64(0, 5) }, fast],
    ['mean', { mode: 'mean', indices: i64(0, 5) }, fast],
    ['bags of equal length', { indices: operand(dtypes.int64, [2, 1], [0, 5]), offsets: null }, fast],
    ['negative', { indices: i64(-1) }, 'Index 0 of input takes value -1 which is not in the valid range [0, 3)'],
    ['max', { mode: 'max', indices: i64(0, 5) }, slow],
    ['padding', { paddingIndex: 1, indices: i64(0, 5) }, slow],
    [
      'first offset',
      { offsets: i64(1) },
      'offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got 1',
    ],
    [
      'last offset',
      { offsets: i64(0, 3) },
      "offsets[-1] can not be greater than input's length 2 but got offsets[-1] of 3",
    ],
    ['order', { offsets: i64(0, 2, 1) }, 'embedding_bag: offsets must not decrease, but 2 is followed by 1'],
  ])('%s', (_, bags, message) => {
    expect(() => run(bags)).toThrow(expect.objectContaining({ name: 'RuntimeError', message }));
  });
});
