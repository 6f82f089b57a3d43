/** `nn.utils.clip_grad_norm_` and its relatives: gradients no larger than a bound. */
import { RuntimeError } from '../../core/errors.ts';
import { warn } from '../../core/warn.ts';
import { no_grad } from '../../autograd/mode.ts';
import { vectorNorm } from '../../ops/vector-norm.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { stack, tensor } from '../../torch/factories.ts';
import { Signature } from '../signature.ts';
import { pyFloat } from '../text.ts';

type Tensors = Tensor | Iterable<Tensor>;

/** Taken for PyTorch's sake: all gradients are scaled the same way. */
interface Foreach {
  foreach?: boolean | null;
}

export interface NormOptions extends Foreach {
  /** p of the p-norm; Infinity is the largest magnitude. Default: 2. */
  norm_type?: number | 'inf';
  /** Whether a norm that is nan or infinite is an error. Default: false. */
  error_if_nonfinite?: boolean;
}

function listOf(tensors: Tensors): Tensor[] {
  return tensors instanceof Tensor ? [tensors] : [...tensors];
}

function gradientsOf(parameters: readonly Tensor[]): Tensor[] {
  const found: Tensor[] = [];
  for (const { grad } of parameters) if (grad !== null) found.push(grad);
  return found;
}

function orderOf(norm_type: unknown): number {
  return norm_type === 'inf' ? Number.POSITIVE_INFINITY : Number(norm_type);
}

function totalNorm(tensors: readonly Tensor[], order: number, check: boolean): Tensor {
  if (tensors.length === 0) return tensor(0);
  const { device } = tensors[0];
  const norms = tensors.map((x) => {
    const norm = vectorNorm(x, order, null, false, '');
    return norm.storage.backend.device === device ? norm : norm.to(device);
  });
  const together = stack(norms);
  const total = vectorNorm(together, order, null, false, '');
  for (const { storage } of [...norms, together]) storage.freeNow();
  if (check && !Number.isFinite(total.item() as number)) {
    throw new RuntimeError(
      `The total norm of order ${pyFloat(order)} for gradients from \`parameters\` is non-finite, so it cannot be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set \`error_if_nonfinite=False\``,
    );
  }
  return total;
}

function scaleBy(gradients: readonly Tensor[], max_norm: number, total: Tensor): void {
  if (gradients.length === 0) return;
  // No look at the norm: the device need not be waited for.
  const factor = total.add(1e-6).reciprocal_().mul_(max_norm).clamp_({ max: 1 });
  for (const grad of gradients) {
    grad.mul_(grad.storage.backend === factor.storage.backend ? factor : factor.to(grad.device));
  }
  factor.storage.freeNow();
}

const TOTAL = Signature.of('get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None)');

/** The norm of all tensors together, as if they were one vector. */
export function get_total_norm(tensors: Tensors, options?: NormOptions): Tensor;
export function get_total_norm(tensors: Tensors, norm_type: number | 'inf', options?: NormOptions): Tensor;
export function get_total_norm(...args: unknown[]): Tensor {
  const [tensors, norm, check] = TOTAL.bind(args) as [Tensors, unknown, boolean];
  return no_grad(() => totalNorm(listOf(tensors), orderOf(norm), check));
}

const WITH_NORM = Signature.of('clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None)');

/** Scales the parameters' gradients by max_norm / total_norm where that is less than 1. */
export function clip_grads_with_norm_(
  parameters: Tensors,
  max_norm: number,
  total_norm: Tensor,
  options?: Foreach,
): void;
export function clip_grads_with_norm_(...args: unknown[]): void {
  const [parameters, max, total] = WITH_NORM.bind(args) as [Tensors, number, Tensor];
  no_grad(() => scaleBy(gradientsOf(listOf(parameters)), Number(max), total));
}

const NORM = Signature.of(
  'clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None)',
);

/**
 * Scales the parameters' gradients so that their norm together is at most `max_norm`.
 *
 * @returns the norm before, a 0-dim tensor
 * @throws RuntimeError with `error_if_nonfinite`, if the norm is nan or infinite
 */
export function clip_grad_norm_(parameters: Tensors, max_norm: number, options?: NormOptions): Tensor;
export function clip_grad_norm_(
  parameters: Tensors,
  max_norm: number,
  norm_type: number | 'inf',
  options?: NormOptions,
): Tensor;
export function clip_grad_norm_(...args: unknown[]): Tensor {
  const [parameters, max, norm, check] = NORM.bind(args) as [Tensors, number, unknown, boolean];
  const list = listOf(parameters);
  if (list.length === 0 && !Array.isArray(parameters)) {
    warn('`parameters` is an empty generator, no gradient clipping will occur.');
  }
  const gradients = gradientsOf(list);
  return no_grad(() => {
    const total = totalNorm(gradients, orderOf(norm), check);
    scaleBy(gradients, Number(max), total);
    return total;
  });
}

const VALUE = Signature.of('clip_grad_value_(parameters, clip_value, foreach=None)');

/** Clamps the parameters' gradients to [-clip_value, clip_value]. */
export function clip_grad_value_(parameters: Tensors, clip_value: number, options?: Foreach): void;
export function clip_grad_value_(...args: unknown[]): void {
  const [parameters, value] = VALUE.bind(args) as [Tensors, number];
  const bound = Number(value);
  no_grad(() => {
    for (const grad of gradientsOf(listOf(parameters))) grad.clamp_(-bound, bound);
  });
}
