/** Recurrent layers: half types, inference, strided inputs, many rows, and what backward keeps. */
import { describe, expect, test } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';

const { nn } = torch;
const KINDS = ['LSTM', 'GRU', 'RNN'] as const;
type Kind = (typeof KINDS)[number];
type Net = InstanceType<typeof nn.GRU>;

const make = (kind: Kind, ...args: unknown[]): Net => {
  torch.manual_seed(0);
  return new (nn[kind] as unknown as new (...args: unknown[]) => Net)(...args).to(device);
};
const far = (a: Tensor, b: Tensor) => a.double().sub(b.double()).abs().max().item() as number;
const run = (net: Net, x: Tensor): Tensor => net(x)[0];

describe(`recurrent layers on ${device}`, () => {
  test.each(KINDS)('%s in half types', (kind) => {
    const exact = make(kind, 5, 6, { bidirectional: true });
    const x = torch.randn(7, 3, 5, { device });
    const expected = run(exact, x);
    expected.sum().backward();
    for (const [dtype, margin] of [
      [torch.float16, 5e-3],
      [torch.bfloat16, 4e-2],
    ] as const) {
      const net = nn.deepCopy(exact).to(dtype);
      const out = run(net, x.to(dtype));
      out.sum().backward();
      expect(out.dtype).toBe(dtype);
      expect(far(out, expected)).toBeLessThan(margin);
      const [weight] = net.all_weights[0];
      const [wanted] = exact.all_weights[0];
      const size = wanted.grad!.abs().max().item() as number;
      expect(far(weight.grad!, wanted.grad!)).toBeLessThan(margin * 4 * Math.max(1, size));
    }
  });

  test.each(KINDS)('%s computes the same without a graph, from strided inputs and first states', (kind) => {
    const net = make(kind, 5, 6, { num_layers: 2 });
    const x = torch.randn(3, 7, 5, { device }).transpose(0, 1);
    const state = torch.randn(3, 2, 6, { device }).transpose(0, 1);
    const hx = (kind === 'LSTM' ? [state, state] : state) as Tensor;
    const expected = net(
      x.contiguous(),
      (kind === 'LSTM' ? [state.contiguous(), state] : state.contiguous()) as Tensor,
    );
    for (const mode of [torch.no_grad, torch.inference_mode] as ((fn: () => unknown) => unknown)[]) {
      const [out, last] = mode(() => net(x, hx)) as [Tensor, Tensor | Tensor[]];
      expect(far(out, expected[0])).toBe(0);
      const states = (all: unknown) => (Array.isArray(all) ? all : [all]) as Tensor[];
      states(last).forEach((each, i) => {
        expect(far(each, states(expected[1])[i])).toBe(0);
      });
    }
  });

  test.each(KINDS)('%s of many rows, where weights are transposed first, and of few', (kind) => {
    const net = make(kind, 4, 5);
    const x = torch.randn(6, 33, 4, { device });
    const all = run(net, x);
    const grads = (y: Tensor) => torch.autograd.grad([y.mul(y).sum()], net.all_weights[0]) as Tensor[];
    const whole = grads(all);
    const parts = [0, 11, 22].map((at) => run(net, x.narrow(1, at, 11)));
    expect(far(torch.cat(parts, 1), all)).toBeLessThan(1e-6);
    const each = parts.map(grads);
    whole.forEach((grad, i) => {
      const sum = each[0][i].add(each[1][i]).add(each[2][i]);
      expect(far(grad, sum)).toBeLessThan(1e-4);
    });
  });

  test.each(KINDS)('%s packed computes what it computes of each sequence alone', (kind) => {
    const net = make(kind, 4, 5, { bidirectional: true });
    const lengths = [6, 6, 4, 1];
    const sequences = lengths.map((length) => torch.randn(length, 4, { device }));
    const packed = nn.utils.rnn.pack_sequence(sequences);
    const [out, last] = (net as unknown as (x: unknown) => [InstanceType<typeof nn.utils.rnn.PackedSequence>, Tensor])(
      packed,
    );
    const [padded] = nn.utils.rnn.pad_packed_sequence(out, { batch_first: true });
    sequences.forEach((sequence, i) => {
      const [alone, end] = net(sequence);
      expect(far(padded.select(0, i).narrow(0, 0, lengths[i]), alone)).toBeLessThan(1e-6);
      const state = (x: unknown) => (Array.isArray(x) ? x[0] : x) as Tensor;
      expect(far(state(last).select(1, i), state(end))).toBeLessThan(1e-6);
    });
  });
});

test('what a layer keeps for backward: its input, gates and states', () => {
  const net = new nn.LSTM(8, 32).to('mtia');
  const x = torch.randn(10, 4, 8, { device: 'mtia' });
  const { memory } = torch.mtia;
  const before = memory.allocated();
  const [out] = net(x);
  const kept = memory.allocated() - before;
  // Output, gates, cell states; first states and last states.
  const [rows, state] = [4 * 10 * 4 * 32, 4 * 4 * 32];
  expect(kept).toBe(rows * (1 + 4 + 1) + 4 * state);
  out.sum().backward();
  const gradients = [...net.parameters()].reduce((sum, p) => sum + p.grad!.nbytes, 0);
  expect(memory.allocated() - before - gradients).toBeLessThanOrEqual(rows + 4 * state);
});
