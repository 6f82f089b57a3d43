/** Activations and dropout as modules. */
import { ValueError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';
import { pyNumber, pyRepr } from './text.ts';

const RELU = Signature.of('ReLU.__init__(self, inplace=False)');
const SILU = Signature.of('SiLU.__init__(self, inplace=False)');
const GELU_INIT = Signature.of("GELU.__init__(self, approximate='none')");
const SOFTMAX = Signature.of('Softmax.__init__(self, dim=None)');
const LOG_SOFTMAX = Signature.of('LogSoftmax.__init__(self, dim=None)');
const DROPOUT = Signature.of('Dropout.__init__(self, p=0.5, inplace=False)');

/** max(x, 0). */
export class ReLU extends Module {
  inplace: boolean;

  constructor(inplace?: boolean | { inplace?: boolean });
  constructor(...args: unknown[]) {
    super();
    [this.inplace] = RELU.bind(args) as [boolean];
  }

  override forward(input: Tensor): Tensor {
    return this.inplace ? input.relu_() : functional.relu(input);
  }

  override extra_repr(): string {
    return this.inplace ? 'inplace=True' : '';
  }
}

/** x * sigmoid(x). */
export class SiLU extends Module {
  inplace: boolean;

  constructor(inplace?: boolean | { inplace?: boolean });
  constructor(...args: unknown[]) {
    super();
    [this.inplace] = SILU.bind(args) as [boolean];
  }

  override forward(input: Tensor): Tensor {
    return functional.silu(input, { inplace: this.inplace });
  }

  override extra_repr(): string {
    return this.inplace ? 'inplace=True' : '';
  }
}

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

/** In training mode, zeroes elements with probability p and scales the others by 1 / (1 - p). */
export class Dropout extends Module {
  p: number;
  inplace: boolean;

  constructor(options?: { p?: number; inplace?: boolean });
  constructor(p: number, inplace?: boolean | { inplace?: boolean });
  constructor(...args: unknown[]) {
    super();
    const [p, inplace] = DROPOUT.bind(args) as [number, boolean];
    if (!(p >= 0 && p <= 1)) {
      throw new ValueError(`dropout probability has to be between 0 and 1, but got ${pyNumber(p)}`);
    }
    this.p = p;
    this.inplace = inplace;
  }

  override forward(input: Tensor): Tensor {
    return functional.dropout(input, this.p, this.training, this.inplace);
  }

  override extra_repr(): string {
    return `p=${pyNumber(this.p)}, inplace=${pyRepr(this.inplace)}`;
  }
}

for (const layer of [ReLU, SiLU, GELU, Sigmoid, Tanh, Softmax, LogSoftmax, Dropout]) fixedInputs(layer, 'input');
