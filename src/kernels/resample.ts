/**
 * Builder of resampling launches along one axis: padding by reflection, repetition and wrapping, and interpolation.
 * Shape and dtype rules are the operations'.
 */
import type { DType } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import type { Storage } from '../devices/storage.ts';
import { inComputeType } from './conv.ts';
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

function outerOf(x: Operand, axis: number): number {
  return x.sizes.slice(0, axis).reduce((p, s) => p * s, 1);
}
function innerOf(x: Operand, axis: number): number {
  return x.sizes.slice(axis + 1).reduce((p, s) => p * s, 1);
}

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

/**
 * out = x resampled along one axis. Both contiguous. With a single tap both have the same dtype, any; otherwise float
 * dtypes of one compute type.
 */
export function resample(out: Operand, x: Operand, axis: number, r: Resampling): void {
  if (out.length === 0) return;
  const backend = (out.storage as Storage).backend;
  const taps = tapsOf(r.rule);
  const [from, to] = [x.dtype, out.dtype];
  const id =
    taps === 1
      ? kernel(100 + to.itemsize, 'resample.pick', () => pickKernel(to.itemsize))
      : kernel(1000 + (from.index * 10 + to.index) * 10 + taps, `resample.${r.rule}.${from.name}.${to.name}`, () =>
          weighKernel(from, to, taps),
        );
  const [inSize, outSize] = [x.sizes[axis], out.sizes[axis]];
  const target = outAddress(out, backend);
  const at = address(x, backend);
  withTaps(backend, from, inSize, outSize, r, (places, weights) => {
    launch(backend, id, outerOf(x, axis), target, at, places, weights, inSize, outSize, innerOf(x, axis));
  });
}

/** out = the gradient of x. Both contiguous and of one float dtype. */
export function resampleBackward(out: Operand, grad: Operand, axis: number, r: Resampling): void {
  if (out.length === 0) return;
  const taps = tapsOf(r.rule);
  const { dtype } = grad;
  const id = kernel(10000 + dtype.index * 10 + taps, `resample_backward.${r.rule}.${dtype.name}`, () =>
    weighBackKernel(dtype, taps),
  );
  const [inSize, outSize] = [out.sizes[axis], grad.sizes[axis]];
  inComputeType(out, (to, backend) => {
    const at = address(grad, backend);
    withTaps(backend, dtype, inSize, outSize, r, (places, weights) => {
      launch(backend, id, outerOf(out, axis), at, to, places, weights, inSize, outSize, innerOf(out, axis));
    });
  });
}
