/**
 * `npm run bench [filter]`: our figures beside the peers', on this machine, at the same time. `-- --json FILE` keeps the results,
 * `--markdown FILE` makes the page of them, `--from FILE` shows kept ones, `--samples N` takes more or fewer. Rows about the
 * allocator and snapshots have no peer; BENCH_LARGE=1 measures a snapshot of a gigabyte instead of extrapolating.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runRows } from './command.ts';
import { performancePage } from './page.ts';
import { loadRun, saveRun } from './run-files.ts';
import { disturbed } from './results.ts';
import { linesOf, terminalTable } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    markdown: { type: 'string' },
    from: { type: 'string' },
    samples: { type: 'string' },
  },
});
const [filter = ''] = positionals;
const samples = values.samples === undefined ? undefined : Number(values.samples);
const run = values.from === undefined ? await runRows((name) => name.includes(filter), samples) : loadRun(values.from);
if (run.results.length === 0) {
  console.error(`No row has "${filter}" in its name.`);
  process.exitCode = 1;
} else {
  if (values.json !== undefined) saveRun(run, values.json);
  if (values.markdown !== undefined) writeFileSync(values.markdown, performancePage(run));
  const lines = linesOf(run).filter(({ name }) => name.includes(filter));
  console.log(terminalTable(lines));
  const busy = disturbed(run.results).length;
  if (busy > 0) console.log(`Other programs took part in ${busy} of ${run.results.length} rows: not to be relied on.`);
  for (const missing of run.missing) console.log(`Missing: ${missing}`);
}
