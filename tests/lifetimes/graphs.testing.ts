/**
 * A program for `graphs.test.ts`: training with captured steps, graphs and pools that are dropped, and what the allocator makes
 * of it. Prints the figures that it read on its way, and the losses.
 *
 * Argument: before every how many allocations to sweep (0: only at commit points), or 'auto'.
 */
import { createdBackend } from '../../src/devices/registry.ts';
import torch from '../../src/index.ts';
import { sweepEvery, sweepStatistics } from '../../src/memory/sweep.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';

const [, , schedule] = process.argv;
const device = 'mtia';
const { mtia, nn, optim } = torch;
const { memory } = mtia;

const model = new nn.Sequential(new nn.Linear(20, 300), new nn.ReLU(), new nn.Dropout(0.1), new nn.Linear(300, 5)).to(
  device,
);
const optimizer = new optim.AdamW(model.parameters(), { lr: 0.01, capturable: true });
const losses: number[] = [];

function step(x: Tensor, target: Tensor): Tensor {
  optimizer.zero_grad();
  const loss = nn.functional.cross_entropy(model(x) as Tensor, target);
  loss.backward();
  optimizer.step();
  return loss;
}

/** A graph for one batch size, which nobody resets. */
function round(rows: number, pool: [number, number] | null): void {
  const x = torch.randn([rows, 20], { device });
  const target = torch.zeros(rows, { dtype: torch.int64, device });
  step(x, target);
  optimizer.zero_grad();
  const graph = new mtia.MTIAGraph();
  const loss = mtia.graph(graph, { pool }, () => step(x, target));
  for (let i = 0; i < 3; i++) {
    x.normal_();
    graph.replay();
    losses.push(loss.item() as number);
  }
}

/** A pool that nobody disposes of. */
function pooled(mib: number): void {
  const pool = new mtia.MemPool();
  mtia.use_mem_pool(pool, () =>
    torch
      .ones((mib << 20) / 4, { device })
      .add(1)
      .sum()
      .item(),
  );
}

function read(): unknown[] {
  const segments = memory.memory_snapshot();
  return [
    mtia.memory_allocated(),
    mtia.max_memory_allocated(),
    memory.memory_reserved(),
    memory.max_memory_reserved(),
    segments.map(({ address, total_size, segment_pool_id }) => [address, total_size, segment_pool_id]),
  ];
}

function main(): void {
  torch.manual_seed(1);
  memory.set_per_process_memory_fraction((96 << 20) / memory.mem_get_info()[1]);
  if (schedule !== 'auto') sweepEvery(Number(schedule));
  const shared = mtia.graph_pool_handle();
  const figures: unknown[] = [];
  for (let i = 0; i < 4; i++) {
    round(64 + 16 * i, i % 2 === 0 ? shared : null);
    pooled(12 + 4 * i);
    // Without looking, until the device is nearly full.
    if (i % 2 === 1) figures.push(read());
  }
  mtia.empty_cache();
  figures.push(read());
  console.log(
    JSON.stringify({ figures, losses, sweeps: sweepStatistics.count, store: createdBackend(0)!.memory.peak }),
  );
}

main();
