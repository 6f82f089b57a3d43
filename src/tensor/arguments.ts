/** Checks of arguments for what is no op and so has no schema. Errors are PyTorch's. */
import { DType } from '../core/dtype.ts';
import { Tensor } from './tensor.ts';
import { typeName } from './type-name.ts';

function mismatch(name: string, argument: string, position: number, wanted: string, value: unknown): TypeError {
  return new TypeError(
    `${name}(): argument '${argument}' (position ${position}) must be ${wanted}, not ${typeName(value)}`,
  );
}

/** @throws TypeError unless value is a tensor */
export function needTensor(value: unknown, name: string, argument = 'tensor', position = 1): asserts value is Tensor {
  if (!(value instanceof Tensor)) throw mismatch(name, argument, position, 'Tensor', value);
}

/** @throws TypeError unless value is a dtype */
export function needDType(value: unknown, name: string, argument: string, position = 1): asserts value is DType {
  if (!(value instanceof DType)) throw mismatch(name, argument, position, 'torch.dtype', value);
}

/** A number; bigints and booleans count. @throws TypeError for anything else */
export function needNumber(value: unknown, name: string, argument: string, position: number): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  throw mismatch(name, argument, position, 'float', value);
}
