/** `torch.optim`. */
export { Adam, type AdamOptions, AdamW } from './adam.ts';
export { Adamax, type AdamaxOptions, NAdam, type NAdamOptions, RAdam, type RAdamOptions } from './adam-family.ts';
export { ASGD, type ASGDOptions, Rprop, type RpropOptions } from './asgd-rprop.ts';
export { LBFGS, type LBFGSOptions } from './lbfgs.ts';
export * as lr_scheduler from './lr-scheduler.ts';
export { Optimizer, type ParamGroup, type ParamGroupInput, type ParamsInput } from './optimizer.ts';
export { SGD, type SGDOptions } from './sgd.ts';
export {
  Adadelta,
  type AdadeltaOptions,
  Adagrad,
  type AdagradOptions,
  RMSprop,
  type RMSpropOptions,
} from './squares.ts';
export type { ParamState } from './state.ts';
export type { OptimizerStateDict } from './state-dict.ts';
