/** cat and stack. */

import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { RuntimeError, ValueError } from '../core/errors.ts';
import { contiguousStrides, numel, sameSizes, showSizes, wrapDim } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { commonDType } from './pointwise-op.ts';
import { define } from './registry.ts';

/** Tensors one after the other along dim; dtypes are promoted. */
export function cat(tensors: readonly Tensor[], dim = 0): Tensor {
  if (tensors.length === 0) throw new ValueError('torch.cat(): expected a non-empty list of Tensors');
  tensors.forEach((x, i) => {
    if (x.sizes.length === 0) {
      throw new RuntimeError(`zero-dimensional tensor (at position ${i}) cannot be concatenated`);
    }
  });
  const backend = sameBackend(
    'cat',
    tensors,
    tensors.map(() => 'tensors'),
  );
  const dtype = commonDType(tensors, 0, null);
  // PyTorch lets 1-D empty tensors stand beside anything.
  const skipped = (x: Tensor) => x.sizes.length === 1 && x.sizes[0] === 0;
  const first = tensors.find((x) => !skipped(x)) ?? tensors[0];
  // With nothing but those, dim says nothing.
  const at = skipped(first) ? 0 : wrapDim(dim, first.sizes.length);
  let total = 0;
  tensors.forEach((x, i) => {
    if (skipped(x)) return;
    if (x.sizes.length !== first.sizes.length) {
      throw new RuntimeError(
        `Tensors must have same number of dimensions: got ${first.sizes.length} and ${x.sizes.length}`,
      );
    }
    x.sizes.forEach((size, d) => {
      if (d !== at && size !== first.sizes[d]) {
        throw new RuntimeError(
          `Sizes of tensors must match except in dimension ${at}. Expected size ${first.sizes[d]} but got size ${size} for tensor number ${i} in the list.`,
        );
      }
    });
    total += x.sizes[at];
  });
  const sizes = first.sizes.slice();
  sizes[at] = total;
  const out = emptyTensor(backend, sizes, dtype);
  let start = 0;
  const starts: number[] = [];
  for (const x of tensors) {
    starts.push(start);
    if (skipped(x)) continue;
    const part = aliasTensor(out, start * out.strides[at], x.sizes, out.strides, x.length);
    copy(part, x);
    part.dispose();
    start += x.sizes[at];
  }
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  const lengths = tensors.map((x) => (skipped(x) ? -1 : x.sizes[at]));
  return record('CatBackward0', out, tensors, [], catBackward(at, starts, lengths));
}

/** `lengths`: -1 for a tensor that was left out. */
function catBackward(dim: number, starts: readonly number[], lengths: readonly number[]): BackwardFunction {
  return ([grad], _saved, node) =>
    lengths.map((length, i) => {
      if (!node.needs(i)) return null;
      return length < 0 ? grad!.new_zeros([0]) : grad!.narrow(dim, starts[i], length);
    });
}

/** Tensors of one shape along a new dimension. */
export function stack(tensors: readonly Tensor[], dim = 0): Tensor {
  if (tensors.length === 0) throw new RuntimeError('stack expects a non-empty TensorList');
  const first = tensors[0].sizes;
  const at = wrapDim(dim, first.length + 1);
  tensors.forEach((x, i) => {
    if (!sameSizes(x.sizes, first)) {
      throw new RuntimeError(
        `stack expects each tensor to be equal size, but got ${showSizes(first)} at entry 0 and ${showSizes(x.sizes)} at entry ${i}`,
      );
    }
  });
  const backend = sameBackend(
    'stack',
    tensors,
    tensors.map(() => 'tensors'),
  );
  const sizes = first.slice();
  sizes.splice(at, 0, tensors.length);
  const out = emptyTensor(backend, sizes, commonDType(tensors, 0, null));
  const strides = contiguousStrides(sizes);
  const [step] = strides.splice(at, 1);
  tensors.forEach((x, i) => {
    const part = aliasTensor(out, i * step, first, strides, numel(first));
    copy(part, x);
    part.dispose();
  });
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  return record('StackBackward0', out, tensors, [], stackBackward(at));
}

function stackBackward(dim: number): BackwardFunction {
  return ([grad], _saved, node) => node.nextNodes.map((_, i) => (node.needs(i) ? grad!.select(dim, i) : null));
}

define(
  { doc: 'Tensors one after the other along dimension dim.' },
  { 'cat(Tensor[] tensors, int dim=0) -> Tensor': cat },
);
for (const name of ['concat', 'concatenate'] as const) {
  define({ doc: 'Another name of cat.' }, { [`${name}(Tensor[] tensors, int dim=0) -> Tensor`]: cat });
}
define(
  { doc: 'Tensors of one shape along a new dimension dim.' },
  { 'stack(Tensor[] tensors, int dim=0) -> Tensor': stack },
);
