/**
 * Anomaly detection: a backward that fails, or gives nan, names the op and where its forward was called. It makes
 * everything slower, so it is for finding mistakes.
 */
import { RuntimeError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import { anomaly, type Node } from '../tensor/node.ts';
import type { Tensor } from '../tensor/tensor.ts';

/**
 * `torch.autograd.set_detect_anomaly(mode, check_nan)`: sets it at once. The result restores the former setting with
 * `using`.
 */
export function set_detect_anomaly(
  mode: boolean,
  check_nan: boolean | { check_nan?: boolean } = true,
): Disposable & { exit(): void } {
  if (typeof mode !== 'boolean') {
    throw new TypeError(`set_detect_anomaly(): argument 'mode' must be bool, not ${typeof mode}`);
  }
  const { enabled, checkNan } = anomaly;
  anomaly.enabled = mode;
  anomaly.checkNan = typeof check_nan === 'object' ? (check_nan.check_nan ?? true) : check_nan;
  const exit = () => Object.assign(anomaly, { enabled, checkNan });
  return { exit, [Symbol.dispose]: exit };
}

/** `torch.autograd.detect_anomaly(check_nan)`, for `using` or with a function. */
export function detect_anomaly<T>(check_nan: boolean | { check_nan?: boolean }, fn: () => T): T;
export function detect_anomaly(check_nan?: boolean | { check_nan?: boolean }): Disposable & { exit(): void };
export function detect_anomaly<T>(
  check_nan: boolean | { check_nan?: boolean } = true,
  fn?: () => T,
): T | (Disposable & { exit(): void }) {
  const guard = set_detect_anomaly(true, check_nan);
  if (fn === undefined) return guard;
  try {
    return fn();
  } finally {
    guard.exit();
  }
}

/** `torch.is_anomaly_enabled()`. */
export function is_anomaly_enabled(): boolean {
  return anomaly.enabled;
}

/** `torch.is_anomaly_check_nan_enabled()`. */
export function is_anomaly_check_nan_enabled(): boolean {
  return anomaly.checkNan;
}

/** Runs a node's backward. What it throws is thrown on, after the place of its forward was shown. */
export function runWatched(node: Node, run: () => (Tensor | null)[]): (Tensor | null)[] {
  try {
    const results = run();
    if (anomaly.checkNan) for (let i = 0; i < results.length; i++) checkNan(node, results[i], i);
    return results;
  } catch (error) {
    warn(
      node.trace === null
        ? `Error detected in ${node.name}. No forward pass information available. Enable detect anomaly during forward pass for more information.`
        : `Error detected in ${node.name}. Traceback of forward call that caused the error:\n${node.trace}`,
    );
    throw error;
  }
}

function checkNan(node: Node, result: Tensor | null | undefined, i: number): void {
  if (result === null || result === undefined || !result.dtype.is_floating_point) return;
  if (result.detach().isnan().any().item()) {
    throw new RuntimeError(`Function '${node.name}' returned nan values in its ${i}th output.`);
  }
}
