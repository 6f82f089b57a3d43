/** Map kernels: every dtype and every kind of layout against plain JavaScript. */
import { describe, expect, test } from 'vitest';
import {
  bfloat16,
  bool,
  DTYPES,
  type DType,
  float16,
  float32,
  float64,
  int16,
  int32,
  int64,
  int8,
  uint8,
} from '../core/dtype.ts';
import * as e from './expr.ts';
import { MapKernel } from './map.ts';
import { asStored, backend, expanded, laidOut, numbers, operand, read, type TestOperand } from './operands.testing.ts';

const product = (sizes: readonly number[]) => sizes.reduce((n, s) => n * s, 1);
const [x, y, z] = [e.input(0), e.input(1), e.input(2)];

function values(dtype: DType, count: number, seed: number): number[] {
  const whole = numbers(count, 50, seed);
  if (dtype.is_floating_point) return whole.map((v) => asStored(dtype, v / 4));
  return whole.map((v) => asStored(dtype, dtype === bool ? v & 1 : v));
}

/** Value by value, broadcast: the operands' numbers at each position of the full shape. */
function reference(
  sizes: readonly number[],
  inputs: readonly TestOperand[],
  fn: (...values: number[]) => number,
): number[] {
  const all = inputs.map((t) => read(expanded(t, sizes)));
  return Array.from({ length: product(sizes) }, (_, i) => fn(...all.map((v) => v[i])));
}

describe('dtypes', () => {
  test.each(DTYPES.map((d) => [d.name, d] as const))('%s: x * y - x, in every length of tail', (_, dtype) => {
    const compute = dtype === bool ? int32 : dtype;
    const kernel = new MapKernel({
      outputs: [{ expr: e.sub(e.mul(x, y), x), dtype }],
      inputs: [dtype, dtype],
      compute,
    });
    for (const n of [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 64, 127]) {
      const a = operand(dtype, [n], values(dtype, n, n));
      const b = operand(dtype, [n], values(dtype, n, n + 1));
      const out = operand(dtype, [n], 0);
      kernel.launch2(out, a, b);
      expect(read(out)).toEqual(reference([n], [a, b], (p, q) => asStored(dtype, p * q - p)));
    }
  });

  test('operands of different dtypes', () => {
    const n = 37;
    for (const dtype of DTYPES) {
      for (const compute of [float32, float64]) {
        const a = operand(float32, [n], values(float32, n, 3));
        const b = operand(dtype, [n], values(dtype, n, 4));
        const out = operand(compute, [n], 0);
        const kernel = new MapKernel({
          outputs: [{ expr: e.add(x, y), dtype: compute }],
          inputs: [float32, dtype],
          compute,
        });
        kernel.launch2(out, a, b);
        expect(read(out), dtype.name).toEqual(reference([n], [a, b], (p, q) => p + q));
      }
    }
  });

  test('comparisons and truth values of every dtype', () => {
    const n = 41;
    for (const dtype of DTYPES) {
      const a = operand(dtype, [n], values(dtype, n, 5));
      const b = operand(dtype, [n], values(dtype, n, 6));
      const mask = operand(
        dtype,
        [n],
        values(dtype, n, 7).map((v, i) => (i % 3 ? v : 0)),
      );
      const out = operand(bool, [n], 0);
      const compare = new MapKernel({
        outputs: [{ expr: e.or(e.and(e.lt(x, y), e.raw(2)), e.not(e.ne(x, y))), dtype: bool }],
        inputs: [dtype, dtype, dtype],
        compute: dtype,
      });
      compare.launch(out, [a, b, mask]);
      const truth = (p: number, q: number, m: number) => ((p < q && m !== 0) || p === q ? 1 : 0);
      expect(read(out), dtype.name).toEqual(reference([n], [a, b, mask], truth));

      const chosen = operand(dtype, [n], 0);
      const choose = new MapKernel({
        outputs: [{ expr: e.where(e.raw(2), x, y), dtype }],
        inputs: [dtype, dtype, dtype],
        compute: dtype,
      });
      choose.launch(chosen, [a, b, mask]);
      expect(read(chosen), dtype.name).toEqual(reference([n], [a, b, mask], (p, q, m) => (m ? p : q)));
    }
  });

  test('a truth value as a number, and a number as a bool', () => {
    for (const dtype of DTYPES) {
      const a = operand(dtype, [9], values(dtype, 9, 8));
      const number = operand(dtype, [9], 0);
      new MapKernel({ outputs: [{ expr: e.number(e.gt(x, 0)), dtype }], inputs: [dtype], compute: dtype }).launch1(
        number,
        a,
      );
      expect(read(number), dtype.name).toEqual(read(a).map((v) => (v > 0 ? 1 : 0)));
      const truth = operand(bool, [9], 0);
      new MapKernel({ outputs: [{ expr: x, dtype: bool }], inputs: [dtype], compute: dtype }).launch1(truth, a);
      expect(read(truth), dtype.name).toEqual(read(a).map((v) => (v !== 0 ? 1 : 0)));
    }
  });

  test('a float64 too small for float32 is true, and NaN too', () => {
    const a = operand(float64, [5], [1e-300, 0, -0, NaN, 5e-324]);
    const out = operand(bool, [5], 0);
    for (const compute of [float32, float64, int32]) {
      new MapKernel({ outputs: [{ expr: e.raw(0), dtype: bool }], inputs: [float64], compute }).launch1(out, a);
      expect(read(out)).toEqual([1, 0, 0, 1, 1]);
    }
  });
});

describe('layouts', () => {
  const kernel = (dtype: DType) =>
    new MapKernel({ outputs: [{ expr: e.sub(e.mul(x, 2), y), dtype }], inputs: [dtype, dtype], compute: dtype });

  const shapes: (readonly [number[], number[][]])[] = [
    [[], [[]]],
    [[7], [[0]]],
    [
      [3, 5],
      [
        [0, 1],
        [1, 0],
      ],
    ],
    [
      [40, 130],
      [
        [0, 1],
        [1, 0],
      ],
    ], // large enough for tiles
    [
      [6, 1, 9],
      [
        [0, 1, 2],
        [2, 0, 1],
      ],
    ],
    [
      [4, 17, 19, 8],
      [
        [0, 1, 2, 3],
        [3, 2, 1, 0],
        [0, 2, 3, 1],
        [1, 0, 3, 2],
      ],
    ],
    [
      [2, 3, 2, 3, 2, 3],
      [
        [0, 1, 2, 3, 4, 5],
        [5, 3, 1, 4, 2, 0],
      ],
    ],
  ];
  for (const dtype of [float32, float16, int64, uint8]) {
    test.each(shapes)(`${dtype.name} %j`, (sizes, orders) => {
      const n = product(sizes);
      const a = operand(dtype, sizes, values(dtype, n, 11));
      const b = operand(dtype, sizes, values(dtype, n, 12));
      const expected = reference(sizes, [a, b], (p, q) => asStored(dtype, p * 2 - q));
      for (const order of orders) {
        for (const gap of [1, 3]) {
          for (const outOrder of [orders[0], order]) {
            const out = laidOut(operand(dtype, sizes, 0), outOrder, gap);
            kernel(dtype).launch2(out, laidOut(a, order, gap), b);
            expect(read(out), `${order} ${gap} ${outOrder}`).toEqual(expected);
          }
        }
      }
    });
  }

  test('broadcasting: a scalar, a row, a column, a missing dimension', () => {
    const sizes = [5, 6, 7];
    const a = operand(float32, sizes, values(float32, 210, 13));
    const others = [[], [1], [7], [6, 1], [1, 6, 7], [5, 1, 1], [5, 1, 7]];
    for (const other of others) {
      const b = operand(float32, other, values(float32, product(other), 14));
      const out = operand(float32, sizes, 0);
      kernel(float32).launch2(out, a, b);
      expect(read(out)).toEqual(reference(sizes, [a, b], (p, q) => p * 2 - q));
      kernel(float32).launch2(out, b, a);
      expect(read(out)).toEqual(reference(sizes, [b, a], (p, q) => p * 2 - q));
    }
  });

  test('operands of four bytes are turned in blocks: transposed, straight, broadcast and strided ones together', () => {
    const [rows, columns] = [70, 67];
    const n = rows * columns;
    const kernel3 = new MapKernel({
      outputs: [
        { expr: e.add(e.sub(e.mul(x, 2), y), e.mul(z, e.input(3))), dtype: float32 },
        { expr: e.trunc(e.sub(x, z)), dtype: int32 },
      ],
      inputs: [float32, float32, int32, float32],
      compute: float32,
    });
    const sizes = [rows, columns];
    const a = laidOut(operand(float32, sizes, values(float32, n, 31)), [1, 0]);
    const b = operand(float32, sizes, values(float32, n, 32));
    const c = laidOut(operand(int32, sizes, values(int32, n, 33)), [0, 1], 2);
    for (const d of [operand(float32, [rows, 1], values(float32, rows, 34)), a]) {
      const outs = [operand(float32, sizes, 0), operand(int32, sizes, 0)];
      kernel3.launchMany(outs, [a, b, c, d]);
      expect(read(outs[0])).toEqual(reference(sizes, [a, b, c, d], (p, q, r, t) => p * 2 - q + r * t));
      expect(read(outs[1])).toEqual(reference(sizes, [a, c], (p, r) => Math.trunc(p - r) | 0));
    }
  });

  test('in place, also through a transposed view', () => {
    const sizes = [70, 66];
    const a = operand(float32, sizes, values(float32, 70 * 66, 15));
    const b = operand(float32, [66, 70], values(float32, 70 * 66, 16));
    const at = { ...a, sizes: [66, 70], strides: [1, 66] };
    const expected = reference([66, 70], [at, b], (p, q) => p * 2 - q);
    kernel(float32).launch2(at, at, b);
    expect(read(at)).toEqual(expected);
  });

  test('no elements: nothing is launched', () => {
    const before = backend.sequence;
    const empty = operand(float32, [3, 0], []);
    kernel(float32).launch2(empty, empty, operand(float32, [1], 1));
    kernel(float32).launch(empty, [empty, empty]);
    expect(backend.sequence).toBe(before);
  });

  test('several outputs, three inputs, scalars at their places', () => {
    const many = new MapKernel({
      outputs: [
        { expr: e.add(x, e.mul(e.scalar(0), y)), dtype: float32 },
        { expr: e.gt(e.mul(x, z), e.scalar(1)), dtype: bool },
        { expr: e.mul(x, z), dtype: float64 },
      ],
      inputs: [float32, float32, int16],
      compute: float32,
      scalars: 2,
    });
    for (const sizes of [[50], [9, 11]]) {
      const n = product(sizes);
      const a = operand(float32, sizes, values(float32, n, 17));
      const b = operand(float32, [sizes[sizes.length - 1]], values(float32, sizes[sizes.length - 1], 18));
      const c = laidOut(operand(int16, sizes, values(int16, n, 19)), sizes.map((_, d) => d).reverse());
      const outs = [operand(float32, sizes, 0), operand(bool, sizes, 0), operand(float64, sizes, 0)];
      many.launchMany(outs, [a, b, c], [0.5, 10]);
      expect(read(outs[0])).toEqual(reference(sizes, [a, b], (p, q) => p + 0.5 * q));
      expect(read(outs[1])).toEqual(reference(sizes, [a, c], (p, r) => (p * r > 10 ? 1 : 0)));
      expect(read(outs[2])).toEqual(reference(sizes, [a, c], (p, r) => p * r));
    }
  });

  test('large launches are split, and the parts meet', () => {
    const n = 400_003;
    const a = operand(float32, [n], 1);
    const out = operand(float32, [n], 0);
    kernel(float32).launch2(out, a, a);
    expect(read(out).every((v) => v === 1)).toBe(true);
    const sizes = [611, 655];
    const p = operand(
      float32,
      sizes,
      Array.from({ length: 611 * 655 }, (_, i) => i),
    );
    const q = operand(float32, sizes, 0);
    const across = laidOut(p, [1, 0]);
    kernel(float32).launch2(q, across, p);
    const got = read(q);
    expect(got.findIndex((v, i) => v !== i)).toBe(-1);
  });
});

describe('integers', () => {
  const dtypes = [int8, uint8, int16, int32, int64];
  const limits = (dtype: DType): [bigint, bigint] => {
    const bits = BigInt(dtype.itemsize * 8);
    return dtype.is_signed ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
  };
  const wrap = (dtype: DType, v: bigint): bigint =>
    dtype.is_signed ? BigInt.asIntN(dtype.itemsize * 8, v) : BigInt.asUintN(dtype.itemsize * 8, v);
  const floor = (a: bigint, b: bigint) => a / b - (a % b !== 0n && a % b < 0n !== b < 0n ? 1n : 0n);

  /** Writes and reads exact integers, which int64 numbers need. */
  function exact(dtype: DType, list: bigint[]): TestOperand {
    const t = operand(dtype, [list.length], 0);
    const array = new dtype.array(list.length);
    list.forEach((v, i) => {
      (array as unknown as (bigint | number)[])[i] = dtype === int64 ? v : Number(v);
    });
    backend.copyIn(t.storage.address, new Uint8Array(array.buffer));
    return t;
  }
  function readExact(t: TestOperand): bigint[] {
    const bytes = backend.copyOut(t.storage.address, t.storage.nbytes).slice();
    return Array.from(new t.dtype.array(bytes.buffer, 0, t.length) as unknown as number[], (v) => BigInt(v));
  }

  const OPS: [string, e.Expr, (a: bigint, b: bigint, width: bigint) => bigint][] = [
    ['add', e.add(x, y), (a, b) => a + b],
    ['mul', e.mul(x, y), (a, b) => a * b],
    ['truncdiv', e.truncdiv(x, y), (a, b) => a / b],
    ['floordiv', e.floordiv(x, y), floor],
    ['fmod', e.fmod(x, y), (a, b) => a % b],
    ['remainder', e.remainder(x, y), (a, b) => a - floor(a, b) * b],
    ['maximum', e.maximum(x, y), (a, b) => larger(a, b)],
    ['minimum', e.minimum(x, y), (a, b) => -larger(-a, -b)],
    ['and', e.bitand(x, y), (a, b) => a & b],
    ['or', e.bitor(x, y), (a, b) => a | b],
    ['xor', e.bitxor(x, y), (a, b) => a ^ b],
    ['not', e.bitnot(x), (a) => ~a],
    ['neg', e.neg(x), (a) => -a],
    ['abs', e.abs(x), (a) => (a < 0n ? -a : a)],
    ['sign', e.sign(x), (a) => (a > 0n ? 1n : a < 0n ? -1n : 0n)],
    ['square', e.square(x), (a) => a * a],
    ['shl', e.shl(x, y), (a, b, w) => (b < 0n || b >= w ? 0n : a << b)],
    ['shr', e.shr(x, y), (a, b, w) => a >> (b < 0n || b >= w ? w : b)],
    ['pow', e.pow(x, y), power],
  ];
  function larger(a: bigint, b: bigint): bigint {
    if (a < b) return b;
    return a;
  }
  function power(a: bigint, b: bigint): bigint {
    if (b >= 0n) return a === 0n || a === 1n || a === -1n || b < 200n ? a ** b : BigInt.asIntN(64, modPower(a, b));
    if (a === 1n) return 1n;
    return a === -1n ? (b % 2n === 0n ? 1n : -1n) : 0n;
  }
  function modPower(a: bigint, b: bigint): bigint {
    let result = 1n;
    for (let base = a; b > 0n; b >>= 1n, base = BigInt.asIntN(64, base * base)) {
      if (b & 1n) result = BigInt.asIntN(64, result * base);
    }
    return result;
  }

  for (const dtype of dtypes) {
    test.each(OPS)(`${dtype.name} %s`, (name, expr, fn) => {
      const [low, high] = limits(dtype);
      const interesting = [low, low + 1n, high, high - 1n, 0n, 1n, 2n, 3n, 7n, 31n, 63n, 64n, 100n, -1n, -2n, -7n].map(
        (v) => wrap(dtype, v),
      );
      const division = /div|mod|remainder/.test(name);
      const as: bigint[] = [];
      const bs: bigint[] = [];
      for (const a of interesting) {
        for (const b of interesting) {
          if (division && b === 0n) continue;
          if (name === 'pow' && b > 127n) continue;
          as.push(a);
          bs.push(b);
        }
      }
      const out = exact(dtype, as);
      const kernel = new MapKernel({
        outputs: [{ expr, dtype }],
        inputs: JSON.stringify(expr).includes('"index":1') ? [dtype, dtype] : [dtype],
        compute: dtype,
      });
      const inputs = [exact(dtype, as), exact(dtype, bs)];
      kernel.launch(out, inputs.slice(0, kernel.spec.inputs.length));
      const width = dtype === int64 ? 64n : 32n;
      expect(readExact(out)).toEqual(as.map((a, i) => wrap(dtype, fn(a, bs[i], width))));
    });

    test(`${dtype.name}: a zero divisor is PyTorch's error, in a vector and in a tail`, () => {
      for (const n of [16, 3, 1]) {
        const a = operand(dtype, [n], 5);
        const b = operand(dtype, [n], [...new Array(n - 1).fill(1), 0]);
        const out = operand(dtype, [n], 0);
        for (const expr of [e.fmod(x, y), e.remainder(x, y), e.floordiv(x, y), e.truncdiv(x, y)]) {
          const kernel = new MapKernel({ outputs: [{ expr, dtype }], inputs: [dtype, dtype], compute: dtype });
          expect(() => kernel.launch2(out, a, b)).toThrow('ZeroDivisionError');
        }
      }
    });
  }

  test('a scalar of an int64 keeps 64 bits', () => {
    const out = exact(int64, [1n, 2n, 3n]);
    const kernel = new MapKernel({
      outputs: [{ expr: e.add(x, e.scalar(0)), dtype: int64 }],
      inputs: [int64],
      compute: int64,
      scalars: 1,
    });
    kernel.launch1(out, out, 2n ** 62n + 1n);
    expect(readExact(out)).toEqual([2n ** 62n + 2n, 2n ** 62n + 3n, 2n ** 62n + 4n]);
    kernel.launch1(out, out, -5);
    expect(readExact(out)[0]).toBe(2n ** 62n - 3n);
  });
});

describe('floats', () => {
  const NAN = Number.NaN;
  const cases: [string, e.Expr, number[], number[], number[]][] = [
    ['maximum', e.maximum(x, y), [1, NAN, 2, NAN, -Infinity], [2, 1, NAN, NAN, 3], [2, NAN, NAN, NAN, 3]],
    ['minimum', e.minimum(x, y), [1, NAN, 2, NAN, -Infinity], [2, 1, NAN, NAN, 3], [1, NAN, NAN, NAN, -Infinity]],
    ['maximum with a constant', e.maximum(0, x), [1, NAN, -2], [0, 0, 0], [1, NAN, 0]],
    ['sign', e.sign(x), [3, -3, 0, -0, NAN], [0, 0, 0, 0, 0], [1, -1, 0, 0, 0]],
    ['isnan', e.number(e.isnan(x)), [1, NAN, Infinity], [0, 0, 0], [0, 1, 0]],
    ['isinf', e.number(e.isinf(x)), [1, NAN, -Infinity], [0, 0, 0], [0, 0, 1]],
    ['isfinite', e.number(e.isfinite(x)), [1, NAN, Infinity], [0, 0, 0], [1, 0, 0]],
    ['copysign', e.copysign(x, y), [1, -1, 0, NAN], [-0, 3, -1, 1], [-1, 1, -0, NAN]],
    ['round', e.round(x), [0.5, 1.5, -0.5, 2.5, -2.5], [0, 0, 0, 0, 0], [0, 2, -0, 2, -2]],
    // PyTorch 2.13's values.
    [
      'remainder',
      e.remainder(x, y),
      [5, -5, 5, -5, 0, -0, Infinity, 1, NAN, -1, 1, 0, -0, -1],
      [3, 3, -3, -3, 1, 1, 2, Infinity, 1, Infinity, 0, 0, -2, 0],
      [2, 1, -1, -2, 0, -0, NAN, 1, NAN, Infinity, NAN, NAN, -0, NAN],
    ],
    [
      'fmod',
      e.fmod(x, y),
      [5, -5, 5, -5, 0, -0, Infinity, 1, NAN, -1, 1, 0, -0, -1],
      [3, 3, -3, -3, 1, 1, 2, Infinity, 1, Infinity, 0, 0, -2, 0],
      [2, -2, 2, -2, 0, -0, NAN, 1, NAN, -1, NAN, NAN, -0, NAN],
    ],
    [
      'floordiv',
      e.floordiv(x, y),
      [5, -5, 5, -5, 0, -0, Infinity, 1, NAN, -1, 1, 0, -0, -1],
      [3, 3, -3, -3, 1, 1, 2, Infinity, 1, Infinity, 0, 0, -2, 0],
      [1, -2, -2, 1, 0, -0, NAN, 0, NAN, -1, Infinity, NAN, 0, -Infinity],
    ],
    [
      'truncdiv',
      e.truncdiv(x, y),
      [5, -5, 5, -5, 0, -0, Infinity, 1, NAN, -1, 1, 0, -0, -1],
      [3, 3, -3, -3, 1, 1, 2, Infinity, 1, Infinity, 0, 0, -2, 0],
      [1, -1, -1, 1, 0, -0, Infinity, 0, NAN, -0, Infinity, NAN, 0, -Infinity],
    ],
    [
      'pow',
      e.pow(x, y),
      [-1, 1, NAN, -8, 0, -0, -0, -2, -Infinity, -Infinity, -Infinity, -0, 1, -1],
      [Infinity, NAN, 0, 1 / 3, -1, -1, -3, 3, 3, -3, 0.5, 0.5, Infinity, -Infinity],
      [1, 1, 1, NAN, Infinity, -Infinity, -Infinity, -8, -Infinity, -0, Infinity, 0, 1, 1],
    ],
  ];
  for (const dtype of [float32, float64]) {
    test.each(cases)(`${dtype.name} %s`, (_, expr, a, b, expected) => {
      const inputs = JSON.stringify(expr).includes('"index":1') ? [dtype, dtype] : [dtype];
      const out = operand(dtype, [a.length], 0);
      const kernel = new MapKernel({ outputs: [{ expr, dtype }], inputs, compute: dtype });
      kernel.launch(out, [operand(dtype, [a.length], a), operand(dtype, [b.length], b)].slice(0, inputs.length));
      expect(read(out)).toEqual(expected);
    });
  }

  test('float64 functions agree with JavaScript', () => {
    const list = Array.from({ length: 101 }, (_, i) => (i - 50) / 12.5 + 0.003);
    const a = operand(float64, [101], list);
    const out = operand(float64, [101], 0);
    // biome-ignore format: a table
    const functions = {
      exp: e.exp, expm1: e.expm1, log: e.log, log1p: e.log1p, log2: e.log2, log10: e.log10, sin: e.sin, cos: e.cos, tan: e.tan, asin: e.asin, acos: e.acos, atan: e.atan, sinh: e.sinh, cosh: e.cosh, tanh: e.tanh, asinh: e.asinh, acosh: e.acosh, atanh: e.atanh, sqrt: e.sqrt,
    };
    for (const [name, make] of Object.entries(functions) as [keyof typeof functions, typeof e.exp][]) {
      new MapKernel({ outputs: [{ expr: make(x), dtype: float64 }], inputs: [float64], compute: float64 }).launch1(
        out,
        a,
      );
      expect(read(out), name).toEqual(list.map((v) => Math[name](v)));
    }
  });

  test('float64 erf, erfc and sigmoid', () => {
    // Values of mpmath, rounded to float64.
    const points = [-3, -0.7, 0.1, 0.5, 0.99, 1, 1.5, 2.5, 5, 10, 26];
    const erf = [
      -0.9999779095030014, -0.6778011938374185, 0.1124629160182849, 0.5204998778130465, 0.8385080695553698,
      0.8427007929497149, 0.9661051464753108, 0.999593047982555, 0.9999999999984626, 1, 1,
    ];
    const erfc = [
      1.9999779095030015, 1.6778011938374184, 0.887537083981715, 0.4795001221869535, 0.1614919304446302,
      0.15729920705028513, 0.033894853524689274, 0.0004069520174449589, 1.537459794428035e-12, 2.088487583762545e-45,
      5.663192408856143e-296,
    ];
    const a = operand(float64, [11], points);
    const out = operand(float64, [11], 0);
    const run = (expr: e.Expr) => {
      new MapKernel({ outputs: [{ expr, dtype: float64 }], inputs: [float64], compute: float64 }).launch1(out, a);
      return read(out);
    };
    const close = (got: number[], want: number[], ulps: number) => {
      got.forEach((v, i) => {
        expect(Math.abs(v - want[i])).toBeLessThanOrEqual(Math.abs(want[i]) * ulps * 2 ** -52);
      });
    };
    close(run(e.erf(x)), erf, 2);
    close(run(e.erfc(x)), erfc, 3);
    close(
      run(e.sigmoid(x)),
      points.map((v) => 1 / (1 + Math.exp(-v))),
      2,
    );
  });

  test('half types are computed in float32 and rounded once', () => {
    for (const dtype of [float16, bfloat16]) {
      const n = 64;
      const a = operand(dtype, [n], values(dtype, n, 21));
      const b = operand(
        dtype,
        [n],
        values(dtype, n, 22).map((v) => v || 1),
      );
      const out = operand(dtype, [n], 0);
      const expr = e.div(e.add(e.mul(x, 3), y), y);
      new MapKernel({ outputs: [{ expr, dtype }], inputs: [dtype, dtype], compute: dtype }).launch2(out, a, b);
      const f = Math.fround;
      expect(read(out)).toEqual(reference([n], [a, b], (p, q) => asStored(dtype, f(f(f(p * 3) + q) / q))));
    }
  });
});
