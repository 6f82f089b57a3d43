/** `torch.accelerator`: the accelerator of this process, whichever it is. Here it is mtia, or there is none. */
import { type ContextGuard, context } from '../core/context.ts';
import { Device, type DeviceLike, internDevice, parseDevice } from '../core/device.ts';
import {
  bfloat16,
  bool,
  type DType,
  float16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
} from '../core/dtype.ts';
import { RuntimeError, ValueError } from '../core/errors.ts';
import { createdBackends, currentDevice, deviceCount, mtiaBackend, setCurrentDevice } from '../devices/registry.ts';
import { currentStream, setStream, type Stream } from './stream.ts';

/** An accelerator device by object, name or number; none: the current one. */
export type AcceleratorDevice = DeviceLike | null | undefined;

/** @throws RuntimeError where there is no accelerator */
export function needAccelerator(): void {
  if (deviceCount() === 0) throw new RuntimeError('Cannot access accelerator device when none is available.');
}

/**
 * The index that is meant; none means the current device.
 * @throws ValueError for a device of another type
 */
export function indexOf(device: AcceleratorDevice): number {
  if (typeof device === 'number') return device;
  if (device === null || device === undefined) return currentDevice();
  const parsed = device instanceof Device ? device : parseDevice(device);
  if (parsed.type !== 'mtia') {
    const acc = current_accelerator();
    if (acc === null) throw new RuntimeError('Accelerator expected');
    throw new ValueError(`${parsed.type} doesn't match the current accelerator ${acc}.`);
  }
  return parsed.index ?? currentDevice();
}

/** `torch.accelerator.current_accelerator()`: its device, without an index; null where there is none. */
export function current_accelerator(check_available = false): Device | null {
  void check_available;
  return deviceCount() > 0 ? internDevice('mtia', null) : null;
}

/** `torch.accelerator.is_available()`. */
export function is_available(): boolean {
  return deviceCount() > 0;
}

/** `torch.accelerator.device_count()`. */
export function device_count(): number {
  return deviceCount();
}

/** `torch.accelerator.current_device_index()`. */
export function current_device_index(): number {
  needAccelerator();
  return currentDevice();
}

/** `torch.accelerator.set_device_index(device)`. Does nothing for a negative index. */
export function set_device_index(device: AcceleratorDevice): void {
  needAccelerator();
  const index = indexOf(device);
  if (index >= 0) setCurrentDevice(index);
}

/** `torch.accelerator.current_stream(device)`. */
export function current_stream(device?: AcceleratorDevice): Stream {
  needAccelerator();
  return currentStream(indexOf(device));
}

/** `torch.accelerator.set_stream(stream)`: makes it, and its device, current. */
export function set_stream(stream: Stream): void {
  needAccelerator();
  setStream(stream);
}

/** `torch.accelerator.synchronize(device)`: waits for all that was given to the device. Nothing to do before its use. */
export function synchronize(device?: AcceleratorDevice): void {
  needAccelerator();
  const index = indexOf(device);
  if (createdBackends().length > 0) mtiaBackend(index).synchronize();
}

/**
 * `torch.accelerator.device_index(device)`: another current device inside a block (`using _ = …`) or while `fn` runs.
 * null changes nothing.
 */
export function device_index(device: number | null): ContextGuard;
export function device_index<T>(device: number | null, fn: () => T): T;
export function device_index<T>(device: number | null, fn?: () => T): T | ContextGuard {
  return context(
    'torch.accelerator.device_index',
    () => {
      if (device === null) return () => {};
      needAccelerator();
      const before = currentDevice();
      setCurrentDevice(device);
      return () => setCurrentDevice(before);
    },
    fn,
  );
}

/** `torch.accelerator.get_device_capability(device)`: the dtypes that the device computes with. */
export function get_device_capability(device?: AcceleratorDevice): { supported_dtypes: Set<DType> } {
  needAccelerator();
  indexOf(device);
  return {
    supported_dtypes: new Set([float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8, bool]),
  };
}
