/**
 * What `mtia memory replay` found, in words.
 */
import type { RecordedCapacity } from '../../memory/snapshot/index.ts';
import { shown } from './files.ts';
import { bytes, colors, holders, lines, notes, number, percent, plural, stack, table } from './output.ts';
import type { DeviceReport, OutOfMemoryReport, ReplayReport } from './replay.ts';

export function replayText(file: string, report: DeviceReport): string {
  const paint = colors();
  const parts = [paint.bold(`${shown(file)}, device ${report.device}`), recordingText(report)];
  if (report.notes.length > 0) parts.push(notes(report.notes));
  if (report.replays.length > 1) parts.push('', comparison(report.replays));
  else parts.push('', replayed(report.replays[0]));
  return `${parts.join('\n')}\n`;
}

const named = (settings: string): string => (settings === '' ? 'default settings' : settings);

function recordingText({ recording }: DeviceReport): string {
  const { events, allocations, initial, overflowed, settings, capacity, outOfMemory } = recording;
  const held =
    initial.blocks === 0 ? '' : `, ${bytes(initial.bytes)} in ${plural(initial.blocks, 'block')} held before`;
  const rows: [string, string][] = [
    ['recorded', `${plural(events, 'event')}, ${plural(allocations, 'allocation')}${held}, with ${named(settings)}`],
  ];
  if (overflowed) rows.push(['', 'the beginning is missing: max_entries was too small for all events']);
  if (capacity !== null) rows.push(['', capacityText(capacity, outOfMemory)]);
  rows.push(['check', reproductionText(recording)]);
  return lines(rows);
}

function capacityText({ kind, bytes: most, atLeast }: RecordedCapacity, outOfMemory: number): string {
  const range = `from ${bytes(atLeast)} to ${bytes(most)}`;
  if (kind === 'pressure') return `it gave cached memory back to make room: it had ${range}`;
  const room = kind === 'device' ? `${bytes(most)} to be had` : `a limit ${range}`;
  return `it ran out of memory ${times(outOfMemory)}, with ${room}`;
}

const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${number(count)} times`);

function reproductionText({ reproduction, overflowed }: DeviceReport['recording']): string {
  if (reproduction === null) return 'the file has no segments, or none that fit together, to compare a replay with';
  const { recorded, replayed, same, exactStart } = reproduction;
  const conditions = 'replayed as recorded, it ends with';
  if (same === recorded && replayed === recorded)
    return `${conditions} the ${plural(recorded, 'segment')} of the file, block by block`;
  const why = exactStart
    ? overflowed
      ? ': what happened before its first event is guessed'
      : ''
    : ': how it began is not recorded';
  return `${conditions} ${number(same)} of the ${plural(recorded, 'segment')} of the file${why}`;
}

function conditions({ capacity, fraction }: ReplayReport): string {
  const device = capacity === null ? 'unlimited memory' : bytes(capacity);
  return fraction === null ? device : `${percent(fraction)} of ${device}`;
}

function replayed(report: ReplayReport): string {
  const paint = colors();
  const { outOfMemory, peak, leastCapacity } = report;
  const parts = [paint.bold(`Replayed with ${named(report.settings)} on ${conditions(report)}`)];
  if (outOfMemory === null) parts.push(paint.green('  It runs.'));
  else parts.push(outOfMemoryText(outOfMemory));
  const before = outOfMemory === null ? '' : ', up to there';
  parts.push(
    lines([
      [`peak${before}`, ''],
      ['  requested', bytes(peak.requested)],
      ['  allocated', bytes(peak.allocated)],
      ['  active', bytes(peak.active)],
      [
        '  reserved',
        `${bytes(peak.reserved)} ${at(peak.event)}; ${percent(report.fragmentation)} of it not in use (fragmentation)`,
      ],
      ['  segments', segmentsText(report)],
      ['least capacity', leastText(leastCapacity)],
    ]),
  );
  return parts.join('\n');
}

/** PyTorch's count leaves expandable segments out. */
function segmentsText({ peak, segments }: ReplayReport): string {
  const end = `${number(segments)} at the end`;
  return peak.segments === 0 && segments > 0 ? `${end}, expandable` : `${number(peak.segments)}, ${end}`;
}

const at = (event: number): string => (event < 0 ? 'at the beginning' : `at event ${number(event)}`);

function leastText(least: ReplayReport['leastCapacity']): string {
  if (least === null) return 'it runs with no capacity';
  const text = `${bytes(least.bytes)}, to within ${bytes(least.within)}`;
  if (least.always === null || least.always === least.bytes) return text;
  return `${text}; fails with some above it, runs from ${bytes(least.always)} on`;
}

function outOfMemoryText(oom: OutOfMemoryReport): string {
  const paint = colors();
  const where = oom.event < 0 ? 'before the first event' : `at event ${number(oom.event)}`;
  const cached = oom.reserved - oom.active;
  const parts = [
    paint.red(`  It runs out of memory ${where}: ${bytes(oom.requested)} were asked for.`),
    stack(oom.frames),
    lines([
      ['request', requestText(oom)],
      [
        'free',
        `${bytes(oom.free)} of the device${oom.allowed === null ? '' : `, of which ${bytes(oom.allowed)} are allowed`}`,
      ],
      [
        'reserved',
        `${bytes(oom.reserved)}: ${bytes(oom.active)} in use, ${bytes(cached)} cached, the largest piece ${bytes(oom.largestCached)}`,
      ],
    ]),
  ];
  if (oom.holders.length > 0) parts.push('  held most then (as requested)', holders(oom.holders));
  return parts.join('\n');
}

function requestText({ requested, rounded, segment, stream }: OutOfMemoryReport): string {
  let text = bytes(requested);
  if (rounded !== requested) text += `, rounded to ${number(rounded)} bytes`;
  if (segment !== rounded) text += `, in a segment of ${bytes(segment)}`;
  return stream === 0 ? text : `${text}, on stream ${stream}`;
}

function comparison(reports: readonly ReplayReport[]): string {
  const paint = colors();
  const rows = reports.map((report) => {
    const { outOfMemory, peak, leastCapacity } = report;
    return [
      named(report.settings).replace(/,(?=[a-z])/g, ',\n'),
      outOfMemory === null ? 'runs' : `fails ${at(outOfMemory.event)}`,
      bytes(peak.reserved),
      percent(report.fragmentation),
      number(Math.max(peak.segments, report.segments)),
      leastCapacity === null ? 'none' : bytes(leastCapacity.always ?? leastCapacity.bytes),
    ];
  });
  const text = table(
    [
      ['Settings', null],
      ['Result', 22],
      ['Reserved', 12],
      ['Unused', 9],
      ['Segments', 10],
      ['Runs from', 12],
    ],
    rows,
  );
  return `${paint.bold(`Replayed on ${conditions(reports[0])}`)}\n${text}\n  Reserved, Unused, Segments: at the peak, up to the failure.\n  Runs from: it does with this capacity and with any larger one.`;
}
