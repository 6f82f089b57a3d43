/** The contributing page's example is what it says: one declaration makes an op. */
import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import torch from '../src/index.ts';
import * as e from '../src/kernels/expr.ts';
import { pointwise } from '../src/ops/pointwise-declare.ts';
import { undefine } from '../src/ops/registry.ts';
import { device } from './device.ts';

const op = (x: unknown) => (x as { logcosh(): ReturnType<typeof torch.exp> }).logcosh();

beforeAll(() => {
  const page = readFileSync(new URL('../docs/contributing.md', import.meta.url), 'utf8');
  const block = /```ts\n(pointwise\([\s\S]*?)```/.exec(page)![1];
  expect(block.match(/pointwise\(/g)).toHaveLength(1);
  new Function('pointwise', 'e', transformSync(block, { loader: 'ts' }).code)(pointwise, e);
});
afterAll(() => {
  undefine('logcosh');
  undefine('logcosh_');
});

const values = [-30, -2, -0.5, 0, 0.25, 1, 3, 100];
const logcosh = (x: number) => Math.abs(x) + Math.log1p(Math.exp(-2 * Math.abs(x))) - Math.LN2;

test('values in every float dtype, and of integers', () => {
  for (const [dtype, digits] of [
    [torch.float64, 12],
    [torch.float32, 5],
    [torch.float16, 1],
    [torch.bfloat16, 0],
  ] as const) {
    const y = op(torch.tensor(values, { dtype, device }));
    expect(y.dtype).toBe(dtype);
    (y.double().tolist() as number[]).forEach((v, i) => {
      expect(v).toBeCloseTo(logcosh(values[i]), digits);
    });
  }
  expect(op(torch.tensor([0n, 2n], { device })).dtype).toBe(torch.float32);
});

test('strided and broadcast operands, in place, as a function', () => {
  const x = torch.arange(12, { dtype: torch.float64, device }).reshape(3, 4).t();
  expect(op(x).sum().item()).toBeCloseTo(
    Array.from({ length: 12 }, (_, i) => logcosh(i)).reduce((a, b) => a + b),
    9,
  );
  const y = torch.tensor([1.0, 2.0], { dtype: torch.float64, device });
  expect((y as unknown as { logcosh_(): unknown }).logcosh_()).toBe(y);
  expect((y.tolist() as number[])[1]).toBeCloseTo(logcosh(2), 12);
});

test('the gradient is tanh, and the gradient of that 1 - tanh^2', () => {
  const x = torch.tensor([-2.0, -0.5, 0.25, 3.0], { dtype: torch.float64, device, requires_grad: true });
  const y = op(x);
  expect(y.grad_fn!.name).toBe('LogcoshBackward0');
  const [first] = torch.autograd.grad(y.sum(), x, null, { create_graph: true });
  expect(torch.allclose(first!, x.tanh())).toBe(true);
  const [second] = torch.autograd.grad(first!.sum(), x);
  expect(torch.allclose(second!, x.tanh().pow(2).neg().add(1))).toBe(true);
});
