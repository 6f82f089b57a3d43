/** `torch.mtia`: the virtual device. */
export { OutOfMemoryError } from '../core/errors.ts';
export { Event, Stream } from '../accelerator/stream.ts';
export {
  configure,
  current_device,
  device,
  device_count,
  get_device_capability,
  get_device_name,
  get_device_properties,
  init,
  is_available,
  is_bf16_supported,
  is_initialized,
  set_device,
  synchronize,
} from './device.ts';
export * as memory from './memory.ts';
export {
  empty_cache,
  max_memory_allocated,
  memory_allocated,
  memory_stats,
  reset_peak_memory_stats,
} from './memory.ts';
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
export { current_stream, default_stream, set_stream, stream } from './streams.ts';
