/** Pointwise ops of rarer use: degrees, logit, sinc, maxima that skip NaN, powers in float64, tests of signs. */
import { BOOL_CATEGORY, bool, FLOAT_CATEGORY, float64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import * as e from '../kernels/expr.ts';
import { Tensor } from '../tensor/tensor.ts';
import { pointwise, pointwiseForms } from './pointwise-declare.ts';
import { power } from './pointwise-more.ts';
import { emptyLike } from './creation.ts';
import { define } from './registry.ts';

const ZERO = e.constant(0);
const ONE = e.constant(1);

for (const [name, node, doc, factor] of [
  ['deg2rad', 'Deg2RadBackward0', 'Degrees as radians', Math.PI / 180],
  ['rad2deg', 'Rad2DegBackward0', 'Radians as degrees', 180 / Math.PI],
] as const) {
  pointwise({
    schema: `${name}(Tensor self) -> Tensor`,
    doc: `${doc}, elementwise.`,
    rule: 'float',
    node,
    expr: ({ self }) => e.mul(self, e.constant(factor)),
    grad: { self: ({ grad }) => e.mul(grad, e.constant(factor)) },
  });
}

pointwise({
  schema: 'logit(Tensor self, float? eps=None) -> Tensor',
  doc: 'log(x / (1 - x)), elementwise; with eps, x is kept between eps and 1 - eps.',
  rule: 'float',
  // As PyTorch, which takes a negative limit for none.
  prepare: (values) => {
    if (values[1] !== null && Number(values[1]) < 0) values[1] = null;
  },
  expr: ({ self, eps }) => {
    const x = eps === undefined ? self : e.minimum(e.maximum(self, eps), e.sub(ONE, eps));
    return e.log(e.div(x, e.sub(ONE, x)));
  },
  grad: {
    self: ({ grad, self, eps }) => {
      const slope = e.div(grad, e.mul(self, e.sub(ONE, self)));
      const low = eps ?? ZERO;
      const outside = e.or(e.lt(self, low), e.gt(self, e.sub(ONE, low)));
      return e.where(outside, eps === undefined ? e.constant(Number.NaN) : ZERO, slope);
    },
  },
});

pointwise({
  schema: 'sinc(Tensor self) -> Tensor',
  doc: 'sin(πx) / (πx), and 1 at 0, elementwise.',
  rule: 'float',
  expr: ({ self }) => {
    const x = e.mul(self, e.constant(Math.PI));
    return e.where(e.eq(x, ZERO), ONE, e.div(e.sin(x), x));
  },
  grad: {
    self: ({ grad, self }) => {
      const x = e.mul(self, e.constant(Math.PI));
      const slope = e.div(e.sub(e.mul(x, e.cos(x)), e.sin(x)), e.mul(x, self));
      return e.where(e.eq(x, ZERO), ZERO, e.mul(grad, slope));
    },
  },
});

for (const [name, doc, wins] of [
  ['fmax', 'The larger of both, elementwise; a NaN loses', e.ge],
  ['fmin', 'The smaller of both, elementwise; a NaN loses', e.le],
] as const) {
  const first = (self: e.Expr, other: e.Expr) => e.or(wins(self, other), e.isnan(other));
  pointwise({
    schema: `${name}(Tensor self, Tensor other) -> Tensor`,
    doc: `${doc}.`,
    rule: 'promote',
    inplace: false,
    expr: ({ self, other }) => e.where(first(self, other), self, other),
    grad: {
      self: ({ grad, self, other }) => e.where(first(self, other), grad, ZERO),
      other: ({ grad, self, other }) => e.where(first(self, other), ZERO, grad),
    },
  });
}

pointwise({
  schema: 'ldexp(Tensor self, Tensor other) -> Tensor',
  doc: 'self * 2^other, elementwise.',
  rule: 'float',
  expr: ({ self, other }) => e.mul(self, e.exp2(other)),
  grad: {
    self: ({ grad, other }) => e.mul(grad, e.exp2(other)),
    other: ({ grad, result }) => e.mul(e.mul(grad, result), e.constant(Math.LN2)),
  },
});

pointwise({
  schema: 'heaviside(Tensor self, Tensor values) -> Tensor',
  doc: '1 above 0, values at 0, 0 elsewhere, elementwise. Both are of one dtype; backward is not implemented.',
  rule: 'promote',
  underivable: true,
  checksFirst: true,
  check: (_common, [self, values]) => {
    if ((self as Tensor).dtype === (values as Tensor).dtype) return;
    throw new RuntimeError('heaviside is not yet implemented for tensors with different dtypes.');
  },
  expr: ({ self, values }) => e.where(e.eq(self, ZERO), values, e.number(e.gt(self, ZERO))),
});

for (const [name, doc, sided] of [
  ['isposinf', 'True where x is infinity', e.gt],
  ['isneginf', 'True where x is minus infinity', e.lt],
] as const) {
  pointwise({
    schema: `${name}(Tensor self) -> Tensor`,
    doc: `${doc}.`,
    rule: 'bool',
    inplace: false,
    expr: ({ self }) => e.and(e.isinf(self), sided(self, ZERO)),
  });
}

const SIGNBIT = pointwiseForms({
  schema: 'signbit(Tensor self) -> Tensor',
  doc: '',
  rule: 'bool',
  expr: ({ self }) => e.lt(e.copysign(ONE, self), ZERO),
});

define(
  { doc: 'True where x has a sign: negative numbers, -0 and NaN with one.' },
  {
    'signbit(Tensor self) -> Tensor': (self: Tensor) =>
      self.dtype.category === FLOAT_CATEGORY ? SIGNBIT.apply(self.detach()) : self.lt(0),
  },
);

define(
  { doc: 'True everywhere: there are no complex numbers here.' },
  { 'isreal(Tensor self) -> Tensor': (self: Tensor) => emptyLike(self, bool, null).fill_(true) },
);

define(
  { doc: 'x itself, which may not be bool.' },
  {
    'positive(Tensor self) -> Tensor': (self: Tensor) => {
      if (self.dtype.category !== BOOL_CATEGORY) return self;
      throw new RuntimeError('The `+` operator, on a bool tensor is not supported.');
    },
  },
);

const doubled = <T>(x: T): T | Tensor => (x instanceof Tensor ? x.to(float64) : x);

define(
  { doc: 'self to the power of exponent in float64, elementwise; either may be a number.' },
  {
    'float_power(Tensor self, Tensor|Scalar exponent) -> Tensor': (self: Tensor, exponent: Tensor | number) =>
      self.to(float64).pow(doubled(exponent)),
    'float_power(Scalar self, Tensor exponent) -> Tensor': (self: number, exponent: Tensor) =>
      power(self, exponent.to(float64)),
  },
);
define(
  { doc: 'In-place form of `float_power`, of float64 alone.', method: true, function: false },
  {
    'float_power_(Tensor(a!) self, Tensor|Scalar exponent) -> Tensor(a!)': (
      self: Tensor,
      exponent: Tensor | number,
    ) => {
      if (self.dtype !== float64) {
        throw new RuntimeError(
          `the base given to float_power_ has dtype ${self.dtype.scalarTypeName} but the operation's result requires dtype Double`,
        );
      }
      return self.pow_(doubled(exponent));
    },
  },
);
