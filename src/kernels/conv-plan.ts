/**
 * The geometry of convolutions: which taps meet which positions. Going back from an output's gradient to the input, a
 * stride cuts the input's positions into phases; each phase is met by every so many-th tap, and is a convolution of
 * stride 1 of its own.
 */

/** One number for each axis: depth, height, width. */
export type Axes = readonly [number, number, number];

/** What stands behind image and channel in sizes or strides; `missing` for axes in front that are not there. */
export function axesOf(list: readonly number[], missing: number): Axes {
  const rank = list.length - 2;
  return [rank > 2 ? list[2] : missing, rank > 1 ? list[rank] : missing, rank > 0 ? list[rank + 1] : missing];
}

export interface ConvGeometry {
  readonly stride: Axes;
  readonly padding: Axes;
  readonly dilation: Axes;
  readonly groups: number;
}

/** The taps that meet one phase of an axis. */
export interface Taps {
  /** The first position. */
  readonly phase: number;
  /** How many positions: phase, phase + stride, … */
  readonly positions: number;
  /** The first tap, and how many of them, each `every` after the one before. */
  readonly first: number;
  readonly every: number;
  readonly taps: number;
  /** What the first position and the first tap meet; a position on is 1 more, a tap on is `back` less. */
  readonly base: number;
  readonly back: number;
  /** The least and the most of what is met. */
  readonly least: number;
  readonly most: number;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** The phases of an axis of `size` inputs under `taps` taps. */
export function phasesOf(size: number, taps: number, stride: number, padding: number, dilation: number): Taps[] {
  const every = stride / gcd(stride, dilation);
  const back = (every * dilation) / stride;
  const phases: Taps[] = [];
  for (let phase = 0; phase < Math.min(stride, size); phase++) {
    let first = 0;
    while (first < every && (phase + padding - first * dilation) % stride !== 0) first++;
    const count = first < Math.min(every, taps) ? Math.ceil((taps - first) / every) : 0;
    const positions = Math.ceil((size - phase) / stride);
    const base = count === 0 ? 0 : (phase + padding - first * dilation) / stride;
    const least = count === 0 ? 0 : base - (count - 1) * back;
    const most = count === 0 ? 0 : base + positions - 1;
    phases.push({ phase, positions, first, every, taps: count, base, back, least, most });
  }
  return phases;
}
