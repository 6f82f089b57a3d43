/** Views: other sizes and strides over the same storage, and the ops that copy only where no view will do. */

import { mode } from '../autograd/mode.ts';
import { record } from '../autograd/record.ts';
import { makeView, recordView } from '../autograd/views.ts';
import { IndexError, RuntimeError } from '../core/errors.ts';
import { contiguousStrides, inferSize, numel, showSizes, viewStrides, wrapDim } from '../core/shape.ts';
import { aliasTensor, FLAG_INFERENCE, FLAG_OWN, type Tensor, versionCounter } from '../tensor/tensor.ts';
import { define } from './registry.ts';
import { reinterpret } from './reinterpret.ts';

/** A recorded view; `backward` turns its gradient into x's. */
export function view(
  name: string,
  x: Tensor,
  offset: number,
  sizes: readonly number[],
  strides: readonly number[],
  backward: (grad: Tensor) => Tensor,
): Tensor {
  const out = makeView(x, offset, sizes, strides, numel(sizes));
  return recordView(name, out, x, backward);
}

/** A new view of all of x. */
export function aliasOf(x: Tensor): Tensor {
  return view('AliasBackward0', x, x.offset, x.sizes, x.strides, (grad) => grad);
}

const reshapeTo = (sizes: readonly number[]) => (grad: Tensor) => grad.reshape(sizes as number[]);

function viewAs(self: Tensor, shape: readonly number[]): Tensor {
  const sizes = inferSize(shape, self.length);
  const strides = viewStrides(self.sizes, self.strides, sizes);
  if (strides === null) {
    throw new RuntimeError(
      "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
    );
  }
  return view('ViewBackward0', self, self.offset, sizes, strides, reshapeTo(self.sizes));
}

define(
  {
    doc: 'self with another shape over the same storage; one size may be -1. Or its bytes as another dtype, without history.',
    function: false,
  },
  {
    'view(Tensor(a) self, dtype dtype) -> Tensor(a)': reinterpret,
    'view(Tensor(a) self, int... size) -> Tensor(a)': viewAs,
  },
);

define(
  { doc: "self with another tensor's shape.", function: false },
  { 'view_as(Tensor(a) self, Tensor other) -> Tensor(a)': (self: Tensor, other: Tensor) => viewAs(self, other.sizes) },
);

/**
 * An intermediate result in another shape. Nobody else knows its memory, so it counts as no view. Where its strides do not
 * allow it, a copy.
 */
export function unsafeView(result: Tensor, sizes: readonly number[], name = 'UnsafeViewBackward0'): Tensor {
  const kept = result.contiguousNow ? null : viewStrides(result.sizes, result.strides, sizes);
  const x = result.contiguousNow || kept !== null ? result : result.contiguous();
  const out = aliasTensor(x, x.offset, sizes, kept ?? contiguousStrides(sizes), x.length);
  out.flags |= x.flags & FLAG_INFERENCE;
  const back = reshapeTo(x.sizes);
  return record(name, out, [x], [], ([grad]) => back(grad!));
}

/** A view where strides allow it, otherwise a copy. */
export function reshape(self: Tensor, shape: readonly number[]): Tensor {
  const sizes = inferSize(shape, self.length);
  const strides = viewStrides(self.sizes, self.strides, sizes);
  if (strides !== null) {
    const name = self.contiguousNow ? 'ViewBackward0' : 'ReshapeAliasBackward0';
    return view(name, self, self.offset, sizes, strides, reshapeTo(self.sizes));
  }
  return unsafeView(self.contiguous(), sizes);
}

define(
  { doc: 'self with another shape: a view where possible, otherwise a copy. One size may be -1.' },
  { 'reshape(Tensor(a) self, int... shape) -> Tensor(a)': reshape },
);

define(
  { doc: "self with another tensor's shape.", function: false },
  {
    'reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)': (self: Tensor, other: Tensor) =>
      reshape(self, other.sizes),
  },
);

define(
  { doc: 'Dimensions start_dim to end_dim become one.' },
  {
    'flatten(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)': (
      self: Tensor,
      start_dim: number,
      end_dim: number,
    ) => {
      const rank = self.sizes.length;
      const start = wrapDim(start_dim, rank);
      const end = wrapDim(end_dim, rank);
      if (start > end) throw new RuntimeError('flatten() has invalid args: start_dim cannot come after end_dim');
      if (rank === 0) return reshape(self, [1]);
      if (start === end) return self;
      const middle = numel(self.sizes.slice(start, end + 1));
      return reshape(self, [...self.sizes.slice(0, start), middle, ...self.sizes.slice(end + 1)]);
    },
  },
);

define(
  { doc: 'All elements in one dimension, in row-major order: a view of what is contiguous.' },
  { 'ravel(Tensor(a) self) -> Tensor(a)': (self: Tensor) => viewAs(self.contiguous(), [-1]) },
);

define(
  { doc: 'Matrices transposed, as there are no complex numbers: the last two dimensions exchanged.' },
  {
    'adjoint(Tensor(a) self) -> Tensor(a)': (self: Tensor) => {
      const rank = self.sizes.length;
      if (rank === 1) {
        throw new RuntimeError(
          'tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.',
        );
      }
      return rank === 0 ? self : self.transpose(-2, -1);
    },
  },
);

define(
  { doc: 'Dimension dim becomes several, of the given sizes; one may be -1.' },
  {
    'unflatten(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)': (self: Tensor, dim: number, sizes: number[]) => {
      const at = wrapDim(dim, self.sizes.length);
      if (self.sizes.length === 0) {
        throw new RuntimeError(
          'unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions',
        );
      }
      if (sizes.length === 0) throw new RuntimeError('unflatten: sizes must be non-empty');
      let inner: number[];
      try {
        inner = inferSize(sizes, self.sizes[at]);
      } catch (error) {
        const { message } = error as Error;
        if (!message.startsWith('shape ')) throw new RuntimeError(`unflatten got an unexpected error:\n${message}`);
        throw new RuntimeError(
          `unflatten: Provided sizes ${showSizes(sizes)} don't multiply up to the size of dim ${at} (${self.sizes[at]}) in the input tensor`,
        );
      }
      return viewAs(self, [...self.sizes.slice(0, at), ...inner, ...self.sizes.slice(at + 1)]);
    },
  },
);

export function permute(self: Tensor, dims: readonly number[], name = 'PermuteBackward0'): Tensor {
  const rank = self.sizes.length;
  if (dims.length !== rank) {
    throw new RuntimeError(
      `permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = ${rank} is not equal to len(dims) = ${dims.length}`,
    );
  }
  const order = dims.map((d) => wrapDim(d, rank));
  if (new Set(order).size !== rank) throw new RuntimeError('permute(): duplicate dims are not allowed.');
  const inverse = new Array<number>(rank);
  order.forEach((from, to) => {
    inverse[from] = to;
  });
  const { sizes, strides } = self;
  return view(
    name,
    self,
    self.offset,
    order.map((d) => sizes[d]),
    order.map((d) => strides[d]),
    (grad) => grad.permute(inverse),
  );
}

define(
  { doc: 'Dimensions in another order.' },
  { 'permute(Tensor(a) self, int... dims) -> Tensor(a)': (self: Tensor, dims: number[]) => permute(self, dims) },
);

function transpose(self: Tensor, dim0: number, dim1: number, name = 'TransposeBackward0'): Tensor {
  const rank = self.sizes.length;
  const a = wrapDim(dim0, rank);
  const b = wrapDim(dim1, rank);
  const sizes = self.sizes.slice();
  const strides = self.strides.slice();
  if (rank > 0) {
    [sizes[a], sizes[b]] = [sizes[b], sizes[a]];
    [strides[a], strides[b]] = [strides[b], strides[a]];
  }
  return view(name, self, self.offset, sizes, strides, (grad) => grad.transpose(a, b));
}

define(
  { doc: 'Two dimensions exchanged.' },
  {
    'transpose(Tensor(a) self, int dim0, int dim1) -> Tensor(a)': (self: Tensor, a: number, b: number) =>
      transpose(self, a, b),
  },
);

for (const [name, dim] of [
  ['swapaxes', 'axis'],
  ['swapdims', 'dim'],
] as const) {
  define(
    { doc: 'Two dimensions exchanged; another name of transpose.' },
    {
      [`${name}(Tensor(a) self, int ${dim}0, int ${dim}1) -> Tensor(a)`]: (self: Tensor, a: number, b: number) =>
        transpose(self, a, b),
    },
  );
}

/**
 * The transpose of a matrix that the caller alone knows, or alone will know. Where nothing is recorded it is no view for
 * autograd: gradients go through several of these, and views cost more than the launches between them.
 */
export function transposed(x: Tensor): Tensor {
  if (mode.grad) return x.t();
  const { sizes, strides } = x;
  const out = aliasTensor(x, x.offset, [sizes[1], sizes[0]], [strides[1], strides[0]], x.length);
  out.flags = x.flags & FLAG_INFERENCE;
  return out;
}

/** Others may see a gradient that is not the framework's own together with its transpose: that is a view of it. */
const transposeBack = (grad: Tensor) => ((grad.flags & FLAG_OWN) !== 0 ? transposed(grad) : grad.t());

define(
  { doc: 'The transpose of a matrix; vectors and scalars as they are.' },
  {
    't(Tensor(a) self) -> Tensor(a)': (self: Tensor) => {
      const rank = self.sizes.length;
      if (rank > 2) {
        throw new RuntimeError(`t() expects a tensor with <= 2 dimensions, but self is ${rank}D`);
      }
      if (rank === 2) {
        const [n, m] = self.sizes;
        const [sn, sm] = self.strides;
        return view('TBackward0', self, self.offset, [m, n], [sm, sn], transposeBack);
      }
      return view('TBackward0', self, self.offset, self.sizes, self.strides, (grad) => grad);
    },
  },
);

define(
  { doc: 'A new dimension of size 1 at dim.' },
  {
    'unsqueeze(Tensor(a) self, int dim) -> Tensor(a)': (self: Tensor, dim: number) => {
      const rank = self.sizes.length;
      const at = wrapDim(dim, rank + 1);
      const sizes = self.sizes.slice();
      const strides = self.strides.slice();
      strides.splice(at, 0, at < rank ? sizes[at] * strides[at] : 1);
      sizes.splice(at, 0, 1);
      return view('UnsqueezeBackward0', self, self.offset, sizes, strides, (grad) => grad.squeeze(at));
    },
  },
);

function squeeze(self: Tensor, dims: readonly number[] | null, name: string): Tensor {
  const rank = self.sizes.length;
  const at = dims === null ? null : dims.map((d) => wrapDim(d, rank));
  at?.forEach((d, i) => {
    if (at.indexOf(d) < i) throw new RuntimeError(`dim ${d} appears multiple times in the list of dims`);
  });
  const keep: number[] = [];
  for (let i = 0; i < rank; i++) if (self.sizes[i] !== 1 || (at !== null && !at.includes(i))) keep.push(i);
  return view(
    name,
    self,
    self.offset,
    keep.map((i) => self.sizes[i]),
    keep.map((i) => self.strides[i]),
    reshapeTo(self.sizes),
  );
}

define(
  { doc: 'Without dimensions of size 1: all of them, or only those named.' },
  {
    'squeeze(Tensor(a) self) -> Tensor(a)': (self: Tensor) => squeeze(self, null, 'SqueezeBackward0'),
    'squeeze(Tensor(a) self, int dim) -> Tensor(a)': (self: Tensor, dim: number) =>
      squeeze(self, [dim], 'SqueezeBackward1'),
    'squeeze(Tensor(a) self, int[] dim) -> Tensor(a)': (self: Tensor, dim: number[]) =>
      squeeze(self, dim, 'SqueezeBackward2'),
  },
);

/** Sizes and strides of x expanded; -1 keeps a size. */
export function expandGeometry(self: Tensor, size: readonly number[]): { sizes: number[]; strides: number[] } {
  const extra = size.length - self.sizes.length;
  if (extra < 0) {
    throw new RuntimeError(
      `expand(${tensorType(self)}{${showSizes(self.sizes)}}, size=${showSizes(size)}): the number of sizes provided (${size.length}) must be greater or equal to the number of dimensions in the tensor (${self.sizes.length})`,
    );
  }
  const sizes = new Array<number>(size.length);
  const strides = new Array<number>(size.length);
  // From the end, as PyTorch: the last dimension that does not fit is the one it names.
  for (let i = size.length - 1; i >= 0; i--) {
    const own = i < extra ? 1 : self.sizes[i - extra];
    let wanted = size[i];
    if (wanted === -1) {
      if (i < extra) {
        throw new RuntimeError(
          `The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension ${i}`,
        );
      }
      wanted = own;
    }
    if (own !== wanted && own !== 1) {
      throw new RuntimeError(
        `The expanded size of the tensor (${wanted}) must match the existing size (${own}) at non-singleton dimension ${i}.  Target sizes: ${showSizes(size)}.  Tensor sizes: ${showSizes(self.sizes)}`,
      );
    }
    sizes[i] = wanted;
    strides[i] = i < extra ? 0 : own === wanted ? self.strides[i - extra] : 0;
    if (i < extra && wanted === 1) strides[i] = i + 1 < size.length ? 0 : 1;
  }
  // A new leading dimension of size 1 goes on evenly from the one behind it.
  for (let i = extra - 1; i >= 0; i--) {
    if (sizes[i] === 1) strides[i] = i + 1 < size.length ? sizes[i + 1] * strides[i + 1] : 1;
  }
  return { sizes, strides };
}

function tensorType(x: Tensor): string {
  const type = x.storage.backend.device.type;
  return `torch.${type === 'cpu' ? '' : `${type}.`}${x.dtype.tensorTypeName}`;
}

export function expand(self: Tensor, size: readonly number[]): Tensor {
  const { sizes, strides } = expandGeometry(self, size);
  const own = self.sizes;
  return view('ExpandBackward0', self, self.offset, sizes, strides, (grad) => grad.sum_to_size(own as number[]));
}

define(
  {
    doc: 'Dimensions of size 1 repeated without a copy; -1 keeps a size, new leading dimensions are allowed.',
    function: false,
  },
  {
    'expand(Tensor(a) self, int... size, *, bool implicit=False) -> Tensor(a)': (self: Tensor, size: number[]) =>
      expand(self, size),
  },
);

define(
  { doc: "self expanded to another tensor's shape.", function: false },
  {
    'expand_as(Tensor(a) self, Tensor other) -> Tensor(a)': (self: Tensor, other: Tensor) => expand(self, other.sizes),
  },
);

define(
  { doc: 'self expanded to the given shape.' },
  { 'broadcast_to(Tensor(a) self, int... size) -> Tensor(a)': (self: Tensor, size: number[]) => expand(self, size) },
);

define(
  { doc: 'The slice at `index` of dimension dim, without that dimension.' },
  {
    'select(Tensor(a) self, int dim, int index) -> Tensor(a)': (self: Tensor, dim: number, index: number) => {
      const rank = self.sizes.length;
      if (rank === 0) throw new IndexError('select() cannot be applied to a 0-dim tensor.');
      const at = wrapDim(dim, rank);
      const size = self.sizes[at];
      if (index < -size || index >= size) {
        throw new IndexError(
          `select(): index ${index} out of range for tensor of size ${showSizes(self.sizes)} at dimension ${at}`,
        );
      }
      const i = index < 0 ? index + size : index;
      const sizes = self.sizes.slice();
      const strides = self.strides.slice();
      const [stride] = strides.splice(at, 1);
      sizes.splice(at, 1);
      const own = self.sizes;
      return view('SelectBackward0', self, self.offset + i * stride, sizes, strides, (grad) => {
        const full = grad.new_zeros(own as number[]);
        full.select(at, i).copy_(grad);
        return full;
      });
    },
  },
);

/** Elements start, start + step … below end of dimension dim; bounds clamp as Python's slices do. */
export function slice(self: Tensor, dim: number, start: number | null, end: number | null, step: number): Tensor {
  const rank = self.sizes.length;
  if (rank === 0) throw new RuntimeError('slice() cannot be applied to a 0-dim tensor.');
  if (step <= 0) throw new RuntimeError('slice step must be positive');
  const at = wrapDim(dim, rank);
  const size = self.sizes[at];
  let from = start ?? 0;
  let to = end ?? size;
  if (from < 0) from += size;
  if (to < 0) to += size;
  from = Math.min(Math.max(from, 0), size);
  to = Math.min(Math.max(to, from), size);
  const sizes = self.sizes.slice();
  const strides = self.strides.slice();
  sizes[at] = Math.ceil((to - from) / step);
  const own = self.sizes;
  const offset = self.offset + from * strides[at];
  strides[at] *= step;
  return view('SliceBackward0', self, offset, sizes, strides, (grad) => {
    const full = grad.new_zeros(own as number[]);
    slice(full, at, from, to, step).copy_(grad);
    return full;
  });
}

function narrow(self: Tensor, dim: number, start: number, length: number): Tensor {
  if (self.sizes.length === 0) throw new RuntimeError('narrow() cannot be applied to a 0-dim tensor.');
  if (length < 0) throw new RuntimeError('narrow(): length must be non-negative.');
  const at = wrapDim(dim, self.sizes.length);
  const size = self.sizes[at];
  if (start < -size || start > size) {
    throw new IndexError(`start out of range (expected to be in range of [${-size}, ${size}], but got ${start})`);
  }
  const from = start < 0 ? start + size : start;
  if (from > size - length) {
    throw new RuntimeError(`start (${from}) + length (${length}) exceeds dimension size (${size}).`);
  }
  return slice(self, at, from, from + length, 1);
}

define(
  { doc: '`length` elements of dimension dim from `start` on.' },
  {
    'narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)': narrow,
    'narrow(Tensor(a) self, int dim, Tensor start, int length) -> Tensor(a)': (
      self: Tensor,
      dim: number,
      start: Tensor,
      length: number,
    ) => {
      if (start.sizes.length !== 0 || start.dtype.is_floating_point) {
        throw new RuntimeError('start must be an 0-dim integral Tensor.');
      }
      return narrow(self, dim, Number(start.item()), length);
    },
  },
);

define(
  { doc: 'self cut off from its graph; shares storage and version counter.' },
  {
    'detach(Tensor(a) self) -> Tensor(a)': (self: Tensor) => {
      const out = aliasTensor(self, self.offset, self.sizes, self.strides, self.length);
      if ((self.flags & FLAG_INFERENCE) !== 0) out.flags |= FLAG_INFERENCE;
      else out.version = versionCounter(self);
      return out;
    },
  },
);

/** x without its graph and with a version counter of its own: `.data`. */
export function dataOf(x: Tensor): Tensor {
  const out = aliasTensor(x, x.offset, x.sizes, x.strides, x.length);
  out.flags |= x.flags & FLAG_INFERENCE;
  return out;
}
