/**
 * The growing arrays behind a reader: numbers of containers, items of those that are nothing special, and the memo of a
 * pickle. Each charges its growth to the reader's budget.
 */
import { type Budget, SnapshotError } from './budget.ts';

/** 32-bit integers. */
export class Ints {
  data = new Int32Array(64);
  length = 0;
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Adds one. @returns its index */
  push(value: number): number {
    if (this.length === this.data.length) {
      this.#budget.charge(this.data.byteLength);
      const larger = new Int32Array(this.length * 2);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length] = value;
    return this.length++;
  }
}

/**
 * Sequences of values, known by a number. Most come in one piece; what is added later becomes a further piece.
 */
export class Items {
  readonly #budget: Budget;
  #kinds = new Uint8Array(256);
  #numbers = new Float64Array(256);
  #used = 0;
  /** Of each piece: where it starts, how many values it has, the next piece of the sequence or -1. */
  readonly #starts: Ints;
  readonly #counts: Ints;
  readonly #next: Ints;
  /** Of sequences with several pieces: the last of them. */
  readonly #last = new Map<number, number>();

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#starts = new Ints(budget);
    this.#counts = new Ints(budget);
    this.#next = new Ints(budget);
  }

  /** A sequence of the values `from` up to, not including, `to`. @returns its number, which is not 0 */
  add(kinds: Uint8Array, numbers: Float64Array, from: number, to: number): number {
    const count = to - from;
    const start = this.#used;
    if (start + count > this.#kinds.length) {
      const size = Math.max(start + count, this.#kinds.length * 2);
      this.#budget.charge(9 * (size - this.#kinds.length));
      const largerKinds = new Uint8Array(size);
      largerKinds.set(this.#kinds);
      const largerNumbers = new Float64Array(size);
      largerNumbers.set(this.#numbers);
      this.#kinds = largerKinds;
      this.#numbers = largerNumbers;
    }
    for (let i = 0; i < count; i++) {
      this.#kinds[start + i] = kinds[from + i];
      this.#numbers[start + i] = numbers[from + i];
    }
    this.#used = start + count;
    this.#starts.push(start);
    this.#counts.push(count);
    return this.#next.push(-1);
  }

  /** Adds values to a sequence. */
  extend(sequence: number, kinds: Uint8Array, numbers: Float64Array, from: number, to: number): void {
    const last = this.#last.get(sequence) ?? sequence;
    // The values that were added last lie at the end: there is room behind them.
    const end = this.#starts.data[last] + this.#counts.data[last];
    const piece = this.add(kinds, numbers, from, to);
    if (end === this.#starts.data[piece]) {
      this.#counts.data[last] += to - from;
      this.#starts.length--;
      this.#counts.length--;
      this.#next.length--;
      return;
    }
    this.#budget.charge(64);
    this.#next.data[last] = piece;
    this.#last.set(sequence, piece);
  }

  each(sequence: number, visit: (kind: number, number: number, index: number) => void): void {
    let index = 0;
    for (let piece = sequence; piece >= 0; piece = this.#next.data[piece]) {
      const start = this.#starts.data[piece];
      const count = this.#counts.data[piece];
      for (let i = start; i < start + count; i++) visit(this.#kinds[i], this.#numbers[i], index++);
    }
  }
}

const BITS = 16;
const MASK = (1 << BITS) - 1;
/** Most pickles are small: the first piece starts with so many places. */
const FIRST = 256;
/** Memo numbers may run ahead of how many there are by this much: writers number densely, from 0 or from a few reserved ones. */
const AHEAD = 1 << 16;
const UNSET = 255;

/** What a pickle has remembered, by number. */
export class Memo {
  readonly #budget: Budget;
  readonly #kinds: Uint8Array[] = [new Uint8Array(FIRST).fill(UNSET)];
  readonly #numbers: Float64Array[] = [new Float64Array(FIRST)];
  /** How many numbers have been given. */
  count = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  put(slot: number, kind: number, number: number): void {
    const at = slot >>> BITS;
    if (at >= this.#kinds.length || (slot & MASK) >= this.#kinds[at].length) this.#makeRoom(slot);
    const kinds = this.#kinds[at];
    if (kinds[slot & MASK] === UNSET) this.count++;
    kinds[slot & MASK] = kind;
    this.#numbers[at][slot & MASK] = number;
  }

  #makeRoom(slot: number): void {
    if (slot > this.count + AHEAD) throw new SnapshotError(`memo number ${slot} comes out of order`);
    const at = slot >>> BITS;
    // Pieces are made in order, at most two at a time, and only the first is ever less than whole.
    for (let piece = 0; piece <= at; piece++) {
      const old = this.#kinds[piece]?.length ?? 0;
      const size = at > 0 ? 1 << BITS : Math.min(1 << BITS, 2 ** Math.ceil(Math.log2(slot + 1)));
      if (old >= size) continue;
      this.#budget.charge(9 * (size - old));
      const kinds = new Uint8Array(size).fill(UNSET);
      const numbers = new Float64Array(size);
      if (old > 0) {
        kinds.set(this.#kinds[piece]);
        numbers.set(this.#numbers[piece]);
      }
      this.#kinds[piece] = kinds;
      this.#numbers[piece] = numbers;
    }
  }

  /** The kind of what has this number; fails if there is nothing. */
  kind(slot: number): number {
    const kind = this.#kinds[slot >>> BITS]?.[slot & MASK] ?? UNSET;
    if (kind === UNSET) throw new SnapshotError(`memo number ${slot} is asked for and was never given`);
    return kind;
  }

  number(slot: number): number {
    return this.#numbers[slot >>> BITS][slot & MASK];
  }
}
