/** Rows of whole training steps, at the sizes of examples/. */
import type { Arguments } from '../cases/case.ts';
import type { Target } from '../results.ts';
import type { CaseRow } from './row.ts';

const level: Target[] = [
  { of: ['blas'], against: 'pytorch', bound: 1 },
  { of: ['plain'], against: 'pytorch', bound: 0.6 },
  { of: ['plain'], against: 'javascript', bound: 3 },
];

function training(title: string, name: string, args: Arguments, targets: Target[], compile = false): CaseRow {
  return {
    kind: 'case',
    name: `training step, ${title}`,
    case: name,
    args,
    unit: 'ms',
    variants: compile ? ['blas', 'compile'] : ['blas'],
    losses: 3,
    targets: compile ? [...targets, { of: ['compile'], against: 'eager', bound: 1.3 }] : targets,
  };
}

export const trainingRows: CaseRow[] = [
  { ...training('the articles’ Linear(10, 5)', 'linear', {}, [{ bound: 20 }]), unit: 'µs', variants: [] },
  training('MLP 256-256-256-10, batch 64', 'mlp', { batch: 64, width: 256, layers: 2 }, [], true),
  training('digits CNN, batch 32', 'digits', { batch: 32 }, level),
  training('DLRM, batch 256', 'dlrm', { batch: 256 }, level),
  training(
    'character GPT, 4 layers, 128 wide, batch 16 x 64',
    'gpt',
    { batch: 16, context: 64, width: 128, heads: 4, layers: 4 },
    level,
    true,
  ),
];
