/**
 * `optim.Optimizer`: parameter groups with their options, the state of each parameter, and how both are saved. A
 * subclass says what its options are, checks them, and updates one parameter at a time.
 */
import { ValueError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import { enable_grad, mode } from '../autograd/mode.ts';
import { clearGradients } from '../autograd/accumulate.ts';
import { gradientNode } from '../autograd/views.ts';
import { clock } from '../memory/clock.ts';
import { entry, recorded } from '../memory/entry.ts';
import { isOptions } from '../ops/bind.ts';
import { pyList, pyStr, pyTypeName } from '../nn/text.ts';
import { Tensor } from '../tensor/tensor.ts';
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

export abstract class Optimizer {
  /** Options of groups that do not set them. */
  readonly defaults: Readonly<Record<string, unknown>>;
  param_groups: ParamGroup[] = [];
  /** What is kept for each parameter. */
  readonly state = new Map<Tensor, ParamState>();

  #stepped = false;

  static {
    hasStepped = (optimizer) => optimizer.#stepped;
  }

  constructor(params: ParamsInput, defaults: Readonly<Record<string, unknown>>) {
    this.defaults = defaults;
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
  zero_grad(set_to_none: boolean | { set_to_none?: boolean } = true): void {
    const toNull = typeof set_to_none === 'boolean' ? set_to_none : (set_to_none.set_to_none ?? true);
    for (const { params } of this.param_groups) recorded(clearGradients, params, toNull);
  }

  /**
   * Updates every parameter that has a gradient.
   *
   * @param closure evaluates the model anew and returns the loss, which `step` then returns
   */
  step(): null;
  step<T>(closure: () => T): T;
  step<T>(closure?: (() => T) | null): T | null {
    this.beforeStep();
    const loss = closure === undefined || closure === null ? null : enable_grad(closure);
    const before = mode.grad;
    this.#stepped = true;
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

  /** Looks whether a step can be done here and now. */
  protected beforeStep(): void {}

  /** Updates the parameters of a group. Runs without recording. */
  protected abstract updateGroup(group: ParamGroup): void;

  /** The options and the state, with parameters as numbers: `{ state: { 0: … }, param_groups: [{ …, params: [0] }] }`. */
  state_dict(): OptimizerStateDict {
    return saveState(this);
  }

  /**
   * Takes options and state from a state dict of an optimizer with groups of the same sizes.
   * @throws ValueError if the groups differ
   */
  load_state_dict(state_dict: OptimizerStateDict): void {
    loadState(this, state_dict, (kept) => this.restoreState(kept));
  }

  /** Makes what `updateGroup` works with of a parameter's loaded state. */
  protected restoreState(kept: ParamState): ParamState {
    return kept;
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
