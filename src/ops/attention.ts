/**
 * scaled_dot_product_attention: products of queries and keys, softmax over the keys, and the products of that with values.
 * One node, which keeps none of the weights; with dropout every step is an op of its own.
 */
import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, shouldRecord, touchGraphOf } from '../autograd/record.ts';
import { bool, type DType, FLOAT_CATEGORY, float32 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { broadcastSizes, sameSizes, showSizes } from '../core/shape.ts';
import { matmul } from '../kernels/matmul.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, FLAG_INFERENCE, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { attend, attendBackward, type Masking, softmaxKernel, type Wanted } from './attention-kernels.ts';
import { sameBackend } from './device.ts';
import { dropout } from './dropout.ts';
import { fill } from './host.ts';
import { C_NAMES } from './linalg.ts';
import { define } from './registry.ts';
import { softmaxBackward } from './softmax.ts';

type Batch = readonly number[];

const batchOf = (x: Tensor): Batch => x.sizes.slice(0, -2);

/** alpha * (a @ b), whose batch dimensions broadcast. */
function rawProduct(a: Tensor, b: Tensor, alpha: number): Tensor {
  const batch = sameSizes(batchOf(a), batchOf(b)) ? batchOf(a) : broadcastSizes(batchOf(a), batchOf(b));
  const sizes = [...batch, a.sizes[a.sizes.length - 2], b.sizes[b.sizes.length - 1]];
  const out = emptyTensor(a.storage.backend, sizes, a.dtype);
  matmul(out, a, b, null, alpha, 0);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  return out;
}

/** The same as an op with a gradient. */
function product(a: Tensor, b: Tensor, alpha: number): Tensor {
  const out = rawProduct(a, b, alpha);
  const name = out.sizes.length === 2 ? 'MmBackward0' : 'UnsafeViewBackward0';
  return record(name, out, [a, b], [a, b], ([grad], [x, y], node) => [
    node.needs(0) ? reduced(product(grad!, y.mT, alpha), x.sizes) : null,
    node.needs(1) ? reduced(product(x.mT, grad!, alpha), y.sizes) : null,
  ]);
}

/** A gradient summed over what was broadcast. */
function reduced(grad: Tensor, sizes: readonly number[]): Tensor {
  return sameSizes(grad.sizes, sizes) ? grad : grad.sum_to_size(sizes as number[]);
}

/** Scores become weights, where they are. */
function normalise(scores: Tensor, mask: Tensor | null): void {
  const last = scores.sizes.length - 1;
  const sums = emptyTensor(scores.storage.backend, [...scores.sizes.slice(0, -1), 1], scores.dtype);
  if (scores.length > 0) {
    const inputs = mask === null ? [scores] : [scores, mask];
    softmaxKernel(scores.dtype, mask === null ? 0 : 1).launch([scores, sums], inputs, scores.sizes, last, last);
  }
  sums.storage.freeNow();
}

/** The weights as an op with a gradient. */
function weights(query: Tensor, key: Tensor, mask: Tensor | null, scale: number): Tensor {
  const scores = product(query, key.mT, scale);
  // Nothing needs the scores any more: the weights take their place.
  const out = aliasTensor(scores, scores.offset, scores.sizes, scores.strides, scores.length);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  normalise(out, mask);
  return record('SoftmaxBackward0', out, [scores, mask], [out, mask], ([grad], [result, given], node) => {
    const slope = softmaxBackward(grad!, result, result.sizes.length - 1);
    return [node.needs(0) ? slope : null, node.needs(1) ? reduced(slope, given.sizes) : null];
  });
}

/** -inf where the key comes later than the query, else 0: [L, S]. */
function causalMask(query: Tensor, key: Tensor): Tensor {
  const size = (x: Tensor) => x.sizes[x.sizes.length - 2];
  const all = emptyTensor(query.storage.backend, [size(query), size(key)], query.dtype);
  fill(all, Number.NEGATIVE_INFINITY);
  const mask = all.triu(1);
  all.storage.freeNow();
  return mask;
}

/** A mask with what causality adds to it, for ops that take one mask. */
function withCausal(query: Tensor, key: Tensor, mask: Tensor | null, causal: boolean): Tensor | null {
  if (!causal) return mask;
  const later = causalMask(query, key);
  return mask === null ? later : mask.add(later);
}

/** A mask that is added to the scores. */
function additive(mask: Tensor, dtype: DType): Tensor {
  if (mask.dtype !== bool) return mask.dtype === dtype ? mask : mask.to(dtype);
  const out = emptyTensor(mask.storage.backend, mask.sizes, dtype);
  fill(out, 0);
  return out.masked_fill_(mask.logical_not(), Number.NEGATIVE_INFINITY);
}

function check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | null): void {
  if (query.dtype !== key.dtype || query.dtype !== value.dtype) {
    const [q, k, v] = [query, key, value].map((x) => C_NAMES[x.dtype.name]);
    throw new RuntimeError(
      `Expected query, key, and value to have the same dtype, but got query.dtype: ${q} key.dtype: ${k} and value.dtype: ${v} instead.`,
    );
  }
  const [q, k, v] = [query, key, value].map((x) => x.sizes.length);
  if (q < 2 || k < 2 || v < 2) {
    throw new RuntimeError(
      `Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: ${q} key.dim: ${k} and value.dim: ${v} instead.`,
    );
  }
  if (mask !== null && mask.dtype !== bool && mask.dtype !== query.dtype && mask.dtype !== float32) {
    throw new RuntimeError(
      `Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: ${C_NAMES[mask.dtype.name]} and  query.dtype: ${C_NAMES[query.dtype.name]} instead.`,
    );
  }
  if (query.dtype.category !== FLOAT_CATEGORY) {
    throw new RuntimeError(`expected scalar type Float but found ${query.dtype.scalarTypeName}`);
  }
}

/** Keys and values of fewer heads, each for several heads of the queries. */
function repeatHeads(query: Tensor, x: Tensor): Tensor {
  const heads = (y: Tensor) => y.sizes[y.sizes.length - 3];
  const [all, own] = [heads(query), heads(x)];
  if (all === own) return x;
  if (own === 0 || all % own !== 0) {
    throw new RuntimeError('Number of heads in key and value must divide the number of heads in query');
  }
  return x.repeat_interleave(all / own, { dim: -3 });
}

/** Shapes that PyTorch's CPU has a kernel of its own for, which decides what the node is called. */
function isFlash(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | null): boolean {
  const { sizes } = query;
  const same = (a: readonly number[], b: readonly number[], dim: number) => a[dim] === b[dim];
  return (
    sizes.length === 4 &&
    key.sizes.length === 4 &&
    value.sizes.length === 4 &&
    [0, 1, 3].every((dim) => same(sizes, key.sizes, dim) && same(sizes, value.sizes, dim)) &&
    (mask === null || !requiresGrad(mask))
  );
}

function attention(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  given: Tensor | null,
  dropoutP: number,
  causal: boolean,
  factor: number | null,
  gqa: boolean,
): Tensor {
  check(query, key, value, given);
  sameBackend('scaled_dot_product_attention', [query, key, value, given], ['query', 'key', 'value', 'attn_mask']);
  const { dtype } = query;
  const compute = dtype.itemsize === 2 ? float32 : dtype;
  // Scores of half types are float32, as PyTorch has them.
  const widened = (x: Tensor) => (x.dtype === compute ? x : x.to(compute));
  const q = widened(query);
  let [k, v] = [widened(key), widened(value)];
  if (gqa) [k, v] = [repeatHeads(q, k), repeatHeads(q, v)];
  const flash = dropoutP === 0 && isFlash(q, k, v, given);
  if (causal && given !== null && !flash) {
    throw new RuntimeError('_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True');
  }
  const mask = given === null ? null : additive(given, compute);
  const width = q.sizes[q.sizes.length - 1];
  const scale = factor ?? 1 / Math.sqrt(width);
  checkProducts(q, k, v);
  if (mask !== null) checkMask(q, k, mask);
  const name = flash ? 'ScaledDotProductFlashAttentionForCpuBackward0' : 'UnsafeViewBackward0';
  const out =
    dropoutP === 0
      ? whole(q, k, v, { mask, causal }, scale, name)
      : dropped(q, k, v, withCausal(q, k, mask, causal), scale, dropoutP);
  return out.dtype === dtype ? out : out.to(dtype);
}

/** @throws RuntimeError as the products would */
function checkProducts(query: Tensor, key: Tensor, value: Tensor): void {
  const [keys, values] = [key.sizes[key.sizes.length - 2], value.sizes[value.sizes.length - 2]];
  const [inner, width] = [query.sizes[query.sizes.length - 1], key.sizes[key.sizes.length - 1]];
  if (inner !== width || keys !== values) {
    // The texts are those of the product that does not fit.
    const left = inner !== width ? query : query.new_zeros([...query.sizes.slice(0, -1), keys]);
    left.matmul(inner !== width ? key.mT : value);
  }
}

const PLAIN = { channels: false, alpha: false, inplace: false };

/** @throws RuntimeError unless the mask broadcasts to the scores */
function checkMask(query: Tensor, key: Tensor, mask: Tensor): void {
  const batch = broadcastSizes(batchOf(query), batchOf(key));
  const size = (x: Tensor) => x.sizes[x.sizes.length - 2];
  const scores = [...batch, size(query), size(key)];
  const both = broadcastSizes(scores, mask.sizes);
  if (!sameSizes(both, scores)) {
    throw new RuntimeError(
      `output with shape ${showSizes(scores)} doesn't match the broadcast shape ${showSizes(both)}`,
    );
  }
}

/** With dropout of weights: every step an op of its own. */
function dropped(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | null, scale: number, p: number): Tensor {
  const kept = dropout(weights(q, k, mask, scale), p, true, PLAIN);
  return product(kept, v, 1);
}

function whole(q: Tensor, k: Tensor, v: Tensor, masking: Masking, scale: number, name: string): Tensor {
  const { out, sums } = attend(q, k, v, masking, scale);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  const { mask, causal } = masking;
  const inputs = [q, k, v, mask];
  if (!shouldRecord(inputs)) {
    sums.storage.freeNow();
    for (const x of inputs) if (x !== null) touchGraphOf(x);
    return out;
  }
  record(name, out, inputs, [q, k, v, mask, sums], backward(scale, causal));
  // The graph alone knows it from here on.
  sums.drop();
  return out;
}

function backward(scale: number, causal: boolean): BackwardFunction {
  return ([grad], [q, k, v, mask, sums], node) => {
    const wanted = { q: node.needs(0), k: node.needs(1), v: node.needs(2), mask: node.needs(3) };
    if (mode.grad) return differentiable(grad!, q, k, v, mask, causal, scale, wanted);
    const found = attendBackward(grad!, q, k, v, { mask, causal }, sums, scale, wanted);
    sums.drop();
    const summed = (x: Tensor | null, sizes: readonly number[]) => (x === null ? null : reduced(x, sizes));
    return [
      summed(found.q, q.sizes),
      summed(found.k, k.sizes),
      summed(found.v, v.sizes),
      mask === null ? null : summed(found.scores, mask.sizes),
    ];
  };
}

/** The gradients as functions of the inputs, for a second derivative: the weights are computed by other ops. */
function differentiable(
  grad: Tensor,
  q: Tensor,
  k: Tensor,
  v: Tensor,
  mask: Tensor | null,
  causal: boolean,
  scale: number,
  wanted: Wanted,
): (Tensor | null)[] {
  const again = weights(q, k, withCausal(q, k, mask, causal), scale);
  const slope = softmaxBackward(product(grad, v.mT, 1), again, again.sizes.length - 1);
  return [
    wanted.q ? reduced(product(slope, k, scale), q.sizes) : null,
    wanted.k ? reduced(product(slope.mT, q, scale), k.sizes) : null,
    wanted.v ? reduced(product(again.mT, grad, 1), v.sizes) : null,
    wanted.mask ? reduced(slope, mask!.sizes) : null,
  ];
}

define(
  {
    doc: 'softmax(query @ key.T * scale + mask) @ value, over batches and heads: [..., L, E], [..., S, E], [..., S, Ev].',
    functional: true,
  },
  {
    'scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor':
      attention,
  },
);
