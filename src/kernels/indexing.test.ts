import { describe, expect, test } from 'vitest';
import * as dtypes from '../core/dtype.ts';
import { DTYPES, type DType } from '../core/dtype.ts';
import { countNonzero, embedding, gather, indexGet, indexSelect, nonzero } from './gather.ts';
import { indexedSizesOf } from './indexing.ts';
import { asStored, backend, expanded, laidOut, numbers, operand, read, type TestOperand } from './operands.testing.ts';
import { indexAdd, indexCopy, indexPut, scatter, scatterAdd } from './scatter.ts';

const INDEX_TYPES = [dtypes.int64, dtypes.int32];

const size = (sizes: readonly number[]): number => sizes.reduce((n, s) => n * s, 1);

function data(dtype: DType, sizes: number[], seed = 1): TestOperand {
  return operand(
    dtype,
    sizes,
    numbers(size(sizes), 40, seed).map((x) => asStored(dtype, x)),
  );
}

function index(dtype: DType, sizes: number[], below: number, seed = 1, from = 0): TestOperand {
  const values = numbers(size(sizes), 500, seed).map((x) => from + ((x + 500) % (below - from)));
  return operand(dtype, sizes, values);
}

/** Row-major coordinates of every element. */
function coordinates(sizes: readonly number[]): number[][] {
  return sizes.reduce<number[][]>((all, s) => all.flatMap((c) => Array.from({ length: s }, (_, i) => [...c, i])), [[]]);
}
const at = (sizes: readonly number[], c: readonly number[]): number => c.reduce((n, i, d) => n * sizes[d] + i, 0);

/** The operand in row-major order, transposed, and with gaps. */
function layouts(x: TestOperand): TestOperand[] {
  const order = x.sizes.map((_, d) => d);
  return [x, laidOut(x, [...order].reverse()), laidOut(x, order, 3)];
}

const add = (dtype: DType, a: number, b: number): number =>
  dtype === dtypes.bool ? (a || b ? 1 : 0) : asStored(dtype, a + b);

describe.each(DTYPES)('%s', (dtype) => {
  test('index_select', () => {
    for (const [sizes, dim] of [
      [[7], 0],
      [[4, 5], 0],
      [[4, 5], 1],
      [[3, 4, 20], 1],
      [[2, 3, 4], 2],
      [[3, 300], 0],
    ] as [number[], number][]) {
      const x = data(dtype, [...sizes]);
      for (const type of INDEX_TYPES) {
        const i = index(type, [6], sizes[dim], 3);
        const outSizes = sizes.map((s, d) => (d === dim ? 6 : s));
        const [values, places] = [read(x), read(i)];
        const want = coordinates(outSizes).map(
          (c) =>
            values[
              at(
                sizes,
                c.map((k, d) => (d === dim ? places[k] : k)),
              )
            ],
        );
        for (const y of layouts(x)) {
          const out = operand(dtype, outSizes, 1);
          indexSelect(out, y, dim, laidOut(i, [0], 2));
          expect(read(out)).toEqual(want);
        }
      }
    }
  });

  test('gather, scatter, scatter_add', () => {
    for (const [sizes, iSizes, dim] of [
      [[5], [9], 0],
      [[4, 6], [3, 5], 0],
      [[4, 6], [3, 8], 1],
      [[3, 4, 5], [2, 6, 5], 1],
      [[3, 4, 5], [7, 4, 5], 0],
    ] as [number[], number[], number][]) {
      const x = data(dtype, [...sizes]);
      const src = data(dtype, [...iSizes], 5);
      for (const type of INDEX_TYPES) {
        const i = index(type, [...iSizes], sizes[dim], 3);
        const [values, places, sources] = [read(x), read(i), read(src)];
        const spots = coordinates(iSizes).map((c, n) =>
          at(
            sizes,
            c.map((k, d) => (d === dim ? places[n] : k)),
          ),
        );
        const written = [...values];
        const added = [...values];
        spots.forEach((spot, n) => {
          written[spot] = sources[n];
          added[spot] = add(dtype, added[spot], sources[n]);
        });
        layouts(x).forEach((y, n) => {
          const j = layouts(i)[n];
          const out = operand(dtype, [...iSizes], 1);
          gather(out, y, dim, j);
          expect(read(out)).toEqual(spots.map((spot) => values[spot]));
          for (const [launch, want] of [
            [scatter, written],
            [scatterAdd, added],
          ] as const) {
            const self = layouts(data(dtype, [...sizes]))[n];
            launch(self, dim, j, layouts(src)[(n + 1) % 3]);
            expect(read(self)).toEqual(want);
          }
        });
      }
    }
  });

  test('index_add, index_copy', () => {
    for (const [sizes, dim] of [
      [[7], 0],
      [[4, 5], 0],
      [[4, 5], 1],
      [[3, 4, 40], 1],
    ] as [number[], number][]) {
      const outSizes = sizes.map((s, d) => (d === dim ? 9 : s));
      const src = data(dtype, outSizes, 5);
      const i = index(dtypes.int64, [9], sizes[dim], 3);
      const [places, sources] = [read(i), read(src)];
      const added = read(data(dtype, [...sizes]));
      const copied = [...added];
      coordinates(outSizes).forEach((c, n) => {
        const spot = at(
          sizes,
          c.map((k, d) => (d === dim ? places[k] : k)),
        );
        added[spot] = add(dtype, added[spot], sources[n]);
        copied[spot] = sources[n];
      });
      for (let n = 0; n < 3; n++) {
        const self = layouts(data(dtype, [...sizes]))[n];
        indexAdd(self, dim, i, layouts(src)[(n + 1) % 3]);
        expect(read(self)).toEqual(added);
        const other = layouts(data(dtype, [...sizes]))[n];
        indexCopy(other, dim, i, src);
        expect(read(other)).toEqual(copied);
      }
    }
  });

  test('indexing with tensors', () => {
    const t = dtypes.int64;
    for (const [sizes, list, want] of [
      [[5], [[7]], [7]],
      [
        [5, 6],
        [[7], null],
        [7, 6],
      ],
      [
        [5, 6],
        [null, [7]],
        [5, 7],
      ],
      [
        [5, 6],
        [[2, 3], [3]],
        [2, 3],
      ],
      [
        [5, 6, 3],
        [[2, 1], [3], null],
        [2, 3, 3],
      ],
      [
        [5, 6, 3],
        [null, [2, 1], [3]],
        [5, 2, 3],
      ],
      [
        [5, 6, 3],
        [[4], null, [4]],
        [4, 6],
      ],
      [
        [5, 6, 3],
        [[2, 1], null, [4]],
        [2, 4, 6],
      ],
      [
        [2, 5, 6, 30],
        [null, [4], [1], null],
        [2, 4, 30],
      ],
      [[5, 6], [[], null], [6]],
    ] as [number[], (number[] | null)[], number[]][]) {
      // biome-ignore format: tables
      const indices = list.map((s, d) => (s === null ? null : index(t, s, sizes[d], d + 1, -sizes[d])));
      const x = data(dtype, sizes);
      expect(indexedSizesOf(x, indices)).toEqual(want);
      const shared = coordinates(want);
      const sharedRank = Math.max(...list.map((s) => (s === null ? 0 : s.length)));
      const split = list.findIndex((s) => s !== null);
      const last = list.length - 1 - [...list].reverse().findIndex((s) => s !== null);
      const place = last - split + 1 === list.filter((s) => s !== null).length ? split : 0;
      const spots = shared.map((c) => {
        const b = c.slice(place, place + sharedRank);
        const slices = [...c.slice(0, place), ...c.slice(place + sharedRank)];
        const source = sizes.map((s, d) => {
          const i = indices[d];
          if (!i) return slices.shift() as number;
          const own = b.slice(b.length - i.sizes.length).map((k, j) => (i.sizes[j] === 1 ? 0 : k));
          return (read(i)[at(i.sizes, own)] + s) % s;
        });
        return at(sizes, source);
      });
      const values = read(x);
      const given = data(dtype, want, 7);
      const put = [...values];
      const sum = [...values];
      read(given).forEach((v, n) => {
        put[spots[n]] = v;
        sum[spots[n]] = add(dtype, sum[spots[n]], v);
      });
      for (let n = 0; n < 3; n++) {
        const self = layouts(data(dtype, sizes))[n];
        const out = layouts(data(dtype, want))[n];
        indexGet(out, self, indices);
        expect(read(out)).toEqual(spots.map((spot) => values[spot]));
        indexPut(self, indices, given, false);
        expect(read(self)).toEqual(put);
        const other = layouts(data(dtype, sizes))[n];
        indexPut(other, indices, layouts(given)[n], true);
        expect(read(other)).toEqual(sum);
      }
      const one = data(dtype, sizes);
      indexPut(one, indices, operand(dtype, [], 1), false);
      const filled = [...values];
      for (const spot of spots) filled[spot] = 1;
      expect(read(one)).toEqual(filled);
    }
  });

  test('embedding', () => {
    for (const columns of [1, 3, 16, 33]) {
      const weight = data(dtype, [7, columns]);
      const i = index(dtypes.int64, [2, 5], 7);
      const values = read(weight);
      const want = read(i).flatMap((k) => values.slice(k * columns, (k + 1) * columns));
      for (const w of layouts(weight)) {
        const out = operand(dtype, [2, 5, columns], 1);
        embedding(out, w, laidOut(i, [1, 0]));
        expect(read(out)).toEqual(want);
      }
    }
  });

  test('nonzero', () => {
    for (const sizes of [[], [9], [3, 5], [2, 3, 4], [0, 3]]) {
      const values = numbers(size(sizes), 1, 3).map((x) => asStored(dtype, x === -1 ? 0 : x));
      const x = operand(dtype, sizes, values);
      const want = coordinates(sizes).filter((_, n) => values[n] !== 0);
      for (const y of layouts(x)) {
        const count = operand(dtypes.int64, [1], 77);
        countNonzero(count, y);
        expect(read(count)).toEqual([want.length]);
        const out = operand(dtypes.int64, [want.length, sizes.length], 77);
        nonzero(out, y);
        expect(read(out)).toEqual(want.flat());
      }
    }
  });
});

test('a float is zero with either sign, and NaN is not', () => {
  for (const dtype of DTYPES.filter((d) => d.is_floating_point)) {
    const count = operand(dtypes.int64, [1], 0);
    countNonzero(count, operand(dtype, [4], [0, -0, Number.NaN, 2 ** -14]));
    expect(read(count)).toEqual([2]);
  }
});

test('large launches, split over threads, give the same', () => {
  const V = 300;
  const columns = 64;
  const n = 2000;
  const f = dtypes.float32;
  const i = index(dtypes.int64, [n], V);
  const weight = data(f, [V, columns]);
  const out = operand(f, [n, columns], 0);
  embedding(out, weight, i);
  const [values, places] = [read(weight), read(i)];
  expect(read(out)).toEqual(places.flatMap((k) => values.slice(k * columns, (k + 1) * columns)));
  // 0.1 has no exact sum: the order of additions shows.
  const src = operand(
    f,
    [n, columns],
    numbers(n * columns, 100, 9).map((x) => x * 0.1),
  );
  const self = operand(f, [V, columns], 0);
  indexAdd(self, 0, i, src);
  const want = new Float32Array(V * columns);
  const sources = read(src);
  places.forEach((k, row) => {
    for (let c = 0; c < columns; c++) want[k * columns + c] += sources[row * columns + c];
  });
  expect(read(self)).toEqual([...want]);
  const flat = operand(f, [100_000], 0);
  indexSelect(flat, operand(f, [5], [1, 2, 3, 4, 5]), 0, operand(dtypes.int32, [100_000], 4));
  expect(new Set(read(flat))).toEqual(new Set([5]));
});

describe('faults', () => {
  const x = operand(dtypes.float32, [3, 4], 1);
  const ones = operand(dtypes.float32, [1, 1], 1);
  const i64 = (...values: number[]): TestOperand => operand(dtypes.int64, [values.length], values);
  const cell = (v: number): TestOperand => operand(dtypes.int64, [1, 1], v);
  const out = operand(dtypes.float32, [1, 4], 0);
  const bounds = (i: number | bigint, dim: number, n: number): string =>
    `index ${i} is out of bounds for dimension ${dim} with size ${n}`;
  const range = 'index out of range in self';
  test.each<[string, () => void, string, string]>([
    ['index_select', () => indexSelect(out, x, 0, i64(5)), 'IndexError', range],
    ['index_select, negative', () => indexSelect(out, x, 0, i64(-1)), 'IndexError', range],
    ['embedding', () => embedding(out, x, i64(3)), 'IndexError', range],
    ['gather', () => gather(ones, x, 0, cell(5)), 'RuntimeError', bounds(5, 0, 3)],
    ['gather, negative', () => gather(ones, x, 1, cell(-1)), 'RuntimeError', bounds(-1, 1, 4)],
    ['gather, int32', () => gather(ones, x, 1, operand(dtypes.int32, [1, 1], -7)), 'RuntimeError', bounds(-7, 1, 4)],
    ['gather, large', () => gather(ones, x, 1, cell(2 ** 40)), 'RuntimeError', bounds(2 ** 40, 1, 4)],
    ['scatter', () => scatter(x, 0, cell(5), ones), 'RuntimeError', bounds(5, 0, 3)],
    ['scatter_add', () => scatterAdd(x, 1, cell(4), ones), 'RuntimeError', bounds(4, 1, 4)],
    ['index_add', () => indexAdd(x, 0, i64(-1), out), 'RuntimeError', bounds(-1, 0, 3)],
    ['index_add of vectors', () => indexAdd(i64(1, 2), 0, i64(2), i64(1)), 'IndexError', range],
    ['index_copy', () => indexCopy(x, 0, i64(5), out), 'IndexError', `index_copy_(): ${bounds(5, 0, 3)}`],
    ['indexing', () => indexGet(out, x, [i64(5), null]), 'IndexError', bounds(5, 0, 3)],
    ['indexing, negative', () => indexGet(out, x, [i64(-4)]), 'IndexError', bounds(-4, 0, 3)],
    ['indexing, second', () => indexGet(i64(0), x, [i64(2), i64(9)]), 'IndexError', bounds(9, 1, 4)],
    ['index_put', () => indexPut(x, [null, i64(-5)], ones, false), 'IndexError', bounds(-5, 1, 4)],
    ['index_put, adding', () => indexPut(x, [i64(3)], ones, true), 'IndexError', bounds(3, 0, 3)],
    [
      'nothing to select from',
      () => gather(ones, operand(dtypes.float32, [0, 1], 0), 0, cell(0)),
      'RuntimeError',
      bounds(0, 0, 0),
    ],
  ])('%s', (_, launch, name, message) => {
    expect(launch).toThrow(expect.objectContaining({ name, message }));
    // and the device goes on
    embedding(out, expanded(ones, [1, 4]), i64(0));
    expect(read(out)).toEqual([1, 1, 1, 1]);
  });

  test('what comes before an index out of range has been written', () => {
    const self = operand(dtypes.float32, [3], 0);
    expect(() => scatter(self, 0, i64(1, 7), operand(dtypes.float32, [2], 5))).toThrow('index 7');
    expect(read(self)).toEqual([0, 5, 0]);
  });

  test('index tensors that do not broadcast', () => {
    expect(() => indexedSizesOf(x, [i64(1, 2), i64(1, 2, 3)])).toThrow(
      'shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]',
    );
    expect(backend.sequence).toBeGreaterThan(0);
  });
});
