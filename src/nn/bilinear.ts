/** `nn.Bilinear`. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty } from '../torch/factories.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { uniform_ } from './init.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyRepr } from './text.ts';

const BILINEAR = Signature.of(
  'Bilinear.__init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None)',
);

/** x1 @ weight[o] @ x2 + bias[o]: [..., in1_features] and [..., in2_features] become [..., out_features]. */
export class Bilinear extends Module {
  in1_features: number;
  in2_features: number;
  out_features: number;
  /** [out_features, in1_features, in2_features] */
  declare weight: Parameter;
  /** [out_features] */
  declare bias: Parameter | null;

  constructor(
    in1_features: number,
    in2_features: number,
    out_features: number,
    options?: { bias?: boolean } & FactoryOptions,
  );
  constructor(
    in1_features: number,
    in2_features: number,
    out_features: number,
    bias: boolean,
    options?: FactoryOptions,
  );
  constructor(...args: unknown[]) {
    super();
    const [in1, in2, outputs, bias, device, dtype] = BILINEAR.bind(args) as [
      number,
      number,
      number,
      boolean,
      DeviceLike | null,
      DType | null,
    ];
    if (in1 <= 0) throw new ValueError(`in1_features must be > 0, but got (in1_features=${in1})`);
    this.in1_features = in1;
    this.in2_features = in2;
    this.out_features = outputs;
    const make = (sizes: number[]) => makeParameter(empty(sizes, { device, dtype }), true);
    this.register_parameter('weight', make([outputs, in1, in2]));
    this.register_parameter('bias', bias ? make([outputs]) : null);
    this.reset_parameters();
  }

  /** Draws weight and bias anew. */
  reset_parameters(): void {
    const bound = 1 / Math.sqrt(this.weight.size(1));
    uniform_(this.weight, -bound, bound);
    if (this.bias !== null) uniform_(this.bias, -bound, bound);
  }

  override forward(input1: Tensor, input2: Tensor): Tensor {
    return functional.bilinear(input1, input2, this.weight, this.bias);
  }

  override extra_repr(): string {
    return `in1_features=${this.in1_features}, in2_features=${this.in2_features}, out_features=${this.out_features}, bias=${pyRepr(this.bias !== null)}`;
  }
}

fixedInputs(Bilinear, 'input1', 'input2');
