/**
 * Losses over pairs of elements: mean squared error and its kin. Each is one expression; averaged, it is one reduction,
 * and its gradient one map, derived from the expression. Losses over classes are in `cross-entropy.ts`.
 */

import { mode } from '../autograd/mode.ts';
import { record } from '../autograd/record.ts';
import { bool, type DType, FLOAT_CATEGORY } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { broadcastSizes, sameSizes, showSizes } from '../core/shape.ts';
import { warn, warnOnce } from '../core/warn.ts';
import { derivative, inputsUsed, renumberInputs } from '../kernels/derivative.ts';
import type { Expr } from '../kernels/expr.ts';
import * as e from '../kernels/expr.ts';
import { ReduceKernel } from '../kernels/reduce.ts';
import { checkUnitRange } from '../kernels/unit-range.ts';
import type { Backend } from '../devices/backend.ts';
import { allocateStorage } from '../devices/storage.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, Tensor } from '../tensor/tensor.ts';
import { commonBackend } from './device.ts';
import { commonDType, PointwiseOp } from './pointwise-op.ts';
import { applyPointwise } from './pointwise-run.ts';
import { define } from './registry.ts';

export type Reduction = 'none' | 'mean' | 'sum';

/** The reduction by name, or by PyTorch's two older arguments. @throws ValueError for another name */
export function reductionOf(size_average: boolean | null, reduce: boolean | null, reduction: string): Reduction {
  if (size_average !== null || reduce !== null) {
    const found = (reduce ?? true) ? ((size_average ?? true) ? 'mean' : 'sum') : 'none';
    warn(`size_average and reduce args will be deprecated, please use reduction='${found}' instead.`);
    return found;
  }
  if (reduction !== 'none' && reduction !== 'mean' && reduction !== 'sum') {
    throw new ValueError(`${reduction} is not a valid value for reduction`);
  }
  return reduction;
}

interface Gradient {
  readonly op: PointwiseOp;
  /** Positions among the inputs and, last, the loss's gradient. */
  readonly operands: readonly number[];
}

/** A loss of `arity` tensors that broadcast together, element by element. */
export class ElementLoss {
  private readonly each: PointwiseOp;
  private readonly gradients: (Gradient | null)[];
  private readonly kernels = new Map<number, ReduceKernel>();

  /**
   * @param nodes names of the recorded nodes, by reduction: none, mean, sum
   * @param expr over `arity` inputs and `scalars` scalars
   * @param slopes derivatives by input, where the derived ones are not wanted
   * @param memory what PyTorch's reduced result takes, see `scalarResult`
   */
  constructor(
    private readonly name: string,
    private readonly nodes: readonly [none: string, mean: string, sum: string],
    /** In "not implemented for" errors. */
    private readonly kernelName: string,
    private readonly arity: number,
    private readonly scalars: number,
    private readonly expr: Expr,
    slopes: readonly (Expr | undefined)[] = [],
    private readonly memory: 'scalar' | 'whole' | 'whole twice' = 'scalar',
    private readonly inputNames: readonly string[] = ['input', 'target', 'weight', 'pos_weight'],
  ) {
    const grad = e.input(arity);
    // Its inputs are followed by the result and the gradient.
    const slopeOf = (i: number) => (slopes[i] === undefined ? undefined : e.mul(slopes[i], e.input(arity + 1)));
    this.each = new PointwiseOp(name, nodes[0], expr, arity, scalars, 'promote', 0, 0, slopeOf, name, inputNames);
    this.gradients = Array.from({ length: arity }, (_, i) => {
      const slope = slopes[i] ?? derivative(expr, i);
      if (slope === null) return null;
      const whole = e.mul(e.mul(e.scalar(scalars), slope), grad);
      const used = inputsUsed(whole);
      const backward = renumberInputs(whole, used);
      const op = new PointwiseOp(
        `${name}_backward`,
        `${nodes[0].replace(/\d+$/, '')}Backward0`,
        backward,
        used.length,
        scalars + 1,
        'promote',
        0,
        0,
        null,
      );
      return { op, operands: used };
    });
  }

  apply(inputs: readonly Tensor[], scalars: readonly number[], reduction: Reduction): Tensor {
    const compute = commonDType(inputs, 0, null);
    if (compute.category !== FLOAT_CATEGORY) {
      throw new NotImplementedError(`"${this.kernelName}" not implemented for '${compute.scalarTypeName}'`);
    }
    if (reduction === 'none') return applyPointwise(this.each, inputs, scalars, compute, compute);
    const backend = commonBackend(this.name, inputs, this.inputNames);
    if (backend === null) {
      const { device } = inputs.find((x) => x.storage.backend.device.type !== 'cpu')!.storage.backend;
      return this.apply(
        inputs.map((x) => x.to(device)),
        scalars,
        reduction,
      );
    }
    let sizes = inputs[0].sizes;
    for (let i = 1; i < inputs.length; i++) sizes = broadcastSizes(sizes, inputs[i].sizes);
    let count = 1;
    for (let i = 0; i < sizes.length; i++) count *= sizes[i];
    const out = this.scalarResult(backend, compute, count);
    const kernel = this.kernel(inputs, compute, reduction === 'mean');
    kernel.launch(out, inputs, sizes, 2 ** sizes.length - 1, [...scalars, count]);
    if (mode.inference) out.flags |= FLAG_INFERENCE;
    const norm = reduction === 'mean' ? 1 / count : 1;
    return record(this.nodes[reduction === 'mean' ? 1 : 2], out, inputs, inputs, ([grad], saved, node) =>
      this.gradients.map((gradient, i) => {
        if (gradient === null || !node.needs(i)) return null;
        const operands = gradient.operands.map((at) => (at === this.arity ? grad! : saved[at]));
        return applyPointwise(gradient.op, operands, [...scalars, norm], compute, saved[i].dtype);
      }),
    );
  }

  /**
   * The reduced result. PyTorch makes some losses as large as their inputs and then calls them scalars: such a loss keeps
   * the memory of all elements, and one more of that size is there on the way. Where figures are kept they show it.
   */
  private scalarResult(backend: Backend, dtype: DType, count: number): Tensor {
    if (this.memory === 'scalar' || backend.device.type === 'cpu') return emptyTensor(backend, [], dtype);
    const nbytes = Math.max(count, 1) * dtype.itemsize;
    const storage = allocateStorage(backend, nbytes);
    if (this.memory === 'whole twice') allocateStorage(backend, nbytes).freeNow();
    return new Tensor(storage, 0, [], [], dtype, 1, true);
  }

  private kernel(inputs: readonly Tensor[], dtype: DType, mean: boolean): ReduceKernel {
    let key = dtype.index * 2 + (mean ? 1 : 0);
    for (let i = 0; i < inputs.length; i++) key = key * 10 + inputs[i].dtype.index;
    let kernel = this.kernels.get(key);
    if (kernel === undefined) {
      kernel = new ReduceKernel({
        name: this.name,
        combine: 'sum',
        expr: this.expr,
        inputs: inputs.map((x) => x.dtype),
        compute: dtype,
        output: dtype,
        finalize: mean ? e.div(e.input(0), e.scalar(this.scalars)) : undefined,
        scalars: this.scalars + 1,
      });
      this.kernels.set(key, kernel);
    }
    return kernel;
  }
}

const same = (node: string) => [node, node, node] as const;

const difference = e.sub(e.input(0), e.input(1));
const twice = e.mul(e.constant(2), difference);
const MSE = new ElementLoss(
  'mse_loss',
  same('MseLossBackward0'),
  'mse_cpu',
  2,
  0,
  e.square(difference),
  [twice, e.neg(twice)],
  'whole twice',
);

/** As PyTorch from its parts: of the three tensors only the difference is kept for backward. */
const L1 = {
  apply([input, target]: readonly Tensor[], _scalars: readonly number[], reduction: Reduction): Tensor {
    const each = input.sub(target).abs();
    return reduction === 'none' ? each : reduction === 'mean' ? each.mean() : each.sum();
  },
};

const distance = e.abs(difference);
const beta = e.scalar(0);
/** Between -most and most; NaN stays. */
const cut = (x: Expr, most: Expr) => e.minimum(e.maximum(x, e.neg(most)), most);
const SMOOTH_L1 = new ElementLoss(
  'smooth_l1_loss',
  same('SmoothL1LossBackward0'),
  'smooth_l1_cpu',
  2,
  1,
  e.where(
    e.lt(distance, beta),
    e.div(e.mul(e.constant(0.5), e.square(difference)), beta),
    e.sub(distance, e.mul(e.constant(0.5), beta)),
  ),
  [cut(e.div(difference, beta), e.constant(1)), e.neg(cut(e.div(difference, beta), e.constant(1)))],
  'whole twice',
);

const HUBER = new ElementLoss(
  'huber_loss',
  same('HuberLossBackward0'),
  'huber_cpu',
  2,
  1,
  e.where(
    e.le(distance, beta),
    e.mul(e.constant(0.5), e.square(difference)),
    e.mul(beta, e.sub(distance, e.mul(e.constant(0.5), beta))),
  ),
  [cut(difference, beta), e.neg(cut(difference, beta))],
);

function warnOfSizes(input: Tensor, target: Tensor): void {
  if (sameSizes(input.sizes, target.sizes)) return;
  warnOnce(
    `Using a target size (${target.shape}) that is different to the input size (${input.shape}). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.`,
  );
}

/** The mean or sum of losses that are already there, with weights. */
function weighted(losses: Tensor, weight: Tensor, reduction: Reduction, sizes = losses.sizes): Tensor {
  if (!sameSizes(sizes, weight.sizes)) throw new ValueError('Weights and input must have the same size.');
  const products = losses.mul(weight);
  if (reduction === 'none') return products;
  return reduction === 'sum' ? products.sum() : products.sum().div(weight.sum());
}

type Maybe<T> = T | null;

/** Weights of elements may not make more of them. */
function needWeights(input: Tensor, weight: Tensor): void {
  const sizes = broadcastSizes(input.sizes, weight.sizes);
  if (sameSizes(sizes, input.sizes)) return;
  throw new RuntimeError(
    `output with shape ${showSizes(input.sizes)} doesn't match the broadcast shape ${showSizes(sizes)}`,
  );
}

/** Both in the common shape, in which dtypes are promoted: a tensor without dimensions counts as any other. */
function broadcast(input: Tensor, target: Tensor): Tensor[] {
  if (sameSizes(input.sizes, target.sizes)) return [input, target];
  const sizes = broadcastSizes(input.sizes, target.sizes) as number[];
  return [input, target].map((x) => (sameSizes(x.sizes, sizes) ? x : x.expand(sizes)));
}

for (const [name, loss, doc] of [
  ['mse_loss', MSE, 'Mean of (input - target)²'],
  ['l1_loss', L1, 'Mean of |input - target|'],
] as const) {
  define(
    { doc: `${doc}; or their sum, or each.`, functional: true, method: false },
    {
      [`${name}(Tensor input, Tensor target, bool? size_average=None, bool? reduce=None, str reduction="mean", Tensor? weight=None) -> Tensor`]:
        (
          input: Tensor,
          target: Tensor,
          size_average: Maybe<boolean>,
          reduce: Maybe<boolean>,
          reduction: string,
          weight: Maybe<Tensor>,
        ) => {
          const chosen = reductionOf(size_average, reduce, reduction);
          warnOfSizes(input, target);
          const inputs = broadcast(input, target);
          if (weight === null) return loss.apply(inputs, [], chosen);
          return weighted(loss.apply(inputs, [], 'none'), weight, chosen, input.sizes);
        },
    },
  );
}

define(
  {
    doc: '(input - target)² / (2 beta) where they differ by less than beta, else |input - target| - beta / 2.',
    functional: true,
    method: false,
  },
  {
    'smooth_l1_loss(Tensor input, Tensor target, bool? size_average=None, bool? reduce=None, str reduction="mean", float beta=1.0) -> Tensor':
      (
        input: Tensor,
        target: Tensor,
        size_average: Maybe<boolean>,
        reduce: Maybe<boolean>,
        reduction: string,
        width: number,
      ) => {
        const chosen = reductionOf(size_average, reduce, reduction);
        warnOfSizes(input, target);
        if (width < 0) throw new RuntimeError('smooth_l1_loss does not support negative values for beta.');
        const inputs = broadcast(input, target);
        return width === 0 ? L1.apply(inputs, [], chosen) : SMOOTH_L1.apply(inputs, [width], chosen);
      },
  },
);

define(
  {
    doc: '(input - target)² / 2 where they differ by at most delta, else delta (|input - target| - delta / 2).',
    functional: true,
    method: false,
  },
  {
    'huber_loss(Tensor input, Tensor target, str reduction="mean", float delta=1.0, Tensor? weight=None) -> Tensor': (
      input: Tensor,
      target: Tensor,
      reduction: string,
      delta: number,
      weight: Maybe<Tensor>,
    ) => {
      const chosen = reductionOf(null, null, reduction);
      warnOfSizes(input, target);
      if (delta <= 0) throw new RuntimeError('huber_loss does not support non-positive values for delta.');
      const inputs = broadcast(input, target);
      if (weight === null) {
        // PyTorch gives the input's dtype, not the promoted one.
        if (commonDType(inputs, 0, null) === input.dtype) return HUBER.apply(inputs, [delta], chosen);
        const each = HUBER.apply(inputs, [delta], 'none').to(input.dtype);
        return chosen === 'none' ? each : chosen === 'mean' ? each.mean() : each.sum();
      }
      // Unlike those of the other losses this mean is by the number of elements.
      const each = weighted(HUBER.apply(inputs, [delta], 'none'), weight, 'none', input.sizes);
      return chosen === 'none' ? each : chosen === 'mean' ? each.mean() : each.sum();
    },
  },
);

const probability = e.input(0);
const label = e.input(1);
/** Logarithms are cut off at -100, so that a wrong certainty has a finite loss. */
const cutLog = (x: Expr) => e.maximum(e.log(x), e.constant(-100));
const entropy = e.neg(
  e.add(
    e.mul(label, cutLog(probability)),
    e.mul(e.sub(e.constant(1), label), cutLog(e.sub(e.constant(1), probability))),
  ),
);
const entropySlope = e.div(
  e.sub(probability, label),
  e.maximum(e.mul(e.sub(e.constant(1), probability), probability), e.constant(1e-12)),
);
/** With and without weights. */
const BCE = [entropy, e.mul(entropy, e.input(2))].map(
  (expr, weights) =>
    new ElementLoss(
      'binary_cross_entropy',
      same('BinaryCrossEntropyBackward0'),
      'binary_cross_entropy',
      2 + weights,
      0,
      expr,
      [weights ? e.mul(entropySlope, e.input(2)) : entropySlope],
      'whole',
    ),
);

// (1 - y) x + log(1 + exp(-|x|)) + max(-x, 0), which never overflows.
const logit = e.input(0);
const softplus = e.add(e.log1p(e.exp(e.neg(e.abs(logit)))), e.maximum(e.neg(logit), e.constant(0)));
const plainEntropy = e.add(e.mul(e.sub(e.constant(1), label), logit), softplus);
const plainSlope = e.sub(e.sigmoid(logit), label);
/** The positive part weighs as much as its own weight says. */
const positive = (pos: Expr) => e.add(e.mul(e.sub(pos, e.constant(1)), label), e.constant(1));
const positiveEntropy = (pos: Expr) => e.add(e.mul(e.sub(e.constant(1), label), logit), e.mul(positive(pos), softplus));
const positiveSlope = (pos: Expr) =>
  e.sub(e.sub(e.constant(1), label), e.mul(positive(pos), e.sub(e.constant(1), e.sigmoid(logit))));

function logitsLoss(weighted: boolean, withPositive: boolean): ElementLoss {
  const pos = e.input(weighted ? 3 : 2);
  const expr = withPositive ? positiveEntropy(pos) : plainEntropy;
  const slope = withPositive ? positiveSlope(pos) : plainSlope;
  return new ElementLoss(
    'binary_cross_entropy_with_logits',
    same('BinaryCrossEntropyWithLogitsBackward0'),
    'binary_cross_entropy_with_logits',
    2 + (weighted ? 1 : 0) + (withPositive ? 1 : 0),
    0,
    weighted ? e.mul(expr, e.input(2)) : expr,
    [weighted ? e.mul(slope, e.input(2)) : slope],
    'scalar',
    withPositive && !weighted ? ['input', 'target', 'pos_weight'] : undefined,
  );
}
const LOGITS = [logitsLoss(false, false), logitsLoss(true, false), logitsLoss(false, true), logitsLoss(true, true)];

/** The loss has the target's dtype and shape, in which PyTorch makes it, so that what does not fit there is refused. */
function checkLogitsTarget(input: Tensor, target: Tensor, weight: Maybe<Tensor>, positives: Maybe<Tensor>): void {
  if (input.dtype.category !== FLOAT_CATEGORY) {
    throw new NotImplementedError(`"log_sigmoid_cpu" not implemented for '${input.dtype.scalarTypeName}'`);
  }
  if (target.dtype === bool) {
    throw new RuntimeError(
      'Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.',
    );
  }
  if (target.dtype.category !== FLOAT_CATEGORY) {
    throw new RuntimeError(
      `result type ${input.dtype.scalarTypeName} can't be cast to the desired output type ${target.dtype.scalarTypeName}: the targets of binary_cross_entropy_with_logits are floats, as target.to(input.dtype) makes them`,
    );
  }
  for (const factor of [positives, weight]) {
    if (factor === null) continue;
    const sizes = broadcastSizes(target.sizes, factor.sizes);
    if (sameSizes(sizes, target.sizes)) continue;
    throw new RuntimeError(
      `output with shape ${showSizes(target.sizes)} doesn't match the broadcast shape ${showSizes(sizes)}`,
    );
  }
}

define(
  { doc: 'Binary cross entropy of probabilities with targets from 0 to 1.', functional: true, method: false },
  {
    'binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, bool? reduce=None, str reduction="mean") -> Tensor':
      (
        input: Tensor,
        target: Tensor,
        weight: Maybe<Tensor>,
        size_average: Maybe<boolean>,
        reduce: Maybe<boolean>,
        reduction: string,
      ) => {
        const chosen = reductionOf(size_average, reduce, reduction);
        if (!sameSizes(input.sizes, target.sizes)) {
          throw new ValueError(
            `Using a target size (${target.shape}) that is different to the input size (${input.shape}) is deprecated. Please ensure they have the same size.`,
          );
        }
        if (weight !== null) needWeights(input, weight);
        if (input.dtype.category === FLOAT_CATEGORY && target.dtype !== input.dtype) {
          throw new RuntimeError(
            `Found dtype ${target.dtype.scalarTypeName} but expected ${input.dtype.scalarTypeName}`,
          );
        }
        if (input.dtype.category === FLOAT_CATEGORY)
          checkUnitRange(input.contiguousNow ? input : input.detach().contiguous());
        return weight === null
          ? BCE[0].apply([input, target], [], chosen)
          : BCE[1].apply([input, target, weight], [], chosen);
      },
  },
);

define(
  {
    doc: 'Binary cross entropy of scores, to which the logistic function is applied, with targets from 0 to 1.',
    functional: true,
    method: false,
  },
  {
    'binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, bool? reduce=None, str reduction="mean", Tensor? pos_weight=None) -> Tensor':
      (
        input: Tensor,
        target: Tensor,
        weight: Maybe<Tensor>,
        size_average: Maybe<boolean>,
        reduce: Maybe<boolean>,
        reduction: string,
        pos_weight: Maybe<Tensor>,
      ) => {
        const chosen = reductionOf(size_average, reduce, reduction);
        if (!sameSizes(input.sizes, target.sizes)) {
          throw new ValueError(`Target size (${target.shape}) must be the same as input size (${input.shape})`);
        }
        if (weight !== null) needWeights(input, weight);
        checkLogitsTarget(input, target, weight, pos_weight);
        const inputs = [input, target, weight, pos_weight].filter((x) => x !== null);
        const loss = LOGITS[(weight === null ? 0 : 1) + (pos_weight === null ? 0 : 2)].apply(inputs, [], chosen);
        return loss.dtype === target.dtype ? loss : loss.to(target.dtype);
      },
  },
);
