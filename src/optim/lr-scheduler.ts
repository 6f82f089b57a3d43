/** `optim.lr_scheduler`: learning rates that change from epoch to epoch. `step()` is called once after each. */
export * from './lr-scheduler-core.ts';
export { ReduceLROnPlateau, type ReduceLROnPlateauOptions } from './plateau.ts';
export { ChainedScheduler, SequentialLR } from './schedules-combined.ts';
export { CosineAnnealingLR, CosineAnnealingWarmRestarts } from './schedules-cosine.ts';
export { CyclicLR, type CyclicLROptions, OneCycleLR, type OneCycleLROptions } from './schedules-cycle.ts';
