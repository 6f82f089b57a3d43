/** Distances of rows as modules. */
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';

const PAIRWISE = Signature.of('PairwiseDistance.__init__(self, p=2, eps=1e-06, keepdim=False)');
const COSINE = Signature.of('CosineSimilarity.__init__(self, dim=1, eps=1e-08)');

interface PairwiseOptions {
  p?: number;
  /** Added to differences. Default: 1e-6. */
  eps?: number;
  keepdim?: boolean;
}

/** The p-norm of x1 - x2 along the last dimension. */
export class PairwiseDistance extends Module {
  norm: number;
  eps: number;
  keepdim: boolean;

  constructor(options?: PairwiseOptions);
  constructor(p: number, options?: Omit<PairwiseOptions, 'p'>);
  constructor(p: number, eps: number, keepdim?: boolean | { keepdim?: boolean });
  constructor(...args: unknown[]) {
    super();
    [this.norm, this.eps, this.keepdim] = PAIRWISE.bind(args) as [number, number, boolean];
  }

  override forward(x1: Tensor, x2: Tensor): Tensor {
    return functional.pairwise_distance(x1, x2, this.norm, this.eps, this.keepdim);
  }
}

/** The cosine of the angle between x1 and x2 along a dimension. */
export class CosineSimilarity extends Module {
  dim: number;
  eps: number;

  constructor(options?: { dim?: number; eps?: number });
  constructor(dim: number, eps?: number | { eps?: number });
  constructor(...args: unknown[]) {
    super();
    [this.dim, this.eps] = COSINE.bind(args) as [number, number];
  }

  override forward(x1: Tensor, x2: Tensor): Tensor {
    return functional.cosine_similarity(x1, x2, this.dim, this.eps);
  }
}

for (const layer of [PairwiseDistance, CosineSimilarity]) fixedInputs(layer, 'x1', 'x2');
