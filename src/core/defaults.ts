/** `torch.set_default_dtype` and `torch.set_default_device`. */
import { type Device, internDevice } from './device.ts';
import { type DType, float32 } from './dtype.ts';

let dtype: DType = float32;
let device: Device = internDevice('cpu', null);

/** `torch.get_default_dtype()`: the dtype that numbers make; float32 unless set. */
export function defaultDType(): DType {
  return dtype;
}

export function setDefaultDType(next: DType): void {
  if (!next.is_floating_point) throw new TypeError(`only floating-point types are supported as the default type`);
  dtype = next;
}

export function defaultDevice(): Device {
  return device;
}

export function setDefaultDevice(next: Device): void {
  device = next;
}
