/**
 * Thirty training steps with every fast path on, each path off, one thread and two: the losses are PyTorch's (1e-5) and so are the weights
 * (1e-4), the same seed and threads give the same bits, and other threads no more than another order of sums. Sizes are such that
 * the paths are taken; weights and data follow from the seed. Recorded by scripts/oracle/fast_paths.py.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { convTuning } from '../src/kernels/conv-parts.ts';
import { tuning as reduceTuning } from '../src/kernels/reduce.ts';
import { rowsTuning } from '../src/kernels/rows.ts';
import { attentionTuning } from '../src/ops/attention-kernels.ts';
import { stepTuning } from '../src/optim/step-batch.ts';
import torch from '../src/index.ts';
import type { Tensor } from '../src/tensor/tensor.ts';

const { nn, optim } = torch;
const F = nn.functional;

const recorded = JSON.parse(readFileSync(new URL('fixtures/fast-paths.json', import.meta.url), 'utf8')) as {
  losses: number[];
  final: Record<string, [sum: number, absolute: number, squares: number]>;
};

class Model extends nn.Module {
  conv = new nn.Conv2d(3, 16, 3, { padding: 1 });
  down = new nn.Conv2d(16, 32, 3, { stride: 2, padding: 1 });
  norm = new nn.LayerNorm(32);
  qkv = new nn.Linear(32, 96);
  up = new nn.Linear(32, 128);
  back = new nn.Linear(128, 32);
  bag = new nn.EmbeddingBag(1000, 32, { mode: 'mean' });
  out = new nn.Linear(64, 10);

  override forward(images: Tensor, ids: Tensor): Tensor {
    let x = F.gelu(this.down(F.relu(this.conv(images))));
    x = x.flatten(2).transpose(1, 2);
    const [q, k, v] = this.qkv(this.norm(x)).view(x.size(0), x.size(1), 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0);
    x = x.add(F.scaled_dot_product_attention(q, k, v, { is_causal: true }).transpose(1, 2).flatten(2));
    x = x.add(this.back(F.silu(this.up(this.norm(x)))));
    return this.out(torch.cat([x.mean(1), this.bag(ids)], 1));
  }
}

interface Run {
  losses: number[];
  final: Record<string, number[]>;
  bits: string;
}

function train(device: string, steps: number): Run {
  torch.manual_seed(7);
  const model = new Model().to(device);
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.01, momentum: 0.9, weight_decay: 1e-3 });
  const losses: number[] = [];
  for (let i = 0; i < steps; i++) {
    const images = torch.randn(4, 3, 32, 32);
    const ids = torch.randint(0, 1000, [4, 20]);
    const target = ids.sum(1).remainder(10);
    optimizer.zero_grad();
    const loss = F.cross_entropy(model(images.to(device), ids.to(device)), target.to(device));
    loss.backward();
    optimizer.step();
    losses.push(loss.item() as number);
  }
  const hash = createHash('sha256');
  const final: Run['final'] = {};
  for (const [name, value] of Object.entries(model.state_dict()) as [string, Tensor][]) {
    final[name] = [value.sum(), value.abs().sum(), value.square().sum()].map((x) => x.item() as number);
    hash.update(new Uint8Array(value.cpu().contiguous().toTypedArray().buffer));
  }
  return { losses, final, bits: hash.digest('hex') };
}

/** Of sums, relative to what is summed: a sum near zero says little about its terms. */
function compare({ losses, final }: Run): void {
  expect(losses).toHaveLength(recorded.losses.length);
  for (const [i, loss] of losses.entries()) expect(Math.abs(loss / recorded.losses[i] - 1)).toBeLessThan(1e-5);
  for (const [name, [sum, absolute, squares]] of Object.entries(recorded.final)) {
    const off = [(final[name][0] - sum) / absolute, final[name][1] / absolute - 1, final[name][2] / squares - 1];
    for (const value of off) expect(Math.abs(value), name).toBeLessThan(1e-4);
  }
}

const { scoresBytes, causalRows } = attentionTuning;
const { splitElements, relaxed } = reduceTuning;
/** Each path by name: how it is turned off, and how it is forced on where it is not by itself. */
const paths: Record<string, { off: () => void; on?: () => void; back: () => void }> = {
  'Winograd convolution': {
    off: () => void (convTuning.winograd = 'never'),
    on: () => void (convTuning.winograd = 'always'),
    back: () => void (convTuning.winograd = 'auto'),
  },
  'attention in tiles': {
    off: () => Object.assign(attentionTuning, { scoresBytes: Infinity, causalRows: Infinity }),
    on: () => Object.assign(attentionTuning, { scoresBytes: 256 * 1024, causalRows: 32 }),
    back: () => Object.assign(attentionTuning, { scoresBytes, causalRows }),
  },
  'reductions in parts': {
    off: () => void (reduceTuning.splitElements = Infinity),
    on: () => void (reduceTuning.splitElements = 1024),
    back: () => void (reduceTuning.splitElements = splitElements),
  },
  'relaxed SIMD': {
    off: () => void (rowsTuning.relaxed = reduceTuning.relaxed = false),
    back: () => void (rowsTuning.relaxed = reduceTuning.relaxed = relaxed),
  },
  'shared launches of optimizers': {
    off: () => void (stepTuning.parameters = 1),
    back: () => void (stepTuning.parameters = Infinity),
  },
};

const threads = torch.get_num_threads();
afterEach(() => {
  torch.set_num_threads(threads);
  for (const { back } of Object.values(paths)) back();
});

/** The project `native blas` has every product native besides. */
const native = process.env['MTIA_BLAS'] !== '0';

describe.each(native ? ['mtia'] : ['cpu', 'mtia'])('on %s', (device) => {
  test('every path that can be is forced on', () => {
    for (const { on } of Object.values(paths)) on?.();
    compare(train(device, 30));
  });

  test('thirty steps are as recorded, and the same bits again', () => {
    torch.set_num_threads(2);
    torch.use_deterministic_algorithms(true);
    try {
      const [first, second] = [train(device, 30), train(device, 30)];
      compare(first);
      expect(second).toEqual(first);
    } finally {
      torch.use_deterministic_algorithms(false);
    }
  });
});

describe.skipIf(native)('without', () => {
  test('threads', () => {
    torch.set_num_threads(1);
    compare(train('mtia', 30));
  });

  test('fast paths', () => {
    for (const { off } of Object.values(paths)) off();
    compare(train('cpu', 30));
  });
});
