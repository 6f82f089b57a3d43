/** `torch.cuda`, `torch.xpu` and `torch.mps`: answer that they are not there, so that fallback chains run. */
import { RuntimeError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { absent } from './absent.ts';

/** `torch.cuda`: not there. */
export const cuda = absent('CUDA');

/** `torch.xpu`: not there. */
export const xpu = absent('XPU');

const missing =
  <Result>(name: string) =>
  (..._args: unknown[]): Result => {
    throw new RuntimeError(`Cannot execute ${name}() without MPS backend.`);
  };

/** `torch.mps`: not there. */
export const mps = {
  is_available: () => false,
  device_count: () => 0,
  manual_seed: (_seed: number | bigint) => {},
  synchronize: missing<void>('deviceSynchronize'),
  empty_cache: missing<void>('emptyCache'),
  seed: missing<bigint>('getDefaultGenerator'),
  get_rng_state: missing<Tensor>('getDefaultGenerator'),
  set_rng_state: missing<void>('getDefaultGenerator'),
  set_per_process_memory_fraction: missing<void>('setMemoryFraction'),
  current_allocated_memory: missing<number>('getCurrentAllocatedMemory'),
  driver_allocated_memory: missing<number>('getDriverAllocatedMemory'),
  recommended_max_memory: missing<number>('getRecommendedMaxMemory'),
};
