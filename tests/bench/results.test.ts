/** How figures of the bench are judged: ratios, targets, and what is missing. */
import { describe, expect, test } from 'vitest';
import { best, type Contender, type Figure, judge, ratio, type Result } from '../../bench/results.ts';
import { median, quantile, spread } from '../../bench/statistics.ts';

const contenders: Contender[] = [
  { id: 'cpu', kind: 'ours' },
  { id: 'cpu+blas', kind: 'ours', variant: 'blas' },
  { id: 'cpu+1thread', kind: 'ours', variant: '1thread' },
  { id: 'cpu+compile', kind: 'ours', variant: 'compile' },
  { id: 'torch 1.13.0', kind: 'pytorch' },
  { id: 'torch 2.13.0', kind: 'pytorch' },
  { id: 'tfjs-wasm 4.22.0', kind: 'javascript' },
];
const figure = (contender: string, value: number): Figure => ({
  contender,
  median: value,
  spread: 0.01,
  samples: [value],
});

function result(over: Partial<Result>): Result {
  return { name: 'row', unit: 'ms', higherIsBetter: false, figures: [], targets: [], failures: [], others: 0, ...over };
}

describe('statistics', () => {
  test('quantiles are interpolated, whatever the order', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(quantile([0, 10], 0.75)).toBe(7.5);
    expect(() => median([])).toThrow('no samples');
  });

  test('the spread is half the interquartile range over the median; one sample has none', () => {
    expect(spread([8, 9, 10, 11, 12])).toBeCloseTo(0.1);
    expect(spread([3, 3, 3])).toBe(0);
    expect(spread([3])).toBeNull();
  });

  test('one sample that is far off moves neither', () => {
    const samples = [9, 10, 10, 10, 11, 10, 1000];
    expect(median(samples)).toBe(10);
    expect(spread(samples)).toBeLessThan(0.05);
  });
});

describe('the peer to beat', () => {
  const figures = [figure('cpu', 6), figure('torch 1.13.0', 5), figure('torch 2.13.0', 4)];
  const pytorch = ({ kind }: Contender) => kind === 'pytorch';

  test('is the faster one, where less is better and where more is', () => {
    expect(best(result({ figures }), contenders, pytorch)?.contender).toBe('torch 2.13.0');
    expect(best(result({ figures, higherIsBetter: true }), contenders, pytorch)?.contender).toBe('torch 1.13.0');
    expect(best(result({ figures: [] }), contenders, pytorch)).toBeNull();
  });

  test('a ratio above 1 means that we win', () => {
    expect(ratio(result({}), figure('cpu', 2), figure('torch 2.13.0', 4))).toBe(2);
    expect(ratio(result({ higherIsBetter: true }), figure('cpu', 2), figure('torch 2.13.0', 4))).toBe(0.5);
  });
});

describe('targets', () => {
  const [cpu, blas, , compiled] = contenders;

  test('bounds of the figure itself', () => {
    const targets = [{ bound: 20 }];
    expect(judge(result({ figures: [figure('cpu', 20)], targets }), contenders, cpu)).toMatchObject([{ met: true }]);
    expect(judge(result({ figures: [figure('cpu', 21)], targets }), contenders, cpu)).toMatchObject([{ met: false }]);
    const speeds = { figures: [figure('cpu', 21)], targets, higherIsBetter: true };
    expect(judge(result(speeds), contenders, cpu)).toMatchObject([{ met: true, value: 21 }]);
  });

  test('ratios to PyTorch, by what they are for', () => {
    const targets = [
      { of: ['blas'] as const, against: 'pytorch' as const, bound: 1 },
      { of: ['plain'] as const, against: 'pytorch' as const, bound: 0.6 },
    ];
    const figures = [figure('cpu', 10), figure('cpu+blas', 10), figure('torch 2.13.0', 7)];
    const row = result({ figures, targets });
    expect(judge(row, contenders, cpu)).toMatchObject([{ met: true, value: 0.7 }]);
    expect(judge(row, contenders, blas)).toMatchObject([{ met: false, value: 0.7 }]);
  });

  test('ratios to ourselves: one thread, eager', () => {
    const targets = [
      { of: ['plain'] as const, against: '1thread' as const, bound: 1.8 },
      { of: ['compile'] as const, against: 'eager' as const, bound: 1.3 },
    ];
    const figures = [figure('cpu', 10), figure('cpu+1thread', 19), figure('cpu+compile', 8)];
    const row = result({ figures, targets });
    expect(judge(row, contenders, cpu)).toMatchObject([{ met: true, value: 1.9 }]);
    expect(judge(row, contenders, compiled)).toMatchObject([{ met: false, value: 1.25 }]);
  });

  test('without PyTorch its targets are not met', () => {
    const row = result({ figures: [figure('cpu', 1)], targets: [{ against: 'pytorch', bound: 0.1 }] });
    expect(judge(row, contenders, cpu)).toMatchObject([{ met: false, value: null }]);
  });

  test('where JavaScript peers are there and none can do it, they are beaten; where there are none, nobody knows', () => {
    const row = result({ figures: [figure('cpu', 1)], targets: [{ against: 'javascript', bound: 3 }] });
    expect(judge(row, contenders, cpu)).toMatchObject([{ met: true, value: null }]);
    expect(judge(row, contenders.slice(0, 6), cpu)).toMatchObject([{ met: false, value: null }]);
  });

  test('who was not measured is not judged', () => {
    expect(judge(result({ targets: [{ bound: 1 }] }), contenders, cpu)).toEqual([]);
  });
});
