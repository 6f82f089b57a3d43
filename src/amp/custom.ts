/** `torch.amp.custom_fwd` and `custom_bwd`: autograd Functions under autocast. */
import type { DType } from '../core/dtype.ts';
import { FLOAT_CATEGORY, float64 } from '../core/dtype.ts';
import { isOptions, missingText } from '../core/signature.ts';
import { Tensor } from '../tensor/tensor.ts';
import { needDeviceType, underAutocast } from './autocast.ts';
import { dtypeOf, isEnabled } from './state.ts';

export interface CustomForwardOptions {
  /** 'cpu' or 'mtia'. */
  device_type: string;
  /** Under autocast the function gets its floating-point tensors in this dtype, and runs without autocast. */
  cast_inputs?: DType | null;
}

type AnyFunction = (...args: never[]) => unknown;

/** What forward leaves in the context for backward. */
interface Context {
  _dtype?: DType;
  _fwd_used_autocast?: boolean;
}

/** The function, if it is given first, and the options. */
function take(name: string, args: readonly unknown[], allowed: readonly string[]) {
  const fn = typeof args[0] === 'function' ? (args[0] as AnyFunction) : null;
  const options = (args.find(isOptions) ?? {}) as Partial<CustomForwardOptions>;
  for (const key in options) {
    if (!allowed.includes(key)) throw new TypeError(`${name}() got an unexpected keyword argument '${key}'`);
  }
  if (options.device_type === undefined) {
    throw new TypeError(missingText(name, ["'device_type'"]).replace('positional', 'keyword-only'));
  }
  needDeviceType(options.device_type);
  return { fn, device: options.device_type, cast: options.cast_inputs ?? null };
}

/**
 * Decorates the forward of an autograd Function: `static forward = custom_fwd((ctx, x) => …, { device_type: 'mtia' })`.
 * Without the function it gives the decorator.
 */
export function custom_fwd<F extends AnyFunction>(forward: F, options: CustomForwardOptions): F;
export function custom_fwd(options: CustomForwardOptions): <F extends AnyFunction>(forward: F) => F;
export function custom_fwd(...args: unknown[]): unknown {
  const { fn, device, cast } = take('custom_fwd', args, ['device_type', 'cast_inputs']);
  const decorate = (forward: AnyFunction) =>
    function (this: unknown, ctx: Context, ...inputs: unknown[]): unknown {
      ctx._dtype = dtypeOf(device);
      const on = isEnabled(device);
      ctx._fwd_used_autocast = on && cast === null;
      if (!on || cast === null) return Reflect.apply(forward, this, [ctx, ...inputs]);
      const casted = inputs.map((input) => castValue(input, device, cast));
      return underAutocast(device, false, null, () => Reflect.apply(forward, this, [ctx, ...casted]));
    };
  return fn === null ? decorate : decorate(fn);
}

/** Decorates the backward of an autograd Function: it runs under autocast where forward did. */
export function custom_bwd<F extends AnyFunction>(backward: F, options: { device_type: string }): F;
export function custom_bwd(options: { device_type: string }): <F extends AnyFunction>(backward: F) => F;
export function custom_bwd(...args: unknown[]): unknown {
  const { fn, device } = take('custom_bwd', args, ['device_type']);
  const decorate = (backward: AnyFunction) =>
    function (this: unknown, ctx: Context, ...grads: unknown[]): unknown {
      return underAutocast(device, ctx._fwd_used_autocast ?? false, ctx._dtype ?? null, () =>
        Reflect.apply(backward, this, [ctx, ...grads]),
      );
    };
  return fn === null ? decorate : decorate(fn);
}

/** Floating-point tensors of the device (float64 ones excepted) in the dtype, in arrays and mappings too. */
function castValue(value: unknown, device: string, dtype: DType): unknown {
  if (value instanceof Tensor) {
    const eligible = value.dtype.category === FLOAT_CATEGORY && value.dtype !== float64 && value.device.type === device;
    return eligible ? value.to(dtype) : value;
  }
  if (Array.isArray(value)) return value.map((x) => castValue(x, device, dtype));
  if (isOptions(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, x]) => [key, castValue(x, device, dtype)]));
  }
  return value;
}
