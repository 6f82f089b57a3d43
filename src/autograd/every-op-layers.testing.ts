/** Samples of the ops that whole layers are made of: attention and recurrent cells, for `every-op.test.ts`. */
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { F, ints, on, type Sample, signed, x, y } from './every-op.testing.ts';

const q = () => x(2, 3, 2);
const k = () => y(2, 4, 2);
const v = () => x(2, 4, 3);

const seq = () => signed(2, 2, 1);
const rows = () => signed(3, 1);
const state = () => signed(1, 2, 2);
const unit = () => signed(1, 2, 1);
/** Weights of one direction, with biases. */
const weights = (gates: number, hidden = 2) => [
  () => signed(hidden * gates, 1),
  () => x(hidden * gates, hidden),
  () => signed(hidden * gates),
  () => y(hidden * gates),
];
const sizes = () => ints([2, 1]);
const SETTINGS = [true, 1, 0, false, false] as const;

type Network = typeof torch.gru;

const network = (run: Network, gates: number): Sample[] => [
  on((a, h, ...w) => run(a, h, w, ...SETTINGS, false), seq, state, ...weights(gates)),
  on((a, h, ...w) => run(a, sizes(), h, w, ...SETTINGS), rows, state, ...weights(gates)),
];
const memory = (...inputs: (() => Tensor)[]) => inputs;
const cell = (run: typeof torch.gru_cell, gates: number): Sample[] => [
  on(
    (a, h, ...w) => run(a, h, w[0], w[1], w[2], w[3]),
    rows,
    () => signed(3, 2),
    ...weights(gates),
  ),
];

export const layerSamples: Record<string, Sample[]> = {
  scaled_dot_product_attention: [
    on((a, b, c) => F['scaled_dot_product_attention'](a, b, c), q, k, v),
    on((a, b, c) => F['scaled_dot_product_attention'](a, b, c, { is_causal: true, scale: 0.5 }), q, k, v),
    on(
      (a, b, c, d) => F['scaled_dot_product_attention'](a, b, c, d),
      q,
      () => y(1, 4, 2),
      v,
      () => x(3, 4),
    ),
  ],
  lstm: [
    on(
      (a, h, c, ...w) => torch.lstm(a, [h, c], w, ...SETTINGS, false),
      ...memory(seq, unit, () => y(1, 2, 1), ...weights(4, 1)),
    ),
    on(
      (a, h, c, ...w) => torch.lstm(a, sizes(), [h, c], w, ...SETTINGS),
      ...memory(rows, unit, () => y(1, 2, 1), ...weights(4, 1)),
    ),
    // Hidden states projected to one feature.
    on(
      (a, h, c, ...w) => torch.lstm(a, [h, c], w, false, 1, 0, false, false, false),
      ...memory(
        seq,
        () => signed(1, 2, 1),
        state,
        () => signed(8, 1),
        () => x(8, 1),
        () => y(1, 2),
      ),
    ),
  ],
  gru: network(torch.gru, 3),
  rnn_tanh: network(torch.rnn_tanh, 1),
  rnn_relu: network(torch.rnn_relu, 1),
  lstm_cell: [
    on(
      (a, h, c, ...w) => torch.lstm_cell(a, [h, c], w[0], w[1], w[2], w[3]),
      ...memory(
        rows,
        () => signed(3, 2),
        () => y(3, 2),
        ...weights(4),
      ),
    ),
  ],
  gru_cell: cell(torch.gru_cell, 3),
  rnn_tanh_cell: cell(torch.rnn_tanh_cell, 1),
  rnn_relu_cell: cell(torch.rnn_relu_cell, 1),
};
