/** Convolution layers over one to three axes, plain and transposed. */
import type { DeviceLike } from '../core/device.ts';
import type { DType } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import { Size } from '../core/size.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty } from '../torch/factories.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import type { PerAxis } from './functional-pooling.ts';
import { biasBound, kaiming_uniform_, uniform_ } from './init.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyList, pyTuple } from './text.ts';

export type PaddingMode = 'zeros' | 'reflect' | 'replicate' | 'circular';

export interface ConvOptions extends FactoryOptions {
  /** How far windows are apart. Default: 1. */
  stride?: PerAxis;
  /** What is put around the input on both sides; 'same' keeps the size. Default: 0. */
  padding?: PerAxis | 'same' | 'valid';
  /** How far the elements of a window are apart. Default: 1. */
  dilation?: PerAxis;
  /** Parts of the channels that are convolved each by itself. Default: 1. */
  groups?: number;
  bias?: boolean;
  /** What the padding consists of. Default: 'zeros'. */
  padding_mode?: PaddingMode;
}

export interface ConvTransposeOptions extends FactoryOptions {
  stride?: PerAxis;
  /** What is taken away from both sides of the result. Default: 0. */
  padding?: PerAxis;
  /** What is added to one side of the result. Default: 0. */
  output_padding?: PerAxis;
  groups?: number;
  bias?: boolean;
  dilation?: PerAxis;
  padding_mode?: 'zeros';
}

type Common = [
  in_channels: number,
  out_channels: number,
  kernel_size: PerAxis,
  stride: PerAxis,
  padding: PerAxis | string,
  dilation: PerAxis,
  output_padding: PerAxis,
  groups: number,
  bias: boolean,
  padding_mode: PaddingMode,
  device: DeviceLike | null,
  dtype: DType | null,
];

/** One number stands for all axes. */
function tuple(value: PerAxis, axes: number): readonly number[] {
  return typeof value === 'number' ? new Array<number>(axes).fill(value) : [...value];
}

const PADDING_MODES = ['zeros', 'reflect', 'replicate', 'circular'];

/** What all convolution layers have. */
abstract class ConvNd extends Module {
  in_channels: number;
  out_channels: number;
  kernel_size: readonly number[];
  stride: readonly number[];
  padding: readonly number[] | 'same' | 'valid';
  dilation: readonly number[];
  transposed: boolean;
  output_padding: readonly number[];
  groups: number;
  padding_mode: PaddingMode;
  /** [out_channels, in_channels / groups, …kernel_size]; transposed: [in_channels, out_channels / groups, …kernel_size] */
  declare weight: Parameter;
  /** [out_channels] */
  declare bias: Parameter | null;

  constructor(axes: number, transposed: boolean, values: Common) {
    super();
    const [inputs, outputs, kernel, stride, padding, dilation, outputPadding, groups, bias, mode, device, dtype] =
      values;
    if (groups <= 0) throw new ValueError('groups must be a positive integer');
    if (inputs % groups !== 0) throw new ValueError('in_channels must be divisible by groups');
    if (outputs % groups !== 0) throw new ValueError('out_channels must be divisible by groups');
    this.stride = tuple(stride, axes);
    if (typeof padding === 'string') {
      if (padding !== 'same' && padding !== 'valid') {
        throw new ValueError(`Invalid padding string '${padding}', should be one of {'same', 'valid'}`);
      }
      if (padding === 'same' && this.stride.some((s) => s !== 1)) {
        throw new ValueError("padding='same' is not supported for strided convolutions");
      }
      this.padding = padding;
    } else this.padding = tuple(padding, axes);
    if (!PADDING_MODES.includes(mode)) {
      throw new ValueError(
        `padding_mode must be one of {${PADDING_MODES.map((m) => `'${m}'`).join(', ')}}, but got padding_mode='${mode}'`,
      );
    }
    this.in_channels = inputs;
    this.out_channels = outputs;
    this.kernel_size = tuple(kernel, axes);
    this.dilation = tuple(dilation, axes);
    this.transposed = transposed;
    this.output_padding = tuple(outputPadding, axes);
    this.groups = groups;
    this.padding_mode = mode;
    const make = (sizes: number[]) => makeParameter(empty(sizes, { device, dtype }), true);
    const channels = transposed ? [inputs, outputs / groups] : [outputs, inputs / groups];
    this.register_parameter('weight', make([...channels, ...this.kernel_size]));
    this.register_parameter('bias', bias ? make([outputs]) : null);
    this.reset_parameters();
  }

  /** Draws weight and bias anew. */
  reset_parameters(): void {
    kaiming_uniform_(this.weight, { a: Math.sqrt(5) });
    if (this.bias !== null) {
      const bound = biasBound(this.weight);
      uniform_(this.bias, -bound, bound);
    }
  }

  override extra_repr(): string {
    const { padding, dilation, output_padding, groups, padding_mode } = this;
    let text = `${this.in_channels}, ${this.out_channels}, kernel_size=${pyTuple(this.kernel_size)}, stride=${pyTuple(this.stride)}`;
    if (typeof padding === 'string') text += `, padding=${padding}`;
    else if (padding.some((v) => v !== 0)) text += `, padding=${pyTuple(padding)}`;
    if (dilation.some((v) => v !== 1)) text += `, dilation=${pyTuple(dilation)}`;
    if (output_padding.some((v) => v !== 0)) text += `, output_padding=${pyTuple(output_padding)}`;
    if (groups !== 1) text += `, groups=${groups}`;
    if (this.bias === null) text += ', bias=False';
    if (padding_mode !== 'zeros') text += `, padding_mode=${padding_mode}`;
    return text;
  }
}

type Convolve = (
  input: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  stride: readonly number[],
  padding: readonly number[] | string,
  dilation: readonly number[],
  groups: number,
) => Tensor;

/** The widths that `pad` takes, the last axis first. */
function widths({ padding, kernel_size, dilation }: ConvNd): number[] {
  const list: number[] = [];
  for (let i = kernel_size.length - 1; i >= 0; i--) {
    if (typeof padding !== 'string') list.push(padding[i], padding[i]);
    else {
      const total = padding === 'same' ? dilation[i] * (kernel_size[i] - 1) : 0;
      const low = Math.floor(total / 2);
      list.push(low, total - low);
    }
  }
  return list;
}

function convolve(layer: ConvNd, name: 'conv1d' | 'conv2d' | 'conv3d', given: Tensor): Tensor {
  const { weight, bias, stride, dilation, groups } = layer;
  let input = given;
  let { padding } = layer;
  if (layer.padding_mode !== 'zeros') {
    input = functional.pad(input, widths(layer), { mode: layer.padding_mode });
    padding = layer.kernel_size.map(() => 0);
  }
  return (functional[name] as unknown as Convolve)(input, weight, bias, stride, padding, dilation, groups);
}

const PARAMETERS =
  "self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', device=None, dtype=None";
const TRANSPOSE_PARAMETERS =
  "self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode='zeros', device=None, dtype=None";

function bindConv(name: string, args: readonly unknown[]): Common {
  const [inputs, outputs, kernel, stride, padding, dilation, groups, bias, mode, device, dtype] = Signature.of(
    `${name}.__init__(${PARAMETERS})`,
  ).bind(args);
  return [inputs, outputs, kernel, stride, padding, dilation, 0, groups, bias, mode, device, dtype] as Common;
}

function bindTranspose(name: string, args: readonly unknown[]): Common {
  const [inputs, outputs, kernel, stride, padding, outputPadding, groups, bias, dilation, mode, device, dtype] =
    Signature.of(`${name}.__init__(${TRANSPOSE_PARAMETERS})`).bind(args);
  if (mode !== 'zeros') throw new ValueError(`Only "zeros" padding mode is supported for ${name}`);
  return [
    inputs,
    outputs,
    kernel,
    stride,
    padding,
    dilation,
    outputPadding,
    groups,
    bias,
    mode,
    device,
    dtype,
  ] as Common;
}

/** What convolutions take. Classes derived from these have as many axes. */
abstract class Convolution extends ConvNd {
  static readonly axes: number;

  constructor(in_channels: number, out_channels: number, kernel_size: PerAxis, options?: ConvOptions);
  constructor(
    in_channels: number,
    out_channels: number,
    kernel_size: PerAxis,
    stride: PerAxis,
    options?: Omit<ConvOptions, 'stride'>,
  );
  constructor(
    in_channels: number,
    out_channels: number,
    kernel_size: PerAxis,
    stride: PerAxis,
    padding: PerAxis | 'same' | 'valid',
    options?: Omit<ConvOptions, 'stride' | 'padding'>,
  );
  constructor(...args: unknown[]) {
    const { axes } = new.target;
    super(axes, false, bindConv(`Conv${axes}d`, args));
  }
}

/** Convolution over [N, C, L] or [C, L]. */
export class Conv1d extends Convolution {
  static override readonly axes: number = 1;

  override forward(input: Tensor): Tensor {
    return convolve(this, 'conv1d', input);
  }
}

/** Convolution over [N, C, H, W] or [C, H, W]. */
export class Conv2d extends Convolution {
  static override readonly axes: number = 2;

  override forward(input: Tensor): Tensor {
    return convolve(this, 'conv2d', input);
  }
}

/** Convolution over [N, C, D, H, W] or [C, D, H, W]. */
export class Conv3d extends Convolution {
  static override readonly axes: number = 3;

  override forward(input: Tensor): Tensor {
    return convolve(this, 'conv3d', input);
  }
}

/** The output padding that makes the result as large as is asked for. */
function outputPadding(layer: ConvNd, input: Tensor, given: readonly number[] | null): readonly number[] {
  if (given === null) return layer.output_padding;
  const { stride, padding, dilation, kernel_size } = layer;
  const axes = kernel_size.length;
  const rank = input.sizes.length;
  const lead = rank === axes + 2 ? 2 : 1;
  const wanted = given.length === lead + axes ? given.slice(lead) : given;
  if (wanted.length !== axes) {
    throw new ValueError(
      `ConvTranspose${axes}D: for ${rank}D input, output_size must have ${axes} or ${lead + axes} elements (got ${wanted.length})`,
    );
  }
  const least = kernel_size.map(
    (k, i) =>
      (input.sizes[lead + i] - 1) * stride[i] - 2 * (padding as readonly number[])[i] + dilation[i] * (k - 1) + 1,
  );
  const most = least.map((size, i) => size + stride[i] - 1);
  if (wanted.some((size, i) => size < least[i] || size > most[i])) {
    throw new ValueError(
      `requested an output size of ${pyList(wanted)}, but valid sizes range from ${pyList(least)} to ${pyList(most)} (for an input of ${Size.make(input.sizes.slice(2))})`,
    );
  }
  return wanted.map((size, i) => size - least[i]);
}

type Transpose = (
  input: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  stride: readonly number[],
  padding: readonly number[] | string,
  output_padding: readonly number[],
  groups: number,
  dilation: readonly number[],
) => Tensor;

type OutputSize = readonly number[] | null | { output_size?: readonly number[] | null };

function transpose(
  layer: ConvNd,
  name: 'conv_transpose1d' | 'conv_transpose2d' | 'conv_transpose3d',
  args: readonly unknown[],
): Tensor {
  const [input, size] = FORWARD.bind(args) as [Tensor, readonly number[] | null];
  const { weight, bias, stride, padding, groups, dilation } = layer;
  const more = outputPadding(layer, input, size);
  return (functional[name] as unknown as Transpose)(input, weight, bias, stride, padding, more, groups, dilation);
}

const FORWARD = Signature.of('forward(input, output_size=None)');

/** What transposed convolutions take. Classes derived from these have as many axes. */
abstract class Transposed extends ConvNd {
  static readonly axes: number;

  constructor(in_channels: number, out_channels: number, kernel_size: PerAxis, options?: ConvTransposeOptions);
  constructor(
    in_channels: number,
    out_channels: number,
    kernel_size: PerAxis,
    stride: PerAxis,
    options?: Omit<ConvTransposeOptions, 'stride'>,
  );
  constructor(...args: unknown[]) {
    const { axes } = new.target;
    super(axes, true, bindTranspose(`ConvTranspose${axes}d`, args));
  }
}

/** Transposed convolution over [N, C, L] or [C, L]. */
export class ConvTranspose1d extends Transposed {
  static override readonly axes: number = 1;

  /** @param output_size sizes of the result, where several are possible */
  override forward(input: Tensor, output_size?: OutputSize): Tensor;
  override forward(...args: unknown[]): Tensor {
    return transpose(this, 'conv_transpose1d', args);
  }
}

/** Transposed convolution over [N, C, H, W] or [C, H, W]. */
export class ConvTranspose2d extends Transposed {
  static override readonly axes: number = 2;

  /** @param output_size sizes of the result, where several are possible */
  override forward(input: Tensor, output_size?: OutputSize): Tensor;
  override forward(...args: unknown[]): Tensor {
    return transpose(this, 'conv_transpose2d', args);
  }
}

/** Transposed convolution over [N, C, D, H, W] or [C, D, H, W]. */
export class ConvTranspose3d extends Transposed {
  static override readonly axes: number = 3;

  /** @param output_size sizes of the result, where several are possible */
  override forward(input: Tensor, output_size?: OutputSize): Tensor;
  override forward(...args: unknown[]): Tensor {
    return transpose(this, 'conv_transpose3d', args);
  }
}

for (const layer of [Conv1d, Conv2d, Conv3d]) fixedInputs(layer, 'input');
