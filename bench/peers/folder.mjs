// Where the peers from npm are installed, and what: `npm run bench:peers`. They are no dependencies of this package.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const folder = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.cache', 'bench-peers');

/** Exact versions, so that figures of different days compare. */
export const packages = {
  '@tensorflow/tfjs': '4.22.0',
  '@tensorflow/tfjs-backend-wasm': '4.22.0',
  '@jax-js/jax': '0.1.25',
  'onnxruntime-node': '1.30.0',
  'onnxruntime-web': '1.30.0',
};

/** What draws the plots of docs/scale.md. */
export const plotting = { '@observablehq/plot': '0.6.17', linkedom: '0.18.15' };

const manifest = (name) => join(folder, 'node_modules', name, 'package.json');

export const isInstalled = (name) => existsSync(manifest(name));

export const versionOf = (name) => JSON.parse(readFileSync(manifest(name), 'utf8')).version;

/** `require` as a program in that folder would have it. */
export const requirePeer = createRequire(join(folder, 'package.json'));

/** The same for a package that is modules only. */
export const importPeer = (name) => import(pathToFileURL(requirePeer.resolve(name)).href);
