/** Options that optimizers share: their types, and the checks that PyTorch does of them. */
import { RuntimeError, ValueError } from '../core/errors.ts';
import { pyNumber } from '../nn/text.ts';
import { Tensor } from '../tensor/tensor.ts';
import type { ParamGroup } from './optimizer.ts';
import { refuseDifferentiable } from './state.ts';

/** What every optimizer takes. */
export interface CommonOptions {
  /** Learning rate: a number, or a tensor of one element. */
  lr?: number | Tensor;
  /** Whether to go up instead of down. */
  maximize?: boolean;
  /** Accepted for PyTorch's sake: parameters of a group share launches in any case. */
  foreach?: boolean | null;
  /** Whether a step is recorded; true is not implemented. */
  differentiable?: boolean;
}

export interface CapturableOptions extends CommonOptions {
  /**
   * Counts steps on the device, so that a step can be captured in a graph and replayed: one small launch more for each
   * parameter. Parameters must be on mtia.
   */
  capturable?: boolean;
}

/** A group's learning rate as a number. */
export function rateOf(group: ParamGroup): number {
  return numberOf(group['lr']);
}

/** A number, also from a tensor of one element. */
export function numberOf(value: unknown): number {
  return value instanceof Tensor ? (value.item() as number) : (value as number);
}

/** @throws ValueError unless the learning rate is one number, and not negative */
export function checkRate(lr: unknown): void {
  if (lr instanceof Tensor && lr.length !== 1) throw new ValueError('Tensor lr must be 1-element');
  if (!(numberOf(lr) >= 0)) throw invalid('learning rate', lr);
}

/** @throws ValueError if a number is negative; `what` as the error says it: `weight_decay value` */
export function checkNotNegative(value: unknown, what: string): void {
  if (!(numberOf(value) >= 0)) throw invalid(what, value);
}

/** @throws ValueError unless both are in [0, 1) */
export function checkBetas(betas: readonly unknown[]): void {
  for (const i of [0, 1]) {
    const beta = numberOf(betas[i]);
    if (!(beta >= 0 && beta < 1)) throw invalid(`beta parameter at index ${i}`, betas[i]);
  }
}

function invalid(what: string, value: unknown): ValueError {
  return new ValueError(`Invalid ${what}: ${pyNumber(numberOf(value))}`);
}

/** Ways to compute a step that do not go together, or cannot be had. */
export function checkWays(foreach: unknown, differentiable: unknown, fused: unknown = null): void {
  if (fused && differentiable) throw new RuntimeError('`fused` does not support `differentiable`');
  if (fused && foreach) throw new RuntimeError('`fused` and `foreach` cannot be `True` together.');
  refuseDifferentiable(differentiable);
}
