/** `nn.ParameterList` and `nn.ParameterDict`: parameters (and other values) that a module holds in a list or by name. */
import { IndexError, KeyError, RuntimeError } from '../core/errors.ts';
import { isOptions } from '../ops/bind.ts';
import { Tensor } from '../tensor/tensor.ts';
import { pairs, showLength } from './containers.ts';
import { Module } from './module.ts';
import { isParameter, makeParameter, type Parameter } from './parameter.ts';
import { pyTypeName, tensorTypeName } from './text.ts';

type Names = Record<string, unknown>;

/** Tensors become parameters. */
function wrapped(value: unknown): unknown {
  return value instanceof Tensor && !isParameter(value) ? makeParameter(value, true) : value;
}

/** One line of the text. `dtype`: what the tensor is of. */
function lineOf(key: string | number, value: unknown, dtype: (x: Tensor) => string): string {
  if (!(value instanceof Tensor)) return `  (${key}): Object of type: ${pyTypeName(value)}`;
  const kind = isParameter(value) ? 'Parameter' : 'Tensor';
  return `  (${key}): ${kind} containing: [${dtype(value)} of size ${value.sizes.join('x')}]`;
}

/** A list of parameters, all registered. Tensors become parameters; other values stay what they are. */
export class ParameterList<T = Parameter> extends Module implements Iterable<T> {
  /** How many there are. */
  declare readonly length: number;
  declare private _size: number;

  constructor(values?: Iterable<T | Tensor> | null) {
    super();
    Object.defineProperty(this, '_size', { value: 0, writable: true });
    showLength(this, (self) => (self as ParameterList)._size);
    if (values !== undefined && values !== null) this.extend(values);
  }

  private _name(index: number): string {
    if (!Number.isInteger(index)) {
      throw new TypeError(`'${pyTypeName(index)}' object cannot be interpreted as an integer`);
    }
    if (index < -this._size || index >= this._size) throw new IndexError(`index ${index} is out of range`);
    return String(index < 0 ? index + this._size : index);
  }

  /** The value at a position; negative ones count from the end. */
  at(index: number): T {
    return (this as unknown as Names)[this._name(index)] as T;
  }

  /** Replaces the value at a position: Python's `list[index] = value`. */
  set(index: number, value: T | Tensor): this {
    (this as unknown as Names)[this._name(index)] = wrapped(value);
    return this;
  }

  /** Adds a value at the end. */
  append(value: T | Tensor): this {
    this._size++;
    return this.set(this._size - 1, value);
  }

  /** Adds values at the end. */
  extend(values: Iterable<T | Tensor>): this {
    if (values instanceof Tensor || typeof values?.[Symbol.iterator] !== 'function') {
      throw new TypeError(`ParameterList.extend should be called with an iterable, but got ${pyTypeName(values)}`);
    }
    for (const value of values) this.append(value);
    return this;
  }

  /** A list over some of the values: Python's `list[start:end]`. */
  slice(start?: number, end?: number): ParameterList<T> {
    return new ParameterList<T>([...this].slice(start, end));
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (let i = 0; i < this._size; i++) yield this.at(i);
  }

  override forward(..._inputs: never[]): never {
    throw new RuntimeError('ParameterList should not be called.');
  }

  override extra_repr(): string {
    return [...this].map((value, i) => lineOf(i, value, (x) => String(x.dtype))).join('\n');
  }
}

type Mapping<T> = Readonly<Record<string, T | Tensor>> | ReadonlyMap<string, T | Tensor>;

/** Parameters by name, all registered. Tensors become parameters; other values stay what they are. */
export class ParameterDict<T = Parameter> extends Module implements Iterable<[string, T]> {
  /** How many there are. */
  declare readonly length: number;
  declare private readonly _keys: Set<string>;

  constructor(parameters?: Mapping<T> | ParameterDict<T> | Iterable<readonly [string, T | Tensor]> | null) {
    super();
    Object.defineProperty(this, '_keys', { value: new Set() });
    showLength(this, (self) => (self as ParameterDict)._keys.size);
    if (parameters !== undefined && parameters !== null) this.update(parameters);
  }

  /** The value of a name; without a default, @throws KeyError if there is none */
  get(key: string): T;
  get<D>(key: string, fallback: D): T | D;
  get(key: string, ...fallback: unknown[]): unknown {
    if (this._keys.has(key)) return (this as unknown as Names)[key];
    if (fallback.length > 0) return fallback[0];
    throw new KeyError(key);
  }

  /** Whether there is a value of this name. */
  has(key: string): boolean {
    return this._keys.has(key);
  }

  /** Adds a value, or replaces that of the same name. */
  set(key: string, value: T | Tensor): this {
    if (typeof key !== 'string') {
      throw new TypeError(
        `Index given to ParameterDict cannot be used as a key as it is not a string (type is '${pyTypeName(key)}'). Open an issue on github if you need non-string keys.`,
      );
    }
    this._keys.add(key);
    const field = wrapped(value);
    Object.defineProperty(this, key, { value: field, writable: true, enumerable: true, configurable: true });
    return this;
  }

  /** Removes a value. @throws KeyError if there is none */
  delete(key: string): void {
    this.pop(key);
  }

  /** Removes a value and returns it. @throws KeyError if there is none */
  pop(key: string): T {
    const value = this.get(key);
    this._keys.delete(key);
    delete (this as unknown as Names)[key];
    return value;
  }

  /** Removes the value that came last, and returns its name and itself. @throws KeyError if there is none */
  popitem(): [string, T] {
    const last = [...this._keys].at(-1);
    if (last === undefined) throw new KeyError('dictionary is empty');
    return [last, this.pop(last)];
  }

  /** The value of a name, which is set before if there is none. */
  setdefault(key: string, value: T | Tensor): T {
    if (!this.has(key)) this.set(key, value);
    return this.get(key);
  }

  /** Removes all. */
  clear(): void {
    for (const key of [...this._keys]) this.pop(key);
  }

  /** Another dict over the same values. */
  copy(): ParameterDict<T> {
    return new ParameterDict<T>(this);
  }

  /** A dict with the same value for all keys. */
  fromkeys<D>(keys: Iterable<string>, value: D): ParameterDict<D> {
    return new ParameterDict<D>(Array.from(keys, (key) => [key, value] as const));
  }

  /** Adds all of a mapping, replacing those of the same names. */
  update(parameters: Mapping<T> | ParameterDict<T> | Iterable<readonly [string, T | Tensor]>): void {
    // Only ordered mappings keep their order in PyTorch; it sorts the names of a plain dict.
    const entries = isOptions(parameters)
      ? Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
      : (parameters as Iterable<unknown>);
    if (typeof entries?.[Symbol.iterator] !== 'function') {
      throw new TypeError(
        `ParametersDict.update should be called with an iterable of key/value pairs, but got ${pyTypeName(parameters)}`,
      );
    }
    for (const [key, value] of pairs('ParameterDict', entries)) this.set(key, value as T | Tensor);
  }

  /** The names. */
  *keys(): Generator<string, void> {
    yield* this._keys;
  }

  /** The values. */
  *values(): Generator<T, void> {
    for (const key of this._keys) yield this.get(key);
  }

  /** `[name, value]`. */
  *items(): Generator<[string, T], void> {
    for (const key of this._keys) yield [key, this.get(key)];
  }

  [Symbol.iterator](): Generator<[string, T], void> {
    return this.items();
  }

  override forward(..._inputs: never[]): never {
    throw new RuntimeError('ParameterDict should not be called.');
  }

  override extra_repr(): string {
    return [...this.items()].map(([key, value]) => lineOf(key, value, tensorTypeName)).join('\n');
  }
}
