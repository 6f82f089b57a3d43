/**
 * Measures rows. Samples are taken in turn (each contender one, then again), so that what else the machine does hits all alike,
 * with a pause before each: threads spin for a while after work, before they sleep.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { bundleSizes } from './bundle.ts';
import { othersShare } from './machine.ts';
import { type Figures, runScript } from './parts/script.ts';
import type { Field, Found } from './peers/find.ts';
import { Lacking } from './peers/process.ts';
import type { Request } from './peers/protocol.ts';
import type { Figure, Result } from './results.ts';
import type { BundleRow, CaseRow, FirstResultRow, PartRow, PeakRow, Row } from './rows/row.ts';
import { median, spread } from './statistics.ts';

export interface Options {
  samples: number;
  threads: number;
}

const SETTLE = 25;
/** Seconds that a sample should take, and that warming up takes before. */
const SAMPLE = 0.04;
const WARM = 0.25;
/** A single step longer than this is not repeated: its only sample is the figure. Steps longer than LONG are repeated less. */
const SLOW = 2;
const LONG = 0.25;
const LOSS_TOLERANCE = 1e-4;

const figure = (contender: string, samples: number[]): Figure => ({
  contender,
  median: median(samples),
  spread: spread(samples),
  samples,
});

interface Timed {
  contender: Found;
  request: Partial<Request> & Pick<Request, 'do'>;
  repeat: number;
  seconds: number[];
}

async function seconds({ contender, request, repeat }: Timed): Promise<number> {
  const answer = await contender.peer.ask({ ...request, repeat });
  return answer.seconds! / repeat;
}

/** Warms up: kernels compiled, code optimised, caches filled. Finds out how often a step fits into a sample. */
async function warm(timed: Timed): Promise<void> {
  // What is prepared, and made ready at the first step, counts for nobody.
  const first = await seconds(timed);
  if (first > SLOW) {
    timed.seconds.push(first);
    return;
  }
  const start = performance.now();
  let step = first;
  do {
    timed.repeat = Math.max(1, Math.min(100_000, Math.round(SAMPLE / step), 4 * timed.repeat));
    step = await seconds(timed);
  } while (performance.now() - start < 1000 * WARM || (timed.repeat * step < SAMPLE / 2 && timed.repeat < 100_000));
  timed.repeat = Math.max(1, Math.min(100_000, Math.round(SAMPLE / step)));
}

/** Throws when the losses of `losses` steps from the same weights are not the reference's. */
async function checkLosses(row: CaseRow, { peer, request }: Found, threads: number, reference: number[] | null) {
  const { losses } = await peer.ask({
    do: 'losses',
    case: row.case,
    args: row.args,
    threads,
    ...request,
    repeat: row.losses,
  });
  losses!.forEach((loss, i) => {
    const expected = reference?.[i] ?? loss;
    if (!(Math.abs(loss - expected) <= LOSS_TOLERANCE * Math.abs(expected)))
      throw new Error(`does other arithmetic: loss ${loss} in step ${i + 1}, where others have ${expected}`);
  });
  return losses!;
}

async function measureCase(row: CaseRow, { found }: Field, { samples, threads }: Options): Promise<Result> {
  const result = empty(row, row.unit, row.flops !== undefined);
  const fail = (contender: string, error: unknown) =>
    result.failures.push({ contender, error: (error as Error).message.split('\n')[0] });
  const running: Timed[] = [];
  let reference: number[] | null = null;
  for (const contender of found) {
    if (contender.variant !== undefined && !row.variants?.includes(contender.variant)) continue;
    if (!contender.cases.has(row.case)) continue;
    const request = { do: 'time' as const, case: row.case, args: row.args, threads, ...contender.request };
    const timed: Timed = { contender, request, repeat: 1, seconds: [] };
    try {
      if (row.losses !== undefined) reference = await checkLosses(row, contender, threads, reference);
      await warm(timed);
      running.push(timed);
    } catch (error) {
      if (!(error instanceof Lacking)) fail(contender.id, error);
    }
  }
  for (let i = 0; i < samples; i++) {
    for (const timed of running) {
      if (timed.seconds.length > i) continue;
      if (timed.seconds.some((value) => value > SLOW)) continue;
      if (i >= samples / 2 && timed.seconds[0] > LONG) continue;
      await setTimeout(SETTLE);
      timed.seconds.push(await seconds(timed));
    }
  }
  for (const { contender, seconds: steps } of running) {
    const scale = row.unit === 'ms' ? 1e3 : 1e6;
    const values = steps.map((step) => (row.flops === undefined ? step * scale : row.flops / step / 1e9));
    result.figures.push(figure(contender.id, values));
  }
  for (const peer of new Set(found.map((contender) => contender.peer))) await peer.ask({ do: 'forget' });
  return result;
}

const empty = ({ name, targets }: Row, unit: string, higherIsBetter = false): Result => ({
  name,
  unit,
  higherIsBetter,
  figures: [],
  targets,
  failures: [],
  others: 0,
});

async function measurePeak(row: PeakRow, { found }: Field, { threads }: Options): Promise<Result> {
  const result = empty(row, '×');
  for (const { id, peer, variant } of found) {
    if (id !== 'mtia' || variant !== undefined) continue;
    const bytes: number[] = [];
    for (const args of row.args) {
      await peer.ask({ do: 'forget' });
      bytes.push((await peer.ask({ do: 'peak', case: row.case, args, threads, repeat: 2 })).bytes!);
    }
    await peer.ask({ do: 'forget' });
    result.figures.push(figure(id, [bytes[1] / bytes[0]]));
  }
  return result;
}

function measureFirstResult(row: FirstResultRow, { found }: Field, { samples }: Options): Result {
  const result = empty(row, 'ms');
  const starting = found.filter(({ firstResult }) => firstResult !== null);
  const taken = new Map(starting.map(({ id }): [string, number[]] => [id, []]));
  for (let i = 0; i < Math.ceil(samples / 2); i++) {
    for (const { id, firstResult } of starting) {
      taken.get(id)!.push(Number(execFileSync(firstResult!.program, firstResult!.args, { encoding: 'utf8' })));
    }
  }
  for (const [id, milliseconds] of taken) result.figures.push(figure(id, milliseconds));
  return result;
}

async function measureBundle(row: BundleRow, { found }: Field): Promise<Result> {
  const result = empty(row, 'KB');
  const { ours, peers } = await bundleSizes();
  result.figures.push(figure('cpu', [ours]));
  for (const [name, size] of peers) {
    const peer = found.find(({ id }) => id.startsWith(`${name} `));
    if (peer !== undefined) result.figures.push(figure(peer.id, [size]));
  }
  return result;
}

/** Each script once for all of its rows. */
const figuresOf = new Map<string, Figures>();

function measurePart(row: PartRow): Result {
  const key = [row.script, ...(row.args ?? [])].join(' ');
  let figures = figuresOf.get(key);
  if (figures === undefined) figuresOf.set(key, (figures = runScript(row.script, row.args)));
  const result = empty(row, row.unit, row.higherIsBetter);
  result.figures.push(figure('mtia', [figures[row.figure]]));
  return result;
}

export async function measure(row: Row, field: Field, options: Options): Promise<Result> {
  const before = await othersShare();
  const result = await measureRow(row, field, options);
  return { ...result, others: Math.max(before, await othersShare()) };
}

async function measureRow(row: Row, field: Field, options: Options): Promise<Result> {
  switch (row.kind) {
    case 'case':
      return measureCase(row, field, options);
    case 'peak':
      return measurePeak(row, field, options);
    case 'first result':
      return measureFirstResult(row, field, options);
    case 'bundle':
      return measureBundle(row, field);
    case 'part':
      return measurePart(row);
  }
}
