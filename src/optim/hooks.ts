/** Hooks of optimizers: around `step`, `state_dict` and `load_state_dict`. */
import { pyTypeName } from '../nn/text.ts';
import type { RemovableHandle } from '../tensor/members.ts';
import type { Optimizer } from './optimizer.ts';
import type { OptimizerStateDict } from './state-dict.ts';

type Kwargs = Record<string, unknown>;

export type StepPreHook = (
  optimizer: Optimizer,
  args: unknown[],
  kwargs: Kwargs,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
) => [args: unknown[], kwargs: Kwargs] | null | undefined | void;
export type StepPostHook = (optimizer: Optimizer, args: unknown[], kwargs: Kwargs) => void;
export type OptimizerHook = (optimizer: Optimizer) => void;
export type StateDictPostHook = (
  optimizer: Optimizer,
  state_dict: OptimizerStateDict,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
) => OptimizerStateDict | null | undefined | void;
export type LoadStateDictPreHook = StateDictPostHook;

/** Whether the hook comes before those that are there. */
export type PrependOption = boolean | { prepend?: boolean };

export class OptimizerHooks {
  readonly stepPre: StepPreHook[] = [];
  readonly stepPost: StepPostHook[] = [];
  readonly statePre: OptimizerHook[] = [];
  readonly statePost: StateDictPostHook[] = [];
  readonly loadPre: LoadStateDictPreHook[] = [];
  readonly loadPost: OptimizerHook[] = [];
}

/** Adds a hook to a list. `remove()` takes it out, and does nothing the second time. */
export function addHook<T>(list: T[], hook: T, prepend: PrependOption = false): RemovableHandle {
  if (typeof hook !== 'function') throw new TypeError(`expected a function as hook, but got ${pyTypeName(hook)}`);
  // A hook may be there twice.
  let there = true;
  if (typeof prepend === 'boolean' ? prepend : prepend.prepend) list.unshift(hook);
  else list.push(hook);
  const remove = () => {
    if (there) list.splice(list.indexOf(hook), 1);
    there = false;
  };
  return { remove, [Symbol.dispose]: remove };
}
