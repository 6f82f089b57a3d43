/** Out of memory rehearsed: what a device of 2 GiB says to a step that needs 3 GiB, and that the process goes on. */
import { expect, test } from 'vitest';
import { bundle, run } from '../lifetimes/child.mjs';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

interface Result {
  failures: { batch: number; name: string; message: string; afterwards: number; works: number }[];
  batch: number;
  losses: number[];
  /** Bytes. */
  parameters: number;
  /** Of a step of `batch` rows, and of half as many. */
  peaks: [number, number];
}

test('a step that needs 3 GiB on a device of 2 GiB; with half the batch the process goes on', {
  timeout: 120_000,
}, async () => {
  const program = await bundle('../memory/rehearsal.testing.ts');
  const result = (await run(program.file, [])) as Result;
  program.remove();

  expect(result.failures.map(({ batch }) => batch)).toEqual([65_536]);
  const [failure] = result.failures;
  expect(failure.name).toBe('OutOfMemoryError');
  expect(failure.message).toMatch(
    /^MTIA out of memory\. Tried to allocate 256\.00 MiB\. MTIA 0 has a total capacity of 2\.00 GiB of which \d+\.\d\d MiB is free\. .* The capacity is set by torch\.mtia\.configure; /,
  );
  const holders = /The largest holders: (.*)\.$/.exec(failure.message)![1].match(/\d+\.\d\d MiB \(.*?\)/g)!;
  expect(holders).toHaveLength(3);
  expect(holders[0]).toMatch(/^320\.00 MiB \(float32 \[81920, 1024\]/);
  for (const holder of holders.slice(1)) expect(holder).toMatch(/^256\.00 MiB \(float32 \[65536, 1024\].*made by /);

  // In the handler nothing was left but the parameters.
  expect(failure.afterwards - result.parameters).toBeLessThan(MIB);
  expect(failure.works).toBe(1_000_000);
  expect(result.batch).toBe(32_768);
  expect(result.losses).toHaveLength(3);
  for (const loss of result.losses) expect(Number.isFinite(loss)).toBe(true);

  // What a step takes grows with its rows: this is what the first one needed.
  const [half, quarter] = result.peaks;
  expect(half).toBeLessThan(2 * GIB);
  expect(half + 2 * (half - quarter)).toBeGreaterThan(3 * GIB);
});
