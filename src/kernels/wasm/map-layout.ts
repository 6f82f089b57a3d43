/**
 * What a map kernel is made from, and where its launch words are: shared by the generator (`map.ts`) and the builder
 * (`../map.ts`).
 *
 * Words: 0 begin and 1 end, counted in elements of the iteration space (in rows for tiles); then the addresses of the
 * operands, outputs first; the scalars, two words each, 8-byte aligned; the operands' strides along the innermost
 * dimension; then, for depth > 0, the innermost size, the outer sizes from the inside out, and for each of these
 * dimensions the strides of the operands. Strides are in bytes.
 *
 * A launch over sets of operands (`SetWords`) has the words 0 and 1; the number of sets; the scalars from word 4 on; then
 * for each set its first position in the range, its number of elements, and the addresses of its operands.
 */
import type { DType } from '../../core/dtype.ts';
import { type Expr, nodesOf } from '../expr.ts';
import type { Compute } from './types.ts';

/** How an operand walks along the innermost dimension: side by side, not at all, or in any steps. */
export const CONTIGUOUS = 0;
export const BROADCAST = 1;
export const STRIDED = 2;
/** In steps, and side by side along the second dimension instead; only in tiles. */
export const ACROSS = 3;
export type Walk = typeof CONTIGUOUS | typeof BROADCAST | typeof STRIDED | typeof ACROSS;

export interface MapCode {
  readonly outputs: readonly { readonly expr: Expr; readonly dtype: DType }[];
  readonly inputs: readonly DType[];
  readonly compute: Compute;
  readonly scalars: number;
}

export interface MapLayout {
  /** Dimensions around the innermost. */
  readonly depth: number;
  /** By operand, outputs first. */
  readonly walks: readonly Walk[];
  /** Goes through the two innermost dimensions in square tiles, for operands that lie across. Needs depth > 0. */
  readonly tiled: boolean;
  /** Goes through sets of operands, each set as one run: depth 0, all contiguous. */
  readonly sets?: boolean;
}

/** Positions in the launch words of a kernel with `operands` operands and `scalars` scalars. */
export class MapWords {
  readonly addresses = 2;
  readonly scalars: number;
  readonly innerStrides: number;
  readonly inner: number;

  constructor(
    private readonly operands: number,
    scalars: number,
  ) {
    this.scalars = (2 + operands + 1) & ~1;
    this.innerStrides = this.scalars + 2 * scalars;
    this.inner = this.innerStrides + operands;
  }

  /** Size of outer dimension d, counted from the inside. */
  size(d: number): number {
    return this.inner + 1 + d;
  }

  stride(depth: number, d: number, operand: number): number {
    return this.inner + 1 + depth + d * this.operands + operand;
  }

  count(depth: number, strided: boolean): number {
    if (depth > 0) return this.inner + 1 + depth + depth * this.operands;
    return strided ? this.inner : this.innerStrides;
  }
}

/** Sets begin at multiples of so many positions, so that pieces of a range begin at whole vectors of every dtype. */
export const SET_ALIGNMENT = 64;

/** Positions in the launch words of a kernel over sets of operands. */
export class SetWords {
  readonly count = 2;
  readonly scalars = 4;
  readonly sets: number;
  /** Words of a set. */
  readonly size: number;

  constructor(operands: number, scalars: number) {
    this.sets = this.scalars + 2 * scalars;
    this.size = 2 + operands;
  }
}

// biome-ignore format: a table
const CHEAP: ReadonlySet<string> = new Set([
  'input', 'raw', 'scalar', 'const', 'number', 'where', 'neg', 'abs', 'square', 'add', 'sub', 'mul', 'maximum', 'minimum',
  'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'and', 'or', 'not', 'bitand', 'bitor', 'bitxor', 'bitnot', 'div', 'sqrt', 'reciprocal',
]);

/** Vector operations, roughly. Launches are split into pieces of about the same work by it. */
export function cost(roots: readonly Expr[]): number {
  return nodesOf(roots).reduce((sum, e) => sum + ('args' in e ? (CHEAP.has(e.op) ? 1 : 24) : 0), 0);
}
