/**
 * Small programs take the memory that they take in PyTorch, stage by stage. Recorded by
 * scripts/oracle/memory_programs.py.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundle, run } from './child.mjs';

type Figures = [stage: string, allocated: number, peak: number][];

const { programs } = JSON.parse(readFileSync(new URL('../fixtures/memory.json', import.meta.url), 'utf8')) as {
  programs: Record<string, Figures>;
};

/** Stages whose peak is lower than PyTorch's, with the reason. All others are equal. */
const LOWER: Readonly<Record<string, string>> = {
  'momentum step': 'one launch a parameter',
  'adam step': 'one launch a parameter',
  'adamw step': 'one launch a parameter',
  'embedding_bag backward': 'the gradient of a power is one launch',
  'double_backward second': 'so is the second derivative of sigmoid',
  'accumulation once': 'an expanded gradient is multiplied as it is',
  'recorded no_grad': 'a result is used by the next operation only',
  'fan_out backward': 'gradients of cos and sin are one launch each',
};

let measured: Record<string, Figures>;

beforeAll(async () => {
  const program = await bundle('programs.testing.ts');
  try {
    measured = (await run(program.file, [])) as Record<string, Figures>;
  } finally {
    program.remove();
  }
}, 60_000);

describe('memory of programs', () => {
  test.each(Object.keys(programs))('%s', (name) => {
    const wrong: string[] = [];
    for (const [i, [stage, allocated, peak]] of programs[name].entries()) {
      const [, mine, myPeak] = measured[name][i];
      if (mine !== allocated) wrong.push(`${stage}: ${mine} allocated, in PyTorch ${allocated}`);
      const lower = `${name} ${stage}` in LOWER;
      if (lower ? myPeak > peak : myPeak !== peak) wrong.push(`${stage}: peak ${myPeak}, in PyTorch ${peak}`);
    }
    expect(wrong).toEqual([]);
  });

  test('a lower peak is lower somewhere', () => {
    const lower = new Set<string>();
    for (const [name, stages] of Object.entries(programs)) {
      for (const [i, [stage, , peak]] of stages.entries())
        if (measured[name][i][2] < peak) lower.add(`${name} ${stage}`);
    }
    expect([...lower].sort()).toEqual(Object.keys(LOWER).sort());
  });

  test('the article on torch.mtia.memory', () => {
    expect(measured['article_forward']).toEqual([
      ['before', 590848, 590848],
      ['forward', 623616, 623616],
    ]);
  });

  test('a forgotten no_grad costs what the graph saves', () => {
    const peaks = Object.fromEntries(measured['recorded'].map(([stage, , peak]) => [stage, peak]));
    // When the last of four layers runs, the graph holds the results [48, 64] of the three before, which tanh and the next
    // product have saved. Nobody else needs them then.
    expect(peaks['forgotten'] - peaks['no_grad']).toBe(3 * 48 * 64 * 4);
  });
});
