/**
 * The registry of operations. Each op is declared once, in one of the family files; Tensor methods, `torch.*`,
 * `torch.nn.functional`, the TypeScript signatures and the op list follow from what is registered here.
 */
import { parseSchema, type Schema } from './schema.ts';

/** Where a name is offered. */
export interface Placement {
  /** `x.name(…)`. Default: true where the first parameter is `Tensor self`. */
  method?: boolean;
  /** `torch.name(…)`. Default: true, except for in-place ops. */
  function?: boolean;
  /** `torch.nn.functional.name(…)`. Default: false. */
  functional?: boolean;
  /** `torch.linalg.name(…)`, for an op named `linalg_name`, and nowhere else. Default: false. */
  linalg?: boolean;
  /** Position of `this` among the parameters of the method form. Default: 0. */
  selfAt?: number;
}

export type Implementation = (...values: never[]) => unknown;

/** One name with its overloads, tried in order. */
export interface Op {
  readonly name: string;
  readonly doc: string;
  readonly schemas: Schema[];
  readonly implementations: ((...values: unknown[]) => unknown)[];
  readonly method: boolean;
  readonly function: boolean;
  readonly functional: boolean;
  readonly linalg: boolean;
  readonly selfAt: number;
  /** Special entry points for the hot path, in place of the general one. */
  readonly entry: OpEntry | null;
}

/** Hand-made functions that handle the most frequent calls themselves and pass everything else to `general`. */
export interface OpEntry {
  method(general: (self: unknown, args: unknown[]) => unknown): (...args: never[]) => unknown;
  function(general: (args: unknown[]) => unknown): (...args: never[]) => unknown;
}

const ops = new Map<string, Op>();

/** All ops by name, in the order of declaration. */
export function allOps(): ReadonlyMap<string, Op> {
  return ops;
}

export interface Declaration extends Placement {
  /** One line: what it computes, with shapes and the PyTorch counterpart where the name differs. */
  doc: string;
}

const listeners: ((op: Op) => void)[] = [];

/** Calls `listener` for every op there is and every one that is declared later. */
export function onOp(listener: (op: Op) => void): void {
  for (const op of ops.values()) listener(op);
  listeners.push(listener);
}

const nameOf = (text: string): string => text.slice(0, text.indexOf('('));

/** Whether the first parameter is `self`. */
const takesSelf = (text: string): boolean => /^\w+\([^,]*? self[,)=]/.test(text);

/** Hundreds are declared, and a program calls few of them: what calls need is made when it is needed. */
class Declared implements Op {
  readonly doc: string;
  readonly method: boolean;
  readonly function: boolean;
  readonly functional: boolean;
  readonly linalg: boolean;
  readonly selfAt: number;
  private parsed: Schema[] | null = null;

  constructor(
    readonly name: string,
    private readonly texts: readonly string[],
    readonly implementations: Op['implementations'],
    declaration: Declaration,
    readonly entry: OpEntry | null,
  ) {
    const inplace = name.endsWith('_') && !name.startsWith('_');
    this.doc = declaration.doc;
    this.linalg = declaration.linalg ?? false;
    this.functional = declaration.functional ?? false;
    this.method = declaration.method ?? (!this.linalg && takesSelf(texts[0]));
    this.function = declaration.function ?? !(inplace || this.functional || this.linalg);
    this.selfAt = declaration.selfAt ?? 0;
  }

  get schemas(): Schema[] {
    return (this.parsed ??= this.texts.map(parseSchema));
  }
}

/**
 * Declares an op: overloads as pairs of schema and implementation, which gets the bound values in the order of the
 * schema's parameters.
 */
export function define(declaration: Declaration, overloads: Record<string, Implementation>, entry?: OpEntry): Op {
  const texts = Object.keys(overloads);
  const name = nameOf(texts[0]);
  for (const text of texts) {
    if (nameOf(text) !== name) throw new Error(`overloads of '${name}' and '${nameOf(text)}' in one declaration`);
  }
  if (ops.has(name)) throw new Error(`the op '${name}' is declared twice`);
  const op = new Declared(name, texts, Object.values(overloads) as Op['implementations'], declaration, entry ?? null);
  ops.set(name, op);
  for (const listener of listeners) listener(op);
  return op;
}

/** For tests that declare ops of their own. */
export function undefine(name: string): void {
  ops.delete(name);
}
