/**
 * Rows of the bench about memory: the caching allocator, lifetimes, the history and snapshots. They have no peer, and each script runs in a
 * process of its own, since what counts is also how much memory it takes.
 */
import { large } from '../parts/script.ts';
import type { PartRow } from './row.ts';

const newer = Number(process.versions.node.split('.')[0]) > 20;

const part = (
  name: string,
  script: string,
  figure: string,
  unit: string,
  bound: number,
  higherIsBetter = false,
): PartRow => ({ kind: 'part', name, script, figure, unit, higherIsBetter, targets: [{ bound }] });

export const memoryRows: PartRow[] = [
  part('allocator, 100,000 live blocks, any freed', 'allocator.ts', 'anywhere', 'M pairs/s', 2, true),
  part('allocator, 100,000 live blocks, a step of 1000', 'allocator.ts', 'steps', 'M pairs/s', 2, true),
  part('lifetimes, an operation, its result freed', 'lifetimes.ts', 'freed', 'µs', 0.3),
  part('lifetimes, an operation, its result dropped', 'lifetimes.ts', 'dropped', 'µs', 0.6),
  part('memory_allocated() beside 100,000 storages', 'lifetimes.ts', 'reading', 'ms', 15),
  part('history, an allocation without stacks', 'history.ts', 'withoutStacks', 'µs', 0.5),
  part('history, an allocation with 8 frames', 'history.ts', 'shortest', 'µs', newer ? 6 : 9),
  part('history, the same of a function with options', 'history.ts', 'general', 'µs', newer ? 6 : 9),
  part('history, a training step with 8 frames', 'history.ts', 'step', 'µs', newer ? 100 : 150),
  part('snapshot of 1 M events, writing', 'snapshots.ts', 'writeSeconds', 's', 3),
  part('snapshot of 1 M events, size', 'snapshots.ts', 'megabytes', 'MB', 80),
  part(
    large ? 'snapshot of 1 GB, reading' : 'snapshot of 1 GB, reading (extrapolated)',
    'snapshots.ts',
    'secondsPerGigabyte',
    's',
    60,
  ),
  part(
    large ? 'snapshot of 1 GB, memory to read it' : 'snapshot of 1 M events, memory to read it',
    'snapshots.ts',
    'readMegabytes',
    'MB',
    large ? 1000 : 250,
  ),
];
