/**
 * The articles' programs, run as a person runs them: `mtia run FILE` in a process of its own, on this Node.js and on the
 * one that NODE_NEWER names, with the backend and without, and all in one process.
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ALONE, type Line, TOGETHER, WITHOUT_BACKEND } from './articles-expected.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'examples', 'articles');
const newer = process.env['NODE_NEWER'];

/** The lines a program prints; what it writes to stderr must be nothing. */
async function output(node: string, name: string, env: Record<string, string>): Promise<string[]> {
  const args = [join(root, 'dist', 'cli', 'main.js'), 'run', '--quiet', join(folder, `${name}.ts`)];
  const { stdout, stderr } = await promisify(execFile)(node, args, { env: { ...process.env, ...env } });
  expect(stderr).toBe('');
  return stdout.split('\n').slice(0, -1);
}

function check(lines: string[], expected: Line[]): void {
  const matched = lines.map((line, i) => {
    const want = expected[i];
    return want instanceof RegExp && want.test(line) ? want : line;
  });
  expect(matched).toEqual(expected);
}

const ENGINES: [string, string | undefined][] = [
  ['this Node.js', process.execPath],
  ['NODE_NEWER', newer],
];

describe.each(ENGINES)('on %s', (_, node) => {
  describe.skipIf(node === undefined)('', () => {
    test.concurrent.each(Object.entries(ALONE))('%s, alone', async (name, expected) => {
      check(await output(node!, name, {}), expected);
    });

    test.concurrent.each(Object.entries(WITHOUT_BACKEND))('%s, without the backend', async (name, expected) => {
      check(await output(node!, name, { MTIA_DEVICE_COUNT: '0' }), expected);
    });

    test.each([
      ['with the backend', TOGETHER, {}],
      ['with the backend, inline', TOGETHER, { MTIA_EXECUTOR: 'inline' }],
      ['without the backend', WITHOUT_BACKEND, { MTIA_DEVICE_COUNT: '0' }],
    ] as const)('one after another in one process, %s', async (__, expected, env) => {
      const lines = await output(node!, 'all', env);
      const sections = lines.join('\n').split(/^# /m).slice(1);
      expect(sections.map((section) => section.split('\n')[0])).toEqual(Object.keys(expected));
      for (const section of sections) {
        const [name, ...rest] = section.split('\n').filter((line) => line !== '');
        check(rest, expected[name]);
      }
    });
  });
});

test('every program of the folder is in the lists', () => {
  const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));
  const programs = names.filter((name) => name !== 'program' && name !== 'all').sort();
  expect(Object.keys(ALONE).sort()).toEqual(programs);
  expect(Object.keys(WITHOUT_BACKEND).sort()).toEqual(programs);
});
