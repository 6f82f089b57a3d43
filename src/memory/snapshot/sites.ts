/**
 * Creation sites: memory grouped by the stack that allocated it.
 */
import type { FrameTable } from './frames.ts';
import type { Block, Segment } from './snapshot.ts';
import type { Frame } from './types.ts';

/** What one place in the program holds. */
export interface Site {
  /** Innermost first; empty if no stack was recorded. The same arrays as the snapshot's: leave them as they are. */
  frames: readonly Frame[];
  bytes: number;
  /** Blocks. */
  count: number;
}

/** How a site is called in tables: `forward (layers.ts:12)`. */
export function siteName(frames: readonly Frame[]): string {
  if (frames.length === 0) return '(no stack recorded)';
  const { filename, line, name } = frames[0];
  return `${name} (${filename.slice(filename.lastIndexOf('/') + 1)}:${line})`;
}

/** Sums by stack: bytes and blocks. */
export class SiteSums {
  readonly #frames: FrameTable;
  readonly #sites = new Map<number, Site>();

  constructor(frames: FrameTable) {
    this.#frames = frames;
  }

  add(stack: number, bytes: number, count = 1): void {
    let site = this.#sites.get(stack);
    if (site === undefined) {
      site = { frames: stack < 0 ? [] : this.#frames.frames(stack), bytes: 0, count: 0 };
      this.#sites.set(stack, site);
    }
    site.bytes += bytes;
    site.count += count;
  }

  /** The largest first. */
  largest(limit = Infinity): Site[] {
    const sites = [...this.#sites.values()].filter((site) => site.count > 0);
    return sites.sort((a, b) => b.bytes - a.bytes || b.count - a.count).slice(0, limit);
  }
}

/** Blocks in use, with their segments. */
export function* allocatedBlocks(segments: readonly Segment[]): Generator<[Block, Segment]> {
  for (const segment of segments)
    for (const block of segment.blocks) if (block.state === 'active_allocated') yield [block, segment];
}
