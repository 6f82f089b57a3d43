/** Curves as SVG: both axes logarithmic, so that a power is a straight line and its steepness the exponent. */
import { importPeer, requirePeer } from '../peers/folder.mjs';
import type { Point } from './growth.ts';

export interface Series {
  name: string;
  points: readonly Point[];
}

/** What is used of @observablehq/plot. */
interface Plot {
  plot(options: object): { setAttribute(name: string, value: string): void; outerHTML: string };
  line(data: object[], options: object): object;
  text(data: readonly object[], options: object): object;
}

export async function svgOf(series: readonly Series[], x: string, y: string): Promise<string> {
  const plot = (await importPeer('@observablehq/plot')) as Plot;
  const { document } = (requirePeer('linkedom') as { parseHTML(text: string): { document: unknown } }).parseHTML(
    '<html>',
  );
  const data = series.flatMap(({ name, points }) => points.map(({ size, value }) => ({ size, value, name })));
  const channels = { x: 'size', y: 'value', z: 'name' };
  const svg = plot.plot({
    document,
    width: 560,
    height: 300,
    marginRight: 110,
    style: { background: 'white', color: '#222' },
    x: { type: 'log', label: `${x} →`, ticks: 6, tickFormat: '~s' },
    y: { type: 'log', label: `↑ ${y}`, grid: true, ticks: 5, tickFormat: '~g' },
    color: { scheme: 'observable10' },
    marks: [
      plot.line(data, { ...channels, stroke: 'name', marker: true }),
      // A legend beside the frame: names at the ends of lines would cover each other.
      ...series.map((one, i) =>
        plot.text([one], {
          text: 'name',
          fill: 'name',
          frameAnchor: 'top-right',
          textAnchor: 'start',
          dx: 10,
          dy: 14 * i,
        }),
      ),
    ],
  });
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return `${svg.outerHTML}\n`;
}
