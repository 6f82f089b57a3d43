/** Pooling layers over one to three axes. */
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import './functional-pooling.ts';
import type { MaxPoolOptions, PerAxis } from './functional-pooling.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';
import { pyRepr } from './text.ts';

/** Functions of nn.functional as these layers call them. */
const F = functional as unknown as Record<string, (...args: unknown[]) => Tensor>;

export interface MaxPoolLayerOptions<Indices extends boolean = boolean> extends MaxPoolOptions {
  /** Whether calls give where the maxima were, too. Default: false. */
  return_indices?: Indices;
}

/** What a call gives: the maxima, or a pair of them and of where they were. */
export type Maxima<Indices extends boolean> = Indices extends true ? [Tensor, Tensor] : Tensor;

const MAX = Signature.of(
  '_MaxPoolNd.__init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False)',
);

abstract class MaxPoolNd<Indices extends boolean = false> extends Module {
  kernel_size: PerAxis;
  stride: PerAxis;
  padding: PerAxis;
  dilation: PerAxis;
  return_indices: boolean;
  ceil_mode: boolean;

  constructor(kernel_size: PerAxis, options?: MaxPoolLayerOptions<Indices>);
  constructor(kernel_size: PerAxis, stride: PerAxis | null, options?: Omit<MaxPoolLayerOptions<Indices>, 'stride'>);
  constructor(
    kernel_size: PerAxis,
    stride: PerAxis | null,
    padding: PerAxis,
    options?: Omit<MaxPoolLayerOptions<Indices>, 'stride' | 'padding'>,
  );
  constructor(...args: unknown[]) {
    super();
    const [kernel, stride, padding, dilation, indices, ceil] = MAX.bind(args) as [
      PerAxis,
      PerAxis | null,
      PerAxis,
      PerAxis,
      boolean,
      boolean,
    ];
    this.kernel_size = kernel;
    this.stride = stride ?? kernel;
    this.padding = padding;
    this.dilation = dilation;
    this.return_indices = indices;
    this.ceil_mode = ceil;
  }

  protected run(name: string, input: Tensor): Maxima<Indices> {
    const { kernel_size, stride, padding, dilation, ceil_mode, return_indices } = this;
    const options = { ceil_mode, return_indices };
    return F[name](input, kernel_size, stride, padding, dilation, options) as Maxima<Indices>;
  }

  override extra_repr(): string {
    return `kernel_size=${pyRepr(this.kernel_size)}, stride=${pyRepr(this.stride)}, padding=${pyRepr(this.padding)}, dilation=${pyRepr(this.dilation)}, ceil_mode=${pyRepr(this.ceil_mode)}`;
  }
}

/** Maxima of windows over [N, C, L] or [C, L]. */
export class MaxPool1d<Indices extends boolean = false> extends MaxPoolNd<Indices> {
  override forward(input: Tensor): Maxima<Indices> {
    return this.run('max_pool1d', input);
  }
}

/** Maxima of windows over [N, C, H, W] or [C, H, W]. */
export class MaxPool2d<Indices extends boolean = false> extends MaxPoolNd<Indices> {
  override forward(input: Tensor): Maxima<Indices> {
    return this.run('max_pool2d', input);
  }
}

/** Maxima of windows over [N, C, D, H, W] or [C, D, H, W]. */
export class MaxPool3d<Indices extends boolean = false> extends MaxPoolNd<Indices> {
  override forward(input: Tensor): Maxima<Indices> {
    return this.run('max_pool3d', input);
  }
}

export interface AvgPoolOptions {
  /** How far windows are apart. Default: their size. */
  stride?: PerAxis | null;
  /** Zeros around the input. Default: 0. */
  padding?: PerAxis;
  /** Whether a last window may reach beyond the input. Default: false. */
  ceil_mode?: boolean;
  /** Whether the zeros count. Default: true. */
  count_include_pad?: boolean;
  /** What sums are divided by instead of the number of elements. Not over one axis. */
  divisor_override?: number | null;
}

const AVERAGE =
  '__init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)';
const AVERAGE1 = '__init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)';

abstract class AvgPoolNd extends Module {
  kernel_size: PerAxis;
  stride: PerAxis;
  padding: PerAxis;
  ceil_mode: boolean;
  count_include_pad: boolean;
  divisor_override: number | null;

  constructor(kernel_size: PerAxis, options?: AvgPoolOptions);
  constructor(kernel_size: PerAxis, stride: PerAxis | null, options?: Omit<AvgPoolOptions, 'stride'>);
  constructor(
    kernel_size: PerAxis,
    stride: PerAxis | null,
    padding: PerAxis,
    options?: Omit<AvgPoolOptions, 'stride' | 'padding'>,
  );
  constructor(...args: unknown[]) {
    super();
    const { axes } = this.constructor as unknown as { axes: number };
    const single = axes === 1;
    const [kernel, stride, padding, ceil, count, divisor] = Signature.of(
      `AvgPool${axes}d.${single ? AVERAGE1 : AVERAGE}`,
    ).bind(args) as [PerAxis, PerAxis | null, PerAxis, boolean, boolean, number | null];
    const of = (v: PerAxis): PerAxis => (single && typeof v === 'number' ? [v] : v);
    this.kernel_size = of(kernel);
    this.stride = of(stride ?? kernel);
    this.padding = of(padding);
    this.ceil_mode = ceil;
    this.count_include_pad = count;
    this.divisor_override = divisor ?? null;
  }

  protected run(name: string, input: Tensor): Tensor {
    const { kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override } = this;
    const rest = name === 'avg_pool1d' ? [] : [divisor_override];
    return F[name](input, kernel_size, stride, padding, ceil_mode, count_include_pad, ...rest);
  }

  override extra_repr(): string {
    return `kernel_size=${pyRepr(this.kernel_size)}, stride=${pyRepr(this.stride)}, padding=${pyRepr(this.padding)}`;
  }
}

/** Averages of windows over [N, C, L] or [C, L]. */
export class AvgPool1d extends AvgPoolNd {
  static readonly axes: number = 1;

  override forward(input: Tensor): Tensor {
    return this.run('avg_pool1d', input);
  }
}

/** Averages of windows over [N, C, H, W] or [C, H, W]. */
export class AvgPool2d extends AvgPoolNd {
  static readonly axes: number = 2;

  override forward(input: Tensor): Tensor {
    return this.run('avg_pool2d', input);
  }
}

/** Averages of windows over [N, C, D, H, W] or [C, D, H, W]. */
export class AvgPool3d extends AvgPoolNd {
  static readonly axes: number = 3;

  override forward(input: Tensor): Tensor {
    return this.run('avg_pool3d', input);
  }
}

const LP = Signature.of('_LPPoolNd.__init__(self, norm_type, kernel_size, stride=None, ceil_mode=False)');

abstract class LPPoolNd extends Module {
  norm_type: number;
  kernel_size: PerAxis;
  stride: PerAxis | null;
  ceil_mode: boolean;

  constructor(norm_type: number, kernel_size: PerAxis, options?: { stride?: PerAxis | null; ceil_mode?: boolean });
  constructor(norm_type: number, kernel_size: PerAxis, stride: PerAxis | null, ceil_mode?: boolean);
  constructor(...args: unknown[]) {
    super();
    [this.norm_type, this.kernel_size, this.stride, this.ceil_mode] = LP.bind(args) as [
      number,
      PerAxis,
      PerAxis | null,
      boolean,
    ];
  }

  protected run(name: string, input: Tensor): Tensor {
    return F[name](input, this.norm_type, this.kernel_size, this.stride, this.ceil_mode);
  }

  override extra_repr(): string {
    return `norm_type=${pyRepr(this.norm_type)}, kernel_size=${pyRepr(this.kernel_size)}, stride=${pyRepr(this.stride)}, ceil_mode=${pyRepr(this.ceil_mode)}`;
  }
}

/** Averages of powers over windows of [N, C, L], to the root. */
export class LPPool1d extends LPPoolNd {
  override forward(input: Tensor): Tensor {
    return this.run('lp_pool1d', input);
  }
}

/** Averages of powers over windows of [N, C, H, W], to the root. */
export class LPPool2d extends LPPoolNd {
  override forward(input: Tensor): Tensor {
    return this.run('lp_pool2d', input);
  }
}

/** Averages of powers over windows of [N, C, D, H, W], to the root. */
export class LPPool3d extends LPPoolNd {
  override forward(input: Tensor): Tensor {
    return this.run('lp_pool3d', input);
  }
}

const UNPOOL = '__init__(self, kernel_size, stride=None, padding=0)';
const UNPOOL_CALL = Signature.of('forward(input, indices, output_size=None)');

abstract class MaxUnpoolNd extends Module {
  kernel_size: readonly number[];
  stride: readonly number[];
  padding: readonly number[];

  constructor(kernel_size: PerAxis, options?: { stride?: PerAxis | null; padding?: PerAxis });
  constructor(kernel_size: PerAxis, stride: PerAxis | null, padding?: PerAxis);
  constructor(...args: unknown[]) {
    super();
    const { axes } = this.constructor as unknown as { axes: number };
    const [kernel, stride, padding] = Signature.of(`MaxUnpool${axes}d.${UNPOOL}`).bind(args) as [
      PerAxis,
      PerAxis | null,
      PerAxis,
    ];
    const of = (v: PerAxis) => (typeof v === 'number' ? new Array<number>(axes).fill(v) : [...v]);
    this.kernel_size = of(kernel);
    this.stride = of(stride ?? kernel);
    this.padding = of(padding);
  }

  protected run(name: string, args: readonly unknown[]): Tensor {
    const [input, indices, size] = UNPOOL_CALL.bind(args);
    return F[name](input, indices, this.kernel_size, this.stride, this.padding, size);
  }

  override extra_repr(): string {
    return `kernel_size=${pyRepr(this.kernel_size)}, stride=${pyRepr(this.stride)}, padding=${pyRepr(this.padding)}`;
  }
}

type OutputSize = readonly number[] | null | { output_size?: readonly number[] | null };

/** Elements where MaxPool1d had them, zeros elsewhere. */
export class MaxUnpool1d extends MaxUnpoolNd {
  static readonly axes: number = 1;

  override forward(input: Tensor, indices: Tensor, output_size?: OutputSize): Tensor;
  override forward(...args: unknown[]): Tensor {
    return this.run('max_unpool1d', args);
  }
}

/** Elements where MaxPool2d had them, zeros elsewhere. */
export class MaxUnpool2d extends MaxUnpoolNd {
  static readonly axes: number = 2;

  override forward(input: Tensor, indices: Tensor, output_size?: OutputSize): Tensor;
  override forward(...args: unknown[]): Tensor {
    return this.run('max_unpool2d', args);
  }
}

/** Elements where MaxPool3d had them, zeros elsewhere. */
export class MaxUnpool3d extends MaxUnpoolNd {
  static readonly axes: number = 3;

  override forward(input: Tensor, indices: Tensor, output_size?: OutputSize): Tensor;
  override forward(...args: unknown[]): Tensor {
    return this.run('max_unpool3d', args);
  }
}

for (const layer of [MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d, LPPool1d, LPPool2d, LPPool3d]) {
  fixedInputs(layer, 'input');
}
