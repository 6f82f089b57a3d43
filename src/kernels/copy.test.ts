/** Casts between all dtypes, the half types bit by bit, copies between layouts, fills. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bfloat16, bool, DTYPES, type DType, float16, float32, float64, int32, int64, uint8 } from '../core/dtype.ts';
import { copy, fill, zero } from './copy.ts';
import { asStored, backend, expanded, laidOut, numbers, operand, read, type TestOperand } from './operands.testing.ts';

interface Casts {
  floats: string[];
  integers: string[];
  rows: { from: string; to: string; values: string[] }[];
}
const casts = JSON.parse(readFileSync(new URL('./fixtures/casts.json', import.meta.url), 'utf8')) as Casts;
const byName = (name: string): DType => DTYPES.find((d) => d.name === name)!;
const parse = (text: string): number => (text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text));

function fromArray(dtype: DType, array: ArrayBufferView, sizes?: number[]): TestOperand {
  const length = array.byteLength / dtype.itemsize;
  const t = operand(dtype, sizes ?? [length], new Array(length).fill(0));
  backend.copyIn(t.storage.address, new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return t;
}
function bytes(t: TestOperand): ArrayBuffer {
  return backend.copyOut(t.storage.address, t.storage.nbytes).slice().buffer as ArrayBuffer;
}

describe('casts', () => {
  test.each(casts.rows)('$from to $to as in PyTorch', ({ from, to, values }) => {
    const source =
      from === 'int64'
        ? fromArray(int64, BigInt64Array.from(casts.integers, BigInt))
        : operand(byName(from), [casts.floats.length], casts.floats.map(parse));
    const out = operand(byName(to), [source.length], 0);
    copy(out, source);
    if (to === 'int64') expect(Array.from(new BigInt64Array(bytes(out)), String)).toEqual(values);
    else expect(read(out)).toEqual(values.map(parse));
  });

  test('small whole numbers go between any two dtypes unchanged', () => {
    const list = Array.from({ length: 61 }, (_, i) => i);
    for (const from of DTYPES) {
      for (const to of DTYPES) {
        const stored = list.map((v) => asStored(from, v));
        const out = operand(to, [61], 0);
        copy(out, operand(from, [61], stored));
        expect(read(out), `${from.name} to ${to.name}`).toEqual(stored.map((v) => asStored(to, v)));
      }
    }
  });
});

describe('half types', () => {
  const all = Uint16Array.from({ length: 65536 }, (_, i) => i);

  test.each([float16, bfloat16].map((d) => [d.name, d] as const))('all %s values to float32 and back', (_, dtype) => {
    const source = fromArray(dtype, all);
    const wide = operand(float32, [65536], 0);
    copy(wide, source);
    const values = read(wide);
    // Checked against the formats' definitions.
    const [exponentBits, fractionBits] = dtype === float16 ? [5, 10] : [8, 7];
    const bias = 2 ** (exponentBits - 1) - 1;
    for (let i = 0; i < 65536; i++) {
      const sign = i & 0x8000 ? -1 : 1;
      const exponent = (i >> fractionBits) & (2 ** exponentBits - 1);
      const fraction = i & (2 ** fractionBits - 1);
      let exact: number;
      if (exponent === 2 ** exponentBits - 1) exact = fraction ? NaN : sign * Infinity;
      else if (exponent === 0) exact = sign * fraction * 2 ** (1 - bias - fractionBits);
      else exact = sign * (2 ** fractionBits + fraction) * 2 ** (exponent - bias - fractionBits);
      if (!Object.is(values[i], exact)) expect.fail(`${i.toString(16)}: ${values[i]}, not ${exact}`);
    }
    const back = operand(dtype, [65536], 0);
    copy(back, wide);
    const bits = new Uint16Array(bytes(back));
    for (let i = 0; i < 65536; i++) {
      const quiet = dtype === float16 ? 0x7e00 | (i & 0x8000) : 0x7fc0;
      const expected = Number.isNaN(values[i]) ? quiet : i;
      if (bits[i] !== expected) expect.fail(`${i.toString(16)} came back as ${bits[i].toString(16)}`);
    }
  });

  test.each([float16, bfloat16].map((d) => [d.name, d] as const))(
    '%s: rounding to nearest even around every value',
    (_, dtype) => {
      // Each positive finite value, and what lies between it and the next: just below half, half, just above.
      const wide = operand(float32, [65536], 0);
      copy(wide, fromArray(dtype, all));
      const values = read(wide);
      const infinity = dtype === float16 ? 0x7c00 : 0x7f80;
      const inputs = new Float32Array(infinity * 4);
      const expected = new Uint16Array(infinity * 4);
      const word = new DataView(new ArrayBuffer(4));
      const neighbour = (v: number, step: number): number => {
        word.setFloat32(0, v);
        word.setUint32(0, word.getUint32(0) + step);
        return word.getFloat32(0);
      };
      for (let i = 0; i < infinity; i++) {
        // Beyond the largest value the next would be a power of two.
        const above = i + 1 < infinity ? values[i + 1] : 2 * values[i] - values[i - 1];
        const half = values[i] + (above - values[i]) / 2;
        inputs.set([values[i], neighbour(Math.fround(half), -1), half, neighbour(Math.fround(half), 1)], i * 4);
        expected.set([i, i, i + (i & 1), i + 1], i * 4);
      }
      const out = operand(dtype, [inputs.length], 0);
      copy(out, fromArray(float32, inputs));
      const got = new Uint16Array(bytes(out));
      for (let k = 0; k < got.length; k++) {
        // Below the smallest float32 steps of bfloat16's subnormals the neighbours are still exact.
        if (got[k] !== expected[k])
          expect.fail(`${inputs[k]}: ${got[k].toString(16)}, not ${expected[k].toString(16)}`);
      }
    },
  );
});

describe('layouts', () => {
  test('every itemsize, contiguous, permuted, spread, broadcast', () => {
    for (const dtype of [uint8, bool, float16, int32, float32, float64, int64]) {
      for (const sizes of [
        [3, 4, 5],
        [65, 130],
        [2, 70, 3, 33],
      ]) {
        const n = sizes.reduce((a, b) => a * b, 1);
        const a = operand(
          dtype,
          sizes,
          numbers(n, 100, n).map((v) => asStored(dtype, Math.abs(v))),
        );
        const expected = read(a);
        const orders = [sizes.map((_, d) => d), sizes.map((_, d) => d).reverse()];
        for (const from of orders) {
          for (const to of orders) {
            const out = laidOut(operand(dtype, sizes, 0), to, 2);
            copy(out, laidOut(a, from, from === to ? 1 : 3));
            expect(read(out)).toEqual(expected);
          }
        }
        const row = operand(dtype, [sizes[sizes.length - 1]], expected.slice(0, sizes[sizes.length - 1]));
        const out = operand(dtype, sizes, 0);
        copy(out, row);
        expect(read(out)).toEqual(read(expanded(row, sizes)));
      }
    }
  });

  test('a copy of the same dtype keeps all bits, whatever the layout', () => {
    const bits = Uint32Array.from([0x7f800001, 0xffc12345, 0x7fffffff, 0x80000000, 1, 0x7f8fffff]);
    const source = fromArray(float32, bits, [2, 3]);
    const straight = operand(float32, [2, 3], 0);
    copy(straight, source);
    expect(new Uint32Array(bytes(straight))).toEqual(bits);
    const across = operand(float32, [3, 2], 0);
    copy(across, { ...source, sizes: [3, 2], strides: [1, 3] });
    expect(new Uint32Array(bytes(across))).toEqual(Uint32Array.from([0, 3, 1, 4, 2, 5], (i) => bits[i]));
  });

  test('a large contiguous copy is split, and complete', () => {
    const n = 300_001;
    const out = operand(float32, [n], 0);
    copy(
      out,
      operand(
        float32,
        [n],
        Array.from({ length: n }, (_, i) => i),
      ),
    );
    expect(read(out).findIndex((v, i) => v !== i)).toBe(-1);
  });
});

describe('fills', () => {
  test('every dtype, in runs and in views', () => {
    for (const dtype of DTYPES) {
      const t = operand(dtype, [70], new Array(70).fill(1));
      fill(t, 3);
      expect(read(t), dtype.name).toEqual(new Array(70).fill(asStored(dtype, 3)));
      fill({ ...t, sizes: [10], strides: [7], length: 10 }, 2);
      zero({ ...t, offset: 1, sizes: [10], strides: [7], length: 10 });
      const expected = Array.from({ length: 70 }, (_, i) => asStored(dtype, i % 7 === 0 ? 2 : i % 7 === 1 ? 0 : 3));
      expect(read(t), dtype.name).toEqual(expected);
      zero(t);
      expect(read(t)).toEqual(new Array(70).fill(0));
    }
  });

  test('values at the edges', () => {
    const big = operand(int64, [3], 0);
    fill(big, 2n ** 63n - 1n);
    expect(Array.from(new BigInt64Array(bytes(big)))).toEqual(new Array(3).fill(2n ** 63n - 1n));
    const truth = operand(bool, [3], 0);
    fill(truth, 0.5);
    expect(read(truth)).toEqual([1, 1, 1]);
    const minus = operand(float32, [3], 1);
    fill(minus, -0);
    expect(read(minus)).toEqual([-0, -0, -0]);
    const nan = operand(float16, [5], 1);
    fill(nan, NaN);
    expect(read(nan)).toEqual(new Array(5).fill(NaN));
  });
});
