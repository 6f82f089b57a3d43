/**
 * p-norms over dimensions, with PyTorch's gradients where there are none: what norm, vector_norm, normalize and distances
 * are made of. It declares no op.
 */
import { mode } from '../autograd/mode.ts';
import { record } from '../autograd/record.ts';
import { type DType, FLOAT_CATEGORY } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import * as e from '../kernels/expr.ts';
import { ReduceKernel, type ReduceSpec } from '../kernels/reduce.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { dimMask, reducedSizes, restored } from './reductions.ts';

type Kind = 'zero' | 'one' | 'two' | 'max' | 'min' | 'power';

function kindOf(p: number): Kind {
  if (p === Infinity) return 'max';
  if (p === -Infinity) return 'min';
  return p === 0 ? 'zero' : p === 1 ? 'one' : p === 2 ? 'two' : 'power';
}

const x = e.input(0);
const magnitude = e.abs(x);
/** By kind: what is combined, how, and what becomes of it. The scalars of `power` are p and 1 / p. */
const FORMS: Record<Kind, Pick<ReduceSpec, 'combine' | 'expr' | 'finalize' | 'scalars'>> = {
  zero: { combine: 'sum', expr: e.number(e.ne(x, e.constant(0))) },
  one: { combine: 'sum', expr: magnitude },
  two: { combine: 'sum', expr: e.mul(x, x), finalize: e.sqrt(x) },
  max: { combine: 'max', expr: magnitude },
  min: { combine: 'min', expr: magnitude },
  power: { combine: 'sum', expr: e.pow(magnitude, e.scalar(0)), finalize: e.pow(x, e.scalar(1)), scalars: 2 },
};

const kernels = new Map<Kind, (ReduceKernel | undefined)[]>();

function kernelOf(kind: Kind, from: DType, to: DType): ReduceKernel {
  let list = kernels.get(kind);
  if (list === undefined) kernels.set(kind, (list = []));
  return (list[from.index * 10 + to.index] ??= new ReduceKernel({
    name: 'norm',
    inputs: [from],
    compute: to,
    output: to,
    ...FORMS[kind],
  }));
}

/** A number as Python prints it. */
export const shown = (p: number): string => (p === Infinity ? 'inf' : p === -Infinity ? '-inf' : String(p));

/** @throws RuntimeError where a norm of nothing would have to be the largest or smallest element */
function checkEmpty(sizes: readonly number[], p: number, dims: readonly number[] | null): void {
  if (dims === null || dims.length === 0) {
    throw new RuntimeError(
      `linalg.vector_norm cannot compute the ${shown(p)} norm on an empty tensor because the operation does not have an identity`,
    );
  }
  for (const dim of dims) {
    if (sizes[wrapDim(dim, sizes.length)] === 0) {
      throw new RuntimeError(
        `linalg.vector_norm cannot compute the ${shown(p)} norm on the dimension ${dim}because this dimension is empty and the operation does not have an identity`,
      );
    }
  }
}

/**
 * The p-norm of x over dimensions (all: null), any real p: p = 0 counts what is not 0, ±Infinity are the largest and the
 * smallest magnitude.
 * @param node PyTorch's name of the recorded node
 * @param dtype what is computed and given; default: x's
 * @throws RuntimeError unless x is of a float dtype
 */
export function vectorNorm(
  self: Tensor,
  p: number,
  dims: readonly number[] | null,
  keepdim: boolean,
  node: string,
  dtype: DType = self.dtype,
): Tensor {
  if (self.dtype.category !== FLOAT_CATEGORY) {
    throw new RuntimeError(
      `linalg.vector_norm: Expected a floating point or complex tensor as input. Got ${self.dtype.scalarTypeName}`,
    );
  }
  const { sizes } = self;
  if (self.length === 0 && (p < 0 || p === Infinity)) checkEmpty(sizes, p, dims);
  const mask = dimMask(dims, sizes.length);
  const kind = kindOf(p);
  const out = emptyTensor(self.storage.backend, reducedSizes(sizes, mask, keepdim), dtype);
  const scalars = kind === 'power' ? [p, 1 / p] : undefined;
  kernelOf(kind, self.dtype, dtype).launch(out, [self], sizes, mask, scalars);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  return record(node, out, [self], [self, out], ([grad], [saved, result]) => {
    if (kind === 'zero') return null;
    const values = saved.dtype === dtype ? saved : saved.to(dtype);
    const whole = (y: Tensor) => restored(y, sizes, mask, keepdim);
    const dimensions = sizes.map((_, i) => i).filter((i) => (mask & (1 << i)) !== 0);
    const slope = backward(kind, p, values, whole(grad!), whole(result), dimensions);
    return slope.dtype === saved.dtype ? slope : slope.to(saved.dtype);
  });
}

/** x's gradient; `grad` and `norm` broadcast to x. */
function backward(
  kind: Exclude<Kind, 'zero'>,
  p: number,
  self: Tensor,
  grad: Tensor,
  norm: Tensor,
  dims: number[],
): Tensor {
  if (kind === 'one') return self.sgn().mul(grad);
  if (kind === 'two') return grad.mul(self.div(norm).masked_fill(norm.eq(0), 0));
  if (kind === 'max' || kind === 'min') {
    const magnitudes = self.abs();
    const extreme = magnitudes.eq(norm).logical_or(magnitudes.isnan());
    const count = dims.length > 0 ? extreme.sum(dims, true) : extreme.to(self.dtype);
    return self.sgn().mul(grad.div(count).mul(extreme));
  }
  if (p < 1) {
    const scaled = self.sgn().mul(
      self
        .abs()
        .pow(p - 1)
        .masked_fill(self.eq(0), 0),
    );
    return scaled.mul(grad).mul(norm.pow(1 - p));
  }
  const scaled = p < 2 ? self.sgn().mul(self.abs().pow(p - 1)) : self.mul(self.abs().pow(p - 2));
  return scaled.mul(grad.div(norm.pow(p - 1)).masked_fill(norm.eq(0), 0));
}
