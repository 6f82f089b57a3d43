/**
 * A program for `leaks.test.ts`: calls every op many times, forward and backward, and prints what is alive afterwards that
 * was not before: once after a collection, and once after `torch.scope` without any.
 *
 * Arguments: device, the recorded cases, number of calls.
 */
import { readFileSync } from 'node:fs';
import { backendFor } from '../../src/devices/registry.ts';
import { lifetimesOf } from '../../src/devices/storage.ts';
import torch from '../../src/index.ts';
import { sweep, sweepEvery } from '../../src/memory/sweep.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';
import { callWith, type OpCase, type OpInput, plainInput } from '../op-cases.testing.ts';

const device = process.argv[2] as 'cpu' | 'mtia';
const { cases } = JSON.parse(readFileSync(process.argv[3], 'utf8')) as { cases: OpCase[] };

const CALLS = Number(process.argv[4]);
const SCOPED = 20;

const make = (x: OpInput): Tensor => plainInput(x, device);

function call(c: OpCase, leaves: readonly Tensor[]): Tensor[] {
  // In-place ops need something that is no leaf.
  const tensors = leaves.map((x, i) => (c.inputs[i].leaf ? x : x.clone()));
  return callWith(c, tensors);
}

function backward(out: Tensor[]): void {
  const outputs = out.filter((x) => x.requires_grad);
  if (outputs.length > 0) {
    torch.autograd.backward(
      outputs,
      outputs.map((x) => torch.ones_like(x)),
    );
  }
}

const small = (name: string, run: () => unknown): [string, () => void] => [name, () => void run()];
const options = { device };
const held = torch.randn(6, 5, options);
const index = torch.tensor([0n, 2n, 2n], options);

/** What the recorded cases leave out. */
const OTHERS: [string, () => void][] = [
  small('zeros', () => torch.zeros([6, 5], options)),
  small('arange', () => torch.arange(10, options)),
  small('linspace', () => torch.linspace(0, 1, 7, options)),
  small('eye', () => torch.eye(4, options)),
  small('rand', () => torch.rand(6, 5, options)),
  small('randn', () => torch.randn(6, 5, options)),
  small('randint', () => torch.randint(0, 9, [6], options)),
  small('randperm', () => torch.randperm(9, options)),
  small('tensor', () =>
    torch.tensor(
      [
        [1, 2],
        [3, 4],
      ],
      options,
    ),
  ), // prettier-ignore
  small('uniform_', () => torch.empty([6], options).uniform_()),
  small('normal_', () => torch.empty([6], options).normal_()),
  small('item', () => held.sum().item()),
  small('tolist', () => held.t().tolist()),
  small('toTypedArray', () => held.t().toTypedArray()),
  small('String', () => String(held)),
  small('to cpu', () => held.to('cpu')),
  small('to double', () => held.double()),
  small('index', () => held.index([index, torch.Slice(1, 3)])),
  small('index with a mask', () => held.index([held.gt(0)])),
  small('index_put_', () => held.clone().index_put_([index], 2)),
  small('nonzero', () => held.gt(0).nonzero()),
  small('scatter_', () => held.clone().scatter_(0, torch.zeros([2, 5], { ...options, dtype: torch.int64 }), 3)),
  small('cumsum_', () => held.clone().cumsum_(1)),
  small('addmm_', () => torch.zeros([6, 6], options).addmm_(held, held.t())),
  small('allclose', () => torch.allclose(held, held)),
  small('equal', () => torch.equal(held, held)),
  small('any', () => held.gt(0).any(1)),
  small('argmin', () => held.argmin()),
  small('min', () => held.min(0)),
  small('unbind', () => torch.unbind(held)),
  small('chunk', () => torch.chunk(held, 3)),
  small('iteration', () => [...held]),
  small('a failing op', () => {
    try {
      held.matmul(held);
    } catch {
      // That is what it is about.
    }
  }),
];

/** What is kept is seen. */
export const kept: Tensor[] = [];

const steps: [name: string, step: () => void][] = [['a leak', () => void kept.push(held.mul(2).keep())], ...OTHERS];
const seen = new Set<string>();
for (const c of cases) {
  if (seen.has(c.call)) continue;
  seen.add(c.call);
  const leaves = c.inputs.map(make);
  steps.push([
    c.name,
    () => {
      backward(call(c, leaves));
      for (const x of leaves) x.grad = null;
    },
  ]);
}

/** Storages that a run leaves alive. */
function growth(run: () => void): number {
  const lifetimes = lifetimesOf(backendFor(torch.device(device)))!;
  const before = lifetimes.liveCount;
  run();
  return lifetimes.liveCount - before;
}

function collected(step: () => void): number {
  return growth(() => {
    for (let i = 0; i < CALLS; i++) step();
    sweep();
  });
}

// What an op makes once, at its first use.
for (const [, step] of steps) step();
sweep();
const all = collected(() => {
  for (const [, step] of steps) step();
});
// Which ones, if it is more than the one.
const leaking = all === CALLS ? [steps[0]] : steps;
const afterCollection = leaking.map(([name, step]) => [name, collected(step)]).filter(([, count]) => count !== 0);

sweepEvery(0);
const scoped = ([, step]: [string, () => void]) =>
  growth(() => {
    for (let i = 0; i < SCOPED; i++) torch.scope(step);
  });
const afterScope = steps.map((entry) => [entry[0], scoped(entry)]).filter(([, count]) => count !== 0);
console.log(JSON.stringify({ ops: steps.length, all, afterCollection, afterScope }));
