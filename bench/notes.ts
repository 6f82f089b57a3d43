/** By row: why it falls short of its target, found by profile, and what was tried. They go into docs/performance.md. */

const NEW_MEMORY =
  'results that are dropped come back at the next sweep only, so each is written to memory that no cache holds. With `dispose()` after each, add takes 93 µs in place of 370 (in place: 75), so the kernel is not what is slow.';

export const notes: Record<string, string> = {
  'add of 1M': NEW_MEMORY,
  'mul of 1M': NEW_MEMORY,
};
