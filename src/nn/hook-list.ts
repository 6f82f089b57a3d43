/** Lists of hooks, as modules and optimizers have them. */
import type { RemovableHandle } from '../tensor/members.ts';
import { pyTypeName } from './text.ts';

/** Whether the hook comes before those that are there. */
export type PrependOption = boolean | { prepend?: boolean };

/** @throws TypeError unless it is a function */
export function checkHook(hook: unknown): void {
  if (typeof hook !== 'function') throw new TypeError(`expected a function as hook, but got ${pyTypeName(hook)}`);
}

/** Adds an entry to a list. `remove()` takes it out, and does nothing the second time. */
export function addEntry<T extends object>(list: T[], entry: T, prepend = false): RemovableHandle {
  if (prepend) list.unshift(entry);
  else list.push(entry);
  const remove = () => {
    const at = list.indexOf(entry);
    if (at >= 0) list.splice(at, 1);
  };
  return { remove, [Symbol.dispose]: remove };
}

/** Adds a hook to a list, where it may be more than once. */
export function addHook<T>(list: T[], hook: T, prepend = false): RemovableHandle {
  checkHook(hook);
  let there = true;
  if (prepend) list.unshift(hook);
  else list.push(hook);
  const remove = () => {
    if (there) list.splice(list.indexOf(hook), 1);
    there = false;
  };
  return { remove, [Symbol.dispose]: remove };
}
