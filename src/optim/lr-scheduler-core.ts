/** What `optim.lr_scheduler` has in the package's small entry point. */
export { LRScheduler, type SchedulerState } from './scheduler.ts';
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
