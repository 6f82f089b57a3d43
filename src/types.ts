/**
 * The types that programs see. At run time there is `index.ts`; here the default export is the namespace itself, so that it
 * also names types: `torch.Tensor`, `torch.nn.Linear`, `torch.utils.data.DataLoader<T>`.
 */
export * from './torch/namespace.ts';
export * as default from './torch/namespace.ts';
