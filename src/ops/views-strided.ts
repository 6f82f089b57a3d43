/** as_strided and its gradient. */

import { setHistory, shouldRecord1, touchGroup } from '../autograd/record.ts';
import { asStridedNode, makeView } from '../autograd/views.ts';
import { int64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { numel, showSizes } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { fromHost } from './host.ts';
import { define } from './registry.ts';

function checkStrided(sizes: readonly number[], strides: readonly number[], offset: number, self: Tensor): void {
  if (sizes.length !== strides.length) {
    throw new RuntimeError('mismatch in length of strides and shape');
  }
  if (offset < 0) throw new RuntimeError(`Tensor: invalid storage offset ${offset}`);
  let last = offset;
  for (let i = 0; i < sizes.length; i++) {
    if (strides[i] < 0) {
      throw new RuntimeError(
        `as_strided: Negative strides are not supported at the moment, got strides: ${showSizes(strides)}`,
      );
    }
    last += (sizes[i] - 1) * strides[i];
  }
  const size = self.dtype.itemsize;
  if (numel(sizes) > 0 && (last + 1) * size > self.storage.nbytes) {
    throw new RuntimeError(
      `setStorage: sizes ${showSizes(sizes)}, strides ${showSizes(strides)}, storage offset ${offset}, and itemsize ${size} requiring a storage size of ${(last + 1) * size} are out of bounds for storage of size ${self.storage.nbytes}`,
    );
  }
}

define(
  { doc: 'A view with the given sizes, strides and storage offset, all in elements.' },
  {
    'as_strided(Tensor(a) self, int[] size, int[] stride, int? storage_offset=None) -> Tensor(a)': (
      self: Tensor,
      size: number[],
      stride: number[],
      storage_offset: number | null,
    ) => {
      const offset = storage_offset ?? self.offset;
      checkStrided(size, stride, offset, self);
      const out = makeView(self, offset, size.slice(), stride.slice(), numel(size));
      if (shouldRecord1(self)) {
        const node = asStridedNode(self, out.sizes, out.strides, offset);
        setHistory(out, node, 0);
        touchGroup(node);
      }
      return out;
    },
  },
);

define(
  { doc: 'Gradient of as_strided: what the view received, added up where elements share memory.', function: false },
  {
    'as_strided_backward(Tensor self, int[] base_sizes, int[] base_strides, int[] sizes, int[] strides, int offset) -> Tensor':
      asStridedBackward,
  },
);

/** `self` is the gradient of the view (sizes, strides, offset relative to the base's); the result is the base's. */
function asStridedBackward(
  self: Tensor,
  base_sizes: number[],
  base_strides: number[],
  sizes: number[],
  strides: number[],
  offset: number,
): Tensor {
  // Expanded dimensions read one element many times.
  let grad = self;
  const kept: number[] = [];
  const expanded: number[] = [];
  for (let i = 0; i < sizes.length; i++) (strides[i] === 0 && sizes[i] > 1 ? expanded : kept).push(i);
  if (expanded.length > 0) grad = grad.sum(expanded);
  const viewSizes = kept.map((i) => sizes[i]);
  const viewStridesKept = kept.map((i) => strides[i]);
  const baseExpanded = base_sizes.map((size, i) => size > 1 && base_strides[i] === 0);
  const denseSizes = base_sizes.map((size, i) => (baseExpanded[i] ? 1 : size));
  const plain = !overlapping(viewSizes, viewStridesKept) && !baseExpanded.includes(true);
  // A view may begin before its base: everything is counted from the first of both.
  const shift = Math.max(0, -offset);
  const start = offset + shift;
  const extent = shift + extentOf(base_sizes, base_strides);
  if (plain && isDenseGeometry(base_sizes, base_strides)) {
    const full = grad.new_zeros([Math.max(extent, start + extentOf(viewSizes, viewStridesKept))]);
    full.as_strided(viewSizes, viewStridesKept, start).copy_(grad);
    return full.as_strided(base_sizes, base_strides, shift);
  }
  // Overlapping views: add element by element through flat positions.
  const flat = grad.new_zeros([Math.max(extent, start + extentOf(viewSizes, viewStridesKept))]);
  const added = flat.index_put([positions(grad, viewSizes, viewStridesKept, start)], grad, true);
  const at = positions(grad, denseSizes, base_strides, shift);
  const count = flat.new_zeros([flat.length]).index_put([at], flat.new_ones(denseSizes), true);
  // A base element that several positions share gets an equal part of the sum, as in PyTorch.
  const result = added.index([at]).div(count.index([at]));
  const parts = baseExpanded.reduce((product, is, i) => (is ? product * base_sizes[i] : product), 1);
  return result.div(parts).expand(base_sizes);
}

function extentOf(sizes: readonly number[], strides: readonly number[]): number {
  if (numel(sizes) === 0) return 0;
  let extent = 1;
  for (let i = 0; i < sizes.length; i++) extent += (sizes[i] - 1) * strides[i];
  return extent;
}

function isDenseGeometry(sizes: readonly number[], strides: readonly number[]): boolean {
  return !overlapping(sizes, strides);
}

/** Whether two elements of such a view may share memory; true also where it is hard to tell. */
function overlapping(sizes: readonly number[], strides: readonly number[]): boolean {
  const dims = sizes.map((_, i) => i).filter((i) => sizes[i] > 1);
  dims.sort((a, b) => strides[a] - strides[b]);
  let reach = 0;
  for (const i of dims) {
    if (strides[i] <= reach) return true;
    reach += (sizes[i] - 1) * strides[i];
  }
  return false;
}

/** Flat positions of the elements of a view, as an int64 tensor of its shape. */
function positions(like: Tensor, sizes: readonly number[], strides: readonly number[], offset: number): Tensor {
  const out = new BigInt64Array(numel(sizes));
  const index = new Array<number>(sizes.length).fill(0);
  for (let k = 0; k < out.length; k++) {
    let at = offset;
    for (let i = 0; i < sizes.length; i++) at += index[i] * strides[i];
    out[k] = BigInt(at);
    for (let i = sizes.length - 1; i >= 0; i--) {
      if (++index[i] < sizes[i]) break;
      index[i] = 0;
    }
  }
  return fromHost(like.storage.backend, sizes, int64, out);
}
