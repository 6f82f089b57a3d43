/** `nn.utils.parameters_to_vector` and `vector_to_parameters`. */
import type { Device } from '../../core/device.ts';
import { slice } from '../../ops/views.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { cat } from '../../torch/factories.ts';
import { pyTypeName } from '../text.ts';

/** @throws TypeError if it is on another device than those before it */
function checkDevice(param: Tensor, before: Device | null): Device {
  const { device } = param;
  if (before !== null && before !== device) {
    throw new TypeError('Found two parameters on different devices, this is currently not supported.');
  }
  return device;
}

/** All parameters in one vector, one after another; gradients flow back to them. */
export function parameters_to_vector(parameters: Iterable<Tensor>): Tensor {
  let device: Device | null = null;
  const parts: Tensor[] = [];
  for (const param of parameters) {
    device = checkDevice(param, device);
    parts.push(param.view(-1));
  }
  return cat(parts);
}

/** Gives the parameters the vector's values: they share its storage from then on, as in PyTorch. */
export function vector_to_parameters(vec: Tensor, parameters: Iterable<Tensor>): void {
  if (!(vec instanceof Tensor)) throw new TypeError(`expected torch.Tensor, but got: ${pyTypeName(vec)}`);
  let device: Device | null = null;
  let at = 0;
  for (const param of parameters) {
    device = checkDevice(param, device);
    const { length } = param;
    // A slice, which ends where the vector ends: the view then says what does not fit.
    param.data = slice(vec, 0, at, at + length, 1).view_as(param).data;
    at += length;
  }
}
