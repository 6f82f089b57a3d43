/** How the scripts of this folder are run, each in a process of its own, and how they tell their figures. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** BENCH_LARGE=1: a pickle of a gigabyte is really written and read, half a minute each. */
export const large = process.env['BENCH_LARGE'] === '1';

export type Figures = Record<string, number>;

/** The figures of a script of this folder, run by `mtia run`. */
export function runScript(script: string, args: readonly string[] = []): Figures {
  const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const path = fileURLToPath(new URL(script, import.meta.url));
  const output = execFileSync(process.execPath, [command, 'run', '--quiet', path, '--json', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output.trim().split('\n').at(-1)!);
}

/** How a script ends: for `runScript` its figures on one line, for people a line for each. */
export function tell(figures: Figures): void {
  if (process.argv.includes('--json')) console.log(JSON.stringify(figures));
  else for (const [name, value] of Object.entries(figures)) console.log(`${name} ${value.toFixed(3)}`);
}
