/**
 * Views and in-place changes. A view shares storage and version counter with its base. Changing a view in place
 * rewrites the base's history (CopySlices) and makes every view's node stale; a stale node is made anew, from the
 * base, when it is next looked at.
 */
import { RuntimeError } from '../core/errors.ts';
import { Node, OutputMeta, pruning } from '../tensor/node.ts';
import {
  aliasTensor,
  currentVersion,
  FLAG_INFERENCE,
  FLAG_RETAINS_GRAD,
  requiresGrad,
  type Tensor,
  type ViewCreation,
  ViewInfo,
  versionCounter,
} from '../tensor/tensor.ts';
import { mode } from './mode.ts';
import { record, setEdges, setHistory, touchGroup } from './record.ts';
import { shortName } from './saved.ts';

/** A differentiable view of x with the given geometry; the caller records its node. */
export function makeView(
  x: Tensor,
  offset: number,
  sizes: readonly number[],
  strides: readonly number[],
  length: number,
  creation: ViewCreation = 'default',
): Tensor {
  const view = aliasTensor(x, offset, sizes, strides, length);
  markView(view, x, creation);
  return view;
}

/** Makes `view`, an alias of x's storage, a view of x's base. */
export function markView(view: Tensor, x: Tensor, creation: ViewCreation): void {
  if ((x.flags & FLAG_INFERENCE) !== 0) {
    view.flags |= FLAG_INFERENCE;
    return;
  }
  const counter = versionCounter(x);
  view.version = counter;
  const parent = x.viewInfo;
  if (creation === 'default' || creation === 'multi-output') {
    if (mode.inference) creation = 'inference';
    else if (!mode.grad) creation = 'no-grad';
    // A view of a view that may not be changed in place may not be changed either.
    else if (parent !== null && parent.creation !== 'default') creation = parent.creation;
  }
  view.viewInfo = new ViewInfo(parent === null ? x : parent.base, creation, counter.value);
}

/** The node whose output x is; null for leaves and tensors without grad. */
export function gradientNode(x: Tensor): Node | null {
  const info = x.viewInfo;
  if (info === null || x.version === null || info.nodeVersion === x.version.value) return x.node;
  const base = info.base;
  if (!requiresGrad(base)) return x.node;
  refuseUnlessPlainView(x, info, true);
  const { sizes, strides, offset } = x;
  const node = asStridedNode(base, sizes, strides, offset);
  changeNode(x, node, 0);
  info.nodeVersion = x.version.value;
  return node;
}

/** Gives a tensor that was changed in place its new node. Hooks stay with the old one; `retain_grad` comes along. */
function changeNode(x: Tensor, node: Node, number: number): void {
  const before = x.node;
  const numberBefore = x.outputNumber;
  setHistory(x, node, number);
  if ((x.flags & FLAG_RETAINS_GRAD) === 0 || before === null || before.retained === null) return;
  const at = before.retained.findIndex(({ tensor, output }) => output === numberBefore && tensor.deref() === x);
  if (at < 0) return;
  const [entry] = before.retained.splice(at, 1);
  node.retained ??= [];
  node.retained.push({ tensor: entry.tensor, output: number });
}

class AsStridedNode extends Node {
  readonly name = 'AsStridedBackward0';
  constructor(
    private readonly baseSizes: readonly number[],
    private readonly baseStrides: readonly number[],
    private readonly baseOffset: number,
    private readonly sizes: readonly number[],
    private readonly strides: readonly number[],
    private readonly offset: number,
  ) {
    super();
  }

  apply(grads: (Tensor | null)[]): (Tensor | null)[] {
    const grad = grads[0];
    if (grad === null) return [null];
    return [
      grad.as_strided_backward(
        this.baseSizes,
        this.baseStrides,
        this.sizes,
        this.strides,
        this.offset - this.baseOffset,
      ),
    ];
  }

  release(): void {}
}

/** The node of `base.as_strided(sizes, strides, offset)`. */
export function asStridedNode(
  base: Tensor,
  sizes: readonly number[],
  strides: readonly number[],
  offset: number,
): Node {
  const node = new AsStridedNode(base.sizes, base.strides, base.offset, sizes, strides, offset);
  setEdges(node, [base]);
  return node;
}

/** The way out of changing a leaf. */
const IN_PLACE = ' Change it inside torch.no_grad(() => …), or change a copy: x.clone().';

const REPLACE =
  'This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace the inplace operation by an out-of-place one.';
const AMBIGUOUS = (where: string) =>
  `Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside the ${where} block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked).`;

/** Throws PyTorch's error for a view whose history can't be rewritten. */
function refuseUnlessPlainView(x: Tensor, info: ViewInfo, indirect: boolean): void {
  if (info.creation === 'default') return;
  const changed = indirect ? 'its base or another view of its base has been' : 'is being';
  const from = x.node === null ? null : `Output ${x.outputNumber} of ${shortName(x.node)} is a view`;
  switch (info.creation) {
    case 'multi-output':
      throw new RuntimeError(
        from === null
          ? `A view was created in no_grad mode and ${changed} modified inplace with grad mode enabled. ${REPLACE}`
          : `${from} and ${changed} modified inplace. ${REPLACE}`,
      );
    case 'no-grad':
      throw new RuntimeError(
        `${from === null ? 'A view' : `${from} of a view which`} was created in no_grad mode and ${changed} modified inplace with grad mode enabled. ${AMBIGUOUS('no_grad')}`,
      );
    case 'inference':
      throw new RuntimeError(
        `${from === null ? 'A view' : `${from} of a view which`} was created in inference mode and ${changed} modified inplace in normal mode. ${AMBIGUOUS('inference_mode')}`,
      );
    case 'custom-function':
      throw new RuntimeError(
        `Output ${x.outputNumber} of ${x.node === null ? 'a custom Function' : shortName(x.node)} is a view and ${changed} modified inplace. This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function.`,
      );
  }
}

/**
 * Whether x may be changed in place now; `tracked` when the change will be recorded (x or another input requires grad).
 * @throws RuntimeError with PyTorch's text where it may not.
 */
export function checkInplace(x: Tensor, tracked: boolean): void {
  if ((x.flags & FLAG_INFERENCE) !== 0 && !mode.inference) {
    throw new RuntimeError(
      'Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.',
    );
  }
  if (!tracked || !mode.grad) return;
  const info = x.viewInfo;
  if (info !== null) {
    refuseUnlessPlainView(x, info, false);
    gradientNode(x);
    if (requiresGrad(x) && info.base.node === null) {
      throw new RuntimeError(
        `a view of a leaf Variable that requires grad is being used in an in-place operation.${IN_PLACE}`,
      );
    }
  }
  if (x.node === null && x.wantsGrad) {
    throw new RuntimeError(`a leaf Variable that requires grad is being used in an in-place operation.${IN_PLACE}`);
  }
}

/** Counts an in-place change. */
export function bumpVersion(x: Tensor): void {
  if ((x.flags & FLAG_INFERENCE) !== 0) return;
  versionCounter(x).value++;
}

/**
 * Gives x, just changed in place, the node of that change. Where x is a view, the base's history is rewritten: its
 * gradient is the old one outside the view and goes through `node` inside it.
 */
export function rebaseHistory(x: Tensor, node: Node, number = 0): void {
  const info = x.viewInfo;
  if (info === null) {
    changeNode(x, node, number);
    touchGroup(node);
    return;
  }
  const base = info.base;
  const slices = new CopySlices(base, x, node);
  touchGroup(slices).merge(touchGroup(node));
  node.outputs[0] = new OutputMeta(x.sizes, x.dtype, x.storage.backend);
  changeNode(base, slices, 0);
  // Makes x's own node anew, from the base.
  info.nodeVersion = -1;
  gradientNode(x);
}

/** Gradient of a base whose view was changed in place by `node`. */
class CopySlices extends Node {
  readonly name = 'CopySlices';
  private readonly sizes: readonly number[];
  private readonly strides: readonly number[];
  private readonly offset: number;
  private readonly viewSizes: readonly number[];
  private readonly viewStrides: readonly number[];
  private readonly viewOffset: number;

  constructor(
    base: Tensor,
    view: Tensor,
    private fn: Node | null,
  ) {
    super();
    this.sizes = base.sizes;
    this.strides = base.strides;
    this.offset = base.offset;
    this.viewSizes = view.sizes;
    this.viewStrides = view.strides;
    this.viewOffset = view.offset;
    // Edge 0 is the base as it was before; the others are the op's other inputs.
    setEdges(this, [base]);
    for (let i = 1; i < fn!.nextNodes.length; i++) {
      this.nextNodes.push(fn!.nextNodes[i]);
      this.nextOutputs.push(fn!.nextOutputs[i]);
    }
  }

  override get runsUserCode(): boolean {
    return this.fn?.runsUserCode ?? false;
  }

  apply(grads: (Tensor | null)[]): (Tensor | null)[] {
    const grad = grads[0];
    const out: (Tensor | null)[] = new Array(this.nextNodes.length).fill(null);
    if (grad === null) return out;
    const fn = this.fn!;
    const result = grad.new_empty_strided(this.sizes, this.strides);
    result.copy_(grad);
    const slice = result.as_strided(this.viewSizes, this.viewStrides, this.viewOffset - this.offset);
    const inner = this.applyInner(fn, slice.clone());
    for (let i = 0; i < out.length; i++) {
      if (this.nextNodes[i] === null) continue;
      if (i === 0) {
        const first = inner[0];
        if (first === null) slice.zero_();
        else slice.copy_(first);
        out[0] = result;
      } else out[i] = inner[i];
    }
    return out;
  }

  /** What leads to the base leads, for the op on the view, to the view as it was before. */
  private applyInner(fn: Node, grad: Tensor): (Tensor | null)[] {
    const { needed } = pruning;
    const before = fn.nextNodes[0];
    if (needed === null || before === null || !this.needs(0)) return fn.apply([grad]);
    try {
      pruning.needed = new Set(needed).add(before);
      return fn.apply([grad]);
    } finally {
      pruning.needed = needed;
    }
  }

  release(): void {
    this.fn?.release();
  }
}

/** Records a view op; `backward` turns the view's gradient into x's. */
export function recordView(name: string, view: Tensor, x: Tensor, backward: (grad: Tensor) => Tensor): Tensor {
  return record(name, view, [x], [], (grads) => (grads[0] === null ? null : backward(grads[0])));
}

/** Version of x as `_version` shows it. */
export function versionOf(x: Tensor): number {
  return currentVersion(x);
}
