/**
 * Rows of the bench about memory: the caching allocator, lifetimes, the history and snapshots. They have no peer, and each script runs in a
 * process of its own, since what counts is also how much memory it takes: `runScript` starts one and reads its figures.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface MemoryRow {
  name: string;
  script: 'allocator.ts' | 'lifetimes.ts' | 'history.ts' | 'snapshots.ts';
  /** Name of the figure in what the script says. */
  figure: string;
  unit: string;
  target: number;
  higherIsBetter?: boolean;
}

/** BENCH_LARGE=1: a pickle of a gigabyte is really written and read, half a minute each. */
export const large = process.env['BENCH_LARGE'] === '1';
const newer = Number(process.versions.node.split('.')[0]) > 20;

export const memoryRows: MemoryRow[] = [
  {
    name: 'allocator, 100,000 live blocks, any freed',
    script: 'allocator.ts',
    figure: 'anywhere',
    unit: 'M pairs/s',
    target: 2,
    higherIsBetter: true,
  },
  {
    name: 'allocator, 100,000 live blocks, a step of 1000',
    script: 'allocator.ts',
    figure: 'steps',
    unit: 'M pairs/s',
    target: 2,
    higherIsBetter: true,
  },
  {
    name: 'lifetimes, an operation, its result freed',
    script: 'lifetimes.ts',
    figure: 'freed',
    unit: 'µs',
    target: 0.3,
  },
  {
    name: 'lifetimes, an operation, its result dropped',
    script: 'lifetimes.ts',
    figure: 'dropped',
    unit: 'µs',
    target: 0.6,
  },
  {
    name: 'memory_allocated() beside 100,000 storages',
    script: 'lifetimes.ts',
    figure: 'reading',
    unit: 'ms',
    target: 15,
  },
  {
    name: 'history, an allocation without stacks',
    script: 'history.ts',
    figure: 'withoutStacks',
    unit: 'µs',
    target: 0.5,
  },
  {
    name: 'history, an allocation with 8 frames',
    script: 'history.ts',
    figure: 'shortest',
    unit: 'µs',
    target: newer ? 6 : 9,
  },
  {
    name: 'history, the same of a function with options',
    script: 'history.ts',
    figure: 'general',
    unit: 'µs',
    target: newer ? 6 : 9,
  },
  {
    name: 'history, a training step with 8 frames',
    script: 'history.ts',
    figure: 'step',
    unit: 'µs',
    target: newer ? 100 : 150,
  },
  { name: 'snapshot of 1 M events, writing', script: 'snapshots.ts', figure: 'writeSeconds', unit: 's', target: 3 },
  { name: 'snapshot of 1 M events, size', script: 'snapshots.ts', figure: 'megabytes', unit: 'MB', target: 80 },
  {
    name: large ? 'snapshot of 1 GB, reading' : 'snapshot of 1 GB, reading (extrapolated)',
    script: 'snapshots.ts',
    figure: 'secondsPerGigabyte',
    unit: 's',
    target: 60,
  },
  {
    name: large ? 'snapshot of 1 GB, memory to read it' : 'snapshot of 1 M events, memory to read it',
    script: 'snapshots.ts',
    figure: 'readMegabytes',
    unit: 'MB',
    target: large ? 1000 : 250,
  },
];

export type Figures = Record<string, number>;

/** The figures of a script of this folder, run by `mtia run` in a process of its own. */
export function runScript(script: string, args: string[] = []): Figures {
  const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const path = fileURLToPath(new URL(script, import.meta.url));
  const output = execFileSync(process.execPath, [command, 'run', '--quiet', path, '--json', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output.trim().split('\n').at(-1)!);
}

/** How a script ends: for `runScript` its figures, for people a line for each. */
export function tell(script: string, figures: Figures): void {
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify(figures));
    return;
  }
  for (const row of memoryRows) {
    const value = figures[row.figure];
    if (row.script !== script || value === undefined) continue;
    const met = row.higherIsBetter ? value >= row.target : value <= row.target;
    console.log(`${row.name}: ${value.toFixed(2)} ${row.unit}${met ? '' : ` (target ${row.target})`}`);
  }
}
