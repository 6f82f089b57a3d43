/** Where no sweep can be forced, the engine must see the pressure by itself, between tasks; and errors say what to do. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Result {
  sweeps: boolean;
  /** MiB of backing store and of the device, at most. */
  inUse: number;
  peak: number;
  alive: boolean;
  gone: boolean;
  full: string;
  oom: string;
}

const folder = mkdtempSync(join(tmpdir(), 'torch-mtia-no-sweeps-'));
const program = join(folder, 'program.mjs');

beforeAll(() =>
  build({
    entryPoints: [fileURLToPath(new URL('./no-sweeps.testing.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  }),
);
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(['absent', 'useless'])("Node's modules are %s", (modules) => {
  let result: Result;
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, modules]);
    result = JSON.parse(stdout) as Result;
  });

  test('there are no sweeps', () => expect(result.sweeps).toBe(false));

  test('two gigabytes of dropped storages stay within a fraction of that, and nothing alive is lost', () => {
    expect(result.inUse).toBeLessThan(500);
    expect(result.alive).toBe(true);
    expect(result.gone).toBe(true);
  });

  test('a loop without tasks between its steps gets errors that say what to do', () => {
    for (const text of [result.full, result.oom]) {
      expect(text).toContain('`await` something between steps');
      expect(text).toContain('torch.scope(() => …)');
    }
    expect(result.full).toMatch(/^The backing store is full\./);
    expect(result.oom).toMatch(/^MTIA out of memory\. Tried to allocate 1024\.00 KiB\./);
  });
});
