/**
 * embedding: rows of a matrix by index. Its gradient is an op of its own, and that one's gradient embedding again, so that they
 * can be differentiated to any order.
 */

import { mode as gradMode } from '../autograd/mode.ts';
import { record, touchGraphOf } from '../autograd/record.ts';
import { int32, int64 } from '../core/dtype.ts';
import { AssertionError, NotImplementedError, RuntimeError } from '../core/errors.ts';
import { embeddingBackward } from '../kernels/embedding-grad.ts';
import { embedding as embeddingKernel } from '../kernels/gather.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { WAY_OUT } from './cross-entropy.ts';
import { sameBackend } from './device.ts';
import { fill } from './host.ts';
import { define } from './registry.ts';
import { regrouped } from './regroup.ts';

export type Maybe<T> = T | null;

export function finish(out: Tensor, ...inputs: Maybe<Tensor>[]): void {
  if (gradMode.inference) out.flags |= FLAG_INFERENCE;
  if (!gradMode.grad) for (const x of inputs) if (x !== null) touchGraphOf(x);
}

/** `torch.LongTensor`, `torch.mtia.LongTensor`. */
export function typeNameOf(x: Tensor): string {
  const { type } = x.storage.backend.device;
  return `torch.${type === 'cpu' ? '' : `${type}.`}${x.dtype.tensorTypeName}`;
}

export function checkIndices(indices: Tensor, name: string): void {
  if (indices.dtype !== int64 && indices.dtype !== int32) {
    throw new RuntimeError(
      `Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got ${typeNameOf(indices)} instead (while checking arguments for ${name}) ${WAY_OUT}`,
    );
  }
}

/** A row of the matrix, counted from the end where negative; -1 for none. */
export function paddingRow(padding_idx: Maybe<number>, rows: number): number {
  if (padding_idx === null) return -1;
  if (padding_idx >= rows || padding_idx < -rows) {
    throw new AssertionError('Padding_idx must be within num_embeddings');
  }
  return padding_idx < 0 ? padding_idx + rows : padding_idx;
}

export function refuse(max_norm: Maybe<number>, sparse: boolean): void {
  if (max_norm !== null)
    throw new NotImplementedError(
      'max_norm is not supported; leave it null, and renormalise the weight yourself under torch.no_grad()',
    );
  if (sparse) throw new NotImplementedError('sparse gradients are not implemented; leave sparse false');
}

function embedding(
  input: Tensor,
  weight: Tensor,
  padding_idx: Maybe<number>,
  max_norm: Maybe<number>,
  _norm_type: number,
  scale_grad_by_freq: boolean,
  sparse: boolean,
): Tensor {
  const padding = paddingRow(padding_idx, weight.sizes[0]);
  refuse(max_norm, sparse);
  if (weight.sizes.length !== 2) throw new RuntimeError("'weight' must be 2-D");
  checkIndices(input, 'embedding');
  return lookUp(weight, input, padding, scale_grad_by_freq);
}

function lookUp(weight: Tensor, indices: Tensor, padding: number, scale: boolean): Tensor {
  const backend = sameBackend('index_select', [weight, indices], ['self', 'index']);
  const [rows, columns] = weight.sizes;
  const out = emptyTensor(backend, [...indices.sizes, columns], weight.dtype);
  embeddingKernel(out, weight, indices);
  finish(out, weight);
  return record('EmbeddingBackward0', out, [weight], [indices], ([grad], [saved]) =>
    lookUpBackward(grad!, saved, rows, padding, scale),
  );
}

function lookUpBackward(grad: Tensor, indices: Tensor, rows: number, padding: number, scale: boolean): Tensor {
  const { sizes } = grad;
  const columns = sizes[sizes.length - 1];
  const out = emptyTensor(grad.storage.backend, [rows, columns], grad.dtype);
  fill(out, 0);
  const count = indices.length;
  const dense = regrouped(grad.contiguousNow ? grad : grad.detach().contiguous(), [count, columns]);
  embeddingBackward(out, dense, regrouped(indices, [count]), padding, scale);
  finish(out, grad);
  return record('EmbeddingDenseBackwardBackward0', out, [grad], [indices], ([gg], [saved]) => {
    if (scale) throw notTwice('embedding');
    const back = lookUp(gg!, saved, -1, false);
    return padding < 0 ? back : back.masked_fill(saved.eq(padding).unsqueeze(-1), 0);
  });
}

export const notTwice = (name: string) =>
  new NotImplementedError(`${name}: the gradient scaled by frequency can't be differentiated again`);

define(
  {
    doc: 'Rows of weight [n, d] by index: [..., d]. The row padding_idx gets no gradient.',
    functional: true,
    method: false,
  },
  {
    'embedding(Tensor input, Tensor weight, int? padding_idx=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor':
      embedding,
  },
);
