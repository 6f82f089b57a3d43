/**
 * The native BLAS forced on, forced off and across the size where it begins, on every device form. Without a library on this
 * machine only what is said about it is tested.
 */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import * as dtypes from '../../core/dtype.ts';
import { HEAP } from '../../devices/layout.ts';
import { MtiaBackend } from '../../devices/mtia.ts';
import { getNumThreads, setNumThreads } from '../../devices/threads.ts';
import torch from '../../index.ts';
import { matmul } from '../matmul.ts';
import { backend, laidOut, numbers, operand, read, type TestOperand } from '../operands.testing.ts';
import { kernelName } from '../registry.ts';
import { blasEnabled, blasTuning, lookForBlas, nativeGemm, setBlasEnabled } from './blas.ts';
import { findBlas } from './find.ts';

const library = lookForBlas();
const there = !('missing' in library);
const { least, grain } = blasTuning;
const threads = getNumThreads();

afterEach(() => {
  setBlasEnabled(true);
  Object.assign(blasTuning, { least, grain });
  setNumThreads(threads);
});
afterAll(() => setBlasEnabled(false));

/** Names of the kernels that `run` launches on the cpu of these tests. */
function launches(run: () => void): string[] {
  const names: string[] = [];
  const { begin } = backend;
  backend.begin = (kernel, count, grain) => {
    names.push(kernelName(kernel));
    return begin.call(backend, kernel, count, grain);
  };
  try {
    run();
  } finally {
    backend.begin = begin;
  }
  return names;
}

const FLOATS = [dtypes.float32, dtypes.float64];
const random = (dtype: dtypes.DType, sizes: number[], seed: number): TestOperand =>
  operand(
    dtype,
    sizes,
    numbers(
      sizes.reduce((n, size) => n * size, 1),
      1000,
      seed,
    ).map((x) => Math.fround(x / 999)),
  );

describe('what is said about it', () => {
  test('a library that is not there, with what to do', () => {
    const found = findBlas('no-such-library.so');
    expect(found).toMatchObject({
      missing: expect.stringContaining('no-such-library.so'),
      fix: expect.stringContaining('MTIA_BLAS='),
    });
  });

  test('flags turn it off and on again', () => {
    const { blas } = torch.backends;
    setBlasEnabled(true);
    expect(blas.flags({ enabled: false }, () => blasEnabled())).toBe(false);
    expect(blas.enabled).toBe(true);
    expect(blas.set_flags(false)).toEqual([true]);
    expect(blas.enabled).toBe(false);
    expect(nativeGemm(1e9)).toBe(null);
    blas.enabled = true;
    expect(blas.is_available()).toBe(there);
    expect(blas.library() === null).toBe(!there);
    expect(blas.missing() === null).toBe(there);
    expect(() => blas.set_flags(1 as unknown as boolean)).toThrow('expected a bool');
  });

  test('torch.__config__', () => {
    setBlasEnabled(true);
    expect(torch.__config__.show()).toContain(there ? 'native BLAS: on, ' : 'native BLAS: off, ');
    setBlasEnabled(false);
    expect(torch.__config__.show()).toContain('native BLAS: off');
    expect(torch.__config__.parallel_info()).toContain(`torch.get_num_threads() : ${threads}\n`);
  });
});

describe.skipIf(!there)('with a library', () => {
  test('the size decides, and the shape alone', () => {
    blasTuning.least = 32 ** 3;
    setBlasEnabled(true);
    for (const [n, native] of [
      [31, false],
      [32, true],
      [33, true],
    ] as const) {
      const a = random(dtypes.float32, [n, n], 1);
      const out = operand(dtypes.float32, [n, n], 0);
      expect(launches(() => matmul(out, a, a))).toEqual([native ? 'blas.cblas_sgemm' : 'matmul.tile.f32']);
      const here = read(out);
      setBlasEnabled(false);
      matmul(out, a, a);
      const far = read(out).findIndex((x, i) => !(Math.abs(here[i] - x) < 2e-5));
      expect(far).toBe(-1);
      setBlasEnabled(true);
    }
  });

  test.each(FLOATS)('%s: on and off agree in every layout, with c, and split', (dtype) => {
    blasTuning.least = 0;
    blasTuning.grain = 1000;
    setNumThreads(4);
    const [M, K, N] = [50, 37, 71];
    const a = random(dtype, [3, M, K], 1);
    const b = random(dtype, [3, K, N], 2);
    const turn = (x: TestOperand) => laidOut(x, [0, 2, 1]);
    const bias = random(dtype, [N], 3);
    const column = random(dtype, [M, 1], 4);
    const whole = random(dtype, [3, M, N], 5);
    for (const x of [a, turn(a)]) {
      for (const y of [b, turn(b)]) {
        for (const c of [null, bias, column, whole, turn(whole)]) {
          const [on, off] = [operand(dtype, [3, M, N], Number.NaN), operand(dtype, [3, M, N], Number.NaN)];
          setBlasEnabled(true);
          const names = launches(() => matmul(on, x, y, c, 1.5, 0.5));
          const can = c !== column && c?.strides[2] !== M;
          expect(names.includes(`blas.cblas_${dtype === dtypes.float32 ? 's' : 'd'}gemm`)).toBe(can);
          setBlasEnabled(false);
          matmul(off, x, y, c, 1.5, 0.5);
          const want = read(off);
          const far = read(on).findIndex((v, i) => !(Math.abs(v - want[i]) < 2e-5));
          expect([far, want[far]]).toEqual([-1, undefined]);
        }
      }
    }
  });

  test('two runs are bit-equal, with one thread and with more', () => {
    setBlasEnabled(true);
    for (const threads of [1, 2, 3]) {
      setNumThreads(threads);
      const a = random(dtypes.float32, [200, 300], 1);
      const b = random(dtypes.float32, [300, 170], 2);
      const runs = Array.from({ length: 3 }, () => {
        const out = operand(dtypes.float32, [200, 170], Number.NaN);
        matmul(out, a, b);
        return read(out);
      });
      expect(runs[1]).toEqual(runs[0]);
      expect(runs[2]).toEqual(runs[0]);
    }
  });

  test('strides that it cannot read, and few rows, are left to our own kernels', () => {
    setBlasEnabled(true);
    const a = laidOut(random(dtypes.float32, [64, 64], 1), [0, 1], 2);
    const out = operand(dtypes.float32, [64, 64], 0);
    expect(launches(() => matmul(out, a, a)).some((name) => name.startsWith('blas.'))).toBe(false);
    // Few rows, and a matrix that would be packed for them alone.
    const few = random(dtypes.float32, [4, 1000], 1);
    const wide = random(dtypes.float32, [1000, 300], 2);
    const result = operand(dtypes.float32, [4, 300], 0);
    expect(launches(() => matmul(result, few, wide)).some((name) => name.startsWith('blas.'))).toBe(false);
    const row = { ...random(dtypes.float32, [64], 1), sizes: [64, 64], strides: [0, 1], length: 64 * 64 };
    expect(launches(() => matmul(out, row, row)).some((name) => name.startsWith('blas.'))).toBe(false);
  });

  test.each(['worker', 'inline'] as const)('mtia, %s: in its own memory, that grows meanwhile', (executor) => {
    setBlasEnabled(true);
    const device = new MtiaBackend(7, executor);
    try {
      const n = 96;
      const values = numbers(n * n, 5);
      const on = (): TestOperand => {
        const storage = {
          backend: device,
          address: device.allocate(n * n * 4),
          nbytes: n * n * 4,
          record: { lastUse: 0, group: null },
        };
        const place = { storage, offset: 0, sizes: [n, n], strides: [n, 1], dtype: dtypes.float32, length: n * n };
        return place as unknown as TestOperand;
      };
      for (let round = 0; round < 3; round++) {
        const [a, bias, out] = [on(), on(), on()];
        expect(a.storage.address).toBeGreaterThanOrEqual(HEAP);
        device.copyIn(a.storage.address, new Uint8Array(new Float32Array(values).buffer));
        device.copyIn(bias.storage.address, new Uint8Array(new Float32Array(n).fill(1).buffer));
        matmul(out, a, a, { ...bias, sizes: [n], strides: [1], length: n }, 1, 1);
        const bytes = device.copyOut(out.storage.address, n * n * 4);
        const got = new Float32Array(bytes.buffer);
        for (let i = 0; i < n * n; i += 101) {
          let sum = 1;
          for (let k = 0; k < n; k++) sum += values[Math.floor(i / n) * n + k] * values[k * n + (i % n)];
          expect(got[i]).toBe(sum);
        }
        device.allocate(40 * 1024 * 1024);
      }
    } finally {
      device.close();
    }
  });
});
