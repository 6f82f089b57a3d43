/** The launches of gradient scaling: dividing gradients while looking for overflow, and choosing the next scale. */
import { bumpVersion } from '../autograd/views.ts';
import { type Device, internDevice } from '../core/device.ts';
import { type DType, float32, float64, int32 } from '../core/dtype.ts';
import type { Backend } from '../devices/backend.ts';
import * as e from '../kernels/expr.ts';
import { MapKernel } from '../kernels/map.ts';
import { ReduceKernel } from '../kernels/reduce.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, type Tensor } from '../tensor/tensor.ts';

/** float32 for the half types. */
const computeOf = (dtype: DType): DType => (dtype === float64 ? float64 : float32);

const divisions = new Map<DType, MapKernel>();
const checks = new Map<DType, ReduceKernel>();

function division(dtype: DType): MapKernel {
  let kernel = divisions.get(dtype);
  if (kernel === undefined) {
    kernel = new MapKernel({
      name: 'unscale',
      outputs: [{ expr: e.mul(e.input(0), e.input(1)), dtype }],
      inputs: [dtype, float32],
      compute: computeOf(dtype),
    });
    divisions.set(dtype, kernel);
  }
  return kernel;
}

/** 1 if an element is infinite or NaN, else 0. */
function check(dtype: DType): ReduceKernel {
  let kernel = checks.get(dtype);
  if (kernel === undefined) {
    kernel = new ReduceKernel({
      name: 'non_finite_check',
      combine: 'max',
      expr: e.number(e.not(e.isfinite(e.input(0)))),
      inputs: [dtype],
      compute: computeOf(dtype),
      output: float32,
    });
    checks.set(dtype, kernel);
  }
  return kernel;
}

const LARGEST = new ReduceKernel({
  name: 'non_finite_check',
  combine: 'max',
  expr: e.input(0),
  inputs: [float32],
  compute: float32,
  output: float32,
});

/** A bit for every dimension. */
const allDims = (x: Tensor): number => 2 ** x.sizes.length - 1;

/**
 * Multiplies gradients by the inverse of the scale, in place.
 * @param inverse a number, float32
 * @returns by device, whether an element of a gradient was infinite or NaN: 1 or 0
 */
export function unscale(gradients: readonly Tensor[], inverse: Tensor): Map<Device, Tensor> {
  const byDevice = new Map<Backend, Tensor[]>();
  for (const grad of gradients) {
    const { backend } = grad.storage;
    const list = byDevice.get(backend);
    if (list === undefined) byDevice.set(backend, [grad]);
    else list.push(grad);
  }
  const found = new Map<Device, Tensor>();
  for (const [backend, list] of byDevice) {
    const { type, index } = backend.device;
    const device = internDevice(type, index);
    const factor = inverse.to(device, { non_blocking: true });
    const overflows = emptyTensor(backend, [list.length], float32);
    for (const [i, grad] of list.entries()) {
      const flag = aliasTensor(overflows, i, [], [], 1);
      if (grad.length === 0) flag.zero_();
      else {
        check(grad.dtype).launch(flag, [grad], grad.sizes, allDims(grad));
        division(grad.dtype).launch(grad, [grad, factor]);
      }
      bumpVersion(grad);
    }
    const largest = emptyTensor(backend, [], float32);
    LARGEST.launch(largest, [overflows], overflows.sizes, 1);
    overflows.storage.freeNow();
    found.set(device, largest);
  }
  return found;
}

const scale = e.input(0);
const tracker = e.input(1);
const overflowed = e.ne(e.input(2), 0);
const [growth, backoff, interval] = [e.scalar(0), e.scalar(1), e.scalar(2)];
const grows = e.ge(e.add(tracker, 1), interval);
const grown = e.mul(scale, growth);

/** The scale does not grow to infinity. */
const UPDATE = new MapKernel({
  name: 'update_scale',
  outputs: [
    {
      expr: e.where(overflowed, e.mul(scale, backoff), e.where(e.and(grows, e.isfinite(grown)), grown, scale)),
      dtype: float32,
    },
    { expr: e.where(e.or(overflowed, grows), 0, e.add(tracker, 1)), dtype: int32 },
  ],
  inputs: [float32, int32, float32],
  compute: float32,
  scalars: 3,
});

/**
 * Makes the scale and the number of steps without overflow those of the next step, on the device.
 * @param found for each optimizer and device whether there was an overflow, on the device of the scale
 */
export function updateScale(
  scale: Tensor,
  tracker: Tensor,
  found: readonly Tensor[],
  growth: number,
  backoff: number,
  interval: number,
): void {
  const all = found.reduce((a, b) => a.add(b));
  UPDATE.launchMany([scale, tracker], [scale, tracker, all], [growth, backoff, interval]);
  bumpVersion(scale);
  bumpVersion(tracker);
}
