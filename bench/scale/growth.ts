/** How fast a curve grows: its exponent. */

export interface Point {
  size: number;
  value: number;
}

/** More than that above what is needed is reported; below it is noise, or caches that no longer hold the data. */
const TOLERANCE = 0.3;

/** The power of the size that the value grows with over the last doublings (at least a factor of four): a slope of logarithms. */
export function exponent(points: readonly Point[]): number {
  if (points.length < 2) throw new RangeError('a single point does not grow');
  const last = points[points.length - 1];
  let from = points.length - 2;
  while (from > 0 && last.size / points[from].size < 4) from--;
  return Math.log(last.value / points[from].value) / Math.log(last.size / points[from].size);
}

export const growsTooFast = (points: readonly Point[], needed: number): boolean =>
  exponent(points) > needed + TOLERANCE;
