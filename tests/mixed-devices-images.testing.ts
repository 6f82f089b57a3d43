/** Tensors of different devices in convolutions, normalisation and the like, for `mixed-devices.test.ts`. */
import torch, { type Tensor } from 'torch-mtia';
import { both, type Case, F, row } from './mixed-devices.testing.ts';

const made =
  (...sizes: number[]) =>
  () =>
    torch.rand(sizes);
const images = made(2, 3, 4);
const channels = made(3);
const zeros =
  (...sizes: number[]) =>
  () =>
    torch.zeros(sizes, { dtype: torch.int64 });

const convolutions: Record<string, Case[]> = {};
for (const axes of [1, 2, 3]) {
  const space = new Array<number>(axes).fill(3);
  for (const name of [`conv${axes}d`, `conv_transpose${axes}d`]) {
    const [weight, bias] = ['weight in method convolution', 'bias in method convolution'];
    const fn = (F as unknown as Record<string, (x: Tensor, w: Tensor, b: Tensor) => Tensor>)[name];
    const inputs = [made(1, 2, ...space), made(2, 2, ...space), made(2)];
    convolutions[name] = [row((x, w, b) => fn(x, w, b), inputs, weight, weight, bias)];
  }
}

const said = (argument: string, method: string) => `${argument} in method ${method}`;
const norm = (method: string) => (argument: string) => said(argument, method);
const batch = norm('native_batch_norm');

export const imageCases: Record<string, Case[]> = {
  ...convolutions,
  convolution: [
    both(
      (x, w) => torch.convolution(x, w, null, [1], [0], [1], false, [0], 1),
      [made(1, 2, 3), made(2, 2, 3)],
      said('weight', 'convolution'),
    ),
  ],
  batch_norm: [
    row(
      (x, w, b, mean, variance) => torch.batch_norm(x, w, b, mean, variance, true, 0.1, 1e-5, true),
      [images, channels, channels, channels, channels],
      batch('weight'),
      batch('weight'),
      batch('bias'),
      batch('running_mean'),
      batch('running_var'),
    ),
  ],
  instance_norm: [
    row(
      (x, w, b) => torch.instance_norm(x, w, b, null, null, true, 0.1, 1e-5, true),
      [images, channels, channels],
      batch('weight'),
      batch('weight'),
      batch('bias'),
    ),
  ],
  group_norm: [
    row(
      (x, w, b) => torch.group_norm(x, 1, w, b),
      [images, channels, channels],
      said('weight', 'native_group_norm'),
      said('weight', 'native_group_norm'),
      said('bias', 'native_group_norm'),
    ),
  ],
  rms_norm: [both((x, w) => torch.rms_norm(x, [4], w), [images, made(4)], said('other', 'mul'))],
  max_unpool2d: [
    both((x, i) => F.max_unpool2d(x, i, 2), [made(1, 1, 1, 1), zeros(1, 1, 1, 1)], said('indices', 'max_unpool')),
  ],
  max_unpool3d: [
    both((x, i) => F.max_unpool3d(x, i, 2), [made(1, 1, 1, 1, 1), zeros(1, 1, 1, 1, 1)], said('indices', 'max_unpool')),
  ],
};
