/** What PyTorch 2.13 does, in the same programs, with hooks and retain_grad. */
import { describe, expect, test } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';

const leaf = (values: number[] = [1, 2]) => torch.tensor(values, { device, requires_grad: true });
const values = (x: Tensor | null) => x?.tolist() ?? null;
const { grad } = torch.autograd;

/** A hook that notes what it is given. */
function recorder() {
  const log: [string, unknown][] = [];
  const note =
    (name: string, change?: (g: Tensor) => Tensor) =>
    (g: Tensor): Tensor | undefined => {
      log.push([name, values(g)]);
      return change?.(g);
    };
  return { log, note };
}

describe('hooks', () => {
  test('run in the order of registration, each on what the last returned; retain_grad comes last', () => {
    const { log, note } = recorder();
    const a = leaf();
    const b = a.mul(2);
    b.register_hook(note('b1'));
    b.retain_grad();
    b.register_hook(note('b2', (g) => g.mul(10)));
    b.register_hook(note('b3'));
    a.register_hook(note('a1', (g) => g.add(1)));
    a.register_hook(note('a2'));
    b.sum().backward();
    expect(log).toEqual([
      ['b1', [1, 1]],
      ['b2', [1, 1]],
      ['b3', [10, 10]],
      ['a1', [20, 20]],
      ['a2', [21, 21]],
    ]);
    expect([values(b.grad), values(a.grad)]).toEqual([
      [10, 10],
      [21, 21],
    ]);
  });

  test('change what grad() returns, for leaves and others', () => {
    const a = leaf();
    a.register_hook((g) => g.add(1));
    expect(values(grad(a.mul(2).sum(), a)[0])).toEqual([3, 3]);
    const b = a.mul(2);
    b.register_hook((g) => g.mul(10));
    expect(values(grad(b.sum(), b)[0])).toEqual([10, 10]);
    const c = a.mul(2);
    c.retain_grad();
    expect([values(grad(c.sum(), a)[0]), values(c.grad), a.grad]).toEqual([[3, 3], [1, 1], null]);
  });

  test('are removed by their handle, also while they run', () => {
    const { log, note } = recorder();
    const y = leaf().mul(1);
    const handle = y.register_hook(() => {
      log.push(['once', null]);
      handle.remove();
    });
    y.register_hook(note('always'));
    const s = y.sum();
    s.backward(null, { retain_graph: true });
    s.backward();
    expect(log.map(([name]) => name)).toEqual(['once', 'always', 'always']);
    const x = leaf();
    const { log: leafLog, note: noteLeaf } = recorder();
    x.register_hook(noteLeaf('x')).remove();
    x.sum().backward();
    expect(leafLog).toEqual([]);
  });

  test('stay with the value they were set on when it is changed in place', () => {
    const { log, note } = recorder();
    const v = leaf().mul(1);
    v.register_hook(note('before'));
    v.mul_(3);
    v.register_hook(note('after'));
    v.sum().backward();
    expect(log).toEqual([
      ['after', [1, 1]],
      ['before', [3, 3]],
    ]);
  });

  test("a leaf's survive new data", () => {
    const x = leaf();
    x.register_hook((g) => g.mul(7));
    x.data = torch.ones(3, { device });
    x.sum().backward();
    expect(values(x.grad)).toEqual([7, 7, 7]);
  });

  test('may keep what they are given', () => {
    const kept: Tensor[] = [];
    const x = leaf();
    x.register_hook((g) => void kept.push(g));
    x.mul(2).sum().backward();
    x.mul(2).sum().backward();
    expect([values(kept[0]), values(x.grad)]).toEqual([
      [2, 2],
      [4, 4],
    ]);
  });

  test('errors', () => {
    const run = (hook: (g: Tensor) => unknown) => () => {
      const y = leaf().mul(2);
      y.register_hook(hook as (g: Tensor) => Tensor);
      y.sum().backward();
    };
    expect(run(() => 3)).toThrow("expected Variable, but hook returned 'int'");
    expect(run(() => torch.ones(3, { device }))).toThrow("hook '<lambda>' has changed the size of value");
    const type = device === 'cpu' ? 'torch.' : 'torch.mtia.';
    expect(run((g) => g.double())).toThrow(
      `hook '<lambda>' has changed the type of value (was ${type}FloatTensor got ${type}DoubleTensor)`,
    );
    expect(() => torch.ones(2).register_hook(() => {})).toThrow(
      "cannot register a hook on a tensor that doesn't require gradient",
    );
  });
});

describe('retain_grad', () => {
  test('adds up over several runs, in a new tensor', () => {
    const v = leaf().mul(1);
    v.retain_grad();
    const s = v.sum();
    s.backward({ retain_graph: true });
    const first = v.grad;
    s.backward();
    expect([values(v.grad), v.grad === first, values(first)]).toEqual([[2, 2], false, [1, 1]]);
  });

  test('follows the tensor when it is changed in place', () => {
    const v = leaf().mul(1);
    v.retain_grad();
    v.mul_(3);
    v.sum().backward();
    expect(values(v.grad)).toEqual([1, 1]);
    const base = leaf().mul(1);
    base.retain_grad();
    base.narrow(0, 0, 1).mul_(3);
    base.mul(5).sum().backward();
    expect(values(base.grad)).toEqual([5, 5]);
  });

  test('does nothing on a leaf, and is refused without grad', () => {
    const x = leaf();
    x.retain_grad();
    expect(x.retains_grad).toBe(false);
    expect(() => torch.ones(2).retain_grad()).toThrow("can't retain_grad on Tensor that has requires_grad=False");
  });
});
