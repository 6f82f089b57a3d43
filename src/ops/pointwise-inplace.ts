/** Pointwise ops that write into their first input. */
import { mode } from '../autograd/mode.ts';
import { touchGraphOf } from '../autograd/record.ts';
import { bumpVersion, checkInplace, rebaseHistory } from '../autograd/views.ts';
import type { DType } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Scalar } from '../core/promote.ts';
import { broadcastSizes, sameSizes, showSizes } from '../core/shape.ts';
import { requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { commonBackend, differentDevices } from './device.ts';
import { checkOverlap } from './layout.ts';
import { C_NAMES } from './linalg.ts';
import { commonDType, computeDType, launchScalars, outputDType, type PointwiseOp } from './pointwise-op.ts';
import { makeNode, narrowed, type PointwiseNode } from './pointwise-run.ts';

const NO_INPUTS: readonly Tensor[] = [];

/** Whether the change will be recorded: self or an input that is no mask requires grad, whatever the dtypes are. */
function tracks(op: PointwiseOp, inputs: readonly Tensor[]): boolean {
  if (!mode.grad) return false;
  for (let i = 0; i < inputs.length; i++) if ((i === 0 || !op.isMask(i)) && requiresGrad(inputs[i])) return true;
  return false;
}

/** What PyTorch refuses before it looks at shapes and dtypes: a leaf, or a view that may not be changed. */
export function checkChange(op: PointwiseOp, inputs: readonly Tensor[]): void {
  checkInplace(inputs[0], tracks(op, inputs));
}

/** Whether the result fits into inputs[0], in PyTorch's order: memory, shape, dtype. Returns the compute dtype. */
export function checkOutput(op: PointwiseOp, inputs: readonly Tensor[], promoting: readonly Scalar[] | null): DType {
  const x = inputs[0];
  // clamp with numbers looks at dtypes by itself, before all else, and calls them by their C++ names.
  const numbers = op.name.startsWith('clamp') && inputs.length === 1;
  if (numbers) checkCast(op, inputs, promoting, C_NAMES[x.dtype.name]);
  checkOverlap(x, inputs);
  let sizes = x.sizes;
  for (let i = 1; i < inputs.length; i++) sizes = broadcastSizes(sizes, inputs[i].sizes);
  if (!sameSizes(sizes, x.sizes)) {
    throw new RuntimeError(
      `output with shape ${showSizes(x.sizes)} doesn't match the broadcast shape ${showSizes(sizes)}`,
    );
  }
  return checkCast(op, inputs, promoting, x.dtype.scalarTypeName);
}

function checkCast(
  op: PointwiseOp,
  inputs: readonly Tensor[],
  promoting: readonly Scalar[] | null,
  wanted: string,
): DType {
  const common = commonDType(inputs, op.bystanders, promoting);
  // An op that takes no integers says so after the target has refused the result.
  const refused = op.rule === 'inexact' && common.category > inputs[0].dtype.category;
  const compute = refused ? common : computeDType(op, common);
  const result = refused ? common : outputDType(op, compute);
  if (result.category > inputs[0].dtype.category) {
    throw new RuntimeError(`result type ${result.scalarTypeName} can't be cast to the desired output type ${wanted}`);
  }
  return compute;
}

/**
 * `x.op_(…)`: the result goes into inputs[0]; after `checkChange`.
 * @throws RuntimeError with PyTorch's texts where the result's dtype or shape does not fit, or x may not be changed
 */
export function applyInplace(
  op: PointwiseOp,
  inputs: readonly Tensor[],
  scalars: readonly Scalar[] | null,
  promoting: readonly Scalar[] | null,
): Tensor {
  const x = inputs[0];
  const compute = checkOutput(op, inputs, promoting);
  const backend = commonBackend(op.name, inputs, op.inputNames);
  // 0-dim tensors of the cpu come to other devices; those of other devices don't go to the cpu.
  if (backend === null && x.storage.backend.device.type === 'cpu') {
    const other = inputs.findIndex((y) => y.storage.backend !== x.storage.backend);
    throw differentDevices(op.name, x.storage.backend, inputs[other].storage.backend, op.inputNames?.[other]);
  }
  const operands = backend === null ? [x, ...inputs.slice(1).map((y) => y.to(x.storage.backend.device))] : inputs;
  const tracked = tracks(op, inputs);
  const launched = launchScalars(scalars, compute);
  let node: PointwiseNode | null = null;
  if (tracked) {
    node = makeNode(op, operands, launched, compute);
    node.save(savesSelf(op, node) ? [x.clone(), ...operands.slice(1)] : operands, null);
  } else for (let i = 0; i < operands.length; i++) touchGraphOf(operands[i]);
  const ready = narrowed(operands, compute);
  op.kernel(ready, compute, x.dtype).launch(x, ready, launched);
  bumpVersion(x);
  if (node !== null) {
    rebaseHistory(x, node);
    node.save(NO_INPUTS, x);
  }
  return x;
}

/** Whether a wanted gradient reads the op's first input, which an in-place change is about to overwrite. */
function savesSelf(op: PointwiseOp, node: PointwiseNode): boolean {
  for (let i = 0; i < op.arity; i++) {
    if (node.nextNodes[i] !== null && op.gradient(i)?.operands.includes(0)) return true;
  }
  return false;
}
