/** PyTorch's named tuples: arrays of tensors with names, so that both `[v, i] = x.max(1)` and `{ values } = …` work. */
import { clock } from '../memory/clock.ts';
import type { Tensor } from '../tensor/tensor.ts';

const INSPECT = Symbol.for('nodejs.util.inspect.custom');
/** Of which operation it is the result, and the names: for its text. */
const SHOWN = Symbol('shown');

/** Python's `repr`: `torch.return_types.max(values=…, indices=…)` on several lines. */
function show(this: Tensor[] & { readonly [SHOWN]?: [string, readonly string[]] }): string {
  const [operation, names] = this[SHOWN]!;
  return `torch.return_types.${operation}(\n${names.map((name, i) => `${name}=${this[i]}`).join(',\n')})`;
}

export type NamedTuple<Names extends readonly string[]> = readonly Tensor[] & {
  readonly [K in keyof Names]: Tensor;
} & { readonly [K in Names[number]]: Tensor };

export function namedTuple<const Names extends readonly string[]>(names: Names, tensors: Tensor[]): NamedTuple<Names> {
  names.forEach((name, i) => {
    Object.defineProperty(tensors, name, { value: tensors[i] });
  });
  Object.defineProperty(tensors, SHOWN, { value: [clock.operation, names] });
  Object.defineProperty(tensors, 'toString', { value: show });
  Object.defineProperty(tensors, INSPECT, { value: show });
  return tensors as unknown as NamedTuple<Names>;
}
