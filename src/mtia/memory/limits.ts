/** How much memory there is, how much of it may be used, and how the allocator goes about it. */
import { ValueError } from '../../core/errors.ts';
import {
  allocatorSettings,
  fractions,
  outOfMemoryObservers,
  setAllocatorSettings as apply,
} from '../../devices/figures.ts';
import { configuration, deviceCount, setMemoryFraction, trackedDevices } from '../../devices/registry.ts';
import type { OutOfMemoryObserver } from '../../memory/allocator/allocator.ts';
import { typeName } from '../../tensor/type-name.ts';
import { indexOf, type MtiaDevice } from '../device.ts';
import { allCommitted, attributeHere, committed } from './figures.ts';

/**
 * `torch.mtia.empty_cache()`: gives back the cached segments that no tensor lies in, on all devices. Nothing to do before the
 * first use.
 */
export function empty_cache(): void {
  for (const figures of allCommitted()) {
    attributeHere(figures);
    figures.allocator.emptyCache();
  }
  limitsChanged();
}

/** As `empty_cache`, for what is cached for one stream of the current device, such as one that is no longer used. Not in PyTorch. */
export function emptyStreamCache(stream: { stream_id: number; device_index: number }): void {
  const figures = committed(stream.device_index);
  if (figures === null) return;
  attributeHere(figures);
  figures.allocator.emptyCache(null, stream.stream_id);
  limitsChanged();
}

/** The allocator was acted on: what is left has to be asked for again. */
export function limitsChanged(): void {
  for (const { lifetimes } of trackedDevices()) lifetimes.limitsChanged();
}

/**
 * The share of a device's memory that this process may hold; more is an OutOfMemoryError. Works before the first use. What is
 * held already stays. As `torch.cuda.set_per_process_memory_fraction`, but a whole number will do.
 * @throws ValueError unless 0 <= fraction <= 1
 */
export function set_per_process_memory_fraction(fraction: number, device?: MtiaDevice): void {
  if (typeof fraction !== 'number') throw new TypeError('Invalid type for fraction argument, must be `float`');
  if (!(fraction >= 0 && fraction <= 1)) {
    throw new ValueError(`Invalid fraction value: ${fraction}. Allowed range: 0~1`);
  }
  const index = indexOf(device);
  if (deviceCount() > 0) setMemoryFraction(index, fraction);
}

/** `torch.cuda.get_per_process_memory_fraction(device)`: 1 if none was set. */
export function get_per_process_memory_fraction(device?: MtiaDevice): number {
  const index = indexOf(device);
  return (
    fractions.get(index) ?? committed(device)?.allocator.memoryFraction ?? allocatorSettings().perProcessMemoryFraction
  );
}

/**
 * `torch.cuda.mem_get_info(device)`: bytes of the device that nobody holds, and all there are. It falls by segments, not by
 * tensors, and rises when the cache is emptied.
 */
export function mem_get_info(device?: MtiaDevice): [free: number, total: number] {
  const figures = committed(device);
  const total = deviceCount() === 0 ? 0 : configuration().memory;
  return [figures === null ? total : figures.allocator.device.free, total];
}

/** The same by `torch.accelerator`'s name. */
export const get_memory_info: typeof mem_get_info = mem_get_info;

/**
 * The allocator's settings from now on, as in `PYTORCH_ALLOC_CONF`: `'expandable_segments:True,max_split_size_mb:128'`. As in
 * PyTorch, sizes, roundings and the threshold that are not named go back to their defaults.
 * @throws ValueError for what makes no sense; nothing changes then
 */
export function setAllocatorSettings(settings: string): void {
  if (typeof settings !== 'string') {
    throw new TypeError(`setAllocatorSettings(): argument 'settings' must be str, not ${typeName(settings)}`);
  }
  apply(settings, allCommitted());
  limitsChanged();
}

/** `torch.cuda.get_allocator_backend()`. */
export function get_allocator_backend(): string {
  return allocatorSettings().backend;
}

/**
 * `torch.mtia.attach_out_of_memory_observer(observer)`: called with the device's number, the bytes of the segment that was
 * asked for, what may be held, and what is free, before the OutOfMemoryError is thrown. Returns what takes it away again.
 */
export function attach_out_of_memory_observer(observer: OutOfMemoryObserver): () => void {
  if (typeof observer !== 'function') {
    throw new TypeError(
      `attach_out_of_memory_observer(): argument 'observer' must be function, not ${typeName(observer)}`,
    );
  }
  outOfMemoryObservers.add(observer);
  return () => void outOfMemoryObservers.delete(observer);
}
