/** `nn.TransformerEncoder`, `nn.TransformerDecoder` and `nn.Transformer`. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import { warn } from '../core/warn.ts';
import { mode } from '../autograd/mode.ts';
import { requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { full } from '../torch/factories.ts';
import { canonicalMask } from './attention-forward.ts';
import { ModuleList } from './containers.ts';
import { deepCopy } from './copy.ts';
import { xavier_uniform_ } from './init.ts';
import { Module } from './module.ts';
import { LayerNorm } from './normalization.ts';
import { Signature } from './signature.ts';
import {
  type DecoderMasks,
  TransformerDecoderLayer,
  TransformerEncoderLayer,
  type TransformerLayerOptions,
} from './transformer-layers.ts';

type Layer = (...inputs: unknown[]) => Tensor;
type Normalise = (x: Tensor) => Tensor;

function clones<T extends Module>(layer: T, count: number): ModuleList<T> {
  return new ModuleList(Array.from({ length: count }, () => deepCopy(layer)));
}

/** -inf above the diagonal, 0 elsewhere: [size, size]. */
function subsequentMask(size: number, device: DeviceLike | null, dtype: DType | null): Tensor {
  return full([size, size], Number.NEGATIVE_INFINITY, { device, dtype }).triu(1);
}

function lengthOf(x: Tensor, batchFirst: boolean): number {
  return x.sizes[x.sizes.length === 2 || !batchFirst ? 0 : 1];
}

/** Whether a mask is the causal one: what was said, or what it looks like. */
function isCausal(mask: Tensor | null, said: boolean | null, length: number): boolean {
  if (said !== null || mask === null) return said === true;
  const causal = subsequentMask(length, mask.device, mask.dtype);
  return sameSizes(mask.sizes, causal.sizes) && mask.equal(causal);
}

/** Layers of an encoder as its attention is asked about. */
interface EncoderParts {
  self_attn?: { batch_first: boolean };
}

const ENCODER = Signature.of(
  'TransformerEncoder.__init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True)',
);
const ENCODE = Signature.of(
  'TransformerEncoder.forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None)',
);

export interface TransformerEncoderOptions {
  /** Of the result. */
  norm?: Module | null;
  /** Whether inference skips positions that are padding: they are 0 then. Default: true. */
  enable_nested_tensor?: boolean;
  mask_check?: boolean;
}

export interface EncodeOptions {
  /** [S, S] or [N * heads, S, S] */
  mask?: Tensor | null;
  /** [N, S] */
  src_key_padding_mask?: Tensor | null;
  /** Says that the mask lets no position attend to later ones. Default: found out. */
  is_causal?: boolean | null;
}

/** Several encoder layers, one after another: copies of one that is given. */
export class TransformerEncoder extends Module {
  declare layers: ModuleList;
  declare num_layers: number;
  declare norm: Module | null;
  declare enable_nested_tensor: boolean;
  declare use_nested_tensor: boolean;
  declare mask_check: boolean;

  constructor(encoder_layer: Module, num_layers: number, options?: TransformerEncoderOptions);
  constructor(
    encoder_layer: Module,
    num_layers: number,
    norm: Module | null,
    enable_nested_tensor?: boolean | TransformerEncoderOptions,
    mask_check?: boolean,
  );
  constructor(...args: unknown[]) {
    const [layer, count, norm, nested, check] = ENCODER.bind(args) as [Module, number, Module | null, boolean, boolean];
    super();
    this.layers = clones(layer, count);
    this.num_layers = count;
    this.norm = norm;
    this.enable_nested_tensor = nested;
    this.mask_check = check;
    const why = whyNotNested(layer);
    this.use_nested_tensor = nested && why === '';
    if (nested && why !== '') {
      warn(`enable_nested_tensor is True, but self.use_nested_tensor is False because ${why}`);
    }
  }

  /** [S, N, d_model] gives the same shape; with `batch_first` N comes first, and it may be left out. */
  override forward(
    src: Tensor,
    ...rest:
      | [options?: EncodeOptions]
      | [mask: Tensor | null, options?: EncodeOptions]
      | [mask: Tensor | null, src_key_padding_mask: Tensor | null, is_causal?: boolean | EncodeOptions | null]
  ): Tensor;
  override forward(...args: unknown[]): Tensor {
    const [src, given, padding, causal] = ENCODE.bind(args) as [Tensor, Tensor | null, Tensor | null, boolean | null];
    const keys = canonicalMask(padding, 'src_key_padding_mask', given, 'mask', src.dtype);
    const mask = canonicalMask(given, 'mask', null, '', src.dtype);
    const first = this.layers.at(0) as EncoderParts;
    const is_causal = isCausal(mask, causal, lengthOf(src, first.self_attn?.batch_first ?? false));
    let output = src;
    for (const layer of this.layers) {
      output = (layer as unknown as Layer)(output, { src_mask: mask, is_causal, src_key_padding_mask: keys });
    }
    if (keys !== null && mask === null && this.dropsPadding(src, keys)) {
      output = output.masked_fill(keys.ne(0).unsqueeze(-1), 0);
    }
    return this.norm === null ? output : (this.norm as unknown as Normalise)(output);
  }

  /** Whether PyTorch's cpu would go through a nested tensor here, which leaves zeros where there was padding. */
  private dropsPadding(src: Tensor, keys: Tensor): boolean {
    const [first] = this.layers;
    if (!this.use_nested_tensor || first.training || src.sizes.length !== 3) return false;
    const needs = mode.grad && (requiresGrad(src) || [...first.parameters()].some(requiresGrad));
    return !needs && (!this.mask_check || leftAligned(keys));
  }
}

/** Whether no position that counts comes after padding. */
function leftAligned(keys: Tensor): boolean {
  const length = keys.sizes[1];
  if (length < 2) return true;
  const pads = keys.ne(0);
  return !pads
    .narrow(1, 0, length - 1)
    .logical_and(pads.narrow(1, 1, length - 1).logical_not())
    .any()
    .item();
}

function whyNotNested(layer: Module): string {
  if (!(layer instanceof TransformerEncoderLayer)) return 'encoder_layer was not TransformerEncoderLayer';
  const { self_attn: attention } = layer;
  if (layer.norm_first) return 'encoder_layer.norm_first was True';
  if (!attention.batch_first) {
    return 'encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)';
  }
  if (!attention._qkv_same_embed_dim) return 'encoder_layer.self_attn._qkv_same_embed_dim was not True';
  if (attention.in_proj_bias === null) return 'encoder_layer.self_attn was passed bias=False';
  if (layer.activation_relu_or_gelu === 0) return 'encoder_layer.activation_relu_or_gelu was not True';
  if (layer.norm1.eps !== layer.norm2.eps) return 'encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps';
  if (attention.num_heads % 2 === 1) return 'encoder_layer.self_attn.num_heads is odd';
  return '';
}

const DECODER = Signature.of('TransformerDecoder.__init__(self, decoder_layer, num_layers, norm=None)');
const DECODE = Signature.of(
  'TransformerDecoder.forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False)',
);

type DecodeOptions = Omit<DecoderMasks, 'tgt_is_causal'> & { tgt_is_causal?: boolean | null };

/** Several decoder layers, one after another: copies of one that is given. */
export class TransformerDecoder extends Module {
  declare layers: ModuleList;
  declare num_layers: number;
  declare norm: Module | null;

  constructor(decoder_layer: Module, num_layers: number, norm?: Module | { norm?: Module | null } | null);
  constructor(...args: unknown[]) {
    const [layer, count, norm] = DECODER.bind(args) as [Module, number, Module | null];
    super();
    this.layers = clones(layer, count);
    this.num_layers = count;
    this.norm = norm;
  }

  /** [T, N, d_model] with memory [S, N, d_model] gives [T, N, d_model]; with `batch_first` N comes first. */
  override forward(
    tgt: Tensor,
    memory: Tensor,
    ...rest:
      | [options?: DecodeOptions]
      | [tgt_mask: Tensor | null, options?: DecodeOptions]
      | [tgt_mask: Tensor | null, memory_mask: Tensor | null, options?: DecodeOptions]
  ): Tensor;
  override forward(...args: unknown[]): Tensor {
    const bound = DECODE.bind(args);
    const [tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask] = bound as [
      Tensor,
      Tensor,
      ...(Tensor | null)[],
    ];
    const [causal, memory_is_causal] = bound.slice(6) as [boolean | null, boolean];
    const first = this.layers.at(0) as EncoderParts;
    const tgt_is_causal = isCausal(tgt_mask, causal, lengthOf(tgt, first.self_attn?.batch_first ?? false));
    const masks = {
      tgt_mask,
      memory_mask,
      tgt_key_padding_mask,
      memory_key_padding_mask,
      tgt_is_causal,
      memory_is_causal,
    };
    let output = tgt;
    for (const layer of this.layers) output = (layer as unknown as Layer)(output, memory, masks);
    return this.norm === null ? output : (this.norm as unknown as Normalise)(output);
  }
}

export interface TransformerOptions extends TransformerLayerOptions {
  /** Features. Default: 512. */
  d_model?: number;
  /** Heads of attention. Default: 8. */
  nhead?: number;
  /** Default: 6. */
  num_encoder_layers?: number;
  /** Default: 6. */
  num_decoder_layers?: number;
  custom_encoder?: Module | null;
  custom_decoder?: Module | null;
}

export interface TransformerMasks extends DecodeOptions {
  src_mask?: Tensor | null;
  src_key_padding_mask?: Tensor | null;
  src_is_causal?: boolean | null;
}

const TRANSFORMER = Signature.of(
  'Transformer.__init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1, activation=None, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-05, batch_first=False, norm_first=False, bias=True, device=None, dtype=None)',
);
const TRANSFORM = Signature.of(
  'Transformer.forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None, memory_is_causal=False)',
);

const MASK = Signature.of('Transformer.generate_square_subsequent_mask(sz, device=None, dtype=None)');

/** An encoder and a decoder, as in "Attention Is All You Need". */
export class Transformer extends Module {
  declare encoder: Module;
  declare decoder: Module;
  declare d_model: number;
  declare nhead: number;
  declare batch_first: boolean;

  constructor(options?: TransformerOptions);
  constructor(d_model: number, options?: TransformerOptions);
  constructor(d_model: number, nhead: number, options?: TransformerOptions);
  constructor(
    d_model: number,
    nhead: number,
    num_encoder_layers: number,
    num_decoder_layers: number,
    options?: TransformerOptions,
  );
  constructor(...args: unknown[]) {
    const bound = TRANSFORMER.bind(args);
    const [width, heads, encoders, decoders, dim_feedforward, dropout] = bound as number[];
    const [activation, encoder, decoder, layer_norm_eps] = bound.slice(6) as [
      NonNullable<TransformerLayerOptions['activation']> | null,
      Module | null,
      Module | null,
      number,
    ];
    const [batch_first, norm_first, bias] = bound.slice(10) as boolean[];
    const [device, dtype] = bound.slice(13) as [DeviceLike | null, DType | null];
    super();
    const options = {
      dim_feedforward,
      dropout,
      ...(activation === null ? {} : { activation }),
      layer_norm_eps,
      batch_first,
      norm_first,
      bias,
      device,
      dtype,
    };
    const norm = () => new LayerNorm(width, { eps: layer_norm_eps, bias, device, dtype });
    if (encoder !== null) this.encoder = encoder;
    else {
      const layer = new TransformerEncoderLayer(width, heads, options);
      this.encoder = new TransformerEncoder(layer, encoders, norm());
    }
    if (decoder !== null) this.decoder = decoder;
    else {
      const layer = new TransformerDecoderLayer(width, heads, options);
      this.decoder = new TransformerDecoder(layer, decoders, norm());
    }
    this._reset_parameters();
    this.d_model = width;
    this.nhead = heads;
    this.batch_first = batch_first;
  }

  /** Source [S, N, d_model] and target [T, N, d_model] give [T, N, d_model]; with `batch_first` N comes first. */
  override forward(
    src: Tensor,
    tgt: Tensor,
    ...rest:
      | [masks?: TransformerMasks]
      | [src_mask: Tensor | null, masks?: TransformerMasks]
      | [src_mask: Tensor | null, tgt_mask: Tensor | null, masks?: TransformerMasks]
  ): Tensor;
  override forward(...args: unknown[]): Tensor {
    const bound = TRANSFORM.bind(args);
    const [src, tgt, src_mask, tgt_mask, memory_mask] = bound as [Tensor, Tensor, ...(Tensor | null)[]];
    const [src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask] = bound.slice(5) as (Tensor | null)[];
    const [srcCausal, tgt_is_causal, memory_is_causal] = bound.slice(8) as (boolean | null)[];
    const batch = this.batch_first ? 0 : 1;
    if (src.sizes.length === 3 && src.sizes[batch] !== tgt.sizes[batch]) {
      throw new RuntimeError('the batch number of src and tgt must be equal');
    }
    if ([src, tgt].some((x) => x.sizes[x.sizes.length - 1] !== this.d_model)) {
      throw new RuntimeError('the feature number of src and tgt must be equal to d_model');
    }
    const memory = (this.encoder as unknown as Layer)(src, {
      mask: src_mask,
      src_key_padding_mask,
      is_causal: srcCausal,
    });
    return (this.decoder as unknown as Layer)(tgt, memory, {
      tgt_mask,
      memory_mask,
      tgt_key_padding_mask,
      memory_key_padding_mask,
      tgt_is_causal,
      memory_is_causal,
    });
  }

  /** Draws all matrices anew. */
  _reset_parameters(): void {
    for (const parameter of this.parameters()) if (parameter.sizes.length > 1) xavier_uniform_(parameter);
  }

  /** -inf above the diagonal, 0 elsewhere: a mask that lets no position attend to later ones. */
  static generate_square_subsequent_mask(
    sz: number,
    options?: { device?: DeviceLike | null; dtype?: DType | null },
  ): Tensor;
  static generate_square_subsequent_mask(...args: unknown[]): Tensor {
    const [sz, device, dtype] = MASK.bind(args) as [number, DeviceLike | null, DType | null];
    return subsequentMask(sz, device, dtype);
  }

  /** The same, as Python offers static methods on instances, too. */
  generate_square_subsequent_mask(
    ...args: [sz: number, options?: { device?: DeviceLike | null; dtype?: DType | null }]
  ): Tensor {
    return Transformer.generate_square_subsequent_mask(...args);
  }
}
