/**
 * Tensors saved for backward. Each remembers the version it was saved at, so that a later in-place change is an error
 * and never a wrong gradient.
 */
import { RuntimeError } from '../core/errors.ts';
import type { Storage } from '../devices/storage.ts';
import type { GraphGroup } from '../memory/groups.ts';
import type { Node } from '../tensor/node.ts';
import { currentVersion, FLAG_INFERENCE, Tensor } from '../tensor/tensor.ts';
import { mode } from './mode.ts';

export class SavedTensor {
  private tensor: Tensor | null;
  /** Kept until the release, also when the tensor has been disposed of. */
  private storage: Storage | null;
  private readonly version: number;
  private readonly node: Node | null;
  private readonly outputNumber: number;
  private readonly output: Node | null;

  /**
   * @param tensor an input of the op, or its result once its node is set
   * @param output the node that saves it, where the tensor is that node's own result
   * @param group the autograd graph that saves it: what a graph saved counts as used until it is released
   */
  constructor(tensor: Tensor, group: GraphGroup, output: Node | null = null) {
    if ((tensor.flags & FLAG_INFERENCE) !== 0 && !mode.inference) {
      throw new RuntimeError(
        'Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.',
      );
    }
    this.tensor = tensor;
    const { storage } = tensor;
    this.storage = storage;
    this.version = currentVersion(tensor);
    this.node = tensor.node;
    this.output = output;
    this.outputNumber = tensor.outputNumber;
    storage.holdForBackward(group);
  }

  /** The tensor as it was saved. */
  unpack(): Tensor {
    const tensor = this.tensor;
    if (tensor === null) throw new RuntimeError(ALREADY_FREED);
    const version = currentVersion(tensor);
    if (version !== this.version) throw new RuntimeError(changedInPlace(tensor, this.output, version, this.version));
    if (tensor.storage === this.storage && tensor.node === this.node) return tensor;
    // The handle was disposed or detached since; the graph keeps what it saved.
    const again = new Tensor(
      this.storage!,
      tensor.offset,
      tensor.sizes,
      tensor.strides,
      tensor.dtype,
      tensor.length,
      tensor.contiguousNow,
    );
    again.node = this.node;
    again.outputNumber = this.outputNumber;
    again.version = tensor.version;
    return again;
  }

  release(): void {
    const { storage } = this;
    if (storage === null) return;
    // A result that the program keeps leads to this node; it must not lead on to what the node has let go of.
    this.tensor = null;
    this.storage = null;
    storage.unholdForBackward();
  }
}

export const ALREADY_FREED =
  'Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.';

/** PyTorch shows a node's name without the ending in these texts. */
export function shortName(node: Node): string {
  if (node.name === 'CopyBackwards' || node.name === 'CopySlices') return `torch::autograd::${node.name}`;
  return node.name.replace(/Backward0?$/, '').replace(/Backward(\d+)$/, '$1');
}

function changedInPlace(tensor: Tensor, output: Node | null, found: number, expected: number): string {
  const type = tensor.storage.backend.device.type;
  const prefix = type === 'cpu' ? 'torch.' : `torch.${type}.`;
  const node = output ?? tensor.node;
  const from = node === null ? '' : `, which is output ${tensor.outputNumber} of ${shortName(node)},`;
  return `one of the variables needed for gradient computation has been modified by an inplace operation: [${prefix}${tensor.dtype.tensorTypeName} [${tensor.sizes.join(', ')}]]${from} is at version ${found}; expected version ${expected} instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).`;
}
