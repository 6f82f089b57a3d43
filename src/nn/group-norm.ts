/** `nn.GroupNorm`, `nn.RMSNorm`. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty } from '../torch/factories.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import './functional-normalization.ts';
import { ones_, zeros_ } from './init.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyRepr, pyTuple } from './text.ts';

export interface GroupNormOptions extends FactoryOptions {
  /** Added to the variance. Default: 1e-5. */
  eps?: number;
  /** Whether there are weight and bias. Default: true. */
  affine?: boolean;
  /** Whether there is a bias beside the weight. Default: true. */
  bias?: boolean;
}

const GROUP = Signature.of(
  'GroupNorm.__init__(self, num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, *, bias=True)',
);

/** Mean 0 and variance 1 for every group of channels of every image of [N, C, …], then weight and bias by channel. */
export class GroupNorm extends Module {
  num_groups: number;
  num_channels: number;
  eps: number;
  affine: boolean;
  /** [num_channels] */
  declare weight: Parameter | null;
  /** [num_channels] */
  declare bias: Parameter | null;

  constructor(num_groups: number, num_channels: number, options?: GroupNormOptions);
  constructor(num_groups: number, num_channels: number, eps: number, options?: Omit<GroupNormOptions, 'eps'>);
  constructor(...args: unknown[]) {
    super();
    const [groups, channels, eps, affine, device, dtype, bias] = GROUP.bind(args) as [
      number,
      number,
      number,
      boolean,
      DeviceLike | null,
      DType | null,
      boolean,
    ];
    if (channels % groups !== 0) {
      throw new ValueError(`num_channels (${channels}) must be divisible by num_groups (${groups})`);
    }
    this.num_groups = groups;
    this.num_channels = channels;
    this.eps = eps;
    this.affine = affine;
    const make = () => makeParameter(empty([channels], { device, dtype }), true);
    this.register_parameter('weight', affine ? make() : null);
    this.register_parameter('bias', affine && bias ? make() : null);
    this.reset_parameters();
  }

  /** Weight 1, bias 0. */
  reset_parameters(): void {
    if (this.weight !== null) ones_(this.weight);
    if (this.bias !== null) zeros_(this.bias);
  }

  override forward(input: Tensor): Tensor {
    return functional.group_norm(input, this.num_groups, this.weight, this.bias, this.eps);
  }

  override extra_repr(): string {
    return `${this.num_groups}, ${this.num_channels}, eps=${pyRepr(this.eps)}, affine=${pyRepr(this.affine)}, bias=${pyRepr(this.bias !== null)}`;
  }
}

export interface RMSNormOptions extends FactoryOptions {
  /** Added to the mean square; null: the smallest step of the dtype. Default: null. */
  eps?: number | null;
  /** Whether there is a weight. Default: true. */
  elementwise_affine?: boolean;
}

const RMS = Signature.of(
  'RMSNorm.__init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None)',
);

/** Rows over the last dimensions divided by their root mean square, then times a weight. */
export class RMSNorm extends Module {
  normalized_shape: readonly number[];
  eps: number | null;
  elementwise_affine: boolean;
  /** In the normalized shape. */
  declare weight: Parameter | null;

  constructor(normalized_shape: number | readonly number[], options?: RMSNormOptions);
  constructor(normalized_shape: number | readonly number[], eps: number | null, options?: Omit<RMSNormOptions, 'eps'>);
  constructor(...args: unknown[]) {
    super();
    const [shape, eps, affine, device, dtype] = RMS.bind(args) as [
      number | readonly number[],
      number | null,
      boolean,
      DeviceLike | null,
      DType | null,
    ];
    this.normalized_shape = typeof shape === 'number' ? [shape] : [...shape];
    this.eps = eps;
    this.elementwise_affine = affine;
    const sizes = [...this.normalized_shape];
    this.register_parameter('weight', affine ? makeParameter(empty(sizes, { device, dtype }), true) : null);
    this.reset_parameters();
  }

  /** Weight 1. */
  reset_parameters(): void {
    if (this.weight !== null) ones_(this.weight);
  }

  override forward(x: Tensor): Tensor {
    return functional.rms_norm(x, this.normalized_shape, this.weight, this.eps);
  }

  override extra_repr(): string {
    return `${pyTuple(this.normalized_shape)}, eps=${pyRepr(this.eps)}, elementwise_affine=${pyRepr(this.elementwise_affine)}`;
  }
}

fixedInputs(GroupNorm, 'input');
fixedInputs(RMSNorm, 'x');
