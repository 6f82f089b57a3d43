/** A program for `programs.test.ts`: runs the programs of `programs.ts` and prints their figures, stage by stage. */
import torch from '../../src/index.ts';
import { figures } from './figures.testing.ts';
import { type Kept, type Program, programs } from './programs.ts';

/** Reachable to the end of a program. */
export let kept: Kept = {};

function run(program: Program): [stage: string, allocated: number, peak: number][] {
  kept = {};
  const [base] = figures();
  return program.map(([name, stage]) => {
    stage(kept);
    return [name, ...figures(base)];
  });
}

torch.ones(1, { device: 'mtia' });
const found = Object.entries(programs).map(([name, program]) => [name, run(program)]);
console.log(JSON.stringify(Object.fromEntries(found)));
