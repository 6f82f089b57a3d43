/**
 * Where the program enters the library, while stacks are recorded. Looking at a stack takes the longer the deeper it is, and
 * all that one call of the library allocates and frees has the same place in the program: so it is looked at once, when
 * the call is about to return.
 */
import type { Boundary } from './stacks.ts';

/** Keeps what was allocated and freed without its place yet: the memory history. */
export interface Settler {
  /** Whether somebody will call `settle`. */
  deferring: boolean;
  /** How many wait for their place. */
  readonly pending: number;
  /**
   * Gives all but the first `from` of those that wait the place where the program is now.
   * @param above passed over, with all that it called
   */
  settle(from: number, above?: Boundary): void;
}

export const entry = {
  /** null: no stacks are recorded, and `recorded` need not be called. */
  settler: null as Settler | null,
};

/** `run(...args)`: a call by the program, or part of one. */
export function recorded<A extends unknown[], R>(run: (...args: A) => R, ...args: A): R {
  const { settler } = entry;
  if (settler === null || settler.deferring) return run(...args);
  const { pending } = settler;
  settler.deferring = true;
  try {
    return run(...args);
  } finally {
    settler.settle(pending, recorded);
    settler.deferring = false;
  }
}

/** `run(...args)`: code of the program that a call of the library runs, such as a hook. It is at places of its own. */
export function byProgram<A extends unknown[], R>(run: (...args: A) => R, ...args: A): R {
  const { settler } = entry;
  if (settler === null || !settler.deferring) return run(...args);
  settler.deferring = false;
  try {
    return run(...args);
  } finally {
    settler.deferring = true;
  }
}
