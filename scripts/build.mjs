// dist: declarations (TypeScript), modules for Node.js and bundlers, and one file for browsers without a bundler (esbuild).
// The modules are bundled around the package's entry points: 200 files would take three times as long to load. Names are
// kept as they are, since class names are part of what users see (`Linear(in_features=…)`).
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { inputs, markBuilt, root } from './ensure.mjs';

const digest = inputs();
const src = join(root, 'src');
const dist = join(root, 'dist');
rmSync(dist, { recursive: true, force: true });

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const { status } = spawnSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

const common = { bundle: true, format: 'esm', target: 'es2022', sourcemap: true, logLevel: 'warning' };
await build({
  ...common,
  // All in one go, so that they share one instance of every module.
  entryPoints: [
    join(src, 'index.ts'),
    join(src, 'memory', 'index.ts'),
    ...readdirSync(join(src, 'cli'))
      .filter((name) => !/\.test(ing)?\.ts$/.test(name))
      .map((name) => join(src, 'cli', name)),
  ],
  outbase: src,
  outdir: dist,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  packages: 'external',
});
chmodSync(join(dist, 'cli', 'main.js'), 0o755);

await build({
  ...common,
  entryPoints: [join(src, 'index.ts')],
  outfile: join(dist, 'browser', 'torch-mtia.js'),
  platform: 'browser',
  minifyWhitespace: true,
  minifySyntax: true,
});
markBuilt(digest);
