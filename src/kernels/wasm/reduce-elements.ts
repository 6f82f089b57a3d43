/**
 * What a reduction's code is made for, how it reads its elements and how it writes its results.
 */
import type { DType } from '../../core/dtype.ts';
import type { Expr } from '../expr.ts';
import {
  type ElementKind,
  Evaluator,
  type Leaf,
  loadScalars,
  loadVector,
  splat,
  storeFirst,
  storeVector,
} from './elements.ts';
import { f32, f64, type Func, type I32, i32, i64, type Local, type V128, type Value, v128 } from './emitter.ts';
import { type CombineName, identityVector, narrow, truthOf } from './reduce-combine.ts';
import { scalarWord } from './reduce-frame.ts';
import type { RunElements } from './reduce-run.ts';
import { type Compute, computeType, lanesOf, loadSplat } from './types.ts';

export type ReduceCombine = CombineName | 'argmax' | 'argmin';

export interface ReduceResult {
  readonly finalize?: Expr;
  /** What `finalize` computes in. */
  readonly compute: DType;
  readonly output: DType;
}

/** One variant of a reduction. */
export interface ReduceCode {
  readonly combine: ReduceCombine;
  readonly expr: Expr;
  readonly inputs: readonly DType[];
  /** How each input lies along the vectors. */
  readonly kinds: readonly ElementKind[];
  /** What `expr` computes in. */
  readonly compute: Compute;
  /** What longer runs are combined in. */
  readonly total: Compute;
  readonly scalars: number;
  /** argmax over parts: the last input holds the positions of the values in the first. */
  readonly positions: boolean;
  /** Totals as they are, in the order of the units, or results. */
  readonly result: ReduceResult | 'partial';
}

export function isTruthCombine(combine: ReduceCombine): boolean {
  return combine === 'any' || combine === 'all';
}

/** What the code of a kernel shares: the scalars in their lanes, and a place for faults. */
export class ReduceContext {
  readonly evaluator: Evaluator;
  readonly finalizer: Evaluator | undefined;

  constructor(
    readonly f: Func,
    args: Local<'i32'>,
    readonly code: ReduceCode,
    readonly fault: Local<'i32'>,
  ) {
    const { compute, inputs, scalars, result } = code;
    const load = (type: Compute) => loadScalars(f, args, scalarWord(inputs.length), scalars, type);
    const own = load(compute);
    this.evaluator = new Evaluator(f, compute, own, fault);
    if (result !== 'partial' && result.finalize) {
      const type = computeType(result.compute);
      this.finalizer = new Evaluator(f, type, type === compute ? own : load(type), fault);
    }
  }

  /** The elements at the pointers. */
  elements(pointers: readonly Local<'i32'>[], strides: readonly Local<'i32'>[]): RunElements {
    const { f, evaluator } = this;
    const { inputs, kinds, compute, combine, expr, positions } = this.code;
    const lanes = lanesOf(compute);
    const sources = inputs.map((dtype, i) => ({ dtype, kind: kinds[i], pointer: pointers[i], stride: strides[i] }));
    const evaluate = (leaf: (i: number) => Leaf) => [
      isTruthCombine(combine) ? evaluator.truth(expr, leaf, true) : evaluator.value(expr, leaf, true),
    ];
    return {
      unroll: kinds.includes('strided') ? 1 : 4,
      vector: positions
        ? undefined
        : (k) => evaluate((i) => ({ dtype: inputs[i], packed: loadVector(f, sources[i], lanes, k) })),
      single: () => evaluate((i) => ({ dtype: inputs[i], packed: loadSplat(inputs[i], lanes, pointers[i]) })),
      advance: (elements) => {
        pointers.forEach((p, i) => {
          if (kinds[i] === 'unit') f.inc(p, elements * inputs[i].itemsize);
          else if (kinds[i] === 'strided') f.inc(p, elements === 1 ? strides[i] : i32.mul(strides[i], elements));
        });
      },
    };
  }

  /** Makes a result of a total and stores it. */
  storeResult(at: I32, total: Local): void {
    const { f, code } = this;
    if (code.result === 'partial') throw new Error('partial results are stored as they are');
    const type = computeType(code.result.compute);
    const x = isTruthCombine(code.combine) ? fromTruth(type, truthOf(total)) : narrow(total, type);
    storeFirst(f, type, code.result.output, at, this.finalized(splat(type, x)));
  }

  /** Makes results of accumulators as wide as the computation, and stores them from element `k` vectors on. */
  storeResults(at: I32, accumulator: V128, k: number): void {
    const { f, code } = this;
    if (code.result === 'partial') throw new Error('partial results are stored as they are');
    const x = isTruthCombine(code.combine) ? v128.and(accumulator, identityVector('prod', code.compute)) : accumulator;
    storeVector(f, code.compute, code.result.output, at, this.finalized(x), k);
  }

  private finalized(x: V128): V128 {
    const { f, code, finalizer } = this;
    if (!finalizer || code.result === 'partial') return x;
    const value = f.let(x);
    return finalizer.value(code.result.finalize as Expr, () => ({ value }), false);
  }
}

function fromTruth(type: Compute, truth: I32): Value {
  if (type === 'f32') return f32.convert_i32_s(truth);
  if (type === 'f64') return f64.convert_i32_s(truth);
  return type === 'i64' ? i64.extend_i32_s(truth) : truth;
}
