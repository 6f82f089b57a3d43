/** Losses over classes: nll_loss and cross_entropy. Their gradients can be differentiated again. */

import { mode } from '../autograd/mode.ts';
import { record, touchGraphOf } from '../autograd/record.ts';
import { FLOAT_CATEGORY, int64, uint8 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { contiguousStrides, sameSizes, showSizes } from '../core/shape.ts';
import { type NllTargets, nll, nllBackward } from '../kernels/nll.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { fill } from './host.ts';
import { type Reduction, reductionOf } from './losses.ts';
import { define } from './registry.ts';
import { regrouped } from './regroup.ts';

/** Ends errors about tensors that should have been of an integer dtype. */
export const WAY_OUT = '(in JavaScript numbers make float tensors; write { dtype: torch.int64 }, or bigints: [0n, 2n])';

type Maybe<T> = T | null;

/** Scores as [rows, classes, columns]: the classes are in the only or the second dimension. */
function grouped(sizes: readonly number[]): [rows: number, classes: number, columns: number] {
  if (sizes.length === 1) return [1, sizes[0], 1];
  return [sizes[0], sizes[1], sizes.slice(2).reduce((product, size) => product * size, 1)];
}

function check(input: Tensor, target: Tensor, weight: Maybe<Tensor>): void {
  const rank = input.sizes.length;
  if (rank === 0) throw new ValueError('Expected 1 or more dimensions (got 0)');
  if (rank !== 1 && target.sizes.length > 0 && input.sizes[0] !== target.sizes[0]) {
    throw new ValueError(
      `Expected input batch_size (${input.sizes[0]}) to match target batch_size (${target.sizes[0]}).`,
    );
  }
  if (rank <= 2) {
    if (target.sizes.length > 1) {
      throw new RuntimeError('0D or 1D target tensor expected, multi-target not supported');
    }
    if (rank === 1 && target.sizes.length === 1 && target.sizes[0] !== 1) {
      throw new ValueError(`For 1D input, 1D target must have size 1, but got target size: ${target.sizes[0]}`);
    }
    const plain = rank === 1 && target.sizes.length === 0;
    if (!plain && input.sizes[0] !== target.sizes[0] && !(rank === 1 && target.length === 1)) {
      throw new RuntimeError(
        `size mismatch (got input: ${showSizes(input.sizes)}, target: ${showSizes(target.sizes)})`,
      );
    }
  } else {
    const wanted = [input.sizes[0], ...input.sizes.slice(2)];
    if (!sameSizes(wanted, target.sizes)) {
      if (rank === 4 && target.sizes.length === 3) {
        throw new RuntimeError(
          `size mismatch (got input: ${showSizes(input.sizes)} , target: ${showSizes(target.sizes)}`,
        );
      }
      throw new RuntimeError(`Expected target size ${showSizes(wanted)}, got ${showSizes(target.sizes)}`);
    }
  }
  if (target.dtype !== int64 && target.dtype !== uint8) {
    throw new RuntimeError(
      `expected target dtype to be Long or Byte, but got ${target.dtype.scalarTypeName} ${WAY_OUT}`,
    );
  }
  const classes = input.sizes[rank === 1 ? 0 : 1];
  if (weight !== null && (weight.sizes.length !== 1 || weight.sizes[0] !== classes)) {
    throw new RuntimeError(
      rank <= 2
        ? `weight tensor should be defined either for all ${classes} classes or no classes but got weight tensor of shape: ${showSizes(weight.sizes)}`
        : 'weight tensor should be defined either for all or no classes',
    );
  }
  if (input.dtype.category !== FLOAT_CATEGORY) {
    throw new NotImplementedError(`"nll_loss_out_frame" not implemented for '${input.dtype.scalarTypeName}'`);
  }
  if (weight !== null && weight.dtype !== input.dtype) {
    throw new RuntimeError(
      `expected scalar type ${input.dtype.scalarTypeName} but found ${weight.dtype.scalarTypeName}`,
    );
  }
}

/** `nll_loss` for inputs of any number of dimensions. */
export function nllLoss(
  input: Tensor,
  target: Tensor,
  weight: Maybe<Tensor>,
  reduction: Reduction,
  ignore_index: number,
): Tensor {
  check(input, target, weight);
  const { sizes, dtype } = input;
  const backend = sameBackend('nll_loss_forward', [input, target, weight], ['self', 'target', 'weight']);
  const [rows, classes, columns] = grouped(sizes);
  const targets: NllTargets = {
    reduction,
    target: regrouped(target, [rows, columns]),
    weight,
    ignoreIndex: ignore_index,
  };
  const each = reduction === 'none';
  const out = emptyTensor(backend, each ? target.sizes : [], dtype);
  const totalWeight = emptyTensor(backend, [], dtype);
  nll(out, each ? null : totalWeight, regrouped(input, [rows, classes, columns]), targets);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  const name = sizes.length > 2 ? 'NllLoss2DBackward0' : 'NllLossBackward0';
  // input is saved as PyTorch saves it, though only its shape is needed: memory and in-place errors are the same.
  const save = [input, target, totalWeight, ...(weight === null ? [] : [weight])];
  const recorded = record(name, out, [input], save, ([grad], [x, savedTarget, total, savedWeight = null]) =>
    nllLossBackward(grad!, x.sizes, savedTarget, savedWeight, each ? null : total, reduction, ignore_index),
  );
  if (recorded.node === null) totalWeight.storage.freeNow();
  return recorded;
}

/** The scores' gradient, as an op of its own: it is linear in the loss's gradient. */
function nllLossBackward(
  grad: Tensor,
  sizes: readonly number[],
  target: Tensor,
  weight: Maybe<Tensor>,
  totalWeight: Maybe<Tensor>,
  reduction: Reduction,
  ignoreIndex: number,
): Tensor {
  const [rows, classes, columns] = grouped(sizes);
  const out = emptyTensor(grad.storage.backend, sizes, grad.dtype);
  fill(out, 0);
  const places = [rows, columns];
  nllBackward(
    aliasTensor(out, 0, [rows, classes, columns], contiguousStrides([rows, classes, columns]), out.length),
    totalWeight,
    reduction === 'none' ? regrouped(grad, places) : grad,
    { reduction, target: regrouped(target, places), weight, ignoreIndex },
  );
  if (!mode.grad) touchGraphOf(grad);
  const save = [target, ...(weight === null ? [] : [weight])];
  const name = sizes.length > 2 ? 'NllLoss2DBackwardBackward0' : 'NllLossBackwardBackward0';
  return record(name, out, [grad], save, ([gg], [savedTarget, savedWeight = null]) =>
    nllLoss(gg!, savedTarget, savedWeight, reduction, ignoreIndex),
  );
}

define(
  {
    doc: 'Negative log likelihood: minus the score of the target class, averaged by the classes weights. Scores are [N, C, …], targets [N, …].',
    functional: true,
    method: false,
  },
  {
    'nll_loss(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, int ignore_index=-100, bool? reduce=None, str reduction="mean") -> Tensor':
      (
        input: Tensor,
        target: Tensor,
        weight: Maybe<Tensor>,
        size_average: Maybe<boolean>,
        ignore_index: number,
        reduce: Maybe<boolean>,
        reduction: string,
      ) => nllLoss(input, target, weight, reductionOf(size_average, reduce, reduction), ignore_index),
  },
);

export function crossEntropy(
  input: Tensor,
  target: Tensor,
  weight: Maybe<Tensor>,
  size_average: Maybe<boolean>,
  ignore_index: number,
  reduce: Maybe<boolean>,
  given: string,
  smoothing: number,
): Tensor {
  const reduction = reductionOf(size_average, reduce, given);
  if (sameSizes(input.sizes, target.sizes)) {
    if (target.dtype.category !== FLOAT_CATEGORY) {
      throw new RuntimeError(
        `Expected floating point type for target with class probabilities, got ${target.dtype.scalarTypeName}`,
      );
    }
    if (ignore_index >= 0) throw new RuntimeError('ignore_index is not supported for floating point target');
    return withProbabilities(input, target, weight, reduction, smoothing);
  }
  if (!(smoothing >= 0 && smoothing <= 1)) {
    throw new RuntimeError(`label_smoothing must be between 0.0 and 1.0. Got: ${smoothing}`);
  }
  const scores = input.log_softmax(classDim(input));
  const loss = nllLoss(scores, target, weight, reduction, ignore_index);
  if (smoothing === 0) return loss;
  return smoothed(loss, scores, target, weight, reduction, ignore_index, smoothing);
}

const classDim = (x: Tensor): number => (x.sizes.length === 1 ? 0 : 1);

/** Weights by class in a shape that broadcasts to the scores'. */
function alongClasses(weight: Tensor, input: Tensor): Tensor {
  const dim = classDim(input);
  if (weight.sizes.length !== 1 || weight.sizes[0] !== input.sizes[dim]) {
    throw new RuntimeError(
      `cross_entropy: weight tensor should be defined either for all ${input.sizes[dim]} classes or no classes but got weight tensor of shape: ${showSizes(weight.sizes)}`,
    );
  }
  return weight.view(input.sizes.map((_, i) => (i === dim ? -1 : 1)));
}

/** Part of the target is spread over all classes. */
function smoothed(
  loss: Tensor,
  scores: Tensor,
  target: Tensor,
  weight: Maybe<Tensor>,
  reduction: Reduction,
  ignoreIndex: number,
  smoothing: number,
): Tensor {
  const dim = classDim(scores);
  const classes = scores.sizes[dim];
  const ignored = target.eq(ignoreIndex);
  const every = (weight === null ? scores : scores.mul(alongClasses(weight, scores))).sum(dim).neg();
  const spread = every.masked_fill(ignored, 0);
  let total: Tensor;
  if (reduction === 'none') total = spread;
  else if (reduction === 'sum') total = spread.sum();
  else {
    const counted = ignored.logical_not();
    // Ignored targets may be no classes at all.
    const count =
      weight === null
        ? counted.sum().to(scores.dtype)
        : weight.index_select(0, target.masked_fill(ignored, 0).flatten()).mul(counted.flatten()).sum();
    total = spread.sum().div(count);
  }
  return loss.mul(1 - smoothing).add(total.mul(smoothing / classes));
}

function withProbabilities(
  input: Tensor,
  target: Tensor,
  weight: Maybe<Tensor>,
  reduction: Reduction,
  smoothing: number,
): Tensor {
  if (!(smoothing >= 0 && smoothing <= 1)) {
    throw new RuntimeError(`label_smoothing must be between 0.0 and 1.0. Got: ${smoothing}`);
  }
  const dim = classDim(input);
  const classes = input.sizes[dim];
  const scores = input.log_softmax(dim);
  const wanted = smoothing > 0 ? target.mul(1 - smoothing).add(smoothing / classes) : target;
  const products = scores.mul(wanted);
  const losses = weight === null ? products : products.mul(alongClasses(weight, input));
  if (reduction === 'none') return losses.sum(dim).neg();
  const total = losses.sum().neg();
  return reduction === 'sum' ? total : total.div(input.length / classes);
}

define(
  {
    doc: 'Cross entropy of scores [N, C, …] with target classes [N, …] or with target probabilities in the shape of the scores.',
    functional: true,
    method: false,
  },
  {
    'cross_entropy(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, int ignore_index=-100, bool? reduce=None, str reduction="mean", float label_smoothing=0.0) -> Tensor':
      crossEntropy,
  },
);
