/** Line search for the strong Wolfe conditions: a point that is low enough, and where the way is flat enough. Knows numbers only. */

/** A point of the way: how far it is, the value there, what the caller wants back with it, and the slope along the way. */
export interface Point<G> {
  readonly t: number;
  readonly f: number;
  readonly g: G;
  readonly slope: number;
}

export interface SearchLimits {
  /** How often the function may be evaluated, beyond the first time. */
  evaluations: number;
  /** Ends when two points are closer to each other. */
  tolerance: number;
}

/** How much of the slope at the start the values must go down by. */
const ENOUGH = 1e-4;
/** How flat it must have become. */
const FLAT = 0.9;

/** The lowest point of the cubic through two points with their slopes, within bounds; the middle of these if it has none. */
function cubicMinimum(a: Point<unknown>, b: Point<unknown>, least: number, most: number): number {
  const mean = a.slope + b.slope - (3 * (a.f - b.f)) / (a.t - b.t);
  const square = mean ** 2 - a.slope * b.slope;
  if (!(square >= 0)) return (least + most) / 2;
  const root = Math.sqrt(square);
  const [left, right] = a.t <= b.t ? [a, b] : [b, a];
  const lowest = right.t - (right.t - left.t) * ((right.slope + root - mean) / (right.slope - left.slope + 2 * root));
  return Math.min(Math.max(lowest, least), most);
}

/**
 * @param start where the way begins: t = 0
 * @param first how far the first trial is
 * @returns the best point, and how often the function was evaluated
 */
export function strongWolfe<G>(
  evaluate: (t: number) => Point<G>,
  start: Point<G>,
  first: number,
  { evaluations: most, tolerance }: SearchLimits,
): { point: Point<G>; evaluations: number } {
  const tooHigh = (point: Point<G>) => point.f > start.f + ENOUGH * point.t * start.slope;
  const flat = (point: Point<G>) => Math.abs(point.slope) <= -FLAT * start.slope;
  let before = start;
  let now = evaluate(first);
  let trials = 0;
  // Two points with a good one between them.
  let ends: [Point<G>, Point<G>] | null = null;
  while (trials < most) {
    if (tooHigh(now) || (trials > 1 && now.f >= before.f)) ends = [before, now];
    else if (flat(now)) return { point: now, evaluations: trials + 1 };
    else if (now.slope >= 0) ends = [before, now];
    if (ends !== null) break;
    const next = cubicMinimum(before, now, now.t + 0.01 * (now.t - before.t), now.t * 10);
    before = now;
    now = evaluate(next);
    trials++;
  }
  ends ??= [start, now];
  let low: 0 | 1 = ends[0].f <= ends[1].f ? 0 : 1;
  let slow = false;
  while (trials < most && Math.abs(ends[1].t - ends[0].t) >= tolerance) {
    const [left, right] = [Math.min(ends[0].t, ends[1].t), Math.max(ends[0].t, ends[1].t)];
    let t = cubicMinimum(ends[0], ends[1], left, right);
    // Too near to an end, and not for the first time: a tenth of the way from it.
    const margin = 0.1 * (right - left);
    if (Math.min(right - t, t - left) < margin) {
      if (slow || t >= right || t <= left) {
        t = Math.abs(t - right) < Math.abs(t - left) ? right - margin : left + margin;
        slow = false;
      } else slow = true;
    } else slow = false;
    now = evaluate(t);
    trials++;
    const high = low === 0 ? 1 : 0;
    if (tooHigh(now) || now.f >= ends[low].f) {
      ends[high] = now;
      low = ends[0].f <= ends[1].f ? 0 : 1;
    } else {
      const done = flat(now);
      if (!done && now.slope * (ends[high].t - ends[low].t) >= 0) ends[high] = ends[low];
      ends[low] = now;
      if (done) break;
    }
  }
  return { point: ends[low], evaluations: trials + 1 };
}
