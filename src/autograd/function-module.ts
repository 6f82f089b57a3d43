/** `torch.autograd.function`. */
export { AutogradFunction as Function, type FunctionCtx, once_differentiable } from './function.ts';
