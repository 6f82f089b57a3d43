/** Normalisation across channels and sliding blocks in `torch.nn.functional`, where their form differs from the op's. */
import { ValueError } from '../core/errors.ts';
import '../ops/constant-pad.ts';
import '../ops/fold.ts';
import '../ops/pool.ts';
import '../ops/resample.ts';
import { needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functional as functions } from '../torch/attach.ts';
import type { PerAxis } from './functional-pooling.ts';
import { Signature } from './signature.ts';

export interface BlockOptions {
  /** How far the elements of a block are apart. Default: 1. */
  dilation?: PerAxis;
  /** Zeros around the image. Default: 0. */
  padding?: PerAxis;
  /** How far blocks are apart. Default: 1. */
  stride?: PerAxis;
}

export interface ImageFunctions {
  /** Every element divided by a power of the squares around it in the channels of [N, C, …]. */
  local_response_norm(input: Tensor, size: number, options?: { alpha?: number; beta?: number; k?: number }): Tensor;
  local_response_norm(input: Tensor, size: number, alpha: number, beta?: number, k?: number): Tensor;
  /** Sliding blocks of [N, C, H, W] as columns: [N, C * kernel elements, blocks]. */
  unfold(input: Tensor, kernel_size: PerAxis, options?: BlockOptions): Tensor;
  unfold(input: Tensor, kernel_size: PerAxis, dilation: PerAxis, padding?: PerAxis, stride?: PerAxis): Tensor;
  /** The sum of sliding blocks [N, C * kernel elements, blocks] in images of output_size: [N, C, H, W]. */
  fold(input: Tensor, output_size: PerAxis, kernel_size: PerAxis, options?: BlockOptions): Tensor;
  fold(
    input: Tensor,
    output_size: PerAxis,
    kernel_size: PerAxis,
    dilation: PerAxis,
    padding?: PerAxis,
    stride?: PerAxis,
  ): Tensor;
}

type Op = (...args: unknown[]) => Tensor;

/** As declared, before the functions here take their places. */
const declared = { ...functions } as Record<string, Op>;

const LRN = Signature.of('local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1)');

function localResponseNorm(...args: unknown[]): Tensor {
  const [input, size, alpha, beta, k] = LRN.bind(args) as [Tensor, number, number, number, number];
  needTensor(input, 'local_response_norm', 'input');
  const { sizes } = input;
  const rank = sizes.length;
  if (rank < 3) {
    throw new ValueError(
      `Expected 3D or higher dimensionality                          input (got ${rank} dimensions)`,
    );
  }
  if (input.length === 0) return input;
  const [low, high] = [Math.floor(size / 2), Math.floor((size - 1) / 2)];
  const squares = input.mul(input);
  let around: Tensor;
  if (rank === 3) {
    const padded = declared['pad'](squares.unsqueeze(1), [0, 0, low, high]);
    around = declared['avg_pool2d'](padded, [size, 1], { stride: 1 }).squeeze(1);
  } else {
    const planes = squares.view([sizes[0], 1, sizes[1], sizes[2], -1]);
    const padded = declared['pad'](planes, [0, 0, 0, 0, low, high]);
    around = declared['avg_pool3d'](padded, [size, 1, 1], { stride: 1 })
      .squeeze(1)
      .view([...sizes]);
  }
  return input.div(around.mul(alpha).add(k).pow(beta));
}

const UNFOLD = Signature.of('unfold(input, kernel_size, dilation=1, padding=0, stride=1)');
const FOLD = Signature.of('fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)');

/** Ops that `torch.nn.functional` has under other names only. */
const HIDDEN = ['im2col', 'col2im'] as const;
for (const name of HIDDEN) delete functions[name];
export type HiddenImages = (typeof HIDDEN)[number];

const imageFunctions: ImageFunctions = {
  local_response_norm: localResponseNorm as ImageFunctions['local_response_norm'],
  unfold: ((...args: unknown[]) => {
    const bound = UNFOLD.bind(args);
    needTensor(bound[0], 'im2col', 'input');
    return declared['im2col'](...bound);
  }) as ImageFunctions['unfold'],
  fold: ((...args: unknown[]) => {
    const bound = FOLD.bind(args);
    needTensor(bound[0], 'col2im', 'input');
    return declared['col2im'](...bound);
  }) as ImageFunctions['fold'],
};
Object.assign(functions, imageFunctions);
