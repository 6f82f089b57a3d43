/**
 * Reads pickles of protocols 2 to 5, fed in chunks, into `Values`. Nothing is ever executed: of the functions that a pickle may
 * call, only those that make plain containers are known, and they are done by hand.
 */
import { SnapshotError } from './budget.ts';
import { DICT, FALSE, FLOAT, GLOBAL, INT, kindName, LIST, NONE, STRING, TRUE, TUPLE, type Values } from './values.ts';

/** The longest opcode of fixed length: a code and eight bytes. */
const FIXED = 9;
/** Names in GLOBAL end at a line feed, not further away than this. */
const MAX_NAME = 512;

/** Functions that make containers: [module, name] and what they make. */
const FUNCTIONS: readonly (readonly [string, string, number])[] = [
  ['collections', 'OrderedDict', DICT],
  ['builtins', 'set', LIST],
  ['__builtin__', 'set', LIST],
  ['builtins', 'frozenset', LIST],
  ['__builtin__', 'frozenset', LIST],
];

const double = new DataView(new ArrayBuffer(8));

/** Whether the pickle goes on after what was parsed. */
const MORE = -1;

export class PickleReader {
  /** Whether the pickle is complete; what follows it is ignored, as Python does. */
  done = false;
  readonly #values: Values;
  /** What has come and is not parsed yet, in a buffer that may be larger. */
  #rest = new Uint8Array(0);
  #restLength = 0;
  /** Bytes that the opcode at the start of #rest takes; 0 if that is not known. */
  #wanted = 0;
  /** Where #rest starts in the file. */
  #offset = 0;

  constructor(values: Values) {
    this.#values = values;
  }

  feed(chunk: Uint8Array): void {
    if (this.done || chunk.length === 0) return;
    if (this.#restLength === 0) {
      this.#parse(chunk, chunk.length, false);
      return;
    }
    this.#join(chunk);
    if (this.#restLength >= this.#wanted) this.#parse(this.#rest, this.#restLength, false);
  }

  /** No more chunks will come. */
  finish(): void {
    if (this.done) return;
    // Zeros behind the end, so that no opcode reads beyond the buffer; an opcode that uses them is cut off.
    const end = this.#restLength;
    const padded = new Uint8Array(end + FIXED);
    padded.set(this.#rest.subarray(0, end));
    this.#parse(padded, end, true);
    if (!this.done) throw new SnapshotError('the file ends before the pickle does', this.#offset + this.#restLength);
  }

  /** The whole: kind and number of its value. */
  result(): { kind: number; number: number } {
    const values = this.#values;
    if (values.top !== 1 || values.marks.length > 0)
      throw new SnapshotError(values.top === 0 ? 'the pickle holds nothing' : 'the pickle ends with parts left over');
    return { kind: values.kinds[0], number: values.numbers[0] };
  }

  #join(chunk: Uint8Array): void {
    const length = this.#restLength + chunk.length;
    if (length > this.#rest.length) {
      const size = Math.max(length, Math.min(this.#rest.length * 2, this.#wanted));
      this.#values.budget.charge(size - this.#rest.length);
      const larger = new Uint8Array(size);
      larger.set(this.#rest.subarray(0, this.#restLength));
      this.#rest = larger;
    }
    this.#rest.set(chunk, this.#restLength);
    this.#restLength = length;
  }

  #keep(bytes: Uint8Array, from: number, end: number, wanted: number): void {
    this.#values.budget.charge(-this.#rest.length);
    this.#rest = bytes.slice(from, end);
    this.#values.budget.charge(this.#rest.length);
    this.#restLength = end - from;
    this.#wanted = wanted;
    this.#offset += from;
  }

  #parse(bytes: Uint8Array, end: number, last: boolean): void {
    let start = 0;
    try {
      let at = 0;
      while (at < end) {
        start = at;
        if (end - at < FIXED && !last) break;
        at = this.#step(bytes, at, end, last);
        if (at < 0) {
          // Not all of the opcode is there: -at bytes are needed.
          this.#keep(bytes, start, end, -at);
          return;
        }
        if (at > end) throw new SnapshotError('the file is cut off within a value');
        if (this.done) return;
      }
      this.#keep(bytes, at < end ? start : end, end, 0);
    } catch (error) {
      if (error instanceof SnapshotError && error.offset === null)
        throw new SnapshotError(error.problem, this.#offset + start);
      throw error;
    }
  }

  /**
   * Performs the opcode at `at`.
   * @returns where the next one is; negative: minus the bytes that it takes, as not all of them are there
   */
  #step(bytes: Uint8Array, at: number, end: number, last: boolean): number {
    const values = this.#values;
    const code = bytes[at++];
    switch (code) {
      case 0x68: {
        // BINGET
        const slot = bytes[at];
        values.push(values.memo.kind(slot), values.memo.number(slot));
        return at + 1;
      }
      case 0x6a: {
        // LONG_BINGET
        const slot = uint32(bytes, at);
        values.push(values.memo.kind(slot), values.memo.number(slot));
        return at + 4;
      }
      case 0x4b: // BININT1
        values.push(INT, bytes[at]);
        return at + 1;
      case 0x4d: // BININT2
        values.push(INT, bytes[at] | (bytes[at + 1] << 8));
        return at + 2;
      case 0x4a: // BININT
        values.push(INT, uint32(bytes, at) | 0);
        return at + 4;
      case 0x8a: {
        // LONG1
        const length = bytes[at];
        if (at + 1 + length > end) return short(last, 2 + length);
        this.#long(bytes, at + 1, length);
        return at + 1 + length;
      }
      case 0x28: // MARK
        values.mark();
        return at;
      case 0x94: // MEMOIZE
        this.#put(values.memo.count);
        return at;
      case 0x7d: // EMPTY_DICT
        values.pushDict();
        return at;
      case 0x75: // SETITEMS
        values.setItems(values.popMark());
        return at;
      case 0x5d: // EMPTY_LIST
        values.pushList();
        return at;
      case 0x65: // APPENDS
        values.append(values.popMark());
        return at;
      case 0x8c: {
        // SHORT_BINUNICODE
        const to = at + 1 + bytes[at];
        if (to > end) return short(last, 2 + bytes[at]);
        values.push(STRING, values.strings.internBytes(bytes, at + 1, to));
        return to;
      }
      case 0x58: // BINUNICODE
        return this.#string(bytes, at + 4, uint32(bytes, at), end, last, 5);
      case 0x8d: // BINUNICODE8
        return this.#string(bytes, at + 8, uint32(bytes, at) + uint32(bytes, at + 4) * 2 ** 32, end, last, 9);
      case 0x86: // TUPLE2
        values.need(2);
        values.tuple(values.top - 2);
        return at;
      case 0x71: // BINPUT
        this.#put(bytes[at]);
        return at + 1;
      case 0x72: // LONG_BINPUT
        this.#put(uint32(bytes, at));
        return at + 4;
      case 0x4e: // NONE
        values.push(NONE, 0);
        return at;
      case 0x88: // NEWTRUE
        values.push(TRUE, 1);
        return at;
      case 0x89: // NEWFALSE
        values.push(FALSE, 0);
        return at;
      case 0x47: {
        // BINFLOAT
        for (let i = 0; i < 8; i++) double.setUint8(i, bytes[at + i]);
        values.push(FLOAT, double.getFloat64(0));
        return at + 8;
      }
      default:
        return this.#rareStep(code, bytes, at, end, last);
    }
  }

  #rareStep(code: number, bytes: Uint8Array, at: number, end: number, last: boolean): number {
    const values = this.#values;
    switch (code) {
      case 0x2e: // STOP
        this.done = true;
        return at;
      case 0x80: {
        // PROTO
        const protocol = bytes[at];
        if (at < end && protocol > 5)
          throw new SnapshotError(`pickle protocol ${protocol} is not known, only 2 to 5 are`);
        return at + 1;
      }
      case 0x95: // FRAME: how much to read at once, of no meaning
        return at + 8;
      case 0x61: // APPEND
        values.need(2);
        values.append(values.top - 1);
        return at;
      case 0x73: // SETITEM
        values.need(3);
        values.setItems(values.top - 2);
        return at;
      case 0x29: // EMPTY_TUPLE
        values.tuple(values.top);
        return at;
      case 0x85: // TUPLE1
        values.need(1);
        values.tuple(values.top - 1);
        return at;
      case 0x87: // TUPLE3
        values.need(3);
        values.tuple(values.top - 3);
        return at;
      case 0x74: // TUPLE
        values.tuple(values.popMark());
        return at;
      case 0x6c: // LIST
      case 0x64: // DICT
        this.#closed(code === 0x64);
        return at;
      case 0x8f: // EMPTY_SET: a list here
        values.pushList();
        return at;
      case 0x90: // ADDITEMS
        values.append(values.popMark());
        return at;
      case 0x91: // FROZENSET
        this.#closed(false);
        return at;
      case 0x8b: {
        // LONG4
        const length = uint32(bytes, at);
        if (length > 1024) throw new SnapshotError(`an integer of ${length} bytes`);
        if (at + 4 + length > end) return short(last, 5 + length);
        this.#long(bytes, at + 4, length);
        return at + 4 + length;
      }
      case 0x30: // POP
        values.need(1);
        values.top--;
        return at;
      case 0x31: // POP_MARK
        values.top = values.popMark();
        return at;
      case 0x32: // DUP
        values.need(1);
        values.push(values.kinds[values.top - 1], values.numbers[values.top - 1]);
        return at;
      case 0x63: // GLOBAL
        return this.#global(bytes, at, end, last);
      case 0x93: // STACK_GLOBAL
        this.#stackGlobal();
        return at;
      case 0x52: // REDUCE
        this.#reduce();
        return at;
      case 0x43: // SHORT_BINBYTES
      case 0x42: // BINBYTES
      case 0x8e: // BINBYTES8
      case 0x96: // BYTEARRAY8
        throw new SnapshotError('the file holds bytes, which no snapshot does');
      case 0x81: // NEWOBJ
      case 0x92: // NEWOBJ_EX
      case 0x62: // BUILD
      case 0x69: // INST
      case 0x6f: // OBJ
      case 0x82: // EXT1 …
      case 0x83:
      case 0x84:
      case 0x50: // PERSID
      case 0x51: // BINPERSID
        throw new SnapshotError('the pickle makes objects of classes, which no snapshot does; nothing was executed');
      default:
        throw new SnapshotError(`0x${code.toString(16).padStart(2, '0')} is not an opcode of pickle protocols 2 to 5`);
    }
  }

  #put(slot: number): void {
    const values = this.#values;
    values.need(1);
    values.memo.put(slot, values.kinds[values.top - 1], values.numbers[values.top - 1]);
  }

  #string(bytes: Uint8Array, from: number, length: number, end: number, last: boolean, head: number): number {
    const { budget, strings } = this.#values;
    // The length is the file's claim: nothing is set aside for it before that many bytes have come.
    if (length > budget.limit - budget.used) budget.charge(length);
    if (from + length > end) return short(last, head + length);
    this.#values.push(STRING, strings.internBytes(bytes, from, from + length));
    return from + length;
  }

  /** A little-endian integer in two's complement. */
  #long(bytes: Uint8Array, from: number, length: number): void {
    const values = this.#values;
    if (length === 8) {
      // PyTorch's own pickler writes all its integers so.
      const high = uint32(bytes, from + 4) | 0;
      if (high >= -0x200000 && high < 0x200000) {
        values.push(INT, high * 2 ** 32 + uint32(bytes, from));
        return;
      }
    }
    if (length > 7) {
      values.pushBig(BigInt.asIntN(8 * length, bigOf(bytes, from, length)));
      return;
    }
    let value = 0;
    for (let i = from + length - 1; i >= from; i--) value = value * 256 + bytes[i];
    if (length > 0 && bytes[from + length - 1] >= 0x80) value -= 2 ** (8 * length);
    if (Number.isSafeInteger(value)) values.push(INT, value);
    else values.pushBig(BigInt.asIntN(8 * length, bigOf(bytes, from, length)));
  }

  /** The values since the mark become a list or a dictionary. */
  #closed(dict: boolean): void {
    const values = this.#values;
    const from = values.popMark();
    // The container goes below its items: they move up by one.
    values.push(NONE, 0);
    values.kinds.copyWithin(from + 1, from, values.top - 1);
    values.numbers.copyWithin(from + 1, from, values.top - 1);
    const { top } = values;
    values.top = from;
    if (dict) values.pushDict();
    else values.pushList();
    values.top = top;
    if (dict) values.setItems(from + 1);
    else values.append(from + 1);
  }

  #global(bytes: Uint8Array, at: number, end: number, last: boolean): number {
    const names: string[] = [];
    let from = at;
    for (let i = 0; i < 2; i++) {
      const stop = bytes.indexOf(0x0a, from);
      if (stop < 0 || stop >= end || stop - from > MAX_NAME) {
        if (!last && end - from <= MAX_NAME) return -(end - at + 2);
        throw new SnapshotError('a name of a function does not end');
      }
      names.push(new TextDecoder().decode(bytes.subarray(from, stop)));
      from = stop + 1;
    }
    this.#function(names[0], names[1]);
    return from;
  }

  #stackGlobal(): void {
    const values = this.#values;
    values.need(2);
    values.top -= 2;
    const { kinds, numbers, top, strings } = values;
    if (kinds[top] !== STRING || kinds[top + 1] !== STRING)
      throw new SnapshotError('a function is named by something else than strings');
    this.#function(strings.get(numbers[top]), strings.get(numbers[top + 1]));
  }

  #function(module: string, name: string): void {
    const index = FUNCTIONS.findIndex((known) => known[0] === module && known[1] === name);
    if (index < 0) {
      const shown = `${module}.${name}`.slice(0, 200).replace(/[^\x20-\x7e]/g, '?');
      throw new SnapshotError(`the pickle asks for ${shown}, which no snapshot does; nothing was executed`);
    }
    this.#values.push(GLOBAL, index);
  }

  /** OrderedDict() and set([…]). */
  #reduce(): void {
    const values = this.#values;
    values.need(2);
    values.top -= 2;
    const { kinds, numbers, top } = values;
    if (kinds[top] !== GLOBAL || kinds[top + 1] !== TUPLE)
      throw new SnapshotError(`the pickle calls a ${kindName(kinds[top])} with a ${kindName(kinds[top + 1])}`);
    const makes = FUNCTIONS[numbers[top]][2];
    const given: [number, number][] = [];
    values.eachItem(numbers[top + 1], (kind, number) => given.push([kind, number]));
    if (makes === DICT) {
      if (given.length > 0) throw new SnapshotError('an OrderedDict made of a list is not known here');
      values.pushDict();
      return;
    }
    if (given.length === 0) values.pushList();
    // The list that the set is made of stands for it.
    else if (given.length === 1 && given[0][0] === LIST) values.push(LIST, given[0][1]);
    else throw new SnapshotError('a set that is not made of a list');
  }
}

function short(last: boolean, wanted: number): number {
  if (last) throw new SnapshotError('the file is cut off within a value');
  return Math.min(MORE, -wanted);
}

function uint32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

function bigOf(bytes: Uint8Array, from: number, length: number): bigint {
  let big = 0n;
  for (let i = from + length - 1; i >= from; i--) big = (big << 8n) | BigInt(bytes[i]);
  return big;
}
