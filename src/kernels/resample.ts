/**
 * Builder of resampling launches along one axis: padding by reflection, repetition and wrapping, and interpolation.
 * Shape and dtype rules are the operations'.
 */
import { type DType, float32 } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import type { Storage } from '../devices/storage.ts';
import { inComputeType } from './conv-parts.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import type { FloatName } from './wasm/float-ops.ts';
import {
  pickKernel,
  RESAMPLE,
  type Rule,
  TAPS,
  tapsKernel,
  tapsOf,
  weighBackKernel,
  weighKernel,
} from './wasm/resample.ts';

export type { Rule };

export interface Resampling {
  readonly rule: Rule;
  /** Padding: how many outputs lie before the first input. */
  readonly low: number;
  /** Interpolation: inputs for an output. */
  readonly scale: number;
  readonly align: boolean;
}

/** One axis, and its new size. */
export interface ResampleStep {
  readonly axis: number;
  readonly size: number;
  readonly how: Resampling;
}

/** Kernels by what they are made for, registered when first needed. */
const kernels = new Map<number, number>();
const RULES: readonly Rule[] = ['reflect', 'replicate', 'circular', 'nearest', 'nearest-exact', 'linear', 'cubic'];

function kernel(key: number, name: string, build: () => Uint8Array): number {
  let id = kernels.get(key);
  if (id === undefined) kernels.set(key, (id = registerKernel(build, name)));
  return id;
}

const floatName = (dtype: DType): FloatName => (dtype.itemsize === 8 && dtype.is_floating_point ? 'f64' : 'f32');

/** Elements worth handing to a thread. */
const GRAIN = 32 * 1024;

const productOf = (sizes: readonly number[], from: number, to: number): number => {
  let product = 1;
  for (let d = from; d < to; d++) product *= sizes[d];
  return product;
};

/** Runs `use` with the places and weights of the taps. */
function withTaps(
  backend: Backend,
  dtype: DType,
  inSize: number,
  outSize: number,
  r: Resampling,
  use: (places: number, weights: number) => void,
): void {
  const type = floatName(dtype);
  const taps = tapsOf(r.rule);
  const at = RULES.indexOf(r.rule) * 2 + (type === 'f64' ? 1 : 0);
  const id = kernel(at, `resample.taps.${r.rule}.${type}`, () => tapsKernel(r.rule, type));
  const [placeBytes, weightBytes] = [outSize * taps * 4, outSize * taps * (type === 'f64' ? 8 : 4)];
  const places = backend.allocate(placeBytes);
  const weights = backend.allocate(weightBytes);
  const k = backend.begin(id, TAPS.count, 0);
  const { words } = backend;
  words[k + TAPS.begin] = 0;
  words[k + TAPS.end] = outSize;
  words[k + TAPS.places] = places;
  words[k + TAPS.weights] = weights;
  words[k + TAPS.inSize] = inSize;
  words[k + TAPS.outSize] = outSize;
  words[k + TAPS.low] = r.low;
  words[k + TAPS.align] = r.align ? 1 : 0;
  scale[0] = r.scale;
  words[k + TAPS.scale] = scaleWords[0];
  words[k + TAPS.scale + 1] = scaleWords[1];
  backend.submit();
  use(places, weights);
  backend.free(places, placeBytes);
  backend.free(weights, weightBytes);
}

const scale = new Float64Array(1);
const scaleWords = new Int32Array(scale.buffer);

function launch(
  backend: Backend,
  id: number,
  outer: number,
  out: number,
  x: number,
  places: number,
  weights: number,
  inSize: number,
  outSize: number,
  inner: number,
): void {
  const work = Math.max(inSize, outSize) * inner;
  const k = backend.begin(id, RESAMPLE.count, Math.max(1, Math.floor(GRAIN / Math.max(1, work))));
  const { words } = backend;
  words[k + RESAMPLE.begin] = 0;
  words[k + RESAMPLE.end] = outer;
  words[k + RESAMPLE.out] = out;
  words[k + RESAMPLE.x] = x;
  words[k + RESAMPLE.places] = places;
  words[k + RESAMPLE.weights] = weights;
  words[k + RESAMPLE.inSize] = inSize;
  words[k + RESAMPLE.outSize] = outSize;
  words[k + RESAMPLE.inner] = inner;
  backend.submit();
}

/** The kernel of a forward step. */
function forwardKernel(rule: Rule, from: DType, to: DType): number {
  const taps = tapsOf(rule);
  if (taps === 1) return kernel(100 + to.itemsize, 'resample.pick', () => pickKernel(to.itemsize));
  const key = 1000 + (from.index * 10 + to.index) * 10 + taps;
  return kernel(key, `resample.${rule}.${from.name}.${to.name}`, () => weighKernel(from, to, taps));
}

/** One step between two places: an array of `sizes` and one that is `outSize` long on the axis. */
function step(
  backend: Backend,
  id: number,
  dtype: DType,
  sizes: readonly number[],
  { axis, how }: ResampleStep,
  inSize: number,
  outSize: number,
  out: number,
  x: number,
): void {
  const outer = productOf(sizes, 0, axis);
  const inner = productOf(sizes, axis + 1, sizes.length);
  withTaps(backend, dtype, inSize, outSize, how, (places, weights) => {
    launch(backend, id, outer, out, x, places, weights, inSize, outSize, inner);
  });
}

/**
 * out = x resampled, one axis after the other. Both contiguous and of one dtype; float dtypes where elements are weighed,
 * half types then with float32 between the steps.
 */
export function resample(out: Operand, x: Operand, steps: readonly ResampleStep[]): void {
  if (out.length === 0) return;
  const backend = (out.storage as Storage).backend;
  const target = outAddress(out, backend);
  let at = address(x, backend);
  let dtype = x.dtype;
  const sizes = [...x.sizes];
  let scratch = 0;
  steps.forEach((s, i) => {
    const last = i === steps.length - 1;
    const to = last || tapsOf(s.how.rule) === 1 || dtype.itemsize !== 2 ? (last ? out.dtype : dtype) : float32;
    const inSize = sizes[s.axis];
    sizes[s.axis] = s.size;
    const bytes = last ? 0 : productOf(sizes, 0, sizes.length) * to.itemsize;
    const place = last ? target : backend.allocate(bytes);
    step(backend, forwardKernel(s.how.rule, dtype, to), dtype, sizes, s, inSize, s.size, place, at);
    if (scratch > 0) backend.free(at, scratch);
    scratch = bytes;
    at = place;
    dtype = to;
  });
}

/** out = the gradient of `resample`'s x. Both contiguous and of one float dtype. */
export function resampleBackward(out: Operand, grad: Operand, steps: readonly ResampleStep[]): void {
  if (out.length === 0) return;
  const wide = grad.dtype.itemsize === 2 ? float32 : grad.dtype;
  inComputeType(out, (to, backend) => {
    let at = address(grad, backend);
    let { dtype } = grad;
    const sizes = [...grad.sizes];
    let scratch = 0;
    for (let i = steps.length - 1; i >= 0; i--) {
      const s = steps[i];
      const taps = tapsOf(s.how.rule);
      const from = dtype;
      const key = 10000 + from.index * 10 + taps;
      const id = kernel(key, `resample_backward.${taps}.${from.name}`, () => weighBackKernel(from, taps));
      const inSize = out.sizes[s.axis];
      sizes[s.axis] = inSize;
      const bytes = i === 0 ? 0 : productOf(sizes, 0, sizes.length) * wide.itemsize;
      const place = i === 0 ? to : backend.allocate(bytes);
      step(backend, id, from, sizes, s, inSize, s.size, at, place);
      if (scratch > 0) backend.free(at, scratch);
      scratch = bytes;
      at = place;
      dtype = wide;
    }
  });
}
