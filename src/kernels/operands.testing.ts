/**
 * For tests of kernels: operands on a cpu backend, without tensors. Values are plain numbers; layouts are made by
 * permuting, spreading and broadcasting.
 */
import * as dtypes from '../core/dtype.ts';
import type { DType } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import { CpuBackend } from '../devices/cpu.ts';
import type { Storage } from '../devices/storage.ts';

export const backend = new CpuBackend();

const bits = new DataView(new ArrayBuffer(8));

/** A float32 number rounded to float16 (nearest even). */
export function roundHalf(x: number): number {
  if (!Number.isFinite(x) || x === 0) return x;
  const exponent = Math.max(-14, Math.floor(Math.log2(Math.abs(x))));
  // log2 may be one off next to a power of two; the step is then still one that divides both.
  const step = 2 ** (exponent - 10);
  const scaled = x / step;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  const rounded = (floor + (up ? 1 : 0)) * step;
  return Math.abs(rounded) > 65504 ? Math.sign(rounded) * Number.POSITIVE_INFINITY : rounded;
}

/** A float32 number rounded to bfloat16 (nearest even). */
export function roundBrain(x: number): number {
  bits.setFloat32(0, x);
  const word = bits.getUint32(0);
  if (Number.isNaN(x)) return x;
  bits.setUint32(0, ((word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000) >>> 0);
  return bits.getFloat32(0);
}

/** A number as the dtype keeps it. */
export function asStored(dtype: DType, x: number): number {
  switch (dtype) {
    case dtypes.float64:
      return x;
    case dtypes.float32:
      return Math.fround(x);
    case dtypes.float16:
      return roundHalf(Math.fround(x));
    case dtypes.bfloat16:
      return roundBrain(Math.fround(x));
    case dtypes.bool:
      return x ? 1 : 0;
    case dtypes.int64:
      return Number(BigInt.asIntN(64, BigInt(x)));
    default: {
      const array = new (dtype.array as Int32ArrayConstructor)(1);
      array[0] = x;
      return array[0];
    }
  }
}

function encodeHalf(x: number): number {
  bits.setFloat64(0, x);
  const sign = bits.getUint8(0) & 0x80 ? 0x8000 : 0;
  const magnitude = Math.abs(x);
  if (Number.isNaN(x)) return 0x7e00;
  if (magnitude === Number.POSITIVE_INFINITY) return sign | 0x7c00;
  if (magnitude < 2 ** -14) return sign | (magnitude / 2 ** -24);
  let exponent = Math.floor(Math.log2(magnitude));
  if (magnitude / 2 ** exponent >= 2) exponent++;
  if (magnitude / 2 ** exponent < 1) exponent--;
  return sign | ((exponent + 15) << 10) | (magnitude / 2 ** (exponent - 10) - 1024);
}

function decodeHalf(word: number): number {
  const sign = word & 0x8000 ? -1 : 1;
  const exponent = (word >> 10) & 31;
  const fraction = word & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

function encode(dtype: DType, values: readonly number[]): Uint8Array {
  const array = new dtype.array(values.length);
  values.forEach((x, i) => {
    if (dtype === dtypes.int64) (array as BigInt64Array)[i] = BigInt(x);
    else if (dtype === dtypes.float16) (array as Uint16Array)[i] = encodeHalf(roundHalf(Math.fround(x)));
    else if (dtype === dtypes.bfloat16) {
      bits.setFloat32(0, roundBrain(Math.fround(x)));
      (array as Uint16Array)[i] = bits.getUint16(0);
    } else (array as Float64Array)[i] = x;
  });
  return new Uint8Array(array.buffer);
}

function decode(dtype: DType, bytes: Uint8Array): number[] {
  const array = new dtype.array(bytes.slice().buffer, 0, bytes.length / dtype.itemsize);
  return Array.from(array as ArrayLike<number>, (x) => {
    if (dtype === dtypes.float16) return decodeHalf(x);
    if (dtype !== dtypes.bfloat16) return Number(x);
    bits.setUint32(0, x << 16);
    return bits.getFloat32(0);
  });
}

const product = (sizes: readonly number[]): number => sizes.reduce((n, size) => n * size, 1);

export interface TestOperand extends Operand {
  readonly storage: Storage;
}

function storageOf(bytes: number): Storage {
  const record = { lastUse: 0, group: null };
  return { backend, address: backend.allocate(bytes), nbytes: bytes, record } as unknown as Storage;
}

/** A contiguous operand with the values in row-major order; one number fills it. */
export function operand(dtype: DType, sizes: readonly number[], values: readonly number[] | number): TestOperand {
  const length = product(sizes);
  const list = typeof values === 'number' ? new Array<number>(length).fill(values) : values;
  if (list.length !== length) throw new Error(`${list.length} values for [${sizes}]`);
  const storage = storageOf(length * dtype.itemsize);
  backend.copyIn(storage.address, encode(dtype, list));
  const strides = sizes.map((_, d) => product(sizes.slice(d + 1)));
  return { storage, offset: 0, sizes, strides, dtype, length };
}

/** The same values in another layout: dimensions stored in the given order (outermost first), `gap` elements apart. */
export function laidOut(x: TestOperand, order: readonly number[], gap = 1): TestOperand {
  const strides = new Array<number>(x.sizes.length).fill(0);
  let step = gap;
  for (const d of [...order].reverse()) {
    strides[d] = step;
    step *= x.sizes[d];
  }
  const offset = 3;
  const values = read(x);
  const flat = new Array<number>(step + offset).fill(99);
  const y: TestOperand = { ...x, strides, offset, storage: storageOf(flat.length * x.dtype.itemsize) };
  positions(y).forEach((at, i) => {
    flat[at] = values[i];
  });
  backend.copyIn(y.storage.address, encode(x.dtype, flat));
  return y;
}

/** A view with other sizes, where dimensions of size 1 (or missing ones) are repeated. */
export function expanded(x: TestOperand, sizes: readonly number[]): TestOperand {
  const skip = sizes.length - x.sizes.length;
  const strides = sizes.map((_, d) => (d < skip || x.sizes[d - skip] === 1 ? 0 : x.strides[d - skip]));
  return { ...x, sizes, strides, length: product(sizes) };
}

/** Positions in the storage, in elements, in row-major order. */
function positions(x: Operand): number[] {
  let all = [x.offset];
  x.sizes.forEach((size, d) => {
    all = all.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * x.strides[d]));
  });
  return all;
}

/** The values in row-major order. */
export function read(x: TestOperand): number[] {
  const flat = decode(x.dtype, backend.copyOut(x.storage.address, x.storage.nbytes));
  return positions(x).map((at) => flat[at]);
}

/** A repeatable stream of whole numbers from -range to range. */
export function numbers(count: number, range: number, seed = 1): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state % (2 * range + 1)) - range;
  });
}
