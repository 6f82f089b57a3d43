/**
 * Builders of connectionist temporal classification launches: losses by sample and their gradient. Shapes are in
 * `wasm/ctc.ts`; a label that is no class is a fault.
 */
import { float32, float64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { defineFault } from './faults.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { CTC, ctcGradKernel, ctcKernel } from './wasm/ctc.ts';

const FAULT_LABEL = defineFault(() => new RuntimeError('ctc_loss: a target is not in the label range'));

const DTYPES = [float32, float64];
const FORWARD = DTYPES.map((dtype) => registerKernel(() => ctcKernel(dtype), `ctc_loss.${dtype.name}`));
const BACKWARD = DTYPES.map((dtype) => registerKernel(() => ctcGradKernel(dtype), `ctc_loss_backward.${dtype.name}`));

/** What the forward and the backward pass have in common. */
export interface CtcOperands {
  /** [time, samples, classes], float32 or float64. */
  readonly x: Operand;
  /** int64, contiguous. */
  readonly targets: Operand;
  /** int64 [samples, 3]: input length, target length, where the targets begin. */
  readonly lengths: Operand;
  /** [samples, steps, states], contiguous. */
  readonly alpha: Operand;
  /** [samples], contiguous: the losses. */
  readonly loss: Operand;
  readonly blank: number;
}

/** Writes `loss` and `alpha`. */
export function ctc(o: CtcOperands): void {
  if (o.loss.length === 0) return;
  const { backend, words, at } = begin(FORWARD, CTC.forwardWords, o);
  words[at + CTC.alpha] = outAddress(o.alpha, backend);
  words[at + CTC.loss] = outAddress(o.loss, backend);
  backend.submit();
}

/**
 * @param out x's gradient, [time, samples, classes], contiguous
 * @param grad the losses' gradient
 * @param beta as `alpha`, for use by the kernel
 */
export function ctcBackward(out: Operand, grad: Operand, beta: Operand, zeroInfinity: boolean, o: CtcOperands): void {
  if (out.length === 0) return;
  const { backend, words, at } = begin(BACKWARD, CTC.backwardWords, o);
  words[at + CTC.alpha] = address(o.alpha, backend);
  words[at + CTC.loss] = address(o.loss, backend);
  words[at + CTC.beta] = outAddress(beta, backend);
  words[at + CTC.grad] = address(grad, backend);
  words[at + CTC.gradStep] = grad.strides[0] * grad.dtype.itemsize;
  words[at + CTC.out] = outAddress(out, backend);
  words[at + CTC.samples] = out.sizes[1];
  words[at + CTC.time] = out.sizes[0];
  words[at + CTC.zeroInfinity] = zeroInfinity ? 1 : 0;
  backend.submit();
}

function begin(kernels: readonly number[], count: number, { x, targets, lengths, alpha, blank }: CtcOperands) {
  const { backend } = x.storage as Storage;
  const bytes = x.dtype.itemsize;
  // A sample is work enough for a thread.
  const at = backend.begin(kernels[DTYPES.indexOf(x.dtype)], count, alpha.sizes[0] > 1 ? 1 : 0);
  const { words } = backend;
  words[at + CTC.begin] = 0;
  words[at + CTC.end] = alpha.sizes[0];
  words[at + CTC.x] = address(x, backend);
  words[at + CTC.xTime] = x.strides[0] * bytes;
  words[at + CTC.xSample] = x.strides[1] * bytes;
  words[at + CTC.xClass] = x.strides[2] * bytes;
  words[at + CTC.targets] = address(targets, backend);
  words[at + CTC.lengths] = address(lengths, backend);
  words[at + CTC.steps] = alpha.sizes[1];
  words[at + CTC.states] = alpha.sizes[2];
  words[at + CTC.blank] = blank;
  words[at + CTC.classes] = x.sizes[2];
  words[at + CTC.fault] = FAULT_LABEL;
  return { backend, words, at };
}
