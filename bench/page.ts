/** docs/performance.md, made of the results. */
import { notes } from './notes.ts';
import { disturbed, type Run } from './results.ts';
import { linesOf, markdownTable } from './table.ts';

export function performancePage(run: Run): string {
  const { machine, contenders, threads, missing, results } = run;
  const lines = linesOf(run);
  const judged = lines.filter(({ met }) => met !== '');
  const count = judged.filter(({ met }) => met === 'met').length;
  const busy = disturbed(results);
  const most = Math.max(0, ...results.map(({ others }) => others));
  const peers = contenders.filter(({ kind }) => kind !== 'ours').map(({ id }) => id);
  const blas = contenders.find(({ detail }) => detail !== undefined)?.detail;
  const failures = results.flatMap(({ name, failures: list }) =>
    list.map(({ contender, error }) => `- ${name}: ${contender}: ${error}`),
  );
  const told = results
    .filter(({ name }) => notes[name] !== undefined)
    .map(({ name }) => `- **${name}**: ${notes[name]}`);
  const parts = [
    '# Performance',
    'Made by `npm run bench:page`; every figure of a row comes from one run, samples taken in turn, medians compared. P is the faster PyTorch, JS the best JavaScript peer (no native code). Ratios say how many times as fast we are: above 1 we win.',
    `${busy.length > 0 ? 'Measured' : `**${count} of ${judged.length} targets met**`} on ${machine.cpu}, ${machine.cores} cores, ${Math.round(machine.memory / 2 ** 30)} GiB, ${machine.system}, Node.js ${machine.node}; ${threads} threads for everybody; ${run.date.slice(0, 10)}, ${Math.round(run.seconds / 60)} minutes. Peers: ${peers.join(', ') || 'none'}.${blas === undefined ? '' : ` Native BLAS: ${blas}.`}`,
    busy.length > 0
      ? `**Not to be relied on: other programs took up to ${Math.round(100 * most)} % of the machine while ${busy.length} of ${results.length} rows were measured. Ratios suffer, too: PyTorch's threads wait for each other, and lose more than ours. Targets are not counted, and such rows say (busy); make the page again on a quiet machine.**`
      : '',
    missing.length > 0 ? `Missing: ${missing.join('; ')}.` : '',
    markdownTable(lines),
    told.length > 0 ? `## Why some rows fall short\n\n${told.join('\n')}` : '',
    failures.length > 0 ? `## What some could not run\n\n${failures.join('\n')}` : '',
    '## Make it again\n\n`npm run bench:peers` once, then `npm run bench:page` on a machine with nothing else to do (`TORCH_PYTHON` names further Pythons with PyTorch, `MTIA_BLAS` a BLAS library). `npm run bench [filter]` shows rows in the terminal; `npm run bench:compare` says what got slower since the results in [performance.json](performance.json). How things grow with their size is in [scale.md](scale.md).',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
