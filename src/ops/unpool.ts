/** max_unpool2d and max_unpool3d, given the sizes of the result; nn.functional finds those. */
import { mode } from '../autograd/mode.ts';
import { record, touchGraphOf } from '../autograd/record.ts';
import { int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { contiguousStrides, sameSizes, showSizes } from '../core/shape.ts';
import { unpool } from '../kernels/unpool.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { atIndices } from './pool.ts';
import { define } from './registry.ts';

function maxUnpool(input: Tensor, indices: Tensor, output_size: readonly number[], axes: number): Tensor {
  const { sizes } = input;
  const rank = sizes.length;
  if (indices.dtype !== int64) {
    throw new RuntimeError(`elements in indices should be type int64 but got: ${indices.dtype.scalarTypeName}`);
  }
  if (rank !== axes + 1 && rank !== axes + 2) {
    throw new RuntimeError(
      `Input to max_unpooling${axes}d should be a ${axes + 1}d or ${axes + 2}d Tensor, but got a tensor with ${rank} dimensions.`,
    );
  }
  if (!sameSizes(sizes, indices.sizes)) {
    throw new RuntimeError(
      `Expected shape of indices to be same as that of the input tensor (${showSizes(sizes)}) but got indices tensor with shape: ${showSizes(indices.sizes)}`,
    );
  }
  for (let d = 1; d < rank; d++) {
    if (sizes[d] > 0) continue;
    throw new RuntimeError(
      `max_unpooling${axes}d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but got ${showSizes(sizes)} with dimension ${d} being empty.`,
    );
  }
  if (!input.dtype.is_floating_point) {
    throw new NotImplementedError(`"max_unpool${axes}d" not implemented for '${input.dtype.scalarTypeName}'`);
  }
  const backend = sameBackend('max_unpool', [input, indices], ['self', 'indices']);
  const lead = sizes.slice(0, rank - axes);
  const out = emptyTensor(backend, [...lead, ...output_size], input.dtype);
  const planes = lead.reduce((p, s) => p * s, 1);
  const view = [planes, ...output_size];
  const x = input.contiguousNow ? input : input.detach().contiguous();
  unpool(aliasTensor(out, 0, view, contiguousStrides(view), out.length), x, indices.contiguous());
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) touchGraphOf(input);
  return record(`MaxUnpool${axes}DBackward0`, out, [input], [indices], ([grad], [at]) => atIndices(grad!, at, axes));
}

for (const axes of [2, 3]) {
  define(
    {
      doc: 'Elements where a maximum pool had them, zeros elsewhere, in planes of output_size.',
      method: false,
      function: false,
      functional: true,
    },
    {
      [`max_unpool${axes}d(Tensor input, Tensor indices, int[] output_size) -> Tensor`]: (
        input: Tensor,
        indices: Tensor,
        output_size: number[],
      ) => maxUnpool(input, indices, output_size, axes),
    },
  );
}
