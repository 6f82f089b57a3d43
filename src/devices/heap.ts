/**
 * Bookkeeping of a device's heap: which byte ranges are free. Host-side only: it never touches the memory itself, as a
 * freed range may still be in use by launches in the queue.
 *
 * Small blocks (up to 32 KiB) come from size classes 64 bytes apart at first, then eight to a doubling; a class cuts
 * slabs into blocks and keeps the freed ones on a stack. Larger blocks are runs of 4 KiB granules, best fit out of
 * segregated lists, coalesced when freed. Slabs whose blocks are all free are given back by `reclaim`.
 *
 * Addresses are kept in units of 64 bytes, so that they are small integers up to 4 GiB.
 */

const UNIT_BITS = 6;
/** Units per granule. */
const GRANULE_BITS = 6;
export const GRANULE = 4096;

/** The largest small block, in units. */
const SMALL_UNITS = 512;
const SMALL_BYTES = SMALL_UNITS << UNIT_BITS;

/** Size of each class in units, and the class of every small size. */
const CLASS_UNITS: number[] = [];
const CLASS_OF = new Uint8Array(SMALL_UNITS + 1);
for (let units = 1, step = 1; units <= SMALL_UNITS; units += step) {
  if (units >= 16 && (units & (units - 1)) === 0) step = units >> 3;
  CLASS_UNITS.push(units);
}
for (let units = 1, c = 0; units <= SMALL_UNITS; units++) {
  if (units > CLASS_UNITS[c]) c++;
  CLASS_OF[units] = c;
}
const CLASSES = CLASS_UNITS.length;

/** Granules of a slab: 64 KiB, or eight blocks if those are more. */
const slabGranules = (units: number): number => Math.max(16, (8 * units) >> GRANULE_BITS);

/** Granules of 4 GiB. */
const MAX_GRANULES = 1 << 20;

/** Lists of free runs by size: one a size up to 15 granules, then sixteen a doubling. */
const BINS = 16 + 17 * 16;
function binOf(granules: number): number {
  if (granules < 16) return granules;
  const log = 31 - Math.clz32(granules);
  return (log - 3) * 16 + ((granules >> (log - 4)) & 15);
}

/** How many runs of a list are looked at: its sizes differ by 6 % at most, so the best of a few is good enough. */
const MAX_PROBES = 32;

export class Heap {
  /** Bytes handed out, counted in blocks as they were rounded. */
  get inUse(): number {
    return this.usedUnits * 64;
  }
  get peak(): number {
    return this.peakUnits * 64;
  }
  /** One past the last byte. */
  get end(): number {
    return this.endGranule * GRANULE;
  }
  /** What `reclaim` would give back. */
  get reclaimable(): number {
    return this.emptyGranules * GRANULE;
  }

  private usedUnits = 0;
  private peakUnits = 0;
  private emptyGranules = 0;
  private endGranule: number;

  // Small blocks: per class a stack of freed ones and the untouched part of its newest slab, in units.
  private readonly stacks: number[][] = [];
  private readonly bump = new Int32Array(CLASSES);
  private readonly bumpEnd = new Int32Array(CLASSES);
  // Slabs by number, from 1.
  private readonly slabStart: number[] = [0];
  private readonly slabSize: number[] = [0];
  private readonly live: number[] = [0];
  private readonly freeSlabs: number[] = [];

  // By granule. A run begins at g: size[g] is its length, negative if free. A free run ends at g: back[g] is its first
  // granule (0 otherwise; no run begins at granule 0). Lists of free runs: next and prev; 0 ends them.
  private size: Int32Array;
  private back: Int32Array;
  private next: Int32Array;
  private prev: Int32Array;
  /** Number of the slab that covers a granule. */
  private slabOf: Int32Array;
  private readonly bins = new Int32Array(BINS);
  private readonly occupied = new Int32Array((BINS + 31) >> 5);

  /** `begin` > 0 is a multiple of GRANULE. The heap is empty until it is extended. */
  constructor(begin: number) {
    this.endGranule = begin / GRANULE;
    const capacity = Math.max(1024, 2 * this.endGranule);
    this.size = new Int32Array(capacity);
    this.back = new Int32Array(capacity);
    this.next = new Int32Array(capacity);
    this.prev = new Int32Array(capacity);
    this.slabOf = new Int32Array(capacity);
    for (let c = 0; c < CLASSES; c++) this.stacks.push([]);
  }

  /** The byte address of a block, 64-byte aligned; 0 if nothing free is large enough. */
  allocate(bytes: number): number {
    if (bytes > SMALL_BYTES) {
      const granules = Math.ceil(bytes / GRANULE);
      if (granules > MAX_GRANULES) return 0;
      const g = this.take(granules);
      if (g !== 0) this.count(granules << GRANULE_BITS);
      return g * GRANULE;
    }
    const c = CLASS_OF[(bytes + 63) >>> UNIT_BITS];
    const units = CLASS_UNITS[c];
    const stack = this.stacks[c];
    let at: number;
    if (stack.length > 0) at = stack.pop() as number;
    else {
      at = this.bump[c];
      if (at + units > this.bumpEnd[c]) {
        if (!this.addSlab(c)) return 0;
        at = this.bump[c];
      }
      this.bump[c] = at + units;
    }
    const slab = this.slabOf[at >>> GRANULE_BITS];
    if (this.live[slab]++ === 0) this.emptyGranules -= this.slabSize[slab];
    this.count(units);
    return at * 64;
  }

  /** `bytes` as given to `allocate`. */
  free(address: number, bytes: number): void {
    if (bytes > SMALL_BYTES) {
      const granules = Math.ceil(bytes / GRANULE);
      this.usedUnits -= granules << GRANULE_BITS;
      this.release(address / GRANULE, granules);
      return;
    }
    const c = CLASS_OF[(bytes + 63) >>> UNIT_BITS];
    const at = address / 64;
    this.stacks[c].push(at);
    this.usedUnits -= CLASS_UNITS[c];
    const slab = this.slabOf[at >>> GRANULE_BITS];
    if (--this.live[slab] === 0) this.emptyGranules += this.slabSize[slab];
  }

  /** Adds `bytes` (a multiple of GRANULE) at the end. */
  extend(bytes: number): void {
    const granules = bytes / GRANULE;
    const first = this.endGranule;
    this.endGranule += granules;
    if (this.endGranule >= this.size.length) this.resize(Math.max(2 * this.size.length, this.endGranule + 1));
    this.release(first, granules);
  }

  /** Bytes that are free at the very end, which an extension would join. */
  get freeAtEnd(): number {
    const first = this.back[this.endGranule - 1];
    return first === 0 ? 0 : (this.endGranule - first) * GRANULE;
  }

  /** What must be free in a row for a request of `bytes`. */
  static needed(bytes: number): number {
    if (bytes > SMALL_BYTES) return Math.ceil(bytes / GRANULE) * GRANULE;
    return slabGranules(CLASS_UNITS[CLASS_OF[(bytes + 63) >>> UNIT_BITS]]) * GRANULE;
  }

  /** Makes empty slabs free for any size again. */
  reclaim(): void {
    if (this.emptyGranules === 0) return;
    const { slabOf, live } = this;
    for (let c = 0; c < CLASSES; c++) {
      const kept = this.stacks[c].filter((at) => live[slabOf[at >>> GRANULE_BITS]] > 0);
      this.stacks[c] = kept;
      if (this.bump[c] > 0 && live[slabOf[(this.bumpEnd[c] - 1) >>> GRANULE_BITS]] === 0) {
        this.bump[c] = this.bumpEnd[c] = 0;
      }
    }
    for (let slab = 1; slab < live.length; slab++) {
      if (live[slab] > 0 || this.slabSize[slab] === 0) continue;
      this.release(this.slabStart[slab], this.slabSize[slab]);
      this.slabSize[slab] = 0;
      this.freeSlabs.push(slab);
    }
    this.emptyGranules = 0;
  }

  private count(units: number): void {
    this.usedUnits += units;
    if (this.usedUnits > this.peakUnits) this.peakUnits = this.usedUnits;
  }

  private addSlab(c: number): boolean {
    const units = CLASS_UNITS[c];
    const granules = slabGranules(units);
    const g = this.take(granules);
    if (g === 0) return false;
    const slab = this.freeSlabs.pop() ?? this.live.length;
    this.slabStart[slab] = g;
    this.slabSize[slab] = granules;
    this.live[slab] = 0;
    this.emptyGranules += granules;
    this.slabOf.fill(slab, g, g + granules);
    this.bump[c] = g << GRANULE_BITS;
    // A whole number of blocks, so that the last unit tells the slab.
    this.bumpEnd[c] = this.bump[c] + Math.floor((granules << GRANULE_BITS) / units) * units;
    return true;
  }

  /** A run of granules, split off the smallest free one that holds it; 0 if there is none. */
  private take(granules: number): number {
    const { size, next } = this;
    let bin = binOf(granules);
    let best = 0;
    let probes = MAX_PROBES;
    for (let g = this.bins[bin]; g !== 0 && probes > 0; g = next[g], probes--) {
      const spare = -size[g] - granules;
      if (spare < 0 || (best !== 0 && size[g] <= size[best])) continue;
      best = g;
      if (spare === 0) break;
    }
    if (best === 0) {
      bin = this.nextBin(bin + 1);
      if (bin < 0) return 0;
      best = this.bins[bin];
      probes = MAX_PROBES;
      for (let g = next[best]; g !== 0 && probes > 0; g = next[g], probes--) if (size[g] > size[best]) best = g;
    }
    const found = -size[best];
    this.unlink(best, found);
    size[best] = granules;
    if (found > granules) this.link(best + granules, found - granules);
    return best;
  }

  /** Frees a run and joins it with its free neighbours. */
  private release(g: number, granules: number): void {
    const { size, back } = this;
    const after = g + granules;
    if (after < this.endGranule && size[after] < 0) {
      const more = -size[after];
      this.unlink(after, more);
      granules += more;
    }
    const before = back[g - 1];
    if (before !== 0) {
      const more = g - before;
      this.unlink(before, more);
      g = before;
      granules += more;
    }
    this.link(g, granules);
  }

  private link(g: number, granules: number): void {
    const bin = binOf(granules);
    const head = this.bins[bin];
    this.size[g] = -granules;
    this.back[g + granules - 1] = g;
    this.next[g] = head;
    this.prev[g] = 0;
    if (head !== 0) this.prev[head] = g;
    this.bins[bin] = g;
    this.occupied[bin >> 5] |= 1 << (bin & 31);
  }

  private unlink(g: number, granules: number): void {
    const { next, prev } = this;
    const bin = binOf(granules);
    const after = next[g];
    const before = prev[g];
    if (after !== 0) prev[after] = before;
    if (before !== 0) next[before] = after;
    else if ((this.bins[bin] = after) === 0) this.occupied[bin >> 5] &= ~(1 << (bin & 31));
    this.size[g] = 0;
    this.back[g + granules - 1] = 0;
  }

  /** The first list from `bin` on that isn't empty; -1 if all are. */
  private nextBin(bin: number): number {
    let word = bin >> 5;
    if (word >= this.occupied.length) return -1;
    let bits = this.occupied[word] & (-1 << (bin & 31));
    while (bits === 0) {
      if (++word === this.occupied.length) return -1;
      bits = this.occupied[word];
    }
    return (word << 5) + 31 - Math.clz32(bits & -bits);
  }

  private resize(capacity: number): void {
    const larger = (old: Int32Array): Int32Array => {
      const grown = new Int32Array(capacity);
      grown.set(old);
      return grown;
    };
    this.size = larger(this.size);
    this.back = larger(this.back);
    this.next = larger(this.next);
    this.prev = larger(this.prev);
    this.slabOf = larger(this.slabOf);
  }
}
