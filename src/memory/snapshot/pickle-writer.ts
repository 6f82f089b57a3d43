/**
 * The opcodes of pickle protocol 4 that the viewer knows, and the memo: what was written once is referred to afterwards.
 */
import { ACTION_NAMES } from './actions.ts';
import { ByteSink } from './bytes.ts';
import type { FrameTable } from './frames.ts';
import { unpackPool } from './trace.ts';
import type { PlainValue } from './types.ts';

export const PROTO = 0x80;
export const STOP = 0x2e;
export const MARK = 0x28;
export const EMPTY_DICT = 0x7d;
export const SETITEMS = 0x75;
export const EMPTY_LIST = 0x5d;
export const APPENDS = 0x65;
export const TUPLE2 = 0x86;
const NONE = 0x4e;
const NEWTRUE = 0x88;
const NEWFALSE = 0x89;
const BININT = 0x4a;
const BININT1 = 0x4b;
const BININT2 = 0x4d;
const LONG1 = 0x8a;
const BINFLOAT = 0x47;
const SHORT_BINUNICODE = 0x8c;
const BINUNICODE = 0x58;
const BINPUT = 0x71;
const LONG_BINPUT = 0x72;
const BINGET = 0x68;
const LONG_BINGET = 0x6a;

/** Lists are written in pieces of this many items, as Python does: the viewer spreads each into a call. */
export const BATCH = 1000;
const MAX_DEPTH = 100;
const encoder = new TextEncoder();

/** Strings that come again and again, with memo numbers of one byte. */
const COMMON = [
  ...ACTION_NAMES,
  ...['segments', 'device_traces', 'allocator_settings', 'external_annotations', 'host_segments', 'host_traces'],
  ...['device', 'address', 'total_size', 'allocated_size', 'active_size', 'requested_size', 'stream', 'segment_type'],
  ...['segment_pool_id', 'is_expandable', 'frames', 'blocks', 'size', 'state', 'user_metadata', 'small', 'large'],
  ...['active_allocated', 'active_pending_free', 'inactive', 'history', 'addr', 'real_size', 'action', 'device_free'],
  ...['time_us', 'compile_context', 'pool_id', 'category', 'N/A', '', 'filename', 'line', 'name', 'stage'],
];
const common = new Map(COMMON.map((text, slot) => [text, slot]));
/** The slot of a common string. */
export const slotOf = (text: string): number => common.get(text)!;

/** Numbers that are floats in PyTorch whatever their value. */
const FLOATS = new Set(['garbage_collection_threshold']);

export class PickleWriter {
  readonly sink = new ByteSink();
  readonly #frames: FrameTable;
  #nextSlot = COMMON.length;
  /** Whether the common string of this slot has been written. */
  readonly #written = new Uint8Array(COMMON.length);
  /** Memo numbers by the number of the string, frame or stack; 0: not written yet. (Number 0 is that of a common string.) */
  readonly #strings: number[] = [];
  readonly #frameSlots: number[] = [];
  readonly #stackSlots: number[] = [];
  readonly #pools = new Map<number, number>();

  constructor(frames: FrameTable) {
    this.#frames = frames;
  }

  op(code: number): void {
    this.sink.byte(code);
  }

  int(value: number): void {
    const { sink } = this;
    sink.ready();
    const { buffer } = sink;
    let at = sink.at;
    if (value >= 0 && value < 0x100) {
      buffer[at++] = BININT1;
      buffer[at++] = value;
    } else if (value >= 0 && value < 0x10000) {
      buffer[at++] = BININT2;
      buffer[at++] = value;
      buffer[at++] = value >> 8;
    } else if (value >= -0x80000000 && value <= 0x7fffffff) {
      buffer[at++] = BININT;
      buffer[at++] = value;
      buffer[at++] = value >> 8;
      buffer[at++] = value >> 16;
      buffer[at++] = value >> 24;
    } else {
      buffer[at++] = LONG1;
      const length = at++;
      let rest = value;
      // Little-endian two's complement, as few bytes as keep the sign.
      for (;;) {
        const low = ((rest % 256) + 256) % 256;
        rest = (rest - low) / 256;
        buffer[at++] = low;
        if ((rest === 0 && low < 0x80) || (rest === -1 && low >= 0x80)) break;
      }
      buffer[length] = at - length - 1;
    }
    sink.at = at;
  }

  number(value: number): void {
    if (Number.isSafeInteger(value)) this.int(value);
    else this.float(value);
  }

  float(value: number): void {
    const { sink } = this;
    sink.ready();
    sink.buffer[sink.at] = BINFLOAT;
    new DataView(sink.buffer.buffer).setFloat64(sink.at + 1, value);
    sink.at += 9;
  }

  bigint(value: bigint): void {
    if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) {
      this.int(Number(value));
      return;
    }
    const bytes: number[] = [];
    let rest = value;
    for (;;) {
      const low = Number(BigInt.asUintN(8, rest));
      rest >>= 8n;
      bytes.push(low);
      if ((rest === 0n && low < 0x80) || (rest === -1n && low >= 0x80)) break;
    }
    if (bytes.length > 255) throw new RangeError('an integer of more than 255 bytes does not fit in a snapshot');
    this.sink.write(Uint8Array.of(LONG1, bytes.length, ...bytes));
  }

  put(slot: number): void {
    this.#reference(BINPUT, LONG_BINPUT, slot);
  }

  get(slot: number): void {
    this.#reference(BINGET, LONG_BINGET, slot);
  }

  #reference(short: number, long: number, slot: number): void {
    const { sink } = this;
    sink.ready();
    const { buffer } = sink;
    let at = sink.at;
    if (slot < 0x100) {
      buffer[at++] = short;
      buffer[at++] = slot;
    } else {
      buffer[at++] = long;
      buffer[at++] = slot;
      buffer[at++] = slot >> 8;
      buffer[at++] = slot >> 16;
      buffer[at++] = slot >> 24;
    }
    sink.at = at;
  }

  /** A string that is not remembered. */
  text(text: string): void {
    const bytes = encoder.encode(text);
    const { length } = bytes;
    this.sink.write(
      length < 0x100
        ? Uint8Array.of(SHORT_BINUNICODE, length)
        : Uint8Array.of(BINUNICODE, length, length >> 8, length >> 16, length >> 24),
    );
    this.sink.write(bytes);
  }

  /** A common string by its slot. */
  known(slot: number): void {
    if (this.#written[slot] === 1) {
      this.get(slot);
      return;
    }
    this.#written[slot] = 1;
    this.text(COMMON[slot]);
    this.put(slot);
  }

  /** A string that may come again. */
  string(text: string): void {
    const slot = common.get(text);
    if (slot !== undefined) this.known(slot);
    else this.numberedString(this.#frames.strings.intern(text));
  }

  /** A string by its number in the table. */
  numberedString(number: number): void {
    const seen = this.#strings[number];
    if (seen !== undefined && seen >= 0) {
      this.get(seen);
      return;
    }
    const text = this.#frames.strings.get(number);
    const shared = common.get(text);
    if (shared !== undefined) {
      this.known(shared);
      this.#strings[number] = shared;
      return;
    }
    this.text(text);
    this.put((this.#strings[number] = this.#nextSlot++));
  }

  frame(number: number): void {
    const seen = this.#frameSlots[number];
    if (seen !== undefined) {
      this.get(seen);
      return;
    }
    this.op(EMPTY_DICT);
    this.put((this.#frameSlots[number] = this.#nextSlot++));
    this.op(MARK);
    for (const [key, value] of Object.entries(this.#frames.frame(number))) {
      this.string(key);
      this.value(value);
    }
    this.op(SETITEMS);
  }

  stack(number: number): void {
    const seen = this.#stackSlots[number];
    if (seen !== undefined) {
      this.get(seen);
      return;
    }
    this.op(EMPTY_LIST);
    this.put((this.#stackSlots[number] = this.#nextSlot++));
    const depth = this.#frames.depth(number);
    for (let from = 0; from < depth; from += BATCH) {
      this.op(MARK);
      for (let i = from; i < Math.min(depth, from + BATCH); i++) this.frame(this.#frames.frameAt(number, i));
      this.op(APPENDS);
    }
  }

  pool(pool: number): void {
    const seen = this.#pools.get(pool);
    if (seen !== undefined) {
      this.get(seen);
      return;
    }
    const [owner, id] = unpackPool(pool);
    this.int(owner);
    this.int(id);
    this.op(TUPLE2);
    this.#pools.set(pool, this.#nextSlot);
    this.put(this.#nextSlot++);
  }

  /** Any value. */
  value(value: PlainValue | undefined, key = '', depth = 0): void {
    if (depth > MAX_DEPTH) throw new RangeError(`a snapshot cannot hold values nested deeper than ${MAX_DEPTH}`);
    if (value === null || value === undefined) this.op(NONE);
    else if (typeof value === 'boolean') this.op(value ? NEWTRUE : NEWFALSE);
    else if (typeof value === 'string') this.string(value);
    else if (typeof value === 'bigint') this.bigint(value);
    else if (typeof value === 'number') {
      if (FLOATS.has(key)) this.float(value);
      else this.number(value);
    } else if (Array.isArray(value)) {
      this.op(EMPTY_LIST);
      for (let from = 0; from < value.length; from += BATCH) {
        this.op(MARK);
        for (const item of value.slice(from, from + BATCH)) this.value(item, '', depth + 1);
        this.op(APPENDS);
      }
    } else {
      this.op(EMPTY_DICT);
      this.op(MARK);
      this.entries(value, depth);
      this.op(SETITEMS);
    }
  }

  /** Keys and values, between a mark and SETITEMS. */
  entries(values: { [key: string]: PlainValue | undefined } | null, depth = 0): void {
    if (values === null) return;
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined) continue;
      this.string(key);
      this.value(value, key, depth + 1);
    }
  }
}
