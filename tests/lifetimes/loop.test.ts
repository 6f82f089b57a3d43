/**
 * A long synchronous loop keeps memory flat, though it never disposes of anything and never awaits. This is the short version;
 * `node tests/lifetimes/full.mjs loop` runs 20,000 steps on every device and prints the figures.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle, run } from './child.mjs';

interface Loop {
  /** Bytes that a step held in variables. */
  held: number;
  milliseconds: number;
  /** Full ones and those of the young. */
  sweeps: number;
  /** Milliseconds of them. */
  sweeping: number;
  /** MB along the way: resident memory, size of the backing store. */
  resident: number[];
  store: number[];
  allocated: number | null;
  losses: [first: number, last: number];
}

const STEPS = 800;

let program: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  program = await bundle('loop.testing.ts');
});
afterAll(() => program.remove());

describe('a synchronous loop', () => {
  test.each([
    ['cpu', 'inline'],
    ['mtia', 'inline'],
    ['mtia', 'worker'],
  ])('on %s %s', { timeout: 60_000 }, async (device, executor) => {
    const result = (await run(program.file, [device, STEPS], { env: { MTIA_EXECUTOR: executor } })) as Loop;
    expect(result.held).toBeGreaterThan(1e6);
    // It trains, and has made several times what it ever kept.
    expect(result.losses[1]).toBeLessThan(result.losses[0] / 2);
    const made = (result.held * STEPS) / 1e6;
    expect(made).toBeGreaterThan(900);
    expect(result.store.at(-1)).toBeLessThan(250);
    expect(result.resident.at(-1)! - result.resident[0]).toBeLessThan(500);
    expect(result.sweeps).toBeGreaterThan(5);
    // Parameters, their gradients and momentum; a loss and a batch of the last step.
    if (device === 'mtia') expect(result.allocated).toBeLessThan(200_000);
  });
});
