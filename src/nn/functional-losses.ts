/** Losses of `torch.nn.functional` that take functions, which no op does. */
import { tripletLossWithDistance } from '../ops/distances.ts';
import { needNumber, needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functional as functions } from '../torch/attach.ts';
import { Signature } from './signature.ts';

type Distance = (a: Tensor, b: Tensor) => Tensor;

export interface LossFunctions {
  /** max(0, margin + d(anchor, positive) - d(anchor, negative)) for any distance d; default: pairwise_distance. */
  triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    options?: {
      distance_function?: Distance | null;
      margin?: number;
      swap?: boolean;
      reduction?: 'none' | 'mean' | 'sum';
    },
  ): Tensor;
}

const TRIPLET = Signature.of(
  "triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1, swap=False, reduction='mean')",
);

const lossFunctions: LossFunctions = {
  triplet_margin_with_distance_loss(...args: unknown[]): Tensor {
    const [anchor, positive, negative, distance, margin, swap, reduction] = TRIPLET.bind(args);
    const { name } = TRIPLET;
    needTensor(anchor, name, 'anchor', 1);
    needTensor(positive, name, 'positive', 2);
    needTensor(negative, name, 'negative', 3);
    return tripletLossWithDistance(
      anchor,
      positive,
      negative,
      distance as Distance | null,
      needNumber(margin, name, 'margin', 5),
      swap as boolean,
      reduction as string,
    );
  },
};
Object.assign(functions, lossFunctions);
