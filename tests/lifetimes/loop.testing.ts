/**
 * A synchronous training loop that never disposes of anything and never awaits: a program for `loop.test.ts` and
 * `full.mjs`, which run it in a process of its own and read what it prints. Each step makes more than 1 MB of tensors that
 * its function holds in variables.
 *
 * Arguments: device, number of steps, plain objects kept on the heap meanwhile.
 */
import { createdBackend, cpuBackend } from '../../src/devices/registry.ts';
import torch from '../../src/index.ts';
import { sweepStatistics } from '../../src/memory/sweep.ts';

const device = process.argv[2] === 'mtia' ? 'mtia' : 'cpu';
const steps = Number(process.argv[3]);
/** What else the program may have in memory: it makes collections slow. */
export const ballast = Array.from({ length: Number(process.argv[4] ?? 0) }, (_, i) => ({ i }));

const { nn, optim } = torch;
const BATCH = 512;

torch.manual_seed(0);
const first = new nn.Linear(32, 128);
const last = new nn.Linear(128, 8);
const model = new nn.Sequential(first, new nn.ReLU(), last).to(device);
const optimizer = new optim.SGD(model.parameters(), { lr: 0.01, momentum: 0.9 });
const criterion = new nn.CrossEntropyLoss();
const teacher = torch.randn(32, 8, { device });

/** Bytes of what a step's function holds in variables. */
let held = 0;

function step() {
  const x = torch.randn(BATCH, 32, { device });
  const target = x.matmul(teacher).argmax(1);
  const hidden = first(x);
  const doubled = hidden.mul(2);
  const shifted = doubled.add(1);
  const squashed = shifted.tanh();
  const output = last(hidden.relu());
  const loss = criterion(output, target);
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
  held = [x, target, hidden, doubled, shifted, squashed, output].reduce((sum, t) => sum + t.nbytes, 0);
  return loss;
}

const MB = 1e6;

function main(): void {
  const memory = (device === 'mtia' ? createdBackend(0)! : cpuBackend()).memory;
  const every = Math.max(1, Math.floor(steps / 40));
  /** Resident memory and backing store along the way, MB. */
  const resident: number[] = [];
  const store: number[] = [];
  const inUse: number[] = [];
  const losses: number[] = [];
  const begin = performance.now();
  const before = { ...sweepStatistics };
  for (let i = 0; i < steps; i++) {
    const loss = step();
    if (i === 0 || i === steps - 1) losses.push(loss.item());
    if (i % every === every - 1) {
      resident.push(Math.round(process.memoryUsage.rss() / MB));
      store.push(Math.round(memory.size / MB));
      inUse.push(Math.round(memory.inUse / MB));
    }
  }
  const milliseconds = performance.now() - begin;
  const { count, young, milliseconds: swept } = sweepStatistics;
  const sweeps = count + young - before.count - before.young;
  const sweeping = swept - before.milliseconds;
  const allocated = device === 'mtia' ? torch.mtia.memory.allocated() : null;
  const peak = device === 'mtia' ? torch.mtia.memory.max_memory_allocated() : null;
  const figures = { held, milliseconds, sweeps, sweeping, resident, store, inUse, allocated, peak, losses };
  console.log(JSON.stringify(figures));
}

main();
