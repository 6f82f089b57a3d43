/** What an editor says of programs: the type tests under tests/types, against the declarations that are installed, and how long that takes. */
import { spawnSync } from 'node:child_process';
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
  let best = Infinity;
  for (let i = 0; i < 3 && best > 2; i++) {
    const report = compile('-p', folder, '--extendedDiagnostics');
    best = Math.min(best, Number(/Total time:\s*([\d.]+)s/.exec(report)?.[1] ?? Infinity));
  }
  // The other type tests are checked with it.
  expect(best).toBeLessThan(2);
});
