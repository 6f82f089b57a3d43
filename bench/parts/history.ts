/**
 * What recording the memory history costs a program: allocations by the shortest and by the general way into the library, from
 * functions that are eight deep in all, and a training step; each as more than without the history. A part of `npm run bench`, or
 * `node dist/cli/main.js run bench/parts/history.ts`.
 */
import torch from 'torch-mtia';
import { type Figures, tell } from './script.ts';

const { memory } = torch.mtia;
const device = 'mtia';
const ROUNDS = 120;
const REPEAT = 300;
const DEPTH = 8;

type Work = () => unknown;
let work: Work = () => null;
// A function for each frame, as programs have them; with what calls them, eight.
const first = () => work();
const second = () => first();
const third = () => second();
const fourth = () => third();
const fifth = () => fourth();

/** Microseconds of one repetition, the best of many short rounds: what else the machine does is not ours. */
function best(next: Work, rounds = ROUNDS, repeat = REPEAT): number {
  work = next;
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < repeat; i++) fifth();
    least = Math.min(least, performance.now() - start);
  }
  return (least * 1000) / repeat;
}

// What the worker does beside would only blur it.
torch.mtia.configure({ executor: 'inline' });
torch.mtia.init();
const x = torch.ones(16, { device });
const { nn, optim } = torch;
const model = new nn.Sequential(new nn.Linear(16, 16), new nn.ReLU(), new nn.Linear(16, 4)).to(device);
const optimizer = new optim.Adam(model.parameters());
const batch = torch.ones(8, 16, { device });
const shortest = () => x.add(1);
const general = () => torch.zeros(16, { device });
const step = () => {
  optimizer.zero_grad();
  model(batch).sum().backward();
  optimizer.step();
};

function costs(): { shortest: number; general: number; step: number } {
  return { shortest: best(shortest), general: best(general), step: best(step, 100, 10) };
}

// Warm first, so that the code is the same in all of them.
costs();
const off = costs();
memory._record_memory_history('all', { context: null, max_entries: 10_000 });
const without = costs();
memory._record_memory_history('all', { max_entries: 10_000 });
const withStacks = costs();
best(shortest, 1, 1);
const depth = torch.mtia.snapshot().device_traces[0].findLast(({ action }) => action === 'alloc')!.frames!.length;
if (depth !== DEPTH) throw new Error(`stacks have ${depth} frames in place of ${DEPTH}`);
memory._record_memory_history(null);

const figures: Figures = {
  withoutStacks: Math.max(without.shortest - off.shortest, without.general - off.general),
  shortest: withStacks.shortest - off.shortest,
  general: withStacks.general - off.general,
  step: withStacks.step - off.step,
};
tell(figures);
