/** Comparing two runs of the bench: changes beyond noise are seen, noise is not. */
import { expect, test } from 'vitest';
import { compareRuns } from '../../bench/regressions.ts';
import type { Run } from '../../bench/results.ts';

interface Given {
  ours: number;
  peer?: number;
  spread?: number | null;
  higherIsBetter?: boolean;
  name?: string;
  unit?: string;
  others?: number;
}

function run({ ours, peer, spread = 0.01, higherIsBetter = false, name = 'row', unit = 'ms', others = 0 }: Given): Run {
  const figures = [{ contender: 'cpu', median: ours, spread, samples: [] }];
  if (peer !== undefined) figures.push({ contender: 'torch 2.13.0', median: peer, spread, samples: [] });
  return {
    format: 1,
    date: '2026-01-01T00:00:00.000Z',
    seconds: 1,
    machine: { cpu: '', cores: 2, memory: 0, system: '', node: '' },
    threads: 2,
    contenders: [
      { id: 'cpu', kind: 'ours' },
      { id: 'torch 2.13.0', kind: 'pytorch' },
    ],
    missing: [],
    results: [{ name, unit, higherIsBetter, figures, targets: [], failures: [], others }],
  };
}

const verdict = (before: Given, now: Given) => compareRuns(run(before), run(now))[0]?.verdict;

test('slower by more than noise is a regression, faster an improvement', () => {
  expect(verdict({ ours: 10 }, { ours: 12 })).toBe('regression');
  expect(verdict({ ours: 12 }, { ours: 10 })).toBe('improvement');
  expect(verdict({ ours: 10 }, { ours: 10.3 })).toBe('same');
});

test('where more is better, less is a regression', () => {
  expect(verdict({ ours: 12, higherIsBetter: true }, { ours: 10, higherIsBetter: true })).toBe('regression');
  expect(verdict({ ours: 10, higherIsBetter: true }, { ours: 12, higherIsBetter: true })).toBe('improvement');
});

test('samples that lie far apart hide a change', () => {
  expect(verdict({ ours: 10, spread: 0.1 }, { ours: 12, spread: 0.1 })).toBe('same');
  expect(verdict({ ours: 10, spread: 0.1 }, { ours: 20, spread: 0.1 })).toBe('regression');
});

test('single samples are trusted less', () => {
  expect(verdict({ ours: 10, spread: null }, { ours: 12, spread: null })).toBe('same');
  expect(verdict({ ours: 10, spread: null }, { ours: 15, spread: null })).toBe('regression');
});

test('a machine that was slower for everybody is no regression; one that was not is', () => {
  expect(verdict({ ours: 10, peer: 10 }, { ours: 20, peer: 20 })).toBe('same');
  expect(verdict({ ours: 10, peer: 10 }, { ours: 10, peer: 8 })).toBe('regression');
  expect(compareRuns(run({ ours: 10, peer: 10 }), run({ ours: 20, peer: 20 }))[0]).toMatchObject({
    peer: 'torch 2.13.0',
    worse: 0,
  });
});

test('a peer that only one of the runs had is not compared with', () => {
  expect(compareRuns(run({ ours: 10, peer: 10 }), run({ ours: 12 }))[0]).toMatchObject({
    peer: null,
    verdict: 'regression',
  });
});

test('rows that one of them has not, or measured otherwise, are left out', () => {
  expect(compareRuns(run({ ours: 1 }), run({ ours: 2, name: 'other' }))).toEqual([]);
  expect(compareRuns(run({ ours: 1 }), run({ ours: 2, unit: 'µs' }))).toEqual([]);
});

test('a run beside other programs proves nothing, neither way', () => {
  expect(verdict({ ours: 10, others: 0.5 }, { ours: 20 })).toBe('disturbed');
  expect(verdict({ ours: 20 }, { ours: 10, others: 0.5 })).toBe('disturbed');
  expect(verdict({ ours: 10, others: 0.05 }, { ours: 20, others: 0.05 })).toBe('regression');
});
