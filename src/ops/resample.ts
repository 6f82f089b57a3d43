/** Padding by reflection, repetition and wrapping, and interpolation: axis by axis, with gradients. */
import { mode as gradMode } from '../autograd/mode.ts';
import { type BackwardFunction, record, touchGraphOf } from '../autograd/record.ts';
import { bool, uint8 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { showSizes } from '../core/shape.ts';
import { type ResampleStep, type Rule, resample, resampleBackward } from '../kernels/resample.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { constantPad } from './constant-pad.ts';
import { adaptiveAverages } from './pool.ts';
import { define } from './registry.ts';
import { bilinearBytes } from './resample-bytes.ts';

function finish(out: Tensor, x: Tensor): void {
  if (gradMode.inference) out.flags |= FLAG_INFERENCE;
  if (!gradMode.grad) touchGraphOf(x);
}

const dense = (x: Tensor): Tensor => (x.contiguousNow ? x : x.detach().contiguous());

/** @param save whether PyTorch keeps the input for backward */
function resampled(name: string, x: Tensor, steps: readonly ResampleStep[], save: boolean): Tensor {
  const sizes = x.sizes.slice();
  for (const step of steps) sizes[step.axis] = step.size;
  const out = emptyTensor(x.storage.backend, sizes, x.dtype);
  resample(out, dense(x), steps);
  finish(out, x);
  return record(`${name}Backward0`, out, [x], save ? [x] : [], backwardOf(name, steps, x.sizes));
}

function backwardOf(name: string, steps: readonly ResampleStep[], sizes: readonly number[]): BackwardFunction {
  return ([grad]) => resampledBackward(name, grad!, steps, sizes);
}

function resampledBackward(
  name: string,
  grad: Tensor,
  steps: readonly ResampleStep[],
  sizes: readonly number[],
): Tensor {
  const out = emptyTensor(grad.storage.backend, sizes, grad.dtype);
  resampleBackward(out, dense(grad), steps);
  finish(out, grad);
  return record(`${name}BackwardBackward0`, out, [grad], [], ([gg]) => resampled(name, gg!, steps, false));
}

const MODES = ['constant', 'reflect', 'replicate', 'circular'];
const COMBINATIONS = `
Supported combinations for non-constant padding:
  - 2D or 3D input: padding size = 2 (pads last dimension)
  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)
  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)`;

function pad(input: Tensor, widths: readonly number[], mode: string, value: number | null): Tensor {
  const { sizes } = input;
  const rank = sizes.length;
  if (widths.length % 2 !== 0) throw new RuntimeError('Padding length must be divisible by 2');
  if (widths.length > 2 * rank) {
    throw new RuntimeError(
      `Padding length should be less than or equal to two times the input dimension but got padding length ${widths.length} and input of dimension ${rank}`,
    );
  }
  if (mode === 'constant') return constantPad(input, widths, value ?? 0);
  if (value !== null && value !== 0) {
    throw new RuntimeError(`Padding mode "${mode}" doesn't take in value argument`);
  }
  if (!MODES.includes(mode)) throw new NotImplementedError(`Unrecognised padding mode ${mode}`);
  const axes = widths.length / 2;
  if (axes < 1 || axes > 3 || (rank !== axes + 1 && rank !== axes + 2)) {
    throw new NotImplementedError(
      `Padding size ${widths.length} is not supported for ${rank}D input tensor.${COMBINATIONS}`,
    );
  }
  return mode === 'circular' ? wrap(input, widths, axes) : extend(input, widths, mode, axes);
}

const AXES = ['W', 'H', 'D'];

/** Reflection and replication. */
function extend(input: Tensor, widths: readonly number[], mode: string, axes: number): Tensor {
  const { sizes } = input;
  const rank = sizes.length;
  if (sizes.slice(rank - axes - 1).includes(0)) {
    throw new RuntimeError(
      `Expected ${axes + 1}D or ${axes + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: ${showSizes(sizes)}`,
    );
  }
  const steps: ResampleStep[] = [];
  for (let i = 0; i < axes; i++) {
    const axis = rank - 1 - i;
    const [low, high] = [widths[2 * i], widths[2 * i + 1]];
    if (mode === 'reflect' && (low >= sizes[axis] || high >= sizes[axis])) {
      throw new RuntimeError(
        `Argument #${4 + 2 * i}: Padding size should be less than the corresponding input dimension, but got: padding (${low}, ${high}) at dimension ${axis} of input ${showSizes(sizes)}`,
      );
    }
    const size = sizes[axis] + low + high;
    if (size < 1) throw tooSmall(sizes.slice(rank - axes), widths);
    steps.push({ axis, size, how: { rule: mode as Rule, low, scale: 1, align: false } });
  }
  const name = mode === 'reflect' ? 'reflection_pad' : 'replication_pad';
  if (input.dtype === bool) throw new NotImplementedError(`"${name}${axes}d" not implemented for 'Bool'`);
  return resampled(`${mode === 'reflect' ? 'Reflection' : 'Replication'}Pad${axes}D`, input, steps, true);
}

function tooSmall(sizes: readonly number[], widths: readonly number[]): RuntimeError {
  const names = AXES.slice(0, sizes.length).reverse();
  const sized = (list: readonly number[]) => list.map((s, i) => `${names[i]}: ${s}`).join(', ');
  const n = sizes.length;
  const out = sizes.map((s, i) => s + widths[2 * (n - 1 - i)] + widths[2 * (n - 1 - i) + 1]);
  // One axis, and several: PyTorch's separators differ.
  if (n === 1) return new RuntimeError(`input (W: ${sizes[0]}) is too small. Calculated output W: ${out[0]}`);
  const names2 = names.map((a, i) => `${a}: ${out[i]}`).join(' ');
  return new RuntimeError(`input (${sized(sizes)}) is too small. Calculated output ${names2}`);
}

function wrap(input: Tensor, widths: readonly number[], axes: number): Tensor {
  const rank = input.sizes.length;
  const steps: ResampleStep[] = [];
  // Negative widths cut first; the rest wraps around in what is left.
  let cut = false;
  for (let i = 0; i < axes; i++) {
    const axis = rank - 1 - i;
    const [low, high] = [widths[2 * i], widths[2 * i + 1]];
    const own = input.sizes[axis];
    if (low > own || high > own || (own === 0 && low + high > 0)) {
      throw new RuntimeError('Padding value causes wrapping around more than once.');
    }
    if (own + low + high <= 0) throw new RuntimeError('Negative padding value is resulting in an empty dimension');
    if (low < 0 || high < 0) cut = true;
    const size = own + low + high;
    steps.push({ axis, size, how: { rule: 'circular', low: Math.max(0, low), scale: 1, align: false } });
  }
  const x = cut
    ? constantPad(
        input,
        widths.map((w) => Math.min(0, w)),
        0,
      )
    : input;
  return resampled('PadCircular', x, steps, false);
}

define(
  {
    doc: 'The input with widths put around its last dimensions, the last first: a constant, a reflection, the edge repeated, or what wraps around.',
    method: false,
    function: false,
    functional: true,
  },
  { 'pad(Tensor input, int[] pad, str mode="constant", float? value=None) -> Tensor': pad },
);

type Sizes = readonly number[];
const SUPPORTED =
  'Input Error: Only 3D, 4D and 5D input Tensors supported (got RANKD) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got MODE)';
const RANK_OF: Readonly<Record<string, number>> = { linear: 3, bilinear: 4, trilinear: 5 };

function interpolate(
  input: Tensor,
  size: Sizes | null,
  scale_factor: Sizes | null,
  mode: string,
  align_corners: boolean | null,
  recompute: boolean | null,
  antialias: boolean,
): Tensor {
  const rank = input.sizes.length;
  const axes = rank - 2;
  const plain = mode === 'nearest' || mode === 'nearest-exact' || mode === 'area';
  if (plain && align_corners !== null) {
    throw new ValueError(
      'align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear',
    );
  }
  if (size !== null && scale_factor !== null) {
    throw new ValueError('only one of size or scale_factor should be defined');
  }
  if (size === null && scale_factor === null) throw new ValueError('either size or scale_factor should be defined');
  const inner = input.sizes.slice(2);
  const all = (list: Sizes): number[] => (list.length === 1 && axes > 1 ? inner.map(() => list[0]) : [...list]);
  if (recompute === true && size !== null) {
    throw new ValueError('recompute_scale_factor is not meaningful with an explicit size.');
  }
  let scales: (number | null)[] = inner.map(() => null);
  let sizes: number[];
  if (size !== null) sizes = all(size);
  else {
    const factors = all(scale_factor!);
    sizes = inner.map((s, i) => Math.trunc(s * factors[i]));
    if (recompute !== true && mode !== 'area') scales = factors;
  }
  if (antialias) {
    if (!((mode === 'bilinear' || mode === 'bicubic' || mode === 'lanczos') && rank === 4)) {
      throw new ValueError(
        'Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input',
      );
    }
    throw new NotImplementedError('interpolate: antialias is not implemented; leave it false');
  }
  const fits = axes >= 1 && axes <= 3 && (plain || RANK_OF[mode] === rank || (mode === 'bicubic' && rank === 4));
  if (!fits) {
    if (axes >= 1 && axes <= 3 && RANK_OF[mode] !== undefined) {
      throw new NotImplementedError(`Got ${rank}D input, but ${mode} mode needs ${RANK_OF[mode]}D input`);
    }
    throw new NotImplementedError(SUPPORTED.replace('RANK', String(rank)).replace('MODE', mode));
  }
  if (mode === 'area') return adaptiveAverages(input, sizes, axes);
  checkUpsample(input, sizes);
  return upsample(input, sizes, scales, mode, align_corners ?? false);
}

function checkUpsample(input: Tensor, sizes: Sizes): void {
  const inner = input.sizes.slice(2);
  const names = AXES.slice(0, inner.length).reverse();
  const show = (list: Sizes) => list.map((s, i) => `${names[i]}: ${s}`).join(', ');
  if (inner.some((s) => s <= 0) || sizes.some((s) => s <= 0)) {
    throw new RuntimeError(
      `Input and output sizes should be greater than 0, but got input (${show(inner)})${inner.length === 1 ? ' and' : ''} output (${show(sizes)})`,
    );
  }
  if (input.length === 0 && input.sizes.slice(1).includes(0)) {
    throw new RuntimeError(
      `Non-empty ${input.sizes.length}D data tensor expected but got a tensor with sizes ${showSizes(input.sizes)}`,
    );
  }
}

const NAMES: Readonly<Record<string, string>> = {
  nearest: 'UpsampleNearest',
  'nearest-exact': 'UpsampleNearestExact',
  linear: 'UpsampleLinear',
  bilinear: 'UpsampleBilinear',
  trilinear: 'UpsampleTrilinear',
  bicubic: 'UpsampleBicubic',
};

function upsample(
  input: Tensor,
  sizes: Sizes,
  scales: readonly (number | null)[],
  mode: string,
  align: boolean,
): Tensor {
  const nearest = mode === 'nearest' || mode === 'nearest-exact';
  const { dtype } = input;
  if (!dtype.is_floating_point && !((nearest || mode === 'bilinear') && dtype === uint8)) {
    throw new NotImplementedError(
      `"upsample_${mode.replace('-', '_')}${sizes.length}d" not implemented for '${dtype.scalarTypeName}'`,
    );
  }
  const rule: Rule = nearest ? (mode as Rule) : mode === 'bicubic' ? 'cubic' : 'linear';
  const steps: ResampleStep[] = [];
  for (let i = sizes.length - 1; i >= 0; i--) {
    const [from, to] = [input.sizes[i + 2], sizes[i]];
    const given = scales[i];
    let scale = given !== null && given > 0 ? 1 / given : from / to;
    if (align && !nearest) scale = to > 1 ? (from - 1) / (to - 1) : 0;
    steps.push({ axis: i + 2, size: to, how: { rule, low: 0, scale, align: align && !nearest } });
  }
  if (mode === 'bilinear' && dtype === uint8) {
    return bilinearBytes(
      input,
      steps.map(({ axis, size, how }) => ({ axis, size, scale: how.scale, align: how.align })),
    );
  }
  return resampled(`${NAMES[mode]}${sizes.length}D`, input, steps, false);
}

define(
  {
    doc: 'The input [N, C, …] at another size, or scaled: by the nearest element, linearly, by cubic convolution or by averages of areas.',
    method: false,
    function: false,
    functional: true,
  },
  {
    'interpolate(Tensor input, int[1]? size=None, float[1]? scale_factor=None, str mode="nearest", bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor':
      (
        input: Tensor,
        size: Sizes | null,
        scale_factor: Sizes | null,
        mode: string,
        align_corners: boolean | null,
        recompute: boolean | null,
        antialias: boolean,
      ) => {
        const axes = input.sizes.length - 2;
        const inner = showSizes(input.sizes.slice(2));
        if (size !== null && scale_factor === null && size.length !== 1 && size.length !== axes) {
          throw new ValueError(
            `Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of ${inner} and output size of ${showSizes(size)}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.`,
          );
        }
        if (scale_factor !== null && size === null && scale_factor.length !== 1 && scale_factor.length !== axes) {
          throw new ValueError(
            `Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of ${inner} and scale_factor of shape ${showSizes(scale_factor)}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.`,
          );
        }
        return interpolate(input, size, scale_factor, mode, align_corners, recompute, antialias);
      },
  },
);
