/** The context managers that capture a graph. */
import { type ContextGuard, context } from '../core/context.ts';

/**
 * As `context`. Where both the function and the end of the capture fail, the function's error is the one that is thrown: it is
 * the cause, and the other follows from it.
 */
export function captureContext<T>(
  name: string,
  fn: (() => T) | null | undefined,
  begin: () => () => void,
): T | ContextGuard {
  if (fn === null || fn === undefined) return context(name, begin);
  let cause: unknown;
  let failed = false;
  const enter = (): (() => void) => {
    const end = begin();
    return () => {
      try {
        end();
      } catch (error) {
        throw failed ? cause : error;
      }
    };
  };
  const body = (): T => {
    try {
      return fn();
    } catch (error) {
      failed = true;
      cause = error;
      throw error;
    }
  };
  return context(name, enter, body);
}
