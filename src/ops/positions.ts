/** Picking and placing by positions: take, take_along_dim, put_, index_copy, index_fill, one_hot. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { int64 } from '../core/dtype.ts';
import { IndexError, RuntimeError } from '../core/errors.ts';
import { broadcastSizes, sameSizes, wrapDim } from '../core/shape.ts';
import { warnOnce } from '../core/warn.ts';
import { copy, fill as fillKernel } from '../kernels/copy.ts';
import { take as takeKernel } from '../kernels/gather.ts';
import { indexCopy, indexFill, put as putKernel } from '../kernels/scatter.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, requiresGrad, Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { copyOf, finishNew } from './inplace.ts';
import { checkNoOverlap, checkShared, overlapsItself } from './layout.ts';
import { define } from './registry.ts';
import { checkScalar } from './scalar-range.ts';
import { expand } from './views.ts';

/** @throws RuntimeError with PyTorch's text unless index is int64 */
function needLong(name: string, index: Tensor): void {
  if (index.dtype === int64) return;
  throw new RuntimeError(`${name}: Expected a long tensor for index, but got ${index.dtype.scalarTypeName}`);
}

/** x as a vector for a launch: its own memory where it is contiguous, otherwise a copy. */
function flatten(x: Tensor): Tensor {
  const dense = x.contiguousNow ? x : copyOf(x);
  return aliasTensor(dense, dense.offset, [x.length], [1], x.length);
}

function take(self: Tensor, index: Tensor): Tensor {
  needLong('take()', index);
  sameBackend('take', [self, index], ['self', 'index']);
  if (self.length === 0 && index.length > 0) {
    throw new IndexError('take(): tried to take from an empty tensor');
  }
  const out = emptyTensor(self.storage.backend, index.sizes, self.dtype);
  if (out.length > 0) takeKernel(flatten(out), flatten(self), flatten(index));
  finishNew(out, [self]);
  // self is saved as PyTorch saves it, though only its shape is needed.
  return record('TakeBackward0', out, [self], [self, index], ([grad], [x, i]) =>
    grad!.new_zeros(x.sizes as number[]).put_(i, grad!, true),
  );
}

define(
  {
    doc: "The elements at index's positions in the flattened tensor, in index's shape; negative ones count from the end.",
  },
  { 'take(Tensor self, Tensor index) -> Tensor': take },
);

define(
  { doc: 'As `gather`, but both are broadcast, but for dim; without dim picks from the flattened tensor.' },
  {
    'take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor': (
      self: Tensor,
      indices: Tensor,
      dim: number | null,
    ) => {
      const [a, b] = [self.sizes.length, indices.sizes.length];
      if (dim !== null && a !== b) {
        throw new RuntimeError(
          `torch.take_along_dim(): input and indices should have the same number of dimensions, but got ${a} dimensions for input, and ${b} dimensions for indices`,
        );
      }
      if (indices.dtype !== int64) {
        throw new RuntimeError(
          `torch.take_along_dim(): dtype of indices should be Long but got ${indices.dtype.scalarTypeName}`,
        );
      }
      if (dim === null) return self.view(-1).gather(0, indices.view(-1));
      const at = wrapDim(dim, a);
      // dim may differ.
      const shared = broadcastSizes(
        self.sizes.map((size, d) => (d === at ? 1 : size)),
        indices.sizes.map((size, d) => (d === at ? 1 : size)),
      );
      const withDim = (x: Tensor) =>
        expand(
          x,
          shared.map((size, d) => (d === at ? x.sizes[d] : size)),
        );
      return withDim(self).gather(at, withDim(indices));
    },
  },
);

function checkPut(self: Tensor, index: Tensor, source: Tensor): void {
  needLong('put_()', index);
  if (self.dtype !== source.dtype) {
    throw new RuntimeError(
      `put_(): self and source expected to have the same dtype, but got self.dtype = ${self.dtype.scalarTypeName} and source.dtype = ${source.dtype.scalarTypeName}`,
    );
  }
  sameBackend('put_', [self, index, source], ['self', 'index', 'source']);
  if (source.length !== index.length) {
    throw new IndexError(
      `put_(): Expected source and index to have the same number of elements, but got source.numel() = ${source.length}, index.numel() = ${index.length}`,
    );
  }
  if (self.length === 0 && index.length > 0) {
    throw new IndexError('put_(): Tried to put elements into an empty tensor');
  }
}

function putInto(self: Tensor, index: Tensor, source: Tensor, accumulate: boolean): void {
  if (index.length === 0) return;
  const flat = flatten(self);
  putKernel(flat, flatten(index), flatten(source), accumulate);
  if (flat.storage === self.storage) return;
  copy(self, aliasTensor(flat, 0, self.sizes, contiguous(self.sizes), self.length));
  flat.storage.freeNow();
}

function contiguous(sizes: readonly number[]): number[] {
  let step = 1;
  const strides = sizes.map(() => 0);
  for (let d = sizes.length - 1; d >= 0; d--) {
    strides[d] = step;
    step *= sizes[d];
  }
  return strides;
}

/** `sizes`: of the source. */
function putBackward(accumulate: boolean, sizes: readonly number[]): BackwardFunction {
  return ([grad], [index], node) => {
    let through = node.needs(0) ? grad! : null;
    if (through !== null && !accumulate) through = grad!.put(index, grad!.new_zeros(sizes as number[]), false);
    return [through, node.needs(1) ? grad!.take(index).reshape(sizes as number[]) : null];
  };
}

define(
  {
    doc: "self's elements at index's positions in the flattened tensor become those of source (or are added to).",
    function: false,
  },
  {
    'put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)': (
      self: Tensor,
      index: Tensor,
      source: Tensor,
      accumulate: boolean,
    ) => {
      checkChange(self, [self, source]);
      checkPut(self, index, source);
      checkNoOverlap(self, [index, source]);
      const write = () => putInto(self, index, source, accumulate);
      const save = [index, source];
      return changeInplace('PutBackward0', self, [self, source], save, write, putBackward(accumulate, source.sizes));
    },
  },
);
define(
  { doc: 'As `put_`, on a copy.' },
  {
    'put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor': (
      self: Tensor,
      index: Tensor,
      source: Tensor,
      accumulate: boolean,
    ) => {
      checkPut(self, index, source);
      const out = finishNew(self.detach().clone(), [self]);
      putInto(out, index, source, accumulate);
      return record('PutBackward0', out, [self, source], [index, source], putBackward(accumulate, source.sizes));
    },
  },
);

/** What index_copy_ checks, in PyTorch's order. Returns the dimension. */
function checkIndexCopy(self: Tensor, dim: number, index: Tensor, source: Tensor): number {
  const at = wrapDim(dim, self.sizes.length);
  if (index.sizes.length > 1) {
    throw new IndexError(`index_copy_(): Index should have dimension 1 or 0 (got ${index.sizes.length})`);
  }
  const [a, b] = [self.sizes.length, source.sizes.length];
  if (b === 0 && index.length !== 1) {
    throw new IndexError(`index_copy_(): When source is scalar, index should have one element (got ${index.length})`);
  }
  if (a !== b && a !== 0 && b !== 0) {
    throw new IndexError(
      `index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality (${b}), destination dimensionality (${a})`,
    );
  }
  needLong('index_copy_()', index);
  if (self.dtype !== source.dtype) {
    throw new RuntimeError(
      `index_copy_(): self and source expected to have the same dtype, but got (self) ${self.dtype.scalarTypeName} and (source) ${source.dtype.scalarTypeName}`,
    );
  }
  sameBackend('index_copy_', [self, index, source], ['self', 'index', 'source']);
  const slice = (x: Tensor) => x.sizes.filter((_, d) => d !== at);
  if (!sameSizes(slice(self), slice(source))) {
    throw new RuntimeError(
      `index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: ${slice(self).join(' ')} at dimension ${at} and source slice shape: ${slice(source).join(' ')} at dimension 0.`,
    );
  }
  if (b > 0 && index.length !== source.sizes[at]) {
    throw new IndexError(
      `index_copy_(): Number of indices (${index.length}) should be equal to source.size(dim) (${source.sizes[at]})`,
    );
  }
  return at;
}

function copySlices(self: Tensor, at: number, index: Tensor, source: Tensor): void {
  if (index.length === 0) return;
  // Scalars on either side are vectors of one element.
  const vector = (x: Tensor) => (x.sizes.length === 0 ? aliasTensor(x, x.offset, [1], [1], 1) : x);
  indexCopy(vector(self), at, vector(index), vector(source));
}

function indexCopyBackward(dim: number, sizes: readonly number[]): BackwardFunction {
  return ([grad], [index], node) => {
    const through = node.needs(0) ? grad!.index_fill(dim, index, 0) : null;
    if (!node.needs(1)) return [through, null];
    const picked = grad!.index_select(dim, index);
    return [through, sameSizes(picked.sizes, sizes) ? picked : picked.reshape(sizes as number[])];
  };
}

define(
  { doc: 'The slices of dimension dim at the positions in index become those of source.', function: false },
  {
    'index_copy_(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      index: Tensor,
      source: Tensor,
    ) => {
      checkChange(self, [self, source]);
      const at = checkIndexCopy(self, dim, index, source);
      checkNoOverlap(self, [index, source]);
      const write = () => copySlices(self, at, index, source);
      return changeInplace(
        'IndexCopyBackward0',
        self,
        [self, source],
        requiresGrad(source) ? [index, source] : [index],
        write,
        indexCopyBackward(at, source.sizes),
      );
    },
  },
);
define(
  { doc: 'As `index_copy_`, on a copy.' },
  {
    'index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
      source: Tensor,
    ) => {
      const at = checkIndexCopy(self, dim, index, source);
      const out = copyOf(self);
      copySlices(out, at, index, source);
      // The source, too, as in PyTorch.
      const save = requiresGrad(source) ? [index, source] : [index];
      return record('IndexCopyBackward0', out, [self, source], save, indexCopyBackward(at, source.sizes));
    },
  },
);

function checkIndexFill(self: Tensor, dim: number, index: Tensor, value: unknown): number {
  if (value instanceof Tensor && value.sizes.length > 0) {
    throw new RuntimeError(
      `index_fill_ only supports a 0-dimensional value tensor, but got tensor with ${value.sizes.length} dimension(s).`,
    );
  }
  if (index.dtype !== int64) throw new IndexError('index_fill_(): Expected dtype int64 for index.');
  sameBackend('index_fill_', [self, index], ['self', 'index']);
  if (index.sizes.length > 1) throw new RuntimeError('Index has to be a vector/scalar');
  const at = wrapDim(dim, self.sizes.length);
  if (!(value instanceof Tensor)) checkScalar(self.dtype, value);
  return at;
}

function fillSlices(self: Tensor, at: number, index: Tensor, value: Tensor | number | bigint): void {
  if (index.length === 0 || self.length === 0) return;
  const { backend } = self.storage;
  const one = emptyTensor(backend, [], self.dtype);
  if (value instanceof Tensor) copy(one, value.storage.backend === backend ? value : value.to(backend.device));
  else fillKernel(one, typeof value === 'boolean' ? Number(value) : value);
  const target = self.sizes.length === 0 ? aliasTensor(self, self.offset, [1], [1], 1) : self;
  const sizes = target.sizes.slice();
  sizes[at] = index.length;
  const length = sizes.reduce((n, size) => n * size, 1);
  const source = new Tensor(
    one.storage,
    0,
    sizes,
    sizes.map(() => 0),
    self.dtype,
    length,
    false,
  );
  indexFill(target, at, index, source);
  source.dispose();
  one.dispose();
}

/** `value`: whether a tensor was the value. */
function indexFillBackward(dim: number, value: boolean): BackwardFunction {
  return ([grad], [index], node) => {
    const through = node.needs(0) ? grad!.index_fill(dim, index, 0) : null;
    if (!value) return [through];
    // A place that is named twice holds the value once.
    return [through, node.needs(1) ? grad!.index_select(dim, index.unique()).sum() : null];
  };
}

const detached = (value: unknown) => (value instanceof Tensor ? value.detach() : (value as number));

define(
  { doc: 'The slices of dimension dim at the positions in index are filled with a value.', function: false },
  {
    'index_fill_(Tensor(a!) self, int dim, Tensor index, Tensor|Scalar value) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      index: Tensor,
      value: Tensor | number,
    ) => {
      const isTensor = value instanceof Tensor;
      const inputs = isTensor ? [self, value] : [self];
      checkChange(self, inputs);
      const at = checkIndexFill(self, dim, index, value);
      if (overlapsItself(self)) {
        warnOnce(
          'Use of index_fill_ on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also applies to advanced indexing e.g. tensor[mask] = scalar',
        );
      }
      checkShared(self, [index]);
      return changeInplace(
        isTensor ? 'IndexFillBackward1' : 'IndexFillBackward0',
        self,
        inputs,
        [index],
        () => fillSlices(self, at, index, detached(value)),
        indexFillBackward(at, isTensor),
      );
    },
  },
);
define(
  { doc: 'As `index_fill_`, on a copy.' },
  {
    'index_fill(Tensor self, int dim, Tensor index, Tensor|Scalar value) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
      value: Tensor | number,
    ) => {
      const isTensor = value instanceof Tensor;
      const at = checkIndexFill(self, dim, index, value);
      const out = finishNew(self.detach().clone(), [self]);
      fillSlices(out, at, index, detached(value));
      return record(
        isTensor ? 'IndexFillBackward1' : 'IndexFillBackward0',
        out,
        isTensor ? [self, value] : [self],
        [index],
        indexFillBackward(at, isTensor),
      );
    },
  },
);

define(
  {
    doc: 'One row of num_classes zeros and a 1 for every class number; num_classes -1: as many as there are. Waits for the device.',
    functional: true,
    method: false,
  },
  {
    'one_hot(Tensor self, int num_classes=-1) -> Tensor': (self: Tensor, num_classes: number) => {
      if (self.dtype !== int64) {
        throw new RuntimeError('one_hot is only applicable to index tensor of type LongTensor.');
      }
      if (self.length === 0) {
        if (num_classes <= 0) throw new RuntimeError('Can not infer total number of classes from empty tensor.');
        return self.new_zeros([...self.sizes, num_classes]);
      }
      if (Number(self.min().item()) < 0) throw new RuntimeError('Class values must be non-negative.');
      const largest = Number(self.max().item());
      if (num_classes === -1) num_classes = largest + 1;
      else if (num_classes <= largest) throw new RuntimeError('Class values must be smaller than num_classes.');
      return self.new_zeros([...self.sizes, num_classes]).scatter_(-1, self.unsqueeze(-1), 1);
    },
  },
);
