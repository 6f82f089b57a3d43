/** Settings and questions that are no ops: devices, default dtype and device, dtype limits, random state, threads. */

import { mode } from '../autograd/mode.ts';
import { type ContextGuard, context } from '../core/context.ts';
import { defaultDevice, defaultDType, setDefaultDevice, setDefaultDType } from '../core/defaults.ts';
import { Device, type DeviceLike, internDevice, parseDevice } from '../core/device.ts';
import { DType, uint8 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { canCast, promoteTypes, resultType, resultTypeWithScalar, type Scalar } from '../core/promote.ts';
import { backendFor } from '../devices/registry.ts';
import { getNumThreads, setNumThreads } from '../devices/threads.ts';
import { generatorOf } from '../ops/generator.ts';
import { fromHost } from '../ops/host.ts';
import { needDType, needTensor } from '../tensor/arguments.ts';
import { FLAG_INFERENCE, Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { exponential } from './print-numbers.ts';

interface DeviceFactory {
  (type: DeviceLike, index?: number | null): Device;
  /** Runs fn with this as the default device, as Python's `with torch.device(…)`. */
  <T>(type: DeviceLike, fn: () => T): T;
  new (type: DeviceLike, index?: number | null): Device;
}

/** `torch.device('mtia')`, `torch.device('mtia', 0)`, `torch.device('mtia:0')`; works with and without `new`. */
export const device = function device<T>(type: DeviceLike, index?: number | null | (() => T)): Device | T {
  if (typeof index === 'function') return defaultDeviceContext(parseDevice(type), index) as T;
  return parseDevice(type, index);
} as unknown as DeviceFactory;
Object.defineProperty(device, Symbol.hasInstance, { value: (value: unknown) => value instanceof Device });

function defaultDeviceContext<T>(next: Device, fn?: () => T): T | ContextGuard {
  return context(
    'torch.device',
    () => {
      const before = defaultDevice();
      setDefaultDevice(next);
      return () => setDefaultDevice(before);
    },
    fn,
  ) as T | ContextGuard;
}

/** `torch.set_default_device(device)`: where factories make tensors unless told otherwise; null is the cpu. */
export function set_default_device(next: DeviceLike | null): void {
  setDefaultDevice(parseDevice(next ?? 'cpu'));
}

/** `torch.get_default_device()`. */
export function get_default_device(): Device {
  const now = defaultDevice();
  return now.index === null && now.type !== 'cpu' ? backendFor(now).device : now;
}

/** The default device inside a block: `using _ = torch.default_device('mtia')`, or with a function. */
export function defaultDeviceScope(next: DeviceLike): ContextGuard;
export function defaultDeviceScope<T>(next: DeviceLike, fn: () => T): T;
export function defaultDeviceScope<T>(next: DeviceLike, fn?: () => T): T | ContextGuard {
  return defaultDeviceContext(parseDevice(next), fn);
}

/** `torch.set_default_dtype(dtype)`: a floating point dtype. */
export function set_default_dtype(next: DType): void {
  if (!(next instanceof DType)) throw new TypeError(`invalid dtype object: ${typeName(next)}`);
  setDefaultDType(next);
}

/** `torch.is_tensor(x)`. */
export function is_tensor(value: unknown): value is Tensor {
  return value instanceof Tensor;
}

/** `torch.is_inference_mode_enabled()`. */
export function is_inference_mode_enabled(): boolean {
  return mode.inference;
}

/** `torch.promote_types(a, b)`. */
export function promote_types(a: DType, b: DType): DType {
  needDType(a, 'promote_types', 'type1');
  needDType(b, 'promote_types', 'type2', 2);
  return promoteTypes(a, b);
}

/** `torch.can_cast(from, to)`: whether an in-place op may put a result of dtype `from` into one of dtype `to`. */
export function can_cast(from: DType, to: DType): boolean {
  needDType(from, 'can_cast', 'from_');
  needDType(to, 'can_cast', 'to', 2);
  return canCast(from, to);
}

/** `torch.result_type(a, b)`: dtype that an arithmetic op over both has. */
export function result_type(a: Tensor | Scalar, b: Tensor | Scalar): DType {
  if (a instanceof Tensor) {
    return b instanceof Tensor
      ? resultType(a.dtype, a.sizes.length, b.dtype, b.sizes.length)
      : resultTypeWithScalar(a.dtype, b);
  }
  if (b instanceof Tensor) return resultTypeWithScalar(b.dtype, a);
  throw new TypeError('result_type(): at least one argument must be a Tensor');
}

/** `torch.finfo(dtype)`. */
export class FloatInfo {
  readonly bits: number;
  readonly eps: number;
  readonly max: number;
  readonly min: number;
  readonly tiny: number;
  readonly smallest_normal: number;
  readonly resolution: number;

  constructor(readonly dtype: DType) {
    needDType(dtype, 'finfo', 'type');
    const [bits, digits, exponent, resolution] = FLOATS[dtype.name];
    this.bits = bits;
    this.eps = 2 ** -digits;
    this.max = (2 - 2 ** -digits) * 2 ** exponent;
    this.min = -this.max;
    this.tiny = this.smallest_normal = 2 ** (1 - exponent);
    this.resolution = resolution;
  }

  toString(): string {
    return `finfo(resolution=${shortNumber(this.resolution)}, min=${shortNumber(this.min)}, max=${shortNumber(this.max)}, eps=${shortNumber(this.eps)}, smallest_normal=${shortNumber(this.tiny)}, tiny=${shortNumber(this.tiny)}, dtype=${this.dtype.name})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** C's `%g`: six digits. */
function shortNumber(x: number): string {
  const [digits, exponent] = exponential(x, 5).split('e');
  const power = Number(exponent);
  return power >= -4 && power < 6 ? String(Number(`${digits}e${power}`)) : `${Number(digits)}e${exponent}`;
}

const FLOATS: Readonly<Record<string, readonly [number, number, number, number]>> = {
  float64: [64, 52, 1023, 1e-15],
  float32: [32, 23, 127, 1e-6],
  float16: [16, 10, 15, 1e-3],
  bfloat16: [16, 7, 127, 1e-2],
};

/** Works with and without `new`, as PyTorch's `torch.finfo(torch.float32)`. */
export const finfo = function finfo(dtype: DType = defaultDType()): FloatInfo {
  needDType(dtype, 'finfo', 'type');
  if (!dtype.is_floating_point) {
    throw new TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'");
  }
  return new FloatInfo(dtype);
} as unknown as { (dtype?: DType): FloatInfo; new (dtype?: DType): FloatInfo };

/** `torch.iinfo(dtype)`. int64 limits are bigints. */
export class IntegerInfo {
  readonly bits: number;
  readonly max: number | bigint;
  readonly min: number | bigint;

  constructor(readonly dtype: DType) {
    needDType(dtype, 'iinfo', 'type');
    this.bits = dtype.itemsize * 8;
    if (dtype === uint8) {
      this.max = 255;
      this.min = 0;
    } else if (this.bits === 64) {
      this.max = 2n ** 63n - 1n;
      this.min = -(2n ** 63n);
    } else {
      this.max = 2 ** (this.bits - 1) - 1;
      this.min = -(2 ** (this.bits - 1));
    }
  }

  toString(): string {
    return `iinfo(min=${this.min}, max=${this.max}, dtype=${this.dtype.name})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** Works with and without `new`, as PyTorch's `torch.iinfo(torch.int32)`. */
export const iinfo = function iinfo(dtype: DType): IntegerInfo {
  needDType(dtype, 'iinfo', 'type');
  if (dtype.category !== 1) {
    throw new TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'");
  }
  return new IntegerInfo(dtype);
} as unknown as { (dtype: DType): IntegerInfo; new (dtype: DType): IntegerInfo };

const cpuGenerator = () => generatorOf(internDevice('cpu', null));

/** `torch.get_rng_state()`: the cpu generator's state, a uint8 tensor. */
export function get_rng_state(): Tensor {
  const bytes = cpuGenerator().saveState();
  return fromHost(backendFor(parseDevice('cpu')), [bytes.length], uint8, bytes);
}

/** `torch.set_rng_state(state)`. */
export function set_rng_state(state: Tensor): void {
  needTensor(state, 'set_state', 'state');
  cpuGenerator().loadState(state.toTypedArray() as Uint8Array);
}

/** `torch.initial_seed()`. */
export function initial_seed(): bigint {
  return cpuGenerator().initial_seed();
}

/**
 * `torch.set_num_threads(n)`: threads that a large operation is split over.
 * @throws RuntimeError unless n is a positive whole number
 */
export function set_num_threads(n: number): void {
  if (!Number.isInteger(n)) {
    throw new RuntimeError(`set_num_threads expects an int, but got ${typeof n === 'number' ? 'float' : typeof n}`);
  }
  setNumThreads(n);
}

/** `torch.get_num_threads()`. */
export function get_num_threads(): number {
  return getNumThreads();
}

const determinism = { enabled: false, warnOnly: false };

/**
 * `torch.use_deterministic_algorithms(mode)`. Every operation here gives the same result in every run anyway, so nothing
 * changes and nothing is refused.
 */
export function use_deterministic_algorithms(mode: boolean, { warn_only = false }: { warn_only?: boolean } = {}): void {
  if (typeof mode !== 'boolean') {
    throw new TypeError(`use_deterministic_algorithms(): argument 'mode' must be bool, not ${typeName(mode)}`);
  }
  determinism.enabled = mode;
  determinism.warnOnly = mode && warn_only;
}

/** `torch.are_deterministic_algorithms_enabled()`. */
export function are_deterministic_algorithms_enabled(): boolean {
  return determinism.enabled;
}

/** `torch.is_deterministic_algorithms_warn_only_enabled()`. */
export function is_deterministic_algorithms_warn_only_enabled(): boolean {
  return determinism.warnOnly;
}

/** Whether x was made under inference mode. */
export function is_inference(x: Tensor): boolean {
  needTensor(x, 'is_inference', 'input');
  return (x.flags & FLAG_INFERENCE) !== 0;
}
