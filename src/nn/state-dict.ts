/** `state_dict()` and `load_state_dict()`. */
import { RuntimeError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import { no_grad } from '../autograd/mode.ts';
import { requiresGrad, Tensor } from '../tensor/tensor.ts';
import { childrenOf, eachBuffer, eachParameter } from './members.ts';
import type { Module } from './module.ts';
import { isParameter, makeParameter } from './parameter.ts';
import { pyList, pyTypeName } from './text.ts';

/** Tensors by path. */
export type StateDict = Record<string, Tensor>;

/** What `load_state_dict` returns: an iterable of both lists that has them by name, too. */
export class IncompatibleKeys {
  constructor(
    readonly missing_keys: readonly string[],
    readonly unexpected_keys: readonly string[],
  ) {}

  *[Symbol.iterator](): Generator<readonly string[], void> {
    yield this.missing_keys;
    yield this.unexpected_keys;
  }

  toString(): string {
    if (this.missing_keys.length === 0 && this.unexpected_keys.length === 0) return '<All keys matched successfully>';
    return `_IncompatibleKeys(missing_keys=${pyList(this.missing_keys)}, unexpected_keys=${pyList(this.unexpected_keys)})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** The module's own parameters and persistent buffers. */
function ownState(module: Module): [string, Tensor][] {
  const own: [string, Tensor][] = [];
  eachParameter(module, (name, parameter) => own.push([name, parameter]));
  eachBuffer(module, (name, buffer, persistent) => {
    if (persistent) own.push([name, buffer]);
  });
  return own;
}

export function saveStateDict(module: Module, to: StateDict, prefix: string, keepVars: boolean): StateDict {
  for (const [name, x] of ownState(module)) to[prefix + name] = keepVars ? x : x.detach();
  for (const [name, child] of childrenOf(module)) {
    // A subclass may have its own way.
    child.state_dict({ destination: to, prefix: `${prefix}${name}.`, keep_vars: keepVars });
  }
  return to;
}

class Loader {
  readonly missing: string[] = [];
  readonly unexpected: string[] = [];
  readonly errors: string[] = [];

  constructor(
    private readonly source: Readonly<Record<string, unknown>>,
    private readonly assign: boolean,
  ) {}

  load(module: Module, prefix: string, keys: readonly string[]): void {
    const own = ownState(module);
    const children = childrenOf(module);
    for (const [name, x] of own) this.loadOne(module, name, x, prefix + name);
    for (const key of keys) {
      const [head, ...rest] = key.slice(prefix.length).split('.');
      const known = rest.length > 0 ? children.some(([name]) => name === head) : own.some(([name]) => name === head);
      if (!known) this.unexpected.push(key);
    }
    for (const [name, child] of children) {
      const path = `${prefix}${name}.`;
      this.load(
        child,
        path,
        keys.filter((key) => key.startsWith(path)),
      );
    }
  }

  private loadOne(module: Module, name: string, x: Tensor, key: string): void {
    if (!Object.hasOwn(this.source, key)) {
      this.missing.push(key);
      return;
    }
    const value = this.source[key];
    if (!(value instanceof Tensor)) {
      this.errors.push(
        `While copying the parameter named "${key}", expected torch.Tensor or Tensor-like object from checkpoint but received <class '${pyTypeName(value)}'>`,
      );
      return;
    }
    if (!sameSizes(value.sizes, x.sizes)) {
      this.errors.push(
        `size mismatch for ${key}: copying a param with shape ${value.shape} from checkpoint, the shape in current model is ${x.shape}.`,
      );
      return;
    }
    try {
      if (this.assign) this.replace(module, name, x, value);
      else no_grad(() => x.copy_(value));
    } catch (error) {
      this.errors.push(
        `While copying the parameter named "${key}", whose dimensions in the model are ${x.shape} and whose dimensions in the checkpoint are ${value.shape}, an exception occurred : ${(error as Error).message}.`,
      );
    }
  }

  private replace(module: Module, name: string, x: Tensor, value: Tensor): void {
    const next = isParameter(x) && !isParameter(value) ? makeParameter(value, requiresGrad(x)) : value;
    if (isParameter(x)) next.requires_grad_(requiresGrad(x));
    (module as unknown as Record<string, unknown>)[name] = next.keep();
  }
}

export function loadStateDict(module: Module, source: unknown, strict: boolean, assign: boolean): IncompatibleKeys {
  if (typeof source !== 'object' || source === null) {
    throw new TypeError(`Expected state_dict to be dict-like, got <class '${pyTypeName(source)}'>.`);
  }
  const state = source as Readonly<Record<string, unknown>>;
  // Without `strict` PyTorch looks for missing and unexpected keys all the same, and only reports them.
  const loader = new Loader(state, assign);
  loader.load(module, '', Object.keys(state));
  const { errors, missing, unexpected } = loader;
  const quoted = (keys: readonly string[]) => keys.map((key) => `"${key}"`).join(', ');
  if (strict) {
    if (unexpected.length > 0) errors.unshift(`Unexpected key(s) in state_dict: ${quoted(unexpected)}. `);
    if (missing.length > 0) errors.unshift(`Missing key(s) in state_dict: ${quoted(missing)}. `);
  }
  if (errors.length > 0) {
    throw new RuntimeError(`Error(s) in loading state_dict for ${module.constructor.name}:\n\t${errors.join('\n\t')}`);
  }
  return new IncompatibleKeys(missing, unexpected);
}
