/** `nn.LinearCrossEntropyLoss`: a linear layer and the cross entropy of its scores in one module. */
import { RuntimeError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { Linear } from './linear.ts';
import { type Reduction, reductionOf } from './loss.ts';
import { type FactoryOptions, Module } from './module.ts';
import { Signature } from './signature.ts';
import { pyNumber, pyRepr, pyTuple } from './text.ts';

const SIGNATURE = Signature.of(
  "LinearCrossEntropyLoss.__init__(self, in_features, num_classes, *, out_features=None, bias=False, device=None, dtype=None, reduction='mean', weight=None, ignore_index=None, label_smoothing=0.0)",
);

export interface LinearCrossEntropyLossOptions extends FactoryOptions {
  /** Further dimensions of the scores. Default: none. */
  out_features?: readonly number[];
  /** Default: false. */
  bias?: boolean;
  /** Default: 'mean'. */
  reduction?: Reduction;
  /** By class. */
  weight?: Tensor | null;
  /** A target that counts for nothing; null is -100 for classes. */
  ignore_index?: number | null;
  /** From 0 (default) to 1. */
  label_smoothing?: number;
}

/** Cross entropy of a linear layer's scores: inputs are [N, in_features], targets [N, …] classes or [N, C, …] probabilities. */
export class LinearCrossEntropyLoss extends Module {
  num_classes: number;
  out_features: readonly number[];
  reduction: Reduction;
  declare weight: Tensor | null;
  ignore_index: number | null;
  label_smoothing: number;
  linear: Linear;

  constructor(in_features: number, num_classes: number, options?: LinearCrossEntropyLossOptions);
  constructor(...args: unknown[]) {
    super();
    const [inputs, classes, outputs, bias, device, dtype, reduction, given, ignore, smoothing] = SIGNATURE.bind(args);
    const weight = given as Tensor | null;
    this.num_classes = classes as number;
    this.out_features = (outputs as readonly number[] | null) ?? [];
    if (weight !== null && (weight.sizes.length !== 1 || weight.sizes[0] !== this.num_classes)) {
      throw new RuntimeError(`expected weight shape to be (${this.num_classes},), got ${pyTuple(weight.sizes)}`);
    }
    this.label_smoothing = smoothing as number;
    if (this.label_smoothing < 0 || this.label_smoothing > 1) {
      throw new RuntimeError(`expected label_smoothing to be in range [0, 1], got ${pyNumber(this.label_smoothing)}`);
    }
    this.reduction = reductionOf(null, null, reduction);
    this.register_buffer('weight', weight);
    this.ignore_index = ignore as number | null;
    const rows = this.out_features.reduce((n, size) => n * size, this.num_classes);
    const options = { bias, device, dtype } as { bias: boolean } & FactoryOptions;
    this.linear = new Linear(inputs as number, rows, options);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    const { linear, num_classes, out_features, weight, reduction, ignore_index, label_smoothing } = this;
    const shape = [num_classes, ...out_features];
    return functional.linear_cross_entropy(input, linear.weight.reshape([...shape, linear.in_features]), target, {
      linear_bias: linear.bias === null ? null : linear.bias.reshape(shape),
      weight,
      reduction,
      ignore_index,
      label_smoothing,
    });
  }

  override extra_repr(): string {
    const { linear, num_classes, out_features, reduction, ignore_index, label_smoothing } = this;
    const smoothing = Number.isInteger(label_smoothing) ? label_smoothing.toFixed(1) : pyNumber(label_smoothing);
    return `in_features=${linear.in_features}, num_classes=${num_classes}, out_features=${pyTuple(out_features)}, bias=${pyRepr(linear.bias !== null)}, reduction=${reduction}, ignore_index=${pyRepr(ignore_index)}, label_smoothing=${smoothing}, options=None`;
  }
}

fixedInputs(LinearCrossEntropyLoss, 'input', 'target');
