/**
 * What an allocator can do, as a snapshot's `device_traces` name it. The numbers are ours: inside the library an action
 * is a small integer, and only files and the public dictionaries have the names.
 */

/** Names in the order of their numbers. Further names, met in files of other versions, are added behind them. */
export const ACTION_NAMES = [
  'alloc',
  'free_requested',
  'free_completed',
  'segment_alloc',
  'segment_free',
  'segment_map',
  'segment_unmap',
  'oom',
  'snapshot',
  'user_defined',
  'annotate',
] as const;

export type ActionName = (typeof ACTION_NAMES)[number];

/** A block was handed out. Size: as requested. */
export const ALLOC = 0;
/** The owner let go of it. */
export const FREE_REQUESTED = 1;
/** It is back in the pool: no other stream uses it any more. */
export const FREE_COMPLETED = 2;
/** The device gave a segment. Size: the segment's. */
export const SEGMENT_ALLOC = 3;
export const SEGMENT_FREE = 4;
/** Expandable segments: memory was put behind a range of addresses, or taken away. Size: the range's. */
export const SEGMENT_MAP = 5;
export const SEGMENT_UNMAP = 6;
/** Out of memory. Size: the rounded request; the address is what was free on the device. */
export const OOM = 7;
/** A snapshot was taken. Size: active bytes. */
export const SNAPSHOT = 8;
export const USER_DEFINED = 9;
/** A label on a live block, in its metadata. */
export const ANNOTATE = 10;

const numbers = new Map<string, number>(ACTION_NAMES.map((name, number) => [name, number]));

/** The number of an action; -1 for a name that PyTorch does not have. */
export function actionNumber(name: string): number {
  return numbers.get(name) ?? -1;
}
