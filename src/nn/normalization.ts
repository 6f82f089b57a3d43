/** `nn.LayerNorm`. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty } from '../torch/factories.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { ones_, zeros_ } from './init.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyRepr, pyTuple } from './text.ts';

export interface LayerNormOptions extends FactoryOptions {
  /** Added to the variance. Default: 1e-5. */
  eps?: number;
  /** Whether there are weight and bias. Default: true. */
  elementwise_affine?: boolean;
  /** Whether there is a bias beside the weight. Default: true. */
  bias?: boolean;
}

const INIT = Signature.of(
  'LayerNorm.__init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None)',
);

/** Mean 0 and variance 1 over the last dimensions, then weight and bias. */
export class LayerNorm extends Module {
  normalized_shape: readonly number[];
  eps: number;
  elementwise_affine: boolean;
  /** In the normalized shape. */
  declare weight: Parameter | null;
  /** In the normalized shape. */
  declare bias: Parameter | null;

  constructor(normalized_shape: number | readonly number[], options?: LayerNormOptions);
  constructor(normalized_shape: number | readonly number[], eps: number, options?: Omit<LayerNormOptions, 'eps'>);
  constructor(...args: unknown[]) {
    super();
    const [shape, eps, affine, bias, device, dtype] = INIT.bind(args) as [
      number | readonly number[],
      number,
      boolean,
      boolean,
      DeviceLike | null,
      DType | null,
    ];
    this.normalized_shape = typeof shape === 'number' ? [shape] : [...shape];
    this.eps = eps;
    this.elementwise_affine = affine;
    const make = () => makeParameter(empty([...this.normalized_shape], { device, dtype }), true);
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
    return functional.layer_norm(input, this.normalized_shape, this.weight, this.bias, this.eps);
  }

  override extra_repr(): string {
    return `${pyTuple(this.normalized_shape)}, eps=${pyRepr(this.eps)}, elementwise_affine=${pyRepr(this.elementwise_affine)}, bias=${pyRepr(this.bias !== null)}`;
  }
}

fixedInputs(LayerNorm, 'input');
