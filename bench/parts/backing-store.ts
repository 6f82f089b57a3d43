/**
 * What training costs beside the figures: how large the backing store gets, as a share of what it may be (1.5 times the accounted
 * peak, or 256 MiB more than that, whichever is more), and the share of the time that goes into sweeps.
 *
 *     node dist/cli/main.js run bench/parts/backing-store.ts [mlp] [objects]
 *
 * `mlp`: a wide MLP in place of the GPT; `objects`: a million plain objects live beside it, which every sweep has to walk.
 */
import torch from '../../src/index.ts';
import { createdBackends } from '../../src/devices/registry.ts';
import { sweepStatistics } from '../../src/memory/sweep.ts';
import { tell } from './script.ts';

const { nn, optim } = torch;
const F = nn.functional;
const device = 'mtia';
const MIB = 2 ** 20;
const SECONDS = 6;

/** Its parts as modules of PyTorch's own, since what counts here is how much is allocated and dropped. */
function gpt(): () => void {
  const [width, batch, context, vocabulary] = [128, 16, 64, 75];
  const layer = () =>
    new nn.TransformerEncoderLayer(width, 4, {
      dim_feedforward: 4 * width,
      dropout: 0,
      batch_first: true,
      norm_first: true,
    });
  const tokens = new nn.Embedding(vocabulary, width);
  const model = new nn.Sequential(tokens, layer(), layer(), layer(), layer(), new nn.Linear(width, vocabulary)).to(
    device,
  );
  const optimizer = new optim.AdamW(model.parameters());
  const codes = torch.randint(0, vocabulary, [batch, context]).to(device);
  return () => {
    optimizer.zero_grad();
    F.cross_entropy(model(codes).flatten(0, 1), codes.flatten()).backward();
    optimizer.step();
  };
}

function mlp(): () => void {
  const model = new nn.Sequential(new nn.Linear(1024, 1024), new nn.ReLU(), new nn.Linear(1024, 1024)).to(device);
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.01 });
  const x = torch.randn(512, 1024).to(device);
  return () => {
    optimizer.zero_grad();
    model(x).square().mean().backward();
    optimizer.step();
  };
}

const objects = process.argv.includes('objects') ? Array.from({ length: 1_000_000 }, (_, i) => ({ i })) : [];
const step = process.argv.includes('mlp') ? mlp() : gpt();
for (let i = 0; i < 3; i++) step();
torch.mtia.synchronize();

const before = sweepStatistics.milliseconds;
const start = performance.now();
let steps = 0;
while (performance.now() - start < 1000 * SECONDS) {
  step();
  // The host would run ahead by hundreds of steps; programs look at their loss now and then.
  if (++steps % 4 === 0) torch.mtia.synchronize();
}
torch.mtia.synchronize();
const passed = performance.now() - start;
const swept = sweepStatistics.milliseconds - before;
const size = createdBackends().reduce((sum, { memory }) => sum + memory.size, 0);
// Reading a figure sweeps, so it comes last.
const peak = torch.mtia.max_memory_allocated();
if (objects.length > 0 && objects[999_999].i !== 999_999) throw new Error('the objects are gone');
tell({
  highWater: size / Math.max(1.5 * peak, peak + 256 * MIB),
  megabytes: size / MIB,
  peak: peak / MIB,
  sweeps: (100 * swept) / passed,
  steps,
});
