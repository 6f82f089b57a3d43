// dist: declarations (TypeScript), modules for Node.js and bundlers, and one file for browsers without a bundler. The
// modules are bundled around the package's entry points, since 200 files take three times as long to load. Rollup
// bundles, because it leaves the names of classes as they are: users see them (`Linear(in_features=…)`).
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build, transform } from 'esbuild';
import { rollup } from 'rollup';
import { parseAst } from 'rollup/parseAst';
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

/** The doc line of every op by name. */
async function docLines() {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "import { allOps } from './all.ts'; export default [...allOps().values()].map((op) => [op.name, op.doc]);",
      resolveDir: join(src, 'ops'),
    },
    bundle: true,
    format: 'esm',
    write: false,
  });
  const module = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
  return Object.fromEntries(module.default);
}

/** The node's parts, itself first. */
function* nodesOf(node) {
  if (node === null || typeof node !== 'object') return;
  if (typeof node.type === 'string') yield node;
  for (const part of Object.values(node)) yield* nodesOf(part);
}

const IS_TEXT = new Set(['Literal', 'TemplateLiteral', 'BinaryExpression']);

/**
 * Programs do not need the doc lines of ops: they are in the types, and the command has them in a file of its own. Blanks take
 * their places, so that source maps hold.
 */
const docless = {
  name: 'docless',
  async transform(code, id) {
    if (id === join(src, 'cli', 'op-docs.ts')) {
      return {
        code: `const docs = ${JSON.stringify(await docLines())};\nexport const docOf = ({ name }) => docs[name];\n`,
        map: null,
      };
    }
    if (dirname(id) !== join(src, 'ops')) return null;
    let out = code;
    for (const node of nodesOf(parseAst(code))) {
      if (node.type !== 'Property' || node.key.name !== 'doc' || !IS_TEXT.has(node.value.type)) continue;
      const end = code[node.end] === ',' ? node.end + 1 : node.end;
      out = out.slice(0, node.start) + code.slice(node.start, end).replace(/[^\n]/g, ' ') + out.slice(end);
    }
    return { code: out, map: null };
  },
};

/** Entry points by their place in dist. */
function entries() {
  const files = [join(src, 'index.ts'), join(src, 'memory', 'index.ts')];
  for (const folder of ['entries', 'cli']) {
    for (const name of readdirSync(join(src, folder))) {
      if (name.endsWith('.ts') && !/(?:\.test(?:ing)?|-types|-members)\.ts$/.test(name))
        files.push(join(src, folder, name));
    }
  }
  return Object.fromEntries(files.map((file) => [relative(src, file).replace(/\.ts$/, ''), file]));
}

/** Less text loads faster, and takes less memory: engines keep a script's text, in two bytes a character if one is not Latin. */
const compact = {
  name: 'compact',
  renderChunk: (code) => transform(code, { target, minifyWhitespace: true, minifySyntax: true, sourcemap: true }),
};

/**
 * Which chunk a module goes to: few files load faster than many, and no entry point may bring what it does not need. What the
 * small entry point has is one chunk, but for what memory's own entry point and the commands share with it; each of the others
 * adds its own.
 */
function chunkNames(names) {
  const parts = ['core', 'autograd', 'nn', 'optim', 'mtia', 'amp'];
  const entry = (name) => join(src, 'entries', `${name}.ts`);
  let reached;
  const reach = (ids, getModuleInfo) => {
    const seen = new Set();
    const visit = (id) => {
      if (seen.has(id)) return;
      seen.add(id);
      for (const next of getModuleInfo(id)?.importedIds ?? []) visit(next);
    };
    for (const id of ids) visit(id);
    return seen;
  };
  return (id, { getModuleInfo }) => {
    // Entry points run only where they are asked for.
    if (names.includes(id) || id.startsWith(join(src, 'entries'))) return undefined;
    reached ??= {
      memory: reach([join(src, 'memory', 'index.ts')], getModuleInfo),
      commands: reach(
        names.filter((name) => dirname(name) === join(src, 'cli')),
        getModuleInfo,
      ),
      ...Object.fromEntries(parts.map((part) => [part, reach([entry(part)], getModuleInfo)])),
    };
    const part = parts.find((name) => reached[name].has(id));
    if (part === undefined) return reached.memory.has(id) ? 'memory' : undefined;
    if (reached.memory.has(id)) return `${part}-memory`;
    return part === 'core' && reached.commands.has(id) ? 'core-commands' : part;
  };
}

async function bundle(input, output) {
  const build = await rollup({
    input,
    external: (id) => !/^(?:\.|\/|[A-Za-z]:)/.test(id),
    plugins: [typescript, docless, compact],
    onwarn: (warning) => {
      // Modules of one folder may need each other's functions when they run; nothing needs them while it loads.
      if (warning.code !== 'CIRCULAR_DEPENDENCY') throw new Error(warning.message);
    },
  });
  await build.write({ format: 'es', sourcemap: true, ...output });
  await build.close();
}

// All in one go, so that they share one instance of every module.
const inputFiles = entries();
await bundle(inputFiles, {
  dir: dist,
  chunkFileNames: 'chunks/[name]-[hash].js',
  hoistTransitiveImports: false,
  manualChunks: chunkNames(Object.values(inputFiles)),
});
chmodSync(join(dist, 'cli', 'main.js'), 0o755);

await bundle(join(src, 'index.ts'), { file: join(dist, 'browser', 'torch-mtia.js') });
markBuilt(digest);
