/** What `torch.optim` has in the package's small entry point. */
export { Adam, type AdamOptions, AdamW } from './adam.ts';
export * as lr_scheduler from './lr-scheduler-core.ts';
export { Optimizer, type ParamGroup, type ParamGroupInput, type ParamsInput } from './optimizer.ts';
export { SGD, type SGDOptions } from './sgd.ts';
export type { ParamState } from './state.ts';
export type { OptimizerStateDict } from './state-dict.ts';
