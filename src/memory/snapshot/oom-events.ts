/**
 * The requests of a trace that found no room, with what the device had then.
 */
import { OOM, SEGMENT_ALLOC, SEGMENT_FREE, SEGMENT_MAP, SEGMENT_UNMAP } from './actions.ts';
import type { Segment } from './snapshot.ts';
import { framesOf, type SnapshotTrace, timeOf } from './trace.ts';
import type { Frame } from './types.ts';

export interface OutOfMemoryEvent {
  event: number;
  time: number | null;
  /** Bytes that were asked for, rounded. */
  size: number;
  /** Bytes that the device had left. */
  deviceFree: number;
  /** Bytes held on the device. */
  reserved: number;
  frames: readonly Frame[];
}

/** @param segments of the device at the end of the trace */
export function outOfMemoryEvents(trace: SnapshotTrace, segments: readonly Segment[]): OutOfMemoryEvent[] {
  const { actions, addresses, sizes, length } = trace;
  const events: OutOfMemoryEvent[] = [];
  let reserved = 0;
  for (let at = 0; at < length; at++) {
    const action = actions.get(at);
    if (action === SEGMENT_ALLOC || action === SEGMENT_MAP) reserved += sizes.get(at);
    else if (action === SEGMENT_FREE || action === SEGMENT_UNMAP) reserved -= sizes.get(at);
    else if (action === OOM) {
      const [size, deviceFree] = [sizes.get(at), Math.max(0, addresses.get(at))];
      events.push({ event: at, time: timeOf(trace, at), size, deviceFree, reserved, frames: framesOf(trace, at) });
    }
  }
  // What was held at first follows from what is held at the end.
  const before = segments.reduce((sum, { total_size }) => sum + total_size, 0) - reserved;
  for (const event of events) event.reserved += before;
  return events;
}
