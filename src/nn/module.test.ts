/** Modules: what they consist of, calling, hooks, moving. */
import { describe, expect, test, vi } from 'vitest';
import { inspect } from 'node:util';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { errorOf, fixtures } from './fixtures.testing.ts';

const { nn } = torch;
const names = (entries: Iterable<readonly [string, unknown]>) => Array.from(entries, ([name]) => name);

class Block extends nn.Module {
  first = new nn.Linear(3, 4);
  activation = new nn.ReLU();
  scale = new nn.Parameter(torch.ones(4));
  plain = torch.ones(2);
  second: InstanceType<typeof nn.Linear>;

  constructor() {
    super();
    this.second = new nn.Linear(4, 2, { bias: false });
    this.register_buffer('mean', torch.zeros(2));
    this.register_buffer('scratch', torch.zeros(1), { persistent: false });
    this.register_buffer('later', null);
  }

  override forward(x: Tensor): Tensor {
    return this.second(this.activation(this.first(x)).mul(this.scale));
  }
}

describe('what a module consists of', () => {
  test('fields are registered by being assigned, in order', () => {
    const block = new Block();
    expect(names(block.named_parameters())).toEqual(['scale', 'first.weight', 'first.bias', 'second.weight']);
    expect(names(block.named_children())).toEqual(['first', 'activation', 'second']);
    expect(names(block.named_modules())).toEqual(['', 'first', 'activation', 'second']);
    expect(names(block.named_buffers())).toEqual(['mean', 'scratch']);
    expect(Object.keys(block.state_dict())).toEqual(['scale', 'mean', 'first.weight', 'first.bias', 'second.weight']);
    expect([...block.parameters()].length).toBe(4);
    expect([...block.parameters({ recurse: false })][0]).toBe(block.scale);
    expect(names(block.named_parameters('model'))).toContain('model.first.weight');
    expect(names(block.named_parameters({ prefix: 'p', recurse: false }))).toEqual(['p.scale']);
  });

  test('assigning again replaces, deleting removes', () => {
    const block = new Block() as Block & { extra?: unknown };
    const weight = new nn.Parameter(torch.zeros(4, 3));
    block.first.weight = weight;
    expect(block.get_parameter('first.weight')).toBe(weight);
    block.extra = new nn.Linear(1, 1);
    expect(names(block.named_children())).toContain('extra');
    delete block.extra;
    expect(names(block.named_children())).not.toContain('extra');
    block.first.weight = torch.zeros(4, 3);
    expect(errorOf(() => [...block.parameters()])).toBe(
      "TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)",
    );
  });

  test('a shared module or parameter is listed once, unless asked for', () => {
    const shared = new nn.Linear(2, 2);
    const model = new nn.Sequential(shared, shared);
    expect(names(model.named_parameters())).toEqual(['0.weight', '0.bias']);
    expect(names(model.named_parameters({ remove_duplicate: false }))).toEqual([
      '0.weight',
      '0.bias',
      '1.weight',
      '1.bias',
    ]);
    expect(names(model.named_modules({ remove_duplicate: false }))).toEqual(['', '0', '1']);
    expect(Object.keys(model.state_dict())).toEqual(['0.weight', '0.bias', '1.weight', '1.bias']);
  });

  test('look-up by path', () => {
    const model = new nn.Sequential(new Block(), new nn.ReLU());
    expect(model.get_submodule('0.first')).toBe((model.at(0) as Block).first);
    expect(model.get_submodule('')).toBe(model);
    expect(model.get_buffer('0.mean')).toBe((model.at(0) as unknown as { mean: Tensor }).mean);
    expect(errorOf(() => model.get_submodule('2'))).toBe('AttributeError: Sequential has no attribute `2`');
    expect(errorOf(() => model.get_submodule('0.scale'))).toBe('AttributeError: `scale` is not an nn.Module');
    expect(errorOf(() => model.get_parameter('0.mean'))).toBe('AttributeError: `mean` is not an nn.Parameter');
    expect(errorOf(() => model.get_buffer('0.scale'))).toBe('AttributeError: `scale` is not a buffer');
  });

  test('names that cannot be', () => {
    const linear = new nn.Linear(1, 1);
    const buffer = torch.zeros(1);
    expect(errorOf(() => linear.register_buffer('weight', buffer))).toBe("KeyError: attribute 'weight' already exists");
    expect(errorOf(() => linear.register_buffer('a.b', buffer))).toBe('KeyError: buffer name can\'t contain "."');
    expect(errorOf(() => linear.register_buffer('', buffer))).toBe('KeyError: buffer name can\'t be empty string ""');
    expect(errorOf(() => linear.register_buffer('b', 3 as unknown as Tensor))).toBe(
      "TypeError: cannot assign 'int' object to buffer 'b' (torch Tensor or None required)",
    );
    expect(errorOf(() => linear.register_parameter('p', buffer))).toBe(
      "TypeError: cannot assign 'torch.FloatTensor' object to parameter 'p' (torch.nn.Parameter or None required)",
    );
    expect(errorOf(() => linear.add_module('m', 3 as never))).toBe('TypeError: int is not a Module subclass');
    expect(errorOf(() => linear.add_module('forward', linear))).toBe("KeyError: attribute 'forward' already exists");
    expect(errorOf(() => linear.add_module('a.b', linear))).toBe('KeyError: module name can\'t contain ".", got: a.b');
  });
});

describe('Parameter', () => {
  test('is a tensor that is one', () => {
    const data = torch.tensor([1, 2.5]);
    const parameter = new nn.Parameter(data);
    expect(parameter).toBeInstanceOf(nn.Parameter);
    expect(parameter).toBeInstanceOf(torch.Tensor);
    expect(data).not.toBeInstanceOf(nn.Parameter);
    expect(parameter.mul(2)).not.toBeInstanceOf(nn.Parameter);
    expect(parameter.requires_grad).toBe(true);
    expect(new nn.Parameter(data, false).requires_grad).toBe(false);
    expect(new nn.Parameter(data, { requires_grad: false }).requires_grad).toBe(false);
    torch.no_grad(() => parameter.zero_());
    expect(data.tolist()).toEqual([0, 0]);
    expect(data._version).toBe(parameter._version);
  });

  test('of integers cannot require grad', () => {
    const whole = torch.zeros(1, { dtype: torch.int64 });
    expect(errorOf(() => new nn.Parameter(whole))).toBe(
      'RuntimeError: Only Tensors of floating point and complex dtype can require gradients',
    );
    expect(new nn.Parameter(whole, false)).toBeInstanceOf(nn.Parameter);
  });

  test('outlives the scope that it is made in', () => {
    let block!: Block;
    torch.scope(() => {
      block = new Block();
      block(torch.ones(1, 3)).sum().backward();
    });
    expect(block(torch.ones(1, 3)).shape).toEqual([1, 2]);
    expect(block.first.weight.grad?.shape).toEqual([4, 3]);
    expect(String(block.get_buffer('mean'))).toBe('tensor([0., 0.])');
  });
});

describe('calling', () => {
  test('runs forward', () => {
    const block = new Block();
    expect(block(torch.ones(5, 3)).shape).toEqual([5, 2]);
    expect(typeof block).toBe('function');
    expect(block).toBeInstanceOf(Block);
    expect(block).toBeInstanceOf(nn.Module);
  });

  test('fields called name and length are fields like others', () => {
    class Named extends nn.Module {
      override name = 'mine';
      override length = 3;
    }
    const named = new Named();
    expect([named.name, named.length]).toEqual(['mine', 3]);
    const linear = new nn.Linear(1, 1) as unknown as { name: unknown };
    linear.name = new nn.ReLU();
    expect(names((linear as unknown as InstanceType<typeof nn.Linear>).named_children())).toEqual(['name']);
  });

  test('with other arguments than forward takes', () => {
    const linear = new nn.Linear(1, 1) as unknown as (...args: unknown[]) => unknown;
    const x = torch.ones(1);
    expect(errorOf(() => linear())).toBe("TypeError: Linear.forward() missing 1 required positional argument: 'input'");
    expect(errorOf(() => linear(x, 1))).toBe(
      'TypeError: Linear.forward() takes 2 positional arguments but 3 were given',
    );
    const loss = new nn.MSELoss() as unknown as (...args: unknown[]) => unknown;
    expect(errorOf(() => loss())).toBe(
      "TypeError: MSELoss.forward() missing 2 required positional arguments: 'input' and 'target'",
    );
  });

  test('without a forward', () => {
    class Empty extends nn.Module {}
    expect(errorOf(() => new Empty()())).toBe(
      'NotImplementedError: Module [Empty] is missing the required "forward" function',
    );
  });

  test('an index on what has no children', () => {
    expect(errorOf(() => (new nn.Linear(1, 1) as unknown as unknown[])[0])).toBe(
      "TypeError: 'Linear' object is not subscriptable",
    );
    expect(errorOf(() => (new nn.Sequential() as unknown as unknown[])[0])).toBe('IndexError: index 0 is out of range');
  });

  test('hooks see and replace inputs and output, until they are removed', () => {
    const linear = new nn.Linear(2, 2);
    const seen: unknown[] = [];
    const before = linear.register_forward_pre_hook((module, inputs) => {
      seen.push(module);
      return (inputs[0] as Tensor).mul(0);
    });
    const after = linear.register_forward_hook((_, [input], output) => {
      seen.push((input as Tensor).tolist());
      return (output as Tensor).sub(linear.bias!);
    });
    expect(linear(torch.ones(1, 2)).tolist()).toEqual([[0, 0]]);
    expect(seen).toEqual([linear, [[0, 0]]]);
    before.remove();
    after.remove();
    linear(torch.ones(1, 2));
    expect(seen.length).toBe(2);
  });

  test('unknown and missing options', () => {
    const Linear = nn.Linear as unknown as new (...args: unknown[]) => unknown;
    expect(errorOf(() => new Linear(1, 2, { foo: 1 }))).toBe(
      "TypeError: Linear.__init__() got an unexpected keyword argument 'foo'",
    );
    expect(errorOf(() => new Linear())).toBe(
      "TypeError: Linear.__init__() missing 2 required positional arguments: 'in_features' and 'out_features'",
    );
    expect(errorOf(() => new Linear(1, 2, true, null, null, 5))).toBe(
      'TypeError: Linear.__init__() takes from 3 to 6 positional arguments but 7 were given',
    );
    expect(errorOf(() => new Linear(1, 2, true, { bias: false }))).toBe(
      "TypeError: Linear.__init__() got multiple values for argument 'bias'",
    );
  });
});

describe('a module that its caller does not own', () => {
  class Hidden extends nn.Module {
    #inner = new nn.Linear(2, 2);
    layers = [new nn.Linear(2, 2)];
    override forward(x: Tensor): Tensor {
      return this.layers[0](this.#inner(x));
    }
  }
  class Open extends nn.Module {
    layers = new nn.ModuleList([new nn.Linear(2, 2), new nn.ReLU()]);
    override forward(x: Tensor): Tensor {
      for (const layer of this.layers) x = layer(x);
      return new nn.ReLU()(x);
    }
  }

  test('is warned about once', () => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    try {
      const hidden = new Hidden();
      for (let i = 0; i < 3; i++) hidden(torch.ones(2));
      expect(emit).toHaveBeenCalledTimes(1);
      expect(String(emit.mock.calls[0][0])).toContain('Hidden.forward calls a Linear that Hidden has not registered');
      const open = new Open();
      new nn.Sequential(open, open)(torch.ones(2));
      expect(emit).toHaveBeenCalledTimes(1);
    } finally {
      emit.mockRestore();
    }
  });
});

describe('modes and moves', () => {
  test('train and eval go all the way down', () => {
    const model = new nn.Sequential(new nn.Dropout(), new nn.Sequential(new nn.Dropout()));
    expect(model.eval()).toBe(model);
    expect(Array.from(model.modules(), (m) => m.training)).toEqual([false, false, false, false]);
    expect(model(torch.ones(3)).tolist()).toEqual([1, 1, 1]);
    model.train();
    expect(Array.from(model.modules(), (m) => m.training)).toEqual([true, true, true, true]);
    expect(errorOf(() => model.train('on' as unknown as boolean))).toBe(
      'ValueError: training mode is expected to be boolean',
    );
  });

  test('to keeps the parameters, their gradients and views of what was', () => {
    const block = new Block();
    const { weight } = block.first;
    block(torch.ones(1, 3)).sum().backward();
    const { grad } = weight;
    const before = weight.tolist();
    expect(block.to('mtia')).toBe(block);
    expect(block.first.weight).toBe(weight);
    expect(weight.device.type).toBe('mtia');
    expect(weight.grad).toBe(grad);
    expect(grad!.device.type).toBe('mtia');
    expect(block.get_buffer('mean').device.type).toBe('mtia');
    expect(weight.tolist()).toEqual(before);
    block.to(torch.float64);
    expect([weight.dtype, grad!.dtype, weight.device.type]).toEqual([torch.float64, torch.float64, 'mtia']);
    block.cpu().half();
    expect([weight.dtype, weight.device.type]).toEqual([torch.float16, 'cpu']);
    block.to({ device: 'mtia', dtype: torch.float32 });
    block(torch.ones(1, 3, { device: 'mtia' }))
      .sum()
      .backward();
    expect(weight.grad).toBe(grad);
  });

  test('only floating dtypes', () => {
    expect(errorOf(() => new Block().to(torch.int64))).toBe(
      'TypeError: nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int64',
    );
    const block = new Block();
    block.register_buffer('count', torch.zeros(1, { dtype: torch.int64 }));
    expect(block.to(torch.bfloat16).get_buffer('count').dtype).toBe(torch.int64);
    expect(block.get_buffer('mean').dtype).toBe(torch.bfloat16);
  });

  test('made and moved without data', () => {
    const linear = new nn.Linear(3, 2, { device: 'meta', dtype: torch.float64 });
    expect(linear(torch.empty(4, 3, { device: 'meta', dtype: torch.float64 })).shape).toEqual([4, 2]);
    linear.to_empty({ device: 'mtia' });
    expect(linear.weight.device.type).toBe('mtia');
    expect(linear.weight.requires_grad).toBe(true);
  });

  test('gradients', () => {
    const block = new Block();
    block(torch.ones(1, 3)).sum().backward();
    block.zero_grad({ set_to_none: false });
    expect(block.scale.grad!.tolist()).toEqual([0, 0, 0, 0]);
    block.zero_grad();
    expect(block.scale.grad).toBeNull();
    block.requires_grad_(false);
    expect(Array.from(block.parameters(), (p) => p.requires_grad)).toEqual([false, false, false, false]);
  });

  test('apply goes from the leaves up', () => {
    const seen: string[] = [];
    const block = new Block();
    expect(block.apply((module) => seen.push(module.constructor.name))).toBe(block);
    expect(seen).toEqual(['Linear', 'ReLU', 'Linear', 'Block']);
  });
});

describe('texts', () => {
  const linear = () => new nn.Linear(2, 3);
  const block = () => new nn.Sequential(new nn.Linear(4, 4), new nn.ReLU());
  const made: Record<string, () => unknown> = {
    'Embedding(5, 2, { padding_idx: -1 })': () => new nn.Embedding(5, 2, { padding_idx: -1 }),
    'Embedding with all': () =>
      new nn.Embedding(5, 2, { max_norm: 1, norm_type: 3, scale_grad_by_freq: true, sparse: true }),
    'EmbeddingBag with all': () =>
      new nn.EmbeddingBag(5, 2, { mode: 'max', include_last_offset: true, padding_idx: 1, scale_grad_by_freq: true }),
    'LayerNorm without bias': () => new nn.LayerNorm([3, 4], { bias: false }),
    Softmax: () => new nn.Softmax({ dim: 1 }),
    LogSoftmax: () => new nn.LogSoftmax(1),
    SiLU: () => new nn.SiLU({ inplace: true }),
    activations: () => new nn.Sequential(new nn.Sigmoid(), new nn.Tanh(), new nn.Identity(), new nn.GELU('tanh')),
    losses: () =>
      new nn.ModuleList([
        new nn.L1Loss(),
        new nn.NLLLoss(),
        new nn.BCELoss(),
        new nn.BCEWithLogitsLoss(),
        new nn.SmoothL1Loss(),
        new nn.HuberLoss(),
      ]),
    named: () => new nn.Sequential({ first: linear(), second: new nn.ReLU() }),
    blocks: () => new nn.ModuleList<InstanceType<typeof nn.Module>>([block(), block(), new nn.ReLU(), block()]),
    dict: () => new nn.ModuleDict<InstanceType<typeof nn.Module>>({ a: linear(), b: new nn.ModuleDict() }),
  };

  test.each(Object.entries(fixtures.texts))('%s', (name, text) => {
    const module = made[name]();
    expect(String(module)).toBe(text);
    expect(inspect(module)).toBe(text);
  });

  test('of a class of one’s own, with several lines of settings', () => {
    class Own extends nn.Module {
      inner = new nn.ReLU();
      override extra_repr(): string {
        return 'one=1\ntwo=2';
      }
    }
    expect(String(new Own())).toBe('Own(\n  one=1\n  two=2\n  (inner): ReLU()\n)');
  });
});

test('type gives all tensors a dtype; devices that are not there are refused', () => {
  const norm = new nn.BatchNorm1d(2);
  norm.type(torch.float64);
  expect(Object.values(norm.state_dict()).map(({ dtype }) => String(dtype))).toEqual(
    new Array(5).fill('torch.float64'),
  );
  expect(() => norm.cuda()).toThrow('Torch not compiled with CUDA enabled');
  expect(() => norm.share_memory()).toThrow('share_memory is not implemented');
});

test('moving a module without data says how it gets some', () => {
  expect(errorOf(() => new nn.Linear(1, 1, { device: 'meta' }).to('cpu'))).toBe(
    'NotImplementedError: Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a different device.',
  );
  expect(new nn.Linear(1, 1, { device: 'meta' }).to(torch.float64).weight.dtype).toBe(torch.float64);
});
