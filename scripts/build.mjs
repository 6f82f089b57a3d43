// dist: TypeScript's output (modules, declarations, source maps) and the bundle for browsers without a bundler.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { inputs, markBuilt, root } from './ensure.mjs';

const digest = inputs();
const dist = join(root, 'dist');
rmSync(dist, { recursive: true, force: true });

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const { status } = spawnSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
const command = join(dist, 'cli', 'main.js');
if (existsSync(command)) chmodSync(command, 0o755);

await build({
  entryPoints: [join(root, 'src', 'index.ts')],
  outfile: join(dist, 'browser', 'torch-mtia.js'),
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  // Class names are part of what users see (`Linear(in_features=…)`).
  keepNames: true,
  sourcemap: true,
  logLevel: 'warning',
});
markBuilt(digest);
