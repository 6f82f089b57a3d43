/** Which mtia device: `torch.mtia.set_device` and its kin, the context manager, synchronisation, properties. */
import { type ContextGuard, context } from '../core/context.ts';
import { Device, type DeviceLike, parseDevice } from '../core/device.ts';
import { ValueError } from '../core/errors.ts';
import {
  checkIndex,
  configuration,
  configure as configureDevices,
  createdBackends,
  currentDevice,
  deviceCount,
  type MtiaOptions,
  mtiaBackend,
  setCurrentDevice,
} from '../devices/registry.ts';

/** A device of type mtia, by object, name or number. */
export type MtiaDevice = DeviceLike | null | undefined;

/**
 * The index that is meant; none means the current device. Not checked against the devices that are there.
 * @throws ValueError for a device of another type
 */
export function indexOf(device: MtiaDevice): number {
  if (typeof device === 'number') return device;
  if (device === null || device === undefined) return currentDevice();
  const parsed = device instanceof Device ? device : parseDevice(device);
  if (parsed.type !== 'mtia') throw new ValueError(`Expected a mtia device, but got: ${parsed}`);
  return parsed.index ?? currentDevice();
}

/** `torch.mtia.is_available()`: whether there is a device. Asking does not use it, and never throws. */
export function is_available(): boolean {
  return device_count() > 0;
}

/** `torch.mtia.device_count()`. */
export function device_count(): number {
  return deviceCount();
}

/** `torch.mtia.is_initialized()`: whether a device has been used. */
export function is_initialized(): boolean {
  return createdBackends().length > 0;
}

/**
 * `torch.mtia.init()`: what the first use of a device does anyway.
 * @throws RuntimeError where there is no device
 */
export function init(): void {
  mtiaBackend();
}

/**
 * `torch.mtia.current_device()`: its index.
 * @throws RuntimeError where there is no device
 */
export function current_device(): number {
  checkIndex(currentDevice());
  return currentDevice();
}

/** `torch.mtia.set_device(device)`: what `'mtia'` means from now on. Does nothing for a negative index. */
export function set_device(device: DeviceLike): void {
  const index = indexOf(device);
  if (index >= 0) setCurrentDevice(index);
}

/**
 * `torch.mtia.device(device)`: another current device inside a block, `using _ = torch.mtia.device(1)`, or while `fn`
 * runs. null or a negative index changes nothing.
 */
export function device(device: DeviceLike | null): ContextGuard;
export function device<T>(device: DeviceLike | null, fn: () => T): T;
export function device<T>(device: DeviceLike | null, fn?: () => T): T | ContextGuard {
  const index = device === null ? -1 : indexOf(device);
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
 * `torch.mtia.synchronize(device)`: waits until everything given to the device has run.
 * @throws the first fault that a launch has met since the last time; RuntimeError where there is no such device
 */
export function synchronize(device?: MtiaDevice): void {
  mtiaBackend(indexOf(device)).synchronize();
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
