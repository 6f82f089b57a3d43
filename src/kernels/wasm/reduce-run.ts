/**
 * The loop at the bottom of a reduction: one run of `n` elements, which lie evenly in every operand, combined into a
 * total. In vectors, blocks of a few hundred elements go to several accumulators (so that one addition need not wait
 * for the last), which are folded into the wider total after each block.
 */
import { f64, type Func, type I32, i32, type Local, type V128, type Value } from './emitter.ts';
import {
  type CombineName,
  combineScalars,
  combineVectors,
  fold,
  identityVector,
  lane,
  truthOf,
  widen,
} from './reduce-combine.ts';
import { type Compute, lanesOf } from './types.ts';

/** The elements that a run goes through; one or more values are made of each. */
export interface RunElements {
  /** How many vectors a loop's body should take at once: a power of two. */
  readonly unroll: number;
  /** The values at the current place plus `k` vectors, or their truth masks for `any` and `all`. Absent: one by one. */
  readonly vector?: (k: number) => V128[];
  /** The values at the current place, each in every lane. */
  readonly single: () => V128[];
  /** Moves the current place. */
  readonly advance: (elements: number) => void;
}

/** How one of the values is combined over a run. */
export interface RunType {
  readonly combine: CombineName;
  /** What the elements' code gives. */
  readonly value: Compute;
  /** What longer runs are combined in: the type of the local. */
  readonly type: Compute;
  readonly total: Local;
}

/** Elements that are combined in the narrow type before they go to the totals. A multiple of 4 vectors of any type. */
export const BLOCK = 512;

/** Combines `n` elements into the totals; `n` is used up. All values are of the same type. */
export function emitRun(f: Func, runs: readonly RunType[], n: Local<'i32'>, elements: RunElements): void {
  const { vector, unroll, advance } = elements;
  // There is nothing wider than float64: what its totals lose in rounding is kept beside them until the end.
  const lost = runs.map(({ combine, value }) =>
    vector && combine === 'sum' && value === 'f64' ? f.let(f64.const(0)) : null,
  );
  if (vector) {
    const lanes = lanesOf(runs[0].value);
    const accumulators = runs.map(() => Array.from({ length: unroll }, () => f.local('v128')));
    const clear = (count: number) => {
      runs.forEach(({ combine, value }, r) => {
        for (const a of accumulators[r].slice(0, count)) f.set(a, identityVector(combine, value));
      });
    };
    const accumulate = (count: number) => {
      for (let k = 0; k < count; k++) {
        vector(k).forEach((x, r) => {
          combineVectorInto(f, runs[r], accumulators[r][k], x);
        });
      }
      advance(lanes * count);
    };
    const addToTotals = (count: number) => {
      runs.forEach((run, r) => {
        // Neighbours first: the tree stays balanced.
        for (let width = count; width > 1; width >>= 1) {
          for (let k = 0; k < width / 2; k++) {
            combineVectorInto(f, run, accumulators[r][k], accumulators[r][k + width / 2]);
          }
        }
        const part = f.let(fold(f, run.combine, run.value, run.type, accumulators[r][0]) as I32);
        const rest = lost[r];
        if (rest) emitExactSum(f, run.total as Local<'f64'>, rest, part as Local as Local<'f64'>);
        else combineInto(f, run, part);
      });
      if (runs.length === 1 && runs[0].combine === 'any') f.if(truthOf(runs[0].total), () => f.set(n, 0));
      if (runs.length === 1 && runs[0].combine === 'all') f.if(i32.eqz(truthOf(runs[0].total)), () => f.set(n, 0));
    };

    const step = lanes * unroll;
    const block = f.local('i32');
    f.while(i32.ge_u(n, step), () => {
      f.set(block, BLOCK);
      f.if(i32.lt_u(n, BLOCK), () => f.set(block, i32.and(n, -step)));
      f.set(n, i32.sub(n, block));
      clear(unroll);
      f.loop((again) => {
        accumulate(unroll);
        f.set(block, i32.sub(block, step));
        f.brIf(again, block);
      });
      addToTotals(unroll);
    });
    if (unroll > 1) {
      f.if(i32.ge_u(n, lanes), () => {
        clear(1);
        f.loop((again) => {
          accumulate(1);
          f.set(n, i32.sub(n, lanes));
          f.brIf(again, i32.ge_u(n, lanes));
        });
        addToTotals(1);
      });
    }
  }
  f.while(n, () => {
    elements.single().forEach((x, r) => {
      combineInto(f, runs[r], first(runs[r], f.let(x)));
    });
    advance(1);
    f.set(n, i32.sub(n, 1));
  });
  lost.forEach((rest, r) => {
    const total = runs[r].total as Local<'f64'>;
    // Beside an infinite total it is NaN.
    if (rest) f.if(f64.eq(rest, rest), () => f.set(total, f64.add(total, rest)));
  });
}

/** total += part, and what that rounds off is added to `rest`. */
function emitExactSum(f: Func, total: Local<'f64'>, rest: Local<'f64'>, part: Local<'f64'>): void {
  const before = f.let(total);
  f.set(total, f64.add(before, part));
  const added = f.let(f64.sub(total, before));
  const error = f64.add(f64.sub(before, f64.sub(total, added)), f64.sub(part, added));
  f.set(rest, f64.add(rest, error));
}

/** The first lane as a scalar; a truth value as 0 or 1. */
export function first(type: Pick<RunType, 'combine' | 'value'>, vector: V128): Value {
  if (type.combine === 'any' || type.combine === 'all') return i32.and(lane('i32', vector, 0) as I32, 1);
  return lane(type.value, vector, 0);
}

/** total = combine(total, widened value) */
function combineInto(f: Func, { combine, type, total }: RunType, value: Value): void {
  const x = f.let(widen(value, type) as I32);
  f.set(total, combineScalars(combine, type, total, x) as I32);
}

function combineVectorInto(f: Func, { combine, value }: RunType, accumulator: Local<'v128'>, x: V128): void {
  const extreme = combine === 'max' || combine === 'min';
  f.set(accumulator, combineVectors(combine, value, accumulator, extreme ? f.let(x) : x));
}
