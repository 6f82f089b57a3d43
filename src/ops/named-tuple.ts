/** PyTorch's named tuples: arrays of tensors with names, so that both `[v, i] = x.max(1)` and `{ values } = …` work. */
import type { Tensor } from '../tensor/tensor.ts';

export type NamedTuple<Names extends readonly string[]> = readonly Tensor[] & {
  readonly [K in keyof Names]: Tensor;
} & { readonly [K in Names[number]]: Tensor };

export function namedTuple<const Names extends readonly string[]>(names: Names, tensors: Tensor[]): NamedTuple<Names> {
  names.forEach((name, i) => {
    Object.defineProperty(tensors, name, { value: tensors[i] });
  });
  return tensors as unknown as NamedTuple<Names>;
}
