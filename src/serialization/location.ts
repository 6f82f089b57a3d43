/** Where loaded storages go: PyTorch's location tags and `map_location`. */
import { Device, internDevice, parseDevice } from '../core/device.ts';
import { RuntimeError } from '../core/errors.ts';
import { deviceCount, withIndex } from '../devices/registry.ts';
import { typeName } from '../tensor/type-name.ts';

/** A storage as `map_location` sees it: its bytes are not there yet. What it returns says where they go. */
export class StorageLocation {
  constructor(
    readonly nbytes: number,
    readonly device: Device,
  ) {}

  /** On another device. */
  to(device: Device | string): StorageLocation {
    return new StorageLocation(
      this.nbytes,
      availableDevice(String(device instanceof Device ? device : parseDevice(device))),
    );
  }

  cpu(): StorageLocation {
    return new StorageLocation(this.nbytes, internDevice('cpu', null));
  }

  mtia(index: number | null = null): StorageLocation {
    return this.to(index === null ? 'mtia' : `mtia:${index}`);
  }
}

/**
 * Where storages go: a device for all, devices by the tags in the file (`{ 'cuda:0': 'mtia:0' }`), or a function of a storage and its tag
 * that returns where it goes, or null for where it says.
 */
export type MapLocation =
  | Device
  | string
  | Readonly<Record<string, string | Device>>
  | ReadonlyMap<string, string | Device>
  | ((storage: StorageLocation, location: string) => StorageLocation | null | undefined);

const CPU = internDevice('cpu', null);
const UNSUPPORTED = ['cuda', 'hpu', 'xpu'];

/** The device of a tag. @throws RuntimeError with PyTorch's text if it is not here */
function availableDevice(location: string): Device {
  if (location === 'cpu') return CPU;
  if (location === 'meta') return internDevice('meta', null);
  if (location.startsWith('mps')) throw new RuntimeError('torch.UntypedStorage(): Storage device not recognized: mps');
  const backend = [...UNSUPPORTED, 'mtia'].find(
    (name) => location === name || new RegExp(`^${name}(:|[0-9]+)`).test(location),
  );
  if (backend === undefined) {
    throw new RuntimeError(
      `don't know how to restore data location of torch.storage.UntypedStorage (tagged with ${location})`,
    );
  }
  const count = backend === 'mtia' ? deviceCount() : 0;
  if (count === 0) {
    throw new RuntimeError(
      `Attempting to deserialize object on a ${backend.toUpperCase()} device but torch.${backend}.is_available() is False. If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU.`,
    );
  }
  const device = withIndex(parseDevice(location));
  if (device.index! >= count) {
    throw new RuntimeError(
      `Attempting to deserialize object on ${backend.toUpperCase()} device ${device.index} but torch.${backend}.device_count() is ${count}. Please use torch.load with map_location to map your storages to an existing device.`,
    );
  }
  return device;
}

/** The device for a storage, by its tag. */
export type Restore = (nbytes: number, location: string) => Device;

/** @throws TypeError for what is no map_location */
export function restoreTo(mapLocation: unknown): Restore {
  if (mapLocation === null || mapLocation === undefined) return (_, location) => availableDevice(location);
  if (typeof mapLocation === 'string' || mapLocation instanceof Device) {
    const text = String(mapLocation);
    return () => availableDevice(text);
  }
  if (typeof mapLocation === 'function') {
    return (nbytes, location) => {
      const result: unknown = mapLocation(new StorageLocation(nbytes, CPU), location);
      if (result === null || result === undefined) return availableDevice(location);
      if (result instanceof StorageLocation) return result.device;
      throw new TypeError(`map_location must return a storage or null, not ${typeName(result)}`);
    };
  }
  if (typeof mapLocation !== 'object') throw new TypeError(`'${typeName(mapLocation)}' object is not callable`);
  const map = mapLocation instanceof Map ? mapLocation : new Map(Object.entries(mapLocation));
  return (_, location) => availableDevice(String(map.get(location) ?? location));
}
