/** Running sums and products. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { bool, type DType, FLOAT_CATEGORY } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { ScanKernel } from '../kernels/scan.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { cat } from './join.ts';
import { C_NAMES } from './linalg.ts';
import { checkOverlap } from './layout.ts';
import { checkRecordable, finish, sumDType } from './reductions.ts';
import { define } from './registry.ts';

const scans = new Map<number, ScanKernel>();

function scanKernel(from: DType, to: DType, combine: 'sum' | 'prod' = 'sum'): ScanKernel {
  const key = (from.index * 10 + to.index) * 2 + (combine === 'sum' ? 0 : 1);
  let kernel = scans.get(key);
  if (kernel === undefined) {
    scans.set(key, (kernel = new ScanKernel({ name: `cum${combine}`, combine, input: from, output: to })));
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
          `Bad in-place call: input tensor dtype ${C_NAMES[self.dtype.name]} and output tensor dtype ${C_NAMES[dtype.name]} should match`,
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

function cumprod(self: Tensor, dim: number, dtype: DType | null): Tensor {
  const to = sumDType(self, dtype);
  const at = wrapDim(dim, self.sizes.length);
  if (to === bool && self.sizes.length > 0 && self.length > 0) {
    throw new NotImplementedError('"cumprod_out_cpu" not implemented for \'Bool\'');
  }
  checkRecordable(self, to);
  const source = self.dtype === to || to.category !== FLOAT_CATEGORY ? self : self.to(to);
  const out = emptyTensor(self.storage.backend, self.sizes, to);
  scanKernel(source.dtype, to, 'prod').launch(out, source, at);
  finish(out, source);
  return record('CumprodBackward0', out, [source], [source, out], cumprodBackward(at));
}

/** Element k is a factor of its own product and of all that come after. Waits for the device, as in PyTorch. */
function cumprodBackward(dim: number): BackwardFunction {
  return ([grad], [x, saved]) => {
    const g = grad!;
    if (x.length <= 1) return g;
    const result = saved ?? x.cumprod(dim);
    if (!x.eq(0).any().item()) return cumsum(g.mul(result), dim, null, true).div(x);
    const n = x.sizes[dim];
    const parts: Tensor[] = [];
    for (let k = 0; k < n; k++) {
      const rest = g.narrow(dim, k, n - k);
      const before = x.narrow(dim, 0, k).prod(dim, true);
      const shape = x.sizes.slice();
      shape[dim] = 1;
      const after = cat([x.detach().new_ones(shape), x.narrow(dim, k + 1, n - k - 1)], dim).cumprod(dim);
      parts.push(rest.mul(before).mul(after).sum(dim, true));
    }
    return cat(parts, dim);
  };
}

define(
  { doc: 'Running products along dim. Integers and bools multiply in int64.' },
  {
    'cumprod(Tensor self, int dim, *, dtype? dtype=None) -> Tensor': cumprod,
  },
);

define(
  { doc: 'In-place form of `cumprod`.', function: false },
  {
    'cumprod_(Tensor(a!) self, int dim, *, dtype? dtype=None) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      dtype: DType | null,
    ) => {
      checkChange(self, [self]);
      if (dtype !== null && dtype !== self.dtype) {
        throw new RuntimeError(
          `Bad in-place call: input tensor dtype ${C_NAMES[self.dtype.name]} and output tensor dtype ${C_NAMES[dtype.name]} should match`,
        );
      }
      const at = wrapDim(dim, self.sizes.length);
      if (self.dtype === bool && self.sizes.length > 0 && self.length > 0) {
        throw new NotImplementedError('"cumprod_out_cpu" not implemented for \'Bool\'');
      }
      checkOverlap(self, []);
      const before = requiresGrad(self) ? self.clone() : self;
      return changeInplace(
        'CumprodBackward0',
        self,
        [self],
        requiresGrad(self) ? [before] : [],
        () => {
          const result = cumprod(self.detach(), at, self.dtype);
          copy(self, result);
          result.storage.freeNow();
        },
        cumprodBackward(at),
      );
    },
  },
);
