/**
 * `torch.autograd.gradcheck` and `gradgradcheck`: gradients by backward against finite differences. For float64 inputs;
 * with less precision they mostly fail.
 */
import { float64 } from '../core/dtype.ts';
import { named, RuntimeError, ValueError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import { Tensor } from '../tensor/tensor.ts';
import { grad } from './backward.ts';
import { AutogradFunction, type FunctionCtx } from './function.ts';
import { typeName } from '../tensor/type-name.ts';

/** What `gradcheck` raises when gradients are wrong. */
export class GradcheckError extends RuntimeError {
  static {
    named(GradcheckError, 'GradcheckError');
  }
}

export interface GradcheckOptions {
  /** Step of the finite differences. */
  eps?: number;
  /** Absolute tolerance. */
  atol?: number;
  /** Relative tolerance. */
  rtol?: number;
  /** Whether a failure throws; otherwise it gives false. */
  raise_exception?: boolean;
  /** How far two runs of backward may differ. */
  nondet_tol?: number;
  /** Whether missing gradients of outputs are tried. */
  check_undefined_grad?: boolean;
  /** Whether gradients must have the dtype of their input. */
  check_grad_dtypes?: boolean;
}

export interface GradgradcheckOptions extends GradcheckOptions {
  /** Whether the random gradients of the outputs are made non-contiguous. */
  gen_non_contig_grad_outputs?: boolean;
}

const DEFAULTS: Required<GradcheckOptions> = {
  eps: 1e-6,
  atol: 1e-5,
  rtol: 1e-3,
  raise_exception: true,
  nondet_tol: 0,
  check_undefined_grad: true,
  check_grad_dtypes: false,
};

type Checked = (...inputs: never[]) => unknown;
/** One row per element of the input, one column per element of the output. */
type Jacobian = Float64Array[];

const tensorsIn = (outputs: unknown): Tensor[] =>
  (Array.isArray(outputs) ? outputs : [outputs]).filter((x): x is Tensor => x instanceof Tensor);
const differentiable = (xs: readonly unknown[]): Tensor[] =>
  xs.filter((x): x is Tensor => x instanceof Tensor && x.requires_grad);
const asList = (inputs: unknown): unknown[] => (Array.isArray(inputs) ? inputs : [inputs]);

function needFunction(func: unknown): void {
  if (typeof func !== 'function') throw new TypeError(`'${typeName(func)}' object is not callable`);
}

function complete(name: string, options: GradgradcheckOptions): Required<GradcheckOptions> {
  const settings: Required<GradcheckOptions> = { ...DEFAULTS };
  for (const [key, value] of Object.entries(options ?? {})) {
    if (key === 'gen_non_contig_grad_outputs' && name === 'gradgradcheck') continue;
    if (!(key in DEFAULTS)) throw new TypeError(`${name}() got an unexpected keyword argument '${key}'`);
    if (value !== undefined) Object.assign(settings, { [key]: value });
  }
  return settings;
}

/**
 * `torch.autograd.gradcheck(func, inputs)`: whether the gradients of `func` at `inputs` with respect to those that require
 * grad agree with finite differences.
 *
 * @param func gives a tensor, or an array that may hold tensors
 * @param inputs its arguments: an array, or the only one
 * @throws GradcheckError unless `raise_exception` is false; ValueError if no input requires grad
 */
export function gradcheck<F extends Checked>(
  func: F,
  inputs: Parameters<F> | Parameters<F>[0],
  options: GradcheckOptions = {},
): boolean {
  needFunction(func);
  return check(func, asList(inputs), complete('gradcheck', options));
}

/**
 * `torch.autograd.gradgradcheck(func, inputs, grad_outputs)`: the same for gradients of gradients. Without `grad_outputs`
 * random ones are taken.
 */
export function gradgradcheck<F extends Checked>(
  func: F,
  inputs: Parameters<F> | Parameters<F>[0],
  grad_outputs?: Tensor | readonly Tensor[] | null,
  options: GradgradcheckOptions = {},
): boolean {
  needFunction(func);
  const settings = complete('gradgradcheck', options);
  const args = asList(inputs);
  const call = func as unknown as (...args: unknown[]) => unknown;
  const outputs = differentiable(tensorsIn(call(...args)));
  const given =
    grad_outputs === undefined || grad_outputs === null
      ? outputs.map((x) => randomLike(x, options.gen_non_contig_grad_outputs ?? false))
      : (asList(grad_outputs) as Tensor[]);
  const gradients = (...all: unknown[]): Tensor[] => {
    const own = all.slice(0, args.length);
    const found = grad(
      differentiable(tensorsIn(call(...own))),
      differentiable(own),
      all.slice(args.length) as Tensor[],
      { create_graph: true, allow_unused: true },
    );
    return found.filter((x): x is Tensor => x !== null);
  };
  return check(gradients as unknown as Checked, [...args, ...given], settings);
}

function randomLike(x: Tensor, noncontiguous: boolean): Tensor {
  const dtype = x.dtype.is_floating_point ? x.dtype : float64;
  const sizes = x.sizes as number[];
  if (!noncontiguous || x.length < 2) return x.new_empty(sizes, { dtype }).uniform_(-1, 1).requires_grad_();
  const wide = x.new_empty([...sizes, 2], { dtype }).uniform_(-1, 1);
  return wide.select(-1, 0).requires_grad_();
}

function check(func: Checked, inputs: unknown[], settings: Required<GradcheckOptions>): boolean {
  checkInputs(inputs);
  try {
    checkGradients(func as unknown as (...args: unknown[]) => unknown, inputs, settings);
  } catch (error) {
    if (error instanceof GradcheckError && !settings.raise_exception) return false;
    throw error;
  }
  return true;
}

function checkInputs(inputs: readonly unknown[]): void {
  let any = false;
  inputs.forEach((x, i) => {
    if (!(x instanceof Tensor) || !x.requires_grad) return;
    any = true;
    if (x.dtype !== float64) {
      warn(
        `Input #${i} requires gradient and is not a double precision floating point or complex. This check will likely fail if all the inputs are not of double precision floating point or complex. `,
      );
    }
    if (x.sizes.some((size, d) => size > 1 && x.strides[d] === 0)) {
      throw new RuntimeError(
        `The ${i}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck.`,
      );
    }
  });
  if (!any) {
    throw new ValueError(
      'gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.',
    );
  }
}

function checkGradients(
  func: (...args: unknown[]) => unknown,
  inputs: readonly unknown[],
  settings: Required<GradcheckOptions>,
): void {
  const all = tensorsIn(func(...inputs));
  const outputs = differentiable(all);
  const wanted = differentiable(inputs);
  const numerical = wanted.map((x) => numericalJacobians(() => tensorsIn(func(...inputs)), x, all, settings.eps));
  if (outputs.length === 0) {
    if (numerical.flat(2).some((row) => row.some((value) => value !== 0))) {
      throw new GradcheckError('Numerical gradient for function expected to be zero');
    }
    return;
  }
  outputs.forEach((output, o) => {
    const analytical = analyticalJacobians(output, wanted, settings);
    wanted.forEach((input, i) => {
      const expected = numerical[i][all.indexOf(output)];
      if (close(analytical[i], expected, settings)) return;
      throw new GradcheckError(
        `Jacobian mismatch for output ${o} with respect to input ${i},\nnumerical:${show(expected, input, output)}\nanalytical:${show(analytical[i], input, output)}\n`,
      );
    });
  });
  checkZeroGradient(outputs, wanted);
  if (settings.check_undefined_grad) checkMissingGradients(func, inputs, wanted, outputs.length);
}

/** Byte-free addressing of one element: a 0-dim view with a version counter of its own. */
function elements(x: Tensor): Tensor[] {
  const data = x.data;
  const found: Tensor[] = [];
  const visit = (dim: number, offset: number) => {
    if (dim === x.sizes.length) found.push(data.as_strided([], [], offset));
    else for (let i = 0; i < x.sizes[dim]; i++) visit(dim + 1, offset + i * x.strides[dim]);
  };
  visit(0, x.offset);
  return found;
}

const valuesOf = (x: Tensor): ArrayLike<number> => x.detach().to(float64).reshape(-1).toTypedArray() as Float64Array;

function numericalJacobians(run: () => Tensor[], x: Tensor, outputs: readonly Tensor[], eps: number): Jacobian[] {
  const jacobians: Jacobian[] = outputs.map(() => []);
  for (const element of elements(x)) {
    const value = element.item() as number;
    element.fill_(value - eps);
    const below = run();
    const lower = below.map(valuesOf);
    element.fill_(value + eps);
    const above = run();
    const upper = above.map(valuesOf);
    element.fill_(value);
    outputs.forEach((_, o) => {
      checkSame(below[o], above[o], eps);
      jacobians[o].push(Float64Array.from(upper[o], (v, k) => (v - lower[o][k]) / (2 * eps)));
    });
  }
  return jacobians;
}

function checkSame(a: Tensor, b: Tensor, eps: number): void {
  const text = (what: string, x: unknown, y: unknown) =>
    `Expected \`func\` to return outputs with the same ${what} when inputs are perturbed by ${eps}, but got: ${what}s ${x} and ${y}.`;
  if (a.sizes.join() !== b.sizes.join()) throw new RuntimeError(text('shape', a.shape, b.shape));
  if (a.dtype !== b.dtype) throw new RuntimeError(text('dtype', a.dtype, b.dtype));
}

function analyticalJacobians(output: Tensor, inputs: Tensor[], settings: Required<GradcheckOptions>): Jacobian[] {
  const first = jacobiansByBackward(output, inputs);
  const second = jacobiansByBackward(output, inputs);
  if (settings.check_grad_dtypes && !first.dtypesFit) throw new GradcheckError('Gradient has dtype mismatch');
  const { nondet_tol } = settings;
  first.jacobians.forEach((jacobian, i) => {
    if (close(jacobian, second.jacobians[i], { rtol: 0, atol: nondet_tol })) return;
    throw new GradcheckError(
      `Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism was ${Number.isInteger(nondet_tol) ? nondet_tol.toFixed(1) : nondet_tol}.`,
    );
  });
  return first.jacobians;
}

function jacobiansByBackward(output: Tensor, inputs: Tensor[]): { jacobians: Jacobian[]; dtypesFit: boolean } {
  const copy = output.clone();
  const columns = output.length;
  const jacobians: Jacobian[] = inputs.map((x) => Array.from({ length: x.length }, () => new Float64Array(columns)));
  const { sizes } = output;
  let dtypesFit = true;
  for (let k = 0; k < columns; k++) {
    const one = output.detach().new_zeros(output.length);
    one.select(0, k).fill_(1);
    const gradients = grad(copy, inputs, one.reshape(sizes as number[]), { retain_graph: true, allow_unused: true });
    gradients.forEach((g, i) => {
      if (g === null) return;
      dtypesFit &&= g.dtype === inputs[i].dtype;
      const values = valuesOf(g);
      for (let row = 0; row < values.length; row++) jacobians[i][row][k] = values[row];
    });
  }
  return { jacobians, dtypesFit };
}

function close(a: Jacobian, b: Jacobian, { rtol, atol }: { rtol: number; atol: number }): boolean {
  return a.every((row, i) =>
    row.every((value, k) => {
      const other = b[i][k];
      return value === other || Math.abs(value - other) <= atol + rtol * Math.abs(other);
    }),
  );
}

function show(jacobian: Jacobian, input: Tensor, output: Tensor): string {
  const rows = jacobian.flatMap((row) => [...row]);
  return String(output.detach().new_tensor(rows).reshape(input.length, output.length));
}

const zerosLike = (outputs: readonly Tensor[]): Tensor[] =>
  outputs.map((x) => x.detach().new_zeros(x.sizes as number[]));
const isZero = (x: Tensor): boolean => Array.from(valuesOf(x)).every((value) => value === 0);

function checkZeroGradient(outputs: Tensor[], inputs: Tensor[]): void {
  for (const g of grad(outputs, inputs, zerosLike(outputs), { allow_unused: true })) {
    if (g !== null && !isZero(g)) throw new GradcheckError('backward not multiplied by grad_output');
  }
}

/** Gives no gradient to what is behind it. */
class UndefinedGrad extends AutogradFunction {
  static override forward(ctx: FunctionCtx, x: Tensor): Tensor {
    ctx.set_materialize_grads(false);
    return x.clone();
  }

  static override backward(): null {
    return null;
  }
}

const NOTES = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"';

/** Backward must work, and give nothing but zeros, if all gradients are missing; and if any one of several is. */
function checkMissingGradients(
  func: (...args: unknown[]) => unknown,
  inputs: readonly unknown[],
  wanted: Tensor[],
  count: number,
): void {
  const tries = count > 1 ? [null, ...Array.from({ length: count }, (_, i) => i)] : [null];
  for (const missing of tries) {
    const outputs = differentiable(tensorsIn(func(...inputs)));
    const changed = outputs.map((x, i) => (missing === null || missing === i ? UndefinedGrad.apply(x) : x));
    let gradients: (Tensor | null)[];
    try {
      gradients = grad(changed, wanted, zerosLike(changed), { allow_unused: true });
    } catch (cause) {
      const error = new GradcheckError(`Expected backward function to handle undefined output grads. ${NOTES}`);
      error.cause = cause;
      throw error;
    }
    if (gradients.some((g) => g !== null && !isZero(g))) {
      throw new GradcheckError(
        `Expected all input grads to be undefined or zero when all output grads are undefined or zero. ${NOTES}`,
      );
    }
  }
}
