/**
 * What it costs to have many tensors: an operation, making one more, and reading a figure beside so many live ones.
 *
 *     node dist/cli/main.js run bench/parts/live-tensors.ts COUNT
 */
import torch from 'torch-mtia';
import { tell } from './script.ts';

const device = 'mtia';
const count = Number(process.argv.at(-1));
const OPERATIONS = 20_000;
const ROUNDS = 5;

/** Milliseconds of the fastest round. */
function best(rounds: number, run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
    torch.mtia.synchronize();
  }
  return least;
}

const x = torch.ones(16, { device });
const add = () => {
  for (let i = 0; i < OPERATIONS; i++) x.add(1);
};
best(ROUNDS, add);
// Reading a figure collects garbage first.
torch.mtia.memory_allocated();
const before = process.memoryUsage();
const start = performance.now();
const held = Array.from({ length: count }, () => x.add(1));
const making = performance.now() - start;
const operation = best(ROUNDS, add);
const reading = best(ROUNDS, () => void torch.mtia.memory_allocated());
const after = process.memoryUsage();
if (held.length !== count) throw new Error('not all are held');
tell({
  making: (1000 * making) / count,
  operation: (1000 * operation) / OPERATIONS,
  reading,
  heap: (after.heapUsed - before.heapUsed) / count,
});
