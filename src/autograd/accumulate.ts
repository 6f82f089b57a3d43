/** AccumulateGrad: the node at a leaf, which puts what arrives into `.grad`. */
import { Node, OutputMeta } from '../tensor/node.ts';
import { currentVersion, FLAG_SHARED, type Tensor } from '../tensor/tensor.ts';
import { mode } from './mode.ts';

export class AccumulateGrad extends Node {
  readonly name = 'AccumulateGrad';

  constructor(readonly variable: Tensor) {
    super();
    this.outputs = [new OutputMeta(variable.sizes, variable.dtype, variable.storage.backend)];
  }

  apply(grads: (Tensor | null)[]): (Tensor | null)[] {
    const grad = grads[0];
    const variable = this.variable;
    if (grad === null) return [];
    const before = variable.gradient;
    if (before === null) {
      setGradient(variable, mode.grad ? grad.clone() : takeOrCopy(grad, variable));
    } else if (mode.grad) {
      setGradient(variable, before.add(grad));
    } else {
      before.add_(grad);
    }
    return [];
  }

  release(): void {}
}

/** A gradient nobody else can hold becomes `.grad` itself; anything else is copied. */
function takeOrCopy(grad: Tensor, variable: Tensor): Tensor {
  const ours =
    (grad.flags & FLAG_SHARED) === 0 &&
    grad.storage.record.handles === 1 &&
    grad.node === null &&
    currentVersion(grad) === 0 &&
    grad.viewInfo === null &&
    grad.contiguousNow;
  if (ours) return grad;
  if (variable.contiguousNow) return grad.detach().clone({ memory_format: 'contiguous_format' });
  // PyTorch keeps the layout of a dense, non-overlapping parameter.
  return variable.detach().new_empty_like_strides().copy_(grad.detach());
}

/** Sets `.grad`. The framework holds a gradient until it is replaced or cleared. */
export function setGradient(variable: Tensor, grad: Tensor | null): void {
  const before = variable.gradient;
  if (before === grad) return;
  if (grad !== null) grad.storage.hold(variable.storage);
  variable.gradient = grad;
  if (before !== null) before.storage.unhold();
}

/** The node that stands for a leaf in other nodes' edges. */
export function accumulatorOf(variable: Tensor): Node {
  return (variable.accumulator ??= new AccumulateGrad(variable));
}
