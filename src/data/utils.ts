/** `torch.utils`. */
export * as data from './index.ts';
