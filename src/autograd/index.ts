/** `torch.autograd`. */
export * from './core.ts';
export { GradcheckError, gradcheck, gradgradcheck } from './gradcheck.ts';
