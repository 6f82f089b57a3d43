/** Running extremes and the running logsumexp: cummax, cummin, logcumsumexp. */
import { record } from '../autograd/record.ts';
import { type DType, FLOAT_CATEGORY, float16, float64, int64 } from '../core/dtype.ts';
import { IndexError, NotImplementedError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import { scanRows } from '../kernels/scan-rows.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { finishNew } from './inplace.ts';
import { type NamedTuple, namedTuple } from './named-tuple.ts';
import { define } from './registry.ts';

type Pair = NamedTuple<['values', 'indices']>;

function extremes(name: 'cummax' | 'cummin', self: Tensor, dim: number): Pair {
  const { sizes } = self;
  const rank = sizes.length;
  if (rank === 0 && dim !== 0 && dim !== -1) {
    throw new IndexError(`${name}(): Expected reduction dim -1 or 0 for scalar but got ${dim}`);
  }
  // PyTorch does not look at the dim of what is empty.
  const at = self.length === 0 ? 0 : wrapDim(dim, rank);
  const { backend } = self.storage;
  const values = emptyTensor(backend, sizes, self.dtype);
  const indices = emptyTensor(backend, sizes, int64);
  scanRows(name === 'cummax' ? 'max' : 'min', values, indices, self, at);
  finishNew(values, [self]);
  finishNew(indices, [self]);
  const node = name === 'cummax' ? 'CummaxBackward0' : 'CumminBackward0';
  record(node, [values, indices], [self], [indices], ([grad], [places]) => {
    if (grad!.length === 0) return grad!;
    return grad!.new_zeros(sizes as number[]).scatter_add_(at, places, grad!);
  });
  return namedTuple(['values', 'indices'], [values, indices]);
}

define(
  { doc: 'The largest element so far along dim, and its position: of equal ones the last. NaN is the largest.' },
  {
    'cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)': (self: Tensor, dim: number) =>
      extremes('cummax', self, dim),
  },
);

define(
  { doc: 'The smallest element so far along dim, and its position: of equal ones the last. NaN is the smallest.' },
  {
    'cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)': (self: Tensor, dim: number) =>
      extremes('cummin', self, dim),
  },
);

/** A finite logarithm of nothing: infinities would make gradients of second order NaN. */
const lowest = (dtype: DType): number =>
  dtype === float64 ? -1.7976931348623157e308 : dtype === float16 ? -65504 : -3e38;

function logcumsumexp(self: Tensor, dim: number, reversed = false): Tensor {
  const at = wrapDim(dim, self.sizes.length);
  if (self.dtype.category !== FLOAT_CATEGORY) {
    throw new NotImplementedError(`"logcumsumexp_out_cpu" not implemented for '${self.dtype.scalarTypeName}'`);
  }
  const out = emptyTensor(self.storage.backend, self.sizes, self.dtype);
  scanRows('logsumexp', out, null, self, at, reversed);
  finishNew(out, [self]);
  return record('LogcumsumexpBackward0', out, [self], [self, out], ([grad], [x, result]) => {
    if (grad!.length === 0) return grad!;
    // Element k has a share exp(x[k] - result[j]) in every later result j. Gradients of either sign are summed up as
    // logarithms, so that no exponential overflows.
    const size = grad!.abs().log();
    const part = (chosen: Tensor) => {
      const logs = size.masked_fill(chosen.logical_not(), lowest(x.dtype)).sub(result);
      return logcumsumexp(logs, at, !reversed).add(x).exp();
    };
    return part(grad!.gt(0)).sub(part(grad!.lt(0)));
  });
}

define(
  { doc: 'The logarithm of the running sum of exponentials along dim.' },
  { 'logcumsumexp(Tensor self, int dim) -> Tensor': (self: Tensor, dim: number) => logcumsumexp(self, dim) },
);
