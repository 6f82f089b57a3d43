/**
 * What a run of the bench gives, as it stands in the JSON file, and how figures are judged: ratios to the peers, targets met
 * or not. Nothing here measures or prints.
 */

/** Who is measured. `javascript`: no native code, as we without BLAS; `native`: other native code than PyTorch's. */
export type Kind = 'ours' | 'pytorch' | 'javascript' | 'native';

export interface Contender {
  /** Unique in a run: `cpu`, `mtia+blas`, `cpu+compile`, `cpu+1thread`, `torch 2.13.0`, `tfjs-wasm 4.22.0`. */
  id: string;
  kind: Kind;
  /** What is done differently from plain `cpu` or `mtia`. */
  variant?: Variant;
  /** With `blas`: which. */
  detail?: string;
}

/** `blas`: with a native BLAS; `compile`: through torch.compile; `1thread`: a single thread. */
export type Variant = 'blas' | 'compile' | '1thread';

export interface Figure {
  contender: string;
  median: number;
  /** Half the interquartile range over the median; null for a single sample. */
  spread: number | null;
  samples: number[];
}

/** What a target compares our figure with. */
export type Against = 'pytorch' | 'javascript' | '1thread' | 'eager';

export interface Target {
  /** Our contenders that it is about; all of them if not given. */
  of?: readonly ('plain' | Variant)[];
  /** A ratio, times faster than what it is against; or a bound of the figure itself. */
  bound: number;
  against?: Against;
}

export interface Result {
  name: string;
  unit: string;
  higherIsBetter: boolean;
  figures: Figure[];
  targets: Target[];
  /** Contenders that could not do it, and why. */
  failures: { contender: string; error: string }[];
  /** The share of the machine's time that other programs took just before or just after, 0 to 1. */
  others: number;
}

export interface Machine {
  cpu: string;
  cores: number;
  memory: number;
  system: string;
  node: string;
}

export interface Run {
  format: 1;
  date: string;
  seconds: number;
  machine: Machine;
  threads: number;
  contenders: Contender[];
  /** Peers and variants that were not there, with the way to get them. */
  missing: string[];
  results: Result[];
}

/**
 * Above that share, figures and even ratios are not to be trusted: threads that wait for each other at barriers, as PyTorch's do,
 * suffer far more from a busy machine than others.
 */
const QUIET = 0.1;

/** The rows that were measured while other programs took part. */
export const disturbed = (results: readonly Result[]): Result[] => results.filter(({ others }) => others > QUIET);

/** The verdict on one of our figures. */
export interface Judgement {
  target: Target;
  /** The ratio or the figure that the target is about; null where what it compares with is missing. */
  value: number | null;
  met: boolean;
}

const better = (result: Result, a: Figure, b: Figure) =>
  result.higherIsBetter ? a.median > b.median : a.median < b.median;

/** The best figure among contenders that pass. */
export function best(
  result: Result,
  contenders: readonly Contender[],
  passes: (contender: Contender) => boolean,
): Figure | null {
  let found: Figure | null = null;
  for (const figure of result.figures) {
    const contender = contenders.find(({ id }) => id === figure.contender);
    if (contender && passes(contender) && (found === null || better(result, figure, found))) found = figure;
  }
  return found;
}

/** How many times as fast (or small) `ours` is as `theirs`: above 1 we win. */
export function ratio(result: Result, ours: Figure, theirs: Figure): number {
  return result.higherIsBetter ? ours.median / theirs.median : theirs.median / ours.median;
}

/** `mtia+blas` is `mtia` done differently. */
export const device = (id: string): string => id.split('+')[0];

function opposite(result: Result, contenders: readonly Contender[], ours: Contender, against: Against): Figure | null {
  if (against === 'pytorch' || against === 'javascript')
    return best(result, contenders, ({ kind }) => kind === against);
  const id = against === 'eager' ? device(ours.id) : `${device(ours.id)}+1thread`;
  return best(result, contenders, (contender) => contender.id === id);
}

/** The targets of a row that are about this contender, and what has become of them. */
export function judge(result: Result, contenders: readonly Contender[], ours: Contender): Judgement[] {
  const figure = result.figures.find(({ contender }) => contender === ours.id);
  if (figure === undefined) return [];
  const targets = result.targets.filter(({ of }) => of === undefined || of.includes(ours.variant ?? 'plain'));
  return targets.map((target) => {
    if (target.against === undefined) {
      const met = result.higherIsBetter ? figure.median >= target.bound : figure.median <= target.bound;
      return { target, value: figure.median, met };
    }
    const other = opposite(result, contenders, ours, target.against);
    // Faster than every JavaScript peer that can run it: where there are some and none can, nothing is left to ask.
    if (other === null) {
      const met = target.against === 'javascript' && contenders.some(({ kind }) => kind === 'javascript');
      return { target, value: null, met };
    }
    const value = ratio(result, figure, other);
    return { target, value, met: value >= target.bound };
  });
}
