/** By row: why it falls short of its target, found by profile, and what was tried. They go into docs/performance.md. */

const NEW_MEMORY =
  'results that are dropped come back at the next sweep only, so each is written to memory that no cache holds. With `dispose()` after each, add takes 93 µs in place of 370 (in place: 75), so the kernel is not what is slow.';

const SMALL_ADD =
  'a third of it is V8 collecting: a storage is known by a strong reference until the next sweep, so each survives collections of the young generation, and is looked at by `loosen`, `collect` and `died` afterwards. On mtia the caching allocator sees each allocation and free besides, a tenth. The launch is not what costs: 0.05 µs through the ring (0.02 run inline), and the worker needs 0.13 µs for one, so it keeps up.';

const SMALL_STEP =
  'seven launches and seven allocations of nothing much, so it is what the host does around them: half of it in backward. On mtia the host needs as long as on cpu, and the worker 1 µs in all; what is slower there is a machine whose second core is busy, as the worker has to share it.';

export const notes: Record<string, string> = {
  'add of 10 (on mtia enqueued)': SMALL_ADD,
  'training step, the articles’ Linear(10, 5)': SMALL_STEP,
  'add of 1M': NEW_MEMORY,
  'mul of 1M': NEW_MEMORY,
};
