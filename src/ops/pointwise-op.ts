/**
 * A pointwise operation at run time: an expression over tensor inputs and scalars, compiled per combination of dtypes,
 * recorded as one node, differentiated by deriving its expression. Gradients are pointwise operations themselves, so
 * double backward of any order needs nothing more.
 */

import { mode } from '../autograd/mode.ts';
import { addEdge, setHistory, touchGraphOf, touchGroup } from '../autograd/record.ts';
import { SavedTensor } from '../autograd/saved.ts';
import { bumpVersion, checkInplace, rebaseHistory } from '../autograd/views.ts';
import { defaultDType } from '../core/defaults.ts';
import { bool, type DType, FLOAT_CATEGORY, uint8 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { categoryDType, promoteTypes, type Scalar, scalarCategory } from '../core/promote.ts';
import { broadcastSizes, isContiguous, sameSizes, showSizes } from '../core/shape.ts';
import { derivative, inputsUsed, renumberInputs } from '../kernels/derivative.ts';
import { type Expr, input, mul } from '../kernels/expr.ts';
import { MapKernel } from '../kernels/map.ts';
import { emptyStrided, emptyTensor } from '../tensor/empty.ts';
import { Node } from '../tensor/node.ts';
import { FLAG_INFERENCE, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { commonBackend } from './device.ts';
import { outputStrides, overlapsItself, overlapsPartly } from './layout.ts';

/**
 * How dtypes follow from the operands: `promote` computes and gives the promoted dtype; `float` the same, but integers
 * become the default float dtype; `bool` computes in the promoted dtype and gives bool; `inexact` refuses integers.
 */
export type DTypeRule = 'promote' | 'float' | 'bool' | 'inexact';

/** A number that goes into a launch. */
export type LaunchScalar = number | bigint;

/** One gradient of a pointwise op: another pointwise op over some of [inputs…, result, grad]. */
interface Gradient {
  readonly op: PointwiseOp;
  /** Positions in [inputs…, result, grad]. */
  readonly operands: readonly number[];
}

/** Gradient of input i as an expression over inputs 0…n-1, result = input(n), grad = input(n + 1). */
export type GradientExpr = (i: number) => Expr | null | undefined;

export class PointwiseOp {
  /** Same-dtype plans by dtype index: the hot path's only look-up. */
  readonly plans: (Plan | undefined)[] = new Array(10).fill(undefined);
  private readonly kernels = new Map<number, MapKernel>();
  private readonly gradients: (Gradient | null | undefined)[] = [];

  constructor(
    /** For error texts. */
    readonly name: string,
    /** PyTorch's node name, `MulBackward0`. */
    readonly nodeName: string,
    readonly expr: Expr,
    /** Number of tensor inputs. */
    readonly arity: number,
    readonly scalarCount: number,
    readonly rule: DTypeRule,
    /** Bit set of inputs that are truth values: they take no part in promotion and get no gradient. */
    readonly masks: number,
    /** Bit set of inputs that take no part in promotion; masks are among them. */
    readonly bystanders: number,
    private readonly gradientExpr: GradientExpr | null,
    /** The kernel's name in "not implemented for" errors. */
    readonly kernelName: string = name,
  ) {}

  isMask(i: number): boolean {
    return ((this.masks >> i) & 1) === 1;
  }

  /** The kernel for these storage dtypes. */
  kernel(inputs: readonly Tensor[], compute: DType, output: DType): MapKernel {
    let key = compute.index * 10 + output.index;
    for (let i = 0; i < inputs.length; i++) key = key * 10 + inputs[i].dtype.index;
    let kernel = this.kernels.get(key);
    if (kernel === undefined) {
      kernel = new MapKernel({
        outputs: [{ expr: this.expr, dtype: output }],
        inputs: inputs.map((x) => x.dtype),
        compute,
        scalars: this.scalarCount,
        name: this.name,
      });
      this.kernels.set(key, kernel);
    }
    return kernel;
  }

  /** Plan for inputs that all have this dtype. */
  plan(dtype: DType, inputs: readonly Tensor[]): Plan {
    const found = this.plans[dtype.index];
    if (found !== undefined) return found;
    const compute = computeDType(this, dtype);
    const output = this.rule === 'bool' ? bool : compute;
    const plan = new Plan(this.kernel(inputs, compute, output), compute, output);
    this.plans[dtype.index] = plan;
    return plan;
  }

  /** The gradient of input i; null when it has none. */
  gradient(i: number): Gradient | null {
    const found = this.gradients[i];
    if (found !== undefined) return found;
    return (this.gradients[i] = this.deriveGradient(i));
  }

  private deriveGradient(i: number): Gradient | null {
    if (this.rule === 'bool' || this.isMask(i)) return null;
    const n = this.arity;
    let expr = this.gradientExpr === null ? undefined : this.gradientExpr(i);
    if (expr === undefined) {
      const d = derivative(this.expr, i);
      expr = d === null ? null : isOne(d) ? input(n + 1) : mul(input(n + 1), d);
    }
    if (expr === null) return null;
    const used = inputsUsed(expr);
    let masks = 0;
    used.forEach((from, to) => {
      if (from < n && this.isMask(from)) masks |= 1 << to;
    });
    const op = new PointwiseOp(
      `${this.name}_backward`,
      `${this.nodeName.replace(/\d+$/, '')}Backward0`,
      renumberInputs(expr, used),
      used.length,
      this.scalarCount,
      'promote',
      masks,
      masks,
      null,
      this.kernelName,
    );
    return { op, operands: used };
  }
}

function isOne(expr: Expr): boolean {
  return expr.op === 'const' && expr.value === 1;
}

/** A kernel with the dtypes it was chosen for. */
export class Plan {
  constructor(
    readonly kernel: MapKernel,
    readonly compute: DType,
    readonly output: DType,
  ) {}
}

function computeDType(op: PointwiseOp, common: DType): DType {
  if (op.rule === 'promote' || op.rule === 'bool') return common;
  if (common.category === FLOAT_CATEGORY) return common;
  if (op.rule === 'float') return defaultDType();
  throw new NotImplementedError(`"${op.kernelName}" not implemented for '${common.scalarTypeName}'`);
}

/** PyTorch's result type over tensors with dimensions, 0-dim tensors and scalars. */
export function commonDType(inputs: readonly Tensor[], bystanders: number, scalars: readonly Scalar[] | null): DType {
  let dims: DType | null = null;
  let zeros: DType | null = null;
  for (let i = 0; i < inputs.length; i++) {
    if (((bystanders >> i) & 1) === 1) continue;
    const { dtype, sizes } = inputs[i];
    if (sizes.length > 0) dims = dims === null ? dtype : promoteTypes(dims, dtype);
    else zeros = zeros === null ? dtype : promoteTypes(zeros, dtype);
  }
  let common: DType | null = dims;
  if (zeros !== null && (common === null || zeros.category > common.category)) {
    common = zeros;
  }
  if (scalars !== null) {
    let category = -1;
    for (const s of scalars) {
      category = Math.max(category, scalarCategory(s, common === null ? 0 : common.category));
    }
    if (common === null || category > common.category) common = categoryDType(category as 0 | 1 | 2);
  }
  return common ?? bool;
}

function outputDType(op: PointwiseOp, compute: DType): DType {
  return op.rule === 'bool' ? bool : compute;
}

/** The node of a pointwise op. */
class PointwiseNode extends Node {
  readonly name: string;
  saved: (SavedTensor | null)[] = [];

  constructor(
    private readonly op: PointwiseOp,
    private readonly scalars: readonly LaunchScalar[] | null,
    private readonly compute: DType,
  ) {
    super();
    this.name = op.nodeName;
  }

  apply(grads: (Tensor | null)[]): (Tensor | null)[] {
    const grad = grads[0]!;
    const n = this.op.arity;
    const out: (Tensor | null)[] = new Array(n);
    for (let i = 0; i < n; i++) {
      if (this.nextNodes[i] === null) {
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
    for (const s of this.saved) s?.release();
  }
}

function wantsRecord(op: PointwiseOp, inputs: readonly Tensor[], output: DType): boolean {
  if (!mode.grad || output.category !== FLOAT_CATEGORY || op.rule === 'bool') return false;
  for (let i = 0; i < inputs.length; i++) {
    const x = inputs[i];
    if (x.dtype.category === FLOAT_CATEGORY && requiresGrad(x) && !op.isMask(i)) return true;
  }
  return false;
}

function makeNode(
  op: PointwiseOp,
  inputs: readonly Tensor[],
  scalars: readonly LaunchScalar[] | null,
  compute: DType,
): PointwiseNode {
  const node = new PointwiseNode(op, scalars, compute);
  for (let i = 0; i < inputs.length; i++) {
    // A mask or an input without gradient has no edge.
    addEdge(node, op.isMask(i) || op.gradient(i) === null ? null : inputs[i]);
  }
  return node;
}

const NO_INPUTS: readonly Tensor[] = [];

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
  const backend = commonBackend(op.name, inputs);
  if (backend === null) {
    return applyPointwise(op, moveScalarsOver(inputs), scalars, compute, output);
  }
  let sizes = inputs[0].sizes;
  for (let i = 1; i < inputs.length; i++) sizes = broadcastSizes(sizes, inputs[i].sizes);
  const strides = outputStrides(sizes, inputs);
  const out = emptyStrided(backend, sizes, strides, output, isContiguous(sizes, strides));
  op.kernel(inputs, compute, output).launch(out, inputs, scalars);
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
  const plan = op.plans[x.dtype.index] ?? op.plan(x.dtype, [x]);
  if (!x.contiguousNow || mode.inference) return applyPointwise(op, [x], null, plan.compute, plan.output);
  const out = emptyTensor(x.storage.backend, x.sizes, plan.output);
  plan.kernel.launch1(out, x);
  if (mode.grad && requiresGrad(x)) {
    const inputs = [x];
    if (wantsRecord(op, inputs, plan.output)) recordResult(op, inputs, null, plan.compute, out);
  } else if (x.node !== null) touchGraphOf(x);
  return out;
}

/** Two inputs of one dtype, size and device, both contiguous: the hot path. Otherwise the general one. */
export function applyBinary(op: PointwiseOp, a: Tensor, b: Tensor, otherwise: GeneralPath): Tensor {
  const dtype = a.dtype;
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
    if (mode.grad) {
      if (requiresGrad(a) || requiresGrad(b)) {
        const inputs = [a, b];
        if (wantsRecord(op, inputs, plan.output)) recordResult(op, inputs, null, plan.compute, out);
      }
    } else {
      touchGraphOf(a);
      touchGraphOf(b);
    }
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
  const plan = op.plans[x.dtype.index] ?? op.plan(x.dtype, [x]);
  if (!x.contiguousNow || mode.inference) return applyPointwise(op, [x], [value], plan.compute, plan.output);
  const out = emptyTensor(x.storage.backend, x.sizes, plan.output);
  plan.kernel.launch1(out, x, value);
  if (mode.grad && requiresGrad(x)) {
    const inputs = [x];
    if (wantsRecord(op, inputs, plan.output)) recordResult(op, inputs, [value], plan.compute, out);
  } else if (x.node !== null) touchGraphOf(x);
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
  const compute = computeDType(op, commonDType(inputs, op.bystanders, promoting));
  return applyPointwise(op, inputs, launchScalars(scalars, compute), compute, outputDType(op, compute));
}

/**
 * Scalars in the form of a launch: numbers for a float compute dtype, whole numbers or bigints for an integer one.
 */
export function launchScalars(scalars: readonly Scalar[] | null, compute: DType): readonly LaunchScalar[] | null {
  if (scalars === null) return null;
  return scalars.map((s) => {
    if (typeof s === 'boolean') return s ? 1 : 0;
    if (compute.category === FLOAT_CATEGORY) return Number(s);
    if (compute === bool) return s ? 1 : 0;
    return wrapped(typeof s === 'number' ? Math.trunc(s) : s, compute);
  });
}

/** An integer scalar as C++ casts it to the dtype. */
function wrapped(s: LaunchScalar, dtype: DType): LaunchScalar {
  if (dtype === uint8) return BigInt.asUintN(8, BigInt(s));
  const bits = dtype.itemsize * 8;
  if (bits === 64 && typeof s === 'number') return s;
  return BigInt.asIntN(bits, BigInt(s));
}

/**
 * `x.op_(…)`: the result goes into inputs[0].
 * @throws RuntimeError with PyTorch's texts where the result's dtype or shape does not fit, or x may not be changed
 */
export function applyInplace(
  op: PointwiseOp,
  inputs: readonly Tensor[],
  scalars: readonly Scalar[] | null,
  promoting: readonly Scalar[] | null,
): Tensor {
  const x = inputs[0];
  const compute = computeDType(op, commonDType(inputs, op.bystanders, promoting));
  const result = outputDType(op, compute);
  if (result.category > x.dtype.category) {
    throw new RuntimeError(
      `result type ${result.scalarTypeName} can't be cast to the desired output type ${x.dtype.scalarTypeName}`,
    );
  }
  const backend = commonBackend(op.name, inputs);
  const operands = backend === null ? [x, ...inputs.slice(1).map((y) => y.to(x.storage.backend.device))] : inputs;
  let sizes = x.sizes;
  for (let i = 1; i < operands.length; i++) sizes = broadcastSizes(sizes, operands[i].sizes);
  if (!sameSizes(sizes, x.sizes)) {
    throw new RuntimeError(
      `output with shape ${showSizes(x.sizes)} doesn't match the broadcast shape ${showSizes(sizes)}`,
    );
  }
  const tracked = wantsRecord(op, operands, x.dtype) || (mode.grad && requiresGrad(x));
  checkInplace(x, tracked);
  checkOverlap(x, operands);
  const launched = launchScalars(scalars, compute);
  let node: PointwiseNode | null = null;
  if (tracked) {
    node = makeNode(op, operands, launched, compute);
    node.save(savesSelf(op, node) ? [x.clone(), ...operands.slice(1)] : operands, null);
  } else for (let i = 0; i < operands.length; i++) touchGraphOf(operands[i]);
  op.kernel(operands, compute, x.dtype).launch(x, operands, launched);
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

/** @throws RuntimeError when writing x would change an input that is still to be read */
export function checkOverlap(x: Tensor, inputs: readonly Tensor[]): void {
  if (overlapsItself(x)) {
    throw new RuntimeError(
      'unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.',
    );
  }
  for (let i = 0; i < inputs.length; i++) {
    if (inputs[i] !== x && overlapsPartly(x, inputs[i])) {
      throw new RuntimeError(
        'unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.',
      );
    }
  }
}
