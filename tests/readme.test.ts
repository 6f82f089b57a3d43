/** The README's program prints what the README says. */
import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import torch from '../src/index.ts';

test('the twenty lines', () => {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const program = /```ts\n([\s\S]*?)```/.exec(page)![1].replace(/^import .*\n/, '');
  const expected = /prints\n\n```\n([\s\S]*?)```/.exec(page)![1];
  const printed: string[] = [];
  const log = (...values: unknown[]) => printed.push(values.map(String).join(' '));
  new Function('torch', 'console', transformSync(program, { loader: 'ts' }).code)(torch, { log });
  expect(`${printed.join('\n')}\n`).toBe(expected);
  expect(program.trim().split('\n').length).toBeLessThanOrEqual(20);
});
