/**
 * Names that PyTorch has and that are not here: using one is a NotImplementedError that names it, never `undefined is not a function`.
 *
 * They are caught at the end of the prototype chain, where only a name that is not there arrives: names that exist cost nothing,
 * `'fft' in torch` is false, and types know nothing of them.
 */
import { NotImplementedError } from '../core/errors.ts';
import { NAMES } from './names.ts';

const sets = new Map<string, ReadonlySet<string>>();

/** Public names of a namespace of PyTorch, such as `torch.nn`. */
export function namesOf(space: string): ReadonlySet<string> {
  let names = sets.get(space);
  if (names === undefined) sets.set(space, (names = new Set(NAMES[space].trim().split(/\s+/))));
  return names;
}

/** @throws NotImplementedError if PyTorch has this name, and it was not found here */
export function refuseAbsent(space: string, key: string): void {
  if (!namesOf(space).has(key)) return;
  const owner = space.slice(space.lastIndexOf('.') + 1);
  const question = owner === 'Tensor' ? `'${key}' in torch.Tensor.prototype` : `'${key}' in ${space}`;
  throw new NotImplementedError(
    `${space}.${key} is in PyTorch, but not implemented in torch-mtia (${question} is false). \`mtia ops\` lists what is there.`,
  );
}

/** Makes use of a name that is in PyTorch's namespace and not in this object an error. Returns the object. */
export function guard<T extends object>(object: T, space: string): T {
  const end = new Proxy(Object.prototype, {
    get(target, key, receiver) {
      if (typeof key === 'string') refuseAbsent(space, key);
      return Reflect.get(target, key, receiver);
    },
  });
  return Object.setPrototypeOf(object, end);
}
