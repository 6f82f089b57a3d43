/**
 * What every reduction kernel begins with: the launch words, which piece of the work a unit is, and where that lies.
 *
 * A unit is one result (`reduce-row.ts`) or one strip of neighbouring results (`reduce-columns.ts`), or a fixed part
 * of the elements of that. The parts depend on sizes only, never on the number of threads, and so do the sums.
 *
 * Words, all unsigned; strides and addresses in bytes:
 *
 *     HEAD          see `Word`
 *     inputs        address of each, then the stride of each along the run
 *     scalars       two words each, from the next even word on
 *     kept dims     size, stride of the results, of the indices, of each input; outermost first
 *     run dims      size, stride of each input; outermost first
 */
import { type Func, i32, type Local } from './emitter.ts';

/** Positions of the words at the head. */
export const Word = {
  begin: 0,
  end: 1,
  /** Results, or partial results in the order of the units. */
  out: 2,
  /** Indices of the results (argmax), likewise. 0: none. */
  indices: 3,
  /** How many kept dims and run dims are in the lists. */
  keptDims: 4,
  runDims: 5,
  /** Runs that make up one result. */
  runs: 6,
  /** Elements of a run. */
  length: 7,
  /** A part takes so many elements of a run; so many parts to a run. */
  partLength: 8,
  lengthParts: 9,
  /** … and so many runs; so many parts to all runs. */
  partRuns: 10,
  runParts: 11,
  /** Columns only: results side by side, results in a unit, units side by side. */
  width: 12,
  unitWidth: 13,
  widthUnits: 14,
  /** Columns only: memory for running totals. */
  totals: 15,
} as const;
export const HEAD_WORDS = 16;

/** First word of the scalars. */
export function scalarWord(inputs: number): number {
  return (HEAD_WORDS + 2 * inputs + 1) & ~1;
}
/** First word of the kept dims. */
export function dimsWord(inputs: number, scalars: number): number {
  return scalarWord(inputs) + 2 * scalars;
}

export interface Frame {
  readonly word: (position: number) => Local<'i32'>;
  /** Stride of each input along a run. */
  readonly strides: readonly Local<'i32'>[];
  /** For the unit at hand: */
  readonly unit: Local<'i32'>;
  /** its number without the part over the width; */
  readonly row: Local<'i32'>;
  /** its place among the units side by side; */
  readonly column: Local<'i32'>;
  /** its runs: from, to; */
  readonly firstRun: Local<'i32'>;
  readonly lastRun: Local<'i32'>;
  /** its first element within a run and how many; */
  readonly start: Local<'i32'>;
  readonly count: Local<'i32'>;
  /** where its results go (kept dims only); */
  readonly out: Local<'i32'>;
  readonly indices: Local<'i32'>;
  /** where its elements lie (kept dims and start). */
  readonly bases: readonly Local<'i32'>[];
}

/** For every unit of the launch's range: finds its place, then does `body`. */
export function emitUnits(
  f: Func,
  args: Local<'i32'>,
  inputs: number,
  scalars: number,
  columns: boolean,
  body: (frame: Frame) => void,
): void {
  const head = f.words(args, columns ? HEAD_WORDS : Word.width);
  const word = (position: number) => head[position];
  const addresses = f.words(args, inputs, HEAD_WORDS);
  const strides = f.words(args, inputs, HEAD_WORDS + inputs);
  const local = () => f.local('i32');
  const [unit, row, column, firstRun, lastRun, start, count, out, indices] = Array.from({ length: 9 }, local);
  const bases = addresses.map(local);
  const [rest, dim, coordinate] = [local(), local(), local()];
  const dims = f.let(i32.add(args, dimsWord(inputs, scalars) * 4));
  const split = f.let(i32.gt_u(i32.mul(word(Word.lengthParts), word(Word.runParts)), 1));
  const dimBytes = (3 + inputs) * 4;

  f.for(unit, word(Word.begin), word(Word.end), 1, () => {
    f.set(row, unit);
    if (columns) {
      f.set(column, i32.rem_u(unit, word(Word.widthUnits)));
      f.set(row, i32.div_u(unit, word(Word.widthUnits)));
    }
    f.set(rest, row);
    f.set(firstRun, 0);
    f.set(lastRun, word(Word.runs));
    f.set(start, 0);
    f.set(count, word(Word.length));
    f.if(split, () => {
      f.set(start, i32.mul(i32.rem_u(rest, word(Word.lengthParts)), word(Word.partLength)));
      f.set(count, i32.sub(count, start));
      f.if(i32.gt_u(count, word(Word.partLength)), () => f.set(count, word(Word.partLength)));
      f.set(rest, i32.div_u(rest, word(Word.lengthParts)));
      f.set(firstRun, i32.mul(i32.rem_u(rest, word(Word.runParts)), word(Word.partRuns)));
      f.set(coordinate, i32.add(firstRun, word(Word.partRuns)));
      f.if(i32.lt_u(coordinate, lastRun), () => f.set(lastRun, coordinate));
      f.set(rest, i32.div_u(rest, word(Word.runParts)));
    });

    f.set(out, word(Word.out));
    f.set(indices, word(Word.indices));
    bases.forEach((base, i) => {
      f.set(base, i32.add(addresses[i], i32.mul(start, strides[i])));
    });
    emitCoordinates(f, rest, dim, coordinate, dims, word(Word.keptDims), dimBytes, () => {
      f.inc(out, i32.mul(coordinate, i32.load(dim, 4)));
      f.inc(indices, i32.mul(coordinate, i32.load(dim, 8)));
      bases.forEach((base, i) => {
        f.inc(base, i32.mul(coordinate, i32.load(dim, 12 + 4 * i)));
      });
    });
    body({ word, strides, unit, row, column, firstRun, lastRun, start, count, out, indices, bases });
  });
}

/** Sets `pointers` to where run number `run` of the unit begins. */
export function emitRunPlace(
  f: Func,
  args: Local<'i32'>,
  frame: Frame,
  inputs: number,
  scalars: number,
  run: Local<'i32'>,
  pointers: readonly Local<'i32'>[],
): void {
  const [rest, dim, coordinate] = [f.let(run), f.local('i32'), f.local('i32')];
  const first = f.let(
    i32.add(i32.add(args, dimsWord(inputs, scalars) * 4), i32.mul(frame.word(Word.keptDims), (3 + inputs) * 4)),
  );
  pointers.forEach((pointer, i) => {
    f.set(pointer, frame.bases[i]);
  });
  emitCoordinates(f, rest, dim, coordinate, first, frame.word(Word.runDims), (1 + inputs) * 4, () => {
    pointers.forEach((pointer, i) => {
      f.inc(pointer, i32.mul(coordinate, i32.load(dim, 4 + 4 * i)));
    });
  });
}

/** Splits the number `rest` into coordinates, innermost first; `each` finds its dimension's words at `dim`. */
export function emitCoordinates(
  f: Func,
  rest: Local<'i32'>,
  dim: Local<'i32'>,
  coordinate: Local<'i32'>,
  first: Local<'i32'>,
  dims: Local<'i32'>,
  dimBytes: number,
  each: () => void,
): void {
  const size = f.local('i32');
  f.if(dims, () => {
    f.set(dim, i32.add(first, i32.mul(i32.sub(dims, 1), dimBytes)));
    f.loop((again) => {
      f.if(
        i32.gt_u(dim, first),
        () => {
          f.set(size, i32.load(dim));
          f.set(coordinate, i32.rem_u(rest, size));
          f.set(rest, i32.div_u(rest, size));
        },
        // What is left over is the outermost coordinate.
        () => f.set(coordinate, rest),
      );
      each();
      f.set(dim, i32.sub(dim, dimBytes));
      f.brIf(again, i32.ge_u(dim, first));
    });
  });
}
