/** Likelihoods and divergences as modules, and losses of labels that are soft or many. */
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { type LossOptions, type Reduction, reductionOf } from './loss.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';

const KL_DIV = Signature.of(
  "KLDivLoss.__init__(self, size_average=None, reduce=None, reduction='mean', log_target=False)",
);
const POISSON = Signature.of(
  "PoissonNLLLoss.__init__(self, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean')",
);
const GAUSSIAN = Signature.of("GaussianNLLLoss.__init__(self, *, full=False, eps=1e-06, reduction='mean')");
const SOFT_MARGIN = Signature.of("SoftMarginLoss.__init__(self, size_average=None, reduce=None, reduction='mean')");
const MULTILABEL_SOFT_MARGIN = Signature.of(
  "MultiLabelSoftMarginLoss.__init__(self, weight=None, size_average=None, reduce=None, reduction='mean')",
);
const CTC = Signature.of("CTCLoss.__init__(self, blank=0, reduction='mean', zero_infinity=False)");

interface KLDivOptions extends Omit<LossOptions, 'reduction'> {
  /** 'batchmean' divides the sum by the first dimension, as the definition has it. Default: 'mean'. */
  reduction?: Reduction | 'batchmean';
  /** Whether targets are logarithms, too. Default: false. */
  log_target?: boolean;
}

/** Kullback-Leibler divergence of log-probabilities from target probabilities. */
export class KLDivLoss extends Module {
  reduction: Reduction | 'batchmean';
  log_target: boolean;

  constructor(options?: KLDivOptions);
  constructor(...args: unknown[]) {
    super();
    const [average, reduce, reduction, log_target] = KL_DIV.bind(args);
    this.reduction = reductionOf(average, reduce, reduction);
    this.log_target = log_target as boolean;
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.kl_div(input, target, { reduction: this.reduction, log_target: this.log_target });
  }
}

interface PoissonNLLOptions extends LossOptions {
  /** Whether inputs are logarithms of expectations. Default: true. */
  log_input?: boolean;
  /** Whether Stirling's term is added. Default: false. */
  full?: boolean;
  /** Keeps the logarithm of 0 away where inputs are expectations. Default: 1e-8. */
  eps?: number;
}

/** Negative log likelihood of counts under Poisson distributions. */
export class PoissonNLLLoss extends Module {
  log_input: boolean;
  full: boolean;
  eps: number;
  reduction: Reduction;

  constructor(options?: PoissonNLLOptions);
  constructor(log_input: boolean, options?: Omit<PoissonNLLOptions, 'log_input'>);
  constructor(...args: unknown[]) {
    super();
    const [log_input, full, average, eps, reduce, reduction] = POISSON.bind(args);
    this.log_input = log_input as boolean;
    this.full = full as boolean;
    this.eps = eps as number;
    this.reduction = reductionOf(average, reduce, reduction);
  }

  override forward(log_input: Tensor, target: Tensor): Tensor {
    const { full, eps, reduction } = this;
    return functional.poisson_nll_loss(log_input, target, { log_input: this.log_input, full, eps, reduction });
  }
}

/** Negative log likelihood of targets under normal distributions with the means input and the variances var. */
export class GaussianNLLLoss extends Module {
  full: boolean;
  eps: number;
  reduction: Reduction;

  constructor(options?: { full?: boolean; eps?: number; reduction?: Reduction });
  constructor(...args: unknown[]) {
    super();
    const [full, eps, reduction] = GAUSSIAN.bind(args);
    this.full = full as boolean;
    this.eps = eps as number;
    this.reduction = reduction as Reduction;
  }

  override forward(input: Tensor, target: Tensor, variance: Tensor | number): Tensor {
    const { full, eps, reduction } = this;
    return functional.gaussian_nll_loss(input, target, variance, { full, eps, reduction });
  }
}

/** log(1 + exp(-target x)) for targets 1 and -1. */
export class SoftMarginLoss extends Module {
  reduction: Reduction;

  constructor(options?: LossOptions);
  constructor(...args: unknown[]) {
    super();
    const [average, reduce, reduction] = SOFT_MARGIN.bind(args);
    this.reduction = reductionOf(average, reduce, reduction);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.soft_margin_loss(input, target, { reduction: this.reduction });
  }
}

/** Binary cross entropy of scores, averaged over the classes. */
export class MultiLabelSoftMarginLoss extends Module {
  reduction: Reduction;
  declare weight: Tensor | null;

  constructor(options?: LossOptions & { weight?: Tensor | null });
  constructor(weight: Tensor | null, options?: LossOptions);
  constructor(...args: unknown[]) {
    super();
    const [weight, average, reduce, reduction] = MULTILABEL_SOFT_MARGIN.bind(args);
    this.reduction = reductionOf(average, reduce, reduction);
    this.register_buffer('weight', weight as Tensor | null);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.multilabel_soft_margin_loss(input, target, { weight: this.weight, reduction: this.reduction });
  }
}

/** Connectionist temporal classification: sequences of log-probabilities with labels that are not aligned to them. */
export class CTCLoss extends Module {
  blank: number;
  reduction: Reduction;
  zero_infinity: boolean;

  constructor(options?: { blank?: number; reduction?: Reduction; zero_infinity?: boolean });
  constructor(blank: number, options?: { reduction?: Reduction; zero_infinity?: boolean });
  constructor(...args: unknown[]) {
    super();
    const [blank, reduction, zero_infinity] = CTC.bind(args);
    this.blank = blank as number;
    this.reduction = reduction as Reduction;
    this.zero_infinity = zero_infinity as boolean;
  }

  /** Lengths are tensors or lists, one for each sample. */
  override forward(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | readonly number[],
    target_lengths: Tensor | readonly number[],
  ): Tensor {
    const { blank, reduction, zero_infinity } = this;
    const options = { blank, reduction, zero_infinity };
    return functional.ctc_loss(log_probs, targets, input_lengths as Tensor, target_lengths as Tensor, options);
  }
}

for (const loss of [KLDivLoss, SoftMarginLoss, MultiLabelSoftMarginLoss]) fixedInputs(loss, 'input', 'target');
fixedInputs(PoissonNLLLoss, 'log_input', 'target');
fixedInputs(GaussianNLLLoss, 'input', 'target', 'var');
fixedInputs(CTCLoss, 'log_probs', 'targets', 'input_lengths', 'target_lengths');
