/**
 * The figures of a training run, where its tensors lie and the trace of its allocations do not depend on when garbage was looked for, nor on how V8 ran the program. Each run is a
 * process of its own; NODE_NEWER may name the executable of a newer Node.js to run all of it with, too. Here some schedules are
 * tried and every compiler; `node tests/lifetimes/full.mjs schedules` tries every schedule with every compiler.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle, run } from './child.mjs';

interface Result {
  read: [allocated: number, peak: number, reserved: number, peakReserved: number][];
  addresses: number[];
  trace: { events: number; digest: string };
  sweeps: number;
  /** Those of the young generation alone. */
  young: number;
  /** Bytes of backing store that were in use at most. */
  store: number;
}

/** The third takes four times as many launches a step. */
const STEPS: Record<string, number> = { mlp: 8, bags: 8, transformer: 4 };
const NODES = [process.execPath, process.env['NODE_NEWER']].filter((node) => node !== undefined && node !== '');

let program: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  program = await bundle('schedules.testing.ts');
});
afterAll(() => program.remove());

function measure(model: string, schedule: string, node: string, flags: string[] = [], executor = 'inline') {
  const options = { node, flags, env: { MTIA_EXECUTOR: executor } };
  return run(program.file, [model, schedule, STEPS[model]], options) as Promise<Result>;
}

/** What must be the same in all runs. */
const figures = ({ read, addresses, trace }: Result) => ({ read, addresses, trace });

describe.each(['mlp', 'bags', 'transformer'])('figures of %s', (model) => {
  let reference: Result;
  beforeAll(async () => {
    reference = await measure(model, '0', process.execPath);
  });

  test('make sense', () => {
    const [[before], ...rest] = reference.read;
    for (const [allocated, peak, reserved, peakReserved] of rest) {
      expect(allocated).toBeGreaterThan(before);
      expect(peak).toBeGreaterThanOrEqual(allocated);
      expect(reserved).toBeGreaterThanOrEqual(peak);
      expect(peakReserved).toBeGreaterThanOrEqual(reserved);
    }
    if (model === 'transformer') expect(rest.at(-1)![2]).toBeGreaterThan(rest[0][2]);
    expect(reference.addresses.length).toBeGreaterThan(10);
    expect(new Set(reference.addresses).size).toBe(reference.addresses.length);
    expect(reference.trace.events).toBeGreaterThan(400);
    // The first step makes gradients and the optimizer's state, later ones nothing that stays.
    expect(new Set(rest.map(([allocated]) => allocated)).size).toBe(1);
    expect(rest.at(-1)![1]).toBeGreaterThan(rest.at(-1)![0]);
  });

  for (const node of NODES) {
    const name = node === process.execPath ? 'this Node' : 'a newer Node';
    test(`are the same under every schedule: ${name}`, { timeout: 60_000 }, async () => {
      // The usual policy makes no sweep of its own in so short a run: `full.mjs` tries that.
      const names = ['launch1', '7', 'young3'];
      const results = await Promise.all(names.map((schedule) => measure(model, schedule, node!)));
      for (const result of results) expect(figures(result)).toEqual(figures(reference));
      const [launch, seventh, young] = results;
      // The schedules did differ, and sweeping more often kept less.
      expect(launch.sweeps).toBeGreaterThan(4 * seventh.sweeps);
      expect(seventh.sweeps).toBeGreaterThan(2 * reference.sweeps);
      expect(launch.store).toBeLessThan(reference.store);
      expect(young.young).toBeGreaterThan(20);
      expect(young.sweeps).toBe(reference.sweeps);
      expect(young.store).toBeLessThan(reference.store);
    });

    test(`are the same whatever the compiler does: ${name}`, { timeout: 60_000 }, async () => {
      const flags = ['--no-opt', '--always-turbofan'];
      const runs = flags.map((flag) => measure(model, '7', node!, [flag]));
      for (const result of await Promise.all(runs)) expect(figures(result)).toEqual(figures(reference));
    });
  }

  test('are the same where a worker runs the launches', { timeout: 60_000 }, async () => {
    const result = await measure(model, '7', process.execPath, [], 'worker');
    expect(figures(result)).toEqual(figures(reference));
  });
});
