/** What the constructors of `torch.Stream` and `torch.Event` take. Errors are PyTorch's. */
import { Device, type DeviceLike, type DeviceType, internDevice, parseDevice } from '../core/device.ts';
import { RuntimeError } from '../core/errors.ts';
import { isOptions } from '../core/signature.ts';
import { checkIndex, currentDevice, deviceCount } from '../devices/registry.ts';
import { typeName } from '../tensor/type-name.ts';

/** PyTorch's numbers of device types. */
export const TYPE_NUMBERS: Readonly<Record<string, number>> = {
  cpu: 0,
  cuda: 1,
  xpu: 12,
  mps: 13,
  meta: 14,
  mtia: 19,
};
export const MTIA = TYPE_NUMBERS['mtia'];
export const NO_INDEX = -1;

export interface StreamIdentity {
  stream_id: number;
  device_index: number;
  device_type: number;
}

export interface StreamOptions {
  device?: DeviceLike | null;
  /** A negative one takes the stream from a pool of its own. Launches run in the order in which they were given anyway. */
  priority?: number;
}

export interface EventOptions {
  device?: DeviceLike | null;
  /** Whether `elapsed_time` can be asked. Recording such an event waits for the device. */
  enable_timing?: boolean;
  /** Accepted and without effect, as in PyTorch. */
  blocking?: boolean;
  /** Accepted and without effect, as in PyTorch. */
  interprocess?: boolean;
}

/** A device and options, or options alone, as one object. */
function gather(name: string, first: unknown, options: unknown, known: readonly string[]): Record<string, unknown> {
  if (options !== undefined && !isOptions(options)) {
    throw new TypeError(`${name}() takes from 0 to 1 positional arguments but 2 were given`);
  }
  const given: Record<string, unknown> = isOptions(first) ? { ...first, ...options } : { ...options, device: first };
  for (const key in given) {
    if (!known.includes(key)) throw new TypeError(`${name}() got an unexpected keyword argument '${key}'`);
  }
  return given;
}

/** The value of a keyword argument. @throws TypeError for another type */
function keyword<T>(name: string, given: Record<string, unknown>, key: string, wanted: 'bool' | 'int', or: T): T {
  const value = given[key];
  if (value === undefined || value === null) return or;
  const fits = wanted === 'bool' ? typeof value === 'boolean' : Number.isInteger(value);
  if (!fits) throw new TypeError(`${name}(): argument '${key}' must be ${wanted}, not ${typeName(value)}`);
  return value as T;
}

/** The device that is meant; none: the current accelerator, or the cpu. */
function deviceOf(name: string, device: unknown): Device {
  if (device === undefined || device === null) {
    return deviceCount() > 0 ? internDevice('mtia', currentDevice()) : internDevice('cpu', null);
  }
  const isDevice = typeof device === 'string' || Number.isInteger(device) || device instanceof Device;
  if (!isDevice) {
    throw new TypeError(`${name}(): argument 'device' (position 1) must be torch.device, not ${typeName(device)}`);
  }
  const found = parseDevice(device as DeviceLike);
  if (found.type === 'cpu') return internDevice('cpu', null);
  if (found.type !== 'mtia') throw new RuntimeError(`PyTorch is not linked with support for ${found.type} devices`);
  const index = found.index ?? currentDevice();
  checkIndex(index);
  return internDevice('mtia', index);
}

const IDENTITY = ['stream_id', 'device_index', 'device_type'];

/** `id` is null for a new stream. */
export function streamArguments(...args: readonly unknown[]): { device: Device; id: number | null; priority: number } {
  let [device, options] = args;
  if (args.length >= IDENTITY.length) {
    // By position: the numbers of a stream.
    device = Object.fromEntries(IDENTITY.map((key, at) => [key, args[at]]));
    options = args[IDENTITY.length];
  }
  const whole = isOptions(device) && IDENTITY.every((key) => key in device);
  const given = gather('Stream', device, options, whole ? [...IDENTITY, 'priority'] : ['device', 'priority']);
  const priority = keyword('Stream', given, 'priority', 'int', 0);
  if (!whole) return { device: deviceOf('Stream', given['device']), id: null, priority };
  const [id, index, number] = IDENTITY.map((key) => keyword('Stream', given, key, 'int', 0));
  const type = Object.keys(TYPE_NUMBERS).find((name) => TYPE_NUMBERS[name] === number);
  if (type === undefined) throw new RuntimeError(`Stream(): there is no device type ${number}`);
  return { device: deviceOf('Stream', internDevice(type as DeviceType, index < 0 ? null : index)), id, priority };
}

export function eventArguments(device: unknown, options: unknown): { type: 'cpu' | 'mtia'; timing: boolean } {
  const given = gather('Event', device, options, ['device', 'enable_timing', 'blocking', 'interprocess']);
  const timing = keyword('Event', given, 'enable_timing', 'bool', false);
  keyword('Event', given, 'blocking', 'bool', false);
  keyword('Event', given, 'interprocess', 'bool', false);
  return { type: deviceOf('Event', given['device']).type as 'cpu' | 'mtia', timing };
}
