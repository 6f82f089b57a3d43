/** `torch.nn`. */
export { Dropout, GELU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Tanh } from './activation.ts';
export { BCELoss, BCEWithLogitsLoss, type ClassLossOptions, CrossEntropyLoss, NLLLoss } from './class-loss.ts';
export { ModuleDict, ModuleList, type ModuleMapping, Sequential } from './containers.ts';
export { type BagMode, Embedding, EmbeddingBag, type EmbeddingBagOptions, type EmbeddingOptions } from './embedding.ts';
export { functional } from './functional.ts';
export * as init from './init.ts';
export { Flatten, Identity, Linear } from './linear.ts';
export { HuberLoss, L1Loss, type LossOptions, MSELoss, type Reduction, SmoothL1Loss } from './loss.ts';
export { type FactoryOptions, type ForwardHook, type ForwardPreHook, Module } from './module.ts';
export { LayerNorm, type LayerNormOptions } from './normalization.ts';
export { Parameter, type ParameterOptions } from './parameter.ts';
export type { IncompatibleKeys, StateDict } from './state-dict.ts';
