/**
 * `torch.mtia.memory`: PyTorch's names, and the seven by which the articles know them. Looking at figures does not use
 * a device; every figure is a commit point (docs/memory.md).
 */
import { RuntimeError, ValueError } from '../core/errors.ts';
import {
  checkIndex,
  configuration,
  createdBackend,
  deviceCount,
  figuresOf,
  notAvailable,
  setMemoryFraction,
} from '../devices/registry.ts';
import { lifetimesOf } from '../devices/storage.ts';
import type { Counter } from '../memory/counter.ts';
import { indexOf, is_initialized, type MtiaDevice } from './device.ts';

/** Statistics of one level of a device's memory. Bytes, but for `num_ooms`. */
export interface MemoryLevel {
  /** Of live tensors, each rounded up to a multiple of 512. */
  allocated_bytes: number;
  /** The most that `allocated_bytes` has been since the start or `reset_peak_memory_stats`. */
  peak_bytes: number;
  /** Set aside on the device, in use or not. */
  reserved_bytes: number;
  /** Capacity. */
  total_bytes: number;
  /** What this process may use of it. */
  allowed_bytes: number;
  /** Allocations that found no room. */
  num_ooms: number;
}

export interface MemoryStats {
  dram: MemoryLevel;
}

/** The committed figures; null before the first use of the device, or where there is none. */
export function committed(device: MtiaDevice): Counter | null {
  const index = indexOf(device);
  if (deviceCount() === 0) return null;
  checkIndex(index);
  const backend = createdBackend(index);
  if (backend === null) return null;
  lifetimesOf(backend)!.commit();
  return figuresOf(index);
}

function statsOf(figures: Counter | null): MemoryStats {
  const total = configuration().memory;
  return {
    dram: {
      allocated_bytes: figures?.allocated ?? 0,
      peak_bytes: figures?.peak ?? 0,
      reserved_bytes: figures?.reserved ?? 0,
      total_bytes: total,
      allowed_bytes: figures?.allowed ?? total,
      num_ooms: figures?.ooms ?? 0,
    },
  };
}

/** `torch.mtia.memory_stats(device)`: `{}` before the first use of mtia. */
export function memory_stats(device?: MtiaDevice): MemoryStats | Record<string, never> {
  const figures = committed(device);
  return is_initialized() ? statsOf(figures) : {};
}

/** `torch.mtia.memory_allocated(device)`: bytes of live tensors, each rounded up to a multiple of 512. */
export function memory_allocated(device?: MtiaDevice): number {
  return committed(device)?.allocated ?? 0;
}

/** `torch.mtia.max_memory_allocated(device)`: the most that `memory_allocated` has been since the last reset. */
export function max_memory_allocated(device?: MtiaDevice): number {
  return committed(device)?.peak ?? 0;
}

/** Bytes set aside on the device. PyTorch has it as `torch.accelerator.memory_reserved`. */
export function memory_reserved(device?: MtiaDevice): number {
  return committed(device)?.reserved ?? 0;
}

/** `torch.mtia.reset_peak_memory_stats(device)`: the peak starts again from what is allocated now. */
export function reset_peak_memory_stats(device?: MtiaDevice): void {
  committed(device)?.resetPeak();
}

/** `torch.mtia.empty_cache()`: gives back what is reserved and not in use, on all devices. */
export function empty_cache(): void {
  // Nothing is cached yet, so finding dead tensors is all there is to give back.
  for (let index = 0; index < deviceCount(); index++) committed(index);
}

/**
 * The share of a device's memory that this process may use; more is an OutOfMemoryError. Works before the first use. As
 * `torch.cuda.set_per_process_memory_fraction`.
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

/** The articles' name for `memory_allocated`. */
export const allocated: typeof memory_allocated = memory_allocated;
/** The articles' name for `memory_reserved`. */
export const reserved: typeof memory_reserved = memory_reserved;

/**
 * The articles' name for `memory_stats`; unlike that, it throws where there is nothing to tell.
 * @throws RuntimeError before the first use of mtia, and where there is no device
 */
export function get_memory_stats(device?: MtiaDevice): MemoryStats {
  if (deviceCount() === 0) throw notAvailable();
  const figures = committed(device);
  if (!is_initialized()) {
    throw new RuntimeError(
      "MTIA memory tracking is not initialized: nothing has run on the device yet. Put something there first, such as torch.empty(1, { device: 'mtia' }), or call torch.mtia.init(). torch.mtia.memory_stats() gives {} here.",
    );
  }
  return statsOf(figures);
}
