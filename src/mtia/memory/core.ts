/** What `torch.mtia.memory` has in the package's small entry point: figures and limits. */
import { memory_allocated, memory_reserved } from './statistics.ts';

export {
  attach_out_of_memory_observer,
  empty_cache,
  emptyStreamCache,
  get_allocator_backend,
  get_memory_info,
  get_per_process_memory_fraction,
  mem_get_info,
  set_per_process_memory_fraction,
  setAllocatorSettings,
} from './limits.ts';
export {
  cachedBytes,
  get_memory_stats,
  type Holder,
  holders,
  max_memory_allocated,
  max_memory_cached,
  max_memory_reserved,
  type MemoryLevel,
  type MemoryStats,
  memory_allocated,
  memory_cached,
  memory_reserved,
  memory_stats,
  memory_stats_as_nested_dict,
  type PinnedMemory,
  pinnedMemory,
  reset_accumulated_memory_stats,
  reset_max_memory_allocated,
  reset_max_memory_cached,
  reset_peak_memory_stats,
} from './statistics.ts';

/** The articles' name for `memory_allocated`. */
export const allocated: typeof memory_allocated = memory_allocated;
/** The articles' name for `memory_reserved`. */
export const reserved: typeof memory_reserved = memory_reserved;
