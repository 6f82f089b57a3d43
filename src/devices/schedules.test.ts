/**
 * Figures must not depend on when garbage was looked for, nor on how V8 ran the program. Each run is a process of its own;
 * NODE_NEWER may name the executable of a newer Node to run it with, too.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

const STEPS = '12';
const SCHEDULES = ['1', '7', '0', 'auto'];
const COMPILERS = [[], ['--no-opt'], ['--always-turbofan']];
const NODES = [process.execPath, process.env['NODE_NEWER']].filter((node) => node !== undefined && node !== '');

interface Result {
  read: [allocated: number, peak: number][];
  sweeps: number;
  /** Bytes of backing store that were in use at most. */
  peak: number;
}

const folder = mkdtempSync(join(tmpdir(), 'torch-mtia-schedules-'));
const program = join(folder, 'program.mjs');

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('./schedules.testing.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(node: string, flags: string[], schedule: string): Promise<Result> {
  const { stdout } = await promisify(execFile)(node, [...flags, program, schedule, STEPS]);
  return JSON.parse(stdout) as Result;
}

let reference: Result;
beforeAll(async () => {
  reference = await run(process.execPath, [], '0');
});

test('the reference run has figures that make sense', () => {
  const [, ...rest] = reference.read;
  const last = reference.read.at(-1)!;
  // Three parameters with momentum and gradient.
  expect(last[0]).toBe(3 * (1024 + 3072 + 512));
  for (const [allocated, peak] of rest) expect(peak).toBeGreaterThan(allocated);
});

for (const node of NODES) {
  for (const flags of COMPILERS) {
    const name = `${node === process.execPath ? 'this Node' : 'a newer Node'} ${flags.join(' ')}`;
    test(`figures are the same under every sweep schedule: ${name}`, { timeout: 60_000 }, async () => {
      const results = await Promise.all(SCHEDULES.map((schedule) => run(node!, flags, schedule)));
      for (const result of results) expect(result.read).toEqual(reference.read);
      // The schedules did differ, and sweeping more often kept less.
      expect(results[0].sweeps).toBeGreaterThan(4 * results[1].sweeps);
      expect(results[1].sweeps).toBeGreaterThan(2 * results[2].sweeps);
      expect(results[0].peak).toBeLessThan(results[2].peak);
    });
  }
}
