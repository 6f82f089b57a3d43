/**
 * `npm run bench [filter]`: our figures beside PyTorch's, on this machine, at the same time. Samples are taken in turn
 * (ours, each peer's, ours, …) and the medians are compared, so that what else the machine does hits all alike. The
 * peer of a row is the faster PyTorch on that row. Ratios above 1 mean that we are faster. Rows about the allocator and
 * snapshots have no peer; BENCH_LARGE=1 measures a snapshot of a gigabyte instead of extrapolating.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import { type MemoryRow, memoryRows, runScript } from './memory.ts';
import { findPeers, type Peer } from './peer.ts';
import { type Row, rows } from './rows.ts';

const SAMPLES = 9;
const PROCESS_SAMPLES = 5;
/** Milliseconds between samples: both sides' threads spin for a while after work, before they sleep. */
const SETTLE = 25;
const filter = process.argv[2] ?? '';

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];

interface Result {
  name: string;
  unit: string;
  target: number;
  ours: number;
  /** Version and figure of each peer. */
  peers: [string, number][];
  higherIsBetter: boolean;
}

async function measure(row: Row, peers: Peer[]): Promise<Result> {
  const work = row.prepare();
  const repeat = row.repeat;
  // Both sides warm: kernels compiled, code optimised, caches filled.
  for (let i = 0; i < 5; i++) work(repeat);
  for (const peer of peers) await peer.measure(row.peer, repeat);
  const ours: number[] = [];
  const theirs = peers.map((): number[] => []);
  for (let i = 0; i < SAMPLES; i++) {
    await setTimeout(SETTLE);
    ours.push(work(repeat));
    for (const [at, peer] of peers.entries()) {
      await setTimeout(SETTLE);
      theirs[at].push(await peer.measure(row.peer, repeat));
    }
  }
  const figure = (seconds: number[]) => {
    const one = median(seconds) / repeat;
    return row.flops === undefined ? one * 1e6 : row.flops / one / 1e9;
  };
  return {
    name: row.name,
    unit: row.unit,
    target: row.target,
    ours: figure(ours),
    peers: peers.map(({ version }, at) => [version, figure(theirs[at])]),
    higherIsBetter: row.flops !== undefined,
  };
}

function measureFirstResult(device: string, peers: Peer[]): Result {
  const script = fileURLToPath(new URL('first-result.mjs', import.meta.url));
  const run = () => Number(execFileSync(process.execPath, [script, device], { encoding: 'utf8' }));
  const ours: number[] = [];
  const theirs = peers.map((): number[] => []);
  for (let i = 0; i < PROCESS_SAMPLES; i++) {
    ours.push(run());
    peers.forEach((peer, at) => void theirs[at].push(peer.firstResult()));
  }
  return {
    name: firstResultName(device),
    unit: 'ms',
    target: 250,
    ours: median(ours),
    peers: peers.map(({ version }, at) => [version, median(theirs[at])]),
    higherIsBetter: false,
  };
}

/** Each script once, for all of its rows that are wanted. */
function measureMemory(wanted: MemoryRow[]): Result[] {
  const figures = new Map(
    [...new Set(wanted.map(({ script }) => script))].map((script) => [script, runScript(script)]),
  );
  return wanted.map(({ name, script, figure, unit, target, higherIsBetter = false }) => {
    const ours = figures.get(script)![figure];
    return { name, unit, target, ours, peers: [], higherIsBetter };
  });
}

const firstResultName = (device: string) => `import to first result, ${device}`;

const show = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));

function print(results: Result[], peers: Peer[]): void {
  const table = new Table({
    head: ['', 'torch-mtia', ...peers.map(({ version }) => `PyTorch ${version}`), 'unit', 'ratio', 'target', ''],
    colAligns: ['left', 'right', ...peers.map(() => 'right' as const), 'left', 'right', 'right', 'left'],
    style: { head: [], border: [] },
  });
  for (const { name, unit, target, ours, peers: theirs, higherIsBetter } of results) {
    const figures = theirs.map(([, figure]) => figure);
    const best = higherIsBetter ? Math.max(...figures) : Math.min(...figures);
    const ratio = higherIsBetter ? ours / best : best / ours;
    const met = higherIsBetter ? ours >= target : ours <= target;
    table.push([
      name,
      show(ours),
      ...peers.map((_, at) => (at < figures.length ? show(figures[at]) : '')),
      unit,
      figures.length > 0 ? ratio.toFixed(2) : '-',
      `${higherIsBetter ? '≥' : '≤'} ${target}`,
      met ? 'met' : 'NOT MET',
    ]);
  }
  console.log(table.toString());
}

const peers = await findPeers();
if (peers.length === 0) {
  console.log('No PyTorch found (name a Python that has it in TORCH_PYTHON): our figures alone.');
}
const results: Result[] = [];
for (const row of rows.filter(({ name }) => name.includes(filter))) results.push(await measure(row, peers));
for (const device of ['cpu', 'mtia'].filter((name) => firstResultName(name).includes(filter))) {
  results.push(measureFirstResult(device, peers));
}
for (const peer of peers) peer.stop();
results.push(...measureMemory(memoryRows.filter(({ name }) => name.includes(filter))));
if (results.length === 0) console.log(`No row has "${filter}" in its name.`);
else print(results, peers);
