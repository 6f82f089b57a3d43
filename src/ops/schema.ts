/**
 * The schema language of op declarations: PyTorch's own notation with few additions.
 *
 *     sum(Tensor self, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor
 *     max(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
 *     view(Tensor(a) self, int... shape) -> Tensor(a)
 *
 * `int[1]` also takes a single int, `int...` takes varargs or one array, `ints[]` is a list of lists, `Tensor|Scalar`
 * takes either. What follows `*` is given by keyword only, that is in the options object. Signatures, argument checks,
 * error texts, docs and the TypeScript types follow from it.
 */

export type BaseType =
  | 'Tensor'
  | 'Tensor|Scalar'
  | 'Scalar'
  | 'int'
  | 'ints'
  | 'float'
  | 'bool'
  | 'str'
  | 'dtype'
  | 'device'
  | 'Generator'
  | 'Index'
  | 'Operand'
  | 'Data';

export interface Param {
  readonly name: string;
  readonly type: BaseType;
  /** null: one value. A number: a list that may be given as a single value if that number is 1. */
  readonly list: null | 'any' | 'single';
  /** Takes varargs or one array. */
  readonly varargs: boolean;
  readonly optional: boolean;
  /** There is a default, so the argument may be left out. */
  readonly hasDefault: boolean;
  readonly default: unknown;
  readonly keywordOnly: boolean;
}

/** Kinds of parameters, for `bind-plainly.ts`. */
export const OTHER = 0;
export const TENSOR = 1;
export const INT = 2;
export const NUMBER = 3;
export const BOOL = 4;
export const TENSOR_OR_NUMBER = 5;
export const INTS = 6;

function kindOf({ type, list, varargs }: Param): number {
  if (list !== null || varargs) return type === 'int' ? INTS : OTHER;
  if (type === 'Tensor') return TENSOR;
  if (type === 'int') return INT;
  if (type === 'float' || type === 'Scalar') return NUMBER;
  if (type === 'bool') return BOOL;
  return type === 'Tensor|Scalar' ? TENSOR_OR_NUMBER : OTHER;
}

export interface Schema {
  readonly name: string;
  readonly params: readonly Param[];
  /** Number of params that may be given by position. */
  readonly positional: number;
  /** Of these, which kind of value each takes. */
  readonly kinds: Uint8Array;
  /** Whether the last of these takes all arguments from its place on. */
  readonly varargs: boolean;
  /** `Tensor`, `Tensor[]`, `bool`, `Scalar`, `void`, or the fields of a named tuple. */
  readonly returns: string | readonly string[];
  readonly text: string;
}

const PARAM =
  /^(Tensor\|Scalar|[A-Za-z]+)(\([a-z]!?\))?(\[[0-9]?\]|\.\.\.)?(\?)?\s+([A-Za-z_][A-Za-z_0-9]*)(?:=(.*))?$/;

/** Parses one schema. Mistakes in a schema are faults of this project, so they throw at once. */
export function parseSchema(text: string): Schema {
  const match = /^([A-Za-z_][A-Za-z_0-9]*)\((.*)\)\s*->\s*(.+)$/.exec(text);
  if (!match) throw new Error(`malformed schema: ${text}`);
  const params: Param[] = [];
  let keywordOnly = false;
  let positional = 0;
  for (const part of splitTop(match[2])) {
    if (part === '*') {
      keywordOnly = true;
      continue;
    }
    const p = PARAM.exec(part);
    if (!p) throw new Error(`malformed parameter '${part}' in schema: ${text}`);
    if (!keywordOnly) positional++;
    params.push({
      name: p[5],
      type: p[1] as BaseType,
      list: p[3] === undefined ? null : p[3] === '[1]' ? 'single' : 'any',
      varargs: p[3] === '...',
      optional: p[4] !== undefined,
      hasDefault: p[6] !== undefined,
      default: p[6] === undefined ? undefined : parseDefault(p[6]),
      keywordOnly,
    });
  }
  return {
    name: match[1],
    params,
    positional,
    kinds: Uint8Array.from(params.slice(0, positional), kindOf),
    varargs: positional > 0 && params[positional - 1].varargs,
    returns: parseReturns(match[3].trim()),
    text,
  };
}

function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '(' || c === '[') depth++;
    else if (c === ')' || c === ']') depth--;
    else if (c === ',' && depth === 0) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  const last = text.slice(from).trim();
  if (last !== '') parts.push(last);
  return parts;
}

function parseDefault(text: string): unknown {
  if (text === 'None') return null;
  if (text === 'True') return true;
  if (text === 'False') return false;
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  if (text.startsWith('"')) return text.slice(1, -1);
  if (text.startsWith('[')) return JSON.parse(text);
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`malformed default '${text}' in a schema`);
  return value;
}

function parseReturns(text: string): string | readonly string[] {
  if (!text.startsWith('(')) return text.replace(/\([a-z]!?\)/, '');
  return splitTop(text.slice(1, -1)).map((part) => part.replace(/^Tensor\S*\s+/, ''));
}

/** A parameter's type as PyTorch names it in its error texts. */
export function pythonTypeName(param: Param): string {
  const base = {
    Tensor: 'Tensor',
    'Tensor|Scalar': 'Tensor',
    Scalar: 'Number',
    int: 'int',
    ints: 'tuple of ints',
    float: 'float',
    bool: 'bool',
    str: 'str',
    dtype: 'torch.dtype',
    device: 'torch.device',
    Generator: 'torch.Generator',
    Index: 'tuple',
    Operand: 'Tensor',
    Data: 'object',
  }[param.type];
  if (param.list !== null || param.varargs) return param.type === 'Tensor' ? 'tuple of Tensors' : `tuple of ${base}s`;
  return base;
}

/** A signature as PyTorch prints it in "expected one of". */
export function showSignature(schema: Schema, skipSelf: boolean): string {
  const shown: string[] = [];
  let star = false;
  for (const param of skipSelf ? schema.params.slice(1) : schema.params) {
    if (param.keywordOnly && !star) {
      shown.push('*');
      star = true;
    }
    const value = param.default;
    const text =
      value === null
        ? 'None'
        : value === true
          ? 'True'
          : value === false
            ? 'False'
            : Array.isArray(value)
              ? '()'
              : value;
    shown.push(
      `${pythonTypeName(param)} ${param.name === 'self' ? 'input' : param.name}${param.hasDefault ? ` = ${text}` : ''}`,
    );
  }
  return `(${shown.join(', ')})`;
}
