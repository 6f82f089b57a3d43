/**
 * Recurrent cells and layers made of other ops, so that they can be differentiated any number of times: the cells that
 * programs call themselves, layers with projections, and second derivatives of the fused layers.
 */
import type { Tensor } from '../tensor/tensor.ts';
import { cat } from './join.ts';

export type CellKind = 'lstm' | 'gru' | 'tanh' | 'relu';

/** How many rows of weights each unit has. */
export const GATES: Readonly<Record<CellKind, number>> = { lstm: 4, gru: 3, tanh: 1, relu: 1 };

/** Which rows of a batch are there at each step. */
export interface Steps {
  readonly count: number;
  /** Rows before each step. */
  readonly starts: readonly number[];
  /** Rows of each step: never more than at the step before. */
  readonly sizes: readonly number[];
  /** Rows of the first step. */
  readonly batch: number;
  /** Rows of all steps. */
  readonly total: number;
}

export function stepsOf(sizes: readonly number[]): Steps {
  const starts: number[] = [];
  let total = 0;
  for (const size of sizes) {
    starts.push(total);
    total += size;
  }
  return { count: sizes.length, starts, sizes, batch: sizes.length === 0 ? 0 : sizes[0], total };
}

/** One direction of a layer. */
export interface LayerWeights {
  /** [gates * hidden, input] */
  readonly ih: Tensor;
  /** [gates * hidden, hidden] (projected: projection) */
  readonly hh: Tensor;
  readonly biasIh: Tensor | null;
  readonly biasHh: Tensor | null;
  /** [projection, hidden] */
  readonly hr: Tensor | null;
}

/** x @ weight.T + bias. */
export function linear(x: Tensor, weight: Tensor, bias: Tensor | null): Tensor {
  return bias === null ? x.mm(weight.t()) : bias.addmm(x, weight.t());
}

/**
 * One step of a cell.
 *
 * @param fromInput the input's part of the gates, its bias added: [rows, gates * hidden]
 * @returns the hidden state, and of lstm the cell state
 */
export function step(
  kind: CellKind,
  fromInput: Tensor,
  h: Tensor,
  c: Tensor | null,
  { hh, biasHh, hr }: LayerWeights,
): [h: Tensor, c: Tensor | null] {
  const fromState = linear(h, hh, biasHh);
  if (kind === 'tanh') return [fromInput.add(fromState).tanh(), null];
  if (kind === 'relu') return [fromInput.add(fromState).relu(), null];
  if (kind === 'gru') {
    const [xr, xz, xn] = fromInput.chunk(3, 1);
    const [hr, hz, hn] = fromState.chunk(3, 1);
    const update = xz.add(hz).sigmoid();
    const fresh = xn.add(xr.add(hr).sigmoid().mul(hn)).tanh();
    return [h.sub(fresh).mul(update).add(fresh), null];
  }
  const [i, f, g, o] = fromInput.add(fromState).chunk(4, 1);
  const cell = f.sigmoid().mul(c!).add(i.sigmoid().mul(g.tanh()));
  const hidden = o.sigmoid().mul(cell.tanh());
  return [hr === null ? hidden : hidden.mm(hr.t()), cell];
}

/** State as steps begin and end: rows that are done wait in `done`, rows that are not yet there are in `first`. */
class State {
  private readonly done: Tensor[] = [];

  constructor(
    private readonly first: Tensor,
    private readonly reverse: boolean,
    public now: Tensor,
  ) {}

  /** Before a step of so many rows. */
  fit(rows: number): Tensor {
    const have = this.now.sizes[0];
    if (rows < have) {
      this.done.unshift(this.now.narrow(0, rows, have - rows));
      this.now = this.now.narrow(0, 0, rows);
    } else if (rows > have) {
      const more = this.first.narrow(0, have, rows - have);
      this.now = have === 0 ? more : cat([this.now, more]);
    }
    return this.now;
  }

  get last(): Tensor {
    return this.reverse || this.done.length === 0 ? this.now : cat([this.now, ...this.done]);
  }
}

/**
 * One direction of a layer over all steps. x: [rows, input], where rows may be two dimensions. Returns the hidden states of
 * all rows, and the last states.
 */
export function composedLayer(
  kind: CellKind,
  x: Tensor,
  steps: Steps,
  h0: Tensor,
  c0: Tensor | null,
  weights: LayerWeights,
  reverse: boolean,
): [out: Tensor, h: Tensor, c: Tensor | null] {
  const wide = x.sizes.length > 2;
  const fromInput = linear(wide ? x.flatten(0, -2) : x, weights.ih, weights.biasIh);
  const { count, starts, sizes } = steps;
  const rows = reverse ? (count === 0 ? 0 : sizes[count - 1]) : steps.batch;
  const hidden = new State(h0, reverse, h0.narrow(0, 0, rows));
  const cell = c0 === null ? null : new State(c0, reverse, c0.narrow(0, 0, rows));
  const outs = new Array<Tensor>(count);
  for (let k = 0; k < count; k++) {
    const t = reverse ? count - 1 - k : k;
    const h = hidden.fit(sizes[t]);
    const c = cell === null ? null : cell.fit(sizes[t]);
    const [nextH, nextC] = step(kind, fromInput.narrow(0, starts[t], sizes[t]), h, c, weights);
    hidden.now = outs[t] = nextH;
    if (cell !== null) cell.now = nextC!;
  }
  const out = cat(outs);
  const shaped = wide ? out.view([...x.sizes.slice(0, -1), out.sizes[1]]) : out;
  return [shaped, hidden.last, cell === null ? null : cell.last];
}
