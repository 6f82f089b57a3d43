/**
 * `torch.mtia.memory`: PyTorch's names, the seven by which the articles know them, and CUDA's for what MTIA's namespace lacks.
 * Looking at figures does not use a device; every figure is a commit point (docs/memory.md).
 */
import { memory_allocated, memory_reserved } from './statistics.ts';

export {
  _allocation_traceback,
  _annotate_memory,
  _annotate_tensor,
  _dump_snapshot,
  _get_memory_metadata,
  _memory_metadata_supported,
  _record_memory_history,
  _set_memory_metadata,
  _snapshot,
  memory_snapshot,
  record_memory_history,
  snapshot,
  snapshotBytes,
} from './history.ts';
export {
  host_memory_stats,
  host_memory_stats_as_nested_dict,
  reset_accumulated_host_memory_stats,
  reset_peak_host_memory_stats,
} from '../host-memory.ts';
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
export { MemPool, type MemPoolOptions, use_mem_pool } from '../mempool.ts';
export {
  caching_allocator_alloc,
  caching_allocator_delete,
  caching_allocator_disabled,
  caching_allocator_enable,
} from './raw.ts';
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
  memory_summary,
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
