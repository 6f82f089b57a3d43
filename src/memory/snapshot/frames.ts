/**
 * Stack frames and stacks, each kept once and known by a number. A trace stores only the number of a stack: the same few
 * thousand stacks come back millions of times.
 */
import type { Budget } from './budget.ts';
import { Strings } from './strings.ts';
import type { Frame, PlainValue } from './types.ts';

/** The stack without frames. */
export const NO_FRAMES = 0;

export class FrameTable {
  readonly strings: Strings;
  readonly #budget: Budget | null;
  #filenames: number[] = [];
  #lines: number[] = [];
  #names: number[] = [];
  /** What else a frame says (fx_node_op …). Such frames are not merged with others. */
  #extras = new Map<number, { [key: string]: PlainValue }>();
  #frameTable = new Int32Array(256);
  /** Frames of all stacks, innermost first, one after the other. */
  #members = new Int32Array(1024);
  #starts = [0, 0];
  #hashes = [hashOf(new Int32Array(0), 0)];
  #stackTable = new Int32Array(256);
  #frames: Frame[] = [];
  #stacks: (Frame[] | undefined)[] = [];

  constructor(strings = new Strings(), budget: Budget | null = null) {
    this.strings = strings;
    this.#budget = budget;
    this.#enter(this.#stackTable, NO_FRAMES, this.#hashes[0]);
  }

  /** How many frames there are. */
  get frameCount(): number {
    return this.#lines.length;
  }

  /** How many stacks there are, the empty one included. */
  get stackCount(): number {
    return this.#hashes.length;
  }

  /** The number of a frame. @param filename and name: numbers in `strings` */
  internFrame(filename: number, line: number, name: number): number {
    const hash = mixFrame(filename, line, name);
    const mask = this.#frameTable.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = this.#frameTable[slot] - 1;
      if (found < 0) break;
      if (this.#lines[found] === line && this.#names[found] === name && this.#filenames[found] === filename)
        return found;
    }
    const frame = this.#addFrame(filename, line, name);
    if (frame * 2 >= this.#frameTable.length) {
      this.#frameTable = new Int32Array(this.#frameTable.length * 2);
      for (let i = 0; i <= frame; i++)
        if (!this.#extras.has(i))
          this.#enter(this.#frameTable, i, mixFrame(this.#filenames[i], this.#lines[i], this.#names[i]));
    } else this.#enter(this.#frameTable, frame, hash);
    return frame;
  }

  /** A frame with further facts, as PyTorch adds for code that was generated from a graph. */
  addFrameWithExtras(filename: number, line: number, name: number, extras: { [key: string]: PlainValue }): number {
    const frame = this.#addFrame(filename, line, name);
    this.#budget?.charge(256);
    this.#extras.set(frame, extras);
    return frame;
  }

  /** The number of the stack whose frames are the first `count` of `frames`, innermost first. */
  internStack(frames: Int32Array, count: number): number {
    const hash = hashOf(frames, count);
    const mask = this.#stackTable.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = this.#stackTable[slot] - 1;
      if (found < 0) break;
      if (this.#hashes[found] === hash && this.#same(found, frames, count)) return found;
    }
    const stack = this.#hashes.length;
    const from = this.#starts[stack];
    this.#budget?.charge(4 * count + 48);
    if (from + count > this.#members.length) {
      const larger = new Int32Array(Math.max(from + count, this.#members.length * 2));
      larger.set(this.#members.subarray(0, from));
      this.#members = larger;
    }
    this.#members.set(frames.subarray(0, count), from);
    this.#starts.push(from + count);
    this.#hashes.push(hash);
    if (stack * 2 >= this.#stackTable.length) {
      this.#stackTable = new Int32Array(this.#stackTable.length * 2);
      for (let i = 0; i <= stack; i++) this.#enter(this.#stackTable, i, this.#hashes[i]);
    } else this.#enter(this.#stackTable, stack, hash);
    return stack;
  }

  /** The number of a stack given as dictionaries. */
  stackOf(frames: readonly Frame[]): number {
    const numbers = new Int32Array(frames.length);
    for (let i = 0; i < frames.length; i++) {
      const { filename, line, name, ...extras } = frames[i];
      const [file, fn] = [this.strings.intern(filename), this.strings.intern(name)];
      numbers[i] =
        Object.keys(extras).length === 0
          ? this.internFrame(file, line, fn)
          : this.addFrameWithExtras(file, line, fn, extras as { [key: string]: PlainValue });
    }
    return this.internStack(numbers, numbers.length);
  }

  /** How many frames a stack has. */
  depth(stack: number): number {
    return this.#starts[stack + 1] - this.#starts[stack];
  }

  /** The number of a stack's frame; 0 is the innermost. */
  frameAt(stack: number, index: number): number {
    return this.#members[this.#starts[stack] + index];
  }

  /** A frame as a dictionary. The same frame gives the same object: leave it as it is. */
  frame(number: number): Frame {
    let frame = this.#frames[number];
    if (frame === undefined) {
      frame = {
        filename: this.strings.get(this.#filenames[number]),
        line: this.#lines[number],
        name: this.strings.get(this.#names[number]),
        ...this.#extras.get(number),
      };
      this.#frames[number] = frame;
    }
    return frame;
  }

  /** A stack as a list of dictionaries, innermost first. The same stack gives the same array: leave it as it is. */
  frames(stack: number): Frame[] {
    let list = this.#stacks[stack];
    if (list === undefined) {
      list = [];
      for (let i = this.#starts[stack]; i < this.#starts[stack + 1]; i++) list.push(this.frame(this.#members[i]));
      this.#stacks[stack] = list;
    }
    return list;
  }

  #addFrame(filename: number, line: number, name: number): number {
    this.#budget?.charge(64);
    this.#filenames.push(filename);
    this.#lines.push(line);
    this.#names.push(name);
    return this.#lines.length - 1;
  }

  #same(stack: number, frames: Int32Array, count: number): boolean {
    const from = this.#starts[stack];
    if (this.#starts[stack + 1] - from !== count) return false;
    for (let i = 0; i < count; i++) if (this.#members[from + i] !== frames[i]) return false;
    return true;
  }

  #enter(table: Int32Array, number: number, hash: number): void {
    const mask = table.length - 1;
    let slot = hash & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = number + 1;
  }
}

function mixFrame(filename: number, line: number, name: number): number {
  let hash = Math.imul(filename, 0x9e3779b1) ^ Math.imul(name, 0x85ebca6b) ^ Math.imul(line, 0xc2b2ae35);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x27d4eb2f);
  return hash ^ (hash >>> 13);
}

function hashOf(frames: Int32Array, count: number): number {
  let hash = count;
  for (let i = 0; i < count; i++) hash = Math.imul(hash ^ frames[i], 0x01000193) + (hash >>> 17);
  hash ^= hash >>> 15;
  return hash | 0;
}
