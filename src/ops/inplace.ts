/** What ops that change a copy of self and their in-place forms share. */
import { mode } from '../autograd/mode.ts';
import { touchGraphOf } from '../autograd/record.ts';
import { copy } from '../kernels/copy.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';

/** A new result: marks it as made under inference_mode, and what it was made from as used. */
export function finishNew(out: Tensor, inputs: readonly Tensor[]): Tensor {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) for (const x of inputs) touchGraphOf(x);
  return out;
}

/** Where the functional forms begin: a contiguous copy without history, whatever self's layout is. */
export function copyOf(self: Tensor): Tensor {
  const out = emptyTensor(self.storage.backend, self.sizes, self.dtype);
  copy(out, self);
  return finishNew(out, [self]);
}
