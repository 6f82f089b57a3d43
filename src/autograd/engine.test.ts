/** What PyTorch 2.13 does, in the same programs, on the engine: order, accumulation, captures, graphs that are freed. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';
import { clock } from '../memory/clock.ts';
import type { FunctionCtx } from '../torch/namespace.ts';
import type { Tensor } from '../tensor/tensor.ts';

const { grad } = torch.autograd;
const leaf = (values: number[] = [1, 2]) => torch.tensor(values, { device, requires_grad: true });
const ones = (...size: number[]) => torch.ones(size, { device });
const values = (x: Tensor | null) => x?.tolist() ?? null;

describe('accumulation', () => {
  test('a tensor used twice gets the sum', () => {
    const x = leaf();
    x.mul(x).add(x.mul(3)).sum().backward();
    expect(values(x.grad)).toEqual([5, 7]);
  });

  test('.grad stays the same tensor', () => {
    const x = leaf();
    x.mul(1).sum().backward();
    const first = x.grad;
    x.mul(2).sum().backward();
    expect([x.grad === first, values(x.grad)]).toEqual([true, [3, 3]]);
  });

  test('a .grad that was assigned is added to in place', () => {
    const x = leaf();
    const given = ones(2);
    x.grad = given;
    x.sum().backward();
    expect([x.grad === given, values(given)]).toEqual([true, [2, 2]]);
  });

  test('with create_graph it is a new tensor', () => {
    const x = leaf();
    x.mul(x).sum().backward({ create_graph: true });
    const first = x.grad;
    expect([values(first), first!.requires_grad]).toEqual([[2, 4], true]);
    x.mul(x).sum().backward({ create_graph: true });
    expect([x.grad === first, values(x.grad), values(first)]).toEqual([false, [4, 8], [2, 4]]);
  });

  test('a gradient that was given in is never taken or changed', () => {
    const x = leaf();
    const given = ones(2);
    x.backward(given);
    x.backward(given);
    expect([values(given), values(x.grad)]).toEqual([
      [1, 1],
      [2, 2],
    ]);
    const y = leaf();
    y.mul(1).add(x).backward(given);
    y.grad!.mul_(5);
    expect([values(given), values(x.grad)]).toEqual([
      [1, 1],
      [3, 3],
    ]);
  });

  test('several roots, with and without gradients', () => {
    const x = leaf();
    torch.autograd.backward([x.sum(), x.mul(2)], [null, ones(2)]);
    expect(values(x.grad)).toEqual([3, 3]);
  });
});

describe('the graph', () => {
  const FREED = 'Trying to backward through the graph a second time';

  test('is freed, unless retained', () => {
    const x = leaf();
    const y = x.exp().sum();
    y.backward({ retain_graph: true });
    y.backward();
    expect(() => y.backward()).toThrow(FREED);
    const z = x.add(1).sum();
    z.backward();
    z.backward(); // nothing was saved
  });

  test('parts that are not needed are neither run nor freed', () => {
    const x = leaf();
    const w = leaf();
    const other = w.exp().sum();
    const hook = vi.fn();
    other.register_hook(hook);
    expect(values(grad([x.exp().sum(), other], [x], null)[0])).toHaveLength(2);
    expect(hook).not.toHaveBeenCalled();
    other.backward();
    expect(values(w.grad)).toHaveLength(2);
  });

  test('double backward', () => {
    const x = leaf([2]);
    const [g] = grad(x.pow(3), x, ones(1), { create_graph: true });
    const [gg] = grad(g!, x, ones(1), { create_graph: true });
    const [ggg] = grad(gg!, x, ones(1));
    expect([values(g), values(gg), values(ggg)]).toEqual([[12], [12], [6]]);
  });

  test('a gradient that requires grad', () => {
    const x = leaf();
    const w = leaf([1, 1]);
    const [g] = grad(x.mul(x), x, w, { create_graph: true });
    g!.sum().backward();
    expect([values(w.grad), values(x.grad)]).toEqual([
      [2, 4],
      [2, 2],
    ]);
  });

  test('100,000 nodes deep, recorded, run and forgotten', () => {
    const x = leaf([1]);
    let y: Tensor = x.mul(1);
    for (let i = 0; i < 100_000; i++) y = y.add(1);
    y.sum().backward();
    expect(values(x.grad)).toEqual([1]);
  });

  test('wide: 20,000 edges into one tensor', () => {
    const x = leaf([1]);
    const y = x.mul(1);
    const parts: Tensor[] = [];
    for (let i = 0; i < 20_000; i++) parts.push(y);
    torch.stack(parts).sum().backward();
    expect(values(x.grad)).toEqual([20_000]);
  });

  test('later nodes run first', () => {
    const order: string[] = [];
    const x = leaf();
    const p = x.mul(1);
    const q = p.mul(2);
    const r = p.mul(3);
    p.register_hook(() => void order.push('p'));
    q.register_hook(() => void order.push('q'));
    r.register_hook(() => void order.push('r'));
    r.add(q).sum().backward();
    expect(order).toEqual(['r', 'q', 'p']);
  });

  test('a backward inside a backward', () => {
    class Reentrant extends torch.autograd.Function {
      static override forward(ctx: FunctionCtx<{ x: Tensor; y: Tensor }>, x: Tensor): Tensor {
        torch.enable_grad(() => {
          ctx.x = x.detach().requires_grad_();
          ctx.y = ctx.x.mul(ctx.x);
        });
        return ctx.y.detach();
      }
      static override backward(ctx: FunctionCtx<{ x: Tensor; y: Tensor }>, g: Tensor): Tensor | null {
        torch.enable_grad(() => ctx.y.backward(g));
        return ctx.x.grad;
      }
    }
    const x = leaf();
    Reentrant.apply(x).add(Reentrant.apply(x)).sum().backward();
    expect(values(x.grad)).toEqual([4, 8]);
  });

  test('a backward in a hook through nodes of the outer run', () => {
    const x = leaf();
    const shared = x.mul(3);
    const inner = shared.mul(5).sum();
    const y = shared.mul(2);
    const seen: unknown[] = [];
    y.register_hook(() => {
      seen.push(values(grad(inner, x, null, { retain_graph: true })[0]));
    });
    y.sum().add(shared.sum()).backward();
    expect([seen, values(x.grad)]).toEqual([[[15, 15]], [9, 9]]);
  });
});

describe('grad', () => {
  test('of several inputs, one behind the other', () => {
    const x = leaf();
    const y = x.mul(2);
    expect(grad(y.mul(3).sum(), [y, x], null, { retain_graph: true }).map(values)).toEqual([
      [3, 3],
      [6, 6],
    ]);
    expect(grad(y.mul(3).sum(), [x, x]).map(values)).toEqual([
      [6, 6],
      [6, 6],
    ]);
    expect(x.grad).toBeNull();
  });

  test('of a leaf by itself', () => {
    const x = leaf();
    expect(values(grad(x, x, ones(2))[0])).toEqual([1, 1]);
    x.backward(ones(2));
    expect(values(x.grad)).toEqual([1, 1]);
  });

  const allocations = (run: () => unknown) => {
    const before = clock.now;
    run();
    return clock.now - before;
  };

  test.each<[string, (x: Tensor, w: Tensor) => Tensor]>([
    ['mul', (x, w) => x.mul(w)],
    ['matmul', (x, w) => x.view(1, 2).mm(w.view(2, 1))],
    ['index_add', (x, w) => x.mul(2).index_add(0, torch.tensor([1, 0], { device, dtype: torch.int64 }), w)],
  ])('of one factor of %s: nothing is computed for the other', (_, f) => {
    const [x, w] = [leaf(), leaf([3, 4])];
    const z = f(x, w).sum();
    const [both, wholly] = [grad(z, [x, w], { retain_graph: true }), grad(z, [x], { retain_graph: true })];
    expect(values(wholly[0])).toEqual(values(both[0]));
    const all = allocations(() => grad(z, [x, w], { retain_graph: true }));
    expect(allocations(() => grad(z, [x], { retain_graph: true }))).toBeLessThan(all);
    expect(allocations(() => grad(z, [w], { retain_graph: true }))).toBeLessThan(all);
    // Whatever was left out before, a run without inputs computes all.
    z.backward();
    expect([values(x.grad), values(w.grad)]).toEqual(both.map(values));
  });

  test('of one input: what was saved for the other must be unchanged all the same', () => {
    const x = leaf();
    for (const f of [(a: Tensor, b: Tensor) => a.mul(b), (a: Tensor, b: Tensor) => a.dot(b)]) {
      const [a, b] = [x.mul(1), leaf().mul(1)];
      const z = f(a, b).sum();
      a.add_(1);
      expect(() => grad(z, [x])).toThrow('is at version 1; expected version 0');
    }
  });

  test('of one input, past an in-place change of a view', () => {
    const [x, w] = [leaf([1, 1, 1, 1]), leaf([3, 3])];
    const y = x.mul(1);
    y.narrow(0, 0, 2).mul_(w);
    const z = y.sum();
    expect(values(grad(z, [x], { retain_graph: true })[0])).toEqual([3, 3, 1, 1]);
    expect(values(grad(z, [w])[0])).toEqual([1, 1]);
  });

  test('of one input, with a whole backward in a hook', () => {
    const [x, w, other] = [leaf(), leaf([3, 4]), leaf()];
    const y = x.mul(w);
    y.register_hook(() => torch.enable_grad(() => void other.mul(w).sum().backward()));
    expect(values(grad(y.sum(), [x])[0])).toEqual([3, 4]);
    expect([values(other.grad), values(w.grad)]).toEqual([
      [3, 4],
      [1, 2],
    ]);
  });

  test('unused inputs', () => {
    const x = leaf();
    const unused = leaf([1, 2, 3]);
    expect(() => grad(x.sum(), [x, unused])).toThrow(
      'The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.',
    );
    expect(grad(x.sum(), [x, unused], null, { allow_unused: true }).map(values)).toEqual([[1, 1], null]);
    expect(grad(x.sum(), [x, unused], null, { materialize_grads: true }).map(values)).toEqual([
      [1, 1],
      [0, 0, 0],
    ]);
  });
});

describe('backward with inputs', () => {
  test('only these get a gradient; a computed one as by retain_grad', () => {
    const x = leaf();
    const w = leaf();
    const y = x.mul(2);
    y.mul(3)
      .add(w)
      .sum()
      .backward({ inputs: [y] });
    expect([values(y.grad), x.grad, w.grad, y.retains_grad]).toEqual([[3, 3], null, null, true]);
    x.mul(2).add(w).sum().backward({ inputs: x });
    expect([values(x.grad), w.grad]).toEqual([[2, 2], null]);
    x.sum().backward({ inputs: [w] });
    expect(w.grad).toBeNull();
  });
});

describe('views', () => {
  test('the gradient of a view is kept on the view, and arrives at the base', () => {
    const x = leaf();
    const v = x.view(2, 1);
    v.retain_grad();
    v.mul(3).sum().backward();
    expect([values(v.grad), values(x.grad)]).toEqual([
      [[3], [3]],
      [3, 3],
    ]);
  });

  test('an expanded gradient is not kept expanded', () => {
    const x = leaf();
    x.sum().backward();
    expect([x.grad!.stride(), x.grad!.storage.nbytes]).toEqual([[1], 8]);
  });

  test('one part of a split', () => {
    const x = leaf([1, 2, 3, 4]);
    const [a] = x.mul(1).split(2);
    a.sum().backward();
    expect(values(x.grad)).toEqual([1, 1, 0, 0]);
  });
});

describe('errors', () => {
  test('of backward', () => {
    const x = leaf();
    const { backward } = torch.autograd;
    expect(() => ones(2).sum().backward()).toThrow(
      'element 0 of tensors does not require grad and does not have a grad_fn',
    );
    expect(() => x.mul(2).backward()).toThrow('grad can be implicitly created only for scalar outputs');
    expect(() => x.mul(2).backward(ones(3))).toThrow(
      'Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([2]).',
    );
    expect(() => backward([x.mul(2), x.mul(3)], [ones(2)])).toThrow('got 2 tensors and 1 gradients');
    expect(() => x.mul(2).backward(torch.ones(2, { device: 'meta' }))).toThrow(
      `invalid gradient at index 0 - expected device ${x.device} but got meta`,
    );
    expect(() => x.sum().backward({ inputs: [] })).toThrow('`inputs` argument to `backward()` cannot be empty.');
    expect(() => x.sum().backward({ inputs: [ones(2)] })).toThrow(
      "can't retain_grad on Tensor that has requires_grad=False",
    );
  });

  test('of grad', () => {
    const x = leaf();
    expect(() => grad(x.sum(), [])).toThrow('`inputs` argument to `grad()` cannot be empty.');
    expect(() => grad(x.sum(), ones(2))).toThrow('One of the differentiated Tensors does not require grad');
    expect(() => grad(x.sum(), x, null, { allow_unused: false, materialize_grads: true })).toThrow(
      'Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.',
    );
  });

  test('an error in the middle leaves the engine as it was', () => {
    const x = leaf();
    const y = x.mul(2);
    y.register_hook(() => {
      throw new Error('from the hook');
    });
    expect(() => y.sum().backward()).toThrow('from the hook');
    expect(torch.is_grad_enabled()).toBe(true);
    x.mul(2).sum().backward();
    expect(values(x.grad)).toEqual([2, 2]);
  });
});

describe('anomaly detection', () => {
  afterEach(() => {
    torch.autograd.set_detect_anomaly(false);
  });

  class Nan extends torch.autograd.Function {
    static override forward(_ctx: FunctionCtx, x: Tensor): Tensor {
      return x.mul(2);
    }
    static override backward(_ctx: FunctionCtx, g: Tensor): Tensor {
      return g.mul(Number.NaN);
    }
  }

  test('names the op, and where its forward was called', () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const step = () => Nan.apply(leaf()).sum().backward();
    const zero = () => leaf([0]).sqrt().mul(0).sum().backward();
    step();
    torch.autograd.set_detect_anomaly(true);
    expect(step).toThrow("Function 'NanBackward' returned nan values in its 0th output.");
    expect(String(warning.mock.calls[0][0])).toMatch(
      /^UserWarning: Error detected in NanBackward\. Traceback of forward call that caused the error:\n.*at step .*engine\.test\.ts/s,
    );
    expect(zero).toThrow("Function 'SqrtBackward0' returned nan values in its 0th output.");
    torch.autograd.detect_anomaly(false, () => {
      expect(torch.is_anomaly_check_nan_enabled()).toBe(false);
      step();
    });
    expect([torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]).toEqual([true, true]);
    warning.mockRestore();
  });
});

describe('a gradient that goes on to several places', () => {
  /** Every program of so many additions and products of the values before them. */
  function* programs(steps: number, values = 2): Generator<[string, number, number][]> {
    if (steps === 0) {
      yield [];
      return;
    }
    for (const op of ['add', 'mul'])
      for (let a = 0; a < values; a++)
        for (let b = 0; b < values; b++)
          for (const rest of programs(steps - 1, values + 1)) yield [[op, a, b], ...rest];
  }

  test('arrives at each of them, whatever has arrived there before', () => {
    const device = 'mtia';
    const leaves = [1.5, -0.5].map((value) => torch.tensor([value, 2 * value], { device, requires_grad: true }));
    const before = torch.mtia.memory_allocated();
    let count = 0;
    for (const steps of [1, 2, 3]) {
      for (const program of programs(steps)) {
        if (++count % 11 > 0 && steps === 3) continue;
        torch.scope(() => {
          const values: Tensor[] = [...leaves];
          for (const [op, a, b] of program) {
            values.push(op === 'add' ? values[a].add(values[b]) : values[a].mul(values[b]));
          }
          values
            .slice(2)
            .reduce((sum, x) => sum.add(x))
            .sum()
            .backward();
        });
        // The same by hand, from the end to the beginning.
        const expected = [0, 1].map((at) => {
          const values = leaves.map((leaf) => (leaf.tolist() as number[])[at]);
          for (const [op, a, b] of program) values.push(op === 'add' ? values[a] + values[b] : values[a] * values[b]);
          const grads = values.map((_, i) => (i < 2 ? 0 : 1));
          for (let i = program.length - 1; i >= 0; i--) {
            const [op, a, b] = program[i];
            grads[a] += grads[i + 2] * (op === 'add' ? 1 : values[b]);
            grads[b] += grads[i + 2] * (op === 'add' ? 1 : values[a]);
          }
          return grads.slice(0, 2);
        });
        leaves.forEach((leaf, i) => {
          // Without signs of zeros.
          const grad = ((leaf.grad?.tolist() ?? [0, 0]) as number[]).map((x) => x + 0);
          expect([JSON.stringify(program), grad]).toEqual([JSON.stringify(program), expected.map((at) => at[i] + 0)]);
          leaf.grad?.dispose();
          leaf.grad = null;
        });
      }
    }
    expect(count).toBeGreaterThan(1000);
    expect(torch.mtia.memory_allocated()).toBe(before);
  });
});
