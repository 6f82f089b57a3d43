/** `optim.Adam` and `optim.AdamW`: steps scaled by running moments, one launch for each parameter and step. */
import { type DType, DTYPES, float32 } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import * as e from '../kernels/expr.ts';
import type { Expr } from '../kernels/expr.ts';
import { MapKernel } from '../kernels/map.ts';
import { bumpVersion } from '../autograd/views.ts';
import { Signature } from '../nn/signature.ts';
import { pyNumber } from '../nn/text.ts';
import { Tensor } from '../tensor/tensor.ts';
import { tensor } from '../torch/named.ts';
import { Optimizer, type ParamGroup, type ParamsInput } from './optimizer.ts';
import { checkFits, newState, type ParamState, refuseDifferentiable } from './state.ts';

export interface AdamOptions {
  /** Learning rate. Default: 1e-3. */
  lr?: number;
  /** How much of the first and second moment stays from step to step. Default: [0.9, 0.999]. */
  betas?: readonly [number, number];
  /** Added to the denominator. Default: 1e-8. */
  eps?: number;
  /** Default: 0 (Adam), 0.01 (AdamW). */
  weight_decay?: number;
  /** Whether the largest second moment so far counts. */
  amsgrad?: boolean;
  /** Whether to go up instead of down. */
  maximize?: boolean;
  foreach?: boolean | null;
  capturable?: boolean;
  differentiable?: boolean;
  fused?: boolean | null;
}

const REST = 'amsgrad=False, *, foreach=None, maximize=False, capturable=False, differentiable=False, fused=None';
const ADAM = Signature.of(
  `Adam.__init__(self, params, lr=0.001, betas=None, eps=1e-08, weight_decay=0, ${REST}, decoupled_weight_decay=False)`,
);
const ADAMW = Signature.of(
  `AdamW.__init__(self, params, lr=0.001, betas=None, eps=1e-08, weight_decay=0.01, amsgrad=False, *, maximize=False, foreach=None, capturable=False, differentiable=False, fused=None)`,
);

const MAXIMIZE = 1;
const DECAY = 2;
/** Weight decay apart from the moments, as AdamW has it. */
const DECOUPLED = 4;
const AMSGRAD = 8;

const kernels: (MapKernel | undefined)[] = new Array(16 * DTYPES.length);

/** Scalars of a launch, by position. */
const LR = 0;
const SHRINK = 1;
const BETA1 = 2;
const REST1 = 3;
const BETA2 = 4;
const REST2 = 5;
const ROOT = 6;
const EPS = 7;
const scalars = new Array<number>(8).fill(0);

/** Inputs and outputs: parameter, first moment, second moment, its maximum; the gradient is the last input. */
function build(flags: number, dtype: DType): MapKernel {
  const s = e.scalar;
  const amsgrad = (flags & AMSGRAD) !== 0;
  let param: Expr = e.input(0);
  const first = e.input(1);
  const second = e.input(2);
  let grad: Expr = e.input(amsgrad ? 4 : 3);
  if (flags & MAXIMIZE) grad = e.neg(grad);
  if (flags & DECAY) {
    if (flags & DECOUPLED) param = e.mul(param, s(SHRINK));
    else grad = e.add(grad, e.mul(s(SHRINK), param));
  }
  const nextFirst = e.add(first, e.mul(s(REST1), e.sub(grad, first)));
  const nextSecond = e.add(e.mul(second, s(BETA2)), e.mul(s(REST2), e.mul(grad, grad)));
  const outputs = [nextFirst, nextSecond];
  if (amsgrad) outputs.push(e.maximum(e.input(3), nextSecond));
  const denominator = e.add(e.div(e.sqrt(outputs[outputs.length - 1]), s(ROOT)), s(EPS));
  outputs.unshift(e.add(param, e.div(e.mul(s(LR), nextFirst), denominator)));
  return new MapKernel({
    outputs: outputs.map((expr) => ({ expr, dtype })),
    inputs: new Array(amsgrad ? 5 : 4).fill(dtype),
    compute: dtype,
    scalars: scalars.length,
    name: 'adam',
  });
}

function kernel(flags: number, dtype: DType): MapKernel {
  return (kernels[dtype.index * 16 + flags] ??= build(flags, dtype));
}

/** Checks options that Adam and AdamW share. */
function check(lr: number, betas: readonly [number, number], eps: number, weight_decay: number): void {
  if (!(lr >= 0)) throw new ValueError(`Invalid learning rate: ${pyNumber(lr)}`);
  if (!(eps >= 0)) throw new ValueError(`Invalid epsilon value: ${pyNumber(eps)}`);
  for (const i of [0, 1]) {
    if (!(betas[i] >= 0 && betas[i] < 1)) {
      throw new ValueError(`Invalid beta parameter at index ${i}: ${pyNumber(betas[i])}`);
    }
  }
  if (!(weight_decay >= 0)) throw new ValueError(`Invalid weight_decay value: ${pyNumber(weight_decay)}`);
}

const BETAS = [0.9, 0.999] as const;

export class Adam extends Optimizer {
  constructor(params: ParamsInput, options?: AdamOptions & { decoupled_weight_decay?: boolean });
  constructor(params: ParamsInput, lr: number, options?: AdamOptions & { decoupled_weight_decay?: boolean });
  constructor(...args: unknown[]) {
    const [params, lr, betas, eps, weight_decay, amsgrad, foreach, maximize, capturable, differentiable, fused, apart] =
      ADAM.bind(args) as [ParamsInput, number, readonly [number, number] | null, number, number, ...unknown[]];
    check(lr, betas ?? BETAS, eps, weight_decay);
    refuseDifferentiable(differentiable);
    super(params, {
      lr,
      betas: betas ?? BETAS,
      eps,
      weight_decay,
      amsgrad,
      maximize,
      foreach,
      capturable,
      differentiable,
      fused,
      decoupled_weight_decay: apart,
    });
  }

  protected override updateGroup(group: ParamGroup): void {
    const { params } = group;
    const lr = group['lr'] as number;
    const [beta1, beta2] = group['betas'] as [number, number];
    const decay = group['weight_decay'] as number;
    const apart = Boolean(group['decoupled_weight_decay']);
    const flags =
      (group['maximize'] ? MAXIMIZE : 0) |
      (decay !== 0 ? DECAY : 0) |
      (decay !== 0 && apart ? DECOUPLED : 0) |
      (group['amsgrad'] ? AMSGRAD : 0);
    scalars[SHRINK] = apart ? 1 - lr * decay : decay;
    scalars[BETA1] = beta1;
    scalars[REST1] = 1 - beta1;
    scalars[BETA2] = beta2;
    scalars[REST2] = 1 - beta2;
    scalars[EPS] = group['eps'] as number;
    for (let i = 0; i < params.length; i++) {
      const param = params[i];
      const grad = param.gradient;
      if (grad === null) continue;
      checkFits(param, grad, 'the gradient');
      const kept = this.momentsOf(param, (flags & AMSGRAD) !== 0);
      checkFits(param, kept.exp_avg, 'exp_avg');
      const step = ++kept.count;
      scalars[LR] = -(lr / (1 - beta1 ** step));
      scalars[ROOT] = Math.sqrt(1 - beta2 ** step);
      const outs = [param, kept.exp_avg, kept.exp_avg_sq];
      if (flags & AMSGRAD) outs.push(kept.max_exp_avg_sq!);
      kernel(flags, param.dtype).launchMany(outs, [...outs, grad], scalars);
      for (const out of outs) bumpVersion(out);
    }
  }

  private momentsOf(param: Tensor, amsgrad: boolean): Moments {
    let kept = this.state.get(param) as Moments | undefined;
    if (kept === undefined) {
      kept = new Moments(newState(param, 0), newState(param, 0));
      this.state.set(param, kept as unknown as ParamState);
    }
    if (amsgrad && kept.max_exp_avg_sq === undefined) kept.max_exp_avg_sq = newState(param, 0);
    return kept;
  }

  protected override restoreState(kept: ParamState): ParamState {
    const { step, exp_avg, exp_avg_sq, max_exp_avg_sq } = kept as Record<string, Tensor>;
    const moments = new Moments(exp_avg, exp_avg_sq);
    moments.count = step instanceof Tensor ? (step.item() as number) : Number(step);
    if (max_exp_avg_sq !== undefined) moments.max_exp_avg_sq = max_exp_avg_sq;
    return moments as unknown as ParamState;
  }
}

/** State of a parameter. PyTorch counts steps in a tensor on the cpu; here it is made when somebody looks. */
class Moments {
  declare count: number;
  declare readonly step: Tensor;
  declare readonly exp_avg: Tensor;
  declare readonly exp_avg_sq: Tensor;
  declare max_exp_avg_sq?: Tensor;

  constructor(exp_avg: Tensor, exp_avg_sq: Tensor) {
    Object.defineProperty(this, 'count', { value: 0, writable: true });
    Object.defineProperty(this, 'step', {
      get: () => tensor(this.count, { dtype: float32, device: 'cpu' }),
      enumerable: true,
    });
    Object.assign(this, { exp_avg, exp_avg_sq });
  }
}

/** Adam with weight decay that does not pass through the moments. */
export class AdamW extends Adam {
  constructor(params: ParamsInput, options?: AdamOptions);
  constructor(params: ParamsInput, lr: number, options?: AdamOptions);
  constructor(...args: unknown[]) {
    const [params, lr, betas, eps, weight_decay, amsgrad, maximize, foreach, capturable, differentiable, fused] =
      ADAMW.bind(args) as [ParamsInput, ...unknown[]];
    super(params, {
      lr,
      betas,
      eps,
      weight_decay,
      amsgrad,
      maximize,
      foreach,
      capturable,
      differentiable,
      fused,
      decoupled_weight_decay: true,
    } as AdamOptions);
  }
}
