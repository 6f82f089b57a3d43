/**
 * The `reduce` kernel kind: a scalar expression over strided inputs, combined over some of the dimensions. Every layout
 * is taken as it is: any dimensions in any positions, views, broadcast inputs.
 *
 * A launch looks at the layout (`reduce-plan.ts`) and goes one of two ways: result by result where the elements of a
 * result lie side by side, or by strips of neighbouring results where the results do. Few results of many elements are
 * made in two launches, over parts of a fixed size and then over the parts, so every thread has work and the sum does
 * not depend on how many there are.
 */
import { type DType, float32, float64, int32, int64 } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import type { Storage } from '../devices/storage.ts';
import type { Expr } from './expr.ts';
import { addresses, type DimList, grainFor, MAX_INPUTS, plan } from './reduce-plan.ts';
import { registerKernel } from './registry.ts';
import { writeScalars } from './scalars.ts';
import { reads, writes } from './touch.ts';
import { canBeDirect, columnReduction, DIRECT_ROWS, ROW_BLOCK } from './wasm/reduce-columns.ts';
import type { ElementKind } from './wasm/elements.ts';
import { bytesOf, totalType } from './wasm/reduce-combine.ts';
import type { ReduceCode, ReduceCombine } from './wasm/reduce-elements.ts';
import { dimsWord, HEAD_WORDS, scalarWord, Word } from './wasm/reduce-frame.ts';
import { rowReduction } from './wasm/reduce-row.ts';
import { computeType } from './wasm/types.ts';

export interface ReduceSpec {
  /** For profilers: `sum`. */
  readonly name: string;
  readonly combine: ReduceCombine;
  /** What is combined, over the inputs; for `any` and `all` a truth value. */
  readonly expr: Expr;
  readonly inputs: readonly DType[];
  /** What `expr` computes in, and values are combined in (or in something wider): float32 for the half types. */
  readonly compute: DType;
  /** The dtype of the results. */
  readonly output: DType;
  /** Makes the result of the combined value, `input(0)`, in `compute`. Scalars are those of the launch. */
  readonly finalize?: Expr;
  /** How many scalars a launch has. */
  readonly scalars?: number;
}

/** Where the ways part. Tests move these borders. */
export const tuning = {
  /** A reduction of at least so many elements to few results is made in parts … */
  splitElements: 65536,
  /** … of about so many elements. */
  partElements: 16384,
  /** Results that are enough for all threads. */
  manyResults: 32,
  /** Runs shorter than this are rather gone through across. */
  shortRun: 8,
  /** Whether relaxed SIMD is used; undefined: where there is any. */
  relaxed: undefined as boolean | undefined,
};

const KINDS = ['zero', 'unit', 'strided'] as const;
/** Whether the last `kindsOf` met a strided input, and one that is contiguous. */
let metStrided = false;
let metUnit = false;

export class ReduceKernel {
  private readonly code: Omit<ReduceCode, 'kinds'>;
  private readonly arg: boolean;
  private readonly rows: number[][] = [[], []];
  private readonly columns: number[][] = [[], [], []];
  private combineParts: ReduceKernel | undefined;

  constructor(
    private readonly spec: ReduceSpec,
    /** For the second launch, which goes over the parts of a first: what the parts are. */
    private readonly parts: { readonly compute: DType; readonly positions: boolean } | null = null,
  ) {
    const { combine, compute, inputs, expr } = spec;
    if (inputs.length > MAX_INPUTS) throw new Error(`${spec.name}: a reduction takes at most ${MAX_INPUTS} inputs`);
    this.arg = combine === 'argmax' || combine === 'argmin';
    const narrow =
      combine === 'sum' &&
      compute === int64 &&
      expr.op === 'input' &&
      inputs.every((d) => !d.is_floating_point && d.itemsize <= 2);
    const inner = parts ? parts.compute : narrow ? int32 : compute;
    const value = computeType(inner);
    this.code = {
      combine,
      expr,
      inputs,
      compute: value,
      total: combine === 'argmax' || combine === 'argmin' ? value : totalType(combine, value, narrow),
      scalars: spec.scalars ?? 0,
      positions: parts?.positions ?? false,
      result: { finalize: spec.finalize, compute, output: spec.output },
    };
  }

  /**
   * @param out results, with the reduced dimensions left out or of size 1; may be null for argmax and argmin
   * @param ins inputs, broadcast from the right to `sizes`
   * @param sizes the shape that is gone through, at most 31 dimensions
   * @param reducedDims bit d set: dimension d is reduced
   * @param indices int64 positions for argmax and argmin, counted in row-major order over the reduced dimensions
   */
  launch(
    out: Operand<Storage> | null,
    ins: readonly Operand<Storage>[],
    sizes: readonly number[],
    reducedDims: number,
    scalars: readonly (number | bigint)[] = NO_SCALARS,
    indices: Operand<Storage> | null = null,
  ): void {
    plan.analyse(out, indices, ins, sizes, reducedDims, this.arg);
    if (plan.outputs === 0) return;
    const backend = (out ?? indices)!.storage.backend;
    for (let i = 0; i < ins.length; i++) {
      addresses[i] = ins[i].storage.address + ins[i].offset * ins[i].dtype.itemsize;
      reads(ins[i]);
    }
    let to = 0;
    let places = 0;
    if (out !== null) {
      to = out.storage.address + out.offset * out.dtype.itemsize;
      writes(out);
    }
    if (indices !== null) {
      places = indices.storage.address + indices.offset * 8;
      writes(indices);
    }
    this.launchPlan(backend, to, places, scalars);
  }

  /** Goes over `plan` and `addresses`. */
  private launchPlan(backend: Backend, out: number, indices: number, scalars: readonly (number | bigint)[]): void {
    const { kept, reduced, outputs, count } = plan;
    const nin = this.code.inputs.length;
    const rowKinds = reduced.count > 0 ? this.kindsOf(reduced, reduced.count - 1) : 0;
    const strided = reduced.count > 0 && metStrided;
    const length = reduced.count > 0 ? reduced.sizes[reduced.count - 1] : 1;
    const runs = reduced.count > 0 ? count / length : 1;
    if (count > 0 && !this.arg && kept.count > 0 && (strided || length < tuning.shortRun)) {
      const last = kept.count - 1;
      const columnKinds = this.kindsOf(kept, last);
      if (metUnit && !metStrided && kept.out[last] === this.spec.output.itemsize) {
        this.launchColumns(backend, out, scalars, columnKinds, runs, length);
        return;
      }
    }

    let lengthParts = 1;
    let partLength = length;
    let runParts = 1;
    let partRuns = runs;
    if (this.parts === null && outputs < tuning.manyResults && outputs * count >= tuning.splitElements) {
      const part = tuning.partElements;
      if (length >= part) {
        partLength = part;
        lengthParts = Math.ceil(length / part);
        partRuns = 1;
        runParts = runs;
      } else {
        partRuns = Math.max(1, Math.floor(part / length));
        runParts = Math.ceil(runs / partRuns);
      }
    }
    const parts = lengthParts * runParts;
    const kernel = this.rowVariant(rowKinds, parts > 1);
    const units = outputs * parts;
    let target = out;
    let places = indices;
    const bytes = bytesOf(this.code.total);
    if (parts > 1) {
      target = backend.allocate(units * bytes);
      if (this.arg) places = backend.allocate(units * 8);
    }
    const at = this.begin(
      backend,
      kernel,
      units,
      grainFor(units, count / parts),
      kept.count,
      reduced.count - 1,
      scalars,
    );
    const words = backend.words;
    words[at + Word.out] = target;
    words[at + Word.indices] = places;
    words[at + Word.runs] = count === 0 ? 0 : runs;
    words[at + Word.length] = length;
    words[at + Word.partLength] = partLength;
    words[at + Word.lengthParts] = lengthParts;
    words[at + Word.partRuns] = partRuns;
    words[at + Word.runParts] = runParts;
    for (let i = 0; i < nin; i++) {
      words[at + HEAD_WORDS + nin + i] = reduced.count > 0 ? reduced.inputs[(reduced.count - 1) * MAX_INPUTS + i] : 0;
    }
    backend.submit();
    if (parts > 1) {
      this.planParts(parts, 1, bytes);
      addresses[0] = target;
      addresses[1] = places;
      this.overParts().launchPlan(backend, out, indices, scalars);
      backend.free(target, units * bytes);
      if (this.arg) backend.free(places, units * 8);
    }
  }

  private launchColumns(
    backend: Backend,
    out: number,
    scalars: readonly (number | bigint)[],
    kinds: number,
    runs: number,
    length: number,
  ): void {
    const { kept, reduced, outputs, count } = plan;
    const nin = this.code.inputs.length;
    const bytes = bytesOf(this.code.total);
    let width = kept.sizes[kept.count - 1];
    const outer = outputs / width;
    const large = this.parts === null && outputs * count >= tuning.splitElements;

    // Narrow rows that follow each other without gaps: 16 of them make one row of 16 times as many columns.
    const fold =
      large && outer === 1 && runs === 1 && width < 64 && width % 16 !== 0 && this.rowsAreDense(width) ? 16 : 1;
    const rest = length % fold;
    length = (length - rest) / fold;
    width *= fold;

    let unitWidth = width;
    if (width > 64) unitWidth = Math.min(256, Math.max(64, (Math.ceil(width / 4) + 15) & ~15));
    const widthUnits = Math.ceil(width / unitWidth);

    let lengthParts = 1;
    let partLength = length;
    let runParts = 1;
    let partRuns = runs;
    if (large && outer * widthUnits < 4) {
      const part = Math.max(ROW_BLOCK, Math.ceil((2 * tuning.partElements) / width));
      if (length >= part) {
        partLength = part;
        lengthParts = Math.ceil(length / part);
        partRuns = 1;
        runParts = runs;
      } else {
        partRuns = Math.max(1, Math.floor(part / length));
        runParts = Math.ceil(runs / partRuns);
      }
    }
    const parts = lengthParts * runParts;
    const partial = parts > 1 || fold > 1;
    const direct = !partial && runs === 1 && length <= DIRECT_ROWS && canBeDirect(this.code);
    const kernel = this.columnVariant(kinds, partial ? 2 : direct ? 1 : 0);
    const units = outer * parts * widthUnits;
    const resultWidth = width / fold;
    const rowsOfParts = parts * fold + (rest > 0 ? 1 : 0);
    const scratchBytes = direct ? 0 : partial ? outer * rowsOfParts * resultWidth * bytes : outputs * bytes;
    const scratch = direct ? 0 : backend.allocate(scratchBytes);

    const keptDims = kept.count - 1;
    const grain = grainFor(units, unitWidth * (count / parts));
    let at = this.begin(backend, kernel, units, grain, keptDims, reduced.count - 1, scalars);
    let words = backend.words;
    words[at + Word.out] = partial ? scratch : out;
    words[at + Word.indices] = 0;
    words[at + Word.runs] = runs;
    words[at + Word.length] = length;
    words[at + Word.partLength] = partLength;
    words[at + Word.lengthParts] = lengthParts;
    words[at + Word.partRuns] = partRuns;
    words[at + Word.runParts] = runParts;
    words[at + Word.width] = width;
    words[at + Word.unitWidth] = unitWidth;
    words[at + Word.widthUnits] = widthUnits;
    words[at + Word.totals] = scratch;
    for (let i = 0; i < nin; i++) words[at + HEAD_WORDS + nin + i] = this.rowStride(i) * fold;
    backend.submit();

    if (rest > 0) {
      for (let i = 0; i < nin; i++) addresses[i] += length * fold * this.rowStride(i);
      at = this.begin(backend, kernel, 1, 0, keptDims, reduced.count - 1, scalars);
      words = backend.words;
      words[at + Word.out] = scratch + parts * fold * resultWidth * bytes;
      words[at + Word.indices] = 0;
      words[at + Word.runs] = 1;
      words[at + Word.length] = rest;
      words[at + Word.partLength] = rest;
      words[at + Word.lengthParts] = 1;
      words[at + Word.partRuns] = 1;
      words[at + Word.runParts] = 1;
      words[at + Word.width] = resultWidth;
      words[at + Word.unitWidth] = resultWidth;
      words[at + Word.widthUnits] = 1;
      words[at + Word.totals] = scratch;
      for (let i = 0; i < nin; i++) words[at + HEAD_WORDS + nin + i] = this.rowStride(i);
      backend.submit();
    }
    if (partial) {
      this.planParts(rowsOfParts, resultWidth, bytes);
      addresses[0] = scratch;
      this.overParts().launchPlan(backend, out, 0, scalars);
    }
    if (!direct) backend.free(scratch, scratchBytes);
  }

  /** Bytes from row to row: the stride of the innermost reduced dimension. */
  private rowStride(i: number): number {
    const { reduced } = plan;
    return reduced.count > 0 ? reduced.inputs[(reduced.count - 1) * MAX_INPUTS + i] : 0;
  }

  /** Whether every input is dense over rows of `width` columns, or one value for all. */
  private rowsAreDense(width: number): boolean {
    const { kept } = plan;
    for (let i = 0; i < this.code.inputs.length; i++) {
      if (this.rowStride(i) !== width * kept.inputs[(kept.count - 1) * MAX_INPUTS + i]) return false;
    }
    return true;
  }

  /** How every input lies along a dimension, as digits to the base 3 (`KINDS`). */
  private kindsOf(list: DimList, dim: number): number {
    const { inputs } = this.code;
    metStrided = metUnit = false;
    let kinds = 0;
    for (let i = inputs.length - 1; i >= 0; i--) {
      const stride = list.inputs[dim * MAX_INPUTS + i];
      kinds *= 3;
      if (stride === inputs[i].itemsize) {
        kinds += 1;
        metUnit = true;
      } else if (stride !== 0) {
        kinds += 2;
        metStrided = true;
      }
    }
    return kinds;
  }

  /** Writes what all launches share; the caller writes the rest of the head and the strides along the run. */
  private begin(
    backend: Backend,
    kernel: number,
    units: number,
    grain: number,
    keptDims: number,
    runDims: number,
    scalars: readonly (number | bigint)[],
  ): number {
    const nin = this.code.inputs.length;
    if (runDims < 0) runDims = 0;
    const dims = dimsWord(nin, this.code.scalars);
    const at = backend.begin(kernel, dims + keptDims * (3 + nin) + runDims * (1 + nin), grain);
    const words = backend.words;
    words[at + Word.begin] = 0;
    words[at + Word.end] = units;
    words[at + Word.keptDims] = keptDims;
    words[at + Word.runDims] = runDims;
    for (let i = 0; i < nin; i++) words[at + HEAD_WORDS + i] = addresses[i];
    writeScalars(words, at + scalarWord(nin), scalars, this.code.scalars, this.spec.compute);
    let to = at + dims;
    const { kept, reduced } = plan;
    for (let d = 0; d < keptDims; d++) {
      words[to++] = kept.sizes[d];
      words[to++] = kept.out[d];
      words[to++] = kept.indices[d];
      for (let i = 0; i < nin; i++) words[to++] = kept.inputs[d * MAX_INPUTS + i];
    }
    for (let d = 0; d < runDims; d++) {
      words[to++] = reduced.sizes[d];
      for (let i = 0; i < nin; i++) words[to++] = reduced.inputs[d * MAX_INPUTS + i];
    }
    return at;
  }

  /** Turns the plan into that of the second launch: parts lie `width` results apart, results of one part together. */
  private planParts(parts: number, width: number, bytes: number): void {
    const { kept, reduced } = plan;
    let step = 1;
    for (let d = kept.count - 1; d >= 0; d--) {
      // With a width, the innermost dimension is that.
      if (width === 1 || d < kept.count - 1) {
        kept.inputs[d * MAX_INPUTS] = step * parts * bytes;
        kept.inputs[d * MAX_INPUTS + 1] = step * parts * 8;
      } else kept.inputs[d * MAX_INPUTS] = bytes;
      step *= kept.sizes[d];
    }
    reduced.count = 1;
    reduced.sizes[0] = parts;
    reduced.inputs[0] = width * bytes;
    reduced.inputs[1] = 8;
    plan.count = parts;
  }

  private overParts(): ReduceKernel {
    return (this.combineParts ??= new ReduceKernel(
      {
        ...this.spec,
        name: `${this.spec.name} of parts`,
        expr: { op: this.spec.combine === 'any' || this.spec.combine === 'all' ? 'raw' : 'input', index: 0 },
        inputs: this.arg ? [DTYPE_OF[this.code.total], int64] : [DTYPE_OF[this.code.total]],
      },
      { compute: DTYPE_OF[this.code.total], positions: this.arg },
    ));
  }

  private rowVariant(kinds: number, partial: boolean): number {
    const table = this.rows[partial ? 1 : 0];
    return (table[kinds] ??= this.register(
      () => rowReduction(this.variant(kinds, partial), { relaxed: tuning.relaxed }),
      partial,
    ));
  }

  /** `mode`: 0 totals in memory, 1 direct, 2 partial. */
  private columnVariant(kinds: number, mode: number): number {
    return (this.columns[mode][kinds] ??= this.register(
      () => columnReduction(this.variant(kinds, mode === 2), mode === 1, { relaxed: tuning.relaxed }),
      mode === 2,
    ));
  }

  private variant(kinds: number, partial: boolean): ReduceCode {
    const digits = this.code.inputs.map((_, i): ElementKind => KINDS[Math.floor(kinds / 3 ** i) % 3]);
    return { ...this.code, kinds: digits, result: partial ? 'partial' : this.code.result };
  }

  private register(build: () => Uint8Array, partial: boolean): number {
    return registerKernel(build, partial ? `${this.spec.name} in parts` : this.spec.name);
  }
}

const NO_SCALARS: readonly (number | bigint)[] = [];
const DTYPE_OF = { f32: float32, f64: float64, i32: int32, i64: int64 } as const;
