/** Recording ops that write into their first input. */
import type { Tensor } from '../tensor/tensor.ts';
import { requiresGrad } from '../tensor/tensor.ts';
import { mode } from './mode.ts';
import { type BackwardFunction, FunctionNode, setEdges, shouldRecord, touchGraphOf, touchGroup } from './record.ts';
import { SavedTensor } from './saved.ts';
import { bumpVersion, checkInplace, rebaseHistory } from './views.ts';

/**
 * What PyTorch refuses before it looks at shapes and dtypes: changing a leaf that requires grad, or a view that may not
 * be changed.
 */
export function checkChange(self: Tensor, inputs: readonly (Tensor | null)[]): void {
  const tracked = self.dtype.is_floating_point && shouldRecord(inputs);
  checkInplace(self, tracked || (mode.grad && requiresGrad(self)));
}

/**
 * Runs `write`, which changes `self`, with all that autograd wants around it: the checks before, the version count, and
 * the new history.
 *
 * @param inputs the differentiable inputs in the order of backward's results; `self` is the first
 * @param save inputs that backward needs, as they are before the change
 */
export function changeInplace(
  name: string,
  self: Tensor,
  inputs: readonly (Tensor | null)[],
  save: readonly (Tensor | null)[],
  write: () => void,
  backward: BackwardFunction,
): Tensor {
  const tracked = self.dtype.is_floating_point && shouldRecord(inputs);
  checkInplace(self, tracked || (mode.grad && requiresGrad(self)));
  if (!tracked) {
    write();
    for (const x of inputs) if (x !== null) touchGraphOf(x);
    bumpVersion(self);
    return self;
  }
  const node = new FunctionNode(name, backward);
  setEdges(node, inputs);
  const group = touchGroup(node);
  if (save.length > 0) node.saved = save.map((x) => (x === null ? null : new SavedTensor(x, group)));
  write();
  bumpVersion(self);
  rebaseHistory(self, node);
  return self;
}
