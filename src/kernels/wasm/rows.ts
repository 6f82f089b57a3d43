/**
 * The code of row kernels: for each row, the passes one after the other.
 *
 * Words; addresses and strides in bytes:
 *
 *     0, 1          first row (or strip or part of rows), end
 *     HEAD          see `RowsWord`
 *     operands      address of each input and output, then the stride of each along the row
 *     scalars       two words each, from the next even word on
 *     dims          the rows' dimensions: size, stride of each operand; outermost first
 */
import type { DType } from '../../core/dtype.ts';
import { type Expr, exprId, operands } from '../expr.ts';
import { meaning, PART_ROWS, type RowPass, type RowsSpec } from '../rows-spec.ts';
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
import {
  f32x4,
  f64x2,
  type Func,
  type I32,
  i32,
  type Local,
  memory,
  type ModuleOptions,
  type V128,
  WasmModule,
} from './emitter.ts';
import { ROW_BLOCK } from './reduce-columns.ts';
import {
  combineVectors,
  identity,
  identityVector,
  narrow,
  narrowVectors,
  totalType,
  widenVector,
} from './reduce-combine.ts';
import { emitCoordinates } from './reduce-frame.ts';
import { emitRun } from './reduce-run.ts';
import { type Compute, computeType, lanesOf, loadSplat, type Packed, pack, storeElement, unpack } from './types.ts';

export const RowsWord = {
  /** Elements of a row. */
  length: 2,
  /** How many dims are in the list. */
  dims: 3,
  /** Across only: rows side by side, and strips of them. Where sums are by parts, `inner` has all rows. */
  inner: 4,
  strips: 5,
} as const;
export const ROWS_HEAD = 6;

export function rowsScalarWord(operands: number): number {
  return (ROWS_HEAD + 2 * operands + 1) & ~1;
}
export function rowsDimsWord(operands: number, scalars: number): number {
  return rowsScalarWord(operands) + 2 * scalars;
}

/** Vectors go along the row, or across neighbouring rows. */
export const ALONG = 0;
export const ACROSS = 1;
/** Vectors of rows that are gone through together: a cache line of float32 is read at once. */
export const ACROSS_VECTORS = 4;
export type RowsMode = typeof ALONG | typeof ACROSS;

/** The module of a row kernel; `kinds` is how each operand lies in the direction of the vectors. */
export function rowsKernel(
  spec: RowsSpec,
  mode: RowsMode,
  kinds: readonly ElementKind[],
  options?: ModuleOptions,
): Uint8Array {
  const m = new WasmModule(options);
  m.kernel((f, args) => new RowsCode(f, args, spec, mode, kinds).emit());
  return m.toBytes();
}

type Reduction = Extract<RowPass, { reduce: unknown }>;

/** Pairs of neighbouring reductions that don't need each other go over the row together. */
function grouped(passes: readonly RowPass[]): RowPass[][] {
  const groups: RowPass[][] = [];
  let values = 0;
  let firstOwn = 0;
  for (const pass of passes) {
    const last = groups.at(-1);
    const joins =
      last?.length === 1 &&
      'reduce' in pass &&
      'reduce' in last[0] &&
      !reads(pass.expr, (of, k) => (of === 'row' && k >= firstOwn) || of === 'stored');
    if (joins) last.push(pass);
    else {
      groups.push([pass]);
      firstOwn = values;
    }
    if ('reduce' in pass || 'value' in pass) values++;
  }
  return groups;
}

/** Whether the expression is something minus its own maximum over the row. */
function isBelowMaximum(e: Expr, passes: readonly RowPass[]): boolean {
  if (e.op !== 'sub' || e.args[1].op !== 'input') return false;
  const { of, index } = meaning(e.args[1].index);
  if (of !== 'row') return false;
  const pass = passes.filter((p) => !('store' in p) || 'reduce' in p)[index];
  return 'reduce' in pass && pass.reduce === 'max' && exprId(pass.expr) === exprId(e.args[0]);
}

function reads(expr: Expr, what: (of: string, index: number) => boolean): boolean {
  if (expr.op === 'input' || expr.op === 'raw') {
    const { of, index } = meaning(expr.index);
    return what(of, index);
  }
  return operands(expr).some((e) => reads(e, what));
}

class RowsCode {
  private readonly dtypes: readonly DType[];
  private readonly type: Compute;
  private readonly lanes: number;
  private readonly length: Local<'i32'>;
  private readonly strides: Local<'i32'>[];
  /** Where the row (the strip's first row) begins in each operand. */
  private readonly bases: Local<'i32'>[];
  /** Where the pass is. */
  private readonly pointers: Local<'i32'>[];
  private readonly fault: Local<'i32'>;
  private readonly evaluator: Evaluator;

  constructor(
    private readonly f: Func,
    private readonly args: Local<'i32'>,
    private readonly spec: RowsSpec,
    private readonly mode: RowsMode,
    private readonly kinds: readonly ElementKind[],
  ) {
    this.dtypes = [...spec.inputs, ...spec.outputs].map(({ dtype }) => dtype);
    const count = this.dtypes.length;
    this.type = computeType(spec.compute);
    this.lanes = lanesOf(this.type);
    this.length = f.let(i32.load(args, RowsWord.length * 4));
    this.strides = f.words(args, count, ROWS_HEAD + count);
    this.bases = this.strides.map(() => f.local('i32'));
    this.pointers = this.strides.map(() => f.local('i32'));
    this.fault = f.local('i32');
    const scalars = loadScalars(f, args, rowsScalarWord(count), spec.scalars ?? 0, this.type);
    this.evaluator = new Evaluator(f, this.type, scalars, this.fault);
    this.evaluator.atMostZero = (e) => isBelowMaximum(e, spec.passes);
  }

  /** All rows of the launch; the fault code. */
  emit(): I32 {
    const { f, args, bases, dtypes } = this;
    const [begin, end] = f.words(args, 2);
    const addresses = f.words(args, dtypes.length, ROWS_HEAD);
    const dims = f.let(i32.load(args, RowsWord.dims * 4));
    const first = f.let(i32.add(args, rowsDimsWord(dtypes.length, this.spec.scalars ?? 0) * 4));
    const [unit, rest, dim, coordinate] = Array.from({ length: 4 }, () => f.local('i32'));
    const strips = f.let(i32.load(args, RowsWord.strips * 4));
    const parts = dtypes.map((_, i) => this.isPart(i));
    const row = (unit: Local<'i32'>) => {
      f.set(rest, this.mode === ACROSS ? i32.div_u(unit, strips) : unit);
      bases.forEach((base, i) => {
        if (!parts[i]) f.set(base, addresses[i]);
      });
      emitCoordinates(f, rest, dim, coordinate, first, dims, (1 + dtypes.length) * 4, () => {
        bases.forEach((base, i) => {
          if (!parts[i]) f.inc(base, i32.mul(coordinate, i32.load(dim, 4 + 4 * i)));
        });
      });
      if (this.mode === ACROSS) this.emitStrip(i32.rem_u(unit, strips));
      else this.emitRow(this.kinds);
    };
    f.for(unit, begin, end, 1, () => {
      if (!parts.includes(true)) return row(unit);
      const at = f.let(i32.mul(unit, PART_ROWS));
      const last = f.let(i32.add(at, PART_ROWS));
      const rows = f.let(i32.load(args, RowsWord.inner * 4));
      f.if(i32.gt_u(last, rows), () => f.set(last, rows));
      bases.forEach((base, i) => {
        if (!parts[i]) return;
        const bytes = f.let(i32.mul(this.length, dtypes[i].itemsize));
        f.set(base, i32.add(addresses[i], i32.mul(unit, bytes)));
        f.do(memory.fill(base, 0, bytes));
      });
      f.while(i32.lt_u(at, last), () => {
        row(at);
        f.inc(at, 1);
      });
    });
    return this.fault;
  }

  /** Whether an operand has sums over parts. */
  private isPart(i: number): boolean {
    const { inputs, outputs } = this.spec;
    return i >= inputs.length && outputs[i - inputs.length].kind === 'part';
  }

  /** Whether an operand has one element for a row. */
  private isRow(i: number): boolean {
    const { inputs, outputs } = this.spec;
    return (i < inputs.length ? inputs[i].kind : outputs[i - inputs.length].kind) === 'row';
  }

  /** The operand that a pass stores to; -1: none. */
  private outputOf(pass: RowPass): number {
    return 'store' in pass && pass.store !== undefined ? this.spec.inputs.length + pass.store : -1;
  }

  private rewind(): void {
    this.pointers.forEach((p, i) => {
      if (!this.isRow(i)) this.f.set(p, this.bases[i]);
    });
  }

  /** What an expression reads: values of rows, or what `load` gives for an operand. */
  private leaf(values: readonly V128[], rowInputs: readonly (V128 | null)[], load: (i: number) => Leaf) {
    return (index: number): Leaf => {
      const { of, index: k } = meaning(index);
      if (of === 'row') return { value: values[k] };
      const i = of === 'stored' ? this.spec.inputs.length + k : k;
      const value = rowInputs[i];
      return value ? { value } : load(i);
    };
  }

  /** A row by itself, in vectors along it. */
  private emitRow(kinds: readonly ElementKind[]): void {
    const { f, spec, pointers, bases, dtypes, type, lanes, evaluator, strides } = this;
    const values: V128[] = [];
    const rowInputs = spec.inputs.map(({ kind, dtype }, i) =>
      kind === 'row' ? this.unpacked({ dtype, packed: loadSplat(dtype, lanes, bases[i]) }) : null,
    );
    const vector = (exprs: readonly Expr[], k: number) =>
      evaluator.values(
        exprs,
        this.leaf(values, rowInputs, (i) => {
          const source = { dtype: dtypes[i], kind: kinds[i], pointer: pointers[i], stride: strides[i] };
          return { dtype: dtypes[i], packed: loadVector(f, source, lanes, k) };
        }),
        true,
      );
    const single = (exprs: readonly Expr[]) =>
      evaluator.values(
        exprs,
        this.leaf(values, rowInputs, (i) => ({ dtype: dtypes[i], packed: loadSplat(dtypes[i], lanes, pointers[i]) })),
        false,
      );
    const advance = (elements: number) => {
      pointers.forEach((p, i) => {
        if (this.isRow(i)) return;
        if (kinds[i] === 'unit') f.inc(p, elements * dtypes[i].itemsize);
        else if (kinds[i] === 'strided') f.inc(p, i32.mul(strides[i], elements));
      });
    };
    const unroll = kinds.includes('strided') ? 1 : 4;
    const n = f.local('i32');

    const storeMany = (output: number, value: V128, k: number) => {
      if (kinds[output] === 'unit') storeVector(f, type, dtypes[output], pointers[output], value, k);
      else this.storeLanes(output, value, k);
    };
    const storeOne = (output: number, value: V128) => storeFirst(f, type, dtypes[output], pointers[output], value);

    for (const group of grouped(spec.passes)) {
      const [pass] = group;
      const output = this.outputOf(pass);
      if ('value' in pass) {
        values.push(...single([pass.value]));
      } else if ('reduce' in pass) {
        const reductions = group as Reduction[];
        const exprs = reductions.map(({ expr }) => expr);
        const runs = reductions.map(({ reduce: combine }) => {
          const total = totalType(combine, type);
          return { combine, value: type, type: total, total: f.let(identity(combine, total)) };
        });
        const outputs = reductions.map((p) => this.outputOf(p));
        this.rewind();
        f.set(n, this.length);
        emitRun(f, runs, n, {
          unroll: Math.max(1, unroll / reductions.length),
          vector: (k) => {
            const xs = vector(exprs, k);
            outputs.forEach((o, r) => {
              if (o >= 0) storeMany(o, xs[r], k);
            });
            return xs;
          },
          single: () => {
            const xs = single(exprs);
            outputs.forEach((o, r) => {
              if (o >= 0) storeOne(o, xs[r]);
            });
            return xs;
          },
          advance,
        });
        for (const { total } of runs) values.push(f.let(splat(type, narrow(total, type))));
      } else if (this.isRow(output)) {
        storeFirst(f, type, dtypes[output], bases[output], single([pass.expr])[0]);
      } else {
        const sums = pass.sums ?? [];
        const exprs = [pass.expr, ...sums.map(({ expr }) => expr)];
        const places = sums.map((sum) => spec.inputs.length + sum.output);
        const plus = (a: V128, b: V128) => (type === 'f64' ? f64x2.add(a, b) : f32x4.add(a, b));
        this.rewind();
        f.set(n, this.length);
        for (const count of unroll > 1 ? [unroll, 1] : [1]) {
          f.while(i32.ge_u(n, lanes * count), () => {
            for (let k = 0; k < count; k++) {
              const [value, ...more] = vector(exprs, k);
              storeMany(output, value, k);
              places.forEach((o, s) => {
                const source = { dtype: dtypes[o], kind: 'unit' as const, pointer: pointers[o] };
                storeMany(o, plus(loadVector(f, source, lanes, k)[0], more[s]), k);
              });
            }
            advance(lanes * count);
            f.set(n, i32.sub(n, lanes * count));
          });
        }
        f.while(n, () => {
          const [value, ...more] = single(exprs);
          storeOne(output, value);
          places.forEach((o, s) => {
            storeOne(o, plus(loadSplat(dtypes[o], lanes, pointers[o])[0], more[s]));
          });
          advance(1);
          f.set(n, i32.sub(n, 1));
        });
      }
    }
  }

  /** Stores a vector's lanes apart. */
  private storeLanes(output: number, value: V128, k: number): void {
    const { f, type, lanes } = this;
    const step = this.strides[output];
    const packed = pack(f, type, this.dtypes[output], value).map((p) => f.let(p));
    const at = f.let(i32.add(this.pointers[output], i32.mul(step, k * lanes)));
    for (let lane = 0; lane < lanes; lane++) {
      f.do(storeElement(this.dtypes[output], packed, lane, at));
      f.inc(at, step);
    }
  }

  private unpacked(leaf: { dtype: DType; packed: Packed }): V128 {
    return this.f.let(unpack(this.f, leaf.dtype, this.type, leaf.packed));
  }

  /** Rows side by side: several vectors of them, or as many as are left. */
  private emitStrip(strip: I32): void {
    const { f, lanes, bases, kinds, dtypes } = this;
    const from = f.let(i32.mul(strip, lanes * ACROSS_VECTORS));
    const rows = f.let(i32.sub(i32.load(this.args, RowsWord.inner * 4), from));
    f.if(i32.gt_u(rows, lanes * ACROSS_VECTORS), () => f.set(rows, i32.const(lanes * ACROSS_VECTORS)));
    const shift = (by: I32) => {
      bases.forEach((base, i) => {
        if (kinds[i] === 'unit') f.inc(base, i32.mul(by, dtypes[i].itemsize));
      });
    };
    shift(from);
    const apart = kinds.map((): ElementKind => 'strided');
    const take = (count: number, body: () => void) => {
      f.while(i32.ge_u(rows, count), () => {
        body();
        shift(i32.const(count));
        f.set(rows, i32.sub(rows, count));
      });
    };
    take(lanes * ACROSS_VECTORS, () => this.emitRowsAcross(ACROSS_VECTORS));
    take(lanes, () => this.emitRowsAcross(1));
    take(1, () => this.emitRow(apart));
  }

  /** `count` vectors of rows, each row in its lane. */
  private emitRowsAcross(count: number): void {
    const { f, spec, pointers, bases, kinds, dtypes, type, lanes, evaluator } = this;
    const vectors = Array.from({ length: count }, (_, k) => k);
    const load = (k: number) => (i: number) => {
      const pointer = this.isRow(i) ? bases[i] : pointers[i];
      return { dtype: dtypes[i], packed: loadVector(f, { dtype: dtypes[i], kind: kinds[i], pointer }, lanes, k) };
    };
    // For each of the vectors: the rows' values so far, and the inputs that have one for each row.
    const values: V128[][] = vectors.map(() => []);
    const rowInputs = vectors.map((k) =>
      spec.inputs.map(({ kind }, i) => (kind === 'row' ? this.unpacked(load(k)(i)) : null)),
    );
    const vector = (expr: Expr, k: number, inline: boolean) =>
      evaluator.value(expr, this.leaf(values[k], rowInputs[k], load(k)), inline);
    const left = f.local('i32');
    const block = f.local('i32');

    for (const pass of spec.passes) {
      const output = this.outputOf(pass);
      const store = (value: V128, k: number) =>
        storeVector(f, type, dtypes[output], this.isRow(output) ? bases[output] : pointers[output], value, k);
      if ('value' in pass) {
        for (const k of vectors) values[k].push(f.let(vector(pass.value, k, false)));
      } else if ('reduce' in pass) {
        const { reduce, expr } = pass;
        const total = totalType(reduce, type);
        const accumulators = vectors.map(() => f.local('v128'));
        const totals = accumulators.map((a) =>
          widenVector(type, total, a).map(() => f.let(identityVector(reduce, total))),
        );
        this.rewind();
        f.set(left, this.length);
        f.while(left, () => {
          f.set(block, left);
          f.if(i32.gt_u(block, ROW_BLOCK), () => f.set(block, i32.const(ROW_BLOCK)));
          f.set(left, i32.sub(left, block));
          for (const a of accumulators) f.set(a, identityVector(reduce, type));
          f.loop((again) => {
            for (const k of vectors) {
              const x = f.let(vector(expr, k, true));
              if (output >= 0) store(x, k);
              f.set(accumulators[k], combineVectors(reduce, type, accumulators[k], x));
            }
            this.step();
            f.set(block, i32.sub(block, 1));
            f.brIf(again, block);
          });
          for (const k of vectors) {
            widenVector(type, total, accumulators[k]).forEach((part, half) => {
              f.set(totals[k][half], combineVectors(reduce, total, totals[k][half], f.let(part)));
            });
          }
        });
        for (const k of vectors) values[k].push(f.let(narrowVectors(total, type, totals[k])));
      } else if (this.isRow(output)) {
        for (const k of vectors) store(vector(pass.expr, k, false), k);
      } else {
        this.rewind();
        f.set(left, this.length);
        f.while(left, () => {
          for (const k of vectors) store(vector(pass.expr, k, true), k);
          this.step();
          f.set(left, i32.sub(left, 1));
        });
      }
    }
  }

  /** One element along all rows. */
  private step(): void {
    this.pointers.forEach((p, i) => {
      if (!this.isRow(i)) this.f.inc(p, this.strides[i]);
    });
  }
}
