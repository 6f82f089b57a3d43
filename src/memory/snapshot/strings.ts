/**
 * Strings, each kept once and known by a number. They are found by their UTF-8 bytes, so a reader of files makes no
 * JavaScript string for the millionth "N/A".
 */
import type { Budget } from './budget.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class Strings {
  #bytes = new Uint8Array(1024);
  /** Where each string starts in #bytes; one more entry for the end of the last. */
  #starts = [0];
  #hashes: number[] = [];
  #texts: (string | undefined)[] = [];
  /** Open addressing: number + 1, or 0. */
  #table = new Int32Array(256);
  readonly #budget: Budget | null;

  constructor(budget: Budget | null = null) {
    this.#budget = budget;
  }

  get size(): number {
    return this.#texts.length;
  }

  /** The number of a string. */
  intern(text: string): number {
    const bytes = encoder.encode(text);
    return this.internBytes(bytes, 0, bytes.length);
  }

  /** The number of the string whose UTF-8 bytes are `source[start]` up to, not including, `source[end]`. */
  internBytes(source: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ source[i], 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#table.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = this.#table[slot] - 1;
      if (found < 0) break;
      if (this.#hashes[found] === hash && this.#same(found, source, start, end)) return found;
    }
    return this.#add(hash, source, start, end);
  }

  get(number: number): string {
    let text = this.#texts[number];
    if (text === undefined) {
      text = decoder.decode(this.#bytes.subarray(this.#starts[number], this.#starts[number + 1]));
      this.#texts[number] = text;
    }
    return text;
  }

  #same(number: number, source: Uint8Array, start: number, end: number): boolean {
    const from = this.#starts[number];
    if (this.#starts[number + 1] - from !== end - start) return false;
    const bytes = this.#bytes;
    for (let i = start, j = from; i < end; i++, j++) if (source[i] !== bytes[j]) return false;
    return true;
  }

  #add(hash: number, source: Uint8Array, start: number, end: number): number {
    const number = this.#texts.length;
    const from = this.#starts[number];
    const to = from + (end - start);
    // Bytes, the text they may become, and the entry in each table.
    this.#budget?.charge(3 * (end - start) + 64);
    if (to > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(to, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, from));
      this.#bytes = larger;
    }
    this.#bytes.set(source.subarray(start, end), from);
    this.#starts.push(to);
    this.#hashes.push(hash);
    this.#texts.push(undefined);
    if (number * 2 >= this.#table.length) this.#rehash();
    else this.#enter(number, hash);
    return number;
  }

  #enter(number: number, hash: number): void {
    const mask = this.#table.length - 1;
    let slot = hash & mask;
    while (this.#table[slot] !== 0) slot = (slot + 1) & mask;
    this.#table[slot] = number + 1;
  }

  #rehash(): void {
    this.#table = new Int32Array(this.#table.length * 2);
    for (let i = 0; i < this.#hashes.length; i++) this.#enter(i, this.#hashes[i]);
  }
}
