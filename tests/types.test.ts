/** What an editor says of programs: the type tests under tests/types, against the declarations that are installed, and how long that takes. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const folder = join(root, 'tests', 'types');

const compile = (...args: string[]) => spawnSync(process.execPath, [compiler, ...args], { encoding: 'utf8' }).stdout;

test('every line that must be an error is one, and no other', () => {
  expect(compile('-p', folder)).toBe('');
});

test('a program of two hundred lines is checked in two seconds', () => {
  const program = readFileSync(join(folder, 'user-program.ts'), 'utf8');
  expect(program.split('\n').length).toBeGreaterThanOrEqual(200);
  let best = Infinity;
  for (let i = 0; i < 3 && best > 2; i++) {
    const report = compile('-p', folder, '--extendedDiagnostics');
    best = Math.min(best, Number(/Total time:\s*([\d.]+)s/.exec(report)?.[1] ?? Infinity));
  }
  // The other type tests are checked with it.
  expect(best).toBeLessThan(2);
});

test('an editor shows a sentence for every function of torch, method, function of nn.functional and linalg', () => {
  const without: string[] = [];
  // Overloads share the sentence of the first.
  const named = readFileSync(join(root, 'dist', 'torch', 'named.d.ts'), 'utf8').split('\n');
  for (const [i, line] of named.entries()) {
    const name = /^export declare const (\w+)/.exec(line)?.[1];
    if (name !== undefined && !named[i - 1].endsWith('*/')) without.push(name);
  }
  const generated = readFileSync(join(root, 'dist', 'torch', 'generated.d.ts'), 'utf8').split('\n');
  let before = '';
  let found = 0;
  for (const [i, line] of generated.entries()) {
    const name = /^ {4}(\w+)\(/.exec(line)?.[1];
    if (name === undefined || name === before) continue;
    before = name;
    found++;
    if (!generated[i - 1].endsWith('*/')) without.push(name);
  }
  expect(found).toBeGreaterThan(700);
  expect(without).toEqual([]);
});
