/** linear_cross_entropy: cross entropy of a linear map's scores, the head of a language model in one call. */
import { RuntimeError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { crossEntropy } from './cross-entropy.ts';
import { linear } from './linalg.ts';
import { define } from './registry.ts';

type Maybe<T> = T | null;

const tuple = (list: readonly number[]) => (list.length === 1 ? `(${list[0]},)` : `(${list.join(', ')})`);

/** Scores [N, C, …] of inputs [N, features] by weights [C, …, features], and what of their shapes does not fit. */
function scoresOf(input: Tensor, weight: Tensor, bias: Maybe<Tensor>): Tensor {
  const rank = input.sizes.length;
  if (rank < 1 || rank > 2) throw new RuntimeError(`expected input with dimensionality 1 or 2, got ${rank}`);
  const dims = weight.sizes.length;
  if (dims < 2) throw new RuntimeError(`expected linear_weight with dimensionality at least 2, got ${dims}`);
  const [features, own] = [input.sizes[rank - 1], weight.sizes[dims - 1]];
  if (features !== own) {
    throw new RuntimeError(
      `expected equal input and linear_weight last dimensions (in_features), got ${features} and ${own}, respectively`,
    );
  }
  const outputs = weight.sizes.slice(0, dims - 1);
  if (bias !== null && !sameSizes(bias.sizes, outputs)) {
    throw new RuntimeError(`expected linear_bias shape ${tuple(outputs)}, got ${tuple(bias.sizes)}`);
  }
  if (outputs.length > 1 && rank === 1) {
    throw new RuntimeError(
      `K-dimensional loss defined by linear_weight shape ${tuple(weight.sizes)} requires batched input, (N, ${features}), got unbatched input with shape ${tuple(input.sizes)}`,
    );
  }
  const flat = outputs.length === 1 ? weight : weight.reshape([outputs.reduce((n, s) => n * s, 1), features]);
  const scores = linear(input, flat, bias === null || outputs.length === 1 ? bias : bias.reshape([flat.sizes[0]]));
  return scores.reshape([...input.sizes.slice(0, -1), ...outputs]);
}

define(
  {
    doc: 'cross_entropy of linear(input, linear_weight, linear_bias), for inputs [N, features] and weights [C, …, features].',
    functional: true,
    method: false,
    function: false,
  },
  {
    'linear_cross_entropy(Tensor input, Tensor linear_weight, Tensor target, *, Tensor? linear_bias=None, Tensor? weight=None, str reduction="mean", int? ignore_index=None, float label_smoothing=0.0) -> Tensor':
      (
        input: Tensor,
        linear_weight: Tensor,
        target: Tensor,
        linear_bias: Maybe<Tensor>,
        weight: Maybe<Tensor>,
        reduction: string,
        ignore_index: number | null,
        label_smoothing: number,
      ) => {
        const scores = scoresOf(input, linear_weight, linear_bias);
        if (ignore_index !== null && sameSizes(target.sizes, scores.sizes)) {
          throw new RuntimeError('ignore_index cannot be specified when target contains probabilities');
        }
        return crossEntropy(scores, target, weight, null, ignore_index ?? -100, null, reduction, label_smoothing);
      },
  },
);
