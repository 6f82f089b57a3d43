/** The ten most frequent mistakes of newcomers: PyTorch's type and text of the error, and after it the way out. */
import torch from 'torch-mtia';
import { describe, expect, test } from 'vitest';
import { device } from './device.ts';

const { nn } = torch;
const F = nn.functional;

interface Shown {
  name: string;
  message: string;
}

function errorOf(fn: () => unknown): Shown {
  try {
    fn();
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message };
  }
  throw new Error('no error');
}

const x = torch.ones([4, 3], { device });
const layer = new nn.Linear(3, 2, { device });

test('labels as floats in cross_entropy', () => {
  const labels = torch.tensor([0, 1, 0, 1], { device });
  expect(errorOf(() => F.cross_entropy(layer(x), labels))).toEqual({
    name: 'RuntimeError',
    message:
      'expected target dtype to be Long or Byte, but got Float (in JavaScript numbers make float tensors; write { dtype: torch.int64 }, or bigints: [0n, 2n])',
  });
  for (const right of [torch.tensor([0n, 1n, 0n, 1n], { device }), labels.to(torch.int64)]) {
    expect(F.cross_entropy(layer(x), right).item()).toBeGreaterThan(0);
  }
});

test('inputs of the wrong shape into Linear', () => {
  expect(errorOf(() => layer(torch.ones([4, 5], { device })))).toEqual({
    name: 'RuntimeError',
    message:
      'mat1 and mat2 shapes cannot be multiplied (4x5 and 3x2): Linear(3, 2) takes inputs whose last size is 3, but was given torch.Size([4, 5])',
  });
  const images = new nn.Sequential(new nn.Conv2d(1, 2, 3, { device }), new nn.Linear(8, 2, { device }));
  expect(errorOf(() => images(torch.ones([1, 1, 4, 4], { device }))).message).toContain(
    'Linear(8, 2) takes inputs whose last size is 8, but was given torch.Size([1, 2, 2, 2])',
  );
});

test('forgetting zero_grad is no mistake that could be seen: gradients add up', () => {
  const w = torch.ones([2], { device, requires_grad: true });
  for (let i = 0; i < 2; i++) w.sum().backward();
  expect(w.grad!.tolist()).toEqual([2, 2]);
});

test('brackets as in NumPy', () => {
  const any = x as never as Record<number, unknown>;
  expect(errorOf(() => any[0])).toEqual({
    name: 'TypeError',
    message: 'x[0] does not index a tensor in JavaScript: write x.index([0]) or x.select(0, 0)',
  });
  expect(errorOf(() => (any[1] = 2)).message).toContain('write x.index_put_([1], value)');
});

test.skipIf(device === 'cpu')('tensors on two devices', () => {
  const message =
    "Expected all tensors to be on the same device, but found at least two devices, mtia:0 and cpu! (when checking argument for argument mat1 in method addmm) Move one of them: x.to('mtia:0').";
  expect(errorOf(() => layer(torch.ones([4, 3])))).toEqual({ name: 'RuntimeError', message });
  expect(errorOf(() => x.add(torch.ones([3]))).message).toMatch(
    /mtia:0 and cpu!.* Move one of them: x\.to\('mtia:0'\)\.$/,
  );
});

describe('a class without new', () => {
  const classes = { 'nn.Linear': nn.Linear, 'optim.SGD': torch.optim.SGD, DataLoader: torch.utils.data.DataLoader };
  test.each(Object.entries(classes))('%s', (_name, type) => {
    const call = type as unknown as (...args: number[]) => unknown;
    expect(errorOf(() => call(3, 2))).toEqual({
      name: 'TypeError',
      message: `Class constructor ${type.name} cannot be invoked without 'new'`,
    });
  });

  test('torch.Tensor, with or without', () => {
    const type = torch.Tensor as unknown as new (values: number[]) => unknown;
    expect(errorOf(() => new type([1, 2]))).toEqual({
      name: 'TypeError',
      message:
        'torch.Tensor is the class of tensors; make one by torch.tensor([1, 2]) from values, or by torch.empty(2, 3), torch.zeros(2, 3) and the like from sizes',
    });
  });
});

test('a dimension that is not there', () => {
  expect(errorOf(() => x.sum(2))).toEqual({
    name: 'IndexError',
    message: 'Dimension out of range (expected to be in range of [-2, 1], but got 2)',
  });
  expect(errorOf(() => F.softmax(x, { dim: -3 })).message).toBe(
    'Dimension out of range (expected to be in range of [-2, 1], but got -3)',
  );
});

test('changing a leaf in place', () => {
  const message =
    'a leaf Variable that requires grad is being used in an in-place operation. Change it inside torch.no_grad(() => …), or change a copy: x.clone().';
  expect(errorOf(() => layer.weight.add_(1))).toEqual({ name: 'RuntimeError', message });
  expect(errorOf(() => layer.weight.select(0, 0).zero_()).message).toBe(`a view of ${message}`);
  torch.no_grad(() => layer.weight.add_(1));
  layer.weight.clone().add_(1);
});

test('backward twice', () => {
  const loss = layer(x).square().sum();
  loss.backward();
  expect(errorOf(() => loss.backward())).toEqual({
    name: 'RuntimeError',
    message:
      'Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.',
  });
  const kept = layer(x).square().sum();
  kept.backward({ retain_graph: true });
  kept.backward();
});

test('item of many', () => {
  expect(errorOf(() => x.item())).toEqual({
    name: 'RuntimeError',
    message:
      'a Tensor with 12 elements cannot be converted to Scalar (x.tolist() gives all of them, x.index([i, …]).item() one)',
  });
  expect(errorOf(() => torch.empty([0], { device }).item()).message).toBe(
    'a Tensor with 0 elements cannot be converted to Scalar',
  );
});

describe('an option with a wrong name', () => {
  const given = { bia: true } as never;
  test.each<[string, () => unknown, string]>([
    ['a module', () => new nn.Linear(3, 2, given), 'Linear.__init__'],
    ['an optimizer', () => new torch.optim.SGD([torch.ones([1])], given), 'SGD.__init__'],
    ['a loss', () => new nn.MSELoss(given), 'MSELoss.__init__'],
    ['an operation', () => x.sum(0, given), 'sum'],
    ['an initialisation', () => (nn.init.ones_ as (...args: unknown[]) => unknown)(x, given), 'ones_'],
    ['a data loader', () => new torch.utils.data.DataLoader([1], given), 'DataLoader.__init__'],
    ['a split', () => torch.utils.data.random_split([1], [1], given), 'random_split'],
    ['a method of modules', () => layer.train(given), 'Module.train'],
    ['hooks', () => layer.register_forward_hook(() => {}, given), 'Module.register_forward_hook'],
    ['torch.load', () => torch.load(torch.save({}), given), 'load'],
    [
      'schedulers',
      () => new torch.optim.lr_scheduler.StepLR(new torch.optim.SGD([x]), 1).step(given),
      'LRScheduler.step',
    ],
  ])('of %s', (_what, fn, name) => {
    const { name: type, message } = errorOf(fn);
    expect([type, message]).toEqual(['TypeError', `${name}() got an unexpected keyword argument 'bia'`]);
  });
});
