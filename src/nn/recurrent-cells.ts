/** `nn.RNNCell`, `nn.LSTMCell`, `nn.GRUCell` and their base: one step at a time. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { RuntimeError, ValueError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty, gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell, zeros } from '../torch/named.ts';
import { uniform_ } from './init.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyRepr } from './text.ts';

export interface CellOptions extends FactoryOptions {
  /** Default: true. */
  bias?: boolean;
}

export interface RNNCellOptions extends CellOptions {
  /** Default: tanh. */
  nonlinearity?: 'tanh' | 'relu';
}

const BASE = Signature.of(
  'RNNCellBase.__init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None)',
);

/** The base of cells: their weights. */
export class RNNCellBase extends Module {
  declare input_size: number;
  declare hidden_size: number;
  declare bias: boolean;
  /** [gates * hidden_size, input_size] */
  declare weight_ih: Parameter;
  /** [gates * hidden_size, hidden_size] */
  declare weight_hh: Parameter;
  /** [gates * hidden_size] */
  declare bias_ih: Parameter | null;
  /** [gates * hidden_size] */
  declare bias_hh: Parameter | null;

  constructor(input_size: number, hidden_size: number, bias: boolean, num_chunks: number, options?: FactoryOptions);
  constructor(...args: unknown[]) {
    super();
    const [input_size, hidden_size, bias, num_chunks, device, dtype] = BASE.bind(args) as [
      number,
      number,
      boolean,
      number,
      DeviceLike | null,
      DType | null,
    ];
    const make = (...sizes: number[]) => makeParameter(empty(sizes, { device, dtype }), true);
    const rows = num_chunks * hidden_size;
    this.input_size = input_size;
    this.hidden_size = hidden_size;
    this.bias = bias;
    this.register_parameter('weight_ih', make(rows, input_size));
    this.register_parameter('weight_hh', make(rows, hidden_size));
    this.register_parameter('bias_ih', bias ? make(rows) : null);
    this.register_parameter('bias_hh', bias ? make(rows) : null);
    this.reset_parameters();
  }

  /** Draws all weights anew, from -1/sqrt(hidden_size) to 1/sqrt(hidden_size). */
  reset_parameters(): void {
    const bound = this.hidden_size > 0 ? 1 / Math.sqrt(this.hidden_size) : 0;
    for (const weight of this.parameters()) uniform_(weight, -bound, bound);
  }

  /** Input and states with a batch dimension. */
  protected prepare(
    input: Tensor,
    states: readonly Tensor[] | null,
    count: number,
  ): { x: Tensor; states: Tensor[]; batched: boolean } {
    const { name } = this.constructor;
    const rank = input.sizes.length;
    if (rank !== 1 && rank !== 2) {
      throw new ValueError(`${name}: Expected input to be 1D or 2D, got ${rank}D instead`);
    }
    states?.forEach((state, i) => {
      const own = state.sizes.length;
      if (own === 1 || own === 2) return;
      const what = count === 1 ? 'hidden' : `hx[${i}]`;
      throw new ValueError(`${name}: Expected ${what} to be 1D or 2D, got ${own}D instead`);
    });
    const batched = rank === 2;
    const x = batched ? input : input.unsqueeze(0);
    if (states === null) {
      const zero = zeros([x.sizes[0], this.hidden_size], { dtype: x.dtype, device: x.device });
      return { x, states: new Array<Tensor>(count).fill(zero), batched };
    }
    return { x, states: states.map((state) => (batched ? state : state.unsqueeze(0))), batched };
  }

  override extra_repr(): string {
    let text = `${this.input_size}, ${this.hidden_size}`;
    if (!this.bias) text += `, bias=${pyRepr(this.bias)}`;
    const { nonlinearity } = this as { nonlinearity?: string };
    if (nonlinearity !== undefined && nonlinearity !== 'tanh') text += `, nonlinearity=${nonlinearity}`;
    return text;
  }
}

const RNN_INIT = Signature.of(
  "RNNCell.__init__(self, input_size, hidden_size, bias=True, nonlinearity='tanh', device=None, dtype=None)",
);
const RNN_FORWARD = Signature.of('RNNCell.forward(self, input, hx=None)');

/** h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu. */
export class RNNCell extends RNNCellBase {
  declare nonlinearity: 'tanh' | 'relu';

  constructor(input_size: number, hidden_size: number, options?: RNNCellOptions);
  constructor(input_size: number, hidden_size: number, bias: boolean, options?: RNNCellOptions);
  constructor(...args: unknown[]) {
    const [inputs, hidden, bias, nonlinearity, device, dtype] = RNN_INIT.bind(args) as [
      number,
      number,
      boolean,
      'tanh' | 'relu',
      DeviceLike | null,
      DType | null,
    ];
    super(inputs, hidden, bias, 1, { device, dtype });
    this.nonlinearity = nonlinearity;
  }

  /** Input [N, input_size] and hidden state [N, hidden_size] (none: zeros) give the next one; N may be left out. */
  override forward(input: Tensor, hx?: Tensor | null): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input, hx] = RNN_FORWARD.bind(args) as [Tensor, Tensor | null];
    const { x, states, batched } = this.prepare(input, hx === null ? null : [hx], 1);
    if (this.nonlinearity !== 'tanh' && this.nonlinearity !== 'relu') {
      throw new RuntimeError(`Unknown nonlinearity: ${String(this.nonlinearity)}`);
    }
    const cell = this.nonlinearity === 'tanh' ? rnn_tanh_cell : rnn_relu_cell;
    const h = cell(x, states[0], this.weight_ih, this.weight_hh, this.bias_ih, this.bias_hh);
    return batched ? h : h.squeeze(0);
  }
}

const INIT = (name: string) =>
  Signature.of(`${name}.__init__(self, input_size, hidden_size, bias=True, device=None, dtype=None)`);
type Bound = [number, number, boolean, DeviceLike | null, DType | null];

const LSTM_INIT = INIT('LSTMCell');
const LSTM_FORWARD = Signature.of('LSTMCell.forward(self, input, hx=None)');

/** One step of long short-term memory. */
export class LSTMCell extends RNNCellBase {
  constructor(input_size: number, hidden_size: number, options?: CellOptions);
  constructor(input_size: number, hidden_size: number, bias: boolean, options?: CellOptions);
  constructor(...args: unknown[]) {
    const [inputs, hidden, bias, device, dtype] = LSTM_INIT.bind(args) as Bound;
    super(inputs, hidden, bias, 4, { device, dtype });
  }

  /** Input [N, input_size], hidden and cell state [N, hidden_size] (none: zeros) give the next states; N may be left out. */
  override forward(input: Tensor, hx?: readonly [h: Tensor, c: Tensor] | null): [h: Tensor, c: Tensor];
  override forward(...args: unknown[]): [h: Tensor, c: Tensor] {
    const [input, hx] = LSTM_FORWARD.bind(args) as [Tensor, [Tensor, Tensor] | null];
    const { x, states, batched } = this.prepare(input, hx, 2);
    const [h, c] = lstm_cell(x, states, this.weight_ih, this.weight_hh, this.bias_ih, this.bias_hh);
    return batched ? [h, c] : [h.squeeze(0), c.squeeze(0)];
  }
}

const GRU_INIT = INIT('GRUCell');
const GRU_FORWARD = Signature.of('GRUCell.forward(self, input, hx=None)');

/** One step of gated recurrent units. */
export class GRUCell extends RNNCellBase {
  constructor(input_size: number, hidden_size: number, options?: CellOptions);
  constructor(input_size: number, hidden_size: number, bias: boolean, options?: CellOptions);
  constructor(...args: unknown[]) {
    const [inputs, hidden, bias, device, dtype] = GRU_INIT.bind(args) as Bound;
    super(inputs, hidden, bias, 3, { device, dtype });
  }

  /** Input [N, input_size] and hidden state [N, hidden_size] (none: zeros) give the next one; N may be left out. */
  override forward(input: Tensor, hx?: Tensor | null): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [input, hx] = GRU_FORWARD.bind(args) as [Tensor, Tensor | null];
    const { x, states, batched } = this.prepare(input, hx === null ? null : [hx], 1);
    const h = gru_cell(x, states[0], this.weight_ih, this.weight_hh, this.bias_ih, this.bias_hh);
    return batched ? h : h.squeeze(0);
  }
}
