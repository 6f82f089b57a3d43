/** `nn.LocalResponseNorm`. */
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import './functional-images.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';
import { pyFloat } from './text.ts';

const LOCAL = Signature.of('LocalResponseNorm.__init__(self, size, alpha=0.0001, beta=0.75, k=1)');

/** Every element divided by a power of the squares around it in the channels of [N, C, …]. */
export class LocalResponseNorm extends Module {
  size: number;
  alpha: number;
  beta: number;
  k: number;

  constructor(size: number, options?: { alpha?: number; beta?: number; k?: number });
  constructor(size: number, alpha: number, beta?: number, k?: number);
  constructor(...args: unknown[]) {
    super();
    [this.size, this.alpha, this.beta, this.k] = LOCAL.bind(args) as [number, number, number, number];
  }

  override forward(input: Tensor): Tensor {
    return functional.local_response_norm(input, this.size, this.alpha, this.beta, this.k);
  }

  override extra_repr(): string {
    return `${this.size}, alpha=${pyFloat(this.alpha)}, beta=${pyFloat(this.beta)}, k=${pyFloat(this.k)}`;
  }
}

fixedInputs(LocalResponseNorm, 'input');
