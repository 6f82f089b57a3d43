/** Calls of every op with small inputs, as fixtures/memory.json has them: it also says how much memory PyTorch takes for each. */
import torch from '../src/index.ts';
import type { Tensor } from '../src/tensor/tensor.ts';
import { resolve, tensorsIn } from './oracle/values.ts';

export interface OpInput {
  shape: number[];
  dtype: 'float32' | 'int64' | 'bool';
  grad: boolean;
  value: number[] | null;
  leaf: boolean;
}

export interface OpCase {
  name: string;
  call: string;
  inputs: OpInput[];
  /** `{ input: i }` stands for an input. */
  args: unknown[];
  kwargs?: Record<string, unknown>;
  backward?: [held: number, peak: number];
}

/** The input's value, or numbers between 0.1 and 0.9. */
export function randomInput({ shape, dtype, grad, value }: OpInput, device: string): Tensor {
  const options = { dtype: torch[dtype], device };
  if (value !== null) return torch.tensor(value, options);
  if (dtype !== 'float32') return torch.zeros(shape, options);
  return torch.rand(shape, options).mul(0.8).add(0.1).requires_grad_(grad);
}

/** The input's value, or ones; indices are 0. */
export function plainInput({ shape, dtype, grad, value }: OpInput, device: string): Tensor {
  const options = { dtype: torch[dtype], device };
  if (value !== null) return torch.tensor(value, options);
  const x = dtype === 'int64' ? torch.zeros(shape, options) : torch.ones(shape, options);
  return grad ? x.requires_grad_() : x;
}

/** The tensors that the call gives. */
export function callWith(c: OpCase, tensors: readonly Tensor[]): Tensor[] {
  const filled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(filled);
    return typeof value === 'object' && value !== null ? tensors[(value as { input: number }).input] : value;
  };
  const args = c.args.map(filled);
  if (c.kwargs !== undefined) args.push(c.kwargs);
  return tensorsIn(resolve(c.call)(...args));
}
