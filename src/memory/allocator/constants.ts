/**
 * The caching allocator's constants, in bytes, by PyTorch's names, and the actions of its trace.
 */

/** kMinBlockSize: every block is a multiple of it. */
export const MIN_BLOCK_SIZE = 512;
/** kSmallSize: the largest request of the small pool. */
export const SMALL_SIZE = 1_048_576;
/** kSmallBuffer: the size of the small pool's segments. */
export const SMALL_BUFFER = 2_097_152;
/** kMinLargeAlloc: requests below it share segments of the large segment size. */
export const MIN_LARGE_ALLOC = 10_485_760;
/** kLargeBuffer: the size of the large pool's shared segments, unless the settings say otherwise. */
export const LARGE_BUFFER = 20_971_520;
/** kRoundLarge: larger segments are a multiple of it. */
export const ROUND_LARGE = 2_097_152;
/** Requests from here on have an error text of their own. */
export const ONE_EXBIBYTE = 2 ** 60;

/** Actions of the trace, in the order of `TRACE_ACTIONS`. Numbers, so that events make no garbage. */
export const ALLOC = 0;
export const FREE_REQUESTED = 1;
export const FREE_COMPLETED = 2;
export const SEGMENT_ALLOC = 3;
export const SEGMENT_FREE = 4;
export const SEGMENT_MAP = 5;
export const SEGMENT_UNMAP = 6;
export const OOM = 7;
export const SNAPSHOT = 8;

/** The actions' names in PyTorch's snapshots; `TRACE_ACTIONS[ALLOC]` is 'alloc'. */
export const TRACE_ACTIONS = [
  'alloc',
  'free_requested',
  'free_completed',
  'segment_alloc',
  'segment_free',
  'segment_map',
  'segment_unmap',
  'oom',
  'snapshot',
] as const;
