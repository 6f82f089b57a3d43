/** Values as Python prints them, for the texts of modules and optimizers. */
import { Device } from '../core/device.ts';
import { DType } from '../core/dtype.ts';
import { isOptions } from '../core/signature.ts';
import { Tensor } from '../tensor/tensor.ts';

/** `repr` of a number. A whole one is printed as an int: JavaScript has no other way to tell. */
export function pyNumber(x: number): string {
  // What was given in place of one.
  if (typeof x !== 'number') return pyRepr(x);
  if (Number.isInteger(x) && Math.abs(x) < 1e16) return Object.is(x, -0) ? '-0.0' : String(x);
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  const size = Math.abs(x);
  if (size >= 1e-4 && size < 1e16) return String(x);
  return x.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** `repr` of a number that Python has as a float also where it is whole: 1.0. */
export function pyFloat(x: number): string {
  const text = pyNumber(x);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** `repr` of a string. */
export function pyString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\n', '\\n') + quote;
}

/** `repr` of a list of integers as a tuple: `(4,)`, `(3, 4)`. */
export function pyTuple(values: readonly unknown[]): string {
  return values.length === 1 ? `(${pyRepr(values[0])},)` : `(${values.map(pyRepr).join(', ')})`;
}

/** `repr` of an option's value; arrays are tuples. */
export function pyRepr(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return pyNumber(value);
  if (typeof value === 'string') return pyString(value);
  if (Array.isArray(value)) return pyTuple(value);
  if (value instanceof Device) return value.repr();
  if (isOptions(value)) {
    return `{${Object.entries(value)
      .map(([key, v]) => `${pyString(key)}: ${pyRepr(v)}`)
      .join(', ')}}`;
  }
  return String(value);
}

/** `str` of an option's value. */
export function pyStr(value: unknown): string {
  return typeof value === 'string' ? value : pyRepr(value);
}

/** `[1, 2]` as Python prints a list. */
export function pyList(values: readonly unknown[]): string {
  return `[${values.map(pyRepr).join(', ')}]`;
}

/** The type's name in PyTorch's errors about things that should have been tensors, modules or dicts. */
export function pyTypeName(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  if (value instanceof Tensor) return tensorTypeName(value);
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (value instanceof DType) return 'torch.dtype';
  if (value instanceof Device) return 'torch.device';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'dict';
  if (value instanceof Set) return 'set';
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return 'dict';
  const name = (value as { constructor?: { name?: string } }).constructor?.name;
  return name === undefined || name === 'Function' ? 'function' : name;
}

/** `torch.FloatTensor`, `torch.mtia.FloatTensor`. */
export function tensorTypeName(x: Tensor): string {
  const { type } = x.storage.backend.device;
  return `torch.${type === 'cpu' ? '' : `${type}.`}${x.dtype.tensorTypeName}`;
}
