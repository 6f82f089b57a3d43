/**
 * A program for `schedules.test.ts`, which runs it under several sweep schedules, compilers and versions of Node.js: a
 * training run, one function a step, whose figures must be the same in all of them. Prints the figures that it read on its
 * way.
 *
 * Arguments: model ('mlp', 'bags'), when to sweep, steps. A number: before every so many allocations (0: only at commit
 * points); 'launch1', 'launch7': after every so many launches; 'auto': by pressure.
 */
import { createdBackend } from '../../src/devices/registry.ts';
import torch from '../../src/index.ts';
import { sweep, sweepEvery, sweepStatistics } from '../../src/memory/sweep.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';
import { figures } from './figures.testing.ts';

const [, , which, schedule, count] = process.argv;
const steps = Number(count);
const device = 'mtia';
const { nn, optim } = torch;

interface Training {
  /** Makes a batch and gives its loss. */
  loss(i: number): Tensor;
  optimizer: { step(): unknown; zero_grad(): void };
}

function mlp(): Training {
  const model = new nn.Sequential(
    new nn.Linear(20, 64),
    new nn.LayerNorm(64),
    new nn.GELU(),
    new nn.Dropout(0.1),
    new nn.Linear(64, 48),
    new nn.ReLU(),
    new nn.Linear(48, 5),
  ).to(device);
  const criterion = new nn.CrossEntropyLoss();
  const loss = (i: number) => {
    const rows = 16 + (i % 3) * 8;
    const x = torch.randn(rows, 20).to(device);
    const target = torch.randint(0, 5, [rows], { device });
    return criterion(model(x), target);
  };
  return { loss, optimizer: new optim.SGD(model.parameters(), { lr: 0.05, momentum: 0.9 }) };
}

function bags(): Training {
  const table = new nn.EmbeddingBag(200, 16, { mode: 'mean' });
  const head = new nn.Linear(16 + 4, 1);
  const model = new nn.ModuleList([table, head]).to(device);
  const loss = (i: number) => {
    const ids = torch.randint(0, 200, [60 + (i % 4) * 10], { device });
    const offsets = torch.arange(0, 60, 5, { device });
    const dense = torch.rand(12, 4, { device });
    const joined = torch.cat([table(ids, offsets), dense.sub(0.5).mul(2)], 1);
    const wanted = dense.sum(1, true);
    return nn.functional.mse_loss(head(joined), wanted);
  };
  return { loss, optimizer: new optim.Adam(model.parameters(), { lr: 0.01 }) };
}

const training = which === 'bags' ? bags() : mlp();

function step(i: number): void {
  const loss = training.loss(i);
  if (i % 7 === 5) {
    // A validation step, in which nobody thinks of no_grad.
    training.loss(i + 1).item();
  }
  training.optimizer.zero_grad();
  loss.backward();
  training.optimizer.step();
}

function sweepAfterLaunches(every: number): void {
  const backend = createdBackend(0)!;
  const submit = backend.submit.bind(backend);
  let launches = 0;
  backend.submit = () => {
    submit();
    if (++launches % every === 0) sweep();
  };
}

function main(): void {
  torch.manual_seed(3);
  if (schedule.startsWith('launch')) {
    sweepEvery(0);
    sweepAfterLaunches(Number(schedule.slice(6)));
  } else sweepEvery(schedule === 'auto' ? null : Number(schedule));
  const read = [figures()];
  for (let i = 0; i < steps; i++) {
    step(i);
    // Between those of a long run the log gets so long that it is replayed without anybody asking.
    if (i < 3 || (i % 5 === 4 && steps < 100) || i === steps - 1) read.push(figures());
  }
  console.log(JSON.stringify({ read, sweeps: sweepStatistics.count, store: createdBackend(0)!.memory.peak }));
}

main();
