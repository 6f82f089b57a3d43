/** Symbolic derivatives against central differences, first and second order; conventions; simplification. */
import { describe, expect, test } from 'vitest';
import { float64 } from '../core/dtype.ts';
import { derivative, inputsUsed, renumberInputs, substitute } from './derivative.ts';
import * as e from './expr.ts';
import { type Expr, exprText } from './expr.ts';
import { MapKernel } from './map.ts';
import { operand, read } from './operands.testing.ts';

const [x, y] = [e.input(0), e.input(1)];

function evaluate(expr: Expr, columns: number[][]): number[] {
  const n = columns[0].length;
  const out = operand(float64, [n], 0);
  const kernel = new MapKernel({
    outputs: [{ expr, dtype: float64 }],
    inputs: columns.map(() => float64),
    compute: float64,
  });
  kernel.launch(
    out,
    columns.map((c) => operand(float64, [n], c)),
  );
  return read(out);
}

function checkNumerically(expr: Expr, columns: number[][], index: number): void {
  const d = derivative(expr, index) ?? e.constant(0);
  const h = 1e-5;
  const shifted = (by: number) => columns.map((c, k) => (k === index ? c.map((v) => v + by) : c));
  const up = evaluate(expr, shifted(h));
  const down = evaluate(expr, shifted(-h));
  const got = evaluate(d, columns);
  got.forEach((v, i) => {
    const numeric = (up[i] - down[i]) / (2 * h);
    expect(Math.abs(v - numeric), `${exprText(d)} at ${columns.map((c) => c[i])}: ${v}, ${numeric}`).toBeLessThan(
      1e-6 * Math.max(1, Math.abs(numeric)),
    );
  });
}

describe('against central differences', () => {
  const anywhere = [-1.7, -0.6, -0.11, 0.23, 0.8, 2.4];
  const inside = [-0.9, -0.4, -0.1, 0.3, 0.55, 0.85];
  const positive = [0.2, 0.7, 1.3, 2.1, 3.3, 5];
  const unary: [string, Expr, number[]][] = [
    ['neg', e.neg(x), anywhere],
    ['abs', e.abs(x), anywhere],
    ['sign', e.sign(x), anywhere],
    ['square', e.square(x), anywhere],
    ['reciprocal', e.reciprocal(x), anywhere],
    ['sqrt', e.sqrt(x), positive],
    ['rsqrt', e.rsqrt(x), positive],
    ['exp', e.exp(x), anywhere],
    ['exp2', e.exp2(x), anywhere],
    ['expm1', e.expm1(x), anywhere],
    ['log', e.log(x), positive],
    ['log2', e.log2(x), positive],
    ['log10', e.log10(x), positive],
    ['log1p', e.log1p(x), positive],
    ['sin', e.sin(x), anywhere],
    ['cos', e.cos(x), anywhere],
    ['tan', e.tan(x), inside],
    ['asin', e.asin(x), inside],
    ['acos', e.acos(x), inside],
    ['atan', e.atan(x), anywhere],
    ['sinh', e.sinh(x), anywhere],
    ['cosh', e.cosh(x), anywhere],
    ['tanh', e.tanh(x), anywhere],
    ['asinh', e.asinh(x), anywhere],
    ['acosh', e.acosh(e.add(x, 1)), positive],
    ['atanh', e.atanh(x), inside],
    ['erf', e.erf(x), anywhere],
    ['erfc', e.erfc(x), anywhere],
    ['sigmoid', e.sigmoid(x), anywhere],
    ['floor', e.floor(x), anywhere],
    ['round', e.round(x), anywhere],
    ['trunc', e.trunc(x), anywhere],
    ['ceil', e.ceil(x), anywhere],
    ['a square by pow', e.pow(x, 2), anywhere],
    ['a power', e.pow(x, 2.5), positive],
    ['where', e.where(e.gt(x, 0.5), e.mul(x, x), e.sin(x)), anywhere],
    ['gelu', e.mul(x, e.mul(0.5, e.add(1, e.erf(e.mul(x, Math.SQRT1_2))))), anywhere],
    ['silu', e.mul(x, e.sigmoid(x)), anywhere],
    ['a shared node', e.mul(e.exp(e.sin(x)), e.sin(x)), anywhere],
  ];
  test.each(unary)('%s, its derivative and the one of that', (_, expr, points) => {
    let f: Expr | null = expr;
    for (let order = 0; order < 3 && f !== null; order++) {
      checkNumerically(f, [points], 0);
      f = derivative(f, 0);
    }
  });

  const as = [0.3, 1.7, 2.5, 4.2, 0.9, 3.1];
  const bs = [1.1, 0.6, 3.3, 1.9, 2.2, 0.7];
  const signed = [-1.5, 0.6, -3.3, 1.9, 2.2, -0.7];
  const binary: [string, Expr, number[], number[]][] = [
    ['add', e.add(x, y), as, signed],
    ['sub', e.sub(x, y), as, signed],
    ['mul', e.mul(x, y), as, signed],
    ['div', e.div(x, y), as, signed],
    ['pow', e.pow(x, y), as, bs],
    ['maximum', e.maximum(x, y), as, bs],
    ['minimum', e.minimum(x, y), as, bs],
    ['fmod', e.fmod(x, y), as, bs],
    ['remainder', e.remainder(x, y), as, signed],
    ['floordiv', e.floordiv(x, y), as, signed],
    ['truncdiv', e.truncdiv(x, y), as, signed],
    ['atan2', e.atan2(x, y), as, signed],
    ['copysign', e.copysign(x, y), as, signed],
    ['a mixture', e.div(e.tanh(e.mul(x, y)), e.add(e.exp(x), e.mul(y, y))), as, signed],
  ];
  test.each(binary)('%s, in both, twice', (_, expr, a, b) => {
    for (const i of [0, 1]) {
      checkNumerically(expr, [a, b], i);
      const first = derivative(expr, i);
      if (first === null) continue;
      for (const j of [0, 1]) checkNumerically(first, [a, b], j);
    }
  });
});

describe("PyTorch's conventions", () => {
  const at = (expr: Expr, a: number[], b: number[] = a, index = 0) => evaluate(derivative(expr, index)!, [a, b]);

  test('ties of maximum and minimum give half to each', () => {
    for (const index of [0, 1]) {
      expect(at(e.maximum(x, y), [1, 2, 3], [1, 1, 4], index)).toEqual(index === 0 ? [0.5, 1, 0] : [0.5, 0, 1]);
      expect(at(e.minimum(x, y), [1, 2, 3], [1, 1, 4], index)).toEqual(index === 0 ? [0.5, 0, 1] : [0.5, 1, 0]);
    }
  });

  test('abs has slope 0 at 0', () => {
    expect(at(e.abs(x), [0, -2, 2])).toEqual([0, -1, 1]);
  });

  test('powers at 0', () => {
    // x^0 has slope 0 everywhere, also at 0; 0^y has slope 0 in y from 0 on, and -Infinity * Infinity's NaN below.
    expect(at(e.pow(x, y), [0, 0, 0, 3], [0, 1, 2, 0])).toEqual([0, 1, 0, 0]);
    expect(at(e.pow(x, y), [0, 0, 2], [0, 2, 3], 1)).toEqual([0, 0, 8 * Math.log(2)]);
    expect(derivative(e.pow(x, 0), 0)).toBeNull();
    expect(at(e.pow(x, 1), [0, 5])).toEqual([1, 1]);
  });

  test('copysign has slope 0 at 0', () => {
    expect(at(e.copysign(x, y), [0, 2, -2], [1, -1, -1])).toEqual([0, -1, 1]);
    expect(derivative(e.copysign(x, y), 1)).toBeNull();
  });
});

describe('form', () => {
  const text = (expr: Expr, index = 0) => {
    const d = derivative(expr, index);
    return d === null ? null : exprText(d);
  };

  test('what does not depend on the input has none', () => {
    const independent = [
      y,
      e.scalar(0),
      e.constant(3),
      e.raw(0),
      e.number(e.gt(x, 0)),
      e.floor(x),
      e.sign(x),
      e.mul(y, y),
    ];
    for (const expr of independent) expect(derivative(expr, 0), exprText(expr)).toBeNull();
  });

  test('is simplified', () => {
    expect(text(x)).toBe('1');
    expect(text(e.add(x, y))).toBe('1');
    expect(text(e.sub(y, x))).toBe('-1');
    expect(text(e.mul(x, y))).toBe('input1');
    expect(text(e.add(x, e.mul(e.scalar(0), y)), 1)).toBe('scalar0');
    expect(text(e.mul(3, e.mul(2, x)))).toBe('6');
    expect(text(e.mul(x, x))).toBe('add(input0, input0)');
    expect(text(e.exp(x))).toBe('exp(input0)');
    expect(text(e.log(e.mul(y, x)))).toBe('div(input1, mul(input1, input0))');
    expect(text(e.where(e.gt(x, 0), x, 0))).toBe('where(gt(input0, 0), 1, 0)');
    expect(text(e.where(e.gt(x, 0), x, e.add(x, y)))).toBe('1');
  });

  test('derivatives of derivatives stay small', () => {
    const size = (expr: Expr): number => 1 + e.operands(expr).reduce((sum, a) => sum + size(a), 0);
    let d: Expr = e.mul(x, e.sigmoid(x));
    const sizes: number[] = [];
    for (let i = 0; i < 3; i++) sizes.push(size((d = derivative(d, 0)!)));
    expect(sizes[0]).toBeLessThan(20);
    expect(sizes[2]).toBeLessThan(200);
  });

  test('a long chain of shared nodes takes linear time', () => {
    let f: Expr = x;
    for (let i = 0; i < 60; i++) f = e.mul(f, f);
    expect(derivative(f, 0)).not.toBeNull();
    expect(inputsUsed(f)).toEqual([0]);
  });
});

describe('leaves', () => {
  test('inputsUsed counts operands read as truth values', () => {
    expect(inputsUsed(e.where(e.raw(4), e.input(2), e.scalar(1)))).toEqual([2, 4]);
    expect(inputsUsed(e.constant(1))).toEqual([]);
  });

  test('renumberInputs', () => {
    const expr = e.where(e.raw(4), e.add(e.input(2), e.input(7)), e.scalar(1));
    expect(exprText(renumberInputs(expr, [2, 4, 7]))).toBe('where(raw1, add(input0, input2), scalar1)');
  });

  test('substitute leaves what it need not change', () => {
    const kept = e.exp(e.input(1));
    const expr = e.add(e.input(0), kept);
    const result = substitute(expr, new Map([[0, e.neg(e.input(3))]]));
    expect(exprText(result)).toBe('add(neg(input3), exp(input1))');
    expect(e.operands(result)[1]).toBe(kept);
    expect(substitute(kept, new Map([[0, e.input(5)]]))).toBe(kept);
    expect(exprText(substitute(e.raw(0), new Map([[0, e.gt(x, 1)]])))).toBe('gt(input0, 1)');
    expect(exprText(substitute(e.raw(0), new Map([[0, e.exp(x)]])))).toBe('ne(exp(input0), 0)');
  });
});
