/** Losses over classes as modules: `nn.CrossEntropyLoss`, `nn.NLLLoss`, and the binary ones. */
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { type LossOptions, type Reduction, reductionOf } from './loss.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';

export interface ClassLossOptions extends LossOptions {
  /** By class. */
  weight?: Tensor | null;
  /** A target that counts for nothing. Default: -100. */
  ignore_index?: number;
}

const CROSS_ENTROPY = Signature.of(
  "CrossEntropyLoss.__init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', label_smoothing=0.0)",
);
const NLL = Signature.of(
  "NLLLoss.__init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean')",
);
const BCE = Signature.of("BCELoss.__init__(self, weight=None, size_average=None, reduce=None, reduction='mean')");
const LOGITS = Signature.of(
  "BCEWithLogitsLoss.__init__(self, weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None)",
);

/** Cross entropy of scores [N, C, …] with classes [N, …] or with probabilities in the scores' shape. */
export class CrossEntropyLoss extends Module {
  reduction: Reduction;
  declare weight: Tensor | null;
  ignore_index: number;
  label_smoothing: number;

  constructor(options?: ClassLossOptions & { label_smoothing?: number });
  constructor(weight: Tensor | null, options?: Omit<ClassLossOptions, 'weight'> & { label_smoothing?: number });
  constructor(...args: unknown[]) {
    super();
    const [weight, average, ignore_index, reduce, reduction, smoothing] = CROSS_ENTROPY.bind(args);
    this.reduction = reductionOf(average, reduce, reduction);
    this.register_buffer('weight', weight as Tensor | null);
    this.ignore_index = ignore_index as number;
    this.label_smoothing = smoothing as number;
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    const { weight, ignore_index, reduction, label_smoothing } = this;
    return functional.cross_entropy(input, target, weight, { ignore_index, reduction, label_smoothing });
  }
}

/** Minus the score of the target class; scores are [N, C, …], targets [N, …]. */
export class NLLLoss extends Module {
  reduction: Reduction;
  declare weight: Tensor | null;
  ignore_index: number;

  constructor(options?: ClassLossOptions);
  constructor(weight: Tensor | null, options?: Omit<ClassLossOptions, 'weight'>);
  constructor(...args: unknown[]) {
    super();
    const [weight, average, ignore_index, reduce, reduction] = NLL.bind(args);
    this.reduction = reductionOf(average, reduce, reduction);
    this.register_buffer('weight', weight as Tensor | null);
    this.ignore_index = ignore_index as number;
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    const { weight, ignore_index, reduction } = this;
    return functional.nll_loss(input, target, weight, { ignore_index, reduction });
  }
}

/** Binary cross entropy of probabilities with targets from 0 to 1. */
export class BCELoss extends Module {
  reduction: Reduction;
  declare weight: Tensor | null;

  constructor(options?: LossOptions & { weight?: Tensor | null });
  constructor(weight: Tensor | null, options?: LossOptions);
  constructor(...args: unknown[]) {
    super();
    const [weight, average, reduce, reduction] = BCE.bind(args);
    this.reduction = reductionOf(average, reduce, reduction);
    this.register_buffer('weight', weight as Tensor | null);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.binary_cross_entropy(input, target, this.weight, { reduction: this.reduction });
  }
}

/** Binary cross entropy of scores, to which the logistic function is applied, with targets from 0 to 1. */
export class BCEWithLogitsLoss extends Module {
  reduction: Reduction;
  declare weight: Tensor | null;
  declare pos_weight: Tensor | null;

  constructor(options?: LossOptions & { weight?: Tensor | null; pos_weight?: Tensor | null });
  constructor(weight: Tensor | null, options?: LossOptions & { pos_weight?: Tensor | null });
  constructor(...args: unknown[]) {
    super();
    const [weight, average, reduce, reduction, pos_weight] = LOGITS.bind(args);
    this.reduction = reductionOf(average, reduce, reduction);
    this.register_buffer('weight', weight as Tensor | null);
    this.register_buffer('pos_weight', pos_weight as Tensor | null);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    const { weight, pos_weight, reduction } = this;
    return functional.binary_cross_entropy_with_logits(input, target, weight, { reduction, pos_weight });
  }
}

for (const loss of [CrossEntropyLoss, NLLLoss, BCELoss, BCEWithLogitsLoss]) fixedInputs(loss, 'input', 'target');
