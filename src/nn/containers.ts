/** `nn.Sequential`, `nn.ModuleList`, `nn.ModuleDict`. Their children are properties named as PyTorch names them. */
import { IndexError, KeyError, ValueError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { isOptions } from '../ops/bind.ts';
import { fixedInputs } from './call.ts';
import { childrenOf } from './members.ts';
import { describe, indent, Module } from './module.ts';
import { pyTypeName } from './text.ts';

type Names = Record<string, unknown>;

/** The child at a position, counted from the end where negative. @throws IndexError */
function childAt(module: Module, index: number): [string, Module] {
  if (!Number.isInteger(index)) {
    throw new TypeError(`'${pyTypeName(index)}' object cannot be interpreted as an integer`);
  }
  const found = numbered(module, index);
  if (found !== null) return found;
  const children = childrenOf(module);
  const { length } = children;
  if (index < -length || index >= length) throw new IndexError(`index ${index} is out of range`);
  return children[index < 0 ? index + length : index];
}

/**
 * The child at a position where those up to it go by their numbers, as in lists; null: not certain. A module's properties are in
 * no order until they are all listed, which takes longer than a small layer; only numbers come first for certain.
 */
function numbered(module: Module, index: number): [string, Module] | null {
  if (index < 0) return null;
  for (let i = 0; i <= index; i++) {
    if (!Object.hasOwn(module, i) || !isModule((module as unknown as unknown[])[i])) return null;
  }
  return [String(index), (module as unknown as Module[])[index]];
}

/** The children's names are their numbers again. */
function renumber(module: Module, children: readonly Module[]): void {
  for (const [name] of childrenOf(module)) delete (module as unknown as Names)[name];
  children.forEach((child, i) => {
    module.add_module(String(i), child);
  });
}

/** The children from `start` to `end` (not included), as `Array.prototype.slice` counts. */
function childrenBetween(module: Module, start?: number, end?: number): [string, Module][] {
  return childrenOf(module).slice(start, end);
}

/** Functions have a `length` of their own; containers show how many children they have. */
export function showLength(module: Module, count = childCount): void {
  // By `this`, so that a copy of the module counts its own.
  Object.defineProperty(module, 'length', {
    get(this: Module) {
      return count(this);
    },
    configurable: true,
    enumerable: false,
  });
}

function childCount(module: Module): number {
  return childrenOf(module).length;
}

/** @throws TypeError unless it is a module */
function checkedModule<T extends Module>(module: T, text = ''): T {
  if (isModule(module)) return module;
  throw new TypeError(
    text === '' ? `${pyTypeName(module)} is not a Module subclass` : `${text}<class 'torch.nn.modules.module.Module'>`,
  );
}

function isModule(value: unknown): value is Module {
  return typeof value === 'function' && value instanceof Module;
}

/** Names and values. @throws TypeError, ValueError unless all are pairs */
export function* pairs(dict: string, entries: Iterable<unknown>): Generator<[string, unknown], void> {
  let at = 0;
  for (const entry of entries) {
    if (!Array.isArray(entry)) {
      throw new TypeError(`${dict} update sequence element #${at} should be Iterable; is${pyTypeName(entry)}`);
    }
    if (entry.length !== 2) {
      throw new ValueError(`${dict} update sequence element #${at} has length ${entry.length}; 2 is required`);
    }
    yield entry as [string, unknown];
    at++;
  }
}

/** Modules by name, as given in a Map or a plain object. */
function entriesOf(modules: unknown): Iterable<[string, Module]> | null {
  if (modules instanceof Map || modules instanceof ModuleDict) return modules as Iterable<[string, Module]>;
  return isOptions(modules) ? (Object.entries(modules) as [string, Module][]) : null;
}

/** Modules by name. */
export type ModuleMapping<T extends Module = Module> = Readonly<Record<string, T>> | ReadonlyMap<string, T>;

/** Modules that are called one after another, each with the result of the one before. */
export class Sequential extends Module implements Iterable<Module> {
  /** Number of modules. */
  declare readonly length: number;

  /**
   * Modules that are called one after another, each with the result of the one before.
   * @param modules as arguments, in an array, or by name in a mapping
   */
  constructor(...modules: readonly Module[]);
  constructor(modules: readonly Module[] | ModuleMapping);
  constructor(...modules: readonly unknown[]) {
    super();
    showLength(this);
    const [first] = modules;
    const named = modules.length === 1 && !isModule(first) ? entriesOf(first) : null;
    if (named !== null) {
      for (const [name, module] of named) this.add_module(name, module);
      return;
    }
    const list = modules.length === 1 && Array.isArray(first) ? (first as unknown[]) : modules;
    list.forEach((module, i) => {
      this.add_module(String(i), module as Module);
    });
  }

  override forward(input: Tensor): Tensor {
    let x: unknown = input;
    for (const [, module] of childrenOf(this)) x = (module as unknown as (x: unknown) => unknown)(x);
    return x as Tensor;
  }

  /** The module at a position; negative ones count from the end. */
  at(index: number): Module {
    return childAt(this, index)[1];
  }

  /** Adds a module at the end. */
  append(module: Module): this {
    this.add_module(String(this.length), module);
    return this;
  }

  /** Adds modules at the end. */
  extend(modules: Iterable<Module>): this {
    for (const module of modules) this.append(module);
    return this;
  }

  /** Puts a module before the one at a position; those after it are renumbered. */
  insert(index: number, module: Module): this {
    const { length } = this;
    if (!(index >= -length && index <= length)) throw new IndexError(`Index out of range: ${index}`);
    const list = [...this];
    list.splice(index, 0, checkedModule(module, 'module should be of type: '));
    renumber(this, list);
    return this;
  }

  /** Replaces the module at a position: Python's `seq[index] = module`. */
  set(index: number, module: Module): this {
    const [name] = childAt(this, index);
    (this as unknown as Names)[name] = checkedModule(module);
    return this;
  }

  /** Removes the module at a position; those after it are renumbered: Python's `del seq[index]`. */
  delete(index: number): void {
    this.pop(index);
  }

  /** Removes the module at a position and returns it; those after it are renumbered. */
  pop(index: number): Module {
    const [, module] = childAt(this, index);
    const rest = [...this];
    rest.splice(index < 0 ? index + rest.length : index, 1);
    renumber(this, rest);
    return module as Module;
  }

  /** A container of the same kind over some of the modules, with their names: Python's `seq[start:end]`. */
  slice(start?: number, end?: number): this {
    const make = this.constructor as new (modules: ModuleMapping) => this;
    return new make(new Map(childrenBetween(this, start, end)));
  }

  *[Symbol.iterator](): Generator<Module, void> {
    for (const [, module] of childrenOf(this)) yield module;
  }
}

/** A list of modules, all registered. It has no forward of its own. */
export class ModuleList<T extends Module = Module> extends Module implements Iterable<T> {
  /** Number of modules. */
  declare readonly length: number;

  constructor(modules?: Iterable<T> | null) {
    super();
    showLength(this);
    if (modules !== undefined && modules !== null) this.extend(modules);
  }

  /** The module at a position; negative ones count from the end. */
  at(index: number): T {
    return childAt(this, index)[1] as T;
  }

  /** Adds a module at the end. */
  append(module: T): this {
    this.add_module(String(this.length), module);
    return this;
  }

  /** Adds modules at the end. */
  extend(modules: Iterable<T>): this {
    if (typeof modules?.[Symbol.iterator] !== 'function') {
      throw new TypeError(`ModuleList.extend should be called with an iterable, but got ${pyTypeName(modules)}`);
    }
    for (const module of modules) this.append(module);
    return this;
  }

  /** Puts a module before the one at a position. */
  insert(index: number, module: T): void {
    const list: Module[] = [...this];
    list.splice(index, 0, checkedModule(module));
    renumber(this, list);
  }

  /** Replaces the module at a position: Python's `seq[index] = module`. */
  set(index: number, module: T): this {
    const [name] = childAt(this, index);
    (this as unknown as Names)[name] = checkedModule(module);
    return this;
  }

  /** Removes the module at a position; those after it are renumbered: Python's `del seq[index]`. */
  delete(index: number): void {
    this.pop(index);
  }

  /** Removes the module at a position and returns it; those after it are renumbered. */
  pop(index: number): T {
    const [, module] = childAt(this, index);
    const rest = [...this];
    rest.splice(index < 0 ? index + rest.length : index, 1);
    renumber(this, rest);
    return module as T;
  }

  /** A container of the same kind over some of the modules: Python's `list[start:end]`. */
  slice(start?: number, end?: number): this {
    const make = this.constructor as new (modules: Iterable<Module>) => this;
    return new make(childrenBetween(this, start, end).map(([, module]) => module));
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (const [, module] of childrenOf(this)) yield module as T;
  }

  /** Equal neighbours are shown once, with their number. */
  override toString(): string {
    const texts = [...this].map(String);
    if (texts.length === 0) return `${this.constructor.name}()`;
    const lines: string[] = [];
    for (let first = 0; first < texts.length; ) {
      let last = first;
      while (last + 1 < texts.length && texts[last + 1] === texts[first]) last++;
      const text = indent(texts[first]);
      lines.push(first === last ? `(${first}): ${text}` : `(${first}-${last}): ${last - first + 1} x ${text}`);
      first = last + 1;
    }
    return describe(this, lines);
  }
}

/** Modules by name, all registered. It has no forward of its own. */
export class ModuleDict<T extends Module = Module> extends Module implements Iterable<[string, T]> {
  /** Number of modules. */
  declare readonly length: number;

  constructor(modules?: ModuleMapping<T> | null) {
    super();
    showLength(this);
    if (modules !== undefined && modules !== null) this.update(modules);
  }

  /** The module of a name. @throws KeyError if there is none */
  get(name: string): T {
    const found = childrenOf(this).find(([own]) => own === name);
    if (found === undefined) throw new KeyError(name);
    return found[1] as T;
  }

  /** Whether there is a module of this name. */
  has(name: string): boolean {
    return childrenOf(this).some(([own]) => own === name);
  }

  /** Adds the module, or replaces that of the same name. */
  set(name: string, module: T): this {
    this.add_module(name, module);
    return this;
  }

  /** Removes a module. @throws KeyError if there is none */
  delete(name: string): void {
    this.pop(name);
  }

  /** Removes all modules. */
  clear(): void {
    for (const name of [...this.keys()]) this.pop(name);
  }

  /** Removes a module and returns it. @throws KeyError if there is none */
  pop(name: string): T {
    const module = this.get(name);
    delete (this as unknown as Names)[name];
    return module;
  }

  /** Adds all of a mapping, replacing those of the same names. */
  update(modules: ModuleMapping<T> | Iterable<readonly [string, T]>): void {
    const entries = entriesOf(modules) ?? (modules as Iterable<[string, Module]>);
    if (typeof entries?.[Symbol.iterator] !== 'function') {
      throw new TypeError(
        `ModuleDict.update should be called with an iterable of key/value pairs, but got ${pyTypeName(modules)}`,
      );
    }
    for (const [name, module] of pairs('ModuleDict', entries)) this.add_module(name, module as Module);
  }

  /** The names. */
  *keys(): Generator<string, void> {
    for (const [name] of childrenOf(this)) yield name;
  }

  /** The modules. */
  *values(): Generator<T, void> {
    for (const [, module] of childrenOf(this)) yield module as T;
  }

  /** `[name, module]`. */
  *items(): Generator<[string, T], void> {
    for (const entry of childrenOf(this)) yield entry as [string, T];
  }

  [Symbol.iterator](): Generator<[string, T], void> {
    return this.items();
  }
}

fixedInputs(Sequential, 'input');
