/**
 * What `mtia memory stats` found, in words.
 */
import type { Pin, SegmentTotals } from '../../memory/snapshot/index.ts';
import { shown } from './files.ts';
import { bytes, colors, holders, lines, notes, number, percent, place, plural, stack, table } from './output.ts';
import type { DeviceFacts } from './stats.ts';

export function statsText(file: string, facts: DeviceFacts, top: number): string {
  const paint = colors();
  const { statistics, pins } = facts;
  const parts = [paint.bold(`${shown(file)}, device ${statistics.device}`)];
  if (statistics.segments > 0) parts.push(totals(facts), held(facts, top));
  else parts.push('  no segments');
  if (pins.length > 0) parts.push(pinned(pins, top));
  parts.push(traceText(facts, top));
  return `${parts.join('\n\n')}\n`;
}

function totals({ statistics }: DeviceFacts): string {
  const { small, large, streams, pools } = statistics;
  const rows: [string, SegmentTotals][] = [
    ['all', statistics],
    ['small pool', small],
    ['large pool', large],
    ...(streams.length > 1 ? streams.map((each): [string, SegmentTotals] => [`stream ${each.stream}`, each]) : []),
    ...pools.map((each): [string, SegmentTotals] => [`pool (${each.pool.join(', ')})`, each]),
  ];
  const cells = rows.map(([name, each]) => [
    name,
    number(each.segments),
    ...[each.reserved, each.allocated, each.active, each.requested, each.releasable, each.unreleasable].map(bytes),
  ]);
  const text = table(
    [
      ['', null],
      ['Segments', 10],
      ['Reserved', 11],
      ['Allocated', 11],
      ['Active', 11],
      ['Requested', 11],
      ['Cached', 11],
      ['Pinned', 11],
    ],
    cells.filter(([, segments], at) => at === 0 || segments !== '0'),
  );
  const waits = statistics.active - statistics.allocated;
  const waiting = waits === 0 ? '' : `\n  ${bytes(waits)} are freed and wait for other streams.`;
  const privately = pools.length === 0 ? '' : '\n  A pool with a number is private: a graph capture or a MemPool.';
  return (
    `${text}\n  Fragmentation: ${percent(statistics.fragmentation)} of what is reserved is not in use. The largest free piece has ${bytes(statistics.largestFree)}.` +
    `\n  Cached: empty_cache gives it back. Pinned: free, but in segments that are partly in use.${waiting}${privately}`
  );
}

function held({ statistics }: DeviceFacts, top: number): string {
  const paint = colors();
  if (statistics.holders.length === 0) return paint.bold('Nothing is allocated.');
  return `${paint.bold('Who holds it')}\n${holders(statistics.holders, top)}`;
}

function pinned(pins: readonly Pin[], top: number): string {
  const paint = colors();
  const rows = pins
    .slice(0, top)
    .map(({ free, size, used, blocks, sites }) => [
      bytes(free),
      bytes(size),
      plural(blocks.length, 'block'),
      bytes(used),
      place(sites[0].frames),
    ]);
  const free = pins.reduce((sum, pin) => sum + pin.free, 0);
  const pages = pins.some(({ segment }) => segment.is_expandable) ? ' and pages' : '';
  const title = `Who pins what is free: ${bytes(free)} in ${plural(pins.length, 'segment')}${pages}`;
  const text = table(
    [
      ['Free', 12],
      ['Of', 12],
      ['Pinned by', 13],
      ['With', 12],
      ['Where', null],
    ],
    rows,
  );
  return `${paint.bold(title)}\n${text}`;
}

function when(event: number, time: number | null): string {
  if (event < 0) return 'at the beginning';
  const date = new Date((time ?? Number.NaN) / 1000);
  const clock = Number.isNaN(date.getTime()) ? '' : `, ${date.toISOString().slice(11, 23)} UTC`;
  return `at event ${number(event)}${clock}`;
}

function traceText({ statistics, overflowed }: DeviceFacts, top: number): string {
  const paint = colors();
  const { trace } = statistics;
  if (trace.events === 0)
    return notes([
      'no trace was recorded (record_memory_history with max_entries), so that nothing is known of peaks.',
    ]);
  const { requested, reserved } = trace;
  const parts = [
    paint.bold(`The trace: ${plural(trace.events, 'event')}`),
    lines([
      ['most in use', `${bytes(requested.bytes)} (as requested) ${when(requested.event, requested.time)}`],
      ['most reserved', `${bytes(reserved.bytes)} ${when(reserved.event, reserved.time)}`],
    ]),
  ];
  if (overflowed)
    parts.push(notes(['the beginning is missing: max_entries was too small. Peaks before it are not known.']));
  for (const { event, time, size, deviceFree, frames } of trace.outOfMemory.slice(0, top)) {
    parts.push(
      paint.red(`  out of memory ${when(event, time)}: ${bytes(size)} asked for, ${bytes(deviceFree)} free`),
      stack(frames, 4),
    );
  }
  if (trace.outOfMemory.length > top) parts.push(`  … ${plural(trace.outOfMemory.length - top, 'more time')}`);
  if (trace.holders.length > 0) parts.push('', paint.bold('Who held most at the peak'), holders(trace.holders, top));
  return parts.join('\n');
}
