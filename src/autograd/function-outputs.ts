/** What becomes of the outputs of a custom Function's forward: their history, and what kind of view they are. */
import { RuntimeError } from '../core/errors.ts';
import { OutputMeta } from '../tensor/node.ts';
import { aliasTensor, currentVersion, requiresGrad, Tensor } from '../tensor/tensor.ts';
import { setGradient } from './accumulate.ts';
import type { Context, CustomNode } from './function-node.ts';
import { setHistory } from './record.ts';
import { bumpVersion, gradientNode, markView, rebaseHistory } from './views.ts';

const RETURNED_AND_SAVED =
  'A input that has been returned as-is as output is being saved for backward. This is not supported if you override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup ctx inside the forward function itself.';
const SEVERAL_OUTPUTS =
  'If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change.';
const NOT_RETURNED =
  'Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified inplace must all be outputs of the Function.';

/** The outputs as users get them. What is no tensor stays as it is. */
export function wrapOutputs(
  raw: readonly unknown[],
  inputs: readonly Tensor[],
  ctx: Context,
  node: CustomNode | null,
  withSetup: boolean,
): unknown[] {
  const { dirty, nonDifferentiable, toSave } = ctx.marks;
  for (const x of dirty) bumpVersion(x);
  let differentiable = 0;
  const outputs = raw.map((output, i) => {
    if (!(output instanceof Tensor)) {
      if (node !== null) node.outputInfo[i] = null;
      return output;
    }
    if (node !== null) node.outputInfo[i] = new OutputMeta(output.sizes, output.dtype, output.storage.backend);
    const isInput = inputs.includes(output);
    const isDirty = dirty.includes(output);
    const hasGrad = node !== null && output.dtype.is_floating_point && !nonDifferentiable.includes(output);
    if (isInput && !isDirty && withSetup && toSave.includes(output)) throw new RuntimeError(RETURNED_AND_SAVED);
    let x: Tensor;
    if (!hasGrad) x = withoutHistory(output, isInput, isDirty);
    else {
      differentiable++;
      x = withHistory(output, node as CustomNode, i, isInput, isDirty, raw.length);
    }
    if (!(isInput && isDirty) && x.viewInfo !== null) x.viewInfo.creation = 'custom-function';
    return x;
  });
  if (differentiable > 1) {
    for (const x of outputs) if (x instanceof Tensor && x.viewInfo !== null) x.viewInfo.creation = 'multi-output';
  }
  for (const x of dirty) if (!raw.includes(x)) throw new RuntimeError(NOT_RETURNED);
  return outputs;
}

/** An input that is returned gets an object of its own, so that it can have a node of its own. */
function viewOfItself(x: Tensor): Tensor {
  const view = aliasTensor(x, x.offset, x.sizes, x.strides, x.length);
  markView(view, x, 'custom-function');
  return view;
}

function withoutHistory(x: Tensor, isInput: boolean, isDirty: boolean): Tensor {
  if (!requiresGrad(x)) return isInput && !isDirty ? viewOfItself(x) : x;
  if (isInput) return x.detach();
  // A view of an input keeps its history, as one made under no_grad does.
  return x.viewInfo === null ? x.detach_() : x;
}

function withHistory(
  x: Tensor,
  node: CustomNode,
  number: number,
  isInput: boolean,
  isDirty: boolean,
  count: number,
): Tensor {
  if (isDirty) {
    if (gradientNode(x) === null && requiresGrad(x)) {
      throw new RuntimeError('a leaf Variable that requires grad has been used in an in-place operation.');
    }
    if (x.viewInfo !== null && count > 1) throw new RuntimeError(SEVERAL_OUTPUTS);
    setGradient(x, null);
    x.hooks = null;
    x.accumulator = null;
    rebaseHistory(x, node, number);
    return x;
  }
  const output = isInput ? viewOfItself(x) : x;
  setHistory(output, node, number);
  if (output.viewInfo !== null) output.viewInfo.nodeVersion = currentVersion(output);
  return output;
}
