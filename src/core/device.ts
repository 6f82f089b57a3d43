/**
 * `torch.device`: a device type with an optional index. Interned, so two equal devices are the same object and
 * comparing them is comparing pointers.
 */
import { RuntimeError } from './errors.ts';

export type DeviceType = 'cpu' | 'cuda' | 'mtia' | 'mps' | 'xpu' | 'meta';

const TYPES: readonly string[] = ['cpu', 'cuda', 'mtia', 'mps', 'xpu', 'meta'];

/** The types PyTorch's own error text lists; we print the same list. */
const KNOWN =
  'cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone';

export class Device {
  constructor(
    readonly type: DeviceType,
    /** null when none was given: "the current device of that type". */
    readonly index: number | null,
  ) {}

  toString(): string {
    return this.index === null ? this.type : `${this.type}:${this.index}`;
  }

  /** Python's `repr`. */
  repr(): string {
    const index = this.index === null ? '' : `, index=${this.index}`;
    return `device(type='${this.type}'${index})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.repr();
  }
}

const interned = new Map<string, Device>();

/** The one Device of this type and index. */
export function internDevice(type: DeviceType, index: number | null): Device {
  const key = index === null ? type : `${type}:${index}`;
  let found = interned.get(key);
  if (!found) interned.set(key, (found = new Device(type, index)));
  return found;
}

/** What is accepted where a device is expected. A bare number is an index of the current accelerator, as in PyTorch. */
export type DeviceLike = Device | string | number;

/**
 * Parses what PyTorch's `torch.device(…)` accepts.
 * @throws RuntimeError with PyTorch's text for malformed strings and unknown types.
 */
export function parseDevice(value: DeviceLike, index?: number | null): Device {
  if (value instanceof Device) return value;
  if (typeof value === 'number') return internDevice('mtia', checkIndex(value, String(value)));
  if (typeof value !== 'string') {
    throw new TypeError(
      `device(): argument 'type' must be torch.device, str or int, not ${value === undefined || value === null ? 'NoneType' : typeof value}`,
    );
  }
  if (value === '') throw new RuntimeError('Device string must not be empty');
  const colon = value.indexOf(':');
  const type = colon < 0 ? value : value.slice(0, colon);
  if (type === '' || !/^[a-z_]+$/.test(type)) throw new RuntimeError(`Invalid device string: '${value}'`);
  if (!TYPES.includes(type)) {
    throw new RuntimeError(`Expected one of ${KNOWN} device type at start of device string: ${type}`);
  }
  if (colon < 0) return internDevice(type as DeviceType, index === undefined || index === null ? null : given(index));
  const digits = value.slice(colon + 1);
  if (!/^(0|[1-9][0-9]*)$/.test(digits)) throw new RuntimeError(`Invalid device string: '${value}'`);
  if (index !== undefined && index !== null) {
    throw new RuntimeError(`type (string) must not include an index because index was passed explicitly: ${value}`);
  }
  return internDevice(type as DeviceType, checkIndex(Number(digits), value));
}

/** An index of its own, where anything may have been given. */
function given(index: unknown): number {
  if (typeof index === 'number' && Number.isInteger(index)) return checkIndex(index, String(index));
  const type =
    typeof index === 'string'
      ? 'str'
      : typeof index === 'boolean'
        ? 'bool'
        : typeof index === 'number'
          ? 'float'
          : typeof index;
  throw new TypeError(`device(): argument 'index' (position 2) must be int, not ${type}`);
}

function checkIndex(index: number, shown: string): number {
  if (!Number.isInteger(index) || index < 0) throw new RuntimeError(`Device index must not be negative: ${shown}`);
  return index;
}
