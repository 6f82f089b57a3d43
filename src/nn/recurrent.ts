/** `nn.RNN`, `nn.LSTM`, `nn.GRU` and their base. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { RuntimeError, ValueError } from '../core/errors.ts';
import { isOptions } from '../core/signature.ts';
import { sameSizes } from '../core/shape.ts';
import { warn } from '../core/warn.ts';
import { autocast } from '../amp/state.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty, gru, lstm, rnn_relu, rnn_tanh, zeros } from '../torch/named.ts';
import { uniform_ } from './init.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyList, pyNumber, pyRepr, pyTuple, pyTypeName } from './text.ts';
import { PackedSequence } from './utils/rnn.ts';

export interface RecurrentOptions extends FactoryOptions {
  /** Layers, each over the output of the one before. Default: 1. */
  num_layers?: number;
  /** Default: true. */
  bias?: boolean;
  /** Whether input and output are [batch, steps, features] and not [steps, batch, features]. */
  batch_first?: boolean;
  /** Of the output of each layer but the last. Default: 0. */
  dropout?: number;
  /** Whether each layer also goes from the end to the beginning. */
  bidirectional?: boolean;
}

export interface RNNOptions extends RecurrentOptions {
  /** Default: tanh. */
  nonlinearity?: 'tanh' | 'relu';
}

export interface LSTMOptions extends RecurrentOptions {
  /** Features that hidden states are projected to; 0 (default): they are not. */
  proj_size?: number;
}

type Mode = 'LSTM' | 'GRU' | 'RNN_TANH' | 'RNN_RELU';
const GATES: Readonly<Record<Mode, number>> = { LSTM: 4, GRU: 3, RNN_TANH: 1, RNN_RELU: 1 };

const REST =
  'num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, proj_size=0, device=None, dtype=None';
const BASE = Signature.of(`RNNBase.__init__(self, mode, input_size, hidden_size, ${REST})`);

function checkInteger(value: unknown, name: string): void {
  if (!Number.isInteger(value)) throw new TypeError(`${name} should be of type int, got: ${pyTypeName(value)}`);
  if ((value as number) <= 0) throw new ValueError(`${name} must be greater than zero`);
}

function checkFlag(value: unknown, name: string): void {
  if (typeof value !== 'boolean') throw new TypeError(`${name} should be of type bool, got: ${pyTypeName(value)}`);
}

/** The base of recurrent modules: their weights, by layer and direction. */
export class RNNBase extends Module {
  declare mode: Mode;
  declare input_size: number;
  declare hidden_size: number;
  declare num_layers: number;
  declare bias: boolean;
  declare batch_first: boolean;
  declare dropout: number;
  declare bidirectional: boolean;
  declare proj_size: number;
  /** Names of the weights of each direction of each layer. */
  declare private _all_weights: string[][];

  constructor(mode: Mode, ...args: unknown[]) {
    const bound = BASE.bind([mode, ...args]);
    const [, inputs, hidden, layers, bias, batchFirst, dropout] = bound as [
      Mode,
      number,
      number,
      number,
      boolean,
      boolean,
      number,
    ];
    const [bidirectional, projection, device, dtype] = bound.slice(7) as [
      boolean,
      number,
      DeviceLike | null,
      DType | null,
    ];
    super();
    if (typeof dropout !== 'number' || !(dropout >= 0 && dropout <= 1)) {
      throw new ValueError(
        'dropout should be a number in range [0, 1] representing the probability of an element being zeroed',
      );
    }
    if (dropout > 0 && layers === 1) {
      warn(
        `dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater than 1, but got dropout=${pyNumber(dropout)} and num_layers=${layers}`,
      );
    }
    checkFlag(bias, 'bias');
    checkFlag(batchFirst, 'batch_first');
    checkInteger(inputs, 'input_size');
    checkInteger(hidden, 'hidden_size');
    if (!(layers > 0)) throw new ValueError('num_layers must be greater than zero');
    if (projection < 0) {
      throw new ValueError('proj_size should be a positive integer or zero to disable projections');
    }
    if (projection >= hidden) throw new ValueError('proj_size has to be smaller than hidden_size');
    if (!(mode in GATES)) throw new ValueError(`Unrecognized RNN mode: ${String(mode)}`);
    this.mode = mode;
    this.input_size = inputs;
    this.hidden_size = hidden;
    this.num_layers = layers;
    this.bias = bias;
    this.batch_first = batchFirst;
    this.dropout = dropout;
    this.bidirectional = bidirectional;
    this.proj_size = projection;
    this._all_weights = [];
    this.makeWeights((...sizes) => makeParameter(empty(sizes, { device, dtype }), true));
    this.reset_parameters();
  }

  private makeWeights(make: (...sizes: number[]) => Parameter): void {
    const { hidden_size: hidden, proj_size: projection } = this;
    const gates = GATES[this.mode] * hidden;
    const state = projection > 0 ? projection : hidden;
    const directions = this.directions;
    for (let layer = 0; layer < this.num_layers; layer++) {
      const inputs = layer === 0 ? this.input_size : state * directions;
      for (let direction = 0; direction < directions; direction++) {
        const end = `_l${layer}${direction === 1 ? '_reverse' : ''}`;
        const sizes: [string, number[]][] = [
          ['weight_ih', [gates, inputs]],
          ['weight_hh', [gates, state]],
        ];
        if (this.bias) sizes.push(['bias_ih', [gates]], ['bias_hh', [gates]]);
        if (projection > 0) sizes.push(['weight_hr', [projection, hidden]]);
        for (const [name, size] of sizes) this.register_parameter(name + end, make(...size));
        this._all_weights.push(sizes.map(([name]) => name + end));
      }
    }
  }

  private get directions(): number {
    return this.bidirectional ? 2 : 1;
  }

  /** Draws all weights anew, from -1/sqrt(hidden_size) to 1/sqrt(hidden_size). */
  reset_parameters(): void {
    const bound = 1 / Math.sqrt(this.hidden_size);
    for (const weight of this.parameters()) uniform_(weight, -bound, bound);
  }

  /** PyTorch lays weights one after another for cuDNN; here there is nothing to do. */
  flatten_parameters(): void {}

  /** The weights of each direction of each layer. */
  get all_weights(): Parameter[][] {
    const fields = this as unknown as Record<string, Parameter>;
    return this._all_weights.map((names) => names.map((name) => fields[name]));
  }

  protected checkInput(input: Tensor, packed: boolean): void {
    const { dtype } = this.all_weights[0][0];
    if (input.dtype !== dtype && autocast.active === 0) {
      throw new ValueError(
        `RNN input dtype (${input.dtype}) does not match weight dtype (${dtype}). Convert input: input.to(${dtype}), or convert model: model.to(${input.dtype})`,
      );
    }
    const rank = packed ? 2 : 3;
    const { sizes } = input;
    if (sizes.length !== rank) {
      throw new RuntimeError(`input must have ${rank} dimensions, got ${sizes.length}`);
    }
    if (sizes[rank - 1] !== this.input_size) {
      throw new RuntimeError(
        `input.size(-1) must be equal to input_size. Expected ${this.input_size}, got ${sizes[rank - 1]}`,
      );
    }
  }

  /** [layers * directions, batch, width]; a state that is not given is zeros. */
  protected stateFor(given: Tensor | null, input: Tensor, batch: number, width: number, what: string): Tensor {
    const expected = [this.num_layers * this.directions, batch, width];
    if (given === null) return zeros(expected, { dtype: input.dtype, device: input.device });
    if (!sameSizes(given.sizes, expected)) {
      throw new RuntimeError(`Expected ${what} size ${pyTuple(expected)}, got ${pyList(given.sizes)}`);
    }
    return given;
  }

  /**
   * Runs the network.
   *
   * @param hx hidden state, and of lstm the cell state; none: zeros
   */
  protected run(
    given: Tensor | PackedSequence,
    hx: readonly Tensor[] | null,
  ): [output: Tensor | PackedSequence, states: Tensor[]] {
    const name = this.constructor.name;
    const isPacked = given instanceof PackedSequence;
    const order = isPacked ? given.sorted_indices : null;
    let input = isPacked ? given.data : given;
    let states = hx;
    let batched = true;
    const batchDim = this.batch_first ? 0 : 1;
    if (!isPacked) {
      const rank = input.sizes.length;
      if (rank !== 2 && rank !== 3) {
        const tensor = this.mode.startsWith('RNN') ? ' tensor' : '';
        throw new ValueError(`${name}: Expected input to be 2D or 3D, got ${rank}D${tensor} instead`);
      }
      batched = rank === 3;
      const other = states?.some((x) => x.sizes.length !== rank) ?? false;
      if (other) {
        throw new RuntimeError(wrongRank(batched, states!));
      }
      if (!batched) {
        input = input.unsqueeze(batchDim);
        states = states?.map((x) => x.unsqueeze(1)) ?? null;
      }
    }
    const batch = isPacked ? Number(given.batch_sizes.select(0, 0).item()) : input.sizes[batchDim];
    if (states !== null && order !== null) states = states.map((x) => x.index_select(1, order));
    this.checkInput(input, isPacked);
    const lstmStates = this.mode === 'LSTM';
    const first = this.proj_size > 0 ? this.proj_size : this.hidden_size;
    const of = (i: number, width: number) => {
      const what = lstmStates ? `hidden[${i}]` : 'hidden';
      return this.stateFor(states === null ? null : (states[i] ?? null), input, batch, width, what);
    };
    const begin = lstmStates ? [of(0, first), of(1, this.hidden_size)] : [of(0, first)];
    const [output, ...last] = this.compute(input, isPacked ? given.batch_sizes : null, begin);
    const back = isPacked ? given.unsorted_indices : null;
    const ends = last.map((x) => {
      const ordered = back === null ? x : x.index_select(1, back);
      return batched ? ordered : ordered.squeeze(1);
    });
    if (isPacked) {
      const { batch_sizes, sorted_indices, unsorted_indices } = given;
      return [new PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices), ends];
    }
    return [batched ? output : output.squeeze(batchDim), ends];
  }

  private compute(input: Tensor, batchSizes: Tensor | null, states: Tensor[]): Tensor[] {
    const params = this.all_weights.flat();
    const { bias, num_layers, dropout, training, bidirectional, batch_first } = this;
    const rest = [bias, num_layers, dropout, training, bidirectional] as const;
    const [h] = states;
    const network = this.mode === 'GRU' ? gru : this.mode === 'RNN_TANH' ? rnn_tanh : rnn_relu;
    if (batchSizes === null) {
      return this.mode === 'LSTM'
        ? [...lstm(input, states, params, ...rest, batch_first)]
        : [...network(input, h, params, ...rest, batch_first)];
    }
    return this.mode === 'LSTM'
      ? [...lstm(input, batchSizes, states, params, ...rest)]
      : [...network(input, batchSizes, h, params, ...rest)];
  }

  override extra_repr(): string {
    const shown: string[] = [`${this.input_size}, ${this.hidden_size}`];
    if (this.proj_size !== 0) shown.push(`proj_size=${this.proj_size}`);
    if (this.num_layers !== 1) shown.push(`num_layers=${this.num_layers}`);
    if (!this.bias) shown.push(`bias=${pyRepr(this.bias)}`);
    if (this.batch_first) shown.push(`batch_first=${pyRepr(this.batch_first)}`);
    if (this.dropout !== 0) shown.push(`dropout=${pyNumber(this.dropout)}`);
    if (this.bidirectional) shown.push(`bidirectional=${pyRepr(this.bidirectional)}`);
    return shown.join(', ');
  }
}

function wrongRank(batched: boolean, states: readonly Tensor[]): string {
  const [kind, rank] = batched ? ['batched 3-D', 3] : ['unbatched 2-D', 2];
  const ranks = states.map((x) => `${x.sizes.length}-D`);
  return ranks.length === 2
    ? `For ${kind} input, hx and cx should also be ${rank}-D but got (${ranks.join(', ')}) tensors`
    : `For ${kind} input, hx should also be ${rank}-D but got ${ranks[0]} tensor`;
}

function refuseProjection(options: unknown): void {
  if (isOptions(options) && options['proj_size'] !== undefined) {
    throw new ValueError('proj_size argument is only supported for LSTM, not RNN or GRU');
  }
}

/** Hidden states h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu, over a sequence. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: a module is callable with the types of its forward
export class RNN extends RNNBase {
  declare nonlinearity: 'tanh' | 'relu';

  constructor(input_size: number, hidden_size: number, options?: RNNOptions);
  constructor(input_size: number, hidden_size: number, num_layers: number, options?: RNNOptions);
  constructor(
    input_size: number,
    hidden_size: number,
    num_layers: number,
    nonlinearity: 'tanh' | 'relu',
    options?: RNNOptions,
  );
  constructor(...args: unknown[]) {
    const last = args.at(-1);
    refuseProjection(last);
    let nonlinearity: unknown = 'tanh';
    let rest = args;
    if (args.length > 3 && !isOptions(args[3])) {
      nonlinearity = args[3];
      rest = [...args.slice(0, 3), ...args.slice(4)];
    } else if (isOptions(last)) {
      const { nonlinearity: named, ...others } = last;
      nonlinearity = named ?? 'tanh';
      rest = [...args.slice(0, -1), others];
    }
    if (nonlinearity !== 'tanh' && nonlinearity !== 'relu') {
      throw new ValueError(`Unknown nonlinearity '${String(nonlinearity)}'. Select from 'tanh' or 'relu'.`);
    }
    super(nonlinearity === 'tanh' ? 'RNN_TANH' : 'RNN_RELU', ...rest);
    this.nonlinearity = nonlinearity;
  }

  /**
   * Input [L, N, input_size] (with `batch_first` [N, L, input_size]; N may be left out) or packed; hx [layers * directions,
   * N, hidden_size].
   *
   * @returns the last layer's hidden states of all steps, and all layers' last ones
   */
  override forward(input: Tensor, hx?: Tensor | null): [output: Tensor, hidden: Tensor];
  override forward(input: unknown, hx: Tensor | null = null): [output: Tensor, hidden: Tensor] {
    const [output, [hidden]] = this.run(input as Tensor, hx === null ? null : [hx]);
    return [output as Tensor, hidden];
  }
}

export interface RNN {
  (input: PackedSequence, hx?: Tensor | null): [output: PackedSequence, hidden: Tensor];
  (input: Tensor, hx?: Tensor | null): [output: Tensor, hidden: Tensor];
}

type LSTMState = readonly [h: Tensor, c: Tensor];

/** Long short-term memory over a sequence: gates decide what a cell state takes in, keeps and shows. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: a module is callable with the types of its forward
export class LSTM extends RNNBase {
  constructor(input_size: number, hidden_size: number, options?: LSTMOptions);
  constructor(input_size: number, hidden_size: number, num_layers: number, options?: LSTMOptions);
  constructor(input_size: number, hidden_size: number, num_layers: number, bias: boolean, options?: LSTMOptions);
  constructor(...args: unknown[]) {
    super('LSTM', ...args);
  }

  /**
   * Input [L, N, input_size] (with `batch_first` [N, L, input_size]; N may be left out) or packed; hidden and cell state
   * [layers * directions, N, hidden_size].
   *
   * @returns the last layer's hidden states of all steps, and all layers' last hidden and cell states
   */
  override forward(input: Tensor, hx?: LSTMState | null): [output: Tensor, states: [h: Tensor, c: Tensor]];
  override forward(input: unknown, hx: LSTMState | null = null): [output: Tensor, states: [h: Tensor, c: Tensor]] {
    const [output, states] = this.run(input as Tensor, hx);
    return [output as Tensor, states as [Tensor, Tensor]];
  }
}

export interface LSTM {
  (input: PackedSequence, hx?: LSTMState | null): [output: PackedSequence, states: [h: Tensor, c: Tensor]];
  (input: Tensor, hx?: LSTMState | null): [output: Tensor, states: [h: Tensor, c: Tensor]];
}

/** Gated recurrent units over a sequence: gates decide how much of a hidden state is renewed. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: a module is callable with the types of its forward
export class GRU extends RNNBase {
  constructor(input_size: number, hidden_size: number, options?: RecurrentOptions);
  constructor(input_size: number, hidden_size: number, num_layers: number, options?: RecurrentOptions);
  constructor(input_size: number, hidden_size: number, num_layers: number, bias: boolean, options?: RecurrentOptions);
  constructor(...args: unknown[]) {
    refuseProjection(args.at(-1));
    super('GRU', ...args);
  }

  /**
   * Input [L, N, input_size] (with `batch_first` [N, L, input_size]; N may be left out) or packed; hx [layers * directions,
   * N, hidden_size].
   *
   * @returns the last layer's hidden states of all steps, and all layers' last ones
   */
  override forward(input: Tensor, hx?: Tensor | null): [output: Tensor, hidden: Tensor];
  override forward(input: unknown, hx: Tensor | null = null): [output: Tensor, hidden: Tensor] {
    const [output, [hidden]] = this.run(input as Tensor, hx === null ? null : [hx]);
    return [output as Tensor, hidden];
  }
}

export interface GRU {
  (input: PackedSequence, hx?: Tensor | null): [output: PackedSequence, hidden: Tensor];
  (input: Tensor, hx?: Tensor | null): [output: Tensor, hidden: Tensor];
}
