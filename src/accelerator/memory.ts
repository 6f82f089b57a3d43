/**
 * `torch.accelerator.memory`: statistics of the current accelerator's memory, in bytes. Asking does not use the device;
 * before its use, and where there is none, figures are 0 and the rest does nothing.
 */
import { deviceCount } from '../devices/registry.ts';
import type { AllocatorConsumer } from '../memory/allocator-consumer.ts';
import { committed } from '../mtia/memory/figures.ts';
import * as mtia from '../mtia/memory/index.ts';
import { flatStats } from '../mtia/memory/statistics.ts';
import { type AcceleratorDevice, indexOf, needAccelerator } from './device.ts';

export {
  empty_host_cache,
  host_memory_stats,
  host_memory_stats_as_nested_dict,
  reset_accumulated_host_memory_stats,
  reset_peak_host_memory_stats,
} from '../mtia/host-memory.ts';

const figuresOf = (device: AcceleratorDevice): AllocatorConsumer | null =>
  deviceCount() === 0 ? null : committed(indexOf(device));

/** `torch.accelerator.memory_stats(device)`: PyTorch's 122 flat keys, sorted; `{}` before the device's first use. */
export function memory_stats(device_index?: AcceleratorDevice): Record<string, number> {
  return deviceCount() === 0 ? {} : flatStats(indexOf(device_index));
}

/** `torch.accelerator.memory_allocated(device)`: of live tensors. */
export function memory_allocated(device_index?: AcceleratorDevice): number {
  return figuresOf(device_index)?.allocated ?? 0;
}

/** `torch.accelerator.max_memory_allocated(device)`: the peak of that. */
export function max_memory_allocated(device_index?: AcceleratorDevice): number {
  return figuresOf(device_index)?.peak ?? 0;
}

/** `torch.accelerator.memory_reserved(device)`: set aside on the device, in use or not. */
export function memory_reserved(device_index?: AcceleratorDevice): number {
  return figuresOf(device_index)?.reserved ?? 0;
}

/** `torch.accelerator.max_memory_reserved(device)`: the peak of that. */
export function max_memory_reserved(device_index?: AcceleratorDevice): number {
  return figuresOf(device_index)?.peakReserved ?? 0;
}

/** `torch.accelerator.reset_peak_memory_stats(device)`: peaks start again from what is now. */
export function reset_peak_memory_stats(device_index?: AcceleratorDevice): void {
  figuresOf(device_index)?.resetPeak();
}

/** `torch.accelerator.reset_accumulated_memory_stats(device)`: the counts since the start begin again from 0. */
export function reset_accumulated_memory_stats(device_index?: AcceleratorDevice): void {
  figuresOf(device_index)?.allocator.statistics.resetAccumulated();
}

/** `torch.accelerator.empty_cache()`: gives back what is reserved and not in use. */
export function empty_cache(): void {
  mtia.empty_cache();
}

/**
 * `torch.accelerator.get_memory_info(device)`: bytes free and bytes in all.
 * @throws RuntimeError where there is no accelerator
 */
export function get_memory_info(device_index?: AcceleratorDevice): [free: number, total: number] {
  needAccelerator();
  return mtia.mem_get_info(indexOf(device_index));
}

/** What people look for by CUDA's name; PyTorch has only `get_memory_info` here. */
export const mem_get_info: typeof get_memory_info = get_memory_info;

/** `torch.accelerator.memory._snapshot()`. */
export const _snapshot: typeof mtia.snapshot = mtia.snapshot;
/** `torch.accelerator.memory._record_memory_history(enabled, options)`. */
export const _record_memory_history: typeof mtia._record_memory_history = mtia._record_memory_history;
/** `torch.accelerator.memory._dump_snapshot(filename)`. */
export const _dump_snapshot: typeof mtia._dump_snapshot = mtia._dump_snapshot;
