/** Pointwise functions of one tensor beyond those of `pointwise.ts`: elementary functions, rounding, signs. */
import { FLOAT_CATEGORY } from '../core/dtype.ts';
import { NotImplementedError } from '../core/errors.ts';
import * as e from '../kernels/expr.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { refuseBool } from './pointwise.ts';
import { type PointwiseDeclaration, pointwise } from './pointwise-declare.ts';
import { define } from './registry.ts';
import { LARGEST } from './scalar-range.ts';

type Gradient = NonNullable<PointwiseDeclaration['grad']>[string];

const ZERO = e.constant(0);
const ONE = e.constant(1);
const square = (x: e.Expr) => e.mul(x, x);

/** Functions of real numbers; integers become the default float dtype. Derived gradients are missing where PyTorch's are the same. */
const REAL: readonly (readonly [name: string, doc: string, fn: (x: e.Expr) => e.Expr, grad?: Gradient])[] = [
  ['reciprocal', '1 / x', e.reciprocal, ({ grad, result }) => e.mul(e.neg(grad), square(result))],
  ['exp2', '2 to the power of x', e.exp2, ({ grad, result }) => e.mul(e.mul(grad, result), e.constant(Math.LN2))],
  ['expm1', 'exp(x) - 1, exact near 0', e.expm1, ({ grad, result }) => e.mul(grad, e.add(result, ONE))],
  ['log1p', 'log(1 + x), exact near 0', e.log1p],
  ['log2', 'Logarithm to base 2', e.log2, ({ grad, self }) => e.div(grad, e.mul(self, e.constant(Math.LN2)))],
  ['log10', 'Logarithm to base 10', e.log10, ({ grad, self }) => e.div(grad, e.mul(self, e.constant(Math.LN10)))],
  ['tan', 'Tangent of x in radians', e.tan, ({ grad, result }) => e.mul(grad, e.add(ONE, square(result)))],
  ['asin', 'Arc sine in radians', e.asin],
  ['acos', 'Arc cosine in radians', e.acos],
  ['atan', 'Arc tangent in radians', e.atan],
  ['sinh', 'Hyperbolic sine', e.sinh],
  ['cosh', 'Hyperbolic cosine', e.cosh],
  ['asinh', 'Inverse hyperbolic sine', e.asinh],
  ['acosh', 'Inverse hyperbolic cosine', e.acosh],
  ['atanh', 'Inverse hyperbolic tangent', e.atanh],
  ['erfc', '1 - erf(x), exact where erf(x) is near 1', e.erfc],
];

for (const [name, doc, fn, grad] of REAL) {
  pointwise({
    schema: `${name}(Tensor self) -> Tensor`,
    doc: `${doc}, elementwise.`,
    ...(name === 'log1p' && { node: 'Log1PBackward0' }),
    rule: 'float',
    expr: ({ self }) => fn(self),
    grad: grad && { self: grad },
  });
}

for (const [name, doc, fn] of [
  ['ceil', 'The smallest whole number that is not below x', e.ceil],
  ['floor', 'The largest whole number that is not above x', e.floor],
  ['trunc', 'x without its fraction', e.trunc],
] as const) {
  pointwise({
    schema: `${name}(Tensor self) -> Tensor`,
    doc: `${doc}, elementwise.`,
    rule: 'promote',
    check: refuseBool(`${name}_vml_cpu`),
    expr: ({ self }) => fn(self),
  });
}

pointwise({
  schema: 'round(Tensor self, *, int? decimals=None) -> Tensor',
  doc: 'The nearest number with that many decimals, elementwise; halves go to the even neighbour.',
  rule: 'promote',
  node: (_isTensor, { decimals }) => (decimals === null ? 'RoundBackward0' : 'RoundBackward1'),
  // Powers of ten are exact as constants.
  constants: { decimals: Array.from({ length: 21 }, (_, i) => i - 10) },
  check: (common, [, decimals]) => {
    if (decimals === null) refuseBool('round_vml_cpu')(common);
    else if (common.category !== FLOAT_CATEGORY) {
      throw new NotImplementedError(`"round_cpu" not implemented for '${common.scalarTypeName}'`);
    }
  },
  expr: ({ self, decimals }, choices) => {
    const places = choices['decimals'];
    if (places === null || places === 0) return e.round(self);
    const known = typeof places === 'number';
    const power = known ? e.constant(10 ** Math.abs(places)) : e.pow(e.constant(10), e.abs(decimals));
    const fine = e.div(e.round(e.mul(self, power)), power);
    const coarse = e.mul(e.round(e.div(self, power)), power);
    if (known) return places > 0 ? fine : coarse;
    return e.where(e.gt(decimals, ZERO), fine, coarse);
  },
  grad: { self: () => ZERO },
});

pointwise({
  schema: 'frac(Tensor self) -> Tensor',
  doc: 'The fraction of x, with its sign, elementwise.',
  rule: 'inexact',
  kernelName: 'frac_cpu',
  expr: ({ self }) => e.sub(self, e.trunc(self)),
  grad: { self: ({ grad }) => grad },
});

for (const name of ['sign', 'sgn'] as const) {
  pointwise({
    schema: `${name}(Tensor self) -> Tensor`,
    doc: 'The sign of x: -1, 0 or 1, elementwise.',
    rule: 'promote',
    expr: ({ self }) => e.sign(self),
  });
}

define({ doc: 'x * x, elementwise.' }, { 'square(Tensor self) -> Tensor': (self: Tensor) => self.pow(2) });
define(
  { doc: 'In-place form of `square`.', method: true, function: true },
  { 'square_(Tensor(a!) self) -> Tensor(a!)': (self: Tensor) => self.pow_(2) },
);

/** What takes the place of NaN and of infinities by default: 0 and the dtype's own limits. */
function fillIn(values: unknown[]): void {
  const { dtype } = values[0] as Tensor;
  const most = Math.min(LARGEST[dtype.name] ?? 0, Number.MAX_VALUE);
  const isFloat = dtype.category === FLOAT_CATEGORY;
  [0, most, -most].forEach((value, i) => {
    values[i + 1] = isFloat ? (values[i + 1] ?? value) : 0;
  });
}

pointwise({
  schema: 'nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor',
  doc: 'Numbers in place of NaN (0), infinity (the largest of the dtype) and minus infinity, elementwise.',
  rule: 'promote',
  prepare: fillIn,
  expr: ({ self, nan = ZERO, posinf = ZERO, neginf = ZERO }) => {
    const infinite = e.where(e.lt(self, ZERO), neginf, posinf);
    return e.where(e.isnan(self), nan, e.where(e.isinf(self), infinite, self));
  },
  grad: { self: ({ grad, self }) => e.mul(grad, e.number(e.isfinite(self))) },
});
