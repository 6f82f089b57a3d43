/** Which mtia device: `torch.mtia.set_device` and its kin, the context manager, synchronisation, properties. */
import { synchronizeDevice } from '../accelerator/stream.ts';
import { type ContextGuard, context } from '../core/context.ts';
import { Device, type DeviceLike, parseDevice } from '../core/device.ts';
import { ValueError } from '../core/errors.ts';
import { isOptions } from '../core/signature.ts';
import {
  checkIndex,
  configuration,
  configure as configureDevices,
  currentDevice,
  deviceCount,
  type MtiaOptions,
  setCurrentDevice,
} from '../devices/registry.ts';
import { typeName } from '../tensor/type-name.ts';

export { init, is_initialized } from './lazy.ts';

/** A device of type mtia, by object, name or number, or as `{ device }`. */
export type MtiaDevice = DeviceLike | { device?: DeviceLike | null } | null | undefined;

/**
 * The index that is meant; none means the current device. Not checked against the devices that are there.
 * @throws ValueError for a device of another type
 */
export function indexOf(device: MtiaDevice): number {
  return givenIndex(device) ?? currentDevice();
}

/** As `indexOf`, where a device without an index is not enough. */
function exactIndexOf(device: MtiaDevice): number {
  const index = givenIndex(device);
  if (index !== null) return index;
  const meant = isOptions(device) ? named(device) : device;
  const shown = meant === null || meant === undefined ? 'None' : meant;
  throw new ValueError(`Expected a torch.device with a specified index or an integer, but got: ${shown}`);
}

function givenIndex(argument: MtiaDevice): number | null {
  const device = isOptions(argument) ? named(argument) : (argument as DeviceLike | null | undefined);
  if (device === null || device === undefined) return null;
  if (typeof device === 'number') return Number.isInteger(device) ? device : noIndex(device);
  if (typeof device !== 'string' && !(device instanceof Device)) return noIndex(device);
  const parsed = parseDevice(device);
  if (parsed.type === 'cpu') throw new ValueError(`Expected a non cpu device, but got: ${parsed}`);
  if (parsed.type !== 'mtia') throw new ValueError(`Expected a mtia or cpu device, but got: ${parsed}`);
  return parsed.index;
}

/** The device of an options object. @throws TypeError for other names */
function named(options: { readonly [name: string]: unknown }): DeviceLike | null | undefined {
  for (const name in options) {
    if (name !== 'device') throw new TypeError(`got an unexpected keyword argument '${name}'`);
  }
  return options['device'] as DeviceLike | null | undefined;
}

/** For what is no device, and a number that is no index. */
function noIndex(device: unknown): never {
  throw new ValueError(
    `Expected a torch.device with a specified index or an integer, but got: ${typeof device === 'object' ? typeName(device) : String(device)}`,
  );
}

/** `torch.mtia.is_available()`: whether there is a device. Asking does not use it, and never throws. */
export function is_available(): boolean {
  return device_count() > 0;
}

/** `torch.mtia.device_count()`. */
export function device_count(): number {
  return deviceCount();
}

/**
 * `torch.mtia.current_device()`: its index.
 * @throws RuntimeError where there is no device
 */
export function current_device(): number {
  checkIndex(currentDevice());
  return currentDevice();
}

/**
 * `torch.mtia.set_device(device)`: what `'mtia'` means from now on. Does nothing for a negative index.
 * @throws ValueError for another type of device, or none with an index; RuntimeError if there is no such device
 */
export function set_device(device: DeviceLike | { device: DeviceLike }): void {
  const index = exactIndexOf(device);
  if (index >= 0) setCurrentDevice(index);
}

/**
 * `torch.mtia.device(device)`: another current device inside a block, `using _ = torch.mtia.device(1)`, or while `fn`
 * runs. null or a negative index changes nothing.
 */
export function device(device: DeviceLike | null): ContextGuard;
export function device<T>(device: DeviceLike | null, fn: () => T): T;
export function device<T>(device: DeviceLike | null, fn?: () => T): T | ContextGuard {
  const index = device === null || device === undefined ? -1 : indexOf(device);
  return context(
    'torch.mtia.device',
    () => {
      const before = currentDevice();
      if (index < 0) return () => {};
      setCurrentDevice(index);
      return () => setCurrentDevice(before);
    },
    fn,
  );
}

/**
 * `torch.mtia._exchange_device(index)`: makes another device current; the index of the one before. A negative index changes
 * nothing and gives -1.
 */
export function _exchange_device(device: number): number {
  if (!Number.isInteger(device)) {
    throw new TypeError(`_exchange_device(): argument 'device' (position 1) must be int, not ${typeName(device)}`);
  }
  if (device < 0) return -1;
  const before = currentDevice();
  setCurrentDevice(device);
  return before;
}

/** `torch.mtia._maybe_exchange_device(index)`: the same here, where making a device current is no use of it. */
export const _maybe_exchange_device: typeof _exchange_device = _exchange_device;

/**
 * `torch.mtia.synchronize(device)`: waits until everything given to the device has run.
 * @throws the first fault that a launch has met since the last time; RuntimeError where there is no such device
 */
export function synchronize(device?: MtiaDevice): void {
  const index = indexOf(device);
  // As in PyTorch, where it is the context manager that takes the device.
  synchronizeDevice(index < 0 ? currentDevice() : index);
}

/** `torch.mtia.is_bf16_supported()`. */
export function is_bf16_supported(including_emulation = true): boolean {
  void including_emulation;
  return true;
}

/** What `torch.mtia.get_device_properties` tells. */
export interface MtiaDeviceProperties {
  /** The chip as people write it. */
  readonly name: string;
  /** Bytes. */
  readonly total_memory: number;
  /** Generation of the chip; see `get_device_capability`. */
  readonly major: number;
  readonly minor: number;
}

/** `torch.mtia.get_device_properties(device)`. */
export function get_device_properties(device?: MtiaDevice): MtiaDeviceProperties {
  checkIndex(indexOf(device));
  const { chip, memory } = configuration();
  const [major, minor] = chip.capability;
  return { name: chip.title, total_memory: memory, major, minor };
}

/** `torch.mtia.get_device_capability(device)`: the chip's generation, `[major, minor]`. */
export function get_device_capability(device?: MtiaDevice): [number, number] {
  const { major, minor } = get_device_properties(device);
  return [major, minor];
}

/** `torch.mtia.get_device_name(device)`. */
export function get_device_name(device?: MtiaDevice): string {
  return get_device_properties(device).name;
}

/**
 * Sets up the virtual mtia: number of devices, chip, memory, where launches run. Before the first use, or again whenever
 * nothing on a device is alive. What is left out stays as it is. Not in PyTorch.
 * @throws ValueError for values that make no sense; RuntimeError that lists what is alive
 */
export function configure(options: MtiaOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`configure(): expected an object such as { devices: 2 }, not ${options}`);
  }
  for (const key in options) {
    if (!OPTIONS.includes(key)) throw new TypeError(`configure() got an unexpected keyword argument '${key}'`);
  }
  configureDevices(options);
}
const OPTIONS = ['devices', 'chip', 'memory', 'executor', 'threads'];
