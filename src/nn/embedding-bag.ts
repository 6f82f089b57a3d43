/** `nn.EmbeddingBag`. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { AssertionError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty } from '../torch/factories.ts';
import { checkShape, clearPadding, paddingRow, settings, sizesOf } from './embedding.ts';
import { functional } from './functional.ts';
import { normal_ } from './init.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyRepr } from './text.ts';

export type BagMode = 'sum' | 'mean' | 'max';

export interface EmbeddingBagOptions extends FactoryOptions {
  max_norm?: number | null;
  norm_type?: number;
  /** Whether gradients are divided by how often a row is named. */
  scale_grad_by_freq?: boolean;
  /** What becomes of the vectors of a bag. Default: 'mean'. */
  mode?: BagMode;
  sparse?: boolean;
  /** The weight, in place of a drawn one. */
  _weight?: Tensor | null;
  /** Whether the last offset is the end of the last bag. */
  include_last_offset?: boolean;
  /** A row that counts for nothing. */
  padding_idx?: number | null;
}

const BAG_INIT = Signature.of(
  "EmbeddingBag.__init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None, dtype=None)",
);

const BAG_PRETRAINED = Signature.of(
  "EmbeddingBag.from_pretrained(embeddings, freeze=True, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', sparse=False, include_last_offset=False, padding_idx=None)",
);

/**
 * Sums, means or maxima of bags of vectors: indices [bags, n], or [n] with the offsets where bags begin, become
 * [bags, embedding_dim].
 */
export class EmbeddingBag extends Module {
  num_embeddings: number;
  embedding_dim: number;
  max_norm: number | null;
  norm_type: number;
  scale_grad_by_freq: boolean;
  mode: BagMode;
  sparse: boolean;
  include_last_offset: boolean;
  padding_idx: number | null;
  /** [num_embeddings, embedding_dim] */
  declare weight: Parameter;

  constructor(num_embeddings: number, embedding_dim: number, options?: EmbeddingBagOptions);
  constructor(...args: unknown[]) {
    super();
    const [rows, columns, maxNorm, normType, scale, mode, sparse, weight, last, padding, device, dtype] = BAG_INIT.bind(
      args,
    ) as [
      number,
      number,
      number | null,
      number,
      boolean,
      BagMode,
      boolean,
      Tensor | null,
      boolean,
      number | null,
      DeviceLike | null,
      DType | null,
    ];
    this.num_embeddings = rows;
    this.embedding_dim = columns;
    this.max_norm = maxNorm;
    this.norm_type = normType;
    this.scale_grad_by_freq = scale;
    this.mode = mode;
    this.sparse = sparse;
    this.include_last_offset = last;
    if (padding !== null && (padding >= rows || padding < -rows)) {
      throw new AssertionError('padding_idx must be within num_embeddings');
    }
    this.padding_idx = paddingRow(padding, rows);
    if (weight === null) {
      this.register_parameter('weight', makeParameter(empty([rows, columns], { device, dtype }), true));
      this.reset_parameters();
    } else {
      checkShape(weight, rows, columns);
      this.register_parameter('weight', makeParameter(weight, true));
    }
  }

  /** Bags of given vectors [num_embeddings, embedding_dim]; by default they get no gradient. */
  static from_pretrained(
    embeddings: Tensor,
    options?: { freeze?: boolean } & Omit<EmbeddingBagOptions, '_weight' | 'device' | 'dtype'>,
  ): EmbeddingBag;
  static from_pretrained(
    embeddings: Tensor,
    freeze: boolean,
    options?: Omit<EmbeddingBagOptions, '_weight' | 'device' | 'dtype'>,
  ): EmbeddingBag;
  static from_pretrained(...args: unknown[]): EmbeddingBag {
    const [weight, freeze, max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx] =
      BAG_PRETRAINED.bind(args) as [
        Tensor,
        boolean,
        number | null,
        number,
        boolean,
        BagMode,
        boolean,
        boolean,
        number | null,
      ];
    const [rows, columns] = sizesOf(weight);
    const bag = new EmbeddingBag(rows, columns, {
      ...{ max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx },
      _weight: weight,
    });
    bag.weight.requires_grad_(!freeze);
    return bag;
  }

  /** Draws the vectors anew. */
  reset_parameters(): void {
    normal_(this.weight);
    clearPadding(this.weight, this.padding_idx);
  }

  override forward(input: Tensor, offsets: Tensor | null = null, per_sample_weights: Tensor | null = null): Tensor {
    return functional.embedding_bag(input, this.weight, offsets, {
      max_norm: this.max_norm,
      norm_type: this.norm_type,
      scale_grad_by_freq: this.scale_grad_by_freq,
      mode: this.mode,
      sparse: this.sparse,
      per_sample_weights,
      include_last_offset: this.include_last_offset,
      padding_idx: this.padding_idx,
    });
  }

  override extra_repr(): string {
    const padding = this.padding_idx === null ? [] : [`padding_idx=${this.padding_idx}`];
    return [...settings(this), `mode=${pyRepr(this.mode)}`, ...padding].join(', ');
  }
}
