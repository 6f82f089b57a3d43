/** Inputs and samples for the checks of every op's gradient: what `every-op.test.ts` and the lists of samples share. */
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functional } from '../torch/attach.ts';

export const float64 = { dtype: torch.float64 };
export const F = functional as unknown as Record<string, (...args: unknown[]) => Tensor>;

export type Fn = (...inputs: Tensor[]) => unknown;
export interface Sample {
  fn: Fn;
  inputs: () => Tensor[];
}

/** Distinct values between 0.3 and 0.9, away from every kink of the ops below, in no order. */
export function values(sizes: number[], shift = 0): Tensor {
  const length = sizes.reduce((a, b) => a * b, 1);
  const list = Array.from({ length }, (_, i) => 0.3 + 0.6 * (((i * 7 + 3 + 5 * shift) % (length + 4)) / (length + 4)));
  return torch.tensor(list, float64).reshape(sizes);
}
export const x = (...sizes: number[]) => values(sizes).requires_grad_();
export const y = (...sizes: number[]) => values(sizes, 1).requires_grad_();
/** Both signs. */
export const signed = (...sizes: number[]) => values(sizes).sub(0.58).mul(2).detach().requires_grad_();
export const ints = (list: unknown) => torch.tensor(list as number[], { dtype: torch.int64 });
export const mask = () => torch.tensor([true, false, true]);

export const on = (fn: Fn, ...inputs: (() => Tensor)[]): Sample => ({ fn, inputs: () => inputs.map((make) => make()) });
export const m23 = () => x(2, 3);
export const v3 = () => x(3);
export const unary = (fn: (a: Tensor) => unknown, make = m23): Sample[] => [on(fn as Fn, make)];
/** Also with broadcasting on either side. */
export const binary = (fn: (a: Tensor, b: Tensor) => unknown): Sample[] => [
  on(fn as Fn, m23, () => y(2, 3)),
  on(fn as Fn, m23, () => y(3)),
  on(fn as Fn, v3, () => y(2, 1)),
];
/** The op on a tensor that was computed, since a leaf may not be changed. */
export const inplace = (fn: (a: Tensor) => unknown, make = m23): Sample[] => [on((a) => fn(a.clone()), make)];
