/** Writes pickles of protocol 2 as Python's pickler does, byte for byte where values have the same identities. */
import { RuntimeError } from '../core/errors.ts';
import { Device } from '../core/device.ts';
import { DType } from '../core/dtype.ts';
import { Size } from '../core/size.ts';
import { isOptions } from '../core/signature.ts';
import { ByteSink } from '../memory/snapshot/bytes.ts';
import { Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { intKeyed, isTuple } from './python.ts';

const MARK = 0x28;
const STOP = 0x2e;
const BINFLOAT = 0x47;
const BININT = 0x4a;
const BININT1 = 0x4b;
const BININT2 = 0x4d;
const NONE = 0x4e;
const BINPERSID = 0x51;
const REDUCE = 0x52;
const BINUNICODE = 0x58;
const EMPTY_LIST = 0x5d;
const APPEND = 0x61;
const BUILD = 0x62;
const GLOBAL = 0x63;
const APPENDS = 0x65;
const BINGET = 0x68;
const LONG_BINGET = 0x6a;
const BINPUT = 0x71;
const LONG_BINPUT = 0x72;
const SETITEM = 0x73;
const TUPLE = 0x74;
const SETITEMS = 0x75;
const EMPTY_DICT = 0x7d;
const EMPTY_TUPLE = 0x29;
const PROTO = 0x80;
const NEWTRUE = 0x88;
const NEWFALSE = 0x89;
const LONG1 = 0x8a;

/** Items that Python enters at once. */
const BATCH = 1000;
/** Python's own limit of nesting is about there. */
const MAX_DEPTH = 900;

const encoder = new TextEncoder();

/** A name in Python. */
export class Global {
  constructor(
    readonly module: string,
    readonly name: string,
  ) {}
}

/** A call of a function: what an object is made by when it is loaded. */
export class Reduce {
  constructor(
    readonly fn: Global,
    readonly args: Tuple,
  ) {}
}

/** A tuple that is made for the pickle. */
export class Tuple {
  readonly items: readonly unknown[];

  constructor(...items: unknown[]) {
    this.items = items;
  }
}

/** A float also where it is whole. */
export class Float {
  constructor(readonly value: number) {}
}

/** What is written as a persistent id. */
export class Persistent {
  constructor(readonly id: Tuple) {}
}

export const ORDERED_DICT = new Global('collections', 'OrderedDict');
const ENCODE = new Global('_codecs', 'encode');
const SET = new Global('__builtin__', 'set');
const SIZE = new Global('torch', 'Size');
const DEVICE = new Global('torch', 'device');

export class Pickler {
  private readonly sink = new ByteSink();
  /** Slots of what was written: by identity, strings by value. */
  private readonly memo = new Map<unknown, number>();
  private slots = 0;
  private readonly dtypes = new Map<string, Global>();

  /** @param reduceTensor what a tensor is made by: a Reduce */
  constructor(private readonly reduceTensor: (x: Tensor) => Reduce) {}

  /** The pickle of a value, in chunks. */
  dump(value: unknown): Uint8Array[] {
    this.op(PROTO);
    this.op(2);
    this.save(value, 0);
    this.op(STOP);
    return [...this.sink.take(true)];
  }

  private op(code: number): void {
    this.sink.byte(code);
  }

  private get(slot: number): void {
    if (slot < 256) this.sink.write(Uint8Array.of(BINGET, slot));
    else this.sink.write(Uint8Array.of(LONG_BINGET, slot, slot >> 8, slot >> 16, slot >> 24));
  }

  /** Remembers what was just written. */
  private put(value: unknown): void {
    const slot = this.slots++;
    this.memo.set(value, slot);
    if (slot < 256) this.sink.write(Uint8Array.of(BINPUT, slot));
    else this.sink.write(Uint8Array.of(LONG_BINPUT, slot, slot >> 8, slot >> 16, slot >> 24));
  }

  private known(value: unknown): boolean {
    const slot = this.memo.get(value);
    if (slot === undefined) return false;
    this.get(slot);
    return true;
  }

  private save(value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) throw new RuntimeError('maximum recursion depth exceeded while pickling an object');
    switch (typeof value) {
      case 'undefined':
        this.op(NONE);
        return;
      case 'boolean':
        this.op(value ? NEWTRUE : NEWFALSE);
        return;
      case 'number':
        if (Number.isSafeInteger(value) && !Object.is(value, -0)) this.int(value);
        else this.float(value);
        return;
      case 'bigint':
        this.bigint(value);
        return;
      case 'string':
        this.string(value);
        return;
      case 'object':
        if (value === null) this.op(NONE);
        else if (!this.known(value)) this.object(value, depth);
        return;
      default:
        throw cannotPickle(value);
    }
  }

  private object(value: object, depth: number): void {
    const next = depth + 1;
    if (value instanceof Tensor) {
      this.reduce(this.reduceTensor(value), next);
      this.put(value);
    } else if (value instanceof Tuple) this.tuple(value, value.items, next);
    else if (value instanceof Global) this.global(value);
    else if (value instanceof Reduce) {
      this.reduce(value, next);
      this.put(value);
    } else if (value instanceof Persistent) {
      this.save(value.id, next);
      this.op(BINPERSID);
    } else if (value instanceof Float) this.float(value.value);
    else if (value instanceof DType) this.global(this.dtype(value));
    else if (value instanceof Device) this.made(value, DEVICE, deviceArguments(value), next);
    else if (value instanceof Size) this.made(value, SIZE, new Tuple(new Tuple(...value)), next);
    else if (value instanceof Uint8Array) this.bytes(value, next);
    else if (value instanceof Set) this.made(value, SET, new Tuple([...value]), next);
    else if (isTuple(value)) this.tuple(value, value, next);
    else if (Array.isArray(value)) this.list(value, next);
    else if (value instanceof Map) this.dict(value, value.size, value.entries(), next);
    else if (isOptions(value)) this.plain(value, next);
    else throw cannotPickle(value);
  }

  private made(value: object, fn: Global, args: Tuple, depth: number): void {
    this.reduce(new Reduce(fn, args), depth);
    this.put(value);
  }

  private reduce({ fn, args }: Reduce, depth: number): void {
    this.save(fn, depth);
    this.save(args, depth);
    this.op(REDUCE);
  }

  private dtype(dtype: DType): Global {
    let global = this.dtypes.get(dtype.name);
    if (global === undefined) this.dtypes.set(dtype.name, (global = new Global('torch', dtype.name)));
    return global;
  }

  private global(global: Global): void {
    if (this.known(global)) return;
    this.op(GLOBAL);
    this.sink.text(`${global.module}\n${global.name}\n`);
    this.put(global);
  }

  private int(value: number): void {
    const { sink } = this;
    if (value >= 0 && value < 256) sink.write(Uint8Array.of(BININT1, value));
    else if (value >= 0 && value < 65536) sink.write(Uint8Array.of(BININT2, value, value >> 8));
    else if (value === (value | 0)) sink.write(Uint8Array.of(BININT, value, value >> 8, value >> 16, value >> 24));
    else this.bigint(BigInt(value));
  }

  private bigint(value: bigint): void {
    if (value >= -0x80000000n && value < 0x80000000n) {
      this.int(Number(value));
      return;
    }
    const bytes: number[] = [];
    for (let rest = value; ; ) {
      const low = Number(BigInt.asUintN(8, rest));
      rest >>= 8n;
      bytes.push(low);
      if ((rest === 0n && low < 0x80) || (rest === -1n && low >= 0x80)) break;
    }
    if (bytes.length > 255) throw new RuntimeError('an int of more than 255 bytes cannot be saved');
    this.sink.write(Uint8Array.of(LONG1, bytes.length, ...bytes));
  }

  private float(value: number): void {
    const bytes = new Uint8Array(9);
    bytes[0] = BINFLOAT;
    new DataView(bytes.buffer).setFloat64(1, value, false);
    this.sink.write(bytes);
  }

  private string(text: string): void {
    if (this.known(text)) return;
    const bytes = encoder.encode(text);
    const { length } = bytes;
    this.sink.write(Uint8Array.of(BINUNICODE, length, length >> 8, length >> 16, length >> 24));
    this.sink.write(bytes);
    this.put(text);
  }

  /** Protocol 2 has no bytes: latin-1 text that is encoded when it is loaded. Empty ones too: PyTorch refuses what Python writes for them. */
  private bytes(value: Uint8Array, depth: number): void {
    let text = '';
    for (let at = 0; at < value.length; at += 8192) {
      text += String.fromCharCode(...value.subarray(at, at + 8192));
    }
    this.made(value, ENCODE, new Tuple(text, 'latin1'), depth);
  }

  private tuple(value: object, items: readonly unknown[], depth: number): void {
    const { length } = items;
    if (length === 0) {
      this.op(EMPTY_TUPLE);
      return;
    }
    if (length > 3) this.op(MARK);
    for (const item of items) this.save(item, depth);
    // A tuple within itself has been written by now.
    const slot = this.memo.get(value);
    if (slot !== undefined) throw new RuntimeError('a tuple that holds itself cannot be saved');
    this.op(length > 3 ? TUPLE : 0x84 + length);
    this.put(value);
  }

  private list(value: readonly unknown[], depth: number): void {
    this.op(EMPTY_LIST);
    this.put(value);
    for (let at = 0; at < value.length; at += BATCH) {
      const end = Math.min(at + BATCH, value.length);
      const one = end - at === 1;
      if (!one) this.op(MARK);
      for (let i = at; i < end; i++) this.save(value[i], depth);
      this.op(one ? APPEND : APPENDS);
    }
  }

  /** A plain object: a dict, or what an OrderedDict with metadata was loaded as. */
  private plain(value: Record<string, unknown>, depth: number): void {
    const keys = Object.keys(value);
    const metadata = Object.getOwnPropertyDescriptor(value, '_metadata');
    const optimizer = isOptimizerState(value);
    const ints = intKeyed.has(value) && keys.every((key) => /^(?:0|-?[1-9]\d{0,14})$/.test(key));
    function* entries(): Generator<[unknown, unknown]> {
      for (const key of keys) {
        const item = value[key];
        yield [ints ? Number(key) : key, optimizer && key === 'state' && isOptions(item) ? numbered(item) : item];
      }
    }
    if (metadata === undefined || metadata.enumerable) {
      this.dict(value, keys.length, entries(), depth);
      return;
    }
    this.made(value, ORDERED_DICT, new Tuple(), depth);
    this.items(keys.length, entries(), depth);
    this.save({ _metadata: metadata.value }, depth);
    this.op(BUILD);
  }

  private dict(value: object, size: number, entries: Iterable<[unknown, unknown]>, depth: number): void {
    this.op(EMPTY_DICT);
    this.put(value);
    this.items(size, entries, depth);
  }

  private items(size: number, entries: Iterable<[unknown, unknown]>, depth: number): void {
    let left = size;
    let inBatch = 0;
    let marked = false;
    for (const [key, item] of entries) {
      if (inBatch === 0) {
        marked = left > 1;
        if (marked) this.op(MARK);
      }
      this.save(key, depth);
      this.save(item, depth);
      left--;
      if (++inBatch === BATCH || left === 0) {
        this.op(marked ? SETITEMS : SETITEM);
        inBatch = 0;
      }
    }
  }
}

function deviceArguments({ type, index }: Device): Tuple {
  return index === null ? new Tuple(type) : new Tuple(type, index);
}

/** Parameters in the state of an optimizer go by their numbers, which are ints in Python. */
function isOptimizerState(value: Record<string, unknown>): boolean {
  return isOptions(value['state']) && Array.isArray(value['param_groups']);
}

const numberedStates = new WeakMap<object, Map<unknown, unknown>>();

function numbered(state: Record<string, unknown>): Record<string, unknown> | Map<unknown, unknown> {
  const keys = Object.keys(state);
  if (!keys.every((key) => /^(?:0|[1-9]\d{0,14})$/.test(key))) return state;
  const map = new Map<unknown, unknown>(keys.map((key) => [Number(key), state[key]]));
  // One for each, so that it is written once.
  const before = numberedStates.get(state);
  if (before !== undefined) return before;
  numberedStates.set(state, map);
  return map;
}

function cannotPickle(value: unknown): TypeError {
  const hint =
    typeof value === 'function' && 'state_dict' in value
      ? ' Save its state_dict(): torch.save(model.state_dict(), f).'
      : ' Tensors, plain objects, arrays, Maps, Sets, Uint8Arrays, strings, numbers, bigints, booleans and null can be saved.';
  const name = typeof value === 'function' && 'state_dict' in value ? value.constructor.name : typeName(value);
  return new TypeError(`cannot pickle '${name}' object.${hint}`);
}
