/**
 * A program for T41, in a process of its own: tensors of 2 to 20 MiB come and go at random on a device and
 * now and then the cache is emptied. Prints how often a tensor had lost what was written to it, and how many tensors' addresses
 * overlapped. Arguments: steps, the device's memory.
 */
import torch from '../../src/index.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';

const [, , count, memory] = process.argv;
const steps = Number(count);
const device = 'mtia';
const MIB = 1024 ** 2;
const EDGE = 64;

interface Entry {
  x: Tensor;
  size: number;
  /** Of its first and last bytes. */
  value: number;
}

torch.mtia.configure({ memory });

let seed = 1;
function random(below: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

const live: Entry[] = [];
const result = { wrong: 0, checked: 0, overlaps: 0, failed: 0 };

const edges = ({ x, size }: Entry): Tensor[] => [x.narrow(0, 0, EDGE), x.narrow(0, size - EDGE, EDGE)];

function check(entry: Entry): void {
  result.checked++;
  for (const edge of edges(entry)) {
    if ((edge.tolist() as number[]).some((value) => value !== entry.value)) result.wrong++;
  }
}

function release(): void {
  const [entry] = live.splice(random(live.length), 1);
  check(entry);
  // Half of them are left to be found.
  if (random(2) === 0) entry.x.dispose();
}

function allocate(value: number): void {
  const size = (2 + random(18)) * MIB;
  const entry = { x: torch.empty(size, { device, dtype: torch.uint8 }), size, value };
  for (const edge of edges(entry)) edge.fill_(value);
  live.push(entry);
}

function checkAddresses(): void {
  const ranges = live.map(({ x, size }) => [x.data_ptr(), size]).sort(([a], [b]) => a - b);
  for (let i = 1; i < ranges.length; i++) if (ranges[i][0] < ranges[i - 1][0] + ranges[i - 1][1]) result.overlaps++;
}

for (let step = 0; step < steps; step++) {
  const what = random(200);
  if (what === 0) torch.mtia.empty_cache();
  else if (live.length > 60 || (what < 95 && live.length > 0)) release();
  else {
    try {
      allocate(step & 255);
    } catch (error) {
      if (!(error instanceof torch.OutOfMemoryError)) throw error;
      result.failed++;
      while (live.length > 20) release();
    }
  }
  if (step % 500 !== 499) continue;
  for (const entry of live) check(entry);
  checkAddresses();
}

console.log(JSON.stringify(result));
