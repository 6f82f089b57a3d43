/** `nn.functional.multi_head_attention_forward`, and the masks of attention in their one form. */
import type { DType } from '../core/dtype.ts';
import { bool } from '../core/dtype.ts';
import { AssertionError, RuntimeError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import { warn } from '../core/warn.ts';
import '../ops/attention.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functional as ops } from '../torch/attach.ts';
import type { FunctionalFunctions } from '../torch/generated.ts';
import { cat, zeros, zeros_like } from '../torch/factories.ts';
import { Signature } from './signature.ts';
import { pyTuple } from './text.ts';

const F = ops as unknown as FunctionalFunctions;
const dropout = (x: Tensor, p: number): Tensor =>
  (ops as unknown as Record<string, (x: Tensor, p: number, training: boolean) => Tensor>)['dropout'](x, p, true);

/** PyTorch's text of a shape: `torch.Size([2, 3])`. */
const sizeText = (x: Tensor) => String(x.shape);

/**
 * A mask as numbers that are added to scores: what is true in a bool mask becomes -inf.
 *
 * @param other the other mask of the call and its name, whose dtype should be the same
 * @throws AssertionError unless it is of bool or a float dtype
 */
export function canonicalMask(
  mask: Tensor | null,
  name: string,
  other: Tensor | null,
  otherName: string,
  dtype: DType,
): Tensor | null {
  if (mask === null) return null;
  if (mask.dtype !== bool && !mask.dtype.is_floating_point) {
    throw new AssertionError(`only bool and floating types of ${name} are supported`);
  }
  if (other !== null && other.dtype !== mask.dtype) {
    warn(`Support for mismatched ${name} and ${otherName} is deprecated. Use same type for both instead.`);
  }
  if (mask.dtype !== bool) return mask;
  return zeros_like(mask, { dtype }).masked_fill_(mask, Number.NEGATIVE_INFINITY);
}

interface Shapes {
  query: Tensor;
  key: Tensor;
  value: Tensor;
  key_padding_mask: Tensor | null;
  attn_mask: Tensor | null;
}

/** Whether there is a batch dimension. @throws AssertionError unless the dimensions go together */
function isBatched({ query, key, value, key_padding_mask, attn_mask }: Shapes, heads: number): boolean {
  const rank = (x: Tensor) => x.sizes.length;
  const own = rank(query);
  if (own !== 2 && own !== 3) {
    throw new AssertionError(`query should be unbatched 2D or batched 3D tensor but received ${own}-D query tensor`);
  }
  const batched = own === 3;
  const begin = `For ${batched ? 'batched (3-D)' : 'unbatched (2-D)'} \`query\`, expected`;
  if (rank(key) !== own || rank(value) !== own) {
    throw new AssertionError(
      `${begin} \`key\` and \`value\` to be ${own}-D but found ${rank(key)}-D and ${rank(value)}-D tensors respectively`,
    );
  }
  if (key_padding_mask !== null && rank(key_padding_mask) !== own - 1) {
    throw new AssertionError(
      `${begin} \`key_padding_mask\` to be \`None\` or ${own - 1}-D but found ${rank(key_padding_mask)}-D tensor instead`,
    );
  }
  if (attn_mask !== null && rank(attn_mask) !== 2 && rank(attn_mask) !== 3) {
    throw new AssertionError(
      `${begin} \`attn_mask\` to be \`None\`, 2-D or 3-D but found ${rank(attn_mask)}-D tensor instead`,
    );
  }
  if (!batched && attn_mask !== null && rank(attn_mask) === 3) {
    const expected = [heads, query.sizes[0], key.sizes[0]];
    if (!sameSizes(attn_mask.sizes, expected)) {
      throw new AssertionError(
        `Expected \`attn_mask\` shape to be ${pyTuple(expected)} but got ${sizeText(attn_mask)}`,
      );
    }
  }
  return batched;
}

/** Query, key and value through the rows of one weight, without copies where they are one tensor. */
function projectPacked(q: Tensor, k: Tensor, v: Tensor, weight: Tensor, bias: Tensor | null): Tensor[] {
  const width = q.sizes[q.sizes.length - 1];
  if (k === v && q === k) return F.linear(q, weight, bias).chunk(3, -1);
  if (k === v) {
    const [wq, wkv] = weight.split([width, 2 * width]);
    const [bq, bkv] = bias === null ? [null, null] : bias.split([width, 2 * width]);
    return [F.linear(q, wq, bq), ...F.linear(k, wkv, bkv).chunk(2, -1)];
  }
  const weights = weight.chunk(3);
  const biases = bias === null ? [null, null, null] : bias.chunk(3);
  return [q, k, v].map((x, i) => F.linear(x, weights[i], biases[i]));
}

function projectEach(inputs: Tensor[], weights: Tensor[], bias: Tensor | null): Tensor[] {
  const width = inputs[0].sizes[inputs[0].sizes.length - 1];
  const biases = bias === null ? [null, null, null] : bias.chunk(3);
  return ['query', 'key', 'value'].map((name, i) => {
    const expected = [width, inputs[i].sizes[inputs[i].sizes.length - 1]];
    if (!sameSizes(weights[i].sizes, expected)) {
      throw new AssertionError(
        `expecting ${name} weights shape of ${pyTuple(expected)}, but got ${sizeText(weights[i])}`,
      );
    }
    const b = biases[i];
    if (b !== null && !sameSizes(b.sizes, [width])) {
      throw new AssertionError(`expecting ${name} bias shape of ${pyTuple([width])}, but got ${sizeText(b)}`);
    }
    return F.linear(inputs[i], weights[i], b);
  });
}

/** [length, batch, heads * width] becomes [batch, heads, length, width], without a copy. */
function byHeads(x: Tensor, heads: number): Tensor {
  const [length, batch, all] = x.sizes;
  return x.view(length, batch, heads, all / heads).permute(1, 2, 0, 3);
}

/** A key or value given as it is: [batch * heads, length, width]. */
function givenHeads(x: Tensor, name: string, batch: number, heads: number, width: number): Tensor {
  if (x.sizes[0] !== batch * heads) {
    throw new AssertionError(`expecting ${name}.size(0) of ${batch * heads}, but got ${x.sizes[0]}`);
  }
  if (x.sizes[2] !== width) throw new AssertionError(`expecting ${name}.size(2) of ${width}, but got ${x.sizes[2]}`);
  return x.view(batch, heads, x.sizes[1], width);
}

/** One column more, of zeros. */
function padded(mask: Tensor | null): Tensor | null {
  return mask === null ? null : cat([mask, mask.new_zeros([...mask.sizes.slice(0, -1), 1])], -1);
}

/** An attention mask that broadcasts to [batch, heads, queries, keys]. */
function spread(mask: Tensor, batch: number, heads: number, queries: number, keys: number): Tensor {
  const wrong = (rank: string, expected: number[]) =>
    new RuntimeError(`The shape of the ${rank} attn_mask is ${sizeText(mask)}, but should be ${pyTuple(expected)}.`);
  if (mask.sizes.length === 2) {
    if (!sameSizes(mask.sizes, [queries, keys])) throw wrong('2D', [queries, keys]);
    return mask;
  }
  const expected = [batch * heads, queries, keys];
  if (!sameSizes(mask.sizes, expected)) throw wrong('3D', expected);
  return mask.view(batch, heads, queries, keys);
}

const FORWARD = Signature.of(
  'multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True, is_causal=False)',
);

export interface AttentionForwardOptions {
  /** Whether weights are dropped. Default: true. */
  training?: boolean;
  /** [N, S] or [S]: keys that nobody attends to are true, or -inf. */
  key_padding_mask?: Tensor | null;
  /** Whether the weights are returned, too. Default: true. */
  need_weights?: boolean;
  /** [L, S] or [N * heads, L, S]: true or -inf where a query does not attend to a key; or numbers to add. */
  attn_mask?: Tensor | null;
  use_separate_proj_weight?: boolean;
  q_proj_weight?: Tensor | null;
  k_proj_weight?: Tensor | null;
  v_proj_weight?: Tensor | null;
  static_k?: Tensor | null;
  static_v?: Tensor | null;
  /** Whether weights are the mean over the heads. Default: true. */
  average_attn_weights?: boolean;
  /** Says that attn_mask lets no query attend to later keys. */
  is_causal?: boolean;
}

export interface AttentionFunctions {
  /** Attention with several heads: projections of query, key and value, attention, projection of the result. */
  multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: number,
    num_heads: number,
    in_proj_weight: Tensor | null,
    in_proj_bias: Tensor | null,
    bias_k: Tensor | null,
    bias_v: Tensor | null,
    add_zero_attn: boolean,
    dropout_p: number,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | null,
    options?: AttentionForwardOptions,
  ): [output: Tensor, weights: Tensor | null];
}

function forward(...args: unknown[]): [Tensor, Tensor | null] {
  const bound = FORWARD.bind(args);
  let [query, key, value] = bound as Tensor[];
  const [width, heads] = bound.slice(3) as [number, number];
  const [inWeight, inBias, biasK, biasV] = bound.slice(5) as (Tensor | null)[];
  const [addZero, p, outWeight, outBias, training] = bound.slice(9) as [
    boolean,
    number,
    Tensor,
    Tensor | null,
    boolean,
  ];
  let [padding, needWeights, attnMask] = bound.slice(14) as [Tensor | null, boolean, Tensor | null];
  const [separate, ...separateWeights] = bound.slice(17, 21) as [boolean, ...(Tensor | null)[]];
  const [staticK, staticV] = bound.slice(21) as (Tensor | null)[];
  let [average, causal] = bound.slice(23) as [boolean, boolean];
  const batched = isBatched({ query, key, value, key_padding_mask: padding, attn_mask: attnMask }, heads);
  if (!batched) {
    const same = [key === query, value === key];
    query = query.unsqueeze(1);
    key = same[0] ? query : key.unsqueeze(1);
    value = same[1] ? key : value.unsqueeze(1);
    padding = padding?.unsqueeze(0) ?? null;
  }
  const [queries, batch, embed] = query.sizes;
  const { dtype } = query;
  padding = canonicalMask(padding, 'key_padding_mask', attnMask, 'attn_mask', dtype);
  if (causal && attnMask === null) {
    throw new RuntimeError(
      'Need attn_mask if specifying the is_causal hint. You may use the Transformer module method `generate_square_subsequent_mask` to create this mask.',
    );
  }
  if (causal && padding === null && !needWeights) attnMask = null;
  else {
    attnMask = canonicalMask(attnMask, 'attn_mask', null, '', dtype);
    causal &&= padding === null;
  }
  if (embed !== width) {
    throw new AssertionError(`was expecting embedding dimension of ${width}, but got ${embed}`);
  }
  const headWidth = Math.floor(embed / heads);
  if (headWidth * heads !== embed) {
    throw new AssertionError(`embed_dim ${embed} not divisible by num_heads ${heads}`);
  }
  if (separate && !sameSizes(key.sizes.slice(0, 2), value.sizes.slice(0, 2))) {
    throw new AssertionError(
      `key's sequence and batch dims torch.Size([${key.sizes.slice(0, 2).join(', ')}]) do not match value's torch.Size([${value.sizes.slice(0, 2).join(', ')}])`,
    );
  }
  if (!separate && !sameSizes(key.sizes, value.sizes)) {
    throw new AssertionError(`key shape ${sizeText(key)} does not match value shape ${sizeText(value)}`);
  }
  let [q, k, v] = separate
    ? projectEach([query, key, value], needed(separateWeights), inBias)
    : projectPacked(query, key, value, neededPacked(inWeight), inBias);
  let mask = attnMask === null ? null : spread(attnMask, batch, heads, queries, key.sizes[0]);
  if (biasK !== null && biasV !== null) {
    if (staticK !== null) throw new AssertionError('bias cannot be added to static key.');
    if (staticV !== null) throw new AssertionError('bias cannot be added to static value.');
    k = cat([k, biasK.repeat(1, batch, 1)]);
    v = cat([v, biasV.repeat(1, batch, 1)]);
    [mask, padding] = [padded(mask), padded(padding)];
  } else {
    if (biasK !== null) throw new AssertionError('bias_k is set but bias_v is None');
    if (biasV !== null) throw new AssertionError('bias_v is set but bias_k is None');
  }
  q = byHeads(q, heads);
  k = staticK === null ? byHeads(k, heads) : givenHeads(staticK, 'static_k', batch, heads, headWidth);
  v = staticV === null ? byHeads(v, heads) : givenHeads(staticV, 'static_v', batch, heads, headWidth);
  if (addZero) {
    const none = zeros([batch, heads, 1, headWidth], { dtype: k.dtype, device: k.device });
    k = cat([k, none], 2);
    v = cat([v, none], 2);
    [mask, padding] = [padded(mask), padded(padding)];
  }
  const keys = k.sizes[2];
  if (padding !== null) {
    [batch, keys].forEach((expected, i) => {
      const { sizes } = padding as Tensor;
      if (sizes[i] === expected) return;
      throw new AssertionError(`Expected key_padded_mask.shape[${i}] to be ${expected}, but got ${sizes[i]}`);
    });
    const column = padding.view(batch, 1, 1, keys);
    mask = mask === null ? column : mask.add(column);
  }
  const rate = training ? p : 0;
  let weights: Tensor | null = null;
  let attended: Tensor;
  if (needWeights) {
    if (causal && mask === null) throw new AssertionError('FIXME: is_causal not implemented for need_weights');
    const scores = q.mul(Math.sqrt(1 / headWidth)).matmul(k.mT);
    weights = (mask === null ? scores : scores.add(mask)).softmax(-1);
    if (rate > 0) weights = dropout(weights, rate);
    attended = weights.matmul(v);
    if (average) weights = weights.mean(1);
    if (!batched) weights = weights.squeeze(0);
  } else {
    attended = F.scaled_dot_product_attention(q, k, v, mask, rate, causal);
  }
  let output = F.linear(attended.permute(2, 0, 1, 3).reshape(queries * batch, embed), outWeight, outBias);
  output = output.view(queries, batch, output.sizes[1]);
  return [batched ? output : output.squeeze(1), weights];
}

function needed(weights: readonly (Tensor | null)[]): Tensor[] {
  weights.forEach((weight, i) => {
    if (weight !== null) return;
    throw new AssertionError(`use_separate_proj_weight is True but ${'qkv'[i]}_proj_weight is None`);
  });
  return weights as Tensor[];
}

function neededPacked(weight: Tensor | null): Tensor {
  if (weight !== null) return weight;
  throw new AssertionError('use_separate_proj_weight is False but in_proj_weight is None');
}

const attentionFunctions: AttentionFunctions = { multi_head_attention_forward: forward as never };
Object.assign(ops, attentionFunctions);
