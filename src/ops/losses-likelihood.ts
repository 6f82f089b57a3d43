/** Losses that are likelihoods or divergences: kl_div, poisson, gaussian, soft margins. Made of other ops, as in PyTorch. */
import { no_grad } from '../autograd/mode.ts';
import { bool, FLOAT_CATEGORY } from '../core/dtype.ts';
import { RuntimeError, ValueError } from '../core/errors.ts';
import { broadcastSizes, sameSizes, showSizes } from '../core/shape.ts';
import { warnOnce } from '../core/warn.ts';
import * as e from '../kernels/expr.ts';
import { requiresGrad, Tensor } from '../tensor/tensor.ts';
import { logsigmoid } from './activations.ts';
import { ElementLoss, type Reduction, reductionOf } from './losses.ts';
import { define } from './registry.ts';

type Maybe<T> = T | null;

/** The mean or the sum of the losses, or each. */
export function reduced(losses: Tensor, reduction: Reduction): Tensor {
  return reduction === 'none' ? losses : reduction === 'mean' ? losses.mean() : losses.sum();
}

/** What every loss here has last. */
export const REDUCTION = 'bool? size_average=None, bool? reduce=None, str reduction="mean"';

const placement = { functional: true, method: false } as const;

function klDiv(
  input: Tensor,
  target: Tensor,
  size_average: Maybe<boolean>,
  reduce: Maybe<boolean>,
  reduction: string,
  log_target: boolean,
): Tensor {
  const legacy = size_average !== null || reduce !== null;
  if (!legacy && reduction === 'mean') {
    warnOnce(
      "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as 'batchmean' in the next major release.",
    );
  }
  const batch = reduction === 'batchmean';
  const chosen = reductionOf(size_average, reduce, batch ? 'sum' : reduction);
  if (input.dtype.category !== FLOAT_CATEGORY || target.dtype.category !== FLOAT_CATEGORY) {
    throw new RuntimeError('kl_div: Integral inputs not supported.');
  }
  const each = log_target ? target.exp().mul(target.sub(input)) : target.xlogy(target).sub(target.mul(input));
  const out = reduced(each, chosen);
  return batch && input.sizes.length > 0 ? out.div(input.sizes[0]) : out;
}

define(
  {
    doc: 'Kullback-Leibler divergence of log-probabilities from target probabilities (log_target: also logarithms). reduction "batchmean" divides the sum by the first dimension, as the definition has it.',
    ...placement,
  },
  { [`kl_div(Tensor input, Tensor target, ${REDUCTION}, bool log_target=False) -> Tensor`]: klDiv },
);

function poissonNll(
  input: Tensor,
  target: Tensor,
  log_input: boolean,
  full: boolean,
  size_average: Maybe<boolean>,
  eps: number,
  reduce: Maybe<boolean>,
  reduction: string,
): Tensor {
  const chosen = reductionOf(size_average, reduce, reduction);
  const loss = log_input ? input.exp().sub(target.mul(input)) : input.sub(target.mul(input.add(eps).log()));
  if (full) {
    const half = target
      .mul(2 * Math.PI)
      .log()
      .mul(0.5);
    const stirling = target.mul(target.log()).sub(target).add(half);
    loss.add_(stirling.masked_fill(target.le(1), 0));
  }
  return reduced(loss, chosen);
}

define(
  {
    doc: "Negative log likelihood of counts under Poisson distributions with the expectations exp(input), or input if log_input is false; full adds Stirling's term.",
    ...placement,
  },
  {
    'poisson_nll_loss(Tensor input, Tensor target, bool log_input=True, bool full=False, bool? size_average=None, float eps=1e-08, bool? reduce=None, str reduction="mean") -> Tensor':
      poissonNll,
  },
);

function isNegative(given: Tensor | number): boolean {
  if (!(given instanceof Tensor)) return given < 0;
  return given.device.type !== 'meta' && Boolean(given.lt(0).any().item());
}

/** The variances in a shape that goes with the input's. */
function variances(input: Tensor, given: Tensor | number): Tensor {
  if (isNegative(given)) throw new ValueError('var has negative entry/entries');
  if (!(given instanceof Tensor)) {
    return input.new_full(input.sizes as number[], given);
  }
  const [sizes, mine] = [input.sizes, given.sizes];
  if (sameSizes(sizes, mine)) return given;
  if (sameSizes(sizes.slice(0, -1), mine)) return given.unsqueeze(-1);
  const different = sizes.length === mine.length ? mine.filter((size, i) => size !== sizes[i]) : [];
  if (different.reduce((sum, size) => sum + size, 0) !== 1) throw new ValueError('var is of incorrect size');
  return given;
}

define(
  {
    doc: 'Negative log likelihood of the target under normal distributions with the mean input and the variance var (a number, one for each element or each row); full adds the constant.',
    ...placement,
  },
  {
    'gaussian_nll_loss(Tensor input, Tensor target, Tensor|Scalar var, bool full=False, float eps=1e-06, str reduction="mean") -> Tensor':
      (input: Tensor, target: Tensor, given: Tensor | number, full: boolean, eps: number, reduction: string) => {
        const variance = variances(input, given).clone();
        if (reduction !== 'none' && reduction !== 'mean' && reduction !== 'sum') {
          throw new ValueError(`${reduction} is not valid`);
        }
        no_grad(() => void variance.clamp_({ min: eps }));
        const loss = variance.log().add(input.sub(target).pow(2).div(variance)).mul(0.5);
        if (full) loss.add_(0.5 * Math.log(2 * Math.PI));
        return reduced(loss, reduction);
      },
  },
);

const product = e.mul(e.input(0), e.input(1));
/** log(1 + exp(-target x)) */
const SOFT_MARGIN = new ElementLoss(
  'soft_margin_loss',
  ['SoftMarginLossBackward0', 'SoftMarginLossBackward0', 'SoftMarginLossBackward0'],
  'soft_margin_loss',
  2,
  0,
  e.log1p(e.exp(e.neg(product))),
  [e.mul(e.neg(e.input(1)), e.sigmoid(e.neg(product)))],
);

define(
  { doc: 'log(1 + exp(-target x)) for targets 1 and -1.', ...placement },
  {
    [`soft_margin_loss(Tensor input, Tensor target, ${REDUCTION}) -> Tensor`]: (
      input: Tensor,
      target: Tensor,
      size_average: Maybe<boolean>,
      reduce: Maybe<boolean>,
      reduction: string,
    ) => {
      const chosen = reductionOf(size_average, reduce, reduction);
      if (requiresGrad(target)) {
        throw new RuntimeError(
          "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. This input cannot have requires_grad True.",
        );
      }
      if (input.dtype.category !== FLOAT_CATEGORY) {
        // It is negated first, which bools refuse.
        if (input.dtype === bool) input.neg();
        throw new RuntimeError(
          `result type Float can't be cast to the desired output type ${input.dtype.scalarTypeName}`,
        );
      }
      const sizes = broadcastSizes(input.sizes, target.sizes);
      if (!sameSizes(sizes, input.sizes)) {
        throw new RuntimeError(
          `output with shape ${showSizes(input.sizes)} doesn't match the broadcast shape ${showSizes(sizes)}`,
        );
      }
      const same = target.dtype.category !== FLOAT_CATEGORY || target.dtype === input.dtype;
      return SOFT_MARGIN.apply([input, same ? target : target.to(input.dtype)], [], chosen);
    },
  },
);

define(
  {
    doc: 'Binary cross entropy of scores, averaged over the classes (the last dimension), with weights by class.',
    ...placement,
  },
  {
    [`multilabel_soft_margin_loss(Tensor input, Tensor target, Tensor? weight=None, ${REDUCTION}) -> Tensor`]: (
      input: Tensor,
      target: Tensor,
      weight: Maybe<Tensor>,
      size_average: Maybe<boolean>,
      reduce: Maybe<boolean>,
      reduction: string,
    ) => {
      const chosen =
        size_average === null && reduce === null ? reduction : reductionOf(size_average, reduce, reduction);
      const right = target.mul(logsigmoid(input));
      const wrong = target.neg().add(1).mul(logsigmoid(input.neg()));
      const losses = right.add(wrong).neg();
      const weighted = weight === null ? losses : losses.mul(weight);
      const last = input.sizes.length - 1;
      const rows = weighted.sum(last).div(input.sizes[last]);
      if (chosen !== 'none' && chosen !== 'mean' && chosen !== 'sum') throw new ValueError(`${chosen} is not valid`);
      return reduced(rows, chosen);
    },
  },
);
