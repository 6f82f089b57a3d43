/** An out-of-memory error holds no tensor, however V8 runs the program: its handler has all the memory, and it may be kept. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle, run } from '../lifetimes/child.mjs';

let program: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  program = await bundle('../memory/kept-errors.testing.ts');
});
afterAll(() => program.remove());

test.each([
  ['default tiers', []],
  ['--no-opt', ['--no-opt']],
  ['--always-turbofan', ['--always-turbofan']],
])('%s', { timeout: 60_000 }, async (_, flags) => {
  const { result, errors, works } = (await run(program.file, [], { flags })) as {
    result: Record<string, number>;
    errors: number;
    works: boolean;
  };
  expect(Object.values(result)).toEqual(Object.keys(result).map(() => 0));
  expect([errors, works]).toEqual([7, true]);
});
