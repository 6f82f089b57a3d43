/** Launches that fill a tensor with random numbers of further distributions: as `random.ts`. */
import { bool } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { checkFloat, Kernels, launchFloats, shown } from './random.ts';
import type { GeneratorState } from './random-state.ts';
import * as bodies from './wasm/random-distributions.ts';

type Out = Operand<Storage>;

const EXPONENTIAL = new Kernels('exponential', bodies.exponential);
const LOG_NORMAL = new Kernels('logNormal', bodies.logNormal);
const CAUCHY = new Kernels('cauchy', bodies.cauchy);
const GEOMETRIC = new Kernels('geometric', bodies.geometric);

/**
 * Exponentially distributed numbers of rate `lambda`: `Tensor.exponential_`.
 * @throws RuntimeError for integers, and for a rate that is not above 0
 */
export function exponential(out: Out, state: GeneratorState, lambda = 1): void {
  if (!(lambda > 0)) throw new RuntimeError(`exponential_ expects lambda > 0.0, but found lambda=${shown(lambda)}`);
  if (out.length === 0) return;
  if (!out.dtype.is_floating_point) {
    throw new RuntimeError(
      'Exponential distribution is a continuous probability distribution. dtype must be a floating point but you ' +
        `specified ${out.dtype.scalarTypeName}`,
    );
  }
  launchFloats(EXPONENTIAL, out, state, lambda, 0);
}

/**
 * Numbers whose logarithms are normal, of that mean and standard deviation: `Tensor.log_normal_`.
 * @throws NotImplementedError for integers, RuntimeError for a standard deviation that is not above 0
 */
export function logNormal(out: Out, state: GeneratorState, mean = 1, std = 2): void {
  if (!(std > 0)) throw new RuntimeError(`log_normal_ expects std > 0.0, but found std=${shown(std)}`);
  if (out.length === 0) return;
  checkFloat(out.dtype, 'log_normal_cpu');
  launchFloats(LOG_NORMAL, out, state, mean, std);
}

/**
 * Numbers of a Cauchy distribution: `Tensor.cauchy_`. float64 results may differ from PyTorch's in the last place.
 * @throws RuntimeError for integers, and for a scale that is not above 0
 */
export function cauchy(out: Out, state: GeneratorState, median = 0, sigma = 1): void {
  if (!(sigma > 0)) throw new RuntimeError(`cauchy_ expects sigma > 0.0, but found sigma=${shown(sigma)}`);
  if (!out.dtype.is_floating_point) {
    throw new RuntimeError(
      `Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you specified ${LONG_NAMES[out.dtype.index]}`,
    );
  }
  if (out.length > 0) launchFloats(CAUCHY, out, state, median, sigma);
}

/** C++'s names as compilers print them. */
// biome-ignore format: by dtype index
const LONG_NAMES = [
  'double', 'float', 'c10::Half', 'c10::BFloat16', 'long int', 'int', 'short int', 'signed char', 'unsigned char', 'bool',
];

/**
 * How many trials of probability p it takes to succeed: `Tensor.geometric_`.
 * @throws RuntimeError if p is not in (0, 1), NotImplementedError for bool
 */
export function geometric(out: Out, state: GeneratorState, p: number): void {
  if (!(p > 0 && p < 1)) throw new RuntimeError(`geometric_ expects p to be in (0, 1), but got p=${shown(p)}`);
  if (out.length === 0) return;
  if (out.dtype === bool) throw new NotImplementedError(`"geometric_cpu" not implemented for 'Bool'`);
  launchFloats(GEOMETRIC, out, state, p, 0);
}
