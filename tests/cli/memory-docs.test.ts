/** Every output in docs/memory-tools.md is what the command prints. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mtia } from './mtia.ts';

const page = readFileSync(new URL('../../docs/memory-tools.md', import.meta.url), 'utf8');
const cwd = fileURLToPath(new URL('../fixtures/memory/', import.meta.url));
const examples = [...page.matchAll(/^```\n\$ mtia (.*)\n([\s\S]*?)\n```$/gm)].map(([, args, output]) => [args, output]);

test('the page has examples', () => expect(examples.length).toBeGreaterThan(4));

test.concurrent.each(examples)('mtia %s', async (args, output) => {
  const { code, stdout } = await mtia(args.split(' '), { cwd });
  expect(stdout.trimEnd()).toBe(output);
  expect(code).toBe(0);
});

test('every command and option is on the page', async () => {
  for (const command of ['stats', 'replay', 'diff', 'convert']) {
    expect(page).toContain(`mtia memory ${command}`);
    const { stdout } = await mtia(['memory', command, '--help']);
    const options = [...stdout.matchAll(/^ +(?:-\w, )?(--[a-z]+)/gm)].map(([, option]) => option);
    expect(options.filter((option) => option !== '--help' && !page.includes(option))).toEqual([]);
  }
});
