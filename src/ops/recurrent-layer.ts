/**
 * One direction of a recurrent layer as one node: the input's part of all gates is one product, a step is one product and
 * one launch, and in backward the gradients of the weights are products over all steps.
 */
import { grad as gradientsOf } from '../autograd/backward.ts';
import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, shouldRecord } from '../autograd/record.ts';
import { copy, zero } from '../kernels/copy.ts';
import { matmul } from '../kernels/matmul.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { type CellKind, composedLayer, type LayerWeights, type Steps } from './recurrent-composed.ts';
import { cellKernels, partsOf, Window } from './recurrent-kernels.ts';

/** Rows beyond which weights are transposed once for all steps: for fewer, products with them as they lie are faster. */
const FEW_ROWS = 16;

type Result = [out: Tensor, h: Tensor, c: Tensor | null];

const NODES: Readonly<Record<CellKind, string>> = {
  lstm: 'MkldnnRnnLayerBackward0',
  gru: 'StackBackward0',
  tanh: 'StackBackward0',
  relu: 'StackBackward0',
};

/** x as [columns, rows], for a product: as it lies, or copied where there are many rows to multiply with. */
class Transposed {
  readonly operand: Window | Tensor;
  private readonly made: Tensor | null;

  constructor(x: Tensor, rows: number, times: number) {
    const flipped = x.detach().t();
    if (rows <= FEW_ROWS || times < 2) {
      this.made = null;
      this.operand = flipped;
      return;
    }
    this.made = like(x, [x.sizes[1], x.sizes[0]]);
    copy(this.made, flipped);
    this.operand = this.made;
  }

  free(): void {
    this.made?.storage.freeNow();
  }
}

function like(x: Tensor, sizes: number[]): Tensor {
  const out = emptyTensor(x.storage.backend, sizes, x.dtype);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  return out;
}

/** The sum of both biases, where both only ever occur together. */
function sumOf(biasIh: Tensor | null, biasHh: Tensor | null): Tensor | null {
  return biasIh === null ? null : biasIh.detach().add(biasHh!.detach());
}

/** Where the rows of a step continue those of another: `count` rows from row `from` of a buffer; null: of the first state. */
interface Piece {
  readonly to: number;
  readonly from: number | null;
  readonly count: number;
}

/** Where the state before step t is: in the rows of the step before it, and for rows that begin here in the first state. */
function piecesBefore({ starts, sizes, count }: Steps, t: number, reverse: boolean): Piece[] {
  const before = reverse ? t + 1 : t - 1;
  if (before < 0 || before >= count) return [{ to: 0, from: null, count: sizes[t] }];
  const there = Math.min(sizes[t], sizes[before]);
  const pieces: Piece[] = there === 0 ? [] : [{ to: 0, from: starts[before], count: there }];
  if (there < sizes[t]) pieces.push({ to: there, from: null, count: sizes[t] - there });
  return pieces;
}

/** Copies the states after which rows end to the rows of the last state. */
function lastStates(states: Tensor, steps: Steps, reverse: boolean, to: Tensor): void {
  const { starts, sizes, count } = steps;
  const [source, target] = [new Window(states), new Window(to)];
  if (count === 0) return;
  if (reverse) {
    copy(target.at(0, sizes[0]), source.at(starts[0], sizes[0]));
    return;
  }
  for (let t = 0; t < count; t++) {
    const next = t + 1 < count ? sizes[t + 1] : 0;
    if (sizes[t] > next) copy(target.at(next, sizes[t] - next), source.at(starts[t] + next, sizes[t] - next));
  }
}

/**
 * x: [rows, input], where rows may be two dimensions; h0: [batch, hidden], c0 of lstm alike. Projections are not for here.
 * @returns hidden states of all rows, and the last states
 */
export function fusedLayer(
  kind: CellKind,
  x: Tensor,
  steps: Steps,
  h0: Tensor,
  c0: Tensor | null,
  weights: LayerWeights,
  reverse: boolean,
): Result {
  const dense = x.contiguous();
  const [first, cell] = [h0.contiguous(), c0 === null ? null : c0.contiguous()];
  const inputs = [dense, first, cell, weights.ih, weights.hh, weights.biasIh, weights.biasHh];
  const keep = shouldRecord(inputs);
  const made = forward(kind, dense, steps, first, cell, weights, reverse, keep);
  const { out, h, c, gates, stateGates, cells } = made;
  if (!keep) return [out, h, c];
  const outputs: (Tensor | null)[] = c === null ? [out, h] : [out, h, c];
  const save = [...inputs, gates, stateGates, cells, out];
  record(NODES[kind], outputs, inputs, save, backward(kind, steps, reverse));
  // The graph alone knows these from here on.
  gates?.drop();
  stateGates?.drop();
  cells?.drop();
  return [out, h, c];
}

interface Made {
  out: Tensor;
  h: Tensor;
  c: Tensor | null;
  /** What backward needs, if it was to be kept. Of lstm: all gates; of gru: the input's part of them. */
  gates: Tensor | null;
  /** The state's part of gru's gates. */
  stateGates: Tensor | null;
  /** Cell states of all rows. */
  cells: Tensor | null;
}

function forward(
  kind: CellKind,
  x: Tensor,
  steps: Steps,
  h0: Tensor,
  c0: Tensor | null,
  weights: LayerWeights,
  reverse: boolean,
  keep: boolean,
): Made {
  const { count, starts, total, batch } = steps;
  const hidden = weights.hh.sizes[1];
  const width = weights.hh.sizes[0];
  const isGru = kind === 'gru';
  const out = like(x, [...x.sizes.slice(0, -1), hidden]);
  const h = like(h0, [batch, hidden]);
  // A plain cell's gate is its hidden state before the activation, in the same place.
  const gates = kind === 'lstm' || isGru ? like(x, [total, width]) : out;
  const stateGates = isGru ? like(x, [keep ? total : batch, width]) : null;
  const cells = c0 === null ? null : like(x, [total, hidden]);
  const both = isGru ? null : sumOf(weights.biasIh, weights.biasHh);
  const bias = isGru ? weights.biasIh : both;
  matmul(new Window(gates), new Window(x), weights.ih.detach().t(), bias, 1, bias === null ? 0 : 1);
  both?.storage.freeNow();
  const product = new Transposed(weights.hh, batch, count);
  const { forward: kernel } = cellKernels(kind, x.dtype);
  const [outRows, gateRows, before] = [new Window(out), new Window(gates), new Window(out)];
  const first = new Window(h0);
  const stateRows = stateGates === null ? null : new Window(stateGates);
  const parts = partsOf(gates, gates === out ? 1 : width / hidden);
  const stateParts = stateGates === null ? [] : partsOf(stateGates, 3);
  const cellRows = cells === null ? null : new Window(cells);
  const cellBefore = cells === null ? null : new Window(cells);
  const firstCell = c0 === null ? null : new Window(c0);
  for (let k = 0; k < count; k++) {
    const t = reverse ? count - 1 - k : k;
    for (const piece of piecesBefore(steps, t, reverse)) {
      const row = starts[t] + piece.to;
      const state = piece.from === null ? first.at(piece.to, piece.count) : before.at(piece.from, piece.count);
      const target = gateRows.at(row, piece.count);
      if (stateRows === null) matmul(target, state, product.operand, target, 1, 1);
      else {
        // What nobody keeps is written over at the next step.
        const there = stateRows.at(keep ? row : piece.to, piece.count);
        matmul(there, state, product.operand, weights.biasHh, 1, weights.biasHh === null ? 0 : 1);
      }
      const ins = parts.map((part) => part.at(row, piece.count));
      for (const part of stateParts) ins.push(part.at(keep ? row : piece.to, piece.count));
      const next = outRows.at(row, piece.count);
      if (kind === 'lstm') {
        const cell =
          piece.from === null ? firstCell!.at(piece.to, piece.count) : cellBefore!.at(piece.from, piece.count);
        kernel.launchMany([next, cellRows!.at(row, piece.count)], [...ins, cell]);
      } else if (isGru) kernel.launch(next, [...ins, state]);
      else kernel.launch1(next, next);
    }
  }
  product.free();
  lastStates(out, steps, reverse, h);
  let c: Tensor | null = null;
  if (cells !== null) lastStates(cells, steps, reverse, (c = like(h0, [batch, hidden])));
  if (keep) return { out, h, c, gates: gates === out ? null : gates, stateGates, cells };
  if (gates !== out) gates.storage.freeNow();
  stateGates?.storage.freeNow();
  cells?.storage.freeNow();
  return { out, h, c, gates: null, stateGates: null, cells: null };
}

function backward(kind: CellKind, steps: Steps, reverse: boolean): BackwardFunction {
  return (grads, saved, node) => {
    const [x, h0, c0, ih, hh, biasIh, biasHh, gates, stateGates, cells, out] = saved;
    const weights: LayerWeights = { ih, hh, biasIh, biasHh, hr: null };
    const needs = Array.from({ length: 7 }, (_, i) => node.needs(i));
    if (mode.grad) {
      // Computed anew from other ops, whose gradients have gradients.
      const again = composedLayer(kind, x, steps, h0, c0, weights, reverse);
      const given = again.map((_, i) => grads[i] ?? null);
      const outputs = again.filter((y, i) => y !== null && given[i] !== null) as Tensor[];
      const inputs = [x, h0, c0, ih, hh, biasIh, biasHh];
      const wanted = inputs.filter((y, i) => y !== null && needs[i]);
      const found = gradientsOf(
        outputs,
        wanted,
        given.filter((g) => g !== null),
        { create_graph: true, allow_unused: true },
      );
      let next = 0;
      return inputs.map((y, i) => (y !== null && needs[i] ? found[next++] : null));
    }
    const result = gradients(kind, steps, reverse, grads, { x, h0, c0, weights, gates, stateGates, cells, out }, needs);
    for (const part of [gates, stateGates, cells]) part?.drop();
    return result;
  };
}

interface Saved {
  x: Tensor;
  h0: Tensor;
  c0: Tensor | null;
  weights: LayerWeights;
  gates: Tensor | null;
  stateGates: Tensor | null;
  cells: Tensor | null;
  out: Tensor;
}

/** A gradient that the steps go on with: of the last state, or zeros. */
function begun(given: Tensor | null | undefined, like0: Tensor): Tensor {
  const grad = like(like0, [...like0.sizes]);
  if (given === null || given === undefined) zero(grad);
  else copy(grad, given);
  return grad;
}

function gradients(
  kind: CellKind,
  steps: Steps,
  reverse: boolean,
  grads: readonly (Tensor | null)[],
  { x, h0, c0, weights, gates, stateGates, cells, out }: Saved,
  needs: readonly boolean[],
): (Tensor | null)[] {
  const { count, starts, total } = steps;
  const { hh, ih } = weights;
  const [width, hidden] = hh.sizes;
  const isGru = kind === 'gru';
  const gradOut = grads[0] === null ? null : grads[0].contiguous();
  const dh = begun(grads[1], h0);
  const dc = c0 === null ? null : begun(grads[2], c0);
  const gradGates = like(x, [total, width]);
  const gradState = isGru ? like(x, [total, width]) : gradGates;
  let none: Tensor | null = null;
  if (gradOut === null) zero((none = like(h0, [...h0.sizes])));
  const { backward: kernel } = cellKernels(kind, x.dtype);
  const gateParts = gates === null ? [] : partsOf(gates, width / hidden);
  const stateParts = stateGates === null ? [] : partsOf(stateGates, 3);
  const targets = [...partsOf(gradGates, width / hidden), ...(isGru ? partsOf(gradState, 3) : [])];
  const outRows = new Window(out);
  const before = new Window(out);
  const gradRows = gradOut === null ? null : new Window(gradOut);
  const noRows = none === null ? null : new Window(none);
  const [dhRows, dhTarget, stateRows] = [new Window(dh), new Window(dh), new Window(gradState)];
  const dcRows = dc === null ? null : new Window(dc);
  const first = new Window(h0);
  const firstCell = c0 === null ? null : new Window(c0);
  const cellBefore = cells === null ? null : new Window(cells);
  for (let k = count - 1; k >= 0; k--) {
    const t = reverse ? count - 1 - k : k;
    for (const piece of piecesBefore(steps, t, reverse)) {
      const row = starts[t] + piece.to;
      const rows = piece.count;
      const outs: Window[] = targets.map((part) => part.at(row, rows));
      const above = gradRows === null ? noRows!.at(piece.to, rows) : gradRows.at(row, rows);
      const flow = dhRows.at(piece.to, rows);
      if (kind === 'lstm') {
        const cell = piece.from === null ? firstCell!.at(piece.to, rows) : cellBefore!.at(piece.from, rows);
        const cellFlow = dcRows!.at(piece.to, rows);
        outs.push(cellFlow);
        kernel.launchMany(outs, [...gateParts.map((part) => part.at(row, rows)), cell, above, flow, cellFlow]);
      } else if (isGru) {
        const state = piece.from === null ? first.at(piece.to, rows) : before.at(piece.from, rows);
        const ins = [...gateParts, ...stateParts].map((part) => part.at(row, rows));
        outs.push(flow);
        kernel.launchMany(outs, [...ins, state, above, flow]);
      } else kernel.launchMany(outs, [outRows.at(row, rows), above, flow]);
      // Through the weights to the state before; gru's has also a part that went past them.
      const target = dhTarget.at(piece.to, rows);
      matmul(target, stateRows.at(row, rows), hh, isGru ? target : null, 1, isGru ? 1 : 0);
    }
  }
  none?.storage.freeNow();
  const gradX = needs[0] ? like(x, [...x.sizes]) : null;
  if (gradX !== null) matmul(new Window(gradX), gradGates, ih, null, 1, 0);
  const gradIh = needs[3] ? like(ih, [...ih.sizes]) : null;
  if (gradIh !== null) matmul(gradIh, gradGates.t(), new Window(x), null, 1, 0);
  const gradHh = needs[4] ? like(hh, [...hh.sizes]) : null;
  if (gradHh !== null) weightGradient(gradHh, gradState, out, h0, steps, reverse);
  const gradBias = needs[5] || (needs[6] && !isGru) ? gradGates.sum(0) : null;
  const gradBiasHh = needs[6] ? (isGru ? gradState.sum(0) : needs[5] ? gradBias!.clone() : gradBias) : null;
  gradGates.storage.freeNow();
  if (isGru) gradState.storage.freeNow();
  const given = (i: number, grad: Tensor | null): Tensor | null => {
    if (needs[i]) return grad;
    grad?.storage.freeNow();
    return null;
  };
  return [gradX, given(1, dh), given(2, dc), gradIh, gradHh, needs[5] ? gradBias : null, gradBiasHh];
}

/** Gates' gradients times the states before: runs of steps that follow one another without a gap are one product. */
function weightGradient(to: Tensor, gradGates: Tensor, out: Tensor, h0: Tensor, steps: Steps, reverse: boolean): void {
  const { starts, count } = steps;
  const [gates, states, first] = [new Window(gradGates), new Window(out), new Window(h0)];
  let begun = false;
  const add = (row: number, rows: number, from: number | null, at: number) => {
    const left = flipped(gates.at(row, rows));
    const right = from === null ? first.at(at, rows) : states.at(from, rows);
    matmul(to, left, right, begun ? to : null, 1, begun ? 1 : 0);
    begun = true;
  };
  let run: { row: number; from: number; count: number } | null = null;
  const flush = () => {
    if (run !== null) add(run.row, run.count, run.from, 0);
    run = null;
  };
  for (let t = 0; t < count; t++) {
    for (const { to: at, from, count: rows } of piecesBefore(steps, t, reverse)) {
      const row = starts[t] + at;
      if (from === null) add(row, rows, null, at);
      else if (run !== null && run.row + run.count === row && run.from + run.count === from) run.count += rows;
      else {
        flush();
        run = { row, from, count: rows };
      }
    }
  }
  flush();
  if (!begun) zero(to);
}

/** The window's rows as columns. */
function flipped({ storage, dtype, offset, sizes, strides, length }: Window) {
  return { storage, dtype, offset, sizes: [sizes[1], sizes[0]], strides: [strides[1], strides[0]], length };
}
