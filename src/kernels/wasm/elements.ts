/**
 * Elements of several operands at a time, and expressions over them: what loops of reductions and rows are made of.
 * Each operand has a pointer that the loop moves; a vector's elements lie side by side there, or apart, or are one
 * element for all lanes.
 */
import type { DType } from '../../core/dtype.ts';
import type { Expr } from '../expr.ts';
import {
  f32,
  f32x4,
  f64,
  f64x2,
  type Func,
  type I32,
  i32,
  i32x4,
  i64,
  i64x2,
  type Local,
  type Statement,
  type V128,
  type Value,
} from './emitter.ts';
import { Renderer } from './render.ts';
import {
  type Compute,
  computeType,
  lanesOf,
  loadElement,
  loadPacked,
  loadSplat,
  type Packed,
  pack,
  storeElement,
  storePacked,
  unpack,
  unpackTruth,
} from './types.ts';

/** How an operand's elements lie in the direction of the vectors. */
export type ElementKind = 'zero' | 'unit' | 'strided';

export interface Source {
  readonly dtype: DType;
  readonly kind: ElementKind;
  readonly pointer: Local<'i32'>;
  /** In bytes; needed where elements are strided. */
  readonly stride?: Local<'i32'>;
}

/** The scalars of a launch, each in all lanes. Two words each: a float64, or an int64 where integers are computed. */
export function loadScalars(f: Func, args: I32, firstWord: number, count: number, compute: Compute): Local<'v128'>[] {
  return Array.from({ length: count }, (_, k) => {
    const at = (firstWord + 2 * k) * 4;
    if (compute === 'f32') return f.let(f32x4.splat(f32.demote_f64(f64.load(args, at))));
    if (compute === 'f64') return f.let(f64x2.splat(f64.load(args, at)));
    return f.let(compute === 'i32' ? i32x4.splat(i32.load(args, at)) : i64x2.splat(i64.load(args, at)));
  });
}

/** The elements of vector number `k` from the pointer on. */
export function loadVector(f: Func, source: Source, lanes: number, k: number): Packed {
  const { dtype, kind, pointer, stride } = source;
  if (kind === 'zero') return loadSplat(dtype, lanes, pointer);
  if (kind === 'unit') return loadPacked(dtype, lanes, pointer, k * lanes * dtype.itemsize);
  const step = stride as Local<'i32'>;
  const packed = Array.from({ length: Math.ceil((lanes * dtype.itemsize) / 16) }, () => f.local('v128'));
  const at = f.let(k === 0 ? pointer : i32.add(pointer, i32.mul(step, k * lanes)));
  for (let lane = 0; lane < lanes; lane++) {
    if (lane > 0) f.inc(at, step);
    loadElement(f, dtype, packed, lane, at);
  }
  return packed;
}

/** An expression's value over operands; `packed` gives the elements of an operand. */
export class Evaluator {
  /** Whether an expression is known to be at most 0 (or NaN). */
  atMostZero: (expr: Expr) => boolean = () => false;

  constructor(
    private readonly f: Func,
    readonly compute: Compute,
    private readonly scalars: readonly V128[],
    private readonly fault: Local<'i32'> | undefined,
  ) {}

  /** In the compute type. `inline`: for the body of a loop. */
  value(expr: Expr, leaf: (i: number) => Leaf, inline: boolean): V128 {
    return this.renderer([expr], leaf, inline).value(expr);
  }

  /** Several values of the same operands; what they share is computed once. */
  values(exprs: readonly Expr[], leaf: (i: number) => Leaf, inline: boolean): V128[] {
    const renderer = this.renderer(exprs, leaf, inline);
    return exprs.map((expr) => this.f.let(renderer.value(expr)));
  }

  /** As a lane mask. */
  truth(expr: Expr, leaf: (i: number) => Leaf, inline: boolean): V128 {
    return this.renderer([expr], leaf, inline).truth(expr);
  }

  private renderer(exprs: readonly Expr[], leaf: (i: number) => Leaf, inline: boolean): Renderer {
    const { f, compute, scalars, fault } = this;
    const read = new Map<number, Leaf>();
    const values = new Map<number, V128>();
    const truths = new Map<number, V128>();
    const get = (i: number) => {
      let found = read.get(i);
      if (!found) read.set(i, (found = leaf(i)));
      return found;
    };
    const once = (map: Map<number, V128>, i: number, make: () => V128): V128 => {
      let found = map.get(i);
      if (!found) map.set(i, (found = f.let(make())));
      return found;
    };
    const renderer = new Renderer(
      f,
      compute,
      {
        input: (i) => {
          const x = get(i);
          return 'value' in x ? x.value : once(values, i, () => unpack(f, x.dtype, compute, x.packed));
        },
        raw: (i) =>
          once(truths, i, () => {
            const x = get(i);
            return 'value' in x ? notZero(compute, x.value) : unpackTruth(f, x.dtype, lanesOf(compute), x.packed);
          }),
        scalar: (i) => scalars[i],
      },
      { inline, fault, atMostZero: this.atMostZero },
    );
    renderer.prepare(exprs);
    return renderer;
  }
}

/** An operand's elements as they lie in memory, or a value of the compute type. */
export type Leaf = { readonly dtype: DType; readonly packed: Packed } | { readonly value: V128 };

function notZero(compute: Compute, x: V128): V128 {
  if (compute === 'f32') return f32x4.ne(x, 0);
  if (compute === 'f64') return f64x2.ne(x, 0);
  return compute === 'i32' ? i32x4.ne(x, 0) : i64x2.ne(x, 0);
}

/** A scalar of the compute type in all lanes. */
export function splat(compute: Compute, x: Value): V128 {
  if (compute === 'f32') return f32x4.splat(x as Value<'f32'>);
  if (compute === 'f64') return f64x2.splat(x as Value<'f64'>);
  return compute === 'i32' ? i32x4.splat(x as I32) : i64x2.splat(x as Value<'i64'>);
}

/** Stores as many elements as a vector has lanes. */
export function storeVector(f: Func, compute: Compute, dtype: DType, at: I32, value: V128, k = 0): void {
  const lanes = lanesOf(compute);
  for (const s of storePacked(dtype, lanes, at, locals(f, pack(f, compute, dtype, value)), k * lanes * dtype.itemsize))
    f.do(s);
}

/** Stores the first lane. */
export function storeFirst(f: Func, compute: Compute, dtype: DType, at: I32, value: V128): void {
  f.do(storeElement(dtype, locals(f, pack(f, compute, dtype, value)), 0, at));
}

function locals(f: Func, packed: Packed): Packed {
  return packed.length === 1 ? packed : packed.map((p) => f.let(p));
}

/** One element as a scalar of the compute type. */
export function loadScalar(f: Func, dtype: DType, compute: Compute, at: I32): Value {
  if (computeType(dtype) === compute && dtype.itemsize >= 4) return SCALARS[compute].load(at) as Value;
  const vector = f.let(unpack(f, dtype, compute, loadSplat(dtype, lanesOf(compute), at)));
  if (compute === 'f32') return f32x4.extract_lane(vector, 0);
  if (compute === 'f64') return f64x2.extract_lane(vector, 0);
  return compute === 'i32' ? i32x4.extract_lane(vector, 0) : i64x2.extract_lane(vector, 0);
}

/** Stores a scalar of the compute type as an element. */
export function storeScalar(f: Func, compute: Compute, dtype: DType, at: I32, value: Value): void {
  if (computeType(dtype) === compute && dtype.itemsize >= 4) {
    f.do((SCALARS[compute].store as (at: I32, x: Value) => Statement)(at, value));
  } else storeFirst(f, compute, dtype, at, splat(compute, value));
}

const SCALARS = { f32, f64, i32, i64 };
