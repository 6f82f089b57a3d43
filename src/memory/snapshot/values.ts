/**
 * What a reader builds while it reads: values as numbers in typed arrays, so that a file of a gigabyte does not become
 * many gigabytes of objects. A value is a kind and a number; containers are numbers of lists and dictionaries. Dictionaries that are
 * stack frames or trace events are recognised when they are complete and kept as rows of tables; lists of frames become stacks.
 *
 * Pickle and JSON are two front ends of this stack machine. It is meant for hostile input: whatever grows is charged to a budget.
 */
import { ACTION_NAMES, OOM } from './actions.ts';
import { type Budget, SnapshotError } from './budget.ts';
import { FrameTable, NO_FRAMES } from './frames.ts';
import { Ints, Items, Memo } from './store.ts';
import { Strings } from './strings.ts';
import { ABSENT, packPool, SnapshotTrace } from './trace.ts';
import type { PlainValue } from './types.ts';

// Kinds of values.
export const NONE = 0;
export const FALSE = 1;
export const TRUE = 2;
/** The number is the value. */
export const INT = 3;
export const FLOAT = 4;
/** Integers beyond 2^53: the number is an index into `bigs`. */
export const BIG = 5;
/** The number of a string. */
export const STRING = 6;
/** The number of a list. */
export const LIST = 7;
export const TUPLE = 8;
/** A tuple of two small integers, the id of a pool: packed. */
export const PAIR = 9;
/** The number of a dictionary. */
export const DICT = 10;
/** One of the few functions that are allowed: its index. */
export const GLOBAL = 11;

const KIND_NAMES = 'None|bool|bool|int|float|int|str|list|tuple|tuple|dict|function'.split('|');

export function kindName(kind: number): string {
  return KIND_NAMES[kind];
}

// What a list or dictionary turned out to be, in the two low bits of its entry; the entry of an empty one is 0.
const GENERIC = 1;
/** A list: a stack. A dictionary: a frame. */
const STACK = 2;
const FRAME = 2;
/** A list: events, as runs of rows. A dictionary: a row. */
const EVENTS = 3;
const EVENT = 3;

/** Keys with a meaning in frames and events: their numbers as strings are their places here. */
const KEYS = [
  ...['action', 'addr', 'device_free', 'size', 'stream', 'time_us', 'frames', 'user_metadata', 'compile_context'],
  ...['pool_id', 'category', 'filename', 'line', 'name'],
];
/** Those and the actions, as they are in files. */
const KNOWN_BYTES = [...KEYS, ...ACTION_NAMES].map((text) => new TextEncoder().encode(text));
const [ACTION, ADDR, DEVICE_FREE, SIZE, STREAM, TIME, FRAMES, METADATA, CONTEXT, POOL, CATEGORY, FILENAME, LINE, NAME] =
  KEYS.keys();
const FRAME_MASK = (1 << FILENAME) | (1 << LINE) | (1 << NAME);

/** What is kept of an address beyond 2^53. Intel GPUs have all of theirs above 0xff00000000000000: the rest tells them apart. */
const ADDRESS_BITS = 52;

/** Values may be nested this deep. */
const MAX_DEPTH = 100;

export class Values {
  readonly budget: Budget;
  readonly strings: Strings;
  readonly frames: FrameTable;
  /** All events, in the order in which they were completed. */
  readonly rows: SnapshotTrace;
  readonly memo: Memo;
  readonly bigs: bigint[] = [];

  /** The stack: kinds and numbers. */
  kinds = new Uint8Array(256);
  numbers = new Float64Array(256);
  top = 0;
  readonly marks: number[] = [];

  readonly #lists: Ints;
  readonly #dicts: Ints;
  readonly #items: Items;
  /** Runs of rows: first row and count, alternating. */
  readonly #runs: number[][] = [];
  #rowBytes = 0;
  #scratch = new Int32Array(64);

  constructor(budget: Budget) {
    this.budget = budget;
    this.strings = new Strings(budget);
    this.frames = new FrameTable(this.strings, budget);
    this.rows = new SnapshotTrace(this.frames);
    this.memo = new Memo(budget);
    this.#lists = new Ints(budget);
    this.#dicts = new Ints(budget);
    this.#items = new Items(budget);
    for (const bytes of KNOWN_BYTES) this.strings.internBytes(bytes, 0, bytes.length);
  }

  push(kind: number, number: number): void {
    const { top } = this;
    if (top === this.kinds.length) this.#grow();
    this.kinds[top] = kind;
    this.numbers[top] = number;
    this.top = top + 1;
  }

  #grow(): void {
    const { kinds, numbers } = this;
    this.budget.charge(9 * kinds.length);
    this.kinds = new Uint8Array(kinds.length * 2);
    this.kinds.set(kinds);
    this.numbers = new Float64Array(numbers.length * 2);
    this.numbers.set(numbers);
  }

  pushBig(value: bigint): void {
    if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) {
      this.push(INT, Number(value));
      return;
    }
    this.budget.charge(64);
    this.push(BIG, this.bigs.push(value) - 1);
  }

  mark(): void {
    this.budget.charge(8);
    this.marks.push(this.top);
  }

  /** Where the items after the last mark begin; takes the mark away. */
  popMark(): number {
    const mark = this.marks.pop();
    if (mark === undefined) throw new SnapshotError('the file closes a list or dictionary that it never opened');
    this.budget.charge(-8);
    return mark;
  }

  /** Fails unless there are so many values above the last mark. */
  need(count: number): void {
    const { marks } = this;
    const base = marks.length === 0 ? 0 : marks[marks.length - 1];
    if (this.top - base < count) throw new SnapshotError('the file takes more values than it has given');
  }

  // ---- containers ----------------------------------------------------------------------------------------------

  pushList(): void {
    this.push(LIST, this.#lists.push(0));
  }

  pushDict(): void {
    this.push(DICT, this.#dicts.push(0));
  }

  /** Makes a tuple of the values from `from` on, in their place. */
  tuple(from: number): void {
    const { kinds, numbers } = this;
    if (this.top - from === 2 && kinds[from] === INT && kinds[from + 1] === INT) {
      const pair = packPool(numbers[from], numbers[from + 1]);
      if (pair !== ABSENT) {
        this.top = from;
        this.push(PAIR, pair);
        return;
      }
    }
    const tuple = this.#lists.push(0);
    if (this.top > from) this.#lists.data[tuple] = (this.#items.add(kinds, numbers, from, this.top) << 2) | GENERIC;
    this.top = from;
    this.push(TUPLE, tuple);
  }

  /** Adds the values from `from` on to the list below them. */
  append(from: number): void {
    const { kinds, numbers, top } = this;
    if (from < 1 || kinds[from - 1] !== LIST)
      throw new SnapshotError(`the file appends to ${from < 1 ? 'nothing' : `a ${kindName(kinds[from - 1])}`}`);
    if (top === from) return;
    this.top = from;
    const list = numbers[from - 1];
    const entry = this.#lists.data[list];
    const what = this.#allAre(from, top);
    if (entry === 0) {
      if (what === FRAME) this.#lists.data[list] = (this.#stack(from, top, NO_FRAMES) << 2) | STACK;
      else if (what === EVENT) {
        this.budget.charge(64);
        this.#lists.data[list] = (this.#runs.length << 2) | EVENTS;
        this.#runs.push([]);
        this.#addRows(this.#runs.length - 1, from, top);
      } else this.#lists.data[list] = (this.#items.add(kinds, numbers, from, top) << 2) | GENERIC;
      return;
    }
    const at = entry >>> 2;
    switch (entry & 3) {
      case GENERIC:
        this.#items.extend(at, kinds, numbers, from, top);
        return;
      case STACK:
        if (what !== FRAME) throw new SnapshotError('a list of stack frames holds something else as well');
        this.#lists.data[list] = (this.#stack(from, top, at) << 2) | STACK;
        return;
      default:
        if (what !== EVENT) throw new SnapshotError('a trace holds something that is not an event');
        this.#addRows(at, from, top);
    }
  }

  /** FRAME or EVENT if all those values are dictionaries of that sort, otherwise GENERIC. */
  #allAre(from: number, to: number): number {
    const { kinds, numbers } = this;
    if (kinds[from] !== DICT) return GENERIC;
    const dicts = this.#dicts.data;
    const what = dicts[numbers[from]] & 3;
    if (what !== FRAME && what !== EVENT) return GENERIC;
    for (let i = from + 1; i < to; i++) if (kinds[i] !== DICT || (dicts[numbers[i]] & 3) !== what) return GENERIC;
    return what;
  }

  /** The stack of those frames after those of another stack. */
  #stack(from: number, to: number, before: number): number {
    const depth = this.frames.depth(before);
    const count = depth + to - from;
    if (count > this.#scratch.length) {
      this.budget.charge(8 * count);
      this.#scratch = new Int32Array(count * 2);
    }
    const scratch = this.#scratch;
    for (let i = 0; i < depth; i++) scratch[i] = this.frames.frameAt(before, i);
    const dicts = this.#dicts.data;
    const { numbers } = this;
    for (let i = from, j = depth; i < to; i++, j++) scratch[j] = dicts[numbers[i]] >>> 2;
    return this.frames.internStack(scratch, count);
  }

  #addRows(list: number, from: number, to: number): void {
    const runs = this.#runs[list];
    const dicts = this.#dicts.data;
    for (let i = from; i < to; i++) {
      const row = dicts[this.numbers[i]] >>> 2;
      const last = runs.length - 2;
      if (last >= 0 && runs[last] + runs[last + 1] === row) runs[last + 1]++;
      else {
        this.budget.charge(16);
        runs.push(row, 1);
      }
    }
  }

  /** Enters the keys and values from `from` on into the dictionary below them. */
  setItems(from: number): void {
    const { kinds, numbers, top } = this;
    if (from < 1 || kinds[from - 1] !== DICT)
      throw new SnapshotError(`the file sets a key of ${from < 1 ? 'nothing' : `a ${kindName(kinds[from - 1])}`}`);
    if ((top - from) % 2 !== 0) throw new SnapshotError('a dictionary has a key without a value');
    if (top === from) return;
    this.top = from;
    const dict = numbers[from - 1];
    const entry = this.#dicts.data[dict];
    if (entry !== 0) {
      if ((entry & 3) !== GENERIC)
        throw new SnapshotError(`a ${(entry & 3) === FRAME ? 'stack frame' : 'trace event'} is written in two pieces`);
      this.#items.extend(entry >>> 2, kinds, numbers, from, top);
      return;
    }
    let mask = 0;
    for (let i = from; i < top; i += 2) if (kinds[i] === STRING && numbers[i] < KEYS.length) mask |= 1 << numbers[i];
    if ((mask & (1 << ACTION)) !== 0 && (mask & ((1 << ADDR) | (1 << DEVICE_FREE))) !== 0) {
      this.#dicts.data[dict] = (this.#event(from, top) << 2) | EVENT;
      return;
    }
    if ((mask & FRAME_MASK) === FRAME_MASK) {
      const frame = this.#frame(from, top);
      if (frame !== ABSENT) {
        this.#dicts.data[dict] = (frame << 2) | FRAME;
        return;
      }
    }
    this.#dicts.data[dict] = (this.#items.add(kinds, numbers, from, top) << 2) | GENERIC;
  }

  /** The number of the frame that those keys and values are; ABSENT if they have other types. */
  #frame(from: number, to: number): number {
    const { kinds, numbers } = this;
    let filename = ABSENT;
    let line = ABSENT;
    let name = ABSENT;
    let others: { [key: string]: PlainValue } | null = null;
    for (let i = from; i < to; i += 2) {
      const key = kinds[i] === STRING ? numbers[i] : ABSENT;
      const kind = kinds[i + 1];
      if (key === FILENAME && kind === STRING) filename = numbers[i + 1];
      else if (key === NAME && kind === STRING) name = numbers[i + 1];
      else if (key === LINE && kind === INT) line = numbers[i + 1];
      else if (key === FILENAME || key === NAME || key === LINE || key === ABSENT) return ABSENT;
      else define((others ??= {}), this.strings.get(key), this.plain(kind, numbers[i + 1]));
    }
    // Lines are kept in 32 bits: others are no lines.
    if (line !== (line | 0)) return ABSENT;
    return others === null
      ? this.frames.internFrame(filename, line, name)
      : this.frames.addFrameWithExtras(filename, line, name, others);
  }

  /** The number of the row that those keys and values become. */
  #event(from: number, to: number): number {
    const { kinds, numbers, rows } = this;
    let action = ABSENT;
    let address = ABSENT;
    let free = ABSENT;
    let size = ABSENT;
    let stream = ABSENT;
    let time = ABSENT;
    let stack = ABSENT;
    let metadata = ABSENT;
    let context = ABSENT;
    let pool = ABSENT;
    let category = ABSENT;
    let others: { [key: string]: PlainValue } | null = null;
    for (let i = from; i < to; i += 2) {
      const kind = kinds[i + 1];
      const number = numbers[i + 1];
      switch (kinds[i] === STRING ? numbers[i] : ABSENT) {
        case ACTION:
          if (kind !== STRING) throw new SnapshotError(`the action of a trace event is a ${kindName(kind)}, not a str`);
          action = number - KEYS.length;
          if (action < 0 || action >= ACTION_NAMES.length) action = rows.actionNumber(this.strings.get(number));
          continue;
        case ADDR:
          address = kind === BIG ? this.addressOf(number) : this.#count(kind, number, 'addr');
          continue;
        case DEVICE_FREE:
          free = this.#count(kind, number, 'device_free');
          continue;
        case SIZE:
          size = this.#count(kind, number, 'size');
          continue;
        case STREAM:
          stream = this.#count(kind, number, 'stream');
          continue;
        case TIME:
          if (kind !== INT && kind !== FLOAT) break;
          time = number;
          continue;
        case FRAMES:
          if (kind === NONE) continue;
          if (kind !== LIST) break;
          stack = this.stackOf(number);
          if (stack === ABSENT) break;
          continue;
        case METADATA:
          if (kind !== STRING) break;
          metadata = number;
          continue;
        case CONTEXT:
          if (kind !== STRING) break;
          context = number;
          continue;
        case CATEGORY:
          if (kind !== STRING) break;
          category = number;
          continue;
        case POOL:
          pool = this.poolOf(kind, number);
          if (pool === ABSENT) break;
          continue;
      }
      define((others ??= {}), this.#key(i), this.plain(kind, number));
    }
    if (action === OOM) {
      if (address !== ABSENT && free !== ABSENT) define((others ??= {}), 'addr', address);
      if (free !== ABSENT) address = free;
    } else if (free !== ABSENT) define((others ??= {}), 'device_free', free);
    const row = rows.length;
    rows.push(action, address, size, stream, time, stack, metadata, context, pool, category);
    if (others !== null) {
      this.budget.charge(128);
      rows.extras.set(row, others);
    }
    if ((row & 0x3fff) === 0) this.#chargeRows();
    return row;
  }

  /** Columns grow by themselves; what they have grown by is charged from time to time. */
  #chargeRows(): void {
    const { actions, addresses, sizes, streams, times, stacks, metadata, contexts, pools, categories } = this.rows;
    let bytes = 0;
    for (const column of [actions, addresses, sizes, streams, times, stacks, metadata, contexts, pools, categories])
      bytes += column.bytes;
    this.budget.charge(bytes - this.#rowBytes);
    this.#rowBytes = bytes;
  }

  #count(kind: number, number: number, what: string): number {
    if (kind === INT || (kind === FLOAT && Number.isSafeInteger(number))) return number;
    if (kind === BIG) throw new SnapshotError(`the ${what} of a trace event is beyond 2^53: ${this.bigs[number]}`);
    throw new SnapshotError(`the ${what} of a trace event is a ${kindName(kind)}, not an int`);
  }

  /** An address beyond 2^53, or negative where its writer took it for signed, as a number: without its upper 12 bits. */
  addressOf(big: number): number {
    return Number(BigInt.asUintN(ADDRESS_BITS, this.bigs[big]));
  }

  #key(at: number): string {
    const kind = this.kinds[at];
    if (kind === STRING) return this.strings.get(this.numbers[at]);
    if (kind === INT) return String(this.numbers[at]);
    throw new SnapshotError(`a dictionary has a ${kindName(kind)} as a key`);
  }

  // ---- reading back --------------------------------------------------------------------------------------------

  isEmptyList(list: number): boolean {
    return this.#lists.data[list] === 0;
  }

  /** The number of the stack that a list is; ABSENT if it is something else. */
  stackOf(list: number): number {
    const entry = this.#lists.data[list];
    if (entry === 0) return NO_FRAMES;
    return (entry & 3) === STACK ? entry >>> 2 : ABSENT;
  }

  /** The pool that a value is, packed; ABSENT if it is something else. */
  poolOf(kind: number, number: number): number {
    if (kind === PAIR) return number;
    if (kind !== LIST && kind !== TUPLE) return ABSENT;
    const found: number[] = [];
    this.eachItem(number, (kind, item) => found.push(kind === INT ? item : ABSENT));
    return found.length === 2 ? packPool(found[0], found[1]) : ABSENT;
  }

  /** The runs of rows, first row and count alternating, that a list of events is; null if it holds something else. */
  runsOf(list: number): readonly number[] | null {
    const entry = this.#lists.data[list];
    if (entry === 0) return [];
    return (entry & 3) === EVENTS ? this.#runs[entry >>> 2] : null;
  }

  /** The items of a list that is neither a stack nor a trace. */
  eachItem(list: number, visit: (kind: number, number: number, index: number) => void): void {
    const entry = this.#lists.data[list];
    if (entry === 0) return;
    if ((entry & 3) !== GENERIC)
      throw new SnapshotError(
        `a list of ${(entry & 3) === STACK ? 'stack frames' : 'trace events'} is in a wrong place`,
      );
    this.#items.each(entry >>> 2, visit);
  }

  /** The keys and values of a dictionary that is neither a frame nor an event. */
  eachEntry(dict: number, visit: (key: string, kind: number, number: number) => void): void {
    const entry = this.#dicts.data[dict];
    if (entry === 0) return;
    if ((entry & 3) !== GENERIC)
      throw new SnapshotError(`a ${(entry & 3) === FRAME ? 'stack frame' : 'trace event'} is in a wrong place`);
    let key = '';
    this.#items.each(entry >>> 2, (kind, number, index) => {
      if (index % 2 === 1) visit(key, kind, number);
      else if (kind === STRING) key = this.strings.get(number);
      else if (kind === INT) key = String(number);
      else throw new SnapshotError(`a dictionary has a ${kindName(kind)} as a key`);
    });
  }

  /** The value as JavaScript has it. Shared parts are copied, each time at the budget's cost. */
  plain(kind: number, number: number, depth = 0): PlainValue {
    this.budget.charge(32);
    switch (kind) {
      case NONE:
        return null;
      case FALSE:
        return false;
      case TRUE:
        return true;
      case BIG:
        return this.bigs[number];
      case STRING:
        return this.strings.get(number);
      case PAIR:
        return [Math.floor(number / 2 ** 32), number % 2 ** 32];
      case LIST:
      case TUPLE:
        return this.#plainList(number, depth);
      case DICT:
        return this.#plainDict(number, depth);
      case GLOBAL:
        throw new SnapshotError('a snapshot holds a function');
      default:
        return number;
    }
  }

  #plainList(list: number, depth: number): PlainValue[] {
    if (depth > MAX_DEPTH) throw tooDeep();
    const stack = this.stackOf(list);
    if (stack !== ABSENT) {
      this.budget.charge(64 + 16 * this.frames.depth(stack));
      return stack === NO_FRAMES ? [] : this.frames.frames(stack);
    }
    const values: PlainValue[] = [];
    const runs = this.runsOf(list);
    if (runs !== null) {
      for (let i = 0; i < runs.length; i += 2)
        for (let row = runs[i]; row < runs[i] + runs[i + 1]; row++) values.push(this.#plainEvent(row));
    } else this.eachItem(list, (kind, number) => values.push(this.plain(kind, number, depth + 1)));
    return values;
  }

  #plainDict(dict: number, depth: number): { [key: string]: PlainValue } {
    if (depth > MAX_DEPTH) throw tooDeep();
    const entry = this.#dicts.data[dict];
    if (entry !== 0 && (entry & 3) === FRAME) return this.frames.frame(entry >>> 2);
    if (entry !== 0 && (entry & 3) === EVENT) return this.#plainEvent(entry >>> 2);
    const values: { [key: string]: PlainValue } = {};
    this.eachEntry(dict, (key, kind, number) => define(values, key, this.plain(kind, number, depth + 1)));
    return values;
  }

  #plainEvent(row: number): { [key: string]: PlainValue } {
    this.budget.charge(512);
    return this.rows.entry(row) as { [key: string]: PlainValue };
  }
}

function tooDeep(): SnapshotError {
  return new SnapshotError(`values are nested deeper than ${MAX_DEPTH}, or one contains itself`);
}

/** Sets a key that a file chose: '__proto__' is a key like any other. */
export function define(target: { [key: string]: PlainValue }, key: string, value: PlainValue): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
