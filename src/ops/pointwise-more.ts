/** Pointwise ops whose form depends on their arguments: division, powers, clamping and selection. */
import { mode } from '../autograd/mode.ts';
import { bool, type DType, FLOAT_CATEGORY, uint8 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { broadcastSizes } from '../core/shape.ts';
import { warnOnce } from '../core/warn.ts';
import * as e from '../kernels/expr.ts';
import { requiresGrad, Tensor } from '../tensor/tensor.ts';
import { pythonTypeOf } from '../tensor/type-name.ts';
import { C_NAMES } from './linalg.ts';
import { refuseBool } from './pointwise.ts';
import { pointwise } from './pointwise-declare.ts';
import { checkScalar } from './scalar-range.ts';

pointwise({
  schema: 'div(Tensor|Scalar self, Tensor|Scalar other, *, str? rounding_mode=None) -> Tensor',
  node: (_isTensor, { rounding_mode }) => (rounding_mode === null ? 'DivBackward0' : 'DivBackward2'),
  keepsNumber: true,
  doc: 'self / other, elementwise; rounding_mode "trunc" or "floor" rounds the quotient and keeps integers.',
  check: (common, values) => {
    const mode = values[2];
    if (mode !== null) refuseBool(`div_${mode}_cpu`)(common);
  },
  rule: ({ rounding_mode }) => (rounding_mode === null ? 'float' : 'promote'),
  expr: ({ self, other }, { rounding_mode }) => {
    if (rounding_mode === null) return e.div(self, other);
    if (rounding_mode === 'floor') return e.floordiv(self, other);
    if (rounding_mode === 'trunc') return e.truncdiv(self, other);
    throw new RuntimeError(
      `div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '${rounding_mode}'`,
    );
  },
  grad: {
    self: ({ grad, other }, { rounding_mode }) => (rounding_mode === null ? e.div(grad, other) : e.constant(0)),
    other: ({ grad, self, other }, { rounding_mode }) =>
      rounding_mode === null ? e.mul(e.neg(grad), e.div(e.div(self, other), other)) : e.constant(0),
  },
});

function checkPow(common: DType, values: readonly unknown[]): void {
  const exponent = values[1];
  if (common.category !== FLOAT_CATEGORY && typeof exponent !== 'object' && Number(exponent) < 0) {
    throw new RuntimeError('Integers to negative integer powers are not allowed.');
  }
  const single = common.category === FLOAT_CATEGORY && common.itemsize >= 4;
  if (!(exponent instanceof Tensor) && !single) checkScalar(common, exponent);
}

function checkBoolPow(common: DType, [, exponent]: readonly unknown[]): void {
  if (exponent !== 0 && exponent !== 1 && typeof exponent !== 'boolean') refuseBool('pow')(common);
}

const POW = pointwise({
  schema: 'pow(Tensor|Scalar self, Tensor|Scalar exponent) -> Tensor',
  doc: 'self to the power of exponent, elementwise; either may be a number.',
  node: (isTensor) => (!isTensor('self') ? 'PowBackward2' : isTensor('exponent') ? 'PowBackward1' : 'PowBackward0'),
  rule: 'promote',
  checksFirst: true,
  rowMajor: (isTensor) => !isTensor('self'),
  check: checkPow,
  late: checkBoolPow,
  // As PyTorch: these exponents have their own rounding and special values.
  constants: { exponent: [0, 0.5, 1, 2, 3, -0.5, -1, -2] },
  prepare: ([self, exponent]) => {
    if (self instanceof Tensor || exponent instanceof Tensor) return;
    throw new TypeError(
      `pow() received an invalid combination of arguments - got (${pythonTypeOf(self)}, ${pythonTypeOf(exponent)}), but expected one of:\n * (Tensor input, Tensor exponent)\n * (Number self, Tensor exponent)\n * (Tensor input, Number exponent)\n`,
    );
  },
  expr: ({ self, exponent }, choices) => {
    switch (Number(choices['exponent'] ?? Number.NaN)) {
      case 0.5:
        return e.sqrt(self);
      case -0.5:
        return e.rsqrt(self);
      case 1:
        return self;
      case 2:
        return e.mul(self, self);
      case 3:
        return e.mul(e.mul(self, self), self);
      case -1:
        return e.reciprocal(self);
      case -2:
        return e.reciprocal(e.mul(self, self));
    }
    return e.pow(self, exponent);
  },
  grad: {
    self: ({ grad, self, exponent }, choices) =>
      (choices['exponent'] ?? null) !== null && self.op === 'input'
        ? undefined
        : e.where(
            e.eq(exponent, e.constant(0)),
            e.constant(0),
            e.mul(grad, e.mul(exponent, e.pow(self, e.sub(exponent, e.constant(1))))),
          ),
    exponent: ({ grad, self, exponent, result }) =>
      e.where(
        e.and(e.eq(self, e.constant(0)), e.ge(exponent, e.constant(0))),
        e.constant(0),
        e.mul(grad, e.mul(result, e.log(self))),
      ),
  },
});

/** A number or a tensor to the power of a tensor or a number; one of them is a tensor. */
export const power = (self: unknown, exponent: unknown): Tensor => POW.implementations[0](self, exponent) as Tensor;

pointwise({
  schema: 'clamp(Tensor self, Tensor|Scalar? min=None, Tensor|Scalar? max=None) -> Tensor',
  doc: 'Elements below min become min, above max become max. NaN stays.',
  node: (isTensor) => (isTensor('min') || isTensor('max') ? 'ClampBackward0' : 'ClampBackward1'),
  rule: 'promote',
  strict: ['min', 'max'],
  checksFirst: true,
  prepare: (values) => {
    // Beside a number, a tensor without dimensions is one, too.
    for (const [own, other] of [
      [1, 2],
      [2, 1],
    ]) {
      const bound = values[own];
      const alone = values[other] === null || values[other] === undefined || values[other] instanceof Tensor;
      if (alone || !(bound instanceof Tensor) || bound.sizes.length > 0 || requiresGrad(bound)) continue;
      const number = bound.item() as number;
      // A whole number would count as an int beside integers, whatever its dtype was.
      const self = values[0] as Tensor;
      if (self.dtype.is_floating_point || !bound.dtype.is_floating_point || !Number.isInteger(number)) {
        values[own] = number;
      }
    }
  },
  check: (common, values, inplace) => {
    const kinds = [values[1], values[2]].filter((bound) => bound !== null);
    if (kinds.length === 2 && kinds[0] instanceof Tensor !== kinds[1] instanceof Tensor) {
      throw new TypeError(
        `clamp${inplace ? '_' : ''}() received an invalid combination of arguments - got (Tensor, ${kinds.map(pythonTypeOf).join(', ')}), but expected one of:\n * (Tensor input, Tensor min = None, Tensor max = None)\n * (Tensor input, Number min = None, Number max = None)\n`,
      );
    }
    if (values[1] === null && values[2] === null) {
      throw new RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None");
    }
    // One tensor alone is a minimum or a maximum, which bool has.
    const bounds = values.slice(1).filter((bound) => bound !== null);
    if (bounds.length === 1 && bounds[0] instanceof Tensor) return;
    const kernel = bounds.length === 2 ? 'clamp' : values[1] === null ? 'clamp_max' : 'clamp_min';
    refuseBool(`${kernel}${bounds[0] instanceof Tensor ? '' : '_scalar'}_cpu`)(common);
  },
  expr: ({ self, min, max }) => {
    const low = min === undefined ? self : e.maximum(self, min);
    return max === undefined ? low : e.minimum(low, max);
  },
  grad: {
    self: ({ grad, self, min, max }) => {
      if (min === undefined) return e.where(e.le(self, max), grad, e.constant(0));
      if (max === undefined) return e.where(e.ge(self, min), grad, e.constant(0));
      return e.where(e.and(e.ge(self, min), e.le(self, max)), grad, e.constant(0));
    },
    min: ({ grad, self, min, max }) =>
      max === undefined
        ? e.where(e.lt(self, min), grad, e.constant(0))
        : e.where(e.and(e.lt(min, max), e.lt(self, min)), grad, e.constant(0)),
    max: ({ grad, self, min, max }) =>
      min === undefined
        ? e.where(e.gt(self, max), grad, e.constant(0))
        : e.where(e.or(e.gt(self, max), e.lt(max, min)), grad, e.constant(0)),
  },
});

pointwise({
  schema: 'where(Tensor condition, Tensor|Scalar self, Tensor|Scalar other) -> Tensor',
  doc: 'Elements of self where condition is true, of other elsewhere.',
  rule: 'promote',
  method: true,
  selfAt: 1,
  inplace: false,
  masks: ['condition'],
  checksFirst: true,
  check: (common, [condition, self, other]) => {
    const { dtype } = condition as Tensor;
    if (dtype === uint8) {
      warnOnce(
        'where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of PyTorch. Use a boolean condition instead.',
      );
    } else if (dtype !== bool) {
      throw new RuntimeError(
        `where expected condition to be a boolean tensor, but got a tensor with dtype ${dtype.scalarTypeName}`,
      );
    }
    if (common.category === FLOAT_CATEGORY && common.itemsize === 2) return;
    for (const value of [self, other]) if (!(value instanceof Tensor)) checkScalar(common, value);
  },
  expr: ({ condition, self, other }) => e.where(condition, self, other),
});

pointwise({
  schema: 'masked_fill(Tensor self, Tensor mask, Tensor|Scalar value) -> Tensor',
  doc: 'value (a number or a 0-dim tensor) where mask is true, self elsewhere.',
  node: (isTensor) => (isTensor('value') ? 'MaskedFillBackward1' : 'MaskedFillBackward0'),
  rule: 'promote',
  masks: ['mask'],
  rowMajor: true,
  prepare: (values) => {
    const [self, , value] = values as Tensor[];
    // Anything but 0 is true.
    if (self.dtype === bool && value instanceof Tensor && value.dtype !== bool && !requiresGrad(value)) {
      values[2] = value.bool();
    }
  },
  bystanders: ['value'],
  strict: ['value'],
  checksFirst: true,
  check: (common, [self, mask, value], inplace) => {
    const { dtype, sizes } = mask as Tensor;
    if (!inplace) broadcastSizes(sizes, (self as Tensor).sizes);
    if (value instanceof Tensor) {
      if (value.sizes.length > 0) {
        throw new RuntimeError(
          `masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ${value.sizes.length} dimension(s).`,
        );
      }
    }
    if (dtype !== bool) {
      throw new RuntimeError(
        `masked_fill_ only supports boolean masks, but got mask with dtype ${C_NAMES[dtype.name]}`,
      );
    }
    if (value instanceof Tensor && value.dtype.category > common.category) {
      if (mode.grad && requiresGrad(value)) {
        throw new RuntimeError(`Autograd not support dtype: ${common.scalarTypeName}`);
      }
      // A number with a fraction or a sign that self's dtype has not is an error, and only the device knows it.
      checkScalar(common, value.item(), true);
    }
  },
  expr: ({ self, mask, value }) => e.where(mask, value, self),
  grad: {
    self: ({ grad, mask }) => e.where(mask, e.constant(0), grad),
    value: ({ grad, mask }) => e.where(mask, grad, e.constant(0)),
  },
});
