/** `nn.Linear`, `nn.Identity`, `nn.Flatten`. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functional } from './functional.ts';
import { empty } from '../torch/factories.ts';
import { biasBound, kaiming_uniform_, uniform_ } from './init.ts';
import { fixedInputs } from './call.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyRepr } from './text.ts';

const LINEAR = Signature.of('Linear.__init__(self, in_features, out_features, bias=True, device=None, dtype=None)');

/** input @ weight.T + bias: [..., in_features] becomes [..., out_features]. */
export class Linear extends Module {
  in_features: number;
  out_features: number;
  /** [out_features, in_features] */
  declare weight: Parameter;
  /** [out_features] */
  declare bias: Parameter | null;

  constructor(in_features: number, out_features: number, options?: { bias?: boolean } & FactoryOptions);
  constructor(in_features: number, out_features: number, bias: boolean, options?: FactoryOptions);
  constructor(...args: unknown[]) {
    super();
    const [inputs, outputs, bias, device, dtype] = LINEAR.bind(args) as [
      number,
      number,
      boolean,
      DeviceLike | null,
      DType | null,
    ];
    this.in_features = inputs;
    this.out_features = outputs;
    const make = (sizes: number[]) => makeParameter(empty(sizes, { device, dtype }), true);
    this.register_parameter('weight', make([outputs, inputs]));
    this.register_parameter('bias', bias ? make([outputs]) : null);
    this.reset_parameters();
  }

  /** Draws weight and bias anew. */
  reset_parameters(): void {
    kaiming_uniform_(this.weight, { a: Math.sqrt(5) });
    if (this.bias !== null) {
      const bound = biasBound(this.weight);
      uniform_(this.bias, -bound, bound);
    }
  }

  override forward(input: Tensor): Tensor {
    try {
      return functional.linear(input, this.weight, this.bias);
    } catch (error) {
      throw withSizes(error, input, this);
    }
  }

  override extra_repr(): string {
    return `in_features=${this.in_features}, out_features=${this.out_features}, bias=${pyRepr(this.bias !== null)}`;
  }
}

/** Gives its input. Takes any arguments and ignores them. */
export class Identity extends Module {
  constructor(..._ignored: unknown[]) {
    super();
  }

  override forward(input: Tensor): Tensor {
    return input;
  }
}

/** Sizes that don't fit are an error that also says what the layer takes and was given. */
function withSizes(error: unknown, input: Tensor, { in_features, out_features }: Linear): unknown {
  if (!(error instanceof RuntimeError && error.message.startsWith('mat1 and mat2 shapes'))) return error;
  return new RuntimeError(
    `${error.message}: Linear(${in_features}, ${out_features}) takes inputs whose last size is ${in_features}, but was given ${input.shape}`,
  );
}

const FLATTEN = Signature.of('Flatten.__init__(self, start_dim=1, end_dim=-1)');

/** Dimensions start_dim (1) to end_dim (the last) become one. */
export class Flatten extends Module {
  start_dim: number;
  end_dim: number;

  constructor(options?: { start_dim?: number; end_dim?: number });
  constructor(start_dim: number, end_dim?: number);
  constructor(...args: unknown[]) {
    super();
    [this.start_dim, this.end_dim] = FLATTEN.bind(args) as [number, number];
  }

  override forward(input: Tensor): Tensor {
    return input.flatten(this.start_dim, this.end_dim);
  }

  override extra_repr(): string {
    return `start_dim=${this.start_dim}, end_dim=${this.end_dim}`;
  }
}

fixedInputs(Linear, 'input');
fixedInputs(Identity, 'input');
fixedInputs(Flatten, 'input');
