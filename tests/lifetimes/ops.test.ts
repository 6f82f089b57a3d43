/**
 * Every op takes the memory that it takes in PyTorch: while it runs, for what its graph saves, and in backward. Recorded by
 * scripts/oracle/memory.py, which says what the figures of a case are.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Case, Measured } from './ops.testing.ts';
import { bundle, run } from './child.mjs';

const fixture = fileURLToPath(new URL('../fixtures/memory.json', import.meta.url));
const { cases } = JSON.parse(readFileSync(fixture, 'utf8')) as { cases: Case[] };

/** PyTorch's CPU build counts a number beside a tensor, which is a tensor in the host's memory. */
const NUMBERS = /^(torch\.(mul|div)|Tensor\.(mul_|div_)) \[48,64\] [23]\.0$/;
/**
 * A gradient that is a view of a tensor that the caller holds becomes `.grad` in PyTorch, so that both change together.
 * Ours is a copy.
 */
const COPIED =
  /^(Tensor\.(reshape|view)|torch\.(transpose|unsqueeze|flatten|cat|stack|movedim|hstack|vstack|inner|tensordot|einsum)) /;
/** Figures that differ, with the reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'torch.prod [48,64] 1': 'products of the others are put together from parts',
  'torch.index_fill [48,64], int64[1] 0 2.0': 'the number is a tensor on the device',
  'torch.bincount int64[200]': 'the 1 that is added is a tensor on the device',
  'torch.multinomial frozen[48,64] 4': 'the scores are a tensor of their own',
  'torch.multinomial frozen[48,64] 4 True': 'uniform numbers are drawn beforehand',
  'torch.addmm [48,80], [48,64], [64,80] beta=0.5 alpha=2': 'other order of the gradients',
};

/** What PyTorch's figures come to here. */
function expected(c: Case, gradients: number): Pick<Case, 'forward' | 'kept' | 'backward' | 'chained'> {
  const { forward, kept, backward, chained } = c;
  if (NUMBERS.test(c.name)) return { ...c, forward: [forward[0] - 512, forward[1]], chained: chained! - 512 };
  if (!COPIED.test(c.name)) return c;
  const extra = gradients - backward![0];
  return { ...c, kept: kept! + extra, backward: [gradients, backward![1] + extra] };
}

/** Peaks may be lower, where our kernels do in one step what PyTorch does in several. */
function differences(c: Case): string[] {
  const ours = measured[cases.indexOf(c)];
  const theirs = expected(c, ours.gradients);
  const found: string[] = [];
  const compare = (what: string, mine?: number, its?: number) => {
    if (mine !== its) found.push(`${what}: ${mine}, in PyTorch ${its}`);
  };
  const atMost = (what: string, mine: number, its: number) => {
    if (mine > its) found.push(`${what}: ${mine}, in PyTorch ${its}`);
  };
  compare('held after forward', ours.forward[0], theirs.forward[0]);
  atMost('peak of forward', ours.forward[1], theirs.forward[1]);
  if (theirs.backward === undefined) return found;
  compare('held after backward', ours.kept, theirs.kept);
  compare('gradients', ours.backward![0], theirs.backward[0]);
  atMost('peak of backward', ours.backward![1], theirs.backward[1]);
  compare('held by a sum of it', ours.chained, theirs.chained);
  return found;
}

let measured: Measured[];

beforeAll(async () => {
  const program = await bundle('ops.testing.ts');
  try {
    measured = (await run(program.file, [fixture])) as Measured[];
  } finally {
    program.remove();
  }
}, 120_000);

const calls = new Map<string, Case[]>();
for (const c of cases) calls.set(c.call, [...(calls.get(c.call) ?? []), c]);

describe('memory of', () => {
  test.each([...calls.keys()])('%s', (call) => {
    const wrong: string[] = [];
    for (const c of calls.get(call)!) {
      const found = differences(c);
      const reason = DIFFERENT[c.name];
      if (reason === undefined && found.length > 0) wrong.push(`${c.name}: ${found.join('; ')}`);
      if (reason !== undefined && found.length === 0) wrong.push(`${c.name}: no different any more (${reason})`);
    }
    expect(wrong).toEqual([]);
  });
});
