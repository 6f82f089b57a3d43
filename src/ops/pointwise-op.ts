/**
 * A pointwise operation at run time: an expression over tensor inputs and scalars, compiled per combination of dtypes,
 * recorded as one node, differentiated by deriving its expression. Gradients are pointwise operations themselves, so
 * double backward of any order needs nothing more.
 */

import { defaultDType } from '../core/defaults.ts';
import { bool, type DType, FLOAT_CATEGORY, uint8 } from '../core/dtype.ts';
import { NotImplementedError } from '../core/errors.ts';
import { categoryDType, promoteTypes, type Scalar, scalarCategory } from '../core/promote.ts';
import { derivative, inputsUsed, renumberInputs } from '../kernels/derivative.ts';
import { constant, type Expr, input, mul } from '../kernels/expr.ts';
import { MapKernel } from '../kernels/map.ts';
import type { Tensor } from '../tensor/tensor.ts';

/**
 * How dtypes follow from the operands: `promote` computes and gives the promoted dtype; `float` the same, but integers
 * become the default float dtype; `bool` computes in the promoted dtype and gives bool; `inexact` refuses integers.
 */
export type DTypeRule = 'promote' | 'float' | 'bool' | 'inexact';

/** A number that goes into a launch. */
export type LaunchScalar = number | bigint;

/** One gradient of a pointwise op: another pointwise op over some of [inputs…, result, grad]. */
export interface Gradient {
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
  /** Whether the result is row-major, whatever the layout of the inputs. */
  rowMajor = false;
  /** Whether PyTorch keeps a number among the operands as a tensor, so that a released graph has lost it. */
  keepsNumber = false;
  /** There is no derivative, so backward raises. */
  underivable = false;

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
    /** Names of the inputs, for error texts. */
    readonly inputNames?: readonly string[],
    /**
     * Bit set over [inputs…, result, grad]: what the gradient reads but does not change with, so that its own gradient is
     * 0, and recorded none the less, as in PyTorch.
     */
    private readonly flat = 0,
    /** A gradient, derived from another op: what it only compares has no gradient. */
    readonly derived = false,
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
    if (this.isMask(i)) return null;
    const n = this.arity;
    let expr = this.gradientExpr === null ? undefined : this.gradientExpr(i);
    // Recorded only as an in-place change: what was there before has gradient 0, and so have both sides.
    if (this.rule === 'bool') expr = ZERO;
    if (expr === undefined) {
      const d = derivative(this.expr, i);
      expr = d === null ? (this.derived ? null : ZERO) : isOne(d) ? input(n + 1) : mul(input(n + 1), d);
    }
    if (expr === null) return null;
    // The gradient first: as in PyTorch it decides the layout.
    const used = inputsUsed(expr).sort((a, b) => Number(b === n + 1) - Number(a === n + 1));
    let masks = 0;
    let flat = 0;
    used.forEach((from, to) => {
      if (from < n && this.isMask(from)) masks |= 1 << to;
      if ((this.flat >> from) & 1) flat |= 1 << to;
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
      flat === 0 ? null : (to) => ((flat >> to) & 1 ? ZERO : undefined),
      this.kernelName,
      undefined,
      0,
      true,
    );
    return { op, operands: used };
  }
}

const ZERO = constant(0);

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

export function computeDType(op: PointwiseOp, common: DType): DType {
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

export function outputDType(op: PointwiseOp, compute: DType): DType {
  return op.rule === 'bool' ? bool : compute;
}

/**
 * Scalars in the form of a launch: numbers for a float compute dtype, whole numbers or bigints for an integer one.
 */
export function launchScalars(scalars: readonly Scalar[] | null, compute: DType): readonly LaunchScalar[] | null {
  if (scalars === null) return null;
  return scalars.map((s) => {
    if (typeof s === 'boolean') return s ? 1 : 0;
    if (compute.category === FLOAT_CATEGORY) return Number(s);
    // NaN is true.
    if (compute === bool) return s || Number.isNaN(s) ? 1 : 0;
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
