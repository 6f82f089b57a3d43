/**
 * Reads JSON, fed in chunks, into `Values`: files of any length, where `JSON.parse` would need the whole text as one string. What
 * Python's `json` writes is JSON here, NaN and Infinity included.
 */
import { SnapshotError } from './budget.ts';
import { ABSENT, packPool } from './trace.ts';
import { FALSE, FLOAT, INT, NONE, STRING, TRUE, type Values } from './values.ts';

const MAX_DEPTH = 200;
const MAX_DIGITS = 1024;
/** Long lists are handed over in pieces, so that a trace of millions of events never lies on the stack. */
const BATCH = 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_DICT = 0x7b;
const CLOSE_DICT = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;

// What may come next.
const VALUE = 0;
/** The first item of a list, or its end. */
const FIRST_ITEM = 1;
const FIRST_KEY = 2;
const KEY = 3;
const AFTER_KEY = 4;
/** A comma, or the end of the container. */
const AFTER_VALUE = 5;
const END = 6;

const WORDS: readonly (readonly [string, number, number])[] = [
  ['true', TRUE, 1],
  ['false', FALSE, 0],
  ['null', NONE, 0],
  ['NaN', FLOAT, Number.NaN],
  ['Infinity', FLOAT, Number.POSITIVE_INFINITY],
  ['-Infinity', FLOAT, Number.NEGATIVE_INFINITY],
];
const ESCAPES: Record<string, number> = { b: 8, f: 12, n: 10, r: 13, t: 9, '"': 34, '\\': 92, '/': 47 };

const decoder = new TextDecoder();

export class JsonReader {
  readonly #values: Values;
  #expected = VALUE;
  /** Kinds of the open containers: whether each is a dictionary. */
  readonly #open: boolean[] = [];
  #rest = new Uint8Array(0);
  #restLength = 0;
  /** Bytes to wait for before looking again at what is incomplete. */
  #wanted = 0;
  #offset = 0;
  #scratch = new Uint8Array(256);

  constructor(values: Values) {
    this.#values = values;
  }

  feed(chunk: Uint8Array): void {
    if (this.#restLength === 0) {
      this.#parse(chunk, chunk.length, false);
      return;
    }
    const length = this.#restLength + chunk.length;
    if (length > this.#rest.length) {
      const size = Math.max(length, this.#rest.length * 2);
      this.#values.budget.charge(size - this.#rest.length);
      const larger = new Uint8Array(size);
      larger.set(this.#rest.subarray(0, this.#restLength));
      this.#rest = larger;
    }
    this.#rest.set(chunk, this.#restLength);
    this.#restLength = length;
    if (length >= this.#wanted) this.#parse(this.#rest, length, false);
  }

  finish(): void {
    this.#parse(this.#rest, this.#restLength, true);
    if (this.#expected !== END)
      throw new SnapshotError('the file ends before the JSON does', this.#offset + this.#restLength);
  }

  result(): { kind: number; number: number } {
    return { kind: this.#values.kinds[0], number: this.#values.numbers[0] };
  }

  #parse(bytes: Uint8Array, end: number, last: boolean): void {
    let at = 0;
    try {
      if (this.#offset === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3;
      while (at < end) {
        const code = bytes[at];
        if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
          at++;
          continue;
        }
        const next = this.#token(bytes, at, end, code, last);
        if (next < 0) break;
        at = next;
      }
    } catch (error) {
      if (error instanceof SnapshotError && error.offset === null)
        throw new SnapshotError(error.problem, this.#offset + at);
      throw error;
    }
    this.#values.budget.charge(-this.#rest.length);
    this.#rest = bytes.slice(at, end);
    this.#values.budget.charge(this.#rest.length);
    this.#restLength = end - at;
    this.#wanted = 2 * this.#restLength;
    this.#offset += at;
  }

  /** @returns where the next token may start; -1: this one is not all there */
  #token(bytes: Uint8Array, at: number, end: number, code: number, last: boolean): number {
    const values = this.#values;
    const expected = this.#expected;
    switch (code) {
      case COMMA:
        if (expected !== AFTER_VALUE) break;
        this.#expected = this.#open[this.#open.length - 1] ? KEY : VALUE;
        return at + 1;
      case COLON:
        if (expected !== AFTER_KEY) break;
        this.#expected = VALUE;
        return at + 1;
      case QUOTE: {
        if (expected === AFTER_VALUE || expected === AFTER_KEY || expected === END) break;
        const next = this.#string(bytes, at + 1, end, last);
        if (next < 0) return -1;
        if (expected === KEY || expected === FIRST_KEY) this.#expected = AFTER_KEY;
        else this.#complete();
        return next;
      }
      case OPEN_LIST:
      case OPEN_DICT:
        if (expected !== VALUE && expected !== FIRST_ITEM) break;
        if (this.#open.length === MAX_DEPTH) throw new SnapshotError(`values are nested deeper than ${MAX_DEPTH}`);
        this.#open.push(code === OPEN_DICT);
        if (code === OPEN_DICT) values.pushDict();
        else values.pushList();
        values.mark();
        this.#expected = code === OPEN_DICT ? FIRST_KEY : FIRST_ITEM;
        return at + 1;
      case CLOSE_LIST:
        if ((expected !== AFTER_VALUE && expected !== FIRST_ITEM) || this.#open[this.#open.length - 1]) break;
        this.#open.pop();
        this.#closeList();
        this.#complete();
        return at + 1;
      case CLOSE_DICT:
        if ((expected !== AFTER_VALUE && expected !== FIRST_KEY) || !this.#open[this.#open.length - 1]) break;
        this.#open.pop();
        values.setItems(values.popMark());
        this.#complete();
        return at + 1;
      default: {
        if (expected !== VALUE && expected !== FIRST_ITEM) break;
        const next = this.#plain(bytes, at, end, code, last);
        if (next >= 0) this.#complete();
        return next;
      }
    }
    if (expected === END) throw new SnapshotError('something follows the end of the JSON');
    throw new SnapshotError(`'${String.fromCharCode(code)}' is not what JSON has here`);
  }

  /** A value is complete and on the stack. */
  #complete(): void {
    const { length } = this.#open;
    if (length === 0) {
      this.#expected = END;
      return;
    }
    this.#expected = AFTER_VALUE;
    if (this.#open[length - 1]) return;
    const values = this.#values;
    const from = values.marks[values.marks.length - 1];
    if (values.top - from < BATCH) return;
    values.append(values.popMark());
    values.mark();
  }

  #closeList(): void {
    const values = this.#values;
    const from = values.popMark();
    const { kinds, numbers } = values;
    if (
      values.top - from === 2 &&
      kinds[from] === INT &&
      kinds[from + 1] === INT &&
      values.isEmptyList(numbers[from - 1])
    ) {
      // A tuple of two numbers, most likely: the id of a pool.
      if (packPool(numbers[from], numbers[from + 1]) !== ABSENT) {
        values.tuple(from);
        values.kinds[from - 1] = values.kinds[from];
        values.numbers[from - 1] = values.numbers[from];
        values.top = from;
        return;
      }
    }
    values.append(from);
  }

  #string(bytes: Uint8Array, from: number, end: number, last: boolean): number {
    let at = from;
    while (at < end) {
      const code = bytes[at];
      if (code === QUOTE) {
        this.#values.push(STRING, this.#values.strings.internBytes(bytes, from, at));
        return at + 1;
      }
      if (code === BACKSLASH) return this.#escaped(bytes, from, at, end, last);
      if (code < 0x20) throw new SnapshotError('a string holds a control character');
      at++;
    }
    if (last) throw new SnapshotError('the file is cut off within a string');
    return -1;
  }

  /** A string with an escape at `at`. */
  #escaped(bytes: Uint8Array, from: number, at: number, end: number, last: boolean): number {
    let close = at;
    while (close < end && bytes[close] !== QUOTE) close += bytes[close] === BACKSLASH ? 2 : 1;
    if (close >= end) {
      if (last) throw new SnapshotError('the file is cut off within a string');
      return -1;
    }
    // An escape never takes less room than what it stands for.
    if (close - from > this.#scratch.length) {
      this.#values.budget.charge(2 * (close - from));
      this.#scratch = new Uint8Array(2 * (close - from));
    }
    const out = this.#scratch;
    let length = 0;
    for (let i = from; i < close; ) {
      const code = bytes[i++];
      if (code !== BACKSLASH) {
        if (code < 0x20) throw new SnapshotError('a string holds a control character');
        out[length++] = code;
        continue;
      }
      const letter = String.fromCharCode(bytes[i++]);
      if (letter !== 'u') {
        if (!Object.hasOwn(ESCAPES, letter)) throw new SnapshotError(`JSON has no escape \\${letter}`);
        out[length++] = ESCAPES[letter];
        continue;
      }
      let point = hexadecimal(bytes, i, close);
      i += 4;
      if (point >= 0xd800 && point < 0xdc00 && bytes[i] === BACKSLASH && bytes[i + 1] === 0x75 && i + 6 <= close) {
        const low = hexadecimal(bytes, i + 2, close);
        if (low >= 0xdc00 && low < 0xe000) {
          point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
          i += 6;
        }
      }
      length = utf8(point >= 0xd800 && point < 0xe000 ? 0xfffd : point, out, length);
    }
    this.#values.push(STRING, this.#values.strings.internBytes(out, 0, length));
    return close + 1;
  }

  /** A number, or one of the words. */
  #plain(bytes: Uint8Array, at: number, end: number, code: number, last: boolean): number {
    const values = this.#values;
    let to = at;
    while (to < end && isPlain(bytes[to])) to++;
    if (to - at > MAX_DIGITS) throw new SnapshotError('a number with more digits than any snapshot has');
    if (to === end && !last) return -1;
    if (code <= 0x39 && to - at <= 15) {
      let number = 0;
      let i = at;
      while (i < to && bytes[i] >= 0x30 && bytes[i] <= 0x39) number = number * 10 + bytes[i++] - 0x30;
      if (i === to && i > at && (code !== 0x30 || to === at + 1)) {
        values.push(INT, number);
        return to;
      }
    }
    const text = decoder.decode(bytes.subarray(at, to));
    if (/^-?(?:0|[1-9]\d*)$/.test(text)) values.pushBig(BigInt(text));
    else if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)) values.push(FLOAT, Number(text));
    else {
      const word = WORDS.find((known) => known[0] === text);
      if (word === undefined) {
        const shown = text === '' ? String.fromCharCode(code) : text.slice(0, 40);
        throw new SnapshotError(`'${shown}' is not what JSON has here`);
      }
      values.push(word[1], word[2]);
    }
    return to;
  }
}

/** Characters of numbers and words. */
function isPlain(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x2e
  );
}

function hexadecimal(bytes: Uint8Array, at: number, end: number): number {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const digit = i < end ? Number.parseInt(String.fromCharCode(bytes[i]), 16) : Number.NaN;
    if (Number.isNaN(digit)) throw new SnapshotError('\\u is not followed by four hexadecimal digits');
    value = value * 16 + digit;
  }
  return value;
}

/** Writes a character. @returns the new length */
function utf8(point: number, out: Uint8Array, at: number): number {
  if (point < 0x80) out[at++] = point;
  else if (point < 0x800) {
    out[at++] = 0xc0 | (point >> 6);
    out[at++] = 0x80 | (point & 0x3f);
  } else {
    if (point < 0x10000) out[at++] = 0xe0 | (point >> 12);
    else {
      out[at++] = 0xf0 | (point >> 18);
      out[at++] = 0x80 | ((point >> 12) & 0x3f);
    }
    out[at++] = 0x80 | ((point >> 6) & 0x3f);
    out[at++] = 0x80 | (point & 0x3f);
  }
  return at;
}
