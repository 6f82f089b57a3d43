/** `mtia smi`: the virtual devices a program would find here, and what each holds in this process. */
import Table from 'cli-table3';
import { deviceFigures, type Torch } from './figures.ts';
import { colorsFor, formatBytes } from './style.ts';

export function smi(torch: Torch, options: { json?: boolean }): string {
  const { devices, executor } = deviceFigures(torch);
  if (options.json) return JSON.stringify({ executor, devices }, null, 2);
  const colors = colorsFor(process.stdout);
  if (devices.length === 0) {
    return `No virtual MTIA device: MTIA_DEVICE_COUNT is ${process.env['MTIA_DEVICE_COUNT'] ?? 'not set'}. Unset it, or set it to 1 or more.`;
  }
  const table = new Table({
    head: ['Device', 'Chip', 'Capacity', 'Allocated', 'Reserved', 'Peak'].map((title) => colors.bold(title)),
    colAligns: ['left', 'left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const device of devices) {
    table.push([
      device.name,
      device.chip,
      formatBytes(device.capacity),
      formatBytes(device.allocated),
      formatBytes(device.reserved),
      formatBytes(device.peak),
    ]);
  }
  return `${table.toString()}\nexecutor: ${executor}`;
}
