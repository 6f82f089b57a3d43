/** The bench's tables and pages, and that result files come back as they were written. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { performancePage } from '../../bench/page.ts';
import { loadRun, saveRun } from '../../bench/run-files.ts';
import type { Run } from '../../bench/results.ts';
import { rows } from '../../bench/rows/index.ts';
import { notes } from '../../bench/notes.ts';
import { exponent, growsTooFast } from '../../bench/scale/growth.ts';
import { scalePage } from '../../bench/scale/page.ts';
import { linesOf, markdownTable, show, terminalTable } from '../../bench/table.ts';

const machine = { cpu: 'A chip', cores: 2, memory: 24 * 2 ** 30, system: 'Linux 6 x64', node: 'v20.20.2' };
const of = (contender: string, median: number) => ({ contender, median, spread: 0.02, samples: [median] });

const run: Run = {
  format: 1,
  date: '2026-11-30T12:00:00.000Z',
  seconds: 120,
  machine,
  threads: 2,
  contenders: [
    { id: 'cpu', kind: 'ours' },
    { id: 'cpu+1thread', kind: 'ours', variant: '1thread' },
    { id: 'mtia', kind: 'ours' },
    { id: 'torch 2.13.0', kind: 'pytorch' },
    { id: 'jax-js 0.1.25', kind: 'javascript' },
  ],
  missing: ['native BLAS: nowhere'],
  results: [
    {
      name: 'matmul',
      unit: 'GFLOP/s',
      higherIsBetter: true,
      figures: [of('cpu', 90), of('cpu+1thread', 45), of('mtia', 60), of('torch 2.13.0', 200), of('jax-js 0.1.25', 40)],
      targets: [
        { of: ['plain'], bound: 85 },
        { of: ['plain'], against: 'javascript', bound: 1.8 },
        { of: ['blas'], against: 'pytorch', bound: 0.95 },
      ],
      failures: [{ contender: 'onnxruntime-web 1.30.0', error: 'no memory' }],
      others: 0.02,
    },
  ],
};

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('lines', () => {
  const lines = linesOf(run);

  test('one for each way of ours, and one for the way that is missing', () => {
    expect(lines.map(({ on }) => on)).toEqual(['cpu', 'mtia', 'cpu, mtia, BLAS']);
  });

  test('say figures, peers, ratios, targets and the verdict', () => {
    expect(lines[0]).toEqual({
      name: 'matmul',
      on: 'cpu',
      us: '90.0 GFLOP/s ±2 %',
      pytorch: '200 (2.13.0)',
      javascript: '40.0 (jax-js)',
      native: '',
      ratio: '0.45 P, 2.25 JS',
      target: '≥ 85 GFLOP/s; ≥ 1.8 JS',
      met: 'met',
    });
    expect(lines[1].met).toBe('NOT MET: 60.0 GFLOP/s, 1.50 JS');
    expect(lines[2].met).toBe('NOT MET: nothing with BLAS here');
  });

  test('three digits that count', () => {
    expect([1234, 123.4, 12.34, 1.234, 0.1234].map(show)).toEqual(['1234', '123', '12.3', '1.23', '0.12']);
  });

  test('Markdown has a row a line; a name is said once; bars are escaped', () => {
    const table = markdownTable([{ ...lines[0], name: 'a|b' }, lines[1], lines[2]]).split('\n');
    expect(table).toHaveLength(5);
    expect(table[2]).toContain('a\\|b');
    expect(table[3].startsWith('| matmul | mtia |')).toBe(true);
    expect(table[4].startsWith('|  | cpu, mtia, BLAS |')).toBe(true);
  });

  test('the terminal leaves out columns that nobody fills', () => {
    expect(terminalTable(lines)).not.toContain('native');
    expect(terminalTable(lines)).toContain('NOT MET');
  });
});

describe('the page', () => {
  test('names machine, versions, what is missing, what failed, and how many targets are met', () => {
    const page = performancePage(run);
    for (const text of [
      'A chip',
      'v20.20.2',
      '24 GiB',
      'torch 2.13.0',
      'nowhere',
      'no memory',
      '**1 of 3 targets met**',
    ])
      expect(page).toContain(text);
    expect(page).not.toContain('Not to be relied on');
  });

  test('a run beside other programs says so, and counts no targets', () => {
    const page = performancePage({ ...run, results: [{ ...run.results[0], others: 0.4 }] });
    expect(page).toContain('Not to be relied on: other programs took up to 40 % of the machine while 1 of 1 rows');
    expect(page).not.toContain('targets met');
    expect(page).toContain('| (busy) met |');
    expect(performancePage(run)).not.toContain('(busy) met');
  });
});

describe('result files', () => {
  test('come back as they were', () => {
    const file = join(folder, 'run.json');
    saveRun(run, file);
    expect(loadRun(file)).toEqual(run);
    expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(true);
  });

  test('keep six digits', () => {
    const file = join(folder, 'digits.json');
    saveRun({ ...run, seconds: 1.23456789 }, file);
    expect(loadRun(file).seconds).toBe(1.23457);
  });

  test('of another format are refused', () => {
    const file = join(folder, 'old.json');
    writeFileSync(file, '{"format":0}');
    expect(() => loadRun(file)).toThrow('holds no results of the bench');
  });
});

describe('rows', () => {
  test('names are unique, since runs are compared by them', () => {
    const names = rows.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('notes are about rows that exist', () => {
    const names = new Set(rows.map(({ name }) => name));
    expect(Object.keys(notes).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('growth', () => {
  const points = (power: number) => [1, 2, 4, 8, 16].map((size) => ({ size, value: 3 * size ** power }));

  test('the exponent is that of the power, over the last two doublings', () => {
    expect(exponent(points(2))).toBeCloseTo(2);
    const bent = [...points(0).slice(0, 3), { size: 8, value: 6 }, { size: 16, value: 12 }];
    expect(exponent(bent)).toBeCloseTo(1);
    expect(() => exponent(points(1).slice(0, 1))).toThrow();
  });

  test('what grows faster than it need is named on the page', () => {
    expect(growsTooFast(points(2), 1)).toBe(true);
    expect(growsTooFast(points(1.1), 1)).toBe(false);
    const curve = { title: 'Sorting', of: 'elements', what: 'milliseconds', needed: 1 };
    const circumstances = { machine, threads: 2, seconds: 60, date: run.date, others: 0 };
    const slow = scalePage([{ ...curve, series: [{ name: 'cpu', points: points(2) }] }], circumstances);
    expect(slow.text).toContain('Faster than need be: Sorting (milliseconds).');
    expect(slow.plots[0].file).toBe('sorting-milliseconds.svg');
    const peers = [{ name: 'torch 2.13.0', points: points(2) }];
    expect(scalePage([{ ...curve, series: peers }], circumstances).text).toContain(
      'Nothing grows faster than it need.',
    );
  });
});
