/**
 * Binding a call's arguments to a schema: positions, options object, defaults, type checks, and PyTorch's TypeErrors
 * where something does not fit.
 */

import { Device } from '../core/device.ts';
import { DType, INT_CATEGORY } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { isOptions } from '../core/signature.ts';
import { requiresGrad, Tensor } from '../tensor/tensor.ts';
import { pythonTypeOf, typeName } from '../tensor/type-name.ts';
import { bindPlainly, NEVER } from './bind-plainly.ts';
import { Generator } from './generator.ts';
import { type Param, pythonTypeName, type Schema, showSignature } from './schema.ts';

export { isOptions, pythonTypeOf };

function fitsOne(param: Param, value: unknown): boolean {
  switch (param.type) {
    case 'Tensor':
      return value instanceof Tensor;
    case 'Tensor|Scalar':
      return value instanceof Tensor || isScalar(value);
    case 'Scalar':
      return isScalar(value) || (value instanceof Tensor && value.length === 1 && value.sizes.length === 0);
    case 'int':
      return Number.isSafeInteger(value) || typeof value === 'bigint' || isIndex(value);
    case 'ints':
      return Array.isArray(value) && value.every((v) => Number.isSafeInteger(v) || typeof v === 'bigint');
    case 'float':
      return isScalar(value);
    case 'bool':
      return typeof value === 'boolean';
    case 'str':
      return typeof value === 'string';
    case 'dtype':
      return value instanceof DType;
    case 'device':
      return value instanceof Device || typeof value === 'string' || typeof value === 'number';
    case 'Generator':
      return value instanceof Generator;
    case 'Operand':
      return (
        value instanceof Tensor ||
        (Array.isArray(value) && value.every((v) => v === '...' || Number.isInteger(v) || typeof v === 'bigint'))
      );
    default:
      return true;
  }
}

/** A 0-dim integer tensor may stand for an int, as Python's `__index__` lets it. */
function isIndex(value: unknown): value is Tensor {
  return (
    value instanceof Tensor && value.sizes.length === 0 && value.dtype.category === INT_CATEGORY && !requiresGrad(value)
  );
}

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
}

function fits(param: Param, value: unknown): boolean {
  if (value === null || value === undefined) return param.optional;
  if (param.list !== null || param.varargs) {
    if (Array.isArray(value)) {
      // Not `every`, which passes over holes.
      for (let i = 0; i < value.length; i++) if (!fitsOne(param, value[i])) return false;
      return true;
    }
    return param.list === 'single' && fitsOne(param, value);
  }
  return fitsOne(param, value);
}

function asNumber(value: unknown): number {
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) {
    throw new RuntimeError('Overflow when unpacking long long');
  }
  return Number(value instanceof Tensor ? value.item() : value);
}

/** One value in the form that implementations get: ints as numbers, single values of lists as arrays. */
function normalise(param: Param, value: unknown): unknown {
  if (value === undefined) return param.hasDefault ? param.default : null;
  if (param.type === 'int' || param.type === 'float') {
    if (typeof value !== 'number' && !Array.isArray(value)) value = value === null ? null : asNumber(value);
    else if (Array.isArray(value) && value.some((v) => typeof v !== 'number')) value = value.map(asNumber);
  }
  if (param.list === 'single' && value !== null && !Array.isArray(value)) return [value];
  return value;
}

/** What NumPy calls parameters, which PyTorch takes, too. */
const NUMPY_NAMES: Readonly<Record<string, string>> = {
  axis: 'dim',
  keepdims: 'keepdim',
  x: 'input',
  a: 'input',
  x1: 'input',
  x2: 'other',
};

/** Why a call does not fit a schema. */
interface Mismatch {
  message: string;
  /** The option that the schema does not have, if that is why. */
  unknownKey?: string;
}

/**
 * Tries one schema. `self` (if given) is the first parameter. Returns the values in order, or why they don't fit.
 */
export function tryBind(schema: Schema, args: readonly unknown[], asMethod: boolean): unknown[] | Mismatch {
  const params = schema.params;
  const count = params.length;
  let positional = args.length;
  let options: Record<string, unknown> | null = null;
  if (positional > 0 && isOptions(args[positional - 1])) {
    const index = Math.min(positional - 1, count - 1);
    // The last parameter may itself take a mapping or any data.
    if (index < 0 || params[index].type !== 'Data' || positional - 1 > index) {
      options = args[positional - 1] as Record<string, unknown>;
      positional--;
    }
  }
  const values = new Array<unknown>(count);
  const last = schema.positional - 1;
  // Sizes and dims may be arguments of their own only where nothing but `this` comes before them, as in PyTorch.
  const spread = last >= 0 && params[last].varargs && (params[last].type !== 'int' || last === (asMethod ? 1 : 0));
  const first = spread ? last : -1;
  let given = positional;
  if (first >= 0 && positional > first && !Array.isArray(args[first])) {
    // Varargs: everything from here on is one list.
    values[first] = args.slice(first, positional);
    given = first;
  } else if (positional > schema.positional) {
    return { message: tooMany(schema, positional, asMethod) };
  }
  for (let i = 0; i < given; i++) values[i] = args[i];
  // Said only when nothing is wrong with the arguments that have their place.
  let wrongKey: Mismatch | null = null;
  if (options !== null) {
    for (const key in options) {
      if (options[key] === undefined) continue;
      const named = (name: string) =>
        params.findIndex((p) => (p.name === 'self' ? !asMethod && name === 'input' : p.name === name));
      let index = named(key);
      if (index < 0 && key in NUMPY_NAMES) index = named(NUMPY_NAMES[key]);
      if (index < 0) {
        if (asMethod && count === 1) {
          return { message: `TensorBase.${schema.name}() takes no keyword arguments`, unknownKey: key };
        }
        wrongKey ??= { message: `${schema.name}() got an unexpected keyword argument '${key}'`, unknownKey: key };
      } else if (values[index] !== undefined) {
        wrongKey ??= { message: `${schema.name}() got multiple values for argument '${key}'` };
      } else values[index] = options[key];
    }
  }
  let missing: string[] | null = null;
  for (let i = 0; i < count; i++) {
    const param = params[i];
    const value = values[i];
    if (value === undefined) {
      if (!param.hasDefault) {
        (missing ??= []).push(`"${shownName(param)}"`);
      } else values[i] = param.default;
      continue;
    }
    if (value === null && param.hasDefault && param.default === null) continue;
    if (!fits(param, value)) {
      const byKey = param.keywordOnly || (i >= given && i !== first);
      return {
        message: mismatch(schema, param, byKey ? null : asMethod ? i : i + 1, value, i === first && i >= given),
        unknownKey: wrongKey?.unknownKey,
      };
    }
    values[i] = normalise(param, value);
  }
  if (missing !== null) {
    // The plural is PyTorch's.
    const few = missing.length === 1 ? 'arguments' : 'argument';
    return {
      message: `${schema.name}() missing ${missing.length} required positional ${few}: ${missing.join(', ')}`,
      unknownKey: wrongKey?.unknownKey,
    };
  }
  return wrongKey ?? values;
}

/** Functions call the first tensor `input`, as PyTorch does. */
function shownName(param: Param): string {
  return param.name === 'self' ? 'input' : param.name;
}

/** What PyTorch says of a call with too many arguments by position. A method's own tensor does not count. */
function tooMany(schema: Schema, given: number, asMethod: boolean): string {
  const own = asMethod ? 1 : 0;
  if (asMethod && schema.params.length === 1) {
    return `TensorBase.${schema.name}() takes no arguments (${given - own} given)`;
  }
  const most = schema.positional - own;
  const least = schema.params.filter((p, i) => i < schema.positional && !p.hasDefault).length - own;
  const takes = least === most ? String(most) : `from ${least} to ${most}`;
  const were = given - own === 1 ? 'was' : 'were';
  return `${schema.name}() takes ${takes} positional argument${most === 1 && least === most ? '' : 's'} but ${given - own} ${were} given`;
}

/**
 * @param position counts from 1, without the tensor that a method is called on; null: given by keyword
 * @param varargs whether the list was given as arguments of their own
 */
function mismatch(schema: Schema, param: Param, position: number | null, value: unknown, varargs: boolean): string {
  const where = `${schema.name}(): argument '${shownName(param)}'${position === null ? '' : ` (position ${position})`}`;
  if ((param.list !== null || param.varargs) && Array.isArray(value)) {
    const at = value.findIndex((v) => !fitsOne(param, v));
    const got = typeName(value[at]);
    if (param.type === 'Tensor') {
      return `expected Tensor as element ${at} in argument ${(position ?? 1) - 1}, but got ${got}`;
    }
    const wanted = `tuple of ${pythonTypeName({ ...param, list: null, varargs: false })}s`;
    if (at === 0 && varargs) return `${where} must be ${wanted}, not ${got}`;
    if (at === 0) return `${where} must be ${wanted}, but found element of type ${got} at pos 0`;
    return `${schema.name}(): argument '${shownName(param)}' failed to unpack the object at pos ${at + 1} with error "type must be ${wanted},but got ${got}"`;
  }
  return `${where} must be ${pythonTypeName(param)}, not ${typeName(value)}`;
}

/** Whether calls are looked at plainly first. For tests. */
export const bindTuning = { plainly: true };

/** Number of the schema that `bind` has bound its last call to. */
export let bound = 0;

/**
 * Binds a call to the first schema that fits, whose number is `bound` then.
 * @throws TypeError with PyTorch's text.
 */
export function bind(schemas: readonly Schema[], args: readonly unknown[], asMethod: boolean): unknown[] {
  for (let i = 0; i < schemas.length; i++) {
    const plainly = bindTuning.plainly ? bindPlainly(schemas[i], args, asMethod) : null;
    if (plainly === NEVER) continue;
    const values = plainly ?? tryBind(schemas[i], args, asMethod);
    if (!Array.isArray(values)) continue;
    bound = i;
    return values;
  }
  throw unbound(schemas, args, asMethod);
}

function unbound(schemas: readonly Schema[], args: readonly unknown[], asMethod: boolean): TypeError {
  let failure: string | null = null;
  let different = false;
  let unknownKey: string | null = null;
  let allUnknown = true;
  // The overload that has room for so many arguments, if it is the only one.
  const count = countArguments(args);
  let roomy: string | null = null;
  let rooms = 0;
  for (let i = 0; i < schemas.length; i++) {
    const mismatch = tryBind(schemas[i], args, asMethod) as Mismatch;
    if (failure !== null && failure !== mismatch.message) different = true;
    failure ??= mismatch.message;
    if (schemas[i].params.length >= count) {
      roomy = mismatch.message;
      rooms++;
    }
    const key = mismatch.unknownKey;
    if (key === undefined || (unknownKey !== null && unknownKey !== key)) allUnknown = false;
    else unknownKey = key;
  }
  if (!different) return new TypeError(failure!);
  // An option that no overload has is named, rather than all that would have been possible.
  if (allUnknown && unknownKey !== null) {
    return new TypeError(`${schemas[0].name}() got an unexpected keyword argument '${unknownKey}'`);
  }
  if (rooms === 1) return new TypeError(roomy!);
  return new TypeError(invalidCombination(schemas, args, asMethod));
}

function countArguments(args: readonly unknown[]): number {
  const last = args[args.length - 1];
  return isOptions(last) ? args.length - 1 + Object.keys(last).length : args.length;
}

function invalidCombination(schemas: readonly Schema[], args: readonly unknown[], asMethod: boolean): string {
  const shown: string[] = [];
  for (const arg of asMethod ? args.slice(1) : args) {
    if (isOptions(arg)) for (const key in arg) shown.push(`${key}=${pythonTypeOf(arg[key])}`);
    else shown.push(pythonTypeOf(arg));
  }
  const got = shown.length === 1 && isOptions(args[args.length - 1]) ? `${shown[0]}, ` : shown.join(', ');
  const list = schemas.map((s) => `\n * ${showSignature(s, asMethod)}`).join('');
  return `${schemas[0].name}() received an invalid combination of arguments - got (${got}), but expected one of:${list}\n`;
}
