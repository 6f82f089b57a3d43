/** AccumulateGrad: the node at a leaf, which puts what arrives into `.grad`. */
import { sameSizes } from '../core/shape.ts';
import { recording } from '../devices/recording.ts';
import { Node, OutputMeta } from '../tensor/node.ts';
import { aliasTensor, FLAG_OWN, FLAG_SEVERAL, heldStorage, type Tensor } from '../tensor/tensor.ts';
import { mode } from './mode.ts';
import { currentStreamOf } from './streams.ts';

export class AccumulateGrad extends Node {
  readonly name = 'AccumulateGrad';

  constructor(readonly variable: Tensor) {
    super();
    const { backend } = variable.storage;
    this.outputs = [new OutputMeta(variable.sizes, variable.dtype, backend)];
    this.stream = currentStreamOf(backend);
  }

  apply(grads: (Tensor | null)[]): (Tensor | null)[] {
    const grad = grads[0];
    const variable = this.variable;
    if (grad === null || !variable.wantsGrad) return [];
    const before = variable.gradient;
    if (recording !== null) recording.gradientSet(variable);
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

/**
 * Whether a gradient that waits in the engine is known there alone, and its memory to no other tensor: then it may be
 * added to in place, or become `.grad`. PyTorch asks for the count of references.
 */
export function isSole(grad: Tensor): boolean {
  if ((grad.flags & FLAG_OWN) === 0) return false;
  const { record, nbytes } = grad.storage;
  if (record.handles !== 1 || record.holds !== 1 || record.saves !== 0) return false;
  // All of it: neither a part, of which the rest would be kept for nothing, nor expanded.
  return nbytes === grad.length * grad.dtype.itemsize;
}

/** A sole gradient in the variable's layout becomes `.grad` itself; anything else is copied. */
function takeOrCopy(grad: Tensor, variable: Tensor): Tensor {
  const sameLayout = variable.contiguousNow ? grad.contiguousNow : sameSizes(grad.strides, variable.strides);
  if (sameLayout && isSole(grad)) {
    if (grad.viewInfo === null && grad.version === null) {
      grad.flags &= ~FLAG_SEVERAL;
      return grad;
    }
    return own(aliasTensor(grad, grad.offset, grad.sizes, grad.strides, grad.length));
  }
  if (variable.contiguousNow) return own(grad.clone({ memory_format: 'contiguous_format' }));
  // PyTorch keeps the layout of a dense, non-overlapping parameter.
  return own(variable.new_empty_like_strides().copy_(grad));
}

function own(grad: Tensor): Tensor {
  grad.flags |= FLAG_OWN;
  return grad;
}

/** Sets `.grad`. The framework holds a gradient until it is replaced or cleared. */
export function setGradient(variable: Tensor, grad: Tensor | null): void {
  const before = variable.gradient;
  if (before === grad) return;
  if (recording !== null) recording.gradientSet(variable);
  if (grad !== null) grad.storage.hold(variable.storage);
  variable.gradient = grad;
  if (before === null) return;
  heldStorage(before)?.unhold();
  // Nobody has looked at it: it goes at once.
  if ((before.flags & FLAG_OWN) !== 0) before.dispose();
}

/** What `zero_grad` does: sets gradients to null, or to zeros without a graph. */
export function clearGradients(variables: Iterable<Tensor>, toNull: boolean): void {
  for (const variable of variables) {
    const grad = variable.gradient;
    if (grad === null) continue;
    if (toNull) setGradient(variable, null);
    else {
      if (grad.node !== null) grad.detach_();
      else grad.wantsGrad = false;
      grad.zero_();
    }
  }
}

/**
 * The node that stands for a leaf in other nodes' edges. null for a view without a node: it requires grad with its base,
 * but no gradient comes to it.
 */
export function accumulatorOf(variable: Tensor): Node | null {
  if (!variable.wantsGrad) return null;
  return (variable.accumulator ??= new AccumulateGrad(variable));
}
