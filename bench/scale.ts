/**
 * `npm run bench:scale`: how time and memory grow with size. Writes docs/scale.md and its plots; `-- FILTER` measures the curves
 * with that in their titles and only shows them.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describeMachine } from './machine.ts';
import { measure } from './measure.ts';
import { runScript } from './parts/script.ts';
import { type Field, findContenders, stopAll } from './peers/find.ts';
import { isInstalled, plotting } from './peers/folder.mjs';
import type { CaseRow } from './rows/row.ts';
import { type Curve, curves } from './scale/curves.ts';
import { type Measured, scalePage } from './scale/page.ts';
import { svgOf } from './scale/plot.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const filter = process.argv[2] ?? '';
const SAMPLES = 5;
const LIVE = [10_000, 40_000, 100_000, 400_000];
const MIB = 2 ** 20;

if (!Object.keys(plotting).every(isInstalled)) {
  execFileSync(process.execPath, [path('peers/install.mjs')], { stdio: ['ignore', 2, 2] });
}

const row = (curve: Curve, size: number): CaseRow => ({
  kind: 'case',
  name: `${curve.title} ${size}`,
  case: curve.case,
  args: curve.args(size),
  unit: 'ms',
  targets: [],
});

async function timesOf(curve: Curve, field: Field, threads: number): Promise<Measured> {
  const measured: Measured = { title: curve.title, of: curve.of, what: 'milliseconds', needed: curve.time, series: [] };
  for (const size of curve.sizes) {
    const result = await measure(row(curve, size), field, { samples: SAMPLES, threads });
    others = Math.max(others, result.others);
    const { figures } = result;
    for (const { contender, median } of figures) {
      let series = measured.series.find(({ name }) => name === contender);
      if (series === undefined) measured.series.push((series = { name: contender, points: [] }));
      series.points.push({ size, value: median });
    }
  }
  return measured;
}

/** The accounted peak on mtia. */
async function memoryOf(curve: Curve, needed: number, field: Field, threads: number): Promise<Measured> {
  const { peer } = field.found.find(({ id }) => id === 'mtia')!;
  const points = [];
  for (const size of curve.sizes) {
    const { bytes } = await peer.ask({ do: 'peak', case: curve.case, args: curve.args(size), threads, repeat: 2 });
    points.push({ size, value: bytes! / MIB });
    await peer.ask({ do: 'forget' });
  }
  return { title: curve.title, of: curve.of, what: 'MiB at the peak', needed, series: [{ name: 'mtia', points }] };
}

/** Each count in a process of its own. */
function liveTensors(): Measured[] {
  const figures = LIVE.map((size) => ({ size, ...runScript('live-tensors.ts', [String(size)]) }));
  const pick = (name: 'making' | 'operation' | 'reading' | 'heap') =>
    figures.map((figure) => ({ size: figure.size, value: (figure as unknown as Record<string, number>)[name] }));
  const title = 'Live tensors';
  const of = 'live tensors on mtia';
  return [
    {
      title,
      of,
      what: 'microseconds',
      needed: 0,
      series: [
        { name: 'an operation', points: pick('operation') },
        { name: 'one more', points: pick('making') },
      ],
    },
    {
      title,
      of,
      what: 'milliseconds to read a figure',
      needed: 1,
      series: [{ name: 'mtia', points: pick('reading') }],
    },
    { title, of, what: 'bytes of heap for each', needed: 0, series: [{ name: 'mtia', points: pick('heap') }] },
  ];
}

const start = performance.now();
const machine = describeMachine();
const threads = Math.min(2, availableParallelism());
const field = await findContenders((kind) => kind === 'ours' || kind === 'pytorch');
const measured: Measured[] = [];
let others = 0;
try {
  for (const curve of curves.filter(({ title }) => title.includes(filter))) {
    measured.push(await timesOf(curve, field, threads));
    if (curve.memory !== undefined) measured.push(await memoryOf(curve, curve.memory, field, threads));
    console.error(`${curve.title} (${((performance.now() - start) / 1000).toFixed(0)} s)`);
  }
} finally {
  stopAll(field);
}
if ('Live tensors'.includes(filter)) measured.push(...liveTensors());

const seconds = (performance.now() - start) / 1000;
const { text, plots } = scalePage(measured, { machine, threads, seconds, date: new Date().toISOString(), others });
if (filter !== '') console.log(text);
else {
  const folder = path('../docs/scale');
  // Plots of curves that are no more would stay.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { file, curve } of plots)
    writeFileSync(`${folder}/${file}`, await svgOf(curve.series, curve.of, curve.what));
  writeFileSync(path('../docs/scale.md'), text);
  console.log(`docs/scale.md and ${plots.length} plots, in ${seconds.toFixed(0)} s`);
}
