/**
 * What keeps cached memory from being given back: a segment goes back to the device only as a whole, an expandable one by
 * whole pages, so that one small block in use holds all that lies free around it.
 */
import { LARGE_BUFFER, SMALL_BUFFER } from '../allocator/constants.ts';
import { type Site, SiteSums } from './sites.ts';
import { type Block, isActive, type Segment, type Snapshot } from './snapshot.ts';

/** A segment, or a page of an expandable one, that is partly in use. */
export interface Pin {
  readonly segment: Segment;
  /** Where the segment or page begins, and its bytes. */
  readonly address: number;
  readonly size: number;
  /** Bytes of it that nobody uses and nobody can give back. */
  readonly free: number;
  /** Bytes of it in use. */
  readonly used: number;
  /** The blocks in use there. */
  readonly blocks: readonly Block[];
  /** Who made them, the largest first; bytes are those of whole blocks. */
  readonly sites: readonly Site[];
}

/**
 * The pins of a device's segments, the most free bytes first.
 * @param largePage bytes of a page of the large pool's expandable segments
 */
export function segmentPins(snapshot: Snapshot, device: number, largePage = LARGE_BUFFER): Pin[] {
  const pins: Pin[] = [];
  for (const segment of snapshot.segments) {
    if (segment.device !== device) continue;
    const page = segment.segment_type === 'small' ? SMALL_BUFFER : largePage;
    addPins(snapshot, segment, segment.is_expandable ? page : segment.total_size, pins);
  }
  return pins.sort((a, b) => b.free - a.free || a.used - b.used);
}

/** Only the first and the last page of a block can be partly in use, so that it does not matter how many there are. */
function addPins(snapshot: Snapshot, segment: Segment, unit: number, pins: Pin[]): void {
  let page = -1;
  let used = 0;
  let blocks: Block[] = [];
  const turnTo = (next: number): void => {
    const address = segment.address + page * unit;
    const size = Math.min(unit, segment.total_size - page * unit);
    const free = size - used;
    if (page >= 0 && free > 0) {
      const sums = new SiteSums(snapshot.frames);
      for (const block of blocks) sums.add(block.stack, block.size);
      pins.push({ segment, address, size, free, used, blocks, sites: sums.largest() });
    }
    page = next;
    used = 0;
    blocks = [];
  };
  for (const block of segment.blocks) {
    if (!isActive(block) || block.size === 0) continue;
    const start = block.address - segment.address;
    const end = start + block.size;
    const first = Math.floor(start / unit);
    const last = Math.floor((end - 1) / unit);
    if (first !== page) turnTo(first);
    blocks.push(block);
    used += Math.min(end, (first + 1) * unit) - start;
    if (last === first) continue;
    turnTo(last);
    blocks.push(block);
    used = end - last * unit;
  }
  turnTo(-1);
}
