/** `torch.optim`. */
export { Adamax, type AdamaxOptions, NAdam, type NAdamOptions, RAdam, type RAdamOptions } from './adam-family.ts';
export { ASGD, type ASGDOptions, Rprop, type RpropOptions } from './asgd-rprop.ts';
export * from './core.ts';
export { LBFGS, type LBFGSOptions } from './lbfgs.ts';
export * as lr_scheduler from './lr-scheduler.ts';
export {
  Adadelta,
  type AdadeltaOptions,
  Adagrad,
  type AdagradOptions,
  RMSprop,
  type RMSpropOptions,
} from './squares.ts';
