/** Sorting against JavaScript's own stable sort: dtypes, dimensions, layouts, lengths around every border, both ways. */
import { afterEach, describe, expect, it } from 'vitest';
import { bool, type DType, DTYPES, float32, float64, int64, uint8 } from '../core/dtype.ts';
import { asStored, laidOut, numbers, operand, read } from './operands.testing.ts';
import { pick, sort, tuning } from './sort.ts';

const product = (sizes: readonly number[]) => sizes.reduce((n, s) => n * s, 1);
const usual = { ...tuning };
afterEach(() => {
  Object.assign(tuning, usual);
});

/** NaN after everything else. */
const order = (a: number, b: number) => (Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : a - b);

/** The rows of `dim`: positions in the flat array. */
function rowsOf(sizes: readonly number[], dim: number): number[][] {
  const inner = product(sizes.slice(dim + 1));
  const length = sizes[dim] ?? 1;
  const out: number[][] = [];
  for (let at = 0; at < product(sizes); at++) {
    if (Math.floor(at / inner) % length > 0) continue;
    out.push(Array.from({ length }, (_, k) => at + k * inner));
  }
  return out;
}

function valuesFor(dtype: DType, count: number, range: number, special = false): number[] {
  let list = numbers(count, range, count + range);
  if (dtype === bool || dtype === uint8) list = list.map(Math.abs);
  list = list.map((v) => asStored(dtype, v));
  if (special && dtype.is_floating_point) {
    const odd = [Number.NaN, Infinity, -Infinity, -0, 0, 0.5];
    list = list.map((v, i) => (i % 5 === 3 ? odd[i % odd.length] : v));
  }
  return list;
}

/** Sorts, and compares the first `count` of every row. */
function check(dtype: DType, sizes: number[], dim: number, count: number, down: boolean, range: number, dense = true) {
  const list = valuesFor(dtype, product(sizes), range, true);
  const contiguous = operand(dtype, sizes, list);
  const x = dense ? contiguous : laidOut(contiguous, sizes.map((_, d) => d).reverse(), 2);
  const shown = sizes.map((size, d) => (d === dim ? count : size));
  const values = operand(dtype, shown, 0);
  const indices = operand(int64, shown, 0);
  sort(values, indices, x, dim, down);
  const found = read(values);
  const places = read(indices);
  const targets = rowsOf(shown, dim);
  rowsOf(sizes, dim).forEach((row, r) => {
    const sorted = row.map((at, i) => ({ value: list[at], i }));
    sorted.sort((a, b) => (down ? order(b.value, a.value) : order(a.value, b.value)));
    const first = sorted.slice(0, count);
    expect(targets[r].map((at) => found[at])).toEqual(first.map((e) => e.value));
    expect(targets[r].map((at) => places[at])).toEqual(first.map((e) => e.i));
  });
}

describe('sorting', () => {
  for (const dtype of DTYPES) {
    it(`rows of ${dtype.name}`, () => {
      for (const length of [1, 2, 39, 40, 41, 300]) {
        for (const down of [false, true]) {
          check(dtype, [length], 0, length, down, 5);
          check(dtype, [3, length], 1, length, down, 100);
        }
      }
      check(dtype, [50, 4], 0, 50, false, 9, false);
      check(dtype, [2, 41, 3], 1, 41, true, 100, false);
    });

    it(`the first few of ${dtype.name}, found without sorting all`, () => {
      for (const least of [1, 1e9]) {
        Object.assign(tuning, { selectLength: least, selectPart: 1 });
        for (const [length, count] of [
          [1, 1],
          [7, 7],
          [300, 1],
          [300, 50],
        ]) {
          for (const down of [false, true]) {
            check(dtype, [length], 0, count, down, 5);
            check(dtype, [3, length], 1, count, down, 100);
          }
        }
        check(dtype, [60, 4], 0, 5, true, 9, false);
      }
    });
  }

  it('many rows, divided over threads with scratch of their own', () => {
    check(float32, [3000, 60], 1, 60, false, 1000);
    check(float64, [5000, 12], 1, 3, true, 1000);
  });

  it('elements by rank', () => {
    for (const dtype of DTYPES) {
      if (dtype === bool) continue;
      const list = valuesFor(dtype, 3 * 41, 60);
      const x = operand(dtype, [3, 41], list);
      const values = operand(dtype, [3], 0);
      const indices = operand(int64, [3], 0);
      const rows = [0, 1, 2].map((r) => list.slice(r * 41, r * 41 + 41));
      for (const k of [1, 7, 41]) {
        pick(values, indices, x, 1, 'kth', k);
        const wanted = rows.map((row) => row.slice().sort(order)[k - 1]);
        expect(read(values)).toEqual(wanted);
        expect(read(indices)).toEqual(rows.map((row, r) => row.indexOf(wanted[r])));
      }
      pick(values, indices, x, 1, 'median');
      expect(read(values)).toEqual(rows.map((row) => row.slice().sort(order)[20]));
      pick(values, indices, x, 1, 'mode');
      rows.forEach((row, r) => {
        const times = (v: number) => row.filter((w) => w === v).length;
        const most = Math.max(...row.map(times));
        const wanted = row.filter((v) => times(v) === most).sort(order)[0];
        expect([read(values)[r], read(indices)[r]]).toEqual([wanted, row.lastIndexOf(wanted)]);
      });
    }
  });

  it('medians with NaN', () => {
    const x = operand(float32, [3, 4], [1, Number.NaN, 3, 0.5, Number.NaN, Number.NaN, Number.NaN, 2, 4, 3, 2, 1]);
    const values = operand(float32, [3], 0);
    const indices = operand(int64, [3], 0);
    pick(values, indices, x, 1, 'median');
    expect([read(values), read(indices)]).toEqual([
      [Number.NaN, Number.NaN, 2],
      [1, 0, 2],
    ]);
    pick(values, indices, x, 1, 'nanmedian');
    expect([read(values), read(indices)]).toEqual([
      [1, 2, 2],
      [0, 3, 2],
    ]);
  });
});
