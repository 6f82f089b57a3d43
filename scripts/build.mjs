// dist: declarations (TypeScript), modules for Node.js and bundlers, and one file for browsers without a bundler. The
// modules are bundled around the package's entry points, since 200 files take three times as long to load. Rollup
// bundles, because it leaves the names of classes as they are: users see them (`Linear(in_features=…)`).
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { transform } from 'esbuild';
import { rollup } from 'rollup';
import { inputs, markBuilt, root } from './ensure.mjs';

const digest = inputs();
const src = join(root, 'src');
const dist = join(root, 'dist');
const target = 'es2022';
rmSync(dist, { recursive: true, force: true });

const compiler = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const { status } = spawnSync(process.execPath, [join(compiler, 'bin', 'tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

const typescript = {
  name: 'typescript',
  transform: (code, id) => transform(code, { loader: 'ts', target, sourcemap: true, sourcefile: id }),
};

/** Entry points by their place in dist. */
function entries() {
  const files = [join(src, 'index.ts'), join(src, 'memory', 'index.ts')];
  for (const name of readdirSync(join(src, 'cli'))) {
    if (name.endsWith('.ts') && !/\.test(ing)?\.ts$/.test(name)) files.push(join(src, 'cli', name));
  }
  return Object.fromEntries(files.map((file) => [relative(src, file).replace(/\.ts$/, ''), file]));
}

async function bundle(input, output) {
  const build = await rollup({
    input,
    external: (id) => !/^(?:\.|\/|[A-Za-z]:)/.test(id),
    plugins: [typescript],
    onwarn: (warning) => {
      // Modules of one folder may need each other's functions when they run; nothing needs them while it loads.
      if (warning.code !== 'CIRCULAR_DEPENDENCY') throw new Error(warning.message);
    },
  });
  await build.write({ format: 'es', sourcemap: true, ...output });
  await build.close();
}

// All in one go, so that they share one instance of every module.
await bundle(entries(), { dir: dist, chunkFileNames: 'chunks/[name]-[hash].js', hoistTransitiveImports: false });
chmodSync(join(dist, 'cli', 'main.js'), 0o755);

const browser = join(dist, 'browser', 'torch-mtia.js');
await bundle(join(src, 'index.ts'), { file: browser, sourcemap: 'inline' });
const { code, map } = await transform(readFileSync(browser, 'utf8'), {
  target,
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: 'external',
});
writeFileSync(browser, `${code}//# sourceMappingURL=${basename(browser)}.map\n`);
writeFileSync(`${browser}.map`, map);
markBuilt(digest);
