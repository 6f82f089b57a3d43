/**
 * `nn.Module`: the base of all layers and models. A module is a function; calling it runs its `forward` with the hooks
 * around it. What it consists of is found in `members.ts`, saved and loaded in `state-dict.ts`, moved in `convert.ts`.
 */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { bfloat16, float16, float32, float64 } from '../core/dtype.ts';
import { AttributeError, KeyError, NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { clearGradients } from '../autograd/accumulate.ts';
import { recorded } from '../memory/entry.ts';
import { NOWHERE } from '../memory/place.ts';
import { Tensor } from '../tensor/tensor.ts';
import { callForward, callModule } from './call.ts';
import { type Callable, setCall } from './callable.ts';
import { convertModule, parseTarget } from './convert.ts';
import { Hooked } from './hooked.ts';
import { childrenOf, eachBuffer, eachParameter, modulesOf, tensorsOf } from './members.ts';
import { isParameter, type Parameter, requireLeaf } from './parameter.ts';
import { missingText, Signature } from './signature.ts';
import {
  emptyStateDict,
  type IncompatibleKeys,
  loadOwn,
  loadStateDict,
  type StateDict,
  saveOwn,
  saveStateDict,
} from './state-dict.ts';
import { pyTypeName } from './text.ts';

/** Device and dtype of the parameters that a module makes. */
export interface FactoryOptions {
  device?: DeviceLike | null;
  dtype?: DType | null;
}

let states = 0;

/** What a module knows of itself besides its properties. */
export class ModuleState {
  /** Names of buffers; whether they belong to the state dict. */
  readonly buffers = new Map<string, boolean>();
  /** Names that have held a parameter. */
  readonly parameters = new Set<string>();
  /** Not a reference: a module must not keep those alive that have called it. */
  readonly id = ++states;
  /** The id of the last module that called this one, once it is known to own it. */
  caller = 0;
  /** Its path in that module; '' if it is not part of it. */
  path = '';
  /** Where it was when it was last called by another module. */
  place = NOWHERE;
  /** Whether its parameters and buffers go by their names in it. */
  named = false;
  /** Whether this module has been warned that it calls one that it does not own. */
  warned = false;
  /** What a call does after `compile()`; null: it runs `forward` and the hooks. Copies are not compiled. */
  compiledCall: ((args: unknown[]) => unknown) | null = null;

  /** What a copy of a module shares with it: which names are parameters and buffers. */
  takeFrom(other: ModuleState): void {
    for (const [name, persistent] of other.buffers) this.buffers.set(name, persistent);
    for (const name of other.parameters) this.parameters.add(name);
  }
}

type Call = (...args: unknown[]) => unknown;
type Compiler = (module: Module, call: Call, options?: object) => ((args: unknown[]) => unknown) | null;

let compiler: Compiler | null = null;

/** Makes `Module.compile` work: `torch.compile` is made of modules, and so can't be imported here. */
export function setCompiler(compile: Compiler): void {
  compiler = compile;
}

/** The state of a module, for the files of this folder. */
export let stateOf: (module: Module) => ModuleState;

const NAMED = Signature.of("Module.named_parameters(self, prefix='', recurse=True, remove_duplicate=True)");
const NAMED_BUFFERS = Signature.of("Module.named_buffers(self, prefix='', recurse=True, remove_duplicate=True)");
const MODULES = Signature.of('Module.modules(self, remove_duplicate=True)');
const NAMED_MODULES = Signature.of("Module.named_modules(self, memo=None, prefix='', remove_duplicate=True)");
const TO_EMPTY = Signature.of('Module.to_empty(self, *, device, recurse=True)');
const PARAMETERS = Signature.of('Module.parameters(self, recurse=True)');
const BUFFERS = Signature.of('Module.buffers(self, recurse=True)');
const SET_SUBMODULE = Signature.of('Module.set_submodule(self, target, module, strict=False)');
const TRAIN = Signature.of('Module.train(self, mode=True)');
const REQUIRES_GRAD = Signature.of('Module.requires_grad_(self, requires_grad=True)');
const ZERO_GRAD = Signature.of('Module.zero_grad(self, set_to_none=True)');
const REGISTER_BUFFER = Signature.of('Module.register_buffer(self, name, tensor, persistent=True)');
const STATE_DICT = Signature.of("Module.state_dict(self, *, destination=None, prefix='', keep_vars=False)");
const LOAD = Signature.of('Module.load_state_dict(self, strict=True, assign=False)');
const NO_STATE_DICT = missingText('Module.load_state_dict', ["'state_dict'"]);

interface NamedOptions {
  prefix?: string;
  recurse?: boolean;
  remove_duplicate?: boolean;
}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: a module is callable with the types of its forward
export class Module extends Hooked {
  /** Which form a state dict of this class has: goes with it in its `_metadata`, for `_load_from_state_dict` to look at. */
  static _version: number | null = 1;
  /** Whether the module is in training mode, which matters to dropout and the like. */
  training = true;
  readonly #state = new ModuleState();

  static {
    stateOf = (module) => module.#state;
  }

  /** What a call computes. Every subclass has its own. */
  forward(..._inputs: never[]): unknown {
    throw new NotImplementedError(`Module [${this.constructor.name}] is missing the required "forward" function`);
  }

  /** The parameters of this module and, unless `recurse` is false, of all below it; each once. */
  parameters(recurse?: boolean | { recurse?: boolean }): Generator<Parameter, void>;
  *parameters(...args: unknown[]): Generator<Parameter, void> {
    const [deep] = PARAMETERS.bind(args) as [boolean];
    for (const [, parameter] of tensorsOf(this, eachParameter, '', deep, true)) yield parameter;
  }

  /** `[path, parameter]`, such as `['0.weight', …]`. */
  named_parameters(options?: NamedOptions): Generator<[string, Parameter], void>;
  named_parameters(prefix: string, recurse?: boolean, remove_duplicate?: boolean): Generator<[string, Parameter], void>;
  *named_parameters(...args: unknown[]): Generator<[string, Parameter], void> {
    const [prefix, recurse, once] = NAMED.bind(args) as [string, boolean, boolean];
    yield* tensorsOf(this, eachParameter, prefix, recurse, once);
  }

  /** The buffers of this module and, unless `recurse` is false, of all below it; each once. */
  buffers(recurse?: boolean | { recurse?: boolean }): Generator<Tensor, void>;
  *buffers(...args: unknown[]): Generator<Tensor, void> {
    const [deep] = BUFFERS.bind(args) as [boolean];
    for (const [, buffer] of tensorsOf(this, eachBuffer, '', deep, true)) yield buffer;
  }

  /** `[path, buffer]`. */
  named_buffers(options?: NamedOptions): Generator<[string, Tensor], void>;
  named_buffers(prefix: string, recurse?: boolean, remove_duplicate?: boolean): Generator<[string, Tensor], void>;
  *named_buffers(...args: unknown[]): Generator<[string, Tensor], void> {
    const [prefix, recurse, once] = NAMED_BUFFERS.bind(args) as [string, boolean, boolean];
    yield* tensorsOf(this, eachBuffer, prefix, recurse, once);
  }

  /** The submodules directly below, each once. */
  *children(): Generator<Module, void> {
    for (const [, child] of this.named_children()) yield child;
  }

  /** `[name, submodule]` of those directly below, each once. */
  *named_children(): Generator<[string, Module], void> {
    const seen = new Set<Module>();
    for (const entry of childrenOf(this)) {
      if (seen.has(entry[1])) continue;
      seen.add(entry[1]);
      yield entry;
    }
  }

  /** This module and all below it, each once. */
  modules(remove_duplicate?: boolean | { remove_duplicate?: boolean }): Generator<Module, void>;
  *modules(...args: unknown[]): Generator<Module, void> {
    const [once] = MODULES.bind(args) as [boolean];
    for (const [, module] of modulesOf(this, '', once)) yield module;
  }

  /** `[path, module]` of this module (with the path '') and all below it. */
  named_modules(options?: { prefix?: string; remove_duplicate?: boolean }): Generator<[string, Module], void>;
  *named_modules(...args: unknown[]): Generator<[string, Module], void> {
    const [, prefix, once] = NAMED_MODULES.bind(args) as [unknown, string, boolean];
    yield* modulesOf(this, prefix, once);
  }

  /** The submodule at a path such as `encoder.0`; '' is this module. @throws AttributeError if there is none */
  get_submodule(target: string): Module {
    let at: Module = this;
    if (target === '') return at;
    for (const name of target.split('.')) {
      const next = field(at, name);
      if (next === undefined) throw new AttributeError(`${at.constructor.name} has no attribute \`${name}\``);
      if (!(next instanceof Module)) throw new AttributeError(`\`${name}\` is not an nn.Module`);
      at = next;
    }
    return at;
  }

  /**
   * Puts a submodule at a path in the place of the one that is there, if any.
   *
   * @param strict whether there must be one
   */
  set_submodule(target: string, module: Module, strict?: boolean | { strict?: boolean }): void;
  set_submodule(...args: unknown[]): void {
    const [target, module, strict] = SET_SUBMODULE.bind(args) as [string, unknown, boolean];
    if (target === '') throw new ValueError('Cannot set the submodule without a target name!');
    if (!(module instanceof Module)) {
      throw new ValueError(`\`module\` is not an nn.Module, found <class '${pyTypeName(module)}'>`);
    }
    const dot = target.lastIndexOf('.');
    const owner = this.get_submodule(dot < 0 ? '' : target.slice(0, dot));
    const name = target.slice(dot + 1);
    const before = field(owner, name);
    if (before === undefined && strict) {
      throw new AttributeError(`${owner.constructor.name} has no attribute \`${name}\``);
    }
    if (before !== undefined && !(before instanceof Module)) {
      throw new AttributeError(`\`${name}\` is not an nn.Module`);
    }
    owner.#setField(name, module);
  }

  /** The parameter at a path such as `encoder.0.weight`. @throws AttributeError if there is none */
  get_parameter(target: string): Parameter {
    const [value, name] = this.#lookUp(target);
    if (!isParameter(value)) throw new AttributeError(`\`${name}\` is not an nn.Parameter`);
    return value;
  }

  /** The buffer at a path. @throws AttributeError if there is none */
  get_buffer(target: string): Tensor {
    const [value, name, owner] = this.#lookUp(target);
    if (!(value instanceof Tensor && owner.#state.buffers.has(name))) {
      throw new AttributeError(`\`${name}\` is not a buffer`);
    }
    return value;
  }

  #lookUp(target: string): [unknown, string, Module] {
    const dot = target.lastIndexOf('.');
    const owner = this.get_submodule(dot < 0 ? '' : target.slice(0, dot));
    const name = target.slice(dot + 1);
    const value = field(owner, name);
    if (value === undefined) throw new AttributeError(`${owner.constructor.name} has no attribute \`${name}\``);
    return [value, name, owner];
  }

  /**
   * Adds a tensor that is part of the module's state and no parameter; it becomes the field of that name.
   *
   * @param persistent whether it belongs to the state dict
   */
  register_buffer(name: string, tensor: Tensor | null, persistent?: boolean | { persistent?: boolean }): void;
  register_buffer(...args: unknown[]): void {
    const [name, tensor, persistent] = REGISTER_BUFFER.bind(args) as [string, unknown, boolean];
    this.#checkName('buffer', name, this.#state.buffers.has(name));
    if (tensor !== null && !(tensor instanceof Tensor)) {
      throw new TypeError(
        `cannot assign '${pyTypeName(tensor)}' object to buffer '${name}' (torch Tensor or None required)`,
      );
    }
    // It is the module's, whatever scope it was made in.
    if (tensor !== null) tensor.keep();
    this.#state.buffers.set(name, persistent);
    this.#setField(name, tensor);
  }

  /** Adds a parameter, or the place for one (null), as the field of that name. */
  register_parameter(name: string, param: Parameter | null): void {
    this.#checkName('parameter', name, this.#state.parameters.has(name));
    if (param !== null && !isParameter(param)) {
      throw new TypeError(
        `cannot assign '${pyTypeName(param)}' object to parameter '${name}' (torch.nn.Parameter or None required)`,
      );
    }
    if (param !== null) requireLeaf(param, name);
    this.#state.parameters.add(name);
    this.#setField(name, param);
  }

  /** Adds a submodule as the field of that name. */
  add_module(name: string, module: Module | null): void {
    if (module !== null && !(module instanceof Module)) {
      throw new TypeError(`${pyTypeName(module)} is not a Module subclass`);
    }
    this.#checkName('module', name, field(this, name) instanceof Module);
    this.#setField(name, module);
  }

  /** The same as `add_module`. */
  register_module(name: string, module: Module | null): void {
    this.add_module(name, module);
  }

  #setField(name: string, value: unknown): void {
    Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
  }

  #checkName(kind: string, name: unknown, again: boolean): void {
    if (typeof name !== 'string') throw new TypeError(`${kind} name should be a string. Got ${pyTypeName(name)}`);
    const taken = field(this, name);
    if (taken !== undefined && taken !== null && !again) throw new KeyError(`attribute '${name}' already exists`);
    if (name.includes('.')) {
      throw new KeyError(`${kind} name can't contain "."${kind === 'module' ? `, got: ${name}` : ''}`);
    }
    if (name === '') throw new KeyError(`${kind} name can't be empty string ""`);
  }

  /**
   * The parameters and persistent buffers by path, detached but over the same storage.
   *
   * Has the versions of the modules' classes under `_metadata`, which does not count as a key.
   *
   * @param options `prefix` of the paths; `keep_vars`: the parameters themselves; `destination`: where to put them
   */
  state_dict(options?: { destination?: StateDict; prefix?: string; keep_vars?: boolean }): StateDict;
  state_dict(...args: unknown[]): StateDict {
    const [destination, prefix, keepVars] = STATE_DICT.bind(args) as [StateDict | null, string, boolean];
    return saveStateDict(this, destination ?? emptyStateDict(), prefix, keepVars);
  }

  /**
   * Copies parameters and buffers from a state dict into this module.
   *
   * @param options `strict` (default true): keys that are missing or unexpected are an error; `assign`: take the tensors
   *   themselves instead of copying
   * @returns the keys that were missing and unexpected
   * @throws RuntimeError that lists what does not fit
   */
  load_state_dict(
    state_dict: Readonly<Record<string, unknown>>,
    options?: { strict?: boolean; assign?: boolean },
  ): IncompatibleKeys;
  load_state_dict(state_dict: Readonly<Record<string, unknown>>, strict: boolean, assign?: boolean): IncompatibleKeys;
  load_state_dict(state_dict: unknown, ...args: unknown[]): IncompatibleKeys {
    // Not bound with the others: alone it is a mapping like options.
    if (state_dict === undefined) throw new TypeError(NO_STATE_DICT);
    const [strict, assign] = LOAD.bind(args) as [boolean, boolean];
    return loadStateDict(this, state_dict, strict, assign);
  }

  /** What a subclass keeps in its state dict besides tensors, under `_extra_state`. */
  get_extra_state(): unknown {
    throw new RuntimeError(unexpectedCall('get'));
  }

  /** Takes what `get_extra_state` has given. */
  set_extra_state(_state: unknown): void {
    throw new RuntimeError(unexpectedCall('set'));
  }

  /** Puts this module's own parameters and buffers in a state dict; a subclass may have its own way. */
  _save_to_state_dict(destination: StateDict, prefix: string, keep_vars: boolean): void {
    saveOwn(this, destination, prefix, keep_vars);
  }

  /** Takes this module's own parameters and buffers from a state dict; a subclass may have its own way. */
  _load_from_state_dict(
    state_dict: Record<string, unknown>,
    prefix: string,
    local_metadata: Record<string, unknown>,
    strict: boolean,
    missing_keys: string[],
    unexpected_keys: string[],
    error_msgs: string[],
  ): void {
    loadOwn(this, {
      state: state_dict,
      prefix,
      assign: Boolean(local_metadata['assign_to_params_buffers']),
      strict,
      missing: missing_keys,
      unexpected: unexpected_keys,
      errors: error_msgs,
    });
  }

  /** Puts this module and all below it into training mode, or with false into evaluation mode. */
  train(mode?: boolean | { mode?: boolean }): this;
  train(...args: unknown[]): this {
    const [mode] = TRAIN.bind(args) as [boolean];
    if (typeof mode !== 'boolean') throw new ValueError('training mode is expected to be boolean');
    this.training = mode;
    for (const [, child] of childrenOf(this)) child.train(mode);
    return this;
  }

  /** `train(false)`. */
  eval(): this {
    return this.train(false);
  }

  /** Whether the parameters take gradients. */
  requires_grad_(requires_grad?: boolean | { requires_grad?: boolean }): this;
  requires_grad_(...args: unknown[]): this {
    const [requires_grad] = REQUIRES_GRAD.bind(args) as [boolean];
    for (const parameter of this.parameters()) parameter.requires_grad_(requires_grad);
    return this;
  }

  /** Sets the parameters' gradients to null, or with `set_to_none: false` to zeros. */
  zero_grad(set_to_none?: boolean | { set_to_none?: boolean }): void;
  zero_grad(...args: unknown[]): void {
    const [toNull] = ZERO_GRAD.bind(args) as [boolean];
    recorded(clearGradients, this.parameters(), toNull);
  }

  /** Calls fn with every module below and last with this one. */
  apply(fn: (module: Module) => void): this {
    for (const [, child] of childrenOf(this)) child.apply(fn);
    fn(this);
    return this;
  }

  /**
   * Moves parameters and buffers to a device, and those of floating dtype to another dtype. Parameters keep their
   * identity.
   */
  to(device: DeviceLike, dtype?: DType | null, non_blocking?: boolean): this;
  to(device: DeviceLike, options: { dtype?: DType | null; non_blocking?: boolean }): this;
  to(dtype: DType, non_blocking?: boolean): this;
  to(tensor: Tensor): this;
  to(options: FactoryOptions & { non_blocking?: boolean }): this;
  to(...args: unknown[]): this {
    const { device, dtype, nonBlocking } = parseTarget(args);
    convertModule(this, device, dtype, { nonBlocking });
    return this;
  }

  /** `to('cpu')`. */
  cpu(): this {
    return this.to('cpu');
  }

  /** `to('mtia')`, or to another of its devices. */
  mtia(device?: DeviceLike | null | { device?: DeviceLike | null }): this;
  mtia(...args: unknown[]): this {
    const [device] = Signature.of('Module.mtia(self, device=None)').bind(args) as [DeviceLike | null];
    return this.to(device ?? 'mtia');
  }

  /** `to('cuda')`. @throws AssertionError: there is no such device */
  cuda(device?: DeviceLike | null | { device?: DeviceLike | null }): this;
  cuda(...args: unknown[]): this {
    const [device] = Signature.of('Module.cuda(self, device=None)').bind(args) as [DeviceLike | null];
    return this.to(device ?? 'cuda');
  }

  /** `to('xpu')`. @throws AssertionError: there is no such device */
  xpu(device?: DeviceLike | null | { device?: DeviceLike | null }): this;
  xpu(...args: unknown[]): this {
    const [device] = Signature.of('Module.xpu(self, device=None)').bind(args) as [DeviceLike | null];
    return this.to(device ?? 'xpu');
  }

  /** All parameters and buffers get this dtype, also those that are not floating-point. */
  type(dst_type: DType): this {
    convertModule(this, null, dst_type, { everything: true });
    return this;
  }

  /** Processes have nothing to share here. @throws NotImplementedError */
  share_memory(): this {
    throw new NotImplementedError(
      'Module.share_memory is not implemented: workers are threads that make their own tensors',
    );
  }

  /** Calls of this very module are compiled from now on; `torch.compile` gives another one instead, and has the options. */
  compile(options?: object): void {
    if (compiler === null) throw new RuntimeError('Module.compile() is in torch-mtia, not in its small entry point.');
    stateOf(this).compiledCall = compiler(this, (...args) => callForward(this, args), options);
  }

  /** Floating dtypes become float32. */
  float(): this {
    return this.to(float32);
  }

  /** Floating dtypes become float64. */
  double(): this {
    return this.to(float64);
  }

  /** Floating dtypes become float16. */
  half(): this {
    return this.to(float16);
  }

  /** Floating dtypes become bfloat16. */
  bfloat16(): this {
    return this.to(bfloat16);
  }

  /** Moves to a device without copying: parameters and buffers there have undefined contents. */
  to_empty(options: { device: DeviceLike; recurse?: boolean }): this {
    const [device, recurse] = TO_EMPTY.bind([options]) as [DeviceLike, boolean];
    convertModule(this, device, null, { withoutData: true, recurse });
    return this;
  }

  /** The settings that the module's text shows; several lines are possible. */
  extra_repr(): string {
    return '';
  }

  /** Python's `repr`: the settings, and the submodules by name. */
  override toString(): string {
    return describe(
      this,
      childrenOf(this).map(([name, child]) => `(${name}): ${indent(String(child))}`),
    );
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** A call takes what `forward` takes and gives what it gives. */
export interface Module {
  // biome-ignore lint/style/useShorthandFunctionType: it merges with the class
  (...inputs: Parameters<this['forward']>): ReturnType<this['forward']>;
}

function unexpectedCall(which: string): string {
  return `Reached a code path in Module.${which}_extra_state() that should never be called. Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.`;
}

/** A module's text: its settings and one entry for each submodule. */
export function describe(module: Module, below: readonly string[]): string {
  const extra = module.extra_repr();
  const settings = extra === '' ? [] : extra.split('\n');
  const name = module.constructor.name;
  if (below.length === 0 && settings.length <= 1) return `${name}(${extra})`;
  return `${name}(\n  ${[...settings, ...below].join('\n  ')}\n)`;
}

/** All lines but the first, two spaces in. */
export function indent(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/** A field or method by name; undefined where there is none, also for the index of a child that is not there. */
function field(module: Module, name: string): unknown {
  if (/^-?\d+$/.test(name) && !Object.hasOwn(module, name)) return undefined;
  return (module as unknown as Record<string, unknown>)[name];
}

setCall(callModule as (self: Callable, args: unknown[]) => unknown);
