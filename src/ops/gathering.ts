/** The gather and scatter family: picking and adding by positions along one dimension. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, touchGraphOf } from '../autograd/record.ts';
import { int32, int64 } from '../core/dtype.ts';
import { IndexError, RuntimeError } from '../core/errors.ts';
import { sameSizes, showSizes, wrapDim } from '../core/shape.ts';
import { gather as gatherKernel, indexSelect } from '../kernels/gather.ts';
import { indexAdd, scatter, scatterAdd } from '../kernels/scatter.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, requiresGrad, Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { fill } from './host.ts';
import { checkNoOverlap } from './layout.ts';
import { define } from './registry.ts';
import { checkScalar } from './scalar-range.ts';

function finish(out: Tensor, inputs: readonly Tensor[]): Tensor {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) for (const x of inputs) touchGraphOf(x);
  return out;
}

/** @throws RuntimeError with PyTorch's text unless index is int64 or int32 */
function needIndex(name: string, index: Tensor): void {
  if (index.dtype !== int64 && index.dtype !== int32) {
    throw new RuntimeError(`${name}(): Expected dtype int32/int64 for index`);
  }
}

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
        if (sizes[at] === 0 && index.length > 0) {
          throw new RuntimeError('index_select(): self indexing axis dim should be positive');
        }
        sizes[at] = index.length;
      } else if (index.length !== 1) {
        throw new IndexError(`index_select(): Index to scalar can have only 1 value, got ${index.length} value(s)`);
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

define(
  { doc: 'Adds alpha * source to the slices of dimension dim at the positions in index.', function: false },
  {
    'index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      index: Tensor,
      source: Tensor,
      alpha: number,
    ) => {
      checkChange(self, [self, source]);
      sameBackend('index_add_', [self, index, source], ['self', 'index', 'source']);
      const at = wrapDim(dim, self.sizes.length);
      if (index.dtype !== int64 && index.dtype !== int32) {
        throw new RuntimeError(
          `index_add_(): Expected dtype int32/int64 for index but got: ${index.dtype.scalarTypeName}`,
        );
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
      checkNoOverlap(self, [index, source]);
      checkScalar(self.dtype, alpha);
      const added = alpha === 1 ? source : source.mul(self.dtype.is_floating_point ? alpha : Math.trunc(Number(alpha)));
      return changeInplace(
        'IndexAddBackward0',
        self,
        [self, added],
        // The source, too, as in PyTorch.
        requiresGrad(added) ? [index, added] : [],
        () => indexAdd(self, at, index, added),
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
      alpha: number,
    ) => self.clone().index_add_(dim, index, source, { alpha }),
  },
);

/** The shape rules of gather and scatter. */
function checkGather(name: string, self: Tensor, dim: number, index: Tensor, src: Tensor | null): number {
  needIndex(name, index);
  const rank = Math.max(self.sizes.length, 1);
  const at = wrapDim(dim, self.sizes.length);
  if (index.length === 0) return at;
  if (Math.max(index.sizes.length, 1) !== rank) {
    throw new RuntimeError(
      src === null
        ? 'Index tensor must have the same number of dimensions as input tensor'
        : 'Index tensor must have the same number of dimensions as self tensor',
    );
  }
  if (src !== null && Math.max(src.sizes.length, 1) !== rank) {
    throw new RuntimeError('Index tensor must have the same number of dimensions as src tensor');
  }
  for (let d = 0; d < index.sizes.length; d++) {
    const tooLarge = d !== at && index.sizes[d] > (self.sizes[d] ?? 1);
    if (tooLarge && src === null) {
      throw new RuntimeError(
        `Size does not match at dimension ${d} expected index ${showSizes(index.sizes)} to be no larger than self ${showSizes(self.sizes)} apart from dimension ${at}`,
      );
    }
    if (src !== null && (tooLarge || index.sizes[d] > (src.sizes[d] ?? 1))) {
      throw new RuntimeError(
        `Expected index ${showSizes(index.sizes)} to be no larger than self ${showSizes(self.sizes)} apart from dimension ${at} and to be no larger size than src ${showSizes(src.sizes)}`,
      );
    }
  }
  return at;
}

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
      sameBackend('scatter_add_', [self, index, src], ['self', 'index', 'src']);
      const at = checkGather('scatter', self, dim, index, src);
      if (self.dtype !== src.dtype) {
        throw new RuntimeError('scatter(): Expected self.dtype to be equal to src.dtype');
      }
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

function scatterAddBackward(dim: number, sizes: readonly number[]): BackwardFunction {
  return ([grad], [index], node) => [grad, node.needs(1) ? gradOfSource(grad!, dim, index, sizes) : null];
}

/** What the source of a scatter receives; parts beyond the index get none. */
function gradOfSource(grad: Tensor, dim: number, index: Tensor, sizes: readonly number[]): Tensor {
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

define(
  { doc: 'As `scatter_add_`, on a copy.' },
  {
    'scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
      src: Tensor,
    ) => self.clone().scatter_add_(dim, index, src),
  },
);

define(
  { doc: 'self[index[i][j]][j] = src[i][j] for dim = 0, and so on; src may be a number.', function: false },
  {
    'scatter_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      index: Tensor,
      src: Tensor,
    ) => {
      checkChange(self, [self, src]);
      sameBackend('scatter_', [self, index, src], ['self', 'index', 'src']);
      const at = checkGather('scatter', self, dim, index, src);
      if (self.dtype !== src.dtype) {
        throw new RuntimeError('scatter(): Expected self.dtype to be equal to src.dtype');
      }
      checkNoOverlap(self, [index, src]);
      return changeInplace(
        'ScatterBackward0',
        self,
        [self, src],
        [index],
        () => {
          if (index.length > 0) scatter(self, at, index, src);
        },
        scatterBackward(at, src.sizes),
      );
    },
    'scatter_(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      index: Tensor,
      value: number,
    ) => {
      checkChange(self, [self]);
      sameBackend('scatter_', [self, index], ['self', 'index']);
      const at = checkGather('scatter', self, dim, index, null);
      checkScalar(self.dtype, value);
      checkNoOverlap(self, [index]);
      return changeInplace(
        'ScatterBackward1',
        self,
        [self],
        [index],
        () => {
          if (index.length === 0) return;
          const one = emptyTensor(self.storage.backend, [], self.dtype);
          fill(one, value);
          const source = new Tensor(
            one.storage,
            0,
            index.sizes,
            index.sizes.map(() => 0),
            self.dtype,
            index.length,
            false,
          );
          scatter(self, at, index, source);
          source.dispose();
          one.dispose();
        },
        scatterBackward(at, null),
      );
    },
  },
);

/** `sizes`: the source's; null where a number was the source. */
function scatterBackward(dim: number, sizes: readonly number[] | null): BackwardFunction {
  return ([grad], [index], node) => {
    const through = node.needs(0) ? grad!.clone().scatter_(dim, index, 0) : null;
    if (sizes === null) return [through];
    return [through, node.needs(1) ? gradOfSource(grad!, dim, index, sizes) : null];
  };
}

define(
  { doc: 'As `scatter_`, on a copy.' },
  {
    'scatter(Tensor self, int dim, Tensor index, Tensor src) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
      src: Tensor,
    ) => self.clone().scatter_(dim, index, src),
    'scatter(Tensor self, int dim, Tensor index, Scalar value) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
      value: number,
    ) => self.clone().scatter_(dim, index, value),
  },
);
