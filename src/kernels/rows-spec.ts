/**
 * What a row kernel does, as data: passes over each row while it is in the cache. Passes reduce the row to a value,
 * compute a value from earlier ones, or store. Their expressions read the inputs, the values of earlier passes
 * (`rowValue`) and what earlier passes have stored (`stored`).
 */
import type { DType } from '../core/dtype.ts';
import { type Expr, input } from './expr.ts';

/** How a pass combines the values of a row. */
export type RowReduction = 'sum' | 'prod' | 'max' | 'min';

/** `full`: an element for each of the iteration. `column`: the same for every row. `row`: one for each row. */
export type RowInputKind = 'full' | 'column' | 'row';
export type RowOutputKind = 'full' | 'row' | 'part';

export type RowPass =
  /** Combines `expr` over the row to the next row value; `store` also writes each of its values to that output. */
  | { readonly reduce: RowReduction; readonly expr: Expr; readonly store?: number }
  /** Computes the next row value from earlier ones, `row` inputs and scalars. */
  | { readonly value: Expr }
  /**
   * Writes an output: for each element of the row, or once for an output with one value a row. `sums` are of the same
   * elements, added up over the rows of a part.
   */
  | { readonly store: number; readonly expr: Expr; readonly sums?: readonly PartSum[] };

/** `expr` at each place along the row, added up over PART_ROWS rows, in a `part` output. */
export interface PartSum {
  readonly output: number;
  readonly expr: Expr;
}

/** As many rows as column reductions add up in the narrow type; fixed, so that sums don't depend on the threads. */
export const PART_ROWS = 32;

export interface RowsSpec {
  /** For profilers: `softmax`. */
  readonly name: string;
  readonly inputs: readonly { readonly dtype: DType; readonly kind: RowInputKind }[];
  /** `part`: a row of sums for each PART_ROWS rows, in the dtype of the computation. */
  readonly outputs: readonly { readonly dtype: DType; readonly kind: RowOutputKind }[];
  readonly compute: DType;
  /** How many scalars a launch has. */
  readonly scalars?: number;
  readonly passes: readonly RowPass[];
}

/** Inputs beyond these are not operands. */
const ROW_VALUES = 64;
const STORED = 32;

/** The value of the k-th pass that makes one (`reduce` and `value` passes, counted together from 0). */
export const rowValue = (k: number): Expr => input(ROW_VALUES + k);

/** What an earlier pass has stored in (full) output k, as its dtype keeps it. */
export const stored = (k: number): Expr => input(STORED + k);

/** What an `input` index stands for. */
export function meaning(index: number): { readonly of: 'input' | 'stored' | 'row'; readonly index: number } {
  if (index >= ROW_VALUES) return { of: 'row', index: index - ROW_VALUES };
  return index >= STORED ? { of: 'stored', index: index - STORED } : { of: 'input', index };
}
