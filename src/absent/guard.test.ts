/** Every public name of PyTorch either works or says that it is not implemented. */
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import torch from '../index.ts';
import { namesOf } from './guard.ts';
import { NAMES } from './names.ts';

type Space = Record<string, unknown>;

const spaces: Record<string, Space> = {
  torch: torch as unknown as Space,
  'torch.Tensor': torch.ones(2, 2) as unknown as Space,
  'torch.nn': torch.nn as unknown as Space,
  'torch.nn.functional': torch.nn.functional as unknown as Space,
  'torch.nn.init': torch.nn.init as unknown as Space,
  'torch.nn.utils': torch.nn.utils as unknown as Space,
  'torch.optim': torch.optim as unknown as Space,
  'torch.optim.lr_scheduler': torch.optim.lr_scheduler as unknown as Space,
  'torch.utils': torch.utils as unknown as Space,
  'torch.utils.data': torch.utils.data as unknown as Space,
  'torch.autograd': torch.autograd as unknown as Space,
  'torch.amp': torch.amp as unknown as Space,
  'torch.backends': torch.backends as unknown as Space,
  'torch.cpu': torch.cpu as unknown as Space,
  'torch.cuda': torch.cuda as unknown as Space,
  'torch.linalg': torch.linalg as unknown as Space,
  'torch.nn.modules': torch.nn.modules as unknown as Space,
  'torch.nn.utils.rnn': torch.nn.utils.rnn as unknown as Space,
};

test('there is a list for each, and a space for each list', () => {
  expect(Object.keys(NAMES).sort()).toEqual(Object.keys(spaces).sort());
});

describe.each(Object.entries(spaces))('%s', (name, space) => {
  const names = [...namesOf(name)].filter((key) => !(name === 'torch.Tensor' && key === 'name'));

  test('a name that is not there says so; one that is there does not', () => {
    let missing = 0;
    for (const key of names) {
      if (key in space) {
        // Properties such as grad may be null.
        expect(space[key], `${name}.${key}`).not.toBe(undefined);
        continue;
      }
      missing++;
      let error: unknown = null;
      try {
        (space[key] as () => void)();
      } catch (caught) {
        error = caught;
      }
      expect(error).toBeInstanceOf(torch.NotImplementedError);
      expect((error as Error).message).toContain(`${name}.${key} is in PyTorch, but not implemented in torch-mtia`);
    }
    expect(missing).toBeLessThan(names.length);
  });

  test('a name that PyTorch does not have is undefined', () => {
    expect(space['fraction_of_a_name']).toBe(undefined);
    expect('fraction_of_a_name' in space).toBe(false);
  });
});

test('questions about the object are answered as for any other', () => {
  expect('add' in torch).toBe(true);
  expect('fft' in torch).toBe(false);
  expect(Object.keys(torch)).toContain('nn');
  expect(Object.keys(torch)).not.toContain('fft');
  const keys: string[] = [];
  for (const key in torch) keys.push(key);
  expect(keys).not.toContain('fft');
  expect(() => ({ ...torch })).not.toThrow();
  expect(() => inspect(torch)).not.toThrow();
  expect(`${Object.prototype.toString.call(torch)}`).toBe('[object Object]');
});

test('destructuring, calling, constructing', () => {
  const space = torch as unknown as Record<string, new () => unknown>;
  expect(() => {
    const { fft } = space;
    return fft;
  }).toThrow('torch.fft is in PyTorch');
  expect(() => new (torch.nn as unknown as typeof space)['LazyLinear']()).toThrow('torch.nn.LazyLinear is in PyTorch');
  expect(() => (torch.ones(1) as unknown as Record<string, () => void>)['to_sparse']()).toThrow(
    "torch.Tensor.to_sparse is in PyTorch, but not implemented in torch-mtia ('to_sparse' in torch.Tensor.prototype is false).",
  );
});

test('a program may add a name of its own', () => {
  const space = torch as unknown as Record<string, unknown>;
  space['fft'] = 1;
  expect(space['fft']).toBe(1);
  delete space['fft'];
});

test('awaiting a tensor, and printing one', async () => {
  const x = torch.ones(1);
  expect(await x).toBe(x);
  expect(inspect({ x })).toBe('{ x: tensor([1.]) }');
});
