/** Further reductions: count_nonzero, nansum, nanmean, std_mean, var_mean, aminmax. */

import { record } from '../autograd/record.ts';
import { type DType, FLOAT_CATEGORY, int64 } from '../core/dtype.ts';
import { IndexError, RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import { input, isnan, number, raw, where } from '../kernels/expr.ts';
import { ReduceKernel } from '../kernels/reduce.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { namedTuple } from './named-tuple.ts';
import {
  checkRecordable,
  dimMask,
  extremumBackward,
  finish,
  reducedSizes,
  restored,
  sum,
  sumDType,
} from './reductions.ts';
import { define } from './registry.ts';
import { variance, varianceBackward } from './variance.ts';

const counts: (ReduceKernel | undefined)[] = [];

function countNonzero(self: Tensor, dims: readonly number[] | null): Tensor {
  const mask = dimMask(dims, self.sizes.length);
  const out = emptyTensor(self.storage.backend, reducedSizes(self.sizes, mask, false), int64);
  const kernel = (counts[self.dtype.index] ??= new ReduceKernel({
    name: 'count_nonzero',
    combine: 'sum',
    expr: number(raw(0)),
    inputs: [self.dtype],
    compute: int64,
    output: int64,
  }));
  kernel.launch(out, [self], self.sizes, mask);
  return finish(out, self);
}

define(
  { doc: 'How many elements are not zero, over everything or along dim.' },
  {
    'count_nonzero(Tensor self, int[1]? dim=None) -> Tensor': countNonzero,
  },
);

const nansums = new Map<number, ReduceKernel>();

function nansum(self: Tensor, dims: readonly number[] | null, keepdim: boolean, dtype: DType | null): Tensor {
  // Integers have no NaN.
  if (self.dtype.category !== FLOAT_CATEGORY) return sum(self, dims, keepdim, dtype);
  const to = sumDType(self, dtype);
  const mask = dimMask(dims, self.sizes.length);
  checkRecordable(self, to);
  if (to.category !== FLOAT_CATEGORY) {
    return sum(self.detach().masked_fill(self.isnan(), 0), dims, keepdim, dtype);
  }
  const from = self.dtype;
  const compute = from.itemsize > to.itemsize ? from : to;
  const key = from.index * 10 + to.index;
  let kernel = nansums.get(key);
  if (kernel === undefined) {
    kernel = new ReduceKernel({
      name: 'nansum',
      combine: 'sum',
      expr: where(isnan(input(0)), 0, input(0)),
      inputs: [from],
      compute,
      output: to,
    });
    nansums.set(key, kernel);
  }
  const out = emptyTensor(self.storage.backend, reducedSizes(self.sizes, mask, keepdim), to);
  kernel.launch(out, [self], self.sizes, mask);
  const { sizes } = self;
  return record('NansumBackward0', finish(out, self), [self], [self], ([grad], [x]) =>
    restored(grad!.to(x.dtype), sizes, mask, keepdim).mul(x.isnan().logical_not()),
  );
}

define(
  { doc: 'Sum over all elements, or over the dimensions dim, with NaN as 0.' },
  {
    'nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor': nansum,
  },
);

define(
  { doc: 'Mean over all elements that are not NaN, or over the dimensions dim.' },
  {
    'nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor': (
      self: Tensor,
      dims: number[] | null,
      keepdim: boolean,
      dtype: DType | null,
    ) => {
      if (self.dtype.category !== FLOAT_CATEGORY) {
        throw new RuntimeError(
          `nanmean(): expected input to have floating point or complex dtype but got ${self.dtype.scalarTypeName}`,
        );
      }
      if (dtype !== null && dtype.category !== FLOAT_CATEGORY) {
        throw new RuntimeError(
          `nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: ${dtype.scalarTypeName}`,
        );
      }
      const count = sum(self.detach().isnan().logical_not(), dims, keepdim, null);
      return nansum(self, dims, keepdim, dtype).div(count);
    },
  },
);

/** The variance (or its root) and the mean, with one node for both. */
function varianceAndMean(
  name: 'std_mean' | 'var_mean',
  self: Tensor,
  dims: readonly number[] | null,
  correction: number,
  keepdim: boolean,
): Tensor[] {
  if (self.dtype.category !== FLOAT_CATEGORY) {
    throw new RuntimeError(`${name} only support floating point and complex dtypes`);
  }
  const root = name === 'std_mean';
  const mask = dimMask(dims, self.sizes.length);
  const x = self.detach();
  const spread = variance(x, dims, correction, keepdim, root);
  const mean = dims === null ? (keepdim ? x.mean(all(x), true) : x.mean()) : x.mean(dims as number[], keepdim);
  const { sizes } = self;
  const count = self.length / Math.max(1, spread.length);
  const node = root ? 'StdMeanBackward0' : 'VarMeanBackward0';
  const ofSpread = varianceBackward(mask, keepdim, 2 / Math.max(0, count - correction));
  record(node, [spread, mean], [self], root ? [self, spread] : [self], (grads, saved, it) => {
    const [first, second] = grads;
    const parts: Tensor[] = [];
    if (first !== null) parts.push(ofSpread([first], saved, it) as Tensor);
    if (second !== null)
      parts.push(
        restored(second, sizes, mask, keepdim)
          .expand(sizes as number[])
          .div(count),
      );
    return parts.length === 2 ? parts[0].add(parts[1]) : parts[0];
  });
  finish(spread, self);
  finish(mean, self);
  return [spread, mean];
}

const all = (x: Tensor): number[] => x.sizes.map((_, d) => d);

for (const name of ['std_mean', 'var_mean'] as const) {
  const what = name === 'std_mean' ? 'Standard deviation' : 'Variance';
  define(
    { doc: `${what} and mean over all elements or the dimensions dim, as a pair.`, method: false },
    {
      [`${name}(Tensor self, bool unbiased) -> Tensor[]`]: (self: Tensor, unbiased: boolean) =>
        varianceAndMean(name, self, null, unbiased ? 1 : 0, false),
      [`${name}(Tensor self, int[1]? dim, bool unbiased, bool keepdim=False) -> Tensor[]`]: (
        self: Tensor,
        dim: number[] | null,
        unbiased: boolean,
        keepdim: boolean,
      ) => varianceAndMean(name, self, dim, unbiased ? 1 : 0, keepdim),
      [`${name}(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False, bool? unbiased=None) -> Tensor[]`]:
        (self: Tensor, dim: number[] | null, correction: number | null, keepdim: boolean, unbiased: boolean | null) =>
          varianceAndMean(name, self, dim, correction ?? (unbiased === false ? 0 : 1), keepdim),
    },
  );
}

define(
  { doc: 'The smallest and the largest elements, over everything or along dim.' },
  {
    'aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)': (
      self: Tensor,
      dim: number | null,
      keepdim: boolean,
    ) => {
      const rank = self.sizes.length;
      const at = dim === null ? null : wrapDim(dim, rank);
      if (at !== null && rank > 0 && self.sizes[at] === 0) {
        throw new IndexError(`aminmax: Expected reduction dim ${at} to have non-zero size.`);
      }
      if (self.length === 0 && at === null) {
        throw new RuntimeError(
          'aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.',
        );
      }
      const x = self.detach();
      const dims = at === null || rank === 0 ? all(x) : [at];
      const [low, high] = [x.amin(dims, keepdim), x.amax(dims, keepdim)];
      const backward = extremumBackward(dimMask(dims, rank), keepdim, at === null);
      record(
        'AminmaxBackward0',
        [low, high],
        [self],
        [self, low, high],
        ([first, second], [y, lowest, highest], it) => {
          const parts: Tensor[] = [];
          if (first !== null) parts.push(backward([first], [y, lowest], it) as Tensor);
          if (second !== null) parts.push(backward([second], [y, highest], it) as Tensor);
          return parts.length === 2 ? parts[0].add(parts[1]) : parts[0];
        },
      );
      return namedTuple(['min', 'max'], [low, high]);
    },
  },
);
