/** What Python calls the type of a JavaScript value, for error texts. */
import { Device } from '../core/device.ts';
import { DType } from '../core/dtype.ts';
import { isOptions } from '../core/signature.ts';
import { Tensor } from './tensor.ts';

/** Lists of tensors have a name of their own in errors about arguments. */
export function pythonTypeOf(value: unknown): string {
  if (Array.isArray(value) && value.length > 0 && value.every((v) => v instanceof Tensor)) return 'list of Tensors';
  return typeName(value);
}

const PYTHON_NAMES: Readonly<Record<string, string>> = {
  SliceValue: 'slice',
  Set: 'set',
  Map: 'dict',
  Size: 'torch.Size',
  Generator: 'torch.Generator',
};

/** Python's name of a value's type. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  if (value instanceof Tensor) return 'Tensor';
  switch (typeof value) {
    case 'number':
      // What is too large to be exact is no int.
      return Number.isSafeInteger(value) ? 'int' : 'float';
    case 'bigint':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'str';
    case 'function':
      return 'function';
    case 'symbol':
      return 'symbol';
  }
  if (value instanceof DType) return 'torch.dtype';
  if (value instanceof Device) return 'torch.device';
  if (Array.isArray(value)) return 'list';
  if (isOptions(value)) return 'dict';
  const { name = 'object' } = (value as { constructor?: { name?: string } }).constructor ?? {};
  return PYTHON_NAMES[name] ?? name;
}
