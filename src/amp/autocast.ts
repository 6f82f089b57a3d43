/**
 * `torch.autocast`: regions in which operations run in the dtype that suits them.
 *
 *     const loss = torch.autocast('mtia', { dtype: torch.bfloat16 }, () => criterion(model(x), y));
 *     using _ = torch.autocast('mtia');                       // until the end of the block
 *     const forward = new torch.autocast('mtia')(model);      // a function that runs in such a region at every call
 */
import { type ContextGuard, context } from '../core/context.ts';
import { bfloat16, type DType, float16 } from '../core/dtype.ts';
import { RuntimeError, ValueError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';
import { warn } from '../core/warn.ts';
import { needDType } from '../tensor/arguments.ts';
import { typeName } from '../tensor/type-name.ts';
import './cast.ts';
import {
  autocast as state,
  changeDepth,
  clearCache,
  dtypeOf,
  isAvailable,
  isEnabled,
  setDType,
  setEnabled,
} from './state.ts';

export interface AutocastOptions {
  /** What the ops that can do with less precision run in: bfloat16 or float16. Default: `get_autocast_dtype(device_type)`. */
  dtype?: DType | null;
  /** false: an island without autocast within a region. Default: true. */
  enabled?: boolean;
  /** Whether casts of parameters are kept until the outermost region ends. Default: as around the region. */
  cache_enabled?: boolean | null;
}

/** What `new torch.autocast(…)` gives: call it with a function to get one that runs under autocast. */
export interface Autocast {
  <F extends (...args: never[]) => unknown>(fn: F): F;
  readonly device: string;
  readonly fast_dtype: DType;
  /** Enters the region: `using _ = amp.enter()`. */
  enter(): ContextGuard;
}

export interface AutocastFactory {
  <T>(device_type: string, fn: () => T): T;
  <T>(device_type: string, options: AutocastOptions, fn: () => T): T;
  (device_type: string, options?: AutocastOptions): ContextGuard;
  (device_type: string, dtype: DType | null, enabled?: boolean, cache_enabled?: boolean | null): ContextGuard;
  new (device_type: string, options?: AutocastOptions): Autocast;
  new (device_type: string, dtype: DType | null, enabled?: boolean, cache_enabled?: boolean | null): Autocast;
}

interface Settings {
  readonly device: string;
  readonly dtype: DType;
  readonly enabled: boolean;
  readonly caching: boolean;
}

const NAME = 'torch.autocast';
const SIGNATURE = Signature.of('autocast.__init__(self, device_type, dtype=None, enabled=True, cache_enabled=None)');
const SUPPORTED = [bfloat16, float16];

/** @throws ValueError unless the type of device is given by its name */
export function needDeviceType(device: unknown): asserts device is string {
  if (typeof device === 'string') return;
  throw new ValueError(`Expected \`device_type\` of type \`str\`, got: \`<class '${typeName(device)}'>\``);
}

function settingsOf(args: readonly unknown[]): Settings {
  const [device, given, enabled, caching] = SIGNATURE.bind(args) as [unknown, DType | null, unknown, boolean | null];
  needDeviceType(device);
  const dtype = given ?? dtypeOf(device);
  if (given !== null) needDType(given, 'autocast', 'dtype', 2);
  if (!isAvailable(device)) throw new RuntimeError(`User specified an unsupported autocast device_type '${device}'`);
  return {
    device,
    dtype,
    enabled: Boolean(enabled) && isSupported(device, dtype),
    caching: caching ?? state.caching,
  };
}

/** Warns where PyTorch does, and leaves autocast off. */
function isSupported(device: string, dtype: DType): boolean {
  if (device === 'cuda') {
    warn('CUDA is not available or torch_xla is imported. Disabling autocast.');
    return false;
  }
  if (SUPPORTED.includes(dtype)) return true;
  const name = device.toUpperCase();
  warn(
    `In ${name} autocast, but the target dtype is not supported. Disabling autocast.\n${name} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.`,
  );
  return false;
}

function enter({ device, dtype, enabled, caching }: Settings): () => void {
  const before = { enabled: isEnabled(device), dtype: dtypeOf(device), caching: state.caching };
  setEnabled(device, enabled);
  setDType(device, dtype);
  changeDepth(1);
  state.caching = caching;
  return () => {
    if (changeDepth(-1) === 0) clearCache();
    setEnabled(device, before.enabled);
    setDType(device, before.dtype);
    state.caching = before.caching;
  };
}

/** Runs a function in a region of its own. */
export function underAutocast<T>(device: string, enabled: boolean, dtype: DType | null, fn: () => T): T {
  const settings = settingsOf([device, { dtype, enabled }]);
  return context(NAME, () => enter(settings), fn);
}

function instance(settings: Settings): Autocast {
  const decorate = (fn: unknown) => {
    if (typeof fn !== 'function') {
      throw new TypeError(
        `autocast()(func) requires a callable, but got ${typeName(fn)}. Did you mean to use autocast as a context manager? For example:\n    using _ = torch.autocast('${settings.device}');`,
      );
    }
    return function (this: unknown, ...args: unknown[]): unknown {
      return context(
        NAME,
        () => enter(settings),
        () => Reflect.apply(fn, this, args) as unknown,
      );
    };
  };
  Object.setPrototypeOf(decorate, autocast.prototype);
  return Object.assign(decorate, {
    device: settings.device,
    fast_dtype: settings.dtype,
    enter: () => context(NAME, () => enter(settings)),
  }) as unknown as Autocast;
}

/**
 * `torch.autocast(device_type, { dtype, enabled, cache_enabled })`: until the guard that it returns is left, or while fn
 * runs, matrix products, convolutions and the like on that device take and give `dtype`, and ops that need the precision
 * float32: PyTorch's lists. `device_type` is 'cpu' or 'mtia'. Gradients have the dtypes of their tensors all the same.
 * With `new` it is not entered, but makes functions that run under autocast.
 */
export const autocast = function (...args: unknown[]): unknown {
  if (new.target) return instance(settingsOf(args));
  const last = args[args.length - 1];
  const fn = typeof last === 'function' ? (args.pop() as () => unknown) : null;
  const settings = settingsOf(args);
  return context(NAME, () => enter(settings), fn);
} as unknown as AutocastFactory & { prototype: object };
Object.setPrototypeOf(autocast.prototype, Function.prototype);
Object.defineProperty(autocast, 'name', { value: 'autocast' });
