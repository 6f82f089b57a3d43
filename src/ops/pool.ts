/** Pooling over one to three axes: maxima and averages of windows, sliding or adaptive. */
import { mode } from '../autograd/mode.ts';
import { record, touchGraphOf } from '../autograd/record.ts';
import { bool, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { showSizes, wrapDim } from '../core/shape.ts';
import { averagePool, averagePoolBackward, maxPool, maxPoolBackward, type PoolGeometry } from '../kernels/pool.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import {
  ADAPTIVE,
  adaptiveSizes,
  type Numbers,
  pooledSizes,
  slidingGeometry,
  type Window,
  windowOf,
  windowParam,
} from './pool-shapes.ts';
import { define } from './registry.ts';

function finish(out: Tensor, input: Tensor): void {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) touchGraphOf(input);
}

/** [N, C, …] for kernels, where an input may be [C, …]. */
function planes(x: Tensor, axes: number): Tensor {
  if (x.sizes.length === axes + 2) return x;
  return aliasTensor(x, x.offset, [1, ...x.sizes], [0, ...x.strides], x.length);
}

function refuse(input: Tensor, name: string): never {
  throw new NotImplementedError(`"${name}" not implemented for '${input.dtype.scalarTypeName}'`);
}

/** PyTorch's names of nodes: MaxPool2DWithIndices, AdaptiveAvgPool3D. */
const node = (name: string, axes: number, rest = '') => `${name}${axes}D${rest}Backward0`;

function maxima(input: Tensor, sizes: readonly number[], axes: number, g: PoolGeometry): [Tensor, Tensor] {
  const { backend } = input.storage;
  const out = emptyTensor(backend, sizes, input.dtype);
  const indices = emptyTensor(backend, sizes, int64);
  maxPool(planes(out, axes), planes(indices, axes), planes(input, axes), g);
  finish(out, input);
  const name = g.adaptive ? node('AdaptiveMaxPool', axes) : node('MaxPool', axes, 'WithIndices');
  return record(name, [out, indices], [input], [input, indices], ([grad], [x, at]) =>
    maximaBackward(grad!, at, x.sizes, axes, g),
  ) as [Tensor, Tensor];
}

function maximaBackward(
  grad: Tensor,
  indices: Tensor,
  sizes: readonly number[],
  axes: number,
  g: PoolGeometry,
): Tensor {
  const out = emptyTensor(grad.storage.backend, sizes, grad.dtype);
  const dense = grad.contiguousNow ? grad : grad.detach().contiguous();
  maxPoolBackward(planes(out, axes), planes(dense, axes), planes(indices, axes), g);
  finish(out, grad);
  const name = `${g.adaptive ? 'Adaptive' : ''}MaxPool${axes}D${g.adaptive ? '' : 'WithIndices'}BackwardBackward0`;
  return record(name, out, [grad], [indices], ([gg], [at]) => atIndices(gg!, at, axes));
}

/** Elements of x's planes at positions: what max_unpool undoes. */
export function atIndices(x: Tensor, indices: Tensor, axes: number): Tensor {
  const rank = indices.sizes.length;
  const lead = indices.sizes.slice(0, rank - axes);
  // Not -1, which an empty batch leaves open.
  const flat = (t: Tensor) => t.reshape([...lead, t.sizes.slice(rank - axes).reduce((n, size) => n * size, 1)]);
  return flat(x).gather(-1, flat(indices)).reshape(indices.sizes);
}

function averages(input: Tensor, sizes: readonly number[], axes: number, g: PoolGeometry): Tensor {
  const out = emptyTensor(input.storage.backend, sizes, input.dtype);
  averagePool(planes(out, axes), planes(input, axes), g);
  finish(out, input);
  // The input is saved as PyTorch saves it, though only its sizes are needed.
  const name = node(g.adaptive ? 'AdaptiveAvgPool' : 'AvgPool', axes);
  return record(name, out, [input], [input], ([grad], [x]) => averagesBackward(grad!, x.sizes, axes, g));
}

function averagesBackward(grad: Tensor, sizes: readonly number[], axes: number, g: PoolGeometry): Tensor {
  const out = emptyTensor(grad.storage.backend, sizes, grad.dtype);
  const dense = grad.contiguousNow ? grad : grad.detach().contiguous();
  averagePoolBackward(planes(out, axes), planes(dense, axes), g);
  finish(out, grad);
  const name = `${g.adaptive ? 'Adaptive' : ''}AvgPool${axes}DBackwardBackward0`;
  const { sizes: gradSizes } = grad;
  return record(name, out, [grad], [], ([gg]) => averages(gg!, gradSizes, axes, g));
}

function withIndices(input: Tensor, w: Window, axes: number): [Tensor, Tensor] {
  const sizes = pooledSizes(input, w, 'max_pool3d_with_indices_out_cpu_template');
  if (input.dtype === bool) refuse(input, `max_pool${axes}d`);
  return maxima(input, sizes, axes, slidingGeometry(w));
}

/** [C, L] or [N, C, L] as an image of height 1. */
function flatWindow(w: Window): Window {
  return {
    window: [1, ...w.window],
    stride: [1, ...w.stride],
    padding: [0, ...w.padding],
    dilation: [1, ...w.dilation],
    ceil: w.ceil,
  };
}

function checkLine(input: Tensor, w: Window): void {
  const { sizes } = input;
  const rank = sizes.length;
  if ((rank !== 2 && rank !== 3) || sizes.slice(rank - 2).includes(0)) {
    throw new RuntimeError(
      `max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:${showSizes(sizes)}`,
    );
  }
  const [k, s, p, d] = [w.window[0], w.stride[0], w.padding[0], w.dilation[0]];
  const positive = (name: string, v: number): void => {
    if (v <= 0) throw new RuntimeError(`max_pool1d() ${name} must be greater than zero, but got ${v}`);
  };
  positive('kernel_size', k);
  positive('stride', s);
  if (p < 0) throw new RuntimeError(`max_pool1d() padding must be non-negative, but got ${p}`);
  if (p > k / 2) {
    throw new RuntimeError(
      `max_pool1d() padding should be at most half of kernel size, but got padding=${p} and kernel_size=${k}`,
    );
  }
  positive('dilation', d);
}

/** @param plain no positions are wanted: PyTorch then has checks of its own, and a kernel that refuses integers */
function maxLine(input: Tensor, w: Window, plain: boolean): [Tensor, Tensor] {
  if (!plain) {
    const [values, indices] = withIndices(input.unsqueeze(-2), flatWindow(w), 2);
    return [values.squeeze(-2), indices.squeeze(-2)];
  }
  checkLine(input, w);
  const room = input.sizes[input.sizes.length - 1] + 2 * w.padding[0] - w.dilation[0] * (w.window[0] - 1) - 1;
  const size = Math.floor((room + (w.ceil ? w.stride[0] - 1 : 0)) / w.stride[0]) + 1;
  if (size <= 0) throw new RuntimeError(`max_pool1d() Invalid computed output size: ${size}`);
  if (!input.dtype.is_floating_point) refuse(input, 'max_pool1d_impl');
  const [values, indices] = withIndices(input.unsqueeze(-2), flatWindow(w), 2);
  return [values.squeeze(-2), indices.squeeze(-2)];
}

const WINDOW =
  'Tensor self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[1] dilation=1, bool ceil_mode=False';

for (const axes of [1, 2, 3]) {
  const name = `max_pool${axes}d`;
  type Arguments = [self: Tensor, kernel: Numbers, stride: Numbers, padding: Numbers, dilation: Numbers, ceil: boolean];
  const pooled = ([self, kernel, stride, padding, dilation, ceil]: Arguments, plain: boolean) => {
    const w = windowOf(name, axes, kernel, stride, padding, dilation, ceil);
    return axes === 1 ? maxLine(self, w, plain) : withIndices(self, w, axes);
  };
  define(
    {
      doc: `Maxima of windows over ${axes} ax${axes === 1 ? 'is' : 'es'} of [N, C, …].`,
      method: false,
      function: true,
    },
    { [`${name}(${WINDOW}) -> Tensor`]: (...args: Arguments) => pooled(args, true)[0] },
  );
  define(
    {
      doc: `Maxima of windows, and where they were as positions in the input's planes.`,
      method: false,
      function: axes === 1,
      functional: axes !== 1,
    },
    { [`${name}_with_indices(${WINDOW}) -> (Tensor, Tensor)`]: (...args: Arguments) => pooled(args, false) },
  );

  const average = `avg_pool${axes}d`;
  const averageOf = (
    self: Tensor,
    kernel: Numbers,
    stride: Numbers,
    padding: Numbers,
    ceil: boolean,
    countPadding: boolean,
    divisor: number | null,
  ): Tensor => {
    const w = windowOf(average, axes, kernel, stride, padding, 1, ceil);
    if (divisor === 0) throw new RuntimeError('divisor must be not zero');
    if (axes === 1) {
      checkLineRank(self, average);
      return averageWindows(self.unsqueeze(-2), flatWindow(w), 2, countPadding, divisor).squeeze(-2);
    }
    return averageWindows(self, w, axes, countPadding, divisor);
  };
  const tail = axes === 1 ? '' : ', int? divisor_override=None';
  define(
    {
      doc: `Averages of windows over ${axes} ax${axes === 1 ? 'is' : 'es'} of [N, C, …].`,
      method: false,
      function: axes === 1,
      functional: true,
    },
    {
      [`${average}(Tensor self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True${tail}) -> Tensor`]:
        averageOf,
    },
  );

  const adaptiveMax = `adaptive_max_pool${axes}d`;
  define(
    {
      doc: 'Maxima of as many windows as output_size says, and where they were.',
      method: false,
      function: axes === 1,
      functional: axes !== 1,
    },
    {
      [`${adaptiveMax}${axes === 1 ? '' : '_with_indices'}(Tensor self, int[1] output_size) -> (Tensor, Tensor)`]: (
        self: Tensor,
        output_size: number[],
      ) => adaptiveMaxima(self, output_size, axes),
    },
  );
  define(
    {
      doc: `Averages of as many windows as output_size says, over ${axes} ax${axes === 1 ? 'is' : 'es'} of [N, C, …].`,
      method: false,
      function: axes === 1,
      functional: true,
    },
    {
      [`adaptive_avg_pool${axes}d(Tensor self, int[1] output_size) -> Tensor`]: (self: Tensor, output_size: number[]) =>
        adaptiveAverages(self, output_size, axes),
    },
  );
}

function checkLineRank(self: Tensor, name: string): void {
  const rank = self.sizes.length;
  if (rank === 2 || rank === 3) return;
  throw new RuntimeError(
    `Expected 2 to 3 dimensions, but got ${rank}-dimensional tensor for argument #1 'self' (while checking arguments for ${name})`,
  );
}

function checkOneSize(size: readonly number[], name: string): void {
  if (size.length === 1) return;
  throw new RuntimeError(`${name}() argument 'output_size' should contain one int (got ${size.length})`);
}

function averageWindows(self: Tensor, w: Window, axes: number, countPadding: boolean, divisor: number | null): Tensor {
  const rank = self.sizes.length;
  if (axes === 2 && rank < 3) wrapDim(-3, rank);
  if (axes === 3) checkVolume(self, w);
  const sizes = pooledSizes(self, w, `avg_pool${axes}d`);
  const half = self.dtype.is_floating_point && self.dtype.itemsize === 2;
  if ((!self.dtype.is_floating_point && self.dtype !== int64) || (axes === 3 && half)) {
    refuse(self, axes === 3 ? 'avg_pool3d_out_frame' : 'avg_pool2d');
  }
  return averages(self, sizes, axes, slidingGeometry(w, divisor ?? 0, countPadding));
}

function checkVolume(self: Tensor, w: Window): void {
  const { sizes } = self;
  const rank = sizes.length;
  if ((rank !== 4 && rank !== 5) || sizes.slice(rank - 4).includes(0) || w.padding.some((p) => p < 0)) return;
  const [t, h, v] = sizes.slice(rank - 3);
  const [kt, kh, kv] = w.window;
  const room = [t, h, v].map((s, i) => s + 2 * w.padding[i]);
  if (room.some((s, i) => s < w.window[i])) {
    throw new RuntimeError(
      `input image (T: ${t} H: ${h} W: ${v}) smaller than kernel size (kT: ${kt} kH: ${kh} kW: ${kv})`,
    );
  }
}

function adaptiveMaxima(self: Tensor, given: readonly number[], axes: number): [Tensor, Tensor] {
  const name = `adaptive_max_pool${axes}d`;
  if (axes === 1) {
    checkLineRank(self, name);
    checkOneSize(given, name);
    if (self.sizes[self.sizes.length - 1] === 0) adaptiveSizes(self, given, name);
    const [values, indices] = adaptiveMaxima(self.unsqueeze(-2), [1, given[0]], 2);
    return [values.squeeze(-2), indices.squeeze(-2)];
  }
  const sizes = adaptiveSizes(
    self,
    windowParam(name, 'output_size', given, given.length === 1 ? axes : given.length),
    name,
  );
  if (!self.dtype.is_floating_point) refuse(self, axes === 3 ? `${name}_cpu` : name);
  return maxima(self, sizes, axes, ADAPTIVE);
}

/** Averages of as many windows as `given` says. */
export function adaptiveAverages(self: Tensor, given: readonly number[], axes: number): Tensor {
  const name = `adaptive_avg_pool${axes}d`;
  if (axes === 1) {
    checkLineRank(self, name);
    checkOneSize(given, name);
    return adaptiveAverages(self.unsqueeze(-2), [1, given[0]], 2).squeeze(-2);
  }
  const size = given.length === 1 ? new Array<number>(axes).fill(given[0]) : given;
  const sizes = adaptiveSizes(self, size, name);
  if (!self.dtype.is_floating_point) refuse(self, axes === 3 ? `${name}_cpu` : name);
  // The average of everything is a mean, as in PyTorch.
  if (size.every((s) => s === 1)) {
    const rank = self.sizes.length;
    return self.mean(
      size.map((_, i) => rank - axes + i),
      true,
    );
  }
  return averages(self, sizes, axes, ADAPTIVE);
}
