/** `nn.TransformerEncoderLayer` and `nn.TransformerDecoderLayer`. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { GELU } from './activation.ts';
import { ReLU } from './activation-inplace.ts';
import { MultiheadAttention } from './attention.ts';
import { canonicalMask } from './attention-forward.ts';
import { Dropout } from './dropout.ts';
import { functional } from './functional.ts';
import { Linear } from './linear.ts';
import { type FactoryOptions, Module } from './module.ts';
import { LayerNorm } from './normalization.ts';
import { Signature } from './signature.ts';

export type Activation = 'relu' | 'gelu' | ((input: Tensor) => Tensor) | Module;

export interface TransformerLayerOptions extends FactoryOptions {
  /** Features between the two linear layers. Default: 2048. */
  dim_feedforward?: number;
  /** Default: 0.1. */
  dropout?: number;
  /** Between the two linear layers. Default: relu. */
  activation?: Activation;
  /** Default: 1e-5. */
  layer_norm_eps?: number;
  /** Whether inputs are [batch, length, features] and not [length, batch, features]. */
  batch_first?: boolean;
  /** Whether layer norm comes before attention and linear layers, and not after them. */
  norm_first?: boolean;
  /** Whether linear layers and layer norms have biases. Default: true. */
  bias?: boolean;
}

export interface EncoderMasks {
  /** [S, S] or [N * heads, S, S]: true or -inf where a position does not attend to another; or numbers to add. */
  src_mask?: Tensor | null;
  /** [N, S]: positions that nobody attends to are true, or -inf. */
  src_key_padding_mask?: Tensor | null;
  /** Says that src_mask lets no position attend to later ones. */
  is_causal?: boolean;
}

export interface DecoderMasks {
  /** [T, T] or [N * heads, T, T] */
  tgt_mask?: Tensor | null;
  /** [T, S] or [N * heads, T, S] */
  memory_mask?: Tensor | null;
  /** [N, T] */
  tgt_key_padding_mask?: Tensor | null;
  /** [N, S] */
  memory_key_padding_mask?: Tensor | null;
  /** Says that tgt_mask lets no position attend to later ones. */
  tgt_is_causal?: boolean;
  memory_is_causal?: boolean;
}

const PARAMETERS =
  'self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=None, layer_norm_eps=1e-05, batch_first=False, norm_first=False, bias=True, device=None, dtype=None';

interface Settings {
  d_model: number;
  nhead: number;
  dim_feedforward: number;
  dropout: number;
  activation: Activation | null;
  eps: number;
  batch_first: boolean;
  norm_first: boolean;
  bias: boolean;
  device: DeviceLike | null;
  dtype: DType | null;
}

function settingsOf(bound: unknown[]): Settings {
  const [d_model, nhead, dim_feedforward, dropout, activation, eps] = bound as [
    number,
    number,
    number,
    number,
    Activation | null,
    number,
  ];
  const [batch_first, norm_first, bias, device, dtype] = bound.slice(6) as [
    boolean,
    boolean,
    boolean,
    DeviceLike | null,
    DType | null,
  ];
  return { d_model, nhead, dim_feedforward, dropout, activation, eps, batch_first, norm_first, bias, device, dtype };
}

type Apply = (input: Tensor) => Tensor;

function activationOf(activation: Activation | null): Apply {
  if (activation === null) return functional.relu;
  if (typeof activation !== 'string') return activation as Apply;
  if (activation === 'relu') return functional.relu;
  if (activation === 'gelu') return functional.gelu;
  throw new RuntimeError(`activation should be relu/gelu, not ${String(activation)}`);
}

/** What both layers have: attention to themselves, two linear layers, norms and dropout. */
abstract class TransformerLayer extends Module {
  declare self_attn: MultiheadAttention;
  declare linear1: Linear;
  declare dropout: Dropout;
  declare linear2: Linear;
  declare norm_first: boolean;
  declare norm1: LayerNorm;
  declare norm2: LayerNorm;
  declare dropout1: Dropout;
  declare dropout2: Dropout;
  declare activation: Apply;

  protected build(settings: Settings, decoder: boolean): void {
    const { d_model, dim_feedforward, dropout, eps, bias, batch_first, device, dtype } = settings;
    const factory = { device, dtype };
    const attend = () => new MultiheadAttention(d_model, settings.nhead, { dropout, bias, batch_first, ...factory });
    const norm = () => new LayerNorm(d_model, { eps, bias, ...factory });
    this.self_attn = attend();
    if (decoder) this.add_module('multihead_attn', attend());
    this.linear1 = new Linear(d_model, dim_feedforward, { bias, ...factory });
    this.dropout = new Dropout(dropout);
    this.linear2 = new Linear(dim_feedforward, d_model, { bias, ...factory });
    this.norm_first = settings.norm_first;
    this.norm1 = norm();
    this.norm2 = norm();
    if (decoder) this.add_module('norm3', norm());
    this.dropout1 = new Dropout(dropout);
    this.dropout2 = new Dropout(dropout);
    if (decoder) this.add_module('dropout3', new Dropout(dropout));
    this.activation = activationOf(settings.activation);
  }

  /** Attention to itself, or with `memory` to that. */
  protected attend(
    attention: MultiheadAttention,
    x: Tensor,
    memory: Tensor,
    attn_mask: Tensor | null,
    key_padding_mask: Tensor | null,
    is_causal: boolean,
  ): Tensor {
    return attention(x, memory, memory, { attn_mask, key_padding_mask, is_causal, need_weights: false })[0];
  }

  protected feedForward(x: Tensor): Tensor {
    return this.linear2(this.dropout(this.activation(this.linear1(x))));
  }
}

const ENCODER = Signature.of(`TransformerEncoderLayer.__init__(${PARAMETERS})`);
const ENCODE = Signature.of(
  'TransformerEncoderLayer.forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False)',
);

/** Attention of a sequence to itself and a network for each position, each with dropout, residual and layer norm. */
export class TransformerEncoderLayer extends TransformerLayer {
  /** 1: the activation is relu, 2: it is gelu, 0: another. */
  declare activation_relu_or_gelu: number;

  constructor(d_model: number, nhead: number, options?: TransformerLayerOptions);
  constructor(d_model: number, nhead: number, dim_feedforward: number, options?: TransformerLayerOptions);
  constructor(
    d_model: number,
    nhead: number,
    dim_feedforward: number,
    dropout: number,
    options?: TransformerLayerOptions,
  );
  constructor(...args: unknown[]) {
    super();
    this.build(settingsOf(ENCODER.bind(args)), false);
    const { activation } = this;
    this.activation_relu_or_gelu =
      activation === functional.relu || (activation as unknown) instanceof ReLU
        ? 1
        : activation === functional.gelu || (activation as unknown) instanceof GELU
          ? 2
          : 0;
  }

  /** [S, N, d_model] gives the same shape; with `batch_first` N comes first, and it may be left out. */
  override forward(
    src: Tensor,
    ...rest:
      | [masks?: EncoderMasks]
      | [src_mask: Tensor | null, masks?: EncoderMasks]
      | [src_mask: Tensor | null, src_key_padding_mask: Tensor | null, is_causal?: boolean | EncoderMasks]
  ): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [src, mask, padding, causal] = ENCODE.bind(args) as [Tensor, Tensor | null, Tensor | null, boolean];
    const keys = canonicalMask(padding, 'src_key_padding_mask', mask, 'src_mask', src.dtype);
    const scores = canonicalMask(mask, 'src_mask', null, '', src.dtype);
    const attended = (x: Tensor) => this.dropout1(this.attend(this.self_attn, x, x, scores, keys, causal));
    const fed = (x: Tensor) => this.dropout2(this.feedForward(x));
    if (this.norm_first) {
      const x = src.add(attended(this.norm1(src)));
      return x.add(fed(this.norm2(x)));
    }
    const x = this.norm1(src.add(attended(src)));
    return this.norm2(x.add(fed(x)));
  }
}

const DECODER = Signature.of(`TransformerDecoderLayer.__init__(${PARAMETERS})`);
const DECODE = Signature.of(
  'TransformerDecoderLayer.forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False)',
);

/** An encoder layer with attention to a memory (an encoder's result) between its two parts. */
export class TransformerDecoderLayer extends TransformerLayer {
  declare multihead_attn: MultiheadAttention;
  declare norm3: LayerNorm;
  declare dropout3: Dropout;

  constructor(d_model: number, nhead: number, options?: TransformerLayerOptions);
  constructor(d_model: number, nhead: number, dim_feedforward: number, options?: TransformerLayerOptions);
  constructor(
    d_model: number,
    nhead: number,
    dim_feedforward: number,
    dropout: number,
    options?: TransformerLayerOptions,
  );
  constructor(...args: unknown[]) {
    super();
    this.build(settingsOf(DECODER.bind(args)), true);
  }

  /** [T, N, d_model] with memory [S, N, d_model] gives [T, N, d_model]; with `batch_first` N comes first. */
  override forward(
    tgt: Tensor,
    memory: Tensor,
    ...rest:
      | [masks?: DecoderMasks]
      | [tgt_mask: Tensor | null, masks?: DecoderMasks]
      | [tgt_mask: Tensor | null, memory_mask: Tensor | null, masks?: DecoderMasks]
  ): Tensor;
  override forward(...args: unknown[]): Tensor {
    const bound = DECODE.bind(args);
    const [tgt, memory, tgtMask, memoryMask, tgtKeys, memoryKeys] = bound as [Tensor, Tensor, ...(Tensor | null)[]];
    const [tgtCausal, memoryCausal] = bound.slice(6) as [boolean, boolean];
    const own = (x: Tensor) => this.dropout1(this.attend(this.self_attn, x, x, tgtMask, tgtKeys, tgtCausal));
    const cross = (x: Tensor) =>
      this.dropout2(this.attend(this.multihead_attn, x, memory, memoryMask, memoryKeys, memoryCausal));
    const fed = (x: Tensor) => this.dropout3(this.feedForward(x));
    if (this.norm_first) {
      let x = tgt.add(own(this.norm1(tgt)));
      x = x.add(cross(this.norm2(x)));
      return x.add(fed(this.norm3(x)));
    }
    let x = this.norm1(tgt.add(own(tgt)));
    x = this.norm2(x.add(cross(x)));
    return this.norm3(x.add(fed(x)));
  }
}
