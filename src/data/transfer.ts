/**
 * Batches between threads, which share no objects: tensors as their bytes, arrays, named tuples, plain objects and maps
 * member by member, all else as the engine copies it.
 */
import { parseDevice } from '../core/device.ts';
import { type DType, DTYPES } from '../core/dtype.ts';
import { isOptions } from '../core/signature.ts';
import { backendFor } from '../devices/registry.ts';
import { fromHost, toHost } from '../ops/host.ts';
import { Tensor } from '../tensor/tensor.ts';

/** What is sent: one telling key each, or a value as it is. */
type Packed =
  | { tensor: ArrayBuffer; dtype: string; sizes: number[]; device: string }
  | { array: Packed[]; names: Record<string, number> | null }
  | { object: Record<string, Packed> }
  | { map: [unknown, Packed][] }
  | { plain: unknown };

export interface Parcel {
  readonly packed: Packed;
  /** Go over to the other thread without a copy. */
  readonly buffers: ArrayBuffer[];
}

export function pack(value: unknown): Parcel {
  const buffers: ArrayBuffer[] = [];
  return { packed: packed(value, buffers), buffers };
}

function packed(value: unknown, buffers: ArrayBuffer[]): Packed {
  if (value instanceof Tensor) {
    const array = toHost(value);
    // A copy of its own, whatever it is a part of.
    const bytes = new Uint8Array(array.byteLength);
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    buffers.push(bytes.buffer);
    return {
      tensor: bytes.buffer,
      dtype: value.dtype.name,
      sizes: [...value.sizes],
      device: value.storage.backend.device.type,
    };
  }
  if (Array.isArray(value)) {
    return { array: value.map((v) => packed(v, buffers)), names: namesOf(value) };
  }
  if (value instanceof Map) return { map: Array.from(value, ([key, v]) => [key, packed(v, buffers)]) };
  if (isOptions(value)) {
    return { object: Object.fromEntries(Object.entries(value).map(([key, v]) => [key, packed(v, buffers)])) };
  }
  return { plain: value };
}

/** A named tuple's names with their positions; null where there are none. */
function namesOf(array: readonly unknown[]): Record<string, number> | null {
  let names: Record<string, number> | null = null;
  for (const name of Object.getOwnPropertyNames(array)) {
    if (name === 'length' || /^\d+$/.test(name)) continue;
    const at = array.indexOf((array as unknown as Record<string, unknown>)[name]);
    if (at >= 0) (names ??= {})[name] = at;
  }
  return names;
}

export function unpack(value: Packed): unknown {
  if ('tensor' in value) {
    const dtype = DTYPES.find((known) => known.name === value.dtype) as DType;
    return fromHost(backendFor(parseDevice(value.device)), value.sizes, dtype, new dtype.array(value.tensor));
  }
  if ('array' in value) {
    const array = value.array.map(unpack);
    for (const name in value.names) Object.defineProperty(array, name, { value: array[value.names[name]] });
    return array;
  }
  if ('map' in value) return new Map(value.map.map(([key, v]) => [key, unpack(v)]));
  if ('object' in value) {
    return Object.fromEntries(Object.entries(value.object).map(([key, v]) => [key, unpack(v)]));
  }
  return value.plain;
}

export type { Packed };
