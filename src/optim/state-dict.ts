/** An optimizer's options and state as plain data: parameters are numbers in the order of the groups. */
import { KeyError, ValueError } from '../core/errors.ts';
import { heldStorage, Tensor } from '../tensor/tensor.ts';
import type { Optimizer } from './optimizer.ts';
import { keep, type ParamState } from './state.ts';

/** What `Optimizer.state_dict` gives. */
export interface OptimizerStateDict {
  /** By number of the parameter; tensors (not copies) and numbers by name. */
  state: Record<string, ParamState>;
  /** The groups' options; `params` has the parameters' numbers. */
  param_groups: ({ params: number[] } & Record<string, unknown>)[];
}

export function saveState(optimizer: Optimizer): OptimizerStateDict {
  const numbers = new Map<Tensor, number>();
  const param_groups = optimizer.param_groups.map(({ params, ...options }) => {
    for (const x of params) if (!numbers.has(x)) numbers.set(x, numbers.size);
    return { ...options, params: params.map((x) => numbers.get(x)!) };
  });
  const state: Record<string, ParamState> = {};
  for (const [x, kept] of optimizer.state) {
    const number = numbers.get(x);
    if (number !== undefined) state[number] = { ...kept };
  }
  return { state, param_groups };
}

/**
 * @param counters names of what is a number, whatever form it has
 * @param restore makes what the optimizer works with of a parameter's loaded state
 */
export function loadState(
  optimizer: Optimizer,
  dict: OptimizerStateDict,
  counters: readonly string[],
  restore: (kept: ParamState, param: Tensor) => ParamState,
): void {
  for (const part of ['param_groups', 'state'] as const) {
    if (dict?.[part] === undefined) throw new KeyError(`'${part}'`);
  }
  const { param_groups: groups } = optimizer;
  const saved = dict.param_groups;
  if (groups.length !== saved.length) {
    throw new ValueError('loaded state dict has a different number of parameter groups');
  }
  if (groups.some(({ params }, i) => params.length !== saved[i].params.length)) {
    throw new ValueError(
      "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
    );
  }
  const byNumber = new Map<number, Tensor>();
  groups.forEach(({ params }, i) => {
    params.forEach((x, k) => {
      byNumber.set(saved[i].params[k], x);
    });
  });
  for (const kept of optimizer.state.values()) letGo(kept);
  optimizer.state.clear();
  for (const [number, kept] of Object.entries(dict.state)) {
    const x = byNumber.get(Number(number));
    if (x === undefined) continue;
    const state: ParamState = {};
    for (const [name, value] of Object.entries(kept)) {
      state[name] = counters.includes(name) ? value : fitted(value, x);
    }
    optimizer.state.set(x, restore(state, x));
  }
  optimizer.param_groups = groups.map(({ params, param_names }, i) => {
    const { params: _numbers, ...options } = saved[i];
    if (param_names !== undefined) options['param_names'] ??= param_names;
    // A rate that is a tensor stays the dict's own: PyTorch copies the groups deeply.
    if (options['lr'] instanceof Tensor) options['lr'] = options['lr'].clone();
    return { ...options, params };
  });
}

/** A loaded value on the parameter's device and in its dtype, as PyTorch does; also those of lists. */
function fitted(value: unknown, x: Tensor): unknown {
  if (Array.isArray(value)) return value.map((each) => fitted(each, x));
  if (!(value instanceof Tensor)) return value;
  const dtype = x.dtype.is_floating_point ? x.dtype : value.dtype;
  return keep(value.to({ device: x.storage.backend.device, dtype, copy: true }), x);
}

function letGo(state: ParamState): void {
  for (const value of Object.values(state).flat()) {
    if (!(value instanceof Tensor)) continue;
    const storage = heldStorage(value);
    // A counter on the host is made for whoever looks, and not held.
    if (storage !== null && storage.record.holds > 0) storage.unhold();
  }
}
