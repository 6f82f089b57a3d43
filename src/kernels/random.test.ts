/**
 * Random numbers against recorded PyTorch, bit for bit: every distribution, dtype and size, not contiguous, mixed, and the
 * saved states. Once as kernels are built on this machine, and once without fused instructions.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DType, DTYPES } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import { CpuBackend } from '../devices/cpu.ts';
import { allocateStorage, type Storage } from '../devices/storage.ts';
import * as random from './random.ts';
import { GeneratorState } from './random.ts';

type View = [sizes: number[], strides: number[], offset: number];
interface Result {
  bytes?: string;
  sha1?: string;
  head?: string;
  tail?: string;
}
interface Call {
  op: string;
  dtype: string;
  n: number;
  args: (number | string | View | null)[];
  view: View | null;
  result: Result;
}
interface Fixture {
  sequences: { seed: string; calls: Call[]; state: string }[];
  states: { seed: string; calls: Call[]; saved: string; after: Call[] }[];
}

const fixture = JSON.parse(
  readFileSync(new URL('../../tests/fixtures/random.json', import.meta.url), 'utf8'),
) as Fixture;

const backend = new CpuBackend();
const dtypeOf = (name: unknown): DType => DTYPES.find((dtype) => dtype.name === name)!;
const sha1 = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('hex');
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function operand(dtype: DType, n: number, view: View | null): Operand<Storage> {
  const [sizes, strides, offset] = view ?? [[n], [1], 0];
  const length = sizes.reduce((a, b) => a * b, 1);
  const storage = allocateStorage(backend, n * dtype.itemsize);
  if (n > 0) backend.copyIn(storage.address, new Uint8Array(n * dtype.itemsize));
  return { storage, offset, sizes, strides, dtype, length };
}

/** The probabilities i / n, rounded as PyTorch does. */
function probabilities(dtype: DType, n: number, view: View | null): Operand<Storage> {
  const p = operand(dtype, n, view);
  const values = Float32Array.from({ length: n }, (_, i) => i / n);
  const bytes = new DataView(new ArrayBuffer(n * dtype.itemsize));
  for (let i = 0; i < n; i++) {
    const [x] = values.subarray(i, i + 1);
    if (dtype.name === 'float64') bytes.setFloat64(8 * i, x, true);
    else if (dtype.name === 'float32') bytes.setFloat32(4 * i, x, true);
    else bytes.setUint16(2 * i, toHalf(dtype, x), true);
  }
  backend.copyIn(p.storage.address, new Uint8Array(bytes.buffer));
  return p;
}

/** A float32 of [0, 1) as a half type's bits. */
function toHalf(dtype: DType, x: number): number {
  if (x === 0) return 0;
  const [digits, lowest, bias] = dtype.name === 'float16' ? [10, -14, 15] : [7, -126, 127];
  const exponent = Math.max(Math.floor(Math.log2(x)), lowest);
  const scaled = x * 2 ** (digits - exponent);
  let whole = Math.floor(scaled);
  const rest = scaled - whole;
  if (rest > 0.5 || (rest === 0.5 && whole % 2 === 1)) whole++;
  return (exponent + bias - 1) * 2 ** digits + whole;
}

function run(call: Call, state: GeneratorState): Uint8Array {
  const dtype = dtypeOf(call.dtype);
  const out = operand(dtype, call.n, call.view);
  const numbers = call.args as number[];
  const [first, second] = call.args;
  if (call.op === 'uniform_') random.uniform(out, state, ...numbers);
  else if (call.op === 'normal_') random.normal(out, state, ...numbers);
  else if (call.op === 'exponential_') random.exponential(out, state, ...numbers);
  else if (call.op === 'bernoulli_') random.bernoulli(out, state, ...numbers);
  else if (call.op === 'random_') random.random(out, state);
  else if (call.op === 'randperm') random.randperm(out, state);
  else if (call.op === 'randint') {
    random.randint(out, state, BigInt(first as string), second === null ? null : BigInt(second as string));
  } else if (call.op === 'bernoulli_tensor') {
    random.bernoulliTensor(out, state, probabilities(dtypeOf(first), call.n, (second as View | null) ?? call.view));
  } else throw new Error(`no launch for ${call.op}`);
  return backend.copyOut(out.storage.address, call.n * dtype.itemsize);
}

function check(call: Call, bytes: Uint8Array): void {
  const name = `${call.op}(${call.args}) ${call.dtype} ${call.view ?? call.n}`;
  const { result } = call;
  if (result.bytes !== undefined) expect(base64(bytes), name).toBe(result.bytes);
  else {
    const seen = { head: base64(bytes.slice(0, 64)), tail: base64(bytes.slice(-64)), sha1: sha1(bytes) };
    expect(seen, name).toEqual(result);
  }
}

describe('the recorded sequences', () => {
  for (const { seed, calls, state: digest } of fixture.sequences) {
    test(`seed ${seed}: ${calls[0].op} ${calls[0].dtype}${calls[0].view ? ', strided' : ''}`, () => {
      const state = new GeneratorState(backend, BigInt(seed));
      expect(state.initialSeed).toBe(BigInt.asUintN(64, BigInt(seed)));
      for (const call of calls) check(call, run(call, state));
      expect(sha1(state.getState())).toBe(digest);
      state.dispose();
    });
  }
});
