/** Hooks of optimizers: around `step`, `state_dict` and `load_state_dict`. */
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

export class OptimizerHooks {
  readonly stepPre: StepPreHook[] = [];
  readonly stepPost: StepPostHook[] = [];
  readonly statePre: OptimizerHook[] = [];
  readonly statePost: StateDictPostHook[] = [];
  readonly loadPre: LoadStateDictPreHook[] = [];
  readonly loadPost: OptimizerHook[] = [];
}
