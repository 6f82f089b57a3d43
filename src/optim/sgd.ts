/** `optim.SGD`: gradient descent, with momentum, one launch for all parameters of a group that go together. */
import { type DType, DTYPES } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import * as e from '../kernels/expr.ts';
import type { Expr } from '../kernels/expr.ts';
import { MapKernel } from '../kernels/map.ts';
import { recording } from '../devices/recording.ts';
import { bumpVersion } from '../autograd/views.ts';
import { Signature } from '../nn/signature.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { Optimizer, type ParamGroup, type ParamsInput } from './optimizer.ts';
import { type CommonOptions, checkNotNegative, checkRate, checkWays, rateOf } from './options.ts';
import { checkFits, newState } from './state.ts';
import { stepBatch } from './step-batch.ts';

export interface SGDOptions extends CommonOptions {
  /** Learning rate. Default: 1e-3. */
  lr?: number | Tensor;
  /** Default: 0. */
  momentum?: number;
  /** How much less than all of a gradient goes into the momentum. Default: 0. */
  dampening?: number;
  /** Default: 0. */
  weight_decay?: number;
  nesterov?: boolean;
  fused?: boolean | null;
}

const INIT = Signature.of(
  'SGD.__init__(self, params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None, differentiable=False, fused=None)',
);

const MAXIMIZE = 1;
const DECAY = 2;
const MOMENTUM = 4;
/** The first step with momentum takes the gradient as it is. */
const FIRST = 8;
const NESTEROV = 16;

const kernels: (MapKernel | undefined)[] = new Array(32 * DTYPES.length);

/** Inputs: parameter, gradient, momentum. Scalars: -lr, weight decay, momentum, 1 - dampening. */
function kernel(flags: number, dtype: DType): MapKernel {
  const key = dtype.index * 32 + flags;
  return (kernels[key] ??= build(flags, dtype));
}

function build(flags: number, dtype: DType): MapKernel {
  const param = e.input(0);
  let step: Expr = e.input(1);
  const momentum = e.scalar(2);
  if (flags & MAXIMIZE) step = e.neg(step);
  if (flags & DECAY) step = e.add(step, e.mul(e.scalar(1), param));
  const outputs: { expr: Expr; dtype: DType }[] = [];
  if (flags & MOMENTUM) {
    const buffer = flags & FIRST ? step : e.add(e.mul(e.input(2), momentum), e.mul(e.scalar(3), step));
    outputs.push({ expr: buffer, dtype });
    step = flags & NESTEROV ? e.add(step, e.mul(momentum, buffer)) : buffer;
  }
  outputs.unshift({ expr: e.add(param, e.mul(e.scalar(0), step)), dtype });
  const inputs = flags & MOMENTUM && !(flags & FIRST) ? 3 : 2;
  return new MapKernel({ outputs, inputs: new Array(inputs).fill(dtype), compute: dtype, scalars: 4, name: 'sgd' });
}

const scalars = [0, 0, 0, 0];
const outputs: Tensor[] = [];
const inputs: Tensor[] = [];
const NOTHING = null as unknown as Tensor;

/** Emptying an array and filling it again would make a new one each time. */
function resize(tensors: Tensor[], length: number): void {
  if (tensors.length !== length) tensors.length = length;
}

/** The scalars of a launch. */
function numbersOf(group: ParamGroup): readonly number[] {
  scalars[0] = -rateOf(group);
  scalars[1] = group['weight_decay'] as number;
  scalars[2] = group['momentum'] as number;
  scalars[3] = 1 - (group['dampening'] as number);
  return scalars;
}

/** `torch.optim.SGD(params, { lr: 1e-3, momentum: 0, dampening: 0, weight_decay: 0, nesterov })`: steps against the gradient, with momentum. */
export class SGD extends Optimizer {
  constructor(params: ParamsInput, options?: SGDOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: SGDOptions);
  constructor(...args: unknown[]) {
    const [params, lr, momentum, dampening, weight_decay, nesterov, maximize, foreach, differentiable, fused] =
      INIT.bind(args) as [ParamsInput, number, number, number, number, boolean, boolean, unknown, boolean, unknown];
    checkRate(lr);
    checkNotNegative(momentum, 'momentum value');
    checkNotNegative(weight_decay, 'weight_decay value');
    if (nesterov && (momentum <= 0 || dampening !== 0)) {
      throw new ValueError('Nesterov momentum requires a momentum and zero dampening');
    }
    checkWays(foreach, differentiable, fused);
    super(params, {
      lr,
      momentum,
      dampening,
      weight_decay,
      nesterov,
      maximize,
      foreach,
      differentiable,
      fused,
    });
  }

  protected override updateGroup(group: ParamGroup): void {
    const { params } = group;
    const momentum = group['momentum'] as number;
    const decay = group['weight_decay'] as number;
    const flags =
      (group['maximize'] ? MAXIMIZE : 0) |
      (decay !== 0 ? DECAY : 0) |
      (momentum !== 0 ? MOMENTUM : 0) |
      (group['nesterov'] ? NESTEROV : 0);
    numbersOf(group);
    try {
      for (let i = 0; i < params.length; i++) {
        const param = params[i];
        const grad = param.gradient;
        if (grad === null) continue;
        checkFits(param, grad, 'the gradient');
        if (recording !== null) recording.numbers(() => numbersOf(group));
        this.update(param, grad, flags);
        bumpVersion(param);
      }
    } finally {
      stepBatch.flush();
      // What stands here would keep its storage alive.
      outputs.fill(NOTHING);
      inputs.fill(NOTHING);
    }
  }

  override rateIsLive(): boolean {
    return true;
  }

  private update(param: Tensor, grad: Tensor, flags: number): void {
    outputs[0] = inputs[0] = param;
    inputs[1] = grad;
    if ((flags & MOMENTUM) === 0) {
      resize(outputs, 1);
      resize(inputs, 2);
      stepBatch.add(kernel(flags, param.dtype), outputs, inputs, scalars);
      return;
    }
    let kept = this.state.get(param);
    if (kept === undefined) this.state.set(param, (kept = {}));
    let buffer = (kept['momentum_buffer'] ?? null) as Tensor | null;
    let first = 0;
    if (buffer === null) {
      kept['momentum_buffer'] = buffer = newState(param);
      first = FIRST;
    } else {
      checkFits(param, buffer, 'momentum_buffer');
      inputs[2] = buffer;
    }
    outputs[1] = buffer;
    resize(inputs, first === 0 ? 3 : 2);
    stepBatch.add(kernel(flags | first, param.dtype), outputs, inputs, scalars);
    bumpVersion(buffer);
  }
}
