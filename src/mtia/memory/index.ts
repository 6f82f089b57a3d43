/**
 * `torch.mtia.memory`: PyTorch's names, the seven by which the articles know them, and CUDA's for what MTIA's namespace lacks.
 * Looking at figures does not use a device; every figure is a commit point (docs/memory.md).
 */
export * from './core.ts';
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
export { MemPool, type MemPoolOptions, use_mem_pool } from '../mempool.ts';
export {
  caching_allocator_alloc,
  caching_allocator_delete,
  caching_allocator_disabled,
  caching_allocator_enable,
} from './raw.ts';
export { memory_summary } from './summary.ts';
