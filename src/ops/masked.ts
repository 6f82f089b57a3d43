/** Picking and placing by masks: masked_select and masked_scatter. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { bool } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { broadcastSizes, numel } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { takeMasked } from '../kernels/gather.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { finishNew } from './inplace.ts';
import { cat } from './join.ts';
import { checkNoOverlap } from './layout.ts';
import { define } from './registry.ts';
import { expand } from './views.ts';

function maskedSelect(self: Tensor, mask: Tensor): Tensor {
  if (mask.dtype !== bool) throw new RuntimeError('masked_select: expected BoolTensor for mask');
  sameBackend('masked_select', [self, mask], ['self', 'mask']);
  const sizes = broadcastSizes(mask.sizes, self.sizes);
  const x = expand(self.detach(), sizes);
  const out = x.index([expand(mask.detach(), sizes)]).reshape(-1);
  // self, too, as in PyTorch.
  return record('MaskedSelectBackward0', finishNew(out, [self]), [self], [self, mask], selectBackward);
}

const selectBackward: BackwardFunction = ([grad], [self, mask]) => {
  const sizes = broadcastSizes(mask.sizes, self.sizes);
  return grad!
    .new_zeros(sizes as number[])
    .masked_scatter(mask, grad!)
    .sum_to_size(self.sizes as number[]);
};

define(
  { doc: 'The elements where mask (broadcast with self) is true, as a vector. Waits for the device.' },
  { 'masked_select(Tensor self, Tensor mask) -> Tensor': maskedSelect },
);

function checkMaskedScatter(self: Tensor, mask: Tensor, source: Tensor): void {
  if (self.dtype !== source.dtype) {
    throw new RuntimeError(
      `masked_scatter: expected self and source to have same dtypes but got${self.dtype.scalarTypeName} and ${source.dtype.scalarTypeName}`,
    );
  }
  if (mask.dtype !== bool) {
    throw new RuntimeError(
      `masked_scatter_ only supports boolean masks, but got mask with dtype ${mask.dtype.scalarTypeName}`,
    );
  }
  sameBackend('masked_scatter_', [self, mask, source], ['self', 'mask', 'source']);
}

/** Where mask (of out's sizes) is true, out gets source's elements in their order; elsewhere x's. */
function scatterMasked(out: Tensor, x: Tensor, mask: Tensor, source: Tensor): void {
  if (out.length === 0) return;
  if (source.length === 0) {
    if (mask.any().item()) throw new RuntimeError('Number of elements of source < number of ones in mask');
    if (out !== x) copy(out, x);
    return;
  }
  // The place in source of every element: how many before it are masked.
  const places = mask.reshape(-1).cumsum(0).sub_(1).clamp_(0);
  const taken = emptyTensor(out.storage.backend, [out.length], out.dtype);
  takeMasked(taken, source.reshape(-1), places);
  const result = taken.reshape(out.sizes as number[]).where(mask, x);
  copy(out, result);
  result.storage.freeNow();
  taken.storage.freeNow();
  places.storage.freeNow();
}

/** `sizes`: of the source. */
function scatterBackward(sizes: readonly number[]): BackwardFunction {
  return ([grad], [mask], node) => {
    const through = node.needs(0) ? grad!.masked_fill(mask, 0) : null;
    if (!node.needs(1)) return [through, null];
    const picked = grad!.masked_select(mask);
    const missing = numel(sizes) - picked.length;
    const whole = missing > 0 ? cat([picked, picked.new_zeros(missing)]) : picked;
    return [through, whole.view(sizes as number[])];
  };
}

define(
  { doc: 'A copy of self with the elements of source, in order, where mask is true.' },
  {
    'masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor': (
      self: Tensor,
      mask: Tensor,
      source: Tensor,
    ) => {
      const sizes = broadcastSizes(mask.sizes, self.sizes);
      const wide = expand(self, sizes);
      checkMaskedScatter(wide, mask, source);
      const out = emptyTensor(self.storage.backend, sizes, self.dtype);
      const truth = expand(mask.detach(), sizes);
      scatterMasked(out, wide.detach(), truth, source.detach());
      finishNew(out, [self, source]);
      return record('MaskedScatterBackward0', out, [wide, source], [truth], scatterBackward(source.sizes));
    },
  },
);

define(
  { doc: 'Elements where mask is true become those of source, in order.', function: false },
  {
    'masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)': (
      self: Tensor,
      mask: Tensor,
      source: Tensor,
    ) => {
      checkChange(self, [self, source]);
      const truth = expand(mask.detach(), self.sizes);
      checkMaskedScatter(self, mask, source);
      checkNoOverlap(self, [mask, source]);
      const save = requiresGrad(self) || requiresGrad(source) ? [truth] : [];
      const write = () => scatterMasked(self, self.detach(), truth, source.detach());
      const backward = scatterBackward(source.sizes);
      return changeInplace('MaskedScatterBackward0', self, [self, source], save, write, backward);
    },
  },
);
