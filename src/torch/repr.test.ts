/** Printing reads what is shown, where it lies; what PyTorch prints is in tests/oracle/printing.test.ts. */
import { afterEach, describe, expect, test } from 'vitest';
import torch from '../index.ts';

afterEach(() => torch.set_printoptions({ profile: 'default' }));

test('nothing is allocated on the device, whatever the layout', () => {
  const x = torch.arange(20000, { device: 'mtia' }).reshape(100, 200).t();
  torch.mtia.reset_peak_memory_stats();
  const before = torch.mtia.memory_allocated();
  expect(String(x).split('\n')[0]).toBe('tensor([[    0,   200,   400,  ..., 19400, 19600, 19800],');
  expect(torch.mtia.max_memory_allocated()).toBe(before);
});

test('a summary of many elements is as quick as one of few', () => {
  const x = torch.zeros(1 << 24);
  const start = performance.now();
  for (let i = 0; i < 20; i++) String(x);
  expect(performance.now() - start).toBeLessThan(500);
});

test('printing does not change a number of the graph', () => {
  const x = torch.ones(2, { requires_grad: true });
  const y = x.mul(2);
  expect(String(y)).toBe('tensor([2., 2.], grad_fn=<MulBackward0>)');
  y.sum().backward();
  expect(x.grad?.tolist()).toEqual([2, 2]);
});

test('a part of a storage of another tensor', () => {
  const x = torch.arange(10, { dtype: torch.int16 });
  expect(String(x.narrow(0, 3, 2))).toBe('tensor([3, 4], dtype=torch.int16)');
});

describe('set_printoptions', () => {
  test('what does not exist', () => {
    const set = torch.set_printoptions as (...args: unknown[]) => void;
    expect(() => set({ digits: 2 })).toThrow("set_printoptions() got an unexpected keyword argument 'digits'");
    expect(() => set({ profile: 'long' })).toThrow("unknown print profile 'long'");
    expect(() => set({ precision: -1 })).toThrow('must be a number that is not negative');
    expect(() => set({ edgeitems: 'three' })).toThrow(TypeError);
    expect(() => set(1, 2, 3, 4, 'full', null, 5)).toThrow('takes from 0 to 6 positional arguments but 7 were given');
  });

  test('sci_mode is forgotten by the next call', () => {
    torch.set_printoptions({ sci_mode: true });
    expect(String(torch.tensor([1.5]))).toBe('tensor([1.5000e+00])');
    torch.set_printoptions({ precision: 2 });
    expect(String(torch.tensor([1.5]))).toBe('tensor([1.50])');
  });
});
