/**
 * How a process with devices ends. Each program is bundled and run by itself.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'torch-mtia-exit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const IMPORTS = `
  import { CpuBackend } from './cpu.ts';
  import { block, callMath, check, fill, LONG, read, slowAdd } from './kernels.testing.ts';
  import { MtiaBackend } from './mtia.ts';
  import { setNumThreads } from './threads.ts';
`;

interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

let count = 0;
function run(program: string, build: { minify?: boolean; keepNames?: boolean } = {}): Promise<Outcome> {
  const outfile = join(folder, `${count++}.mjs`);
  buildSync({
    stdin: { contents: IMPORTS + program, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    ...build,
  });
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [outfile], { timeout: 15_000 });
    const outcome: Outcome = { code: null, out: '', err: '' };
    child.stdout.on('data', (text) => (outcome.out += text));
    child.stderr.on('data', (text) => (outcome.err += text));
    child.on('close', (code) => resolve({ ...outcome, code }));
  });
}

const FAULT = `
  const a = block(on, [9]);
  slowAdd(on, a, a, 1, 0, 4 * LONG);
  check(on, a, 1, 4);
`;
const MESSAGE =
  'mtia:0: found after the program had ended, in a launch that nothing waited for:\n' +
  'IndexError: index 9 at 0 is out of range for size 4\n';

describe('a program that ends', () => {
  test('ends by itself, whatever threads there are', async () => {
    const { code, out, err } = await run(`
      setNumThreads(2);
      const all = [new CpuBackend(), new MtiaBackend(0, 'worker'), new MtiaBackend(1, 'inline'), new MtiaBackend(2)];
      for (const on of all) {
        const n = 1 << 16;
        const a = on.allocate(4 * n);
        fill(on, a, n, 1, 1000);
        slowAdd(on, a, a, n, 1, 0, 1000);
        console.log(read(on, a, n).reduce((x, y) => x + y));
      }
    `);
    expect(err).toBe('');
    expect(out).toBe('131072\n'.repeat(4));
    expect(code).toBe(0);
  });

  test.each(['worker', 'inline', 'auto'])('with a fault in the queue prints it and fails (%s)', async (executor) => {
    const { code, err } = await run(`const on = new MtiaBackend(0, '${executor}'); ${FAULT}`);
    expect(err).toBe(MESSAGE);
    expect(code).toBe(1);
  });

  test('by process.exit(0) all the same', async () => {
    const { code, err } = await run(`const on = new MtiaBackend(0, 'worker'); ${FAULT} process.exit(0);`);
    expect(err).toBe(MESSAGE);
    expect(code).toBe(1);
  });

  test('keeps another exit code', async () => {
    const { code, err } = await run(`const on = new MtiaBackend(0, 'worker'); ${FAULT} process.exit(3);`);
    expect(err).toBe(MESSAGE);
    expect(code).toBe(3);
  });

  test('by an exception', async () => {
    const { code, err } = await run(`const on = new MtiaBackend(0, 'worker'); ${FAULT} throw new Error('mine');`);
    expect(err).toContain('Error: mine');
    expect(err).toContain(MESSAGE);
    expect(code).toBe(1);
  });

  test('succeeds when the fault was caught before', async () => {
    const { code, out, err } = await run(`
      const on = new MtiaBackend(0, 'worker');
      ${FAULT}
      try { on.synchronize(); } catch (error) { console.log(error.message); }
    `);
    expect(out).toBe('index 9 at 0 is out of range for size 4\n');
    expect(err).toBe('');
    expect(code).toBe(0);
  });

  test('with a worker that has died says so', async () => {
    const { code, err } = await run(`
      const on = new MtiaBackend(0, 'worker', { prelude: 'Math.cosh = () => process.exit(0);' });
      callMath(on);
    `);
    expect(err).toMatch(/RuntimeError: mtia:0: the device is lost/);
    expect(code).toBe(1);
  });
});

test('minified, with names kept, the threads still work', async () => {
  const program = `
    setNumThreads(2);
    for (const on of [new CpuBackend(), new MtiaBackend(0, 'worker')]) {
      const n = 1 << 16;
      const a = on.allocate(4 * n);
      fill(on, a, n, 1, 1000);
      slowAdd(on, a, a, n, 1, 1000000, 1000);
      console.log(read(on, a, n).reduce((x, y) => x + y));
      check(on, a, n, 5, 1000);
    }
  `;
  for (const build of [{ minify: true }, { minify: true, keepNames: true }, { keepNames: true }]) {
    const { code, out, err } = await run(program, build);
    expect({ code, out, err }).toEqual({ code: 0, out: '131072\n131072\n', err: '' });
  }
});
