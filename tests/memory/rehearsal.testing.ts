/**
 * A program for `rehearsal.test.ts`: a model whose training step needs 3 GiB, on a device of 2 GiB. Tries ever smaller batches
 * until one fits, trains a little with it, and prints what happened.
 */
import torch from '../../src/index.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';

const { nn, optim } = torch;
const device = 'mtia';
const WIDTH = 1024;
const ROWS = 81_920;

torch.mtia.configure({ memory: '2GiB' });
torch.manual_seed(1);

const body: InstanceType<typeof nn.Module>[] = [];
for (let i = 0; i < 4; i++) body.push(new nn.LayerNorm(WIDTH), new nn.GELU());
const model = new nn.Sequential(new nn.Embedding(ROWS, WIDTH, { device }), ...body).to(device);
const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });

function step(batch: number): number {
  optimizer.zero_grad();
  const ids = torch.randint(0, ROWS, [batch], { device });
  const loss = (model(ids) as Tensor).mean();
  loss.backward();
  optimizer.step();
  return loss.item();
}

/** The most that a step of so many rows takes. */
function peakOf(batch: number): number {
  torch.mtia.reset_peak_memory_stats();
  losses.push(step(batch));
  return torch.mtia.max_memory_allocated();
}

const failures: { batch: number; name: string; message: string; afterwards: number; works: number }[] = [];
const losses: number[] = [];
let batch = 65_536;
while (losses.length === 0) {
  try {
    losses.push(step(batch));
  } catch (error) {
    if (!(error instanceof torch.OutOfMemoryError)) throw error;
    const afterwards = torch.mtia.memory_allocated();
    failures.push({
      batch,
      name: error.name,
      message: error.message,
      afterwards,
      works: torch.ones(1000, 1000, { device }).sum().item(),
    });
    batch /= 2;
  }
}

const parameters = [...model.parameters()].reduce((bytes, p) => bytes + p.nbytes, 0);
const peaks = [peakOf(batch), peakOf(batch / 2)];
console.log(JSON.stringify({ failures, batch, losses, parameters, peaks }));
