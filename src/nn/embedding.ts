/** `nn.Embedding`, and what it shares with `nn.EmbeddingBag`. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { AssertionError } from '../core/errors.ts';
import { no_grad } from '../autograd/mode.ts';
import { needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty } from '../torch/factories.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { normal_ } from './init.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyRepr } from './text.ts';

export interface EmbeddingOptions extends FactoryOptions {
  /** A row that is 0 at first and gets no gradient. */
  padding_idx?: number | null;
  max_norm?: number | null;
  norm_type?: number;
  /** Whether gradients are divided by how often a row is named. */
  scale_grad_by_freq?: boolean;
  sparse?: boolean;
  /** The weight, in place of a drawn one. */
  _weight?: Tensor | null;
  /** Whether that weight gets no gradient. */
  _freeze?: boolean;
}

const INIT = Signature.of(
  'Embedding.__init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, device=None, dtype=None)',
);

const PRETRAINED = Signature.of(
  'Embedding.from_pretrained(embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False)',
);

type EmbeddingArguments = [
  number,
  number,
  number | null,
  number | null,
  number,
  boolean,
  boolean,
  Tensor | null,
  boolean,
  DeviceLike | null,
  DType | null,
];

export function paddingRow(padding: number | null, rows: number): number | null {
  if (padding === null) return null;
  if (padding >= rows || padding < -rows) throw new AssertionError('Padding_idx must be within num_embeddings');
  return padding < 0 ? padding + rows : padding;
}

/** Sets the row that stands for padding to 0. */
export function clearPadding(weight: Tensor, padding: number | null): void {
  if (padding === null) return;
  no_grad(() => {
    weight.select(0, padding).zero_();
  });
}

/** What `extra_repr` shows of both: only what differs from the defaults. */
export function settings(of: {
  num_embeddings: number;
  embedding_dim: number;
  max_norm: number | null;
  norm_type: number;
  scale_grad_by_freq: boolean;
}): string[] {
  const shown = [`${of.num_embeddings}, ${of.embedding_dim}`];
  if (of.max_norm !== null) shown.push(`max_norm=${pyRepr(of.max_norm)}`);
  if (of.norm_type !== 2) shown.push(`norm_type=${pyRepr(of.norm_type)}`);
  if (of.scale_grad_by_freq) shown.push('scale_grad_by_freq=True');
  return shown;
}

/** A table of vectors: indices [...] become [..., embedding_dim]. */
export class Embedding extends Module {
  num_embeddings: number;
  embedding_dim: number;
  padding_idx: number | null;
  max_norm: number | null;
  norm_type: number;
  scale_grad_by_freq: boolean;
  sparse: boolean;
  /** [num_embeddings, embedding_dim] */
  declare weight: Parameter;

  constructor(num_embeddings: number, embedding_dim: number, options?: EmbeddingOptions);
  constructor(
    num_embeddings: number,
    embedding_dim: number,
    padding_idx: number | null,
    options?: Omit<EmbeddingOptions, 'padding_idx'>,
  );
  constructor(...args: unknown[]) {
    super();
    const [rows, columns, padding, maxNorm, normType, scale, sparse, weight, freeze, device, dtype] = INIT.bind(
      args,
    ) as EmbeddingArguments;
    this.num_embeddings = rows;
    this.embedding_dim = columns;
    this.padding_idx = paddingRow(padding, rows);
    this.max_norm = maxNorm;
    this.norm_type = normType;
    this.scale_grad_by_freq = scale;
    if (weight === null) {
      this.register_parameter('weight', makeParameter(empty([rows, columns], { device, dtype }), !freeze));
      this.reset_parameters();
    } else {
      checkShape(weight, rows, columns);
      this.register_parameter('weight', makeParameter(weight, !freeze));
    }
    this.sparse = sparse;
  }

  /** An embedding with given vectors [num_embeddings, embedding_dim]; by default they get no gradient. */
  static from_pretrained(
    embeddings: Tensor,
    options?: { freeze?: boolean } & Omit<EmbeddingOptions, '_weight' | '_freeze' | 'device' | 'dtype'>,
  ): Embedding;
  static from_pretrained(
    embeddings: Tensor,
    freeze: boolean,
    options?: Omit<EmbeddingOptions, '_weight' | '_freeze' | 'device' | 'dtype'>,
  ): Embedding;
  static from_pretrained(...args: unknown[]): Embedding {
    const [weight, freeze, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse] = PRETRAINED.bind(args) as [
      Tensor,
      boolean,
      number | null,
      number | null,
      number,
      boolean,
      boolean,
    ];
    const [rows, columns] = sizesOf(weight);
    return new Embedding(rows, columns, {
      ...{ padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse },
      _weight: weight,
      _freeze: freeze,
    });
  }

  /** Draws the vectors anew. */
  reset_parameters(): void {
    normal_(this.weight);
    clearPadding(this.weight, this.padding_idx);
  }

  override forward(input: Tensor): Tensor {
    return functional.embedding(input, this.weight, {
      padding_idx: this.padding_idx,
      max_norm: this.max_norm,
      norm_type: this.norm_type,
      scale_grad_by_freq: this.scale_grad_by_freq,
      sparse: this.sparse,
    });
  }

  override extra_repr(): string {
    const [sizes, ...rest] = settings(this);
    const padding = this.padding_idx === null ? [] : [`padding_idx=${this.padding_idx}`];
    return [sizes, ...padding, ...rest, ...(this.sparse ? ['sparse=True'] : [])].join(', ');
  }
}

/** Rows and columns of given vectors. */
export function sizesOf(weight: Tensor): readonly number[] {
  needTensor(weight, 'from_pretrained', 'embeddings');
  if (weight.ndim !== 2) throw new AssertionError('Embeddings parameter is expected to be 2-dimensional');
  return weight.sizes;
}

export function checkShape(weight: Tensor, rows: number, columns: number): void {
  if (weight.sizes[0] !== rows || weight.sizes[1] !== columns || weight.sizes.length !== 2) {
    throw new AssertionError('Shape of weight does not match num_embeddings and embedding_dim');
  }
}

fixedInputs(Embedding, 'input');
