/**
 * Fixture data to the product's values and back: tensors of any layout on the device under test, the bytes of tensors,
 * and half types as numbers.
 */

import { touch } from '../../src/devices/storage.ts';
import torch from '../../src/index.ts';
import { aliasTensor, type Tensor } from '../../src/tensor/tensor.ts';
import { device } from '../device.ts';
import type { Encoded, TensorData } from './fixtures.ts';

export type { Tensor };

export interface DTypeLike {
  readonly name: string;
  readonly itemsize: number;
}

/** A namespace or an object whose members are looked up by name. */
export type Names = Record<string, unknown>;

export function dtypeOf(name: string): DTypeLike {
  const found = (torch as unknown as Names)[name];
  if (found === undefined) throw new Error(`torch.${name} is missing`);
  return found as DTypeLike;
}

export function bytesOf(base64: string): Uint8Array {
  // A copy of its own: typed arrays of wider elements need an aligned start.
  return new Uint8Array(Buffer.from(base64, 'base64'));
}

export function arrayOf(dtype: string, bytes: Uint8Array) {
  const { buffer } = bytes;
  switch (dtype) {
    case 'float64':
      return new Float64Array(buffer);
    case 'float32':
      return new Float32Array(buffer);
    case 'float16':
    case 'bfloat16':
      return new Uint16Array(buffer);
    case 'int64':
      return new BigInt64Array(buffer);
    case 'int32':
      return new Int32Array(buffer);
    case 'int16':
      return new Int16Array(buffer);
    case 'int8':
      return new Int8Array(buffer);
    default:
      return bytes;
  }
}

export interface Built {
  x: Tensor;
  /** The whole storage, as one flat tensor. */
  base: Tensor;
}

/** The tensor on the device under test, with the fixture's strides and storage. A leaf, no view. */
export function build(data: TensorData, on: string = device): Built {
  const bytes = bytesOf(data.data);
  const dtype = dtypeOf(data.dtype);
  const make = torch.empty as unknown as (size: number[], options: object) => Tensor;
  const base = make([bytes.length / dtype.itemsize], { dtype, device: on });
  // Past every conversion: exactly these bits.
  if (bytes.length > 0) {
    base.storage.backend.copyIn(base.storage.address, bytes);
    touch(base.storage);
  }
  const length = data.shape.reduce((a, b) => a * b, 1);
  const x = aliasTensor(base, data.offset ?? 0, data.shape, data.strides ?? rowMajor(data.shape), length);
  if (data.grad) (x as unknown as { requires_grad: boolean }).requires_grad = true;
  return { x, base };
}

function rowMajor(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = step;
    step *= Math.max(1, shape[i]);
  }
  return strides;
}

/** The values in row-major order: numbers (NaN and all), or bigints for int64. */
export function numbersOf(dtype: string, raw: ArrayLike<number> | ArrayLike<bigint>): ArrayLike<number | bigint> {
  if (dtype === 'float16') return Array.from(raw as ArrayLike<number>, halfToNumber);
  if (dtype === 'bfloat16') return Array.from(raw as ArrayLike<number>, bfloatToNumber);
  return raw as ArrayLike<number | bigint>;
}

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

const word = new Uint32Array(1);
const wordAsFloat = new Float32Array(word.buffer);

function bfloatToNumber(bits: number): number {
  word[0] = bits << 16;
  return wordAsFloat[0];
}

/** Decodes arguments. Tensors go through `tensor`, variables through `variable`. */
export function decode(
  value: Encoded,
  tensor: (data: TensorData) => unknown,
  variable: (name: string) => unknown = (name) => {
    throw new Error(`variable ${name} outside of a program`);
  },
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((v) => decode(v, tensor, variable));
  if ('T' in value) return tensor(value.T);
  if ('var' in value) return variable(value.var);
  if ('dtype' in value) return dtypeOf(value.dtype);
  if ('dict' in value) {
    return Object.fromEntries(Object.entries(value.dict).map(([k, v]) => [k, decode(v, tensor, variable)]));
  }
  if ('device' in value) return (torch.device as unknown as (d: string) => unknown)(value.device);
  if ('size' in value) return value.size;
  if ('slice' in value) {
    const Slice = torch.Slice as unknown as new (...bounds: unknown[]) => unknown;
    return new Slice(...value.slice);
  }
  if ('float' in value) {
    return { nan: Number.NaN, inf: Infinity, '-inf': -Infinity, '-0': -0 }[value.float];
  }
  if ('int' in value) return BigInt(value.int);
  if ('bigint' in value) return BigInt(value.bigint);
  throw new Error(`not an argument: ${JSON.stringify(value)}`);
}

/** Resolves `torch.add`, `nn.functional.gelu` and so on; `Tensor.mul_` becomes a call of the method of its first argument. */
export function resolve(call: string): (...args: unknown[]) => unknown {
  const dot = call.lastIndexOf('.');
  if (call.slice(0, dot) === 'Tensor') {
    const name = call.slice(dot + 1);
    return (self, ...rest) => {
      const method = (self as Names)[name];
      if (typeof method !== 'function') throw new MissingError(`Tensor.${name} is missing`);
      return Reflect.apply(method, self, rest);
    };
  }
  let at: unknown = torch;
  for (const part of call.split('.')) {
    if (part === 'torch') continue;
    at = (at as Names | undefined)?.[part];
  }
  if (typeof at !== 'function') throw new MissingError(`${call} is missing`);
  const found = at;
  return (...args) => Reflect.apply(found, undefined, args);
}

/** The product lacks what the fixture calls: never mistaken for an error that PyTorch raises. */
export class MissingError extends Error {
  override name = 'MissingError';
}

export function isTensor(value: unknown): value is Tensor {
  return value instanceof (torch.Tensor as unknown as abstract new () => object);
}

/** Every tensor in a result, in order. */
export function tensorsIn(value: unknown): Tensor[] {
  if (isTensor(value)) return [value];
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) {
    return Array.from(value as Iterable<unknown>).flatMap(tensorsIn);
  }
  return [];
}
