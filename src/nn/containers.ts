/** `nn.Sequential`, `nn.ModuleList`, `nn.ModuleDict`. Their children are properties named as PyTorch names them. */
import { IndexError, KeyError } from '../core/errors.ts';
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
  const children = childrenOf(module);
  const { length } = children;
  if (index < -length || index >= length) throw new IndexError(`index ${index} is out of range`);
  return children[index < 0 ? index + length : index];
}

/** Functions have a `length` of their own; containers show how many children they have. */
function showLength(module: Module): void {
  Object.defineProperty(module, 'length', {
    get: () => childrenOf(module).length,
    configurable: true,
    enumerable: false,
  });
}

function isModule(value: unknown): value is Module {
  return typeof value === 'function' && value instanceof Module;
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

  /** @param modules as arguments, in an array, or by name in a mapping */
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
    const list = [...this];
    list.splice(index, 0, module);
    list.forEach((each, i) => {
      if (i < this.length) (this as unknown as Names)[i] = each;
      else this.add_module(String(i), each);
    });
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
    for (const [name, module] of entries) this.add_module(name, module);
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
