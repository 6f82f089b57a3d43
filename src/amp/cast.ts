/** Applying autocast to the call of one op: its arguments in the dtypes that its policy asks for. */
import { mode } from '../autograd/mode.ts';
import { gradientNode } from '../autograd/views.ts';
import { type DType, FLOAT_CATEGORY, float32, float64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { DISPOSED } from '../devices/storage.ts';
import { toTensor } from '../ops/convert.ts';
import type { Op } from '../ops/registry.ts';
import { requiresGrad, Tensor } from '../tensor/tensor.ts';
import type { Policies, Policy } from './policies.ts';
import { autocast, CPU, cachedCast, keepCast, lowerDType, MTIA } from './state.ts';

const BANNED =
  'torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\nMany models use a sigmoid layer right before the binary cross entropy layer.\nIn this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\nor torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\nsafe to autocast.';

/**
 * Runs an op under autocast. What it calls in its turn is not cast again: it is one op, however it is made.
 *
 * @param values the bound arguments; those that are cast are replaced
 */
export function runCast(op: Op, policies: Policies | null, index: number, values: unknown[]): unknown {
  const { active } = autocast;
  const mtia = (active & MTIA) !== 0 && ((active & CPU) === 0 || hasTensor(values, 'mtia'));
  const policy = policies === null ? null : mtia ? policies.mtia : policies.cpu;
  const applies = policy !== null && (policy.when === null || policy.when(values));
  const run = op.implementations[index];
  if (applies && policy.cast === 'through') return run(...values);
  const made: Tensor[] = [];
  if (applies) castArguments(op, policy, index, values, mtia, made);
  autocast.active = 0;
  let result: unknown;
  try {
    result = run(...values);
  } finally {
    autocast.active = active;
  }
  for (let i = 0; i < made.length; i++) letGo(made[i], result);
  return result;
}

function hasTensor(values: readonly unknown[], type: string): boolean {
  return values.some((value) =>
    value instanceof Tensor
      ? value.storage !== DISPOSED && value.storage.backend.device.type === type
      : Array.isArray(value) && value[0] instanceof Tensor && hasTensor(value, type),
  );
}

/** A cast that nothing keeps is freed at once, as when a reference count ends. */
function letGo(cast: Tensor, result: unknown): void {
  if (cast === result || cast.storage === DISPOSED) return;
  const { record } = cast.storage;
  if (record.handles === 1 && record.holds === 0 && record.saves === 0) cast.drop();
}

function castArguments(op: Op, policy: Policy, index: number, values: unknown[], mtia: boolean, made: Tensor[]): void {
  switch (policy.cast) {
    case 'lower':
      castAll(values, lowerDType(mtia), mtia, made);
      break;
    case 'fp32':
      castAll(values, float32, mtia, made);
      break;
    case 'promote':
      castAll(values, widest(values, lowerDType(mtia), mtia, lowerDType(mtia)), mtia, made);
      break;
    case 'dtype': {
      const at = op.schemas[index].params.findIndex((param) => param.name === 'dtype');
      if (at >= 0 && values[at] === null && isEligible(values[0], mtia)) values[at] = float32;
      break;
    }
    case 'banned':
      throw new RuntimeError(BANNED);
  }
}

/** Whether autocast may change a value's dtype: a tensor on the device, floating-point but not float64. */
function isEligible(value: unknown, mtia: boolean): value is Tensor {
  if (!(value instanceof Tensor) || value.storage === DISPOSED) return false;
  const { dtype } = value;
  if (dtype.category !== FLOAT_CATEGORY || dtype === float64) return false;
  return value.storage.backend.device.type === (mtia ? 'mtia' : 'cpu');
}

function castAll(values: unknown[], dtype: DType, mtia: boolean, made: Tensor[]): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (isEligible(value, mtia)) values[i] = castTensor(value, dtype, mtia, made);
    else if (Array.isArray(value) && value.some((x) => isEligible(x, mtia))) {
      const list = value.slice();
      castAll(list, dtype, mtia, made);
      values[i] = list;
    }
  }
}

function castTensor(x: Tensor, dtype: DType, mtia: boolean, made: Tensor[]): Tensor {
  if (x.dtype === dtype) return x;
  const { backend } = x.storage;
  if (dtype === float32 || dtype !== lowerDType(mtia) || !isCacheable(x)) {
    const cast = toTensor(x, backend, dtype, false);
    made.push(cast);
    return cast;
  }
  const kept = cachedCast(x);
  if (kept !== undefined) return kept;
  // Recorded even under no_grad: a later use outside of it gets the same one.
  const before = mode.grad;
  mode.grad = true;
  let cast: Tensor;
  try {
    cast = toTensor(x, backend, dtype, false);
  } finally {
    mode.grad = before;
  }
  keepCast(x, cast);
  return cast;
}

/** Whether a cast is kept: that of a float32 leaf that requires grad. */
function isCacheable(x: Tensor): boolean {
  return (
    autocast.caching &&
    x.dtype === float32 &&
    !mode.inference &&
    x.viewInfo === null &&
    requiresGrad(x) &&
    gradientNode(x) === null
  );
}

/** float32 if one of the tensors is, otherwise the dtype of autocast. */
function widest(values: readonly unknown[], so_far: DType, mtia: boolean, lower: DType): DType {
  let dtype = so_far;
  for (const value of values) {
    if (Array.isArray(value)) dtype = widest(value, dtype, mtia, lower);
    else if (isEligible(value, mtia)) {
      if (dtype === float32 || value.dtype === float32) dtype = float32;
      else if (value.dtype !== lower) {
        throw new RuntimeError('Unexpected floating ScalarType in at::autocast::prioritize');
      }
    }
  }
  return dtype;
}

autocast.run = runCast;
