/**
 * What is left to be done for an object that owns something which the collector does not know of (backing store, a pool of
 * the allocator), if it dies without having been let go of.
 */
import type { Lifetimes } from '../memory/lifetimes.ts';
import { canSweep, onSweep } from '../memory/sweep.ts';

/** None of its functions may refer to the object. */
export class Remains {
  #open = true;

  /**
   * @param atOnce gives back what no figure depends on
   * @param figures what is to be told to the allocators, by device: once what came before it in the log was replayed
   */
  constructor(
    private readonly atOnce: () => void,
    private readonly figures: () => Iterable<[Lifetimes, () => void]>,
  ) {}

  get isOpen(): boolean {
    return this.#open;
  }

  /** The object is let go of. A commit point has just passed. */
  settle(): void {
    if (!this.#open) return;
    this.#open = false;
    this.atOnce();
    for (const [lifetimes, act] of this.figures()) {
      act();
      lifetimes.limitsChanged();
    }
  }

  /** The object was found to be dead. */
  settleLater(): void {
    if (!this.#open) return;
    this.#open = false;
    this.atOnce();
    for (const [lifetimes, act] of this.figures()) lifetimes.afterReplay.push(act);
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
  else (registry ??= new FinalizationRegistry((held) => held.settleLater())).register(owner, remains);
}

function look(): void {
  for (const { owner, remains } of watched) {
    if (remains.isOpen && owner.deref() === undefined) remains.settleLater();
  }
  watched = watched.filter(({ remains }) => remains.isOpen);
}
