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

/** Actions of the trace: numbers, so that events make no garbage. `TRACE_ACTIONS[ALLOC]` is its name in snapshots. */
export {
  ACTION_NAMES as TRACE_ACTIONS,
  ALLOC,
  FREE_COMPLETED,
  FREE_REQUESTED,
  OOM,
  SEGMENT_ALLOC,
  SEGMENT_FREE,
  SEGMENT_MAP,
  SEGMENT_UNMAP,
  SNAPSHOT,
} from '../snapshot/actions.ts';
