/**
 * The closing report of `mtia run`, on stderr: the standard output belongs to the program. It is written while the
 * process exits, so everything here is synchronous.
 */
import { writeSync } from 'node:fs';
import { basename } from 'node:path';
import type { Figures } from './figures.ts';
import { type Colors, colorsFor, formatBytes, formatCount, formatSeconds } from './style.ts';

export interface Run {
  file: string;
  /** From the program's first line to its end. */
  milliseconds: number;
  before: Figures;
  now: Figures;
}

/** What `mtia run --json` prints as the last line of stderr. Bytes and milliseconds. */
export function reportData(run: Run) {
  const { before, now } = run;
  return {
    program: run.file,
    milliseconds: Math.round(run.milliseconds * 10) / 10,
    executor: now.executor,
    launches: {
      cpu: now.cpuLaunches - before.cpuLaunches,
      mtia: now.devices.reduce((sum, { launches }, i) => sum + launches - (before.devices[i]?.launches ?? 0), 0),
    },
    devices: now.devices.map((device, i) => ({
      device: device.name,
      chip: device.chip,
      memory: { before: before.devices[i]?.allocated ?? 0, peak: device.peak, now: device.allocated },
    })),
  };
}

export function reportText(run: Run, colors: Colors): string {
  const data = reportData(run);
  const line = (label: string, text: string) => `  ${colors.dim(label.padEnd(10))}${text}\n`;
  let text = `\n${colors.bold(`mtia run ${basename(run.file)}`)}\n`;
  text += line('time', formatSeconds(data.milliseconds));
  const { cpu, mtia } = data.launches;
  text += line('launches', `${formatCount(mtia)} on mtia, ${formatCount(cpu)} on cpu`);
  for (const { device, memory } of data.devices) {
    const figures = `before ${formatBytes(memory.before)}, peak ${formatBytes(memory.peak)}, now ${formatBytes(memory.now)}`;
    text += line('memory', `${device}  ${figures}`);
  }
  return text + line('executor', data.executor);
}

export function writeReport(run: Run, json: boolean): void {
  const text = json ? `${JSON.stringify(reportData(run))}\n` : reportText(run, colorsFor(process.stderr));
  try {
    writeSync(2, text);
  } catch (error) {
    // A reader that went away (`mtia run … 2>&1 | head`) is no failure of the program.
    if (!['EPIPE', 'EAGAIN'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
