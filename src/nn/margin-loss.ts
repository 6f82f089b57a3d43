/** Losses with a margin as modules. */
import { ValueError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { PairwiseDistance } from './distance.ts';
import { functional } from './functional.ts';
import './functional-losses.ts';
import { type LossOptions, type Reduction, reductionOf } from './loss.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';
import { pyNumber } from './text.ts';

interface MarginOptions extends LossOptions {
  margin?: number;
}

const REDUCTION = "size_average=None, reduce=None, reduction='mean'";
const MULTI = Signature.of(`MultiMarginLoss.__init__(self, p=1, margin=1, weight=None, ${REDUCTION})`);
const MULTILABEL = Signature.of(`MultiLabelMarginLoss.__init__(self, ${REDUCTION})`);

/** Losses with no option but the margin; classes derived from them have the same `__init__`. */
abstract class MarginLoss extends Module {
  protected static readonly init: Signature;
  margin: number;
  reduction: Reduction;

  constructor(options?: MarginOptions);
  constructor(margin: number, options?: LossOptions);
  constructor(...args: unknown[]) {
    super();
    const [margin, average, reduce, reduction] = new.target.init.bind(args);
    this.margin = margin as number;
    this.reduction = reductionOf(average, reduce, reduction);
  }
}

/** max(0, margin - target (input1 - input2)) for targets 1 (input1 should be larger) and -1. */
export class MarginRankingLoss extends MarginLoss {
  protected static override readonly init = Signature.of(`MarginRankingLoss.__init__(self, margin=0, ${REDUCTION})`);

  override forward(input1: Tensor, input2: Tensor, target: Tensor): Tensor {
    const { margin, reduction } = this;
    return functional.margin_ranking_loss(input1, input2, target, { margin, reduction });
  }
}

/** x where the target is 1, max(0, margin - x) where it is -1. */
export class HingeEmbeddingLoss extends MarginLoss {
  protected static override readonly init = Signature.of(`HingeEmbeddingLoss.__init__(self, margin=1, ${REDUCTION})`);

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.hinge_embedding_loss(input, target, { margin: this.margin, reduction: this.reduction });
  }
}

/** 1 - cos(input1, input2) where the target is 1, max(0, cos(input1, input2) - margin) where it is -1. */
export class CosineEmbeddingLoss extends MarginLoss {
  protected static override readonly init = Signature.of(`CosineEmbeddingLoss.__init__(self, margin=0, ${REDUCTION})`);

  override forward(input1: Tensor, input2: Tensor, target: Tensor): Tensor {
    const { margin, reduction } = this;
    return functional.cosine_embedding_loss(input1, input2, target, { margin, reduction });
  }
}

interface MultiMarginOptions extends MarginOptions {
  /** 1 or 2. Default: 1. */
  p?: number;
  /** By class. */
  weight?: Tensor | null;
}

/** Mean over classes of max(0, margin - x[target] + x)^p. */
export class MultiMarginLoss extends Module {
  p: number;
  margin: number;
  reduction: Reduction;
  declare weight: Tensor | null;

  constructor(options?: MultiMarginOptions);
  constructor(p: number, options?: Omit<MultiMarginOptions, 'p'>);
  constructor(p: number, margin: number, options?: LossOptions & { weight?: Tensor | null });
  constructor(...args: unknown[]) {
    super();
    const [p, margin, weight, average, reduce, reduction] = MULTI.bind(args);
    if (p !== 1 && p !== 2) throw new ValueError('only p == 1 and p == 2 supported');
    const rank = (weight as Tensor | null)?.sizes.length ?? 1;
    if (rank !== 1) {
      throw new ValueError(`MultiMarginLoss: expected weight to be None or 1D tensor, got ${rank}D instead`);
    }
    this.p = p;
    this.margin = margin as number;
    this.reduction = reductionOf(average, reduce, reduction);
    this.register_buffer('weight', weight as Tensor | null);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    const { p, margin, weight, reduction } = this;
    return functional.multi_margin_loss(input, target, { p, margin, weight, reduction });
  }
}

/** Mean over classes of max(0, 1 - x[label] + x) for each label and each class that is none. */
export class MultiLabelMarginLoss extends Module {
  reduction: Reduction;

  constructor(options?: LossOptions);
  constructor(...args: unknown[]) {
    super();
    const [average, reduce, reduction] = MULTILABEL.bind(args);
    this.reduction = reductionOf(average, reduce, reduction);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.multilabel_margin_loss(input, target, { reduction: this.reduction });
  }
}

const TRIPLET = Signature.of(`TripletMarginLoss.__init__(self, margin=1, p=2, eps=1e-06, swap=False, ${REDUCTION})`);
const TRIPLET_DISTANCE = Signature.of(
  "TripletMarginWithDistanceLoss.__init__(self, *, distance_function=None, margin=1, swap=False, reduction='mean')",
);

function checkMargin(name: string, margin: number): void {
  if (margin > 0) return;
  throw new ValueError(`${name}: expected margin to be greater than 0, got ${pyNumber(margin)} instead`);
}

interface TripletOptions extends MarginOptions {
  /** The norm of distances. Default: 2. */
  p?: number;
  /** Added to differences. Default: 1e-6. */
  eps?: number;
  /** Takes the positive's distance from the negative, where it is smaller than the anchor's. Default: false. */
  swap?: boolean;
}

/** max(0, margin + |anchor - positive| - |anchor - negative|), with norms of rows. */
export class TripletMarginLoss extends Module {
  margin: number;
  p: number;
  eps: number;
  swap: boolean;
  reduction: Reduction;

  constructor(options?: TripletOptions);
  constructor(margin: number, options?: Omit<TripletOptions, 'margin'>);
  constructor(...args: unknown[]) {
    super();
    const [margin, p, eps, swap, average, reduce, reduction] = TRIPLET.bind(args);
    checkMargin('TripletMarginLoss', margin as number);
    this.margin = margin as number;
    this.p = p as number;
    this.eps = eps as number;
    this.swap = swap as boolean;
    this.reduction = reductionOf(average, reduce, reduction);
  }

  override forward(anchor: Tensor, positive: Tensor, negative: Tensor): Tensor {
    const { margin, p, eps, swap, reduction } = this;
    return functional.triplet_margin_loss(anchor, positive, negative, { margin, p, eps, swap, reduction });
  }
}

type Distance = (a: Tensor, b: Tensor) => Tensor;

/** `TripletMarginLoss` with any distance. */
export class TripletMarginWithDistanceLoss extends Module {
  distance_function: Distance;
  margin: number;
  swap: boolean;
  reduction: Reduction;

  constructor(options?: {
    /** A function or a module. Default: `new PairwiseDistance()`. */
    distance_function?: Distance | null;
    margin?: number;
    swap?: boolean;
    reduction?: Reduction;
  });
  constructor(...args: unknown[]) {
    super();
    const [distance, margin, swap, reduction] = TRIPLET_DISTANCE.bind(args);
    checkMargin('TripletMarginWithDistanceLoss', margin as number);
    this.distance_function = (distance as Distance | null) ?? new PairwiseDistance();
    this.margin = margin as number;
    this.swap = swap as boolean;
    this.reduction = reduction as Reduction;
  }

  override forward(anchor: Tensor, positive: Tensor, negative: Tensor): Tensor {
    const { distance_function, margin, swap, reduction } = this;
    const options = { distance_function, margin, swap, reduction };
    return functional.triplet_margin_with_distance_loss(anchor, positive, negative, options);
  }
}

for (const loss of [HingeEmbeddingLoss, MultiMarginLoss, MultiLabelMarginLoss]) fixedInputs(loss, 'input', 'target');
for (const loss of [MarginRankingLoss, CosineEmbeddingLoss]) fixedInputs(loss, 'input1', 'input2', 'target');
for (const loss of [TripletMarginLoss, TripletMarginWithDistanceLoss]) {
  fixedInputs(loss, 'anchor', 'positive', 'negative');
}
