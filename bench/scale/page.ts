/** docs/scale.md, made of measured curves. */
import type { Machine } from '../results.ts';
import { show } from '../table.ts';
import { exponent, growsTooFast } from './growth.ts';
import type { Series } from './plot.ts';

export interface Measured {
  title: string;
  of: string;
  what: string;
  /** The power of the size that it need not exceed. */
  needed: number;
  series: (Series & { points: { size: number; value: number }[] })[];
}

export interface Circumstances {
  machine: Machine;
  threads: number;
  seconds: number;
  date: string;
  /** The share of the machine's time that other programs took, at the most. */
  others: number;
}

export interface Page {
  text: string;
  plots: { file: string; curve: Measured }[];
}

const fileOf = ({ title, what }: Measured): string =>
  `${`${title} ${what}`.toLowerCase().replace(/[^a-z]+/g, '-')}.svg`;

const ours = (name: string) => !name.startsWith('torch ');

function verdict(curve: Measured): string {
  const fast = curve.series.filter(({ name, points }) => ours(name) && growsTooFast(points, curve.needed));
  return fast.length === 0 ? '' : ` **${fast.map(({ name }) => name).join(', ')}: faster than need be.**`;
}

function section(curve: Measured): string {
  const sizes = curve.series[0].points.map(({ size }) => size);
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const lines = curve.series.map(({ name, points }) =>
    row([name, ...points.map(({ value }) => show(value)), exponent(points).toFixed(2)]),
  );
  return [
    `### ${curve.title}: ${curve.what}`,
    `![${curve.what} by ${curve.of}](scale/${fileOf(curve)})`,
    [
      row([curve.of, ...sizes.map(String), 'exponent']),
      row(['---', ...sizes.map(() => '---:'), '---:']),
      ...lines,
    ].join('\n'),
    `Needed: size to the power of ${curve.needed} at most.${verdict(curve)}`,
  ].join('\n\n');
}

export function scalePage(
  curves: readonly Measured[],
  { machine, threads, seconds, date, others }: Circumstances,
): Page {
  const tooFast = curves.filter((curve) => verdict(curve) !== '');
  const text = [
    '# Scale',
    'How time and memory grow with size. Made by `npm run bench:scale`; both axes of the plots are logarithmic, so a power is a straight line, and the exponent is its steepness at the end.',
    `${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node.js ${machine.node}, ${threads} threads, ${date.slice(0, 10)}, ${Math.round(seconds / 60)} minutes${others > 0.1 ? `. **Other programs took up to ${Math.round(100 * others)} % of the machine: the times are only a first impression**` : ''}. Memory is what torch.mtia accounts at the peak.`,
    tooFast.length === 0
      ? 'Nothing grows faster than it need.'
      : `Faster than need be: ${tooFast.map(({ title, what }) => `${title} (${what})`).join('; ')}.`,
    ...curves.map(section),
  ].join('\n\n');
  return { text: `${text}\n`, plots: curves.map((curve) => ({ file: fileOf(curve), curve })) };
}
