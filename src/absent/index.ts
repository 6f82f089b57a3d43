/** `torch.cuda`, `torch.xpu` and `torch.mps`: answer that they are not there, so that fallback chains run. */
import { RuntimeError } from '../core/errors.ts';
import { absent } from './absent.ts';

/** `torch.cuda`: not there. */
export const cuda = absent('CUDA');

/** `torch.xpu`: not there. */
export const xpu = absent('XPU');

const missing = (name: string) => (): never => {
  throw new RuntimeError(`Cannot execute ${name}() without MPS backend.`);
};

/** `torch.mps`: not there. */
export const mps = {
  is_available: () => false,
  device_count: () => 0,
  manual_seed: (_seed: number | bigint) => {},
  synchronize: missing('deviceSynchronize'),
  empty_cache: missing('emptyCache'),
  seed: missing('getDefaultGenerator'),
  get_rng_state: missing('getDefaultGenerator'),
  set_rng_state: missing('getDefaultGenerator'),
  set_per_process_memory_fraction: missing('setMemoryFraction'),
  current_allocated_memory: missing('getCurrentAllocatedMemory'),
  driver_allocated_memory: missing('getDriverAllocatedMemory'),
  recommended_max_memory: missing('getRecommendedMaxMemory'),
};
