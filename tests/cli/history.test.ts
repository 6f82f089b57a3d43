/** The memory history of the package as people have it: run by `mtia run`, and put into one file with a program by a bundler. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { folderWith, mtia, NODES } from './mtia.ts';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

const cwd = folderWith({
  'model.ts': `import torch, { type Tensor } from 'torch-mtia';

interface Options {
  width: number;
}

export class Model extends torch.nn.Module {
  linear: InstanceType<typeof torch.nn.Linear>;

  constructor({ width }: Options) {
    super();
    this.linear = new torch.nn.Linear(width, width);
  }

  override forward(x: Tensor): Tensor {
    return this.linear(x).relu();
  }
}
`,
  'train.ts': `import torch from 'torch-mtia';
import { Model } from './model.ts';

type Step = (i: number) => void;

torch.mtia.init();
torch.mtia.record_memory_history();
const model = new Model({ width: 4 }).to('mtia');
const optimizer = new torch.optim.Adam(model.parameters());

const trainOnce: Step = (i) => {
  const y = model(torch.ones(2 + i, 4, { device: 'mtia' }));
  y.sum().backward();
  optimizer.step();
};

async function main(): Promise<void> {
  await null;
  trainOnce(1);
}
await main();
for (const { action, size, frames } of torch.mtia.snapshot().device_traces[0]!) {
  const shown = (frames ?? []).map(({ name, line, filename }) => \`\${name} \${filename.split('/').at(-1)}:\${line}\`);
  if (action === 'alloc') console.log(size, shown.join(' < '));
}
`,
});

const BELOW = ' < main train.ts:19 < <module> train.ts:21';
const EXPECTED = [
  '64 <module> train.ts:8',
  '16 <module> train.ts:8',
  `48 trainOnce train.ts:12${BELOW}`,
  // Newer versions of V8 do not tell the class of what is a function, minifiers shorten it.
  ...Array<string>(2).fill(`48 forward model.ts:16 < trainOnce train.ts:12${BELOW}`),
];

function check(output: string): void {
  const lines = output
    .trim()
    .replace(/[\w$]+\.forward/g, 'forward')
    .split('\n');
  expect(lines.slice(0, 5)).toEqual(EXPECTED);
  const rest = lines.slice(5);
  expect(rest.filter((line) => line.endsWith(` trainOnce train.ts:13${BELOW}`)).length).toBeGreaterThanOrEqual(4);
  expect(rest.filter((line) => line.endsWith(` trainOnce train.ts:14${BELOW}`))).toHaveLength(4);
  for (const line of rest) expect(line).toMatch(/^\d+ trainOnce train\.ts:1[34] < main/);
}

test.each(NODES)("mtia run: lines of TypeScript, and no frame but the program's (%s)", async (node) => {
  const { stdout, stderr, code } = await mtia(['run', '--quiet', 'train.ts'], { cwd, node });
  expect(code, stderr).toBe(0);
  check(stdout);
});

test.each([
  { splitting: false, minify: false },
  { splitting: true, minify: false },
  { splitting: false, minify: true, keepNames: true },
])('the package in a bundle: %o', async (options) => {
  const outdir = join(cwd, `out-${JSON.stringify(options).replace(/\W/g, '')}`);
  await build({
    entryPoints: [join(cwd, 'train.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outdir,
    outExtension: { '.js': '.mjs' },
    alias: { 'torch-mtia': join(dist, 'index.js') },
    sourcemap: true,
    logLevel: 'error',
    ...options,
  });
  for (const node of NODES) check(execFileSync(node!, [join(outdir, 'train.mjs')], { encoding: 'utf8' }));
});
