/**
 * `mtia run FILE`: runs a program with `torch-mtia` in reach, and reports at its end what it did to the device.
 */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { preludes } from '../data/worker-preludes.ts';
import { deviceFigures, type Torch } from './figures.ts';
import { installHooks } from './install-hooks.ts';
import { writeReport } from './report.ts';
import { UsageError } from './style.ts';
import { nearestFile } from './suggest.ts';

export interface RunOptions {
  json?: boolean;
  quiet?: boolean;
}

export async function run(file: string, args: string[], options: RunOptions): Promise<void> {
  const path = resolve(file);
  if (!existsSync(path) || !statSync(path).isFile()) {
    const near = nearestFile(path);
    const hint = near === null ? '' : ` Did you mean ${relative(process.cwd(), near)}?`;
    throw new UsageError(`cannot find the program ${file}.${hint}`);
  }
  if (!/\.[cm]?[jt]sx?$/.test(path)) throw new UsageError(`${file} is neither TypeScript nor JavaScript (.ts, .js).`);

  await installHooks();
  // What loads data in threads of its own is TypeScript, too.
  preludes.push(new URL('./worker-hooks.js', import.meta.url).href);
  // As `node FILE args` would have it, so that a program can tell whether it is the one that was started.
  const program = realpathSync(path);
  process.argv = [process.argv[0], program, ...args];

  const torch: Torch = (await import('../index.ts')).default;
  if (!options.quiet) {
    const before = deviceFigures(torch);
    const start = performance.now();
    process.on('exit', () => {
      writeReport(
        { file, milliseconds: performance.now() - start, before, now: deviceFigures(torch) },
        options.json === true,
      );
    });
  }
  await import(pathToFileURL(program).href);
}
