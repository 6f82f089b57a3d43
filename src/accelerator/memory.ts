/**
 * `torch.accelerator.memory`: statistics of the current accelerator's memory, in bytes. Asking does not use the device;
 * before its use, and where there is none, figures are 0 and the rest does nothing.
 */
import { configuration, deviceCount } from '../devices/registry.ts';
import type { Counter } from '../memory/counter.ts';
import * as mtia from '../mtia/memory.ts';
import { type AcceleratorDevice, indexOf, needAccelerator } from './device.ts';

const figuresOf = (device: AcceleratorDevice): Counter | null =>
  deviceCount() === 0 ? null : mtia.committed(indexOf(device));

/** `torch.accelerator.memory_stats(device)`: by key, sorted; `{}` before the device's first use. */
export function memory_stats(device_index?: AcceleratorDevice): Record<string, number> {
  const figures = figuresOf(device_index);
  if (figures === null) return {};
  return {
    'allocated_bytes.all.current': figures.allocated,
    'allocated_bytes.all.peak': figures.peak,
    num_ooms: figures.ooms,
    'reserved_bytes.all.current': figures.reserved,
    'reserved_bytes.all.peak': figures.peakReserved,
  };
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
  const figures = figuresOf(device_index);
  if (figures !== null) figures.ooms = 0;
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
  const total = configuration().memory;
  return [total - (figuresOf(device_index)?.reserved ?? 0), total];
}
