/**
 * Graphs and pools that are dropped give back the same at the same points, whenever garbage is looked for and however V8 runs the
 * program.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle, run } from './child.mjs';

interface Result {
  figures: unknown[];
  losses: number[];
  sweeps: number;
}

let program: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  program = await bundle('graphs.testing.ts');
});
afterAll(() => program.remove());

function measure(schedule: string, flags: string[] = [], executor = 'inline'): Promise<Result> {
  return run(program.file, [schedule], { flags, env: { MTIA_EXECUTOR: executor } }) as Promise<Result>;
}

describe('figures with graphs', () => {
  let reference: Result;
  beforeAll(async () => {
    reference = await measure('0');
  });

  test('make sense', () => {
    const last = reference.figures.at(-1) as [number, number, number, number, [number, number, number[]][]];
    // Nothing of the dropped graphs and pools is left but what gradients and the optimizer's state lie in.
    expect(last[2]).toBeLessThanOrEqual(8 << 20);
    expect(last[1]).toBeGreaterThan(2 * last[0]);
    expect(new Set(reference.losses).size).toBe(reference.losses.length);
  });

  test('are the same under every schedule', { timeout: 60_000 }, async () => {
    for (const schedule of ['1', '7', 'auto']) {
      const { figures, losses } = await measure(schedule);
      expect({ schedule, figures, losses }).toEqual({ schedule, figures: reference.figures, losses: reference.losses });
    }
  });

  test('are the same whatever the compiler does, and where a worker runs the launches', {
    timeout: 60_000,
  }, async () => {
    for (const [flags, executor] of [
      [['--no-opt'], 'inline'],
      [['--always-turbofan'], 'inline'],
      [[], 'worker'],
    ] as const) {
      const { figures, losses } = await measure('7', [...flags], executor);
      expect({ flags, figures, losses }).toEqual({ flags, figures: reference.figures, losses: reference.losses });
    }
  });
});
