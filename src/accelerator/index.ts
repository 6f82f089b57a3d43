/** `torch.accelerator`. */
export {
  current_accelerator,
  current_device_idx,
  current_device_index,
  current_stream,
  device_count,
  device_index,
  get_device_capability,
  is_available,
  set_device_idx,
  set_device_index,
  set_stream,
  synchronize,
} from './device.ts';
export { generate_graph_pool_handle, Graph } from './graphs.ts';
export * as memory from './memory.ts';
export * from './memory.ts';
export * as random from './random.ts';
