/** What others get when they install the package: its files, and types that hold in a strict project of their own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

test('it holds what it needs and nothing else', () => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const answer = JSON.parse(output);
  // npm 11 lists packages by position, later ones by name.
  const [{ files }] = Object.values<{ files: { path: string }[] }>(answer);
  const paths = files.map(({ path }) => path);
  for (const path of [
    'dist/index.js',
    'dist/types.d.ts',
    'dist/cli/main.js',
    'dist/browser/torch-mtia.js',
    'LICENSE',
  ]) {
    expect(paths).toContain(path);
  }
  expect(paths.filter((path) => !/^(?:dist\/|README\.md$|LICENSE$|package\.json$)/.test(path))).toEqual([]);
  expect(paths.filter((path) => /\.test(?:ing)?\./.test(path))).toEqual([]);
});

test('the built classes have the names they are exported under', async () => {
  for (const file of ['dist/index.js', 'dist/browser/torch-mtia.js']) {
    const { default: torch } = await import(/* @vite-ignore */ pathToFileURL(join(root, file)).href);
    const wrong: string[] = [];
    for (const [space, members] of Object.entries<object>({ torch, nn: torch.nn, optim: torch.optim })) {
      for (const [name, member] of Object.entries<unknown>({ ...members })) {
        if (typeof member === 'function' && /^[A-Z]/.test(name) && member.name !== name) wrong.push(`${space}.${name}`);
      }
    }
    expect(wrong).toEqual([]);
  }
});

test('minified in the bundle of a program, it looks the same', async () => {
  const text = `import torch from ${JSON.stringify(join(root, 'dist', 'index.js'))};
const { nn, optim, utils } = torch;
const model = new nn.Sequential(new nn.Linear(3, 2), new nn.GELU());
const loader = new utils.data.DataLoader(new utils.data.TensorDataset(torch.ones(2, 3)));
const optimizer = new optim.AdamW(model.parameters());
export default [model, optimizer, loader.sampler.constructor.name, new optim.lr_scheduler.StepLR(optimizer, 3).constructor.name, model(torch.ones(1, 3)).grad_fn, torch.ones(2).shape].join('\\n');
`;
  const folder = mkdtempSync(join(tmpdir(), 'mtia-minified-'));
  try {
    const shown: unknown[] = [];
    for (const minify of [false, true]) {
      const outfile = join(folder, `${minify}.mjs`);
      await build({ stdin: { contents: text, resolveDir: root }, bundle: true, format: 'esm', minify, outfile });
      shown.push((await import(/* @vite-ignore */ pathToFileURL(outfile).href)).default);
    }
    expect(shown[0]).toMatch(
      /^Sequential\(\n {2}\(0\): Linear\(in_features=3.*\n {2}\(1\): GELU\([\s\S]*AdamW \([\s\S]*SequentialSampler\nStepLR/,
    );
    expect(shown[1]).toBe(shown[0]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const PROGRAM = `import torch, { type Tensor } from 'torch-mtia';
import core from 'torch-mtia/core';
import { einsum } from 'torch-mtia/ops';
import { Conv2d } from 'torch-mtia/nn';
const { nn, optim } = torch;
const model = new nn.Sequential(new nn.Linear(10, 5), new nn.ReLU());
const x: Tensor = torch.randn(3, 10, { device: 'mtia', requires_grad: true });
const y = new nn.Linear(10, 5)(x);
const n: number[] = y.sum(1, { keepdim: true }).shape.map((size) => size + 1);
const { values, indices } = y.max(1);
const [v, i] = y.max(1);
new optim.SGD(model.parameters(), { lr: 0.01 }).step();
// @ts-expect-error an option that does not exist
torch.randn(3, 10, { devise: 'mtia' });
// @ts-expect-error a layer takes a tensor
new nn.Linear(10, 5)('x');
const same: core.Tensor = core.nn.functional.relu(new Conv2d(1, 2, 3)(einsum('ij->j', x)));
// @ts-expect-error what the small entry point does not have
core.einsum('ij->j', x);
export const used = [n, values, indices, v, i, same];
`;

test('its types hold in a strict project', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mtia-types-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules', 'torch-mtia'), 'junction');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    const options = {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable', 'dom'],
      types: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['program.ts'] }));
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
