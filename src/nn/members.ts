/**
 * What a module consists of: its parameters, buffers and submodules are found among its own properties whenever they
 * are asked for, so assigning a field registers it and assigning another replaces it, class fields included.
 */
import { Tensor } from '../tensor/tensor.ts';
import { Module, stateOf } from './module.ts';
import { isParameter, type Parameter } from './parameter.ts';
import { tensorTypeName } from './text.ts';

/** Calls `visit` for each of the module's own parameters. */
export function eachParameter(module: Module, visit: (name: string, parameter: Parameter) => void): void {
  const state = stateOf(module);
  for (const name of Object.keys(module)) {
    const value = (module as unknown as Record<string, unknown>)[name];
    if (!(value instanceof Tensor)) continue;
    if (isParameter(value)) {
      if (state.buffers.has(name)) continue;
      state.parameters.add(name);
      visit(name, value);
    } else if (state.parameters.has(name) && !state.buffers.has(name)) {
      throw new TypeError(
        `cannot assign '${tensorTypeName(value)}' as parameter '${name}' (torch.nn.Parameter or None expected)`,
      );
    }
  }
}

/** Calls `visit` for each of the module's own buffers that is not null. */
export function eachBuffer(module: Module, visit: (name: string, buffer: Tensor, persistent: boolean) => void): void {
  for (const [name, persistent] of stateOf(module).buffers) {
    const value = (module as unknown as Record<string, unknown>)[name];
    if (value instanceof Tensor) visit(name, value, persistent);
  }
}

/** The module's own submodules by name, in the order in which they were assigned. */
export function childrenOf(module: Module): [string, Module][] {
  const found: [string, Module][] = [];
  for (const name of Object.keys(module)) {
    const value = (module as unknown as Record<string, unknown>)[name];
    if (typeof value === 'function' && value instanceof Module) found.push([name, value]);
  }
  return found;
}

/** The module and all below it, with their paths; each once unless `removeDuplicate` is false. */
export function modulesOf(module: Module, prefix: string, removeDuplicate: boolean): [string, Module][] {
  const found: [string, Module][] = [];
  const seen = new Set<Module>();
  const visit = (path: string, at: Module): void => {
    if (seen.has(at)) return;
    if (removeDuplicate) seen.add(at);
    found.push([path, at]);
    for (const [name, child] of childrenOf(at)) visit(path === '' ? name : `${path}.${name}`, child);
  };
  visit(prefix, module);
  return found;
}

/** Parameters or buffers of a module, and of all below it, with their paths. */
export function tensorsOf<T extends Tensor>(
  module: Module,
  each: (module: Module, visit: (name: string, x: T) => void) => void,
  prefix: string,
  recurse: boolean,
  removeDuplicate: boolean,
): [string, T][] {
  const found: [string, T][] = [];
  const seen = new Set<T>();
  const modules: [string, Module][] = recurse ? modulesOf(module, prefix, removeDuplicate) : [[prefix, module]];
  for (const [path, at] of modules) {
    each(at, (name, x) => {
      if (seen.has(x)) return;
      if (removeDuplicate) seen.add(x);
      found.push([path === '' ? name : `${path}.${name}`, x]);
    });
  }
  return found;
}
