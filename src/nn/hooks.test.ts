/** Hooks of modules: around calls, in backward, around state dicts, and those of all modules. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { errorOf } from './fixtures.testing.ts';

const { nn } = torch;

/** x * 2 + add, where `add` is an option. */
class Doubled extends nn.Module {
  override forward(x: Tensor, options: { add?: number } = {}): Tensor {
    return x.mul(2).add(options.add ?? 0);
  }
}

/** The sum and the product of two tensors. */
class Both extends nn.Module {
  override forward(x: Tensor, y: Tensor): [Tensor, Tensor] {
    return [x.add(y), x.mul(y)];
  }
}

let warned: string[];
beforeEach(() => {
  warned = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warned.push((warning as Error).message));
});
afterEach(() => {
  vi.restoreAllMocks();
});

const one = () => torch.tensor([1, 2], { requires_grad: true });

describe('around calls', () => {
  test('pre-hooks see and replace inputs, hooks see and replace outputs, in the order of registration', () => {
    const m = new Doubled();
    const seen: unknown[] = [];
    m.register_forward_pre_hook((module, inputs) => {
      seen.push(['pre', module === (m as unknown), inputs.length]);
      return [(inputs[0] as Tensor).add(1)];
    });
    m.register_forward_pre_hook((_, inputs) => (inputs[0] as Tensor).mul(10), { prepend: true });
    const handle = m.register_forward_hook((_, inputs, output) => {
      seen.push(['post', (inputs[0] as Tensor).tolist()]);
      return (output as Tensor).neg();
    });
    expect(m(torch.tensor([1, 2])).tolist()).toEqual([-22, -42]);
    expect(seen).toEqual([
      ['pre', true, 1],
      ['post', [11, 21]],
    ]);
    handle.remove();
    handle.remove();
    expect(m(torch.tensor([1, 2])).tolist()).toEqual([22, 42]);
  });

  test('an options object after other arguments is for hooks that ask for it', () => {
    const m = new Doubled();
    const seen: unknown[] = [];
    m.register_forward_pre_hook((_, inputs) => void seen.push(inputs.length));
    m.register_forward_pre_hook(
      (_, inputs, options) => {
        seen.push({ ...options });
        return [inputs, { add: 5 }];
      },
      { with_kwargs: true },
    );
    m.register_forward_hook(
      (_, inputs, options, output) => void seen.push([inputs.length, options, (output as Tensor).tolist()]),
      { with_kwargs: true },
    );
    expect(m(torch.tensor([1]), { add: 3 }).tolist()).toEqual([7]);
    expect(m(torch.tensor([1])).tolist()).toEqual([7]);
    expect(seen).toEqual([1, { add: 3 }, [1, { add: 5 }, [7]], 1, {}, [1, { add: 5 }, [7]]]);
    m.register_forward_pre_hook((() => 3) as never, { with_kwargs: true });
    expect(errorOf(() => m(torch.tensor([1])))).toBe(
      'RuntimeError: forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got 3.',
    );
    expect(errorOf(() => m.register_forward_hook(3 as never))).toContain('TypeError: expected a function as hook');
  });

  test('a mapping that is the only argument is an input', () => {
    class First extends nn.Module {
      override forward(batch: { x: Tensor }): Tensor {
        return batch.x;
      }
    }
    const m = new First();
    const seen: unknown[] = [];
    m.register_forward_pre_hook((_, inputs) => void seen.push(Object.keys(inputs[0] as object)));
    m({ x: torch.ones(1) });
    expect(seen).toEqual([['x']]);
  });

  test('hooks that are always called are so after an error', () => {
    class Failing extends nn.Module {
      override forward(_x: Tensor): Tensor {
        throw new Error('no');
      }
    }
    const m = new Failing();
    const seen: unknown[] = [];
    m.register_forward_hook(() => void seen.push('never'));
    m.register_forward_hook((_, __, output) => void seen.push(output), { always_call: true });
    m.register_forward_hook(
      () => {
        throw new Error('neither');
      },
      { always_call: true },
    );
    expect(errorOf(() => m(torch.ones(1)))).toBe('Error: no');
    expect(seen).toEqual([null]);
    expect(warned).toEqual([
      'module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in forward: neither',
    ]);
  });

  test('of all modules come before a module’s own', () => {
    const m = new nn.Sequential(new Doubled(), new nn.ReLU());
    const seen: string[] = [];
    const { register_module_forward_pre_hook: pre, register_module_forward_hook: post } = nn.modules.module;
    const handles = [
      pre((module) => void seen.push(`pre ${module.constructor.name}`)),
      post((module) => void seen.push(`post ${module.constructor.name}`)),
    ];
    m.register_forward_hook(() => void seen.push('own'));
    m(torch.ones(1));
    for (const handle of handles) handle.remove();
    m(torch.ones(1));
    expect(seen).toEqual([
      'pre Sequential',
      'pre Doubled',
      'post Doubled',
      'pre ReLU',
      'post ReLU',
      'post Sequential',
      'own',
      'own',
    ]);
  });
});

describe('in backward', () => {
  test('see the gradients of inputs and outputs together, and replace those of the inputs', () => {
    const m = new Both();
    const seen: unknown[] = [];
    m.register_full_backward_hook((module, gradInput, gradOutput) => {
      seen.push([module === (m as unknown), gradInput.map((g) => g?.tolist()), gradOutput.map((g) => g?.tolist())]);
      return [gradInput[0]!.mul(10), gradInput[1]];
    });
    const [x, y] = [one(), torch.tensor([3, 4], { requires_grad: true })];
    const [sum, product] = m(x, y);
    expect(String(sum.grad_fn)).toBe('<BackwardHookFunctionBackward object>');
    sum.sum().add(product.sum().mul(2)).backward();
    expect(seen).toEqual([
      [
        true,
        [
          [7, 9],
          [3, 5],
        ],
        [
          [1, 1],
          [2, 2],
        ],
      ],
    ]);
    expect([x.grad!.tolist(), y.grad!.tolist()]).toEqual([
      [70, 90],
      [3, 5],
    ]);
  });

  test('pre-hooks replace the gradients of the outputs', () => {
    const m = new Doubled();
    m.register_full_backward_pre_hook((_, gradOutput) => [gradOutput[0]!.mul(3)]);
    m.register_full_backward_pre_hook((_, gradOutput) => gradOutput[0]!.add(1), true);
    const outputs: unknown[] = [];
    m.register_full_backward_hook((_, __, gradOutput) => void outputs.push(gradOutput[0]!.tolist()));
    const x = one();
    m(x).sum().backward();
    expect([x.grad!.tolist(), outputs]).toEqual([[12, 12], [[6, 6]]]);
  });

  test('without inputs that require grad they run with the outputs’ gradients', () => {
    const m = new nn.Linear(2, 1);
    const seen: unknown[] = [];
    m.register_full_backward_hook((_, gradInput, gradOutput) => void seen.push([gradInput, gradOutput[0]!.tolist()]));
    m(torch.ones(3, 2)).sum().backward();
    expect(seen).toEqual([[[null], [[1], [1], [1]]]]);
    expect(m.weight.grad!.tolist()).toEqual([[3, 3]]);
    expect(warned[0]).toContain(
      'Full backward hook is firing when gradients are computed with respect to module outputs',
    );
    m.register_full_backward_hook((_, __, gradOutput) => gradOutput);
    expect(errorOf(() => m(torch.ones(3, 2)).sum().backward())).toBe(
      'RuntimeError: Backward hook for Modules where no input requires gradient should always return None or None for all gradients.',
    );
  });

  test('must return as many gradients as there are, and are not called where nothing is recorded', () => {
    const m = new Both();
    m.register_full_backward_hook((_, gradInput) => [gradInput[0]]);
    const run = () => m(one(), one())[0].sum().backward();
    expect(errorOf(run)).toBe(
      'RuntimeError: Backward hook returned an invalid number of grad_input, got 1, but expected 2',
    );
    m.register_full_backward_pre_hook(() => []);
    expect(errorOf(run)).toBe(
      'RuntimeError: Backward pre hook returned an invalid number of grad_output, got 0, but expected 2',
    );
    torch.no_grad(() => expect(m(one(), one())[0].grad_fn).toBeNull());
    expect(errorOf(() => m.register_backward_hook(() => null))).toContain('NotImplementedError');
  });

  test('of all modules', () => {
    const seen: string[] = [];
    const { register_module_full_backward_hook: after, register_module_full_backward_pre_hook: before } =
      nn.modules.module;
    const handles = [
      after((module: object) => void seen.push(`after ${module.constructor.name}`)),
      before((module) => void seen.push(`before ${module.constructor.name}`)),
    ];
    new nn.Sequential(new Doubled(), new nn.Tanh())(one()).sum().backward();
    for (const handle of handles) handle.remove();
    new Doubled()(one()).sum().backward();
    expect(seen).toEqual([
      'before Sequential',
      'before Tanh',
      'after Tanh',
      'before Doubled',
      'after Doubled',
      'after Sequential',
    ]);
  });
});

describe('around state dicts', () => {
  test('before and after saving', () => {
    const m = new nn.Sequential(new nn.Linear(1, 1));
    const seen: unknown[] = [];
    m.at(0).register_state_dict_pre_hook((_, prefix, keepVars) => void seen.push([prefix, keepVars]));
    m.at(0).register_state_dict_post_hook((_, dict, prefix) => {
      dict[`${prefix}scale`] = torch.ones(1);
    });
    expect(Object.keys(m.state_dict())).toEqual(['0.weight', '0.bias', '0.scale']);
    expect(seen).toEqual([['0.', false]]);
    m.register_state_dict_post_hook(() => 3);
    expect(errorOf(() => m.state_dict())).toBe('RuntimeError: state_dict post-hook must return None');
  });

  test('before and after loading', () => {
    const m = new nn.Sequential(new nn.Linear(1, 1));
    const dict = { 'old.weight': torch.ones(1, 1), '0.bias': torch.ones(1) };
    m.register_load_state_dict_pre_hook((_, state, prefix) => {
      state[`${prefix}0.weight`] = state[`${prefix}old.weight`];
      delete state[`${prefix}old.weight`];
    });
    expect(String(m.load_state_dict(dict))).toBe('<All keys matched successfully>');
    expect(Object.keys(dict)).toEqual(['old.weight', '0.bias']);
    const other = new nn.Linear(1, 1);
    other.register_load_state_dict_post_hook((_, keys) => {
      keys.missing_keys.length = 0;
    });
    expect([...other.load_state_dict({ weight: torch.ones(1, 1) })]).toEqual([[], []]);
    other.register_load_state_dict_post_hook(() => 3);
    expect(errorOf(() => other.load_state_dict(other.state_dict()))).toContain(
      'AssertionError: Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values',
    );
  });

  test('copies of modules have them', () => {
    const m = new Doubled();
    m.register_forward_hook((_, __, output) => (output as Tensor).neg());
    expect(nn.deepCopy(m)(torch.ones(1)).tolist()).toEqual([-2]);
  });
});
