/** `torch.utils.data`. */
export { default_collate } from './collate.ts';
export { DataLoader, type DataLoaderOptions } from './dataloader.ts';
export {
  ConcatDataset,
  Dataset,
  IterableDataset,
  type MapDataset,
  random_split,
  Subset,
  TensorDataset,
} from './dataset.ts';
export { BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler } from './sampler.ts';
