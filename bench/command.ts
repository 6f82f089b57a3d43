/** What the bench's commands share: running rows, with progress on stderr. */
import { availableParallelism } from 'node:os';
import { describeMachine } from './machine.ts';
import { measure } from './measure.ts';
import { findContenders, stopAll } from './peers/find.ts';
import type { Result, Run } from './results.ts';
import { rows } from './rows/index.ts';
import type { Row } from './rows/row.ts';

const SAMPLES = 9;

/** A row needs no peers when it only measures ourselves. */
const needsPeers = (row: Row) => row.kind !== 'part' && row.kind !== 'peak';

export async function runRows(passes: (name: string) => boolean, samples = SAMPLES): Promise<Run> {
  const chosen = rows.filter(({ name }) => passes(name));
  const start = performance.now();
  const machine = describeMachine();
  const threads = Math.min(2, availableParallelism());
  const run: Run = {
    format: 1,
    date: new Date().toISOString(),
    seconds: 0,
    machine,
    threads,
    contenders: [],
    missing: [],
    results: [],
  };
  if (chosen.length === 0) return run;
  const peers = chosen.some(needsPeers);
  const field = await findContenders((kind) => kind === 'ours' || peers);
  run.contenders = field.found.map(({ id, kind, variant, detail }) => ({ id, kind, variant, detail }));
  if (peers) run.missing = field.missing;
  try {
    for (const [i, row] of chosen.entries()) {
      const begin = performance.now();
      const result: Result = await measure(row, field, { samples, threads });
      run.results.push(result);
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      console.error(`${i + 1}/${chosen.length} ${row.name} (${seconds} s)`);
      for (const { contender, error } of result.failures) console.error(`    ${contender}: ${error}`);
    }
  } finally {
    stopAll(field);
  }
  run.seconds = (performance.now() - start) / 1000;
  return run;
}
