/** Sliding blocks as columns (im2col) and their sum (col2im): `unfold` and `fold` of nn.functional. */
import { mode } from '../autograd/mode.ts';
import { record, touchGraphOf } from '../autograd/record.ts';
import { bool, float32 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { contiguousStrides, numel, showSizes } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { type Blocks, fold as foldKernel } from '../kernels/fold.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { constantPad } from './constant-pad.ts';
import { define } from './registry.ts';

function finish(out: Tensor, x: Tensor): void {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) touchGraphOf(x);
}

type Window = Omit<Blocks, 'counts'>;

function pair(name: string, list: readonly number[]): readonly number[] {
  if (list.length === 1) return [list[0], list[0]];
  if (list.length !== 2) throw new RuntimeError(`It is expected ${name} equals to 2, but got size ${list.length}`);
  return list;
}

function windowOf(
  kernel_size: readonly number[],
  dilation: readonly number[],
  padding: readonly number[],
  stride: readonly number[],
): Window {
  const w: Window = {
    window: pair('kernel_size', kernel_size),
    dilation: pair('dilation', dilation),
    padding: pair('padding', padding),
    stride: pair('stride', stride),
  };
  const positive = (what: string, name: string, [h, v]: readonly number[]): void => {
    if (h > 0 && v > 0) return;
    throw new RuntimeError(`${what} should be greater than zero, but got ${name}_height: ${h} ${name}_width: ${v}`);
  };
  positive('kernel size', 'kernel', w.window);
  positive('dilation', 'dilation', w.dilation);
  if (w.padding.some((p) => p < 0)) {
    throw new RuntimeError(
      `padding should be non-negative, but got pad_height: ${w.padding[0]} pad_width: ${w.padding[1]}`,
    );
  }
  positive('stride', 'stride', w.stride);
  return w;
}

const tuple = (list: readonly number[]) => `(${list.join(', ')})`;

function countsOf(size: readonly number[], w: Window): number[] {
  return size.map(
    (s, i) => Math.floor((s + 2 * w.padding[i] - w.dilation[i] * (w.window[i] - 1) - 1) / w.stride[i]) + 1,
  );
}

function im2col(input: Tensor, w: Window): Tensor {
  const { sizes } = input;
  const rank = sizes.length;
  if ((rank !== 3 && rank !== 4) || sizes.slice(rank - 3).includes(0)) {
    throw new RuntimeError(
      `Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: ${showSizes(sizes)}`,
    );
  }
  const counts = countsOf(sizes.slice(rank - 2), w);
  if (counts.some((c) => c < 1)) {
    throw new RuntimeError(
      `Given input with spatial size ${tuple(sizes.slice(rank - 2))}, kernel_size=${tuple(w.window)}, dilation=${tuple(w.dilation)}, padding=${tuple(w.padding)}, calculated shape of the array of sliding blocks as ${tuple(counts)}, but its components must be at least one.`,
    );
  }
  if (!input.dtype.is_floating_point && input.dtype !== bool) {
    throw new NotImplementedError(`"im2col_out_cpu" not implemented for '${input.dtype.scalarTypeName}'`);
  }
  return columns(input, { ...w, counts });
}

function columns(input: Tensor, b: Blocks): Tensor {
  const { sizes } = input;
  const rank = sizes.length;
  const lead = sizes.slice(0, rank - 3);
  const channels = sizes[rank - 3];
  const [kh, kw] = b.window;
  const [ph, pw] = b.padding;
  const padded = ph + pw > 0 ? constantPad(input.detach(), [pw, pw, ph, ph], 0) : input;
  const view = [...lead, channels, kh, kw, ...b.counts];
  const s = padded.strides;
  const [h, v] = [s[rank - 2], s[rank - 1]];
  const strides = [...s.slice(0, rank - 2), h * b.dilation[0], v * b.dilation[1], h * b.stride[0], v * b.stride[1]];
  const out = emptyTensor(input.storage.backend, [...lead, channels * kh * kw, b.counts[0] * b.counts[1]], input.dtype);
  const length = numel(view);
  if (length > 0) {
    copy(
      aliasTensor(out, 0, view, contiguousStrides(view), length),
      aliasTensor(padded, padded.offset, view, strides, length),
    );
  }
  if (padded !== input) padded.storage.freeNow();
  finish(out, input);
  const size = sizes.slice(rank - 2);
  return record('Im2ColBackward0', out, [input], [], ([grad]) => sum(grad!, size, b));
}

/** The sum of blocks [N, C * window, blocks] in an array of the given height and width. */
function sum(blocks: Tensor, size: readonly number[], b: Blocks): Tensor {
  const { sizes } = blocks;
  const rank = sizes.length;
  const lead = sizes.slice(0, rank - 2);
  const channels = sizes[rank - 2] / (b.window[0] * b.window[1]);
  const out = emptyTensor(blocks.storage.backend, [...lead, channels, ...size], blocks.dtype);
  const dense = blocks.contiguousNow ? blocks : blocks.detach().contiguous();
  const four = [lead.length > 0 ? lead[0] : 1, channels, ...size];
  foldKernel(aliasTensor(out, 0, four, contiguousStrides(four), out.length), dense, b);
  finish(out, blocks);
  return record('Col2ImBackward0', out, [blocks], [], ([grad]) => columns(grad!, b));
}

function col2im(input: Tensor, output_size: readonly number[], w: Window): Tensor {
  const size = pair('output_size', output_size);
  const { sizes } = input;
  const rank = sizes.length;
  if ((rank !== 2 && rank !== 3) || sizes.slice(rank - 2).includes(0)) {
    throw new RuntimeError(
      `Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: ${showSizes(sizes)}`,
    );
  }
  const each = w.window[0] * w.window[1];
  const dim = rank - 2;
  if (sizes[dim] % each !== 0) {
    throw new RuntimeError(
      `Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)=${sizes[dim]} and kernel_size=${tuple(w.window)}.`,
    );
  }
  const counts = countsOf(size, w);
  const blocks = counts[0] * counts[1];
  if (sizes[dim + 1] !== blocks || counts.some((c) => c < 1)) {
    throw new RuntimeError(
      `Given output_size=${tuple(size)}, kernel_size=${tuple(w.window)}, dilation=${tuple(w.dilation)}, padding=${tuple(w.padding)}, stride=${tuple(w.stride)}, expected size of input's dimension 2 to match the calculated number of sliding blocks ${counts[0]} * ${counts[1]} = ${blocks}, but got input.size(2)=${sizes[dim + 1]}.`,
    );
  }
  if (input.dtype === bool) {
    // Sums of truth values: whether one is true.
    return sum(input.to(float32), size, { ...w, counts }).ne(0);
  }
  if (!input.dtype.is_floating_point) {
    throw new NotImplementedError(`"col2im_out_cpu" not implemented for '${input.dtype.scalarTypeName}'`);
  }
  return sum(input, size, { ...w, counts });
}

type Numbers = readonly number[];

define(
  {
    doc: 'Sliding blocks of [N, C, H, W] as columns: [N, C * window, blocks].',
    method: false,
    function: false,
    functional: true,
  },
  {
    'im2col(Tensor input, int[1] kernel_size, int[1] dilation, int[1] padding, int[1] stride) -> Tensor': (
      input: Tensor,
      kernel_size: Numbers,
      dilation: Numbers,
      padding: Numbers,
      stride: Numbers,
    ) => im2col(input, windowOf(kernel_size, dilation, padding, stride)),
  },
);
define(
  {
    doc: 'The sum of sliding blocks [N, C * window, blocks] in images [N, C, H, W] of output_size.',
    method: false,
    function: false,
    functional: true,
  },
  {
    'col2im(Tensor input, int[1] output_size, int[1] kernel_size, int[1] dilation, int[1] padding, int[1] stride) -> Tensor':
      (
        input: Tensor,
        output_size: Numbers,
        kernel_size: Numbers,
        dilation: Numbers,
        padding: Numbers,
        stride: Numbers,
      ) => col2im(input, output_size, windowOf(kernel_size, dilation, padding, stride)),
  },
);
