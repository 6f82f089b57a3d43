/** What `torch.nn` has in the package's small entry point. */
// biome-ignore format: a table
export {
  GELU, Hardshrink, LogSigmoid, LogSoftmax, Sigmoid, Softmax, Softmax2d, Softmin, Softplus, Softshrink, Softsign, Tanh, Tanhshrink,
} from './activation.ts';
// biome-ignore format: a table
export {
  CELU, ELU, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU, Mish, ReLU, ReLU6, SELU, SiLU, Threshold,
} from './activation-inplace.ts';
export { BCELoss, BCEWithLogitsLoss, type ClassLossOptions, CrossEntropyLoss, NLLLoss } from './class-loss.ts';
export { ModuleDict, ModuleList, type ModuleMapping, Sequential } from './containers.ts';
export { deepCopy } from './copy.ts';
export { AlphaDropout, Dropout, Dropout1d, Dropout2d, Dropout3d, FeatureAlphaDropout } from './dropout.ts';
export { Embedding, type EmbeddingOptions } from './embedding.ts';
export { functional } from './functional.ts';
export * as init from './init.ts';
export { Flatten, Identity, Linear } from './linear.ts';
export { HuberLoss, L1Loss, type LossOptions, MSELoss, type Reduction, SmoothL1Loss } from './loss.ts';
export type { BackwardHook, BackwardPreHook, ForwardHook, ForwardPreHook } from './call-hooks.ts';
export { type FactoryOptions, Module } from './module.ts';
export { LayerNorm, type LayerNormOptions } from './normalization.ts';
export { Parameter, type ParameterOptions } from './parameter.ts';
export type { IncompatibleKeys, StateDict } from './state-dict.ts';
