/** Values that no call is made for: each is an error in PyTorch's terms, never one of JavaScript's own. */
import { describe, expect, test } from 'vitest';
import torch from '../src/index.ts';

type Loose = Record<string, (...args: unknown[]) => unknown>;
const loose = (value: unknown) => value as Loose;
const { default_collate, random_split } = torch.utils.data;

const itself: unknown[] = [];
itself.push(itself);

const CASES: [string, () => unknown, new (...args: never[]) => Error, RegExp][] = [
  ['a list that holds itself', () => loose(torch)['tensor'](itself), torch.ValueError, /too many dimensions 'list'/],
  [
    'a method taken off its tensor',
    () => Reflect.apply(torch.ones(2).add, undefined, [1]),
    TypeError,
    /descriptor 'add' for/,
  ],
  [
    'a generator that is none',
    () => loose(torch)['rand'](2, { generator: 5 }),
    TypeError,
    /'generator' must be torch.Generator/,
  ],
  [
    'a dtype that is none',
    () => loose(torch)['promote_types'](torch.float32, 3),
    TypeError,
    /'type2' \(position 2\) must be torch.dtype/,
  ],
  ['finfo of a string', () => loose(torch)['finfo']('float32'), TypeError, /must be torch.dtype, not str/],
  ['slice bounds', () => torch.Slice(0.5), TypeError, /slice indices must be integers/],
  [
    'initialising what is no tensor',
    () => loose(torch.nn.init)['xavier_uniform_'](3),
    TypeError,
    /must be Tensor, not int/,
  ],
  [
    'a gain that is no number',
    () => loose(torch.nn.init)['xavier_uniform_'](torch.ones(2, 2), 'x'),
    TypeError,
    /'gain' \(position 2\) must be float, not str/,
  ],
  ['relu of a number', () => loose(torch.nn.functional)['relu'](1), TypeError, /'input' \(position 1\) must be Tensor/],
  ['collating nothing', () => default_collate([]), torch.IndexError, /list index out of range/],
  ['collating a tensor with a number', () => default_collate([torch.ones(1), 2] as never), TypeError, /element 1/],
  ['splitting what has no length', () => random_split({} as never, [1]), TypeError, /has no len\(\)/],
  [
    'a hook that is none',
    () => loose(torch.ones(1, { requires_grad: true }))['register_hook'](3),
    TypeError,
    /function as hook/,
  ],
  ['a stream that is none', () => loose(torch.mtia)['stream'](3), TypeError, /must be torch.Stream, not int/],
  [
    'checking what is no function',
    () => loose(torch.autograd)['gradcheck'](3, []),
    TypeError,
    /'int' object is not callable/,
  ],
  [
    'an int beyond int64',
    () => torch.zeros(2, 2).sum((2n ** 70n) as never),
    torch.RuntimeError,
    /Overflow when unpacking/,
  ],
];

describe('odd values', () => {
  test.each(CASES)('%s', (_name, run, type, text) => {
    let caught: unknown;
    try {
      run();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(type);
    expect((caught as Error).message).toMatch(text);
    // The library goes on.
    expect(torch.ones(2).sum().item()).toBe(2);
  });
});
