/** Layers that enlarge, rearrange and cut up images. */
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import './functional-images.ts';
import type { BlockOptions } from './functional-images.ts';
import type { PerAxis } from './functional-pooling.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';
import { pyFloat, pyRepr } from './text.ts';

export type InterpolationMode = 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'bicubic' | 'trilinear' | 'area';

export interface UpsampleOptions {
  /** The size of the result. */
  size?: PerAxis | null;
  /** How many times larger the result is. */
  scale_factor?: PerAxis | null;
  /** Default: 'nearest'. */
  mode?: InterpolationMode;
  /** Whether the corners of input and result are aligned, not their edges. */
  align_corners?: boolean | null;
  /** Whether the scale follows from the rounded size. */
  recompute_scale_factor?: boolean | null;
}

const UPSAMPLE = Signature.of(
  "Upsample.__init__(self, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None)",
);
const SCALED = '__init__(self, size=None, scale_factor=None)';

/** [N, C, …] at another size, or scaled. */
export class Upsample extends Module {
  size: PerAxis | null;
  scale_factor: PerAxis | null;
  mode: InterpolationMode;
  align_corners: boolean | null;
  recompute_scale_factor: boolean | null;

  constructor(options?: UpsampleOptions);
  constructor(size: PerAxis | null, options?: Omit<UpsampleOptions, 'size'>);
  constructor(
    size: PerAxis | null,
    scale_factor: PerAxis | null,
    options?: Omit<UpsampleOptions, 'size' | 'scale_factor'>,
  );
  constructor(
    size: PerAxis | null,
    scale_factor: PerAxis | null,
    mode: InterpolationMode,
    align_corners?: boolean | null,
    recompute_scale_factor?: boolean | null,
  );
  constructor(...args: unknown[]) {
    super();
    [this.size, this.scale_factor, this.mode, this.align_corners, this.recompute_scale_factor] = UPSAMPLE.bind(
      args,
    ) as [PerAxis | null, PerAxis | null, InterpolationMode, boolean | null, boolean | null];
  }

  override forward(input: Tensor): Tensor {
    const { size, scale_factor, mode, align_corners, recompute_scale_factor } = this;
    return functional.interpolate(input, { size, scale_factor, mode, align_corners, recompute_scale_factor });
  }

  override extra_repr(): string {
    const { scale_factor, size } = this;
    const factor =
      typeof scale_factor === 'number'
        ? pyFloat(scale_factor)
        : `(${(scale_factor ?? []).map(pyFloat).join(', ')}${scale_factor?.length === 1 ? ',' : ''})`;
    return `${scale_factor !== null ? `scale_factor=${factor}` : `size=${pyRepr(size)}`}, mode=${pyRepr(this.mode)}`;
  }
}

type Scaled = { size?: PerAxis | null; scale_factor?: PerAxis | null };

/** [N, C, H, W] enlarged by repeating the nearest elements. */
export class UpsamplingNearest2d extends Upsample {
  constructor(options?: Scaled);
  constructor(size: PerAxis | null, scale_factor?: PerAxis | null);
  constructor(...args: unknown[]) {
    const [size, factor] = Signature.of(`UpsamplingNearest2d.${SCALED}`).bind(args) as [PerAxis, PerAxis];
    super(size, factor, 'nearest');
  }
}

/** [N, C, H, W] enlarged linearly, the corners aligned. */
export class UpsamplingBilinear2d extends Upsample {
  constructor(options?: Scaled);
  constructor(size: PerAxis | null, scale_factor?: PerAxis | null);
  constructor(...args: unknown[]) {
    const [size, factor] = Signature.of(`UpsamplingBilinear2d.${SCALED}`).bind(args) as [PerAxis, PerAxis];
    super(size, factor, 'bilinear', true);
  }
}

const SHUFFLE = Signature.of('PixelShuffle.__init__(self, upscale_factor)');
const UNSHUFFLE = Signature.of('PixelUnshuffle.__init__(self, downscale_factor)');
const CHANNELS = Signature.of('ChannelShuffle.__init__(self, groups)');

/** Channels become pixels: [N, C * r * r, H, W] to [N, C, H * r, W * r]. */
export class PixelShuffle extends Module {
  upscale_factor: number;

  constructor(upscale_factor: number);
  constructor(...args: unknown[]) {
    super();
    [this.upscale_factor] = SHUFFLE.bind(args) as [number];
  }

  override forward(input: Tensor): Tensor {
    return functional.pixel_shuffle(input, this.upscale_factor);
  }

  override extra_repr(): string {
    return `upscale_factor=${this.upscale_factor}`;
  }
}

/** Pixels become channels: [N, C, H * r, W * r] to [N, C * r * r, H, W]. */
export class PixelUnshuffle extends Module {
  downscale_factor: number;

  constructor(downscale_factor: number);
  constructor(...args: unknown[]) {
    super();
    [this.downscale_factor] = UNSHUFFLE.bind(args) as [number];
  }

  override forward(input: Tensor): Tensor {
    return functional.pixel_unshuffle(input, this.downscale_factor);
  }

  override extra_repr(): string {
    return `downscale_factor=${this.downscale_factor}`;
  }
}

/** Channels in another order: one of each group after the other. */
export class ChannelShuffle extends Module {
  groups: number;

  constructor(groups: number);
  constructor(...args: unknown[]) {
    super();
    [this.groups] = CHANNELS.bind(args) as [number];
  }

  override forward(input: Tensor): Tensor {
    return functional.channel_shuffle(input, this.groups);
  }

  override extra_repr(): string {
    return `groups=${this.groups}`;
  }
}

const UNFOLD = Signature.of('Unfold.__init__(self, kernel_size, dilation=1, padding=0, stride=1)');
const FOLD = Signature.of('Fold.__init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1)');

/** Sliding blocks of [N, C, H, W] as columns: [N, C * kernel elements, blocks]. */
export class Unfold extends Module {
  kernel_size: PerAxis;
  dilation: PerAxis;
  padding: PerAxis;
  stride: PerAxis;

  constructor(kernel_size: PerAxis, options?: BlockOptions);
  constructor(kernel_size: PerAxis, dilation: PerAxis, padding?: PerAxis, stride?: PerAxis);
  constructor(...args: unknown[]) {
    super();
    [this.kernel_size, this.dilation, this.padding, this.stride] = UNFOLD.bind(args) as PerAxis[];
  }

  override forward(input: Tensor): Tensor {
    return functional.unfold(input, this.kernel_size, this.dilation, this.padding, this.stride);
  }

  override extra_repr(): string {
    return `kernel_size=${pyRepr(this.kernel_size)}, dilation=${pyRepr(this.dilation)}, padding=${pyRepr(this.padding)}, stride=${pyRepr(this.stride)}`;
  }
}

/** The sum of sliding blocks [N, C * kernel elements, blocks] in images of output_size: [N, C, H, W]. */
export class Fold extends Module {
  output_size: PerAxis;
  kernel_size: PerAxis;
  dilation: PerAxis;
  padding: PerAxis;
  stride: PerAxis;

  constructor(output_size: PerAxis, kernel_size: PerAxis, options?: BlockOptions);
  constructor(output_size: PerAxis, kernel_size: PerAxis, dilation: PerAxis, padding?: PerAxis, stride?: PerAxis);
  constructor(...args: unknown[]) {
    super();
    [this.output_size, this.kernel_size, this.dilation, this.padding, this.stride] = FOLD.bind(args) as PerAxis[];
  }

  override forward(input: Tensor): Tensor {
    const { output_size, kernel_size, dilation, padding, stride } = this;
    return functional.fold(input, output_size, kernel_size, dilation, padding, stride);
  }

  override extra_repr(): string {
    return `output_size=${pyRepr(this.output_size)}, kernel_size=${pyRepr(this.kernel_size)}, dilation=${pyRepr(this.dilation)}, padding=${pyRepr(this.padding)}, stride=${pyRepr(this.stride)}`;
  }
}

const UNFLATTEN = Signature.of('Unflatten.__init__(self, dim, unflattened_size)');

/** Dimension dim becomes several of these sizes. */
export class Unflatten extends Module {
  dim: number;
  unflattened_size: readonly number[];

  constructor(dim: number, unflattened_size: readonly number[]);
  constructor(...args: unknown[]) {
    super();
    const [dim, sizes] = UNFLATTEN.bind(args) as [number, unknown];
    if (!Array.isArray(sizes)) {
      throw new TypeError(
        `unflattened_size must be a tuple of ints, but found type ${sizes === null ? 'NoneType' : typeof sizes === 'number' ? 'int' : typeof sizes}`,
      );
    }
    const at = sizes.findIndex((s) => !Number.isInteger(s));
    if (at >= 0) {
      throw new TypeError(
        `unflattened_size must be tuple of ints, but found element of type ${typeof sizes[at] === 'number' ? 'float' : typeof sizes[at]} at pos ${at}`,
      );
    }
    this.dim = dim;
    this.unflattened_size = [...sizes];
  }

  override forward(input: Tensor): Tensor {
    return input.unflatten(this.dim, this.unflattened_size);
  }

  override extra_repr(): string {
    return `dim=${this.dim}, unflattened_size=${pyRepr(this.unflattened_size)}`;
  }
}

for (const layer of [Upsample, PixelShuffle, PixelUnshuffle, ChannelShuffle, Unfold, Fold, Unflatten]) {
  fixedInputs(layer, 'input');
}
