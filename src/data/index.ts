/** `torch.utils.data`. */
import './serve.ts';

export { type Collated, default_collate, default_convert } from './collate.ts';
export { DataLoader, type DataLoaderOptions } from './dataloader.ts';
export {
  ChainDataset,
  ConcatDataset,
  Dataset,
  IterableDataset,
  type MapDataset,
  random_split,
  StackDataset,
  Subset,
  TensorDataset,
} from './dataset.ts';
export { DistributedSampler, type DistributedSamplerOptions } from './distributed.ts';
export {
  BatchSampler,
  RandomSampler,
  Sampler,
  SequentialSampler,
  SubsetRandomSampler,
  WeightedRandomSampler,
} from './sampler.ts';
export { get_worker_info, type WorkerInfo } from './worker-info.ts';
/** Where PyTorch has it, too: `torch.utils.data.distributed.DistributedSampler`. */
export * as distributed from './distributed.ts';
