/** `torch.nn`. */
export { functional } from './functional.ts';
export * as init from './init.ts';
export { Flatten, Identity, Linear } from './linear.ts';
export { L1Loss, MSELoss, type Reduction } from './loss.ts';
export { type FactoryOptions, type ForwardHook, type ForwardPreHook, Module } from './module.ts';
export { Parameter } from './parameter.ts';
export type { IncompatibleKeys, StateDict } from './state-dict.ts';
