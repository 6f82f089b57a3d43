/** Float32 functions against float64 references, in units in the last place, over all magnitudes and special values. */
import { describe, expect, test } from 'vitest';
import { float32 } from '../../core/dtype.ts';
import { type Expr, input, mul } from '../expr.ts';
import * as e from '../expr.ts';
import { features } from '../features.ts';
import { kernelImports } from '../registry.ts';
import { mapModule } from './map.ts';
import { CONTIGUOUS } from './map-layout.ts';

const memory = new WebAssembly.Memory({ initial: 64, maximum: 65536, shared: features.sharedMemory });
const floats = new Float32Array(memory.buffer);
const A = 65536;
const B = A + (1 << 20);
const OUT = B + (1 << 20);

type Run = (a: Float32Array, b?: Float32Array) => Float32Array;

function kernel(expr: Expr, relaxed: boolean): Run {
  const binary = JSON.stringify(expr).includes('"index":1');
  const inputs = binary ? [float32, float32] : [float32];
  const code = { outputs: [{ expr, dtype: float32 }], inputs, compute: 'f32' as const, scalars: 0 };
  const layout = { depth: 0, walks: [CONTIGUOUS, ...inputs.map(() => CONTIGUOUS)] as 0[], tiled: false };
  const module = new WebAssembly.Module(mapModule(code, layout, { relaxed }) as BufferSource);
  const { run } = new WebAssembly.Instance(module, kernelImports(memory)).exports as { run(args: number): number };
  return (a, b) => {
    if (a.length > 1 << 18) throw new Error('too many for the test memory');
    floats.set(a, A / 4);
    if (b) floats.set(b, B / 4);
    new Int32Array(memory.buffer).set([0, a.length, OUT, A, B], 2);
    expect(run(8)).toBe(0);
    return floats.slice(OUT / 4, OUT / 4 + a.length);
  };
}

/** Distance from the exact value, in units of the last place of the float32 next to it. */
function ulps(got: number, exact: number): number {
  if (Number.isNaN(exact)) return Number.isNaN(got) ? 0 : Infinity;
  const rounded = Math.fround(exact);
  if (Object.is(got, rounded)) return 0;
  if (!Number.isFinite(rounded) || !Number.isFinite(got)) {
    // Next to the overflow threshold the largest float is one step away.
    const limit = 3.4028234663852886e38;
    return Math.abs(got) === limit || Math.abs(rounded) === limit ? 1 : Infinity;
  }
  const exponent = Math.max(-126, Math.floor(Math.log2(Math.max(Math.abs(exact), 2 ** -140))));
  if (rounded === 0 && got === 0) return Infinity; // a zero of the wrong sign
  return Math.abs(got - exact) / 2 ** (exponent - 23);
}

// biome-ignore format: a list
const SPECIAL = [
  0, -0, Infinity, -Infinity, NaN, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1e-45, -1e-45, 1.1754944e-38, -1.1754944e-38, 1e-40, -1e-40,
  3.4028235e38, -3.4028235e38, 88.72283, 88.72284, -87.33655, -103.97208, -103.97209, 1.0000001, 0.99999994, -0.99999994,
  16777216, 8388608.5, 1048576, 1048577, -1048577, 1e10, 1e22, 2147483648, 4294967296, 0.25, 0.9, 0.625, 10, -10, 127, 128,
];

/** Every exponent and sign, with pseudo-random fractions; and an even cover of a range. */
function samples(low: number, high: number): Float32Array {
  const out = new Float32Array(131072);
  const bits = new Uint32Array(out.buffer);
  let state = 12345;
  for (let i = 0; i < 65536; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bits[i] = ((i & 511) << 23) | (state >>> 9);
  }
  for (let i = 0; i < 65536; i++) out[65536 + i] = low + ((high - low) * i) / 65536;
  out.set(SPECIAL, 0);
  return out;
}

/** A float64 erf by series and continued fraction, independent of the kernels' fits. */
function erfcReference(x: number): number {
  if (Number.isNaN(x)) return NaN;
  if (x < 0) return 2 - erfcReference(-x);
  if (x < 2.5) return 1 - erfSeries(x);
  if (x > 30) return 0;
  let fraction = 0;
  for (let k = 120; k > 0; k--) fraction = k / 2 / (x + fraction);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
}
function erfSeries(x: number): number {
  // With positive terms only: 2/sqrt(pi) e^(-x²) sum of 2^n x^(2n+1) / (2n+1)!!
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) sum += term *= (2 * x * x) / (2 * n + 1);
  return ((2 * Math.exp(-x * x)) / Math.sqrt(Math.PI)) * sum;
}
function erfReference(x: number): number {
  if (Number.isNaN(x) || x === 0) return x;
  if (Math.abs(x) > 6) return Math.sign(x);
  return Math.abs(x) < 2.5 ? erfSeries(x) : Math.sign(x) * (1 - erfcReference(Math.abs(x)));
}
function sigmoidReference(x: number): number {
  return x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x));
}

const x = input(0);
// Name, expression, reference, the range covered evenly, allowed ulp.
const UNARY: [string, Expr, (x: number) => number, number, number][] = [
  ['exp', e.exp(x), Math.exp, -104, 89],
  ['exp2', e.exp2(x), (v) => 2 ** v, -150, 129],
  ['expm1', e.expm1(x), Math.expm1, -20, 89],
  ['log', e.log(x), Math.log, 0, 4],
  ['log2', e.log2(x), Math.log2, 0, 4],
  ['log10', e.log10(x), Math.log10, 0, 4],
  ['log1p', e.log1p(x), Math.log1p, -1, 2],
  ['sin', e.sin(x), Math.sin, -20, 20],
  ['cos', e.cos(x), Math.cos, -20, 20],
  ['tan', e.tan(x), Math.tan, -20, 20],
  ['asin', e.asin(x), Math.asin, -1, 1],
  ['acos', e.acos(x), Math.acos, -1, 1],
  ['atan', e.atan(x), Math.atan, -10, 10],
  ['sinh', e.sinh(x), Math.sinh, -90, 90],
  ['cosh', e.cosh(x), Math.cosh, -90, 90],
  ['tanh', e.tanh(x), Math.tanh, -10, 10],
  ['asinh', e.asinh(x), Math.asinh, -10, 10],
  ['acosh', e.acosh(x), acoshReference, 1, 3],
  ['atanh', e.atanh(x), Math.atanh, -1, 1],
  ['erf', e.erf(x), erfReference, -4.5, 4.5],
  ['erfc', e.erfc(x), erfcReference, -4, 10.2],
  ['sigmoid', e.sigmoid(x), sigmoidReference, -104, 20],
  ['sqrt', e.sqrt(x), Math.sqrt, 0, 10],
  ['rsqrt', e.rsqrt(x), (v) => 1 / Math.sqrt(v), 0, 10],
  ['reciprocal', e.reciprocal(x), (v) => 1 / v, -10, 10],
  ['round', e.round(x), roundEven, -10, 10],
];

function acoshReference(v: number): number {
  // V8's acosh loses digits next to 1.
  if (v < 1) return NaN;
  return v < 1.5 ? Math.log1p(v - 1 + Math.sqrt((v - 1) * (v + 1))) : Math.acosh(v);
}
function roundEven(v: number): number {
  const r = Math.round(v);
  if (Math.abs(v % 1) === 0.5 && r % 2 !== 0) return r - 1;
  return r === 0 ? Math.sign(v) * 0 || v * 0 : r;
}

const forms = features.relaxedSimd ? [true, false] : [false];
for (const relaxed of forms) {
  describe(relaxed ? 'relaxed SIMD' : 'plain SIMD', () => {
    test.each(UNARY)('%s', (_name, expr, reference, low, high) => {
      const a = samples(low, high);
      const got = kernel(expr, relaxed)(a);
      let worst = 0;
      let where = 0;
      a.forEach((v, i) => {
        const d = ulps(got[i], reference(v));
        if (d > worst) {
          worst = d;
          where = i;
        }
      });
      if (process.env['MTIA_SHOW_ULPS']) console.log(_name, worst, a[where], got[where], reference(a[where]));
      expect(worst, `${_name}(${a[where]}) = ${got[where]}, exactly ${reference(a[where])}`).toBeLessThanOrEqual(2);
    });

    test('normcdf, whose error counts beside 1', () => {
      const a = samples(-7, 7).filter((_, i) => i % 8 === 0 || i < SPECIAL.length);
      const got = kernel(mul(x, e.normcdf(x)), relaxed)(a);
      const plain = kernel(e.normcdf(x), relaxed)(a);
      let worst = 0;
      a.forEach((v, i) => {
        if (Number.isNaN(v)) expect([got[i], plain[i]]).toEqual([NaN, NaN]);
        else worst = Math.max(worst, Math.abs(plain[i] - erfcReference(-v / Math.SQRT2) / 2));
        if (v > 7) expect(got[i]).toBe(v);
        // Below, at most what is left of the largest float.
        if (v < -28) expect(got[i]).toBe(v === -Infinity ? NaN : -0);
      });
      expect(worst).toBeLessThan(1.4e-7);
    });

    const ALIKE: [string, Expr][] = [
      ['exp', e.exp(x)],
      ['sigmoid', e.sigmoid(x)],
      ['tanh', e.tanh(x)],
      ['normcdf', e.normcdf(x)],
    ];
    test.each(ALIKE)('%s does not depend on the neighbours', (_name, expr) => {
      const a = samples(-100, 100);
      // Each alone, in a tail; and beside one that goes the slow way.
      const run = kernel(expr, relaxed);
      const all = run(a);
      for (let i = 0; i < 4096; i++) {
        const v = a[65536 + i * 16];
        const [alone] = run(Float32Array.of(v));
        const beside = run(Float32Array.of(NaN, v, 1e30, -1e30, v))[1];
        expect([alone, beside]).toEqual([all[65536 + i * 16], all[65536 + i * 16]]);
      }
    });

    const BINARY: [string, Expr, (x: number, y: number) => number][] = [
      ['pow', e.pow(x, input(1)), powReference],
      ['atan2', e.atan2(x, input(1)), Math.atan2],
      ['fmod', e.fmod(x, input(1)), (a, b) => a % b],
      ['remainder', e.remainder(x, input(1)), remainderReference],
    ];
    test.each(BINARY)('%s', (_name, expr, reference) => {
      const n = SPECIAL.length;
      const a = samples(-12, 12);
      const b = samples(-12, 12).reverse();
      for (let i = 0; i < n * n; i++) {
        a[i] = SPECIAL[i % n];
        b[i] = SPECIAL[Math.floor(i / n)];
      }
      const got = kernel(expr, relaxed)(a, b);
      let worst = 0;
      let where = 0;
      a.forEach((v, i) => {
        const d = ulps(got[i], reference(v, b[i]));
        if (d > worst) {
          worst = d;
          where = i;
        }
      });
      if (process.env['MTIA_SHOW_ULPS']) console.log(_name, worst, a[where], b[where], got[where]);
      const at = `${_name}(${a[where]}, ${b[where]}) = ${got[where]}, exactly ${reference(a[where], b[where])}`;
      expect(worst, at).toBeLessThanOrEqual(2);
    });
  });
}

function powReference(a: number, b: number): number {
  if (a === 1 || (a === -1 && Math.abs(b) === Infinity)) return 1;
  return a ** b;
}

/** PyTorch's: the addition is done in float32. */
function remainderReference(a: number, b: number): number {
  const m = a % b;
  return m !== 0 && m < 0 !== b < 0 ? Math.fround(m + b) : m;
}
