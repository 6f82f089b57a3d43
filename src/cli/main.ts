#!/usr/bin/env node
/**
 * The `mtia` command: arguments in, one of run.ts, smi.ts, doctor.ts or the folder memory out.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { registerMemory } from './memory/register.ts';
import type { OpsOptions } from './ops.ts';
import type { RunOptions } from './run.ts';
import { colorsFor, UsageError } from './style.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

// Each command loads what it needs when it runs: `mtia --help` answers at once, and a program starts sooner.
const library = async () => (await import('../index.ts')).default;

const program = new Command('mtia')
  .description("PyTorch's torch.mtia on this machine: run programs on a virtual MTIA and look at the device.")
  .version(version)
  .enablePositionalOptions()
  // Also of the commands: what is wrong with the arguments is exit code 2, as what is wrong with a file.
  .exitOverride()
  .showHelpAfterError('(mtia --help shows what there is)')
  .addHelpText('after', '\nExample:\n  mtia run train.ts --epochs 3');

program
  .command('run')
  .description('run a TypeScript or JavaScript program, with a closing report on stderr')
  .argument('<file>', 'the program (.ts or .js)')
  .argument('[args...]', 'arguments for the program')
  .option('--json', 'the report as one line of JSON')
  .option('-q, --quiet', 'no report')
  .passThroughOptions()
  .action(async (file: string, args: string[], options: RunOptions) => {
    const { run } = await import('./run.ts');
    await run(file, args, options);
  });

program
  .command('smi')
  .description('show the virtual devices: chip, capacity, memory')
  .option('--json', 'as JSON')
  .action(async (options: { json?: boolean }) => {
    const { smi } = await import('./smi.ts');
    console.log(smi(await library(), options));
  });

program
  .command('doctor')
  .description('show what this machine offers, what each thing changes, and how to get what is missing')
  .option('--json', 'as JSON')
  .action(async (options: { json?: boolean }) => {
    const { doctor } = await import('./doctor.ts');
    const { text, healthy } = doctor(await library(), options);
    console.log(text);
    if (!healthy) process.exitCode = 1;
  });

program
  .command('ops')
  .description('list the operations by device and dtype, one of them, or what PyTorch has besides')
  .argument('[name]', 'one operation, in detail')
  .option('--dtype <dtype>', 'only those that take tensors of this dtype')
  .option('--device <device>', 'only those that run there: cpu, mtia or meta')
  .option('--missing', 'names that are in PyTorch and not here')
  .option('--json', 'as JSON')
  .action(async (name: string | undefined, options: OpsOptions) => {
    const { ops } = await import('./ops.ts');
    console.log(ops(await library(), name, options));
  });

registerMemory(program);

try {
  const first = process.argv[2];
  if (first !== undefined && /\.[cm]?[jt]sx?$/.test(first) && existsSync(first)) {
    throw new UsageError(`${first} is a program. Did you mean: mtia run ${process.argv.slice(2).join(' ')}?`);
  }
  await program.parseAsync();
} catch (error) {
  // What was wrong has been said, or the help was asked for.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  // Anything else is the program's own error, and reads as it would under node.
  else if (!(error instanceof UsageError)) throw error;
  else {
    console.error(`${colorsFor(process.stderr).red('mtia:')} ${error.message}`);
    process.exitCode = 2;
  }
}
