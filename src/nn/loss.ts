/** Losses as modules. */
import { warn } from '../core/warn.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';

export type Reduction = 'none' | 'mean' | 'sum';

export interface LossOptions {
  /** What becomes of the elements' losses. Default: 'mean'. */
  reduction?: Reduction;
  /** Deprecated in favour of `reduction`. */
  size_average?: boolean | null;
  /** Deprecated in favour of `reduction`. */
  reduce?: boolean | null;
}

/** The reduction that PyTorch's two older arguments stand for. */
export function reductionOf(size_average: unknown, reduce: unknown, reduction: unknown): Reduction {
  if (size_average === null && reduce === null) return reduction as Reduction;
  const found = (reduce ?? true) === false ? 'none' : (size_average ?? true) === false ? 'sum' : 'mean';
  warn(`size_average and reduce args will be deprecated, please use reduction='${found}' instead.`);
  return found;
}

const signatureOf = (name: string): Signature =>
  Signature.of(`${name}.__init__(self, size_average=None, reduce=None, reduction='mean')`);

const MSE = signatureOf('MSELoss');
const L1 = signatureOf('L1Loss');

/** (input - target)², averaged. */
export class MSELoss extends Module {
  reduction: Reduction;

  constructor(options?: LossOptions);
  constructor(...args: unknown[]) {
    super();
    const [size_average, reduce, reduction] = MSE.bind(args);
    this.reduction = reductionOf(size_average, reduce, reduction);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.mse_loss(input, target, { reduction: this.reduction });
  }
}

/** |input - target|, averaged. */
export class L1Loss extends Module {
  reduction: Reduction;

  constructor(options?: LossOptions);
  constructor(...args: unknown[]) {
    super();
    const [size_average, reduce, reduction] = L1.bind(args);
    this.reduction = reductionOf(size_average, reduce, reduction);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.l1_loss(input, target, { reduction: this.reduction });
  }
}

const SMOOTH_L1 = Signature.of(
  "SmoothL1Loss.__init__(self, size_average=None, reduce=None, reduction='mean', beta=1.0)",
);
const HUBER = Signature.of("HuberLoss.__init__(self, reduction='mean', delta=1.0)");

/** (input - target)² / (2 beta) where they differ by less than beta, else |input - target| - beta / 2. */
export class SmoothL1Loss extends Module {
  reduction: Reduction;
  beta: number;

  constructor(options?: LossOptions & { beta?: number });
  constructor(...args: unknown[]) {
    super();
    const [size_average, reduce, reduction, beta] = SMOOTH_L1.bind(args);
    this.reduction = reductionOf(size_average, reduce, reduction);
    this.beta = beta as number;
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.smooth_l1_loss(input, target, { reduction: this.reduction, beta: this.beta });
  }
}

/** (input - target)² / 2 where they differ by at most delta, else delta (|input - target| - delta / 2). */
export class HuberLoss extends Module {
  reduction: Reduction;
  delta: number;

  constructor(options?: { reduction?: Reduction; delta?: number });
  constructor(reduction: Reduction, delta?: number | { delta?: number });
  constructor(...args: unknown[]) {
    super();
    const [reduction, delta] = HUBER.bind(args);
    this.reduction = reduction as Reduction;
    this.delta = delta as number;
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.huber_loss(input, target, { reduction: this.reduction, delta: this.delta });
  }
}

for (const loss of [MSELoss, L1Loss, SmoothL1Loss, HuberLoss]) fixedInputs(loss, 'input', 'target');
