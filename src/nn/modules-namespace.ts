/** `torch.nn.modules`: only what is found nowhere else. */
export * as module from './module-namespace.ts';
