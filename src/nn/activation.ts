/** Activations as modules; those that may write over their input are in `activation-inplace.ts`. */
import { ValueError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';
import { pyFloat, pyNumber, pyRepr } from './text.ts';

const GELU_INIT = Signature.of("GELU.__init__(self, approximate='none')");
const SOFTMAX = Signature.of('Softmax.__init__(self, dim=None)');
const LOG_SOFTMAX = Signature.of('LogSoftmax.__init__(self, dim=None)');
const SOFTMIN = Signature.of('Softmin.__init__(self, dim=None)');
const HARDSHRINK = Signature.of('Hardshrink.__init__(self, lambd=0.5)');
const SOFTSHRINK = Signature.of('Softshrink.__init__(self, lambd=0.5)');
const SOFTPLUS = Signature.of('Softplus.__init__(self, beta=1, threshold=20)');

/** x * Phi(x) with the normal distribution function Phi, or its approximation by tanh. */
export class GELU extends Module {
  approximate: 'none' | 'tanh';

  constructor(approximate?: 'none' | 'tanh' | { approximate?: 'none' | 'tanh' });
  constructor(...args: unknown[]) {
    super();
    [this.approximate] = GELU_INIT.bind(args) as ['none' | 'tanh'];
  }

  override forward(input: Tensor): Tensor {
    return functional.gelu(input, { approximate: this.approximate });
  }

  override extra_repr(): string {
    return `approximate=${pyRepr(this.approximate)}`;
  }
}

/** 1 / (1 + exp(-x)). */
export class Sigmoid extends Module {
  override forward(input: Tensor): Tensor {
    return input.sigmoid();
  }
}

/** Hyperbolic tangent. */
export class Tanh extends Module {
  override forward(input: Tensor): Tensor {
    return input.tanh();
  }
}

/** log(1 / (1 + exp(-x))). */
export class LogSigmoid extends Module {
  override forward(input: Tensor): Tensor {
    return functional.logsigmoid(input);
  }
}

/** x / (1 + |x|). */
export class Softsign extends Module {
  override forward(input: Tensor): Tensor {
    return functional.softsign(input);
  }
}

/** x - tanh(x). */
export class Tanhshrink extends Module {
  override forward(input: Tensor): Tensor {
    return functional.tanhshrink(input);
  }
}

/** exp(x) / sum(exp(x)) along a dimension. */
export class Softmax extends Module {
  dim: number | null;

  constructor(dim?: number | null | { dim?: number | null });
  constructor(...args: unknown[]) {
    super();
    [this.dim] = SOFTMAX.bind(args) as [number | null];
  }

  override forward(input: Tensor): Tensor {
    return functional.softmax(input, this.dim);
  }

  override extra_repr(): string {
    return `dim=${pyRepr(this.dim)}`;
  }
}

/** Logarithm of softmax along a dimension. */
export class LogSoftmax extends Module {
  dim: number | null;

  constructor(dim?: number | null | { dim?: number | null });
  constructor(...args: unknown[]) {
    super();
    [this.dim] = LOG_SOFTMAX.bind(args) as [number | null];
  }

  override forward(input: Tensor): Tensor {
    return functional.log_softmax(input, this.dim);
  }

  override extra_repr(): string {
    return `dim=${pyRepr(this.dim)}`;
  }
}

/** Softmax of -x along a dimension. */
export class Softmin extends Module {
  dim: number | null;

  constructor(dim?: number | null | { dim?: number | null });
  constructor(...args: unknown[]) {
    super();
    [this.dim] = SOFTMIN.bind(args) as [number | null];
  }

  override forward(input: Tensor): Tensor {
    return functional.softmin(input, this.dim);
  }

  override extra_repr(): string {
    return `dim=${pyRepr(this.dim)}`;
  }
}

/** Softmax over the channels of [N, C, H, W] or [C, H, W]. */
export class Softmax2d extends Module {
  override forward(input: Tensor): Tensor {
    if (input.sizes.length !== 3 && input.sizes.length !== 4) {
      throw new ValueError(`Softmax2d: expected input to be 3D or 4D, got ${input.sizes.length}D instead`);
    }
    return functional.softmax(input, -3);
  }
}

/** 0 between -lambd and lambd, x elsewhere. */
export class Hardshrink extends Module {
  lambd: number;

  constructor(lambd?: number | { lambd?: number });
  constructor(...args: unknown[]) {
    super();
    [this.lambd] = HARDSHRINK.bind(args) as [number];
  }

  override forward(input: Tensor): Tensor {
    return functional.hardshrink(input, this.lambd);
  }

  override extra_repr(): string {
    return pyNumber(this.lambd);
  }
}

/** x - lambd above lambd, x + lambd below -lambd, 0 between. */
export class Softshrink extends Module {
  lambd: number;

  constructor(lambd?: number | { lambd?: number });
  constructor(...args: unknown[]) {
    super();
    [this.lambd] = SOFTSHRINK.bind(args) as [number];
  }

  override forward(input: Tensor): Tensor {
    return functional.softshrink(input, this.lambd);
  }

  override extra_repr(): string {
    return pyNumber(this.lambd);
  }
}

/** log(1 + exp(beta * x)) / beta, and x where beta * x is above the threshold. */
export class Softplus extends Module {
  beta: number;
  threshold: number;

  constructor(options?: { beta?: number; threshold?: number });
  constructor(beta: number, threshold?: number | { threshold?: number });
  constructor(...args: unknown[]) {
    super();
    [this.beta, this.threshold] = SOFTPLUS.bind(args) as [number, number];
  }

  override forward(input: Tensor): Tensor {
    return functional.softplus(input, this.beta, this.threshold);
  }

  override extra_repr(): string {
    return `beta=${pyFloat(this.beta)}, threshold=${pyFloat(this.threshold)}`;
  }
}

const PLAIN = [GELU, Sigmoid, Tanh, LogSigmoid, Softsign, Tanhshrink, Softmax, LogSoftmax, Softmin, Softmax2d];
for (const layer of [...PLAIN, Hardshrink, Softshrink, Softplus]) fixedInputs(layer, 'input');
