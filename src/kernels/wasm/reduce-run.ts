/**
 * The loop at the bottom of a reduction: one run of `n` elements, which lie evenly in every operand, combined into a
 * total. In vectors, blocks of a few hundred elements go to several accumulators (so that one addition need not wait
 * for the last), which are folded into the wider total after each block.
 */
import { type Func, type I32, i32, type Local, type V128, type Value } from './emitter.ts';
import {
  type CombineName,
  combineScalars,
  combineVectors,
  fold,
  identityVector,
  lane,
  widen,
} from './reduce-combine.ts';
import { type Compute, lanesOf } from './types.ts';

/** The elements that a run goes through. */
export interface RunElements {
  /** How many vectors a loop's body should take at once. */
  readonly unroll: number;
  /** The values at the current place plus `k` vectors, or their truth masks for `any` and `all`. Absent: one by one. */
  readonly vector?: (k: number) => V128;
  /** The value at the current place, in every lane. */
  readonly single: () => V128;
  /** Moves the current place. */
  readonly advance: (elements: number) => void;
}

export interface RunType {
  readonly combine: CombineName;
  /** What the elements' code gives. */
  readonly value: Compute;
  readonly total: Compute;
}

/** Elements that are combined in the narrow type before they go to the total. A multiple of 4 vectors of any type. */
export const BLOCK = 512;

/** Combines `n` elements into `total`; `n` is used up. */
export function emitRun(f: Func, type: RunType, total: Local, n: Local<'i32'>, elements: RunElements): void {
  const { combine, value } = type;
  const vector = elements.vector;
  if (vector) {
    const lanes = lanesOf(value);
    const step = lanes * elements.unroll;
    const accumulators = Array.from({ length: elements.unroll }, () => f.local('v128'));
    const [only] = accumulators;
    const addFold = () => combineInto(f, type, total, fold(f, combine, value, type.total, only));
    const block = f.local('i32');

    f.while(i32.ge_u(n, step), () => {
      f.set(block, i32.const(BLOCK));
      f.if(i32.lt_u(n, BLOCK), () => f.set(block, i32.and(n, -step)));
      f.set(n, i32.sub(n, block));
      for (const a of accumulators) f.set(a, identityVector(combine, value));
      f.loop((again) => {
        accumulators.forEach((a, k) => {
          combineVectorInto(f, type, a, vector(k));
        });
        elements.advance(step);
        f.set(block, i32.sub(block, step));
        f.brIf(again, block);
      });
      // Neighbours first: the tree stays balanced.
      for (let width = elements.unroll; width > 1; width >>= 1) {
        for (let k = 0; k < width / 2; k++) {
          combineVectorInto(f, type, accumulators[k], accumulators[k + width / 2]);
        }
      }
      addFold();
    });

    if (elements.unroll > 1)
      f.if(i32.ge_u(n, lanes), () => {
        f.set(only, identityVector(combine, value));
        f.loop((again) => {
          combineVectorInto(f, type, only, vector(0));
          elements.advance(lanes);
          f.set(n, i32.sub(n, lanes));
          f.brIf(again, i32.ge_u(n, lanes));
        });
        addFold();
      });
  }
  f.if(n, () => {
    f.loop((again) => {
      combineInto(f, type, total, first(type, f.let(elements.single())));
      elements.advance(1);
      f.set(n, i32.sub(n, 1));
      f.brIf(again, n);
    });
  });
}

/** The first lane as a scalar; a truth value as 0 or 1. */
export function first(type: RunType, vector: V128): Value {
  if (type.combine === 'any' || type.combine === 'all') return i32.and(lane('i32', vector, 0) as I32, 1);
  return lane(type.value, vector, 0);
}

/** total = combine(total, widened value) */
export function combineInto(f: Func, type: RunType, total: Local, value: Value): void {
  const x = f.let(widen(value, type.total) as Value<'i32'>);
  f.set(total, combineScalars(type.combine, type.total, total, x) as I32);
}

function combineVectorInto(f: Func, type: RunType, accumulator: Local<'v128'>, value: V128): void {
  const extreme = type.combine === 'max' || type.combine === 'min';
  f.set(accumulator, combineVectors(type.combine, type.value, accumulator, extreme ? f.let(value) : value));
}
