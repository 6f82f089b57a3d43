/**
 * The test projects. A test file that asks for the device under test (it imports `tests/device.ts` or reads TEST_DEVICE)
 * runs three times: on cpu, on mtia behind its worker, and on mtia inline; these share a process, since starting one takes
 * longer than most of them. All others run once, each in a process of its own. These do without a native BLAS (MTIA_BLAS=1
 * has them use one); what multiplies matrices runs once more with it, however small they are: the project `native blas`. What runs built code (the command, the
 * articles, browsers) is the project `built`, which brings dist up to date first.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));
const BUILT = [
  'tests/cli/**/*.test.ts',
  'tests/browser/**/*.test.ts',
  'tests/articles.test.ts',
  'tests/examples.test.ts',
  'tests/guide.test.ts',
  'tests/package.test.ts',
  'tests/readme.test.ts',
  'tests/data-workers.test.ts',
  'tests/entry-points.test.ts',
  'tests/types.test.ts',
];

function testFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

/** Matrix products and convolutions against PyTorch and against plain sums, and trainings. */
const WITH_BLAS = [
  'src/kernels/matmul.test.ts',
  'src/kernels/conv.test.ts',
  'tests/trajectories.test.ts',
  'tests/fast-paths.test.ts',
  'tests/oracle/numeric.test.ts',
  'tests/oracle/images.test.ts',
];

/** By what a file says, so that nobody has to keep a list. */
const asksForDevice = (file: string) =>
  (file.startsWith('tests/') ? /TEST_DEVICE|'(\.\.?\/)+device\.ts'/ : /TEST_DEVICE|tests\/device\.ts/).test(
    readFileSync(join(root, file), 'utf8'),
  );

/** Collections are quick only in a process that holds little besides. */
const ALONE = ['tests/leaks.test.ts', 'tests/capacity.test.ts'];

export const onEveryDevice = ['src', 'tests'].flatMap(testFiles).filter(asksForDevice);

const project = (name: string, include: string[], exclude: string[], env: Record<string, string>, isolate = true) => ({
  extends: true as const,
  test: { name, include, exclude, env, isolate },
});

/** The files that run on every device, on this one. */
const form = (name: string, env: Record<string, string>) => [
  project(name, onEveryDevice, [...BUILT, ...ALONE], env, false),
  project(`${name}, alone`, ALONE, [], env),
];

export default defineConfig({
  root,
  resolve: { alias: { 'torch-mtia': join(root, 'src/index.ts') } },
  test: {
    pool: 'forks',
    env: { MTIA_BLAS: process.env['MTIA_BLAS'] ?? '0' },
    testTimeout: 20_000,
    // By default one core is left idle: on two cores that makes one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      project('unit', ['src/**/*.test.ts', 'tests/**/*.test.ts'], [...BUILT, ...onEveryDevice], {}),
      ...form('cpu', { TEST_DEVICE: 'cpu' }),
      ...form('mtia worker', { TEST_DEVICE: 'mtia', MTIA_EXECUTOR: 'worker' }),
      ...form('mtia inline', { TEST_DEVICE: 'mtia', MTIA_EXECUTOR: 'inline' }),
      {
        extends: true,
        test: {
          name: 'native blas',
          include: WITH_BLAS,
          setupFiles: ['tests/native-blas.setup.ts'],
          env: { MTIA_BLAS: '', TEST_DEVICE: 'mtia', MTIA_EXECUTOR: 'worker' },
        },
      },
      {
        extends: true,
        test: { name: 'built', include: BUILT, globalSetup: ['tests/built.mjs'], testTimeout: 120_000 },
      },
    ],
  },
});
