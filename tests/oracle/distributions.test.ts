/** Random numbers of the public API against PyTorch's CPU, bit for bit, on every device. */
import { describe, expect, test } from 'vitest';
import torch from '../../src/index.ts';
import { device } from '../device.ts';
import { compareError } from './compare.ts';
import { type CaseData, loadFamily, type TensorData } from './fixtures.ts';
import { waitFor } from './replay.ts';
import { arrayOf, build, bytesOf, decode, isTensor, resolve } from './values.ts';

interface Sequence {
  seed: number;
  calls: CaseData[];
}

/** Bits of float64 as whole numbers: neighbours differ by 1. */
const ordered = (bytes: Uint8Array) => Array.from(arrayOf('int64', bytes) as BigInt64Array);

/** What differs from the recorded bits, or null. */
function compareBits(c: CaseData, actual: unknown, expected: TensorData): string | null {
  if (!isTensor(actual)) return `got ${String(actual)}`;
  if (actual.dtype.name !== expected.dtype) return `dtype ${actual.dtype.name}, expected ${expected.dtype}`;
  if (String(actual.sizes) !== String(expected.shape)) return `shape [${actual.sizes}], expected [${expected.shape}]`;
  const values = (actual as unknown as { toTypedArray(): ArrayBufferView }).toTypedArray();
  const got = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const wanted = bytesOf(expected.data);
  if (c.call === 'Tensor.cauchy_' && expected.dtype === 'float64') {
    const [a, b] = [ordered(got.slice()), ordered(wanted)];
    const far = a.findIndex((x, i) => x - b[i] > 1n || b[i] - x > 1n);
    return far < 0 ? null : `value ${far} is off by more than one place`;
  }
  const at = got.findIndex((byte, i) => byte !== wanted[i]);
  if (at < 0 && got.length === wanted.length) return null;
  const i = Math.floor(at / actual.dtype.itemsize);
  const shown = (bytes: Uint8Array) => (arrayOf(expected.dtype, bytes.slice()) as ArrayLike<number>)[i];
  return `value ${i} of ${actual.length} is ${shown(got)}, expected ${shown(wanted)}`;
}

function run(c: CaseData): string | null {
  const tensor = (data: TensorData) => build(data).x;
  const args = c.args.map((a) => decode(a, tensor));
  const options = Object.entries(c.kwargs ?? {}).map(([k, v]) => [k, decode(v, tensor)] as const);
  if (c.factory) options.push(['device', device]);
  if (options.length > 0) args.push(Object.fromEntries(options));
  let result: unknown;
  try {
    result = resolve(c.call)(...args);
    waitFor(args, result);
  } catch (error) {
    return c.error ? compareError(error, c.error) : `threw ${String(error)}`;
  }
  if (c.error) return `gave ${String(result)}, expected ${c.error.type}: ${c.error.text}`;
  return compareBits(c, result, (c.result as { T: TensorData }).T);
}

describe(`distributions on ${device}`, () => {
  for (const { seed, calls } of loadFamily<Sequence>('distributions').groups['sequences']) {
    test(`${calls[0].call}, seed ${seed}`, () => {
      torch.manual_seed(seed);
      const wrong = calls.flatMap((c, i) => {
        const difference = run(c);
        return difference === null ? [] : [`${i} ${c.call}(${JSON.stringify(c.args).slice(0, 80)}): ${difference}`];
      });
      expect(wrong).toEqual([]);
    });
  }
});
