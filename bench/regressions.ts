/**
 * Two runs compared: which of our figures got worse, or better, by more than noise. The machine may have been busier in one of
 * them, so ratios to a peer that both measured are compared where there is one: the peer felt the same.
 */
import { type Contender, disturbed, type Figure, type Result, type Run } from './results.ts';

/** A change below that is no change, however little the samples lie apart. */
const LEAST = 0.05;
/** How many spreads of both runs together are noise. */
const SPREADS = 3;
/** The spread that single samples are taken to have. */
const UNKNOWN = 0.08;

export interface Change {
  name: string;
  contender: string;
  /** The peer whose figures the change is relative to. */
  peer: string | null;
  before: number;
  now: number;
  unit: string;
  /** 0.2: a fifth slower; -0.1: a tenth faster. */
  worse: number;
  /** What would have passed for noise. */
  noise: number;
  /** `disturbed`: other programs took part in one of the runs, so nothing can be said. */
  verdict: 'regression' | 'improvement' | 'same' | 'disturbed';
}

const figureOf = (result: Result, id: string): Figure | undefined =>
  result.figures.find(({ contender }) => contender === id);

/** The peer of both runs with the steadiest figures on this row. */
function commonPeer(before: Result, now: Result, contenders: readonly Contender[]): string | null {
  let found: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const { id, kind } of contenders) {
    const [a, b] = [figureOf(before, id), figureOf(now, id)];
    if (kind === 'ours' || !a || !b) continue;
    const together = (a.spread ?? UNKNOWN) + (b.spread ?? UNKNOWN);
    if (together < least) [found, least] = [id, together];
  }
  return found;
}

/** A thing twice as slow is as far off as one twice as fast. */
function verdictOn(worse: number, noise: number): Change['verdict'] {
  if (worse > noise) return 'regression';
  return 1 / (1 + worse) - 1 > noise ? 'improvement' : 'same';
}

function change(before: Result, now: Result, contender: string, peer: string | null): Change {
  const figures = [figureOf(before, contender)!, figureOf(now, contender)!];
  let worse = figures[1].median / figures[0].median;
  if (peer !== null) {
    const peers = [figureOf(before, peer)!, figureOf(now, peer)!];
    worse /= peers[1].median / peers[0].median;
    figures.push(...peers);
  }
  worse = now.higherIsBetter ? 1 / worse - 1 : worse - 1;
  // Independent errors add up as squares.
  const noise = Math.max(LEAST, SPREADS * Math.hypot(...figures.map(({ spread }) => spread ?? UNKNOWN)));
  return {
    name: now.name,
    contender,
    peer,
    before: figures[0].median,
    now: figures[1].median,
    unit: now.unit,
    worse,
    noise,
    verdict: disturbed([before, now]).length > 0 ? 'disturbed' : verdictOn(worse, noise),
  };
}

/** Every one of our figures that both runs have; the worst change first. */
export function compareRuns(before: Run, now: Run): Change[] {
  const changes: Change[] = [];
  const ours = now.contenders.filter(({ kind }) => kind === 'ours');
  for (const result of now.results) {
    const old = before.results.find(({ name }) => name === result.name);
    if (old === undefined || old.unit !== result.unit) continue;
    const peer = commonPeer(old, result, now.contenders);
    for (const { id } of ours) {
      if (figureOf(old, id) && figureOf(result, id)) changes.push(change(old, result, id, peer));
    }
  }
  return changes.sort((a, b) => b.worse - a.worse);
}
