/**
 * `npm run bench:compare [OLD [NEW]]`: what got slower, by more than noise, than in the results of OLD (docs/performance.json unless
 * given). Without NEW the rows of OLD are measured now; `-- --filter TEXT` for some of them. Exits with 1 if something did.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { runRows } from './command.ts';
import { type Change, compareRuns } from './regressions.ts';
import { loadRun } from './run-files.ts';
import { show } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { filter: { type: 'string', default: '' } },
});
const [oldFile = fileURLToPath(new URL('../docs/performance.json', import.meta.url)), newFile] = positionals;
const before = loadRun(oldFile);
const known = new Set(before.results.map(({ name }) => name));
const wanted = (name: string) => known.has(name) && name.includes(values.filter);
const now = newFile === undefined ? await runRows(wanted) : loadRun(newFile);
const changes = compareRuns(before, now).filter(({ name }) => wanted(name));

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
function row({ name, contender, peer, before: old, now: recent, unit, worse, noise, verdict }: Change): string[] {
  const speed = worse > 0 ? `${percent(worse)} slower` : `${percent(1 / (1 + worse) - 1)} faster`;
  return [
    name,
    contender,
    `${show(old)} → ${show(recent)} ${unit}`,
    speed,
    peer ?? 'nobody',
    `±${percent(noise)}`,
    verdict,
  ];
}

const count = (verdict: Change['verdict']) => changes.filter((change) => change.verdict === verdict).length;
const told = changes.filter(({ verdict }) => verdict === 'regression' || verdict === 'improvement');
if (told.length > 0) {
  const table = new Table({
    head: ['row', 'on', 'before → now', 'change', 'relative to', 'noise', ''],
    style: { head: [], border: [] },
  });
  for (const change of told) table.push(row(change));
  console.log(table.toString());
}
console.log(
  `${changes.length} figures: ${count('regression')} got slower, ${count('improvement')} faster, ${count('same')} are the same within noise.`,
);
if (count('disturbed') > 0) {
  console.log(`${count('disturbed')} say nothing, since other programs took part in one of the runs.`);
}
if (changes.length === 0 || count('regression') > 0) process.exitCode = 1;
