/** Grad mode and inference mode: whether operations are recorded. */
import { type ContextGuard, context } from '../core/context.ts';

/** Read by every operation; a plain object so that the check is one load. */
export const mode = { grad: true, inference: false };

/** `torch.is_grad_enabled()`: whether operations are recorded. */
export function isGradEnabled(): boolean {
  return mode.grad;
}

function withGrad<T>(name: string, enabled: boolean, fn?: (() => T) | null): T | ContextGuard {
  return context(
    name,
    () => {
      const before = mode.grad;
      mode.grad = enabled && !mode.inference;
      return () => {
        mode.grad = before;
      };
    },
    fn,
  );
}

/** `torch.no_grad`: nothing inside is recorded. */
export function no_grad(): ContextGuard;
export function no_grad<T>(fn: () => T): T;
export function no_grad<T>(fn?: () => T): T | ContextGuard {
  return withGrad('torch.no_grad', false, fn);
}

/** `torch.enable_grad`: recording inside a `no_grad`. */
export function enable_grad(): ContextGuard;
export function enable_grad<T>(fn: () => T): T;
export function enable_grad<T>(fn?: () => T): T | ContextGuard {
  return withGrad('torch.enable_grad', true, fn);
}

/**
 * `torch.set_grad_enabled(mode)`: as a function it sets the mode at once; its result restores the former one when used
 * as a guard, and with `fn` only the function runs in the mode.
 */
export function set_grad_enabled(enabled: boolean): Disposable;
export function set_grad_enabled<T>(enabled: boolean, fn: () => T): T;
export function set_grad_enabled<T>(enabled: boolean, fn?: () => T): T | Disposable {
  if (typeof enabled !== 'boolean') {
    throw new TypeError(`set_grad_enabled(): argument 'mode' must be bool, not ${typeof enabled}`);
  }
  if (fn) return withGrad('torch.set_grad_enabled', enabled, fn) as T;
  // Not on the stack of contexts: mostly it is called for its effect and the result is dropped.
  const before = mode.grad;
  mode.grad = enabled && !mode.inference;
  return {
    [Symbol.dispose]() {
      mode.grad = before;
    },
  };
}

/** `torch.inference_mode`: no recording and no version counting; its tensors can't enter a graph later. */
export function inference_mode(enabled?: boolean): ContextGuard;
export function inference_mode<T>(fn: () => T): T;
export function inference_mode<T>(enabled: boolean, fn: () => T): T;
export function inference_mode<T>(first: boolean | (() => T) = true, second?: () => T): T | ContextGuard {
  const enabled = typeof first === 'function' ? true : first;
  const fn = typeof first === 'function' ? first : second;
  return context(
    'torch.inference_mode',
    () => {
      const { grad, inference } = mode;
      mode.inference = enabled;
      // Inside inference_mode(False) recording is on again, as PyTorch documents.
      mode.grad = !enabled;
      return () => {
        mode.grad = grad;
        mode.inference = inference;
      };
    },
    fn,
  );
}
