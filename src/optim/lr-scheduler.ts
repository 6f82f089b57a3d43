/** `optim.lr_scheduler`: learning rates that change from epoch to epoch. `step()` is called once after each. */
export { ReduceLROnPlateau, type ReduceLROnPlateauOptions } from './plateau.ts';
export { LRScheduler, type SchedulerState } from './scheduler.ts';
export { ChainedScheduler, SequentialLR } from './schedules-combined.ts';
export { CosineAnnealingLR, CosineAnnealingWarmRestarts } from './schedules-cosine.ts';
export { CyclicLR, type CyclicLROptions, OneCycleLR, type OneCycleLROptions } from './schedules-cycle.ts';
export {
  ConstantLR,
  ExponentialLR,
  LambdaLR,
  LinearLR,
  MultiplicativeLR,
  MultiStepLR,
  PolynomialLR,
  StepLR,
} from './schedules-factor.ts';
