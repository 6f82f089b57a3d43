/** Questions and settings of autocast that PyTorch has beside `torch.autocast`. */
import type { DType } from '../core/dtype.ts';
import { warn } from '../core/warn.ts';
import { needDType } from '../tensor/arguments.ts';
import { typeName } from '../tensor/type-name.ts';
import './cast.ts';
import { autocast, changeDepth, clearCache, dtypeOf, isAvailable, isEnabled, setDType, setEnabled } from './state.ts';

function needString(value: unknown, name: string): asserts value is string {
  if (value === undefined) {
    throw new TypeError(`${name}() missing 1 required positional arguments: "device_type"`);
  }
  if (typeof value === 'string') return;
  throw new TypeError(`${name}(): argument 'device_type' (position 1) must be str, not ${typeName(value)}`);
}

/** `torch.amp.is_autocast_available(device_type)`: whether there is autocast for devices of this type. */
export function is_autocast_available(device_type: string): boolean {
  needString(device_type, '_is_autocast_available');
  return isAvailable(device_type);
}

/** `torch.get_autocast_dtype(device_type)`: what ops of lower precision run in under autocast; bfloat16 for cpu, float16 for mtia. */
export function get_autocast_dtype(device_type: string): DType {
  needString(device_type, 'get_autocast_dtype');
  return dtypeOf(device_type);
}

/** `torch.set_autocast_dtype(device_type, dtype)`. */
export function set_autocast_dtype(device_type: string, dtype: DType): void {
  needString(device_type, 'set_autocast_dtype');
  needDType(dtype, 'set_autocast_dtype', 'dtype', 2);
  setDType(device_type, dtype);
}

/** `torch.is_autocast_enabled(device_type)`: whether autocast is on here; without an argument, for cuda. */
export function is_autocast_enabled(device_type = 'cuda'): boolean {
  needString(device_type, 'is_autocast_enabled');
  return isEnabled(device_type);
}

/** `torch.set_autocast_enabled(device_type, enabled)`. Prefer `torch.autocast`, which restores what was before. */
export function set_autocast_enabled(device_type: string, enabled: boolean): void {
  needString(device_type, 'set_autocast_enabled');
  if (typeof enabled !== 'boolean') {
    throw new TypeError(
      `set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not ${typeName(enabled)}`,
    );
  }
  setEnabled(device_type, enabled);
}

/** `torch.is_autocast_cache_enabled()`: whether casts of parameters are kept. */
export function is_autocast_cache_enabled(): boolean {
  return autocast.caching;
}

/** `torch.set_autocast_cache_enabled(enabled)`. */
export function set_autocast_cache_enabled(enabled: boolean): void {
  if (typeof enabled !== 'boolean') throw new TypeError(`enabled must be a bool (got ${typeName(enabled)})`);
  autocast.caching = enabled;
}

/** `torch.clear_autocast_cache()`: lets go of the kept casts. */
export function clear_autocast_cache(): void {
  clearCache();
}

/** `torch.autocast_increment_nesting()`: one more region is open; returns how many. */
export function autocast_increment_nesting(): number {
  return changeDepth(1);
}

/** `torch.autocast_decrement_nesting()`: one less is. */
export function autocast_decrement_nesting(): number {
  return changeDepth(-1);
}

function deprecated(name: string, instead: string): void {
  warn(`torch.${name} is deprecated. Please use torch.${instead} instead.`, 'DeprecationWarning');
}

/** Deprecated: `torch.is_autocast_enabled('cpu')`. */
export function is_autocast_cpu_enabled(): boolean {
  deprecated('is_autocast_cpu_enabled()', "is_autocast_enabled('cpu')");
  return isEnabled('cpu');
}

/** Deprecated: `torch.set_autocast_enabled('cpu', enabled)`. */
export function set_autocast_cpu_enabled(enabled: boolean): void {
  deprecated('set_autocast_cpu_enabled(enabled)', "set_autocast_enabled('cpu', enabled)");
  set_autocast_enabled('cpu', enabled);
}

/** Deprecated: `torch.get_autocast_dtype('cpu')`. */
export function get_autocast_cpu_dtype(): DType {
  deprecated('get_autocast_cpu_dtype()', "get_autocast_dtype('cpu')");
  return dtypeOf('cpu');
}

/** Deprecated: `torch.set_autocast_dtype('cpu', dtype)`. */
export function set_autocast_cpu_dtype(dtype: DType): void {
  deprecated('set_autocast_cpu_dtype(dtype)', "set_autocast_dtype('cpu', dtype)");
  set_autocast_dtype('cpu', dtype);
}

/** Deprecated: `torch.get_autocast_dtype('cuda')`. */
export function get_autocast_gpu_dtype(): DType {
  deprecated('get_autocast_gpu_dtype()', "get_autocast_dtype('cuda')");
  return dtypeOf('cuda');
}

/** Deprecated: `torch.set_autocast_dtype('cuda', dtype)`. */
export function set_autocast_gpu_dtype(dtype: DType): void {
  deprecated('set_autocast_gpu_dtype(dtype)', "set_autocast_dtype('cuda', dtype)");
  set_autocast_dtype('cuda', dtype);
}
