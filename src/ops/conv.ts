/**
 * Convolutions over one to three axes, plain and transposed. Each of the three products (output, gradient of the
 * input, gradient of the weight) has the other two as its gradients, so they can be differentiated to any order.
 */
import { mode } from '../autograd/mode.ts';
import { record, touchGraphOf } from '../autograd/record.ts';
import { bool, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { showSizes } from '../core/shape.ts';
import { convInput, conv as convKernel, convWeight } from '../kernels/conv.ts';
import { convIntegers } from '../kernels/conv-integer.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { constantPad } from './constant-pad.ts';
import { type ConvParams, checkConvolution, convolutionSizes, geometryOf, perAxis } from './conv-shapes.ts';
import { sameBackend } from './device.ts';
import { C_NAMES } from './linalg.ts';
import { define } from './registry.ts';
import { slice } from './views.ts';

function finish(out: Tensor, ...inputs: (Tensor | null)[]): void {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) for (const x of inputs) if (x !== null) touchGraphOf(x);
}

/** Sizes of the result of `product`, where it is the gradient of an input of these sizes. */
type Sizes = readonly number[];

/** The (transposed) convolution with an output of the given sizes. */
function product(
  name: string,
  input: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  sizes: Sizes,
  p: ConvParams,
): Tensor {
  const backend = sameBackend('convolution', [input, weight, bias], ['input', 'weight', 'bias']);
  const out = emptyTensor(backend, sizes, input.dtype);
  const geometry = geometryOf(p);
  if (!input.dtype.is_floating_point) convIntegers(out, input, weight, bias, geometry);
  else if (p.transposed) convInput(out, input, weight, bias, geometry);
  else convKernel(out, input, weight, bias, geometry);
  finish(out, input, weight, bias);
  return record(name, out, [input, weight, bias], [input, weight], ([grad], [x, w], node) => {
    const back = { ...p, transposed: !p.transposed };
    return [
      node.needs(0) ? product(SECOND, grad!, w, null, x.sizes, back) : null,
      node.needs(1) ? weightGradient(grad!, x, w.sizes, p) : null,
      node.needs(2) ? grad!.sum(overAllButChannels(grad!)) : null,
    ];
  });
}

const SECOND = 'ConvolutionBackwardBackward0';

function overAllButChannels(x: Tensor): number[] {
  return x.sizes.map((_, i) => i).filter((i) => i !== 1);
}

/** The gradient of the weight of a (transposed) convolution of x. */
function weightGradient(grad: Tensor, x: Tensor, sizes: Sizes, p: ConvParams): Tensor {
  const out = emptyTensor(x.storage.backend, sizes, x.dtype);
  if (p.transposed) convWeight(out, x, grad, geometryOf(p));
  else convWeight(out, grad, x, geometryOf(p));
  finish(out, grad, x);
  return record(SECOND, out, [grad, x], [grad, x], ([ggw], [g, input], node) => [
    node.needs(0) ? product(SECOND, input, ggw!, null, g.sizes, p) : null,
    node.needs(1) ? product(SECOND, g, ggw!, null, input.sizes, { ...p, transposed: !p.transposed }) : null,
  ]);
}

function checkDTypes(input: Tensor, weight: Tensor, bias: Tensor | null, p: ConvParams): void {
  if (bias !== null && bias.dtype !== input.dtype) {
    throw new RuntimeError(
      `Input type (${C_NAMES[input.dtype.name]}) and bias type (${C_NAMES[bias.dtype.name]}) should be the same`,
    );
  }
  if (weight.dtype !== input.dtype) {
    throw new RuntimeError(
      `expected scalar type ${input.dtype.scalarTypeName} but found ${weight.dtype.scalarTypeName}`,
    );
  }
  const { dtype } = input;
  if (dtype.is_floating_point) return;
  const refuse = (name: string): never => {
    throw new NotImplementedError(`"${name}" not implemented for '${dtype.scalarTypeName}'`);
  };
  if (p.transposed && dtype !== int64) refuse('slow_conv_transpose2d_out_cpu');
  if (dtype === bool) refuse(p.stride.length === 3 ? 'compute_columns3d' : 'slow_conv2d_cpu');
  if (dtype !== int64 && p.dilation.some((d) => d !== 1)) refuse('slow_conv_dilated<>');
}

function convolution(
  input: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  stride: readonly number[],
  padding: readonly number[],
  dilation: readonly number[],
  transposed: boolean,
  output_padding: readonly number[],
  groups: number,
): Tensor {
  const p: ConvParams = { stride, padding, dilation, transposed, output_padding, groups };
  checkConvolution(input, weight, bias, p);
  const sizes = convolutionSizes(input, weight, p);
  checkDTypes(input, weight, bias, p);
  if (transposed && !input.dtype.is_floating_point) return transposedIntegers(input, weight, bias, p);
  return product('ConvolutionBackward0', input, weight, bias, sizes, p);
}

/** A transposed convolution as a plain one: of the input with zeros between its elements and around it, by the weight turned round. */
function transposedIntegers(input: Tensor, weight: Tensor, bias: Tensor | null, p: ConvParams): Tensor {
  const axes = p.stride.length;
  const between = input.sizes.map((size, i) => (i < 2 ? size : Math.max(0, (size - 1) * p.stride[i - 2] + 1)));
  let spread = input.new_zeros(between);
  let places = spread;
  for (let i = 0; i < axes; i++) places = slice(places, i + 2, 0, null, p.stride[i]);
  places.copy_(input);
  const widths: number[] = [];
  for (let i = axes - 1; i >= 0; i--) {
    const around = p.dilation[i] * (weight.sizes[i + 2] - 1) - p.padding[i];
    widths.push(around, around + p.output_padding[i]);
  }
  spread = constantPad(spread, widths, 0);
  const [channels, each] = weight.sizes;
  const taps = weight.sizes.slice(2);
  const turned = weight
    .reshape([p.groups, channels / p.groups, each, ...taps])
    .transpose(1, 2)
    .reshape([p.groups * each, channels / p.groups, ...taps])
    .flip(taps.map((_, i) => i + 2));
  const plain = { ...p, transposed: false, stride: p.stride.map(() => 1), padding: p.stride.map(() => 0) };
  const q = { ...plain, output_padding: plain.padding };
  return product('ConvolutionBackward0', spread, turned, bias, convolutionSizes(spread, turned, q), q);
}

define(
  {
    doc: 'A convolution over one to three axes, or its transpose, with a number for each axis.',
    method: false,
  },
  {
    'convolution(Tensor input, Tensor weight, Tensor? bias, int[1] stride, int[1] padding, int[1] dilation, bool transposed, int[1] output_padding, int groups) -> Tensor':
      (
        input: Tensor,
        weight: Tensor,
        bias: Tensor | null,
        stride: number[],
        padding: number[],
        dilation: number[],
        transposed: boolean,
        output_padding: number[],
        groups: number,
      ) => {
        const axes = weight.sizes.length - 2;
        const of = (v: number[]) => perAxis(v, axes);
        return convolution(
          input,
          weight,
          bias,
          of(stride),
          of(padding),
          of(dilation),
          transposed,
          of(output_padding),
          groups,
        );
      },
  },
);

/** With a batch of one in front where there is none; and whether there was none. */
function batched(input: Tensor, axes: number, name: string): [Tensor, boolean] {
  const rank = input.sizes.length;
  if (rank !== axes + 1 && rank !== axes + 2) {
    throw new RuntimeError(
      `Expected ${axes + 1}D (unbatched) or ${axes + 2}D (batched) input to ${name}, but got input of size: ${showSizes(input.sizes)}`,
    );
  }
  return rank === axes + 1 ? [input.unsqueeze(0), true] : [input, false];
}

type Numbers = number | readonly number[];

/** Padding that keeps the size; where it is uneven, the input is padded at its ends first. */
function same(
  input: Tensor,
  weight: Tensor,
  stride: readonly number[],
  dilation: readonly number[],
): [Tensor, number[]] {
  if (stride.some((s) => s !== 1)) {
    throw new RuntimeError("padding='same' is not supported for strided convolutions");
  }
  const total = dilation.map((d, i) => d * (weight.sizes[i + 2] - 1));
  const low = total.map((t) => Math.floor(t / 2));
  if (total.every((t) => t % 2 === 0)) return [input, low];
  const ends: number[] = [];
  for (let i = total.length - 1; i >= 0; i--) ends.push(0, total[i] % 2);
  return [input.constant_pad_nd(ends), low];
}

for (const axes of [1, 2, 3]) {
  const name = `conv${axes}d`;
  const dims = ['[N, C, L]', '[N, C, H, W]', '[N, C, D, H, W]'][axes - 1];
  const kernel = ['k', 'kH, kW', 'kD, kH, kW'][axes - 1];
  const run = (
    given: Tensor,
    weight: Tensor,
    bias: Tensor | null,
    stride: Numbers,
    padding: Numbers | string,
    dilation: Numbers,
    groups: number,
  ): Tensor => {
    const [input, single] = batched(given, axes, name);
    const of = (v: Numbers) => perAxis(v, axes);
    const none = new Array<number>(axes).fill(0);
    let x = input;
    let around: readonly number[] = none;
    if (padding === 'same') [x, around] = same(input, weight, of(stride), of(dilation));
    else if (typeof padding === 'string') {
      if (padding !== 'valid') throw new RuntimeError(`Invalid padding string: '${padding}'`);
    } else around = of(padding);
    const out = convolution(x, weight, bias, of(stride), around, of(dilation), false, none, groups);
    return single ? out.squeeze(0) : out;
  };
  define(
    {
      doc: `Convolution of input ${dims} with weight [O, C / groups, ${kernel}]: [N, O, …]. padding is a number for each axis, 'valid' or 'same'.`,
      functional: true,
      function: true,
      method: false,
    },
    {
      [`${name}(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1) -> Tensor`]:
        run,
      [`${name}(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding="valid", int[1] dilation=1, int groups=1) -> Tensor`]:
        run,
    },
  );
  const transposedName = `conv_transpose${axes}d`;
  define(
    {
      doc: `Transposed convolution of input ${dims} with weight [C, O / groups, ${kernel}]: the gradient of the convolution, [N, O, …].`,
      functional: true,
      function: true,
      method: false,
    },
    {
      [`${transposedName}(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] output_padding=0, int groups=1, int[1] dilation=1) -> Tensor`]:
        (
          given: Tensor,
          weight: Tensor,
          bias: Tensor | null,
          stride: Numbers,
          padding: Numbers,
          output_padding: Numbers,
          groups: number,
          dilation: Numbers,
        ): Tensor => {
          const [input, single] = batched(given, axes, transposedName);
          const of = (v: Numbers) => perAxis(v, axes);
          const out = convolution(
            input,
            weight,
            bias,
            of(stride),
            of(padding),
            of(dilation),
            true,
            of(output_padding),
            groups,
          );
          return single ? out.squeeze(0) : out;
        },
    },
  );
}
