/**
 * Recurrent networks: lstm, gru, rnn_tanh and rnn_relu over whole sequences (padded or packed), and their cells. The modules
 * of `nn` are made of these.
 */
import { RuntimeError } from '../core/errors.ts';
import { showSizes } from '../core/shape.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { dropout } from './dropout.ts';
import { cat, stack } from './join.ts';
import {
  type CellKind,
  composedLayer,
  GATES,
  type LayerWeights,
  linear,
  type Steps,
  step,
  stepsOf,
} from './recurrent-composed.ts';
import { fusedLayer } from './recurrent-layer.ts';
import { define } from './registry.ts';

const PLAIN = { channels: false, alpha: false, inplace: false };

interface Network {
  kind: CellKind;
  params: readonly Tensor[];
  biases: boolean;
  layers: number;
  dropout: number;
  train: boolean;
  bidirectional: boolean;
  projected: boolean;
}

/** The weights of each direction of each layer. @throws RuntimeError unless there are as many as it takes */
function weightsOf({ params, biases, layers, bidirectional, projected }: Network): LayerWeights[] {
  const each = (biases ? 4 : 2) + (projected ? 1 : 0);
  const count = layers * (bidirectional ? 2 : 1);
  if (params.length !== each * count) {
    throw new RuntimeError(`got an incorrect number of RNN parameters`);
  }
  return Array.from({ length: count }, (_, i) => {
    const [ih, hh, biasIh, biasHh] = params.slice(i * each, (i + 1) * each);
    return {
      ih,
      hh,
      biasIh: biases ? biasIh : null,
      biasHh: biases ? biasHh : null,
      hr: projected ? params[(i + 1) * each - 1] : null,
    };
  });
}

function checkTypes(input: Tensor, others: readonly Tensor[]): void {
  sameBackend('rnn', [input, ...others], ['input', ...others.map(() => 'weight')]);
  for (const x of others) {
    if (x.dtype === input.dtype) continue;
    throw new RuntimeError(
      `mat1 and mat2 must have the same dtype, but got ${input.dtype.scalarTypeName} and ${x.dtype.scalarTypeName}`,
    );
  }
}

/** All layers over the rows of a sequence: x [rows, input] or [steps, batch, input]; h and c [layers * directions, batch, …]. */
function run(net: Network, x: Tensor, steps: Steps, h: Tensor, c: Tensor | null): Tensor[] {
  const weights = weightsOf(net);
  const directions = net.bidirectional ? 2 : 1;
  checkTypes(x, [h, ...(c === null ? [] : [c]), ...net.params]);
  if (h.sizes[0] !== weights.length) {
    throw new RuntimeError(`Expected ${weights.length} states, but got ${h.sizes[0]}`);
  }
  const layer = net.projected ? composedLayer : fusedLayer;
  const [lastH, lastC]: [Tensor[], Tensor[]] = [[], []];
  let rows = x;
  for (let l = 0; l < net.layers; l++) {
    const outs: Tensor[] = [];
    for (let d = 0; d < directions; d++) {
      const i = l * directions + d;
      const [out, hn, cn] = layer(
        net.kind,
        rows,
        steps,
        h.select(0, i),
        c === null ? null : c.select(0, i),
        weights[i],
        d === 1,
      );
      outs.push(out);
      lastH.push(hn);
      if (cn !== null) lastC.push(cn);
    }
    rows = directions === 1 ? outs[0] : cat(outs, -1);
    if (net.dropout !== 0 && net.train && l + 1 < net.layers) rows = dropout(rows, net.dropout, true, PLAIN);
  }
  const result = [rows, stack(lastH)];
  if (c !== null) result.push(stack(lastC));
  return result;
}

function padded(net: Network, input: Tensor, h: Tensor, c: Tensor | null, batchFirst: boolean): Tensor[] {
  const x = batchFirst ? input.transpose(0, 1) : input;
  if (x.sizes.length !== 3)
    throw new RuntimeError(`Expected a 3-dimensional input, but got ${x.sizes.length} dimensions`);
  const [length, batch] = x.sizes;
  if (length === 0) throw new RuntimeError('Expected sequence length to be larger than 0 in RNN');
  const [out, ...rest] = run(net, x, stepsOf(new Array<number>(length).fill(batch)), h, c);
  return [batchFirst ? out.transpose(0, 1) : out, ...rest];
}

function packed(net: Network, data: Tensor, batchSizes: Tensor, h: Tensor, c: Tensor | null): Tensor[] {
  const sizes = (batchSizes.tolist() as (number | bigint)[]).map(Number);
  const steps = stepsOf(sizes);
  if (sizes.some((size, i) => size < 0 || (i > 0 && size > sizes[i - 1])) || steps.total !== data.sizes[0]) {
    throw new RuntimeError(
      `batch_sizes must fall, and sum to the ${data.sizes[0]} rows of data, but is ${showSizes(sizes)}`,
    );
  }
  return run(net, data, steps, h, c);
}

const REST = 'bool has_biases, int num_layers, float dropout, bool train, bool bidirectional';
type Rest = [biases: boolean, layers: number, dropout: number, train: boolean, bidirectional: boolean];

function network(kind: CellKind, params: readonly Tensor[], projected: boolean, rest: Rest): Network {
  const [biases, layers, rate, train, bidirectional] = rest;
  return { kind, params, biases, layers, dropout: rate, train, bidirectional, projected };
}

/** An lstm's states; projected where the hidden state is smaller than the cell state. */
function states(hx: readonly Tensor[]): [h: Tensor, c: Tensor, projected: boolean] {
  if (hx.length !== 2) throw new RuntimeError('lstm expects two hidden states');
  const [h, c] = hx;
  return [h, c, h.sizes[h.sizes.length - 1] !== c.sizes[c.sizes.length - 1]];
}

define(
  {
    doc: 'Long short-term memory over a sequence [L, N, input] or packed rows: output, last hidden states, last cell states.',
  },
  {
    [`lstm(Tensor input, Tensor[] hx, Tensor[] params, ${REST}, bool batch_first) -> (Tensor, Tensor, Tensor)`]: (
      input: Tensor,
      hx: Tensor[],
      params: Tensor[],
      ...rest: [...Rest, boolean]
    ) => {
      const [h, c, projected] = states(hx);
      return padded(network('lstm', params, projected, rest.slice(0, 5) as Rest), input, h, c, rest[5]);
    },
    [`lstm(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, ${REST}) -> (Tensor, Tensor, Tensor)`]: (
      data: Tensor,
      batchSizes: Tensor,
      hx: Tensor[],
      params: Tensor[],
      ...rest: Rest
    ) => {
      const [h, c, projected] = states(hx);
      return packed(network('lstm', params, projected, rest), data, batchSizes, h, c);
    },
  },
);

for (const [name, kind, text] of [
  ['gru', 'gru', 'Gated recurrent units'],
  ['rnn_tanh', 'tanh', 'A recurrent network with tanh'],
  ['rnn_relu', 'relu', 'A recurrent network with relu'],
] as const) {
  define(
    { doc: `${text} over a sequence [L, N, input] or packed rows: output, last hidden states.` },
    {
      [`${name}(Tensor input, Tensor hx, Tensor[] params, ${REST}, bool batch_first) -> (Tensor, Tensor)`]: (
        input: Tensor,
        hx: Tensor,
        params: Tensor[],
        ...rest: [...Rest, boolean]
      ) => padded(network(kind, params, false, rest.slice(0, 5) as Rest), input, hx, null, rest[5]),
      [`${name}(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, ${REST}) -> (Tensor, Tensor)`]: (
        data: Tensor,
        batchSizes: Tensor,
        hx: Tensor,
        params: Tensor[],
        ...rest: Rest
      ) => packed(network(kind, params, false, rest), data, batchSizes, hx, null),
    },
  );
}

/** @throws RuntimeError unless a cell's input and state go with its weights */
function checkCell(input: Tensor, h: Tensor, hidden: number, width: number, weights: number): void {
  if (input.sizes[1] !== width) {
    throw new RuntimeError(`input has inconsistent input_size: got ${input.sizes[1]} expected ${width}`);
  }
  checkHidden(input, h, hidden, 0);
  if (weights % hidden !== 0) throw new RuntimeError(`weights of ${weights} rows for ${hidden} units`);
}

function checkHidden(input: Tensor, h: Tensor, hidden: number, number: number): void {
  if (input.sizes[0] !== h.sizes[0]) {
    throw new RuntimeError(`Input batch size ${input.sizes[0]} doesn't match hidden${number} batch size ${h.sizes[0]}`);
  }
  if (h.sizes[1] !== hidden) {
    throw new RuntimeError(`hidden${number} has inconsistent hidden_size: got ${h.sizes[1]}, expected ${hidden}`);
  }
}

const CELL = 'Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None';

function cellWeights(ih: Tensor, hh: Tensor, biasIh: Tensor | null, biasHh: Tensor | null): LayerWeights {
  if (biasIh !== null && biasHh === null) biasHh = zerosLike(biasIh);
  if (biasHh !== null && biasIh === null) biasIh = zerosLike(biasHh);
  return { ih, hh, biasIh, biasHh, hr: null };
}

function zerosLike(x: Tensor): Tensor {
  return emptyTensor(x.storage.backend, x.sizes, x.dtype).zero_();
}

define(
  { doc: 'One step of an lstm: the next hidden state and cell state.' },
  {
    [`lstm_cell(Tensor input, Tensor[] hx, ${CELL}) -> (Tensor, Tensor)`]: (
      input: Tensor,
      hx: Tensor[],
      ih: Tensor,
      hh: Tensor,
      biasIh: Tensor | null,
      biasHh: Tensor | null,
    ) => {
      if (hx.length !== 2) throw new RuntimeError('lstm_cell expects two hidden states');
      const [h, c] = hx;
      checkCell(input, h, hh.sizes[1], ih.sizes[1], ih.sizes[0]);
      checkHidden(input, c, ih.sizes[0] / GATES.lstm, 1);
      return oneStep('lstm', input, h, c, cellWeights(ih, hh, biasIh, biasHh));
    },
  },
);

for (const [name, kind, text] of [
  ['gru_cell', 'gru', 'gated recurrent units'],
  ['rnn_tanh_cell', 'tanh', 'a recurrent network with tanh'],
  ['rnn_relu_cell', 'relu', 'a recurrent network with relu'],
] as const) {
  define(
    { doc: `One step of ${text}: the next hidden state.` },
    {
      [`${name}(Tensor input, Tensor hx, ${CELL}) -> Tensor`]: (
        input: Tensor,
        hx: Tensor,
        ih: Tensor,
        hh: Tensor,
        biasIh: Tensor | null,
        biasHh: Tensor | null,
      ) => {
        checkCell(input, hx, hh.sizes[1], ih.sizes[1], ih.sizes[0]);
        return oneStep(kind, input, hx, null, cellWeights(ih, hh, biasIh, biasHh))[0];
      },
    },
  );
}

function oneStep(kind: CellKind, input: Tensor, h: Tensor, c: Tensor | null, weights: LayerWeights): Tensor[] {
  const all = [input, h, c, weights.ih, weights.hh, weights.biasIh, weights.biasHh];
  const given = all.filter((x) => x !== null);
  checkTypes(input, given);
  const [nextH, nextC] = step(kind, linear(input, weights.ih, weights.biasIh), h, c, weights);
  return nextC === null ? [nextH] : [nextH, nextC];
}
