/** The options that factories share: dtype, device, requires_grad. */

import { mode } from '../autograd/mode.ts';
import { defaultDevice, defaultDType } from '../core/defaults.ts';
import { type DeviceLike, parseDevice } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Backend } from '../devices/backend.ts';
import { backendFor } from '../devices/registry.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';

/** The backend of a device as users name it; null: the default device. */
export function backendOf(device: DeviceLike | null | undefined): Backend {
  if (device === null || device === undefined) return backendFor(defaultDevice());
  return backendFor(parseDevice(device));
}

export function dtypeOr(dtype: DType | null | undefined): DType {
  return dtype ?? defaultDType();
}

/** Ends the making of a leaf: sets requires_grad where asked for. */
export function finishLeaf(x: Tensor, requires_grad: boolean | null | undefined): Tensor {
  if (mode.inference) x.flags |= FLAG_INFERENCE;
  if (requires_grad) {
    requireFloat(x.dtype);
    x.wantsGrad = true;
  }
  return x;
}

/** @throws RuntimeError for a dtype that can't have gradients */
export function requireFloat(dtype: DType): void {
  if (!dtype.is_floating_point) {
    throw new RuntimeError('Only Tensors of floating point and complex dtype can require gradients');
  }
}
