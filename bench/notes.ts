/** By row: why it falls short of its target, found by profile, and what was tried. They go into docs/performance.md. */

const NEW_MEMORY =
  'results that are dropped come back at the next collection of the young generation, after 32 to 128 MiB of them: each is written to memory that no cache holds, and shares in a collection of half a millisecond. That halved the time (full collections before: 1196 to 499 µs in one program, of which full sweeps were most), but with `dispose()` after each it is less by a third to a half still, so the kernel is not what is slow.';

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
    'all three products go by Winograd’s way (16 products for 36) in vectors of four; PyTorch’s are of eight or sixteen. The gradient of the weight was more than half of the time by the definition, and takes 0.4 of what it did. With BLAS on AVX-512 the definition is sooner than Winograd’s way; products of its tiles by the library were not tried.',
  'training step, digits CNN, batch 32':
    'its parts timed one by one on one thread: convolutions are about three quarters, batch norm an eighth; max_pool was a seventh until its rows of 8 went four windows at a time (650 to 113 µs). The second pool’s rows of 2 still go one window at a time, 0.3 ms.',
  'gelu of 1M':
    'bound by arithmetic, not by memory: in the cache an element takes 1.36 ns on one thread, where a multiplication by 2 takes 0.11, exp 0.63 and sigmoid 0.83, and vectors of WebAssembly have four lanes. Tried: the normal distribution as the ratio of two polynomials of degree 5 in x² costs a third less (1.12 against 1.74 ns in the same run), but float32 rounds it to 1.6e-7 (1.9e-7 without fused operations), beyond the 1.4e-7 that the tests ask for; choosing the last bits of the coefficients does not mend that. As a ratio of polynomials in |x| it takes more than degree 5 over 6.',
  'layer_norm 1024x1024, forward + backward':
    'the gradients of x, weight and bias are made in one pass over the rows since (before: three, which read the gradient three times); on one thread with `dispose()` backward takes 1.05 ms (before: 1.40) and forward 0.5.',
  'training step, character GPT, 4 layers, 128 wide, batch 16 x 64':
    'products of matrices are 77 % of its kernels’ time on one thread, attention’s softmax 12 %, packing 4 %: with all else for nothing it would be a tenth sooner. Compiled, an optimizer’s launches are one and chains of expressions are fused (478 launches to 445); fusing what comes before and after reductions was not tried.',
  'lifetimes, an operation, its result freed':
    'a collection at every 262,144th allocation is an eighth of it, the rest is the log’s and the allocator’s own work, which replays every allocation. Made smaller: logs in typed arrays, records that are used again at once.',
  'lifetimes, an operation, its result dropped':
    'a result that is dropped is known by a strong reference until the next sweep, and so is copied by V8’s young collections. Tried: tickets for small storages, too (below 64 KiB): a third less here, but what is freed exactly cost twice as much.',
  'memory_allocated() beside 100,000 storages':
    'a figure takes a full collection: of the heap with the library alone 9 to 17 ms (3.6 of Node.js alone), asking 100,000 WeakRefs 5 to 6, marking three objects of each storage the rest. Tried: thinner records (5 to 15 % of the collection), fewer passes, flags of the collector.',
};
