/**
 * `optim.Optimizer`: parameter groups with their options, the state of each parameter, and how both are saved. A
 * subclass says what its options are, checks them, and updates one parameter at a time.
 */
import { KeyError, NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';
import { warn } from '../core/warn.ts';
import { enable_grad, mode } from '../autograd/mode.ts';
import { clearGradients } from '../autograd/accumulate.ts';
import { gradientNode } from '../autograd/views.ts';
import { recording } from '../devices/recording.ts';
import { clock } from '../memory/clock.ts';
import { entry, recorded } from '../memory/entry.ts';
import { isOptions } from '../ops/bind.ts';
import { addHook, type PrependOption } from '../nn/hook-list.ts';
import { pyList, pyStr, pyTypeName } from '../nn/text.ts';
import type { RemovableHandle } from '../tensor/members.ts';
import { Tensor } from '../tensor/tensor.ts';
import {
  type LoadStateDictPreHook,
  OptimizerHooks,
  type OptimizerHook,
  type StateDictPostHook,
  type StepPostHook,
  type StepPreHook,
} from './hooks.ts';
import type { ParamState } from './state.ts';
import { loadState, type OptimizerStateDict, saveState } from './state-dict.ts';

/** One group: its parameters, and its options by name. */
export interface ParamGroup {
  params: Tensor[];
  param_names?: string[];
  [option: string]: unknown;
}

/** A group as it is given: options that are left out have the optimizer's defaults. */
export interface ParamGroupInput {
  params: Tensor | Iterable<Tensor> | Iterable<[string, Tensor]>;
  [option: string]: unknown;
}

export type ParamsInput = Iterable<Tensor> | Iterable<[string, Tensor]> | Iterable<ParamGroupInput>;

/** Whether `step` was ever called; for schedulers. */
export let hasStepped: (optimizer: Optimizer) => boolean;

let stepWithHooks: (optimizer: Optimizer, step: (...args: never[]) => unknown, args: unknown[]) => unknown;

/** What `step` runs with hooks around it: the base's, and each that a subclass has of its own. */
const hooked = new WeakSet<object>();

/** A subclass's own `step` runs the hooks, too, and counts as a step. */
function hookSteps(optimizer: Optimizer): void {
  for (let type = Object.getPrototypeOf(optimizer); type !== Optimizer.prototype; type = Object.getPrototypeOf(type)) {
    const own = Object.getOwnPropertyDescriptor(type, 'step')?.value;
    if (typeof own !== 'function' || hooked.has(own)) continue;
    const step = function (this: Optimizer, ...args: unknown[]): unknown {
      return stepWithHooks(this, own, args);
    };
    hooked.add(step);
    Object.defineProperty(type, 'step', { value: step, writable: true, configurable: true });
  }
}

/** The base of optimizers. A subclass has a `step` of its own, or `updateGroup`. */
export class Optimizer {
  /** Options of groups that do not set them. */
  readonly defaults: Readonly<Record<string, unknown>>;
  param_groups: ParamGroup[] = [];
  /** What is kept for each parameter. */
  readonly state = new Map<Tensor, ParamState>();

  #stepped = false;
  #hooks: OptimizerHooks | null = null;

  static {
    hasStepped = (optimizer) => optimizer.#stepped;
    stepWithHooks = (optimizer, step, given) => {
      const hooks = optimizer.#hooks;
      let args = given;
      let kwargs: Record<string, unknown> = {};
      if (hooks !== null) {
        for (const hook of hooks.stepPre.slice()) {
          const replaced = hook(optimizer, args, kwargs);
          if (replaced === null || replaced === undefined) continue;
          if (!Array.isArray(replaced) || replaced.length !== 2) {
            throw new RuntimeError(
              `${optimizer.constructor.name}.step must return None or a tuple of (new_args, new_kwargs), but got ${pyStr(replaced)}.`,
            );
          }
          [args, kwargs] = replaced as [unknown[], Record<string, unknown>];
        }
      }
      optimizer.#stepped = true;
      const result = Reflect.apply(step, optimizer, args);
      if (hooks !== null) for (const hook of hooks.stepPost.slice()) hook(optimizer, args, kwargs);
      return result;
    };
  }

  constructor(params: ParamsInput, defaults: Readonly<Record<string, unknown>>) {
    this.defaults = defaults;
    hookSteps(this);
    const list = listOf(params);
    if (list.length === 0) throw new ValueError('optimizer got an empty parameter list');
    const groups = isOptions(list[0]) ? (list as ParamGroupInput[]) : [{ params: list as Tensor[] }];
    for (const group of groups) this.add_param_group(group);
  }

  /** Adds parameters with options of their own. */
  add_param_group(param_group: ParamGroupInput): void {
    if (!isOptions(param_group)) {
      throw new TypeError(`param_group must be a dict, but got <class '${pyTypeName(param_group)}'>`);
    }
    const { params, names } = paramsOf(param_group);
    if (this.param_groups.length > 0 && (names === null) !== (this.param_groups[0].param_names === undefined)) {
      throw new ValueError(
        'all optimizer param groups should be with/without names. ' +
          `cannot add param group with ${names === null ? 'no names' : 'names'} to the optimizer with ${names === null ? 'names' : 'no names'}`,
      );
    }
    for (const param of params) {
      if (!(param instanceof Tensor)) {
        throw new TypeError(`optimizer can only optimize Tensors, but one of the params is ${pyTypeName(param)}`);
      }
      if (gradientNode(param) !== null) throw new ValueError("can't optimize a non-leaf Tensor");
    }
    if (new Set(params).size !== params.length) {
      warn(
        'optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see github.com/pytorch/pytorch/issues/40967 for more information',
      );
    }
    for (const group of this.param_groups) {
      if (group.params.some((x) => params.includes(x))) {
        throw new ValueError('some parameters appear in more than one parameter group');
      }
    }
    const group: ParamGroup = { ...param_group, params };
    if (names !== null) group.param_names = names;
    for (const name in this.defaults) if (group[name] === undefined) group[name] = this.defaults[name];
    this.param_groups.push(group);
  }

  /** Sets the parameters' gradients to null, or with `set_to_none: false` to zeros. */
  zero_grad(set_to_none?: boolean | { set_to_none?: boolean }): void;
  zero_grad(...args: unknown[]): void {
    const toNull = args.length === 0 || (ZERO_GRAD.bind(args)[0] as boolean);
    for (const { params } of this.param_groups) recorded(clearGradients, params, toNull);
  }

  /**
   * Updates every parameter that has a gradient.
   *
   * @param closure evaluates the model anew and returns the loss, which `step` then returns
   */
  step(): null;
  step<T>(closure: (() => T) | { closure: () => T }): T;
  step(...args: unknown[]): unknown {
    if (args.length > 1 || isOptions(args[0])) {
      const [closure] = Signature.of(`${this.constructor.name}.step(self, closure=None)`).bind(args);
      return stepWithHooks(this, this.#step, [closure]);
    }
    return stepWithHooks(this, this.#step, args);
  }

  #step<T>(closure?: (() => T) | null): T | null {
    if (recording !== null) recording.consulted(this);
    this.beforeStep();
    const loss = closure === undefined || closure === null ? null : enable_grad(closure);
    const before = mode.grad;
    mode.grad = false;
    clock.operation = `${this.constructor.name}.step`;
    try {
      for (const group of this.param_groups) {
        if (entry.settler === null) this.updateGroup(group);
        else recorded(() => this.updateGroup(group));
      }
    } finally {
      mode.grad = before;
    }
    return loss;
  }

  /** Whether the group's learning rate is asked for anew where a compiled function repeats its steps. */
  rateIsLive(_group: ParamGroup): boolean {
    return false;
  }

  /** Looks whether a step can be done here and now. */
  protected beforeStep(): void {}

  /** Updates the parameters of a group. Runs without recording. */
  protected updateGroup(_group: ParamGroup): void {
    throw new NotImplementedError(`Optimizer [${this.constructor.name}] is missing the required "step" function`);
  }

  /** The options and the state, with parameters as numbers: `{ state: { 0: … }, param_groups: [{ …, params: [0] }] }`. */
  state_dict(): OptimizerStateDict {
    const hooks = this.#hooks;
    if (hooks === null) return saveState(this);
    for (const hook of hooks.statePre.slice()) hook(this);
    let dict = saveState(this);
    for (const hook of hooks.statePost.slice()) dict = hook(this, dict) ?? dict;
    return dict;
  }

  /**
   * Takes options and state from a state dict of an optimizer with groups of the same sizes.
   * @throws ValueError if the groups differ
   */
  load_state_dict(state_dict: OptimizerStateDict): void {
    const hooks = this.#hooks;
    let dict = { ...state_dict };
    if (hooks !== null) for (const hook of hooks.loadPre.slice()) dict = hook(this, dict) ?? dict;
    loadState(this, dict, this.counters, (kept, param) => this.restoreState(kept, param));
    this.afterLoad();
    if (hooks !== null) for (const hook of hooks.loadPost.slice()) hook(this);
  }

  /** Names of what is kept of a parameter as a number; the framework does not hold tensors of these. */
  protected get counters(): readonly string[] {
    return STEP;
  }

  /** Makes what `updateGroup` works with of a parameter's loaded state. */
  protected restoreState(kept: ParamState, _param: Tensor): ParamState {
    return kept;
  }

  /** State and groups have been loaded. */
  protected afterLoad(): void {}

  /** Calls hook with `(optimizer, args, kwargs)` before every `step`; it may return new `[args, kwargs]`. */
  register_step_pre_hook(hook: StepPreHook): RemovableHandle {
    return addHook((this.#hooks ??= new OptimizerHooks()).stepPre, hook);
  }

  /** Calls hook with `(optimizer, args, kwargs)` after every `step`. */
  register_step_post_hook(hook: StepPostHook): RemovableHandle {
    return addHook((this.#hooks ??= new OptimizerHooks()).stepPost, hook);
  }

  /** Calls hook with the optimizer before every `state_dict`. */
  register_state_dict_pre_hook(hook: OptimizerHook, prepend?: PrependOption): RemovableHandle;
  register_state_dict_pre_hook(...args: unknown[]): RemovableHandle {
    const [hook, prepend] = prependable('register_state_dict_pre_hook', args) as [OptimizerHook, boolean];
    return addHook((this.#hooks ??= new OptimizerHooks()).statePre, hook, prepend);
  }

  /** Calls hook with `(optimizer, state_dict)` after every `state_dict`; what it returns takes the dict's place. */
  register_state_dict_post_hook(hook: StateDictPostHook, prepend?: PrependOption): RemovableHandle;
  register_state_dict_post_hook(...args: unknown[]): RemovableHandle {
    const [hook, prepend] = prependable('register_state_dict_post_hook', args) as [StateDictPostHook, boolean];
    return addHook((this.#hooks ??= new OptimizerHooks()).statePost, hook, prepend);
  }

  /** Calls hook with `(optimizer, state_dict)` before every `load_state_dict`; what it returns is loaded in its place. */
  register_load_state_dict_pre_hook(hook: LoadStateDictPreHook, prepend?: PrependOption): RemovableHandle;
  register_load_state_dict_pre_hook(...args: unknown[]): RemovableHandle {
    const [hook, prepend] = prependable('register_load_state_dict_pre_hook', args) as [LoadStateDictPreHook, boolean];
    return addHook((this.#hooks ??= new OptimizerHooks()).loadPre, hook, prepend);
  }

  /** Calls hook with the optimizer after every `load_state_dict`. */
  register_load_state_dict_post_hook(hook: OptimizerHook, prepend?: PrependOption): RemovableHandle;
  register_load_state_dict_post_hook(...args: unknown[]): RemovableHandle {
    const [hook, prepend] = prependable('register_load_state_dict_post_hook', args) as [OptimizerHook, boolean];
    return addHook((this.#hooks ??= new OptimizerHooks()).loadPost, hook, prepend);
  }

  /** Python's `repr`. */
  toString(): string {
    const groups = this.param_groups.map((group, i) => {
      const names = Object.keys(group)
        .filter((name) => name !== 'params')
        .sort();
      const show = (value: unknown) => (isNames(value) ? pyList(value as string[]) : pyStr(value));
      return `Parameter Group ${i}\n${names.map((name) => `    ${name}: ${show(group[name])}\n`).join('')}`;
    });
    return `${this.constructor.name} (\n${groups.join('\n')})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

const STEP = ['step'];

const prependable = (name: string, args: readonly unknown[]): unknown[] =>
  Signature.of(`Optimizer.${name}(self, hook, prepend=False)`).bind(args);

const ZERO_GRAD = Signature.of('Optimizer.zero_grad(self, set_to_none=True)');

/** A list of names is a list in Python, pairs of numbers are tuples. */
const isNames = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === 'string';

function listOf(params: unknown): unknown[] {
  if (params instanceof Tensor) {
    throw new TypeError(
      `params argument given to the optimizer should be an iterable of Tensors or dicts, but got ${pyTypeName(params)}`,
    );
  }
  if (!isIterable(params)) throw new TypeError(`'${pyTypeName(params)}' object is not iterable`);
  return Array.from(params);
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return (
    value !== null &&
    (typeof value === 'object' || typeof value === 'function') &&
    typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function'
  );
}

function paramsOf(group: ParamGroupInput): { params: Tensor[]; names: string[] | null } {
  const given: unknown = group.params;
  if (given === undefined) throw new KeyError("'params'");
  if (given instanceof Tensor) return { params: [given], names: null };
  if (given instanceof Set) {
    throw new TypeError(
      'optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change between runs. Please use a list instead.',
    );
  }
  const list = listOf(given);
  if (!list.some(isNamed)) return { params: list as Tensor[], names: null };
  if (!list.every(isNamed)) {
    throw new ValueError('all optimizer params should be with/without names. Some param names are missing');
  }
  const named = list as [string, Tensor][];
  return { params: named.map(([, x]) => x), names: named.map(([name]) => name) };
}

function isNamed(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === 'string';
}
