/** Sorting, and elements by rank: sort, argsort, msort, topk, kthvalue, median, nanmedian, mode. */

import { type BackwardFunction, record } from '../autograd/record.ts';
import { bool, FLOAT_CATEGORY, int64 } from '../core/dtype.ts';
import { IndexError, NotImplementedError, RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import { pick, sort as sortKernel } from '../kernels/sort.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { emptyLike } from './creation.ts';
import { fill } from './host.ts';
import { finishNew } from './inplace.ts';
import { type NamedTuple, namedTuple } from './named-tuple.ts';
import { define } from './registry.ts';

type Pair = NamedTuple<['values', 'indices']>;
const NAMES = ['values', 'indices'] as const;

/** Every result gives its gradient back to the element that it is. */
function selectedBackward(dim: number, sizes: readonly number[], keepdim: boolean): BackwardFunction {
  return ([grad], [indices]) => {
    const full = grad!.new_zeros(sizes as number[]);
    if (sizes.length === 0) return full.add_(grad!);
    const again = (x: Tensor) => (keepdim ? x : x.unsqueeze(dim));
    return full.scatter_(dim, again(indices), again(grad!));
  };
}

export function sort(self: Tensor, dim: number, descending: boolean, node = 'SortBackward0'): Pair {
  const at = wrapDim(dim, self.sizes.length);
  const values = emptyLike(self, null, null);
  const indices = emptyLike(self, int64, null);
  sortKernel(values, indices, self, at, descending);
  finishNew(values, [self]);
  finishNew(indices, [self]);
  record(node, [values, indices], [self], [indices], selectedBackward(at, self.sizes, true));
  return namedTuple([...NAMES], [values, indices]);
}

define(
  { doc: 'Sorted along dim, with the positions of the elements. Equal elements keep their order; NaN is the largest.' },
  {
    'sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)': (
      self: Tensor,
      dim: number,
      descending: boolean,
    ) => sort(self, dim, descending),
    'sort(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)': (
      self: Tensor,
      _stable: boolean | null,
      dim: number,
      descending: boolean,
    ) => sort(self, dim, descending, 'SortBackward1'),
  },
);

function argsort(self: Tensor, dim: number, descending: boolean): Tensor {
  const [values, indices] = sort(self.detach(), dim, descending);
  values.storage.freeNow();
  return indices;
}

define(
  { doc: 'Positions of the elements in sorted order along dim.' },
  {
    'argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor': argsort,
    'argsort(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor': (
      self: Tensor,
      _stable: boolean,
      dim: number,
      descending: boolean,
    ) => argsort(self, dim, descending),
  },
);

define(
  { doc: 'Sorted along the first dimension.' },
  { 'msort(Tensor self) -> Tensor': (self: Tensor) => sort(self, 0, false).values },
);

define(
  { doc: 'The k largest (or smallest) elements along dim, with their positions; sorted, whatever `sorted` says.' },
  {
    'topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)': (
      self: Tensor,
      k: number,
      dim: number,
      largest: boolean,
    ) => {
      const rank = self.sizes.length;
      const at = wrapDim(dim, rank);
      if (k < 0 || k > (rank === 0 ? 1 : self.sizes[at])) throw new RuntimeError('selected index k out of range');
      if (self.dtype === bool) throw new RuntimeError('topk does not support bool dtypes on CPU');
      const sizes = self.sizes.slice();
      if (rank > 0) sizes[at] = k;
      const { backend } = self.storage;
      const values = emptyTensor(backend, sizes, self.dtype);
      const indices = emptyTensor(backend, sizes, int64);
      sortKernel(values, indices, self, at, largest);
      finishNew(values, [self]);
      finishNew(indices, [self]);
      record('TopkBackward0', [values, indices], [self], [indices], selectedBackward(at, self.sizes, true));
      return namedTuple([...NAMES], [values, indices]);
    },
  },
);

/** One element of every row along dim. */
function picked(
  name: 'kthvalue' | 'median' | 'nanmedian' | 'mode',
  node: string,
  self: Tensor,
  dim: number,
  keepdim: boolean,
  k = 1,
): Pair {
  const rank = self.sizes.length;
  const at = wrapDim(dim, rank);
  if (rank > 0 && self.sizes[at] === 0) {
    throw new IndexError(
      `${name === 'nanmedian' ? 'median' : name}(): Expected reduction dim ${at} to have non-zero size.`,
    );
  }
  if (k < 1 || k > (rank === 0 ? 1 : self.sizes[at])) {
    throw new RuntimeError(`kthvalue(): selected number k out of range for dimension ${at}`);
  }
  if (self.dtype === bool && name !== 'mode') {
    throw new NotImplementedError(`"${name === 'kthvalue' ? name : 'median'}_cpu" not implemented for 'Bool'`);
  }
  const sizes = self.sizes.filter((_, d) => d !== at);
  const { backend } = self.storage;
  const shown = keepdim && rank > 0 ? self.sizes.map((size, d) => (d === at ? 1 : size)) : sizes;
  const values = emptyTensor(backend, shown, self.dtype);
  const indices = emptyTensor(backend, shown, int64);
  // The launch is over results without the dimension; with it of size 1 they lie the same.
  const [v, i] = keepdim && rank > 0 ? [values.view(sizes), indices.view(sizes)] : [values, indices];
  pick(v, i, self, at, name === 'kthvalue' ? 'kth' : name, k);
  finishNew(values, [self]);
  finishNew(indices, [self]);
  record(node, [values, indices], [self], [indices], selectedBackward(at, self.sizes, keepdim));
  return namedTuple([...NAMES], [values, indices]);
}

define(
  { doc: 'The k-th smallest element along dim, counted from 1, and its position.' },
  {
    'kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)': (
      self: Tensor,
      k: number,
      dim: number,
      keepdim: boolean,
    ) => picked('kthvalue', 'KthvalueBackward0', self, dim, keepdim, k),
  },
);

/** Whoever equals the result shares its gradient. */
const evenlyBackward: BackwardFunction = ([grad], [x, result]) => {
  const equal = x.eq(result);
  const mask = equal.maximum(x.isnan().mul(result.isnan()));
  return mask.mul(grad!.div(mask.sum()));
};

for (const [name, camel, doc] of [
  ['median', 'Median', 'The lower median of all elements, or along dim with its position; NaN if there is one.'],
  ['nanmedian', 'Nanmedian', 'The lower median of all elements that are not NaN, or along dim with its position.'],
] as const) {
  define(
    { doc },
    {
      [`${name}(Tensor self) -> Tensor`]: (self: Tensor) => {
        const out = emptyTensor(self.storage.backend, [], self.dtype);
        if (self.length === 0) {
          fill(out, self.dtype.category === FLOAT_CATEGORY ? Number.NaN : (EMPTY_INTEGER[self.dtype.name] ?? 0));
          return record(`${camel}Backward0`, finishNew(out, [self]), [self], [self, out], evenlyBackward);
        }
        if (self.dtype === bool) throw new NotImplementedError(`"median_cpu" not implemented for 'Bool'`);
        pick(out, null, self.detach().reshape(-1), 0, name);
        return record(`${camel}Backward0`, finishNew(out, [self]), [self], [self, out], evenlyBackward);
      },
      [`${name}(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`]: (
        self: Tensor,
        dim: number,
        keepdim: boolean,
      ) => picked(name, `${camel}Backward1`, self, dim, keepdim),
    },
  );
}

/** What NaN becomes in integers, as PyTorch's conversion on x86 makes it. */
const EMPTY_INTEGER: Readonly<Record<string, number | bigint>> = {
  int64: -(2n ** 63n),
  int32: -(2 ** 31),
};

define(
  { doc: 'The most frequent element along dim (of several the smallest), and the last of its positions.' },
  {
    'mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)': (
      self: Tensor,
      dim: number,
      keepdim: boolean,
    ) => picked('mode', 'ModeBackward0', self, dim, keepdim),
  },
);
