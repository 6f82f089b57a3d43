/**
 * `memory_summary`: the statistics as PyTorch's table, 77 characters wide.
 */
import type { Figure, Metrics, NestedStatistics, PoolMetrics } from './statistics.ts';

const WIDTH = 75;
const BYTE_UNITS = ['B  ', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const COUNT_UNITS = [' ', 'K', 'M'];

interface Row {
  readonly name: string;
  readonly figure: Figure;
  readonly bytes: boolean;
}

/** PyTorch's rows. Where it says GPU, the device's own name, as far as the column is wide enough. */
function rows(name: string): Row[] {
  const bytes = (label: string, figure: Figure): Row => ({ name: label, figure, bytes: true });
  const count = (label: string, figure: Figure): Row => ({ name: label, figure, bytes: false });
  return [
    bytes('Allocated memory', 'allocated_bytes'),
    bytes('Active memory', 'active_bytes'),
    bytes('Requested memory', 'requested_bytes'),
    bytes(name === 'CUDA' ? 'GPU reserved memory' : `${name} reserved memory`, 'reserved_bytes'),
    bytes('Non-releasable memory', 'inactive_split_bytes'),
    count('Allocations', 'allocation'),
    count('Active allocs', 'active'),
    count(name === 'CUDA' ? 'GPU reserved segments' : `${name} segments`, 'segment'),
    count('Non-releasable allocs', 'inactive_split'),
  ];
}

/** A cell; its unit is that of the row of all blocks. */
function formatBytes(value: number, leading: number): string {
  let unit = 0;
  while (unit < BYTE_UNITS.length - 1 && leading >= 768 * 1024) {
    leading = Math.floor(leading / 1024);
    value = Math.floor(value / 1024);
    unit++;
  }
  return `${String(value).padStart(6)} ${BYTE_UNITS[unit]}`;
}

function formatCount(value: number, leading: number): string {
  let unit = 0;
  while (unit < COUNT_UNITS.length - 1 && leading >= 750 * 1000) {
    leading = Math.floor(leading / 1000);
    value = Math.floor(value / 1000);
    unit++;
  }
  return `${String(value).padStart(7)} ${COUNT_UNITS[unit]} `;
}

/** Names of other than four letters change the blanks at the end, not the width. */
const exactly = (text: string): string => text.padEnd(WIDTH).slice(0, WIDTH);

export interface SummaryOptions {
  /** As the table calls the device: 'MTIA'. */
  readonly name: string;
  /** Number of the device. */
  readonly index: number;
  /** Without the pools' rows. */
  readonly abbreviated?: boolean;
}

/** The table; ends with a line break. */
export function memorySummary(statistics: NestedStatistics, options: SummaryOptions): string {
  const { name, index } = options;
  const ooms = String(statistics.num_ooms).padEnd(12);
  const retries = String(statistics.num_alloc_retries).padEnd(8);
  const lines = [
    '='.repeat(WIDTH),
    exactly(`${' '.repeat(18)}PyTorch ${name} memory summary, device ID ${String(index).padEnd(17)} `),
    '-'.repeat(WIDTH),
    exactly(
      `${' '.repeat(12)}${name} OOMs: ${ooms} | ${' '.repeat(6)} ${name.toLowerCase()}Malloc retries: ${retries}  `,
    ),
    '='.repeat(WIDTH),
    '        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ',
  ];
  const add = (label: string, metrics: Metrics, all: Metrics, bytes: boolean): void => {
    const cell = (key: keyof Metrics) => (bytes ? formatBytes : formatCount)(metrics[key], all[key]);
    lines.push(` ${label.padEnd(21)} | ${(['current', 'peak', 'allocated', 'freed'] as const).map(cell).join(' | ')} `);
  };
  for (const { name: label, figure, bytes } of rows(name)) {
    const metrics: PoolMetrics = statistics[figure];
    lines.push('-'.repeat(WIDTH));
    add(label, metrics.all, metrics.all, bytes);
    if (options.abbreviated) continue;
    add('      from large pool', metrics.large_pool, metrics.all, bytes);
    add('      from small pool', metrics.small_pool, metrics.all, bytes);
  }
  lines.push('-'.repeat(WIDTH));
  add('Oversize allocations', statistics.oversize_allocations, statistics.oversize_allocations, false);
  lines.push('-'.repeat(WIDTH));
  add(
    name === 'CUDA' ? 'Oversize GPU segments' : 'Oversize segments',
    statistics.oversize_segments,
    statistics.oversize_segments,
    false,
  );
  lines.push('='.repeat(WIDTH));
  return `|${lines.join('|\n|')}|\n`;
}
