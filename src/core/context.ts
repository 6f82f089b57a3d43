/**
 * Python's context managers in their two JavaScript forms: `torch.no_grad(() => …)` and `using _ = torch.no_grad()`.
 * Contexts form one stack, since leaving them out of order would restore the wrong state.
 */
import { RuntimeError } from './errors.ts';

if (typeof Symbol.dispose !== 'symbol') {
  // Engines without `using` still let transpiled programs use it.
  Object.defineProperty(Symbol, 'dispose', { value: Symbol('Symbol.dispose') });
}

/** What a context manager gives when it is not called with a function: ends with `using` or `[Symbol.dispose]()`. */
export interface ContextGuard extends Disposable {
  /** Leaves the context; the same as `[Symbol.dispose]()`. */
  exit(): void;
}

const open: Guard[] = [];

class Guard implements ContextGuard {
  #leave: (() => void) | null;
  constructor(
    readonly name: string,
    leave: () => void,
  ) {
    this.#leave = leave;
    open.push(this);
  }

  exit(): void {
    if (this.#leave === null) return;
    const top = open[open.length - 1];
    if (top !== this) {
      throw new RuntimeError(
        `${this.name}: contexts must be left in the reverse order of entering them; '${top?.name ?? 'none'}' is still open`,
      );
    }
    open.pop();
    const leave = this.#leave;
    this.#leave = null;
    leave();
  }

  [Symbol.dispose](): void {
    this.exit();
  }
}

function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/**
 * Enters a context. With `fn`, runs it inside and returns its result; otherwise returns a guard for `using`.
 * `enter` changes the state and returns what restores it.
 * @throws TypeError when `fn` returns a promise: the context would end before the work does.
 */
export function context(name: string, enter: () => () => void): ContextGuard;
export function context<T>(name: string, enter: () => () => void, fn: () => T): T;
export function context<T>(name: string, enter: () => () => void, fn?: (() => T) | null): T | ContextGuard;
export function context<T>(name: string, enter: () => () => void, fn?: (() => T) | null): T | ContextGuard {
  if (fn === undefined || fn === null) return new Guard(name, enter());
  if (typeof fn !== 'function') {
    throw new TypeError(`${name}(): expected a function, or nothing for use with 'using', but got ${typeof fn}`);
  }
  const guard = new Guard(name, enter());
  const depth = open.length;
  let result: T;
  try {
    result = fn();
  } finally {
    // A guard left open inside the function belongs to it; the state it would restore is older than ours.
    while (open.length > depth) open[open.length - 1].exit();
    guard.exit();
  }
  if (isPromise(result)) {
    throw new TypeError(
      `${name}(): the function returned a promise, and the context has ended before its work is done; write 'using _ = ${name}()' inside the async function instead`,
    );
  }
  return result;
}
