/** What JavaScript programmers do to values by habit: it works, or it is an error that says what to write. */
import { inspect } from 'node:util';
import torch from 'torch-mtia';
import { expect, test } from 'vitest';
import { device } from './device.ts';

const { nn } = torch;
const x = torch.tensor(
  [
    [1.0, 2.0],
    [3.0, 4.0],
  ],
  { device },
);
const any = x as never as Record<string, unknown> & number;

test('indexing with brackets', () => {
  expect(() => any[0]).toThrow(
    new TypeError('x[0] does not index a tensor in JavaScript: write x.index([0]) or x.select(0, 0)'),
  );
  expect(() => any['-1']).toThrow('write x.index([-1])');
  expect(() => {
    any['1'] = 2;
  }).toThrow('write x.index_put_([1], value)');
  expect(any['nothing']).toBeUndefined();
});

test('operators', () => {
  const text = 'tensors have no operators in JavaScript: write x.add(y), x.mul(y), x.lt(y)';
  for (const operation of [
    () => any + 1,
    () => any * 2,
    () => -any,
    () => any < 3,
    // biome-ignore lint/suspicious/noDoubleEquals: the habit in question
    () => any == 1,
    () => Number(any),
  ]) {
    expect(operation).toThrow(text);
  }
});

test('printing', () => {
  const shown = torch.tensor([1.5], { device });
  const text = device === 'cpu' ? 'tensor([1.5000])' : "tensor([1.5000], device='mtia:0')";
  expect(String(shown)).toBe(text);
  expect(`${shown}`).toBe(text);
  expect(inspect({ shown })).toBe(`{ shown: ${text} }`);
  expect(inspect(new nn.Linear(2, 3, { device }))).toBe('Linear(in_features=2, out_features=3, bias=True)');
});

test('JSON', () => {
  const loss = x.mean().requires_grad_();
  expect(JSON.stringify({ x, loss, n: torch.tensor([1n, 2n], { device }), t: x.eq(1) })).toBe(
    '{"x":[[1,2],[3,4]],"loss":2.5,"n":[1,2],"t":[[true,false],[false,false]]}',
  );
});

test('iterating, spreading and destructuring', () => {
  const rows = [...x];
  expect(rows.map((row) => row.tolist())).toEqual([
    [1, 2],
    [3, 4],
  ]);
  const [first] = x;
  expect(first.tolist()).toEqual([1, 2]);
  expect(() => [...torch.ones([], { device })]).toThrow(new TypeError('iteration over a 0-d tensor'));
});

test('waiting for a result that is there already', async () => {
  const y = await x.add(1);
  expect(y.tolist()).toEqual([
    [2, 3],
    [4, 5],
  ]);
  expect((await Promise.all([x.sum(), x.mean()])).map((each) => each.item())).toEqual([10, 2.5]);
});
