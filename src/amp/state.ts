/** The state of autocast: for which devices it is on, in which dtype, and the casts of parameters that are kept. */
import { parseDevice } from '../core/device.ts';
import { bfloat16, type DType, float16 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { DISPOSED } from '../devices/storage.ts';
import type { Op } from '../ops/registry.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Policies } from './policies.ts';

/** Bits of `autocast.active`. */
export const CPU = 1;
export const MTIA = 2;

/** Runs an op under autocast (`cast.ts`). */
export type RunCast = (op: Op, policies: Policies | null, index: number, values: unknown[]) => unknown;

/** Read at every call of an op; a plain object so that the check is one load. */
export const autocast: { active: number; caching: boolean; run: RunCast | null } = {
  /** Bits of the devices for which it is on, of those that there are. */
  active: 0,
  /** Whether casts of parameters are kept until the outermost region ends. */
  caching: true,
  /** null until it is loaded, which is before anybody can turn autocast on: the package's small entry point has none. */
  run: null,
};

/** The types of devices that PyTorch has autocast for, with their dtypes. */
const DTYPES: Readonly<Record<string, DType>> = {
  cpu: bfloat16,
  cuda: float16,
  mtia: float16,
  maia: float16,
  xpu: float16,
  ipu: float16,
  hpu: bfloat16,
  xla: bfloat16,
  privateuseone: float16,
  mps: float16,
};

interface DeviceState {
  enabled: boolean;
  dtype: DType;
}

const states: Readonly<Record<string, DeviceState>> = Object.fromEntries(
  Object.entries(DTYPES).map(([type, dtype]) => [type, { enabled: false, dtype }]),
);
const cpuState = states.cpu;
const mtiaState = states.mtia;

/** `mtia:0` counts as `mtia`. @throws RuntimeError for what is no device type */
function typeOf(device: string): string {
  const type = device.split(':')[0];
  return type in DTYPES ? type : parseDevice(device).type;
}

/** Whether PyTorch has autocast for this type of device. @throws RuntimeError for what is no device type */
export function isAvailable(device: string): boolean {
  return typeOf(device) in DTYPES;
}

function stateOf(device: string, refusal: string): DeviceState {
  const state = states[typeOf(device)];
  if (state === undefined) throw new RuntimeError(refusal);
  return state;
}

/** @throws RuntimeError for a device without autocast */
export function dtypeOf(device: string): DType {
  return stateOf(device, 'unsupported scalarType').dtype;
}

export function setDType(device: string, dtype: DType): void {
  stateOf(device, 'unsupported scalarType').dtype = dtype;
}

const UNKNOWN = 'unknown device type for autocast in get_autocast_dispatch_key_from_device_type';

export function isEnabled(device: string): boolean {
  return stateOf(device, UNKNOWN).enabled;
}

export function setEnabled(device: string, enabled: boolean): void {
  stateOf(device, UNKNOWN).enabled = enabled;
  autocast.active = (cpuState.enabled ? CPU : 0) | (mtiaState.enabled ? MTIA : 0);
}

/** The dtype of autocast on cpu or mtia. */
export function lowerDType(mtia: boolean): DType {
  return mtia ? mtiaState.dtype : cpuState.dtype;
}

let depth = 0;

/** How many regions are open, from now on. */
export function changeDepth(by: 1 | -1): number {
  depth += by;
  return depth;
}

/** Casts of parameters to the lower precision, kept so that a parameter used several times is cast once. */
const casts = new Map<Tensor, Tensor>();

export function cachedCast(parameter: Tensor): Tensor | undefined {
  const found = casts.get(parameter);
  return found !== undefined && found.storage === DISPOSED ? undefined : found;
}

/** The framework holds a kept cast until the cache is cleared. */
export function keepCast(parameter: Tensor, cast: Tensor): void {
  casts.set(parameter, cast);
  cast.storage.hold();
}

/** `torch.clear_autocast_cache()`: what no graph has saved is freed here, as when a reference count ends. */
export function clearCache(): void {
  for (const cast of casts.values()) {
    if (cast.storage === DISPOSED) continue;
    cast.storage.unhold();
    const { handles, holds, saves } = cast.storage.record;
    if (handles === 1 && holds === 0 && saves === 0) cast.drop();
  }
  casts.clear();
}
