/**
 * Objects that own something which the collector does not know of: backing store, a pool of the allocator. Whoever makes one
 * says what remains to be done when it dies without having been let go of.
 */
import { canSweep, onSweep } from '../memory/sweep.ts';

/** What is done once, when the object was let go of or has died. It must not refer to the object. */
export class Remains {
  #settle: (() => void) | null;

  constructor(settle: () => void) {
    this.#settle = settle;
  }

  get settled(): boolean {
    return this.#settle === null;
  }

  settle(): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.();
  }
}

let watched: { readonly owner: WeakRef<object>; readonly remains: Remains }[] = [];
let registry: FinalizationRegistry<Remains> | null = null;
let looking = false;

/** Settles what remains of `owner` when it is found to be dead: by a sweep or, where there are none, between tasks. */
export function settleAtDeath(owner: object, remains: Remains): void {
  if (!looking) {
    looking = true;
    onSweep(look);
  }
  if (canSweep()) watched.push({ owner: new WeakRef(owner), remains });
  else (registry ??= new FinalizationRegistry((held) => held.settle())).register(owner, remains);
}

function look(): void {
  const before = watched;
  watched = before.filter(({ remains }) => !remains.settled);
  for (const entry of watched) if (entry.owner.deref() === undefined) entry.remains.settle();
  watched = watched.filter(({ remains }) => !remains.settled);
}
