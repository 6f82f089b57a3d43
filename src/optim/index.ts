/** `torch.optim`. */
export { Optimizer, type ParamGroup, type ParamGroupInput, type ParamsInput, type ParamState } from './optimizer.ts';
export { SGD, type SGDOptions } from './sgd.ts';
export type { OptimizerStateDict } from './state-dict.ts';
