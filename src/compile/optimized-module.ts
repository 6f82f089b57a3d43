/** What `torch.compile(module)` gives: a module over the original, whose calls are compiled. */
import { Module } from '../nn/module.ts';
import type { CompiledFunction } from './compile.ts';

/** PyTorch's `OptimizedModule`: the original is `_orig_mod`, and what this one does not have is looked for there. */
export class OptimizedModule extends Module {
  readonly _orig_mod: Module;

  constructor(module: Module, compiled: CompiledFunction) {
    super();
    this._orig_mod = module;
    this.training = module.training;
    hide(this, 'forward', (...args: never[]) => compiled.call(null, args));
    reflect(this, module);
  }
}

function hide(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, configurable: true, enumerable: false });
}

/** Fields and methods of the original that a module does not have itself. */
function reflect(target: Module, module: Module): void {
  const original = module as unknown as Record<string, unknown>;
  for (const key of Object.keys(module)) {
    if (key in target) continue;
    Object.defineProperty(target, key, {
      get: () => original[key],
      set: (value: unknown) => {
        original[key] = value;
      },
      configurable: true,
      enumerable: false,
    });
  }
  for (let type = Object.getPrototypeOf(module); type !== Module.prototype; type = Object.getPrototypeOf(type)) {
    for (const key of Object.getOwnPropertyNames(type)) {
      if (key in target || key === 'constructor') continue;
      const method = original[key];
      if (typeof method === 'function') hide(target, key, method.bind(module));
    }
  }
}
