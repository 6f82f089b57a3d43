/** Putting samples together into a batch. */

import { IndexError, RuntimeError, ValueError } from '../core/errors.ts';
import { isOptions } from '../core/signature.ts';
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
    return first.map((_, i) =>
      collate(
        lists.map((sample) => sample[i]),
        depth + 1,
      ),
    );
  }
  if (isOptions(first)) {
    const out: Record<string, unknown> = {};
    for (const key in first) {
      out[key] = collate(
        batch.map((sample) => (sample as Record<string, unknown>)[key]),
        depth + 1,
      );
    }
    return out;
  }
  throw new TypeError(
    `default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found ${typeName(first)}`,
  );
}
