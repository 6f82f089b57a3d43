/** `nn.MultiheadAttention`. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { AssertionError, ValueError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty } from '../torch/factories.ts';
import { canonicalMask } from './attention-forward.ts';
import { functional } from './functional.ts';
import { constant_, xavier_normal_, xavier_uniform_ } from './init.ts';
import { Linear } from './linear.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyNumber } from './text.ts';

/** The projection of the result, under the name that PyTorch shows. */
export class NonDynamicallyQuantizableLinear extends Linear {}

export interface MultiheadAttentionOptions extends FactoryOptions {
  /** Probability with which weights are dropped. Default: 0. */
  dropout?: number;
  /** Whether projections have biases. Default: true. */
  bias?: boolean;
  /** Whether keys and values get one more position, which is learnt. */
  add_bias_kv?: boolean;
  /** Whether keys and values get one more position, of zeros. */
  add_zero_attn?: boolean;
  /** Features of keys. Default: embed_dim. */
  kdim?: number | null;
  /** Features of values. Default: embed_dim. */
  vdim?: number | null;
  /** Whether inputs are [batch, length, features] and not [length, batch, features]. */
  batch_first?: boolean;
}

export interface AttentionOptions {
  /** [N, S] or [S]: keys that nobody attends to are true, or -inf. */
  key_padding_mask?: Tensor | null;
  /** Whether the weights are returned, too. Default: true. */
  need_weights?: boolean;
  /** [L, S] or [N * heads, L, S]: true or -inf where a query does not attend to a key; or numbers to add. */
  attn_mask?: Tensor | null;
  /** Whether weights are the mean over the heads. Default: true. */
  average_attn_weights?: boolean;
  /** Says that attn_mask lets no query attend to later keys. */
  is_causal?: boolean;
}

/** What is given after query, key and value. */
type Rest =
  | [options?: AttentionOptions]
  | [key_padding_mask: Tensor | null, options?: AttentionOptions]
  | [key_padding_mask: Tensor | null, need_weights: boolean, options?: AttentionOptions]
  | [
      key_padding_mask: Tensor | null,
      need_weights: boolean,
      attn_mask: Tensor | null,
      average_attn_weights?: boolean,
      is_causal?: boolean,
    ];

const INIT = Signature.of(
  'MultiheadAttention.__init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None, batch_first=False, device=None, dtype=None)',
);
const FORWARD = Signature.of(
  'MultiheadAttention.forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, is_causal=False)',
);

/** Attention of `num_heads` heads side by side: every query is answered by a mean of the values, weighted by its likeness to the keys. */
export class MultiheadAttention extends Module {
  declare embed_dim: number;
  declare kdim: number;
  declare vdim: number;
  declare _qkv_same_embed_dim: boolean;
  declare num_heads: number;
  declare dropout: number;
  declare batch_first: boolean;
  declare head_dim: number;
  /** [embed_dim, embed_dim]; null where all inputs have as many features. */
  declare q_proj_weight: Parameter | null;
  /** [embed_dim, kdim] */
  declare k_proj_weight: Parameter | null;
  /** [embed_dim, vdim] */
  declare v_proj_weight: Parameter | null;
  /** [3 * embed_dim, embed_dim]; null where inputs differ in features. */
  declare in_proj_weight: Parameter | null;
  /** [3 * embed_dim] */
  declare in_proj_bias: Parameter | null;
  declare out_proj: Linear;
  /** [1, 1, embed_dim] */
  declare bias_k: Parameter | null;
  /** [1, 1, embed_dim] */
  declare bias_v: Parameter | null;
  declare add_zero_attn: boolean;

  constructor(embed_dim: number, num_heads: number, options?: MultiheadAttentionOptions);
  constructor(embed_dim: number, num_heads: number, dropout: number, options?: MultiheadAttentionOptions);
  constructor(
    embed_dim: number,
    num_heads: number,
    dropout: number,
    bias: boolean,
    options?: MultiheadAttentionOptions,
  );
  constructor(...args: unknown[]) {
    const bound = INIT.bind(args);
    const [embed, heads, dropout, bias, addBias, addZero] = bound as [
      number,
      number,
      number,
      boolean,
      boolean,
      boolean,
    ];
    const [kdim, vdim, batchFirst, device, dtype] = bound.slice(6) as [
      number | null,
      number | null,
      boolean,
      DeviceLike | null,
      DType | null,
    ];
    if (embed <= 0 || heads <= 0) {
      throw new ValueError(
        `embed_dim and num_heads must be greater than 0, got embed_dim=${pyNumber(embed)} and num_heads=${pyNumber(heads)} instead`,
      );
    }
    super();
    const make = (...sizes: number[]) => makeParameter(empty(sizes, { device, dtype }), true);
    this.embed_dim = embed;
    this.kdim = kdim ?? embed;
    this.vdim = vdim ?? embed;
    this._qkv_same_embed_dim = this.kdim === embed && this.vdim === embed;
    this.num_heads = heads;
    this.dropout = dropout;
    this.batch_first = batchFirst;
    this.head_dim = Math.floor(embed / heads);
    if (this.head_dim * heads !== embed) throw new AssertionError('embed_dim must be divisible by num_heads');
    const same = this._qkv_same_embed_dim;
    this.register_parameter('in_proj_weight', same ? make(3 * embed, embed) : null);
    this.register_parameter('q_proj_weight', same ? null : make(embed, embed));
    this.register_parameter('k_proj_weight', same ? null : make(embed, this.kdim));
    this.register_parameter('v_proj_weight', same ? null : make(embed, this.vdim));
    this.register_parameter('in_proj_bias', bias ? make(3 * embed) : null);
    this.out_proj = new NonDynamicallyQuantizableLinear(embed, embed, { bias, device, dtype });
    this.register_parameter('bias_k', addBias ? make(1, 1, embed) : null);
    this.register_parameter('bias_v', addBias ? make(1, 1, embed) : null);
    this.add_zero_attn = addZero;
    this._reset_parameters();
  }

  /** Draws the projections anew. */
  _reset_parameters(): void {
    const { in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias, bias_k, bias_v } = this;
    for (const weight of [in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight]) {
      if (weight !== null) xavier_uniform_(weight);
    }
    if (in_proj_bias !== null) {
      constant_(in_proj_bias, 0);
      constant_(this.out_proj.bias!, 0);
    }
    if (bias_k !== null) xavier_normal_(bias_k);
    if (bias_v !== null) xavier_normal_(bias_v);
  }

  /**
   * Query [L, N, embed_dim], key [S, N, kdim] and value [S, N, vdim] give [L, N, embed_dim]; with `batch_first` N comes
   * first, and it may be left out.
   *
   * @returns the result, and with `need_weights` the weights, [N, L, S] (for each head without `average_attn_weights`)
   */
  override forward(query: Tensor, key: Tensor, value: Tensor, ...rest: Rest): [output: Tensor, weights: Tensor | null];
  override forward(...args: unknown[]): [output: Tensor, weights: Tensor | null] {
    const bound = FORWARD.bind(args);
    let [query, key, value] = bound as Tensor[];
    const [padding, needWeights, attnMask, average, causal] = bound.slice(3) as [
      Tensor | null,
      boolean,
      Tensor | null,
      boolean,
      boolean,
    ];
    const key_padding_mask = canonicalMask(padding, 'key_padding_mask', attnMask, 'attn_mask', query.dtype);
    const attn_mask = canonicalMask(attnMask, 'attn_mask', null, '', query.dtype);
    const turned = this.batch_first && query.sizes.length === 3;
    if (turned) {
      // What was one tensor stays one.
      const [sameKey, sameValue] = [key === query, value === key];
      query = query.transpose(1, 0);
      key = sameKey ? query : key.transpose(1, 0);
      value = sameValue ? key : value.transpose(1, 0);
    }
    const [output, weights] = functional.multi_head_attention_forward(
      query,
      key,
      value,
      this.embed_dim,
      this.num_heads,
      this.in_proj_weight,
      this.in_proj_bias,
      this.bias_k,
      this.bias_v,
      this.add_zero_attn,
      this.dropout,
      this.out_proj.weight,
      this.out_proj.bias,
      {
        training: this.training,
        key_padding_mask,
        need_weights: needWeights,
        attn_mask,
        use_separate_proj_weight: !this._qkv_same_embed_dim,
        q_proj_weight: this.q_proj_weight,
        k_proj_weight: this.k_proj_weight,
        v_proj_weight: this.v_proj_weight,
        average_attn_weights: average,
        is_causal: causal,
      },
    );
    return [turned ? output.transpose(1, 0) : output, weights];
  }
}
