/** Activations of more than one tensor or of random numbers as modules: GLU, PReLU, RReLU. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty } from '../torch/factories.ts';
import { init, written } from './activation-inplace.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import type { Inplace } from './functional-activations.ts';
import './functional-rrelu.ts';
import { constant_ } from './init.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyNumber } from './text.ts';

const GLU_INIT = Signature.of('GLU.__init__(self, dim=-1)');
const PRELU = Signature.of('PReLU.__init__(self, num_parameters=1, init=0.25, device=None, dtype=None)');

/** The first half of the input along dim times the sigmoid of the second half. */
export class GLU extends Module {
  dim: number;

  constructor(dim?: number | { dim?: number });
  constructor(...args: unknown[]) {
    super();
    [this.dim] = GLU_INIT.bind(args) as [number];
  }

  override forward(input: Tensor): Tensor {
    return functional.glu(input, this.dim);
  }

  override extra_repr(): string {
    return `dim=${this.dim}`;
  }
}

interface PReLUOptions extends FactoryOptions {
  /** Slopes to learn: 1, or one for each channel. Default: 1. */
  num_parameters?: number;
  /** What they begin with. Default: 0.25. */
  init?: number;
}

/** x where it is positive, else weight * x; the weights are learned. */
export class PReLU extends Module {
  num_parameters: number;
  init: number;
  /** [num_parameters] */
  declare weight: Parameter;

  constructor(options?: PReLUOptions);
  constructor(num_parameters: number, options?: Omit<PReLUOptions, 'num_parameters'>);
  constructor(num_parameters: number, init: number, options?: FactoryOptions);
  constructor(...args: unknown[]) {
    super();
    const [count, value, device, dtype] = PRELU.bind(args) as [number, number, DeviceLike | null, DType | null];
    this.num_parameters = count;
    this.init = value;
    this.register_parameter('weight', makeParameter(empty([count], { device, dtype }), true));
    this.reset_parameters();
  }

  /** Sets the weights to what they begin with. */
  reset_parameters(): void {
    constant_(this.weight, this.init);
  }

  override forward(input: Tensor): Tensor {
    return functional.prelu(input, this.weight);
  }

  override extra_repr(): string {
    return `num_parameters=${this.num_parameters}`;
  }
}

const RRELU = init('RReLU', 'lower=0.125, upper=0.3333333333333333, ');
/** x where it is positive, else x times a slope: drawn from [lower, upper) in training mode, their mean otherwise. */
export class RReLU extends Module {
  lower: number;
  upper: number;
  inplace: boolean;

  constructor(options?: Inplace & { lower?: number; upper?: number });
  constructor(lower: number, upper: number, inplace?: boolean | Inplace);
  constructor(...args: unknown[]) {
    super();
    [this.lower, this.upper, this.inplace] = RRELU.bind(args) as [number, number, boolean];
  }

  override forward(input: Tensor): Tensor {
    return functional.rrelu(input, this.lower, this.upper, this.training, this.inplace);
  }

  override extra_repr(): string {
    return `lower=${pyNumber(this.lower)}, upper=${pyNumber(this.upper)}${written(this.inplace)}`;
  }
}

for (const layer of [GLU, PReLU, RReLU]) fixedInputs(layer, 'input');
