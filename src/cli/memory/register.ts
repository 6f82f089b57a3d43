/**
 * `mtia memory …`: what each command is called and takes. The commands themselves are loaded when they run.
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { DiffOptions } from './diff.ts';
import type { ReplayOptions } from './replay.ts';
import type { StatsOptions } from './stats.ts';
import type { ConvertOptions } from './convert.ts';

const SNAPSHOT = 'a snapshot: pickle or JSON, of PyTorch or of torch-mtia; - for the standard input';

export function registerMemory(program: Command): void {
  const memory = program
    .command('memory')
    .description('look into memory snapshots: what holds memory, what grew, whether it would fit elsewhere');

  memory
    .command('stats')
    .description('what is held, by whom, what cannot be given back, and the peak')
    .argument('<file>', SNAPSHOT)
    .option('--device <index>', 'only this device', whole)
    .option('--top <count>', 'so many rows of each list', count, 10)
    .option('--json', 'as JSON')
    .action(async (file: string, options: StatsOptions) => {
      const { stats } = await import('./stats.ts');
      await stats(file, options);
    });

  memory
    .command('replay')
    .description('run the recorded allocations again with other settings or another capacity')
    .argument('<file>', SNAPSHOT)
    .option('--conf <settings>', 'as PYTORCH_ALLOC_CONF; several times to compare', collect)
    .option('--compare', 'compare with the recorded settings and some that often help')
    .option('--capacity <bytes>', 'memory of the device, as 2GiB')
    .option('--fraction <share>', 'share of it that may be reserved, as set_per_process_memory_fraction')
    .option('--device <index>', 'only this device', whole)
    .option('--json', 'as JSON')
    .action(async (file: string, options: ReplayOptions) => {
      const { replay } = await import('./replay.ts');
      await replay(file, options);
    });

  memory
    .command('diff')
    .description('what grew from one snapshot to another, by the place that allocated it')
    .argument('<before>', SNAPSHOT)
    .argument('<after>', SNAPSHOT)
    .option('--device <index>', 'only this device', whole)
    .option('--depth <frames>', 'so many of the innermost frames make a place; all by default', count)
    .option('--top <count>', 'so many rows', count, 20)
    .option('--json', 'as JSON')
    .action(async (before: string, after: string, options: DiffOptions) => {
      const { diff } = await import('./diff.ts');
      await diff(before, after, options);
    });

  memory
    .command('convert')
    .description('write a snapshot in another format: .pickle for all viewers, .json for programs')
    .argument('<in>', SNAPSHOT)
    .argument('<out>', 'the file to write; - for the standard output')
    .option('--to <format>', 'pickle or json, where the name of the file does not tell')
    .option('--layout <layout>', 'new, or old as PyTorch 1.13 wrote it', 'new')
    .action(async (input: string, output: string, options: ConvertOptions) => {
      const { convert } = await import('./convert.ts');
      await convert(input, output, options);
    });
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

function count(text: string): number {
  const value = whole(text);
  if (value === 0) throw new InvalidArgumentError('expected 1 or more');
  return value;
}
