/**
 * Cached blocks of one pool and stream, ordered by size, then address: best fit is its first block of at least a size.
 *
 * A list of short sorted runs in typed arrays. The runs' last keys lie side by side, so a search reads a few cache lines and
 * never the blocks themselves; an insertion moves half a run at most.
 */

/** Entries of a run at most. */
const RUN = 64;
/** A run with fewer is joined to a neighbour, if both together are at most this full: */
const SPARSE = 16;
const JOINED = 48;

export class FreeSet {
  /** Number of blocks. */
  count = 0;
  /** Runs in order: where each one's entries are, and its largest key (size, address). */
  private runs = 0;
  private order = new Int32Array(4);
  private last = new Float64Array(2 * 4);
  /** By place: number of entries, entries' keys and blocks. */
  private lengths = new Int32Array(4);
  private keys = new Float64Array(2 * 4 * RUN);
  private blocks = new Int32Array(4 * RUN);
  /** Places not in use. */
  private places: number[] = [3, 2, 1, 0];
  /** Where the last search ended: the run and the entry in it. */
  private run = 0;
  private entry = 0;

  /** The smallest block of at least `size` bytes, at the lowest address; 0 if there is none. Sets the cursor. */
  find(size: number): number {
    if (this.seek(size, -1)) return this.blocks[this.order[this.run] * RUN + this.entry];
    return 0;
  }

  /** The block after the cursor, to which the cursor moves; 0 at the end. */
  next(): number {
    if (++this.entry === this.lengths[this.order[this.run]]) {
      this.run++;
      this.entry = 0;
    }
    return this.run < this.runs ? this.blocks[this.order[this.run] * RUN + this.entry] : 0;
  }

  /** The block before the cursor, to which the cursor moves; 0 at the beginning. */
  previous(): number {
    if (this.entry === 0) {
      if (this.run === 0) return 0;
      this.entry = this.lengths[this.order[--this.run]];
    }
    return this.blocks[this.order[this.run] * RUN + --this.entry];
  }

  insert(block: number, size: number, address: number): void {
    this.count++;
    if (this.runs === 0) {
      this.openRun(0);
      this.put(0, 0, block, size, address);
      return;
    }
    if (!this.seek(size, address)) {
      this.run = this.runs - 1;
      this.entry = this.lengths[this.order[this.run]];
    }
    let run = this.run;
    let entry = this.entry;
    if (this.lengths[this.order[run]] === RUN) {
      this.splitRun(run);
      if (entry > RUN / 2) {
        run++;
        entry -= RUN / 2;
      }
    }
    this.put(run, entry, block, size, address);
  }

  /** Takes out the block with this key, which must be there. */
  remove(size: number, address: number): void {
    this.seek(size, address);
    this.removeFound();
  }

  /** Takes out the block at the cursor. The cursor is of no use afterwards. */
  removeFound(): void {
    this.count--;
    const { run, entry, keys, blocks } = this;
    const place = this.order[run];
    const length = --this.lengths[place];
    const end = place * RUN + length;
    for (let at = place * RUN + entry; at < end; at++) {
      keys[2 * at] = keys[2 * at + 2];
      keys[2 * at + 1] = keys[2 * at + 3];
      blocks[at] = blocks[at + 1];
    }
    if (length < SPARSE) {
      if (length === 0) {
        this.closeRun(run);
        return;
      }
      if (run + 1 < this.runs && length + this.lengths[this.order[run + 1]] <= JOINED) {
        this.joinRuns(run);
        return;
      }
      if (run > 0 && length + this.lengths[this.order[run - 1]] <= JOINED) {
        this.joinRuns(run - 1);
        return;
      }
    }
    if (entry === length) {
      this.last[2 * run] = keys[2 * end - 2];
      this.last[2 * run + 1] = keys[2 * end - 1];
    }
  }

  /** All blocks in order. */
  toArray(): number[] {
    const all: number[] = [];
    for (let run = 0; run < this.runs; run++) {
      const start = this.order[run] * RUN;
      for (let at = start; at < start + this.lengths[this.order[run]]; at++) all.push(this.blocks[at]);
    }
    return all;
  }

  /** Puts the cursor on the first entry that is not less than the key; false, and past the end, if there is none. */
  private seek(size: number, address: number): boolean {
    const { last, keys } = this;
    let low = 0;
    let high = this.runs;
    while (low < high) {
      const middle = (low + high) >> 1;
      const key = last[2 * middle];
      if (key < size || (key === size && last[2 * middle + 1] < address)) low = middle + 1;
      else high = middle;
    }
    this.run = low;
    this.entry = 0;
    if (low === this.runs) return false;
    const place = this.order[low];
    const start = place * RUN;
    low = start;
    high = start + this.lengths[place] - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const key = keys[2 * middle];
      if (key < size || (key === size && keys[2 * middle + 1] < address)) low = middle + 1;
      else high = middle;
    }
    this.entry = low - start;
    return true;
  }

  private put(run: number, entry: number, block: number, size: number, address: number): void {
    const { keys, blocks, lengths } = this;
    const place = this.order[run];
    const length = lengths[place]++;
    const at = place * RUN + entry;
    for (let to = place * RUN + length; to > at; to--) {
      keys[2 * to] = keys[2 * to - 2];
      keys[2 * to + 1] = keys[2 * to - 1];
      blocks[to] = blocks[to - 1];
    }
    keys[2 * at] = size;
    keys[2 * at + 1] = address;
    blocks[at] = block;
    if (entry === length) {
      this.last[2 * run] = size;
      this.last[2 * run + 1] = address;
    }
  }

  /** Makes room for a run before this one. */
  private openRun(run: number): void {
    const place = this.places.pop() ?? this.grow();
    if (this.runs === this.order.length) {
      const order = new Int32Array(2 * this.runs);
      order.set(this.order);
      this.order = order;
      const last = new Float64Array(4 * this.runs);
      last.set(this.last);
      this.last = last;
    }
    this.order.copyWithin(run + 1, run, this.runs);
    this.last.copyWithin(2 * run + 2, 2 * run, 2 * this.runs);
    this.order[run] = place;
    this.lengths[place] = 0;
    this.runs++;
  }

  private closeRun(run: number): void {
    this.places.push(this.order[run]);
    this.order.copyWithin(run, run + 1, this.runs);
    this.last.copyWithin(2 * run, 2 * run + 2, 2 * this.runs);
    this.runs--;
  }

  /** Moves the upper half of a full run to a new one after it. */
  private splitRun(run: number): void {
    this.openRun(run + 1);
    const half = RUN / 2;
    const from = this.order[run] * RUN;
    this.move(from + half, this.order[run + 1] * RUN, half);
    this.lengths[this.order[run]] = half;
    this.lengths[this.order[run + 1]] = half;
    this.last[2 * run + 2] = this.last[2 * run];
    this.last[2 * run + 3] = this.last[2 * run + 1];
    this.last[2 * run] = this.keys[2 * (from + half) - 2];
    this.last[2 * run + 1] = this.keys[2 * (from + half) - 1];
  }

  /** Appends the entries of the run after this one to it. */
  private joinRuns(run: number): void {
    const first = this.order[run];
    const second = this.order[run + 1];
    const added = this.lengths[second];
    this.move(second * RUN, first * RUN + this.lengths[first], added);
    this.lengths[first] += added;
    const end = first * RUN + this.lengths[first];
    this.closeRun(run + 1);
    this.last[2 * run] = this.keys[2 * end - 2];
    this.last[2 * run + 1] = this.keys[2 * end - 1];
  }

  private move(from: number, to: number, entries: number): void {
    this.keys.copyWithin(2 * to, 2 * from, 2 * (from + entries));
    this.blocks.copyWithin(to, from, from + entries);
  }

  /** Doubles the number of places and returns one of the new ones. */
  private grow(): number {
    const places = this.lengths.length;
    const lengths = new Int32Array(2 * places);
    lengths.set(this.lengths);
    this.lengths = lengths;
    const keys = new Float64Array(4 * places * RUN);
    keys.set(this.keys);
    this.keys = keys;
    const blocks = new Int32Array(2 * places * RUN);
    blocks.set(this.blocks);
    this.blocks = blocks;
    for (let place = 2 * places - 1; place > places; place--) this.places.push(place);
    return places;
  }
}
