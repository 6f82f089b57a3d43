/** Which device an op runs on. */
import { RuntimeError } from '../core/errors.ts';
import type { Backend } from '../devices/backend.ts';
import type { Tensor } from '../tensor/tensor.ts';

/**
 * The backend that all inputs share. null: 0-dim cpu tensors stand beside tensors of another device and must be moved.
 * @throws RuntimeError with PyTorch's text when they are on different devices
 */
export function commonBackend(name: string, inputs: readonly Tensor[], paramNames?: readonly string[]): Backend | null {
  const first = inputs[0].storage.backend;
  let same = true;
  for (let i = 1; i < inputs.length; i++) if (inputs[i].storage.backend !== first) same = false;
  if (same) return first;
  return differentBackends(name, inputs, paramNames);
}

function differentBackends(name: string, inputs: readonly Tensor[], paramNames?: readonly string[]): null {
  const main = inputs.find((x) => x.sizes.length > 0) ?? inputs.find((x) => x.storage.backend.device.type !== 'cpu')!;
  const wanted = main.storage.backend;
  for (let i = 0; i < inputs.length; i++) {
    const backend = inputs[i].storage.backend;
    if (backend === wanted) continue;
    if (inputs[i].sizes.length === 0 && backend.device.type === 'cpu') continue;
    throw differentDevices(name, wanted, backend, paramNames?.[i] ?? ARGUMENTS[i]);
  }
  return null;
}

const ARGUMENTS = ['self', 'other'];

/** PyTorch's error for tensors on different devices, and the argument that is off, where it has a name. */
export function differentDevices(name: string, a: Backend, b: Backend, argument?: string): RuntimeError {
  const [first, second] = a.device.type === 'cpu' ? [b, a] : [a, b];
  const which = argument === undefined ? '' : ` (when checking argument for argument ${argument} in method ${name})`;
  return new RuntimeError(
    `Expected all tensors to be on the same device, but found at least two devices, ${first.device} and ${second.device}!${which} Move one of them: x.to('${first.device}').`,
  );
}

/** For ops whose tensors must all be on one device. */
export function sameBackend(name: string, inputs: readonly (Tensor | null)[], paramNames: readonly string[]): Backend {
  const first = inputs[0]!.storage.backend;
  for (let i = 1; i < inputs.length; i++) {
    const x = inputs[i];
    if (x !== null && x.storage.backend !== first) {
      throw differentDevices(name, first, x.storage.backend, paramNames[i]);
    }
  }
  return first;
}
