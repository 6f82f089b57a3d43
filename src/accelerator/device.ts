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
import { isOptions } from '../core/signature.ts';
import { warn } from '../core/warn.ts';
import {
  checkIndex,
  createdBackend,
  createdBackends,
  currentDevice,
  deviceCount,
  setCurrentDevice,
} from '../devices/registry.ts';
import { typeName } from '../tensor/type-name.ts';
import { currentStream, setStream, type Stream, synchronizeDevice } from './stream.ts';

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
  return givenIndex(device) ?? current_device_index();
}

/** null if there is none. */
function givenIndex(device: AcceleratorDevice): number | null {
  if (device === null || device === undefined) return null;
  if (typeof device === 'number' && Number.isInteger(device)) return device;
  if (isOptions(device)) {
    const names = Object.keys(device).map((name) => `'${name}'`);
    throw new TypeError(`got some positional-only arguments passed as keyword arguments: ${names.join(', ')}`);
  }
  if (typeof device !== 'string' && !(device instanceof Device)) return noIndex(device);
  const parsed = parseDevice(device);
  const accelerator = current_accelerator();
  if (accelerator === null) throw new RuntimeError('Accelerator expected');
  if (parsed.type !== accelerator.type) {
    throw new ValueError(`${parsed.type} doesn't match the current accelerator ${accelerator}.`);
  }
  return parsed.index;
}

/** For a device without an index where it must have one, and for what is no device. */
function noIndex(device: unknown): never {
  const shown = device === null || device === undefined ? 'None' : device;
  throw new ValueError(
    `Expected a torch.device with a specified index or an integer, but got:${typeof shown === 'object' && !(shown instanceof Device) ? typeName(shown) : String(shown)}`,
  );
}

/** `torch.accelerator.current_accelerator()`: its device, without an index; null where there is none. */
export function current_accelerator(check_available: boolean | { check_available?: boolean } = false): Device | null {
  if (isOptions(check_available)) {
    for (const name in check_available) {
      if (name !== 'check_available') {
        throw new TypeError(`current_accelerator() got an unexpected keyword argument '${name}'`);
      }
    }
  }
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

/** `torch.accelerator.current_device_idx()`: the deprecated name of `current_device_index`. */
export function current_device_idx(): number {
  warn('Use `current_device_index` instead.', 'FutureWarning');
  return current_device_index();
}

/**
 * `torch.accelerator.set_device_index(device)`. Does nothing for a negative index.
 * @throws ValueError for a device of another type, or without an index; RuntimeError if there is no such device
 */
export function set_device_index(device: DeviceLike): void {
  const index = givenIndex(device) ?? noIndex(device);
  needAccelerator();
  if (index >= 0) setCurrentDevice(index);
}

/** `torch.accelerator.set_device_idx(device)`: the deprecated name of `set_device_index`. */
export function set_device_idx(device: DeviceLike): void {
  warn('Use `set_device_index` instead.', 'FutureWarning');
  set_device_index(device);
}

/** `torch.accelerator.current_stream(device)`. */
export function current_stream(device?: AcceleratorDevice): Stream {
  const index = indexOf(device);
  needAccelerator();
  return currentStream(index);
}

/** `torch.accelerator.set_stream(stream)`: makes it, and its device, current. */
export function set_stream(stream: Stream): void {
  needAccelerator();
  setStream(stream);
}

/** `torch.accelerator.synchronize(device)`: waits for all that was given to the device. Nothing to do before its use. */
export function synchronize(device?: AcceleratorDevice): void {
  const index = indexOf(device);
  needAccelerator();
  if (createdBackends().length === 0) return;
  checkIndex(index);
  if (createdBackend(index) !== null) synchronizeDevice(index);
}

/**
 * `torch.accelerator.device_index(device)`: another current device inside a block (`using _ = …`) or while `fn` runs.
 * null or a negative index changes nothing.
 */
export function device_index(device: number | null): ContextGuard;
export function device_index<T>(device: number | null, fn: () => T): T;
export function device_index<T>(device: number | null, fn?: () => T): T | ContextGuard {
  return context(
    'torch.accelerator.device_index',
    () => {
      if (device === null || device === undefined) return () => {};
      if (!Number.isInteger(device)) {
        throw new TypeError(`device_index(): argument 'device' must be int or None, not ${typeName(device)}`);
      }
      needAccelerator();
      if (device < 0) return () => {};
      const before = currentDevice();
      setCurrentDevice(device);
      return () => setCurrentDevice(before);
    },
    fn,
  );
}

const CAPABILITY = {
  supported_dtypes: new Set([float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8, bool]),
};

/**
 * `torch.accelerator.get_device_capability(device)`: the dtypes that the device can hold and convert between. The same for
 * every device.
 */
export function get_device_capability(device?: AcceleratorDevice): { supported_dtypes: Set<DType> } {
  const index = indexOf(device);
  needAccelerator();
  checkIndex(index);
  return CAPABILITY;
}
