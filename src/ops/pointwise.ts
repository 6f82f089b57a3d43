/** Pointwise arithmetic, elementary functions, comparisons and activations: each declared by its expression. */
import { BOOL_CATEGORY, type DType, FLOAT_CATEGORY } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import * as e from '../kernels/expr.ts';
import { Tensor } from '../tensor/tensor.ts';
import { nodeNameOf, pointwise } from './pointwise-declare.ts';

/** A check that refuses bool as PyTorch's kernel of that name does. */
export const refuseBool = (kernel: string) => (common: DType) => {
  if (common.category === BOOL_CATEGORY) throw new NotImplementedError(`"${kernel}" not implemented for 'Bool'`);
};

/** PyTorch's rules for the alpha of add and sub. */
function checkAlpha(common: DType, values: readonly unknown[]): void {
  const alpha = values[2];
  if (typeof alpha === 'boolean' && common.category !== BOOL_CATEGORY) {
    throw new RuntimeError('Boolean alpha only supported for Boolean results.');
  }
  if (common.category !== FLOAT_CATEGORY && typeof alpha === 'number' && !Number.isInteger(alpha)) {
    throw new RuntimeError('For integral input tensors, argument alpha must not be a floating point number.');
  }
}

function refuseBoolSub(common: DType, values: readonly unknown[]): void {
  const isBool = (x: unknown) => typeof x === 'boolean' || (x instanceof Tensor && x.dtype.category === BOOL_CATEGORY);
  if (common.category !== BOOL_CATEGORY && (isBool(values[0]) || isBool(values[1]))) {
    throw new RuntimeError(
      'Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.',
    );
  }
  if (common.category === BOOL_CATEGORY) {
    throw new RuntimeError(
      'Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.',
    );
  }
}

pointwise({
  schema: 'add(Tensor|Scalar self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor',
  doc: 'self + alpha * other, elementwise with broadcasting and type promotion.',
  rule: 'promote',
  expr: ({ self, other, alpha }) => e.add(self, e.mul(alpha, other)),
  check: checkAlpha,
});

pointwise({
  schema: 'sub(Tensor|Scalar self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor',
  doc: 'self - alpha * other, elementwise.',
  checksFirst: true,
  rule: 'promote',
  expr: ({ self, other, alpha }) => e.sub(self, e.mul(alpha, other)),
  check: refuseBoolSub,
  late: checkAlpha,
});

pointwise({
  schema: 'rsub(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor',
  doc: 'other - alpha * self, elementwise.',
  rule: 'promote',
  node: (isTensor) => (isTensor('other') ? 'RsubBackward0' : 'RsubBackward1'),
  method: false,
  checksFirst: true,
  expr: ({ self, other, alpha }) => e.sub(other, e.mul(alpha, self)),
  check: refuseBoolSub,
  late: checkAlpha,
});

pointwise({
  schema: 'mul(Tensor|Scalar self, Tensor|Scalar other) -> Tensor',
  doc: 'self * other, elementwise.',
  keepsNumber: true,
  rule: 'promote',
  expr: ({ self, other }) => e.mul(self, other),
});

pointwise({
  schema: 'neg(Tensor self) -> Tensor',
  doc: '-x, elementwise.',
  rule: 'promote',
  expr: ({ self }) => e.neg(self),
  check: (common) => {
    if (common.category === BOOL_CATEGORY) {
      throw new RuntimeError(
        'Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.',
      );
    }
  },
});

pointwise({
  schema: 'abs(Tensor self) -> Tensor',
  doc: '|x|, elementwise.',
  rule: 'promote',
  flat: ['self'],
  check: refuseBool('abs_cpu'),
  expr: ({ self }) => e.abs(self),
});

pointwise({
  schema: 'exp(Tensor self) -> Tensor',
  doc: 'e to the power of x, elementwise.',
  rule: 'float',
  expr: ({ self }) => e.exp(self),
  grad: { self: ({ grad, result }) => e.mul(grad, result) },
});

pointwise({
  schema: 'log(Tensor self) -> Tensor',
  doc: 'Natural logarithm, elementwise.',
  rule: 'float',
  expr: ({ self }) => e.log(self),
  grad: { self: ({ grad, self }) => e.div(grad, self) },
});

pointwise({
  schema: 'sqrt(Tensor self) -> Tensor',
  doc: 'Square root, elementwise.',
  rule: 'float',
  expr: ({ self }) => e.sqrt(self),
  grad: { self: ({ grad, result }) => e.div(grad, e.mul(e.constant(2), result)) },
});

pointwise({
  schema: 'rsqrt(Tensor self) -> Tensor',
  doc: '1 / sqrt(x), elementwise.',
  rule: 'float',
  expr: ({ self }) => e.rsqrt(self),
  grad: {
    self: ({ grad, result }) => e.mul(e.mul(e.constant(-0.5), grad), e.mul(result, e.mul(result, result))),
  },
});

pointwise({
  schema: 'sin(Tensor self) -> Tensor',
  doc: 'Sine of x in radians, elementwise.',
  rule: 'float',
  expr: ({ self }) => e.sin(self),
});

pointwise({
  schema: 'cos(Tensor self) -> Tensor',
  doc: 'Cosine of x in radians, elementwise.',
  rule: 'float',
  expr: ({ self }) => e.cos(self),
});

pointwise({
  schema: 'tanh(Tensor self) -> Tensor',
  doc: 'Hyperbolic tangent, elementwise.',
  rule: 'float',
  expr: ({ self }) => e.tanh(self),
  grad: { self: ({ grad, result }) => e.mul(grad, e.sub(e.constant(1), e.mul(result, result))) },
});

pointwise({
  schema: 'sigmoid(Tensor self) -> Tensor',
  doc: '1 / (1 + exp(-x)), elementwise.',
  rule: 'float',
  expr: ({ self }) => e.sigmoid(self),
  grad: { self: ({ grad, result }) => e.mul(grad, e.mul(e.sub(e.constant(1), result), result)) },
});

pointwise({
  schema: 'erf(Tensor self) -> Tensor',
  doc: 'Error function, elementwise.',
  rule: 'float',
  expr: ({ self }) => e.erf(self),
});

// maximum and minimum share a tie between both inputs, as PyTorch's gradients do.
pointwise({
  schema: 'maximum(Tensor self, Tensor other) -> Tensor',
  doc: 'The larger of both, elementwise; NaN where either is.',
  rule: 'promote',
  inplace: false,
  expr: ({ self, other }) => e.maximum(self, other),
});

pointwise({
  schema: 'minimum(Tensor self, Tensor other) -> Tensor',
  doc: 'The smaller of both, elementwise; NaN where either is.',
  rule: 'promote',
  inplace: false,
  expr: ({ self, other }) => e.minimum(self, other),
});

for (const [name, doc, compare] of [
  ['eq', 'self == other', e.eq],
  ['ne', 'self != other', e.ne],
  ['lt', 'self < other', e.lt],
  ['le', 'self <= other', e.le],
  ['gt', 'self > other', e.gt],
  ['ge', 'self >= other', e.ge],
] as const) {
  pointwise({
    schema: `${name}(Tensor self, Tensor|Scalar other) -> Tensor`,
    doc: `${doc}, elementwise, as a bool tensor.`,
    rule: 'bool',
    // Seen only of the in-place forms.
    node: (isTensor) => nodeNameOf(name).replace('0', isTensor('other') ? '1' : '0'),
    expr: ({ self, other }) => compare(self, other),
  });
}

pointwise({
  schema: 'logical_not(Tensor self) -> Tensor',
  doc: 'True where x is 0 or False.',
  rule: 'bool',
  masks: ['self'],
  expr: ({ self }) => e.not(self),
});

pointwise({
  schema: 'isnan(Tensor self) -> Tensor',
  doc: 'True where x is NaN.',
  rule: 'bool',
  inplace: false,
  expr: ({ self }) => e.isnan(self),
});

pointwise({
  schema: 'isfinite(Tensor self) -> Tensor',
  doc: 'True where x is neither NaN nor infinite.',
  rule: 'bool',
  inplace: false,
  expr: ({ self }) => e.isfinite(self),
});

pointwise({
  schema: 'isinf(Tensor self) -> Tensor',
  doc: 'True where x is infinite.',
  rule: 'bool',
  inplace: false,
  expr: ({ self }) => e.isinf(self),
});

pointwise({
  schema: 'relu(Tensor self) -> Tensor',
  doc: 'max(x, 0), elementwise.',
  rule: 'promote',
  functional: true,
  function: true,
  expr: ({ self }) => e.maximum(self, e.constant(0)),
  grad: { self: ({ grad, result }) => e.where(e.le(result, e.constant(0)), e.constant(0), grad) },
  flat: ['result'],
  checksFirst: true,
  check: (common) => {
    if (common.category === BOOL_CATEGORY) throw new RuntimeError('Boolean inputs not supported for relu');
  },
});

const SQRT_2_OVER_PI = Math.sqrt(2 / Math.PI);

pointwise({
  schema: 'gelu(Tensor self, *, str approximate="none") -> Tensor',
  doc: 'x * Phi(x) with the normal distribution function Phi, or its tanh approximation.',
  rule: 'inexact',
  kernelName: 'GeluKernelImpl',
  method: false,
  functional: true,
  expr: ({ self }, { approximate }) => {
    if (approximate === 'none') {
      return e.mul(self, e.normcdf(self));
    }
    if (approximate !== 'tanh') throw new RuntimeError('approximate argument must be either none or tanh.');
    const cube = e.mul(self, e.mul(self, self));
    const inner = e.add(self, e.mul(e.constant(0.044715), cube));
    // (1 + tanh x) / 2 is sigmoid 2x.
    return e.mul(self, e.sigmoid(e.mul(e.constant(2 * SQRT_2_OVER_PI), inner)));
  },
});
