/** `optim.Adam` and `optim.AdamW`: steps scaled by running moments, one launch for each parameter and step. */
import { float32 } from '../core/dtype.ts';
import { AssertionError, RuntimeError, ValueError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import { isCurrentStreamCapturing } from '../devices/graph.ts';
import { bumpVersion } from '../autograd/views.ts';
import { fill } from '../ops/host.ts';
import { Signature } from '../nn/signature.ts';
import { pyNumber } from '../nn/text.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { Tensor } from '../tensor/tensor.ts';
import { tensor } from '../torch/named.ts';
import {
  AMSGRAD,
  adamKernel,
  advanceKernel,
  BETA1,
  BETA2,
  CAPTURABLE,
  correctionType,
  DECAY,
  DECOUPLED,
  EPS,
  LR,
  MAXIMIZE,
  REST1,
  REST2,
  ROOT,
  SCALARS,
  SHRINK,
} from './adam-kernels.ts';
import { Optimizer, type ParamGroup, type ParamsInput } from './optimizer.ts';
import { checkFits, keep, newState, type ParamState, refuseDifferentiable } from './state.ts';
import type { OptimizerStateDict } from './state-dict.ts';

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
  /**
   * Counts steps on the device, so that a step can be captured in a graph and replayed: one small launch more for each
   * parameter. Parameters must be on mtia.
   */
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

const scalars = new Array<number>(SCALARS).fill(0);

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

  #warned = false;

  /** @throws RuntimeError where a graph is captured that would repeat one step for ever */
  protected override beforeStep(): void {
    const capturing = isCurrentStreamCapturing();
    const capturable = this.param_groups.every((group) => group['capturable']);
    if (capturing && !capturable) {
      throw new RuntimeError(
        `Attempting MTIA graph capture of step() for an instance of ${this.constructor.name} but param_groups' capturable is False.`,
      );
    }
    if (this.#warned || capturing || !capturable) return;
    this.#warned = true;
    warn(
      'This instance was constructed with capturable=True or some of all the param_groups came with capturable=True, but step() is running without MTIA graph capture. If you never intend to graph-capture this instance, capturable=True can impair performance, and you should set capturable=False.',
    );
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
      (group['amsgrad'] ? AMSGRAD : 0) |
      (group['capturable'] ? CAPTURABLE : 0);
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
      const kept = this.momentsOf(param, flags);
      checkFits(param, kept.exp_avg, 'exp_avg');
      const outs = [param, kept.exp_avg, kept.exp_avg_sq];
      if (flags & AMSGRAD) outs.push(kept.max_exp_avg_sq!);
      const inputs = [...outs, grad];
      if (flags & CAPTURABLE) {
        const corrections = advance(param, kept, lr, beta1, beta2);
        adamKernel(flags, param.dtype).launchMany(outs, [...inputs, ...corrections], scalars);
        for (const { storage } of corrections) storage.freeNow();
      } else {
        const step = kept.advance();
        scalars[LR] = -(lr / (1 - beta1 ** step));
        scalars[ROOT] = Math.sqrt(1 - beta2 ** step);
        adamKernel(flags, param.dtype).launchMany(outs, inputs, scalars);
      }
      for (const out of outs) bumpVersion(out);
    }
  }

  private momentsOf(param: Tensor, flags: number): Moments {
    let kept = this.state.get(param) as Moments | undefined;
    const amsgrad = (flags & AMSGRAD) !== 0;
    if (kept === undefined) {
      kept = new Moments(newState(param, 0), newState(param, 0));
      if (flags & CAPTURABLE) placeStep(param, kept);
      this.state.set(param, kept as unknown as ParamState);
    }
    if (amsgrad && kept.max_exp_avg_sq === undefined) kept.max_exp_avg_sq = newState(param, 0);
    return kept;
  }

  override load_state_dict(state_dict: OptimizerStateDict): void {
    super.load_state_dict(state_dict);
    for (const group of this.param_groups) {
      if (!group['capturable']) continue;
      for (const param of group.params) {
        const kept = this.state.get(param) as Moments | undefined;
        if (kept !== undefined) placeStep(param, kept);
      }
    }
  }

  protected override restoreState(kept: ParamState): ParamState {
    const { step, exp_avg, exp_avg_sq, max_exp_avg_sq } = kept as Record<string, Tensor>;
    const moments = new Moments(exp_avg, exp_avg_sq);
    moments.count = step instanceof Tensor ? (step.item() as number) : Number(step);
    if (max_exp_avg_sq !== undefined) moments.max_exp_avg_sq = max_exp_avg_sq;
    return moments as unknown as ParamState;
  }
}

/** @throws AssertionError unless the parameter and its count of steps are on a device that can capture */
function checkCapturable(param: Tensor, step: Tensor | null): void {
  if (step !== null && step.storage.backend === param.storage.backend) return;
  throw new AssertionError("If capturable=True, params and state_steps must be on supported devices: ['mtia'].");
}

/** Counts the steps of a parameter on its device from now on. */
function placeStep(param: Tensor, kept: Moments): void {
  const { backend } = param.storage;
  if (backend.device.type !== 'mtia') checkCapturable(param, null);
  const step = keep(emptyTensor(backend, [], float32), param);
  fill(step, kept.count);
  kept.counter = step;
}

/** The next step, on the device: minus the step size, and the root of the second moment's correction. */
function advance(param: Tensor, kept: Moments, lr: number, beta1: number, beta2: number): [Tensor, Tensor] {
  const step = kept.counter;
  checkCapturable(param, step);
  const dtype = correctionType(param.dtype);
  const rate = emptyTensor(param.storage.backend, [], dtype);
  const root = emptyTensor(param.storage.backend, [], dtype);
  advanceKernel(dtype).launchMany([step!, rate, root], [step!], [lr, beta1, beta2]);
  bumpVersion(step!);
  return [rate, root];
}

/** State of a parameter. PyTorch counts steps in a tensor on the cpu; here it is made when somebody looks. */
class Moments {
  /** Steps so far, unless `counter` has them. */
  declare count: number;
  /** The count on the device, of capturable steps. */
  declare counter: Tensor | null;
  declare readonly step: Tensor;
  declare readonly exp_avg: Tensor;
  declare readonly exp_avg_sq: Tensor;
  declare max_exp_avg_sq?: Tensor;

  constructor(exp_avg: Tensor, exp_avg_sq: Tensor) {
    Object.defineProperty(this, 'count', { value: 0, writable: true });
    Object.defineProperty(this, 'counter', { value: null, writable: true });
    Object.defineProperty(this, 'step', {
      get: () => this.counter ?? tensor(this.count, { dtype: float32, device: 'cpu' }),
      enumerable: true,
    });
    Object.assign(this, { exp_avg, exp_avg_sq });
  }

  /** The number of the next step, counted on the host. */
  advance(): number {
    if (this.counter !== null) {
      // The group was capturable before.
      this.count = this.counter.item() as number;
      this.counter.storage.unhold();
      this.counter = null;
    }
    return ++this.count;
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
