/** var and std. */

import { type BackwardFunction, record } from '../autograd/record.ts';
import { type DType, FLOAT_CATEGORY, float32 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { RowsKernel } from '../kernels/rows.ts';
import { variancePasses } from '../kernels/rows-passes.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { dimMask, finish, maskDims, reducedCount, reducedSizes, restored } from './reductions.ts';
import { define } from './registry.ts';

const varianceKernels = new Map<number, RowsKernel>();

function varianceKernel(dtype: DType, root: boolean): RowsKernel {
  const key = dtype.index * 2 + (root ? 1 : 0);
  let kernel = varianceKernels.get(key);
  if (kernel === undefined) {
    const compute = dtype.itemsize === 2 ? float32 : dtype;
    kernel = new RowsKernel({
      name: root ? 'std' : 'var',
      inputs: [{ dtype, kind: 'full' }],
      outputs: [{ dtype, kind: 'row' }],
      compute,
      scalars: 2,
      passes: variancePasses(root),
    });
    varianceKernels.set(key, kernel);
  }
  return kernel;
}

/** var and std: dimensions to the end, one row each. */
export function variance(
  self: Tensor,
  dims: readonly number[] | null,
  correction: number,
  keepdim: boolean,
  root: boolean,
): Tensor {
  if (self.dtype.category !== FLOAT_CATEGORY) {
    throw new RuntimeError(`std and var only support floating point and complex dtypes`);
  }
  const rank = self.sizes.length;
  const mask = dimMask(dims, rank);
  const kept: number[] = [];
  const reduced: number[] = [];
  for (let i = 0; i < rank; i++) ((mask & (1 << i)) === 0 ? kept : reduced).push(i);
  const n = reducedCount(self.sizes, mask);
  const out = emptyTensor(self.storage.backend, reducedSizes(self.sizes, mask, keepdim), self.dtype);
  // The reduced dimensions as one row at the end; a copy only where strides make that impossible.
  const rows = self
    .detach()
    .permute([...kept, ...reduced])
    .reshape([...kept.map((i) => self.sizes[i]), n]);
  const last = rows.sizes.length - 1;
  const target = out.reshape([...kept.map((i) => self.sizes[i]), 1]);
  varianceKernel(self.dtype, root).launch([target], [rows], rows.sizes, last, last, [n, Math.max(0, n - correction)]);
  finish(out, self);
  const name = root ? 'StdBackward0' : 'VarBackward0';
  const backward = varianceBackward(mask, keepdim, 2 / Math.max(0, n - correction));
  return record(name, out, [self], root ? [self, out] : [self], backward);
}

export function varianceBackward(mask: number, keepdim: boolean, factor: number): BackwardFunction {
  // The result is there for the standard deviation only.
  return ([grad], [x, result]) => {
    const centred = x.sub(x.mean(maskDims(mask), true));
    let g = restored(grad!, x.sizes, mask, keepdim);
    if (result !== undefined) {
      const r = restored(result, x.sizes, mask, keepdim);
      g = g.div(r.mul(2)).masked_fill(r.eq(0), 0);
    }
    return centred.mul(g).mul(factor);
  };
}

for (const [name, root] of [
  ['var', false],
  ['std', true],
] as const) {
  define(
    {
      doc: `${root ? 'Standard deviation' : 'Variance'} over all elements or the dimensions dim, divided by n - correction (1).`,
    },
    {
      [`${name}(Tensor self, bool unbiased) -> Tensor`]: (self: Tensor, unbiased: boolean) =>
        variance(self, null, unbiased ? 1 : 0, false, root),
      [`${name}(Tensor self, int[1]? dim, bool unbiased, bool keepdim=False) -> Tensor`]: (
        self: Tensor,
        dim: number[] | null,
        unbiased: boolean,
        keepdim: boolean,
      ) => variance(self, dim, unbiased ? 1 : 0, keepdim, root),
      [`${name}(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False, bool? unbiased=None) -> Tensor`]:
        (self: Tensor, dim: number[] | null, correction: number | null, keepdim: boolean, unbiased: boolean | null) =>
          variance(self, dim, correction ?? (unbiased === false ? 0 : 1), keepdim, root),
    },
  );
}
