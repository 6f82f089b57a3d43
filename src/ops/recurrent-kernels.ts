/**
 * The launches of a recurrent step beside its matrix products: gates to states, and the gradients of gates and states. A
 * step's operands are rows of large buffers, so a launch is described by windows that move from step to step.
 */
import type { DType } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import * as e from '../kernels/expr.ts';
import type { Expr } from '../kernels/expr.ts';
import { MapKernel } from '../kernels/map.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { CellKind } from './recurrent-composed.ts';

/** Some rows of a matrix, and of its columns one of several equal parts. */
export class Window implements Operand<Storage> {
  readonly storage: Storage;
  readonly dtype: DType;
  offset: number;
  readonly sizes: [number, number];
  readonly strides: readonly [number, number];
  length: number;
  private readonly base: number;

  /**
   * @param x [rows, columns], contiguous
   * @param part which of `parts` parts of the columns
   */
  constructor(x: Tensor, part = 0, parts = 1) {
    const columns = x.sizes[x.sizes.length - 1];
    this.storage = x.storage;
    this.dtype = x.dtype;
    const width = columns / parts;
    this.base = x.offset + part * width;
    this.offset = this.base;
    this.sizes = [x.length === 0 ? 0 : x.length / columns, width];
    this.strides = [columns, 1];
    this.length = this.sizes[0] * width;
  }

  /** Moves to other rows. */
  at(start: number, rows: number): this {
    this.offset = this.base + start * this.strides[0];
    this.sizes[0] = rows;
    this.length = rows * this.sizes[1];
    return this;
  }
}

/** The equal parts of the columns: one for each gate. */
export function partsOf(x: Tensor, parts: number): Window[] {
  return Array.from({ length: parts }, (_, part) => new Window(x, part, parts));
}

interface Pair {
  readonly forward: MapKernel;
  readonly backward: MapKernel;
}

const built = new Map<CellKind, (Pair | undefined)[]>();

/** The launches of a cell's steps for a dtype. */
export function cellKernels(kind: CellKind, dtype: DType): Pair {
  let list = built.get(kind);
  if (list === undefined) built.set(kind, (list = []));
  return (list[dtype.index] ??= build(kind, dtype));
}

function build(kind: CellKind, dtype: DType): Pair {
  const { inputs, forward, backwardInputs, backward } = FORMS[kind];
  const make = (name: string, exprs: readonly Expr[], count: number) =>
    new MapKernel({
      name,
      outputs: exprs.map((expr) => ({ expr, dtype })),
      inputs: new Array<DType>(count).fill(dtype),
      compute: dtype,
    });
  const name = kind === 'lstm' || kind === 'gru' ? kind : 'rnn';
  return {
    forward: make(`${name} step`, forward, inputs),
    backward: make(`${name} step backward`, backward, backwardInputs),
  };
}

interface Form {
  /** How many inputs a step has. */
  readonly inputs: number;
  readonly forward: readonly Expr[];
  readonly backwardInputs: number;
  readonly backward: readonly Expr[];
}

const at = e.input;
/** x * (1 - x), the slope of a sigmoid. */
const slope = (x: Expr): Expr => e.mul(x, e.sub(1, x));
const tanhSlope = (x: Expr): Expr => e.sub(1, e.mul(x, x));

/** Inputs: the gates i, f, g, o; the cell state before. Outputs: hidden state, cell state. */
function lstm(): Form {
  const [i, f, o] = [e.sigmoid(at(0)), e.sigmoid(at(1)), e.sigmoid(at(3))];
  const g = e.tanh(at(2));
  const cell = e.add(e.mul(f, at(4)), e.mul(i, g));
  // Backward has besides: the gradient of the output, of the hidden state, of the cell state. Outputs: those of the gates, of
  // the cell state before.
  const bent = e.tanh(cell);
  const dh = e.add(at(5), at(6));
  const dc = e.add(at(7), e.mul(e.mul(dh, o), tanhSlope(bent)));
  return {
    inputs: 5,
    forward: [e.mul(o, e.tanh(cell)), cell],
    backwardInputs: 8,
    backward: [
      e.mul(e.mul(dc, g), slope(i)),
      e.mul(e.mul(dc, at(4)), slope(f)),
      e.mul(e.mul(dc, i), tanhSlope(g)),
      e.mul(e.mul(dh, bent), slope(o)),
      e.mul(dc, f),
    ],
  };
}

/** Inputs: the input's r, z, n; the state's r, z, n; the hidden state before. Output: hidden state. */
function gru(): Form {
  const r = e.sigmoid(e.add(at(0), at(3)));
  const z = e.sigmoid(e.add(at(1), at(4)));
  const n = e.tanh(e.add(at(2), e.mul(r, at(5))));
  const h = at(6);
  // Backward has besides: the gradient of the output, of the hidden state. Outputs: those of the input's gates, of the
  // state's gates, of the hidden state before as far as it does not go through the gates.
  const dh = e.add(at(7), at(8));
  const dn = e.mul(e.mul(dh, e.sub(1, z)), tanhSlope(n));
  const dr = e.mul(e.mul(dn, at(5)), slope(r));
  const dz = e.mul(e.mul(dh, e.sub(h, n)), slope(z));
  return {
    inputs: 7,
    forward: [e.add(e.mul(e.sub(h, n), z), n)],
    backwardInputs: 9,
    backward: [dr, dz, dn, dr, dz, e.mul(dn, r), e.mul(dh, z)],
  };
}

/** Input: the gate. Output: hidden state. Backward's inputs: hidden state, gradients of the output and of the hidden state. */
function plain(activate: (x: Expr) => Expr, gradient: (h: Expr, dh: Expr) => Expr): Form {
  return {
    inputs: 1,
    forward: [activate(at(0))],
    backwardInputs: 3,
    backward: [gradient(at(0), e.add(at(1), at(2)))],
  };
}

const FORMS: Readonly<Record<CellKind, Form>> = {
  lstm: lstm(),
  gru: gru(),
  tanh: plain(e.tanh, (h, dh) => e.mul(dh, tanhSlope(h))),
  relu: plain(
    (x) => e.maximum(x, 0),
    (h, dh) => e.where(e.gt(h, 0), dh, 0),
  ),
};
