/** `torch.tensor`: from JavaScript data (numbers, bigints, booleans, nested arrays, typed arrays, tensors). */
import { defaultDType } from '../core/defaults.ts';
import {
  bool,
  type DType,
  float32,
  float64,
  INT_CATEGORY,
  int8,
  int16,
  int32,
  int64,
  type TypedArray,
  uint8,
} from '../core/dtype.ts';
import { RuntimeError, ValueError } from '../core/errors.ts';
import type { Backend } from '../devices/backend.ts';
import { Tensor } from '../tensor/tensor.ts';
import { pythonTypeOf } from './bind.ts';
import { encode, fromHost, type HostValue } from './host.ts';

/** A scalar or nested arrays of them; 0-dim tensors may stand for scalars, typed arrays for rows. */
export type TensorData = HostValue | Tensor | ArrayBufferView | readonly TensorData[];

const TYPED: ReadonlyMap<unknown, DType> = new Map<unknown, DType>([
  [Float64Array, float64],
  [Float32Array, float32],
  [BigInt64Array, int64],
  [Int32Array, int32],
  [Int16Array, int16],
  [Int8Array, int8],
  [Uint8Array, uint8],
  [Uint8ClampedArray, uint8],
]);

/** The dtype of a typed array, or undefined for kinds that have none. */
export function typedArrayDType(array: ArrayBufferView): DType | undefined {
  // A Node Buffer is a Uint8Array of a class of its own.
  if (array instanceof Uint8Array) return uint8;
  return TYPED.get(array.constructor);
}

/** PyTorch's own limit. */
const MAX_DEPTH = 128;

class Collector {
  readonly sizes: number[] = [];
  readonly values: HostValue[] = [];
  sawBool = false;
  sawInt = false;
  sawFloat = false;
  tensorDType: DType | null = null;

  visit(data: unknown, depth: number): void {
    if (Array.isArray(data) || (ArrayBuffer.isView(data) && !(data instanceof DataView))) {
      // An array may hold itself.
      if (depth >= MAX_DEPTH) throw new ValueError("too many dimensions 'list'");
      const list = data as ArrayLike<unknown>;
      if (this.sizes.length === depth) {
        if (this.values.length > 0) throw this.ragged(depth, list.length);
        this.sizes.push(list.length);
      } else if (this.sizes[depth] !== list.length) throw this.ragged(depth, list.length);
      for (let i = 0; i < list.length; i++) this.visit(list[i], depth + 1);
      return;
    }
    if (depth < this.sizes.length) {
      if (depth > 0) {
        throw new TypeError('not a sequence');
      }
    }
    this.add(data);
  }

  private ragged(depth: number, length: number): Error {
    if (this.sizes.length === depth) return new TypeError('must be real number, not list');
    return new ValueError(`expected sequence of length ${this.sizes[depth]} at dim ${depth} (got ${length})`);
  }

  private add(data: unknown): void {
    switch (typeof data) {
      case 'number':
        this.sawFloat = true;
        break;
      case 'bigint':
        this.sawInt = true;
        break;
      case 'boolean':
        this.sawBool = true;
        break;
      default:
        if (data instanceof Tensor) {
          if (data.length !== 1) {
            throw new ValueError('only one element tensors can be converted to Python scalars');
          }
          this.tensorDType ??= data.dtype;
          this.values.push(data.item());
          return;
        }
        if (typeof data === 'string') throw new TypeError(`new(): invalid data type 'str'`);
        throw new RuntimeError(`Could not infer dtype of ${pythonTypeOf(data)}`);
    }
    this.values.push(data as HostValue);
  }

  dtype(): DType {
    if (this.sawFloat) return defaultDType();
    if (this.tensorDType !== null) return this.tensorDType;
    if (this.sawInt) return int64;
    if (this.sawBool) return bool;
    return defaultDType();
  }
}

/** @throws RuntimeError for numbers that an integer dtype does not have, ValueError for bigints that int64 does not have */
function checkRange(dtype: DType, values: readonly HostValue[]): void {
  const bits = BigInt(dtype.itemsize * 8);
  // PyTorch lets negative numbers wrap around in uint8.
  const low = dtype === uint8 ? -255 : Number(-(2n ** (bits - 1n)));
  const high = dtype === uint8 ? 255 : Number(2n ** (bits - 1n) - 1n);
  for (const value of values) {
    const number = Number(value);
    if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) {
      throw new ValueError('Overflow when unpacking long long');
    }
    if (!(number >= low && number <= high)) {
      throw new RuntimeError(`value cannot be converted to type ${dtype.name} without overflow`);
    }
  }
}

/** Kinds of arrays that no dtype has: the smallest one that holds their values. */
function widerDType(data: unknown): DType | null {
  if (data instanceof Uint16Array) return int32;
  return data instanceof Uint32Array ? int64 : null;
}

/** A new leaf holding a copy of the data. */
export function tensorFromData(data: unknown, dtype: DType | null, backend: Backend, pinned = false): Tensor {
  if (ArrayBuffer.isView(data)) {
    const own = typedArrayDType(data);
    const array = data as unknown as TypedArray;
    if (own !== undefined && (dtype === null || dtype === own)) {
      const copy = data instanceof Uint8ClampedArray ? new Uint8Array(data) : array;
      return fromHost(backend, [array.length], own, copy, pinned);
    }
  }
  const collector = new Collector();
  collector.visit(data, 0);
  const chosen = dtype ?? widerDType(data) ?? collector.dtype();
  const { values } = collector;
  const array = new chosen.array(values.length);
  for (let i = 0; i < values.length; i++) array[i] = encode(chosen, values[i]);
  if (chosen.category === INT_CATEGORY) checkRange(chosen, values);
  return fromHost(backend, collector.sizes, chosen, array, pinned);
}
