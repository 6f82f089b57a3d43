/**
 * Who holds memory at a moment of a trace that is run again.
 */
import { TRACE_FREE, TRACE_FREE_LATER, TRACE_MALLOC, type ImportedTrace } from '../allocator/trace.ts';
import { isActive, type Snapshot } from './snapshot.ts';
import { type Site, SiteSums } from './sites.ts';
import { ABSENT } from './trace.ts';

/**
 * What each creation site holds right before an event, largest first, in bytes as requested.
 * @param device index of the device that the trace was imported from
 * @param event number of the event in the imported trace
 */
export function holdersBefore(snapshot: Snapshot, device: number, imported: ImportedTrace, event: number): Site[] {
  const { trace, rows, initial } = imported;
  const recorded = snapshot.device_traces[device];
  const sums = new SiteSums(snapshot.frames);
  const freed = new Uint8Array(trace.allocations);
  for (let at = 0; at < event; at++) {
    if (trace.kinds[at] === TRACE_FREE || trace.kinds[at] === TRACE_FREE_LATER) freed[trace.ids[at]] = 1;
  }
  const known = event < trace.initial || initial.length > 0 ? stacksOfInitial(snapshot, device, imported) : null;
  for (let at = 0; at < event; at++) {
    if (trace.kinds[at] !== TRACE_MALLOC || freed[trace.ids[at]] === 1) continue;
    const stack = rows[at] < 0 ? known!.get(initial[at].address) : recorded.stacks.get(rows[at]);
    sums.add(stack ?? ABSENT, trace.sizes[at]);
  }
  return sums.largest();
}

/** Stacks by address of what was held when the trace began and is so at its end: of the rest nobody knows. */
function stacksOfInitial(snapshot: Snapshot, device: number, { trace, initial }: ImportedTrace): Map<number, number> {
  const kept = new Set(initial.map(({ address }) => address));
  for (let at = 0; at < trace.length; at++) {
    const ends = trace.kinds[at] === TRACE_FREE || trace.kinds[at] === TRACE_FREE_LATER;
    if (ends && trace.ids[at] < trace.initial) kept.delete(initial[trace.ids[at]].address);
  }
  const stacks = new Map<number, number>();
  for (const segment of snapshot.segments) {
    if (segment.device !== device) continue;
    for (const block of segment.blocks)
      if (isActive(block) && kept.has(block.address)) stacks.set(block.address, block.stack);
  }
  return stacks;
}
