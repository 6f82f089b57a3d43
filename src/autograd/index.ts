/** `torch.autograd`. */
export * from './core.ts';
export { AutogradFunction as Function, type FunctionCtx } from './function.ts';
export * as function from './function-module.ts';
export { GradcheckError, gradcheck, gradgradcheck } from './gradcheck.ts';
