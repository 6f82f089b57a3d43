/**
 * The two layouts of snapshots. Today's blocks have `frames` and `requested_size`; those of PyTorch up to 2.0 have a
 * `history` of what was allocated there, newest first. Old traces know nothing of time, labels and pools, and old files have neither
 * settings nor annotations.
 */
import type { FrameTable } from './frames.ts';
import type { Block, Segment } from './snapshot.ts';
import type { PlainValue } from './types.ts';

export type Layout = 'new' | 'old';

type Dict = { [key: string]: PlainValue };

/** What a segment's dictionary says besides its frames and blocks, in the order PyTorch writes it. */
export function segmentHead(segment: Segment, layout: Layout): Dict {
  const { stack, blocks, extras, ...all } = segment;
  if (layout === 'new') return { ...all, ...extras };
  const { requested_size, segment_pool_id, is_expandable, ...old } = all;
  return old;
}

/** A block in the old layout. One that was never used has no history. */
export function oldBlock(block: Block, frames: FrameTable): Dict {
  const { size, state, extras } = block;
  if (extras?.history !== undefined) return { size, state, history: extras.history };
  if (state === 'inactive') return { size, state };
  const last = { addr: block.address, real_size: block.requested_size, frames: frames.frames(block.stack) };
  return { size, state, history: [last] };
}

/** What a block in today's layout says besides the usual. */
export function newExtras(block: Block): Dict | null {
  if (block.extras?.history === undefined) return block.extras;
  const { history, ...rest } = block.extras;
  return Object.keys(rest).length === 0 ? null : rest;
}
