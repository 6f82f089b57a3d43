/** The recorded random calls of PyTorch, and how to run one of them on a backend. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { DTYPES, type DType } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import { allocateStorage, type Storage } from '../devices/storage.ts';
import * as random from './random.ts';
import { exponential } from './random-distributions.ts';

type View = [sizes: number[], strides: number[], offset: number];

/** What a call left in the result's storage: all bytes, or of many a digest, the first and the last. */
interface Result {
  bytes?: string;
  sha1?: string;
  head?: string;
  tail?: string;
}

/** One call; see scripts/oracle/random.py. */
export interface Call {
  op: string;
  dtype: string;
  /** Elements of the result's storage. */
  n: number;
  args: (number | string | View | null)[];
  /** How the result sees its storage; null: whole. */
  view: View | null;
  result: Result;
  error?: { type: string; text: string };
}

interface Fixture {
  /** `state` is the digest of the state afterwards. */
  sequences: { seed: string; calls: Call[]; state: string }[];
  states: { seed: string; calls: Call[]; saved: string; after: Call[] }[];
  errors: Call[];
}

export const fixture = JSON.parse(
  readFileSync(new URL('../../tests/fixtures/random.json', import.meta.url), 'utf8'),
) as Fixture;

export const sha1 = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const dtypeOf = (name: unknown): DType => {
  const found = DTYPES.find((dtype) => dtype.name === name);
  if (!found) throw new Error(`no dtype ${name}`);
  return found;
};

/** A tensor over a new storage of n zeros. */
export function operand(backend: Backend, dtype: DType, n: number, view: View | null): Operand<Storage> {
  const [sizes, strides, offset] = view ?? [[n], [1], 0];
  const length = sizes.reduce((a, b) => a * b, 1);
  const storage = allocateStorage(backend, n * dtype.itemsize);
  if (n > 0) backend.copyIn(storage.address, new Uint8Array(n * dtype.itemsize));
  return { storage, offset, sizes, strides, dtype, length };
}

/** The probabilities i / n (in float32, then rounded to the dtype). */
function probabilities(backend: Backend, dtype: DType, n: number, view: View | null): Operand<Storage> {
  const p = operand(backend, dtype, n, view);
  const bytes = new DataView(new ArrayBuffer(n * dtype.itemsize));
  for (let i = 0; i < n; i++) {
    const x = Math.fround(i / n);
    if (dtype.name === 'float64') bytes.setFloat64(8 * i, x, true);
    else if (dtype.name === 'float32') bytes.setFloat32(4 * i, x, true);
    else bytes.setUint16(2 * i, halfBits(dtype, x), true);
  }
  backend.copyIn(p.storage.address, new Uint8Array(bytes.buffer));
  return p;
}

/** A float32 of [0, 1) as a half type's bits. */
function halfBits(dtype: DType, x: number): number {
  if (x === 0) return 0;
  const [digits, lowest, bias] = dtype.name === 'float16' ? [10, -14, 15] : [7, -126, 127];
  const exponent = Math.max(Math.floor(Math.log2(x)), lowest);
  const scaled = x * 2 ** (digits - exponent);
  let whole = Math.floor(scaled);
  const rest = scaled - whole;
  if (rest > 0.5 || (rest === 0.5 && whole % 2 === 1)) whole++;
  return (exponent + bias - 1) * 2 ** digits + whole;
}

/** Submits the call; the bytes of the result's storage can be read afterwards. */
export function submit(call: Call, state: random.GeneratorState): Operand<Storage> {
  const { backend } = state;
  const dtype = dtypeOf(call.dtype);
  const out = operand(backend, dtype, call.n, call.view);
  const numbers = call.args.map(Number);
  const [first, second] = call.args;
  const view = (second as View | null) ?? call.view;
  if (call.op === 'uniform_') random.uniform(out, state, ...numbers);
  else if (call.op === 'normal_') random.normal(out, state, ...numbers);
  else if (call.op === 'exponential_') exponential(out, state, ...numbers);
  else if (call.op === 'bernoulli_') random.bernoulli(out, state, ...numbers);
  else if (call.op === 'random_') random.random(out, state);
  else if (call.op === 'randperm') random.randperm(out, state);
  else if (call.op === 'randint') {
    random.randint(out, state, BigInt(first as string), second === null ? null : BigInt(second as string));
  } else if (call.op === 'bernoulli_tensor') {
    random.bernoulliTensor(out, state, probabilities(backend, dtypeOf(first), call.n, view));
  } else throw new Error(`no launch for ${call.op}`);
  return out;
}

/** Expects the recorded bits. */
export function check(call: Call, { storage }: Operand<Storage>): void {
  const bytes = storage.backend.copyOut(storage.address, storage.nbytes);
  const { result } = call;
  const seen =
    result.bytes !== undefined
      ? { bytes: base64(bytes) }
      : { head: base64(bytes.slice(0, 64)), tail: base64(bytes.slice(-64)), sha1: sha1(bytes) };
  expect(seen, describeCall(call)).toEqual(result);
}

export function describeCall(call: Call): string {
  const where = call.view ? `view ${JSON.stringify(call.view)}` : `${call.n} elements`;
  return `${call.op}(${call.args.map((a) => JSON.stringify(a)).join(', ')}) of ${call.dtype}, ${where}`;
}
