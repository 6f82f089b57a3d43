import { afterEach, describe, expect, test } from 'vitest';
import * as dtypes from '../core/dtype.ts';
import { DTYPES, type DType } from '../core/dtype.ts';
import { integerTuning, matmul, setScratchLimit } from './matmul.ts';
import { blasEnabled, setBlasEnabled } from './native/blas.ts';
import { kernelBytes, kernelName } from './registry.ts';
import { asStored, backend, expanded, laidOut, numbers, operand, read, type TestOperand } from './operands.testing.ts';
import type { FloatName } from './wasm/float-ops.ts';
import { matmulDot, matmulDotRow } from './wasm/matmul-dot.ts';
import { matmulRow } from './wasm/matmul-row.ts';
import { matmulTile } from './wasm/matmul-tile.ts';

// This file runs with a native BLAS, too (vitest.config.ts); what is about our own kernels turns it off.
const native = blasEnabled();
afterEach(() => setBlasEnabled(native));

/** Row-major [..., M, N]; whole numbers, so that sums are exact in every float dtype that they fit. */
function expectProduct(
  a: TestOperand,
  b: TestOperand,
  batch: readonly number[] = [],
  c: TestOperand | null = null,
  alpha = 1,
  beta = 1,
): void {
  const { dtype } = a;
  const [M, K] = a.sizes.slice(-2);
  const N = b.sizes[b.sizes.length - 1];
  const sizes = [...batch, M, N];
  const out = operand(dtype, sizes, 55);
  matmul(out, a, b, c, alpha, beta);
  const x = read(expanded(a, [...batch, M, K]));
  const y = read(expanded(b, [...batch, K, N]));
  const z = c && beta !== 0 ? read(expanded(c, sizes)) : null;
  const count = batch.reduce((n, size) => n * size, 1);
  const want: number[] = [];
  for (let i = 0; i < count; i++) {
    for (let m = 0; m < M; m++) {
      for (let n = 0; n < N; n++) {
        let sum = 0;
        for (let k = 0; k < K; k++) sum += x[(i * M + m) * K + k] * y[(i * K + k) * N + n];
        want.push(asStored(dtype, alpha * sum + (z ? beta * z[want.length] : 0)));
      }
    }
  }
  expect(read(out)).toEqual(want.map((v) => v + 0));
}

const small = (dtype: DType, sizes: number[], seed: number): TestOperand => {
  const count = sizes.reduce((n, size) => n * size, 1);
  const values = numbers(count, 3, seed);
  return operand(dtype, sizes, dtype === dtypes.uint8 ? values.map(Math.abs) : values);
};

const FLOATS = [dtypes.float64, dtypes.float32];
const NUMBERS = DTYPES.filter((dtype) => dtype !== dtypes.bool);

describe.each(NUMBERS)('%s', (dtype) => {
  test.each([
    [1, 1, 1],
    [1, 7, 1],
    [1, 1, 9],
    [5, 1, 1],
    [2, 3, 4],
    [3, 10, 5],
    [3, 5, 10],
    [5, 3, 10],
    [4, 4, 8],
    [4, 9, 16],
    [7, 33, 13],
    [1, 70, 20],
    [20, 70, 1],
    [9, 17, 6],
    [34, 20, 37],
    [70, 5, 3],
  ])('[%i, %i] @ [., %i] in every layout', (M, K, N) => {
    const a = small(dtype, [M, K], 1);
    const b = small(dtype, [K, N], 2);
    for (const x of [a, laidOut(a, [1, 0]), laidOut(a, [0, 1], 2)]) {
      for (const y of [b, laidOut(b, [1, 0]), laidOut(b, [0, 1], 2)]) expectProduct(x, y);
    }
  });

  test('alpha, beta and c: a bias, a column, a matrix, out itself', () => {
    for (const [M, K, N] of [
      [3, 4, 5],
      [1, 9, 6],
      [6, 9, 1],
      [18, 11, 19],
    ]) {
      // biome-ignore format: a table
      const a = small(dtype, [M, K], 3);
      const b = small(dtype, [K, N], 4);
      const c = small(dtype, [M, N], 5);
      for (const y of [b, laidOut(b, [1, 0])]) {
        expectProduct(a, y, [], small(dtype, [N], 6));
        expectProduct(a, y, [], small(dtype, [M, 1], 7), 2, 3);
        expectProduct(a, y, [], c, 3, 2);
        expectProduct(a, y, [], laidOut(c, [1, 0]), 1, 2);
        expectProduct(a, y, [], small(dtype, [1], 8), 2, 1);
        expectProduct(a, y, [], c, 2, 0);
      }
      const out = small(dtype, [M, N], 9);
      const want = operand(dtype, [M, N], 0);
      matmul(want, a, b, operand(dtype, [M, N], read(out)), 2, 3);
      matmul(out, a, b, out, 2, 3);
      expect(read(out)).toEqual(read(want));
    }
  });

  test('nothing to sum, nothing to write', () => {
    const bias = small(dtype, [3], 1);
    for (const M of [1, 2]) {
      expectProduct(small(dtype, [M, 0], 1), small(dtype, [0, 3], 1));
      expectProduct(small(dtype, [M, 0], 1), small(dtype, [0, 3], 1), [], bias, 1, 2);
    }
    expectProduct(small(dtype, [0, 4], 1), small(dtype, [4, 3], 1));
    expectProduct(small(dtype, [2, 4], 1), small(dtype, [4, 0], 1));
    expectProduct(small(dtype, [0, 2, 4], 1), small(dtype, [4, 3], 1), [0]);
  });

  test('batches: equal, broadcast, of any rank, with bias', () => {
    const bias = small(dtype, [6], 9);
    for (const [x, y, batch] of [
      [[5, 2, 3], [5, 3, 6], [5]],
      [[5, 2, 3], [3, 6], [5]],
      [[2, 3], [5, 3, 6], [5]],
      [[1, 4], [5, 4, 6], [5]],
      [[5, 1, 4], [4, 6], [5]],
      [
        [2, 1, 4, 3],
        [3, 3, 6],
        [2, 3],
      ],
      [
        [2, 3, 4, 3],
        [2, 1, 3, 6],
        [2, 3],
      ],
      [
        [2, 3, 2, 9, 40],
        [3, 1, 40, 12],
        [2, 3, 2],
      ],
    ]) {
      // biome-ignore format: a table
      const a = small(dtype, x, 1);
      const b = small(dtype, y, 2);
      expectProduct(a, b, batch);
      const swapped = (v: TestOperand): TestOperand => {
        const order = v.sizes.map((_, d) => d);
        return laidOut(v, [...order.slice(0, -2), order.length - 1, order.length - 2]);
      };
      expectProduct(swapped(a), swapped(b), batch, y[y.length - 1] === 6 ? bias : null);
      expectProduct(
        a,
        laidOut(
          b,
          b.sizes.map((_, d) => d),
          2,
        ),
        batch,
      );
    }
  });

  test('one strided row, or column, that the batch shares', () => {
    for (const width of [1, 4]) {
      const b = small(dtype, [5, 7, width], 2);
      const row = laidOut(small(dtype, [1, 7], 1), [0, 1], 3);
      for (const y of [b, laidOut(b, [0, 2, 1])]) expectProduct(row, y, [5]);
      const a = small(dtype, [5, width, 7], 2);
      const column = laidOut(small(dtype, [7, 1], 1), [0, 1], 3);
      for (const x of [a, laidOut(a, [0, 2, 1])]) expectProduct(x, column, [5]);
    }
  });
});

describe.each(FLOATS)('%s, large', (dtype) => {
  // Beyond one block of rows, columns and k, and beyond the sizes from which matrices are packed.
  test.each([
    [70, 300, 75],
    [150, 600, 33],
    [17, 600, 75],
    [40, 30, 1150],
  ])('[%i, %i] @ [., %i]', (M, K, N) => {
    const a = small(dtype, [M, K], 1);
    const b = small(dtype, [K, N], 2);
    const c = small(dtype, [M, N], 3);
    const [va, vb, vc] = [read(a), read(b), read(c)];
    for (const x of [a, laidOut(a, [1, 0])]) {
      for (const y of [b, laidOut(b, [1, 0])]) {
        const out = operand(dtype, [M, N], 5);
        matmul(out, x, y, c, 1, 2);
        const got = read(out);
        for (let i = 0; i < M * N; i += 7) {
          let sum = 2 * vc[i];
          for (let k = 0; k < K; k++) sum += va[((i / N) | 0) * K + k] * vb[k * N + (i % N)];
          if (got[i] !== sum) expect([i, got[i]]).toEqual([i, sum]);
        }
      }
    }
  });

  test('vectors', () => {
    const K = 70;
    const N = 1100;
    const x = small(dtype, [1, K], 1);
    const w = small(dtype, [K, N], 2);
    expectProduct(x, w);
    expectProduct(x, laidOut(w, [1, 0]));
    expectProduct(transposed(w), transposed(x));
    expectProduct(transposed(laidOut(w, [1, 0])), transposed(x));
  });

  test('adds up float32 more exactly than one sum after the other', () => {
    setBlasEnabled(false);
    const K = 1 << 16;
    const a = operand(dtype, [2, K], 0.1);
    const out = operand(dtype, [2, 2], 0);
    matmul(out, a, operand(dtype, [K, 2], 0.1));
    const want = K * asStored(dtype, 0.1) ** 2;
    for (const v of read(out)) expect(Math.abs(v - want) / want).toBeLessThan(2e-5);
  });
});

function transposed(x: TestOperand): TestOperand {
  return { ...x, sizes: [x.sizes[1], x.sizes[0]], strides: [x.strides[1], x.strides[0]] };
}

test('half types are rounded once, after the whole sum', () => {
  // 2048 + 1 + 1 … in float16 steps stays at 2048; summed in float32 first it does not.
  const ones = operand(dtypes.float16, [2, 4096], 1);
  const out = operand(dtypes.float16, [2, 3], 0);
  matmul(out, ones, operand(dtypes.float16, [4096, 3], 1), operand(dtypes.float16, [3], [0.5, 1, 2]));
  expect(read(out)).toEqual([4096, 4096, 4098, 4096, 4096, 4098].map((x) => asStored(dtypes.float16, x)));
  const brain = operand(dtypes.bfloat16, [1, 2], [1.5, Number.NaN]);
  const y = operand(dtypes.bfloat16, [1, 1], 0);
  matmul(y, brain, operand(dtypes.bfloat16, [2, 1], 1));
  expect(read(y)).toEqual([Number.NaN]);
});

describe.each(NUMBERS.filter((dtype) => !dtype.is_floating_point))('%s, in tiles', (dtype) => {
  const { least } = integerTuning;
  afterEach(() => {
    integerTuning.least = least;
  });
  /** Sums go beyond the narrow ones. */
  const large = (sizes: number[], seed: number): TestOperand =>
    operand(
      dtype,
      sizes,
      Array.from(
        { length: sizes.reduce((n, size) => n * size, 1) },
        (_, x) => ((x * 37 + seed * 11) % 251) - (dtype.is_signed ? 125 : 0),
      ).map((x) => asStored(dtype, x)),
    );

  test.each([0, Infinity])('from %d multiplications on', (from) => {
    integerTuning.least = from;
    for (const [M, K, N] of [
      [4, 3, 16],
      [7, 33, 13],
      [70, 1, 75],
    ]) {
      const a = large([M, K], 1);
      const b = large([K, N], 2);
      for (const x of [a, laidOut(a, [1, 0]), laidOut(a, [0, 1], 2)]) {
        for (const y of [b, laidOut(b, [1, 0]), laidOut(b, [0, 1], 2)]) expectProduct(x, y);
      }
      for (const c of [large([N], 3), large([M, 1], 4), laidOut(large([M, N], 5), [1, 0])]) {
        expectProduct(a, b, [], c, -3, 2);
      }
      expectProduct(a, b, [], large([N], 3), 1, 0);
    }
    const a = large([3, 2, 6, 20], 1);
    expectProduct(a, laidOut(large([2, 20, 18], 2), [0, 2, 1]), [3, 2], large([18], 3));
  });

  test('that need much scratch, in parts', () => {
    setScratchLimit(10_000);
    try {
      expectProduct(large([140, 20], 1), laidOut(large([20, 150], 2), [1, 0]), [], large([150], 3), 1, 2);
    } finally {
      setScratchLimit(64 * 1024 * 1024);
    }
  });
});

test('integers wrap', () => {
  const out = operand(dtypes.int8, [1, 1], 0);
  matmul(out, operand(dtypes.int8, [1, 2], 100), operand(dtypes.int8, [2, 1], 100));
  expect(read(out)).toEqual([(20000 << 24) >> 24]);
  const wide = operand(dtypes.int64, [1, 1], 0);
  matmul(wide, operand(dtypes.int64, [1, 1], 2 ** 40), operand(dtypes.int64, [1, 1], 2 ** 30), wide, -3, 1);
  expect(read(wide)).toEqual([Number(BigInt.asIntN(64, -3n * 2n ** 70n))]);
});

test('with beta = 0 c is not read', () => {
  const out = operand(dtypes.float32, [1, 1], Number.NaN);
  matmul(out, operand(dtypes.float32, [1, 1], 2), operand(dtypes.float32, [1, 1], 3), out, 1, 0);
  expect(read(out)).toEqual([6]);
});

test('an output that is not contiguous is refused', () => {
  const a = operand(dtypes.float32, [2, 2], 1);
  expect(() => matmul(laidOut(a, [1, 0]), a, a)).toThrow('must be contiguous');
});

test('scratch is given back', () => {
  const a = small(dtypes.float32, [64, 600], 1);
  const b = small(dtypes.float32, [600, 200], 1);
  const out = operand(dtypes.float32, [64, 200], 0);
  matmul(out, a, b);
  const before = backend.allocate(64);
  backend.free(before, 64);
  for (let i = 0; i < 5; i++) matmul(out, a, b);
  expect(backend.allocate(64)).toBe(before);
});

test('products that need much scratch are done in parts', () => {
  setScratchLimit(20_000);
  try {
    for (const dtype of [dtypes.float32, dtypes.bfloat16]) {
      const bias = small(dtype, [150], 3);
      expectProduct(small(dtype, [140, 20], 1), laidOut(small(dtype, [20, 150], 2), [1, 0]), [], bias, 1, 2);
      const a = small(dtype, [5, 2, 40, 20], 1);
      const b = laidOut(small(dtype, [2, 20, 150], 2), [0, 2, 1]);
      expectProduct(a, b, [5, 2], bias);
      expectProduct(a, b, [5, 2], small(dtype, [5, 1, 40, 1], 4));
    }
  } finally {
    setScratchLimit(64 * 1024 * 1024);
  }
});

/** Runs the plain-SIMD form of the kernels, whatever this machine has. */
class PlainBackend {
  private readonly instances = new Map<string, (args: number) => number>();
  private run: (args: number) => number = () => 0;
  private at = 0;

  begin(kernel: number, count: number): number {
    const name = kernelName(kernel);
    const [, form, type] = name.split('.') as [string, keyof typeof FORMS, FloatName];
    let run = this.instances.get(name);
    if (!run) {
      const bytes = form in FORMS ? FORMS[form](type, false) : kernelBytes(kernel);
      const module = new WebAssembly.Module(bytes as BufferSource);
      const imports = { env: { memory: backend.memory.memory } };
      run = new WebAssembly.Instance(module, imports).exports['run'] as (args: number) => number;
      this.instances.set(name, run);
    }
    this.run = run;
    return (this.at = backend.begin(kernel, count, 0));
  }
  get words(): Int32Array {
    return backend.words;
  }
  submit(): void {
    this.run(this.at * 4);
  }
  allocate(bytes: number): number {
    return backend.allocate(bytes);
  }
  free(address: number, bytes: number): void {
    backend.free(address, bytes);
  }
  /** The forms that have been run. */
  get names(): string[] {
    return [...this.instances.keys()];
  }
}
/** The same bytes, run by another backend over the same memory. */
const on = (backend: PlainBackend, x: ReturnType<typeof operand>) => ({ ...x, storage: { ...x.storage, backend } });
const FORMS = { tile: matmulTile, dot: matmulDot, dot_row: matmulDotRow, row: matmulRow };

test('the plain-SIMD form gives the same whole numbers', () => {
  setBlasEnabled(false);
  for (const dtype of FLOATS) {
    const plain = new PlainBackend();
    for (const [M, K, N] of [
      [1, 37, 19],
      [7, 37, 19],
      [30, 70, 40],
    ]) {
      // biome-ignore format: a table
      const a = small(dtype, [M, K], 1);
      const b = small(dtype, [K, N], 2);
      for (const y of [b, laidOut(b, [1, 0])]) {
        const want = operand(dtype, [M, N], 0);
        matmul(want, a, y);
        const got = operand(dtype, [M, N], 0);
        matmul(on(plain, got), on(plain, a), on(plain, y));
        expect(read(got)).toEqual(read(want));
      }
    }
    const type = dtype === dtypes.float64 ? 'f64' : 'f32';
    const names = Object.keys(FORMS).map((form) => `matmul.${form}.${type}`);
    expect(plain.names).toEqual(expect.arrayContaining(names));
  }
});
