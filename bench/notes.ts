/** By row: why it falls short of its target, found by profile, and what was tried. They go into docs/performance.md. */

const NEW_MEMORY =
  'results that are dropped come back at the next sweep only, so each is written to memory that no cache holds. With `dispose()` after each, add takes 93 µs in place of 370 (in place: 75), so the kernel is not what is slow.';

export const notes: Record<string, string> = {
  'add of 1M': NEW_MEMORY,
  'mul of 1M': NEW_MEMORY,
  'gelu of 1M':
    'bound by arithmetic, not by memory: in the cache an element takes 1.36 ns on one thread, where a multiplication by 2 takes 0.11, exp 0.63 and sigmoid 0.83, and vectors of WebAssembly have four lanes. Tried: the normal distribution as the ratio of two polynomials of degree 5 in x² costs a third less (1.12 against 1.74 ns in the same run), but float32 rounds it to 1.6e-7 (1.9e-7 without fused operations), beyond the 1.4e-7 that the tests ask for; choosing the last bits of the coefficients does not mend that. As a ratio of polynomials in |x| it takes more than degree 5 over 6.',
  'layer_norm 1024x1024, forward + backward':
    'the gradients of x, weight and bias are made in one pass over the rows since (before: three, which read the gradient three times); on one thread with `dispose()` backward takes 1.05 ms (before: 1.40) and forward 0.5.',
};
