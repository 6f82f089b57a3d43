/** Copies of a tensor's elements in another order or number: flip, roll, repeat, tile. */

import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, touchGraphOf } from '../autograd/record.ts';
import { IndexError, RuntimeError } from '../core/errors.ts';
import { contiguousStrides, numel, wrapDim } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, Tensor } from '../tensor/tensor.ts';
import { checkSizes, emptyLike } from './creation.ts';
import { define } from './registry.ts';

export function finish(out: Tensor, self: Tensor): Tensor {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) touchGraphOf(self);
  return out;
}

/** Elements of x's storage as a launch sees them: no view for autograd, and strides may be negative. */
function window(x: Tensor, offset: number, sizes: readonly number[], strides: readonly number[]): Tensor {
  return new Tensor(x.storage, offset, sizes, strides, x.dtype, numel(sizes), false);
}

function copyWindow(out: Tensor, source: Tensor): void {
  copy(out, source);
  source.dispose();
}

export function flip(self: Tensor, dims: readonly number[]): Tensor {
  const rank = self.sizes.length;
  const flipped = new Array<boolean>(rank).fill(false);
  for (const dim of dims) {
    const at = wrapDim(dim, rank);
    if (rank === 0) continue;
    if (flipped[at]) throw new RuntimeError(`dim ${at} appears multiple times in the list of dims`);
    flipped[at] = true;
  }
  const out = emptyLike(self, null, null);
  if (out.length > 0) {
    let { offset } = self;
    const strides = self.strides.map((stride, d) => {
      if (!flipped[d]) return stride;
      offset += (self.sizes[d] - 1) * stride;
      return -stride;
    });
    copyWindow(out, window(self, offset, self.sizes, strides));
  }
  return record('FlipBackward0', finish(out, self), [self], [], flipBackward(dims.slice()));
}

// Backward functions are made apart from the functions that have the tensors: what one closure there refers to, all keep.
const flipBackward =
  (dims: number[]): BackwardFunction =>
  ([grad]) =>
    grad!.flip(dims);

define(
  { doc: 'A copy with the order of elements reversed along the dimensions dims.' },
  { 'flip(Tensor self, int... dims) -> Tensor': flip },
);

for (const [name, least, dim] of [
  ['fliplr', 2, 1],
  ['flipud', 1, 0],
] as const) {
  define(
    { doc: `A copy with dimension ${dim} reversed.` },
    {
      [`${name}(Tensor self) -> Tensor`]: (self: Tensor) => {
        if (self.sizes.length < least) throw new RuntimeError(`Input must be >= ${least}-d.`);
        return flip(self, [dim]);
      },
    },
  );
}

/** One dimension rolled into a new contiguous tensor. */
function rollOne(self: Tensor, shift: number, at: number): Tensor {
  const out = emptyTensor(self.storage.backend, self.sizes, self.dtype);
  const size = self.sizes[at];
  // What goes to the front.
  const front = ((shift % size) + size) % size;
  const part = (from: number, to: number, length: number) => {
    if (length === 0) return;
    const sizes = self.sizes.slice();
    sizes[at] = length;
    const target = window(out, to * out.strides[at], sizes, out.strides);
    copyWindow(target, window(self, self.offset + from * self.strides[at], sizes, self.strides));
    target.dispose();
  };
  part(size - front, 0, front);
  part(0, front, size - front);
  return out;
}

/** @throws IndexError for a dimension of a tensor that has none */
function needDims(x: Tensor, dim: number): void {
  if (x.sizes.length === 0) throw new IndexError(`Dimension specified as ${dim} but tensor has no dimensions`);
}

function rolled(self: Tensor, shifts: readonly number[], dims: readonly number[]): Tensor {
  if (self.length === 0) return self.clone();
  if (dims.length === 0) {
    const flat = self.reshape(-1);
    const out = rollOne(flat, shifts[0], 0);
    return window(out, 0, self.sizes, contiguousStrides(self.sizes));
  }
  let out = self;
  dims.forEach((dim, i) => {
    needDims(self, dim);
    const next = rollOne(out, shifts[i], wrapDim(dim, self.sizes.length));
    if (out !== self) out.storage.freeNow();
    out = next;
  });
  return out;
}

function roll(self: Tensor, shifts: readonly number[], dims: readonly number[]): Tensor {
  if (shifts.length === 0) throw new RuntimeError('`shifts` required');
  if (dims.length !== shifts.length && !(dims.length === 0 && shifts.length === 1)) {
    throw new RuntimeError(`shifts and dimensions must align. shifts: ${shifts.length}, dims:${dims.length}`);
  }
  const result = rolled(self.detach(), shifts, dims);
  // Whatever made it, its handle is new and contiguous.
  const out = new Tensor(result.storage, 0, self.sizes, contiguousStrides(self.sizes), self.dtype, self.length, true);
  result.dispose();
  const back = shifts.map((shift) => -shift);
  const at = dims.slice();
  return record('RollBackward0', finish(out, self), [self], [], ([grad]) => roll(grad!, back, at));
}

define(
  { doc: 'Elements moved by `shifts` along `dims`, round the end; without dims along the flattened tensor.' },
  { 'roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor': roll },
);

function repeat(self: Tensor, repeats: readonly number[]): Tensor {
  const extra = repeats.length - self.sizes.length;
  if (extra < 0) {
    throw new RuntimeError(
      'Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor',
    );
  }
  const own = [...new Array<number>(extra).fill(1), ...self.sizes];
  const sizes = checkSizes(own.map((size, d) => size * repeats[d]));
  const out = emptyTensor(self.storage.backend, sizes, self.dtype);
  if (out.length > 0) {
    // As [repeats, size] for every dimension, of which self is one copy.
    const wide: number[] = [];
    const from: number[] = [];
    own.forEach((size, d) => {
      wide.push(repeats[d], size);
      from.push(0, d < extra ? 0 : self.strides[d - extra]);
    });
    const target = window(out, 0, wide, contiguousStrides(wide));
    copyWindow(target, window(self, self.offset, wide, from));
    target.dispose();
  }
  return record('RepeatBackward0', finish(out, self), [self], [], repeated(self.sizes, repeats.slice()));
}

const repeated =
  (sizes: readonly number[], repeats: readonly number[]): BackwardFunction =>
  ([grad]) =>
    repeatBackward(grad!, sizes, repeats);

function repeatBackward(grad: Tensor, sizes: readonly number[], repeats: readonly number[]): Tensor {
  if (grad.length === 0) return grad.new_zeros(sizes as number[]);
  const extra = repeats.length - sizes.length;
  const wide: number[] = [];
  const summed: number[] = [];
  repeats.forEach((times, d) => {
    if (times !== 1 || d < extra) {
      summed.push(wide.length);
      wide.push(times);
    }
    if (d >= extra) wide.push(sizes[d - extra]);
  });
  return summed.length === 0 ? grad : grad.reshape(wide).sum(summed);
}

define(
  { doc: 'A copy with every dimension repeated so many times; new leading dimensions are allowed.', function: false },
  { 'repeat(Tensor self, int... repeats) -> Tensor': repeat },
);

define(
  { doc: 'As `repeat`, but fewer numbers count from the last dimension.' },
  {
    'tile(Tensor self, int... dims) -> Tensor': (self: Tensor, dims: number[]) => {
      const missing = self.sizes.length - dims.length;
      return repeat(self, missing > 0 ? [...new Array<number>(missing).fill(1), ...dims] : dims);
    },
  },
);
