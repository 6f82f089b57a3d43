/** The gradients of layer_norm made in one pass, against those made one by one, on both sides of the threshold. */
import { afterEach, expect, test } from 'vitest';
import type { DType } from '../core/dtype.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { normTuning } from './softmax.ts';

const { rows, elements } = normTuning;
const threads = torch.get_num_threads();
afterEach(() => {
  Object.assign(normTuning, { rows, elements });
  torch.set_num_threads(threads);
});

/** Tolerances of x and weight, and of bias, which one by one is added up to its dtype only after a half type. */
const DTYPES = [
  [torch.float32, torch.float32, 2e-6, 2e-6],
  [torch.float64, torch.float64, 1e-13, 1e-13],
  [torch.bfloat16, torch.bfloat16, 1e-2, 1e-2],
  [torch.float16, torch.float32, 2e-6, 5e-4],
] as const;

function gradients(sizes: number[], dtype: DType, parameters: DType, turned = false): Tensor[] {
  torch.manual_seed(1);
  const n = sizes.at(-1)!;
  const x = torch.randn(sizes).to(dtype).requires_grad_();
  const [w, b] = [0, 1].map(() => torch.randn(n).to(parameters).requires_grad_());
  let g = torch.randn(sizes).to(dtype);
  if (turned) g = g.transpose(0, 1).contiguous().transpose(0, 1);
  torch.nn.functional.layer_norm(x, [n], w, b).backward(g);
  return [x.grad!, w.grad!, b.grad!];
}

test.each(DTYPES)('in one pass or one by one: %s with %s', (dtype, parameters, tolerance, biasTolerance) => {
  for (const sizes of [
    [1, 2],
    [31, 7],
    [32, 16],
    [33, 17],
    [63, 16],
    [64, 15],
    [64, 16],
    [65, 100],
    [5, 13, 33],
  ]) {
    for (const turned of [false, true]) {
      const usual = gradients(sizes, dtype, parameters, turned);
      Object.assign(normTuning, { rows: 1, elements: 2 });
      const together = gradients(sizes, dtype, parameters, turned);
      normTuning.rows = Infinity;
      const apart = gradients(sizes, dtype, parameters, turned);
      Object.assign(normTuning, { rows, elements });
      for (const [i, expected] of apart.entries()) {
        const scale = Math.max(1, expected.abs().max().item() as number);
        for (const got of [together[i], usual[i]]) {
          expect([got.dtype, got.shape]).toEqual([expected.dtype, expected.shape]);
          expect(got.sub(expected).abs().max().item()).toBeLessThanOrEqual(
            (i === 2 ? biasTolerance : tolerance) * scale,
          );
        }
      }
    }
  }
});

test('the number of threads changes no bit', () => {
  const [one, two] = [1, 2].map((n) => {
    torch.set_num_threads(n);
    return gradients([1000, 300], torch.float32, torch.float32);
  });
  for (const [i, t] of one.entries()) expect(t.equal(two[i])).toBe(true);
});
