import { describe, expect, test } from 'vitest';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { covers, overlap, regionOf } from './region.ts';

const x = torch.zeros(4, 6);
const columns = (from: number, to: number, of: Tensor = x) => of.index([':', torch.Slice(from, to)]);
const rows = (from: number, to: number) => x.index([torch.Slice(from, to)]);
const every = (from: number, step: number) => x.view(24).index([torch.Slice(from, null, step)]);

describe('overlap, held against the bytes themselves', () => {
  const views: Record<string, Tensor> = {
    all: x,
    firstRows: rows(0, 2),
    lastRows: rows(2, 4),
    firstColumns: columns(0, 3),
    lastColumns: columns(3, 6),
    middleColumns: columns(2, 4),
    corner: columns(0, 2, rows(0, 2)),
    transposed: x.t(),
    column: x.index([':', 5]),
    row: x.index([1]),
    one: x.index([2, 2]),
    even: every(0, 2),
    odd: every(1, 2),
    third: every(2, 3),
  };
  const elements = (view: Tensor) => {
    const found = new Set<number>();
    const visit = (d: number, at: number): void => {
      if (d === view.sizes.length) found.add(at);
      else for (let i = 0; i < view.sizes[d]; i++) visit(d + 1, at + i * view.strides[d]);
    };
    visit(0, view.offset);
    return found;
  };
  for (const [a, first] of Object.entries(views)) {
    test(a, () => {
      for (const [b, second] of Object.entries(views)) {
        const [one, two] = [elements(first), elements(second)];
        const common = [...one].some((i) => two.has(i));
        // It may only err on the safe side.
        if (common) expect(overlap(regionOf(first), regionOf(second)), b).toBe(true);
        if (covers(regionOf(first), regionOf(second)))
          expect(
            [...two].every((i) => one.has(i)),
            b,
          ).toBe(true);
      }
    });
  }

  test('slices of rows and of columns, and every other element, are told apart', () => {
    const apart = (a: string, b: string) =>
      expect(overlap(regionOf(views[a]), regionOf(views[b])), `${a} ${b}`).toBe(false);
    apart('firstRows', 'lastRows');
    apart('firstColumns', 'lastColumns');
    apart('lastColumns', 'firstColumns');
    apart('even', 'odd');
    apart('row', 'lastRows');
    apart('column', 'middleColumns');
  });

  test('a whole covers its parts, a part itself', () => {
    for (const view of Object.values(views)) {
      expect(covers(regionOf(x), regionOf(view))).toBe(true);
      expect(covers(regionOf(view), regionOf(view))).toBe(true);
    }
    expect(covers(regionOf(views['firstColumns']), regionOf(views['row']))).toBe(false);
  });
});
