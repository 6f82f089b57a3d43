/** Batches in pinned memory, as PyTorch's DataLoader makes them with `pin_memory`. */
import { isOptions } from '../core/signature.ts';
import { Tensor } from '../tensor/tensor.ts';
import { withNamesOf } from './collate.ts';

/** Something that knows how to pin itself. */
interface Pinnable {
  pin_memory(): unknown;
}

function pinsItself(data: unknown): data is Pinnable {
  return typeof data === 'object' && data !== null && typeof (data as Partial<Pinnable>).pin_memory === 'function';
}

/**
 * The same data with its tensors in pinned memory: within arrays, named tuples, plain objects and maps. What has a method
 * `pin_memory` of its own is asked by that; all else stays as it is.
 */
export function pinMemory<T>(data: T): T {
  return pinned(data) as T;
}

function pinned(data: unknown): unknown {
  if (data instanceof Tensor || pinsItself(data)) return data.pin_memory();
  if (Array.isArray(data)) return withNamesOf(data, data.map(pinned));
  if (data instanceof Map) return new Map(Array.from(data, ([key, value]) => [key, pinned(value)]));
  if (isOptions(data)) return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, pinned(value)]));
  return data;
}
