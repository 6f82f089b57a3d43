// Programs of this folder in processes of their own: bundled, since Node.js runs no TypeScript, and with the flags of V8
// that are asked for.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** Bundles a program of this folder, e.g. 'loop.testing.ts', or one beside it, '../memory/overlap.testing.ts'. */
export async function bundle(name) {
  const folder = mkdtempSync(join(tmpdir(), 'torch-mtia-lifetimes-'));
  const file = join(folder, `${basename(name, '.ts')}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    sourcemap: 'inline',
    logLevel: 'error',
  });
  return { file, remove: () => rmSync(folder, { recursive: true }) };
}

/** Runs it and gives what it printed, as JSON. */
export async function run(file, args, { node = process.execPath, flags = [], env = {} } = {}) {
  const { stdout } = await promisify(execFile)(node, [...flags, file, ...args.map(String)], {
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}
