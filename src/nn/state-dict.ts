/** `state_dict()` and `load_state_dict()`. */
import { AssertionError, RuntimeError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import { warn } from '../core/warn.ts';
import { no_grad } from '../autograd/mode.ts';
import { requiresGrad, Tensor } from '../tensor/tensor.ts';
import { stateHooksOf } from './hooked.ts';
import { childrenOf, eachBuffer, eachParameter } from './members.ts';
import { Module } from './module.ts';
import { isParameter, makeParameter } from './parameter.ts';
import { pyList, pyString, pyTypeName } from './text.ts';

/** Tensors by path. */
export type StateDict = Record<string, Tensor>;

/** What `load_state_dict` returns: an iterable of both lists that has them by name, too. */
export class IncompatibleKeys {
  constructor(
    readonly missing_keys: string[],
    readonly unexpected_keys: string[],
  ) {}

  *[Symbol.iterator](): Generator<string[], void> {
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

const EXTRA = '_extra_state';

/** Of each module, by its path: its class's version. */
type Metadata = Record<string, Record<string, unknown> | undefined>;

/** PyTorch's OrderedDict with an attribute: the metadata is no key, and goes where the dict itself goes (`torch.save`, too). */
export function emptyStateDict(): StateDict {
  return Object.defineProperty({}, '_metadata', { value: {}, writable: true, configurable: true });
}

/** What came with a state dict; null if nothing did, as when it is a copy made by hand. */
function metadataOf(state: object): Metadata | null {
  const found = Object.getOwnPropertyDescriptor(state, '_metadata');
  if (found === undefined || found.enumerable || typeof found.value !== 'object') return null;
  return found.value as Metadata | null;
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

/** What a module itself puts in a state dict: `Module._save_to_state_dict`. */
export function saveOwn(module: Module, to: StateDict, prefix: string, keepVars: boolean): void {
  for (const [name, x] of ownState(module)) to[prefix + name] = keepVars ? x : x.detach();
  if (module.get_extra_state !== Module.prototype.get_extra_state) {
    // PyTorch allows anything here.
    to[prefix + EXTRA] = module.get_extra_state() as Tensor;
  }
}

export function saveStateDict(module: Module, to: StateDict, prefix: string, keepVars: boolean): StateDict {
  const hooks = stateHooksOf(module);
  if (hooks !== null) for (const hook of hooks.pre.slice()) hook(module, prefix, keepVars);
  const local = { version: (module.constructor as typeof Module)._version };
  const metadata = metadataOf(to);
  if (metadata !== null) metadata[prefix.slice(0, -1)] = local;
  module._save_to_state_dict(to, prefix, keepVars);
  for (const [name, child] of childrenOf(module)) {
    // A subclass may have its own way.
    child.state_dict({ destination: to, prefix: `${prefix}${name}.`, keep_vars: keepVars });
  }
  if (hooks !== null) {
    for (const hook of hooks.post.slice()) {
      const returned = hook(module, to, prefix, local);
      if (returned !== null && returned !== undefined) throw new RuntimeError('state_dict post-hook must return None');
    }
  }
  return to;
}

/** What is being loaded, and what went wrong so far. */
export interface Loading {
  readonly state: Record<string, unknown>;
  readonly prefix: string;
  readonly assign: boolean;
  readonly strict: boolean;
  readonly missing: string[];
  readonly unexpected: string[];
  readonly errors: string[];
}

/** What a module itself takes from a state dict: `Module._load_from_state_dict`. */
export function loadOwn(module: Module, loading: Loading): void {
  const { state, prefix, strict, missing, unexpected } = loading;
  const own = ownState(module);
  const children = childrenOf(module);
  for (const [name, x] of own) loadOne(module, name, x, prefix + name, loading);
  const extra = prefix + EXTRA;
  const there = Object.hasOwn(state, extra);
  if (module.set_extra_state !== Module.prototype.set_extra_state) {
    if (there) module.set_extra_state(state[extra]);
    else if (strict) missing.push(extra);
  } else if (strict && there) unexpected.push(extra);
  if (!strict) return;
  for (const key of Object.keys(state)) {
    if (!key.startsWith(prefix) || key === extra) continue;
    const [head, ...rest] = key.slice(prefix.length).split('.');
    const known = rest.length > 0 ? children.some(([name]) => name === head) : own.some(([name]) => name === head);
    if (!known) unexpected.push(key);
  }
}

function loadOne(module: Module, name: string, x: Tensor, key: string, loading: Loading): void {
  const { state, assign, strict, missing, errors } = loading;
  if (!Object.hasOwn(state, key)) {
    if (strict) missing.push(key);
    return;
  }
  let value = state[key];
  if (!(value instanceof Tensor)) {
    errors.push(
      `While copying the parameter named "${key}", expected torch.Tensor or Tensor-like object from checkpoint but received <class '${pyTypeName(value)}'>`,
    );
    return;
  }
  // Checkpoints of old have single numbers in one dimension.
  if (x.sizes.length === 0 && sameSizes(value.sizes, [1])) value = value.select(0, 0);
  const tensor = value as Tensor;
  if (!sameSizes(tensor.sizes, x.sizes)) {
    errors.push(
      `size mismatch for ${key}: copying a param with shape ${tensor.shape} from checkpoint, the shape in current model is ${x.shape}.`,
    );
    return;
  }
  if (x.is_meta && !tensor.is_meta && !assign) {
    warn(
      `for ${key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a no-op. (Did you mean to pass \`assign=True\` to assign items in the state dictionary to their corresponding key in the module instead of copying them in place?)`,
    );
  }
  try {
    if (assign) replace(module, name, x, tensor);
    else no_grad(() => x.copy_(tensor));
  } catch (error) {
    errors.push(
      `While copying the parameter named "${key}", whose dimensions in the model are ${x.shape} and whose dimensions in the checkpoint are ${tensor.shape}, an exception occurred : (${pyString((error as Error).message)},).`,
    );
  }
}

function replace(module: Module, name: string, x: Tensor, value: Tensor): void {
  const next = isParameter(x) && !isParameter(value) ? makeParameter(value, requiresGrad(x)) : value;
  if (isParameter(x)) next.requires_grad_(requiresGrad(x));
  (module as unknown as Record<string, unknown>)[name] = next.keep();
}

function load(module: Module, loading: Loading, all: Metadata | null): void {
  const { state, prefix, assign, missing, unexpected, errors } = loading;
  const hooks = stateHooksOf(module);
  const metadata: Record<string, unknown> = { ...all?.[prefix.slice(0, -1)] };
  if (assign) metadata['assign_to_params_buffers'] = true;
  // PyTorch looks for missing and unexpected keys in any case; only the outermost call knows whether they are errors.
  if (hooks !== null) {
    for (const hook of hooks.loadPre.slice()) {
      hook(module, state, prefix, metadata, true, missing, unexpected, errors);
    }
  }
  module._load_from_state_dict(state, prefix, metadata, true, missing, unexpected, errors);
  for (const [name, child] of childrenOf(module)) {
    const path = `${prefix}${name}.`;
    const part = Object.fromEntries(Object.entries(state).filter(([key]) => key.startsWith(path)));
    load(child, { ...loading, state: part, prefix: path }, all);
  }
  if (hooks === null) return;
  for (const hook of hooks.loadPost.slice()) {
    const returned = hook(module, new IncompatibleKeys(missing, unexpected));
    if (returned === null || returned === undefined) continue;
    throw new AssertionError(
      'Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if incompatible_keys need to be modified, it should be done inplace.',
    );
  }
}

export function loadStateDict(module: Module, source: unknown, strict: boolean, assign: boolean): IncompatibleKeys {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    throw new TypeError(`Expected state_dict to be dict-like, got <class '${pyTypeName(source)}'>.`);
  }
  const state = (source instanceof Map ? Object.fromEntries(source) : { ...source }) as Record<string, unknown>;
  const errors: string[] = [];
  const [missing, unexpected]: [string[], string[]] = [[], []];
  load(module, { state, prefix: '', assign, strict: true, missing, unexpected, errors }, metadataOf(source));
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
