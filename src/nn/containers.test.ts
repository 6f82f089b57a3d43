/** Sequential, ModuleList, ModuleDict. */
import { expect, test } from 'vitest';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { errorOf } from './fixtures.testing.ts';

const { nn } = torch;

test('Sequential from arguments, an array and a mapping', () => {
  const [a, b] = [new nn.Linear(2, 3), new nn.ReLU()];
  for (const model of [new nn.Sequential(a, b), new nn.Sequential([a, b])]) {
    expect([...model]).toEqual([a, b]);
    expect(model.length).toBe(2);
    expect([model.at(0), model.at(-1)]).toEqual([a, b]);
    expect(model(torch.ones(1, 2)).equal(b(a(torch.ones(1, 2))))).toBe(true);
  }
  expect(Object.keys(new nn.Sequential({ first: a, second: b }).state_dict())).toEqual(['first.weight', 'first.bias']);
  expect(Object.keys(new nn.Sequential(new Map([['m', a]])).state_dict())).toEqual(['m.weight', 'm.bias']);
  expect([...new nn.Sequential().append(a).extend([b, b])].length).toBe(3);
});

test('Sequential of what are no modules', () => {
  const Sequential = nn.Sequential as unknown as new (...args: unknown[]) => unknown;
  expect(errorOf(() => new Sequential(3))).toBe('TypeError: int is not a Module subclass');
  expect(errorOf(() => new Sequential([torch.zeros(1)]))).toBe('TypeError: torch.FloatTensor is not a Module subclass');
  const model = new nn.Sequential(new nn.ReLU());
  expect(errorOf(() => model.at(1))).toBe('IndexError: index 1 is out of range');
  expect(errorOf(() => model.at('a' as unknown as number))).toBe(
    "TypeError: 'str' object cannot be interpreted as an integer",
  );
});

test('ModuleList', () => {
  const list = new nn.ModuleList([new nn.Linear(1, 2), new nn.Linear(2, 3)]);
  list.append(new nn.Linear(3, 4)).extend([new nn.Linear(4, 5)]);
  list.insert(0, new nn.Linear(1, 1));
  expect(Array.from(list, (l) => l.out_features)).toEqual([1, 2, 3, 4, 5]);
  expect(list.length).toBe(5);
  let x: Tensor = torch.ones(1, 1);
  for (const layer of list) x = layer(x);
  expect(x.shape).toEqual([1, 5]);
  expect(Object.keys(list.state_dict()).length).toBe(10);
  expect(errorOf(() => (list as unknown as (x: unknown) => unknown)(x))).toBe(
    'NotImplementedError: Module [ModuleList] is missing the required "forward" function',
  );
});

test('more than ten keep their order', () => {
  const list = new nn.ModuleList(Array.from({ length: 12 }, (_, i) => new nn.Linear(1, i + 1)));
  expect(Array.from(list, (l) => l.out_features)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('a position counts the children there are, whatever numbers they go by', () => {
  const [a, b, c] = [new nn.Identity(), new nn.ReLU(), new nn.Tanh()];
  const list = new nn.ModuleList([a, b, c]);
  expect([0, 1, 2, -1, -3].map((i) => list.at(i))).toEqual([a, b, c, c, a]);
  delete (list as unknown as Record<number, unknown>)[0];
  expect([0, 1, -1].map((i) => list.at(i))).toEqual([b, c, c]);
  expect(() => list.at(2)).toThrow('index 2 is out of range');
  const mixed = new nn.Sequential({ x: a, 1: b, 0: c });
  expect([0, 1, 2].map((i) => mixed.at(i))).toEqual([c, b, a]);
  (mixed as unknown as Record<number, unknown>)[0] = 5;
  expect([0, 1].map((i) => mixed.at(i))).toEqual([b, a]);
});

test('ModuleDict', () => {
  const dict = new nn.ModuleDict<InstanceType<typeof nn.Module>>({ a: new nn.ReLU(), b: new nn.Linear(1, 1) });
  expect([...dict.keys()]).toEqual(['a', 'b']);
  expect(dict.has('a')).toBe(true);
  expect(dict.get('b')).toBeInstanceOf(nn.Linear);
  expect([...dict.values()].length).toBe(2);
  expect(Array.from(dict, ([name]) => name)).toEqual(['a', 'b']);
  dict.update({ a: new nn.GELU() });
  expect(dict.get('a')).toBeInstanceOf(nn.GELU);
  expect(dict.pop('a')).toBeInstanceOf(nn.GELU);
  expect(dict.length).toBe(1);
  expect(errorOf(() => dict.get('a'))).toBe('KeyError: a');
});
