/** Running pointwise ops: the hot paths, the general path, and the node that records them. */
import { mode } from '../autograd/mode.ts';
import { reserveEdges, setEdge, setHistory, touchGraphOf, touchGroup } from '../autograd/record.ts';
import { ALREADY_FREED, SavedTensor } from '../autograd/saved.ts';
import { type DType, FLOAT_CATEGORY } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Scalar } from '../core/promote.ts';
import { broadcastSizes, contiguousStrides, isContiguous, sameSizes } from '../core/shape.ts';
import { clock } from '../memory/clock.ts';
import { emptyStrided, emptyTensor } from '../tensor/empty.ts';
import { Node, pruning } from '../tensor/node.ts';
import { FLAG_INFERENCE, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { commonBackend } from './device.ts';
import { outputStrides } from './layout.ts';
import {
  commonDType,
  computeDType,
  type Gradient,
  type LaunchScalar,
  launchScalars,
  outputDType,
  type PointwiseOp,
} from './pointwise-op.ts';

/** The node of a pointwise op. */
export class PointwiseNode extends Node {
  readonly name: string;
  readonly saved: (SavedTensor | null)[];
  private released = false;

  constructor(
    private readonly op: PointwiseOp,
    private readonly scalars: readonly LaunchScalar[] | null,
    private readonly compute: DType,
  ) {
    super();
    this.name = op.nodeName;
    this.saved = new Array<SavedTensor | null>(op.arity + 1).fill(null);
  }

  apply(grads: (Tensor | null)[]): (Tensor | null)[] {
    if (this.op.underivable) throw new RuntimeError(`derivative for aten::${this.op.name} is not implemented`);
    if (this.released && this.op.keepsNumber) throw new RuntimeError(ALREADY_FREED);
    const grad = grads[0]!;
    const n = this.op.arity;
    const out: (Tensor | null)[] = new Array(n);
    // As in PyTorch, what was saved must be as it was even where a run has no use for it.
    if (pruning.needed !== null) for (const s of this.saved) s?.unpack();
    for (let i = 0; i < n; i++) {
      if (!this.needs(i)) {
        out[i] = null;
        continue;
      }
      const gradient = this.op.gradient(i);
      out[i] =
        gradient === null ? null : this.one(gradient, grad, this.nextNodes[i]!.outputs[this.nextOutputs[i]].dtype);
    }
    return out;
  }

  private one(gradient: Gradient, grad: Tensor, dtype: DType): Tensor {
    const { op, operands } = gradient;
    const last = this.op.arity + 1;
    // The gradient itself, unchanged.
    if (op.expr.op === 'input' && operands[0] === last) return grad;
    const inputs = operands.map((position) => (position === last ? grad : this.saved[position]!.unpack()));
    if (operands.length === 0) {
      // A constant gradient (0 times something) still has the shape of grad.
      return grad.new_zeros(grad.sizes as number[]);
    }
    return applyPointwise(op, inputs, this.scalars, this.compute, dtype);
  }

  /** Keeps what the wanted gradients read. Inputs are saved before an in-place change, results after it. */
  save(inputs: readonly Tensor[], result: Tensor | null): void {
    const n = this.op.arity;
    const group = touchGroup(this);
    const saved = this.saved;
    for (let i = 0; i < n; i++) {
      if (this.nextNodes[i] === null) continue;
      const gradient = this.op.gradient(i);
      if (gradient === null) continue;
      for (const position of gradient.operands) {
        if (saved[position]) continue;
        if (position < n && inputs.length > 0) saved[position] = new SavedTensor(inputs[position], group);
        else if (position === n && result !== null) saved[position] = new SavedTensor(result, group, this);
      }
    }
  }

  release(): void {
    this.released = true;
    for (const s of this.saved) s?.release();
  }
}

export function wantsRecord(op: PointwiseOp, inputs: readonly Tensor[], output: DType): boolean {
  if (!mode.grad || output.category !== FLOAT_CATEGORY || op.rule === 'bool') return false;
  for (let i = 0; i < inputs.length; i++) {
    const x = inputs[i];
    if (x.dtype.category !== FLOAT_CATEGORY || !requiresGrad(x) || op.isMask(i)) continue;
    if (!op.derived || op.gradient(i) !== null) return true;
  }
  return false;
}

export function makeNode(
  op: PointwiseOp,
  inputs: readonly Tensor[],
  scalars: readonly LaunchScalar[] | null,
  compute: DType,
): PointwiseNode {
  const node = new PointwiseNode(op, scalars, compute);
  reserveEdges(node, inputs.length);
  for (let i = 0; i < inputs.length; i++) {
    // A mask or an input without gradient has no edge.
    if (!op.isMask(i) && op.gradient(i) !== null) setEdge(node, i, inputs[i]);
  }
  return node;
}

function recordResult(
  op: PointwiseOp,
  inputs: readonly Tensor[],
  scalars: readonly LaunchScalar[] | null,
  compute: DType,
  out: Tensor,
): void {
  const node = makeNode(op, inputs, scalars, compute);
  setHistory(out, node, 0);
  node.save(inputs, out);
}

/** Whether values change where they are converted to the dtype that is computed in. */
function loses(from: DType, to: DType): boolean {
  if (from.category !== to.category) return to.itemsize === 2 && to.category === FLOAT_CATEGORY && from.itemsize > 1;
  if (from.itemsize > to.itemsize) return true;
  if (from.category === FLOAT_CATEGORY) return from.itemsize === 2 && to.itemsize === 2;
  return from.is_signed !== to.is_signed && from.itemsize === to.itemsize;
}

/**
 * Inputs without dimensions may be of a wider dtype than what is computed in: their values are converted first, as in PyTorch,
 * which matters where expressions compute in something wider still.
 */
export function narrowed(inputs: readonly Tensor[], compute: DType): readonly Tensor[] {
  for (let i = 0; i < inputs.length; i++) {
    const x = inputs[i];
    if (x.sizes.length === 0 && x.dtype !== compute && loses(x.dtype, compute)) {
      return inputs.map((y) =>
        y.sizes.length === 0 && y.dtype !== compute && loses(y.dtype, compute) ? y.detach().to(compute) : y,
      );
    }
  }
  return inputs;
}

/**
 * The general path: broadcasts, allocates, launches and records.
 * @param scalars already in the form of the launch
 */
export function applyPointwise(
  op: PointwiseOp,
  inputs: readonly Tensor[],
  scalars: readonly LaunchScalar[] | null,
  compute: DType,
  output: DType,
): Tensor {
  const backend = commonBackend(op.name, inputs, op.inputNames);
  if (backend === null) {
    return applyPointwise(op, moveScalarsOver(inputs), scalars, compute, output);
  }
  let sizes = inputs[0].sizes;
  for (let i = 1; i < inputs.length; i++) sizes = broadcastSizes(sizes, inputs[i].sizes);
  const strides = op.rowMajor ? contiguousStrides(sizes) : outputStrides(sizes, inputs);
  const out = emptyStrided(backend, sizes, strides, output, isContiguous(sizes, strides));
  const operands = narrowed(inputs, compute);
  op.kernel(operands, compute, output).launch(out, operands, scalars);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  else if (wantsRecord(op, inputs, output)) recordResult(op, inputs, scalars, compute, out);
  else for (let i = 0; i < inputs.length; i++) touchGraphOf(inputs[i]);
  return out;
}

/** 0-dim cpu tensors may stand beside tensors of another device, as scalars. */
function moveScalarsOver(inputs: readonly Tensor[]): Tensor[] {
  const other = inputs.find((x) => x.storage.backend.device.type !== 'cpu')!;
  return inputs.map((x) => (x.storage.backend === other.storage.backend ? x : x.to(other.storage.backend.device)));
}

/** One input: the hot path for contiguous tensors, otherwise the general one. */
export function applyUnary(op: PointwiseOp, x: Tensor): Tensor {
  clock.operation = op.name;
  const plan = op.plans[x.dtype.index] ?? op.plan(x.dtype, [x]);
  if (!x.contiguousNow || mode.inference) return applyPointwise(op, [x], null, plan.compute, plan.output);
  const out = emptyTensor(x.storage.backend, x.sizes, plan.output);
  plan.kernel.launch1(out, x);
  if (mode.grad && requiresGrad(x)) {
    const inputs = [x];
    if (wantsRecord(op, inputs, plan.output)) recordResult(op, inputs, null, plan.compute, out);
  }
  if (x.node !== null) touchGraphOf(x);
  return out;
}

/** Two inputs of one dtype, size and device, both contiguous: the hot path. Otherwise the general one. */
export function applyBinary(op: PointwiseOp, a: Tensor, b: Tensor, otherwise: GeneralPath): Tensor {
  const dtype = a.dtype;
  clock.operation = op.name;
  if (
    dtype === b.dtype &&
    a.contiguousNow &&
    b.contiguousNow &&
    a.storage.backend === b.storage.backend &&
    !mode.inference &&
    sameSizes(a.sizes, b.sizes)
  ) {
    const plan = op.plans[dtype.index] ?? op.plan(dtype, [a, b]);
    const out = emptyTensor(a.storage.backend, a.sizes, plan.output);
    plan.kernel.launch2(out, a, b);
    if (mode.grad && (requiresGrad(a) || requiresGrad(b))) {
      const inputs = [a, b];
      if (wantsRecord(op, inputs, plan.output)) recordResult(op, inputs, null, plan.compute, out);
    }
    if (a.node !== null) touchGraphOf(a);
    if (b.node !== null) touchGraphOf(b);
    return out;
  }
  return otherwise.general(a, b);
}

/** Where a binary op goes when its hot path does not fit. */
export interface GeneralPath {
  general(a: Tensor, b: Tensor): Tensor;
}

/** A contiguous float tensor and a number. */
export function applyNumber(op: PointwiseOp, x: Tensor, value: number): Tensor {
  clock.operation = op.name;
  const plan = op.plans[x.dtype.index] ?? op.plan(x.dtype, [x]);
  if (!x.contiguousNow || mode.inference) return applyPointwise(op, [x], [value], plan.compute, plan.output);
  const out = emptyTensor(x.storage.backend, x.sizes, plan.output);
  plan.kernel.launch1(out, x, value);
  if (mode.grad && requiresGrad(x)) {
    const inputs = [x];
    if (wantsRecord(op, inputs, plan.output)) recordResult(op, inputs, [value], plan.compute, out);
  }
  if (x.node !== null) touchGraphOf(x);
  return out;
}

/**
 * Chooses the dtypes by the op's rule, then applies.
 * @param promoting scalars that take part in promotion, in the user's form
 */
export function applyGeneral(
  op: PointwiseOp,
  inputs: readonly Tensor[],
  scalars: readonly Scalar[] | null,
  promoting: readonly Scalar[] | null,
): Tensor {
  const common = commonDType(inputs, op.bystanders, promoting);
  let compute: DType;
  try {
    compute = computeDType(op, common);
  } catch (error) {
    // Shapes come first, where they do not fit either.
    inputs.reduce((sizes, x) => broadcastSizes(sizes, x.sizes), inputs[0].sizes);
    throw error;
  }
  return applyPointwise(op, inputs, launchScalars(scalars, compute), compute, outputDType(op, compute));
}
