/** Saving and loading the state of modules. */
import { describe, expect, test } from 'vitest';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { errorOf } from './fixtures.testing.ts';

const { nn } = torch;
const model = () => new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU(), new nn.Linear(3, 1));

test('shares storage with the module, outside of the graph', () => {
  const linear = new nn.Linear(2, 2);
  const state = linear.state_dict();
  expect(Object.keys(state)).toEqual(['weight', 'bias']);
  expect(state['weight'].requires_grad).toBe(false);
  state['weight'].fill_(7);
  expect(linear.weight.tolist()).toEqual([
    [7, 7],
    [7, 7],
  ]);
  expect(linear.state_dict({ keep_vars: true })['weight']).toBe(linear.weight);
  expect(Object.keys(linear.state_dict({ prefix: 'a.' }))).toEqual(['a.weight', 'a.bias']);
});

test('a round trip, also across devices', () => {
  torch.manual_seed(1);
  const [from, to] = [model(), model().to('mtia')];
  const { weight } = to.at(0) as InstanceType<typeof nn.Linear>;
  const result = to.load_state_dict(from.state_dict());
  expect(String(result)).toBe('<All keys matched successfully>');
  const [missing, unexpected] = result;
  expect([missing, unexpected]).toEqual([[], []]);
  expect((to.at(0) as InstanceType<typeof nn.Linear>).weight).toBe(weight);
  const x = torch.ones(1, 2);
  expect(to(x.to('mtia')).item()).toBeCloseTo(from(x).item(), 6);
});

test('keys that are missing or unexpected, and other shapes', () => {
  const state: Record<string, Tensor> = model().state_dict();
  delete state['0.bias'];
  state['2.weight'] = torch.zeros(3, 1);
  state['2.extra'] = torch.zeros(1);
  state['other'] = torch.zeros(1);
  const expected = [
    'RuntimeError: Error(s) in loading state_dict for Sequential:',
    '\tMissing key(s) in state_dict: "0.bias". ',
    '\tUnexpected key(s) in state_dict: "other", "2.extra". ',
    '\tsize mismatch for 2.weight: copying a param with shape torch.Size([3, 1]) from checkpoint, the shape in current model is torch.Size([1, 3]).',
  ];
  expect(errorOf(() => model().load_state_dict(state))).toBe(expected.join('\n'));
  state['2.weight'] = torch.zeros(1, 3);
  const result = model().load_state_dict(state, { strict: false });
  expect(String(result)).toBe("_IncompatibleKeys(missing_keys=['0.bias'], unexpected_keys=['other', '2.extra'])");
  expect(result.missing_keys).toEqual(['0.bias']);
});

test('what is no tensor, and no dict', () => {
  const linear = new nn.Linear(1, 1);
  expect(errorOf(() => linear.load_state_dict({ weight: 3, bias: torch.zeros(1) }))).toBe(
    'RuntimeError: Error(s) in loading state_dict for Linear:\n\tWhile copying the parameter named "weight", expected torch.Tensor or Tensor-like object from checkpoint but received <class \'int\'>',
  );
  expect(errorOf(() => linear.load_state_dict(3 as never))).toBe(
    "TypeError: Expected state_dict to be dict-like, got <class 'int'>.",
  );
});

test('assign takes the tensors themselves', () => {
  const linear = new nn.Linear(2, 2, { device: 'meta' });
  const state = new nn.Linear(2, 2, { dtype: torch.float64 }).state_dict();
  linear.load_state_dict(state, { assign: true });
  expect(linear.weight).toBeInstanceOf(nn.Parameter);
  expect([linear.weight.dtype, linear.weight.device.type, linear.weight.requires_grad]).toEqual([
    torch.float64,
    'cpu',
    true,
  ]);
  state['weight'].fill_(2);
  expect(linear.weight.select(0, 0).tolist()).toEqual([2, 2]);
});

describe('extra state', () => {
  class Counting extends nn.Module {
    count = 3;
    weight = new nn.Parameter(torch.ones(1));
    override get_extra_state(): unknown {
      return { count: this.count };
    }
    override set_extra_state(state: unknown): void {
      this.count = (state as { count: number }).count;
    }
  }

  test('is saved, loaded, missing and unexpected', () => {
    const m = new nn.Sequential(new Counting());
    const saved = m.state_dict();
    expect(Object.keys(saved)).toEqual(['0.weight', '0._extra_state']);
    const other = new nn.Sequential(new Counting());
    (other.at(0) as Counting).count = 0;
    other.load_state_dict(saved);
    expect((other.at(0) as Counting).count).toBe(3);
    const { '0._extra_state': _gone, ...rest } = saved;
    expect(errorOf(() => other.load_state_dict(rest))).toContain('Missing key(s) in state_dict: "0._extra_state". ');
    const plain = new nn.Sequential(new nn.Linear(1, 1, { bias: false }));
    expect(errorOf(() => plain.load_state_dict({ '0.weight': torch.ones(1, 1), '0._extra_state': 3 }))).toContain(
      'Unexpected key(s) in state_dict: "0._extra_state". ',
    );
    expect(errorOf(() => new nn.Linear(1, 1).get_extra_state())).toContain('should never be called');
  });
});

test('submodules are replaced by path', () => {
  const m = new nn.Sequential(new nn.Sequential(new nn.ReLU()));
  m.set_submodule('0.0', new nn.Tanh());
  m.set_submodule('0.1', new nn.Linear(1, 1));
  expect(String(m.get_submodule('0.0'))).toBe('Tanh()');
  expect(Object.keys(m.state_dict())).toEqual(['0.1.weight', '0.1.bias']);
  expect(errorOf(() => m.set_submodule('0.7', new nn.ReLU(), { strict: true }))).toBe(
    'AttributeError: Sequential has no attribute `7`',
  );
  expect(errorOf(() => m.set_submodule('', new nn.ReLU()))).toBe(
    'ValueError: Cannot set the submodule without a target name!',
  );
  expect(errorOf(() => m.set_submodule('0', 3 as never))).toContain('`module` is not an nn.Module, found');
});

test('a checkpoint’s single number in one dimension', () => {
  class Scaled extends nn.Module {
    scale = new nn.Parameter(torch.ones([]));
  }
  const m = new Scaled();
  m.load_state_dict({ scale: torch.tensor([3]) });
  expect(m.scale.item()).toBe(3);
});
