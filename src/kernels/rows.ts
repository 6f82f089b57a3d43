/**
 * The `rows` kernel kind: several passes over each row while it is in the cache (`rows-spec.ts` says how they are
 * described, `rows-passes.ts` has softmax, normalisation and their gradients). A row is all elements that share their
 * coordinates outside the given dimensions, so softmax over any dimension is one.
 *
 * Vectors go along the row where it is contiguous, else across neighbouring rows where those are, else there are none.
 */
import type { DType } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { DimList, grainFor, MAX_INPUTS, strideAt } from './reduce-plan.ts';
import { registerKernel } from './registry.ts';
import { PART_ROWS, type RowInputKind, type RowOutputKind, type RowsSpec } from './rows-spec.ts';
import { writeScalars } from './scalars.ts';
import { reads, writes } from './touch.ts';
import type { ElementKind } from './wasm/elements.ts';
import {
  ACROSS,
  ACROSS_VECTORS,
  ALONG,
  ROWS_HEAD,
  type RowsMode,
  RowsWord,
  rowsDimsWord,
  rowsKernel,
  rowsScalarWord,
} from './wasm/rows.ts';
import { computeType, lanesOf } from './wasm/types.ts';

/** Tests turn relaxed SIMD off here; undefined: used where there is any. */
export const rowsTuning = { relaxed: undefined as boolean | undefined };

const KINDS = ['zero', 'unit', 'strided'] as const;
/** Whether the last `kindsAlong` met a strided operand, and an output that does not move. */
let metStrided = false;
let metStillOutput = false;

const rows = new DimList();
const columns = new DimList();

export class RowsKernel {
  private readonly variants: (number | undefined)[] = [];
  private readonly operands: readonly { readonly dtype: DType; readonly kind: RowInputKind | RowOutputKind }[];

  private readonly inParts: boolean;
  private readonly lanes: number;

  constructor(private readonly spec: RowsSpec) {
    this.lanes = lanesOf(computeType(spec.compute));
    this.operands = [...spec.inputs, ...spec.outputs];
    this.inParts = spec.outputs.some(({ kind }) => kind === 'part');
    if (this.operands.length > MAX_INPUTS) {
      throw new Error(`${spec.name}: a row kernel takes at most ${MAX_INPUTS} inputs and outputs`);
    }
  }

  /**
   * Operands have the sizes of the iteration, or are broadcast to it from the right. Operands of kind `row` (inputs and
   * outputs) have the row dimensions left out or of size 1, `column` ones have the row's dimensions only, `part` outputs
   * one row for each PART_ROWS rows, contiguous; with those, everything else has to be contiguous, too.
   *
   * @param outs outputs, as declared
   * @param ins inputs, as declared
   * @param sizes the shape that is gone through
   * @param firstDim first dimension of a row
   * @param lastDim last dimension of a row; rows of several dimensions must lie evenly in every operand
   * @throws RuntimeError when an operand's row dimensions can't be seen as one
   */
  launch(
    outs: readonly Operand<Storage>[],
    ins: readonly Operand<Storage>[],
    sizes: readonly number[],
    firstDim: number,
    lastDim: number,
    scalars: readonly (number | bigint)[] = NO_SCALARS,
  ): void {
    const { operands, spec } = this;
    const nin = spec.inputs.length;
    const count = operands.length;
    const rank = sizes.length;
    rows.clear();
    columns.clear();
    for (let d = 0; d < rank; d++) {
      if (sizes[d] === 1) continue;
      const inside = d >= firstDim && d <= lastDim;
      const list = inside ? columns : rows;
      const at = list.count * MAX_INPUTS;
      list.out[list.count] = 0;
      list.indices[list.count] = 0;
      for (let i = 0; i < count; i++) {
        const operand = i < nin ? ins[i] : outs[i - nin];
        list.inputs[at + i] = strideOf(operand, operands[i].kind, d, rank, firstDim, lastDim);
      }
      list.add(sizes[d], count);
    }
    if (columns.count > 1) {
      throw new RuntimeError(`${spec.name}: the dimensions of a row must be contiguous in every operand`);
    }
    const n = columns.count === 0 ? 1 : columns.sizes[0];
    const height = rows.total();
    if (height === 0) return;

    // Along the row if that is contiguous, else across rows if they are side by side, else along it all the same.
    let mode: RowsMode = ALONG;
    metStrided = false;
    let kinds = n > 1 ? this.kindsAlong(columns, 0, 'row') : 0;
    if (metStrided || n === 1) {
      const last = rows.count - 1;
      if (last >= 0 && rows.sizes[last] >= this.lanes) {
        const across = this.kindsAlong(rows, last, 'column');
        if (!metStrided && !metStillOutput) {
          kinds = across;
          mode = ACROSS;
        }
      }
    }
    if (this.inParts && (mode !== ALONG || metStrided)) {
      throw new Error(`${spec.name}: sums over parts need rows that are contiguous in every operand`);
    }
    const backend = outs[0].storage.backend;
    let dims = rows.count;
    let units = height;
    let inner = 1;
    let strips = 1;
    if (mode === ACROSS) {
      dims--;
      inner = rows.sizes[dims];
      strips = Math.ceil(inner / (this.lanes * ACROSS_VECTORS));
      units = (height / inner) * strips;
    }
    if (this.inParts) {
      inner = height;
      units = Math.ceil(height / PART_ROWS);
    }
    for (let i = 0; i < nin; i++) reads(ins[i]);
    for (let i = nin; i < count; i++) writes(outs[i - nin]);
    const kernel = (this.variants[kinds * 2 + mode] ??= this.register(mode, kinds));
    const first = rowsDimsWord(count, spec.scalars ?? 0);
    const at = backend.begin(kernel, first + dims * (1 + count), grainFor(units, (n * height) / units));
    const words = backend.words;
    words[at] = 0;
    words[at + 1] = units;
    words[at + RowsWord.length] = n;
    words[at + RowsWord.dims] = dims;
    words[at + RowsWord.inner] = inner;
    words[at + RowsWord.strips] = strips;
    for (let i = 0; i < count; i++) {
      const operand = i < nin ? ins[i] : outs[i - nin];
      words[at + ROWS_HEAD + i] = operand.storage.address + operand.offset * operand.dtype.itemsize;
      words[at + ROWS_HEAD + count + i] = columns.count === 0 ? 0 : columns.inputs[i];
    }
    writeScalars(words, at + rowsScalarWord(count), scalars, spec.scalars ?? 0, spec.compute);
    let to = at + first;
    for (let d = 0; d < dims; d++) {
      words[to++] = rows.sizes[d];
      for (let i = 0; i < count; i++) words[to++] = rows.inputs[d * MAX_INPUTS + i];
    }
    backend.submit();
  }
  /** How every operand lies along a dimension, as digits to the base 3 (`KINDS`). */
  private kindsAlong(list: DimList, dim: number, except: 'row' | 'column'): number {
    const { operands } = this;
    metStrided = metStillOutput = false;
    let kinds = 0;
    for (let i = operands.length - 1; i >= 0; i--) {
      const { dtype, kind } = operands[i];
      const stride = list.inputs[dim * MAX_INPUTS + i];
      kinds *= 3;
      if (stride === dtype.itemsize) kinds += 1;
      else if (stride !== 0) {
        kinds += 2;
        metStrided = true;
      } else if (i >= this.spec.inputs.length && kind !== except) metStillOutput = true;
    }
    return kinds;
  }

  private register(mode: RowsMode, kinds: number): number {
    const digits = this.operands.map((_, i): ElementKind => KINDS[Math.floor(kinds / 3 ** i) % 3]);
    return registerKernel(() => rowsKernel(this.spec, mode, digits, { relaxed: rowsTuning.relaxed }), this.spec.name);
  }
}

const NO_SCALARS: readonly (number | bigint)[] = [];

/** Bytes from one element to the next along dimension d of the iteration. */
function strideOf(
  operand: Operand,
  kind: RowInputKind | RowOutputKind,
  d: number,
  rank: number,
  firstDim: number,
  lastDim: number,
): number {
  const inside = d >= firstDim && d <= lastDim;
  if (kind === 'full') return strideAt(operand, d, rank);
  const column = kind === 'column' || kind === 'part';
  if (inside !== column) return 0;
  const own = operand.sizes.length;
  let at = d;
  if (column) at = d - (lastDim + 1) + own;
  else if (own !== rank && d > lastDim) at = d - (lastDim - firstDim + 1);
  return at < 0 || operand.sizes[at] === 1 ? 0 : operand.strides[at] * operand.dtype.itemsize;
}
