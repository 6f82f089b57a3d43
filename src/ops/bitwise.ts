/** Logical operations on truth values, and operations on the bits of integers. */
import { BOOL_CATEGORY, type DType, FLOAT_CATEGORY } from '../core/dtype.ts';
import { NotImplementedError } from '../core/errors.ts';
import * as e from '../kernels/expr.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { pointwise, pointwiseForms } from './pointwise-declare.ts';
import { define } from './registry.ts';

for (const [name, doc, fn] of [
  ['logical_and', 'True where both are', e.and],
  ['logical_or', 'True where either is', e.or],
  ['logical_xor', 'True where exactly one is', (a: e.Expr, b: e.Expr) => e.ne(e.number(a), e.number(b))],
] as const) {
  pointwise({
    schema: `${name}(Tensor self, Tensor other) -> Tensor`,
    doc: `${doc}; anything but 0 is true.`,
    rule: 'bool',
    masks: ['self', 'other'],
    expr: ({ self, other }) => fn(self, other),
  });
}

function refuse(kernel: string, common: DType): never {
  throw new NotImplementedError(`"${kernel}" not implemented for '${common.scalarTypeName}'`);
}

for (const [name, kernel, doc, fn] of [
  ['bitwise_and', 'bitwise_and_cpu', 'Bits that both have; of bools, and', e.bitand],
  ['bitwise_or', 'bitwise_or_cpu', 'Bits that either has; of bools, or', e.bitor],
  ['bitwise_xor', 'bitwise_xor_cpu', 'Bits that exactly one has; of bools, exclusive or', e.bitxor],
  ['bitwise_left_shift', 'lshift_cpu', 'self * 2^other', e.shl],
  ['bitwise_right_shift', 'rshift_cpu', 'self / 2^other, rounded down', e.shr],
] as const) {
  const shift = name.endsWith('shift');
  pointwise({
    schema: `${name}(Tensor|Scalar self, Tensor|Scalar other) -> Tensor`,
    doc: `${doc}, elementwise; integers only.`,
    rule: 'promote',
    check: (common) => {
      if (common.category === FLOAT_CATEGORY || (shift && common.category === BOOL_CATEGORY)) refuse(kernel, common);
    },
    expr: ({ self, other }) => fn(self, other),
  });
}

const flipped = pointwiseForms({
  schema: 'bitwise_not(Tensor self) -> Tensor',
  doc: '',
  rule: 'promote',
  check: (common) => {
    if (common.category === FLOAT_CATEGORY) refuse('bitwise_not_cpu', common);
  },
  expr: ({ self }) => e.bitnot(self),
});

define(
  { doc: 'Every bit the other way; of bools, logical_not. Integers only.' },
  {
    'bitwise_not(Tensor self) -> Tensor': (self: Tensor) =>
      self.dtype.category === BOOL_CATEGORY ? self.logical_not() : flipped.apply(self),
  },
);
define(
  { doc: 'In-place form of `bitwise_not`.', method: true, function: false },
  {
    'bitwise_not_(Tensor(a!) self) -> Tensor(a!)': (self: Tensor) =>
      self.dtype.category === BOOL_CATEGORY ? self.logical_not_() : flipped.inplace(self),
  },
);
