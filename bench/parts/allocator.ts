/**
 * The caching allocator alone: pairs of allocation and free per second with 100,000 live blocks. A part of `npm run bench`; with
 * `all` also for sizes that no model has: `node dist/cli/main.js run bench/parts/allocator.ts all`.
 */
import { Allocator } from '../../src/memory/allocator/index.ts';
import { tell } from './script.ts';

const LIVE = 100_000;
const PAIRS = 1_000_000;
const ROUNDS = 5;

type Sizes = (random: () => number) => number;

function generator(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

/** A model has few distinct sizes. */
function training(): Sizes {
  const random = generator(7);
  const sizes = Array.from({ length: 64 }, () => Math.floor(2 ** (2 + 20 * random())));
  return (next) => sizes[Math.floor(next() * sizes.length)];
}

const DISTRIBUTIONS: [string, Sizes][] = [
  ['64 sizes of 4 B to 4 MiB', training()],
  ['any size of 4 B to 1 MiB', (random) => Math.floor(2 ** (2 + 18 * random()))],
  ['any size of 1 to 64 MiB', (random) => Math.floor(2 ** (20 + 6 * random()))],
];

/** Milliseconds of computing, so that it matters less what else the machine does. */
const now = () => process.cpuUsage().user / 1000;

/** Millions of pairs per second, the best of some rounds. */
function best(run: () => void): number {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const start = now();
    run();
    least = Math.min(least, now() - start);
  }
  return PAIRS / least / 1000;
}

/** Millions of pairs per second. */
interface Speeds {
  /** Any of the live blocks is freed. */
  anywhere: number;
  /** As a training step does: a thousand allocations on top of the live ones, freed in the opposite order. */
  steps: number;
}

function measure(sizeOf: Sizes): Speeds {
  const random = generator(1);
  const sizes = Float64Array.from({ length: PAIRS }, () => sizeOf(random));
  const victims = Int32Array.from({ length: PAIRS }, () => Math.floor(random() * LIVE));
  const allocator = new Allocator({ device: 2 ** 44 });
  const live = Int32Array.from({ length: LIVE }, (_, at) => allocator.malloc(sizes[at]));
  const anywhere = best(() => {
    for (let at = 0; at < PAIRS; at++) {
      const victim = victims[at];
      allocator.free(live[victim]);
      live[victim] = allocator.malloc(sizes[at]);
    }
  });
  const step = new Int32Array(1000);
  const steps = best(() => {
    for (let at = 0; at < PAIRS; at += step.length) {
      for (let i = 0; i < step.length; i++) step[i] = allocator.malloc(sizes[at + i]);
      for (let i = step.length - 1; i >= 0; i--) allocator.free(step[i]);
    }
  });
  return { anywhere, steps };
}

const [[, ofModels], ...others] = DISTRIBUTIONS;
const figures = { ...measure(ofModels) };
if (process.argv.includes('all')) {
  for (const [name, sizeOf] of others) {
    const { anywhere, steps } = measure(sizeOf);
    console.log(`${name}: any block freed ${anywhere.toFixed(2)}, steps of 1000 ${steps.toFixed(2)} million pairs/s`);
  }
}
tell(figures);
