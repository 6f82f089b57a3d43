/** Losses with a margin over pairs, triplets and classes. */
import { no_grad } from '../autograd/mode.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { defaultDType } from '../core/defaults.ts';
import { bool, type DType, float32, float64, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { sameSizes, showSizes } from '../core/shape.ts';
import { defineFault } from '../kernels/faults.ts';
import { checkIntegerRange } from '../kernels/integer-range.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { WAY_OUT } from './cross-entropy.ts';
import { type Reduction, reductionOf } from './losses.ts';
import { REDUCTION, reduced } from './losses-likelihood.ts';
import { define } from './registry.ts';

type Maybe<T> = T | null;

const placement = { functional: true, method: false } as const;

define(
  { doc: 'max(0, margin - target (input1 - input2)) for targets 1 (input1 should be larger) and -1.', ...placement },
  {
    [`margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, ${REDUCTION}) -> Tensor`]: (
      input1: Tensor,
      input2: Tensor,
      target: Tensor,
      margin: number,
      size_average: Maybe<boolean>,
      reduce: Maybe<boolean>,
      reduction: string,
    ) => {
      const chosen = reductionOf(size_average, reduce, reduction);
      const rank = input1.sizes.length;
      if (input2.sizes.length !== rank || target.sizes.length !== rank) {
        throw new RuntimeError(
          `margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: ${input1.shape}, input2: ${input2.shape}, target: ${target.shape} `,
        );
      }
      const apart = target.neg().mul(input1.sub(input2));
      // The margin is a float, whatever its value: integers become floats by it.
      const floats = apart.dtype.is_floating_point ? apart : apart.to(defaultDType());
      return reduced(floats.add(margin).clamp_min(0), chosen);
    },
  },
);

define(
  { doc: 'x where the target is 1, max(0, margin - x) where it is -1.', ...placement },
  {
    [`hinge_embedding_loss(Tensor input, Tensor target, float margin=1.0, ${REDUCTION}) -> Tensor`]: (
      input: Tensor,
      target: Tensor,
      margin: number,
      size_average: Maybe<boolean>,
      reduce: Maybe<boolean>,
      reduction: string,
    ) => {
      const chosen = reductionOf(size_average, reduce, reduction);
      // PyTorch's word for bools, which it does not give for negating them.
      if (input.dtype === bool) input.sub(input);
      const zeros = input.new_zeros(input.sizes as number[]);
      const apart = input.neg().add(margin).clamp_min(0);
      const losses = apart.where(target.ne(1), zeros).add(input.where(target.ne(-1), zeros));
      return reduced(losses, chosen);
    },
  },
);

/** Added to squared lengths. */
const EPSILON = 1e-12;

define(
  {
    doc: '1 - cos(input1, input2) where the target is 1, max(0, cos(input1, input2) - margin) where it is -1. Inputs are [N, D] and targets [N], or vectors and a number.',
    ...placement,
  },
  {
    [`cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, ${REDUCTION}) -> Tensor`]: (
      input1: Tensor,
      input2: Tensor,
      target: Tensor,
      margin: number,
      size_average: Maybe<boolean>,
      reduce: Maybe<boolean>,
      reduction: string,
    ) => {
      const chosen = reductionOf(size_average, reduce, reduction);
      const rank = target.sizes.length;
      if (rank > 1) throw new RuntimeError('0D or 1D target tensor expected, multi-target not supported');
      if (input1.sizes.length !== rank + 1 || input2.sizes.length !== rank + 1) {
        throw new RuntimeError(
          `${rank}D target tensor expects ${rank + 1}D input tensors, but found inputs with sizes ${showSizes(input1.sizes)} and ${showSizes(input2.sizes)}.`,
        );
      }
      const products = input1.mul(input2).sum(rank);
      const length1 = input1.mul(input1).sum(rank).add(EPSILON);
      const length2 = input2.mul(input2).sum(rank).add(EPSILON);
      const cos = products.div(length1.mul(length2).sqrt());
      const zeros = cos.new_zeros(cos.sizes as number[]);
      const near = cos.neg().add(1).where(target.eq(1), zeros);
      const far = cos.sub(margin).clamp_min(0).where(target.eq(-1), zeros);
      return reduced(near.add(far), chosen);
    },
  },
);

function refuseDType(kernel: string, dtype: DType): void {
  if (dtype === float32 || dtype === float64) return;
  throw new NotImplementedError(`"${kernel}" not implemented for '${dtype.scalarTypeName}'`);
}

function needLong(target: Tensor): void {
  if (target.dtype === int64) return;
  throw new RuntimeError(`expected scalar type Long but found ${target.dtype.scalarTypeName} ${WAY_OUT}`);
}

const contiguous = (x: Tensor): Tensor => (x.contiguousNow ? x : x.contiguous());

/** The loss's gradient for each row, divided as the reduction was. */
function perRow(grad: Tensor, reduction: Reduction, rows: number, classes: number): Tensor {
  const each = grad.mul(1 / (reduction === 'mean' ? rows * classes : classes));
  return reduction === 'none' ? each.reshape(rows, 1) : each.reshape(1, 1);
}

const TARGET_OUT = defineFault(() => new RuntimeError('target out of range'));

/** margin - x[target] + x where that is above 0, and 0 at the target itself; [rows, classes]. */
function excess(x: Tensor, target: Tensor, margin: number): Tensor {
  const column = target.unsqueeze(1);
  return x.sub(x.gather(1, column)).add(margin).clamp_min(0).scatter(1, column, 0);
}

/** d loss / d x, before weights and reduction. */
function slopes(x: Tensor, target: Tensor, margin: number, p: number): Tensor {
  const over = excess(x, target, margin);
  return p === 1 ? over.gt(0).to(x.dtype) : over.mul(2);
}

function multiMargin(
  input: Tensor,
  target: Tensor,
  p: number,
  margin: number,
  weight: Maybe<Tensor>,
  reduction: Reduction,
): Tensor {
  const { sizes, dtype } = input;
  const rank = sizes.length;
  const [rows, classes] = rank < 2 ? [1, rank === 0 ? 1 : sizes[0]] : sizes;
  if (rank > 2 || classes === 0) {
    throw new RuntimeError(
      `Expected non-empty vector or matrix with optional 0-dim batch size, but got: ${showSizes(sizes)}`,
    );
  }
  if (target.sizes.length > 1 || target.length !== rows) {
    throw new RuntimeError(
      `multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). Expected target size [${rows}], but got ${showSizes(target.sizes)}. Input has shape ${showSizes(sizes)}.`,
    );
  }
  if (weight !== null && weight.length !== classes) {
    throw new RuntimeError(`inconsistent weight size, expected ${classes} but got ${showSizes(weight.sizes)}`);
  }
  refuseDType('multi_margin_loss_cpu_kernel', dtype);
  needLong(target);
  if (weight !== null && weight.dtype !== dtype) {
    throw new RuntimeError(`expected scalar type ${dtype.scalarTypeName} but found ${weight.dtype.scalarTypeName}`);
  }
  sameBackend('multi_margin_loss', [input, target, weight], ['self', 'target', 'weight']);
  const places = contiguous(target.reshape(rows));
  checkIntegerRange(places, 0, classes, TARGET_OUT);
  const weightOf = (w: Tensor, y: Tensor) => w.index_select(0, y).unsqueeze(1);
  const out = no_grad(() => {
    const over = excess(input.reshape(rows, classes), places, margin);
    const each = p === 1 ? over : over.mul(over);
    const losses = (weight === null ? each : each.mul(weightOf(weight, places))).sum(1).div(classes);
    return reduction === 'none' ? losses.reshape(target.sizes as number[]) : reduced(losses, reduction);
  });
  const backward: BackwardFunction = ([grad], [x, y, w = null]) => {
    const matrix = x.reshape(rows, classes);
    const labels = y.reshape(rows);
    const slope = slopes(matrix, labels, margin, p);
    const scaled = slope.mul(perRow(grad!, reduction, rows, classes));
    const others = w === null ? scaled : scaled.mul(weightOf(w, labels));
    const own = others.sum(1, { keepdim: true }).neg();
    return others.scatter_add(1, labels.unsqueeze(1), own).reshape(x.sizes as number[]);
  };
  const save = weight === null ? [input, target] : [input, target, weight];
  return record('MultiMarginLossBackward0', out, [input], save, backward);
}

define(
  {
    doc: 'Mean over classes of max(0, margin - x[target] + x)^p, p 1 or 2, weighted by the target; input is [N, C] or [C].',
    ...placement,
  },
  {
    [`multi_margin_loss(Tensor input, Tensor target, int p=1, float margin=1.0, Tensor? weight=None, ${REDUCTION}) -> Tensor`]:
      (
        input: Tensor,
        target: Tensor,
        p: number,
        margin: number,
        weight: Maybe<Tensor>,
        size_average: Maybe<boolean>,
        reduce: Maybe<boolean>,
        reduction: string,
      ) => {
        const chosen = reductionOf(size_average, reduce, reduction);
        if (p !== 1 && p !== 2) throw new ValueError('only p == 1 and p == 2 supported');
        if (weight !== null && weight.sizes.length !== 1) throw new ValueError('weight must be one-dimensional');
        return multiMargin(input, target, p, margin, weight, chosen);
      },
  },
);

const LABEL_OUT = defineFault(() => new RuntimeError("argument #2 'target' is out of range"));

/** Which labels count (those before the first -1), and which classes they name; both [rows, classes], 0 and 1. */
function labelled(x: Tensor, labels: Tensor): [counts: Tensor, isTarget: Tensor, places: Tensor] {
  const counts = labels.lt(0).cumsum(1).eq(0);
  const places = labels.clamp_min(0);
  const named = counts.to(x.dtype);
  const isTarget = named
    .new_zeros(named.sizes as number[])
    .scatter_add(1, places, named)
    .gt(0);
  return [named, isTarget.to(x.dtype), places];
}

/** 1 - x[label] + x where that is above 0, for each label and each class that none names: [rows, labels, classes]. */
function violations(x: Tensor, labels: Tensor): Tensor {
  const [counts, isTarget, places] = labelled(x, labels);
  const over = x.unsqueeze(1).sub(x.gather(1, places).unsqueeze(2)).add(1).clamp_min(0);
  return over.mul(counts.unsqueeze(2)).mul(isTarget.neg().add(1).unsqueeze(1));
}

function multilabelMargin(input: Tensor, target: Tensor, reduction: Reduction): Tensor {
  const { sizes, dtype } = input;
  const rank = sizes.length;
  const [rows, classes] = rank < 2 ? [1, rank === 0 ? 1 : sizes[0]] : sizes;
  if (rank > 2 || classes === 0) {
    throw new RuntimeError(
      `Expected non-empty vector or matrix with optional 0-dim batch size, but got: ${showSizes(sizes)}`,
    );
  }
  if (!sameSizes(target.sizes, sizes) && !(rank < 2 && target.sizes.length < 2 && target.length === classes)) {
    throw new RuntimeError(
      `inconsistent target size: ${showSizes(target.sizes)} for input of size: ${showSizes(sizes)}`,
    );
  }
  refuseDType('multilabel_margin_loss_forward_out_frame', dtype);
  needLong(target);
  sameBackend('multilabel_margin_loss_forward', [input, target], ['self', 'target']);
  const labels = contiguous(target.reshape(rows, classes));
  checkIntegerRange(labels, -1, classes, LABEL_OUT);
  const out = no_grad(() => {
    const losses = violations(input.reshape(rows, classes), labels).sum([1, 2]).div(classes);
    return reduction === 'none' ? losses.reshape(sizes.slice(0, -1)) : reduced(losses, reduction);
  });
  return record('MultilabelMarginLossBackward0', out, [input], [input, target], ([grad], [x, y]) => {
    const matrix = x.reshape(rows, classes);
    const given = y.reshape(rows, classes);
    const violated = violations(matrix, given).gt(0).to(dtype);
    const scaled = violated.mul(perRow(grad!, reduction, rows, classes).unsqueeze(2));
    const own = scaled.sum(2).neg();
    return scaled
      .sum(1)
      .scatter_add(1, given.clamp_min(0), own)
      .reshape(x.sizes as number[]);
  });
}

define(
  {
    doc: 'Mean over classes of max(0, 1 - x[label] + x) for each label and each class that is none; labels are indices, ended by -1, in the shape of the input: [N, C] or [C].',
    ...placement,
  },
  {
    [`multilabel_margin_loss(Tensor input, Tensor target, ${REDUCTION}) -> Tensor`]: (
      input: Tensor,
      target: Tensor,
      size_average: Maybe<boolean>,
      reduce: Maybe<boolean>,
      reduction: string,
    ) => multilabelMargin(input, target, reductionOf(size_average, reduce, reduction)),
  },
);
