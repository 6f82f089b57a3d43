/**
 * A program for `schedules.test.ts`, which runs it under several sweep schedules, compilers and versions of Node.js: a
 * training run, one function a step, whose figures must be the same in all of them. Prints the figures that it read on its
 * way, where everything lies in the end, and a digest of the whole trace.
 *
 * Arguments: model ('mlp', 'bags', 'transformer'), when to sweep, steps. A number: before every so many allocations (0: only at commit
 * points); 'launch1', 'launch7': after every so many launches; 'auto': by pressure.
 */
import { createHash } from 'node:crypto';
import { createdBackend } from '../../src/devices/registry.ts';
import torch from '../../src/index.ts';
import { sweep, sweepEvery, sweepStatistics } from '../../src/memory/sweep.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';
import { figuresWithReserved } from './figures.testing.ts';

const [, , which, schedule, count] = process.argv;
const steps = Number(count);
const device = 'mtia';
const { nn, optim } = torch;

interface Training {
  /** Makes a batch and gives its loss. */
  loss(i: number): Tensor;
  optimizer: InstanceType<typeof optim.Optimizer>;
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

/** One block: attention of two heads and a layer of its own after it, each with a norm before it and added to what came in. */
function transformer(): Training {
  const [width, heads, each, words] = [32, 2, 16, 512];
  const [embedding, norm, project, out] = [
    new nn.Embedding(words, width),
    new nn.LayerNorm(width),
    new nn.Linear(width, 3 * width),
    new nn.Linear(width, width),
  ];
  const [after, up, down, head] = [
    new nn.LayerNorm(width),
    new nn.Linear(width, 4 * width),
    new nn.Linear(4 * width, width),
    new nn.Linear(width, words),
  ];
  const model = new nn.ModuleList([embedding, norm, project, out, after, up, down, head]).to(device);
  const attention = (x: Tensor, rows: number, length: number): Tensor => {
    const split = (part: Tensor) => part.reshape(rows, length, heads, each).transpose(1, 2);
    const [q, k, v] = project(norm(x)).chunk(3, -1).map(split);
    const weights = q.matmul(k.transpose(-2, -1)).div(Math.sqrt(each)).softmax(-1);
    return out(weights.matmul(v).transpose(1, 2).reshape(rows, length, width));
  };
  const loss = (i: number) => {
    // The scores of the words take 1 to 2 MiB.
    const [rows, length] = [16, 24 + (i % 3) * 20];
    const ids = torch.randint(0, words, [rows, length + 1], { device });
    let x: Tensor = embedding(ids.narrow(1, 0, length));
    x = x.add(attention(x, rows, length));
    x = x.add(down(nn.functional.gelu(up(after(x)))));
    return nn.functional.cross_entropy(head(x).reshape(-1, words), ids.narrow(1, 1, length).reshape(-1));
  };
  return { loss, optimizer: new optim.AdamW(model.parameters(), { lr: 0.01 }) };
}

const models: Record<string, () => Training> = { mlp, bags, transformer };
const training = models[which]();

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

/** Where parameters, gradients and the optimizer's state lie. */
function addresses(): number[] {
  const { param_groups, state } = training.optimizer;
  const tensors = (param_groups[0].params as Tensor[]).flatMap((parameter) => {
    const kept = Object.values(state.get(parameter) ?? {}).filter((value) => value instanceof torch.Tensor) as Tensor[];
    return [parameter, parameter.grad!, ...kept];
  });
  return tensors.filter((x) => x.is_mtia).map((x) => x.data_ptr());
}

/** Every event of the device, but for its time. */
function trace(): { events: number; digest: string } {
  const [events] = torch.mtia.memory.snapshot().device_traces;
  const hash = createHash('sha256');
  for (const { action, addr, size, stream } of events) hash.update(`${action} ${addr} ${size} ${stream}\n`);
  return { events: events.length, digest: hash.digest('hex') };
}

function main(): void {
  torch.manual_seed(3);
  // A long run's trace would be most of its memory.
  if (steps < 100) torch.mtia.record_memory_history('all', { context: null });
  if (schedule.startsWith('launch')) {
    sweepEvery(0);
    sweepAfterLaunches(Number(schedule.slice(6)));
  } else if (schedule.startsWith('young')) sweepEvery(Number(schedule.slice(5)), true);
  else sweepEvery(schedule === 'auto' ? null : Number(schedule));
  const read = [figuresWithReserved()];
  for (let i = 0; i < steps; i++) {
    step(i);
    // Between those of a long run the log gets so long that it is replayed without anybody asking.
    if (i < 3 || (i % 5 === 4 && steps < 100) || i === steps - 1) read.push(figuresWithReserved());
  }
  const { count: sweeps, young } = sweepStatistics;
  const result = { read, addresses: addresses(), trace: trace() };
  console.log(JSON.stringify({ ...result, sweeps, young, store: createdBackend(0)!.memory.peak }));
}

main();
