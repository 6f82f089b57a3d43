/**
 * Reads pickles as PyTorch's own restricted unpickler does. Nothing is ever executed: of the functions that a pickle may call only
 * those that make tensors and plain containers are known, and what they do is done here, by hand.
 */
import { ValueError } from '../core/errors.ts';
import { UnpicklingError } from './errors.ts';
import type { PickleInput } from './pickle-input.ts';
import { className, Dict, Internal, intKeyed, isTuple, tuple } from './python.ts';
import { Size } from '../core/size.ts';

/** A function or class by its name in Python. What it makes of arguments is made by `call`. */
export class Callable extends Internal {
  constructor(
    readonly path: string,
    readonly call: (args: unknown[], budget: Budget) => unknown,
  ) {
    super(path);
  }
}

/** Copies that a pickle asks for, where a few bytes may ask for many. */
export class Budget {
  private used = 0;

  constructor(private readonly limit: number) {}

  charge(bytes: number): void {
    this.used += bytes;
    if (this.used > this.limit) {
      throw new UnpicklingError(
        `the pickle makes ${Math.round(this.used / 2 ** 20)} MiB of objects out of far fewer bytes, which no checkpoint does`,
      );
    }
  }
}

export interface UnpicklerOptions {
  /** What a name stands for: a Callable or a value. @throws UnpicklingError if it is not allowed */
  findGlobal(module: string, name: string): unknown;
  /** The storage that an id stands for. */
  persistentLoad(id: unknown): unknown;
  /** Also opcodes that PyTorch's restricted unpickler does not know, which are as harmless. */
  allProtocols: boolean;
  warn(text: string): void;
}

const LONGEST_NAME = 4096;
const MAX_BIG = 4096;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class Unpickler {
  private stack: unknown[] = [];
  private readonly metastack: unknown[][] = [];
  private readonly memo = new Map<number, unknown>();

  constructor(
    private readonly input: PickleInput,
    private readonly options: UnpicklerOptions,
    private readonly budget: Budget,
  ) {}

  /** The object of the next pickle in the input. */
  load(): unknown {
    this.stack = [];
    this.memo.clear();
    while (!this.step()) {}
    return finished(this.pop());
  }

  private pop(): unknown {
    if (this.stack.length === 0) throw new UnpicklingError('unpickling stack underflow');
    return this.stack.pop();
  }

  private top(): unknown {
    if (this.stack.length === 0) throw new UnpicklingError('unpickling stack underflow');
    return this.stack[this.stack.length - 1];
  }

  private popMark(): unknown[] {
    const items = this.stack;
    const below = this.metastack.pop();
    if (below === undefined) throw new UnpicklingError('unpickling stack underflow');
    this.stack = below;
    return items;
  }

  private popTuple(count: number): void {
    if (this.stack.length < count) throw new UnpicklingError('unpickling stack underflow');
    this.pushTuple(this.stack.splice(this.stack.length - count, count));
  }

  private pushTuple(items: unknown[]): void {
    this.stack.push(tuple(items));
  }

  /** Performs the next opcode. @returns whether it was the last */
  private step(): boolean {
    const { input, stack } = this;
    const code = input.byte();
    switch (code) {
      case 0x68: // BINGET
        this.get(input.byte());
        return false;
      case 0x6a: // LONG_BINGET
        this.get(input.uint32());
        return false;
      case 0x71: // BINPUT
        this.memo.set(input.byte(), this.top());
        return false;
      case 0x72: // LONG_BINPUT
        this.memo.set(input.uint32(), this.top());
        return false;
      case 0x4b: // BININT1
        stack.push(input.byte());
        return false;
      case 0x4d: {
        // BININT2
        const at = input.take(2);
        stack.push(input.data.getUint16(at, true));
        return false;
      }
      case 0x4a: // BININT
        stack.push(input.uint32() | 0);
        return false;
      case 0x8a: // LONG1
        stack.push(this.long(input.byte()));
        return false;
      case 0x47: {
        // BINFLOAT
        const at = input.take(8);
        stack.push(input.data.getFloat64(at, false));
        return false;
      }
      case 0x58: // BINUNICODE
        stack.push(this.string(input.uint32()));
        return false;
      case 0x55: // SHORT_BINSTRING
        stack.push(this.string(input.byte()));
        return false;
      case 0x28: // MARK
        this.metastack.push(stack);
        this.stack = [];
        return false;
      case 0x74: // TUPLE
        this.pushTuple(this.popMark());
        return false;
      case 0x29: // EMPTY_TUPLE
        this.pushTuple([]);
        return false;
      case 0x85: // TUPLE1
      case 0x86: // TUPLE2
      case 0x87: // TUPLE3
        this.popTuple(code - 0x84);
        return false;
      case 0x5d: // EMPTY_LIST
        stack.push([]);
        return false;
      case 0x7d: // EMPTY_DICT
        stack.push(new Dict('dict'));
        return false;
      case 0x8f: // EMPTY_SET
        stack.push(new Set());
        return false;
      case 0x61: {
        // APPEND
        const item = this.pop();
        this.listAtTop('append to').push(item);
        return false;
      }
      case 0x65: {
        // APPENDS
        const items = this.popMark();
        const list = this.listAtTop('extend');
        for (const item of items) list.push(item);
        return false;
      }
      case 0x73: {
        // SETITEM
        const value = this.pop();
        const key = this.pop();
        setItem(this.dictAtTop('SETITEM'), key, value);
        return false;
      }
      case 0x75: {
        // SETITEMS
        const items = this.popMark();
        const dict = this.dictAtTop('SETITEMS');
        if (items.length % 2 !== 0) throw new UnpicklingError('odd number of items for SETITEMS');
        for (let i = 0; i < items.length; i += 2) setItem(dict, items[i], items[i + 1]);
        return false;
      }
      case 0x4e: // NONE
        stack.push(null);
        return false;
      case 0x88: // NEWTRUE
      case 0x89: // NEWFALSE
        stack.push(code === 0x88);
        return false;
      case 0x63: {
        // GLOBAL
        const module = input.line(LONGEST_NAME);
        stack.push(this.options.findGlobal(module, input.line(LONGEST_NAME)));
        return false;
      }
      case 0x52: // REDUCE
        this.reduce();
        return false;
      case 0x62: // BUILD
        this.build();
        return false;
      case 0x81: // NEWOBJ
        this.newObject();
        return false;
      case 0x51: // BINPERSID
        stack.push(this.options.persistentLoad(this.persistentId(this.pop())));
        return false;
      case 0x80: // PROTO
        this.protocol(input.byte());
        return false;
      case 0x2e: // STOP
        return true;
      default:
        if (!this.options.allProtocols || !this.modern(code)) throw new UnpicklingError(`Unsupported operand ${code}`);
        return false;
    }
  }

  /** Opcodes of other protocols. @returns false if it is none of them */
  private modern(code: number): boolean {
    const { input, stack } = this;
    switch (code) {
      case 0x95: // FRAME: how much to read at once, of no meaning
        input.take(8);
        return true;
      case 0x94: // MEMOIZE
        this.memo.set(this.memo.size, this.top());
        return true;
      case 0x8c: // SHORT_BINUNICODE
        stack.push(this.string(input.byte()));
        return true;
      case 0x8d: // BINUNICODE8
        stack.push(this.string(input.uint32() + input.uint32() * 2 ** 32));
        return true;
      case 0x54: // BINSTRING
        stack.push(this.string(input.uint32()));
        return true;
      case 0x43: // SHORT_BINBYTES
        stack.push(this.bytes(input.byte()));
        return true;
      case 0x42: // BINBYTES
        stack.push(this.bytes(input.uint32()));
        return true;
      case 0x8e: // BINBYTES8
      case 0x96: // BYTEARRAY8
        stack.push(this.bytes(input.uint32() + input.uint32() * 2 ** 32));
        return true;
      case 0x8b: // LONG4
        stack.push(this.long(input.uint32()));
        return true;
      case 0x93: {
        // STACK_GLOBAL
        const name = this.pop();
        const module = this.pop();
        if (typeof name !== 'string' || typeof module !== 'string')
          throw new UnpicklingError('STACK_GLOBAL requires str');
        this.stack.push(this.options.findGlobal(module, name));
        return true;
      }
      case 0x90: {
        // ADDITEMS
        const items = this.popMark();
        const set = this.top();
        if (!(set instanceof Set)) throw new UnpicklingError(`Can only add items to sets, but got ${className(set)}`);
        for (const item of items) set.add(hashable(item));
        return true;
      }
      case 0x30: // POP
        if (this.stack.length > 0) this.stack.pop();
        else this.popMark();
        return true;
      case 0x31: // POP_MARK
        this.popMark();
        return true;
      case 0x32: // DUP
        this.stack.push(this.top());
        return true;
      default:
        return false;
    }
  }

  private get(slot: number): void {
    const value = this.memo.get(slot);
    if (value === undefined && !this.memo.has(slot)) throw new UnpicklingError(`Memo value not found at index ${slot}`);
    this.stack.push(value);
  }

  /** A little-endian integer in two's complement. */
  private long(length: number): number | bigint {
    if (length > MAX_BIG) throw new UnpicklingError(`an integer of ${length} bytes`);
    const { input } = this;
    const at = input.take(length);
    let hex = '';
    for (let i = at + length - 1; i >= at; i--) hex += input.bytes[i].toString(16).padStart(2, '0');
    if (hex === '') return 0;
    const value = BigInt.asIntN(8 * length, BigInt(`0x${hex}`));
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }

  private string(length: number): string {
    const at = this.input.take(length);
    const bytes = this.input.bytes.slice(at, at + length);
    try {
      return utf8.decode(bytes);
    } catch {
      throw new UnpicklingError("'utf-8' codec can't decode a string of the pickle");
    }
  }

  private bytes(length: number): Uint8Array {
    const at = this.input.take(length);
    return this.input.bytes.slice(at, at + length);
  }

  private protocol(protocol: number): void {
    if (protocol === 2) return;
    if (protocol > 5) throw new ValueError(`unsupported pickle protocol: ${protocol}`);
    if (this.options.allProtocols) return;
    this.options.warn(
      `Detected pickle protocol ${protocol} in the checkpoint, which was not the default pickle protocol used by \`torch.load\` (2). The weights_only Unpickler might not support all instructions implemented by this protocol, please file an issue for adding support if you encounter this.`,
    );
  }

  private listAtTop(doing: string): unknown[] {
    const list = this.top();
    if (!Array.isArray(list) || isTuple(list) || list instanceof Size) {
      throw new UnpicklingError(`Can only ${doing} lists, but got ${className(list)}`);
    }
    return list;
  }

  private dictAtTop(code: string): Dict {
    const dict = this.top();
    if (!(dict instanceof Dict)) {
      throw new UnpicklingError(
        `Can only ${code} for dict, collections.OrderedDict, collections.Counter, but got ${className(dict)}`,
      );
    }
    return dict;
  }

  private reduce(): void {
    const args = this.pop();
    const fn = this.pop();
    if (!(fn instanceof Callable)) {
      throw new UnpicklingError(`Trying to call reduce for unrecognized function ${showFunction(fn)}`);
    }
    if (!isTuple(args)) throw new UnpicklingError(`argument list must be a tuple, but got ${className(args)}`);
    // Constructors that copy: each call costs what it copies.
    this.budget.charge(8 * args.length);
    if (fn.path === 'collections.OrderedDict' || fn.path === 'collections.Counter') {
      this.stack.push(this.filledDict(fn.path, args));
    } else if (fn.path === 'builtins.set') {
      const items = args.length === 0 ? [] : args[0];
      if (!Array.isArray(items)) throw new UnpicklingError(`${className(items)} is no list to make a set of`);
      this.budget.charge(40 * items.length);
      this.stack.push(new Set(items.map(hashable)));
    } else this.stack.push(fn.call(args, this.budget));
  }

  /** `OrderedDict([('a', 1)])`, as Python 2 wrote it. */
  private filledDict(python: 'collections.OrderedDict' | 'collections.Counter', args: unknown[]): Dict {
    const dict = new Dict(python);
    if (args.length === 0) return dict;
    const [given] = args;
    if (given instanceof Dict) {
      this.budget.charge(64 * given.items.size);
      for (const [key, value] of given.items) dict.items.set(key, value);
      return dict;
    }
    if (!Array.isArray(given))
      throw new UnpicklingError(`${className(given)} is no list of pairs to make a ${python} of`);
    this.budget.charge(64 * given.length);
    for (const pair of given) {
      if (!Array.isArray(pair) || pair.length !== 2) {
        throw new UnpicklingError(`${className(pair)} is no pair to make a ${python} of`);
      }
      setItem(dict, pair[0], pair[1]);
    }
    return dict;
  }

  private newObject(): void {
    const args = this.pop();
    const type = this.pop();
    if (!(type instanceof Callable) || !isTuple(args)) {
      throw new UnpicklingError(
        `Can only create new object for nn.Parameter or classes allowlisted via \`add_safe_globals\` but got ${showFunction(type)}`,
      );
    }
    if (type.path.startsWith('collections.')) {
      // Arguments of `__new__` do not fill a dictionary.
      this.stack.push(new Dict(type.path as 'collections.OrderedDict'));
    } else if (type.path === 'builtins.set') this.stack.push(new Set());
    else this.stack.push(type.call(args, this.budget));
  }

  private build(): void {
    const state = this.pop();
    const object = this.top();
    if (!(object instanceof Dict) || object.python === 'dict') {
      throw new UnpicklingError(
        `Can only build Tensor, Parameter, OrderedDict or types allowlisted via \`add_safe_globals\`, but got ${className(object)}`,
      );
    }
    if (!(state instanceof Dict))
      throw new UnpicklingError(`the state of an OrderedDict is a ${className(state)}, not a dict`);
    object.attributes = state.items;
  }

  private persistentId(id: unknown): unknown {
    if (!isTuple(id) && !(typeof id === 'number' && Number.isInteger(id))) {
      throw new UnpicklingError(`persistent_load id must be tuple or int, but got ${className(id)}`);
    }
    if (isTuple(id) && id.length > 0 && id[0] !== 'storage') {
      throw new UnpicklingError(`Only persistent_load of storage is allowed, but got ${className(id[0])}`);
    }
    return id;
  }
}

/** The object with its dictionaries as JavaScript has them. Not recursive: a pickle may be nested as deep as it is long. */
function finished(result: unknown): unknown {
  const made = new Map<Dict, object>();
  const seen = new Set<unknown>();
  const open: (unknown[] | Set<unknown> | Dict)[] = [];
  const of = (value: unknown): unknown => {
    if (value instanceof Dict) {
      let object = made.get(value);
      if (object === undefined) {
        made.set(value, (object = isPlain(value) ? {} : new Map()));
        open.push(value);
      }
      return object;
    }
    if (value instanceof Internal) throw value.refusal();
    if ((Array.isArray(value) || value instanceof Set) && !seen.has(value)) {
      seen.add(value);
      open.push(value);
    }
    return value;
  };
  const whole = of(result);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      // The items of a Size are numbers, and it cannot be changed.
      if (!(next instanceof Size)) for (let i = 0; i < next.length; i++) next[i] = of(next[i]);
    } else if (next instanceof Set) for (const item of next) of(item);
    else fill(made.get(next)!, next, of);
  }
  return whole;
}

/** Whether keys are all strings, or all ints: a plain object in JavaScript. */
function isPlain(dict: Dict): boolean {
  let strings = 0;
  let ints = 0;
  for (const key of dict.items.keys()) {
    if (typeof key === 'string') strings++;
    else if (typeof key === 'number' && Number.isInteger(key)) ints++;
    else return false;
  }
  return strings === 0 || ints === 0;
}

function fill(object: object, { items, attributes }: Dict, of: (value: unknown) => unknown): void {
  if (object instanceof Map) for (const [key, value] of items) object.set(of(key), of(value));
  else {
    for (const [key, value] of items) {
      if (typeof key === 'number') intKeyed.add(object);
      // An assignment to `__proto__` would be something else.
      if (key === '__proto__') {
        Object.defineProperty(object, key, { value: of(value), enumerable: true, writable: true, configurable: true });
      } else (object as Record<string, unknown>)[String(key)] = of(value);
    }
  }
  const metadata = attributes?.get('_metadata');
  if (metadata === undefined) return;
  // Of a module's state dict. Not enumerable: it is no key.
  Object.defineProperty(object, '_metadata', { value: of(metadata), configurable: true, writable: true });
}

function setItem(dict: Dict, key: unknown, value: unknown): void {
  dict.items.set(hashable(key), value);
}

/** @throws TypeError for what cannot be a key */
function hashable(key: unknown): unknown {
  if (key instanceof Dict || key instanceof Set || (Array.isArray(key) && !isTuple(key) && !(key instanceof Size))) {
    throw new TypeError(`unhashable type: '${className(key).slice(8, -2)}'`);
  }
  return key;
}

function showFunction(value: unknown): string {
  if (value instanceof Callable) return `<class '${value.path}'>`;
  if (typeof value === 'number' || typeof value === 'string') return String(value);
  return className(value);
}
