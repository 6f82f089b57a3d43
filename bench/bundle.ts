/**
 * How large the core is for a page: the package's small entry point as it ships, bundled and minified by esbuild as a program
 * of one import would be, then gzip.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { folder, isInstalled } from './peers/folder.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Kilobytes (of 1024 bytes). */
async function kilobytes(program: string, resolveDir: string, alias: Record<string, string> = {}): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir, loader: 'js' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    alias,
    logLevel: 'silent',
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0) / 1024;
}

const PEERS: [name: string, needed: string, program: string][] = [
  [
    'tfjs-wasm',
    '@tensorflow/tfjs',
    "import * as tf from '@tensorflow/tfjs'; import '@tensorflow/tfjs-backend-wasm'; globalThis.tf = tf;",
  ],
  ['jax-js', '@jax-js/jax', "import * as jax from '@jax-js/jax'; globalThis.jax = jax;"],
];

/** The size of one of the package's entry points: `.`, `./core` and so on. */
export function entrySize(name: string): Promise<number> {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  return kilobytes("import torch from 'torch-mtia'; globalThis.torch = torch;", root, {
    'torch-mtia': `${root}${exports[name].default.slice(2)}`,
  });
}

/** Ours, and the sizes of what peers' code comes to (without their .wasm files). */
export async function bundleSizes(): Promise<{ ours: number; peers: [name: string, size: number][] }> {
  const ours = await entrySize('./core');
  const peers: [string, number][] = [];
  for (const [name, needed, program] of PEERS) {
    if (isInstalled(needed)) peers.push([name, await kilobytes(program, folder)]);
  }
  return { ours, peers };
}
