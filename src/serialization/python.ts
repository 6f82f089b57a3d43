/**
 * What JavaScript's values cannot tell by themselves of the Python values that they were: remembered beside them, so that what was
 * loaded is saved as it was.
 */
import { NotImplementedError } from '../core/errors.ts';
import { typeName } from '../tensor/type-name.ts';

/** Arrays that are tuples in Python. */
export const tuples = new WeakSet<object>();

/** Plain objects whose keys are ints in Python. */
export const intKeyed = new WeakSet<object>();

/** An array that is a tuple. */
export function tuple<T extends unknown[]>(items: T): T {
  tuples.add(items);
  return items;
}

export function isTuple(value: unknown): value is unknown[] {
  return Array.isArray(value) && tuples.has(value);
}

/** A dictionary while it is being read: only when it is complete one can say what it is in JavaScript. */
export class Dict {
  readonly items = new Map<unknown, unknown>();
  /** Attributes of an OrderedDict. */
  attributes: Map<unknown, unknown> | null = null;

  constructor(readonly python: 'dict' | 'collections.OrderedDict' | 'collections.Counter') {}
}

/** What a pickle may work with, but not hold in the end: functions, classes, storages. */
export class Internal {
  constructor(readonly what: string) {}

  refusal(): Error {
    return new NotImplementedError(
      `The file holds ${this.what} itself, which has no counterpart here: only tensors and plain values are loaded.`,
    );
  }
}

/** `<class 'int'>` */
export function className(value: unknown): string {
  if (value instanceof Internal) return `<class '${value.what}'>`;
  if (isTuple(value)) return "<class 'tuple'>";
  if (value instanceof Dict) return `<class '${value.python}'>`;
  if (value instanceof Uint8Array) return "<class 'bytes'>";
  const name = typeName(value);
  return `<class '${name === 'Tensor' ? 'torch.Tensor' : name}'>`;
}
