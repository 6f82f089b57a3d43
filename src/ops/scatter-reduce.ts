/** scatter_reduce, and what scatter does with a reduction: several elements that meet in one place are combined. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { bool, type DType, FLOAT_CATEGORY, float32, int64, uint8 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import { copy, fill } from '../kernels/copy.ts';
import { type Combination, scatter, scatterReduce } from '../kernels/scatter.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { Tensor } from '../tensor/tensor.ts';
import { copyOf } from './inplace.ts';
import { checkNoOverlap } from './layout.ts';
import { define } from './registry.ts';
import { checkScatter } from './scatter-checks.ts';

type Reduce = Combination | 'mean';

function reductionOf(name: string): Reduce {
  if (name === 'sum' || name === 'prod' || name === 'mean' || name === 'amax' || name === 'amin') return name;
  throw new RuntimeError(`reduce argument must be either sum, prod, mean, amax or amin, got ${name}`);
}

/** Where a reduction starts when self takes no part. */
function initial(dtype: DType, reduce: Reduce): number | bigint {
  if (reduce === 'sum' || reduce === 'mean') return 0;
  if (reduce === 'prod') return 1;
  const least = reduce === 'amax';
  if (dtype.category === FLOAT_CATEGORY) return least ? -Infinity : Infinity;
  if (dtype === bool) return least ? 0 : 1;
  if (dtype === uint8) return least ? 0 : 255;
  const half = 1n << BigInt(8 * dtype.itemsize - 1);
  const value = least ? -half : half - 1n;
  return dtype === int64 ? value : Number(value);
}

/** One value, as large as index. */
function spread(x: Tensor, index: Tensor): Tensor {
  const strides = index.sizes.map(() => 0);
  return new Tensor(x.storage, x.offset, index.sizes, strides, x.dtype, index.length, false);
}

/** Combines src into out, which holds self. `out` may be self. */
function reduceInto(out: Tensor, at: number, index: Tensor, src: Tensor, reduce: Reduce, includeSelf: boolean): void {
  if (index.length === 0) return;
  const { dtype } = out;
  const { backend } = out.storage;
  const constant = (value: number | bigint): Tensor => {
    const one = emptyTensor(backend, [], dtype);
    fill(one, value);
    return one;
  };
  if (!includeSelf) {
    const start = constant(initial(dtype, reduce));
    scatter(out, at, index, spread(start, index));
    start.dispose();
  }
  combine(out, at, index, src, reduce === 'mean' ? 'sum' : reduce);
  if (reduce !== 'mean') return;
  const count = includeSelf
    ? out.detach().new_ones(out.sizes as number[])
    : out.detach().new_zeros(out.sizes as number[]);
  const one = constant(1);
  scatterReduce(count, at, index, spread(one, index), 'sum');
  one.dispose();
  if (!includeSelf) count.masked_fill_(count.eq(0), 1);
  const mean = out.detach().div(count, { rounding_mode: dtype.category === FLOAT_CATEGORY ? null : 'floor' });
  copy(out, mean);
  mean.storage.freeNow();
  count.storage.freeNow();
}

/** Half types are combined in float32 and rounded once, as in PyTorch. */
function combine(out: Tensor, at: number, index: Tensor, src: Tensor, how: Combination): void {
  if (!out.dtype.is_floating_point || out.dtype.itemsize > 2) {
    scatterReduce(out, at, index, src, how);
    return;
  }
  const wide = out.detach().to(float32);
  const source = src.to(float32);
  scatterReduce(wide, at, index, source, how);
  copy(out, wide);
  wide.storage.freeNow();
  source.storage.freeNow();
}

/** Saved: self, src, index, result. src is as large as index. */
function backwardOf(dim: number, reduce: Reduce, includeSelf: boolean): BackwardFunction {
  return ([grad], [self, src, index, result], node) => {
    const g = grad!;
    let gradSelf: Tensor;
    let gradSrc: Tensor | null = null;
    if (reduce === 'sum') {
      gradSelf = g;
      if (node.needs(1)) gradSrc = g.gather(dim, index);
    } else if (reduce === 'prod') {
      const zero = self.eq(0);
      const masked = self.masked_fill(zero, 1);
      gradSelf = g.mul(masked.scatter_reduce(dim, index, src, reduce, { include_self: includeSelf })).div(masked);
      if (node.needs(1)) {
        const srcZero = src.eq(0);
        const zeros = self
          .detach()
          .new_zeros(self.sizes as number[])
          .scatter_add(dim, index, srcZero.to(self.dtype))
          .gather(dim, index);
        const single = srcZero.mul(zeros.eq(1));
        // Where one factor alone is 0, the product of the others is what it would be with a 1 in its place.
        const others = self.scatter_reduce(dim, index, src.masked_fill(single, 1), reduce, {
          include_self: includeSelf,
        });
        const quotient = g.mul(result).gather(dim, index).div(src.masked_fill(srcZero, 1));
        gradSrc = g.mul(others).gather(dim, index).where(single, quotient);
      }
    } else if (reduce === 'mean') {
      const start = includeSelf ? g.detach().new_ones(g.sizes as number[]) : g.detach().new_zeros(g.sizes as number[]);
      const counted = start.scatter_add(dim, index, src.detach().new_ones(src.sizes as number[]));
      const count = counted.masked_fill(counted.eq(0), 1);
      gradSelf = g.div(count);
      if (node.needs(1)) gradSrc = g.gather(dim, index).div(count.gather(dim, index));
    } else {
      const fromSelf = self.eq(result).to(g.dtype);
      const fromSrc = src.eq(result.gather(dim, index)).to(g.dtype);
      const shared = g.div(fromSelf.scatter_add(dim, index, fromSrc));
      gradSelf = fromSelf.mul(shared);
      if (node.needs(1)) gradSrc = fromSrc.mul(shared.gather(dim, index));
    }
    if (!includeSelf) gradSelf = gradSelf.scatter(dim, index, 0);
    return [node.needs(0) ? gradSelf : null, gradSrc];
  };
}

/** The part of src that index has places for. */
function asLargeAs(src: Tensor, index: Tensor): Tensor {
  if (sameSizes(src.sizes, index.sizes)) return src;
  let part = src;
  index.sizes.forEach((size, d) => {
    part = part.narrow(d, 0, size);
  });
  return part;
}

function checkReduce(self: Tensor, dim: number, index: Tensor, src: Tensor, reduce: Reduce): number {
  const at = checkScatter('scatter_reduce_', self, dim, index, src);
  if (self.dtype === bool && reduce === 'mean' && index.length > 0) {
    throw new NotImplementedError(`"scatter_gather_tensor_cpu_reduce_mean" not implemented for 'Bool'`);
  }
  return at;
}

define(
  {
    doc: 'A copy of self in which the elements of src are combined (sum, prod, mean, amax, amin) at the positions in index.',
  },
  {
    'scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
      src: Tensor,
      name: string,
      include_self: boolean,
    ) => {
      const reduce = reductionOf(name);
      const at = checkReduce(self, dim, index, src, reduce);
      const part = index.length > 0 ? asLargeAs(src, index) : src;
      const out = copyOf(self);
      reduceInto(out, at, index, part.detach(), reduce, include_self);
      const backward = index.length > 0 ? backwardOf(at, reduce, include_self) : untouched;
      return record('ScatterReduceBackward0', out, [self, part], [self, part, index, out], backward);
    },
  },
);

/** After a change in place: what is read of the result is made again from what was there, which is all that is saved. */
function backwardAfter(dim: number, reduce: Reduce, includeSelf: boolean): BackwardFunction {
  return (grads, [self, src, index], node) => {
    const result = self.scatter_reduce(dim, index, src, reduce, { include_self: includeSelf });
    return backwardOf(dim, reduce, includeSelf)(grads, [self, src, index, result], node);
  };
}

const untouched: BackwardFunction = ([grad], [, src]) => [grad, grad!.new_zeros(src.sizes as number[])];

define(
  { doc: 'In-place form of `scatter_reduce`.', function: false },
  {
    'scatter_reduce_(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor(a!)':
      (self: Tensor, dim: number, index: Tensor, src: Tensor, name: string, include_self: boolean) => {
        const reduce = reductionOf(name);
        checkChange(self, [self, src]);
        const at = checkReduce(self, dim, index, src, reduce);
        checkNoOverlap(self, [index, src]);
        const part = index.length > 0 ? asLargeAs(src, index) : src;
        const before = self.requires_grad || src.requires_grad ? self.clone() : self;
        return changeInplace(
          'ScatterReduceBackward0',
          self,
          [self, part],
          [before, part, index],
          () => reduceInto(self, at, index, part.detach(), reduce, include_self),
          index.length > 0 ? backwardAfter(at, reduce, include_self) : untouched,
        );
      },
  },
);

/** scatter's `reduce` option, which has no gradient. */
export function scatterCombined(
  out: Tensor,
  at: number,
  index: Tensor,
  source: Tensor | number | bigint,
  reduce: string,
): void {
  const how = combinationOf(reduce);
  if (index.length === 0) return;
  if (source instanceof Tensor) {
    scatterReduce(out, at, index, source, how);
    return;
  }
  const one = emptyTensor(out.storage.backend, [], out.dtype);
  fill(one, source);
  scatterReduce(out, at, index, spread(one, index), how);
  one.dispose();
}

export function combinationOf(reduce: string): Combination {
  if (reduce === 'add') return 'sum';
  if (reduce === 'multiply') return 'prod';
  throw new RuntimeError('reduce argument must be either add or multiply.');
}
