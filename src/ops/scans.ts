/** Running sums. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { bool, type DType, FLOAT_CATEGORY } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { ScanKernel } from '../kernels/scan.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { checkOverlap } from './layout.ts';
import { checkRecordable, finish, sumDType } from './reductions.ts';
import { define } from './registry.ts';

const scans = new Map<number, ScanKernel>();

function scanKernel(from: DType, to: DType): ScanKernel {
  const key = from.index * 10 + to.index;
  let kernel = scans.get(key);
  if (kernel === undefined) {
    scans.set(key, (kernel = new ScanKernel({ name: 'cumsum', combine: 'sum', input: from, output: to })));
  }
  return kernel;
}

function cumsum(self: Tensor, dim: number, dtype: DType | null, reversed = false): Tensor {
  const to = sumDType(self, dtype);
  const at = wrapDim(dim, self.sizes.length);
  if (to === bool && self.sizes.length > 0 && self.length > 0) {
    throw new NotImplementedError('"cumsum_out_cpu" not implemented for \'Bool\'');
  }
  checkRecordable(self, to);
  const source = self.dtype === to || to.category !== FLOAT_CATEGORY ? self : self.to(to);
  const out = emptyTensor(self.storage.backend, self.sizes, to);
  scanKernel(source.dtype, to).launch(out, source, at, reversed);
  finish(out, source);
  return record('CumsumBackward0', out, [source], [], ([grad]) => cumsum(grad!, at, null, !reversed));
}

define(
  { doc: 'Running sums along dim. Integers and bools add up in int64.' },
  {
    'cumsum(Tensor self, int dim, *, dtype? dtype=None) -> Tensor': (self: Tensor, dim: number, dtype: DType | null) =>
      cumsum(self, dim, dtype),
  },
);

define(
  { doc: 'In-place form of `cumsum`.', function: false },
  {
    'cumsum_(Tensor(a!) self, int dim, *, dtype? dtype=None) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      dtype: DType | null,
    ) => {
      checkChange(self, [self]);
      if (dtype !== null && dtype !== self.dtype) {
        throw new RuntimeError(
          `Bad in-place call: input tensor dtype ${self.dtype.scalarTypeName} and output tensor dtype ${dtype.scalarTypeName} should match`,
        );
      }
      const at = wrapDim(dim, self.sizes.length);
      if (self.dtype === bool && self.sizes.length > 0 && self.length > 0)
        throw new NotImplementedError('"cumsum_out_cpu" not implemented for \'Bool\'');
      checkOverlap(self, []);
      return changeInplace(
        'CumsumBackward0',
        self,
        [self],
        [],
        () => {
          const result = cumsum(self.detach(), at, self.dtype);
          copy(self, result);
          result.storage.freeNow();
        },
        cumsumBackward(at),
      );
    },
  },
);

function cumsumBackward(dim: number): BackwardFunction {
  return ([grad]) => cumsum(grad!, dim, null, true);
}
