/** pixel_shuffle, pixel_unshuffle and channel_shuffle: elements in another order, each with the inverse as its gradient. */
import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, touchGraphOf } from '../autograd/record.ts';
import { RuntimeError } from '../core/errors.ts';
import { contiguousStrides, showSizes } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { define } from './registry.ts';
import { regrouped } from './regroup.ts';

/** x seen with sizes `view`, its dimensions in another order, as a new tensor of the given sizes. */
function reordered(
  name: string,
  x: Tensor,
  view: readonly number[],
  order: readonly number[],
  sizes: readonly number[],
): Tensor {
  const out = emptyTensor(x.storage.backend, sizes, x.dtype);
  const to = order.map((d) => view[d]);
  copyReordered(out, x, view, order, to);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) touchGraphOf(x);
  return record(`${name}Backward0`, out, [x], [], inverse(name, to, order, x.sizes));
}

function copyReordered(
  out: Tensor,
  x: Tensor,
  view: readonly number[],
  order: readonly number[],
  to: readonly number[],
): void {
  const seen = regrouped(x, view);
  const strides = order.map((d) => seen.strides[d]);
  copy(
    aliasTensor(out, 0, to, contiguousStrides(to), out.length),
    aliasTensor(seen, seen.offset, to, strides, x.length),
  );
}

function inverse(
  name: string,
  view: readonly number[],
  order: readonly number[],
  sizes: readonly number[],
): BackwardFunction {
  const back = order.map((_, i) => order.indexOf(i));
  return ([grad]) => reordered(INVERSE[name] ?? name, grad!, view, back, sizes);
}

const INVERSE: Readonly<Record<string, string>> = {
  PixelShuffle: 'PixelUnshuffle',
  PixelUnshuffle: 'PixelShuffle',
};

function checkImage(name: string, factor: string, self: Tensor, value: number): void {
  const rank = self.sizes.length;
  if (rank < 3) {
    throw new RuntimeError(
      `${name} expects input to have at least 3 dimensions, but got input with ${rank} dimension(s)`,
    );
  }
  if (value <= 0) throw new RuntimeError(`${name} expects a positive ${factor}, but got ${value}`);
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

function pixelShuffle(self: Tensor, r: number): Tensor {
  checkImage('pixel_shuffle', 'upscale_factor', self, r);
  const { sizes } = self;
  const n = sizes.length - 3;
  const [c, h, w] = sizes.slice(n);
  if (c % (r * r) !== 0) {
    throw new RuntimeError(
      `pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)=${c} is not divisible by ${r * r}`,
    );
  }
  const lead = sizes.slice(0, n);
  const out = c / (r * r);
  const order = [...range(n), n, n + 3, n + 1, n + 4, n + 2];
  return reordered('PixelShuffle', self, [...lead, out, r, r, h, w], order, [...lead, out, h * r, w * r]);
}

function pixelUnshuffle(self: Tensor, r: number): Tensor {
  checkImage('pixel_unshuffle', 'downscale_factor', self, r);
  const { sizes } = self;
  const n = sizes.length - 3;
  const [c, h, w] = sizes.slice(n);
  for (const [name, size, at] of [
    ['height', h, -2],
    ['width', w, -1],
  ] as const) {
    if (size % r !== 0) {
      throw new RuntimeError(
        `pixel_unshuffle expects ${name} to be divisible by downscale_factor, but input.size(${at})=${size} is not divisible by ${r}`,
      );
    }
  }
  const lead = sizes.slice(0, n);
  const order = [...range(n), n, n + 2, n + 4, n + 1, n + 3];
  return reordered('PixelUnshuffle', self, [...lead, c, h / r, r, w / r, r], order, [...lead, c * r * r, h / r, w / r]);
}

function channelShuffle(self: Tensor, groups: number): Tensor {
  const { sizes } = self;
  if (sizes.length <= 2) {
    throw new RuntimeError(`channel_shuffle expects input with > 2 dims, but got input with sizes ${showSizes(sizes)}`);
  }
  if (groups <= 0) {
    throw new RuntimeError(`Number of groups to divide channels in must be positive. Value of groups:${groups}`);
  }
  const [n, c] = sizes;
  if (c % groups !== 0) {
    throw new RuntimeError(`Number of channels must be divisible by groups. Got ${c} channels and ${groups} groups.`);
  }
  const rest = sizes.slice(2).reduce((p, s) => p * s, 1);
  return reordered('ChannelShuffle', self, [n, groups, c / groups, rest], [0, 2, 1, 3], sizes);
}

define(
  {
    doc: 'Channels become pixels: [N, C * r * r, H, W] to [N, C, H * r, W * r].',
    method: false,
    function: true,
    functional: true,
  },
  { 'pixel_shuffle(Tensor self, int upscale_factor) -> Tensor': pixelShuffle },
);
define(
  {
    doc: 'Pixels become channels: [N, C, H * r, W * r] to [N, C * r * r, H, W].',
    method: false,
    function: true,
    functional: true,
  },
  { 'pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor': pixelUnshuffle },
);
define(
  {
    doc: 'Channels of [N, C, …] in another order: one of each group after the other.',
    method: false,
    function: true,
    functional: true,
  },
  { 'channel_shuffle(Tensor self, int groups) -> Tensor': channelShuffle },
);
