import { describe, expect, test, vi } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';
import type { FunctionCtx } from '../torch/namespace.ts';
import type { Tensor } from '../tensor/tensor.ts';

const F = torch.autograd.Function;
const leaf = (values: number[] = [1, 2]) => torch.tensor(values, { device, requires_grad: true });

class Double extends F {
  static override forward(_ctx: FunctionCtx, x: Tensor): Tensor {
    return x.mul(2);
  }
  static override backward(_ctx: FunctionCtx, grad: Tensor): unknown {
    return grad.mul(2);
  }
}

class Exp extends F {
  static override forward(ctx: FunctionCtx, x: Tensor): Tensor {
    const y = x.exp();
    ctx.save_for_backward(y);
    return y;
  }
  static override backward(ctx: FunctionCtx, grad: Tensor): Tensor {
    const [y] = ctx.saved_tensors;
    return grad.mul(y);
  }
}

class Scale extends F {
  static override forward(ctx: FunctionCtx<{ factor: number }>, x: Tensor, factor: number): Tensor {
    ctx.factor = factor;
    return x.mul(factor);
  }
  static override backward(ctx: FunctionCtx<{ factor: number }>, grad: Tensor): unknown[] {
    return [grad.mul(ctx.factor), null];
  }
}

/** A Function like Double with another backward. */
function withBackward(name: string, backward: (grad: Tensor) => unknown) {
  const Named = class extends Double {
    static override backward(_ctx: FunctionCtx, grad: Tensor): unknown {
      return backward(grad);
    }
  };
  Object.defineProperty(Named, 'name', { value: name });
  return Named;
}

describe('a Function', () => {
  test('forward and backward', () => {
    const x = leaf();
    const y = Exp.apply(x);
    expect(String(y.grad_fn)).toBe('<ExpBackward object>');
    y.sum().backward();
    expect(x.grad!.tolist()).toEqual([Math.fround(Math.E), Math.fround(Math.exp(2))]);
  });

  test('differentiates twice through its backward', () => {
    const x = leaf([0.5]);
    const [g] = torch.autograd.grad(Exp.apply(x).sum(), x, null, { create_graph: true });
    const [gg] = torch.autograd.grad(g!.mul(g!).sum(), x);
    expect(gg!.item()).toBeCloseTo(2 * Math.E, 5);
  });

  test('other arguments, and attributes of the context', () => {
    const x = leaf();
    const y = Scale.apply(x, 3);
    y.sum().backward();
    expect([y.tolist(), x.grad!.tolist()]).toEqual([
      [3, 6],
      [3, 3],
    ]);
  });

  test('the arguments of apply are typed', () => {
    // @ts-expect-error a number is missing
    expect(() => Scale.apply(leaf()).sum().backward()).toThrow();
    // @ts-expect-error no tensor
    expect(() => Exp.apply(3)).toThrow();
  });

  test('needs_input_grad says what requires grad, whatever the mode', () => {
    const seen: (readonly boolean[])[] = [];
    class Needs extends F {
      static override forward(ctx: FunctionCtx, x: Tensor, _k: number, _y: Tensor): Tensor {
        seen.push(ctx.needs_input_grad);
        return x.mul(2);
      }
    }
    const call = () => Needs.apply(leaf(), 3, torch.ones(2, { device }));
    expect(call().requires_grad).toBe(true);
    expect(torch.no_grad(call).requires_grad).toBe(false);
    expect(seen).toEqual([
      [true, false, false],
      [true, false, false],
    ]);
  });

  test('nothing in forward is recorded; in backward, only with create_graph', () => {
    const modes: boolean[] = [];
    class Modes extends F {
      static override forward(_ctx: FunctionCtx, x: Tensor): Tensor {
        modes.push(torch.is_grad_enabled());
        return x.mul(2);
      }
      static override backward(_ctx: FunctionCtx, grad: Tensor): Tensor {
        modes.push(torch.is_grad_enabled());
        return grad.mul(2);
      }
    }
    const x = leaf();
    Modes.apply(x).sum().backward();
    torch.autograd.grad(Modes.apply(x).sum(), x, null, { create_graph: true });
    expect(modes).toEqual([false, false, false, true]);
  });

  test('setup_context', () => {
    const seen: unknown[] = [];
    class Power extends F {
      static override forward(x: Tensor, k: number): Tensor {
        return x.pow(k);
      }
      static setup_context(ctx: FunctionCtx<{ k: number }>, inputs: [Tensor, number], output: Tensor): void {
        seen.push(output.tolist());
        ctx.k = inputs[1];
        ctx.save_for_backward(inputs[0]);
      }
      static override backward(ctx: FunctionCtx<{ k: number }>, grad: Tensor): unknown[] {
        return [grad.mul(ctx.saved_tensors[0].pow(ctx.k - 1)).mul(ctx.k), null];
      }
    }
    const x = leaf();
    Power.apply(x, 3).sum().backward();
    expect(x.grad!.tolist()).toEqual([3, 12]);
    expect(seen).toEqual([[1, 8]]);
  });
});

describe('outputs', () => {
  class Several extends F {
    static grads: unknown[] = [];
    static override forward(
      ctx: FunctionCtx,
      x: Tensor,
      materialize: boolean,
    ): [Tensor, Tensor, Tensor, Tensor, string] {
      ctx.set_materialize_grads(materialize);
      const c = x.mul(3);
      ctx.mark_non_differentiable(c);
      return [x.mul(2), x.mul(5), c, x.gt(1), 'text'];
    }
    static override backward(_ctx: FunctionCtx, ...grads: (Tensor | null)[]): unknown[] {
      Several.grads = grads.map((g) => g?.tolist() ?? null);
      return [grads[0], null];
    }
  }

  test('several: tensors, tensors without gradient, others', () => {
    const x = leaf();
    const y = Several.apply(x, true);
    expect(y.map((v) => (typeof v === 'string' ? v : v.requires_grad))).toEqual([true, true, false, false, 'text']);
    expect(y[1].output_nr).toBe(1);
    y[0].sum().backward();
    expect(Several.grads).toEqual([[1, 1], [0, 0], [0, 0], [false, false], null]);
    expect(x.grad!.tolist()).toEqual([1, 1]);
  });

  test('missing gradients stay null without materialize_grads', () => {
    Several.apply(leaf(), false)[0].sum().backward();
    expect(Several.grads).toEqual([[1, 1], null, null, null, null]);
  });

  test('zeros are made even where nothing arrives', () => {
    const None = withBackward('NoneFunction', () => null);
    const x = leaf();
    None.apply(Double.apply(x)).sum().backward();
    expect(x.grad!.tolist()).toEqual([0, 0]);
    const y = leaf();
    None.apply(y).sum().backward();
    expect(y.grad).toBeNull();
  });

  class AsIs extends Double {
    static override forward(_ctx: FunctionCtx, x: Tensor): Tensor {
      return x;
    }
  }
  const INSIDE = 'This view was created inside a custom Function (or because an input was returned as-is)';

  test('an input returned as it is becomes a view of itself', () => {
    const x = leaf();
    const y = AsIs.apply(x);
    expect([y === x, y._is_view(), y._base === x, String(y.grad_fn)]).toEqual([
      false,
      true,
      true,
      '<AsIsBackward object>',
    ]);
    expect(() => y.mul_(2)).toThrow(`Output 0 of AsIs is a view and is being modified inplace. ${INSIDE}`);
    y.sum().backward();
    expect(x.grad!.tolist()).toEqual([2, 2]);
    const plain = torch.ones(2, { device });
    const again = AsIs.apply(plain);
    expect([again === plain, again._is_view(), again.grad_fn]).toEqual([false, true, null]);
    expect(again.mul_(2).tolist()).toEqual([2, 2]);
    expect(plain.tolist()).toEqual([2, 2]);
    torch.no_grad(() => expect(AsIs.apply(x).requires_grad).toBe(false));
  });

  test('views of an input', () => {
    class View extends Double {
      static override forward(_ctx: FunctionCtx, x: Tensor): Tensor {
        return x.view(-1);
      }
    }
    class Views extends F {
      static override forward(_ctx: FunctionCtx, x: Tensor): [Tensor, Tensor] {
        return [x.view(-1), x.view(2, 1)];
      }
    }
    const x = leaf();
    const y = View.apply(x.mul(1));
    expect([y._is_view(), String(y.grad_fn)]).toEqual([true, '<ViewBackward object>']);
    expect(() => y.mul_(2)).toThrow(`Output 0 of View is a view and is being modified inplace. ${INSIDE}`);
    expect(() => Views.apply(x.mul(1))[0].mul_(2)).toThrow(
      'Output 0 of Views is a view and is being modified inplace. This view is the output of a function that returns multiple views.',
    );
  });

  test('the same tensor twice is one output', () => {
    const seen: unknown[] = [];
    class Twice extends F {
      static override forward(_ctx: FunctionCtx, x: Tensor): [Tensor, Tensor] {
        const y = x.mul(2);
        return [y, y];
      }
      static override backward(_ctx: FunctionCtx, a: Tensor, b: Tensor): Tensor {
        seen.push(a.tolist(), b.tolist());
        return a.add(b);
      }
    }
    const [a, b] = Twice.apply(leaf());
    expect([a === b, a.output_nr]).toEqual([true, 1]);
    a.mul(3).add(b).sum().backward();
    expect(seen).toEqual([
      [0, 0],
      [4, 4],
    ]);
  });
});

describe('in place', () => {
  class DoubleInplace extends Double {
    static override forward(ctx: FunctionCtx, x: Tensor): Tensor {
      ctx.mark_dirty(x);
      return x.mul_(2);
    }
  }

  test('mark_dirty', () => {
    const x = leaf();
    const y = x.mul(3);
    const z = DoubleInplace.apply(y);
    expect([z === y, y._version, String(y.grad_fn)]).toEqual([true, 2, '<DoubleInplaceBackward object>']);
    y.sum().backward();
    expect(x.grad!.tolist()).toEqual([6, 6]);
  });

  test('on a view rewrites the base', () => {
    const x = leaf();
    const y = x.mul(3);
    DoubleInplace.apply(y.narrow(0, 0, 1));
    expect(y.tolist()).toEqual([6, 6]);
    expect(String(y.grad_fn)).toBe('<CopySlices object>');
    y.sum().backward();
    expect(x.grad!.tolist()).toEqual([6, 3]);
  });

  test('errors', () => {
    expect(() => DoubleInplace.apply(leaf())).toThrow(
      'a leaf Variable that requires grad has been used in an in-place operation.',
    );
    class Forgets extends Double {
      static override forward(ctx: FunctionCtx, x: Tensor): Tensor {
        ctx.mark_dirty(x);
        return x.mul_(2).mul(2);
      }
    }
    expect(() => Forgets.apply(leaf().mul(1))).toThrow(
      'Some elements marked as dirty during the forward method were not returned as output.',
    );
    class More extends F {
      static override forward(ctx: FunctionCtx, x: Tensor): [Tensor, Tensor] {
        ctx.mark_dirty(x);
        return [x.mul_(2), x.mul(2)];
      }
    }
    expect(() => More.apply(leaf().mul(1).narrow(0, 0, 1))).toThrow(
      'If your Function modifies inplace an input that is a view of another Tensor',
    );
  });
});

describe('saved tensors', () => {
  const FREED = 'Trying to backward through the graph a second time';

  test('go with the graph', () => {
    const x = leaf();
    const y = Exp.apply(x).sum();
    y.backward({ retain_graph: true });
    y.backward();
    expect(() => y.backward()).toThrow(FREED);
    const z = Exp.apply(x);
    const node = z.grad_fn as unknown as { saved_tensors: Tensor[] };
    expect(node.saved_tensors).toHaveLength(1);
    z.sum().backward();
    expect(() => node.saved_tensors).toThrow(FREED);
  });

  test('notice in-place changes', () => {
    const y = Exp.apply(leaf());
    y.mul_(2);
    expect(() => y.sum().backward()).toThrow(
      /FloatTensor \[2\]\], which is output 0 of Exp, is at version 1; expected version 0 instead/,
    );
  });

  test('null may be saved', () => {
    class Maybe extends F {
      static override forward(ctx: FunctionCtx, x: Tensor): Tensor {
        ctx.save_for_backward(x, null);
        return x.mul(2);
      }
      static override backward(ctx: FunctionCtx, grad: Tensor): Tensor {
        const [x, none] = ctx.saved_tensors;
        expect(none).toBeNull();
        return grad.mul(x);
      }
    }
    const x = leaf();
    Maybe.apply(x).sum().backward();
    expect(x.grad!.tolist()).toEqual([1, 2]);
  });

  test('an input returned and saved under setup_context', () => {
    class Saves extends F {
      static override forward(x: Tensor): Tensor {
        return x;
      }
      static setup_context(ctx: FunctionCtx, inputs: [Tensor], _output: Tensor): void {
        ctx.save_for_backward(inputs[0]);
      }
    }
    expect(() => Saves.apply(leaf())).toThrow('A input that has been returned as-is as output is being saved');
  });
});

describe('memory', () => {
  test('a gradient that the Function keeps is never changed', () => {
    const kept: Tensor[] = [];
    class Keeps extends Double {
      static override backward(_ctx: FunctionCtx, grad: Tensor): Tensor {
        const result = grad.mul(2);
        kept.push(result, grad);
        return result;
      }
    }
    const x = leaf();
    Keeps.apply(x).mul(1).sum().backward();
    Keeps.apply(x).mul(1).sum().backward();
    x.grad!.mul_(0);
    expect(kept.map((t) => t.tolist())).toEqual([
      [2, 2],
      [1, 1],
      [2, 2],
      [1, 1],
    ]);
  });

  test('what is saved counts until backward', () => {
    if (device === 'cpu') return;
    const { memory } = torch.mtia;
    const x = torch.ones(4096, { device, requires_grad: true });
    const start = memory.allocated();
    const step = () => Exp.apply(x.mul(2)).sum();
    const loss = step();
    // The product is gone, the result of exp is saved.
    expect(memory.allocated() - start).toBe(512 + 16384);
    loss.backward();
    expect(memory.allocated() - start).toBe(512 + 16384); // the gradient
    x.grad = null;
    expect(memory.allocated() - start).toBe(512);
  });
});

describe("PyTorch's errors", () => {
  const run = (name: string, backward: (grad: Tensor) => unknown) => () =>
    withBackward(name, backward).apply(leaf()).sum().backward();

  test('of backward', () => {
    expect(run('Many', (g) => [g, g])).toThrow(
      'function ManyBackward returned an incorrect number of gradients (expected 1, got 2)',
    );
    expect(run('More', (g) => [g, null])).not.toThrow();
    expect(run('Bad', () => 3)).toThrow('expected Variable or None (got int)');
    expect(run('Shape', () => torch.ones(3, { device }))).toThrow(
      'Function ShapeBackward returned an invalid gradient at index 0 - got [3] but expected shape compatible with [2]',
    );
    expect(run('Device', () => torch.ones(2, { device: 'meta' }))).toThrow(
      'Function DeviceBackward returned an invalid gradient at index 0 - expected device',
    );
    class Extra extends Scale {
      static override backward(_ctx: FunctionCtx<{ factor: number }>, g: Tensor): unknown[] {
        return [g, g];
      }
    }
    expect(() => Extra.apply(leaf(), 3).sum().backward()).toThrow(
      'function ExtraBackward returned a gradient different than None at position 2, but the corresponding forward input was not a Variable',
    );
  });

  test('of what is missing', () => {
    class Nothing extends F {}
    expect(() => Nothing.apply()).toThrow('You must implement the forward function for custom autograd.Function.');
    class NoBackward extends F {
      static override forward(_ctx: FunctionCtx, x: Tensor): Tensor {
        return x.mul(2);
      }
    }
    expect(() => NoBackward.apply(leaf()).sum().backward()).toThrow(
      'You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD.',
    );
    class Legacy extends F {
      forward(x: Tensor): Tensor {
        return x;
      }
    }
    const legacy = 'Legacy autograd function with non-static forward method is deprecated.';
    expect(() => new Legacy()).toThrow(legacy);
    expect(() => (Legacy as unknown as typeof Double).apply(leaf())).toThrow(legacy);
  });

  test('of the context', () => {
    const using = (use: (ctx: FunctionCtx) => void) => () => {
      class Uses extends F {
        static override forward(ctx: FunctionCtx, x: Tensor): Tensor {
          use(ctx);
          return x.mul(2);
        }
      }
      Uses.apply(leaf());
    };
    const three = 3 as unknown as Tensor;
    expect(using((ctx) => ctx.save_for_backward(three))).toThrow(
      'save_for_backward can only save variables, but argument 0 is of type int',
    );
    expect(using((ctx) => ctx.mark_dirty(three))).toThrow('mark_dirty can only accept variables, but argument');
    expect(using((ctx) => ctx.mark_non_differentiable(three))).toThrow(
      'mark_non_differentiable only accepts variable arguments, but got ',
    );
  });
});

test('once_differentiable', () => {
  const { once_differentiable } = torch.autograd.function;
  const backward = vi.fn((_ctx: FunctionCtx, grad: Tensor) => grad.mul(2));
  class Once extends Double {
    static override backward = once_differentiable(backward);
  }
  const x = leaf();
  const [g] = torch.autograd.grad(Once.apply(x).sum(), x, null, { create_graph: true });
  expect([g!.tolist(), g!.requires_grad]).toEqual([[2, 2], false]);
  const weight = leaf([1, 1]);
  const [h] = torch.autograd.grad(Once.apply(x), x, weight, { create_graph: true });
  expect(String(h!.grad_fn)).toBe('<Error object>');
  expect(() => h!.sum().backward()).toThrow(
    'trying to differentiate twice a function that was marked with @once_differentiable',
  );
  expect(backward).toHaveBeenCalledTimes(2);
});
