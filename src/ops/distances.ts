/** Distances and similarities of vectors, normalisation to unit length, and the losses of triplets. */
import { no_grad } from '../autograd/mode.ts';
import { FLOAT_CATEGORY } from '../core/dtype.ts';
import { RuntimeError, ValueError } from '../core/errors.ts';
import { broadcastSizes } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type Reduction, reductionOf } from './losses.ts';
import { REDUCTION, reduced } from './losses-likelihood.ts';
import { commonDType } from './pointwise-op.ts';
import { define } from './registry.ts';
import { vectorNorm } from './vector-norm.ts';

type Maybe<T> = T | null;

export function pairwiseDistance(a: Tensor, b: Tensor, p = 2, eps = 1e-6, keepdim = false): Tensor {
  const difference = a.sub(b).add(eps);
  return vectorNorm(difference, p, [difference.sizes.length - 1], keepdim, 'NormBackward1');
}

define(
  { doc: 'The p-norm of x1 - x2 + eps along the last dimension.', functional: true, function: true, method: false },
  {
    'pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor':
      pairwiseDistance,
  },
);

/** x over its length along dim, where that is at least eps; as PyTorch, whose gradient does not see the limit. */
function unit(x: Tensor, dim: number, eps: number): Tensor {
  const length = vectorNorm(x, 2, [dim], true, 'LinalgVectorNormBackward0').clone();
  no_grad(() => void length.clamp_min_(eps));
  return x.div(length);
}

define(
  {
    doc: 'The cosine of the angle between x1 and x2 along dimension dim; lengths count as at least eps.',
    functional: true,
    function: true,
    method: false,
  },
  {
    'cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor': (
      x1: Tensor,
      x2: Tensor,
      dim: number,
      eps: number,
    ) => {
      const common = commonDType([x1, x2], 0, null);
      if (common.category !== FLOAT_CATEGORY) {
        throw new RuntimeError(
          `expected common dtype to be floating point, yet common dtype is ${common.scalarTypeName}`,
        );
      }
      const sizes = broadcastSizes(x1.sizes, x2.sizes);
      const prepared = (x: Tensor) =>
        (x.dtype.category === FLOAT_CATEGORY ? x : x.to(common)).expand(sizes as number[]);
      return unit(prepared(x1), dim, eps)
        .mul(unit(prepared(x2), dim, eps))
        .sum(dim);
    },
  },
);

define(
  {
    doc: 'x over its p-norm along dimension dim (or dimensions), which counts as at least eps.',
    functional: true,
    method: false,
  },
  {
    'normalize(Tensor input, float p=2.0, int[1] dim=1, float eps=1e-12) -> Tensor': (
      input: Tensor,
      p: number,
      dim: number | number[],
      eps: number,
    ) => {
      const length = vectorNorm(input, p, [dim].flat(), true, 'NormBackward1');
      return input.div(length.clamp_min(eps).expand(input.sizes as number[]));
    },
  },
);

function sameRank(anchor: Tensor, positive: Tensor, negative: Tensor): void {
  const [a, p, n] = [anchor, positive, negative].map((x) => x.sizes.length);
  if (a === p && p === n) return;
  throw new RuntimeError(
    `The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor ${a}D, positive ${p}D, and negative ${n}D inputs`,
  );
}

function checkMargin(margin: number): void {
  if (!(margin > 0)) throw new ValueError(`margin must be greater than 0, got ${margin}`);
}

/** The loss of triplets under any distance. */
export function tripletLoss(
  [anchor, positive, negative]: readonly [Tensor, Tensor, Tensor],
  distance: (a: Tensor, b: Tensor) => Tensor,
  margin: number,
  swap: boolean,
  reduction: Reduction,
): Tensor {
  sameRank(anchor, positive, negative);
  const near = distance(anchor, positive);
  let far = distance(anchor, negative);
  if (swap) far = far.minimum(distance(positive, negative));
  return reduced(near.add(margin).sub(far).clamp_min(0), reduction);
}

define(
  {
    doc: 'max(0, margin + |anchor - positive| - |anchor - negative|) with p-norms of rows; swap takes |positive - negative| where that is smaller.',
    functional: true,
    method: false,
  },
  {
    [`triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool swap=False, ${REDUCTION}) -> Tensor`]:
      (
        anchor: Tensor,
        positive: Tensor,
        negative: Tensor,
        margin: number,
        p: number,
        eps: number,
        swap: boolean,
        size_average: Maybe<boolean>,
        reduce: Maybe<boolean>,
        reduction: string,
      ) => {
        const chosen = reductionOf(size_average, reduce, reduction);
        checkMargin(margin);
        const distance = (a: Tensor, b: Tensor) => pairwiseDistance(a, b, p, eps);
        return tripletLoss([anchor, positive, negative], distance, margin, swap, chosen);
      },
  },
);

/** Checked as `torch.nn.functional.triplet_margin_with_distance_loss` is; the distance is `pairwise_distance` by default. */
export function tripletLossWithDistance(
  anchor: Tensor,
  positive: Tensor,
  negative: Tensor,
  distance: ((a: Tensor, b: Tensor) => Tensor) | null,
  margin: number,
  swap: boolean,
  reduction: string,
): Tensor {
  const chosen = reductionOf(null, null, reduction);
  checkMargin(margin);
  return tripletLoss([anchor, positive, negative], distance ?? pairwiseDistance, margin, swap, chosen);
}
