/** Picking and placing by masks: masked_select and masked_scatter. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { bool, int64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { broadcastSizes, numel } from '../core/shape.ts';
import { countNonzero } from '../kernels/gather.ts';
import { maskedScatter, maskedSelect } from '../kernels/masked.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { copyOf, finishNew } from './inplace.ts';
import { cat } from './join.ts';
import { checkNoOverlap } from './layout.ts';
import { define } from './registry.ts';
import { expand } from './views.ts';

function select(self: Tensor, mask: Tensor): Tensor {
  if (mask.dtype !== bool) throw new RuntimeError('masked_select: expected BoolTensor for mask');
  sameBackend('masked_select', [self, mask], ['self', 'mask']);
  const sizes = broadcastSizes(mask.sizes, self.sizes);
  const [x, truth] = [expand(self.detach(), sizes), expand(mask.detach(), sizes)];
  const { backend } = self.storage;
  const count = emptyTensor(backend, [], int64);
  countNonzero(count, truth);
  const out = emptyTensor(backend, [Number(count.item())], self.dtype);
  count.storage.freeNow();
  maskedSelect(out, x, truth);
  // self, too, as in PyTorch.
  return record('MaskedSelectBackward0', finishNew(out, [self]), [self], [self, mask], selectBackward);
}

const selectBackward: BackwardFunction = ([grad], [self, mask]) => {
  const sizes = broadcastSizes(mask.sizes, self.sizes);
  return grad!
    .new_zeros(sizes as number[])
    .masked_scatter_(mask, grad!)
    .sum_to_size(self.sizes as number[]);
};

define(
  { doc: 'The elements where mask (broadcast with self) is true, as a vector. Waits for the device.' },
  { 'masked_select(Tensor self, Tensor mask) -> Tensor': select },
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

/** Elements of out where mask (of its sizes) is true become those of source. */
function scatterMasked(out: Tensor, mask: Tensor, source: Tensor): void {
  const dense = source.contiguousNow ? source : source.contiguous();
  maskedScatter(out, mask, dense);
  if (dense !== source) dense.storage.freeNow();
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
      const out = copyOf(wide.detach());
      const truth = expand(mask.detach(), sizes);
      scatterMasked(out, truth, source.detach());
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
      const write = () => scatterMasked(self, truth, source.detach());
      const backward = scatterBackward(source.sizes);
      return changeInplace('MaskedScatterBackward0', self, [self, source], save, write, backward);
    },
  },
);
