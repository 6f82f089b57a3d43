/** Result files. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Run } from './results.ts';

export function saveRun(run: Run, file: string): void {
  writeFileSync(file, `${JSON.stringify(run, rounded)}\n`);
}

/** Six digits are more than any figure has. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}

export function loadRun(file: string): Run {
  const run = JSON.parse(readFileSync(file, 'utf8')) as Run;
  if (run.format !== 1) throw new Error(`${file} holds no results of the bench (format 1)`);
  return run;
}
