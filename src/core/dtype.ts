/**
 * The ten element types. A DType is a class instance, never a plain object, so that it can't be mistaken for an
 * options object. `index` is dense: kernels and ops use it to look up specialised code without strings.
 */

export type TypedArray =
  | Float64Array
  | Float32Array
  | Uint16Array
  | BigInt64Array
  | Int32Array
  | Int16Array
  | Int8Array
  | Uint8Array;

export type TypedArrayConstructor = {
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): TypedArray;
  new (length: number): TypedArray;
  readonly BYTES_PER_ELEMENT: number;
};

/** PyTorch's three categories of type promotion, in rising order (complex is not there yet). */
export const BOOL_CATEGORY = 0;
export const INT_CATEGORY = 1;
export const FLOAT_CATEGORY = 2;
export type Category = typeof BOOL_CATEGORY | typeof INT_CATEGORY | typeof FLOAT_CATEGORY;

export class DType {
  /** PyTorch's `is_floating_point`. */
  readonly is_floating_point: boolean;
  /** PyTorch's `is_complex`; always false today. */
  readonly is_complex = false;
  /** PyTorch's `is_signed`. */
  readonly is_signed: boolean;

  /** Not for users: the ten instances below are all there are. */
  constructor(
    readonly name: string,
    /** Dense number, 0 to 9. */
    readonly index: number,
    /** Bytes per element. */
    readonly itemsize: number,
    readonly category: Category,
    /** The array that `toTypedArray()` gives (half types: their raw bits; bool: 0 and 1). */
    readonly array: TypedArrayConstructor,
    /** PyTorch's C++ name, used in its error texts ("expected scalar type Long but found Float"). */
    readonly scalarTypeName: string,
    /** The type part of PyTorch's legacy tensor types (`torch.FloatTensor`). */
    readonly tensorTypeName: string,
  ) {
    this.is_floating_point = category === FLOAT_CATEGORY;
    this.is_signed = name !== 'uint8' && name !== 'bool';
  }

  toString(): string {
    return `torch.${this.name}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  toJSON(): string {
    return this.toString();
  }
}

export const float64 = new DType('float64', 0, 8, FLOAT_CATEGORY, Float64Array, 'Double', 'DoubleTensor');
export const float32 = new DType('float32', 1, 4, FLOAT_CATEGORY, Float32Array, 'Float', 'FloatTensor');
export const float16 = new DType('float16', 2, 2, FLOAT_CATEGORY, Uint16Array, 'Half', 'HalfTensor');
export const bfloat16 = new DType('bfloat16', 3, 2, FLOAT_CATEGORY, Uint16Array, 'BFloat16', 'BFloat16Tensor');
export const int64 = new DType('int64', 4, 8, INT_CATEGORY, BigInt64Array, 'Long', 'LongTensor');
export const int32 = new DType('int32', 5, 4, INT_CATEGORY, Int32Array, 'Int', 'IntTensor');
export const int16 = new DType('int16', 6, 2, INT_CATEGORY, Int16Array, 'Short', 'ShortTensor');
export const int8 = new DType('int8', 7, 1, INT_CATEGORY, Int8Array, 'Char', 'CharTensor');
export const uint8 = new DType('uint8', 8, 1, INT_CATEGORY, Uint8Array, 'Byte', 'ByteTensor');
export const bool = new DType('bool', 9, 1, BOOL_CATEGORY, Uint8Array, 'Bool', 'BoolTensor');

/** Every dtype, at the position of its `index`. */
export const DTYPES: readonly DType[] = [float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8, bool];
