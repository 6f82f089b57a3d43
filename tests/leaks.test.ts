/**
 * Nothing in the library keeps a tensor alive that the program has dropped: not a kernel's last operands, not a closure
 * made during a call, not a graph. Each case is a function that lets go of all it makes; afterwards the device must hold
 * what it held before: other tests run in the same process.
 */
import torch, { type Tensor } from 'torch-mtia';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseDevice } from '../src/core/device.ts';
import { backendFor } from '../src/devices/registry.ts';
import { lifetimesOf } from '../src/devices/storage.ts';
import { device } from './device.ts';

const { nn, optim } = torch;
const F = nn.functional;
const make = (...sizes: number[]) => torch.rand(sizes, { device }).add(0.5);
const learn = (...sizes: number[]) => torch.rand(sizes, { device, requires_grad: true });
const ints = (...values: number[]) => torch.tensor(values.map(BigInt), { device });
const mask = () => make(4, 6).gt(1);

const CASES: Record<string, () => unknown> = {
  'binary, same shape': () => make(4, 6).add(make(4, 6)),
  'binary, alpha': () => make(4, 6).add(make(4, 6), { alpha: 3 }),
  'binary, broadcast': () => make(4, 6).mul(make(6)),
  'binary, transposed': () => make(6, 4).t().sub(make(4, 6)),
  'binary, mixed dtypes': () => make(4, 6).add(ints(1, 2, 3, 4, 5, 6)),
  'binary, 0-dim': () => make(4, 6).div(make()),
  number: () => make(4, 6).mul(2),
  unary: () => make(4, 6).exp().log().sqrt().neg().abs(),
  'unary of a view': () => make(6, 4).t().exp(),
  'in place': () => make(4, 6).add_(make(6)).mul_(2).add_(make(4, 6), { alpha: 0.5 }),
  clamp: () => make(4, 6).clamp(0, 1),
  comparison: () => make(4, 6).gt(make(6)),
  where: () => torch.where(mask(), make(4, 6), make(6)),
  masked_fill: () => make(4, 6).masked_fill(mask(), 0),
  sum: () => make(4, 6).sum(1),
  'sum of all': () => make(4, 6).sum(),
  'mean over a transposed dimension': () => make(6, 4).t().mean(0),
  'max with indices': () => make(4, 6).max(1),
  argmax: () => make(4, 6).argmax(1),
  var: () => make(4, 6).var(1),
  'any, all': () => [mask().any(), mask().all(1)],
  softmax: () => make(4, 6).softmax(1),
  log_softmax: () => make(4, 6).log_softmax(0),
  logsumexp: () => make(4, 6).logsumexp(1),
  cumsum: () => make(4, 6).cumsum(1),
  views: () => make(4, 6).view(2, 2, 6).permute(2, 0, 1).reshape(-1).narrow(0, 1, 5).select(0, 2),
  split: () => make(4, 6).split(2),
  cat: () => torch.cat([make(4, 6), make(2, 6)]),
  stack: () => torch.stack([make(4, 6), make(4, 6)]),
  index: () => make(4, 6).index([ints(0, 2), ':']),
  'index with a mask': () => make(4, 6).index([mask()]),
  index_put_: () => make(4, 6).index_put_([ints(0, 2)], make(6)),
  index_select: () => make(4, 6).index_select(0, ints(1, 1)),
  gather: () => make(2, 2).gather(1, ints(0, 1, 1, 0).view(2, 2)),
  scatter_add: () => make(2, 2).scatter_add(1, ints(0, 1, 1, 0).view(2, 2), make(2, 2)),
  'copy, clone, contiguous': () => [make(4, 6).copy_(make(6)), make(4, 6).clone(), make(6, 4).t().contiguous()],
  'to and back': () => make(4, 6).to('cpu').to(device).to(torch.float16),
  'item, tolist': () => [make(4, 6).sum().item(), make(4).tolist(), make(4).toTypedArray(), String(make(4))],
  matmul: () => make(4, 6).matmul(make(6, 3)),
  'matmul, transposed': () => make(4, 6).matmul(make(3, 6).t()),
  'matmul, batched': () => make(2, 4, 6).matmul(make(2, 6, 3)),
  'matmul, vector': () => make(4, 6).matmul(make(6)),
  addmm: () => torch.addmm(make(3), make(4, 6), make(6, 3)),
  linear: () => F.linear(make(4, 6), make(3, 6), make(3)),
  layer_norm: () => F.layer_norm(make(4, 6), [6], make(6), make(6)),
  embedding: () => F.embedding(ints(1, 2), make(4, 6)),
  embedding_bag: () => F.embedding_bag(ints(1, 2, 3), make(4, 6), ints(0, 1)),
  dropout: () => F.dropout(make(4, 6), 0.5),
  losses: () => [
    F.cross_entropy(make(2, 6), ints(1, 2)),
    F.mse_loss(make(4), make(4)),
    F.nll_loss(make(2, 6), ints(1, 2)),
  ],
  random: () => [torch.randn(4, { device }), torch.randint(0, 9, [4], { device }), torch.randperm(5, { device })],
  'a graph that nobody runs': () => learn(4, 6).mul(2).exp().sum(),
  backward: () => learn(4, 6).mul(make(4, 6)).exp().sum().backward(),
  'double backward': () => {
    const x = learn(4, 6);
    const [g] = torch.autograd.grad(x.exp().mul(x).sum(), [x], null, { create_graph: true });
    g!.sum().backward();
  },
  'in-place on a view, backward': () => {
    const x = learn(4, 6).mul(1);
    x.select(0, 1).mul_(make(6));
    x.sum().backward();
  },
  'an error': () => expect(() => make(4, 6).add(make(5))).toThrow(),
  'training steps': () => {
    const model = new nn.Sequential(new nn.Linear(6, 8), new nn.ReLU(), new nn.LayerNorm(8), new nn.Linear(8, 3)).to(
      device,
    );
    for (const optimizer of [new optim.SGD(model.parameters(), { lr: 0.1 }), new optim.Adam(model.parameters())]) {
      for (let i = 0; i < 3; i++) {
        optimizer.zero_grad();
        F.cross_entropy(model(make(4, 6)), ints(0, 1, 2, 0)).backward();
        optimizer.step();
      }
    }
  },
};

/** Runs the case and lets go of its result, in a function that is over when the device is looked at. */
function run(action: () => unknown): void {
  const result = action();
  expect(result === null).toBe(false);
}

/** Bytes of storages that are alive. */
function liveBytes(): number {
  const lifetimes = lifetimesOf(backendFor(parseDevice(device)))!;
  lifetimes.sweep();
  return lifetimes.liveBytes;
}

describe('what is dropped is freed', () => {
  let before = 0;
  beforeEach(() => {
    before = liveBytes();
  });

  test.each(Object.entries(CASES))('%s', (_, action) => {
    run(action);
    expect(liveBytes()).toBe(before);
  });

  test('what is held is not', () => {
    const held: Tensor = make(4, 6);
    expect(liveBytes()).toBe(before + 96);
    expect(held.size(0)).toBe(4);
    held.dispose();
    expect(liveBytes()).toBe(before);
  });
});
