/** Further views: moved dimensions, diagonals, windows, pieces at given places, and at least so many dimensions. */

import { record } from '../autograd/record.ts';
import { RuntimeError } from '../core/errors.ts';
import { int64 } from '../core/dtype.ts';
import { showSizes, wrapDim } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { toHost } from './host.ts';
import { aliasOf, permute, slice, view } from './views.ts';
import { define } from './registry.ts';

/** @throws RuntimeError where a dimension is named twice */
function distinct(which: string, given: readonly number[], wrapped: readonly number[]): void {
  if (new Set(wrapped).size !== wrapped.length) {
    throw new RuntimeError(`movedim: repeated dim in \`${which}\` (${showSizes(given)})`);
  }
}

function movedim(self: Tensor, source: readonly number[], destination: readonly number[]): Tensor {
  if (source.length !== destination.length) {
    throw new RuntimeError(
      `movedim: Invalid source or destination dims: source (${showSizes(source)} dims) should contain the same number of dims as destination (${showSizes(destination)} dims)`,
    );
  }
  const rank = self.sizes.length;
  const from = source.map((d) => wrapDim(d, rank));
  const to = destination.map((d) => wrapDim(d, rank));
  distinct('source', source, from);
  distinct('destination', destination, to);
  if (rank === 0) return aliasOf(self);
  const order = new Array<number>(rank).fill(-1);
  from.forEach((d, i) => {
    order[to[i]] = d;
  });
  // The others stay in their order.
  let next = 0;
  for (let i = 0; i < rank; i++) {
    if (order[i] >= 0) continue;
    while (from.includes(next)) next++;
    order[i] = next++;
  }
  return permute(self, order);
}

for (const name of ['movedim', 'moveaxis'] as const) {
  define(
    { doc: 'Dimensions `source` moved to the places `destination`; the others keep their order.' },
    {
      [`${name}(Tensor(a) self, int source, int destination) -> Tensor(a)`]: (self: Tensor, a: number, b: number) =>
        movedim(self, [a], [b]),
      [`${name}(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)`]: movedim,
    },
  );
}

export function diagonal(self: Tensor, offset: number, dim1: number, dim2: number): Tensor {
  const rank = self.sizes.length;
  const a = wrapDim(dim1, rank);
  const b = wrapDim(dim2, rank);
  if (a === b) throw new RuntimeError(`diagonal dimensions cannot be identical ${dim1}, ${dim2}`);
  const [n, m] = [self.sizes[a], self.sizes[b]];
  const length = Math.max(0, offset >= 0 ? Math.min(n, m - offset) : Math.min(n + offset, m));
  const start = length === 0 ? 0 : offset >= 0 ? offset * self.strides[b] : -offset * self.strides[a];
  const rest = (list: readonly number[]) => list.filter((_, d) => d !== a && d !== b);
  const own = self.sizes;
  const sizes = [...rest(own), length];
  const strides = [...rest(self.strides), self.strides[a] + self.strides[b]];
  return view('DiagonalBackward0', self, self.offset + start, sizes, strides, (grad) => {
    const full = grad.new_zeros(own as number[]);
    full.diagonal(offset, a, b).copy_(grad);
    return full;
  });
}

define(
  { doc: 'The diagonal of dimensions dim1 and dim2 as a last dimension; offset > 0 lies above the main one.' },
  { 'diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)': diagonal },
);

function unfold(self: Tensor, dimension: number, size: number, step: number): Tensor {
  const rank = self.sizes.length;
  const at = wrapDim(dimension, rank);
  const whole = rank === 0 ? 1 : self.sizes[at];
  if (size < 0) throw new RuntimeError(`size is ${size} but must be >= 0`);
  if (size > whole) {
    throw new RuntimeError(`maximum size for tensor at dimension ${at} is ${whole} but size is ${size}`);
  }
  if (step <= 0) throw new RuntimeError(`step is ${step} but must be > 0`);
  const sizes = [...self.sizes, size];
  const strides = [...self.strides, rank === 0 ? 1 : self.strides[at]];
  if (rank > 0) {
    sizes[at] = Math.floor((whole - size) / step) + 1;
    strides[at] *= step;
  }
  const own = self.sizes;
  return view('UnfoldBackward0', self, self.offset, sizes, strides, (grad) =>
    unfoldBackward(grad, own, at, size, step),
  );
}

/** Every element gets the sum of what its places in the windows received. */
function unfoldBackward(grad: Tensor, sizes: readonly number[], dim: number, size: number, step: number): Tensor {
  const full = grad.new_zeros(sizes as number[]);
  const g = grad.detach();
  if (sizes.length === 0) {
    if (size === 1) full.copy_(g.select(0, 0));
  } else if (step >= size) full.unfold(dim, size, step).copy_(g);
  else {
    const reach = (g.sizes[dim] - 1) * step + 1;
    for (let j = 0; j < size; j++) slice(full, dim, j, j + reach, step).add_(g.select(-1, j));
  }
  return record('UnfoldBackwardBackward0', full, [grad], [], ([again]) => again!.unfold(dim, size, step));
}

define(
  {
    doc: 'Windows of `size` elements of a dimension, `step` apart, as a view; the last dimension goes over a window.',
    function: false,
  },
  { 'unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)': unfold },
);

/** Pieces of dimension dim: from one place to the next, as Python's slices are. */
function splitAt(self: Tensor, indices: readonly number[], dim: number): Tensor[] {
  let start = 0;
  const pieces: Tensor[] = [];
  for (const end of indices) {
    pieces.push(slice(self, dim, start, end, 1));
    start = end;
  }
  pieces.push(slice(self, dim, start, null, 1));
  return pieces;
}

/** `sections` pieces; the first ones are one longer where it does not come out even. */
function splitEvenly(self: Tensor, sections: number, dim: number): Tensor[] {
  if (sections <= 0) throw new RuntimeError(`number of sections must be larger than 0, got ${sections}`);
  const total = self.sizes[dim];
  const [least, longer] = [Math.floor(total / sections), total % sections];
  let start = 0;
  return Array.from({ length: sections }, (_, i) => {
    const end = start + least + (i < longer ? 1 : 0);
    const piece = slice(self, dim, start, end, 1);
    start = end;
    return piece;
  });
}

function tensorSplit(self: Tensor, parts: number | readonly number[], dim: number): Tensor[] {
  const rank = self.sizes.length;
  if (rank === 0) {
    throw new RuntimeError('tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims');
  }
  const at = wrapDim(dim, rank);
  return typeof parts === 'number' ? splitEvenly(self, parts, at) : splitAt(self, parts, at);
}

define(
  { doc: 'Pieces of dimension dim: so many of about equal size, or cut at the given places.' },
  {
    'tensor_split(Tensor(a) self, int sections, int dim=0) -> Tensor[]': tensorSplit,
    'tensor_split(Tensor(a) self, int[] indices, int dim=0) -> Tensor[]': tensorSplit,
    'tensor_split(Tensor(a) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[]': (
      self: Tensor,
      parts: Tensor,
      dim: number,
    ) => {
      if (parts.dtype !== int64) {
        throw new RuntimeError(
          `tensor_split expected tensor_indices_or_sections to have dtype of long, but got ${parts.dtype.scalarTypeName}`,
        );
      }
      if (parts.sizes.length > 1) {
        throw new RuntimeError(
          `tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a tensor with ${parts.sizes.length} dims`,
        );
      }
      const values = Array.from(toHost(parts) as BigInt64Array, Number);
      return tensorSplit(self, parts.sizes.length === 0 ? values[0] : values, dim);
    },
  },
);

for (const [name, least, dimOf] of [
  ['hsplit', 1, (rank: number) => (rank === 1 ? 0 : 1)],
  ['vsplit', 2, () => 0],
  ['dsplit', 3, () => 2],
] as const) {
  const check = (self: Tensor) => {
    const rank = self.sizes.length;
    if (rank < least) {
      throw new RuntimeError(
        `torch.${name} requires a tensor with at least ${least} dimension, but got a tensor with ${rank} dimensions!`,
      );
    }
    return dimOf(rank);
  };
  define(
    {
      doc: `Pieces of dimension ${name === 'hsplit' ? '1 (of a vector 0)' : name === 'vsplit' ? 0 : 2}, of equal size or cut at the given places.`,
    },
    {
      [`${name}(Tensor(a) self, int sections) -> Tensor[]`]: (self: Tensor, sections: number) => {
        const dim = check(self);
        const size = self.sizes[dim];
        if (sections === 0 || size % sections !== 0) {
          throw new RuntimeError(
            `torch.${name} attempted to split along dimension ${dim}, but the size of the dimension ${size} is not divisible by the split_size ${sections}!`,
          );
        }
        return tensorSplit(self, sections, dim);
      },
      [`${name}(Tensor(a) self, int[] indices) -> Tensor[]`]: (self: Tensor, indices: number[]) =>
        tensorSplit(self, indices, check(self)),
    },
  );
}

const AT_LEAST: readonly ((x: Tensor) => Tensor)[] = [
  (x) => (x.sizes.length === 0 ? x.reshape(1) : x),
  (x) => (x.sizes.length === 0 ? x.reshape(1, 1) : x.sizes.length === 1 ? x.unsqueeze(0) : x),
  (x) => {
    const rank = x.sizes.length;
    if (rank === 0) return x.reshape(1, 1, 1);
    if (rank === 1) return x.unsqueeze(0).unsqueeze(-1);
    return rank === 2 ? x.unsqueeze(-1) : x;
  },
];

AT_LEAST.forEach((raise, i) => {
  const name = `atleast_${i + 1}d`;
  define(
    {
      doc: `A view with at least ${i + 1} dimension${i === 0 ? '' : 's'}, of one tensor or of several.`,
      method: false,
    },
    {
      [`${name}(Tensor(a) self) -> Tensor(a)`]: raise,
      [`${name}(Tensor... tensors) -> Tensor[]`]: (tensors: Tensor[]) => tensors.map(raise),
    },
  );
});

/** A tensor with at least so many dimensions, as `atleast_1d`, `atleast_2d`, `atleast_3d` make it. */
export function atLeast(rank: 1 | 2 | 3, x: Tensor): Tensor {
  return AT_LEAST[rank - 1](x);
}
