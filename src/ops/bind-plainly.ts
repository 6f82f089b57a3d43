/**
 * Binding calls as they mostly are: values by position, each of the very type that its parameter has. Whatever is not
 * certain at the first look is left to `bind.ts`, which knows all forms and says what is wrong.
 */
import { Tensor } from '../tensor/tensor.ts';
import { BOOL, INT, INTS, NUMBER, OTHER, type Schema, TENSOR, TENSOR_OR_NUMBER } from './schema.ts';

/** The call does not fit this schema, however it is looked at. */
export const NEVER: unknown[] = [];

/** The values in the order of the parameters; null: look closer; `NEVER`. `args` begins with `this` of a method. */
export function bindPlainly(schema: Schema, args: readonly unknown[], asMethod: boolean): unknown[] | null {
  const { kinds, params, varargs } = schema;
  let given = args.length;
  if (given > kinds.length && !varargs) {
    const last = args[given - 1];
    return typeof last === 'number' || last instanceof Tensor ? NEVER : null;
  }
  const count = params.length;
  const values = new Array<unknown>(count);
  for (let i = 0; i < given; i++) {
    const value = args[i];
    if (value === null) {
      if (i >= kinds.length || !params[i].optional) return null;
      values[i] = null;
      continue;
    }
    switch (i < kinds.length ? kinds[i] : OTHER) {
      case TENSOR:
        if (!(value instanceof Tensor)) return typeof value === 'number' ? NEVER : null;
        break;
      case INT:
        if (!Number.isSafeInteger(value)) return null;
        break;
      case NUMBER:
        if (typeof value !== 'number') return null;
        break;
      case BOOL:
        if (typeof value !== 'boolean') return null;
        break;
      case TENSOR_OR_NUMBER:
        if (typeof value !== 'number' && !(value instanceof Tensor)) return null;
        break;
      case INTS:
        if (Array.isArray(value)) {
          if (!areInts(value, 0)) return null;
          break;
        }
        // Arguments of their own, where nothing but `this` comes before.
        if (!varargs || i !== kinds.length - 1 || i !== (asMethod ? 1 : 0) || !areInts(args, i)) return null;
        values[i] = args.slice(i);
        given = i;
        continue;
      default:
        return null;
    }
    values[i] = value;
  }
  for (let i = given; i < count; i++) {
    if (values[i] !== undefined) continue;
    if (!params[i].hasDefault) return NEVER;
    values[i] = params[i].default;
  }
  return values;
}

function areInts(list: readonly unknown[], from: number): boolean {
  for (let i = from; i < list.length; i++) if (!Number.isSafeInteger(list[i])) return false;
  return true;
}
