/** What `torch.mtia` has in the package's small entry point. */
export { OutOfMemoryError } from '../core/errors.ts';
export { Event, Stream } from '../accelerator/stream.ts';
export {
  _exchange_device,
  _maybe_exchange_device,
  configure,
  current_device,
  device,
  device_count,
  get_device_capability,
  get_device_name,
  get_device_properties,
  is_available,
  is_bf16_supported,
  set_device,
  synchronize,
} from './device.ts';
export {
  _is_compiled,
  _is_in_bad_fork,
  _lazy_call,
  _lazy_init,
  default_generators,
  DeferredMtiaCallError,
  init,
  is_initialized,
} from './lazy.ts';
export * as memory from './memory/core.ts';
export {
  attach_out_of_memory_observer,
  empty_cache,
  get_memory_info,
  max_memory_allocated,
  mem_get_info,
  memory_allocated,
  memory_stats,
  reset_peak_memory_stats,
} from './memory/core.ts';
export {
  get_rng_state,
  get_rng_state_all,
  initial_seed,
  manual_seed,
  manual_seed_all,
  seed,
  seed_all,
  set_rng_state,
  set_rng_state_all,
} from './random.ts';
export {
  _set_stream_by_id,
  current_stream,
  default_stream,
  set_stream,
  stream,
  StreamContext,
} from './streams.ts';
