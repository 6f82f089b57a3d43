/** `dispose`, `using` and `torch.scope` with real tensors: what goes, what stays, and what using a disposed tensor says. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createdBackend } from '../../src/devices/registry.ts';
import { lifetimesOf } from '../../src/devices/storage.ts';
import torch from '../../src/index.ts';
import { sweep, sweepEvery } from '../../src/memory/sweep.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';

const device = 'mtia';
const { memory } = torch.mtia;
const DISPOSED = /This tensor was disposed/;

const ones = (...sizes: number[]): Tensor => torch.ones(sizes, { device });

/** Storages that are alive, without looking for dead ones. */
function alive(): number {
  return lifetimesOf(createdBackend(0)!)!.liveCount;
}

let start = 0;
beforeEach(() => {
  sweepEvery(0);
  ones(1);
  sweep();
  start = alive();
});
const more = () => alive() - start;

describe('a disposed tensor', () => {
  const disposed = (): Tensor => {
    const x = ones(2, 3).requires_grad_();
    x.dispose();
    return x;
  };

  test.each<[string, (x: Tensor) => unknown]>([
    ['a unary op', (x) => x.exp()],
    ['a binary op', (x) => ones(2, 3).add(x)],
    ['a number', (x) => x.mul(2)],
    ['an in-place op', (x) => ones(2, 3).add_(x)],
    ['an in-place op on it', (x) => torch.no_grad(() => x.add_(1))],
    ['a product', (x) => x.matmul(ones(3, 2))],
    ['a reduction', (x) => x.sum()],
    ['softmax', (x) => x.softmax(1)],
    ['cat', (x) => torch.cat([ones(2, 3), x])],
    ['a view', (x) => x.view(6)],
    ['select', (x) => x.select(0, 1)],
    ['index', (x) => x.index([0])],
    ['index_put_', (x) => ones(2, 3).index_put_([0], x.detach().select(0, 0))],
    ['detach', (x) => x.detach()],
    ['data', (x) => x.data],
    ['clone', (x) => x.clone()],
    ['contiguous', (x) => x.contiguous().add(1)],
    ['to', (x) => x.to('cpu')],
    ['item', (x) => x.sum().item()],
    ['tolist', (x) => x.tolist()],
    ['toTypedArray', (x) => x.toTypedArray()],
    ['String', (x) => String(x)],
    ['backward', (x) => x.backward(ones(2, 3))],
    ['device', (x) => x.device],
    ['data_ptr', (x) => x.data_ptr()],
    ['linear', (x) => torch.nn.functional.linear(ones(1, 3), x)],
  ])('says so in %s', (_, use) => {
    const x = disposed();
    expect(() => use(x)).toThrow(DISPOSED);
  });

  test('says so in item', () => {
    const x = ones(1);
    x.dispose();
    expect(() => x.item()).toThrow(DISPOSED);
  });

  test('says so in an optimizer', () => {
    const x = ones(2).requires_grad_();
    const optimizer = new torch.optim.SGD([x], { lr: 1 });
    x.sum().backward();
    x.dispose();
    expect(() => optimizer.step()).toThrow(DISPOSED);
  });

  test('still has its shape and dtype, and can be disposed again', () => {
    const x = disposed();
    expect([...x.shape]).toEqual([2, 3]);
    expect(x.dtype).toBe(torch.float32);
    x.dispose();
    expect(more()).toBe(0);
  });

  test('frees its storage there, and a use leaves the library as it was', () => {
    const x = ones(2, 3);
    expect(more()).toBe(1);
    x.dispose();
    expect(more()).toBe(0);
    expect(() => x.add(1)).toThrow(DISPOSED);
    expect(ones(2).add(1).tolist()).toEqual([2, 2]);
  });

  test('leaves views of it alone, and goes with the last of them', () => {
    const x = ones(2, 3);
    const y = x.select(0, 1);
    const z = x.detach();
    x.dispose();
    expect(y.tolist()).toEqual([1, 1, 1]);
    y.dispose();
    expect(more()).toBe(1);
    z.dispose();
    expect(more()).toBe(0);
  });

  test('is kept by the graph that saved it, until backward', () => {
    const x = ones(2, 3).requires_grad_();
    const h = x.mul(2);
    const y = h.exp();
    const loss = y.sum();
    h.dispose();
    y.dispose();
    // exp saved its result.
    expect(more()).toBe(3);
    loss.backward();
    expect(x.grad!.sum().item()).toBeCloseTo(12 * Math.exp(2), 3);
    loss.dispose();
    sweepEvery(0);
    // x and its gradient, and the sum of that.
    expect(more()).toBe(3);
    x.grad!.dispose();
    x.grad = null;
    x.dispose();
    expect(more()).toBe(1);
  });

  test('does not stop a second backward where the graph is retained', () => {
    const x = ones(2).requires_grad_();
    const h = x.mul(3);
    const loss = h.mul(h).sum();
    h.dispose();
    loss.backward({ retain_graph: true });
    loss.backward();
    expect(x.grad!.tolist()).toEqual([36, 36]);
  });

  test('may be a base whose view is changed in place afterwards', () => {
    const x = ones(4);
    const view = x.narrow(0, 1, 2);
    x.dispose();
    view.mul_(5);
    expect(view.tolist()).toEqual([5, 5]);
    view.dispose();
    expect(more()).toBe(0);
  });

  test('may be a parameter whose gradient stays readable', () => {
    const x = ones(2).requires_grad_();
    x.mul(2).sum().backward();
    const grad = x.grad!;
    x.dispose();
    expect(grad.tolist()).toEqual([2, 2]);
  });

  test('everything disposed of, nothing is allocated', () => {
    const before = memory.allocated();
    const x = ones(64, 64).requires_grad_();
    const w = ones(64, 64).requires_grad_();
    const h = x.matmul(w);
    const y = h.relu();
    const loss = y.softmax(1).mul(y).mean();
    loss.backward();
    expect(memory.allocated()).toBeGreaterThan(before);
    for (const t of [x.grad!, w.grad!]) t.dispose();
    x.grad = null;
    w.grad = null;
    for (const t of [x, w, h, y, loss]) t.dispose();
    expect(memory.allocated()).toBe(before);
  });
});

describe('torch.scope', () => {
  test('lets go of what was made inside, without any collection', () => {
    const sum = torch.scope(() => {
      const x = ones(8, 8);
      return x.add(1).mul(x).sum().item();
    });
    expect(sum).toBe(128);
    expect(more()).toBe(0);
  });

  test('keeps what is returned, however nested, and kept', () => {
    let kept: Tensor | null = null;
    const { list, map } = torch.scope(() => {
      kept = ones(2).keep();
      const [a, b, c] = [ones(1), ones(2), ones(3)];
      ones(4).add(1);
      return { list: [a, { b }], map: new Map([['c', c]]) };
    });
    expect(more()).toBe(4);
    expect(kept!.tolist()).toEqual([1, 1]);
    expect((list[0] as Tensor).tolist()).toEqual([1]);
    expect((list[1] as { b: Tensor }).b.tolist()).toEqual([1, 1]);
    expect(map.get('c')!.tolist()).toEqual([1, 1, 1]);
  });

  test('keeps a view, whose base goes with it', () => {
    const view = torch.scope(() => ones(4, 4).select(0, 2));
    expect(view.tolist()).toEqual([1, 1, 1, 1]);
    expect(more()).toBe(1);
    view.dispose();
    expect(more()).toBe(0);
  });

  test('survivors belong to the scope outside', () => {
    torch.scope(() => {
      const inner = torch.scope(() => ones(3));
      expect(inner.tolist()).toEqual([1, 1, 1]);
      expect(more()).toBe(1);
    });
    expect(more()).toBe(0);
  });

  test('keeps parameters, gradients and optimizer state', () => {
    const { nn, optim } = torch;
    const before = more();
    const { model, optimizer } = torch.scope(() => {
      const made = new nn.Linear(4, 2).to(device);
      return { model: made, optimizer: new optim.SGD(made.parameters(), { lr: 0.1, momentum: 0.9 }) };
    });
    expect(more() - before).toBe(2);
    const step = () => {
      optimizer.zero_grad();
      model(ones(3, 4)).pow(2).sum().backward();
      optimizer.step();
    };
    torch.scope(step);
    // Weight and bias, their gradients and momentum.
    expect(more() - before).toBe(6);
    for (let i = 0; i < 5; i++) torch.scope(step);
    expect(more() - before).toBe(6);
    torch.scope(() => optimizer.zero_grad());
    expect(more() - before).toBe(4);
    expect(model(ones(1, 4)).shape).toEqual([1, 2]);
  });

  test('a module made inside stays usable when it is returned', () => {
    const model = torch.scope(() => new torch.nn.Linear(3, 1).to(device));
    expect(Number.isFinite(model(ones(1, 3)).item())).toBe(true);
  });

  test('names what was used after its end', () => {
    let leaked: Tensor | null = null;
    torch.scope(() => {
      leaked = ones(2).add(1);
    });
    expect(() => leaked!.add(1)).toThrow(/disposed .*end of its `using` or of torch\.scope.*keep\(\)/);
  });

  test('a graph made inside works outside', () => {
    const x = ones(3).requires_grad_();
    const loss = torch.scope(() => x.mul(2).exp().sum());
    loss.backward();
    expect(x.grad!.sum().item()).toBeCloseTo(6 * Math.exp(2), 3);
  });

  test('refuses promises, and scopes that end out of order', () => {
    expect(() => torch.scope(async () => ones(1))).toThrow(/returned a promise.*using _ = torch\.scope\(\)/);
    const outer = torch.scope();
    const inner = torch.scope();
    expect(() => outer.exit()).toThrow(/reverse order of entering/);
    inner.exit();
    outer.exit();
    sweep();
    expect(more()).toBe(0);
  });

  test('ends also when its function throws', () => {
    expect(() =>
      torch.scope(() => {
        ones(5);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(more()).toBe(0);
  });

  test('works as a guard', () => {
    const guard = torch.scope();
    const x = ones(2);
    guard.exit();
    expect(() => x.sum()).toThrow(DISPOSED);
    expect(more()).toBe(0);
  });
});

describe('a long loop of scopes', () => {
  test('needs no collection', () => {
    const x = ones(16, 16).requires_grad_();
    const peak = lifetimesOf(createdBackend(0)!)!;
    let most = 0;
    for (let i = 0; i < 200; i++) {
      torch.scope(() => {
        x.matmul(x).tanh().sum().backward();
        x.grad = null;
      });
      most = Math.max(most, peak.liveCount - start);
    }
    expect(most).toBe(1);
  });
});
