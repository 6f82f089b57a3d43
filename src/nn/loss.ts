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

  constructor(options?: LossOptions) {
    super();
    const [size_average, reduce, reduction] = MSE.bind([options]);
    this.reduction = reductionOf(size_average, reduce, reduction);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.mse_loss(input, target, { reduction: this.reduction });
  }
}

/** |input - target|, averaged. */
export class L1Loss extends Module {
  reduction: Reduction;

  constructor(options?: LossOptions) {
    super();
    const [size_average, reduce, reduction] = L1.bind([options]);
    this.reduction = reductionOf(size_average, reduce, reduction);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.l1_loss(input, target, { reduction: this.reduction });
  }
}

for (const loss of [MSELoss, L1Loss]) fixedInputs(loss, 'input', 'target');
