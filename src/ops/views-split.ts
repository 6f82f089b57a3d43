/** Ops that give several views at once: split, chunk, unbind. */

import { type BackwardFunction, record } from '../autograd/record.ts';
import { makeView } from '../autograd/views.ts';
import { IndexError, RuntimeError } from '../core/errors.ts';
import { numel, showSizes, wrapDim } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { cat, stack } from './join.ts';
import { define } from './registry.ts';

/** Consecutive pieces of dimension dim. They may not be changed in place where gradients flow. */
function splitInto(self: Tensor, lengths: readonly number[], dim: number, name: string): Tensor[] {
  const at = wrapDim(dim, self.sizes.length);
  let start = 0;
  const pieces = lengths.map((length) => {
    const sizes = self.sizes.slice();
    sizes[at] = length;
    const piece = makeView(
      self,
      self.offset + start * self.strides[at],
      sizes,
      self.strides,
      numel(sizes),
      'multi-output',
    );
    start += length;
    return piece;
  });
  return record(
    name,
    pieces,
    [self],
    [],
    splitBackward(
      self.sizes,
      pieces.map((p) => p.sizes),
      at,
    ),
  );
}

function splitBackward(own: readonly number[], shapes: readonly (readonly number[])[], dim: number): BackwardFunction {
  return (grads) => {
    const some = grads.find((g) => g !== null)!;
    if (grads.length === 0) return some.new_zeros(own as number[]);
    return cat(
      grads.map((g, i) => g ?? some.new_zeros(shapes[i] as number[])),
      dim,
    );
  };
}

function split(self: Tensor, size: number, dim: number): Tensor[] {
  if (self.sizes.length === 0) throw new RuntimeError('split expects at least a 1-dimensional tensor');
  if (size < 0) throw new RuntimeError(`split expects split_size be non-negative, but got split_size=${size}`);
  const at = wrapDim(dim, self.sizes.length);
  const total = self.sizes[at];
  if (size === 0 && total !== 0) {
    throw new RuntimeError(`split_size can only be 0 if dimension size is 0, but got dimension size of ${total}`);
  }
  const count = size === 0 ? 1 : Math.max(1, Math.ceil(total / size));
  const lengths = new Array<number>(count).fill(size);
  lengths[count - 1] = total - size * (count - 1);
  return splitInto(self, lengths, at, 'SplitBackward0');
}

define(
  { doc: 'Pieces of dimension dim: of one size (the last may be smaller), or of given sizes.' },
  {
    'split(Tensor(a) self, int split_size, int dim=0) -> Tensor[]': split,
    'split(Tensor(a) self, int[] split_size, int dim=0) -> Tensor[]': (self: Tensor, sizes: number[], dim: number) => {
      if (self.sizes.length === 0) throw new RuntimeError('split expects at least a 1-dimensional tensor');
      const at = wrapDim(dim, self.sizes.length);
      for (const size of sizes) {
        if (size < 0) {
          throw new RuntimeError(
            `split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=${showSizes(sizes)}`,
          );
        }
      }
      const sum = sizes.reduce((a, b) => a + b, 0);
      if (sum !== self.sizes[at]) {
        throw new RuntimeError(
          `split_with_sizes expects split_sizes to sum exactly to ${self.sizes[at]} (input tensor's size at dimension ${dim}), but got split_sizes=${showSizes(sizes)}`,
        );
      }
      return splitInto(self, sizes, at, 'SplitWithSizesBackward0');
    },
  },
);

define(
  { doc: 'At most `chunks` pieces of dimension dim, of equal size but for the last.' },
  {
    'chunk(Tensor(a) self, int chunks, int dim=0) -> Tensor[]': (self: Tensor, chunks: number, dim: number) => {
      if (self.sizes.length === 0) throw new RuntimeError('chunk expects at least a 1-dimensional tensor');
      if (chunks <= 0) throw new RuntimeError(`chunk expects \`chunks\` to be greater than 0, got: ${chunks}`);
      const at = wrapDim(dim, self.sizes.length);
      const total = self.sizes[at];
      if (total === 0 && chunks > 2 ** 24) throw new RuntimeError(`chunk: ${chunks} chunks are too many`);
      if (total === 0) return splitInto(self, new Array(chunks).fill(0), at, 'SplitWithSizesBackward0');
      return split(self, Math.ceil(total / chunks), at);
    },
  },
);

define(
  { doc: 'The slices along dimension dim, without that dimension.' },
  {
    'unbind(Tensor(a) self, int dim=0) -> Tensor[]': (self: Tensor, dim: number) => {
      if (self.sizes.length === 0) {
        wrapDim(dim, 0);
        throw new IndexError('Dimension specified as 0 but tensor has no dimensions');
      }
      const at = wrapDim(dim, self.sizes.length);
      const sizes = self.sizes.slice();
      const strides = self.strides.slice();
      const [count] = sizes.splice(at, 1);
      const [stride] = strides.splice(at, 1);
      const pieces: Tensor[] = [];
      for (let i = 0; i < count; i++) {
        pieces.push(makeView(self, self.offset + i * stride, sizes, strides, numel(sizes), 'multi-output'));
      }
      return record('UnbindBackward0', pieces, [self], [], (grads) => {
        const some = grads.find((g) => g !== null)!;
        return stack(
          grads.map((g) => g ?? some.new_zeros(sizes)),
          at,
        );
      });
    },
  },
);
