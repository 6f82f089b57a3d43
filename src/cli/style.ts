/**
 * How the command writes: colours only on a terminal, sizes and durations in units people read.
 */
import pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

/** Colours for a stream: none in files and pipes, none where NO_COLOR is set (https://no-color.org). */
export function colorsFor(stream: { isTTY?: boolean }): Colors {
  const wanted = !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return pc.createColors(stream.isTTY === true && wanted);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `formatBytes(590848)` is `577.0 KiB`. */
export function formatBytes(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

export function formatSeconds(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds.toFixed(0)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** What a person did wrong, told without a stack trace. */
export class UsageError extends Error {
  override name = 'UsageError';
}
