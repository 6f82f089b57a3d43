/** Moving modules between devices and dtypes. Parameters stay the objects that optimizers know. */
import { type DeviceLike, parseDevice } from '../core/device.ts';
import { DType } from '../core/dtype.ts';
import { NotImplementedError } from '../core/errors.ts';
import { setGradient } from '../autograd/accumulate.ts';
import { no_grad } from '../autograd/mode.ts';
import { DISPOSED } from '../devices/storage.ts';
import { isOptions } from '../ops/bind.ts';
import { Tensor } from '../tensor/tensor.ts';
import { empty_like } from '../torch/factories.ts';
import { replaceData } from '../torch/members.ts';
import { clock } from '../memory/clock.ts';
import { NOWHERE } from '../memory/place.ts';
import { eachBuffer, eachParameter, modulesOf } from './members.ts';
import type { Module } from './module.ts';

interface Target {
  device: DeviceLike | null;
  dtype: DType | null;
  nonBlocking: boolean;
}

/** The arguments of `Module.to`. */
export function parseTarget(args: readonly unknown[]): Target {
  const target: Target = { device: null, dtype: null, nonBlocking: false };
  for (const arg of args) {
    if (arg === undefined || arg === null) continue;
    if (typeof arg === 'boolean') {
      target.nonBlocking = arg;
      continue;
    }
    if (arg instanceof DType) target.dtype = arg;
    else if (arg instanceof Tensor) {
      target.device = arg.storage.backend.device;
      target.dtype = arg.dtype;
    } else if (isOptions(arg)) {
      for (const key in arg) {
        if (key === 'device') target.device = (arg[key] ?? null) as DeviceLike | null;
        else if (key === 'dtype') target.dtype = (arg[key] ?? null) as DType | null;
        else if (key === 'non_blocking') target.nonBlocking = Boolean(arg[key]);
        else throw new TypeError(`Module.to() got an unexpected keyword argument '${key}'`);
      }
    } else target.device = parseDevice(arg as DeviceLike);
  }
  if (target.dtype !== null && !target.dtype.is_floating_point) {
    throw new TypeError(
      `nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=${target.dtype}`,
    );
  }
  return target;
}

interface Conversion {
  /** Contents are undefined afterwards. */
  withoutData?: boolean;
  /** Whether modules below are converted, too. Default: true. */
  recurse?: boolean;
  nonBlocking?: boolean;
  /** Whether the dtype is for all, and not only for those of floating dtype. */
  everything?: boolean;
}

/** Converts parameters, their gradients and buffers. */
export function convertModule(
  module: Module,
  device: DeviceLike | null,
  dtype: DType | null,
  { withoutData = false, recurse = true, nonBlocking = false, everything = false }: Conversion = {},
): void {
  const converted = (x: Tensor): Tensor => {
    const to = dtype !== null && (everything || x.dtype.is_floating_point) ? dtype : x.dtype;
    if (withoutData) return empty_like(x, { device });
    const there = device === null ? x.storage.backend.device : device;
    if (x.is_meta && parseDevice(there).type !== 'meta') {
      throw new NotImplementedError(
        'Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a different device.',
      );
    }
    return x.to(there, to, nonBlocking);
  };
  const outer = clock.place;
  const named = (path: string, name: string) => {
    clock.place = NOWHERE.child(path === '' ? name : `${path}.${name}`);
  };
  const convertAll = () => {
    for (const [path, at] of recurse ? modulesOf(module, '', true) : [['', module] as const]) {
      eachParameter(at, (name, parameter) => {
        named(path, name);
        replaceWith(parameter, converted);
      });
      eachBuffer(at, (name, buffer) => {
        named(path, name);
        const next = converted(buffer);
        if (next === buffer) return;
        nameTensor(next, buffer.storage.record.at.path);
        (at as unknown as Record<string, unknown>)[name] = next.keep();
      });
    }
  };
  try {
    no_grad(convertAll);
  } finally {
    clock.place = outer;
  }
}

/** Memory of a parameter or buffer goes by its path from now on, if it has no longer one. */
export function nameTensor(x: Tensor, path: string): void {
  if (x.storage === DISPOSED) return;
  const { record } = x.storage;
  if (path.length > record.at.path.length) record.at = NOWHERE.child(path);
}

function replaceWith(parameter: Tensor, converted: (x: Tensor) => Tensor): void {
  const grad = parameter.grad;
  const data = converted(parameter);
  if (data === parameter) return;
  nameTensor(data, parameter.storage.record.at.path);
  // The hold on a gradient's storage moves along with it.
  if (grad !== null) setGradient(parameter, null);
  replaceData(parameter, data);
  data.dispose();
  if (grad === null) return;
  const moved = converted(grad);
  if (moved !== grad) {
    replaceData(grad, moved);
    moved.dispose();
  }
  setGradient(parameter, grad);
}
