/** Texts of what is no tensor and no module: named tuples, limits of dtypes; and the constants. Recorded from PyTorch 2.13. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import torch from '../index.ts';

const x = torch.tensor([
  [1, 3],
  [4, 2],
]);

test('named tuples', () => {
  const max = 'torch.return_types.max(\nvalues=tensor([3., 4.]),\nindices=tensor([1, 0]))';
  expect(String(x.max(1))).toBe(max);
  expect(inspect(x.max(1))).toBe(max);
  expect(String(x.topk(1))).toBe(
    'torch.return_types.topk(\nvalues=tensor([[3.],\n        [4.]]),\nindices=tensor([[1],\n        [0]]))',
  );
  expect(String(x.aminmax())).toBe('torch.return_types.aminmax(\nmin=tensor(1.),\nmax=tensor(4.))');
  for (const name of ['sort', 'median', 'kthvalue'] as const) {
    const result = name === 'kthvalue' ? x.kthvalue(1) : x[name](1);
    expect(String(result)).toMatch(new RegExp(`^torch\\.return_types\\.${name}\\(\nvalues=`));
  }
});

test('limits of dtypes', () => {
  expect(String(torch.finfo(torch.float64))).toBe(
    'finfo(resolution=1e-15, min=-1.79769e+308, max=1.79769e+308, eps=2.22045e-16, smallest_normal=2.22507e-308, tiny=2.22507e-308, dtype=float64)',
  );
  expect(String(torch.finfo(torch.float16))).toBe(
    'finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05, tiny=6.10352e-05, dtype=float16)',
  );
  expect(String(torch.finfo(torch.bfloat16))).toBe(
    'finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=bfloat16)',
  );
});

test('constants and questions', () => {
  expect([torch.inf, torch.nan, torch.pi, torch.e, torch.newaxis]).toEqual([Infinity, NaN, Math.PI, Math.E, null]);
  expect([torch.numel(x), torch.is_floating_point(x), torch.is_complex(x), torch.is_signed(x)]).toEqual([
    4,
    true,
    false,
    true,
  ]);
  expect(() => torch.numel(3 as never)).toThrow(TypeError);
});

test('a probability is a float', () => {
  expect(String(new torch.nn.Dropout(0))).toBe('Dropout(p=0.0, inplace=False)');
  expect(
    new torch.nn.Transformer({ d_model: 4, nhead: 2, dim_feedforward: 4 }).generate_square_subsequent_mask(2).tolist(),
  ).toEqual([
    [0, -Infinity],
    [0, 0],
  ]);
});
