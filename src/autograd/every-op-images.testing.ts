/** Samples of convolutions, pooling, normalisation, padding, interpolation and sliding blocks, for `every-op.test.ts`. */
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { F, float64, ints, on, type Sample, signed, unary, values, x, y } from './every-op.testing.ts';

const line = () => signed(1, 2, 5);
const image = () => signed(1, 2, 4, 3);
const volume = () => signed(1, 2, 3, 2, 3);
const inputs = [line, image, volume];
const weight = (...sizes: number[]) => values(sizes, 2).sub(0.6).detach().requires_grad_();
const channels = (shift: number) => () => values([2], shift).requires_grad_();
/** Distinct values far enough apart for finite differences of maxima. */
const spread =
  (...sizes: number[]) =>
  () => {
    const list = Array.from({ length: sizes.reduce((a, b) => a * b, 1) }, (_, i) => ((i * 11) % 37) / 8);
    return torch.tensor(list, float64).reshape(sizes).requires_grad_();
  };

const convolutions: Record<string, Sample[]> = {};
for (const axes of [1, 2, 3]) {
  const kernel = new Array<number>(axes).fill(2);
  convolutions[`conv${axes}d`] = [
    on(
      (a, w, b) => F[`conv${axes}d`](a, w, b, { padding: 1, stride: 2 }),
      inputs[axes - 1],
      () => weight(2, 2, ...kernel),
      channels(1),
    ),
    on(
      (a, w) => F[`conv${axes}d`](a, w, { groups: 2, padding: 'same' }),
      inputs[axes - 1],
      () => weight(2, 1, ...kernel),
    ),
  ];
  convolutions[`conv_transpose${axes}d`] = [
    on(
      (a, w, b) => F[`conv_transpose${axes}d`](a, w, b, { stride: 2, padding: 1, output_padding: 1 }),
      inputs[axes - 1],
      () => weight(2, 2, ...kernel),
      channels(1),
    ),
  ];
  const sizes = [
    [1, 2, 5],
    [1, 2, 4, 3],
    [1, 2, 3, 2, 3],
  ][axes - 1];
  const pool = (name: string, ...args: unknown[]): Sample[] => unary((a) => F[name](a, ...args), spread(...sizes));
  const ops = torch as unknown as Record<string, (...args: unknown[]) => Tensor>;
  convolutions[`max_pool${axes}d`] = unary((a) => ops[`max_pool${axes}d`](a, 2, 1), spread(...sizes));
  convolutions[`max_pool${axes}d_with_indices`] = unary(
    (a) => F[`max_pool${axes}d`](a, 2, 1, { return_indices: true }),
    spread(...sizes),
  );
  convolutions[`avg_pool${axes}d`] = pool(`avg_pool${axes}d`, 2, 1, 1);
  convolutions[`adaptive_avg_pool${axes}d`] = pool(`adaptive_avg_pool${axes}d`, 2);
  convolutions[axes === 1 ? 'adaptive_max_pool1d' : `adaptive_max_pool${axes}d_with_indices`] = pool(
    `adaptive_max_pool${axes}d`,
    2,
  );
}

const unpool = (axes: number): Sample[] => {
  const sizes = [1, 2, ...new Array<number>(axes - 1).fill(1), 2];
  const indices = ints([0, 3, 6, 5]).reshape(sizes);
  return unary(
    (a) => F[`max_unpool${axes}d`](a, indices, 2),
    () => x(...sizes),
  );
};

const statistics = (): [Tensor, Tensor] => [values([2], 1), values([2], 2)];

const evaluated = (a: Tensor, w: Tensor, b: Tensor) => {
  const [mean, variance] = statistics();
  return torch.batch_norm(a, w, b, mean, variance, false, 0.1, 1e-3, true);
};

export const imageSamples: Record<string, Sample[]> = {
  ...convolutions,
  convolution: [
    on(
      (a, w) => torch.convolution(a, w, null, [1], [1], [2], false, [0], 1),
      line,
      () => weight(2, 2, 2),
    ),
  ],
  max_unpool2d: unpool(2),
  max_unpool3d: unpool(3),
  batch_norm: [
    on((a, w, b) => evaluated(a, w, b), image, channels(1), channels(2)),
    on(
      (a, w, b) => torch.batch_norm(a, w, b, null, null, true, 0.1, 0.1, true),
      () => signed(3, 2),
      channels(1),
      channels(2),
    ),
    on((a) => torch.batch_norm(a, null, null, null, null, true, 0.1, 0.1, true), line),
  ],
  instance_norm: [
    on((a, w, b) => torch.instance_norm(a, w, b, null, null, true, 0.1, 0.1, true), line, channels(1), channels(2)),
  ],
  group_norm: [
    on(
      (a, w, b) => torch.group_norm(a, 2, w, b, 0.1),
      () => signed(2, 4, 3),
      () => x(4),
      () => y(4),
    ),
    on((a) => torch.group_norm(a, 1, { eps: 0.1 }), image),
  ],
  rms_norm: [
    on(
      (a, w) => torch.rms_norm(a, [3], w, 0.1),
      () => signed(2, 3),
      () => y(3),
    ),
  ],
  constant_pad_nd: unary((a) => torch.constant_pad_nd(a, [1, -1, 0, 2], 3)),
  pad: [
    ...unary((a) => F['pad'](a, [1, 2, 0, 1], 'reflect'), image),
    ...unary((a) => F['pad'](a, [1, 2, -1, 1], 'replicate'), image),
    ...unary((a) => F['pad'](a, [1, 2], 'circular'), line),
  ],
  interpolate: [
    ...unary((a) => F['interpolate'](a, { size: [3, 5] }), image),
    ...unary((a) => F['interpolate'](a, { scale_factor: 1.5, mode: 'bilinear' }), image),
    ...unary((a) => F['interpolate'](a, { size: 5, mode: 'bicubic', align_corners: true }), image),
    ...unary((a) => F['interpolate'](a, { size: 7, mode: 'linear' }), line),
  ],
  im2col: unary((a) => F['unfold'](a, 2, { padding: 1, stride: 2 }), image),
  col2im: unary(
    (a) => F['fold'](a, [3, 3], 2),
    () => signed(1, 4, 4),
  ),
  pixel_shuffle: unary(
    (a) => torch.pixel_shuffle(a, 2),
    () => x(1, 4, 1, 2),
  ),
  pixel_unshuffle: unary(
    (a) => torch.pixel_unshuffle(a, 2),
    () => x(1, 1, 2, 4),
  ),
  channel_shuffle: unary(
    (a) => torch.channel_shuffle(a, 2),
    () => x(1, 4, 2),
  ),
};
