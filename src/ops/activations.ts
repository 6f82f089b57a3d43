/**
 * Activations that are one expression. Each has a form that writes into its input: PyTorch offers some of these under a
 * name with `_`, the others through `inplace=True` of `torch.nn.functional`.
 */
import { BOOL_CATEGORY, type DType, uint8 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import * as e from '../kernels/expr.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type PointwiseDeclaration, pointwise, pointwiseForms } from './pointwise-declare.ts';
import { define } from './registry.ts';
import { LARGEST } from './scalar-range.ts';

type Gradient = NonNullable<PointwiseDeclaration['grad']>[string];

const ZERO = e.constant(0);
const ONE = e.constant(1);
const [THREE, SIX] = [e.constant(3), e.constant(6)];
const within = (x: e.Expr, low: e.Expr, high: e.Expr) => e.and(e.ge(x, low), e.le(x, high));

interface Activation {
  name: string;
  /** What follows the input, in the schema language. */
  options?: string;
  doc: string;
  /** The kernel's name in errors about dtypes. */
  kernel: string;
  node?: string;
  rule?: PointwiseDeclaration['rule'];
  expr: PointwiseDeclaration['expr'];
  /** Where the derived one is not wanted. */
  grad?: Gradient;
  /**
   * The gradient from the result, for the in-place form where PyTorch has such a one; its node ends in 1. It holds where
   * no option is negative: otherwise the sign of the result says nothing of the input's.
   */
  gradOfResult?: Gradient;
  /** Whether the gradient only compares the input, so that the gradient's own gradient is 0. */
  flat?: boolean;
  check?: PointwiseDeclaration['check'];
  /** Also `torch.name`, and its in-place form as `torch.name_`. */
  torch?: boolean;
}

/** Declares `name` and `name_`. */
function activation(a: Activation): void {
  const { name, options = '', kernel, doc, gradOfResult } = a;
  const grad = a.grad && { self: a.grad };
  const shared: Omit<PointwiseDeclaration, 'grad'> = {
    schema: `${name}(Tensor self${options}) -> Tensor`,
    doc: `${doc}, elementwise.`,
    rule: a.rule ?? 'inexact',
    kernelName: kernel,
    method: false,
    functional: true,
    function: a.torch ?? false,
    node: a.node,
    expr: a.expr,
    check: a.check,
  };
  const nodeName = a.node ?? `${camel(name)}Backward0`;
  pointwise({ ...shared, grad, flat: a.flat ? ['self'] : undefined });
  const flat = a.flat ? ['result'] : undefined;
  const ofInput = pointwiseForms({ ...shared, grad, flat: a.flat ? ['self'] : undefined });
  const node = nodeName.replace(/0$/, '1');
  const ofResult = gradOfResult && pointwiseForms({ ...shared, grad: { self: gradOfResult }, node, flat });
  const written = (...values: unknown[]): Tensor => {
    const negative = values.some((value) => typeof value === 'number' && value < 0);
    return (ofResult === undefined || negative ? ofInput : ofResult).inplace(...values);
  };
  define(
    { doc: `In-place form of \`${name}\`.`, method: false, functional: true, function: a.torch ?? false },
    { [`${name}_(Tensor(a!) self${options}) -> Tensor(a!)`]: written },
  );
}

const camel = (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

activation({
  name: 'threshold',
  options: ', Scalar threshold, Scalar value',
  doc: 'x where it is above the threshold, else value',
  kernel: 'threshold_cpu',
  rule: 'promote',
  torch: true,
  flat: true,
  check: refuse('threshold_cpu'),
  expr: ({ self, threshold, value }) => e.where(e.le(self, threshold), value, self),
  grad: ({ grad, self, threshold }) => e.where(e.le(self, threshold), ZERO, grad),
});

/** A check that refuses bool as PyTorch's kernel of that name does. */
function refuse(kernel: string) {
  return (common: DType) => {
    if (common.category === BOOL_CATEGORY) throw new NotImplementedError(`"${kernel}" not implemented for 'Bool'`);
  };
}

const PLAIN_LIMITS: readonly unknown[] = [-1, 1];
activation({
  name: 'hardtanh',
  options: ', Scalar min_val=-1, Scalar max_val=1',
  doc: 'x between min_val and max_val, the nearer limit elsewhere',
  kernel: 'hardtanh_cpu',
  rule: 'promote',
  flat: true,
  check: (common, [, low = PLAIN_LIMITS[0], high = PLAIN_LIMITS[1]]) => {
    if (common.category === BOOL_CATEGORY) throw new RuntimeError('Bool inputs not supported for hardtanh');
    if (common === uint8 && (Number(low) < 0 || Number(high) < 0)) {
      throw new RuntimeError('cannot do hardtanh on an unsigned type with negative limits');
    }
  },
  expr: ({ self, min_val, max_val }) => e.minimum(e.maximum(self, min_val), max_val),
  grad: ({ grad, self, min_val, max_val }) => e.where(e.or(e.le(self, min_val), e.ge(self, max_val)), ZERO, grad),
});

activation({
  name: 'leaky_relu',
  options: ', Scalar negative_slope=0.01',
  doc: 'x where it is positive, else negative_slope * x',
  kernel: 'leaky_relu_cpu',
  flat: true,
  expr: ({ self, negative_slope }) => e.where(e.gt(self, ZERO), self, e.mul(self, negative_slope)),
  grad: ({ grad, self, negative_slope }) => e.where(e.gt(self, ZERO), grad, e.mul(grad, negative_slope)),
  gradOfResult: ({ grad, result, negative_slope }) => e.where(e.gt(result, ZERO), grad, e.mul(grad, negative_slope)),
});

/** scale * x above 0, alpha * scale * (exp(x * inner) - 1) below. */
function exponentialLinear(self: e.Expr, alpha: e.Expr, scale: e.Expr, inner: e.Expr): e.Expr {
  return e.where(e.lt(self, ZERO), times(e.expm1(times(self, inner)), times(alpha, scale)), times(self, scale));
}

/** a * b, without the multiplication by 1. */
function times(a: e.Expr, b: e.Expr): e.Expr {
  if (a.op === 'const' && b.op === 'const') return e.constant(a.value * b.value);
  if (b.op === 'const' && b.value === 1) return a;
  return a.op === 'const' && a.value === 1 ? b : e.mul(a, b);
}

function exponentialSlope(self: e.Expr, alpha: e.Expr, scale: e.Expr, inner: e.Expr): e.Expr {
  const falling = times(e.exp(times(self, inner)), times(times(alpha, scale), inner));
  return e.where(e.le(self, ZERO), falling, scale);
}

/** The slope from the result: exp(x * inner) - 1 is the result over alpha * scale. */
function slopeOfResult(result: e.Expr, alpha: e.Expr, scale: e.Expr, inner: e.Expr): e.Expr {
  return e.where(e.le(result, ZERO), times(e.add(result, times(alpha, scale)), inner), scale);
}

activation({
  name: 'elu',
  options: ', Scalar alpha=1, Scalar scale=1, Scalar input_scale=1',
  doc: 'x where it is positive, else alpha * (exp(x) - 1)',
  kernel: 'elu_cpu',
  expr: ({ self, alpha, scale, input_scale }) => exponentialLinear(self, alpha, scale, input_scale),
  grad: ({ grad, self, alpha, scale, input_scale }) => e.mul(grad, exponentialSlope(self, alpha, scale, input_scale)),
  gradOfResult: ({ grad, result, alpha, scale, input_scale }) =>
    e.mul(grad, slopeOfResult(result, alpha, scale, input_scale)),
});

const SELU = [e.constant(1.6732632423543772), e.constant(1.0507009873554805), ONE] as const;
activation({
  name: 'selu',
  doc: 'elu, scaled so that mean and variance settle at 0 and 1',
  kernel: 'elu_cpu',
  node: 'EluBackward0',
  torch: true,
  expr: ({ self }) => exponentialLinear(self, ...SELU),
  grad: ({ grad, self }) => e.mul(grad, exponentialSlope(self, ...SELU)),
  gradOfResult: ({ grad, result }) => e.mul(grad, slopeOfResult(result, ...SELU)),
});

activation({
  name: 'celu',
  options: ', Scalar alpha=1',
  doc: 'x where it is positive, else alpha * (exp(x / alpha) - 1)',
  kernel: 'elu_cpu',
  torch: true,
  check: (_common, [, alpha]) => {
    if (Number(alpha) === 0) throw new RuntimeError('ZeroDivisionError: alpha cannot be 0 for CELU');
  },
  expr: ({ self, alpha }) => exponentialLinear(self, alpha, ONE, inverse(alpha)),
  grad: ({ grad, self, alpha }) => e.mul(grad, exponentialSlope(self, alpha, ONE, inverse(alpha))),
  gradOfResult: ({ grad, result, alpha }) => e.mul(grad, slopeOfResult(result, alpha, ONE, inverse(alpha))),
});

function inverse(x: e.Expr): e.Expr {
  return x.op === 'const' ? e.constant(1 / x.value) : e.reciprocal(x);
}

activation({
  name: 'mish',
  doc: 'x * tanh(log(1 + exp(x)))',
  kernel: 'mish_cpu',
  expr: ({ self }) => e.mul(self, tanhSoftplus(self)),
  grad: ({ grad, self }) => {
    const t = tanhSoftplus(self);
    const slope = e.mul(e.sigmoid(self), e.sub(ONE, e.mul(t, t)));
    return e.mul(grad, e.add(t, e.mul(self, slope)));
  },
});

/** tanh(log(1 + exp(x))), by exp alone; from 20 on it is 1 in any float dtype. */
function tanhSoftplus(x: e.Expr): e.Expr {
  const w = e.exp(e.minimum(x, e.constant(20)));
  const n = e.mul(w, e.add(w, e.constant(2)));
  return e.div(n, e.add(n, e.constant(2)));
}

activation({
  name: 'silu',
  doc: 'x * sigmoid(x)',
  kernel: 'silu_cpu',
  expr: ({ self }) => e.mul(self, e.sigmoid(self)),
});

activation({
  name: 'hardswish',
  doc: 'x * min(max(x + 3, 0), 6) / 6',
  kernel: 'hardswish_cpu',
  expr: ({ self }) => e.div(e.mul(self, e.minimum(e.maximum(e.add(self, THREE), ZERO), SIX)), SIX),
  grad: ({ grad, self }) =>
    e.where(
      e.le(self, e.constant(-3)),
      ZERO,
      e.where(e.lt(self, THREE), e.mul(grad, e.add(e.div(self, THREE), e.constant(0.5))), grad),
    ),
});

activation({
  name: 'hardsigmoid',
  doc: 'min(max(x + 3, 0), 6) / 6',
  kernel: 'hardsigmoid_cpu',
  flat: true,
  expr: ({ self }) => e.div(e.minimum(e.maximum(e.add(self, THREE), ZERO), SIX), SIX),
  // A sixth as float32 has it, also for float64: as in PyTorch.
  grad: ({ grad, self }) =>
    e.where(e.and(e.gt(self, e.constant(-3)), e.lt(self, THREE)), e.mul(grad, e.constant(Math.fround(1 / 6))), ZERO),
});

pointwise({
  schema: 'hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor',
  doc: '0 between -lambd and lambd, x elsewhere.',
  rule: 'inexact',
  kernelName: 'hardshrink_cpu',
  functional: true,
  function: true,
  inplace: false,
  flat: ['self'],
  expr: ({ self, lambd }) => e.where(within(self, e.neg(lambd), lambd), ZERO, self),
  grad: { self: ({ grad, self, lambd }) => e.where(within(self, e.neg(lambd), lambd), ZERO, grad) },
});

pointwise({
  schema: 'softshrink(Tensor self, Scalar lambd=0.5) -> Tensor',
  doc: 'x - lambd above lambd, x + lambd below -lambd, 0 between.',
  rule: 'inexact',
  kernelName: 'softshrink_check',
  method: false,
  functional: true,
  flat: ['self'],
  checksFirst: true,
  check: (common, [, lambd]) => {
    const most = LARGEST[common.name];
    if (most === undefined || (Number(lambd) >= 0 && Number(lambd) <= most)) return;
    const [high, low] = [general(Math.min(most, Number.MAX_VALUE)), general(Number(lambd))];
    throw new RuntimeError(
      `lambda must be in range [0, ${high}] for input dtype ${common.scalarTypeName}, but found ${low}`,
    );
  },
  expr: ({ self, lambd }) =>
    e.where(
      e.gt(self, lambd),
      e.sub(self, lambd),
      e.where(e.lt(self, e.neg(lambd)), e.add(self, lambd), e.where(e.isnan(self), self, ZERO)),
    ),
  grad: { self: ({ grad, self, lambd }) => e.where(within(self, e.neg(lambd), lambd), ZERO, grad) },
});

/** A number as C++ streams print it: six digits. */
function general(x: number): string {
  return String(Number(x.toPrecision(6))).replace(/e([+-])(\d)$/, 'e$10$2');
}

pointwise({
  schema: 'softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor',
  doc: 'log(1 + exp(beta * x)) / beta, and x where beta * x is above the threshold.',
  rule: 'inexact',
  kernelName: 'softplus_cpu',
  method: false,
  functional: true,
  expr: ({ self, beta, threshold }) => {
    const scaled = times(self, beta);
    const smooth = e.log1p(e.exp(scaled));
    return e.where(
      e.gt(scaled, threshold),
      self,
      beta.op === 'const' && beta.value === 1 ? smooth : e.div(smooth, beta),
    );
  },
  grad: {
    self: ({ grad, self, beta, threshold }) => {
      const scaled = times(self, beta);
      return e.where(e.gt(scaled, threshold), grad, e.mul(grad, e.sigmoid(scaled)));
    },
  },
});

const LOG_SIGMOID = pointwise({
  schema: 'logsigmoid(Tensor self) -> Tensor',
  doc: 'log(1 / (1 + exp(-x))), elementwise.',
  rule: 'inexact',
  kernelName: 'log_sigmoid_cpu',
  node: 'LogSigmoidBackward0',
  rowMajor: true,
  method: false,
  functional: true,
  expr: ({ self }) => e.sub(e.minimum(self, ZERO), e.log1p(e.exp(e.neg(e.abs(self))))),
  grad: { self: ({ grad, self }) => e.mul(grad, e.sigmoid(e.neg(self))) },
});

export const logsigmoid = (x: Tensor): Tensor => LOG_SIGMOID.implementations[0](x) as Tensor;

define(
  { doc: 'x / (1 + |x|), elementwise.', method: false, functional: true },
  { 'softsign(Tensor self) -> Tensor': (self: Tensor) => self.div(self.abs().add(1)) },
);

define(
  { doc: 'x - tanh(x), elementwise.', method: false, functional: true },
  { 'tanhshrink(Tensor self) -> Tensor': (self: Tensor) => self.sub(self.tanh()) },
);
