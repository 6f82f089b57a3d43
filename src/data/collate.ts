/** Putting samples together into a batch. */

import { IndexError, KeyError, RuntimeError, ValueError } from '../core/errors.ts';
import { isOptions } from '../core/signature.ts';
import { pyRepr } from '../nn/text.ts';
import { tensorFromData } from '../ops/from-data.ts';
import { stack } from '../ops/join.ts';
import { backendOf } from '../ops/options.ts';
import { Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';

/** A batch of samples of type T: what `default_collate` makes of them. */
export type Collated<T> = T extends Tensor
  ? Tensor
  : T extends number | bigint | boolean
    ? Tensor
    : T extends string
      ? string[]
      : T extends readonly unknown[]
        ? { [K in keyof T]: Collated<T[K]> }
        : T extends Record<string, unknown>
          ? { [K in keyof T]: Collated<T[K]> }
          : unknown;

/**
 * `torch.utils.data.default_collate(batch)`: tensors are stacked, numbers become a tensor (numbers the default dtype,
 * bigints int64, booleans bool), arrays and objects are collated member by member, strings stay an array.
 * @throws RuntimeError, TypeError with PyTorch's texts for samples that don't go together
 */
export function default_collate<T>(batch: readonly T[]): Collated<T> {
  if (!Array.isArray(batch)) throw new TypeError(`'${typeName(batch)}' object is not subscriptable`);
  if (batch.length === 0) throw new IndexError('list index out of range');
  return collate(batch, 0) as Collated<T>;
}

function collate(batch: readonly unknown[], depth: number): unknown {
  if (depth > 100) throw new ValueError('default_collate: samples are nested too deeply');
  const first = batch[0];
  if (first instanceof Tensor) {
    batch.forEach((sample, i) => {
      if (sample instanceof Tensor) return;
      throw new TypeError(`expected Tensor as element ${i} in argument 0, but got ${typeName(sample)}`);
    });
    return stack(batch as Tensor[], 0);
  }
  switch (typeof first) {
    case 'number':
    case 'bigint':
    case 'boolean':
      return tensorFromData(batch, null, backendOf(null));
    case 'string':
      return batch.slice();
  }
  if (ArrayBuffer.isView(first)) {
    return stack(
      batch.map((sample) => tensorFromData(sample, null, backendOf(null))),
      0,
    );
  }
  if (Array.isArray(first)) {
    const lists = batch as readonly (readonly unknown[])[];
    if (!lists.every((sample) => sample?.length === first.length)) {
      throw new RuntimeError('each element in list of batch should be of equal size');
    }
    const parts = first.map((_, i) =>
      collate(
        lists.map((sample) => sample[i]),
        depth + 1,
      ),
    );
    return withNamesOf(first, parts);
  }
  if (isOptions(first)) {
    const out: Record<string, unknown> = {};
    for (const key in first) {
      out[key] = collate(
        batch.map((sample) => member(sample, key)),
        depth + 1,
      );
    }
    return out;
  }
  if (first instanceof Map) {
    return new Map(
      Array.from(first.keys(), (key) => [
        key,
        collate(
          batch.map((sample) => member(sample, key)),
          depth + 1,
        ),
      ]),
    );
  }
  throw new TypeError(
    `default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class '${typeName(first)}'>`,
  );
}

/** @throws KeyError if a sample lacks what the first one has */
function member(sample: unknown, key: unknown): unknown {
  if (sample instanceof Map ? sample.has(key) : isOptions(sample) && Object.hasOwn(sample, key as string)) {
    return sample instanceof Map ? sample.get(key) : (sample as Record<string, unknown>)[key as string];
  }
  if (sample instanceof Map || isOptions(sample)) throw new KeyError(pyRepr(key));
  throw new TypeError(`'${typeName(sample)}' object is not subscriptable`);
}

/** What an array has by name, a named tuple's fields, is the same of the array made from it. */
export function withNamesOf(source: readonly unknown[], made: unknown[]): unknown[] {
  for (const name of Object.getOwnPropertyNames(source)) {
    if (Object.hasOwn(made, name)) continue;
    const at = source.indexOf((source as unknown as Record<string, unknown>)[name]);
    if (at >= 0) Object.defineProperty(made, name, { value: made[at] });
  }
  return made;
}

/**
 * `torch.utils.data.default_convert(data)`: what a loader does to samples that it does not collate: typed arrays become tensors,
 * in arrays, objects and maps too; all else stays as it is.
 */
export function default_convert<T>(data: T): unknown {
  return converted(data);
}

function converted(data: unknown): unknown {
  if (data instanceof Tensor) return data;
  if (ArrayBuffer.isView(data) && !(data instanceof DataView)) return tensorFromData(data, null, backendOf(null));
  if (Array.isArray(data)) return withNamesOf(data, data.map(converted));
  if (data instanceof Map) return new Map(Array.from(data, ([key, value]) => [key, converted(value)]));
  if (isOptions(data)) return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, converted(value)]));
  return data;
}
