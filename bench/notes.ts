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
  'conv2d 16x64x56x56, 64 filters 3x3, forward + backward':
    'all three products go by Winograd’s way (16 products for 36) in vectors of four; PyTorch’s are of eight or sixteen. The gradient of the weight was more than half of the time by the definition, and takes 0.4 of what it did. With BLAS the definition is sooner than Winograd’s way without it, by 1.3 to 1.8 times with AVX-512; products of its tiles by the library were not tried.',
  'training step, digits CNN, batch 32':
    'convolutions are about three quarters of the step on one thread, batch norm an eighth; max_pool was a seventh until its rows of 8 went four windows at a time (650 to 113 µs). The second pool’s rows of 2 still go one window at a time, 0.3 ms.',
};
