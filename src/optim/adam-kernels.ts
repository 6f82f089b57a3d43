/** The launches of Adam: one for each parameter and step, and a small one before it where the step is counted on the device. */
import { type DType, DTYPES, float32, float64 } from '../core/dtype.ts';
import * as e from '../kernels/expr.ts';
import type { Expr } from '../kernels/expr.ts';
import { MapKernel } from '../kernels/map.ts';

export const MAXIMIZE = 1;
export const DECAY = 2;
/** Weight decay apart from the moments, as AdamW has it. */
export const DECOUPLED = 4;
export const AMSGRAD = 8;
/** What depends on the number of the step is read from the device: the last two inputs, in place of LR and ROOT. */
export const CAPTURABLE = 16;

/** Scalars of a launch, by position. */
export const LR = 0;
export const SHRINK = 1;
export const BETA1 = 2;
export const REST1 = 3;
export const BETA2 = 4;
export const REST2 = 5;
export const ROOT = 6;
export const EPS = 7;
export const SCALARS = 8;

const kernels: (MapKernel | undefined)[] = new Array(32 * DTYPES.length);

/** Inputs and outputs: parameter, first moment, second moment, its maximum; the gradient is the input after them. */
function build(flags: number, dtype: DType): MapKernel {
  const s = e.scalar;
  const amsgrad = (flags & AMSGRAD) !== 0;
  const capturable = (flags & CAPTURABLE) !== 0;
  const gradient = amsgrad ? 4 : 3;
  const rate = capturable ? e.input(gradient + 1) : s(LR);
  const root = capturable ? e.input(gradient + 2) : s(ROOT);
  let param: Expr = e.input(0);
  const first = e.input(1);
  const second = e.input(2);
  let grad: Expr = e.input(gradient);
  if (flags & MAXIMIZE) grad = e.neg(grad);
  if (flags & DECAY) {
    if (flags & DECOUPLED) param = e.mul(param, s(SHRINK));
    else grad = e.add(grad, e.mul(s(SHRINK), param));
  }
  const nextFirst = e.add(first, e.mul(s(REST1), e.sub(grad, first)));
  const nextSecond = e.add(e.mul(second, s(BETA2)), e.mul(s(REST2), e.mul(grad, grad)));
  const outputs = [nextFirst, nextSecond];
  if (amsgrad) outputs.push(e.maximum(e.input(3), nextSecond));
  const denominator = e.add(e.div(e.sqrt(outputs[outputs.length - 1]), root), s(EPS));
  outputs.unshift(e.add(param, e.div(e.mul(rate, nextFirst), denominator)));
  const inputs = new Array<DType>(gradient + 1).fill(dtype);
  if (capturable) inputs.push(correctionType(dtype), correctionType(dtype));
  return new MapKernel({
    outputs: outputs.map((expr) => ({ expr, dtype })),
    inputs,
    compute: dtype,
    scalars: SCALARS,
    name: 'adam',
  });
}

export function adamKernel(flags: number, dtype: DType): MapKernel {
  return (kernels[dtype.index * 32 + flags] ??= build(flags, dtype));
}

/** The dtype of what `advance` computes for parameters of a dtype: what scalars of their launch have. */
export function correctionType(dtype: DType): DType {
  return dtype === float64 ? float64 : float32;
}

const advances = new Map<DType, MapKernel>();

/** From the count of steps: the next, minus the step size, and the root of the second moment's correction. Scalars: lr, betas. */
export function advanceKernel(dtype: DType): MapKernel {
  let kernel = advances.get(dtype);
  if (kernel === undefined) {
    const step = e.add(e.input(0), 1);
    const correction = (beta: number): Expr => e.sub(1, e.pow(e.scalar(beta), step));
    kernel = new MapKernel({
      outputs: [
        { expr: step, dtype: float32 },
        { expr: e.neg(e.div(e.scalar(0), correction(1))), dtype },
        { expr: e.sqrt(correction(2)), dtype },
      ],
      inputs: [float32],
      compute: float64,
      scalars: 3,
      name: 'adam step',
    });
    advances.set(dtype, kernel);
  }
  return kernel;
}
