/** constant_pad_nd: a constant around a tensor. Its gradient is the same with negative widths, which cut. */
import { mode } from '../autograd/mode.ts';
import { record, touchGraphOf } from '../autograd/record.ts';
import { RuntimeError } from '../core/errors.ts';
import { numel } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { fill, type HostValue } from './host.ts';
import { define } from './registry.ts';

/** `pad`: widths before and after, the last dimension's first. */
export function constantPad(self: Tensor, pad: readonly number[], value: HostValue): Tensor {
  const rank = self.sizes.length;
  if (pad.length % 2 !== 0) throw new RuntimeError(`Length of pad must be even but instead it equals ${pad.length}`);
  if (pad.length > 2 * rank) {
    throw new RuntimeError(
      `Length of pad should be no more than twice the number of dimensions of the input. Pad length is ${pad.length} while the input has ${rank} dimensions.`,
    );
  }
  const sizes = self.sizes.slice();
  const inner = self.sizes.slice();
  let [from, to] = [self.offset, 0];
  const before = new Array<number>(rank).fill(0);
  for (let i = 0; i < pad.length / 2; i++) {
    const d = rank - 1 - i;
    const [low, high] = [pad[2 * i], pad[2 * i + 1]];
    sizes[d] += low + high;
    if (self.sizes[d] + Math.min(0, low) + Math.min(0, high) < 0) {
      throw new RuntimeError('narrow(): length must be non-negative.');
    }
    if (sizes[d] < 0) {
      throw new RuntimeError(
        `The input size ${self.sizes[d]}, plus negative padding ${low} and ${high} resulted in a negative output size, which is invalid. Check dimension ${d} of your input.`,
      );
    }
    before[d] = Math.max(0, low);
    inner[d] = Math.max(0, self.sizes[d] + Math.min(0, low) + Math.min(0, high));
    from -= Math.min(0, low) * self.strides[d];
  }
  const out = emptyTensor(self.storage.backend, sizes, self.dtype);
  if (numel(inner) !== out.length) fill(out, value);
  for (let d = 0; d < rank; d++) to += before[d] * out.strides[d];
  const length = numel(inner);
  if (length > 0) {
    copy(aliasTensor(out, to, inner, out.strides, length), aliasTensor(self, from, inner, self.strides, length));
  }
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) touchGraphOf(self);
  const back = pad.map((w) => (w === 0 ? 0 : -w));
  return record('ConstantPadNdBackward0', out, [self], [], ([grad]) => constantPad(grad!, back, 0));
}

define(
  {
    doc: 'A constant around the last dimensions: widths before and after, the last dimension first; negative ones cut.',
  },
  {
    'constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor': (
      self: Tensor,
      pad: number[],
      value: HostValue,
    ) => constantPad(self, pad, value),
  },
);
