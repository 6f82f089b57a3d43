/**
 * `mtia memory diff BEFORE AFTER`: what grew, by the place that allocated it.
 */
import { diffSnapshots, type SnapshotDiff } from '../../memory/snapshot/index.ts';
import { UsageError } from '../style.ts';
import { openSnapshot, shown } from './files.ts';
import { bytes, change, colors, lines, number, place, plural, print, printJson, table } from './output.ts';

export interface DiffOptions {
  device?: number;
  depth?: number;
  top: number;
  json?: boolean;
}

export async function diff(before: string, after: string, options: DiffOptions): Promise<void> {
  const { device, depth } = options;
  if (before === '-' && after === '-') throw new UsageError('both snapshots cannot come from the standard input.');
  const result = diffSnapshots(await openSnapshot(before), await openSnapshot(after), { device, depth });
  if (options.json) printJson({ before, after, ...diffData(result, options.top) });
  else print(diffText(before, after, result, options.top));
}

function diffData(result: SnapshotDiff, top: number) {
  const { before, after, sites, onlyBefore, onlyAfter } = result;
  return { totals: { before, after }, changed: sites.length, sites: extremes(result, top), onlyBefore, onlyAfter };
}

/** What grew most and what shrank most, as many of both as there is room for. */
function extremes({ sites }: SnapshotDiff, top: number): SnapshotDiff['sites'] {
  if (sites.length <= top) return sites;
  const shrunk = sites.filter(({ bytes }) => bytes < 0).length;
  const last = Math.min(shrunk, Math.floor(top / 2));
  const first = Math.min(sites.length - shrunk, top - last);
  return [...sites.slice(0, first), ...sites.slice(sites.length - (top - first))];
}

function diffText(before: string, after: string, result: SnapshotDiff, top: number): string {
  const paint = colors();
  const { before: was, after: is, sites } = result;
  const row = (label: string, from: string, to: string, by: string): [string, string] => [
    label,
    `${from} → ${to} (${by})`,
  ];
  const segments = is.segments - was.segments;
  const parts = [
    paint.bold(`From ${shown(before)} to ${shown(after)}`),
    lines([
      row('allocated', bytes(was.allocated), bytes(is.allocated), change(is.allocated - was.allocated)),
      row('reserved', bytes(was.reserved), bytes(is.reserved), change(is.reserved - was.reserved)),
      row('segments', number(was.segments), number(is.segments), `${segments < 0 ? '' : '+'}${number(segments)}`),
    ]),
  ];
  if (sites.length === 0) return `${[...parts, '', 'No place holds more or less than before.'].join('\n')}\n`;
  const shown_ = extremes(result, top);
  const rows = shown_.map(({ bytes: by, before, after, frames }) => [
    change(by),
    bytes(before.bytes),
    bytes(after.bytes),
    `${number(before.count)} → ${number(after.count)}`,
    place(frames),
  ]);
  const text = table(
    [
      ['Change', 13],
      ['Before', 11],
      ['After', 11],
      ['Blocks', 15],
      ['Where', null],
    ],
    rows,
  );
  parts.push('', text);
  if (shown_.length < sites.length)
    parts.push(`  ${plural(sites.length - shown_.length, 'more place')} changed less (--top shows more).`);
  return `${parts.join('\n')}\n`;
}
