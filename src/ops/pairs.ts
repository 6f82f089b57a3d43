/** Pointwise functions of two or three tensors beyond arithmetic: remainders, angles, addcmul, lerp, one-sided clamps. */
import { type DType, FLOAT_CATEGORY } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import * as e from '../kernels/expr.ts';
import { Tensor } from '../tensor/tensor.ts';
import { C_NAMES } from './linalg.ts';
import { refuseBool } from './pointwise.ts';
import { nodeNameOf, pointwise } from './pointwise-declare.ts';

const ZERO = e.constant(0);
const ONE = e.constant(1);

/** PyTorch numbers the nodes of overloads: the one with a number for `param` is first. */
const numberFirst = (name: string, param: string) => (isTensor: (param: string) => boolean) =>
  nodeNameOf(name).replace('0', isTensor(param) ? '1' : '0');

for (const [name, self, doc, fn, rounded] of [
  ['fmod', 'Tensor', 'Remainder of self / other with the sign of self', e.fmod, e.truncdiv],
  ['remainder', 'Tensor|Scalar', 'Remainder of self / other with the sign of other', e.remainder, e.floordiv],
] as const) {
  pointwise({
    schema: `${name}(${self} self, Tensor|Scalar other) -> Tensor`,
    doc: `${doc}, elementwise.`,
    rule: 'promote',
    node: numberFirst(name, 'other'),
    underivable: (isTensor) => !isTensor('self'),
    check: refuseBool(`${name}_cpu`),
    expr: (v) => fn(v['self'], v['other']),
    grad: {
      self: ({ grad }) => grad,
      other: (v) => e.mul(e.neg(v['grad']), rounded(v['self'], v['other'])),
    },
  });
}

pointwise({
  schema: 'floor_divide(Tensor|Scalar self, Tensor|Scalar other) -> Tensor',
  doc: 'self / other, rounded down, elementwise; integers stay integers. Backward is not implemented; `div` with rounding_mode "floor" has it.',
  rule: 'promote',
  underivable: true,
  check: refuseBool('div_floor_cpu'),
  expr: ({ self, other }) => e.floordiv(self, other),
});

pointwise({
  schema: 'atan2(Tensor self, Tensor other) -> Tensor',
  doc: 'The angle of the point (other, self) in radians, elementwise.',
  rule: 'float',
  node: 'Atan2Backward0',
  expr: ({ self, other }) => e.atan2(self, other),
  grad: {
    self: ({ grad, self, other }) => e.mul(grad, atan2Part(other, self, other)),
    other: ({ grad, self, other }) => e.mul(grad, atan2Part(e.neg(self), self, other)),
  },
});

/** part / (x² + y²), 0 at the origin. */
function atan2Part(part: e.Expr, y: e.Expr, x: e.Expr): e.Expr {
  const inverse = e.reciprocal(e.add(e.mul(y, y), e.mul(x, x)));
  return e.mul(part, e.where(e.isinf(inverse), ZERO, inverse));
}

pointwise({
  schema: 'copysign(Tensor self, Tensor|Scalar other) -> Tensor',
  doc: 'The magnitude of self with the sign of other, elementwise.',
  rule: 'float',
  node: (isTensor) => (isTensor('other') ? 'CopysignBackward0' : 'CopysignBackward1'),
  expr: ({ self, other }) => e.copysign(self, other),
  grad: {
    self: ({ grad, self, result }) => e.mul(grad, e.where(e.eq(self, ZERO), ZERO, e.div(result, self))),
    other: () => ZERO,
  },
});

pointwise({
  schema: 'hypot(Tensor self, Tensor other) -> Tensor',
  doc: 'The square root of self² + other², elementwise, without overflow on the way.',
  rule: 'inexact',
  kernelName: 'hypot_cpu',
  expr: ({ self, other }) => {
    const [a, b] = [e.abs(self), e.abs(other)];
    const most = e.maximum(a, b);
    const ratio = e.div(e.minimum(a, b), most);
    const length = e.mul(most, e.sqrt(e.add(ONE, e.mul(ratio, ratio))));
    const infinite = e.or(e.isinf(self), e.isinf(other));
    return e.where(infinite, e.constant(Infinity), e.where(e.eq(most, ZERO), ZERO, length));
  },
  grad: {
    self: ({ grad, self, result }) => e.mul(grad, e.div(self, result)),
    other: ({ grad, other, result }) => e.mul(grad, e.div(other, result)),
  },
});

for (const [name, doc, exp, log1p] of [
  ['logaddexp', 'log(exp(self) + exp(other))', e.exp, e.log1p],
  ['logaddexp2', 'log2(2^self + 2^other)', e.exp2, (x: e.Expr) => e.mul(e.log1p(x), e.constant(Math.LOG2E))],
] as const) {
  pointwise({
    schema: `${name}(Tensor self, Tensor other) -> Tensor`,
    doc: `${doc}, elementwise.`,
    rule: 'inexact',
    inplace: false,
    kernelName: `${name}_cpu`,
    expr: ({ self, other }) => {
      const sum = e.add(e.maximum(self, other), log1p(exp(e.neg(e.abs(e.sub(self, other))))));
      return e.where(e.and(e.isinf(self), e.eq(self, other)), self, sum);
    },
    grad: {
      self: ({ grad, self, other }) => e.div(grad, e.add(ONE, exp(e.sub(other, self)))),
      other: ({ grad, self, other }) => e.div(grad, e.add(ONE, exp(e.sub(self, other)))),
    },
  });
}

pointwise({
  schema: 'xlogy(Tensor|Scalar self, Tensor|Scalar other) -> Tensor',
  doc: 'self * log(other), and 0 where self is 0, elementwise.',
  rule: 'float',
  node: (isTensor) => (!isTensor('self') ? 'XlogyBackward1' : isTensor('other') ? 'XlogyBackward0' : 'XlogyBackward2'),
  expr: ({ self, other }) => xlogy(self, other),
  grad: {
    self: ({ grad, self, other }) => e.where(e.and(e.eq(self, ZERO), e.le(other, ZERO)), ZERO, xlogy(grad, other)),
    other: ({ grad, self, other }) => e.mul(grad, e.div(self, other)),
  },
});

function xlogy(x: e.Expr, y: e.Expr): e.Expr {
  return e.where(e.isnan(y), y, e.where(e.eq(x, ZERO), ZERO, e.mul(x, e.log(y))));
}

pointwise({
  schema: 'addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor',
  doc: 'self + value * tensor1 * tensor2, elementwise.',
  rule: 'promote',
  check: refuseBool('addcmul_cpu_out'),
  expr: ({ self, tensor1, tensor2, value }) => e.add(self, scaled(value, e.mul(tensor1, tensor2))),
  grad: {
    self: ({ grad }) => grad,
    tensor1: ({ grad, tensor2, value }) => e.mul(grad, scaled(value, tensor2)),
    tensor2: ({ grad, tensor1, value }) => e.mul(grad, scaled(value, tensor1)),
  },
});

/** value * x, without the multiplication where value is its default. */
function scaled(value: e.Expr, x: e.Expr): e.Expr {
  return value.op === 'const' && value.value === 1 ? x : e.mul(value, x);
}

pointwise({
  schema: 'addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor',
  doc: 'self + value * tensor1 / tensor2, elementwise.',
  rule: 'promote',
  checksFirst: true,
  check: (_common, [, tensor1, tensor2]) => {
    const isFloat = (x: unknown) => (x as Tensor).dtype.category === FLOAT_CATEGORY;
    if (isFloat(tensor1) || isFloat(tensor2)) return;
    throw new RuntimeError(
      'Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.',
    );
  },
  expr: ({ self, tensor1, tensor2, value }) => e.add(self, scaled(value, e.div(tensor1, tensor2))),
  grad: {
    self: ({ grad }) => grad,
    tensor1: ({ grad, tensor2, value }) => e.mul(grad, e.div(value, tensor2)),
    tensor2: ({ grad, tensor1, tensor2, value }) =>
      e.mul(e.neg(grad), e.div(scaled(value, tensor1), e.mul(tensor2, tensor2))),
  },
});

pointwise({
  schema: 'lerp(Tensor self, Tensor end, Tensor|Scalar weight) -> Tensor',
  doc: 'self + weight * (end - self), elementwise.',
  rule: 'inexact',
  kernelName: 'lerp_kernel',
  node: numberFirst('lerp', 'weight'),
  bystanders: ['weight'],
  checksFirst: true,
  check: (_common, [self, end, weight]) => {
    const { dtype } = self as Tensor;
    for (const [name, x] of [
      ['end', end],
      ['weight', weight],
    ] as const) {
      if (!(x instanceof Tensor) || x.dtype === dtype || (name === 'weight' && x.sizes.length === 0)) continue;
      throw new RuntimeError(
        `expected dtype ${C_NAMES[dtype.name]} for \`${name}\` but got dtype ${C_NAMES[x.dtype.name]}`,
      );
    }
  },
  expr: ({ self, end, weight }) => {
    const difference = e.sub(end, self);
    // Exact at both ends.
    const fromSelf = e.add(self, e.mul(weight, difference));
    const fromEnd = e.sub(end, e.mul(difference, e.sub(ONE, weight)));
    return e.where(e.lt(e.abs(weight), e.constant(0.5)), fromSelf, fromEnd);
  },
  grad: {
    self: ({ grad, weight }) => e.mul(grad, e.sub(ONE, weight)),
    end: ({ grad, weight }) => e.mul(grad, weight),
    weight: ({ grad, self, end }) => e.mul(grad, e.sub(end, self)),
  },
});

for (const [name, bound, doc, fn, keeps, loses] of [
  ['clamp_min', 'min', 'Elements below min become min', e.maximum, e.ge, e.lt],
  ['clamp_max', 'max', 'Elements above max become max', e.minimum, e.le, e.gt],
] as const) {
  pointwise({
    schema: `${name}(Tensor self, Tensor|Scalar ${bound}) -> Tensor`,
    doc: `${doc}. NaN stays.`,
    rule: 'promote',
    node: numberFirst(name, bound),
    strict: [bound],
    check: (common: DType, values) => {
      if (!(values[1] instanceof Tensor)) refuseBool(`${name}_scalar_cpu`)(common);
    },
    expr: (v) => fn(v['self'], v[bound]),
    grad: {
      self: (v) => e.where(keeps(v['self'], v[bound]), v['grad'], ZERO),
      [bound]: (v: Readonly<Record<string, e.Expr>>) => e.where(loses(v['self'], v[bound]), v['grad'], ZERO),
    },
  });
}
