/**
 * No op keeps a storage: neither where collections find what is dead, nor where `torch.scope` has to know by itself.
 * `node tests/lifetimes/full.mjs leaks` calls each op a thousand times.
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundle, run } from './child.mjs';

interface Leaks {
  ops: number;
  /** Storages left by all ops together. */
  all: number;
  afterCollection: [name: string, storages: number][];
  afterScope: [name: string, storages: number][];
}

const CALLS = 100;
const fixture = fileURLToPath(new URL('../fixtures/memory.json', import.meta.url));

test.each(['cpu', 'mtia'])('calls leave nothing on %s', { timeout: 120_000 }, async (device) => {
  const program = await bundle('leaks.testing.ts');
  const { ops, all, afterCollection, afterScope } = (await run(program.file, [device, fixture, CALLS])) as Leaks;
  program.remove();
  expect(ops).toBeGreaterThan(120);
  // There is one that keeps its results on purpose, so that this test can fail.
  expect(afterCollection).toEqual([['a leak', CALLS]]);
  expect(all).toBe(CALLS);
  expect(afterScope).toEqual([['a leak', 20]]);
});
