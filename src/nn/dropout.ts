/** Dropout as modules: they drop in training mode only. */
import { ValueError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import type { Inplace } from './functional-activations.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';
import { pyFloat, pyNumber, pyRepr } from './text.ts';

interface DropoutOptions extends Inplace {
  /** Probability of being dropped. Default: 0.5. */
  p?: number;
}

// One for all classes, as in Python.
const INIT = Signature.of('_DropoutNd.__init__(self, p=0.5, inplace=False)');

abstract class DropoutNd extends Module {
  p: number;
  inplace: boolean;

  constructor(options?: DropoutOptions);
  constructor(p: number, inplace?: boolean | Inplace);
  constructor(...args: unknown[]) {
    super();
    const [p, inplace] = INIT.bind(args) as [number, boolean];
    if (!(p >= 0 && p <= 1)) {
      throw new ValueError(`dropout probability has to be between 0 and 1, but got ${pyNumber(p)}`);
    }
    this.p = p;
    this.inplace = inplace;
  }

  override extra_repr(): string {
    return `p=${pyFloat(this.p)}, inplace=${pyRepr(this.inplace)}`;
  }
}

/** In training mode, zeroes elements with probability p and scales the others by 1 / (1 - p). */
export class Dropout extends DropoutNd {
  override forward(input: Tensor): Tensor {
    return functional.dropout(input, this.p, this.training, this.inplace);
  }
}

/** In training mode, zeroes channels of [N, C, L] or [C, L] with probability p and scales the others. */
export class Dropout1d extends DropoutNd {
  override forward(input: Tensor): Tensor {
    return functional.dropout1d(input, this.p, this.training, this.inplace);
  }
}

/** In training mode, zeroes channels of [N, C, H, W] with probability p and scales the others. */
export class Dropout2d extends DropoutNd {
  override forward(input: Tensor): Tensor {
    return functional.dropout2d(input, this.p, this.training, this.inplace);
  }
}

/** In training mode, zeroes channels of [N, C, D, H, W] or [C, D, H, W] with probability p and scales the others. */
export class Dropout3d extends DropoutNd {
  override forward(input: Tensor): Tensor {
    return functional.dropout3d(input, this.p, this.training, this.inplace);
  }
}

/** In training mode, drops elements to the lowest value of selu, and keeps mean and variance. */
export class AlphaDropout extends DropoutNd {
  override forward(input: Tensor): Tensor {
    return functional.alpha_dropout(input, this.p, this.training);
  }
}

/** In training mode, drops channels to the lowest value of selu, and keeps mean and variance. */
export class FeatureAlphaDropout extends DropoutNd {
  override forward(input: Tensor): Tensor {
    return functional.feature_alpha_dropout(input, this.p, this.training);
  }
}

for (const layer of [Dropout, Dropout1d, Dropout2d, Dropout3d, AlphaDropout, FeatureAlphaDropout]) {
  fixedInputs(layer, 'input');
}
