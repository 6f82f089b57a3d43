/** The gather and scatter family: picking and adding by positions along one dimension. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { bool, int32, int64 } from '../core/dtype.ts';
import { IndexError, RuntimeError } from '../core/errors.ts';
import { sameSizes, showSizes, wrapDim } from '../core/shape.ts';
import { gather as gatherKernel, indexSelect } from '../kernels/gather.ts';
import { indexAdd, scatterAdd } from '../kernels/scatter.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { copyOf, finishNew as finish } from './inplace.ts';
import { checkNoOverlap } from './layout.ts';
import { define } from './registry.ts';
import { checkScalar } from './scalar-range.ts';
import { checkGather, checkScatter } from './scatter-checks.ts';

define(
  { doc: 'The slices of dimension dim at the positions in index, a vector of int64 or int32.' },
  {
    'index_select(Tensor self, int dim, Tensor index) -> Tensor': (self: Tensor, dim: number, index: Tensor) => {
      if (index.sizes.length > 1) {
        throw new IndexError(
          'index_select(): Index is supposed to be a vector, but got dim: ' +
            `${index.sizes.length} with type: ${index.dtype.scalarTypeName} and size: ${showSizes(index.sizes)}`,
        );
      }
      if (index.dtype !== int64 && index.dtype !== int32) {
        throw new RuntimeError('index_select(): Expected dtype int32 or int64 for index');
      }
      const backend = sameBackend('index_select', [self, index], ['self', 'index']);
      const at = wrapDim(dim, self.sizes.length);
      const sizes = self.sizes.slice();
      if (sizes.length > 0) {
        if (sizes.length > 1 && sizes[at] === 0 && index.length > 0) {
          throw new RuntimeError('index_select(): self indexing axis dim should be positive');
        }
        sizes[at] = index.length;
      } else if (index.length !== 1) {
        throw new RuntimeError(`index_select(): Index to scalar can have only 1 value, got ${index.length} value(s)`);
      }
      const out = emptyTensor(backend, sizes, self.dtype);
      indexSelect(out, self, at, index);
      finish(out, [self]);
      const own = self.sizes;
      return record('IndexSelectBackward0', out, [self], [index], ([grad], [i]) =>
        grad!.new_zeros(own as number[]).index_add_(at, i, grad!),
      );
    },
  },
);

/** What index_add checks, in PyTorch's order. Returns the dimension. */
function checkIndexAdd(self: Tensor, dim: number, index: Tensor, source: Tensor, alpha: number | bigint): number {
  sameBackend('index_add_', [self, index, source], ['self', 'index', 'source']);
  const at = wrapDim(dim, self.sizes.length);
  if (index.dtype !== int64 && index.dtype !== int32) {
    throw new RuntimeError(`index_add_(): Expected dtype int32/int64 for index but got: ${index.dtype.scalarTypeName}`);
  }
  if (index.sizes.length > 1) {
    throw new IndexError(
      `index_add_(): Index is supposed to be a vector, but got dim: ${index.sizes.length} with type: ${index.dtype.scalarTypeName} and size: ${showSizes(index.sizes)}`,
    );
  }
  if (self.dtype !== source.dtype) {
    throw new RuntimeError(
      `index_add_(): self (${self.dtype.scalarTypeName}) and source (${source.dtype.scalarTypeName}) must have the same scalar type`,
    );
  }
  if (source.sizes.length === 0 && index.length !== 1) {
    throw new IndexError('Dimension specified as 0 but tensor has no dimensions');
  }
  const others = (x: Tensor) => x.sizes.filter((_, d) => d !== at);
  if (self.sizes.length !== source.sizes.length || !sameSizes(others(self), others(source))) {
    throw new RuntimeError(
      'source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = ' +
        `${showSizes(self.sizes)} source.shape = ${showSizes(source.sizes)}`,
    );
  }
  const given = source.sizes[at] ?? 1;
  if (given !== index.length) {
    throw new RuntimeError(
      `index_add_(): Number of indices (${index.length}) should be equal to source.size(dim): (${given}), for dim: ${at}`,
    );
  }
  checkScalar(self.dtype, alpha);
  return at;
}

/** alpha * source, with a gradient. */
function scaledSource(source: Tensor, alpha: number | bigint): Tensor {
  if (Number(alpha) === 1) return source;
  if (source.dtype === bool) return Number(alpha) === 0 ? source.mul(false) : source;
  return source.mul(source.dtype.is_floating_point ? alpha : Math.trunc(Number(alpha)));
}

function addRows(out: Tensor, at: number, index: Tensor, source: Tensor): void {
  // Where nothing is there PyTorch looks at the positions of vectors only.
  if (out.length > 0 || out.sizes.length < 2) indexAdd(out, at, index, source);
}

define(
  { doc: 'Adds alpha * source to the slices of dimension dim at the positions in index.', function: false },
  {
    'index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      index: Tensor,
      source: Tensor,
      alpha: number | bigint,
    ) => {
      checkChange(self, [self, source]);
      const at = checkIndexAdd(self, dim, index, source, alpha);
      checkNoOverlap(self, [index, source]);
      const added = scaledSource(source, alpha);
      return changeInplace(
        'IndexAddBackward0',
        self,
        [self, added],
        // The source, too, as in PyTorch.
        requiresGrad(added) ? [index, added] : [],
        () => addRows(self, at, index, added),
        indexAddBackward(at),
      );
    },
  },
);

function indexAddBackward(dim: number): BackwardFunction {
  return ([grad], [index], node) => [grad, node.needs(1) ? grad!.index_select(dim, index) : null];
}

define(
  { doc: 'As `index_add_`, on a copy.' },
  {
    'index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
      source: Tensor,
      alpha: number | bigint,
    ) => {
      const at = checkIndexAdd(self, dim, index, source, alpha);
      const added = scaledSource(source, alpha);
      const out = copyOf(self);
      addRows(out, at, index, added);
      const save = requiresGrad(added) ? [index, added] : [];
      return record('IndexAddBackward0', out, [self, added], save, indexAddBackward(at));
    },
  },
);

define(
  { doc: 'out[i][j] = self[index[i][j]][j] for dim = 0, and so on: picks along dim.' },
  {
    'gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
    ) => {
      const backend = sameBackend('gather', [self, index], ['self', 'index']);
      const at = checkGather('gather', self, dim, index, null);
      const out = emptyTensor(backend, index.sizes, self.dtype);
      if (out.length > 0) gatherKernel(out, self, at, index);
      finish(out, [self]);
      const own = self.sizes;
      // self is saved as PyTorch saves it, though only its shape is needed: memory and in-place errors are the same.
      return record('GatherBackward0', out, [self], [self, index], ([grad], [, i]) =>
        grad!.new_zeros(own as number[]).scatter_add_(at, i, grad!),
      );
    },
  },
);

define(
  { doc: 'self[index[i][j]][j] += src[i][j] for dim = 0, and so on.', function: false },
  {
    'scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      index: Tensor,
      src: Tensor,
    ) => {
      checkChange(self, [self, src]);
      const at = checkScatter('scatter_add_', self, dim, index, src);
      checkNoOverlap(self, [index, src]);
      return changeInplace(
        'ScatterAddBackward0',
        self,
        [self, src],
        requiresGrad(src) ? [index] : [],
        () => {
          if (index.length > 0) scatterAdd(self, at, index, src);
        },
        scatterAddBackward(at, src.sizes),
      );
    },
  },
);

define(
  { doc: 'As `scatter_add_`, on a copy.' },
  {
    'scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
      src: Tensor,
    ) => {
      const at = checkScatter('scatter_add_', self, dim, index, src);
      const out = copyOf(self);
      if (index.length > 0) scatterAdd(out, at, index, src);
      const save = requiresGrad(src) ? [index] : [];
      return record('ScatterAddBackward0', out, [self, src], save, scatterAddBackward(at, src.sizes));
    },
  },
);

function scatterAddBackward(dim: number, sizes: readonly number[]): BackwardFunction {
  return ([grad], [index], node) => [grad, node.needs(1) ? gradOfSource(grad!, dim, index, sizes) : null];
}

/** What the source of a scatter receives; parts beyond the index get none. */
export function gradOfSource(grad: Tensor, dim: number, index: Tensor, sizes: readonly number[]): Tensor {
  const picked = grad.gather(dim, index);
  if (sameSizes(picked.sizes, sizes)) return picked;
  const full = grad.new_zeros(sizes as number[]);
  let part: Tensor = full;
  picked.sizes.forEach((size, d) => {
    part = part.narrow(d, 0, size);
  });
  part.copy_(picked);
  return full;
}
