/** Activations as modules that may write over their input. */
import { AssertionError } from '../core/errors.ts';
import { warnOnce } from '../core/warn.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import type { Inplace } from './functional-activations.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';
import { pyFloat, pyNumber } from './text.ts';

export const init = (name: string, parameters = ''): Signature =>
  Signature.of(`${name}.__init__(self, ${parameters}inplace=False)`);

/** What follows the other options in a module's text. */
export const written = (inplace: boolean): string => (inplace ? ', inplace=True' : '');
const alone = (inplace: boolean): string => (inplace ? 'inplace=True' : '');

/** Activations with no option but this; classes derived from them have the same `__init__`. */
abstract class InplaceActivation extends Module {
  protected static readonly init: Signature;
  inplace: boolean;

  constructor(inplace?: boolean | Inplace);
  constructor(...args: unknown[]) {
    super();
    [this.inplace] = new.target.init.bind(args) as [boolean];
  }

  override extra_repr(): string {
    return alone(this.inplace);
  }
}

/** max(x, 0). */
export class ReLU extends InplaceActivation {
  protected static override readonly init = init('ReLU');

  override forward(input: Tensor): Tensor {
    return this.inplace ? input.relu_() : functional.relu(input);
  }
}

/** x * sigmoid(x). */
export class SiLU extends InplaceActivation {
  protected static override readonly init = init('SiLU');

  override forward(input: Tensor): Tensor {
    return functional.silu(input, this.inplace);
  }
}

/** x * tanh(log(1 + exp(x))). */
export class Mish extends InplaceActivation {
  protected static override readonly init = init('Mish');

  override forward(input: Tensor): Tensor {
    return functional.mish(input, this.inplace);
  }
}

/** ELU, scaled so that mean and variance settle at 0 and 1. */
export class SELU extends InplaceActivation {
  protected static override readonly init = init('SELU');

  override forward(input: Tensor): Tensor {
    return functional.selu(input, this.inplace);
  }
}

/** x * min(max(x + 3, 0), 6) / 6. */
export class Hardswish extends InplaceActivation {
  protected static override readonly init = init('Hardswish');

  override forward(input: Tensor): Tensor {
    return functional.hardswish(input, this.inplace);
  }

  override extra_repr(): string {
    return '';
  }
}

/** min(max(x + 3, 0), 6) / 6. */
export class Hardsigmoid extends InplaceActivation {
  protected static override readonly init = init('Hardsigmoid');

  override forward(input: Tensor): Tensor {
    return functional.hardsigmoid(input, this.inplace);
  }

  override extra_repr(): string {
    return '';
  }
}

const THRESHOLD = init('Threshold', 'threshold, value, ');
/** x where it is above the threshold, else value. */
export class Threshold extends Module {
  threshold: number;
  value: number;
  inplace: boolean;

  constructor(threshold: number, value: number, inplace?: boolean | Inplace);
  constructor(...args: unknown[]) {
    super();
    [this.threshold, this.value, this.inplace] = THRESHOLD.bind(args) as [number, number, boolean];
  }

  override forward(input: Tensor): Tensor {
    return functional.threshold(input, this.threshold, this.value, this.inplace);
  }

  override extra_repr(): string {
    return `threshold=${pyNumber(this.threshold)}, value=${pyNumber(this.value)}${written(this.inplace)}`;
  }
}

const HARDTANH = Signature.of(
  'Hardtanh.__init__(self, min_val=-1, max_val=1, inplace=False, min_value=None, max_value=None)',
);

interface HardtanhOptions extends Inplace {
  min_val?: number;
  max_val?: number;
  /** The former name of `min_val`. */
  min_value?: number;
  /** The former name of `max_val`. */
  max_value?: number;
}

function renamed(name: 'min' | 'max', value: number, former: number | null): number {
  if (former === null) return value;
  warnOnce(`keyword argument \`${name}_value\` is deprecated and renamed to \`${name}_val\``);
  return former;
}

/** x between min_val and max_val, the nearer limit elsewhere. */
export class Hardtanh extends Module {
  min_val: number;
  max_val: number;
  inplace: boolean;

  constructor(options?: HardtanhOptions);
  constructor(min_val: number, options?: Omit<HardtanhOptions, 'min_val'>);
  constructor(min_val: number, max_val: number, inplace?: boolean | HardtanhOptions);
  constructor(...args: unknown[]) {
    super();
    const [low, high, inplace, formerLow, formerHigh] = HARDTANH.bind(args) as [
      number,
      number,
      boolean,
      number | null,
      number | null,
    ];
    this.min_val = renamed('min', low, formerLow);
    this.max_val = renamed('max', high, formerHigh);
    this.inplace = inplace;
    if (this.max_val <= this.min_val) {
      throw new AssertionError(
        `max_val (${pyNumber(this.max_val)}) must be greater than min_val (${pyNumber(this.min_val)})`,
      );
    }
  }

  override forward(input: Tensor): Tensor {
    return functional.hardtanh(input, this.min_val, this.max_val, this.inplace);
  }

  override extra_repr(): string {
    return `min_val=${pyFloat(this.min_val)}, max_val=${pyFloat(this.max_val)}${written(this.inplace)}`;
  }
}

const RELU6 = init('ReLU6');
/** min(max(x, 0), 6). */
export class ReLU6 extends Hardtanh {
  constructor(inplace?: boolean | Inplace);
  constructor(...args: unknown[]) {
    const [inplace] = RELU6.bind(args) as [boolean];
    super(0, 6, inplace);
  }

  override extra_repr(): string {
    return alone(this.inplace);
  }
}

const LEAKY_RELU = init('LeakyReLU', 'negative_slope=0.01, ');
/** x where it is positive, else negative_slope * x. */
export class LeakyReLU extends Module {
  negative_slope: number;
  inplace: boolean;

  constructor(options?: Inplace & { negative_slope?: number });
  constructor(negative_slope: number, inplace?: boolean | Inplace);
  constructor(...args: unknown[]) {
    super();
    [this.negative_slope, this.inplace] = LEAKY_RELU.bind(args) as [number, boolean];
  }

  override forward(input: Tensor): Tensor {
    return functional.leaky_relu(input, this.negative_slope, this.inplace);
  }

  override extra_repr(): string {
    return `negative_slope=${pyNumber(this.negative_slope)}${written(this.inplace)}`;
  }
}

const ELU_INIT = init('ELU', 'alpha=1, ');
/** x where it is positive, else alpha * (exp(x) - 1). */
export class ELU extends Module {
  alpha: number;
  inplace: boolean;

  constructor(options?: Inplace & { alpha?: number });
  constructor(alpha: number, inplace?: boolean | Inplace);
  constructor(...args: unknown[]) {
    super();
    [this.alpha, this.inplace] = ELU_INIT.bind(args) as [number, boolean];
  }

  override forward(input: Tensor): Tensor {
    return functional.elu(input, this.alpha, this.inplace);
  }

  override extra_repr(): string {
    return `alpha=${pyFloat(this.alpha)}${written(this.inplace)}`;
  }
}

const CELU_INIT = init('CELU', 'alpha=1, ');
/** x where it is positive, else alpha * (exp(x / alpha) - 1). */
export class CELU extends Module {
  alpha: number;
  inplace: boolean;

  constructor(options?: Inplace & { alpha?: number });
  constructor(alpha: number, inplace?: boolean | Inplace);
  constructor(...args: unknown[]) {
    super();
    [this.alpha, this.inplace] = CELU_INIT.bind(args) as [number, boolean];
  }

  override forward(input: Tensor): Tensor {
    return functional.celu(input, this.alpha, this.inplace);
  }

  override extra_repr(): string {
    return `alpha=${pyFloat(this.alpha)}${written(this.inplace)}`;
  }
}

const LAYERS = [ReLU, SiLU, Mish, SELU, Hardswish, Hardsigmoid, Threshold, Hardtanh, ReLU6, LeakyReLU, ELU, CELU];
for (const layer of LAYERS) fixedInputs(layer, 'input');
