/** `memory_summary` against PyTorch's, for made-up statistics (scripts/oracle/summary.py). */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { flatten, memorySummary, type NestedStatistics, Statistics } from './index.ts';

interface Case {
  index: number;
  statistics: Record<string, number>;
  full: string;
  abbreviated: string;
}

const file = new URL('../../../tests/fixtures/memory-summary.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];

/** The inverse of `flatten`. */
function nest(flat: Record<string, number>): NestedStatistics {
  const nested: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(flat)) {
    const path = key.split('.');
    const last = path.pop()!;
    let at = nested;
    for (const part of path) at = (at[part] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return nested as unknown as NestedStatistics;
}

test.each(cases)('device $index', ({ index, statistics, full, abbreviated }) => {
  const nested = nest(statistics);
  expect(memorySummary(nested, { name: 'CUDA', index })).toBe(full);
  expect(memorySummary(nested, { name: 'CUDA', index, abbreviated: true })).toBe(abbreviated);
});

test('the same table with the name of another device', () => {
  const text = memorySummary(new Statistics().nested(Infinity), { name: 'MTIA', index: 0 });
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBe(47);
  expect(new Set(lines.map(({ length }) => length))).toEqual(new Set([77]));
  expect(lines[1]).toBe('|                  PyTorch MTIA memory summary, device ID 0                 |');
  expect(lines[3]).toBe('|            MTIA OOMs: 0            |        mtiaMalloc retries: 0         |');
  expect(text).toContain('| MTIA reserved memory  |');
  expect(text).not.toMatch(/CUDA|GPU/);
});

test('nesting is undone by flattening', () => {
  const { statistics } = cases[0];
  expect(flatten(nest(statistics))).toEqual(statistics);
});
