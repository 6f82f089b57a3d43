/**
 * How long things count: to their last use, for as long as the program or the framework holds them, and, for what an
 * autograd graph saved that nobody ran backward, for as long as anything reads the graph.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import torch from '../../src/index.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';
import { figures } from './figures.testing.ts';

const device = 'mtia';
const ROWS = 64;
const BYTES = ROWS * ROWS * 4;

const randn = (): Tensor => torch.randn(ROWS, ROWS, { device });
const leaf = (): Tensor => randn().requires_grad_();

/** What a test refers to. */
let kept: Record<string, Tensor> = {};
let base = 0;

/** In a function of its own, so that nothing is left of it. */
function stage(run: () => void): void {
  run();
}

beforeEach(() => {
  kept = {};
  torch.ones(1, { device });
  [base] = figures();
});

const allocated = () => figures(base)[0] / BYTES;
const peak = () => figures(base)[1] / BYTES;

describe('a graph nobody runs backward', () => {
  /** y = x.exp().log(): exp saves its result, log its input. Two results, of which the graph has one. */
  function graph(): void {
    kept = { x: leaf() };
    kept['y'] = kept['x'].exp().log();
  }

  test('counts while its end is held', () => {
    stage(graph);
    expect(allocated()).toBe(3);
    stage(() => delete kept['y']);
    expect(allocated()).toBe(1);
  });

  /** The peak shows whether the graph still counted when `read` ran, after three tensors had come and gone. */
  function peakWhenReadBy(read: (y: Tensor) => unknown): number {
    stage(graph);
    figures();
    stage(() => {
      const noise = [randn(), randn(), randn()];
      noise[0].add_(noise[1]).add_(noise[2]);
      read(kept['y']);
      delete kept['y'];
    });
    return peak();
  }

  test.each<[string, (y: Tensor) => unknown]>([
    ['an op that is recorded', (y) => y.mul(y)],
    ['a comparison', (y) => y.gt(0)],
    ['a comparison of two', (y) => y.lt(y)],
    ['a truth', (y) => y.isnan()],
    ['argmax', (y) => y.argmax()],
    ['any', (y) => y.any()],
    ['nonzero', (y) => y.nonzero()],
    ['item', (y) => y.select(0, 0).select(0, 0).item()],
    ['tolist', (y) => y.tolist()],
    ['toTypedArray', (y) => y.toTypedArray()],
    ['printing', (y) => String(y)],
    ['an op under no_grad', (y) => torch.no_grad(() => y.mul(2))],
    ['a product under no_grad', (y) => torch.no_grad(() => y.matmul(y))],
    ['a reduction under no_grad', (y) => torch.no_grad(() => y.sum())],
    ['softmax under no_grad', (y) => torch.no_grad(() => y.softmax(0))],
    ['an in-place op on something else', (y) => torch.no_grad(() => randn().add_(y))],
    ['detach and an op', (y) => y.detach().mul(2)],
    ['a copy to the cpu', (y) => y.cpu()],
    ['equal', (y) => torch.equal(y, y)],
  ])('is held until it was last read, by %s', (_, read) => {
    // x, what exp made and y, beside the three others; more where the reader makes something.
    expect(peakWhenReadBy(read)).toBeGreaterThanOrEqual(6);
  });

  test('counts less where nobody reads it any more', () => {
    // Only what is still held at a commit point counts to there.
    expect(peakWhenReadBy(() => 0)).toBeLessThan(6);
  });
});

describe('what a call is given', () => {
  test('counts until an op that works in steps returns', () => {
    stage(() => {
      kept = { w: randn() };
    });
    figures();
    // The reshaped copy of x is what is multiplied; x is the caller's until then.
    stage(
      () =>
        void torch
          .randn(4, ROWS / 4, ROWS, { device })
          .transpose(0, 1)
          .matmul(kept['w']),
    );
    expect(peak()).toBe(4);
  });

  test('counts until a module returns', () => {
    const { nn } = torch;
    const model = new nn.Sequential(new nn.ReLU(), new nn.Tanh(), new nn.Sigmoid());
    figures();
    stage(() => torch.no_grad(() => void model(randn())));
    expect(peak()).toBe(3);
  });
});

describe('gradients', () => {
  test('go when they are replaced, cleared, or with their parameter', () => {
    stage(() => {
      kept = { x: leaf() };
      kept['x'].mul(2).sum().backward();
    });
    expect(allocated()).toBe(2);
    stage(() => {
      kept['x'].grad = null;
    });
    expect(allocated()).toBe(1);
    stage(() => kept['x'].mul(2).sum().backward());
    stage(() => delete kept['x']);
    expect(allocated()).toBe(0);
  });

  test('of intermediate results are gone after backward', () => {
    stage(() => {
      kept = { x: leaf() };
      kept['loss'] = kept['x'].mul(2).exp().mul(3).sum();
      kept['loss'].backward();
    });
    // x and its gradient; the loss takes 512 bytes.
    expect(Math.floor(allocated())).toBe(2);
  });

  test('that retain_grad asked for stay with their tensor', () => {
    stage(() => {
      kept = { x: leaf() };
      kept['h'] = kept['x'].mul(2);
      kept['h'].retain_grad();
      kept['h'].sum().backward();
    });
    expect(allocated()).toBe(4);
    stage(() => delete kept['h']);
    expect(allocated()).toBe(2);
  });

  test('that a hook keeps stay', () => {
    stage(() => {
      kept = { x: leaf() };
      const h = kept['x'].mul(2);
      h.register_hook((grad) => {
        kept['grad'] = grad;
      });
      h.exp().sum().backward();
    });
    expect(kept['grad'].shape).toEqual([ROWS, ROWS]);
    expect(allocated()).toBe(3);
    expect(Number.isFinite(kept['grad'].sum().item())).toBe(true);
  });
});

describe('optimizers', () => {
  test('state goes with its parameter, gradients with zero_grad', () => {
    stage(() => {
      kept = { x: leaf() };
      const optimizer = new torch.optim.Adam([kept['x']], { lr: 0.1 });
      kept['x'].sum().backward();
      optimizer.step();
      holder.optimizer = optimizer;
    });
    // The parameter, its gradient, two moments.
    expect(allocated()).toBe(4);
    stage(() => holder.optimizer!.zero_grad());
    expect(allocated()).toBe(3);
    stage(() => {
      holder.optimizer = null;
      delete kept['x'];
    });
    expect(allocated()).toBe(0);
  });
});

const holder: { optimizer: { zero_grad(): void } | null } = { optimizer: null };
